"""The MPI transport on 2 to 5 ranks: all-to-all messages of up to 1 MB arrive whole, in order and once, the counters add
up, and a rank that sleeps is woken. Also without sockets ("deaf"), where ranks poll.

    mpi_transport_test.py TEST_RANKS MPIRUN
"""
import os
import sys

from program_testing import finish, run


OVER_TCP = ("--mca", "btl", "tcp,self")  # packets come after their datagrams
RUNS = ((1, "exchange"), (2, "exchange"), (3, "exchange"), (5, "exchange"), (3, "exchange", *OVER_TCP),
        (3, "deaf-exchange"), (2, "wake"), (5, "wake"), (3, "wake", *OVER_TCP), (2, "deaf-wake"), (2, "deadlines"))


def main():
    program, mpirun = os.path.abspath(sys.argv[1]), sys.argv[2]
    failures = []
    for ranks, mode, *options in RUNS:
        what = " ".join([mode, "on", str(ranks), "ranks", *options])
        done = run([mpirun, *options, "-n", str(ranks), program, mode], ".")
        print(f"{what}: exit code {done.returncode}\n{done.stdout}", end="")
        if done.returncode != 0:
            failures.append(f"{what}: exit code {done.returncode}: {done.stderr}")
    finish(failures)


if __name__ == "__main__":
    main()
