"""A running Triton server beside its simulation by the system `triton`: goodput and latencies at four loads, three runs each."""

import re
import subprocess
from collections import defaultdict

from comparison import ROOT, Comparison, Figure

ORDER = 25
TRITON = "ci/triton"
EXPERIMENT = "experiments/server/fidelity.toml"
SEEDS = "[11, 12, 13]"  # the method was found with seeds 1 to 3
NOT_COVERED = "GPUs, several models or instances, other servers"
SOURCE = ("Triton 2.51, a model of 10 ms and 1 ms a row that sleeps, batches of up to 16; server and load generator on a core each; "
          "at 130 % requests that have waited for 60 ms are rejected. The profile was measured just before with `harness profile "
          "--server`.")
METRICS = [("goodput, requests/s", "goodput_rps", 3, 1), ("median latency, ms", "latency_ms_p50", 10, 2),
           ("P99 of the latency, ms", "latency_ms_p99", 20, 2)]


def called(*words):
    ran = subprocess.run(list(map(str, words)), cwd=ROOT, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise SystemExit(f"ci/validation: {words[0]}: exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def results(harness):
    """Those of the experiment, on a server that is started for it."""
    profile = (harness.out / "square.toml").resolve()
    called(TRITON, "start", "experiments/server/repository", "--core", 1)
    try:
        said = called("taskset", "--cpu-list", 0, harness.program, "profile", "--server", "http://127.0.0.1:8000", "--model", "square",
                      "-o", profile)
        delay_ms = re.search(r"cluster\.network_delay_ms = ([\d.]+)", said)[1]
        harness.ranks = 1
        return harness.run(ROOT / EXPERIMENT, "--set", f"cluster.profiles={profile}", "--set", f"cluster.network_delay_ms={delay_ms}",
                           "--set", f"workload.seeds={SEEDS}", "--allow-skipped")
    finally:
        called(TRITON, "stop")


def validate(harness):
    pairs = defaultdict(dict)
    for row in results(harness).rows:
        if row["status"] == "ok":
            pairs[row["parameters"], row["seed"]][row["runtime"]] = row
    complete = {key: pair for key, pair in pairs.items() if len(pair) == 2}
    if len(complete) < 12:
        raise SystemExit(f"ci/validation: triton: {len(complete)} of 12 pairs of cells are ok")
    return [Comparison(f"Triton on two cores, {title}", SOURCE, "%", NOT_COVERED,
                       [Figure(f"{parameters.removeprefix('setting=')}, seed {seed}", pair["server"][column], pair["simulated"][column])
                        for (parameters, seed), pair in sorted(complete.items())],
                       relative=True, worst=worst, late=True, digits=digits)
            for title, column, worst, digits in METRICS]
