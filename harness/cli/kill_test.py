"""A run that is killed at any moment leaves results that open, or none, and the same command finishes the rest.

    kill_test.py HARNESS [KILLS]

Kills with SIGKILL at random moments until KILLS (20) have hit a running program, checks after each what the folder holds,
and at the end that the results are those of a run left alone. Then the same with SIGTERM, SIGINT and SIGHUP, which end in
order, and with a terminal that is closed.
"""
import csv
import glob
import io
import os
import pty
import random
import signal
import subprocess
import sys
import tempfile
import time

from program_testing import environment, finish, finished_cells, run, several_cells, stopped_run, write

VOLATILE = {"wall_s", "sim_requests_per_s"}


def rows(harness, folder, results):
    shown = run([harness, "show", results, "--csv"], folder)
    assert shown.returncode == 0, shown.stderr
    return [{key: value for key, value in row.items() if key not in VOLATILE}
            for row in csv.DictReader(io.StringIO(shown.stdout))]


def opens(harness, folder, pattern):
    """Every file of the folder that has its final name opens."""
    failures = []
    for path in sorted(glob.glob(os.path.join(folder, pattern), recursive=True)):
        shown = run([harness, "show", path], folder)
        if shown.returncode != 0:
            failures.append(f"{path} does not open: {shown.stderr.strip()}")
    return failures


