"""harness doctor: a line for each finding on one rank and on several, and an exit code that follows from them.

    doctor_test.py HARNESS MPIRUN
"""
import os
import re
import subprocess
import sys
import tempfile

from program_testing import Failures, environment, finish, run, several_cells, tree, write

EVERYWHERE = ("MPI", "cores", "load", "stolen time", "clock source", "processor frequency", "timers", "sockets",
              "open files", "locked memory", "shared memory", "output folder", "file locks", "figures")
BETWEEN_RANKS = ("wake-ups", "links", "clocks")


def findings(done):
    """{subject: (level, rest)} of what doctor printed, and what is wrong with how it ended."""
    lines = done.stdout.splitlines()
    found, faults = {}, []
    for line in lines[:-1]:
        match = re.fullmatch(r"(ok  |warn|fail)  ([^:]+): (.+)", line)
        if match is None:
            faults.append(f"no finding: {line!r}")
        else:
            found[match.group(2)] = (match.group(1).strip(), match.group(3))
    failed = [level for level, _ in found.values()].count("fail")
    if not lines or not lines[-1].startswith(f"{failed} failed, "):
        faults.append(f"does not end with the number of failures: {lines[-1:]} {done.stderr}")
    if done.returncode != (1 if failed else 0):
        faults.append(f"exit code {done.returncode} with {failed} failures")
    return found, faults


def check_ranks(harness, mpirun, folder):
    failures = []
    for ranks in (1, 3):
        command = [mpirun, "-n", str(ranks), harness] if ranks > 1 else [harness]
        found, faults = findings(run([*command, "doctor", "e.toml"], folder))
        failures += [f"{ranks} ranks: {fault}" for fault in faults]
        for subject in (*EVERYWHERE, "layout", *(BETWEEN_RANKS if ranks > 1 else ())):
            if subject not in found:
                failures.append(f"{ranks} ranks: nothing about {subject}")
        if ranks > 1 and ("3 ranks on 1 host" not in found["MPI"][1] or "network_delay_ms = " not in found["links"][1]):
            failures.append(f"{ranks} ranks: {found}")
    return failures


def check_layout(harness, mpirun, folder):
    failures = []
    live = ["--set", "runtime=emulated", "--set", "cluster.workers=16"]
    for more, level, end in ((["live.gpus_per_rank=8"], "ok", "fit 3 ranks"),
                             (["live.gpus_per_rank=16"], "ok", "fit 3 ranks, of which 1 would have no GPU; -n 2 is enough, or "
                              "set live.gpus_per_rank = 0 or lower"),
                             (["live.gpus_per_rank=4"], "fail", "-n 5 fits"),
                             (["cluster.profile_scale=1000"], "warn", "2 live cells would be skipped; harness e.toml --dry-run "
                              "says why"),
                             (["live.spin=true", "live.spin_core=999999"], "fail", "")):
        settings = [word for key in more for word in ("--set", key)]
        found, _ = findings(run([mpirun, "-n", "3", harness, "doctor", "e.toml", *live, *settings], folder))
        if found["layout"][0] != level or not found["layout"][1].endswith(end):
            failures.append(f"{more}: {found['layout']}")
    return failures


def check_failures(harness, folder):
    failures = []
    found, faults = findings(run([harness, "doctor", "-o", "/proc/x"], folder))
    failures += faults
    if found["output folder"][0] != "fail":
        failures.append(f"a folder that takes no files: {found['output folder']}")
    tasks = dict(environment(), SLURM_PROCID="0", SLURM_STEP_ID="0", SLURM_STEP_NUM_TASKS="9")
    for launcher in ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"):
        tasks.pop(launcher, None)
    found, faults = findings(
        subprocess.run([harness, "doctor"], cwd=folder, env=tasks, capture_output=True, text=True, check=False))
    failures += faults
    if found["MPI"][0] != "fail" or "srun --mpi=pmix" not in found["MPI"][1]:
        failures.append(f"tasks that MPI does not see: {found['MPI']}")
    return failures


def main():
    harness, mpirun = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "e.toml", several_cells(1))
        before = tree(folder)
        failures = Failures(check_ranks(harness, mpirun, folder) + check_failures(harness, folder))
        failures += check_layout(harness, mpirun, folder)
        for command in ([harness], [mpirun, "-n", "2", harness]):
            failures.refused("bad input", [*command, "doctor", "e.toml", "--set", "cluster.workers=0"], folder, ["cluster.workers"])
        if tree(folder) != before:
            failures.append("something was written")
    finish(failures)


if __name__ == "__main__":
    main()
