"""Devices and models that fail: their cells are skipped, each with one line that names device, model and batch, and the
others run. Needs LibTorch.

    gpu_failures_test.py HARNESS MPIRUN WRITE_TEST_MODELS
"""
import json
import os
import re
import signal
import sys
import tempfile

import h5py

from program_testing import finish, finished_cells, run, stopped_run, write

PIPELINE = """slo_ms = 1000
[[module]]
name = "only"
model = "{model}"
input_size = [16, 16]
{file}
"""
EXPERIMENT = """runtime = "gpu"
[workload]
pipelines = [{pipelines}]
traces = ["poisson"]
rates_rps = [40]
duration_s = 0.25
[cluster]
workers = 2
profiles = "models.toml"
[live]
schedule_lag_limit_ms = 5000
stall_limit_ms = 5000
[[system]]
name = "nexus"
[[system]]
name = "pard"
"""
# Batches of 2 and 3 come by themselves at this rate; much is on its way between the ranks when one fails.
CROWDED = """runtime = "gpu"
[workload]
pipelines = ["./uneven_alone.toml"]
traces = ["poisson"]
rates_rps = [3000]
duration_s = 5
[cluster]
workers = 2
profiles = "models.toml"
[live]
schedule_lag_limit_ms = 5000
stall_limit_ms = 5000
[[system]]
name = "nexus"
[[sweep]]
key = "live.repeat"
values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
"""
FILE, BATCH = r"of \S*{}\.pt", ", batch 4"
# Pipeline and model: its TorchScript file, if any, and the whole reason of its cells, as a pattern; None: they run. One that
# runs stands at either end and in the middle.
MODELS = {
    "lenet": ("", None),
    "absent": ("", "device cpu \\(worker [01]\\): model absent: missing model: the zoo has no model absent.*"),
    "missing": ('file = "missing.pt"', f"device cpu \\(worker [01]\\): model missing {FILE.format('missing')}: missing model: "
                                       "the file cannot be read: found no such file; allowed: a model's file"),
    "text": ('file = "text.pt"', f"device cpu \\(worker [01]\\): model text {FILE.format('text')}: not a model: "
                                 "torch.jit.save\\(\\) did not write the file, .*"),
    "good": ('file = "good.pt"', None),
    "giant": ('file = "giant.pt"', f"device cpu \\(worker [01]\\): model giant {FILE.format('giant')}{BATCH}: out of memory: .*4503599627370496 bytes.*"),
    "shrinking": ('file = "shrinking.pt"', f"device cpu \\(worker [01]\\): model shrinking {FILE.format('shrinking')}{BATCH}: wrong shape: "
                                           "the output is a scalar, not \\[[1-4], ...\\]"),
    "failing": ('file = "failing.pt"', f"device cpu \\(worker [01]\\): model failing {FILE.format('failing')}{BATCH}: compute failed: .*"),
    "fixed": ('file = "fixed.pt"', f"device cpu \\(worker [01]\\): model fixed {FILE.format('fixed')}, batch 1: compute failed: "
                                   r"on an input of \[1, 3, 16, 16\]: .*192.*[^ ]"),
    "again": ('file = "good.pt"', None),
}


def write_inputs(folder):
    profiles = 'device = "cpu"\n'
    for model in (*MODELS, "uneven", "endless", "endless_at_once"):
        profiles += f'[[profile]]\nmodel = "{model}"\nalpha_ms = 2\nbeta_ms = 1\nmax_batch = 4\n'
    for model, (file, _) in MODELS.items():
        write(folder, f"{model}_alone.toml", PIPELINE.format(model=model, file=file))
    write(folder, "models.toml", profiles)
    write(folder, "text.pt", b"this is no TorchScript")
    write(folder, "uneven_alone.toml", PIPELINE.replace("[16, 16]", "[64, 64]").format(model="uneven", file='file = "uneven.pt"'))
    write(folder, "crowded.toml", CROWDED)
    write(folder, "failures.toml", EXPERIMENT.format(pipelines=", ".join(f'"./{model}_alone.toml"' for model in MODELS)))


def check(done, folder, ranks):
    failures = []
    if done.returncode != 1:
        failures.append(f"{ranks} ranks: exit code {done.returncode}: {done.stdout}{done.stderr}")
    with h5py.File(os.path.join(folder, "failures.h5")) as file:
        rows = [{name: value.decode() if isinstance(value, bytes) else value for name, value in zip(row.dtype.names, row)}
                for row in file["summary"][:]]
    if len(rows) != 2 * len(MODELS):
        failures.append(f"{ranks} ranks: {len(rows)} cells")
    for row in rows:
        model, ran = row["pipeline"].removesuffix("_alone"), row["status"] == "ok"
        pattern = MODELS[model][1]
        closed = row["in_time"] + row["late"] + row["dropped"] == row["sent"]
        if pattern is None and not (ran and row["sent"] > 0 and closed):
            failures.append(f"{ranks} ranks, {model}: {row['status']} {row['why']}, {row['in_time']} of {row['sent']}")
        if pattern is not None and (row["status"] != "skipped" or not re.fullmatch(rf"(rank \d+: )?{pattern}", row["why"])):
            failures.append(f"{ranks} ranks, {model}: {row['status']}: {row['why']!r}")
    return failures


