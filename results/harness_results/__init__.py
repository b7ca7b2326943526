"""Reads results files of `harness` into pandas' DataFrames:

    import harness_results as hr
    r = hr.load("quickstart.h5")
    r.summary.groupby("system").goodput_rps.mean()

results/README.md describes the tables and their columns. Files of older versions read by the names of today.
"""

from harness_results.file import ResultsError
from harness_results.frames import Frames, MissingTable, load

__all__ = ["Frames", "MissingTable", "ResultsError", "load"]
