"""Runs that are killed at any moment, alone and on ranks: the same command finishes them, and nothing is lost."""
import glob
import os
import signal
import subprocess
import time
from pathlib import Path

from attacks.program import SECONDS, end_all, finished_cells, judged, processes_of_ranks, write

EXPERIMENT = """[workload]
pipelines = ["tm", "da"]
traces = ["poisson"]
seeds = [1, 2, 3]
duration_s = 4
[cluster]
workers = 8
profile_scale = 3
[[system]]
name = "naive"
[[system]]
name = "pard"
"""
CELLS = 12
IN_ORDER = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL)
STOPPED_S = 40  # until ranks notice that one stands still: 15 s


def is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Kills:
    """The rows of a run left alone, and how long one takes."""

    def __init__(self, program, folder):
        self.program = program
        write(folder, "e.toml", EXPERIMENT)
        began = time.monotonic()
        made = program.run(["e.toml", "--quiet"], folder)
        self.seconds = {1: time.monotonic() - began}
        assert made.code == 0, made
        self.rows, wrong = program.rows(folder, "results-out/e.h5")
        assert not wrong and len(self.rows) == CELLS, wrong

    def attack(self, choice, folder):
        write(folder, "e.toml", EXPERIMENT)
        ranks = choice.choice([1] * 10 + [2, 3])
        wrong = []
        if ranks > 1 and choice.random() < 0.15:
            wrong += self.stop_rank(choice, folder, ranks)
        for _ in range(choice.randrange(1, 4)):
            if not wrong:
                wrong += self.kill(choice, folder, ranks)
        return wrong or self.finish(choice, folder)

    def kill(self, choice, folder, ranks):
        """Kills one process of a run and looks at how the run ended and at what it left."""
        number = choice.choice([signal.SIGKILL] * 3 + [*IN_ORDER, *CRASHES])
        kept = finished_cells(f"{folder}/results-out", "e")
        complete = os.path.exists(f"{folder}/results-out/e.h5")
        process = self.program.start(["e.toml", "--quiet"], folder, ranks)
        seconds = self.seconds.setdefault(ranks, self.seconds[1] + 1)
        try:
            process.wait(choice.uniform(0, seconds))
        except subprocess.TimeoutExpired:
            pass
        processes = processes_of_ranks(process.pid) if ranks > 1 else {0: process.pid}
        if processes and process.poll() is None:
            try:
                os.kill(choice.choice(sorted(processes.values())), number)
            except ProcessLookupError:
                pass
        try:
            _, stderr = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            # Open MPI 4.1.4's mpirun sometimes waits for itself when a rank dies while it starts: no rank is left then.
            left = [rank for rank in processes.values() if is_running(rank)]
            end_all(process)
            for rank in left:
                os.kill(rank, signal.SIGKILL)
            if left:
                return [f"a run on {ranks} ranks hangs after signal {number}"]
            stderr = process.communicate()[1]
        finally:
            end_all(process)
        wrong = []
        code = process.returncode
        # A run that was over counts cells that crashed before as invalid; a signal may come before main().
        if ranks == 1 and code not in {-number, 0, 1, 3 if number in IN_ORDER else 0}:
            wrong.append(f"signal {number}: exit code {code}: {stderr.decode()}")
        after = finished_cells(f"{folder}/results-out", "e")
        if not os.path.exists(f"{folder}/results-out/e.h5") and (complete or after < kept):
            wrong.append(f"signal {number}: {after} cells are left of {kept}")
        return wrong

    def stop_rank(self, choice, folder, ranks):
        """A rank that stands still ends the run, which names it."""
        long = ["e.toml", "--quiet", "-o", "long", "--set", "workload.duration_s=400"]
        process = self.program.start(long, folder, ranks)
        found = {}
        while process.poll() is None and (len(found) < ranks or not glob.glob(f"{folder}/long/e.cells/*")):
            time.sleep(0.01)
            found = processes_of_ranks(process.pid)
        stopped = choice.randrange(ranks)
        try:
            os.kill(found.get(stopped, 0) or process.pid, signal.SIGSTOP)
            stderr = process.communicate(timeout=STOPPED_S)[1].decode()
        except subprocess.TimeoutExpired:
            return [f"rank {stopped} of {ranks} stands still, and the run goes on"]
        finally:
            end_all(process)
        if process.returncode == 0 or f"rank {stopped}" not in stderr:
            return [f"rank {stopped} of {ranks} stands still: exit code {process.returncode}: {stderr}"]
        return []

    def finish(self, choice, folder):
        """The same command finishes the rest; then all is as in a run left alone."""
        ranks = choice.choice([1] * 8 + [2])
        words = ["e.toml", "--quiet"]
        done = self.program.run(words, folder, ranks)
        wrong = judged(done, [0, 1])
        if done.code == 1 and not wrong:
            rows, _ = self.program.rows(folder, "results-out/e.h5")
            if not all("the program " in row["why"] for row in rows if row["status"] != "ok"):
                wrong.append(f"a cell is not ok: {done}")
            wrong += judged(self.program.run([*words, "--rerun-failed"], folder), [0])
        if wrong:
            return wrong
        rows, wrong = self.program.rows(folder, "results-out/e.h5")
        if rows != self.rows:
            wrong.append(f"{len(rows)} rows differ from those of a run left alone")
        if os.listdir(f"{folder}/results-out") != ["e.h5"]:
            wrong.append(f"left: {os.listdir(f'{folder}/results-out')}")
        return wrong
