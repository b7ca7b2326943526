"""ci/lint.py [--without-tests] BUILD_FOLDER [FILE...]: clang-tidy (.clang-tidy's checks) over what BUILD_FOLDER compiles, in
parallel and in the build's own groups of sources, which takes a quarter of the time; with FILE... over the groups that
these are in. What passed is skipped until one of its sources, a header of the project that it includes, its compiler arguments
or the checks change: BUILD_FOLDER/lint holds a stamp for each. Fails when a check fires."""

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-14"
INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
TORCH = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*<(?:torch|ATen|c10)/", re.MULTILINE)


def with_headers(source):
    """The source and every header of the project that it includes, in a fixed order."""
    found, waiting = set(), [source]
    while waiting:
        path = waiting.pop()
        if path in found or not path.is_file():
            continue
        found.add(path)
        waiting += [ROOT / name.decode() for name in INCLUDE.findall(path.read_bytes())]
    return sorted(found)


def reads_torch(source):
    """Clang 14 cannot read LibTorch 1.13's headers as C++20 (a vector of an incomplete class in ATen/core/ivalue.h)."""
    return any(TORCH.search(path.read_bytes()) for path in with_headers(source))


def key_of(source, command, version):
    digest = hashlib.sha256((version + command).encode())
    for path in [ROOT / ".clang-tidy"] + with_headers(source):
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def check(source, build, stamp):
    """Runs clang-tidy on one source; returns its complaints, or "" after leaving the stamp."""
    gcc_flags_too = "--extra-arg=-Wno-unknown-warning-option"
    result = subprocess.run([TIDY, "-p", str(build), "--quiet", gcc_flags_too, str(source)], cwd=ROOT,
                            capture_output=True, text=True, check=False)
    if result.returncode == 0:
        stamp.touch()
        return ""
    return result.stdout + (result.stderr if "error" in result.stderr else "")


def is_test(source):
    return source.stem.endswith("_test") or source.stem.startswith("test_") or "tests" in source.relative_to(ROOT).parts


def members(source):
    """The sources of a group that CMake compiles as one; of any other source itself alone."""
    if source.parent.name != "Unity":
        return [source]
    return [Path(name.decode()) for name in INCLUDE.findall(source.read_bytes())]


def sources_of(build, wanted, without_tests):
    """{source or group of sources: its compiler command} of what is to be checked."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = Path(entry["directory"], entry["file"]).resolve()
        if source.suffix == ".cu" or not source.is_file():  # nvcc's arguments; not generated yet
            continue
        group = members(source)
        ours = all(ROOT in member.parents and build not in member.parents for member in group)
        if not ours or (wanted and not wanted.intersection(group)) or (without_tests and all(map(is_test, group))):
            continue
        if not reads_torch(source) and "cmake_pch" not in entry["command"]:  # the only one is LibTorch's
            found[source] = entry["command"]
    return found


def main():
    arguments = [word for word in sys.argv[1:] if word != "--without-tests"]
    without_tests = len(arguments) < len(sys.argv) - 1
    build = Path(arguments[0]).resolve()
    version = subprocess.run([TIDY, "--version"], capture_output=True, text=True, check=True).stdout
    stamps = build / "lint"
    stamps.mkdir(exist_ok=True)
    sources = sources_of(build, {(ROOT / name).resolve() for name in arguments[1:]}, without_tests)
    due = [(source, stamps / key_of(source, command, version)) for source, command in sorted(sources.items())]
    due = [(source, stamp) for source, stamp in due if not stamp.exists()]
    start = time.monotonic()
    with ThreadPoolExecutor(int(os.environ.get("HARNESS_JOBS", os.cpu_count() or 2))) as pool:
        complaints = [text for text in pool.map(lambda item: check(item[0], build, item[1]), due) if text]
    print("\n".join(complaints))
    print(f"clang-tidy: {sum(len(members(source)) for source, _ in due)} of "
          f"{sum(len(members(source)) for source in sources)} sources checked in {time.monotonic() - start:.0f} s, "
          f"{len(complaints)} with complaints")
    return 1 if complaints or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
