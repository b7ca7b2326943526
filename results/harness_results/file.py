"""A results file as workloads, series and cells, in numpy's arrays: what figures and tables are made of."""

import tomllib
from functools import cached_property
from pathlib import Path

import h5py
import numpy as np

from harness_results.names import pairs_of, text_of
from harness_results.series import SeriesKey, WorkloadKey, name_series

NS_PER_S = 1e9
NS_PER_MS = 1e6
MEASURE_LATENCY = 0
OUTCOME_DONE = 0  # of a visit
# What a table is absent without.
HOW_TO_RECORD = {
    "requests": "rows are recorded with [record] rows = true",
    "visits": "rows are recorded with [record] rows = true",
    "states": "published states are recorded with [record] states = true",
    "replay": "recorded with [record] replay = true",
    "replay_log": "recorded with [record] replay = true",
    "groups": "only plans whose workers serve several modules have groups",
    "ranks": "only live runs have ranks",
}
NO_METRICS = {"load", "slo_ms", "duration_s", "measured_from_s"}
GROWING = "growing"  # in the column queue_trend
FIRST_OF_QUANTILES = "latency_ms_p50_low"  # files lack it that were written before values of nothing were left out
SHARE_WORDS = ("rate", "share", "gap", "utilisation", "attainment", "accuracy")


class Cell:
    """One cell: its summary row and, read when asked for, its datasets."""

    def __init__(self, row, group, by_rate=False):
        self.row = row
        self._group = group
        self._by_rate = by_rate

    def __getitem__(self, column):
        return self.row[column]

    def has(self, name):
        return name in self._group

    def tables(self):
        return list(self._group)

    def dataset(self, name):
        """The table as it is stored, unread."""
        return self._group[name]

    def table(self, name):
        return self._group[name][:]

    @property
    def measured_from_s(self):
        """Requests sent before it are counted nowhere: the warm-up. 0 in files of an older version."""
        return float(self.row.get("measured_from_s", 0))

    @property
    def is_growing(self):
        """Whether the queue still grew, so that the cell's numbers depend on the length of the run."""
        return self.row.get("queue_trend") == GROWING

    @cached_property
    def windows(self):
        """Those of the measured part: the first begins at measured_from_s."""
        return self.table("windows")[self._warm_up_windows():]

    def rows(self, name):
        """The table; of requests and of visits, the rows of requests that were sent in the measured part."""
        rows = self.table(name)
        if not self.measured_from_s or "request" not in rows.dtype.names:
            return rows
        sent_ns = rows["sent_ns"] if name == "requests" else self.dataset("requests")["sent_ns"]
        first = np.count_nonzero(sent_ns < self.measured_from_s * NS_PER_S)  # requests are numbered in the order of sending
        return rows[rows["request"] >= first]

    def _warm_up_windows(self):
        return round(self.measured_from_s / self.window_s) if self.measured_from_s else 0

    def attribute(self, name):
        return self._group.attrs[name]

    @cached_property
    def series(self):
        return SeriesKey.of(self.row)

    @cached_property
    def workload(self):
        return WorkloadKey.of(self.row, self.rate_rps, self.slos_ms if len(self.slos_ms) > 1 else ())

    @cached_property
    def parameters(self):
        """Swept and overridden parameters, by their keys."""
        return pairs_of(self["parameters"])

    @cached_property
    def settings(self):
        """The cell's whole effective settings."""
        return tomllib.loads(text_of(self.attribute("effective_toml")))

    @cached_property
    def slos_ms(self):
        """Those of its requests, from the shortest: of its streams, where these have their own."""
        streams = self.settings.get("trace", {}).get(self["trace"], {}).get("streams", ())
        return tuple(sorted({slo for stream in streams for slo in stream.get("slo_ms") or [self["slo_ms"]]})) or (self["slo_ms"],)

    @cached_property
    def rate_rps(self):
        """The rate that the experiment asks for; None where it gives loads."""
        if not self._by_rate:
            return None
        rates = self.settings.get("workload", {}).get("rates_rps")
        return float(rates[0]) if rates else None

    @property
    def cluster_workers(self):
        """Workers of the cluster, in use or not."""
        return int(self.settings["cluster"]["workers"])

    @property
    def window_s(self):
        return self.attribute("window_ns") / NS_PER_S

    def module_names(self):
        return [name.decode() for name in self.table("modules")["name"]]

    def module_table(self, column):
        """The column of module_windows as an array [window of the measured part, module]."""
        modules = len(self.table("modules"))
        return self.table("module_windows")[column].reshape(-1, modules)[self._warm_up_windows():].astype(float)

    def capacity(self, times_s):
        """Requests/s of the slowest module by the plan in force, at each of the times."""
        plans = self.table("plans")
        if (plans["at_ns"] <= 0).all():
            return np.full(len(times_s), self["capacity_rps"])  # also where a worker is no server of batches
        modules = self.table("modules")
        visits = modules["visit_ratio"] if "visit_ratio" in modules.dtype.names else np.ones(len(modules))  # older files
        slowest = np.full(len(times_s), np.inf)
        for module in np.unique(plans["module"]):
            rows = plans[plans["module"] == module]
            with np.errstate(divide="ignore", invalid="ignore"):  # a module that nobody visits limits nothing
                rates = rows["workers"] * rows["max_batch"] / (rows["exec_ns"] / NS_PER_S) / visits[module]
            at = np.searchsorted(rows["at_ns"] / NS_PER_S, times_s, side="right") - 1
            slowest = np.fmin(slowest, rates[np.maximum(at, 0)])
        return slowest


