"""Cells with runtime = "gpu": on the null device over ranks; refusals; and, where LibTorch is built in, the example with
real networks.

    gpu_test.py HARNESS MPIRUN
"""
import json
import os
import re
import shutil
import sys
import tempfile
import tomllib

import h5py

from program_testing import Failures, finish, run, write

NULL = """runtime = "gpu"
[workload]
pipelines = ["tm"]
traces = ["poisson"]
rates_rps = [50]
duration_s = 2
[cluster]
workers = 6
[gpu]
device = "null"
[live]
gpus_per_rank = 3
schedule_lag_limit_ms = 5000
stall_limit_ms = 5000
[[system]]
name = "nexus"
[[system]]
name = "pard"
"""


def summary(folder, results):
    with h5py.File(os.path.join(folder, results)) as file:
        return [dict(zip(row.dtype.names, (v.decode() if isinstance(v, bytes) else v for v in row))) for row in file["summary"][:]]


def closed(rows, what):
    failures = []
    for row in rows:
        if row["status"] != "ok" or row["runtime"] != "gpu":
            failures.append(f"{what}: {row['status']} {row['runtime']} {row['why']}")
        if row["in_time"] + row["late"] + row["dropped"] + row["unfinished"] != row["sent"] or row["sent"] == 0:
            failures.append(f"{what}: the accounting does not close")
    return failures


def on_null_devices(harness, mpirun, folder):
    """Three ranks; every request ends in time, since batches take none."""
    done = run([mpirun, "-n", "3", harness, "null.toml", "--quiet", "--set", "workload.slo_ms=10000"], folder)
    rows = summary(folder, "results-out/null.h5")
    failures = closed(rows, "null devices")
    if done.returncode != 0 or len(rows) != 2 or any(row["in_time"] < 0.9 * row["sent"] for row in rows):
        failures.append(f"null devices: exit code {done.returncode}: {done.stderr}")
    with h5py.File(os.path.join(folder, "results-out/null.h5")) as file:
        ranks = file["cells/0/ranks"][:]
        # A frame of 640 x 480 goes to the first module, 3 bytes a pixel.
        if ranks["bytes_sent"][0] < rows[0]["sent"] * 640 * 480 * 3:
            failures.append("null devices: the images did not travel")
        devices = [re.sub(r" \(worker \d\)", "", row["devices"].decode()) for row in ranks]
        if devices != ["", "null, null, null", "null, null, null"] or rows[0]["devices"] != "6 x null":
            failures.append(f"null devices: the results say {devices}, {rows[0]['devices']!r}")
    return failures


def refused(harness, mpirun, folder):
    """What no device can do is one line before anything runs."""
    failures = Failures()
    slow = NULL + '[[fault]]\nkind = "slow"\nat_s = 1\nfor_s = 1\ngpu = 0\nfactor = 2\n'
    write(folder, "plain.toml", 'slo_ms = 400\n[[module]]\nname = "one"\nmodel = "resnet18"\ninput_bytes = 300\n')
    plain = NULL.replace('["tm"]', '["./plain.toml"]')
    nccl = NULL.replace('device = "null"', 'exchange = "nccl"\ndevice = "null"')
    immediate = NULL.replace("nexus", "shepherd").replace("workers = 6", 'workers = 6\npreemption = "immediate"')
    for name, content, words in (
            ("slow", slow, 'slow.toml:23: fault: found kind = "slow" with runtime = "gpu"; allowed: stop, delay or loss'),
            ("text", plain, "plain.toml:3: module one: found no input_size; allowed: input_size = [HEIGHT, WIDTH], which"),
            ("immediate", immediate, 'immediate.toml:9: cluster.preemption: found immediate with runtime = "gpu"; allowed: exit_points'),
            ("nccl", nccl, "nccl.toml:10: gpu.exchange: found nccl with gpu.device = null; allowed: messages")):
        write(folder, f"{name}.toml", content)
        failures.refused(name, [harness, f"{name}.toml", "-o", name], folder, [words])
    write(folder, "shared.toml", NULL + '[serving]\nqueue = "module"\n')
    failures.expect("queues over ranks", run([mpirun, "-n", "3", harness, "shared.toml"], folder), 2,
                    ['shared.toml:20: serving.queue: found module with runtime = "gpu" on 3 ranks'])
    write(folder, "grouped.toml", NULL.replace("nexus", "shepherd"))
    failures.expect("groups over ranks", run([mpirun, "-n", "3", harness, "grouped.toml"], folder), 2,
                    ["grouped.toml: runtime: found gpu on 3 ranks for a system with one queue"])
    return failures


