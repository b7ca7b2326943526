#!/usr/bin/env python3
"""How metrics changed over past results: `harness trend A.h5 B.h5 ... [-o trend.html]` runs this. The files are in the order of time
as given.

Per system, workload and metric: the median of each file over its seeds and repeats, an interval of it, and where the medians changed:
of simulated cells wherever they differ, of others for good (PELT of the package ruptures; Killick et al., JASA 2012). Exit codes: 0,
2: bad input, 3: ruptures is not installed or the page cannot be written.
"""

import argparse
import html
import io
import math
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))  # harness_results and figures, installed or not

from harness_results.file import Results, ResultsError  # noqa: E402
from output import BadOutput, checked_output, line_of, take_any_names, write  # noqa: E402
from packages import RUPTURES, NotInstalled, package  # noqa: E402

METRICS = ("goodput_rps", "slo_attainment", "drop_rate", "latency_ms_p99")
MIN_FILES = 8  # from which on levels are looked for in noise
PENALTY = 4  # times log(files) times the variance from one file to the next: docs/compare.md says how often that errs
MAX_PLOTS = 24
MEASURED = ("wall_s", "sim_requests_per_s")  # of simulated cells too
BAD_INPUT, ENVIRONMENT = 2, 3


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


def differences(medians):
    """Places at which the median is not that of the file before: of simulated cells with the same seeds, which chance does not move."""
    return [place for place in range(1, len(medians)) if medians[place] != medians[place - 1]]


def change_points(medians):
    """Places from which on the mean of noisy medians is another; None of too few files to tell."""
    values = np.asarray(medians, dtype=float)
    steps = np.diff(values)
    if len(values) < MIN_FILES:
        return None
    if not steps.any():
        return []
    noise = (1.4826 * np.median(np.abs(steps - np.median(steps))) or np.std(steps)) / math.sqrt(2)  # of a file
    penalty = PENALTY * math.log(len(values)) * noise**2
    ruptures = package("ruptures", f"ruptures=={RUPTURES}", "change points need", "apt-get install python3-scipy, and ")
    return ruptures.Pelt(model="l2", min_size=2, jump=1).fit(values.reshape(-1, 1)).predict(pen=penalty)[:-1]


def without_repeat(text):
    """The same for every repeat: `live.repeat=2` is one of the parameters, between commas, blanks or brackets."""
    text = re.sub(r"\blive\.repeat=\d+[, ]*", "", text)
    return re.sub(r"[, ]*\(\s*\)|,(?=\s*,)", "", text).rstrip(", ")


@dataclass
class Values:
    """Of a metric of a system on a workload in one file."""

    values: list = field(default_factory=list)
    cells: int = 0  # that ran, with a value or without
    seeds: list = field(default_factory=list)
    is_exact: bool = True  # simulated: the same seed gives the same value


def require_metrics(rows, metrics):
    """Each is a number in some file; in older ones it may be missing."""
    for metric in metrics:
        values = [row[metric] for row in rows if metric in row]
        if rows and (not values or any(isinstance(value, (str, bytes)) for value in values)):
            raise ResultsError(f"--metric: found '{metric}', allowed: a numeric column of /summary (results/README.md)")


def collected(paths, metrics):
    """(system, workload, metric) -> file's place -> Values of its cells that ran; and the experiments' names."""
    found, experiments, rows = {}, [], []
    for place, path in enumerate(paths):
        results = Results(path)
        experiments.append(results.attributes().get("experiment", ""))
        rows += results.rows[:1]
        require_metrics(rows, metrics if place == len(paths) - 1 else ())
        for cell in results.cells:
            for metric in (name for name in metrics if not isinstance(cell.row.get(name, ""), (str, bytes))):
                value = float(cell[metric])
                key = (without_repeat(cell.series.label), without_repeat(cell.workload.title), metric)
                own = found.setdefault(key, {}).setdefault(place, Values())
                own.cells += 1
                if not math.isnan(value):
                    own.values.append(value)
                    own.seeds.append(int(cell["seed"]))
                    own.is_exact &= cell["runtime"] == "simulated" and metric not in MEASURED
        results.close()
    return found, experiments


