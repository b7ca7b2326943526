"""A number only where there is one: short logs last as long as asked for, and nothing has no quantile, no share and no rate.

    no_value_test.py HARNESS
"""
import json
import os
import random
import sys
import tempfile

from program_testing import Failures, finish, run, write

BATCH_MS, MAX_BATCH, WORKERS, SLO_MS = 10, 4, 2, 100
# What the workers can complete at most in a second.
LARGEST_RPS = WORKERS * MAX_BATCH / (BATCH_MS / 1000)

PIPELINE = f'slo_ms = {SLO_MS}\n[[module]]\nname = "m"\nmodel = "m"\npres = []\nsubs = []\n'
PROFILE = f'device = "V100"\nsource = "made up"\n[[profile]]\nmodel = "m"\nbatch = {list(range(1, MAX_BATCH + 1))}\nlatency_ms = {[BATCH_MS] * MAX_BATCH}\n'


def experiment(traces, more=""):
    """One system on each of the traces, as recorded: {name: settings}."""
    tables = "".join(f"[trace.{name}]\nshape = 'file'\nfile = '{name}.csv'\n" + "".join(f"{key} = {value}\n" for key, value in own.items())
                     for name, own in traces.items())
    return (f"[workload]\npipelines = ['./p.toml']\ntraces = {list(traces)}\nrates_rps = 0\n[cluster]\nworkers = {WORKERS}\nprofiles = './m.toml'\n"
            f"{tables}[[system]]\nname = 'pard'\n{more}")


def log_of(times):
    return "# time_unit = s\n" + "".join(f"{time:.9f}\n" for time in times)


def shown(harness, folder, *arguments):
    result = run([harness, *arguments, "--json"], folder)
    assert result.returncode in (0, 1), result.stderr
    return json.loads(result.stdout)


def length_of(times, own):
    """What was asked for: duration_s, or to_s where that comes before it; without both the file, in whole seconds."""
    compress = own.get("compress", 1)
    file_s = own["to_s"] if "to_s" in own else int(times[-1]) + 1
    asked = own["duration_s"] or file_s / compress
    return min(asked, file_s / compress) if "to_s" in own else asked


def random_logs(count):
    draw = random.Random(20261128)
    logs = {"one": ([0.0], {"duration_s": 10}), "alone": ([0.0], {"duration_s": 0}), "burst": ([0.0] * 200, {"duration_s": 20}),
            "two": ([0.0, 10.0], {"duration_s": 10.5})}
    for i in range(count):
        times = sorted(draw.choice([draw.uniform(0, 8), 3.0]) for _ in range(draw.randint(1, 400)))
        own = {"duration_s": draw.choice([0, 1.5, 5, 12])}
        if draw.random() < 0.4:
            own["to_s"] = 3.5
        if draw.random() < 0.4:
            own["compress"] = 2
        if times[0] / own.get("compress", 1) < (own["duration_s"] or 99) and times[0] < own.get("to_s", 99):
            logs[f"log{i}"] = times, own
    return logs


def check_lengths(harness, folder, failures):
    """No rate exceeds what the batch times allow: what is in time is completed within the load and one SLO after it."""
    logs = random_logs(12)
    for name, (times, _) in logs.items():
        write(folder, f"{name}.csv", log_of(times))
    write(folder, "lengths.toml", experiment({name: own for name, (_, own) in logs.items()}))
    failures.expect("lengths", run([harness, "lengths.toml", "-o", "out"], folder), 0)
    planned = {cell["trace"]: cell for cell in shown(harness, folder, "lengths.toml", "--dry-run")["experiments"][0]["cells"]}
    rows = shown(harness, folder, "show", "out/lengths.h5")
    for row in rows:
        times, own = logs[row["trace"]]
        length_s = length_of(times, own)
        sent = sum(time / own.get("compress", 1) < length_s for time in times)
        allowed = LARGEST_RPS * (length_s + SLO_MS / 1000)
        info = shown(harness, folder, "trace", "info", f"{row['trace']}.csv", "--duration", str(own["duration_s"]),
                     *(f"--set={key}={value}" for key, value in own.items() if key != "duration_s"))["replayed"]
        facts = {
            "duration_s": abs(row["duration_s"] - length_s) < 1e-8,
            "sent": row["sent"] == sent,
            "offered_rps": abs(row["offered_rps"] - sent / length_s) < 1e-6 * row["offered_rps"],
            "goodput_rps": row["goodput_rps"] * length_s <= allowed,
            "fluid_bound_rps": row["fluid_bound_rps"] * length_s <= allowed + 1e-6,
            "dry run": all(abs(planned[row["trace"]][name] - row[name]) < 1e-9 * max(1, row[name])
                           for name in ("duration_s", "offered_rps", "load")),
            "trace info": abs(info["mean_rps"] - row["offered_rps"]) < 1e-6 * row["offered_rps"],
            "utilisation": row["gpu_utilisation"] <= 1,
            "bound_share": row["bound_share"] <= 1 + 1e-9,
        }
        for fact, holds in facts.items():
            if not holds:
                failures.append(f"{row['trace']} {own}: {fact}: {row.get(fact)}, {length_s} s, {sent} sent, info {info['mean_rps']}")
    # 200 requests at once on a cluster that completes 800 a second: some are in time, at most 80 + 8 of a batch each.
    burst = next(row for row in rows if row["trace"] == "burst")
    if not 0 < burst["in_time"] <= LARGEST_RPS * SLO_MS / 1000 + WORKERS * MAX_BATCH:
        failures.append(f"burst: {burst['in_time']} in time")
    few = run([harness, "show", "out/lengths.h5"], folder).stdout
    if "note: latency_ms_p99 is of too few requests" not in few:
        failures.append(f"a P99 of one request does not say so: {few}")