def start(harness, folder, out):
    return subprocess.Popen([harness, "e.toml", "-o", out, "--quiet"], cwd=folder, env=environment(),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def killed_runs(harness, folder, kills, seconds, generator):
    """Starts over whenever a run gets to its end, so that kills fall into every part of a run."""
    failures, hits, finished, attempt = [], 0, 0, 0
    while hits < kills and not failures:
        out = f"out{finished}"
        process = start(harness, folder, out)
        try:
            process.wait(generator.uniform(0, seconds))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        stdout, stderr = process.communicate()
        attempt += 1
        failures += opens(harness, folder, f"{out}/**/*.h5")
        if process.returncode == -signal.SIGKILL:
            hits += 1
        elif process.returncode == 0:
            finished += 1
        else:
            failures.append(f"exit code {process.returncode}: {stderr.strip()}")
    print(f"{hits} of {attempt} runs killed, {finished} came to their end between")
    return failures, out if process.returncode != 0 else f"out{finished}"


def ended_in_order(harness, folder, number):
    """A run that is over before the signal says nothing: then again, with twice the cells."""
    for seeds in (3, 6, 12, 24, 48):
        out = f"signal{number}-{seeds}"
        write(folder, "long.toml", several_cells(seeds, 20))
        command = [harness, "long.toml", "-o", out, "--quiet"]
        code, stderr, done = stopped_run(command, folder, f"{out}/long", 1, number)
        if code != 0:
            break
    failures = opens(harness, folder, f"{out}/**/*.h5")
    if code != 3 or len(stderr.splitlines()) != 1 or "interrupted" not in stderr or done == 0:
        failures.append(f"signal {number}: exit code {code}, {done} cells: {stderr.strip()}")
    if glob.glob(os.path.join(folder, out, "**", "*.tmp"), recursive=True):
        failures.append(f"signal {number}: a temporary file is left")
    if run(command, folder).returncode != 0:
        failures.append(f"signal {number}: the same command does not finish the rest")
    return failures


def crashed(harness, folder, number):
    """A cell that ends the program by a fault: the same command finishes the others and says how it ended."""
    for seeds in (3, 6, 12, 24, 48):
        out = f"crash{number}-{seeds}"
        write(folder, "crash.toml", several_cells(seeds, 20))
        command = [harness, "crash.toml", "-o", out, "--quiet"]
        code, stderr, _ = stopped_run(command, folder, f"{out}/crash", 1, number)
        if code != 0:
            break
    failures = []
    marks = [mark for mark in glob.glob(os.path.join(folder, out, "crash.cells", "*.crash"))
             if not os.path.exists(mark[:-6] + ".h5")]  # else it came when the cell was finished
    if code != -number or len(marks) > 1 or (marks and "the same command finishes the other cells" not in stderr):
        failures.append(f"signal {number}: exit code {code}, {len(marks)} marks: {stderr.strip()}")
    again = run(command, folder)
    invalid = [row for row in rows(harness, folder, f"{out}/crash.h5") if row["status"] != "ok"]
    if again.returncode != len(marks) or len(invalid) != len(marks):  # none: it came between two cells
        failures.append(f"signal {number}: then exit code {again.returncode} and {len(invalid)} invalid cells")
    if any("the program crashed in it" not in row["why"] for row in invalid):
        failures.append(f"signal {number}: {invalid[0]['why']}")
    if marks and run([*command, "--rerun-failed"], folder).returncode != 0:
        failures.append(f"signal {number}: the cell cannot be run again")
    return failures


def terminal_closed(harness, folder, ignored):
    """The terminal of a run goes away. Under nohup the run does not care."""
    write(folder, "long.toml", several_cells(3 if ignored else 8, 20))
    out = f"terminal-{ignored}"
    child, terminal = pty.fork()
    if child == 0:
        if ignored:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.chdir(folder)
        os.execve(harness, [harness, "long.toml", "-o", out, "--quiet"], environment())
    while finished_cells(os.path.join(folder, out), "long") < 1 and not os.path.exists(f"{folder}/{out}/long.h5"):
        time.sleep(0.005)
    os.close(terminal)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    done = finished_cells(os.path.join(folder, out), "long")
    if ignored:
        return [] if os.path.exists(f"{folder}/{out}/long.h5") else [f"nohup: exit code {code}, {done} cells"]
    failures = [] if code == 3 and done > 0 else [f"a closed terminal: exit code {code}, {done} cells"]
    if run([harness, "long.toml", "-o", out, "--quiet"], folder).returncode != 0:
        failures.append("a closed terminal: the same command does not finish the rest")
    return failures


def ends_outside_cells(harness, folder, number):
    """Signals count also while cells are prepared, and in the other commands."""
    write(folder, "many.toml", several_cells(1).replace("seeds = [1]", f"seeds = {list(range(40000))}") + "[record]\nrows = false\n")
    failures = []
    for what, arguments, code in (("a dry run", ["many.toml", "--dry-run"], 3), ("preparing cells", ["many.toml"], 3),
                                  ("making a trace", ["trace", "make", "poisson", "--rate", "2e7", "--duration", "1",
                                                      "-o", "made.txt"], -number)):
        process = subprocess.Popen([harness, *arguments], cwd=folder, env=environment(), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(0.4)
        process.send_signal(number)
        stderr = process.communicate(timeout=60)[1]
        before_main = process.returncode == -number  # a slow start: nothing had taken the signal over
        if not before_main and (process.returncode != code or "interrupted" not in stderr):
            failures.append(f"signal {number} in {what}: exit code {process.returncode}: {stderr.strip()[:400]}")
    # A fast machine has begun the first cells by then.
    left = [*glob.glob(f"{folder}/results-out/**/*.tmp*", recursive=True), *glob.glob(f"{folder}/made.txt*")]
    failures += [f"signal {number}: {path} is left" for path in left]
    return failures


def main():
    harness = os.path.abspath(sys.argv[1])
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    generator = random.Random(2)
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "e.toml", several_cells(3, 10))
        began = time.monotonic()
        reference = run([harness, "e.toml", "-o", "reference", "--quiet"], folder)
        seconds = time.monotonic() - began
        assert reference.returncode == 0, reference.stderr
        failures, out = killed_runs(harness, folder, kills, seconds, generator)
        last = run([harness, "e.toml", "-o", out, "--quiet"], folder)
        if last.returncode != 0:
            failures.append(f"the last run: exit code {last.returncode}: {last.stderr.strip()}")
        elif rows(harness, folder, f"{out}/e.h5") != rows(harness, folder, "reference/e.h5"):
            failures.append("the resumed results differ from those of a run left alone")
        elif os.listdir(os.path.join(folder, out)) != ["e.h5"]:
            failures.append(f"more than the results is left: {os.listdir(os.path.join(folder, out))}")
        for number in (signal.SIGTERM, signal.SIGINT):
            failures += ended_in_order(harness, folder, number) + ends_outside_cells(harness, folder, number)
        failures += ended_in_order(harness, folder, signal.SIGHUP)
        for number in (signal.SIGSEGV, signal.SIGFPE):
            failures += crashed(harness, folder, number)
        for ignored in (False, True):
            failures += terminal_closed(harness, folder, ignored)
    finish(failures)


if __name__ == "__main__":
    main()
