"""`harness trend`: medians and their intervals by hand, changes that are there and noise that is none, and the command as a user calls it.

    trend_test.py HARNESS
"""
import os
import sys
import tempfile

from program_testing import ROOT, Failures, finish, run, several_cells, write

sys.path.insert(0, os.path.join(ROOT, "results/report"))
import numpy as np  # noqa: E402
import trend  # noqa: E402


def check_intervals(failures):
    """Order statistics k and n + 1 - k hold the median but in 2 P(Binomial(n, 1/2) < k) of samples."""
    for n, expected in ((1, (1, 1, 1)), (5, (3, 1, 5)), (6, (3.5, 1, 6)), (8, (4.5, 1, 8)), (9, (5, 2, 8)), (20, (10.5, 6, 15))):
        found = trend.median_interval(list(range(n, 0, -1)))
        if found != expected:
            failures.append(f"{n} values: {found}, expected {expected}")


def check_changes(failures):
    for medians, expected in (([5.0], []), ([5.0] * 6, []), ([5.0, 5, 5, 4, 4], [3]), ([1.0, 1, 2, 2, 1, 1], [2, 4]), ([1.0, 1, 2], [2]), ([1.0, 2], [])):
        found = trend.change_points(medians)
        if found != expected:
            failures.append(f"{medians}: changed at {found}, expected {expected}")
    try:
        trend.ruptures()
    except trend.NoRuptures as missing:
        print(f"changes among noise not tested: {missing}")
        return
    random = np.random.default_rng(1)
    steps = [trend.change_points(np.concatenate((random.normal(size=10), random.normal(6, 1, size=10)))) for _ in range(100)]
    found = sum(10 in places for places in steps)
    if found < 90:
        failures.append(f"a step of six standard deviations: found in {found} of 100 series")
    alarms = sum(bool(trend.change_points(random.normal(size=20))) for _ in range(300))
    if alarms > 45:
        failures.append(f"noise alone: changes in {alarms} of 300 series")


def check_program(harness, failures):
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "small.toml", several_cells(3))
        for name, workers in (("a", 16), ("b", 16), ("c", 8)):
            failures.expect(f"run {name}", run([harness, "small.toml", "--set", f"cluster.workers={workers}", "-o", name], folder), 0)
        files = [f"{name}/small.h5" for name in "abc"]
        done = run([harness, "trend", *files, "--metric", "goodput_rps", "--metric", "wall_s", "-o", "t.html"], folder)
        failures.expect("trend", done, 0, ["goodput_rps", "from c/small: ", "3 files"])
        with open(os.path.join(folder, "t.html"), encoding="utf-8") as page:
            text = page.read()
        if text.count("<svg") != 2 or "from c/small: " not in text:
            failures.append("the page lacks its plots or the change")
        failures.expect("nothing changes", run([harness, "trend", *files[:2]], folder), 0, ["changed: 0 of 8"])
        write(folder, "text.h5", "no HDF5")
        for what, words, expected in (("text", ["text.h5"], ["text.h5"]), ("a metric", [files[0], "--metric", "colour"], ["--metric", "colour", "allowed"]),
                                      ("text as metric", [files[0], "--metric", "system"], ["is text"]),
                                      ("over a results file", [files[0], "-o", files[1]], ["is a results file"])):
            failures.refused(what, [harness, "trend", *words], folder, expected)


def main():
    failures = Failures()
    check_intervals(failures)
    check_changes(failures)
    check_program(sys.argv[1], failures)
    finish(failures)


if __name__ == "__main__":
    main()
