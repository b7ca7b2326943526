"""The command line of ci/gpu-node."""

import argparse
import fcntl
import os
import shutil
import signal
import sys
import time
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent / "prefix"))

import bundle  # noqa: E402
import report  # noqa: E402
import visit as visits  # noqa: E402
from fetch import fetch  # noqa: E402
from node import checked_node, identity_of  # noqa: E402
from problems import Failed, Problem  # noqa: E402
from runner import PASSED, Clock, Shell, State, exit_code, is_done, run_steps, summary  # noqa: E402
from sizes import CPU_VISIT, GPU_VISIT  # noqa: E402
from steps import STEPS, make_baseline  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
NAMES = [step.name for step in STEPS]
ARCHIVE_MIB = 15


def arguments(words):
    parser = argparse.ArgumentParser(prog="ci/gpu-node", description="Builds, tests and measures on a machine with a GPU and "
                                     "without internet. docs/gpu.md describes it.")
    commands = parser.add_subparsers(dest="command", required=True)
    fetching = commands.add_parser("fetch", help="download the libraries, with internet, on Debian 12")
    fetching.add_argument("folder", nargs="?", default="build/prefix", help="where to; default: %(default)s")
    packing = commands.add_parser("pack", help="build and pack what a GPU node needs, with internet, on Debian 12")
    packing.add_argument("archive", nargs="?", default="build/bundle/gpu-node.tar.xz", help="default: %(default)s")
    commands.add_parser("steps", help="list the steps")
    running = commands.add_parser("run", help="run the steps that have not passed, or those named")
    renewing = commands.add_parser("renew", help="make this GPU's results its baseline")
    visiting = commands.add_parser("visit", help="run one block of steps on a node that is at hand for a short while")
    executing = commands.add_parser("exec", help="run a command with the environment of the prefix or the bundle")
    executing.add_argument("words", nargs=argparse.REMAINDER, metavar="-- COMMAND")
    for command in (visiting, executing):
        command.add_argument("--bundle", help="archive or folder of `pack`; default: what is built here")
    for command in (running, renewing, visiting, executing):
        command.add_argument("--prefix", help="folder or archive of `fetch`; default: HARNESS_PREFIX, else the machine's libraries")
    for command in (running, renewing, visiting):
        command.add_argument("--device", choices=("cuda", "cuda:0", "cpu"), help="cpu: every step, small, on processor cores; "
                             "default: HARNESS_NODE_DEVICE, else cuda")
        command.add_argument("--jobs", type=at_least(0, int), default=0, help="processes that build and test; default: one for each core")
        command.add_argument("--budget-s", type=at_least(0, float), default=540 if command is visiting else None,
                             help="stop in order after so many seconds; default: %(default)s")
    for command in (running, renewing):
        command.add_argument("--out", default=str(ROOT / "results-out" / "gpu-node"), help="folder of the results")
    visiting.add_argument("block", nargs="?", metavar="N", help=f"which block: {', '.join(visits.BLOCKS)}")
    visiting.add_argument("--out", help=f"where the archive visit-N.tar.xz goes, at most {ARCHIVE_MIB} MiB")
    visiting.add_argument("--list", action="store_true", help="print what to bring and the commands of each block; nothing is run")
    running.add_argument("--fresh", action="store_true", help="forget earlier results")
    running.add_argument("--pack", help="archive of what is worth keeping; default: the folder's name with .tar.xz")
    running.add_argument("--pack-mib", type=float, default=ARCHIVE_MIB, help="its size at most; default: %(default)s")
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


def set_aside(folder):
    """Where what earlier runs left is from now on; what was there goes. Their profiles stay as well, as in clear()."""
    earlier = folder.with_name(f"{folder.name}-earlier")
    shutil.rmtree(earlier, ignore_errors=True)
    shutil.copytree(folder, earlier)
    clear(folder)
    return earlier


def at_least(least, kind):
    """Of an option."""
    def read(text):
        value = kind(text)
        if not value >= least:
            raise argparse.ArgumentTypeError(f"found {text}; allowed: {least} or more")
        return value
    return read


def hold(folder):
    """For this process alone until it ends: another of other sources would clear the folder under it."""
    try:
        fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as why:
        raise Problem(f"{folder}: another ci/gpu-node is at work there; wait until it has ended", 3) from why
    except OSError:
        pass  # a file system without locks


def prepared(options, out):
    node = checked_node(ROOT, options, out.resolve())
    (node.out / "logs").mkdir(parents=True, exist_ok=True)
    hold(node.out)
    clock = Clock(options.budget_s)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: clock.stop())
    node.shell = Shell(ROOT, node.environment(), clock)
    return node, clock, State(node.out / "state.json", node.identity())