def loaded_once(harness, mpirun, folder):
    """Each cell says what it loaded: the first one of a rank all models, the others, of later rounds too, none."""
    write(folder, "again.toml", NULL + '[repeat_until]\nmetric = "goodput_rps"\nhalf_width = 1e-9\nmax_seeds = 3\n')
    settings = ["--set", "workload.slo_ms=10000", "--set", "workload.duration_s=1", "--set", "planner.max_batch=1"]
    done = run([mpirun, "-n", "2", harness, "again.toml", "--set", "live.gpus_per_rank=6", *settings], folder)
    loaded = re.findall(r", loaded (.+) in \d+ ms", done.stderr)
    if done.returncode != 0 or loaded != ["rcnn, resnet50, inception_v3"] + 5 * ["nothing"]:
        return [f"loaded once: exit code {done.returncode}: {loaded}: {done.stderr}"]
    return []


def at_another_speed(harness, mpirun, folder):
    """Null devices are faster than any profile, by nearly all of its latency."""
    done = run([harness, "null.toml", "-o", "near", "--set", "gpu.profile_error_limit=1", "--quiet"], folder)
    if done.returncode != 0:
        return [f"within the limit: exit code {done.returncode}: {done.stderr}"]
    limit = ["--set", "gpu.profile_error_limit=0.5", "--set", "gpu.profile_check_wait_s=0.3", "--quiet"]
    done = run([harness, "null.toml", "-o", "slow", *limit], folder)
    rows = summary(folder, "slow/null.h5")
    words = "times the profiles' latency before the load, beyond gpu.profile_error_limit = 0.5"
    failures = closed(summary(folder, "near/null.h5"), "within the limit")
    failures += [f"another speed: {row['status']} {row['why']}" for row in rows if row["status"] != "invalid" or words not in row["why"]]
    if done.returncode != 1 or any(row["in_time"] + row["late"] + row["dropped"] != row["sent"] for row in rows):
        failures.append(f"another speed: exit code {done.returncode}: {done.stderr}")
    done = run([mpirun, "-n", "3", harness, "null.toml", "-o", "none", *limit], folder)
    if done.returncode != 2 or "gpu.profile_error_limit: found a limit on 3 ranks; allowed: 0, or one rank" not in done.stderr:
        failures.append(f"limit on several ranks: exit code {done.returncode}: {done.stderr}")
    return failures