class Course:
    """A metric of a system on a workload, over the files that have it."""

    def __init__(self, key, by_place, names):
        self.system, self.workload, self.metric = key
        self.places = sorted(place for place in by_place if by_place[place].values)
        self.medians, self.least, self.greatest = zip(*(median_interval(by_place[place].values) for place in self.places))
        self.names = [names[place] for place in self.places]
        self.has_other_seeds = len({tuple(sorted(by_place[place].seeds)) for place in self.places}) > 1
        is_exact = not self.has_other_seeds and all(by_place[place].is_exact for place in self.places)
        is_finite = np.isfinite(self.medians).all()
        judged = change_points(self.medians) if is_finite and not is_exact else differences(self.medians)
        self.by_place = by_place
        self.without = [names[place] for place in sorted(by_place) if not by_place[place].values]
        self.is_judged = judged is not None and len(self.places) > 1
        self.changes = judged or []

    def text_of_changes(self):
        if not self.is_judged:
            return "too few files" + (f"; no value in {', '.join(self.without)}" if self.without else "")
        borders = [0, *self.changes, len(self.medians)]
        levels = [float(np.mean(self.medians[begin:end])) for begin, end in zip(borders, borders[1:])]
        parts = []
        for place, before, after in zip(self.changes, levels, levels[1:]):
            share = f" ({100 * (after / before - 1):+.2g} %)" if before else ""
            parts.append(f"from {self.names[place]}: {before:.6g} -> {after:.6g}{share}")
        if self.without:
            parts.append(f"no value in {', '.join(self.without)}")
        return "; ".join(parts) or "none"

    def row(self):
        first, last = (self.by_place[of(self.by_place)] for of in (min, max))  # of all files that have the cells
        interval = f"{self.medians[-1]:.6g} ({self.least[-1]:.6g} to {self.greatest[-1]:.6g}"
        some = "" if len(last.values) == last.cells else f", {len(last.values)} of {last.cells} cells have a value"
        return [self.system, self.workload, self.metric, str(len(self.medians)), f"{self.medians[0]:.6g}" if first.values else "-",
                interval + some + ")" if last.values else "-", self.text_of_changes()]


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
    for text in (*axes.get_xticklabels(), *axes.get_legend().get_texts()):
        text.set_parse_math(False)
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
    take_any_names()
    arguments = parse_arguments()
    names = [path.stem for path in arguments.results]
    if len(set(names)) < len(names):
        names = [str(path.with_suffix("")) for path in arguments.results]
    try:
        output = checked_output(arguments.output, arguments.results) if arguments.output else None
        found, experiments = collected(arguments.results, dict.fromkeys(arguments.metric or METRICS))
        courses = [Course(key, by_place, names) for key, by_place in found.items() if any(own.values for own in by_place.values())]
        if output:
            write(output, page(courses, names).encode("utf-8", "replace"))
    except (ResultsError, BadOutput) as error:
        print(f"harness: {error}", file=sys.stderr)
        return BAD_INPUT
    except (NotInstalled, OSError) as error:
        print(f"harness: {line_of(error)}", file=sys.stderr)
        return ENVIRONMENT
    return told("\n".join([table_text(courses), "", *notes(courses, experiments), *([str(arguments.output)] if output else [])]))


def notes(courses, experiments):
    """What the reader of the table should know of the files."""
    files = len(experiments)
    changed = sum(bool(course.changes) for course in courses)
    yield f"{files} files; changed: {changed} of {len(courses)}"
    partial = sum(len(course.places) < files for course in courses)
    if partial:
        yield f"{partial} of them stand in some of the files only"
    if any(course.has_other_seeds for course in courses):
        yield "the files have different seeds: what differs between them is taken as noise"
    if not all(course.is_judged for course in courses):
        yield f"too few files: noisy results are judged from {MIN_FILES} files on, others from two"
    if len(set(experiments)) > 1:
        yield f"the files are of different experiments: {', '.join(dict.fromkeys(experiments))}"


def told(text):
    """On standard output; a reader who has seen enough is no error."""
    try:
        print(text, flush=True)
        return 0
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 0
        print(f"harness: standard output: cannot be written: {error.strerror}", file=sys.stderr)
        return ENVIRONMENT


if __name__ == "__main__":
    sys.exit(main())
