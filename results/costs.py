#!/usr/bin/env python3
"""results/costs.py RESULTS... [--csv]: what each experiment took, by its results file alone: cells, requests, time,
disk. RESULTS are files or folders of them. Files hold no memory that a run took, so that there is no column for it."""

import argparse
import csv
import math
import sys
from pathlib import Path

try:
    from harness_results.file import Results, ResultsError
except ImportError as missing:
    sys.exit(f"results/costs.py: {missing}; a Python that has it: /usr/bin/python3 on Debian, after ci/setup")

COLUMNS = ("experiment", "systems", "cells", "requests", "wall_s", "cells_s", "disk_mb", "machine", "commit")
HEAD = """# What each experiment took

`wall_s`: from the start of the program to the writing of the file, on as many ranks as it had.
`cells_s`: wall times of the cells' runs added up, without their planning. `disk_mb`: size of the
results file, in 10^6 bytes. Files do not hold the memory that a run took.

"""


def cost_of(path):
    """A row of COLUMNS, or None for what is no results file of an experiment."""
    try:
        results = Results(path)
    except ResultsError:
        return None
    except OSError as wrong:
        raise ValueError(f"{path}: cannot be read as HDF5") from wrong
    rows, attributes = results.rows, results.attributes()
    results.close()
    if attributes.get("contents") != "experiment":
        return None
    dirty = " with local changes" if attributes["git_dirty"] else ""
    cells_s = sum(float(row["wall_s"]) for row in rows if not math.isnan(row["wall_s"]))
    return {
        "experiment": attributes["experiment"], "systems": " ".join(sorted({row["system"] for row in rows})),
        "cells": len(rows), "requests": sum(int(row["sent"]) for row in rows),
        "wall_s": f"{attributes['wall_s']:.1f}", "cells_s": f"{cells_s:.1f}",
        "disk_mb": f"{path.stat().st_size / 1e6:.1f}", "machine": attributes["machine"],
        "commit": attributes["git_commit"] + dirty,
    }


def costs(paths):
    """Of files, and of what is in and below folders; cells of unfinished runs are no experiments. Raises ValueError for none."""
    files = [file for path in paths for file in (sorted(path.rglob("*.h5")) if path.is_dir() else [path])
             if not file.parent.name.endswith(".cells")]
    rows = [row for row in map(cost_of, files) if row is not None]
    if not rows:
        raise ValueError(f"{', '.join(map(str, paths))}: no results of experiments")
    return rows


def write_csv(rows, out):
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def markdown(rows):
    lines = [f"| {' | '.join(COLUMNS)} |", "|" + "---|" * len(COLUMNS)]
    lines += [f"| {' | '.join(str(row[column]) for column in COLUMNS)} |" for row in rows]
    return HEAD + "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--csv", action="store_true", help="CSV in place of Markdown")
    options = parser.parse_args()
    try:
        rows = costs(options.results)
    except (OSError, KeyError, ValueError) as wrong:
        print(f"results/costs.py: {wrong}", file=sys.stderr)
        return 2
    if options.csv:
        write_csv(rows, sys.stdout)
    else:
        sys.stdout.write(markdown(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
