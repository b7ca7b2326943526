"""A suite runs each experiment in turn, on one rank and on two, and goes on where it was stopped.

    suite_test.py HARNESS MPIRUN
"""
import os
import signal
import sys
import tempfile

from kill_test import rows
from program_testing import SMALL, Failures, finish, run, several_cells, stopped_run, tree, write


def refused(harness, folder, failures):
    """What is wrong with any of them is found before the first one starts."""
    for what, arguments, words in (
            ("a bad experiment", ["bad.toml"], ["e/worse.toml:8: cluster.workers"]),
            ("a suite of suites", ["nested.toml"], ["nested.toml:1: suite", "a suite holds no other"]),
            ("a bad setting", ["all.toml", "--set", "planner.sizing_factor=0"], ["--set: planner.sizing_factor"]),
            ("a missing experiment", ["gone.toml"], ["gone.toml:1: suite = e/gone.toml", "no such file"])):
        failures.refused(what, [harness, *arguments], folder, words)


def stopped(harness, folder, expect):
    """A suite that was stopped in its second experiment runs the rest."""
    for seeds in (6, 12, 24, 48):
        write(folder, "e/long.toml", several_cells(seeds, 20))
        out = f"stopped{seeds}"
        code, stderr, _ = stopped_run([harness, "stopped.toml", "-o", out], folder, f"{out}/long", 2, signal.SIGTERM)
        if code != 0:
            break
    if code != 3 or "interrupted" not in stderr:
        return [f"a stopped suite: exit code {code}: {stderr[-500:]}"]
    expect("the rest of a suite", run([harness, "stopped.toml", "-o", out], folder), 0,
           ["suite stopped: 2 experiments", "1 cell, complete already", f"of {2 * seeds} cells are finished already"])
    return []


def main():
    harness, mpirun = os.path.abspath(sys.argv[1]), sys.argv[2]
    failures = Failures()
    expect = failures.expect

    with tempfile.TemporaryDirectory() as folder:
        write(folder, "e/one.toml", SMALL)
        write(folder, "e/more.toml", several_cells(3))
        write(folder, "e/skips.toml", SMALL.replace("duration_s", "slo_ms = 1\nduration_s"))
        write(folder, "e/worse.toml", SMALL + "[cluster]\nworkers = 0\n")
        for name, members in (("all", ["one", "more"]), ("bad", ["one", "worse"]), ("gone", ["one", "gone"]),
                              ("skips", ["skips", "one"]), ("stopped", ["one", "long"])):
            write(folder, f"{name}.toml", f"suite = {[f'e/{member}.toml' for member in members]}\n")
        write(folder, "nested.toml", 'suite = ["e/one.toml", "all.toml"]\n')
        refused(harness, folder, failures)
        before = tree(folder)
        expect("a dry run", run([harness, "all.toml", "--dry-run"], folder), 0,
               ["e/one.toml: 1 cell, ", "e/more.toml: 6 cells, "])
        if tree(folder) != before:
            failures.append("a dry run wrote something")
        for name, command in (("one", [harness]), ("two", [mpirun, "-n", "2", harness])):
            words = ["experiment 2 of 2: e/more.toml", "suite all: 2 experiments, 7 cells", "1 cell ", "6 cells"]
            expect(f"a suite, {name}", run([*command, "all.toml", "-o", name], folder), 0, words)
            expect(f"again, {name}", run([*command, "all.toml", "-o", name, "--quiet"], folder), 0,
                   ["complete already", "suite all: 2 experiments"])
            write(folder, "e/more.toml", several_cells(4))
            expect(f"one more seed, {name}", run([*command, "all.toml", "-o", name], folder), 0,
                   ["1 cell, complete already", "6 of 8 cells are finished already"])
            write(folder, "e/more.toml", several_cells(3))
            expect(f"other settings, {name}",
                   run([*command, "all.toml", "-o", name, "--set", "planner.sizing_factor=3"], folder), 2, ["planner.sizing_factor 2, now 3"])
            expect(f"from the start, {name}", run([*command, "all.toml", "-o", name, "--fresh"], folder), 0, ["[6/6]"])
        for stem in ("one", "more"):
            if rows(harness, folder, f"one/{stem}.h5") != rows(harness, folder, f"two/{stem}.h5"):
                failures.append(f"{stem}.h5 differs between one rank and two")
        expect("the worst exit code", run([harness, "skips.toml", "-o", "skips"], folder), 1,
               ["suite skips: 2 experiments", "cells skipped or invalid"])
        expect("skipped cells allowed", run([harness, "skips.toml", "-o", "skips", "--allow-skipped"], folder), 0)
        failures += stopped(harness, folder, expect)
    finish(failures)


if __name__ == "__main__":
    main()
