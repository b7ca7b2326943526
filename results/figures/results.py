"""Reads a results file (results/README.md) into workloads, series and cells."""

from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

NS_PER_S = 1e9
NS_PER_MS = 1e6
MEASURE_LATENCY = 0
# Parameters under these tables change the load or the cluster: they make another workload, not another series.
WORKLOAD_TABLES = ("workload.", "trace.", "cluster.", "planner.", "module.")


@dataclass(frozen=True)
class SeriesKey:
    """What a line or bar stands for; the seeds are averaged."""

    system: str
    variant: str
    parameters: str

    @property
    def label(self):
        words = [self.system]
        if self.variant != "default":
            words.append(self.variant)
        words += [text for text in self.parameters.split() if without_table(text) not in self.variant.split()]
        return " ".join(words)


@dataclass(frozen=True)
class WorkloadKey:
    """What a figure is about."""

    pipeline: str
    trace: str
    load: float
    slo_ms: float
    runtime: str
    parameters: str = ""  # those that make another workload

    @property
    def title(self):
        title = f"{self.pipeline}, {self.trace}, load {self.load:g}, SLO {self.slo_ms:g} ms"
        if self.parameters:
            title += ", " + self.parameters
        return title if self.runtime == "simulated" else f"{title}, {self.runtime}"

    @property
    def file_stem(self):
        text = f"{self.pipeline}-{self.trace}-{self.load:g}-{self.slo_ms:g}ms"
        if self.parameters:
            text += f"-{self.parameters}"
        if self.runtime != "simulated":
            text += f"-{self.runtime}"
        return "".join(c if c.isalnum() or c in "-._" else "_" for c in text)


class Cell:
    """One cell: its summary row and, read when asked for, its datasets."""

    def __init__(self, row, group):
        self.row = row
        self._group = group

    def __getitem__(self, column):
        return self.row[column]

    def table(self, name):
        return self._group[name][:]

    def attribute(self, name):
        return self._group.attrs[name]

    @property
    def series(self):
        return SeriesKey(self["system"], self["variant"], self._parameters(False))

    @property
    def workload(self):
        return WorkloadKey(
            self["pipeline"], self["trace"], self["load"], self["slo_ms"], self["runtime"], self._parameters(True)
        )

    def _parameters(self, of_workload):
        return " ".join(
            text for text in self["parameters"].split() if text.startswith(WORKLOAD_TABLES) == of_workload
        )

    @property
    def window_s(self):
        return self.attribute("window_ns") / NS_PER_S

    def module_names(self):
        return [name.decode() for name in self.table("modules")["name"]]

    def module_table(self, column):
        """The column of module_windows as an array [window, module]."""
        modules = len(self.table("modules"))
        return self.table("module_windows")[column].reshape(-1, modules).astype(float)

    def capacity(self, times_s):
        """Requests/s of the slowest module by the plan in force, at each of the times."""
        plans = self.table("plans")
        slowest = np.full(len(times_s), np.inf)
        for module in np.unique(plans["module"]):
            rows = plans[plans["module"] == module]
            rates = rows["workers"] * rows["batch_cap"] / (rows["exec_ns"] / NS_PER_S)
            at = np.searchsorted(rows["at_ns"] / NS_PER_S, times_s, side="right") - 1
            slowest = np.minimum(slowest, rates[np.maximum(at, 0)])
        return slowest


class Results:
    """An open results file."""

    def __init__(self, path):
        self.path = Path(path)
        self._file = h5py.File(path, "r")
        rows = [plain(row) for row in self._file["summary"][:]]
        self.cells = [Cell(row, self._file[f"cells/{row['cell']}"]) for row in rows if row["status"] == "ok"]
        self.not_drawn = len(rows) - len(self.cells)

    def workloads(self):
        """The cells of each workload, by series, in the order of the file."""
        grouped = {}
        for cell in self.cells:
            grouped.setdefault(cell.workload, {}).setdefault(cell.series, []).append(cell)
        for by_series in grouped.values():
            for series, cells in by_series.items():
                if len({cell["seed"] for cell in cells}) < len(cells):
                    raise SystemExit(f"{self.path}: cells of '{series.label}' differ in more than the seed")
        return grouped

    def series(self):
        return list(dict.fromkeys(cell.series for cell in self.cells))

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
        return f"{self.path.name}, {words} {indices} ({seed_words} {seeds}), commit {commit}."


def without_table(text):
    """"pard.lambda=0.2" as "lambda=0.2", the way variants without a name are called."""
    key, equals, value = text.partition("=")
    return key.rpartition(".")[2] + equals + value


def plain(row):
    """A row of /summary as a dictionary of Python values."""
    values = {}
    for name in row.dtype.names:
        value = row[name]
        values[name] = value.decode() if isinstance(value, bytes) else value.item()
    return values


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


def flatten(by_series):
    return [cell for cells in by_series.values() for cell in cells]


def seeds_note(by_series):
    """A sentence for captions of figures that average over seeds; empty when there is one."""
    most = max(len(cells) for cells in by_series.values())
    return f" Mean of {most} seeds." if most > 1 else ""
