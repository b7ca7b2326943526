"""The same results on 1, 2 and 4 MPI ranks, request rows included, and one clear failure on several.

    ranks_test.py HARNESS MPIRUN
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

import h5py

from kill_test import rows
from program_testing import (Failures, environment, finish, finished_cells, processes_of_ranks, run, several_cells,
                             write)

TABLES = ("requests", "visits", "windows", "module_windows", "modules", "workers", "plans", "latency")


def same_rows(a, b):
    """Whether both have the same values, NaN where the other has NaN."""
    same = a.dtype.names == b.dtype.names and a.shape == b.shape
    return same and all(((a[name] == b[name]) | ((a[name] != a[name]) & (b[name] != b[name]))).all() for name in a.dtype.names or ())


def differences(reference, other):
    found = []
    with h5py.File(reference) as a, h5py.File(other) as b:
        if list(a["cells"]) != list(b["cells"]):
            return [f"{other} has other cells"]
        for cell in a["cells"]:
            for table in TABLES:
                if not same_rows(a["cells"][cell][table][:], b["cells"][cell][table][:]):
                    found.append(f"{other}: cell {cell}: {table} differs")
    return found


def rank_with_signal(harness, mpirun, folder, victim, number):
    """Sends it when a cell is finished. The job's exit code, what it said and how many cells are finished then."""
    write(folder, "long.toml", several_cells(8, 400))
    out = f"signal{number}-{victim}"
    command = [mpirun, "-n", "3", harness, "long.toml", "-o", out, "--quiet"]
    job = subprocess.Popen(command, cwd=folder, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while finished_cells(os.path.join(folder, out), "long") < 1 and job.poll() is None:
        time.sleep(0.01)
    assert job.poll() is None, "the run was over before"
    os.kill(processes_of_ranks(job.pid)[victim], number)
    stderr = job.communicate(timeout=120)[1]
    return job.returncode, stderr, finished_cells(os.path.join(folder, out), "long")


def stopped_rank(harness, mpirun, folder, victim):
    """A rank that stands still ends the run, which names it; the same command finishes the rest."""
    code, stderr, done = rank_with_signal(harness, mpirun, folder, victim, signal.SIGSTOP)
    if code != 3 or f"harness: rank {victim} on " not in stderr or "has not answered for 15 s" not in stderr or not done:
        return [f"rank {victim} stopped: exit code {code}, {done} cells: {stderr.strip()[:400]}"]
    return []


def crashed_rank(harness, mpirun, folder, number):
    """A rank that crashes is gone at once: nothing of MPI's runs in its place, which could wait for itself."""
    code, stderr, done = rank_with_signal(harness, mpirun, folder, 1, number)
    if code == 0 or f"exited on signal {number.value}" not in stderr or "Process received signal" in stderr or not done:
        return [f"signal {number}: exit code {code}, {done} cells: {stderr.strip()[:1000]}"]
    return []


def main():
    harness = os.path.abspath(sys.argv[1])
    mpirun = sys.argv[2]
    failures = Failures()
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "e.toml", several_cells(4))
        alone = run([harness, "e.toml", "-o", "1", "--quiet"], folder)
        assert alone.returncode == 0, alone.stderr
        for ranks in ("2", "4"):
            done = run([mpirun, "-n", ranks, harness, "e.toml", "-o", ranks], folder)
            if done.returncode != 0:
                failures.append(f"{ranks} ranks: exit code {done.returncode}: {done.stderr.strip()}")
                continue
            if rows(harness, folder, "1/e.h5") != rows(harness, folder, f"{ranks}/e.h5"):
                failures.append(f"{ranks} ranks: the rows of /summary differ")
            failures += differences(os.path.join(folder, "1/e.h5"), os.path.join(folder, f"{ranks}/e.h5"))
            if sum(line.startswith("[") for line in done.stderr.splitlines()) != 8:
                failures.append(f"{ranks} ranks: not one line of progress for each of 8 cells\n{done.stderr}")
        for victim in (0, 2):
            failures += stopped_rank(harness, mpirun, folder, victim)
        for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE):
            failures += crashed_rank(harness, mpirun, folder, number)
        for what, arguments, code in (("bad input", ["--set", "planner.sizing_factor=0"], 2),
                                      ("a bad option", ["--nothing"], 2), ("no folder", ["-o", "/proc/x"], 3)):
            failures.refused(what, [mpirun, "-n", "2", harness, "e.toml", *arguments], folder, [], code)
        os.makedirs(os.path.join(folder, "elsewhere"))
        out = os.path.join(folder, "elsewhere", "out")
        command = [harness, "e.toml", "-o", out, "--quiet"]
        apart = [mpirun, "-n", "1", *command, ":", "-n", "1", "-wdir", os.path.join(folder, "elsewhere"), *command]
        failures.refused("no file at rank 1", apart, folder, ["rank 1: e.toml"])
        deep = os.path.join(folder, *["d" * 200] * 4)
        os.makedirs(deep)
        failures.refused("a long line from rank 1",
                         [mpirun, "-n", "1", *command, ":", "-n", "1", harness, os.path.join(deep, "e.toml")], folder,
                         [f"rank 1: {deep[:200]}", "/e.toml: found no such file"])
        for what, text in (("other seeds", several_cells(3)), ("other settings", several_cells(4) + "[cluster]\nworkers = 9\n")):
            write(folder, "elsewhere/e.toml", text)
            failures.refused(f"{what} at rank 1", apart, folder, ["rank 1: found another experiment"])
    finish(failures)


if __name__ == "__main__":
    main()