def without_cuda(harness, mpirun, folder):
    """What this build or this host has not is known before the first cell: one line where no live cell can run, else its cells
    are skipped, and --dry-run and doctor say so."""
    failures = []
    swept = NULL.replace('[gpu]\ndevice = "null"\n', "") + '[[sweep]]\nkey = "gpu.device"\nvalues = ["null", "cuda"]\n'
    write(folder, "swept.toml", swept.replace("duration_s = 2", "duration_s = 0.5"))
    write(folder, "cuda.toml", NULL.replace('"null"', '"cuda"').replace('"gpu"', '["simulated", "gpu"]', 1))
    write(folder, "both.toml", 'suite = ["swept.toml", "cuda.toml"]\n')
    for command, name in (([harness], "cuda.toml"), ([mpirun, "-n", "3", harness], "cuda.toml"), ([harness], "both.toml")):
        done = run([*command, name, "-o", "none"], folder)
        said = [line for line in done.stderr.splitlines() if line.startswith(("harness: ", "experiment "))]
        if (done.returncode != 2 or len(said) != 1 or "cuda.toml:10: gpu.device: found cuda; " not in said[0]
                or os.path.exists(os.path.join(folder, "none"))):
            failures.append(f"{name} without CUDA: exit code {done.returncode}: {done.stderr}")
    done = run([mpirun, "-n", "3", harness, "swept.toml", "--quiet", "-o", "swept"], folder)
    cells = {row["parameters"]: row for row in summary(folder, "swept/swept.h5") if row["system"] == "pard"}
    if (done.returncode != 1 or cells["gpu.device=null"]["status"] != "ok" or cells["gpu.device=cuda"]["status"] != "skipped"
            or not cells["gpu.device=cuda"]["why"].startswith("rank 1 on ") or "warning: 2 cells on gpu.device = cuda" not in done.stderr):
        failures.append(f"a sweep with CUDA: exit code {done.returncode}: {cells} {done.stderr}")
    planned = run([harness, "cuda.toml", "--dry-run"], folder)
    if planned.returncode != 0 or "\nwarning: 2 cells on gpu.device = cuda cannot run: " not in planned.stdout:
        failures.append(f"--dry-run without CUDA: exit code {planned.returncode}: {planned.stdout}")
    examined = run([harness, "doctor", "cuda.toml"], folder)
    if examined.returncode != 1 or "\nfail  devices: cuda.toml: gpu.device = cuda: " not in examined.stdout:
        failures.append(f"doctor without CUDA: exit code {examined.returncode}: {examined.stdout}")
    return failures


def doubtful(harness, folder):
    """More workers than cores, and profiles of another device, are told of by --dry-run and doctor."""
    failures = []
    settings = ["--set", "gpu.device=cpu", "--set", "cluster.workers=90000", "--set", "live.gpus_per_rank=0"]
    for command, begin in (([harness, "null.toml", "--dry-run"], "warning: "), ([harness, "doctor", "null.toml"], "warn  devices: null.toml: ")):
        done = run([*command, *settings], folder)
        for words in ("90000 workers of 1 thread each on ", "the profiles are of V100, gpu.device is cpu"):
            if f"\n{begin}{words}" not in done.stdout:
                failures.append(f"{command[1]}: no {words!r}: {done.stdout} {done.stderr}")
    return failures


EXAMPLE = "experiments/quickstart-torch.toml"


def without_profiles(harness, folder):
    """The example tells how to measure what it needs, whether there is no file of profiles or one that lacks a model."""
    shutil.copytree(os.path.join(os.path.dirname(__file__), "../../experiments"), os.path.join(folder, "experiments"))
    failures = []
    measure = "harness profile --device cpu --pipeline small --max-batch 4 -o "
    for settings, found, command in (
            ([], f"{EXAMPLE}:18: cluster.profiles = results-out/small-cpu.toml: found no such file",
             f"measure it: mkdir -p results-out && {measure}results-out/small-cpu.toml"),
            (["--set", "cluster.profiles=shepherd-v100"], "found no profile of lenet in shepherd-v100",
             f"measure one: {measure}measured.toml, then --set cluster.profiles=$PWD/measured.toml")):
        done = run([harness, EXAMPLE, *settings], folder)
        if done.returncode != 2 or found not in done.stderr or not done.stderr.endswith(f"; {command}\n"):
            failures.append(f"without profiles: exit code {done.returncode}: {done.stderr}")
    return failures


