#!/usr/bin/env python3
"""Fills the tables of a document from results files: results/tables.py docs/reproduction.md results-out.

A table follows a line such as

    <!-- table: sizing; rows=pipeline,planner.sizing_factor; columns=series; metric=drop_rate; where=trace=tweet -->

(results-out/sizing.h5; a row per pipeline and sizing factor, a column per series; `where` keeps the cells with trace = tweet).
Rows and columns are columns of /summary, swept parameters by their dotted keys, `rate` (that the experiment gives), or `series`: `pard`, `pard/back`. Every entry is
the mean over the seeds, shares in percent; `metric=plan.MODULE.COLUMN` is of the plan at the start, `metric=lost_share.TASK` the share of the
visits to a task (several: A+B) that were dropped there, and `metric=COLUMN<=NUMBER` the share of the seeds in which that is so. `over=SERIES` divides
each entry by this series' one, seed by seed, and adds the 95 % interval of the mean. `metric=count_cv` has a value for each `module` and `window_s`,
facts to place or choose it by: the CV of the numbers of visits that came to the module in windows of so many seconds. `metric=visit_ms` has the median and
the P99 (`what`) of the time that visits done at each `module` took there; `metric=by_second` how far these times and the budgets left on arrival change from second
to second (results files with rows). `columns=metric` makes a column
of each of several metrics. `series=a,b` chooses and orders the series. Cells that differ in something
else than the seed are never averaged: the table is refused. With `csv:` in place of `table:` the cells are the lines of NAME.csv (`harness
trace cv --csv`). A line such as

    <!-- claims: pard.overall.* -->

is followed by the claims with such ids, their kinds and verdicts, from results-out/claims.json (`harness claims --json`), and

    <!-- fit: best-fit; claims -->

by what `harness fit` found (results-out/best-fit.h5): points, candidates, knobs, claims or steps; without that file the table stays as it is. With --check nothing is written; exit code 1 says that a
table differs.
"""

import argparse
import csv
import fnmatch
import json
import re
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent / "figures"))
from harness_results.file import NS_PER_MS, NS_PER_S, OUTCOME_DONE, Results  # noqa: E402
from harness_results.fit import Fit  # noqa: E402
from harness_results.names import number  # noqa: E402
from intervals import spread  # noqa: E402
from selection import series_of  # noqa: E402

MARKER = re.compile(r"^<!-- (table|csv|claims|fit): (.*) -->$")
WHOLE_FROM = 1000
COUNT_WINDOWS_S = ("0.1", "0.5", "1", "10", "60")


class TableError(Exception):
    """What is wrong with a marker or with the results that it asks for."""


def facts_of(cell):
    """Everything by which a cell may be placed in a table."""
    facts = {"pipeline": cell["pipeline"], "trace": cell["trace"], "seed": str(cell["seed"]), "series": series_of(cell),
             "load": f"{cell['load']:.2f}", "slo_ms": f"{cell['slo_ms']:g}"}
    if cell.rate_rps is not None:
        facts["rate"] = f"{cell.rate_rps:g}"
    slo_factor = cell.row.get("slo_factor")
    if slo_factor is not None and not np.isnan(slo_factor):
        facts["slo_factor"] = f"{slo_factor:g}"
    return facts | cell.parameters


def read_marker(line):
    stem, *items = [part.strip() for part in line.split(";")]
    marker = {"stem": stem}
    for item in items:
        key, _, value = item.partition("=")
        marker[key] = value.split(",")
    missing = {"rows", "columns", "metric"} - set(marker)
    if missing:
        raise TableError(f"{line}: lacks {', '.join(sorted(missing))}")
    return marker


def same(fact, value):
    """Equal as numbers, where both are some: load=1 is 1.00."""
    if fact is None or number(fact) is None or number(value) is None:
        return fact == value
    return number(fact) == number(value)


def wanted(facts, marker):
    for item in marker.get("where", []):
        key, _, value = item.partition("=")
        if not same(facts.get(key), value):
            return False
    return "series" not in marker or facts.get("series") in marker["series"]


