"""Which finished cells are used again, when a run stops instead, and what `collect` makes of an unfinished run.

    resume_test.py HARNESS
"""
import glob
import os
import signal
import subprocess
import sys
import tempfile
import time

from kill_test import rows
from program_testing import environment, finish, run, several_cells, tree, write


def collected(harness, folder, expect):
    """An unfinished run is collected, then finished by the same command."""
    write(folder, "part.toml", several_cells(4, 40))
    command = [harness, "part.toml", "-o", "parts", "--quiet"]
    cells = os.path.join(folder, "parts", "part.cells")
    process = subprocess.Popen(command, cwd=folder, env=environment(), stderr=subprocess.DEVNULL)
    while process.poll() is None and len(glob.glob(cells + "/*.h5")) < 2:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    process.wait()
    done = len(glob.glob(cells + "/*.h5"))
    if not 2 <= done < 8:
        return [f"the unfinished run has {done} of 8 cells"]
    expect("collecting", run([harness, "collect", "parts/part.cells"], folder), 0, [f"{done} finished cells"])
    part = rows(harness, folder, "parts/part.h5")
    expect("finishing what was collected", run(command[:-1], folder), 0, [f"{done} of 8 cells are finished already", "8 cells"])
    whole = rows(harness, folder, "parts/part.h5")
    failures = [] if len(part) == done and part == whole[:done] else ["the collected cells are not the first ones"]
    if [row["cell"] for row in whole] != [str(i) for i in range(8)]:
        failures.append("the finished cells are out of order")
    os.makedirs(os.path.join(folder, "none.cells"))
    expect("collecting nothing", run([harness, "collect", "none.cells"], folder), 2, ["no finished cell"])
    return failures


def main():
    harness = os.path.abspath(sys.argv[1])
    failures = []

    def expect(what, done, code, words=()):
        text = done.stdout + done.stderr
        if done.returncode != code or not all(word in text for word in words):
            failures.append(f"{what}: exit code {done.returncode}, expected {code} with {list(words)}\n    {text.strip()[:500]}")

    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        go = lambda *more: run([harness, "e.toml", "-o", "out", *more], folder)
        write(folder, "e.toml", several_cells(2))
        expect("a dry run", go("--dry-run"), 0, ["4 cells", "face_recognition"])
        if os.path.exists(out):
            failures.append("a dry run wrote something")
        expect("a run", go(), 0, ["[4/4]", "4 cells"])
        first = rows(harness, folder, "out/e.h5")
        before = tree(out)
        expect("the same command", go(), 0, ["complete already"])
        if tree(out) != before:
            failures.append("the same command changed complete results")
        expect("other settings", go("--set", "planner.sizing_factor=3"), 2, ["sizing_factor = 2", "sizing_factor = 3", "--fresh"])
        expect("another network", go("--set", "cluster.network_delay_ms=1"), 2, ["network_delay_ms = 1"])
        if tree(out) != before:
            failures.append("a refused run changed the results")
        write(folder, "e.toml", several_cells(3))
        expect("more seeds", go(), 0, ["4 of 6 cells are finished already", "[2/2]", "6 cells"])
        if rows(harness, folder, "out/e.h5")[:4] != first:
            failures.append("more seeds changed the rows of the others")
        expect("from the start", go("--fresh", "--set", "planner.sizing_factor=3"), 0, ["[6/6]"])
        expect("skipped cells", go("--fresh", "--quiet", "--set", "workload.slo_ms=[1,400]"), 1, ["6 of 12 cells", "SLO"])
        expect("skipped cells, still", go("--quiet", "--set", "workload.slo_ms=[1,400]"), 1, ["complete already"])
        expect("skipped cells allowed", go("--quiet", "--allow-skipped", "--set", "workload.slo_ms=[1,400]"), 0)
        shown = rows(harness, folder, "out/e.h5")
        if [row["status"] for row in shown] != ["skipped"] * 6 + ["ok"] * 6 or "SLO" not in shown[0]["why"]:
            failures.append("the skipped cells are not recorded as such")

        failures += collected(harness, folder, expect)
    finish(failures)


if __name__ == "__main__":
    main()
