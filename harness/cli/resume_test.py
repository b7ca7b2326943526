"""Which finished cells are used again, when a run stops instead, and what `collect` makes of an unfinished run.

    resume_test.py HARNESS
"""
import fcntl
import glob
import os
import shutil
import signal
import sys
import tempfile

import h5py

from kill_test import rows
from program_testing import ROOT, Failures, finish, run, several_cells, stopped_run, tree, write


# An experiment that names a file of each kind, and what changes in them: (file, before, after).
FILES = {
    "e.toml": several_cells(6, 20).replace('"tm"', '"./p.toml"').replace('"poisson"', '"t"').replace(
        "[[system]]", '[trace.t]\nfile = "t.csv"\n[cluster]\nworkers = 8\nprofiles = "./s.toml"\n[[system]]', 1),
    "p.toml": 'slo_ms = 400\n[[module]]\nname = "a"\nmodel = "resnet18"\nsubs = ["b"]\n[[module]]\nname = "b"\nmodel = "resnet50"\n',
    "s.toml": 'base = "shepherd-v100"\nadd_ms_per_batch = 1\n',
    "t.csv": "second,count\n" + "".join(f"{second},{40 + second % 7}\n" for second in range(20)),
}
EDITS = {"pipeline": ("p.toml", 'model = "resnet50"', 'model = "resnet18"'),
         "profiles": ("s.toml", "add_ms_per_batch = 1", "add_ms_per_batch = 1.5"), "trace": ("t.csv", "\n3,43", "\n3,44")}


def another_build(harness, folder):
    """The same program as another build of it: its file has a byte more."""
    copy = os.path.join(folder, "another")
    shutil.copy(harness, copy)
    with open(copy, "ab") as file:
        file.write(b"\0")
    return ["env", f"HARNESS_HOME={ROOT}", copy]


def made_differently(harness, folder, expect, results, command):
    """Refuses results that were made from other files, settings or by another build, and names which."""
    def refuses(what, words, said, program=(harness,)):
        before = tree(results)
        done = run([*program, *command, *words], folder)
        expect(what, done, 2, ["made differently: " + "; use -o DIR".join([said, ""])])
        return [f"{what}: something was written"] if tree(results) != before else []

    failures = refuses("a key", ["--set", "serving.commit=late"], "serving.commit early, now late")
    other = another_build(harness, folder)
    failures += refuses("a build", [], "another build of harness", other)
    failures += refuses("a build, failed cells", ["--rerun-failed"], "another build of harness", other)
    for kind, (name, before, after) in EDITS.items():
        write(folder, name, FILES[name].replace(before, after, 1))
        said = f"contents of {kind} differ: {'./' if name != 't.csv' else ''}{name}" + (" (or a file that it names)" if kind == "profiles" else "")
        failures += refuses(kind, [], said)
        failures += refuses(f"{kind}, failed cells", ["--rerun-failed"], said)
        failures += refuses(f"{kind} and a build", [], said + ", another build of harness", other)
        failures += refuses(f"{kind} and a key", ["--set", "serving.commit=late"], said + ", serving.commit early, now late")
        write(folder, name, FILES[name])
    return failures


def differences(harness, folder, expect):
    """The same of complete results, of the cells of a run that was stopped, and of cells that were skipped."""
    for name, text in FILES.items():
        write(folder, name, text)
    command = ["e.toml", "-o", "made", "--quiet"]
    for seeds in (6, 24, 96):
        write(folder, "e.toml", FILES["e.toml"].replace("seeds = [1, 2, 3, 4, 5, 6]", f"seeds = {list(range(1, seeds + 1))}"))
        if stopped_run([harness, *command], folder, "made/e", 1, signal.SIGTERM)[0] != 0:
            break
        shutil.rmtree(os.path.join(folder, "made"))
    failures = made_differently(harness, folder, expect, os.path.join(folder, "made"), command)
    expect("the rest", run([harness, *command], folder), 0, [f"{2 * seeds} cells"])
    return failures + made_differently(harness, folder, expect, os.path.join(folder, "made"), command)