def judged(harness, folder):
    """Cells that were given up are simulated all the same, and make their comparisons invalid; the others stand."""
    done = run([harness, "compare", "--fidelity", "one/failures.h5", "--measured-times", "--json"], folder)
    if done.returncode != 1:
        return [f"judged: exit code {done.returncode}: {done.stdout}{done.stderr}"]
    compared = json.loads(done.stdout)
    invalid = {row["pipeline"].removesuffix("_alone") for row in compared["rows"] if row["verdict"] == "invalid"}
    failed = {model for model, (_, pattern) in MODELS.items() if pattern is not None}
    if invalid != failed or len(compared["not_ok"]) != 2 * len(failed):
        return [f"judged: {sorted(invalid)} instead of {sorted(failed)}; {compared['not_ok']}"]
    return []


def again_and_again(harness, mpirun, folder):
    """A failure under load ends its cell and no other, on all ranks."""
    done = run([mpirun, "-n", "3", harness, "crowded.toml", "--quiet", "-o", "crowded"], folder)
    results = os.path.join(folder, "crowded/crowded.h5")
    if done.returncode != 1 or not os.path.exists(results):
        return [f"under load: exit code {done.returncode}: {done.stdout}{done.stderr}"]
    with h5py.File(results) as file:
        rows = file["summary"][:]
    pattern = rf"(rank \d: )?device cpu \(worker [01]\): model uneven {FILE.format('uneven')}, batch [23]: compute failed: .*"
    return [f"under load: {row['status']} {row['why']}" for row in rows
            if row["status"] != b"skipped" or not re.fullmatch(pattern, row["why"].decode())]


def endless(harness, mpirun, folder):
    """A model that never returns ends the program, at its cell's limit or when the user wants to stop; the cells before are kept."""
    failures = []
    for model in ("endless", "endless_at_once"):
        name = f"{model}_alone"
        write(folder, f"{name}.toml", PIPELINE.format(model=model, file=f'file = "{model}.pt"'))
        text = EXPERIMENT.format(pipelines=f'"./lenet_alone.toml", "./{name}.toml"')
        write(folder, f"{model}.toml", text)
        for ranks in (1, 2) if model == "endless" else ():  # loading has a minute more
            launch = [mpirun, "-n", str(ranks)] if ranks > 1 else []
            out = f"{model}_{ranks}"
            done = run([*launch, harness, f"{model}.toml", "--quiet", "-o", out, "--set", "cell_limit_s=1",
                        "--set", "live.hang_limit_s=1000"], folder)
            said = [line for line in done.stderr.splitlines() if line.startswith("harness: ") and "warning" not in line]
            where = f"harness: device cpu \\(worker [01]\\): model {model} {FILE.format(model)}(, batch \\d)?: compute failed: "
            if done.returncode != 3 or len(said) != 1 or not re.match(where + ".* has not ended for .*cell_limit_s = 1", said[0]):
                failures.append(f"{model} on {ranks} ranks: exit code {done.returncode}: {done.stderr}")
            if finished_cells(os.path.join(folder, out), model) != 2:
                failures.append(f"{model} on {ranks} ranks: finished cells are lost")
        command = [harness, f"{model}.toml", "--quiet", "-o", f"{model}_stopped"]
        code, stderr, kept = stopped_run(command, folder, f"{model}_stopped/{model}", 2, signal.SIGTERM)
        if code != 3 or stderr != "harness: interrupted; the same command finishes the rest\n" or kept != 2:
            failures.append(f"{model}, SIGTERM: exit code {code}, {kept} cells: {stderr}")
    return failures


def main():
    harness, mpirun, write_models = os.path.abspath(sys.argv[1]), sys.argv[2], os.path.abspath(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        write_inputs(folder)
        made = run([write_models, folder], folder)
        if made.returncode != 0:
            finish([made.stderr])
        failures = check(run([harness, "failures.toml", "--quiet", "-o", "one"], folder), os.path.join(folder, "one"), 1)
        failures += judged(harness, folder)
        done = run([mpirun, "-n", "3", harness, "failures.toml", "--quiet", "-o", "three"], folder)
        failures += check(done, os.path.join(folder, "three"), 3) + again_and_again(harness, mpirun, folder)
        failures += endless(harness, mpirun, folder)
    finish(failures)


main()
