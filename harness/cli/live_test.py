"""Cells in wall-clock time: one and several ranks, layouts that do not fit, limits, resuming.

    live_test.py HARNESS MPIRUN
"""
import glob
import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import h5py

from program_testing import SMALL, Failures, environment, finish, finished_cells, run, stopped_run, write

BOTH = 'runtime = ["simulated", "emulated"]\n' + SMALL.replace("duration_s = 5", "duration_s = 2") + (
    '[[system]]\nname = "pard"\n[cluster]\nworkers = 8\nprofile_scale = 3\n[live]\ngpus_per_rank = 4\nschedule_lag_limit_ms = 5000\nstall_limit_ms = 5000\n')


def bytes_of(name):
    return name.decode()


def refused(harness, mpirun, folder):
    """Ranks that the layout does not fit: one line that says how many would, and nothing written."""
    failures = Failures()
    for arguments in ([], ["--dry-run"]):
        failures.refused("a layout that does not fit", [mpirun, "-n", "2", harness, "both.toml", *arguments], folder,
                         ["-n 3 fits", "both.toml:14"])
    return failures


def dry_run(harness, mpirun, folder):
    failures = Failures()
    for ranks, words in ((1, "emulated: 8 workers in one process"), (3, "emulated: 8 workers on 2 of 3 ranks, at most 4")):
        failures.expect(f"dry run on {ranks} ranks", run([mpirun, "-n", str(ranks), harness, "both.toml", "--dry-run"], folder),
                        0, [words, "4.0 s of wall-clock time"])
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


def summary_of(folder, results):
    with h5py.File(os.path.join(folder, results)) as file:
        return [dict(zip(row.dtype.names, (v.decode() if isinstance(v, bytes) else v for v in row))) for row in file["summary"][:]]


def both(harness, mpirun, folder):
    """Simulated and emulated cells of one file; the simulated ones are those of one rank."""
    run([harness, "both.toml", "-o", "alone", "--set", "runtime=simulated", "--quiet"], folder)
    done = run([mpirun, "-n", "3", harness, "both.toml", "-o", "three"], folder)
    if done.returncode != 0 or done.stderr.count("schedule lag p99") != 2:
        return [f"both runtimes: exit code {done.returncode}: {done.stderr}"]
    alone, three = summary_of(folder, "alone/both.h5"), summary_of(folder, "three/both.h5")
    failures = []
    if [row["runtime"] for row in three] != ["simulated"] * 2 + ["emulated"] * 2:
        failures.append("both runtimes: other cells")
    if [row["fingerprint"] for row in alone] != [row["fingerprint"] for row in three[:2]]:
        failures.append("both runtimes: other simulated cells than alone")
    with h5py.File(os.path.join(folder, "three/both.h5")) as file:
        for row in three[2:]:
            cell = file[f"cells/{row['cell']}"]
            counts = [(cell["requests"]["outcome"] == value).sum() for value in range(4)]
            if counts != [row["in_time"], row["late"], row["dropped"], row["unfinished"]] or sum(counts) != three[0]["sent"]:
                failures.append(f"an emulated cell: {counts} are not the outcomes of {three[0]['sent']} requests")
            if list(cell["ranks"]["workers"]) != [0, 4, 4] or cell["ranks"]["messages_sent"].min() == 0:
                failures.append(f"an emulated cell: {cell['ranks'][:]}")
            if file.attrs["clock_bound_ns"] < cell.attrs["clock_bound_ns"] or cell.attrs["clock_bound_ns"] <= 0:
                failures.append("an emulated cell without a clock bound")
    return failures


def invalid(harness, folder, settings, seconds, words):
    """A live cell that is given up, or whose load generator fell behind, is kept and says why."""
    out = words.split(" ")[0]
    done = run([harness, "both.toml", "-o", out, "--quiet", "--set", "runtime=emulated",
                *(word for setting in settings for word in ("--set", setting))], folder)
    rows = summary_of(folder, f"{out}/both.h5")
    failures = []
    for row in rows:
        if row["status"] != "invalid" or words not in row["why"]:
            failures.append(f"{settings}: {row['status']} {row['why']}")
        if row["in_time"] + row["late"] + row["dropped"] + row["unfinished"] != row["sent"] or row["wall_s"] > seconds:
            failures.append(f"{settings}: the accounting does not close, or it took {row['wall_s']} s")
    if done.returncode != 1 or len(rows) != 2:
        failures.append(f"{settings}: exit code {done.returncode}: {done.stderr}")
    return failures


def interrupted(harness, mpirun, folder):
    """Ctrl-C keeps the finished cells, and the same command finishes the rest."""
    command = [mpirun, "-n", "3", harness, "both.toml", "-o", "again", "--quiet"]
    code, stderr, done = stopped_run(command, folder, "again/both", 3, signal.SIGINT)
    failures = []
    # mpirun passes it on, but not what the ranks say then.
    if code == 0 or done != 3 or glob.glob(os.path.join(folder, "again/both.cells/*.tmp")):
        failures.append(f"interrupted: exit code {code}, {done} cells: {stderr}")
    kept = {path: os.stat(path).st_mtime_ns for path in glob.glob(os.path.join(folder, "again/both.cells/*.h5"))}
    process = subprocess.Popen(command, cwd=folder, env=environment(), stderr=subprocess.PIPE, text=True)
    while process.poll() is None and finished_cells(os.path.join(folder, "again"), "both") < 3:
        time.sleep(0.005)
    if any(os.stat(path).st_mtime_ns != when for path, when in kept.items() if os.path.exists(path)):
        failures.append("a finished cell was run again")
    process.communicate(timeout=60)
    if process.returncode != 0 or len(summary_of(folder, "again/both.h5")) != 4:
        failures.append(f"gone on: exit code {process.returncode}")
    done = run([mpirun, "-n", "4", *command[3:]], folder)
    if done.returncode != 2 or "ranks 3, now 4" not in done.stderr:
        failures.append(f"other ranks: exit code {done.returncode}: {done.stderr}")
    return failures


