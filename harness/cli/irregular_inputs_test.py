"""Every kind of input as every kind of thing that is no regular file, cannot be read or is too large: refused at once,
with one line that names it and the key that it is the value of, and nothing written.

    irregular_inputs_test.py HARNESS
"""
import gzip
import os
import resource
import shutil
import socket
import sys
import tempfile

from fit_test import CLAIMS, FIT
from program_testing import SMALL, Failures, finish, run, write

SYSTEM = '[[system]]\nname = "naive"\n'
MEMORY = 3 << 30  # the largest trace and its copies


def fifo(path):
    os.mkfifo(path)


def link_to(target):
    return lambda path: os.symlink(target, path)


def a_socket(path):
    listening = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(os.path.dirname(path))  # a socket's address is short
    listening.bind(os.path.basename(path))
    os.chdir(here)
    listening.close()


def link_to_fifo(path):
    os.mkfifo(path + ".target")
    os.symlink(path + ".target", path)


def sparse(path):
    with open(path, "wb") as file:
        file.truncate(2 << 30)


def gz_bomb(path):
    """2 GiB of a digit, in two members."""
    member = gzip.compress(b"0" * (1 << 20), 9)
    with open(path, "wb") as file:
        file.write(member * 2048)


IRREGULAR = {"fifo": fifo, "link to a fifo": link_to_fifo, "socket": a_socket, "folder": os.mkdir,
             "/dev/zero": link_to("/dev/zero"), "/dev/full": link_to("/dev/full"), "/dev/urandom": link_to("/dev/urandom"),
             "/proc/self/mem": link_to("/proc/self/mem"), "loop of links": lambda path: os.symlink(path, path), "2 GiB of nothing": sparse, "gz bomb": gz_bomb}


def workload(trace, fields):
    return f'[workload]\npipelines = ["tm"]\ntraces = ["{trace}"]\n[trace.{trace}]\n{fields}\n' + SYSTEM


def streams(path):
    return ('[workload]\npipelines = "shepherd13"\ntraces = "m"\nrates_rps = 0\nduration_s = 2\n[cluster]\nworkers = 4\n'
            f'profiles = "shepherd-v100"\n[trace.m]\nfile = "{path}"\n[[trace.m.streams]]\ncount = 3\nrps = 30\n'
            'minutes = "recorded"\n[[system]]\nname = "shepherd"\n')


MODEL = 'slo_ms = 200\n[[module]]\nname = "m"\nmodel = "resnet18"\ninput_size = [8, 8]\nfile = "in.pt"\n'

