#!/usr/bin/env python3
"""Draws the figures of a results file as PDF and PNG: `harness figures RESULTS.h5` runs this.

Every workload (pipeline, trace, load, SLO, and swept parameters of the load or the cluster) gets figures of goodput, queueing delay, drops by module and latency, the first
--limit workloads of the file only; drop and invalid rate are drawn for all workloads, on at most --limit pages.
"""

import argparse
import os
import sys
from pathlib import Path

import latency
import over_time
import shares
from results import Results
from style import Palette

WORKLOAD_FIGURES = (
    over_time.draw_goodput,
    over_time.draw_queueing_delay,
    shares.draw_drops_by_module,
    latency.draw_latency,
)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="results file (HDF5)")
    parser.add_argument("-o", dest="folder", type=Path, default=Path("figures"), help="folder for the figures")
    parser.add_argument("--limit", type=int, default=12, help="workloads with figures of their own (%(default)s)")
    return parser.parse_args()


def draw_all(results, folder, limit):
    """Yields the paths of the figures as they are finished."""
    palette = Palette(results.series())
    workloads = results.workloads()
    pages = shares.pages_of(workloads, min(len(results.series()), shares.MOST_SERIES))
    for number, page in enumerate(pages[:limit], start=1):
        yield from shares.draw_rates(results, palette, page, number, folder)
    for workload, by_series in list(workloads.items())[:limit]:
        for draw in WORKLOAD_FIGURES:
            yield from draw(results, palette, workload, by_series, folder)


def tell(line):
    """Prints a line; a reader that has gone away must not keep figures from being drawn."""
    try:
        print(line, flush=True)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")


def main():
    arguments = parse_arguments()
    results = Results(arguments.results)
    if not results.cells:
        raise SystemExit(f"{arguments.results}: no cell has results to draw")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for path in draw_all(results, arguments.folder, arguments.limit):
        tell(path)
    workloads = len(results.workloads())
    if workloads > arguments.limit:
        tell(f"{workloads - arguments.limit} further workloads have no figures of their own (--limit {arguments.limit})")
    if results.not_drawn:
        tell(f"{results.not_drawn} cells are skipped or invalid and not drawn")


if __name__ == "__main__":
    main()
