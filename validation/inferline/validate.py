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
    program = Path(harness.program).resolve().parent.parent / "bench/inferline_authors"
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


def name_of(key):
    """A row's, without the file that it comes from."""
    return " ".join(part for part in key.split("|") if not part.endswith(".json"))


def figures(rows, ours_of=lambda theirs, ours: ours / theirs, theirs_as=1.0, allowed=lambda theirs: None):
    """Ours as a share of theirs, which are not kept in this project."""
    return [Figure(name_of(key), theirs_as, ours_of(theirs, ours), allowed(theirs)) for key, theirs, ours in rows]


def branch_error(share):
    """Three standard errors of a counted share, in percent of it."""
    return 100 * 3 * sqrt((1 - share) / share / MEASURED)


def validate(harness):
    rows = rows_of(harness)
    if not rows:
        return []
    plans = "our plan costs at most theirs, `saving`: "
    runs = "a run misses at most 1 % or not, "
    return [
        Comparison("InferLine's plans of 2017-2018, cost from the prices over theirs", SOURCE, "%", "what a plan is worth",
                   figures(rows["cost of a plan from the prices, to 0.0001 $/h"]), relative=True, worst=0.002, digits=5),
        Comparison("Their plans of June, throughput of the slowest model over theirs", "Their estimate.", "%", "queueing",
                   figures(rows["throughput of the slowest model, June, within 0.1 %"]), relative=True, worst=0.1, digits=5),
        Comparison("Queries behind a branch, share over theirs", "Their scale factors; three standard errors are allowed.", "%",
                   "how branches go together",
                   figures(rows["scale factor behind a branch as the Estimator measures it, within 3 standard errors"],
                           allowed=branch_error), relative=True, digits=4),
        Comparison("Their plans of June, longest path of P99s over theirs", "Their estimate.", "%", "queueing",
                   figures(rows["longest path of P99s, June, within 0.1 %"]), relative=True, digits=4,
                   why="Not judged: five plans of image_driver_1 are known to have another profile of one model."),
        Comparison("Plans of April and May, cost of our plan for the same load over theirs", "Their plans.", "%",
                   "plans for other devices than V100s", figures(rows[plans + "April and May"]), relative=True,
                   why="Not judged, since ours may be cheaper: their planner is an older one."),
        Comparison("Measured runs, queries beyond the SLO, estimated less measured, in points",
                   "Their runs on V100s; four GPUs, a full machine, are taken at 0.75 of their throughput.",
                   "points", "contention, but for that one factor",
                   figures(rows[runs + "the same, four GPUs at 0.75 of their throughput"],
                           lambda theirs, ours: 100 * (ours - theirs), theirs_as=0.0), digits=2,
                   why="Not judged: near the cliff a few queries a second decide between none late and all."),
    ]