# What is read: (name of the thing in the folder, text of e.toml or None, arguments).
INPUTS = {
    "experiment": ("in.toml", None, ["in.toml", "-o", "out"]),
    "experiment, dry": ("in.toml", None, ["in.toml", "--dry-run"]),
    "experiment of the doctor": ("in.toml", None, ["doctor", "in.toml"]),
    "experiment of a suite": ("in.toml", 'suite = ["in.toml"]\n', ["e.toml", "-o", "out"]),
    "pipeline": ("in.toml", SMALL.replace('"tm"', '"./in.toml"'), ["e.toml", "-o", "out"]),
    "profiles": ("in.toml", SMALL + '[cluster]\nprofiles = "./in.toml"\n', ["e.toml", "-o", "out"]),
    "profiles of Nexus": ("in.txt", SMALL + '[cluster]\nprofiles = "./in.txt"\n', ["e.toml", "-o", "out"]),
    "profiles of Nexus in a folder": ("set/in.txt", SMALL + '[cluster]\nprofiles = "./set"\n', ["e.toml", "-o", "out"]),
    "profiles that get goodput": ("in.toml", None, ["profile", "--profiles", "in.toml", "--goodput", "100", "-o", "o.toml"]),
    "pipeline to measure": ("in.toml", None, ["profile", "--device", "null", "--pipeline", "./in.toml", "-o", "o.toml"]),
    "model to measure": ("in.pt", None, ["profile", "--file", "in.pt", "--input", "8x8", "-o", "o.toml"]),
    "base of profiles": ("in.toml", 'base = "./in.toml"\n', ["check", "e.toml"]),
    "base of Nexus's profiles": ("in.txt", 'base = "./in.txt"\n', ["check", "e.toml"]),
    "model of a pipeline": ("in.pt", MODEL, ["check", "e.toml"]),
    "library of a system": ("in.so", SMALL + 'library = "./in.so"\n', ["e.toml", "-o", "out"]),
    "claims of a fit": ("in.toml", FIT.replace("claims.toml", "in.toml").replace("small", "good"), ["fit", "e.toml", "-o", "out"]),
    "experiment of a fit": ("in.toml", FIT.replace('"small.toml"', '"in.toml"\nas = "small"'), ["fit", "e.toml", "-o", "out"]),
    "trace of --set": ("in.csv", workload("t", "duration_s = 1"), ["e.toml", "--set", "trace.t.file=in.csv", "-o", "out"]),
    "trace": ("in.csv", workload("t", 'file = "in.csv"'), ["e.toml", "-o", "out"]),
    "trace, packed": ("in.csv.gz", workload("t", 'file = "in.csv.gz"'), ["e.toml", "-o", "out"]),
    "send times": ("in.txt", workload("t", 'file = "in.txt"\nformat = "times"'), ["e.toml", "-o", "out"]),
    "functions": ("in.csv", workload("t", 'file = "in.csv"\nformat = "azure_functions"'), ["e.toml", "-o", "out"]),
    "tokens": ("in.csv", workload("t", 'file = "in.csv"\nformat = "azure_llm"'), ["e.toml", "-o", "out"]),
    "minutes of streams": ("in.csv", streams("in.csv"), ["e.toml", "-o", "out"]),
    "minutes to look at": ("in.csv", streams("in.csv"), ["trace", "cv", "e.toml"]),
    "streams to look at": ("in.toml", None, ["trace", "cv", "in.toml"]),
    "trace to look at": ("in.csv", None, ["trace", "info", "in.csv"]),
    "trace to write": ("in.csv", None, ["trace", "make", "in.csv", "-o", "o.txt"]),
    "claims": ("in.toml", None, ["claims", "--claims-file", "in.toml"]),
    "results of claims": ("in.h5", None, ["claims", "in.h5"]),
    "results to show": ("in.h5", None, ["show", "in.h5"]),
    "results to show by model": ("in.h5", None, ["show", "in.h5", "--models"]),
    "results to pair": ("in.h5", None, ["show", "in.h5", "--paired", "drop_rate"]),
    "results to draw": ("in.h5", None, ["figures", "in.h5"]),
    "table to draw": ("in.csv", None, ["figures", "in.csv"]),
    "baseline": ("in.h5", None, ["compare", "in.h5", "good.h5"]),
    "results to judge": ("in.h5", None, ["compare", "good.h5", "in.h5"]),
    "results to differ from": ("in.h5", None, ["diff", "in.h5", "good.h5"]),
    "results of fidelity": ("in.h5", None, ["compare", "--fidelity", "in.h5"]),
    "results of measured times": ("in.h5", None, ["compare", "--fidelity", "in.h5", "--measured-times"]),
    "results to explain": ("in.h5", None, ["explain", "in.h5", "--worst", "1"]),
    "results to replay": ("in.h5", None, ["replay", "in.h5"]),
    "results to replay with": ("in.h5", None, ["replay", "good.h5", "in.h5"]),
    "results of a timeline": ("in.h5", None, ["timeline", "in.h5", "--cell", "0", "-o", "o.pftrace"]),
    "cell to collect": ("in.cells/0123456789abcdef.h5", None, ["collect", "in.cells"]),
    "pipeline of results": ("mine/p.toml", None, ["replay", "named.h5", "--folder", "mine"]),
    "trace of results": ("mine/t.csv", None, ["compare", "--fidelity", "timed.h5", "--measured-times", "--folder", "mine"]),
    "profiles of results": ("mine/s.toml", None, ["replay", "named.h5", "--folder", "mine"]),
}
# The keys that name them.
KEYS = {
    "experiment of a suite": "e.toml:1: suite = ", "pipeline": "e.toml:2: workload.pipelines = ",
    "profiles": "e.toml:8: cluster.profiles = ", "profiles of Nexus": "e.toml:8: cluster.profiles = ",
    "profiles of Nexus in a folder": "e.toml:8: cluster.profiles = ", "base of profiles": "e.toml:1: base = ",
    "base of Nexus's profiles": "e.toml:1: base = ", "model of a pipeline": "e.toml:6: module.file = ",
    "library of a system": "e.toml:7: system.library = ", "claims of a fit": "e.toml:1: claims_file = ",
    "experiment of a fit": "e.toml:18: base.experiment = ", "trace of --set": "trace.t.file = ", "trace": "e.toml:5: trace.t.file = ",
    "trace, packed": "e.toml:5: trace.t.file = ", "send times": "e.toml:5: trace.t.file = ", "functions": "e.toml:5: trace.t.file = ",
    "tokens": "e.toml:5: trace.t.file = ", "minutes of streams": "e.toml:10: trace.m.file = ",
    "minutes to look at": "e.toml:10: trace.m.file = ",
}
# Where a folder is no mistake, or says what it lacks.
FOLDERS = {"profiles of Nexus in a folder", "cell to collect"}
# Files that can be read, and whose contents are wrong.
READABLE = {"gz bomb"}
# What is opened, and read only by a device.
OPENED = {"model of a pipeline": {"2 GiB of nothing", "gz bomb", "/proc/self/mem"}}
NAMED = """[workload]
pipelines = ["./p.toml"]
traces = ["t"]
rates_rps = [50]
duration_s = 3
[trace.t]
file = "t.csv"
[cluster]
workers = 4
profiles = "./s.toml"
[record]
replay = true
[[system]]
name = "naive"
"""
TIMED = 'runtime = ["simulated", "gpu"]\n' + NAMED.replace("replay = true", "replay = false") + '[gpu]\ndevice = "null"\n'


