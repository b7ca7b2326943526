"""A key that does nothing is refused before anything is written, whichever command reads it; what is accepted is named.

    unused_keys_test.py HARNESS
"""
import os
import sys
import tempfile

from program_testing import SMALL, Failures, finish, run, tree, write

LOG = '{"timestamp": 0, "input_length": 6, "output_length": 5}\n{"timestamp": 2, "input_length": 6, "output_length": 5}\n'
RECORDED = SMALL.replace('"poisson"', '"t"').replace("duration_s = 5", "rates_rps = 0\nduration_s = 5")
PROFILES = """device = "cpu"
[[profile]]
model = "m"
batch = [1, 2]
latency_ms = [3, 4]
[profile.measured]
repeats = 7
p99_ms = [5, 6]
"""


def check_experiments(harness, folder, failures):
    """In the table, swept, in a [[setting]] and by --set; `check`, a dry run and a run."""
    setting = '[[setting]]\nname = "s"\nset = { "trace.poisson.cv" = 3 }\n'
    sweep = '[[sweep]]\nkey = "trace.poisson.cv"\nvalues = [1, 2, 4]\n'
    words = 'trace.poisson.cv: found cv with shape = "poisson"; allowed: shape = "gamma"'
    for what, text in (("table", "[trace.poisson]\ncv = 3\n"), ("sweep", sweep), ("setting", setting)):
        write(folder, "e.toml", SMALL + text)
        for command in (["check", "e.toml"], ["e.toml", "--dry-run"], ["e.toml", "-o", "out"]):
            place = "e.toml:" if what != "setting" else ""
            failures.refused(f"{what}: {command}", [harness, *command], folder, [place, words if what != "setting" else "cv with"])
    write(folder, "e.toml", SMALL)
    for key, words in (("process=gamma", '"gamma" or "mmpp"'), ("bin_s=5", 'shape = "file"'), ("from_s=5", "autoscale-*"),
                       ("scale_to=peak", "its rate never changes"), ("step_ratio=3", 'shape = "step"')):
        failures.refused(key, [harness, "e.toml", "--set", "trace.poisson." + key], folder, ["--set", words])


def check_files(harness, folder, failures):
    """Formats that are known once the file is read."""
    write(folder, "log.jsonl", LOG)
    write(folder, "times.txt", "0\n2\n")
    for command in (["info"], ["make", "-o", "x"], ["import", "-o", "x"]):
        failures.refused(f"trace {command[0]}", [harness, "trace", command[0], "log.jsonl", "--format", "mooncake", "--set", "time_unit=s",
                                                      *command[1:]], folder, ['time_unit with format = "mooncake"', "jq -r .timestamp FILE"])
    write(folder, "e.toml", RECORDED + '[trace.t]\nformat = "mooncake"\nfile = "log.jsonl"\ntime_unit = "s"\n')
    for command in (["check", "e.toml"], ["e.toml", "--dry-run"], ["e.toml", "-o", "out"]):
        failures.refused(f"a log: {command}", [harness, *command], folder, ["e.toml:11: trace.t.time_unit"])
    failures.expect("what works", run([harness, "trace", "info", "times.txt", "--format", "times", "--set", "time_unit=s"], folder), 0,
                    ["2 requests over 2 s"])
    for key in ("process=gamma", "repeat=true", "sample_share=0.1"):
        failures.refused(f"import, {key}", [harness, "trace", "import", "times.txt", "--format", "times", "-o", "x", "--set", key],
                         folder, [key.split("=")[0]])
    failures.refused("a shape with a column", [harness, "trace", "info", "tweet", "--column", "2"], folder, ["--column"])


def check_named(harness, folder, failures):
    write(folder, "e.toml", SMALL + '[[sweep]]\nkey = "planner.plan_time_ms"\nvalues = [0, 3]\n[cluster]\njitter_fraction = 0.3\n')
    words = ["cluster.jitter_fraction = 0.3 has no effect without cluster.jitter = uniform"]
    failures.expect("check", run([harness, "check", "e.toml"], folder), 0, words)
    before = tree(folder)
    failures.expect("a dry run", run([harness, "e.toml", "--dry-run"], folder), 0, words)
    if tree(folder) != before:
        failures.append("a dry run wrote something")
    failures.expect("a run", run([harness, "e.toml", "-o", "named"], folder), 0,
                    [*words, "cells 0 and 1 have the same fingerprint: planner.plan_time_ms changes nothing between them"])
    write(folder, "e.toml", SMALL + "[pard]\nwcl_window_s = 3\n")
    failures.expect("a key of a system", run([harness, "check", "e.toml"], folder), 0,
                    ["pard.wcl_window_s = 3 has no effect without pard.estimate = wcl"])
    write(folder, "e.toml", SMALL + '[pard]\nwcl_window_s = 3\n[[sweep]]\nkey = "pard.estimate"\nvalues = ["full", "wcl"]\n')
    done = run([harness, "check", "e.toml"], folder)
    if "no effect" in done.stdout + done.stderr:
        failures.append(f"a key with an effect in some cells: {done.stdout}{done.stderr}")
    write(folder, "e.toml", SMALL + '[[sweep]]\nkey = "cluster.profile_scale"\nvalues = [1, 2]\n')
    done = run([harness, "e.toml", "-o", "differ"], folder)
    if "same fingerprint" in done.stderr:
        failures.append(f"cells that differ: {done.stderr}")
    write(folder, "p.toml", PROFILES)
    failures.expect("profiles", run([harness, "check", "p.toml"], folder), 0, ["a run uses handover_ms and precision"])


def main():
    harness, failures = os.path.abspath(sys.argv[1]), Failures()
    with tempfile.TemporaryDirectory() as folder:
        for check in (check_experiments, check_files, check_named):
            check(harness, folder, failures)
    finish(failures)


if __name__ == "__main__":
    main()