class ResultsError(ValueError):
    """A results file that cannot be read as what was asked for."""


class Results:
    """An open results file."""

    def __init__(self, path):
        self.path = Path(path)
        self._file = h5py.File(path, "r")
        if "summary" not in self._file:
            raise ResultsError(f"{path}: found no table summary, allowed: a results file of harness")
        self.rows = [plain(row) for row in self._file["summary"][:]]  # of skipped and invalid cells too
        self.columns = {column["name"]: column for column in map(plain, self._file["columns"][:])} if "columns" in self._file else {}
        name_series(self.rows)
        self.experiment = experiment = parsed(text_of(self._file.attrs.get("experiment_toml", "")))
        self.figures = named(experiment.get("figures", []))  # those that the experiment asks for
        self._by_rate = not {"rates_rps", "rates_rps_per_worker"}.isdisjoint(experiment.get("workload", {}))
        self.cells = [self.cell(row) for row in self.rows if row["status"] == "ok"]
        self.not_drawn = len(self.rows) - len(self.cells)

    def close(self):
        self._file.close()

    def cell(self, row):
        """The cell of one of `rows`."""
        return Cell(row, self._file[f"cells/{row['cell']}"], self._by_rate)

    def is_share(self, column):
        """True if a column of /summary is a part of a whole, as /columns says; by its name in files of an older version."""
        if column in self.columns:
            return bool(self.columns[column]["is_share"])
        return any(word in column for word in SHARE_WORDS)

    def attributes(self):
        """What the file says of itself."""
        return {name: text_of(value) if isinstance(value, (str, bytes)) else value.item() for name, value in self._file.attrs.items()}

    def workloads(self):
        """The cells of each workload, by series; workloads in the order of the file, series in that of series()."""
        grouped = {}
        for cell in self.cells:
            grouped.setdefault(cell.workload, {}).setdefault(cell.series, []).append(cell)
        order = {series: rank for rank, series in enumerate(self.series())}
        grouped = {workload: dict(sorted(own.items(), key=lambda item: order[item[0]])) for workload, own in grouped.items()}
        for by_series in grouped.values():
            for series, cells in by_series.items():
                if len({cell["seed"] for cell in cells}) < len(cells):
                    raise ResultsError(f"{self.path}: cells of '{series.label}' differ in more than the seed")
        return grouped

    def series(self):
        """In the order of the file, those of a sweep by its values."""
        found = list(dict.fromkeys(cell.series for cell in self.cells))
        first = {}
        for series in found:
            first.setdefault((series.system, series.swept_names), len(first))
        return sorted(found, key=lambda series: (first[series.system, series.swept_names], series.swept_values))

    def source(self, cells):
        """Says from which cells, file and commit a figure came."""
        indices = ranges(sorted(int(cell["cell"]) for cell in cells))
        seeds = ranges(sorted({int(cell["seed"]) for cell in cells}))
        attributes = self._file.attrs
        commit = attributes.get("git_commit", "unknown")[:12]
        if attributes.get("git_dirty", 0):
            commit += " with local changes"
        words = "cells" if len(cells) > 1 else "cell"
        seed_words = "seeds" if len({cell["seed"] for cell in cells}) > 1 else "seed"
        return f"{self.path.name}, {words} {indices} ({seed_words} {seeds}), commit {commit}.{peaks_text(cells)}{length_text(cells)}"


