"""What the tests that run the program share: a folder, experiments, and the program itself."""
import contextlib
import glob
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "results"))
from seal import seal  # noqa: E402

LONGEST_LINE = 6000  # of a message

SMALL = """[workload]
pipelines = ["tm"]
traces = ["poisson"]
duration_s = 5
[[system]]
name = "naive"
"""


def several_cells(seeds, duration_s=5):
    return SMALL.replace("duration_s = 5", f"duration_s = {duration_s}\nseeds = {list(range(1, seeds + 1))}") + (
        '[[system]]\nname = "pard"\n')


def environment(**more):
    env = dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl_vader_single_copy_mechanism="none", **more)
    if os.getuid() == 0:
        env.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return env


def run(command, folder, **options):
    return subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=120, **options)


def finished_cells(folder, stem):
    return len(glob.glob(os.path.join(folder, stem + ".cells", "*.h5")))


def stopped_run(command, folder, results, cells, number):
    """Starts the command and sends it the signal when `cells` cells lie in RESULTS.cells; its exit code, its standard
    error, and how many lie there then."""
    out, stem = os.path.join(folder, os.path.dirname(results)), os.path.basename(results)
    process = subprocess.Popen(command, cwd=folder, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True)
    while process.poll() is None and finished_cells(out, stem) < cells:
        time.sleep(0.005)
    process.send_signal(number)
    stderr = process.communicate(timeout=60)[1]
    return process.returncode, stderr, finished_cells(out, stem)


def processes_of_ranks(parent):
    """Process ids by rank, of what this mpirun started."""
    found = {}
    for folder in glob.glob("/proc/[0-9]*"):
        try:
            if int(Path(folder, "stat").read_text().rsplit(")", 1)[1].split()[1]) != parent:
                continue
            variables = Path(folder, "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        found.update((int(one.split(b"=")[1]), int(folder[6:])) for one in variables if one.startswith(b"OMPI_COMM_WORLD_RANK="))
    return found


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb" if isinstance(text, bytes) else "w") as file:
        file.write(text)
    return path


@contextlib.contextmanager
def edited(path, mode="r+"):
    """A results file that is open for changes, and gets the checksum of what is in it then."""
    import h5py  # most tests need none
    with h5py.File(path, mode) as file:
        yield file
    seal(path)


def tree(folder):
    """Every file and folder below with its size and time: what a command that writes nothing leaves as it is."""
    found = {}
    for root, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(root, name)
            status = os.lstat(path)
            found[os.path.relpath(path, folder)] = (status.st_size, status.st_mtime_ns)
    return found


class Failures(list):
    """What a test found wrong, a text each."""

    def expect(self, what, done, code, words=()):
        """The program ended with that code and said the words, on either output."""
        text = done.stdout + done.stderr
        if done.returncode != code or not all(word in text for word in words):
            self.append(f"{what}: exit code {done.returncode}, expected {code} with {list(words)}\n    {text.strip()[:900]}")

    def refused(self, what, command, folder, words, code=2, **options):
        """The program ends with that code, says the words in its one line, to which mpirun adds its own, prints nothing
        else and writes nothing."""
        before = tree(folder)
        done = run(command, folder, **options)
        lines = done.stderr.splitlines()
        said = [line for line in lines if line.startswith("harness: ")]
        if len(said) != 1 or done.stdout or (said != lines and "mpi" not in os.path.basename(command[0])):
            self.append(f"{what}: not one line: {done.stdout[:400]}{done.stderr.strip()[:400]}")
        if any(len(line) > LONGEST_LINE or not line.isprintable() for line in said):
            self.append(f"{what}: no line for a terminal: {said[0][:400]!r}")
        if tree(folder) != before:
            self.append(f"{what}: something was written")
        self.expect(what, done, code, words)


def finish(failures):
    for failure in failures:
        print(failure)
    print(f"{len(failures)} failures" if failures else "all well")
    sys.exit(1 if failures else 0)
