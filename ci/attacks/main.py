"""Deals tries of all classes to processes, and counts them."""
import argparse
import collections
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

from attacks.damage import Damage
from attacks.faults import Faults
from attacks.hostile import Hostile
from attacks.kills import Kills
from attacks.limits import Limits
from attacks.program import Program

ROOT = Path(__file__).resolve().parent.parent.parent
# How many tries of a class there are to one of the slowest.
CLASSES = {"kills": (Kills, 1), "damage": (Damage, 10), "hostile": (Hostile, 8), "faults": (Faults, 4), "limits": (Limits, 2)}


def in_order(names):
    """Names without end, each as often as its share, evenly."""
    done = dict.fromkeys(names, 0)
    while True:
        name = min(names, key=lambda one: (done[one] + 0.5) / CLASSES[one][1])
        done[name] += 1
        yield name


def one_try(options, program, ready, name, seed):
    """What went wrong, and the folder where the files are when something did."""
    folder = tempfile.mkdtemp(prefix=f"{name}-{seed}-", dir=options.folder)
    try:
        if name not in ready:
            ready[name] = CLASSES[name][0](program, tempfile.mkdtemp(prefix=f"{name}-", dir=options.folder))
        wrong = ready[name].attack(random.Random(f"{name} {seed}"), folder)
    except Exception:  # an error of the attack itself must not look like a good try
        wrong = [traceback.format_exc()]
    if not wrong:
        shutil.rmtree(folder, ignore_errors=True)
    return wrong, folder


def works(options, worker, jobs, until, results):
    """Every `jobs`-th try from `worker` on."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    names = [options.only] if options.only else list(CLASSES)
    program = Program(options.program, options.mpirun)
    ready = {}
    counts = collections.Counter()
    for number, name in enumerate(in_order(names)):
        if (options.tries is not None and number >= options.tries) or time.monotonic() >= until:
            break
        seed = options.seed + counts[name]
        counts[name] += 1
        if number % jobs != worker:
            continue
        results.put((name, seed, *one_try(options, program, ready, name, seed)))
    results.put(None)


def run_all(options):
    """Tries and failures by class."""
    until = float("inf") if options.tries is not None else time.monotonic() + options.seconds
    results = multiprocessing.Queue()
    workers = [multiprocessing.Process(target=works, args=(options, worker, options.jobs, until, results))
               for worker in range(options.jobs)]
    for worker in workers:
        worker.start()
    tries, failures = collections.Counter(), collections.Counter()
    left = len(workers)
    while left:
        said = results.get()
        if said is None:
            left -= 1
            continue
        name, seed, wrong, folder = said
        tries[name] += 1
        if not wrong:
            continue
        failures[name] += 1
        print(f"FAILED: ci/attack --only {name} --seed {seed} --tries 1    files: {folder}")
        for line in wrong:
            print("    " + line.replace("\n", "\n    "))
        sys.stdout.flush()
    for worker in workers:
        worker.join()
    return tries, failures


def main(usage):
    parser = argparse.ArgumentParser(description=usage, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--tries", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=list(CLASSES))
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("HARNESS_JOBS") or os.cpu_count()))
    parser.add_argument("program", nargs="?", default=str(ROOT / "build/release/bin/harness"))
    parser.add_argument("mpirun", nargs="?", default="mpirun")
    options = parser.parse_args()
    options.folder = tempfile.mkdtemp(prefix="harness-attack-")
    os.chmod(options.folder, 0o755)
    began = time.monotonic()
    tries, failures = run_all(options)
    print(f"{'class':8}  {'tries':>6}  {'failures':>8}")
    for name in [*tries, "all"]:
        print(f"{name:8}  {tries.total() if name == 'all' else tries[name]:6}"
              f"  {failures.total() if name == 'all' else failures[name]:8}")
    print(f"{time.monotonic() - began:.0f} s, seed {options.seed}")
    if not failures:
        shutil.rmtree(options.folder, ignore_errors=True)
    return 1 if failures or not tries else 0
