"""`harness -n N` starts itself on N ranks, as root too, and says what it runs."""
import os
import sys
import tempfile

from program_testing import SMALL, Failures, environment, finish, run, several_cells, write


def plain_environment(**more):
    """Without what lets root start mpirun, or more ranks than there are cores."""
    env = environment(**more)
    return {name: value for name, value in env.items() if not name.startswith(("OMPI_ALLOW", "OMPI_MCA_rmaps"))}


def launched(words, folder, **more):
    return run(["env", "-i", *(f"{name}={value}" for name, value in plain_environment(**more).items()), *words], folder)


def check_runs(failures, harness, folder):
    write(folder, "cells.toml", several_cells(3) + '[cluster]\njitter = "uniform"\n')  # else a line says that batches are in step
    for place, words in enumerate((["-n", "3", "cells.toml"], ["cells.toml", "--ranks=3"], ["-n3", "cells.toml"])):
        done = launched([harness, *words, "-o", f"out{place}"], folder)
        failures.expect(f"{words}", done, 0, [f"out{place}/cells.h5: 6 cells", "mpirun -n 3", "[6/6]"])
        said = [line for line in done.stderr.splitlines() if line.startswith("harness: ") and "queue_trend" not in line]
        if len(said) != 1 or not said[0].endswith(f"{os.path.realpath(harness)} cells.toml -o out{place}"):
            failures.append(f"{words}: says {said}")
    quiet = launched([harness, "-n", "2", "cells.toml", "--quiet", "-o", "quiet"], folder)
    failures.expect("--quiet", quiet, 0, ["quiet/cells.h5: 6 cells"])
    if "harness: " in quiet.stderr:
        failures.append(f"--quiet: {quiet.stderr}")
    plan = launched([harness, "-n", "3", "cells.toml", "--dry-run", "--json"], folder)
    failures.expect("a dry run", plan, 0, ['"ranks": 3'])
    one = launched([harness, "-n", "1", "cells.toml", "-o", "one"], folder)
    failures.expect("one rank", one, 0, ["one/cells.h5: 6 cells"])
    if "mpirun" in one.stderr:
        failures.append(f"one rank: {one.stderr}")


def check_doctor(failures, harness, folder):
    for words in (["doctor", "-n", "3"], ["-n", "3", "doctor"]):
        done = launched([harness, *words], folder)  # what it finds depends on the machine
        failures.expect(f"{words}", done, 1 if "\nfail " in done.stdout else 0, ["3 ranks on 1 host"])


def check_refusals(failures, harness, folder):
    write(folder, "one.toml", SMALL)
    for words, said in ((["-n", "0", "one.toml"], ["--ranks", "1"]), (["-n", "two", "one.toml"], ["--ranks"]),
                        (["-n", "2", "list", "systems"], ["beside the command list"]), (["one.toml", "-n"], ["--ranks"])):
        failures.refused(f"{words}", [harness, *words], folder, said)
    failures.refused("within mpirun", ["mpirun", "-n", "2", harness, "-n", "2", "one.toml"], folder, ["-n within mpirun"])
    failures.expect("no mpirun", launched([harness, "-n", "2", "one.toml"], folder, PATH="/nowhere"), 3,
                    ["mpirun: cannot be started: No such file"])
    wrong = launched([harness, "-n", "2", "nothing.toml"], folder)
    failures.expect("a missing experiment on two ranks", wrong, 2, ["nothing.toml"])


def main():
    harness = os.path.abspath(sys.argv[1])
    failures = Failures()
    with tempfile.TemporaryDirectory() as folder:
        check_runs(failures, harness, folder)
        check_doctor(failures, harness, folder)
        check_refusals(failures, harness, folder)
    finish(failures)


if __name__ == "__main__":
    main()
