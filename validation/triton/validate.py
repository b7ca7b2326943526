"""A running Triton server beside its simulation by the system `triton`: goodput and latencies, three runs each."""

import re
import subprocess
from collections import defaultdict

from comparison import ROOT, Comparison, Figure

ORDER = 25
TRITON = "ci/triton"
FORMED_AHEAD = ("Triton adds requests to a batch that waits for the model only when the oldest of them has waited for the delay, so that those "
                "of the last 5 ms miss it. This is inferred: its documentation does not say so, and `triton` follows it.")
FILES = [("fidelity", "Triton on two cores", {}),
         ("delay", "Triton with a delay of 5 ms", {"latency_ms_p50": FORMED_AHEAD, "latency_ms_p99": FORMED_AHEAD})]
SEEDS = "[11, 12, 13]"  # the method was found with seeds 1 to 3
NOT_COVERED = "GPUs, several models or instances, other servers"
SOURCE = ("Triton 2.51, a model of 10 ms and 1 ms a row that sleeps, batches of up to 16; server and load generator on a core each. The "
          "profile was measured just before with `harness profile --server`.")
METRICS = [("goodput, requests/s", "goodput_rps", 3, 1), ("median latency, ms", "latency_ms_p50", 10, 2),
           ("P99 of the latency, ms", "latency_ms_p99", 20, 2)]


def called(*words):
    ran = subprocess.run(list(map(str, words)), cwd=ROOT, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise SystemExit(f"ci/validation: {words[0]}: exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def results(harness):
    """Those of each experiment, on a server that is started for them."""
    profile = (harness.out / "square.toml").resolve()
    called(TRITON, "start", "experiments/server/repository", "--core", 1)
    try:
        said = called("taskset", "--cpu-list", 0, harness.program, "profile", "--server", "http://127.0.0.1:8000", "--model", "square",
                      "-o", profile)
        delay_ms = re.search(r"cluster\.network_delay_ms = ([\d.]+)", said)[1]
        harness.ranks = 1
        return [harness.run(ROOT / f"experiments/server/{name}.toml", "--set", f"cluster.profiles={profile}", "--set",
                            f"cluster.network_delay_ms={delay_ms}", "--set", f"workload.seeds={SEEDS}", "--allow-skipped")
                for name, *_ in FILES]
    finally:
        called(TRITON, "stop")


def compared(ran, title, reasons):
    pairs = defaultdict(dict)
    for row in ran.rows:
        if row["status"] != "ok":
            raise SystemExit(f"ci/validation: triton: a cell is {row['status']}: {row['why']}")
        pairs[row["load"], row["seed"]][row["runtime"]] = row
    return [Comparison(f"{title}, {metric}", SOURCE, "%", NOT_COVERED,
                       [Figure(f"load {load:.2g}, seed {seed}", pair["server"][column], pair["simulated"][column])
                        for (load, seed), pair in sorted(pairs.items())],
                       relative=True, worst=worst, late=True, digits=digits, known=column in reasons, why=reasons.get(column, ""))
            for metric, column, worst, digits in METRICS]


def validate(harness):
    return [one for ran, (_, title, reasons) in zip(results(harness), FILES) for one in compared(ran, title, reasons)]
