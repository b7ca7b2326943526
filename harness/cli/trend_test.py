"""`harness trend`: medians and their intervals by hand, changes that are there and noise that is none, and the command as a user calls it.

    trend_test.py HARNESS
"""
import os
import shutil
import sys
import tempfile

from program_testing import ROOT, Failures, finish, run, seal, several_cells, write

sys.path.insert(0, os.path.join(ROOT, "results/report"))
import h5py  # noqa: E402
import numpy as np  # noqa: E402
from numpy.lib.recfunctions import drop_fields  # noqa: E402
import trend  # noqa: E402


def without_column(path, copy, column):
    """Writes a copy of the results without a column of /summary and returns its path."""
    shutil.copy(path, copy)
    with h5py.File(copy, "r+") as file:
        rows = file["summary"][:]
        del file["summary"]
        file["summary"] = drop_fields(rows, column)
    seal(copy)
    return copy


def check_intervals(failures):
    """Order statistics k and n + 1 - k hold the median but in 2 P(Binomial(n, 1/2) < k) of samples."""
    for n, expected in ((1, (1, 1, 1)), (5, (3, 1, 5)), (6, (3.5, 1, 6)), (8, (4.5, 1, 8)), (9, (5, 2, 8)), (20, (10.5, 6, 15))):
        found = trend.median_interval(list(range(n, 0, -1)))
        if found != expected:
            failures.append(f"{n} values: {found}, expected {expected}")


def check_changes(failures):
    for medians, expected in (([5.0], []), ([5.0] * 6, []), ([5.0, 5, 5, 4, 4], [3]), ([1.0, 1, 2, 2, 1, 1], [2, 4]), ([1.0, 2], [1]), ([1.0, 2, 1], [1, 2])):
        found = trend.differences(medians)
        if found != expected:
            failures.append(f"{medians}: differs at {found}, expected {expected}")
    if trend.change_points([1.0, 2, 3, 4, 5, 6, 7]) is not None:
        failures.append("seven noisy files are judged")
    try:
        saturated = trend.change_points([1.0] * 9 + [0.99994])
    except trend.NotInstalled as missing:
        print(f"changes among noise not tested: {missing}")
        return
    if saturated != []:
        failures.append(f"one file that is not at the limit: changes at {saturated}")
    random = np.random.default_rng(1)
    steps = [trend.change_points(np.concatenate((random.normal(size=10), random.normal(6, 1, size=10)))) for _ in range(100)]
    found = sum(10 in places for places in steps)
    if found < 90:
        failures.append(f"a step of six standard deviations: found in {found} of 100 series")
    alarms = sum(bool(trend.change_points(random.normal(size=20))) for _ in range(300))
    if alarms > 45:
        failures.append(f"noise alone: changes in {alarms} of 300 series")


def check_names(failures):
    for text, expected in (("pard (live.repeat=2)", "pard"), ("classifier, poisson, load 0.8, live.repeat=1, gpu", "classifier, poisson, load 0.8, gpu"),
                           ("tm, live.repeat=3", "tm"), ("pard (live.repeat=2, planner.x=1)", "pard (planner.x=1)")):
        if trend.without_repeat(text) != expected:
            failures.append(f"{text}: {trend.without_repeat(text)}, expected {expected}")


def check_program(harness, failures):
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "small.toml", several_cells(3))
        for name, workers in (("a", 16), ("b", 16), ("c", 8)):
            failures.expect(f"run {name}", run([harness, "small.toml", "--set", f"cluster.workers={workers}", "-o", name], folder), 0)
        files = [f"{name}/small.h5" for name in "abc"]
        done = run([harness, "trend", *files, "--metric", "goodput_rps", "--metric", "wall_s", "-o", "t.html"], folder)
        failures.expect("trend", done, 0, ["goodput_rps", "from c/small: ", "3 files; changed: 2 of 4", "too few files"])
        with open(os.path.join(folder, "t.html"), encoding="utf-8") as page:
            text = page.read()
        if text.count("<svg") != 2 or "from c/small: " not in text:
            failures.append("the page lacks its plots or the change")
        failures.expect("the page again", run([harness, "trend", *files, "-o", "t.html"], folder), 0, ["t.html"])
        failures.expect("two that differ", run([harness, "trend", files[0], files[2]], folder), 0, ["from c/small: "])
        older = without_column(os.path.join(folder, files[0]), os.path.join(folder, "older.h5"), "visit_drop_rate")
        failures.expect("a column that an older file lacks", run([harness, "trend", older, files[0], "--metric", "visit_drop_rate"], folder), 0,
                        ["visit_drop_rate"])
        failures.expect("nothing changes", run([harness, "trend", *files[:2]], folder), 0, ["changed: 0 of 8"])
        run([harness, "small.toml", "--set", "workload.seeds=[4]", "--set", "cluster.workers=16", "-o", "d"], folder)
        failures.expect("other seeds", run([harness, "trend", files[0], "d/small.h5"], folder), 0, ["changed: 0 of 8", "different seeds", "too few files"])
        piped = run(["bash", "-c", f"{harness} trend {files[0]} {files[1]} | head -n 1; exit ${{PIPESTATUS[0]}}"], folder)
        if piped.returncode != 0 or piped.stderr:
            failures.append(f"a reader who leaves: {piped.returncode} {piped.stderr}")
        write(folder, "text.h5", "no HDF5")
        for what, words, expected in (("text", ["text.h5"], ["text.h5"]), ("a metric", [files[0], "--metric", "colour"], ["--metric", "colour", "allowed"]),
                                      ("text as metric", [files[0], "--metric", "system"], ["--metric", "system", "allowed"]),
                                      ("over a results file", [files[0], "-o", files[1]], ["is a results file"]),
                                      ("over an experiment", [files[0], "-o", "small.toml"], ["is no page"])):
            failures.refused(what, [harness, "trend", *words], folder, expected)


def main():
    failures = Failures()
    check_intervals(failures)
    check_changes(failures)
    check_names(failures)
    check_program(sys.argv[1], failures)
    finish(failures)


if __name__ == "__main__":
    main()
