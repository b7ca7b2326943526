"""What a results file tells of streams: whose requests were served, by model, stream and SLO, and the groups of the plan; how keys of
classes are set and swept; the table of `harness trace cv` and its figures.

    streams_test.py HARNESS
"""
import collections
import csv
import io
import math
import os
import sys
import tempfile

import h5py
import numpy as np

from program_testing import Failures, finish, run, write

# 40 bursts of 40 requests to one model, 30 streams of 1,200 requests/s in all to every model in turn; more than 4 GPUs can serve.
EXPERIMENT = """[workload]
pipelines = "shepherd13"
traces = "mixed"
rates_rps = 0
duration_s = 4
[cluster]
workers = 4
profiles = "shepherd-v100"
[[trace.mixed.streams]]
module = "resnet18"
process = "bursts"
burst = 40
period_ms = 100
[[trace.mixed.streams]]
count = 30
rps = 1200
slo_ms = [100, 400]
[[system]]
name = "shepherd"
[[system]]
name = "shepherd"
variant = "pairs"
params = { herd_group_worker_limit = 2 }
[[system]]
name = "clockwork"
[[system]]
name = "nexus"
"""
IN_TIME, LATE, DROPPED = 0, 1, 2


def rows_agree_with_models(file, printed):
    """What differs between the rows of the requests and what `show --models` prints of each model."""
    failures = []
    models = collections.defaultdict(dict)
    for line in csv.DictReader(io.StringIO(printed)):
        models[int(line["cell"])][line["model"]] = line
    for row in file["summary"][:]:
        cell = file[f"cells/{row['cell']}"]
        names = [name.decode() for name in cell["modules"]["name"]]
        requests = cell["requests"][:]
        shown = models[int(row["cell"])]
        if sorted(shown) != sorted(names):
            failures.append(f"cell {row['cell']}: models {sorted(shown)}")
            continue
        for index, name in enumerate(names):
            # A model stands alone, so that where a request was dropped or ended is where it entered.
            own = requests[requests["module"] == index]
            counts = [len(own)] + [int((own["outcome"] == outcome).sum()) for outcome in (IN_TIME, LATE, DROPPED)]
            line = shown[name]
            if counts != [int(line[key]) for key in ("sent", "in_time", "late", "dropped")]:
                failures.append(f"cell {row['cell']}, {name}: rows {counts}, shown {line}")
            if not math.isclose(float(line["goodput_rps"]), counts[1] / row["duration_s"]):
                failures.append(f"cell {row['cell']}, {name}: goodput {line['goodput_rps']}")
        if sum(int(line["in_time"]) for line in shown.values()) != row["in_time"]:
            failures.append(f"cell {row['cell']}: the models' requests in time are not the cell's")
    return failures


def rows_know_their_streams(cell):
    """Stream 0 sends the bursts, with the pipeline's SLO; the others have 100 ms for all models, then 400 ms."""
    failures = []
    requests = cell["requests"][:]
    bursts = requests[requests["stream"] == 0]
    if len(bursts) != 40 * 40 or set(bursts["slo_ns"]) != {250_000_000}:
        failures.append(f"{len(bursts)} requests of stream 0, SLOs {set(bursts['slo_ns'])}")
    for stream in range(1, 31):
        own = requests[requests["stream"] == stream]
        slo_ns = 100_000_000 if (stream - 1) // 13 % 2 == 0 else 400_000_000
        if not len(own) or set(own["slo_ns"]) != {slo_ns} or set(own["module"]) != {(stream - 1) % 13}:
            failures.append(f"stream {stream}: {len(own)} requests, SLOs {set(own['slo_ns'])}, modules {set(own['module'])}")
    if requests["stream"].max() != 30:
        failures.append(f"streams up to {requests['stream'].max()}")
    done = requests[requests["outcome"] <= LATE]
    if ((done["latency_ns"] <= done["slo_ns"]) != (done["outcome"] == IN_TIME)).any():
        failures.append("a request is in time beyond its SLO, or late within it")
    return failures