def in_half_precision(harness, folder):
    """The command that measures names the precision; profiles in another one are told of; those in the same run without a word."""
    failures = []
    settings = ["--set", "gpu.precision=bf16", "--set", "gpu.device=cpu", "--set", "workload.duration_s=1"]
    done = run([harness, EXAMPLE, *settings], folder)
    command = "harness profile --device cpu --pipeline small --max-batch 4 --precision bf16 -o half.toml"
    if done.returncode != 2 or command.replace("half", "results-out/small-cpu") not in done.stderr:
        failures.append(f"without profiles in bf16: exit code {done.returncode}: {done.stderr}")
    if not has_bf16():
        print("skipped: a run in bf16, for which this processor has no instructions: a batch takes seconds")
        return failures + refused_precision(harness, folder)
    measured = run([*command.replace("harness", harness, 1).split(), "--limit-s", "1"], folder)
    again = run([harness, "profile", "--pipeline", "small", "--max-batch", "4", "--limit-s", "1", "-o", "single.toml"], folder)
    if measured.returncode != 0 or again.returncode != 0:
        return failures + [f"profile --precision: {measured.stderr} {again.stderr}"]
    told = "warning: the profiles are of models in fp32, gpu.precision is bf16: systems plan by latencies"
    for profiles, is_told in (("single", True), ("half", False)):
        # An SLO that profiles measured on a busy machine meet too.
        planned = run([harness, EXAMPLE, "--dry-run", "--set", f"cluster.profiles={folder}/{profiles}.toml", "--set", "workload.slo_ms=20000",
                       *settings], folder)
        if planned.returncode != 0 or (told in planned.stdout) != is_told:
            failures.append(f"{profiles}: exit code {planned.returncode}: {planned.stdout} {planned.stderr}")
    done = run([harness, EXAMPLE, "-o", "half", "--quiet", "--set", f"cluster.profiles={folder}/half.toml", "--set", "workload.slo_ms=20000", "--set",
                "cluster.profile_scale=3", "--set", "live.schedule_lag_limit_ms=5000", "--set", "live.stall_limit_ms=5000", *settings], folder)
    rows = [row for row in summary(folder, "half/quickstart-torch.h5") if row["runtime"] == "gpu"]
    failures += closed(rows, "in bf16")
    if done.returncode != 0 or not rows or any(row["in_time"] == 0 for row in rows):
        failures.append(f"in bf16: exit code {done.returncode}: {done.stderr}")
    return failures + refused_precision(harness, folder)


def refused_precision(harness, folder):
    refused = run([harness, EXAMPLE, "--set", "gpu.precision=fp8"], folder)
    if refused.returncode != 2 or "gpu.precision: found" not in refused.stderr or "fp32, fp16, bf16" not in refused.stderr:
        return [f"fp8: exit code {refused.returncode}: {refused.stderr}"]
    return []


def has_bf16():
    with open("/proc/cpuinfo", encoding="utf8") as file:
        return bool({"avx512_bf16", "amx_bf16"} & set(file.read().split()))


def on_processors(harness, folder):
    """Profiles measured here, where the example expects them, then the example."""
    os.makedirs(os.path.join(folder, "results-out"), exist_ok=True)
    measured = run([harness, "profile", "--pipeline", "small", "--max-batch", "4", "--limit-s", "3", "-o",
                    "results-out/small-cpu.toml"], folder)
    if measured.returncode != 0:
        return [f"profile: exit code {measured.returncode}: {measured.stderr}"]
    # An SLO that profiles measured on a busy machine meet too.
    done = run([harness, EXAMPLE, "--quiet", "--set", "workload.duration_s=2", "--set", "workload.slo_ms=20000", "--set",
                "cluster.profile_scale=3", "--set", "live.schedule_lag_limit_ms=5000", "--set", "live.stall_limit_ms=5000"], folder)
    rows = summary(folder, "results-out/quickstart-torch.h5")
    failures = closed([row for row in rows if row["runtime"] == "gpu"], "real networks")
    if done.returncode != 0 or len(rows) != 8 or any(row["in_time"] == 0 for row in rows):
        failures.append(f"real networks: exit code {done.returncode}: {done.stderr}")
    with h5py.File(os.path.join(folder, "results-out/quickstart-torch.h5")) as file:
        versions = file.attrs["versions"]
    for row in rows:
        devices = row["devices"].removeprefix("2 x cpu, ") if row["runtime"] == "gpu" else row["devices"]
        if devices != (re.search("LibTorch [0-9.]+[0-9]", versions).group() if row["runtime"] == "gpu" else ""):
            failures.append(f"real networks: the results say {row['devices']!r}, {versions!r}")
    return failures + with_measured_times(harness, folder)


