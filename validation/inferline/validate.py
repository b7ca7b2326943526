"""InferLine's Estimator and Planner beside its authors' plans and runs of 2017 and 2018."""

import csv
import subprocess
from math import sqrt
from pathlib import Path

from comparison import ROOT, Comparison, Figure

ORDER = 30
SOURCE = ("dcrankshaw/plots-model-comp-paper, no licence stated, so that only numbers are compared and none are kept here; rows by file "
          "and commit in the CSV files that `HARNESS_DATA` names.")
MISSING = 77  # exit code
MEASURED = 1_000_000  # queries of a scale factor


def rows_of(harness):
    """What the program writes, by the line of its table; none if the authors' figures are not there."""
    path = (harness.out / "rows.csv").resolve()
    program = Path(harness.program).resolve().parent.parent / "validation/inferline/inferline_authors"
    ran = subprocess.run([str(program), "", "50000", str(path)], cwd=ROOT, capture_output=True, text=True, check=False)
    if ran.returncode == MISSING:
        print(ran.stdout.strip())
        return {}
    if ran.returncode not in (0, 1):
        raise SystemExit(f"ci/validation: {program.name}: exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
    found = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["what"], []).append((row["key"], float(row["theirs"]), float(row["ours"])))
    return found


def line_of(rows, what):
    """The rows of one line of the program's table."""
    if what not in rows:
        raise SystemExit(f"ci/validation: inferline_authors wrote no line '{what}'; it has: {'; '.join(rows)}")
    return rows[what]


def name_of(key):
    """A row's, without the file that it comes from."""
    return " ".join(part for part in key.split("|") if not part.endswith(".json"))


def ratios(rows, allowed=lambda theirs: None):
    """Ours as a share of theirs, which are not kept in this project."""
    return [Figure(name_of(key), 1.0, ours / theirs, allowed(theirs)) for key, theirs, ours in rows]


def differences(rows, scale=1):
    """Ours less theirs, which are not kept in this project."""
    return [Figure(name_of(key), 0.0, scale * (ours - theirs)) for key, theirs, ours in rows]


def branch_error(share):
    """Three standard errors of a counted share, in percent of it."""
    return 100 * 3 * sqrt((1 - share) / share / MEASURED)


def of_plans(rows):
    return [
        Comparison("InferLine's plans of 2017-2018, cost from the prices less theirs, in $/h", SOURCE, "$/h", "what a plan is worth",
                   differences(line_of(rows, "cost of a plan from the prices, to 0.0001 $/h")), worst=0.5e-4, late=True, digits=5),
        Comparison("Their plans of June, throughput of the slowest model over theirs", "Their estimate.", "%", "queueing",
                   ratios(line_of(rows, "throughput of the slowest model, June, within 0.1 %")), relative=True, worst=0.1, late=True,
                   digits=5),
        Comparison("Queries behind a branch, share over theirs", "Their scale factors; three standard errors are allowed.", "%",
                   "how branches go together",
                   ratios(line_of(rows, "scale factor behind a branch as the Estimator measures it, within 3 standard errors"),
                          allowed=branch_error), relative=True, late=True, digits=4),
        Comparison("Their plans of June, longest path of P99s over theirs", "Their estimate.", "%", "queueing",
                   ratios(line_of(rows, "longest path of P99s, June, within 0.1 %")), relative=True, worst=0.1, late=True,
                   known=True, digits=4,
                   why="Five plans of image_driver_1 differ: their sums are of another profile of the kernel SVM than the published one."),
    ]


def of_our_plans(rows):
    lines = {"April and May": ("April and May", "their planner is an older one"),
             "the same, with their cap of utilisation": ("April and May, with their cap of utilisation", "their planner is an older one"),
             "June, at even gaps": ("June, at even gaps", "their plans name no arrivals, and fill their slowest model")}
    for line, (title, why) in lines.items():
        found = line_of(rows, "our plan costs at most theirs, `saving`: " + line)
        dearer = sum(ours > theirs + 1e-9 for _, theirs, ours in found)
        yield Comparison(f"Plans of {title}: cost of our plan for the same load over theirs", "Their plans.", "%",
                         "plans for other devices than V100s", ratios(found), relative=True,
                         why=f"Ours is dearer in {dearer} of {len(found)}. Not judged: {why}.")


def of_runs(rows):
    yield Comparison("Measured runs: queries beyond the SLO, estimated less measured, in points", "Their runs on V100s.", "points",
                     "contention on a full machine",
                     differences(line_of(rows, "a run misses at most 1 % or not, table of April"), 100), digits=2,
                     why="Not judged: near the cliff a few queries a second decide between none late and all.")


def validate(harness):
    rows = rows_of(harness)
    return [*of_plans(rows), *of_our_plans(rows), *of_runs(rows)] if rows else []