def peaks_text(cells):
    """Of recorded traces whose peaks are sent otherwise: " Peak over mean 2.0 in the log, 1.3 as sent (smoothed)." """
    found = {}
    for cell in cells:
        recorded, sent = (cell.row.get(name) for name in ("recorded_peak_over_mean", "sent_peak_over_mean"))
        if recorded and sent and abs(sent / recorded - 1) > 0.1:
            trace = cell.settings.get("trace", {}).get(cell["trace"], {})
            why = ("stretched" if trace.get("contrast", 1) != 1 else "compressed" if trace.get("compress", 0) > 1
                   else "smoothed" if not trace.get("clip_rps") else "clipped")
            found[f"{recorded:.1f} in the log, {sent:.1f} as sent ({why})"] = cell["trace"]
    if not found:
        return ""
    names = len({cell["trace"] for cell in cells}) > 1
    return " Peak over mean " + "; ".join((f"of {trace} " if names else "") + text for text, trace in found.items()) + "."


def length_text(cells):
    """Returns sentences for captions: from when on requests count, and how many cells depend on the length of the run."""
    text, starts = "", sorted({cell.measured_from_s for cell in cells})
    if starts and starts[-1]:
        span = " to ".join(f"{start:g}" for start in dict.fromkeys((starts[0], starts[-1])))
        text += f" Requests sent in the first {span} s are not counted."
    if growing := sum(cell.is_growing for cell in cells):
        own = "they depend" if growing > 1 else "that cell depends"
        text += f" Overload: in {growing} of {len(cells)} cells the queue still grew; {own} on the length of the run."
    return text


def plain(row):
    """A row of /summary as a dictionary of Python values."""
    values = {name: value.decode() if isinstance(value, bytes) else value for name, value in zip(row.dtype.names, row.item())}
    if "sent" in values:
        values.setdefault("slo_attainment", values["in_time"] / values["sent"] if values["sent"] else np.nan)
        if FIRST_OF_QUANTILES not in values:
            settle_older(values)
    return values


def settle_older(values):
    """Gives a row of an older file what it would hold today: 0 stood for no value there, and a cell without requests was not
    skipped. harness/record/hdf5/results_reader.cc does the same."""
    without = set()
    if values["status"] == "ok" and not values["sent"]:
        values |= {"status": "skipped", "why": "no request was sent"}
        without |= {name for name, value in values.items() if isinstance(value, float)} - NO_METRICS
    if values.get("overload_s") == 0:
        without |= {"goodput_overload_rps", "drop_rate_overload"} & values.keys()
    if not values["in_time"] + values["late"]:
        without |= {name for name in values if name.startswith("latency_ms_")}
    values |= dict.fromkeys(without, np.nan)


def ranges(numbers):
    """[0, 1, 2, 5] as "0-2, 5"; a long list is cut."""
    parts = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    texts = [str(a) if a == b else f"{a}-{b}" for a, b in parts]
    longest = 12
    if len(texts) > longest:
        texts = texts[: longest - 1] + [f"... {texts[-1]} ({len(numbers)} in all)"]
    return ", ".join(texts)


def parsed(toml):
    """The experiment's text as a dictionary; made-up files may hold anything."""
    try:
        return tomllib.loads(toml)
    except tomllib.TOMLDecodeError:
        return {}


def named(names):
    """A list of names; an experiment may write a single one without brackets."""
    return [names] if isinstance(names, str) else list(names)


def flatten(by_series):
    return [cell for cells in by_series.values() for cell in cells]
