"""Ranks of one host: they listen on no port, unless the user has chosen so, and what a killed job leaves can be removed.

    one_host_test.py HARNESS MPIRUN
"""
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from program_testing import SMALL, Failures, environment, finish, run, write

LIVE = 'runtime = "emulated"\n' + SMALL + "[cluster]\nworkers = 4\n[live]\nschedule_lag_limit_ms = 20000\nstall_limit_ms = 20000\n"
LISTENS = "0A"


def program_of(process):
    try:
        return os.readlink(f"/proc/{process}/exe")
    except OSError:
        return ""


def ranks_of(mpirun, harness):
    """The processes of the job: mpirun starts them itself, on one host."""
    try:
        with open(f"/proc/{mpirun}/task/{mpirun}/children") as file:
            return [process for process in file.read().split() if program_of(process) == os.path.realpath(harness)]
    except OSError:
        return []


def listening(process):
    """The addresses of TCP on which a process listens, as the kernel writes them."""
    held, found = set(), set()
    for descriptor in glob.glob(f"/proc/{process}/fd/*"):
        try:
            held.add(os.readlink(descriptor))
        except OSError:
            pass
    for table in ("tcp", "tcp6"):
        with open(f"/proc/net/{table}") as file:
            for words in map(str.split, list(file)[1:]):
                if words[3] == LISTENS and f"socket:[{words[9]}]" in held:
                    found.add(words[1])
    return found


def has_started_mpi(process):
    """Its shared memory is there."""
    try:
        with open(f"/proc/{process}/maps") as file:
            return "vader_segment" in file.read()
    except OSError:
        return False


def started(harness, mpirun, folder, seconds, **more):
    length = f"workload.duration_s={seconds}"
    return subprocess.Popen([mpirun, "-n", "3", harness, "live.toml", "--quiet", "--fresh", "--set", length], cwd=folder, env=environment(**more),
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def ports_of_a_run(harness, mpirun, folder, **more):
    """Every address that a rank listened on while MPI ran, how many looks there were, and the exit code."""
    process = started(harness, mpirun, folder, 3, **more)
    found, looks = set(), 0
    while process.poll() is None:
        for rank in ranks_of(process.pid, harness):
            if has_started_mpi(rank):
                found |= listening(rank)
                looks += 1
        time.sleep(0.02)
    process.communicate()
    return found, looks, process.returncode


def check_ports(harness, mpirun, folder):
    failures = []
    found, looks, code = ports_of_a_run(harness, mpirun, folder)
    if found or looks == 0 or code != 0:
        failures.append(f"exit code {code}; in {looks} looks ranks listened on {sorted(found)}")
    found, looks, code = ports_of_a_run(harness, mpirun, folder, OMPI_MCA_btl="self,vader,tcp")
    if not found or code != 0:
        failures.append(f"exit code {code}; in {looks} looks no rank used TCP, which the user had chosen")
    return failures


def left(harness, folder):
    done = run([harness, "doctor", "--clean"], folder)
    removed = re.findall(r"^removed (.+)$", done.stdout, re.M)
    word = "leftover" if len(removed) == 1 else "leftovers"
    if done.returncode != 0 or f"{len(removed)} {word} of killed MPI jobs removed\n" not in done.stdout:
        raise AssertionError(f"doctor --clean: {done.returncode} {done.stdout}{done.stderr}")
    return removed


def segments():
    return set(glob.glob(f"/dev/shm/vader_segment.*.{os.getuid()}.*"))


def segments_of(process):
    with open(f"/proc/{process}/maps") as file:
        return set(re.findall(r"/dev/shm/vader_segment\S+", file.read()))


def check_cleaning(harness, mpirun, folder):
    """A job that is killed, beside one that goes on."""
    failures = []
    living, killed = (started(harness, mpirun, os.path.join(folder, name), seconds=600) for name in ("", "other"))
    own = {}
    for job in (living, killed):
        while job.poll() is None and not (len(ranks_of(job.pid, harness)) == 3 and
                                          all(map(has_started_mpi, ranks_of(job.pid, harness)))):
            time.sleep(0.01)
        own[job] = {path for rank in ranks_of(job.pid, harness) for path in segments_of(rank)}
    victims = [killed.pid, *map(int, ranks_of(killed.pid, harness))]
    for process in victims:
        os.kill(process, signal.SIGKILL)
    killed.communicate()
    while any(program_of(process) for process in victims):
        time.sleep(0.01)
    session = f"/pid.{killed.pid}"
    removed = left(harness, folder)
    if not own[killed] or not own[killed] <= set(removed) or not any(path.endswith(session) for path in removed):
        failures.append(f"{sorted(own[killed])} and {session} are not all in {removed}")
    if segments() & own[killed] or any(map(os.path.exists, removed)):
        failures.append(f"not removed: {sorted(own[killed])}")
    if not own[living] <= segments() or any(path.endswith(f"/pid.{living.pid}") for path in removed):
        failures.append(f"a living job lost {sorted(own[living] - segments())}")
    living.terminate()
    living.communicate()
    return failures


def main():
    harness, mpirun = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "live.toml", LIVE)
        write(folder, "other/live.toml", LIVE)
        failures = Failures(check_ports(harness, mpirun, folder) + check_cleaning(harness, mpirun, folder))
    finish(failures)


if __name__ == "__main__":
    main()
