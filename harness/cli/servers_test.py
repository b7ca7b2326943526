"""A cluster of servers by the command line: systems that know nothing of servers run there, what `--dry-run`, `show` and `compare` say
of it, and what is refused or skipped.

    servers_test.py HARNESS
"""
import csv
import io
import json
import math
import os
import sys
import tempfile

import h5py

from program_testing import Failures, finish, run, write

# Section 8.1 of QUART: 12 servers of four GPUs, 108 cores and 1,024 GB. Bursts, so that workers come and go.
CLUSTER = """[cluster]
profiles = "quart"
cold_start = "cached"
cold_start_ms = 200
gpus_per_server = 4
server_cores = 108
server_memory_gb = 1024
gpu_memory_gb = 48
"""
WORKERS = "workers = 48\n"
EXPERIMENT = """[workload]
pipelines = ["quart-bert", "quart-opt-whole"]
traces = ["bursts"]
rates_rps = [30]
duration_s = 90
[trace.bursts]
shape = "gamma"
cv = 4
[serving]
queue = "module"
commit = "late"
[planner]
workers = "rate"
autoscale = true
period_s = 1
scale_down_s = 5
[[system]]
name = "naive"
[[system]]
name = "inferline"
params = { too_small = "shrink" }
[[system]]
name = "ds2"
"""
PRICE = '[[cluster.device]]\nname = "a40"\ncount = 48\nusd_per_h = 2\n'
GPUS = {"quart-bert": 1, "quart-opt-whole": 3}
MB = {"quart-bert": 43000 / 8, "quart-opt-whole": 132000}


def rows_of(printed):
    return list(csv.DictReader(io.StringIO(printed)))


def workers_are_of_servers(file):
    """What the tables of workers say: GPUs of an instance, prices, start-up times from disk, and the columns made of them."""
    found = []
    for row in file["summary"][:]:
        system, pipeline = row["system"].decode(), row["pipeline"].decode()
        what = f"{system} on {pipeline}"
        workers = file[f"cells/{row['cell']}/workers"][:]
        if row["status"].decode() != "ok":
            found.append(f"{what}: {row['status']} {row['why']}")
        if set(workers["gpus"]) != {GPUS[pipeline]} or set(workers["usd_per_h"]) != {2.0 * GPUS[pipeline]}:
            found.append(f"{what}: GPUs {set(workers['gpus'])}, prices {set(workers['usd_per_h'])}")
        added = workers[(workers["added_ns"] > 0) & (workers["added_ns"] < row["duration_s"] * 1e9)]
        if row["workers_added"] != len(added):
            found.append(f"{what}: {row['workers_added']} workers added, the table has {len(added)}")
        # Nobody keeps parameters: a container and 43 GB in 45 s.
        if row["workers_added_from_memory"] != 0 or not math.isnan(row["start_up_ms_from_memory"]):
            found.append(f"{what}: {row['workers_added_from_memory']} from memory")
        from_disk = row["start_up_ms_from_disk"]
        if not math.isnan(from_disk) and not math.isclose(from_disk, 200 + MB[pipeline] * 1e-3 / 43 * 45e3, rel_tol=1e-6):
            found.append(f"{what}: {from_disk} ms from disk")
        if math.isnan(from_disk) and pipeline == "quart-bert" and system != "ds2":
            found.append(f"{what}: no worker came to serve in {row['duration_s']} s")
        if not math.isclose(row["cost_usd"], 2 * row["gpu_hours"], rel_tol=1e-9):
            found.append(f"{what}: {row['cost_usd']} $ for {row['gpu_hours']} GPU hours")
    return found


def whole_run(harness, folder):
    failures = Failures()
    write(folder, "servers.toml", EXPERIMENT + CLUSTER + PRICE)
    dry = run([harness, "servers.toml", "--dry-run"], folder)
    failures.expect("a dry run", dry, 0, ["12 servers of 4 GPUs, 108 cores, 1024 GB", "6 cells"])
    failures.expect("a run", run([harness, "servers.toml", "-o", ".", "--quiet"], folder), 0)
    if failures:
        return failures
    with h5py.File(os.path.join(folder, "servers.h5")) as file:
        failures += workers_are_of_servers(file)
    shown = run([harness, "show", "servers.h5", "--columns", "system,workers_added,start_up_ms_from_disk,gpu_hours"], folder)
    failures.expect("columns", shown, 0, ["start_up_ms_from_disk", "inferline"])
    plans = run([harness, "show", "servers.h5", "--plans", "--csv"], folder)
    failures.expect("plans", plans, 0, ["usd_per_h"])
    prices = {line["usd_per_h"] for line in rows_of(plans.stdout)}
    if prices != {"2", "6"}:
        failures.append(f"the prices of a worker in --plans: {prices}")
    data = json.loads(run([harness, "show", "servers.h5", "--json"], folder).stdout)
    if "start_up_ms_from_memory" not in json.dumps(data):
        failures.append("no start_up_ms_from_memory in --json")
    failures.expect("a comparison with itself", run([harness, "compare", "servers.h5", "servers.h5"], folder), 0, ["same"])
    return failures


# The five models side by side, with the SLO and requests of each.
SIDE_BY_SIDE = """[workload]
pipelines = ["quart-all"]
traces = ["five"]
rates_rps = [0]
duration_s = 30
[serving]
queue = "module"
commit = "late"
[planner]
workers = "rate"
autoscale = true
[[system]]
name = "naive"
[[system]]
name = "inferline"
"""
MODELS = {"whisper": (20, 148), "bert": (12, 274), "llama": (8, 486), "opt": (6, 556), "wideresnet": (3, 1292)}


