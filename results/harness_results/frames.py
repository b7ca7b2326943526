"""A results file as pandas' DataFrames, for notebooks. pandas is imported by load(), so that figures do without it."""

from functools import cached_property

import h5py
import numpy as np

from harness_results.file import HOW_TO_RECORD, Results, ResultsError, ranges
from harness_results.names import SHOWN_VALUES, text_of

FORMAT = "harness results"
FORMAT_VERSION = 1  # the newest that this package reads
# Enumerations that mean nothing where another column has another value: column -> (the other, its value).
ONLY_WITH = {"reason": ("outcome", "dropped")}
UNITS = {"ns": "ns", "us": "us", "ms": "ms", "s": "s", "rps": "requests/s", "kbps": "1000 bit/s", "bytes": "bytes", "hours": "h", "ns2": "ns^2"}


class MissingTable(KeyError):
    """A table or cell that the file does not have; the text says what there is, or how to record it."""

    def __str__(self):
        return self.args[0]


def load(path):
    """Opens a results file. Raises OSError where there is none, ResultsError where it is another file, ImportError without pandas."""
    return Frames(path)


def unit_of(column):
    """By the column's name, as all columns have it: "ns" of "latency_ns", "ms" of "latency_ms_p99", "1" of counts and shares."""
    words = column.split("_")
    if words[-2:] == ["per", "s"]:
        return "requests/s"
    return next((UNITS[word] for word in words if word in UNITS), "1")


class Frames:
    """An open results file. A `cell` is its number, the column of that name in `summary`. Every DataFrame has today's names of columns,
    text and enumerations by their names, numbers as they are stored, and the units of its numbers in attrs["units"]."""

    def __init__(self, path):
        import pandas

        self._pandas = pandas
        self._results = Results(path)
        self._attributes = self._results.attributes()
        self._require_format()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Tables that were read stay; no further ones can be."""
        self._results.close()

    @cached_property
    def summary(self):
        """A row for each cell, skipped and invalid ones too: keep those with status == "ok" in statistics."""
        frame = self._with_units(self._pandas.DataFrame(self._results.rows))
        known = {name: facts["unit"] or "1" for name, facts in self._results.columns.items() if name in frame.attrs["units"]}
        frame.attrs["units"] |= known
        return frame

    @cached_property
    def columns(self):
        """What the file says of each column of `summary`: its unit, whether it is a share, which way is better, and what it is where no
        request was sent or none completed ("value": as always, "none", "inf"). Empty in files of an older version."""
        return self._pandas.DataFrame(self._results.columns.values()).set_index("name") if self._results.columns else self._pandas.DataFrame()

    @property
    def provenance(self):
        """Where the results come from: the attributes of the file (commit, versions, machine, experiment), and its path."""
        return {"file": str(self._results.path), **self._attributes}

    def requests(self, cell):
        """A row for each request, also those of a warm-up. Without these: rows[rows.sent_ns >= measured_from_s * 1e9], with the cell's
        `measured_from_s` in `summary`."""
        return self.table(cell, "requests")

    def visits(self, cell):
        """A row for each request and module it came to, also those of a warm-up. Without these: visits[visits.request.isin(counted.request)],
        where `counted` is requests() without them."""
        return self.table(cell, "visits")

    def windows(self, cell):
        """What became of the requests sent in each window, from time 0 on. A warm-up has windows of zeros: those whose start_ns is less
        than measured_from_s * 1e9."""
        return self.table(cell, "windows")

    def plan(self, cell):
        """Workers, largest batch and execution time of each module, whenever they change."""
        return self.table(cell, "plans")

    def modules(self, cell):
        """A row for each module."""
        return self.table(cell, "modules")

    def settings(self, cell):
        """The cell's whole effective settings: tables in tables."""
        return self._cell(cell).settings

    def table(self, cell, name):
        """Any table of /cells/N by its name: "module_windows", "workers", "latency", "states"."""
        group = self._cell(cell)
        if not group.has(name):
            how = HOW_TO_RECORD.get(name, f"the cell has {', '.join(group.tables())}")
            raise MissingTable(f"{self._results.path}: no /cells/{cell}/{name}: {how}")
        stored = group.dataset(name)
        enumerations = {column: h5py.check_enum_dtype(stored.dtype[column]) for column in stored.dtype.names}
        rows = stored[:]
        frame = self._pandas.DataFrame({column: self._decoded(rows[column], enumerations[column]) for column in rows.dtype.names})
        for column, (other, value) in ONLY_WITH.items():
            if column in frame and other in frame:
                frame.loc[frame[other] != value, column] = np.nan
        if "device" in frame and (kinds := group.settings.get("cluster", {}).get("device")):
            frame["device"] = self._pandas.Categorical.from_codes(*self._codes(rows["device"], [kind["name"] for kind in kinds]))
        if "module" in frame:
            frame["module"] = self._pandas.Categorical.from_codes(*self._codes(rows["module"], group.module_names()))
        return self._with_units(frame)

    def _cell(self, number):
        rows = {row["cell"]: row for row in self._results.rows}
        if number not in rows:
            raise MissingTable(f"{self._results.path}: no cell {number}: the file has {ranges(sorted(rows))}")
        row = rows[number]
        if row["status"] == "skipped":
            raise MissingTable(f"{self._results.path}: cell {number} was skipped: {row['why']}")
        return self._results.cell(row)

    def _decoded(self, values, enumeration):
        if enumeration:
            places = np.full(max(enumeration.values()) + 1, -1)
            places[list(enumeration.values())] = np.arange(len(enumeration))
            return self._pandas.Categorical.from_codes(places[values], [SHOWN_VALUES.get(name, name) for name in enumeration])
        return [text_of(value) for value in values] if values.dtype.kind in "OS" else values

    @staticmethod
    def _codes(numbers, names):
        """(codes, names) for a Categorical; 65535, as of whole requests, which are at no module, has no name."""
        numbers = numbers.astype(int)
        return np.where(numbers < len(names), numbers, -1), names

    def _with_units(self, frame):
        frame.attrs["units"] = {column: unit_of(column) for column in frame if frame[column].dtype.kind in "iuf"}
        return frame

    def _require_format(self):
        path, found = self._results.path, self._attributes.get("format", "nothing")
        if found != FORMAT:
            raise ResultsError(f"{path}: format: found {found}, allowed: {FORMAT}")
        if self._attributes.get("format_version", 0) > FORMAT_VERSION:
            raise ResultsError(f"{path}: format_version: found {self._attributes['format_version']}, allowed: up to {FORMAT_VERSION}")