def lost_share(cell, tasks):
    """Of the visits to these tasks, the share that was dropped there."""
    rows = cell.table("modules")
    chosen = [name.split(":")[0] in tasks for name in cell.module_names()]
    if not any(chosen):
        raise TableError(f"no task {' or '.join(tasks)}, but {', '.join(cell.module_names())}")
    dropped = sum(int(rows[column][chosen].sum()) for column in rows.dtype.names if column.startswith("dropped_"))
    arrived = int(rows["arrived"][chosen].sum())
    return dropped / arrived if arrived else np.nan


def count_variations(cell):
    """[(module and window, standard deviation over mean of the numbers of visits that came to the module in the measured part's whole windows)]"""
    visits = cell.rows("visits")
    came_s = (visits["ended_ns"] - visits["exec_ns"] - visits["wait_ns"] - visits["queueing_ns"]) / NS_PER_S - cell.measured_from_s
    variations = []
    for number_of_module, name in enumerate(cell.module_names()):
        of_module = came_s[visits["module"] == number_of_module]
        for window_s in COUNT_WINDOWS_S:
            windows = int((cell["duration_s"] - cell.measured_from_s) / float(window_s) + 1e-9)
            edges = np.arange(windows + 1) * float(window_s)
            counts = np.diff(np.searchsorted(np.sort(of_module), edges))
            variations.append(({"module": name, "window_s": window_s}, counts.std() / counts.mean() if counts.any() else np.nan))
    return variations


def visits_of_modules(cell):
    """(name of the module, its visits, when each came in ns from the start of the load on, how long those done took in ns) of each module"""
    visits = cell.rows("visits")
    came = visits["ended_ns"] - sum(np.maximum(visits[stage], 0) for stage in ("queueing_ns", "wait_ns", "exec_ns"))
    for module, name in enumerate(cell.module_names()):
        own = visits["module"] == module
        yield name, visits[own], came[own], np.where(visits["outcome"][own] == OUTCOME_DONE, visits["ended_ns"][own] - came[own], np.nan)


def visit_latencies(cell):
    """[(module and what, ms)]: quantiles of the time from arrival to end."""
    return [({"module": name, "what": what}, np.nanquantile(took, share) / NS_PER_MS)
            for name, _, _, took in visits_of_modules(cell) for what, share in (("median", 0.5), ("P99", 0.99))]


def of_seconds(values, second, seconds):
    """The mean of the values of each second; NaN where there is none."""
    counts = np.bincount(second, minlength=seconds)[:seconds]
    return np.bincount(second, weights=values, minlength=seconds)[:seconds] / np.where(counts > 0, counts, np.nan)


def changes_by_second(cell):
    """[(module and what, ms)]: of the time that visits take, by the second in which they came, the mean and the mean change to the next second; of the
    budget left on arrival, its standard deviation within a second and that of its means, in seconds in which less is sent than the plan can serve."""
    if cell.window_s != 1:
        raise TableError(f"by_second needs windows of 1 s, found {cell.window_s:g} s")
    windows, first = cell.windows, int(cell.measured_from_s)
    steady = windows["sent"] < cell.capacity(first + np.arange(len(windows)) + 0.5)
    requests = cell.rows("requests")
    order = np.argsort(requests["request"])
    values = []
    for name, visits, came, took in visits_of_modules(cell):
        second, done = came // int(NS_PER_S) - first, np.isfinite(took)
        means = of_seconds(took[done], second[done], len(windows)) / NS_PER_MS
        sent = requests["sent_ns"][order][np.searchsorted(requests["request"][order], visits["request"])]
        kept = (second < len(windows)) & steady[np.minimum(second, len(windows) - 1)]
        left = (cell["slo_ms"] - (came - sent)[kept] / NS_PER_MS, second[kept])
        of_second = of_seconds(*left, len(windows))[left[1]]
        for what, value in (("latency", np.nanmean(means)), ("its change in a second", np.nanmean(abs(np.diff(means)))),
                            ("budget's sd within a second", np.sqrt(np.mean((left[0] - of_second) ** 2)) if len(of_second) else np.nan),
                            ("sd of the seconds' means", of_second.std() if len(of_second) else np.nan)):
            values.append(({"module": name, "what": what}, value))
    return values


PER_MODULE = {"count_cv": count_variations, "visit_ms": visit_latencies, "by_second": changes_by_second}


def values_of(cell, metric):
    """[(facts of its own, value)] of the metric."""
    return PER_MODULE[metric](cell) if metric in PER_MODULE else [({}, value_of(cell, metric))]


