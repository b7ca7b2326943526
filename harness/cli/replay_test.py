"""What a run recorded repeats its decisions; the command names the first difference, and what it cannot compare.

    replay_test.py HARNESS
"""
import os
import re
import shutil
import sys
import tempfile

import h5py

from program_testing import Failures, edited, finish, run, write

EXPERIMENT = """[workload]
pipelines = ["%s"]
traces = ["tweet"]
loads = [0.9, 1.3]
duration_s = 5
[cluster]
workers = 16
[record]
rows = false
replay = true
"""
# Two models, on each GPU another choice of them or one group of all.
GROUPS = """[workload]
pipelines = "two-streams"
traces = ["two-streams"]
rates_rps = 0
duration_s = 2
[cluster]
workers = 6
profiles = "shepherd-v100"
[record]
rows = false
replay = true
[[system]]
name = "nexus"
[[system]]
name = "shepherd"
"""
SYSTEMS = ["naive", "clipperpp", "nexus", "pard", "rag"]


def experiment(pipeline="tm", systems=tuple(SYSTEMS)):
    return EXPERIMENT % pipeline + "".join(f'[[system]]\nname = "{name}"\n' for name in systems)


def counts(path):
    """What every replay of the file holds, as the command says it."""
    with h5py.File(path) as file:
        tables = [cell["replay"][:] for cell in file["cells"].values()]
    return [f"{len(tables)} cells", f"{sum(map(len, tables)):,} queues", f"{sum(int(t['callbacks'].sum()) for t in tables):,} callbacks",
            f"{sum(int(t['decisions'].sum()) for t in tables):,} decisions"]


def first_differing_visit(before, after):
    """Of both files' first cells, in order of their ends: its request and number."""
    def visits(path):
        with h5py.File(path) as file:
            rows = file["cells/0/visits"][:]
        return sorted((int(row["ended_ns"]), int(row["request"]), int(row["visit"]), row.tobytes()) for row in rows)
    for a, b in zip(visits(before), visits(after)):
        if a != b:
            return a[1:3], b[1:3]
    return None


def own_pipeline(harness, folder, made, expect):
    """A pipeline of the experiment's own folder: found there, and only as it was."""
    own = os.path.join(os.getcwd(), "workloads/pipelines/tm.toml")
    os.makedirs(os.path.join(folder, "own"))
    shutil.copy(own, os.path.join(folder, "own/mine.toml"))
    made(folder, "own", experiment("mine.toml", ["nexus"]))
    expect("its own pipeline", run([harness, "replay", "own/e.h5", "--folder", "own"], folder), 0, ["2 cells", "none differs"])
    expect("from elsewhere", run([harness, "replay", "own/e.h5"], folder), 2, ["own/e.h5", "mine.toml", "no such file", "--folder says where"])
    with open(own, encoding="utf8") as file:
        text = file.read()
    write(folder, "own/mine.toml", text.replace("face_recognition", "faces"))
    expect("another pipeline", run([harness, "replay", "own/e.h5", "--folder", "own"], folder), 2,
           ["own/e.h5", "cells/0", "another pipeline"])


def main():
    harness = os.path.abspath(sys.argv[1])
    failures = Failures()
    expect = failures.expect

    def made(folder, name, text, *options):
        write(folder, f"{name}/e.toml", text)
        expect(f"run {name}", run([harness, f"{name}/e.toml", "-o", name, "--quiet", *options], folder), 0)
        return os.path.join(folder, name, "e.h5")

    with tempfile.TemporaryDirectory() as folder:
        recorded = made(folder, "recorded", experiment())
        plain = made(folder, "plain", experiment(), "--set", "record.replay=false", "--set", "record.rows=true")
        expect("all systems", run([harness, "replay", recorded], folder), 0, counts(recorded) + [": none differs"])
        expect("a file with itself", run([harness, "replay", recorded, recorded], folder), 0, counts(recorded) + [": none differs"])
        with h5py.File(recorded) as a, h5py.File(plain) as b:
            if list(a["summary"]["fingerprint"]) != list(b["summary"]["fingerprint"]):
                failures.append("recording changed what the systems did")
        expect("with and without a replay", run([harness, "replay", recorded, plain], folder), 0,
               ["0 of 10 cells without a replay in both files differ"])
        expect("no replay", run([harness, "replay", plain], folder), 2, ["plain/e.h5", "no cell with a replay", "replay = true"])
        expect("no file", run([harness, "replay", "none.h5"], folder), 2, ["none.h5", "no such file"])
        expect("one file too many", run([harness, "replay", recorded, plain, plain], folder), 2)

        # Another parameter of the scheduler decides otherwise.
        other = shutil.copy(recorded, os.path.join(folder, "parameter.h5"))
        with edited(other) as file:
            cell = next(row["cell"] for row in file["summary"] if row["system"] == b"pard" and row["load"] > 1)
            attributes = file[f"cells/{cell}"].attrs
            text = attributes["effective_toml"]
            attributes["effective_toml"] = re.sub(r'\border = "\w+"', 'order = "fcfs"', text)
        expect("another parameter", run([harness, "replay", other], folder), 1,
               [f"cell {cell}: pard tm tweet load 1.3", "(module ", "callback ", "recorded  join(", "came out  ", "1 of 10 cells"])
        # A file that was changed or damaged.
        for what, place, value in (("version", 0, 9), ("end", -1, 0xff)):
            damaged = shutil.copy(recorded, os.path.join(folder, f"{what}.h5"))
            with edited(damaged) as file:
                log = file["cells/0/replay_log"]
                rows = log[:]
                rows["byte"][place] = value
                log[...] = rows
            found = "a log of version 9" if what == "version" else "a damaged log of queue"
            expect(f"damaged {what}", run([harness, "replay", damaged], folder), 2, [f"{what}.h5", "cells/0", found])
            if what == "version":
                expect("compared by fingerprints", run([harness, "replay", recorded, damaged], folder), 0, ["by their fingerprints"])

        # Runs that were given the same, but with another network: what reached the queues differs.
        delayed = made(folder, "delayed", experiment(systems=["pard"]), "--set", "cluster.network_delay_ms=1")
        expect("other inputs", run([harness, "replay", recorded, delayed], folder), 1,
               ["cell 3: pard tm tweet load 0.9", "what reached it differs", "on_arrival(visit", "2 of 2 cells", "8 cells stand in"])
        delayed = made(folder, "delayed_rows", experiment(), "--set", "cluster.network_delay_ms=1", "--set", "record.replay=false",
                       "--set", "record.rows=true")
        visits = first_differing_visit(plain, delayed)
        expect("fingerprints", run([harness, "replay", plain, delayed], folder), 1,
               ["10 of 10 cells", "by their fingerprints", "fingerprint "]
               + [f"request {request} visit {visit}" for request, visit in visits])
        nothing = made(folder, "nothing", experiment(systems=["naive"]), "--set", "workload.seeds=7")
        expect("no common cell", run([harness, "replay", recorded, nothing], folder), 2, ["no cell that is also in"])

        own_pipeline(harness, folder, made, expect)
        groups = made(folder, "groups", GROUPS)
        with h5py.File(groups) as file:
            if max(int(row["module"]) for row in file["cells/0/replay"]) < 2:
                failures.append("no more groups than modules")
        expect("groups", run([harness, "replay", groups], folder), 0, counts(groups) + ["none differs"])
        changed = made(folder, "changed", GROUPS, "--set", "cluster.network_delay_ms=1")
        expect("groups that differ", run([harness, "replay", groups, changed], folder), 1, ["(group 0)", "what reached it differs"])
    finish(failures)


main()
