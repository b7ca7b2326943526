"""Standard files that are closed, or that nobody reads, and a process that may open only a few files or has little memory.

    standard_files_test.py HARNESS
"""
import itertools
import os
import resource
import subprocess
import sys
import tempfile

import h5py

from program_testing import Failures, environment, finish, finished_cells, run, several_cells, write

FEWEST, ENOUGH = 4, 64  # with 3 the program's libraries cannot be loaded
CELLS = 6


def without(closed):
    def close():
        for descriptor in closed:
            os.close(descriptor)
    return close


def only(descriptors):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))


def to_nobody(command, folder, descriptor):
    """The command's exit code when nobody reads that standard file of it, and what is on the other."""
    read, end = os.pipe()
    os.close(read)
    files = {1: "stdout", 2: "stderr"}
    pipes = {name: end if number == descriptor else subprocess.PIPE for number, name in files.items()}
    process = subprocess.Popen(command, cwd=folder, env=environment(), text=True, **pipes)
    os.close(end)
    said = process.communicate(timeout=120)[2 - descriptor]
    return process.returncode, said


def is_whole(folder, name):
    with h5py.File(os.path.join(folder, name)) as file:
        return len(file["summary"]) == CELLS


def closed_files(harness, folder, failures):
    cases = [closed for count in (1, 2, 3) for closed in itertools.combinations((0, 1, 2), count)]
    for closed in cases:
        stem = "closed" + "".join(map(str, closed))
        done = run([harness, "e.toml", "-o", stem], folder, preexec_fn=without(closed))
        failures.expect(f"a run without {closed}", done, 0)
        if done.returncode == 0 and not is_whole(folder, f"{stem}/e.h5"):
            failures.append(f"a run without {closed}: its results are not whole")
        failures.expect(f"show without {closed}", run([harness, "show", f"{stem}/e.h5"], folder, preexec_fn=without(closed)), 0)


def unread_files(harness, folder, failures):
    for arguments in (["show", "closed0/e.h5"], ["show", "closed0/e.h5", "--csv"], ["e.toml", "--dry-run"], ["list", "systems"], ["--help"]):
        code, said = to_nobody([harness, *arguments], folder, 1)
        if code != 3 or not said.startswith("harness: standard output: cannot be written") or said.count("\n") != 1:
            failures.append(f"{arguments} that nobody reads: exit code {code}: {said}")
    for descriptor in (1, 2):
        stem = f"unread{descriptor}"
        code, said = to_nobody([harness, "e.toml", "-o", stem], folder, descriptor)
        if code != 3 or not is_whole(folder, f"{stem}/e.h5") or finished_cells(os.path.join(folder, stem), "e") > 0:
            failures.append(f"a run whose file {descriptor} nobody reads: exit code {code}: {said}")
    if to_nobody([harness, "gone.toml"], folder, 2) != (2, ""):
        failures.append("a message that nobody reads")


def few_descriptors(harness, folder, failures):
    for count in range(FEWEST, ENOUGH):
        for arguments in (["e.toml", "-o", "few"], ["show", "closed0/e.h5"]):
            failures.refused(f"{arguments} with {count} descriptors", [harness, *arguments], folder,
                             [f"a process may open only {count} files here; at least {ENOUGH}"], 3, preexec_fn=only(count))
    failures.expect("enough descriptors", run([harness, "e.toml", "-o", "few"], folder, preexec_fn=only(ENOUGH)), 0)


def little_memory(harness, folder, failures):
    """From where the program can be loaded on: it says so in a line, keeps what is finished, and finishes the rest."""
    limited = lambda amount: lambda: resource.setrlimit(resource.RLIMIT_AS, (amount, amount))
    loads = lambda amount: run([harness, "--version"], folder, preexec_fn=limited(amount)).returncode == 0
    least = next((amount for amount in range(16 << 20, 256 << 20, 1 << 18) if loads(amount)), None)
    if least is None:
        return  # a build with a sanitizer
    for more in [*range(0, 4 << 20, 1 << 18), *range(4 << 20, 32 << 20, 2 << 20)]:
        finishing = ["e.toml", "-o", f"little{more}", "--quiet"]
        for arguments in (["e.toml", "--dry-run"], finishing, ["show", "closed0/e.h5"], ["diff", "closed0/e.h5", "closed0/e.h5"]):
            done = run([harness, *arguments], folder, preexec_fn=limited(least + more))
            lacks = done.returncode == 3 and done.stderr == "harness: there is not enough memory\n"
            skips = arguments is finishing and done.returncode == 1 and "its run failed: there is not enough memory" in done.stderr
            if done.returncode != 0 and not lacks and not skips:
                failures.append(f"{arguments} with {least + more} bytes: exit code {done.returncode}: {done.stderr.strip()}")
        failures.expect("finishing", run([harness, *finishing, "--rerun-failed"], folder), 0, [f"{CELLS} cells"])


def main():
    harness = os.path.abspath(sys.argv[1])
    failures = Failures()
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "e.toml", several_cells(CELLS // 2, 2))
        closed_files(harness, folder, failures)
        unread_files(harness, folder, failures)
        few_descriptors(harness, folder, failures)
        little_memory(harness, folder, failures)
    finish(failures)


if __name__ == "__main__":
    main()