def part_of_a_run(harness, folder, out, more=0):
    """Runs part.toml into the folder until `more` cells are finished and stops it; how many are, of how many. A run
    that is over before the signal is done again with twice the cells."""
    for seeds in (6, 12, 24, 48):
        write(folder, "part.toml", several_cells(seeds, 20))
        command = [harness, "part.toml", "-o", out, "--quiet"]
        complete = os.path.join(folder, out, "part.h5")
        kept = open(complete, "rb").read() if os.path.exists(complete) else None
        code, stderr, done = stopped_run(command, folder, f"{out}/part", more, signal.SIGTERM)
        if code != 0:
            return done, 2 * seeds
        os.remove(complete)
        if kept is not None:
            write(folder, f"{out}/part.h5", kept)
    raise RuntimeError(f"no run could be stopped: {stderr}")


def collected(harness, folder, expect):
    """An unfinished run is collected, then finished by the same command."""
    done, cells = part_of_a_run(harness, folder, "parts", 2)
    command = [harness, "part.toml", "-o", "parts"]
    expect("collecting", run([harness, "collect", "parts/part.cells"], folder), 0, [f"{done} finished cells"])
    failures = []
    with h5py.File(os.path.join(folder, "parts", "part.h5")) as results:
        if "[[system]]" not in results.attrs["experiment_toml"] or results.attrs["experiment"] != "part":
            failures.append("collected results do not say of which experiment they are")
    part = rows(harness, folder, "parts/part.h5")
    # As after a kill between the assembly and the removal of all cells.
    os.remove(sorted(glob.glob(os.path.join(folder, "parts/part.cells/*.h5")))[0])
    expect("finishing what was collected", run(command, folder), 0,
           [f"{done} of {cells} cells are finished already", f"{cells} cells"])
    whole = rows(harness, folder, "parts/part.h5")
    if len(part) != done or part != whole[:done]:
        failures.append("the collected cells are not the first ones")
    if [row["cell"] for row in whole] != [str(i) for i in range(cells)]:
        failures.append("the finished cells are out of order")
    os.makedirs(os.path.join(folder, "none.cells"))
    expect("collecting nothing", run([harness, "collect", "none.cells"], folder), 2, ["no finished cell"])
    return failures


def collected_beside_results(harness, folder, expect):
    """Cells added to complete results are collected with them; not while a run writes there."""
    write(folder, "part.toml", several_cells(2, 20))
    expect("a run to be added to", run([harness, "part.toml", "-o", "beside", "--quiet"], folder), 0)
    before = rows(harness, folder, "beside/part.h5")
    done, cells = part_of_a_run(harness, folder, "beside", 1)
    lock = open(os.path.join(folder, "beside/part.cells/lock"))
    fcntl.flock(lock, fcntl.LOCK_EX)
    expect("collecting while a run writes", run([harness, "collect", "beside/part.cells"], folder), 3, ["another harness"])
    lock.close()
    expect("collecting more", run([harness, "collect", "beside/part.cells"], folder), 0, [f"{4 + done} finished cells"])
    expect("collecting again", run([harness, "collect", "beside/part.cells/"], folder), 0, [f"{4 + done} finished cells"])
    after = rows(harness, folder, "beside/part.h5")
    failures = [] if after[:4] == before and len(after) == 4 + done else ["collecting lost finished cells"]
    expect("finishing the rest", run([harness, "part.toml", "-o", "beside"], folder), 0, [f"{cells} cells"])
    if rows(harness, folder, "beside/part.h5")[:4 + done] != after:
        failures.append("finishing changed the collected cells")
    return failures


def complete_already(harness, folder, expect):
    """Cells left beside complete results go, but not those of a run that writes there."""
    write(folder, "whole.toml", several_cells(1))
    command = [harness, "whole.toml", "-o", "whole", "--quiet"]
    expect("a whole run", run(command, folder), 0)
    path = write(folder, "whole/whole.cells/lock", "")
    with open(path) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        expect("complete, but locked", run(command, folder), 3, ["another harness"])
        if not os.path.exists(path):
            return ["another run's cells were removed"]
    expect("complete with cells left", run(command, folder), 0, ["complete already"])
    return ["the cells of complete results are left"] if os.path.exists(os.path.dirname(path)) else []


