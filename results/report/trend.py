#!/usr/bin/env python3
"""How metrics went over past results: `harness trend A.h5 B.h5 ... [-o trend.html]` runs this. The files are in the order of time as given.

Per system, workload and metric: the median of each file over its seeds and repeats, an interval of it, and where the medians changed
for good (PELT of the package ruptures; Killick et al., JASA 2012). Exit codes: 0, 2: bad input, 3: ruptures is not installed or the page
cannot be written.
"""

import argparse
import html
import io
import math
import re
import sys
from pathlib import Path

import numpy as np

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))  # harness_results and figures, installed or not

from harness_results.file import Results, ResultsError  # noqa: E402
from output import BadOutput, checked_output, line_of, write  # noqa: E402
from vega import TOOLS  # noqa: E402

RUPTURES = "1.1.10"  # ci/setup installs it
METRICS = ("goodput_rps", "slo_attainment", "drop_rate", "latency_ms_p99")
PENALTY = 4  # times log(files) times the variance from one file to the next: docs/compare.md says how often that errs
MAX_PLOTS = 24
BAD_INPUT, ENVIRONMENT = 2, 3


class NoRuptures(Exception):
    """The package is not there; the text says how to get it."""


def ruptures():
    sys.path.append(str(TOOLS))
    try:
        import ruptures as package
    except ImportError as missing:
        raise NoRuptures(f"change points need the Python package ruptures ({missing}): "
                         f"{sys.executable} -m pip install --no-deps --target {TOOLS} ruptures=={RUPTURES}") from missing
    return package


def median_interval(values):
    """The median, and the narrowest pair of order statistics that holds it in 95 % of samples; of fewer than six values the least and
    the greatest, which hold it in 1 - 2^(1 - n)."""
    ordered, n = sorted(values), len(values)
    rank, outside = 0, 0.0  # values[rank] and values[-1 - rank] hold the median unless at most `rank` values are on one side of it
    while n >= 6 and outside + 2 * math.comb(n, rank) / 2**n <= 0.05:
        outside += 2 * math.comb(n, rank) / 2**n
        rank += 1
    rank = max(rank - 1, 0)
    return float(np.median(ordered)), ordered[rank], ordered[-1 - rank]


def change_points(medians):
    """Places from which on the mean of the medians is another. Where half of the files repeat the one before to the bit, as those of
    simulated cells do, every change is one."""
    values = np.asarray(medians, dtype=float)
    steps = np.diff(values)
    if len(values) < 2 or not steps.any():
        return []
    if 2 * np.count_nonzero(steps) <= len(steps):
        return [int(place) + 1 for place in np.flatnonzero(steps)]
    if len(values) < 4:
        return []  # two places on each side are the least
    noise = 1.4826 * np.median(np.abs(steps - np.median(steps))) / math.sqrt(2)  # of a file, robust against the changes sought
    penalty = PENALTY * math.log(len(values)) * noise**2
    return ruptures().Pelt(model="l2", min_size=2, jump=1).fit(values.reshape(-1, 1)).predict(pen=penalty)[:-1]


def without_repeat(text):
    return re.sub(r"\s*\(?\blive\.repeat=\d+\)?", "", text).rstrip(", ")


def collected(paths, metrics):
    """(system, workload, metric) -> file's place -> values of its cells that ran."""
    found = {}
    for place, path in enumerate(paths):
        results = Results(path)
        for metric in metrics:
            if results.rows and metric not in results.rows[0]:
                raise ResultsError(f"--metric: found '{metric}', allowed: a numeric column of /summary (results/README.md)")
        for cell in results.cells:
            for metric in metrics:
                value = cell[metric]
                if isinstance(value, (str, bytes)):
                    raise ResultsError(f"--metric: found '{metric}', which is text, allowed: a numeric column of /summary (results/README.md)")
                if not math.isnan(value):
                    key = (without_repeat(cell.series.label), without_repeat(cell.workload.title), metric)
                    found.setdefault(key, {}).setdefault(place, []).append(float(value))
        results.close()
    return found


