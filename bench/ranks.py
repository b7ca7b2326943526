#!/usr/bin/env python3
"""ranks.py [EXPERIMENT.toml] [--ranks 1 2 4 8] [--rounds 3]: how the cells of an experiment spread over MPI ranks.

Runs the experiment with each number of ranks in turn, medians over the rounds:

seconds       from the first cell's start to the last one's end
cores in use  processor time of all ranks, from their start on, by these seconds
idle          share of ranks x seconds in which a rank had no cell: at the end the others have run out. With more ranks than cores
              a rank with a cell may still wait for a core
longest cell  share of the seconds: no number of ranks makes the run shorter than its longest cell
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent


def processor_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(harness, experiment, ranks):
    """One run: cells and the four figures."""
    with tempfile.TemporaryDirectory() as folder:
        before = processor_s()
        command = [harness, "-n", str(ranks), experiment, "-o", folder, "--progress", "json", "--allow-skipped"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        used = processor_s() - before
    if run.returncode:
        sys.exit(f"{' '.join(command)} ended with {run.returncode}: {run.stderr[-500:]}")
    events = [json.loads(line) for line in run.stderr.splitlines() if line.startswith("{")]
    cells = [event for event in events if event["event"] == "cell"]
    seconds = max(cell["elapsed_s"] for cell in cells)
    busy = sum(cell["cell_s"] for cell in cells)
    return len(cells), seconds, used / seconds, 1 - busy / (ranks * seconds), max(cell["cell_s"] for cell in cells) / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment", nargs="?", default=str(HOME / "experiments/pard/stress.toml"))
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--harness", default=str(HOME / "build/release/bin/harness"))
    arguments = parser.parse_args()
    points = {ranks: [] for ranks in arguments.ranks}
    for _ in range(arguments.rounds):
        for ranks, found in points.items():
            found.append(measure(arguments.harness, arguments.experiment, ranks))
    print(f"{arguments.experiment}, {os.cpu_count()} cores")
    print(f"{'ranks':>5} {'cells':>6} {'seconds':>8} {'cells/s':>8} {'cores in use':>12} {'idle':>6} {'longest cell':>12}")
    for ranks, found in points.items():
        cells, seconds, cores, idle, longest = (statistics.median(column) for column in zip(*found))
        print(f"{ranks:5} {cells:6.0f} {seconds:8.2f} {cells / seconds:8.1f} {cores:12.2f} {idle:6.1%} {longest:12.1%}")


if __name__ == "__main__":
    main()
