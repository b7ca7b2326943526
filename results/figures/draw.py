#!/usr/bin/env python3
"""Draws the figures of a results file as PDF and PNG: `harness figures RESULTS.h5` runs this.

Which ones, the experiment says with `figures = ["pard/fig8", ...]`, or --only; otherwise the general ones. Of these, every workload (pipeline, trace, load, SLO, and swept parameters of the load or the cluster) gets figures of goodput, queueing delay, drops by module and latency, the first
--limit workloads of the file only; drop and invalid rate are drawn for all workloads, on at most --limit pages.
Of a table that `harness trace cv` wrote (-o NAME.h5) or printed (--csv, NAME.csv) the figures of SHEPHERD's that show it are drawn, of one
that `harness list variants` printed Loki's figure 3, of exit-points.txt of ci/gpu-node SHEPHERD's figure 12. Of what `harness fit` found, the points, knobs and claims.
"""

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))  # harness_results, installed or not

from series_styles import require_all  # noqa: E402
import catalogue  # noqa: E402
import fit  # noqa: E402
from harness_results.fit import is_fit  # noqa: E402
from harness_results.file import Results, ResultsError  # noqa: E402
import latency  # noqa: E402
from loki import fig3  # noqa: E402
import options  # noqa: E402
import over_time  # noqa: E402
import shares  # noqa: E402
from selection import LeftOut, Missing  # noqa: E402
from shepherd import exits, predictability  # noqa: E402
from style import Palette  # noqa: E402

WORKLOAD_FIGURES = (
    over_time.draw_goodput,
    over_time.draw_queueing_delay,
    shares.draw_drops_by_module,
    latency.draw_latency,
)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="results file, or table of harness trace cv (HDF5; CSV too), of list variants (CSV), or exit-points.txt")
    parser.add_argument("-o", dest="folder", type=Path, default=Path("figures"), help="folder for the figures")
    parser.add_argument("--limit", type=int, default=12, help="workloads with figures of their own (%(default)s)")
    parser.add_argument("--only", action="append", metavar="NAME", help="draw this figure (catalogue.txt); repeatable")
    options.add(parser)
    return parser.parse_args()


def draw_general(results, folder, limit):
    """Yields the paths of the figures as they are finished."""
    palette = Palette(results.series())
    workloads = results.workloads()
    pages = shares.pages_of(workloads, min(len(results.series()), shares.MAX_SERIES))
    for number, page in enumerate(pages[:limit], start=1):
        yield from shares.draw_rates(results, palette, page, number, folder)
    for workload, by_series in list(workloads.items())[:limit]:
        for draw in WORKLOAD_FIGURES:
            yield from draw(results, palette, workload, by_series, folder)
    for name in catalogue.LOAD_SWEEPS:
        yield from draw_load_sweep(results, name, folder, limit)
    require_all(list(dict.fromkeys(key.system for key in results.series())), palette.shown)


def draw_load_sweep(results, name, folder, limit):
    """The paths of the figure; none where the file has no sweep, or one that a system of the file has no part in."""
    try:
        return catalogue.draw(results, name, folder, limit)
    except Missing:
        return []
    except LeftOut as lost:
        print(f"{results.path}: {name} is not drawn: it {lost}", file=sys.stderr)
        return []


def tell(line):
    """Prints a line; a reader that has gone away must not keep figures from being drawn."""
    try:
        print(line, flush=True)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")


def chosen(results, only):
    """The names of the figures to draw."""
    names = list(dict.fromkeys(only or results.figures or [catalogue.GENERAL]))
    known = catalogue.names()
    for name in names:
        if name not in known:
            options.refuse("--only" if only else f"{results.path}: experiment_toml: figures", name, known)
    return names


def draw_named(results, names, folder, limit):
    """Draws the figures; returns how many files there are, whether the file lacked what one shows, and whether one left out a system."""
    count, lacking, left_out = 0, False, False
    for name in names:
        try:
            paths = draw_general(results, folder, limit) if name == catalogue.GENERAL else catalogue.draw(results, name, folder)
            for path in paths:
                tell(path)
                count += 1
        except Missing as missing:
            print(f"{results.path}: {name} is not drawn: {missing}", file=sys.stderr)
            lacking = True
        except LeftOut as lost:
            print(f"{results.path}: {name} is not drawn: it {lost}; allowed: a file without this, or another figure", file=sys.stderr)
            left_out = True
    return count, lacking, left_out


def draw_table(table, folder):
    draw = exits.draw if exits.is_table(table) else fit.draw if is_fit(table) else fig3.draw if fig3.is_table(table) else predictability.draw
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in draw(table, folder):
            tell(path)
    except (KeyError, ValueError, OSError) as error:
        options.fail(f"{table}: {error!r}, allowed: the table of harness trace cv, of harness list variants, of ci/gpu-node (exit-points.txt), or results of harness fit")


def main():
    arguments = parse_arguments()
    if exits.is_table(arguments.results) or is_fit(arguments.results) or predictability.is_table(arguments.results):
        options.apply(arguments)
        draw_table(Path(arguments.results), arguments.folder)
        return
    results = Results(arguments.results)
    if not results.cells:
        raise SystemExit(f"{arguments.results}: no cell has results to draw")
    names = chosen(results, arguments.only)
    options.apply(arguments, results)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    count, lacking, left_out = draw_named(results, names, arguments.folder, arguments.limit)
    if left_out or lacking and not count:
        raise SystemExit(2)
    workloads = len(results.workloads()) if catalogue.GENERAL in names else 0
    if workloads > arguments.limit:
        tell(f"{workloads - arguments.limit} further workloads have no figures of their own (--limit {arguments.limit})")
    if results.not_drawn:
        tell(f"{results.not_drawn} cells are skipped or invalid and not drawn")


if __name__ == "__main__":
    try:
        main()
    except ResultsError as error:
        options.fail(error)
    except OSError as error:  # a full disk, a folder that cannot be written
        raise SystemExit(str(error)) from None