def value_of(cell, metric):
    """A column of /summary, whether it is at most a limit, lost_share.TASK, or plan.MODULE.COLUMN: of the plan that the cell began with."""
    metric, _, limit = metric.partition("<=")
    if limit:
        value = value_of(cell, metric)
        return np.nan if np.isnan(value) else float(value <= float(limit))
    if metric.startswith("lost_share."):
        return lost_share(cell, metric.removeprefix("lost_share.").split("+"))
    if not metric.startswith("plan."):
        return cell[metric]
    module, _, column = metric.removeprefix("plan.").rpartition(".")
    names = cell.module_names()
    if module not in names:
        raise TableError(f"{metric}: no module {module}, but {', '.join(names)}")
    rows = cell.table("plans")
    return float(rows[(rows["at_ns"] == 0) & (rows["module"] == names.index(module))][0][column])


def facts_of_results(path, metrics):
    """[(facts of a cell, its metric)], and which metrics are shown in percent; the name of the metric is one of the facts."""
    results = Results(path)
    shares = {metric for metric in metrics if "<=" in metric or results.is_share(metric) and "accuracy" not in metric}  # fractions, as Loki has them
    values = [(facts_of(cell) | {"metric": metric} | facts, value)
              for cell in results.cells for metric in metrics for facts, value in values_of(cell, metric)]
    return values, shares


