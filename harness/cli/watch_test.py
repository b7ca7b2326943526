"""Progress as JSON, the status file of a run, and `harness watch`, whatever becomes of the run."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from program_testing import ROOT, SMALL, Failures, environment, finish, finished_cells, run, several_cells, stopped_run, write
from terminal_test import on_terminal

PAGE = Path(ROOT, "docs/commands.md").read_text(encoding="utf-8")
LONG = several_cells(10, duration_s=60)


def documented(heading):
    """The names in the first column of the table below a heading of docs/commands.md."""
    section = re.split(r"\n#+ ", PAGE.split(f"# {heading}\n", 1)[1])[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def check_events(failures, harness, mpirun, folder):
    write(folder, "cells.toml", several_cells(3) + '[cluster]\njitter = "uniform"\n')  # else a note says that batches are in step
    columns = run([harness, "cells.toml", "--dry-run", "--json"], folder)
    names = set(json.loads(columns.stdout)["experiments"][0]["cells"][0])
    for ranks, launch in ((1, []), (3, [mpirun, "-n", "3"])):
        done = run([*launch, harness, "cells.toml", "--progress", "json", "-o", f"out{ranks}"], folder)
        failures.expect(f"--progress json on {ranks}", done, 0, [f"out{ranks}/cells.h5: 6 cells"])
        events = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
        if len(events) != len(done.stderr.splitlines()) and ranks == 1:
            failures.append(f"--progress json: other lines: {done.stderr}")
        events = [event for event in events if "queue_trend" not in event.get("text", "")]
        kinds = [event["event"] for event in events]
        if kinds[0] != "start" or kinds[-1] != "end" or kinds.count("cell") != 6 or len(kinds) != 8:
            failures.append(f"--progress json on {ranks}: {kinds}")
            continue
        cells = events[1:-1]
        if {cell["cell"] for cell in cells} != set(range(6)) or max(cell["done"] for cell in cells) != 6:
            failures.append(f"--progress json on {ranks}: {cells}")
        if events[0]["ranks"] != ranks or events[0]["total"] != 6 or events[-1]["failed"] != 0:
            failures.append(f"--progress json on {ranks}: {events[0]} {events[-1]}")
        members = set().union(*events) - names
        if members - documented("Progress") or documented("Progress") - members - names - {"text"}:
            failures.append(f"docs/commands.md: events have {members}, the page {documented('Progress')}")
    again = run([harness, "cells.toml", "--progress", "json", "-o", "out1"], folder)
    failures.expect("complete results", again, 0, ['{"event": "end"'])
    quiet = run([harness, "cells.toml", "--progress", "none", "-o", "out4"], folder)
    if quiet.returncode or quiet.stderr:
        failures.append(f"--progress none: {quiet.stderr}")
    failures.refused("a form that is none", [harness, "cells.toml", "--progress", "xml"], folder, ["xml", "json"])
    failures.refused("two forms", [harness, "cells.toml", "--progress", "json", "--quiet"], folder, ["--quiet"])


def status_of(folder, stem):
    return json.loads(Path(folder, "results-out", stem + ".cells", "status.json").read_text(encoding="utf-8"))


def check_stopped(failures, harness, folder):
    write(folder, "long.toml", LONG)
    watch = [harness, "watch", "results-out/long.cells"]
    for number, word, state in ((signal.SIGKILL, "dead", "running"), (signal.SIGTERM, "stopped", "stopped")):
        stopped_run([harness, "long.toml"], folder, "results-out/long", finished_cells(f"{folder}/results-out", "long") + 1, number)
        status = status_of(folder, "long")
        if status["state"] != state or status["total"] != 20 or set(status) != documented("The status of a run"):
            failures.append(f"the status after {number}: {status}")
        failures.expect(f"watch after {number}", run(watch, folder), 3, ["long: ", " of 20 cells", word, "the same command"])
        failures.expect(f"watch of the folder after {number}", run([harness, "watch"], folder), 3, ["long: ", word])
    status = dict(status, state="running", host="elsewhere", updated_s=time.time() - 50)
    path = Path(folder, "results-out/long.cells/status.json")
    for age, code, words in ((50, 0, "gone"), (600, 0, "silent for 10 min"), (3700, 3, "dead")):
        path.write_text(json.dumps(dict(status, updated_s=time.time() - age)), encoding="utf-8")
        failures.expect(f"a run elsewhere {age} s ago", run(watch, folder), code, ["long: ", words])
    path.write_text("{", encoding="utf-8")
    failures.expect("a status that is none", run(watch, folder), 2, ["status.json", "another file"])
    failures.expect("collect", run([harness, "collect", "results-out/long.cells"], folder), 0, ["cells collected"])


def check_running(failures, harness, folder):
    """Continues what check_stopped() has left."""
    with subprocess.Popen([harness, "long.toml", "--quiet"], cwd=folder, env=environment(), stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and b'"state": "running"' not in Path(folder, "results-out/long.cells/status.json").read_bytes():
            time.sleep(0.01)
        once = run([harness, "watch", "results-out/long.cells", "--once"], folder)
        if process.poll() is None:
            failures.expect("watch of a run", once, 0, ["long: ", " of 20 cells", " gone"])
        shown = on_terminal([harness, "watch", "results-out/long.cells"], folder, 100)
    last = shown.split("\r")[-1]
    if process.returncode != 0 or "results-out/long.h5: complete, 20 of 20 cells\n" not in last:
        failures.append(f"watch on a terminal: {process.returncode} {shown!r}")
    if os.path.exists(os.path.join(folder, "results-out/long.cells")):
        failures.append(f"STEM.cells stays: {os.listdir(os.path.join(folder, 'results-out/long.cells'))}")
    failures.expect("watch of the folder of what is complete", run([harness, "watch"], folder), 0, ["20 of 20 cells"])
    failures.expect("watch of what is complete", run([harness, "watch", "results-out/long.cells/"], folder), 0, ["20 of 20 cells"])


def check_ranks(failures, harness, mpirun, folder):
    """Rank 0 tells of the cells of all."""
    write(folder, "ranks.toml", LONG)
    stopped_run([mpirun, "-n", "3", harness, "ranks.toml"], folder, "results-out/ranks", 5, signal.SIGKILL)
    deadline = time.monotonic() + 20
    while run([harness, "watch", "results-out/ranks.cells"], folder).returncode != 3 and time.monotonic() < deadline:
        time.sleep(0.1)  # the ranks end after mpirun
    status = status_of(folder, "ranks")
    if status["ranks"] != 3 or status["total"] != 20 or not 0 <= status["done"] <= finished_cells(f"{folder}/results-out", "ranks"):
        failures.append(f"the status of three ranks: {status}")


def check_failed_and_refused(failures, harness, folder):
    write(folder, "failed.toml", SMALL.replace('"poisson"]', '"poisson"]\nslo_ms = [400, 1]'))
    done = run([harness, "failed.toml", "--progress", "json"], folder)
    failures.expect("a skipped cell", done, 1, ['"status": "skipped"', '"failed": 1', '"exit_code": 1'])
    failures.expect("watch of it", run([harness, "watch", "results-out/failed.cells"], folder), 1, ["2 of 2 cells, 1 skipped or invalid"])
    failures.refused("no such run", [harness, "watch", "nothing.cells"], folder, ["nothing.cells", "no such folder"])
    failures.refused("no run", [harness, "watch", "."], folder, ["no run"])


def main():
    harness, mpirun = os.path.abspath(sys.argv[1]), sys.argv[2]
    failures = Failures()
    with tempfile.TemporaryDirectory() as folder:
        check_events(failures, harness, mpirun, folder)
        check_stopped(failures, harness, folder)
        check_running(failures, harness, folder)
        check_ranks(failures, harness, mpirun, folder)
        check_failed_and_refused(failures, harness, folder)
    finish(failures)


if __name__ == "__main__":
    main()