def ranks_below(pid, harness):
    """The processes of the program that this mpirun started, by rank."""
    found = {}
    for folder in glob.glob("/proc/[0-9]*"):
        try:
            if int(open(folder + "/stat").read().rsplit(")", 1)[1].split()[1]) != pid or os.readlink(folder + "/exe") != harness:
                continue
            variables = open(folder + "/environ").read().split("\0")
        except OSError:
            continue
        found.update((int(one.split("=")[1]), int(folder[6:])) for one in variables if one.startswith("OMPI_COMM_WORLD_RANK="))
    return found


def lost(harness, mpirun, folder, rank, number, words):
    """A rank that is killed, stands still, or gets a signal during the last cell: the job ends soon, says which rank, and
    keeps the rest."""
    out = f"lost{rank}-{int(number)}"
    command = [mpirun, "-n", "3", harness, "both.toml", "-o", out, "--quiet", "--set", "live.hang_limit_s=3",
               "--set", "workload.duration_s=4"]
    process = subprocess.Popen(command, cwd=folder, env=environment(), stderr=subprocess.PIPE, text=True)
    while process.poll() is None and finished_cells(os.path.join(folder, out), "both") < 3:
        time.sleep(0.005)
    time.sleep(1)
    began = time.monotonic()
    os.kill(ranks_below(process.pid, harness)[rank], number)
    stderr = process.communicate(timeout=60)[1]
    took = time.monotonic() - began
    done = finished_cells(os.path.join(folder, out), "both")
    if process.returncode == 0 or took > 30 or words not in stderr or done != 3:  # mpirun takes a while on a busy machine
        return [f"rank {rank}, signal {number}: exit code {process.returncode} after {took:.1f} s, {done} cells: {stderr}"]
    return []


def stalled(harness, mpirun, folder):
    """A rank that stands still for a while and goes on: the cell says so."""
    command = [mpirun, "-n", "3", harness, "both.toml", "-o", "stalled", "--quiet", "--set", "runtime=emulated",
               "--set", "live.stall_limit_ms=4000", "--set", "workload.duration_s=9"]
    process = subprocess.Popen(command, cwd=folder, env=environment(), stderr=subprocess.PIPE, text=True)
    while process.poll() is None and finished_cells(os.path.join(folder, "stalled"), "both") < 1:
        time.sleep(0.005)
    time.sleep(1.5)
    rank = ranks_below(process.pid, harness)[2]
    os.kill(rank, signal.SIGSTOP)
    time.sleep(5.5)
    os.kill(rank, signal.SIGCONT)
    stderr = process.communicate(timeout=60)[1]
    why = summary_of(folder, "stalled/both.h5")[1]["why"]
    if process.returncode != 1 or not why.startswith("rank 2 on ") or "stalled" not in why:
        return [f"a rank that stalled: exit code {process.returncode}, {why}: {stderr}"]
    return run_again(folder, command)


def run_again(folder, command):
    """The invalid cell alone is run once more."""
    before = summary_of(folder, "stalled/both.h5")
    kept = run(command, folder)
    again = run([*command, "--rerun-failed"], folder)
    after = summary_of(folder, "stalled/both.h5")
    failures = []
    if kept.returncode != 1 or "complete already" not in kept.stdout or "--rerun-failed runs them once more" not in kept.stderr:
        failures.append(f"invalid results: exit code {kept.returncode}: {kept.stdout}{kept.stderr}")
    if again.returncode != 0 or after[0]["wall_s"] != before[0]["wall_s"] or after[1]["status"] != "ok":
        failures.append(f"--rerun-failed: exit code {again.returncode}: {after}: {again.stderr}")
    return failures


def main():
    harness = os.path.abspath(sys.argv[1])
    mpirun = sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "both.toml", BOTH)
        failures = refused(harness, mpirun, folder) + dry_run(harness, mpirun, folder) + limit(harness, folder)
        late = "load generator behind schedule"
        given_up = "took longer than cell_limit_s = 0.5"
        checks = [
            (stalled, harness, mpirun, folder),
            (lost, harness, mpirun, folder, 1, signal.SIGTERM, "harness: rank 1: interrupted"),
            (lost, harness, mpirun, folder, 1, signal.SIGKILL, "rank 1"),
            (lost, harness, mpirun, folder, 2, signal.SIGSTOP, "harness: rank 2 on "),
            (lost, harness, mpirun, folder, 0, signal.SIGSTOP, "harness: rank 0 "),
            (both, harness, mpirun, folder),
            (interrupted, harness, mpirun, folder),
            (invalid, harness, folder, ["live.schedule_lag_limit_ms=0"], 10, late),
            (invalid, harness, folder, ["cell_limit_s=0.5", "workload.duration_s=20"], 10, given_up),
        ]
        with ThreadPoolExecutor(3) as pool:  # each in a folder of results of its own; they wait
            for running in [pool.submit(*check) for check in checks]:
                failures += running.result()
    finish(failures)


main()
