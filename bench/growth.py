#!/usr/bin/env python3
"""growth.py [--program one_cell] [--harness HARNESS] [--most SECONDS] [--csv FILE] -o FOLDER: how the simulator's time and memory grow.

Each dimension (requests, workers, modules, streams, cells) is measured at rising sizes, every point in a process of its own, the
median of three (one of 20 s and more is not repeated), until one takes more than --most seconds (default 60). Writes growth.csv,
growth.png and growth.md, a table with the exponents of time and of memory: the slopes of the logarithms over the upper half of the
sizes, where a fixed part hardly counts. An exponent of 1 is proportional, 0 is constant.
"""

import argparse
import csv
import importlib.util
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPEATS = 3
LONG_S = 20  # what takes as long is not repeated: a busy moment hardly counts in it
TINY = """name = "tiny"
[workload]
pipelines = ["lv"]
traces = ["tweet"]
loads = [0.9]
seeds = [{seeds}]
duration_s = 1
[cluster]
workers = 8
profiles = "shepherd-v100"
profile_scale = 3
[planner]
sizing_factor = 2
[[system]]
name = "naive"
"""


def powers(base, least, most):
    return [base**power for power in range(least, most + 1)]


# dimension: (what is measured, unit of the size, sizes, command of a size or None for cells)
DIMENSIONS = {
    "requests": ("lv, 64 workers, naive", powers(10, 4, 8), lambda size: ["lv", "naive", "64", str(size)]),
    "requests, PARD": ("lv, 64 workers, PARD", powers(10, 4, 8), lambda size: ["lv", "pard", "64", str(size)]),
    "workers": ("lv, 4 M requests, naive", [8**power for power in range(1, 6)] + [65536], lambda size: ["lv", "naive", str(size), "4e6"]),
    "workers, PARD": ("lv, 4 M requests, PARD", [8**power for power in range(1, 6)] + [65536], lambda size: ["lv", "pard", str(size), "4e6"]),
    "modules": ("chain, 8 workers a module, 200,000 requests, naive", powers(2, 0, 6), lambda size: ["chain", "naive", str(size), "2e5"]),
    "modules, PARD": ("chain, 8 workers a module, 200,000 requests, PARD", powers(2, 0, 6),
                      lambda size: ["chain", "pard", str(size), "2e5"]),
    "streams": ("FLEX, 12 workers, 13 models, 1 M requests", [13 * 10**power for power in range(6)],
                lambda size: ["group", str(size), "1e6"]),
    "cells": ("lv, 8 workers, 1 s of load each, naive", powers(10, 1, 4), None),
}