def check_nothing(harness, folder, failures):
    """Cells without requests: skipped with their reason, whatever the load is made of."""
    write(folder, "gap.csv", log_of([0.5, 9.5]))
    write(folder, "zeros.csv", "# bin_s = 1\ncount\n4\n0\n0\n0\n4\n")
    window = {"from_s": 1, "to_s": 4, "duration_s": 0}
    write(folder, "gap.toml", experiment({"gap": window, "zeros": window}))
    write(folder, "shape.toml", experiment({}).replace("traces = []", "traces = ['poisson']\nduration_s = 5").replace("rates_rps = 0", "loads = [1e-6, 0.5]"))
    for stem, skipped in (("gap", ("gap", "zeros")), ("shape", ("poisson",))):
        failures.expect(f"{stem}: nothing sent", run([harness, f"{stem}.toml", "-o", "out"], folder), 1, ["skipped or invalid"])
        failures.expect(f"{stem}: allowed", run([harness, f"{stem}.toml", "-o", "out", "--allow-skipped"], folder), 0)
        rows = [row for row in shown(harness, folder, "show", f"out/{stem}.h5") if row["status"] != "ok"]
        if [row["trace"] for row in rows] != list(skipped) or not all("request" in row["why"] for row in rows):
            failures.append(f"{stem}: {[(row['trace'], row['status'], row['why']) for row in rows]}")
        for row in rows:
            wrong = [name for name in ("drop_rate", "latency_ms_p99", "bound_share", "goodput_rps") if row[name] is not None]
            if wrong:
                failures.append(f"{stem}: {row['trace']}: a value of {wrong}")


OUTAGE = "[[fault]]\nkind = 'stop'\nat_s = 0\nfor_s = 60\ngpus = [0, 1]\n"


def check_outage(harness, folder, failures):
    """Everything is dropped: no quantile of the completed ones, infinite ones of all, and nothing that is better."""
    write(folder, "base.csv", log_of([i / 50 for i in range(250)]))
    for stem, more in (("up", ""), ("down", OUTAGE)):
        write(folder, f"{stem}.toml", experiment({"base": {"duration_s": 5}}, more))
        failures.expect(stem, run([harness, f"{stem}.toml", "-o", "out"], folder), 0)
    down = shown(harness, folder, "show", "out/down.h5")[0]
    if down["drop_rate"] != 1 or down["latency_ms_p99"] is not None or down["latency_all_ms_p50"] != "inf":
        failures.append(f"outage: {down['drop_rate']}, {down['latency_ms_p99']}, {down['latency_all_ms_p50']}")
    compared = run([harness, "compare", "out/up.h5", "out/down.h5", "--json"], folder)
    verdicts = {metric["metric"]: metric["verdict"] for metric in json.loads(compared.stdout)["metrics"]}
    if compared.returncode != 1 or "better" in verdicts.values() or verdicts["latency_ms_p99"] != "regression":
        failures.append(f"an outage compared: {verdicts}")
    back = json.loads(run([harness, "compare", "out/down.h5", "out/up.h5", "--json", "--tolerance", "latency_all_ms_p99=5%"], folder).stdout)
    verdicts = {metric["metric"]: metric["verdict"] for metric in back["metrics"]}
    if verdicts["latency_all_ms_p99"] != "better" or verdicts["latency_ms_p99"] == "regression":
        failures.append(f"its end compared: {verdicts}")
    same = json.loads(run([harness, "compare", "out/down.h5", "out/down.h5", "--json", "--tolerance", "latency_all_ms_p99=5%"], folder).stdout)
    if {metric["verdict"] for metric in same["metrics"]} != {"same"}:
        failures.append(f"an outage with itself: {same['metrics']}")


def main():
    harness = os.path.abspath(sys.argv[1])
    failures = Failures()
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "p.toml", PIPELINE)
        write(folder, "m.toml", PROFILE)
        check_lengths(harness, folder, failures)
        check_nothing(harness, folder, failures)
        check_outage(harness, folder, failures)
    finish(failures)


if __name__ == "__main__":
    main()
