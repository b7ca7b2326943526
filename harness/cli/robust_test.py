"""`harness robust` runs an experiment under other settings, judges orders by intervals, and goes on where it was stopped.

    robust_test.py HARNESS
"""
import json
import os
import sys
import tempfile

import h5py

from program_testing import Failures, finish, run, tree, write

EXPERIMENT = """name = "tiny"
[workload]
pipelines = ["tm"]
traces = ["poisson"]
loads = [1.5]
duration_s = 3
[cluster]
workers = 8
[[system]]
name = "naive"
[[system]]
name = "naive"
variant = "twin"
[[system]]
name = "clipperpp"
set = { "serving.dispatch" = "least_outstanding" }
[[system]]
name = "pard"
[repeat_until]
metric = "drop_rate"
half_width = 0.5
[robustness]
standard = false
[robustness.over]
"planner.sizing_factor" = [100, 1.5]
"cluster.network_delay_ms" = 2
"clipperpp.check_at" = "start"
"nexus.budget" = "split"
"serving.dispatch" = "least_outstanding"
"""


def check_plan(failures, harness, folder):
    """Steps, cells and what cannot be tried; nothing is written."""
    before = tree(folder)
    done = run([harness, "robust", "tiny.toml", "--dry-run"], folder)
    failures.expect("plan", done, 0, ["20  as written", "20  planner.sizing_factor=1.5", "5  clipperpp.check_at=start",
                                      "20  serving.dispatch=least_outstanding", "-  planner.sizing_factor=100: ", "85 cells"])
    failures.expect("no such system", done, 0, ["-  nexus.budget=split: every system sets it for itself, or none has it"])
    done = run([harness, "robust", "tiny.toml", "--dry-run", "--cells", "65"], folder)
    failures.expect("budget", done, 0, ["-  serving.dispatch=least_outstanding: beyond the budget of 65 cells", "65 cells"])
    standard = run([harness, "robust", "tiny.toml", "--dry-run", "--set", "robustness.standard=true"], folder)
    failures.expect("standard steps", standard, 0, ["serving.commit=late", "serving.queue=module", "pard.execution=at_hand",
                                                    "execution times +2 %", "jitter 10 %", "planner.sizing_factor=1.5"])
    if "sizing_factor=1.6" in standard.stdout:
        failures.append("values that the user gives for a key come beside the standard ones")
    if tree(folder) != before:
        failures.append("--dry-run has written something")


def check_refusals(failures, harness, folder):
    command = [harness, "robust", "tiny.toml"]
    failures.refused("no room", [*command, "--cells", "22"], folder, ["found 22, with 20 cells as written and 5", "at least 25"])
    failures.refused("live", [*command, "--set", "runtime=emulated"], folder, ["runtime", "found emulated; allowed: simulated"])
    failures.refused("key", [*command, "--over", "serving.comit=late"], folder, ["did you mean 'commit'"])
    failures.refused("metric", [*command, "--metric", "goodput"], folder, ["did you mean 'goodput_rps'"])
    failures.refused("over", [*command, "--over", "serving.commit"], folder, ["--over: found serving.commit; allowed: KEY=VALUE"])
    write(folder, "own.toml", EXPERIMENT + '[[setting]]\nname = "one"\nset = { "planner.max_batch" = 8 }\n')
    failures.refused("own settings", [harness, "robust", "own.toml"], folder, ["own.toml:", "found a [[setting]]"])
    write(folder, "line.toml", EXPERIMENT.replace('"start"', '"begin"'))
    failures.refused("value", [harness, "robust", "line.toml"], folder, ["line.toml:", "clipperpp.check_at", "found \"begin\"", "one of join, start"])


def verdicts(data):
    """{(first, second): (verdict, {setting: order})}."""
    return {(pair["first"], pair["second"]): (pair["verdict"], {one["name"]: one["order"] for one in pair["settings"]}) for pair in data["pairs"]}


def check_run(failures, harness, folder):
    command = [harness, "robust", "tiny.toml", "--quiet", "-n", "1"]
    done = run(command, folder)
    # Beyond the capacity the policy that never drops loses to PARD, whatever the setting; twins decide alike.
    failures.expect("run", done, 0, ["holds", "pard above naive (4)", "naive like naive/twin (4)", "not tried", "planner.sizing_factor=100"])
    if any(len(line) > 100 for line in done.stdout.splitlines()):
        failures.append(f"a line has more than 100 characters: {done.stdout}")
    for name in ("tiny-robust.h5", "tiny-robust-figures/robust.png", "tiny-robust-figures/robust.pdf"):
        if not os.path.exists(os.path.join(folder, "results-out", name)):
            failures.append(f"there is no {name}")
    again = run([*command, "--json"], folder)
    failures.expect("again", again, 0)
    if again.returncode != 0:
        return
    data = json.loads(again.stdout)
    pairs = verdicts(data)
    if pairs[("naive", "naive/twin")] != ("ties", dict.fromkeys(pairs[("naive", "naive/twin")][1], "tie")):
        failures.append(f"twins do not tie: {pairs}")
    if "clipperpp.check_at=start" in pairs[("pard", "naive")][1]:
        failures.append(f"a reading of one system concerns a pair of others: {pairs}")
    if data["seeds"] != [1, 2, 3, 4, 5] or data["metric"] != "goodput_rps":
        failures.append(f"{data['seeds']}, {data['metric']}")
    with h5py.File(os.path.join(folder, "results-out", "tiny-robust.h5")) as file:
        settings = {row["parameters"].decode().partition("setting=")[2] for row in file["summary"][:]}
        if len(file["summary"]) != 85 or "as written" not in settings:
            failures.append(f"{len(file['summary'])} cells of {settings}")


def check_ranks(failures, harness, folder):
    """The same verdicts on two ranks, after a start on one that was left unfinished."""
    one = run([harness, "robust", "tiny.toml", "--quiet", "--json"], folder)
    two = run([harness, "robust", "tiny.toml", "--quiet", "--json", "-n", "2", "-o", "two"], folder)
    failures.expect("two ranks", two, 0)
    if one.returncode == two.returncode == 0 and json.loads(one.stdout)["pairs"] != json.loads(two.stdout)["pairs"]:
        failures.append("other verdicts on two ranks")


def main():
    harness = os.path.abspath(sys.argv[1])
    failures = Failures()
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "tiny.toml", EXPERIMENT)
        check_plan(failures, harness, folder)
        check_refusals(failures, harness, folder)
        check_run(failures, harness, folder)
        check_ranks(failures, harness, folder)
    return finish(failures)


if __name__ == "__main__":
    sys.exit(main())