def run(command):
    """Output, seconds and peak memory in MiB of a process."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    return output, time.monotonic() - began, usage.ru_maxrss / 1024


def measured(words, size, arguments):
    """Seconds and MiB of one point."""
    if words is not None:
        output, _, memory = run([arguments.program, *words(size)])
        return float(output.split()[1]), memory
    with tempfile.TemporaryDirectory() as folder:
        experiment = Path(folder) / "tiny.toml"
        experiment.write_text(TINY.format(seeds=", ".join(map(str, range(1, size + 1)))))
        _, seconds, memory = run([arguments.harness, str(experiment), "-o", str(Path(folder) / "out"), "--quiet"])
        return seconds, memory


def measure(arguments):
    """The points one after the other. One that fails ends its dimension."""
    for name, (_, sizes, words) in DIMENSIONS.items():
        for size in sizes:
            points = []
            while len(points) < REPEATS and sum(seconds for seconds, _ in points) < LONG_S:
                try:
                    points.append(measured(words, size, arguments))
                except (OSError, RuntimeError) as error:
                    print(f"growth.py: {name} {size}: {error}", file=sys.stderr)
                    break
            if not points:
                break
            seconds, memory = (statistics.median(values) for values in zip(*points))
            print(f"{name} {size}: {seconds:.4g} s, {memory:.4g} MiB", flush=True)
            yield {"dimension": name, "size": size, "seconds": seconds, "mib": memory}
            if seconds > arguments.most:
                break


def exponent(sizes, values):
    """Slope of the logarithms, by least squares."""
    x, y = [math.log(size) for size in sizes], [math.log(value) for value in values]
    mean_x, mean_y = statistics.fmean(x), statistics.fmean(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)


def upper_half(points):
    return points[len(points) // 2 - (1 if len(points) < 4 else 0):]


def points_of(rows, name):
    """Of a dimension, if there are enough for a slope."""
    points = [row for row in rows if row["dimension"] == name]
    return points if len(points) > 1 else []


def table(rows):
    lines = ["| dimension | measured | sizes | time of the last | memory of the last | exponent of time | of memory |",
             "|---|---|---|---|---|---|---|"]
    for name, (what, *_) in DIMENSIONS.items():
        points = points_of(rows, name)
        if not points:
            continue
        fitted = upper_half(points)
        sizes = [row["size"] for row in fitted]
        time_exponent, memory_exponent = (exponent(sizes, [row[column] for row in fitted]) for column in ("seconds", "mib"))
        lines.append(f"| {name} | {what} | {points[0]['size']:,} to {points[-1]['size']:,} | {points[-1]['seconds']:.3g} s | "
                     f"{points[-1]['mib']:.3g} MiB | {time_exponent:.2f} | {memory_exponent:.2f} |")
    for name in ("requests", "requests, PARD"):
        points = points_of(rows, name)
        if not points:
            continue
        rate = points[-2]["size"] / points[-2]["seconds"]
        last = points[-1]
        lines += ["", f"{name}: at the speed of {points[-2]['size']:,} the {last['size']:,} would take {last['size'] / rate:.3g} s; they "
                  f"took {last['seconds']:.3g} s. 10^9 would take {1e9 / last['size'] * last['seconds']:.3g} s."]
    return "\n".join(lines) + "\n"


def draw(rows, path):
    import matplotlib
    matplotlib.use("agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(1, 5, figsize=(13, 2.8), layout="constrained")
    for axis, name in zip(axes, ("requests", "workers", "modules", "streams", "cells")):
        for label in (name, f"{name}, PARD"):
            points = points_of(rows, label)
            if points:
                kind = "PARD" if label != name else "FLEX" if name == "streams" else "naive"
                slope = exponent(*zip(*((row["size"], row["seconds"]) for row in upper_half(points))))
                axis.plot([row["size"] for row in points], [row["seconds"] for row in points], marker="o", markersize=3,
                          label=f"{kind}: exponent {slope:.2f}")
        axis.set(xscale="log", yscale="log", xlabel=name)
        if axis.lines:
            axis.legend(fontsize=7)
    axes[0].set_ylabel("seconds")
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/bench/one_cell")
    parser.add_argument("--harness", default="build/release/bin/harness")
    parser.add_argument("--most", type=float, default=60)
    parser.add_argument("--csv", type=Path, help="points measured before: draw and fit those")
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    # Looked for before ten minutes of measuring; imported after it: the memory of this process is the least that is measured.
    if importlib.util.find_spec("matplotlib") is None:
        raise ModuleNotFoundError("no matplotlib for the figure: use the python3 that ci/setup installs it for, or install it")
    arguments.output.mkdir(parents=True, exist_ok=True)
    if arguments.csv:
        with arguments.csv.open(newline="") as file:
            rows = [{"dimension": row["dimension"], **{name: float(row[name]) for name in ("seconds", "mib")}, "size": int(row["size"])}
                    for row in csv.DictReader(file)]
    else:
        rows = []
        with (arguments.output / "growth.csv").open("w", newline="", buffering=1) as file:  # nothing measured is lost
            writer = csv.DictWriter(file, ["dimension", "size", "seconds", "mib"], lineterminator="\n")
            writer.writeheader()
            for row in measure(arguments):
                writer.writerow(row)
                rows.append(row)
    (arguments.output / "growth.md").write_text(table(rows))
    draw(rows, arguments.output / "growth.png")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ImportError, OSError, KeyError, ValueError) as error:
        print(f"growth.py: {f'no column {error}' if isinstance(error, KeyError) else error}", file=sys.stderr)
        sys.exit(2)