def with_measured_times(harness, folder):
    """The slowdown of batches of 1, a third of a profile that was scaled by 3, as the results have it; simulated with it the
    requests take as long as they did. Refused once the profile is another."""
    compare = [harness, "compare", "--fidelity", "results-out/quickstart-torch.h5", "--measured-times", "--folder", os.path.dirname(EXAMPLE), "--json",
               "--within", "25%"]
    done = run(compare, folder)
    if done.returncode not in (0, 1):
        return [f"with measured times: exit code {done.returncode}: {done.stderr}"]
    with open(os.path.join(folder, "results-out/small-cpu.toml"), "rb") as file:
        profile_ns = next(one["latency_ms"][0] for one in tomllib.load(file)["profile"] if one["model"] == "resnet18") * 3e6
    took_ns = []
    with h5py.File(os.path.join(folder, "results-out/quickstart-torch.h5")) as file:
        for row in file["summary"][:]:
            visits = file[f"cells/{row['cell']}/visits"][:]
            alone = visits[(visits["outcome"] == 0) & (visits["module"] == 0) & (visits["batch"] == 1)]
            took_ns += list(alone["exec_ns"]) if row["runtime"] == b"gpu" else []
    compared = json.loads(done.stdout)
    slowdown = [row for row in compared["slowdown"] if row["batch"] == 1][0]
    failures = []
    if slowdown["batches"] != len(took_ns) or abs(slowdown["slowdown"] / (sum(took_ns) / len(took_ns) / profile_ns) - 1) > 1e-6:
        failures.append(f"with measured times: {slowdown}, {len(took_ns)} batches of {sum(took_ns)} ns, by the profile {profile_ns}")
    medians = [row for row in compared["rows"] if row["metric"] == "latency_ms_p50"]
    if len(medians) != 4 or any(row["runs"] != 1 or row["verdict"] != "within" for row in medians):
        failures.append(f"with measured times: {compared['rows']}")
    with open(os.path.join(folder, "results-out/small-cpu.toml"), "a", encoding="utf-8") as file:
        file.write("# another\n")
    done = run(compare, folder)
    if done.returncode != 2 or "profiles than those here now" not in done.stderr:
        failures.append(f"another profile: exit code {done.returncode}: {done.stderr}")
    return failures


def measured(harness, folder):
    """Before and after the load; not after a cell that was given up, whose batches may still run."""
    failures = []
    for settings, code, why in (["workload.duration_s=1"], 0, ""), (["cell_limit_s=1"], 1, "took longer than cell_limit_s = 1"):
        settings += ["runtime=gpu", "workload.slo_ms=10000", "planner.max_batch=1", "gpu.profile_error_limit=9",
                     "live.schedule_lag_limit_ms=5000", "live.stall_limit_ms=5000"]
        done = run([harness, EXAMPLE, "-o", f"measured-{code}", "--quiet", *(word for each in settings for word in ("--set", each))], folder)
        whys = [row["why"] for row in summary(folder, f"measured-{code}/quickstart-torch.h5")]
        if done.returncode != code or len(whys) != 4 or any(not each.startswith(why) or bool(each) != bool(why) for each in whys):
            failures.append(f"measured: exit code {done.returncode}: {done.stderr} {whys}")
    return failures


def main():
    harness = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "null.toml", NULL)
        failures = without_profiles(harness, folder)
        failures += on_null_devices(harness, sys.argv[2], folder) + refused(harness, sys.argv[2], folder)
        failures += loaded_once(harness, sys.argv[2], folder) + at_another_speed(harness, sys.argv[2], folder)
        failures += doubtful(harness, folder)
        devices = run([harness, "list", "devices"], folder).stdout
        if not any(line.split()[:2] == ["cuda:0", "usable"] for line in devices.splitlines()):
            failures += without_cuda(harness, sys.argv[2], folder)
        if any(line.split()[:2] == ["cpu", "usable"] for line in devices.splitlines()):
            failures += in_half_precision(harness, folder) + on_processors(harness, folder) + measured(harness, folder)
    finish(failures)


main()
