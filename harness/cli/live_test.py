"""Cells in wall-clock time: one and several ranks, layouts that do not fit, limits, resuming.

    live_test.py HARNESS MPIRUN
"""
import os
import sys
import tempfile

import h5py

from program_testing import SMALL, finish, run, tree, write

BOTH = 'runtime = ["simulated", "emulated"]\n' + SMALL.replace("duration_s = 5", "duration_s = 2") + (
    '[[system]]\nname = "pard"\n[cluster]\nworkers = 8\nprofile_scale = 3\n[live]\ngpus_per_rank = 4\n')


def bytes_of(name):
    return name.decode()


def refused(harness, mpirun, folder):
    """Ranks that the layout does not fit: one line that says how many would, and nothing written."""
    failures = []
    before = tree(folder)
    for arguments in ([], ["--dry-run"]):
        done = run([mpirun, "-n", "2", harness, "both.toml", *arguments], folder)
        said = [line for line in done.stderr.splitlines() if line.startswith("harness: ")]
        if done.returncode != 2 or len(said) != 1 or "-n 3 fits" not in said[0] or "both.toml:14" not in said[0]:
            failures.append(f"a layout that does not fit: exit code {done.returncode}: {done.stderr.strip()}")
    if tree(folder) != before:
        failures.append("a layout that does not fit: something was written")
    return failures


def dry_run(harness, mpirun, folder):
    failures = []
    for ranks, words in ((1, "emulated: 8 workers in one process"), (3, "emulated: 8 workers on 2 of 3 ranks, at most 4")):
        done = run([mpirun, "-n", str(ranks), harness, "both.toml", "--dry-run"], folder)
        if done.returncode != 0 or words not in done.stdout or "4.0 s of wall-clock time" not in done.stdout:
            failures.append(f"dry run on {ranks} ranks: exit code {done.returncode}: {done.stdout}{done.stderr}")
    return failures


def limit(harness, folder):
    """A simulated cell that takes too long is invalid; the others are there."""
    text = SMALL.replace("duration_s = 5", "loads = [0.001, 10]\nduration_s = 600")
    write(folder, "limit.toml", "cell_limit_s = 1\n" + text)
    done = run([harness, "limit.toml", "--quiet"], folder)
    with h5py.File(os.path.join(folder, "results-out/limit.h5")) as file:
        summary = file["summary"][:]
        rows = [list(file[f"cells/{cell}"]) for cell in range(2)]
    status = [bytes_of(row["status"]) for row in summary]
    if done.returncode != 1 or status != ["ok", "invalid"] or "cell_limit_s = 1" not in bytes_of(summary[1]["why"]):
        return [f"a limit: exit code {done.returncode}, {status}: {done.stderr.strip()}"]
    return ["a limit: rows of a cell that was given up"] if "requests" in rows[1] else []


def main():
    harness = os.path.abspath(sys.argv[1])
    mpirun = sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "both.toml", BOTH)
        failures = refused(harness, mpirun, folder) + dry_run(harness, mpirun, folder) + limit(harness, folder)
    finish(failures)


main()
