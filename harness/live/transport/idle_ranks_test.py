"""65 ranks that have nothing to do use, together, less than 10 % of one core.

    idle_ranks_test.py TEST_RANKS MPIRUN
"""
import os
import re
import sys

from program_testing import finish, run

RANKS = 65
LIMIT_PERCENT = 10


def main():
    program, mpirun = os.path.abspath(sys.argv[1]), sys.argv[2]
    done = run([mpirun, "-n", str(RANKS), program, "memory", "idle", "5"], ".")
    print(done.stdout, end="")
    used = re.search(r"used ([\d.]+) % of one core", done.stdout)
    if done.returncode != 0 or used is None:
        finish([f"exit code {done.returncode}: {done.stderr}"])
    finish([f"more than {LIMIT_PERCENT} %"] if float(used[1]) >= LIMIT_PERCENT else [])


if __name__ == "__main__":
    main()