def run(options):
    unknown = [name for name in options.steps if name not in NAMES]
    if unknown:
        raise Problem(f"step {unknown[0]}; allowed: {', '.join(NAMES)}")
    prepared_run = prepared(options, Path(options.out))
    out = prepared_run[0].out
    archive = Path(options.pack) if options.pack else out.with_name(out.name + ".tar.xz")
    return run_and_pack(prepared_run, STEPS, options.steps, options.fresh, archive, options.pack_mib)


def run_and_pack(prepared_run, steps, chosen, is_fresh, archive, pack_mib):
    begin = time.monotonic()
    node, clock, state = prepared_run
    if is_fresh:
        clear(node.out)
        state.results.clear()
    elif state.path.exists() and not state.results:
        print(f"what another device or other sources left is in {set_aside(node.out)} now", flush=True)
    run_steps(steps, chosen, node, state, clock)
    text = summary(steps, state)
    (node.out / "summary.txt").write_text(text, encoding="utf-8")
    left_out = report.pack(node.out, archive, int(pack_mib * 2**20))
    print(f"\n{text}\n{time.monotonic() - begin:.0f} s; {archive}: {archive.stat().st_size / 2**20:.2f} MiB"
          + (f", without {', '.join(left_out)}" if left_out else ""))
    return exit_code([step for step in steps if not chosen or step.name in chosen], state)


def of_visit(node):
    """With the sizes of a visit."""
    node.sizes = GPU_VISIT if node.device == "cuda" else CPU_VISIT
    return node


def visit(options):
    """One block. What it makes, and what the next call goes on with, is results-out/gpu-visit; `--out` gets all of it packed."""
    work = ROOT / "results-out" / "gpu-visit"
    if options.list:
        node = of_visit(checked_node(ROOT, options, work))
        node.shell = Shell(ROOT, node.environment(), Clock(None))
        print(visits.listing(node))
        return 0
    block = visits.BLOCKS.get(options.block)
    if block is None:
        raise Problem(f"visit: found block {options.block}; allowed: {', '.join(visits.BLOCKS)} (visit --list says what they do)")
    if options.out is None:
        raise Problem("visit: found no --out; allowed: the folder that the archive goes to")
    folder = Path(options.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as why:
        raise Problem(f"visit: --out {folder}: {why.strerror}", 3) from why
    prepared_run = prepared(options, work)
    of_visit(prepared_run[0])
    return run_and_pack(prepared_run, block.steps, (), False, folder / f"visit-{options.block}.tar.xz",
                        ARCHIVE_MIB)


def renew(options):
    """The profiles that the step `profile` has measured, and experiments/gpu/regress.toml run with them."""
    node, _, state = prepared(options, Path(options.out))
    profiled = next(step for step in STEPS if step.name == "profile")
    if not is_done(profiled, node, state) or state.of("profile").verdict != PASSED:
        raise Problem("the step profile has not passed; ci/gpu-node run profile", 1)
    node.shell.log = node.out / "logs" / "renew.log"
    try:
        print(f"{make_baseline(node, False, node.baseline())}; commit them")
    except Failed as why:
        raise Problem(f"{why} ({node.shell.log})", 1) from why
    return 0


def execute(options):
    """Becomes the command."""
    words = options.words[1:] if options.words[:1] == ["--"] else options.words
    if not words:
        raise Problem("exec: no command; allowed: ci/gpu-node exec [--prefix P | --bundle B] -- COMMAND")
    options.device, options.jobs = ("cuda" if (ROOT / "build/cuda/bin").exists() else "cpu"), 0
    node = checked_node(ROOT, options, ROOT / "results-out")
    env = node.environment()
    env["PATH"] = f"{node.build / 'bin'}:{env['PATH']}"
    program = shutil.which(words[0], path=env["PATH"])
    if not program:
        raise Problem(f"exec: {words[0]}: no such program in {node.build / 'bin'} or PATH", 127)
    os.execve(program, words, env)


def main(words):
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` ends it without a traceback
    options = arguments(words)
    try:
        if options.command == "fetch":
            return fetch(Path(options.folder).resolve())
        if options.command == "pack":
            return bundle.make(ROOT, Path(options.archive).resolve(), identity_of(ROOT))
        if options.command == "steps":
            print("\n".join(f"{step.name:<12} {step.what}" for step in STEPS))
            return 0
        return {"run": run, "renew": renew, "visit": visit, "exec": execute}[options.command](options)
    except Problem as problem:
        print(f"ci/gpu-node: {problem}", file=sys.stderr)
        return problem.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
