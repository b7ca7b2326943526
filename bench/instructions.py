#!/usr/bin/env python3
"""instructions.py PROGRAM COMPILER BASELINE.csv [--update]: what a simulated request costs, in instructions.

Runs one_cell, PROGRAM, under valgrind's callgrind with a short and a longer load. The difference of the counts by the
difference of the requests is the cost of one, whatever starting and ending take. Unlike a time it is the same on a busy machine.
COMPILER is a name and a version such as "GNU 12.2.0". The baseline holds a row per system; what another compiler made is not
compared.

Exit codes: 0; 1 a system takes over 3 % more instructions than the baseline; 2 bad input; 77 no valgrind, or another compiler.
"""

import csv
import re
import shutil
import subprocess
import sys
from pathlib import Path

SYSTEMS = ("naive", "pard")
WORKERS, FEW, MANY = 64, 10_000, 40_000
MOST = 0.03
HEAD = ["system", "instructions_per_request", "compiler"]
FAILED, BAD_INPUT, SKIPPED = 1, 2, 77


def counted(program, system, requests):
    """Instructions and requests of one run."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "lv", system, str(WORKERS), str(requests)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", run.stderr).group(1)), int(run.stdout.split()[0])


def per_request(program, system):
    (few, few_requests), (many, many_requests) = (counted(program, system, requests) for requests in (FEW, MANY))
    return (many - few) / (many_requests - few_requests)


def main():
    arguments = [word for word in sys.argv[1:] if word != "--update"]
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return BAD_INPUT
    program, compiler, baseline = arguments[0], arguments[1], Path(arguments[2])
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return SKIPPED
    if "--update" in sys.argv:
        with baseline.open("w", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(HEAD)
            rows.writerows([system, round(per_request(program, system)), compiler] for system in SYSTEMS)
        return 0
    with baseline.open(newline="") as file:
        before = {row["system"]: row for row in csv.DictReader(file)}
    others = {row["compiler"] for row in before.values()} - {compiler}
    if others:
        print(f"skipped: the baseline is of {', '.join(sorted(others))}, this program of {compiler}")
        return SKIPPED
    worse = False
    for system in SYSTEMS:
        base, now = float(before[system]["instructions_per_request"]), per_request(program, system)
        is_worse = now > base * (1 + MOST)
        worse |= is_worse
        print(f"{system}: {now:.0f} instructions a request, {base:.0f} in the baseline ({100 * (now / base - 1):+.1f} %)"
              f"{': more than 3 % above it' if is_worse else ''}")
    return FAILED if worse else 0


if __name__ == "__main__":
    sys.exit(main())