def started_over(harness, folder, expect):
    """--fresh takes nothing away before the new cells are there, and nothing that harness did not write."""
    failures = []
    part_of_a_run(harness, folder, "over", 2)
    cells = os.path.join(folder, "over/part.cells")
    command = [harness, "part.toml", "-o", "over", "--quiet"]
    expect("finishing", run(command, folder), 0)
    complete = os.path.join(folder, "over/part.h5")
    old = open(complete, "rb").read()
    code, stderr, new = stopped_run([*command, "--fresh"], folder, "over/part", 1, signal.SIGTERM)
    if code == 0:
        return [f"--fresh could not be stopped: {stderr}"]
    if open(complete, "rb").read() != old:
        failures.append("--fresh that was stopped took the results away")
    write(folder, "over/part.cells/mine.txt", "my notes")
    expect("going on", run(command[:-1], folder), 0, [f"{new} of ", "harness did not write"])
    if open(complete, "rb").read() == old:
        failures.append("--fresh made no new results")
    if sorted(os.listdir(cells)) != ["mine.txt"]:
        failures.append(f"left in the folder of cells: {os.listdir(cells)}")
    os.remove(os.path.join(cells, "mine.txt"))
    return failures


def links(harness, folder, expect):
    """No output and no lock follows a symbolic link."""
    failures = []
    write(folder, "e.toml", several_cells(1))
    target = write(folder, "target.txt", "mine")
    for place in ("l1/e.cells/lock", "l2/e.cells/probe.tmp", "l3/e.h5.tmp"):
        os.makedirs(os.path.dirname(os.path.join(folder, place)))
        os.symlink(target, os.path.join(folder, place))
        run([harness, "e.toml", "-o", place[:2], "--quiet"], folder)
    os.makedirs(os.path.join(folder, "l4"))
    os.makedirs(os.path.join(folder, "elsewhere"))
    os.symlink(os.path.join(folder, "elsewhere"), os.path.join(folder, "l4/e.cells"))
    expect("a link in place of the cells", run([harness, "e.toml", "-o", "l4"], folder), 3, ["symbolic link"])
    if open(target).read() != "mine" or os.listdir(os.path.join(folder, "elsewhere")):
        failures.append("a symbolic link was followed")
    return failures


def main():
    harness = os.path.abspath(sys.argv[1])
    failures = Failures()
    expect = failures.expect

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
        expect("other settings", go("--set", "planner.sizing_factor=3"), 2, ["planner.sizing_factor 2, now 3; use", "--fresh"])
        expect("another network", go("--set", "cluster.network_delay_ms=1"), 2, ["cluster.network_delay_ms 0, now 1;"])
        expect("another load", go("--set", "workload.loads=0.5"), 2, ["workload.loads [1], now [0.5];"])
        if tree(out) != before:
            failures.append("a refused run changed the results")
        write(folder, "e.toml", several_cells(3))
        expect("more seeds", go(), 0, ["4 of 6 cells are finished already", "[2/2]", "6 cells"])
        if rows(harness, folder, "out/e.h5")[:4] != first:
            failures.append("more seeds changed the rows of the others")
        expect("from the start", go("--fresh", "--set", "planner.sizing_factor=3"), 0, ["[6/6]"])
        expect("two SLOs", go("--dry-run", "--set", "workload.slo_ms=[150.5,400]"), 0, ["slo 150.5 ms", "slo 400 ms"])
        expect("skipped cells", go("--fresh", "--quiet", "--set", "workload.slo_ms=[1,400]"), 1, ["6 of 12 cells", "SLO"])
        expect("skipped cells, still", go("--quiet", "--set", "workload.slo_ms=[1,400]"), 1, ["complete already"])
        expect("skipped cells allowed", go("--quiet", "--allow-skipped", "--set", "workload.slo_ms=[1,400]"), 0)
        shown = rows(harness, folder, "out/e.h5")
        if [row["status"] for row in shown] != ["skipped"] * 6 + ["ok"] * 6 or "SLO" not in shown[0]["why"]:
            failures.append("the skipped cells are not recorded as such")

        failures += collected(harness, folder, expect) + collected_beside_results(harness, folder, expect)
        failures += differences(harness, os.path.join(folder, "files"), expect)
        failures += complete_already(harness, folder, expect)
        failures += started_over(harness, folder, expect) + links(harness, folder, expect)
    finish(failures)


if __name__ == "__main__":
    main()
