"""A job whose ranks all sleep ends within 5 s when one of them, the first included, is killed, and says which and where;
when the launcher is killed, no rank survives it.

    rank_death_test.py TEST_RANKS MPIRUN
"""
import os
import re
import signal
import socket
import subprocess
import sys
import time

from program_testing import environment, finish

RANKS = 5
LIMIT_S = 5


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in ("Z", "X")
    except OSError:
        return False


def start(program, mpirun):
    """The launcher, and the process id of each rank once all of them sleep."""
    job = subprocess.Popen([mpirun, "-n", str(RANKS), program, "memory", "hang"], env=environment(), stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    pids = {}
    while len(pids) < RANKS:
        rank, pid = re.fullmatch(r"rank (\d+) pid (\d+)\n", job.stdout.readline()).groups()
        pids[int(rank)] = int(pid)
    time.sleep(0.3)
    return job, pids


def kill(program, mpirun, victim):
    job, pids = start(program, mpirun)
    began = time.monotonic()
    os.kill(job.pid if victim is None else pids[victim], signal.SIGKILL)
    while (job.poll() is None or any(map(alive, pids.values()))) and time.monotonic() < began + 4 * LIMIT_S:
        time.sleep(0.02)
    took = time.monotonic() - began
    what = "mpirun killed" if victim is None else f"rank {victim} killed"
    print(f"{what}: all ended after {took:.2f} s")
    failures = [] if took < LIMIT_S else [f"{what}: not all ended within {LIMIT_S} s"]
    for pid in filter(alive, pids.values()):
        os.kill(pid, signal.SIGKILL)
    job.kill()
    said = job.communicate()[1]
    if victim is not None and not re.search(rf"rank {victim} .* on node {socket.gethostname().split('.')[0]}", said):
        failures.append(f"{what}: rank and host are not named: {said}")
    if victim is not None and job.returncode == 0:
        failures.append(f"{what}: exit code 0")
    return failures


def main():
    program, mpirun = os.path.abspath(sys.argv[1]), sys.argv[2]
    finish([failure for victim in (3, 0, None) for failure in kill(program, mpirun, victim)])


if __name__ == "__main__":
    main()
