"""What a cell's section of the page shows: its course over time, drops, latencies, plans."""

import h5py
import numpy as np

from columns import Pool, column, counts, table
from harness_results.file import HOW_TO_RECORD, MEASURE_LATENCY, NS_PER_MS, NS_PER_S
from harness_results.names import SHOWN_VALUES

CDF_STEPS = 80  # a stored point at least wherever the share has risen by one of these
CDF_TAIL = (0.99, 0.995, 0.999, 0.9999)
MAX_PLAN_ROWS = 400  # of a cell
MAX_REQUEST_ROWS = 12_000_000  # that are read for latencies over time, of all cells together
WHOLE_REQUEST = 65535
BINS = (1, 2, 5, 10, 20, 30, 60)  # windows that may stand for one in the page


def how_to_record(name):
    return HOW_TO_RECORD[name]


def binned(values, width):
    """Sums of `width` consecutive values, the last of what is left."""
    return values if width == 1 else np.add.reduceat(values, np.arange(0, len(values), width))


class Course:
    """Counts by window of a cell's measured part, kept until it is known how fine the page can show them."""

    def __init__(self, cell):
        windows = cell.windows
        self.window_s = float(cell.window_s)
        self.sent, self.late, self.dropped = (windows[name].astype(np.int64) for name in ("sent", "late", "dropped"))
        self.unfinished = self.sent - windows["in_time"].astype(np.int64) - self.late - self.dropped

    def packed(self, width, pool):
        made = {"window_s": self.window_s * width, "sent": pool.place(counts(binned(self.sent, width)))}
        for name in ("late", "dropped", "unfinished"):
            values = binned(getattr(self, name), width)
            if values.any():
                made[name] = counts(values)
        return made


class ModuleCourse:
    """Drops and waits before execution by module and window of a cell."""

    def __init__(self, cell):
        self.window_s = float(cell.window_s)
        self.dropped = cell.module_table("dropped").astype(np.int64).T
        self.started = cell.module_table("started").astype(np.int64).T
        self.waited_ns = {name: cell.module_table(name + "_ns").T for name in ("queueing", "wait")}

    def packed(self, width, _pool):
        return {"window_s": self.window_s * width, "dropped": [counts(binned(own, width)) for own in self.dropped],
                **{name: [counts(mean_tenths(own, started, width)) for own, started in zip(waited, self.started)]
                   for name, waited in self.waited_ns.items()}}


def mean_tenths(waited_ns, started, width):
    """Means over the visits that started, in tenths of a ms and one more; 0 where none started."""
    visits, waited = binned(started, width), binned(waited_ns, width)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(visits > 0, np.round(waited / visits / NS_PER_MS * 10) + 1, 0)