def facts_of_csv(path, metrics):
    """The same of the lines of a table; a value that does not exist is '-' there."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    return [(line | {"seed": "", "metric": metric}, number(line[metric]) if number(line[metric]) is not None else np.nan)
            for line in lines for metric in metrics], set()


def collect(cells, marker):
    """(row, column) -> metric by seed; rows and columns in the order in which they come."""
    values = {}
    for facts, value in cells:
        if not wanted(facts, marker):
            continue
        missing = [key for key in marker["rows"] + marker["columns"] if key not in facts]
        if missing:
            continue
        place = tuple(tuple(facts[key] for key in marker[axis]) for axis in ("rows", "columns"))
        seeds = values.setdefault(place, {})
        if facts["seed"] in seeds:
            raise TableError(f"{marker['stem']}: several cells at {place}, seed {facts['seed']}: add a row key or a condition")
        seeds[facts["seed"]] = value
    if not values:
        raise TableError(f"{marker['stem']}: no cells for {marker}")
    return values


def ratios(values, base, marker):
    """The same divided, seed by seed, by what the series `base` has in the row."""
    lacking = [row for row, _ in values if (row, (base,)) not in values]
    if lacking:
        raise TableError(f"{marker['stem']}: over={base}: no cell of it at {lacking[0]}")
    return {(row, column): {seed: value / values[row, (base,)].get(seed, np.nan) for seed, value in seeds.items()}
            for (row, column), seeds in values.items() if column != (base,)}


def with_seeds(text, values, seeds):
    """The text of an entry, and how many seeds have a value where not all have one."""
    return text if len(values) == len(seeds) else f"{text} ({len(values)} of {len(seeds)} seeds)"


def values_there(seeds):
    return [value for value in seeds.values() if not np.isnan(value)]


def ratio_entry(seeds):
    values = values_there(seeds)
    if not values:
        return "-"
    mean, half = spread(values)
    return with_seeds(f"{mean:.2f} ± {half:.2g}", values, seeds)


def entry(seeds, in_percent):
    """Returns the mean over the seeds that have a value."""
    values = values_there(seeds)
    if not values:
        return "-"
    mean = float(np.mean(values))
    text = f"{100 * mean:.1f}" if in_percent else f"{mean:.0f}" if abs(mean) >= WHOLE_FROM else f"{mean:.4g}"
    return with_seeds(text, values, seeds)


def table_lines(cells, in_percent, marker):
    values = collect(cells, marker)
    if "over" in marker:
        if marker["columns"] != ["series"]:
            raise TableError(f"{marker['stem']}: over needs columns=series")
        values = ratios(values, marker["over"][0], marker)
    rows = list(dict.fromkeys(row for row, _ in values))
    columns = list(dict.fromkeys(column for _, column in values))
    if marker["columns"] == ["series"] and "series" in marker:
        columns.sort(key=lambda column: marker["series"].index(column[0]))
    metric_of = {column: column[0] if marker["columns"] == ["metric"] else marker["metric"][0] for column in columns}
    head = [key.split(".")[-1] for key in marker["rows"]] + [" ".join(column).replace("lost_share.", "lost at ") for column in columns]
    lines = [head, ["---"] * len(head)]
    for row in rows:
        lines.append(list(row) + [(ratio_entry(values[row, column]) if "over" in marker else entry(values[row, column], metric_of[column] in in_percent))
                                  if (row, column) in values else "-" for column in columns])
    return ["| " + " | ".join(line) + " |" for line in lines]


def short(value):
    """Returns the text of a value of JSON, where null is no value and the text "inf" an infinite one."""
    return "-" if value is None else f"{float(value):.3g}"


def ours(claim):
    groups = claim["groups"]
    if not groups:
        return "-"
    if len(groups) == 1:
        half = groups[0]["half_width"]
        return short(groups[0]["mean"]) + (f" ± {float(half):.2g}" if half is not None else "")
    means = [float(group["mean"]) for group in groups if group["mean"] is not None]
    holding = sum(group["holds"] for group in groups)
    return f"{short(claim['value'])} ({short(min(means))} to {short(max(means))}; {holding} of {len(groups)} hold)"


def verdict(claim):
    """An undecided claim says what it may be, and if no look at it is left (docs/claims.md, Deciding)."""
    if claim["verdict"] != "undecided":
        return claim["verdict"]
    spent = f", budget of {max(group['seeds'] for group in claim['groups'])} seeds spent" if claim["budget_spent"] else ""
    return f"undecided, {claim['worst']} to {claim['best']}{spent}"


def claims_lines(claims, pattern):
    chosen = [claim for claim in claims if fnmatch.fnmatchcase(claim["id"], pattern)]
    if not chosen:
        raise TableError(f"claims.json: no claim {pattern}")
    lines = [["claim", "kind", "", "paper", "expected", "here", "verdict"], ["---"] * 7]
    for claim in chosen:
        where = ", ".join(text for text in (claim["section"], claim["figure"]) if text)
        name = claim["id"] if claim["paper"] == "harness" else claim["id"].split(".", 1)[1]
        lines.append([f"`{name}`", claim["kind"] + (", after" if claim["chosen_after"] else ""), f"{claim['statement']} ({where})", claim["paper_value"],
                      f"`{claim['expect']}`", ours(claim), verdict(claim)])
    return ["| " + " | ".join(line) + " |" for line in lines]


def named(claim):
    return f"`{claim.split('.', 1)[1]}`"


def fit_points(fit):
    """The file's defaults, the best of the search and all that were confirmed, in each world in which they were tried."""
    lines = [["setting", "where", "claims", "reproduced", "partly", "seeds disagree", "score", "distance"]]
    for point in chosen_points(fit):
        for row in fit.points:
            if row["point"] == point:
                lines.append([point_name(fit, point), row["stage"]] + [f"{row[key]}" for key in ("judged", "reproduced", "partly", "noisy")] +
                             [f"{row['held']:.1f}", f"{row['distance']:.2f}"])
    return lines


def chosen_points(fit):
    confirmed = [row["point"] for row in fit.points if row["stage"] in fit.confirmations]
    return list(dict.fromkeys([0, fit.best["point"]] + confirmed))


def point_name(fit, point):
    if point == 0:
        return "defaults"
    notes = [note for note, other in (("best", fit.best["point"]), ("ahead", fit.ahead)) if point == other]
    return ", ".join([str(point)] + notes)


def fit_candidates(fit):
    """What the points that were confirmed change of the file's defaults, and their score outside the search."""
    lines = [["setting", "score outside the search", "changes of the defaults"]]
    for point in chosen_points(fit):
        outside = fit.outside(point)
        changes = ", ".join(f"{knob} {value}" for knob, value in fit.departures(point).items())
        lines.append([point_name(fit, point), "-" if outside is None else f"{outside:.1f}", changes or "-"])
    return lines


def fit_knobs(fit):
    """The settings of the choices, and what these decide over the design. `ahead`: outside the search."""
    lines = [["choice", "default", "ahead", "effect, claims", "claims that it moves by half or more (best with)"]]
    for knob in sorted(fit.knobs, key=fit.main_effect, reverse=True):
        ahead = fit.at[fit.ahead][knob]
        moved = ", ".join(f"{named(claim)} ({value})" for claim, value in fit.flipped(knob, 0.5))
        lines.append([knob, fit.standard(knob), ahead["value"] if ahead["active"] else "-", f"{fit.main_effect(knob):.1f}", moved or "-"])
    return lines


