"""The command line of ci/gpu-node."""

import argparse
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import report
from fetch import fetch
from node import checked_node, identity_of
from problems import Failed, Problem
from runner import PASSED, Clock, Shell, State, exit_code, is_done, run_steps, summary
from steps import STEPS, experiment

ROOT = Path(__file__).resolve().parent.parent.parent
NAMES = [step.name for step in STEPS]


def arguments(words):
    parser = argparse.ArgumentParser(prog="ci/gpu-node", description="Builds, tests and measures on a machine with a GPU and "
                                     "without internet. docs/gpu.md describes it.")
    commands = parser.add_subparsers(dest="command", required=True)
    fetching = commands.add_parser("fetch", help="download the libraries, with internet, on Debian 12")
    fetching.add_argument("folder", nargs="?", default="build/prefix", help="where to; default: %(default)s")
    commands.add_parser("steps", help="list the steps")
    running = commands.add_parser("run", help="run the steps that have not passed, or those named")
    renewing = commands.add_parser("renew", help="make this GPU's results its baseline")
    for command in (running, renewing):
        command.add_argument("--device", choices=("cuda", "cpu"), help="cpu: every step, small, on processor cores; "
                             "default: HARNESS_NODE_DEVICE, else cuda")
        command.add_argument("--prefix", help="folder or archive of `fetch`; default: HARNESS_PREFIX, else the machine's libraries")
        command.add_argument("--out", default=str(ROOT / "results-out" / "gpu-node"), help="folder of the results")
        command.add_argument("--jobs", type=int, default=0, help="processes that build and test; default: one for each core")
        command.add_argument("--budget-s", type=float, default=None, help="stop in order after so many seconds")
    running.add_argument("--fresh", action="store_true", help="forget earlier results")
    running.add_argument("--pack", help="archive of what is worth keeping; default: the folder's name with .tar.xz")
    running.add_argument("--pack-mib", type=float, default=15, help="its size at most; default: %(default)s")
    running.add_argument("steps", nargs="*", metavar="STEP", help=", ".join(NAMES))
    return parser.parse_args(words)


def clear(folder):
    """Removes what earlier runs left; the profiles stay until the step has measured them again, since experiments that are run by
    hand name them."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "profiles.toml":
            path.unlink()
    (folder / "logs").mkdir()


def prepared(options):
    node = checked_node(ROOT, options)
    clock = Clock(options.budget_s)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: clock.stop())
    node.shell = Shell(ROOT, node.environment(), clock)
    return node, clock, State(node.out / "state.json", identity_of(ROOT, node.device))


def run(options):
    unknown = [name for name in options.steps if name not in NAMES]
    if unknown:
        raise Problem(f"step {unknown[0]}; allowed: {', '.join(NAMES)}")
    begin = time.monotonic()
    node, clock, state = prepared(options)
    if state.path.exists() and (options.fresh or not state.results):  # without results: of other sources
        clear(node.out)
        state.results.clear()
    run_steps(STEPS, options.steps, node, state, clock)
    text = summary(STEPS, state)
    (node.out / "summary.txt").write_text(text, encoding="utf-8")
    archive = Path(options.pack) if options.pack else node.out.with_name(node.out.name + ".tar.xz")
    left_out = report.pack(node.out, archive, int(options.pack_mib * 2**20))
    print(f"\n{text}\n{time.monotonic() - begin:.0f} s; {archive}: {archive.stat().st_size / 2**20:.2f} MiB"
          + (f", without {', '.join(left_out)}" if left_out else ""))
    judged = [step for step in STEPS if not options.steps or step.name in options.steps]
    return exit_code(judged, state)


def renew(options):
    """The profiles that the step `profile` has measured, and experiments/gpu/regress.toml run with them."""
    node, _, state = prepared(options)
    profiled = next(step for step in STEPS if step.name == "profile")
    if not is_done(profiled, node, state) or state.of("profile").verdict != PASSED:
        raise Problem("the step profile has not passed; ci/gpu-node run profile", 1)
    folder = node.baseline()
    folder.mkdir(parents=True, exist_ok=True)
    node.shell.log = node.out / "logs" / "renew.log"
    shutil.copy(node.profiles, folder / "profiles.toml")
    try:
        results = experiment(node, False, "regress", (*node.sizes.one_gpu, f"cluster.profiles={folder / 'profiles.toml'}"))
        subprocess.run([node.python(), ROOT / "ci" / "write_baseline.py", results, folder / "regress.h5"], check=True,
                       env=node.shell.env)
    except (Failed, subprocess.CalledProcessError) as why:
        raise Problem(f"{why} ({node.shell.log})", 1) from why
    print(f"{folder}: profiles.toml and regress.h5; commit them")
    return 0


def main(words):
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` ends it without a traceback
    options = arguments(words)
    try:
        if options.command == "fetch":
            return fetch(Path(options.folder).resolve())
        if options.command == "steps":
            print("\n".join(f"{step.name:<12} {step.what}" for step in STEPS))
            return 0
        return run(options) if options.command == "run" else renew(options)
    except Problem as problem:
        print(f"ci/gpu-node: {problem}", file=sys.stderr)
        return problem.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