def groups_are_the_plans(cell, name, workers=4):
    """What is wrong with the groups of a cell of that system and variant."""
    failures = []
    groups = cell["groups"][:]
    if (groups["at_ns"] != 0).any():
        failures.append(f"{name}: groups after the start of a plan that stays")
    size = {int(row["group"]): int(row["workers"]) for row in groups}
    if sum(size.values()) > workers or sorted(size) != list(range(len(size))):
        failures.append(f"{name}: groups {size}")
    for module in range(13):
        own = groups[groups["module"] == module]
        planned = cell["plans"][:][module]
        if planned["workers"] != own["workers"].sum():
            failures.append(f"{name}: module {module} has {planned['workers']} workers, its groups {own['workers'].sum()}")
        if name.startswith("shepherd") and not math.isclose(own["share"].sum(), 1):
            failures.append(f"{name}: module {module}'s shares are {own['share']}")
    nexus = name.startswith("nexus")
    if nexus and ((groups["cycle_ns"] <= 0).any() or not np.isnan(groups["share"]).all()):
        failures.append("nexus: no cycle, or shares")
    if name == "shepherd default" and len(size) != 1:
        failures.append("shepherd: 4 GPUs are one group")
    if name == "shepherd pairs" and set(size.values()) != {2}:
        failures.append(f"shepherd: groups of 2, not {size}")
    return failures


def results_tell_of_streams(harness, folder):
    write(folder, "mixed.toml", EXPERIMENT)
    done = run([harness, "mixed.toml", "--quiet", "--allow-skipped", "-o", "out"], folder)
    if done.returncode:
        return [f"mixed.toml: {done.stderr}"]
    shown = run([harness, "show", "out/mixed.h5", "--models", "--csv"], folder)
    failures = [] if shown.returncode == 0 else [f"show --models: {shown.stderr}"]
    with h5py.File(os.path.join(folder, "out/mixed.h5")) as file:
        failures += rows_agree_with_models(file, shown.stdout)
        for row in file["summary"][:]:
            cell, name = file[f"cells/{row['cell']}"], f"{row['system'].decode()} {row['variant'].decode()}"
            failures += [f"{name}: {failure}" for failure in rows_know_their_streams(cell)]
            if "groups" not in cell:
                failures.append(f"{name}: no groups")
            else:
                failures += groups_are_the_plans(cell, name)
        if not (file["summary"]["drop_rate"] > 0).any():
            failures.append("nothing was dropped: the test shows little")
    paired = run([harness, "show", "out/mixed.h5", "--paired", "goodput_rps"], folder)
    if paired.returncode or "the baseline is shepherd, the first configuration" not in paired.stderr:
        failures.append(f"show --paired without pard: {paired.returncode} {paired.stderr}")
    return failures


def keys_of_classes_are_axes(harness, folder):
    """The bursts' size swept, the other class's rate set: as many requests as in a file that says so."""
    swept = EXPERIMENT[:EXPERIMENT.index("[[system]]")] + (
        '[[system]]\nname = "clockwork"\n[[sweep]]\nkey = "trace.mixed.streams.0.burst"\nvalues = [1, 40]\n[record]\nrows = false\n')
    write(folder, "swept.toml", swept)
    done = run([harness, "swept.toml", "--quiet", "-o", "out", "--set", "trace.mixed.streams.1.process=uniform"], folder)
    if done.returncode:
        return [f"swept.toml: {done.stderr}"]
    with h5py.File(os.path.join(folder, "out/swept.h5")) as file:
        sent = [int(sent) for sent in file["summary"]["sent"]]
        named = [text.decode() for text in file["summary"]["parameters"]]
    failures = Failures()
    if sent[1] - sent[0] != 40 * 39 or abs(sent[0] - 40 - 4800) > 30:
        failures.append(f"requests {sent}: 40 bursts of 1 and of 40, and 30 streams of 160 evenly spaced requests")
    if named != ["trace.mixed.streams.0.burst=1", "trace.mixed.streams.0.burst=40"]:
        failures.append(f"parameters {named}")
    for key, said in (("trace.mixed.streams.2.count=1", "found class '2'"), ("trace.mixed.streams.count=1", "found class 'count'"),
                      ("trace.mixed.streams.1.cuont=1", "did you mean 'count'"), ("trace.maf-stable.streams.0.rps=1", "no classes")):
        failures.refused(f"--set {key}", [harness, "swept.toml", "-o", "refused", "--set", key], folder, [said])
    return failures


