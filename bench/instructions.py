#!/usr/bin/env python3
"""instructions.py PROGRAM COMPILER BASELINE.csv [--update]: what a simulated request costs, in instructions.

Runs one_cell, PROGRAM, under valgrind's callgrind with a short and a longer load. The difference of the counts by the
difference of the requests is the cost of one, whatever starting and ending take. Unlike a time it is the same on a busy machine.
COMPILER is a name and a version such as "GNU 12.2.0 x86_64". The baseline holds a row per system; what another compiler made is not
compared.

Exit codes: 0; 1 a system takes over 3 % more instructions than the baseline; 2 bad input; 77 no valgrind, or another compiler.
"""

import csv
import re
import shutil
import subprocess
import sys
from pathlib import Path

SYSTEMS = ("naive", "pard", "nexus", "clipperpp")
WORKERS, FEW, MANY = 64, 10_000, 40_000
MOST = 0.03
HEAD = ["system", "instructions_per_request", "compiler"]
FAILED, BAD_INPUT, SKIPPED = 1, 2, 77


def counted(program, system, requests):
    """Instructions and requests of one run."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "lv", system, str(WORKERS), str(requests)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode or not found or not run.stdout.split():
        raise RuntimeError(f"{' '.join(command)} ended with {run.returncode}:\n{run.stderr[-2000:]}")
    return int(found.group(1)), int(run.stdout.split()[0])


def per_request(program, system):
    (few, few_requests), (many, many_requests) = (counted(program, system, requests) for requests in (FEW, MANY))
    return (many - few) / (many_requests - few_requests)


def update(program, compiler, baseline):
    made = [[system, round(per_request(program, system)), compiler] for system in SYSTEMS]
    with baseline.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(HEAD)
        rows.writerows(made)
    return 0


def compare(program, compiler, baseline):
    with baseline.open(newline="") as file:
        before = {row["system"]: row for row in csv.DictReader(file)}
    others = {row["compiler"] for row in before.values()} - {compiler}
    if others:
        print(f"skipped: the baseline is of {', '.join(sorted(others))}, this program of {compiler}")
        return SKIPPED
    missing = [system for system in SYSTEMS if system not in before]
    if missing:
        raise KeyError(missing[0])
    changes = []
    for system in SYSTEMS:
        base, now = float(before[system]["instructions_per_request"]), per_request(program, system)
        changes.append(now / base - 1)
        print(f"{system}: {now:.0f} instructions a request, {base:.0f} in the baseline ({100 * changes[-1]:+.1f} %)")
    accept = f"bench/instructions.py {program} '{compiler}' {baseline} --update"
    if max(changes) > MOST:
        print(f"more than 3 % above the baseline; if that is meant: {accept}")
    elif min(changes) < -MOST:
        print(f"more than 3 % below the baseline, which should follow: {accept}")
    return FAILED if max(changes) > MOST else 0


def main():
    arguments = [word for word in sys.argv[1:] if word != "--update"]
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return BAD_INPUT
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return SKIPPED
    run = update if "--update" in sys.argv else compare
    try:
        return run(arguments[0], arguments[1], Path(arguments[2]))
    except (OSError, RuntimeError) as error:
        print(f"instructions.py: {error}", file=sys.stderr)
    except KeyError as error:
        print(f"instructions.py: {arguments[2]}: found no row or column {error}", file=sys.stderr)
    except ValueError as error:
        print(f"instructions.py: {arguments[2]}: {error}", file=sys.stderr)
    return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
