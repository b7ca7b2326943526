"""Runs the program with limits, and judges how it ended."""
import csv
import io
import os
import re
import resource
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "harness/cli"))
from program_testing import environment, finished_cells, processes_of_ranks, stopped_run, tree, write  # noqa: E402,F401

SECONDS = 60         # a command that takes longer hangs; on a busy machine as much more
MEMORY_MB = 1500     # at most; a command needs 30
LONGEST_LINE = 3000  # of a message
INTERNAL = re.compile(r"std::|bad_alloc|vector::|basic_string|terminate called")
VOLATILE = {"wall_s", "sim_requests_per_s"}
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass
class Done:
    """How a command ended. `code` is None when it hung."""
    words: list
    code: int | None
    stdout: str
    stderr: str
    peak_mb: float
    wrote: bool

    def __str__(self):
        return f"{' '.join(self.words)[:600]}: exit code {self.code}: {self.stderr[:1500]}{self.stdout[-300:]}"


def limited(limits):
    def apply():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for kind, amount in (limits or {}).items():
            resource.setrlimit(kind, (amount, amount))
    return apply


def end_all(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Program:
    """The program under attack."""

    def __init__(self, path, mpirun):
        self.path = os.path.abspath(path)
        self.mpirun = mpirun
        self.environment = environment()

    def command(self, words, ranks=1):
        return [self.path, *words] if ranks == 1 else [self.mpirun, "-n", str(ranks), self.path, *words]

    def start(self, words, folder, ranks=1, limits=None, **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen(self.command(words, ranks), cwd=folder, env=self.environment, preexec_fn=limited(limits), **options)

    def run(self, words, folder, ranks=1, limits=None, seconds=SECONDS, **options):
        before = tree(folder)
        process = self.start(words, folder, ranks, limits, **options)
        busy = max(1, os.getloadavg()[0] / os.cpu_count())
        timer = threading.Timer(seconds * busy, end_all, [process])
        timer.start()
        texts = {}
        readers = [threading.Thread(target=lambda name=name, file=file: texts.update({name: file.read()}))
                   for name, file in (("stdout", process.stdout), ("stderr", process.stderr)) if file]
        for reader in readers:
            reader.start()
        _, status, usage = os.wait4(process.pid, 0)
        hung = not timer.is_alive()
        timer.cancel()
        for reader in readers:
            reader.join()
        for file in (process.stdout, process.stderr):
            if file:
                file.close()
        process.returncode = os.waitstatus_to_exitcode(status)
        text = {name: texts.get(name, b"").decode("utf-8", "backslashreplace") for name in ("stdout", "stderr")}
        return Done(self.command(words, ranks), None if hung else process.returncode, text["stdout"], text["stderr"],
                    usage.ru_maxrss / 1024, tree(folder) != before)

    def rows(self, folder, results):
        """The rows of a results file, without what differs from run to run; and what is wrong with them."""
        shown = self.run(["show", results, "--csv"], folder)
        wrong = judged(shown, codes=[0])
        rows = list(csv.DictReader(io.StringIO(shown.stdout)))
        if not rows and not wrong:
            wrong.append(f"no rows: {shown}")
        for row in rows:
            if row["status"] == "ok" and int(row["sent"]) != sum(int(row[key]) for key in ("in_time", "late", "dropped", "unfinished")):
                wrong.append(f"a row that does not add up: {row}")
        return [{key: value for key, value in row.items() if key not in VOLATILE} for row in rows], wrong


def own_lines(stderr):
    """The program's own, without warnings; and the rest, mpirun's or others'."""
    lines = stderr.splitlines()
    own = [line for line in lines if line.startswith("harness: ") and not line.startswith("harness: warning: ")]
    return own, [line for line in lines if not line.startswith("harness: ")]


def judged(done, codes, names=(), with_mpirun=False, peak_mb=MEMORY_MB):
    """What is wrong with how a command ended. Exit code 2 must name one of `names` and leave everything as it was."""
    own, others = own_lines(done.stderr)
    wrong = []
    if done.code is None:
        wrong.append("hangs")
    elif done.code < 0 or done.code >= 128:
        wrong.append("crashes")
    elif done.code not in codes:
        wrong.append(f"exit code {done.code}, expected one of {codes}")
    elif done.code == 2:
        if len(own) != 1 or (others and not with_mpirun) or done.stdout:
            wrong.append("not one line")
        if done.wrote:
            wrong.append("something was written")
        if names and not any(name in done.stderr for name in names):
            wrong.append(f"names none of {names}")
    elif done.code == 3 and len(own) != 1:
        wrong.append("not one line that says what failed")
    if UNPRINTABLE.search(done.stdout) or UNPRINTABLE.search(done.stderr.replace("\r", "")):
        wrong.append("prints what cannot be printed")
    if any(len(line) > LONGEST_LINE for line in own):
        wrong.append("a message without end")
    if INTERNAL.search(done.stderr):
        wrong.append("says what only a programmer understands")
    if done.peak_mb > peak_mb:
        wrong.append(f"takes {done.peak_mb:.0f} MB")
    return [f"{', '.join(wrong)}: {done}"] if wrong else []
