#!/usr/bin/env python3
"""pairs.py BEFORE AFTER [--rounds 5]: how fast two builds of one_cell simulate, before a change and after it.

A machine that others use as well speeds up and slows down for minutes: both run in turn, and what counts is the median of the
rounds' ratios. The last column says whether the machine was quiet enough to believe the rates themselves: the slowest run of
each program took at most 10 % longer than its fastest (of fewer than three rounds it says nothing).
"""

import argparse
import statistics
import subprocess
import sys

QUIET = 1.10
CELLS = {
    "naive, 64 workers": ["lv", "naive", "64", "1e6"],
    "PARD, 64 workers": ["lv", "pard", "64", "1e6"],
    "naive, 4,096 workers": ["lv", "naive", "4096", "4e6"],
    "PARD, 4,096 workers": ["lv", "pard", "4096", "4e6"],
    "FLEX, 1,300 streams": ["group", "1300", "1e6"],
}


def rate(program, words):
    """M requests/s of one run."""
    run = subprocess.run([program, *words], stdout=subprocess.PIPE, text=True, check=False)
    try:
        requests, seconds = map(float, run.stdout.split()[:2])
    except ValueError:
        raise OSError(f"{program} {' '.join(words)} ended with {run.returncode} and printed no REQUESTS SECONDS") from None
    return requests / seconds / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error(f"--rounds: found {arguments.rounds}; allowed: 1 and more")
    for program in (arguments.before, arguments.after):
        rate(program, ["lv", "naive", "64", "1e4"])
    print(f"{'M requests/s, medians of ' + str(arguments.rounds):24} {'before':>7} {'after':>7} {'ratio':>6}  machine")
    for name, words in CELLS.items():
        pairs = [(rate(arguments.before, words), rate(arguments.after, words)) for _ in range(arguments.rounds)]
        before, after = zip(*pairs)
        ratio = statistics.median(b / a for a, b in pairs)
        quiet = all(max(rates) <= QUIET * min(rates) for rates in (before, after))
        machine = "-" if arguments.rounds < 3 else "quiet" if quiet else "busy"
        print(f"{name:24} {statistics.median(before):7.3f} {statistics.median(after):7.3f} {ratio:6.3f}  {machine}",
              flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OSError as error:
        print(f"pairs.py: {error}", file=sys.stderr)
        sys.exit(2)