class Course:
    """A metric of a system on a workload, over the files that have it."""

    def __init__(self, key, by_place, names):
        self.system, self.workload, self.metric = key
        self.places = sorted(by_place)
        self.medians, self.least, self.greatest = zip(*(median_interval(by_place[place]) for place in self.places))
        self.names = [names[place] for place in self.places]
        self.changes = change_points(self.medians)

    def text_of_changes(self):
        borders = [0, *self.changes, len(self.medians)]
        levels = [float(np.mean(self.medians[begin:end])) for begin, end in zip(borders, borders[1:])]
        parts = []
        for place, before, after in zip(self.changes, levels, levels[1:]):
            share = f" ({100 * (after / before - 1):+.2g} %)" if before else ""
            parts.append(f"from {self.names[place]}: {before:.6g} -> {after:.6g}{share}")
        return "; ".join(parts) or "none"

    def row(self):
        last = f"{self.medians[-1]:.6g} ({self.least[-1]:.6g} to {self.greatest[-1]:.6g})"
        return [self.system, self.workload, self.metric, str(len(self.medians)), f"{self.medians[0]:.6g}", last, self.text_of_changes()]


HEAD = ["system", "workload", "metric", "files", "first", "last (interval)", "changed"]


def table_text(courses):
    rows = [HEAD, *(course.row() for course in courses)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def plot(courses, names):
    """One workload's metric, a line per system, as SVG."""
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(7, 2.6), layout="constrained")
    for course in courses:
        line, = axes.plot(course.places, course.medians, marker="o", markersize=3, label=course.system)
        axes.fill_between(course.places, course.least, course.greatest, color=line.get_color(), alpha=0.2, linewidth=0)
        for change in course.changes:
            axes.axvline(course.places[change] - 0.5, color=line.get_color(), linestyle=":", linewidth=1)
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right", fontsize=7)
    axes.set_ylabel(courses[0].metric, fontsize=8)
    axes.tick_params(axis="y", labelsize=7)
    axes.legend(fontsize=7, loc="best")
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg")
    pyplot.close(figure)
    svg = buffer.getvalue()
    return svg[svg.index("<svg"):]


STYLE = ("body{font:15px/1.5 sans-serif;max-width:75em;margin:2em auto;padding:0 1em}table{border-collapse:collapse}"
         "td,th{border-bottom:1px solid #ccc;padding:.2em .6em;text-align:left;vertical-align:top}svg{max-width:100%;height:auto}")


def page(courses, names):
    by_plot = {}
    for course in courses:
        by_plot.setdefault((course.workload, course.metric), []).append(course)
    changed = [course for course in courses if course.changes]

    def table(of):
        rows = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in course.row()) + "</tr>" for course in of)
        return "<table><tr>" + "".join(f"<th>{head}</th>" for head in HEAD) + f"</tr>{rows}</table>"

    parts = [f"<!doctype html><html lang=en><meta charset=utf-8><title>harness trend</title><style>{STYLE}</style><h1>Trend over {len(names)} files</h1>",
             f"<p>{html.escape(', '.join(names))}</p><h2>Changed ({len(changed)} of {len(courses)})</h2>",
             table(changed) if changed else "<p>Nothing.</p>"]
    drawn = sorted(by_plot.items(), key=lambda item: not any(course.changes for course in item[1]))  # those that changed first
    if len(drawn) > MAX_PLOTS:
        parts.append(f"<p>Plots: the first {MAX_PLOTS} of {len(drawn)}; the table below has all.</p>")
    for (workload, metric), own in drawn[:MAX_PLOTS]:
        parts.append(f"<h2>{html.escape(workload)}: {metric}</h2>{plot(own, names)}")
    parts.append("<p>Lines: medians over seeds and repeats; bands: their intervals; dotted: from here on another level.</p>")
    return "".join([*parts, "<h2>All</h2>", table(courses), "</html>"])


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path, help="results files, the oldest first")
    parser.add_argument("--metric", action="append", help=f"a column of /summary; repeatable (default: {', '.join(METRICS)})")
    parser.add_argument("-o", "--output", type=Path, help="a page with plots")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    names = [path.stem for path in arguments.results]
    if len(set(names)) < len(names):
        names = [f"{path.parent.name}/{path.stem}" for path in arguments.results]
    try:
        output = checked_output(arguments.output, arguments.results) if arguments.output else None
        found = collected(arguments.results, dict.fromkeys(arguments.metric or METRICS))
        courses = [Course(key, by_place, names) for key, by_place in found.items()]
        if output:
            write(output, page(courses, names).encode("utf-8", "replace"))
    except (ResultsError, BadOutput) as error:
        print(f"harness: {error}", file=sys.stderr)
        return BAD_INPUT
    except (NoRuptures, OSError) as error:
        print(f"harness: {line_of(error)}", file=sys.stderr)
        return ENVIRONMENT
    print(table_text(courses))
    print(f"\n{len(arguments.results)} files; changed: {sum(bool(course.changes) for course in courses)} of {len(courses)}")
    if output:
        print(arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
