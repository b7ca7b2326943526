"""A results file and an experiment of a version before columns and keys were renamed (docs/terms.md) work as they did.

    older_files_test.py HARNESS

tests/older/results.h5 was written by commit 5863455 from tests/older/experiment.toml; neither is to be written again.
"""
import csv
import io
import os
import shutil
import sys
import tempfile

import h5py
from program_testing import Failures, finish, run

OLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "tests/older")
COLUMNS = {  # of /summary: what each was called
    "schedule_lag_us_p50": "lateness_us_p50", "schedule_lag_us_p99": "lateness_us_p99", "schedule_lag_us_max": "lateness_us_max",
    "offline_schedule_rps": "reservation_rps", "optimality_gap": "bound_gap", "capacity_goodput_rps": "optimal_goodput_rps",
    "scheduler_utilisation": "scheduler_busy",
}


def shown(harness, folder, *arguments, file="older.h5"):
    done = run([harness, "show", file, "--csv", *arguments], folder)
    return list(csv.DictReader(io.StringIO(done.stdout))), done


def check_columns(harness, folder, failures):
    """Each is shown under its new name with the value that the file has under the old one, and may be asked for by both."""
    rows, _ = shown(harness, folder)
    with h5py.File(os.path.join(folder, "older.h5")) as file:
        stored = file["summary"][:]
    for now, before in COLUMNS.items():
        given = [float(row[now] or "nan") for row in rows]
        if not all(a == b or (a != a and b != b) for a, b in zip(given, stored[before])) or all(a != a for a in given):
            failures.append(f"{now}: {given}, in the file {stored[before]}")
    for row, old in zip(rows, stored):
        if float(row["slo_attainment"]) != old["in_time"] / old["sent"]:
            failures.append(f"slo_attainment: {row['slo_attainment']} of {old['in_time']} of {old['sent']}")
    asked, done = shown(harness, folder, "--columns", "system," + ",".join(COLUMNS.values()))
    if done.returncode != 0 or list(asked[0]) != ["system", *COLUMNS]:
        failures.append(f"--columns by old names: {done.stdout}{done.stderr}")


def check_commands(harness, folder, failures):
    failures.expect("compare", run([harness, "compare", "older.h5", "older.h5", "--tolerance", "normalised_goodput=0.01",
                                    "--tolerance", "bound_gap=0.01"], folder), 0, ["6 cells compared: 0 regressions"])
    failures.expect("replay", run([harness, "replay", "older.h5"], folder), 0, ["none differs"])
    failures.expect("figures", run([harness, "figures", "older.h5", "-o", "figures"], folder), 0, [".pdf"])


def check_warning(harness, folder, failures):
    """It has no checksum, which every command says, once, and then reads it."""
    for command in (["show", "older.h5"], ["compare", "older.h5", "older.h5"], ["replay", "older.h5"]):
        done = run([harness, *command], folder)
        lines = [line for line in done.stderr.splitlines() if "has no checksum" in line]
        if len(lines) != 1 or not lines[0].startswith("harness: warning: older.h5 has no checksum: written by an older version"):
            failures.append(f"{command}: {done.stderr}")


def check_experiment(harness, folder, failures):
    """The same cells today: their swept key has another name, and they are the same cells."""
    done = run([harness, os.path.join(OLDER, "experiment.toml"), "-o", "now", "--quiet", "--set", "runtime=simulated"], folder)
    if done.returncode != 0:
        failures.append(f"the experiment: exit code {done.returncode}: {done.stderr}")
        return
    parameters = {row["parameters"] for row in shown(harness, folder, file="now/experiment.h5")[0]}
    if parameters != {"cluster.scheduler_queue_limit_ms=0", "cluster.scheduler_queue_limit_ms=8"}:
        failures.append(f"the experiment: {parameters}")
    failures.expect("replay of both", run([harness, "replay", "older.h5", "now/experiment.h5"], folder), 0, ["none differs"])
    done = run([harness, "compare", "older.h5", "now/experiment.h5"], folder)
    if "4 of 4 simulated cells have the same fingerprint" not in done.stdout:
        failures.append(f"compare with today: {done.stdout}{done.stderr}")


def main():
    harness, failures = sys.argv[1], Failures()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(OLDER, "results.h5"), os.path.join(folder, "older.h5"))
        for check in (check_columns, check_commands, check_warning, check_experiment):
            check(harness, folder, failures)
    finish(failures)


if __name__ == "__main__":
    main()
