"""The experiments for GPU nodes: without the profiles that they name, the command that measures them; with them, the cells that their
heads speak of; and one of them run on devices that compute nothing.

    gpu_experiments_test.py HARNESS
"""
import glob
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

from program_testing import environment, finish, run, write

SOURCES = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
PROFILES = "results-out/gpu-node/profiles.toml"
HEAD = re.compile(r"(\d+) measured cells of (\d+) s")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def names_in(folder):
    return sorted(os.path.relpath(path, folder) for path in glob.glob(os.path.join(folder, "experiments/gpu/*.toml")))


def made_up(models):
    """A set with as fast a device as a GPU of today."""
    tables = [f'[[profile]]\nmodel = "{model}"\nalpha_ms = 0.3\nbeta_ms = 2\nmax_batch = 64\n' for model in sorted(models)]
    return 'device = "made up"\n' + "".join(tables)


def models_of(experiment):
    models = set()
    for pipeline in experiment["workload"]["pipelines"]:
        with open(os.path.join(SOURCES, "workloads/pipelines", pipeline + ".toml"), "rb") as file:
            models |= {module["model"] for module in tomllib.load(file)["module"]}
    return models


def cells_of(experiment):
    """(simulated, measured) cells, by the axes of the file."""
    workload = experiment["workload"]
    count = len(experiment["system"]) * math.prod(len(workload[axis]) for axis in ("pipelines", "traces", "loads", "seeds"))
    simulated = measured = count
    for sweep in experiment["sweep"]:
        measured *= len(sweep["values"])
        simulated *= 1 if sweep["key"].startswith(("live.", "gpu.")) else len(sweep["values"])
    return (simulated if "simulated" in experiment["runtime"] else 0), measured


def measuring(harness, folder, name, experiment):
    """What is wrong with the line for profiles that are not there; the command in it is run on a device that computes nothing."""
    done = run([harness, name, "--dry-run"], folder)
    lines = done.stderr.splitlines()
    found = re.search(r"measure it: (mkdir -p \S+ && )?harness (profile .*)$", lines[0]) if len(lines) == 1 else None
    if done.returncode != 2 or not found or f"cluster.profiles = {PROFILES}" not in lines[0]:
        return [f"{name} without profiles: exit code {done.returncode}: {done.stderr}"]
    command = (found.group(1) or "") + f"{harness} {found.group(2)} --limit-s 0.05"
    if " --device cuda:0 " not in command:
        return [f"{name} without profiles: {command}"]
    made = subprocess.run(command.replace("--device cuda:0", "--device null"), shell=True, cwd=folder, env=environment(),
                          capture_output=True, text=True, check=False, timeout=120)
    path = os.path.join(folder, PROFILES)
    if made.returncode != 0 or not os.path.exists(path):
        return [f"{command}: exit code {made.returncode}: {made.stderr}"]
    measured = {profile["model"]: profile for profile in tomllib.loads(read(path))["profile"]}
    os.remove(path)
    most = [profile["batch"][-1] for profile in measured.values()]
    if set(measured) != models_of(experiment) or set(most) != {64}:
        return [f"{command}: measured {sorted(measured)} up to {most}"]
    return []


def planned(harness, folder, name, experiment):
    done = run([harness, name, "--dry-run"], folder)
    if done.returncode == 2 and "nccl, which this build has not" in done.stderr and '"nccl"' in read(os.path.join(folder, name)):
        return []
    simulated, measured = cells_of(experiment)
    failures = []
    if done.returncode != 0 or f"{simulated + measured} cells, " not in done.stdout or "skipped: " in done.stdout:
        failures.append(f"{name}: {simulated} + {measured} cells; exit code {done.returncode}: {done.stdout} {done.stderr}")
    for cells, seconds in HEAD.findall(read(os.path.join(folder, name))):
        if (int(cells), int(seconds)) != (measured, experiment["workload"]["duration_s"]):
            failures.append(f"{name}: its head says {cells} cells of {seconds} s, it has {measured}")
    if experiment["gpu"]["device"] != "cuda":
        failures.append(f"{name}: runs on {experiment['gpu']['device']}")
    return failures


def on_null_devices(harness, folder):
    """Fifteen measured cells, with all that a GPU's would go through but the networks."""
    settings = ["gpu.device=null", 'workload.pipelines=["detector"]', "workload.duration_s=0.3", "workload.loads=[0.05]",
                "live.schedule_lag_limit_ms=20000", "live.stall_limit_ms=20000"]
    done = run([harness, "experiments/gpu/one-gpu.toml", "--quiet", *[word for each in settings for word in ("--set", each)]], folder)
    compared = run([harness, "compare", "--fidelity", "results-out/one-gpu.h5", "--tolerance", "slo_attainment=2%"], folder)
    if done.returncode != 0 or compared.returncode not in (0, 1) or "slo_attainment" not in compared.stdout:
        return [f"on null devices: {done.returncode} {done.stderr}; {compared.returncode} {compared.stdout} {compared.stderr}"]
    # They take no time, which gives no slowdown: the profile's times hold, and they are far off.
    measured = run([harness, "compare", "--fidelity", "results-out/one-gpu.h5", "--measured-times", "--folder", "experiments/gpu", "--within", "5%"],
                  folder)
    if measured.returncode != 1 or "no batch of a valid cell took any time" not in measured.stdout or "latency_ms_p50" not in measured.stdout:
        return [f"with the times of null devices: {measured.returncode} {measured.stdout} {measured.stderr}"]
    return []


def main():
    harness = os.path.abspath(sys.argv[1])
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(SOURCES, "experiments/gpu"), os.path.join(folder, "experiments/gpu"))
        experiments = {name: tomllib.loads(read(os.path.join(folder, name))) for name in names_in(folder)}
        if not {f"experiments/gpu/{name}.toml" for name in ("one-gpu", "node", "nccl-one", "nccl-pair")} <= set(experiments):
            failures.append(f"experiments/gpu holds {sorted(experiments)}")
        for name, experiment in experiments.items():
            failures += measuring(harness, folder, name, experiment)
        write(folder, PROFILES, made_up({model for each in experiments.values() for model in models_of(each)}))
        for name, experiment in experiments.items():
            failures += planned(harness, folder, name, experiment)
        failures += on_null_devices(harness, folder)
    finish(failures)


if __name__ == "__main__":
    main()