def the_table_of_cv_is_hdf5_too(harness, folder):
    done = run([harness, "trace", "cv", "poisson-streams", "--duration", "20", "--windows", "0.5,2", "--groups", "1,10", "--csv", "-o",
                "cv.h5"], folder)
    if done.returncode:
        return [f"trace cv: {done.stderr}"]
    failures = []
    lines = list(csv.DictReader(io.StringIO(done.stdout)))
    with h5py.File(os.path.join(folder, "cv.h5")) as file:
        rows = file["cv"][:]
    if list(rows.dtype.names) != list(lines[0]) or len(rows) != 4:
        failures.append(f"cv.h5: columns {rows.dtype.names}, {len(rows)} rows")
    for row, line in zip(rows, lines):
        if row["trace"].decode() != line["trace"] or [float(line[name]) for name in ("group", "groups", "windows")] != [
                row[name] for name in ("group", "groups", "windows")] or not math.isclose(row["mean_cv"], float(line["mean_cv"]), rel_tol=1e-4):
            failures.append(f"cv.h5: {row} for {line}")
    drawn = run([harness, "figures", "cv.h5", "-o", "figures"], folder)
    files = sorted(os.listdir(os.path.join(folder, "figures"))) if drawn.returncode == 0 else drawn.stderr
    if files != [f"shepherd-fig{k}.{ending}" for k in (2, 5) for ending in ("pdf", "png")]:
        failures.append(f"figures of cv.h5: {files}")
    shown = run([harness, "show", "cv.h5"], folder)
    if shown.returncode != 2 or "a table of harness trace cv" not in shown.stderr:
        failures.append(f"show cv.h5: {shown.returncode} {shown.stderr}")
    return failures


PLACED = """runtime = ["simulated", "emulated"]
[workload]
pipelines = "two-streams"
traces = "log"
rates_rps = 0
duration_s = 2
[trace.log]
file = "log.csv"
[[trace.log.streams]]
process = "recorded"
module = "resnest269"
[[trace.log.streams]]
process = "recorded"
module = "resnet18"
[cluster]
workers = 2
[planner]
placement = "resnet18 resnest269, resnet18"
[serving]
dispatch = "least_outstanding"
[live]
schedule_lag_limit_ms = 10000
stall_limit_ms = 10000
[[system]]
name = "clockwork"
"""


def recorded_requests_go_where_models_are_placed(harness, folder):
    """A request each 10 ms, in turn for two models that share a worker: served in both runtimes, at the times of the file."""
    sent_ns = [10_000_000 * i for i in range(200)]
    names = ["resnet18", "resnest269"]
    write(folder, "log.csv", "time_s,module\n" + "".join(f"{at / 1e9:.9f},{names[i % 2]}\n" for i, at in enumerate(sent_ns)))
    write(folder, "placed.toml", PLACED)
    done = run([harness, "placed.toml", "--quiet", "-o", "out"], folder)
    if done.returncode:
        return [f"placed.toml: {done.stderr}"]
    failures = []
    with h5py.File(os.path.join(folder, "out/placed.h5")) as file:
        for row in file["summary"][:]:
            cell, name = file[f"cells/{row['cell']}"], row["runtime"].decode()
            requests = np.sort(cell["requests"][:], order="request")
            if list(requests["sent_ns"]) != sent_ns or [names[1 - stream] for stream in requests["stream"]] != [names[i % 2] for i in range(200)]:
                failures.append(f"{name}: requests at {requests['sent_ns'][:3]} ... of streams {requests['stream'][:3]} ...")
            if [(group, module) for group, module in zip(cell["groups"]["group"], cell["groups"]["module"])] != [(0, 0), (0, 1), (1, 0)]:
                failures.append(f"{name}: groups {cell['groups'][:]}")
            if name == "simulated" and (requests["outcome"] == IN_TIME).sum() < 180:  # a busy machine may be late
                failures.append(f"{name}: {(requests['outcome'] == IN_TIME).sum()} of 200 in time")
    return failures


def main():
    harness = os.path.abspath(sys.argv[1])
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for part in (results_tell_of_streams, keys_of_classes_are_axes, the_table_of_cv_is_hdf5_too,
                     recorded_requests_go_where_models_are_placed):
            failures += part(harness, folder)
    finish(failures)


if __name__ == "__main__":
    main()