def fit_claims(fit):
    worlds = [f"{name}, {stage}" for stage in fit.confirmations for name in ("defaults", "ahead")]
    lines = [["claim"] + worlds + ["score in the design, %", "most with"]]
    for claim in fit.claims:
        verdicts = []
        for stage, point in ((stage, point) for stage in fit.confirmations for point in (0, fit.ahead)):
            row = fit.verdict(claim, point, stage)
            verdicts.append("-" if row is None else row["verdict"] + (", seeds disagree" if row["noisy"] else ""))
        reach = fit.reach(claim)
        share = "-" if reach is None else f"{100 * reach.share:.0f}"
        most = "-" if reach is None or reach.share == 0 else f"{reach.knob} = {reach.value} ({100 * reach.with_value:.0f} %)"
        lines.append([named(claim)] + verdicts + [share, most])
    return lines


def fit_steps(fit):
    """Each step from the file's defaults, and the claims whose verdict is another there."""
    lines = [["step", "reproduced", "partly", "other verdicts"]]
    for row in fit.points:
        changed = ", ".join(f"{knob} = {setting['value']}" for knob, setting in fit.at[row["point"]].items() if not setting["standard"])
        others = []
        for claim in fit.claims:
            here, standard = fit.verdict(claim, row["point"]), fit.verdict(claim, 0)
            if here["verdict"] != standard["verdict"]:
                others.append(f"{named(claim)} {here['verdict']}")
        lines.append([changed or "none", str(row["reproduced"]), str(row["partly"]), ", ".join(others) or "-"])
    return lines


FIT_TABLES = {"points": fit_points, "candidates": fit_candidates, "knobs": fit_knobs, "claims": fit_claims, "steps": fit_steps}


def fit_lines(words, folder):
    stem, _, what = (part.strip() for part in words.partition(";"))
    path = folder / f"{stem}.h5"
    if what not in FIT_TABLES:
        raise TableError(f"fit: {what}: allowed: {', '.join(FIT_TABLES)}")
    if not path.exists():
        return None
    head, *lines = FIT_TABLES[what](Fit(path))
    return ["| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head)] + lines]


def lines_below(kind, words, folder):
    """The lines of a table; none where it stays as it is."""
    if kind == "fit":
        return fit_lines(words, folder)
    if kind == "claims":
        path = folder / "claims.json"
        if not path.exists():
            raise TableError(f"{path}: not found; harness claims --json > {path}")
        return claims_lines(json.loads(path.read_text(encoding="utf-8")), words.strip())
    marker = read_marker(words)
    ending, facts = (".csv", facts_of_csv) if kind == "csv" else (".h5", facts_of_results)
    path = folder / (marker["stem"] + ending)
    if not path.exists():
        raise TableError(f"{path}: not found")
    if len(marker["metric"]) > 1 and marker["columns"] != ["metric"]:
        raise TableError(f"{words}: several metrics need columns=metric")
    return table_lines(*facts(path, marker["metric"]), marker)


def fill(document, folder):
    """The document with its tables made again."""
    lines, out = document.split("\n"), []
    place = 0
    while place < len(lines):
        out.append(lines[place])
        match = MARKER.match(lines[place])
        place += 1
        if not match:
            continue
        made = lines_below(*match.groups(), folder)
        if made is None:
            continue
        out += ["", *made]
        while place < len(lines) and lines[place] == "":
            place += 1
        while place < len(lines) and (lines[place].startswith("|") or lines[place] == ""):
            place += 1
        out.append("")
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("document", type=Path)
    parser.add_argument("folder", type=Path, help="folder of the results files")
    parser.add_argument("--check", action="store_true", help="only say whether the tables are those of the results")
    arguments = parser.parse_args()
    before = arguments.document.read_text(encoding="utf-8")
    try:
        after = fill(before, arguments.folder)
    except TableError as error:
        raise SystemExit(f"{arguments.document}: {error}") from error
    if arguments.check:
        sys.exit(0 if before == after else 1)
    arguments.document.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