def quantiles_over_time(requests, window_ns, count, from_ns=0):
    """(median, 99th percentile) in ms of the latencies of the completed requests sent in each of the windows after from_ns, None where
    there are none."""
    place = h5py.check_enum_dtype(requests.dtype["outcome"])
    rows = requests.fields(["sent_ns", "latency_ns", "outcome"])[:]
    rows = rows[(rows["outcome"] == place["in_time"]) | (rows["outcome"] == place["late"])]
    window = (rows["sent_ns"] - from_ns) // window_ns
    rows, window = rows[(window >= 0) & (window < count)], window[(window >= 0) & (window < count)]
    order = np.lexsort((rows["latency_ns"], window))
    latency, found = rows["latency_ns"][order], np.bincount(window.astype(int), minlength=count)
    start = np.cumsum(found) - found
    return [[None if n == 0 else round(float(latency[at + max(0, -(-n * percent // 100) - 1)]) / NS_PER_MS, 2)
             for at, n in zip(start, found)] for percent in (50, 99)]


def latency_cdf(cell):
    """Upper ends of buckets in us and the number of requests up to there: every point is of the file's histogram, in between some
    are left out."""
    rows = cell.table("latency")
    rows = rows[(rows["measure"] == MEASURE_LATENCY) & (rows["module"] == WHOLE_REQUEST)]
    total = np.cumsum(rows["count"].astype(np.int64))
    if not len(rows) or not total[-1]:
        return None
    share = total / total[-1]
    steps = np.concatenate([np.arange(1, CDF_STEPS) / CDF_STEPS, CDF_TAIL])
    kept = np.unique(np.concatenate([[0], np.searchsorted(share, steps), [len(rows) - 1]]))
    return {"us": [round(float(value) / 1000, 3) for value in rows["up_to_ns"][kept]], "count": [int(value) for value in total[kept]],
            "buckets": len(rows)}


def modules_of(cell, pool):
    """What each module did, and its drops by reason."""
    rows = cell.table("modules")
    reasons = [name for name in rows.dtype.names if name.startswith("dropped_")]
    done = np.maximum(rows["done"].astype(float), 1)
    # The sums of delays are over the visits that started, preempted ones each time.
    started = np.maximum(cell.module_table("started").sum(axis=0), 1) if cell.has("module_windows") else done
    made = {"names": pool.place(cell.module_names())}
    for name in ("arrived", "done", "cancelled", "batches"):
        made[name] = [int(value) for value in rows[name]]
    for name, visits in (("queueing", started), ("wait", started), ("exec", done)):
        made[name + "_ms"] = [round(float(value), 4) for value in rows[name + "_ns"] / visits / NS_PER_MS]
    made["drops"] = [[at, SHOWN_VALUES.get(name.removeprefix("dropped_"), name.removeprefix("dropped_")), int(row[name])]
                     for at, row in enumerate(rows) for name in reasons if row[name]]
    return made


def plans_of(cell):
    """The rows of `plans` (and `groups`), the first ones of a long course; "left" says how many were left out."""
    made = {}
    kinds = [kind["name"] for kind in cell.settings.get("cluster", {}).get("device", [])]
    for name in ("plans", "groups"):
        if not cell.has(name):
            continue
        rows = cell.table(name)
        kept = rows[:MAX_PLAN_ROWS]
        columns = {"at_s": [value / NS_PER_S for value in kept["at_ns"].tolist()]}
        if name == "plans":
            columns["rate_rps"] = [workers * batch / (exec_ns / NS_PER_S) if exec_ns > 0 else None
                                   for workers, batch, exec_ns in kept[["workers", "max_batch", "exec_ns"]].tolist()]
        for own in kept.dtype.names:
            if own in ("exec_ns", "cycle_ns"):
                columns[own.removesuffix("_ns") + "_ms"] = [value / NS_PER_MS for value in kept[own].tolist()]
            elif own == "device":
                columns[own] = [kinds[at] if at < len(kinds) else "" for at in kept[own].tolist()]
            elif own != "at_ns":
                columns[own] = kept[own].tolist()
        made[name] = {"rows": table(columns), "left": len(rows) - len(kept)}
    return made


class Views:
    """The cells' views of one file. `limit` is the number of characters that all courses may take."""

    def __init__(self, limit):
        self.limit = limit
        self.names, self.sent = Pool(), Pool()
        self.notes = []  # what the page leaves out
        self._requests = 0
        self._skipped = []

    def cell(self, cell):
        """(view, its Course or None, its ModuleCourse or None)"""
        lacks = {name: how_to_record(name) for name in ("requests", "visits", "states", "replay") if not cell.has(name)}
        view = {"lacks": sorted(lacks), "end_s": round(float(cell.attribute("end_ns")) / NS_PER_S, 6)}
        course = Course(cell) if cell.has("windows") else None
        modules = ModuleCourse(cell) if cell.has("module_windows") and cell.has("modules") else None
        if course and cell.has("requests"):
            self._latencies(cell, course, view)
        if cell.has("latency"):
            view["cdf"] = latency_cdf(cell)
        if cell.has("modules"):
            view["modules"] = modules_of(cell, self.names)
        view |= plans_of(cell)
        return view, course, modules

    def _latencies(self, cell, course, view):
        requests = cell.dataset("requests")
        if self._requests + len(requests) > MAX_REQUEST_ROWS:
            self._skipped.append(int(cell["cell"]))
            return
        self._requests += len(requests)
        p50, p99 = quantiles_over_time(requests, int(cell.attribute("window_ns")), len(course.sent), int(cell.measured_from_s * NS_PER_S))
        view["latencies"] = {"window_s": course.window_s, "p50_ms": column(p50), "p99_ms": column(p99)}

    def fitted(self, courses, what, share, length):
        """Each course (or None) packed as finely as `share` of the limit allows; a note where that is coarser than the file."""
        for width in BINS:
            pool = Pool()
            packed = [course and course.packed(width, pool) for course in courses]
            if length([packed, pool.values]) <= share * self.limit:
                if width > 1:
                    self.notes.append(f"{what} in steps of {width} windows of the file, so that the page stays small; counts are sums.")
                return packed, pool
        self.notes.append(f"{what} is left out: it would make the page too large. A report of fewer cells has it.")
        return [None] * len(courses), Pool()

    def latencies_note(self):
        if self._skipped:
            self.notes.append(f"Latencies over time of {len(self._skipped)} cells are left out: together the cells have more than "
                              f"{MAX_REQUEST_ROWS:,} rows of requests.")