def side_by_side(harness, folder):
    failures = Failures()
    streams = "".join(f'[[trace.five.streams]]\nmodule = "{name}1"\nrps = {rps}\nslo_ms = {slo}\n' for name, (rps, slo) in MODELS.items())
    write(folder, "five.toml", SIDE_BY_SIDE + CLUSTER + WORKERS + streams)
    failures.expect("five models", run([harness, "five.toml", "-o", ".", "--quiet"], folder), 0)
    whole = (SIDE_BY_SIDE + CLUSTER + WORKERS + streams).replace("quart-all", "quart-all-whole").replace('1"\nrps', '"\nrps')
    write(folder, "whole.toml", whole)
    failures.expect("five whole models", run([harness, "whole.toml", "--dry-run"], folder), 0, ["whisper 1 x", "opt 1 x", "2 cells"])
    if failures:
        return failures
    lines = rows_of(run([harness, "show", "five.h5", "--models", "--csv"], folder).stdout)
    with h5py.File(os.path.join(folder, "five.h5")) as file:
        for row in file["summary"][:]:
            requests = file[f"cells/{row['cell']}/requests"][:]
            shown = {line["model"]: line for line in lines if int(line["cell"]) == row["cell"]}
            if sorted(shown) != sorted(name + "1" for name in MODELS):
                failures.append(f"models {sorted(shown)}")
                continue
            for stream, (name, (rps, slo)) in enumerate(MODELS.items()):
                own = requests[requests["stream"] == stream]
                line = shown[name + "1"]
                in_time = int((own["latency_ns"] <= slo * 1_000_000).sum())
                if int(line["sent"]) != len(own) or int(line["in_time"]) != in_time or set(own["slo_ns"]) != {slo * 1_000_000}:
                    failures.append(f"{name}: {len(own)} rows, {in_time} in time, shown {line}")
                if abs(len(own) - 30 * rps) > 5 * math.sqrt(30 * rps) or in_time < 0.5 * len(own):
                    failures.append(f"{name}: {len(own)} requests of {30 * rps}, {in_time} in time")
    return failures


def experiment(cluster, system="naive", pipeline="quart-bert"):
    return (f'[workload]\npipelines = ["{pipeline}"]\ntraces = ["poisson"]\nrates_rps = [5]\nduration_s = 5\n'
            f'[[system]]\nname = "{system}"\n' + cluster)


# (what is wrong, the experiment's text, words that the line must have)
REFUSED = [
    ("GPUs that do not fill servers", experiment(CLUSTER + "workers = 46\n"),
     ["cluster.gpus_per_server", "4 with 46 GPUs", "divides them"]),
    ("a stage larger than a GPU", experiment(CLUSTER.replace("= 48", "= 4") + WORKERS),
     ["cluster.gpu_memory_gb", "4 GB on 1 GPU", "bert-21b-8", "5.375 GB"]),
    ("an instance with more GPUs than a server", experiment(CLUSTER.replace("server = 4", "server = 2") + WORKERS, pipeline="quart-opt-whole"),
     ["cluster.gpus_per_server", "2 GPUs with an instance of opt-66b", "takes 3 GPUs"]),
    ("an instance larger than a server's memory", experiment(CLUSTER.replace("= 1024", "= 100") + WORKERS, pipeline="quart-opt-whole"),
     ["cluster.server_memory_gb", "100 GB with an instance of opt-66b", "132 GB"]),
    ("an instance with more cores than a server", experiment(CLUSTER.replace("= 108", "= 1") + WORKERS),
     ["cluster.server_cores", "1 core with an instance of bert-21b-8", "2 cores"]),
    ("no cores", experiment(CLUSTER.replace("= 108", "= 0") + WORKERS), ["cluster.server_cores", "found 0"]),
    ("no memory", experiment(CLUSTER.replace("= 1024", "= 0") + WORKERS), ["cluster.server_memory_gb", "found 0"]),
    ("memory without servers", experiment(CLUSTER.replace("gpus_per_server = 4\n", "").replace("server_cores = 108\n", "") + WORKERS),
     ["cluster.server_memory_gb", "without gpus_per_server"]),
    ("two kinds of devices", experiment(CLUSTER + PRICE + PRICE.replace("a40", "b"), "inferline"), ["cluster.device"]),
    ("servers on devices", 'runtime = "gpu"\n' + experiment(CLUSTER + WORKERS), ["runtime = gpu"]),
]
# (what lacks, the experiment's text, words of the cell's reason)
SKIPPED = [
    ("too little memory for one instance of each stage", experiment(CLUSTER.replace("= 1024", "= 20") + "workers = 8\n"),
     ["stage7 takes 1 GPU, 2 cores, 5.375 GB", "at most 1 GPU", "3.875 GB"]),
    ("too few GPUs", experiment(CLUSTER + "workers = 4\n"), ["4 in the cluster", "8 or more"]),
    ("groups of workers", experiment(CLUSTER + WORKERS, "shepherd"), ["groups of workers", "gpus_per_server"]),
]


def main():
    harness = os.path.abspath(sys.argv[1])
    failures = Failures()
    with tempfile.TemporaryDirectory() as folder:
        for what, text, words in REFUSED:
            write(folder, "bad.toml", text)
            failures.refused(what, [harness, "bad.toml", "-o", "out"], folder, words)
        for what, text, words in SKIPPED:
            write(folder, "skipped.toml", text)
            failures.expect(what, run([harness, "skipped.toml", "--dry-run"], folder), 1, ["skipped", *words])
        failures += whole_run(harness, folder)
        failures += side_by_side(harness, folder)
    finish(failures)


if __name__ == "__main__":
    main()
