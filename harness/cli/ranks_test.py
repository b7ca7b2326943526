"""The same results on 1, 2 and 4 MPI ranks, request rows included, and one clear failure on several.

    ranks_test.py HARNESS MPIRUN
"""
import os
import sys
import tempfile

import h5py

from kill_test import rows
from program_testing import finish, run, several_cells, write

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


def main():
    harness = os.path.abspath(sys.argv[1])
    mpirun = sys.argv[2]
    failures = []
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
        for what, arguments, code in (("bad input", ["--set", "planner.sizing_factor=0"], 2),
                                      ("a bad option", ["--nothing"], 2), ("no folder", ["-o", "/proc/x"], 3)):
            done = run([mpirun, "-n", "2", harness, "e.toml", *arguments], folder)
            said = sum(line.startswith("harness: ") for line in done.stderr.splitlines())
            if done.returncode != code or said != 1:
                failures.append(f"{what}: exit code {done.returncode}, said {said} times: {done.stderr.strip()}")
        os.makedirs(os.path.join(folder, "elsewhere"))
        out = os.path.join(folder, "elsewhere", "out")
        command = [harness, "e.toml", "-o", out, "--quiet"]
        done = run([mpirun, "-n", "1", *command, ":", "-n", "1", "-wdir", os.path.join(folder, "elsewhere"), *command], folder)
        said = [line for line in done.stderr.splitlines() if line.startswith("harness: ")]
        if done.returncode != 2 or len(said) != 1 or "rank 1: e.toml" not in said[0]:
            failures.append(f"no file at rank 1: exit code {done.returncode}: {done.stderr.strip()}")
        deep = os.path.join(folder, *["d" * 200] * 4)
        os.makedirs(deep)
        done = run([mpirun, "-n", "1", *command, ":", "-n", "1", harness, os.path.join(deep, "e.toml")], folder)
        if done.returncode != 2 or f"rank 1: {deep}/e.toml: found No such file" not in done.stderr:
            failures.append(f"a line of over 800 characters from rank 1: exit code {done.returncode}: {done.stderr.strip()}")
        for what, text in (("other seeds", several_cells(3)), ("other settings", several_cells(4) + "[cluster]\nworkers = 9\n")):
            write(folder, "elsewhere/e.toml", text)
            done = run([mpirun, "-n", "1", *command, ":", "-n", "1", "-wdir", os.path.join(folder, "elsewhere"), *command],
                       folder)
            said = [line for line in done.stderr.splitlines() if line.startswith("harness: ")]
            if done.returncode != 2 or len(said) != 1 or "rank 1: found another experiment" not in said[0]:
                failures.append(f"{what} at rank 1: exit code {done.returncode}: {done.stderr.strip()}")
            if os.path.exists(out):
                failures.append(f"{what} at rank 1: something was written")
        if os.path.exists(os.path.join(folder, "results-out")):
            failures.append("a refused run made its folder")
    finish(failures)


if __name__ == "__main__":
    main()
