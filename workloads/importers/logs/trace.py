"""What a log is read as: sending times or counts, and how they are called."""

from dataclasses import dataclass, field

import numpy as np

from .messages import counted, shown, text_of

PUBLISHED = ("azure_functions", "azure_llm", "burstgpt", "mooncake")


@dataclass
class Trace:
    """A recorded trace: sending times, or counts per bin (then there are no times). Source time 0
    is the file's beginning."""

    format: str
    times_ns: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))  # non-decreasing, from 0 on
    counts: np.ndarray = field(default_factory=lambda: np.empty(0))  # requests in each bin
    bin_s: float = 1
    rates: np.ndarray | None = None  # of each function, in each bin over its mean (then there are neither times nor counts)
    tokens: np.ndarray | None = None  # lengths of each request's input and output, of logs that have them
    modules: np.ndarray | None = None  # of each request, a place in module_names; of logs that have them
    module_names: list = field(default_factory=list)
    read: str = ""  # what was taken for what: columns, units
    notes: list = field(default_factory=list)  # what a reader should know beside it

    @property
    def reading(self):
        """What was read as what, in one line: format, column, unit, bin, requests, span, gaps."""
        text = (self.format + ": " if self.format in PUBLISHED else "") + self.read
        if self.rates is not None:
            functions, bins = self.rates.shape
            return shown(f"{text}; {counted(functions, 'function')} over {text_of(self.bin_s * bins)} s")
        if not len(self.times_ns):
            empty, bins = int((self.counts == 0).sum()), len(self.counts)
            requests, span = text_of(in_order(self.counts)), text_of(self.bin_s * bins)
            return shown(f"{text}; {requests} requests over {span} s, {empty} of {bins} bins empty")
        first, last = int(self.times_ns[0]), int(self.times_ns[-1])
        longest = int(np.diff(self.times_ns).max()) if len(self.times_ns) > 1 else 0
        late = f", the first at {text_of(first / 1e9)} s" if first > longest else ""
        return shown(f"{text}; {len(self.times_ns)} requests over {text_of(last / 1e9)} s, longest gap {text_of(longest / 1e9)} s{late}")


def in_order(values):
    """Returns the sum, added up one after the other."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0
