"""The MPI transport on 1 to 5 ranks: all-to-all messages of up to 1 MB arrive whole, in order and once, the counters add
up, nothing is lost by a receiver that throws, ranks know who sees their GPUs, and a rank that sleeps is woken: by shared
memory, by datagrams, by polling, and without anything that works.

    mpi_transport_test.py TEST_RANKS MPIRUN
"""
import os
import sys

from program_testing import finish, run

OVER_TCP = ("--mca", "btl", "tcp,self")  # packets come after what tells of them
RUNS = ((1, "memory", "exchange"), (2, "memory", "exchange"), (5, "memory", "exchange"), (3, "socket", "exchange"),
        (3, "memory", "exchange", *OVER_TCP), (3, "socket", "exchange", *OVER_TCP), (3, "polling", "exchange"),
        (3, "deaf", "exchange"), (1, "memory", "refuse"), (3, "memory", "refuse"), (5, "polling", "refuse"),
        (3, "socket", "refuse", *OVER_TCP), (2, "memory", "wake"), (5, "memory", "wake"), (3, "memory", "wake", *OVER_TCP),
        (2, "socket", "wake"), (3, "socket", "wake", *OVER_TCP), (2, "polling", "wake"), (2, "deaf", "wake"), (2, "mute", "lost-wakes"),
        (2, "memory", "deadlines"), (2, "socket", "deadlines"), (1, "memory", "gpus"), (4, "memory", "gpus"), (3, "socket", "gpus"))


def main():
    program, mpirun = os.path.abspath(sys.argv[1]), sys.argv[2]
    failures = []
    for ranks, by, mode, *options in RUNS:
        what = " ".join([mode, "by", by, "on", str(ranks), "ranks", *options])
        done = run([mpirun, *options, "-n", str(ranks), program, by, mode], ".")
        print(f"{what}: exit code {done.returncode}\n{done.stdout}", end="")
        if done.returncode != 0:
            failures.append(f"{what}: exit code {done.returncode}: {done.stderr}")
    finish(failures)


if __name__ == "__main__":
    main()