def prepare(harness, folder, failures):
    """Results that name files of the folder mine, and these files."""
    write(folder, "mine/t.csv", "second,count\n" + "".join(f"{i},{40 + i % 7}\n" for i in range(10)))
    write(folder, "mine/named.toml", NAMED)
    write(folder, "mine/timed.toml", TIMED)
    os.makedirs(os.path.join(folder, "set"))
    os.makedirs(os.path.join(folder, "in.cells"))
    write(folder, "mine/p.toml", 'slo_ms = 200\n[[module]]\nname = "only"\nmodel = "resnet18"\ninput_size = [8, 8]\n')
    shutil.copy("workloads/profiles/shepherd-v100.toml", os.path.join(folder, "mine/s.toml"))
    write(folder, "good.toml", SMALL)
    write(folder, "claims.toml", CLAIMS)
    for name in ("good.toml", "mine/named.toml"):
        failures.expect(name, run([harness, name, "-o", ".", "--quiet"], folder), 0)
    run([harness, "mine/timed.toml", "-o", ".", "--quiet"], folder)  # whether its live cell is valid, the machine decides
    failures.expect("replay", run([harness, "replay", "named.h5", "--folder", "mine"], folder), 0)


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def remove(path):
    for one in (path, path + ".target"):
        if os.path.isdir(one) and not os.path.islink(one):
            shutil.rmtree(one)
        elif os.path.lexists(one):
            os.remove(one)


def every_input(harness, folder, failures):
    def expected(what, command, folder, words, **options):
        failures.expect(what, run(command, folder, **options), 2, words)

    cases = 0
    for what, (name, text, arguments) in INPUTS.items():
        path = os.path.join(folder, name)
        kept = path + ".kept"
        if os.path.exists(path):
            os.rename(path, kept)
        if text is not None:
            write(folder, "e.toml", text)
        for kind, make in IRREGULAR.items():
            if (kind == "folder" and what in FOLDERS) or kind in OPENED.get(what, ()):
                continue
            make(path)
            check = failures.refused if what != "cell to collect" else expected  # its lock is made and removed
            words = [os.path.basename(name), KEYS.get(what, "") if kind not in READABLE else ""]
            check(f"{what}: {kind}", [harness, *arguments], folder, words, preexec_fn=limited)
            remove(path)
            cases += 1
        if os.path.exists(kept):
            os.rename(kept, path)
    return cases


def main():
    harness = os.path.abspath(sys.argv[1])
    failures = Failures()
    with tempfile.TemporaryDirectory() as folder:
        prepare(harness, folder, failures)
        cases = every_input(harness, folder, failures)
    print(f"{cases} cases")
    finish(failures)


if __name__ == "__main__":
    main()
