"""ci/prefix/machine.py DIR PACKAGE...: what `ci/setup --prefix DIR` does. What this machine lacks of the Debian packages, and of
what they need, is unpacked below DIR by an ordinary user; DIR/environment, sourced, has it found. apt keeps its lists in DIR for
as long as that takes."""

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import fetch
import prefix as prefixes
from problems import Problem

# Of fetch's, and what brings much more than the program uses of it. matplotlib needs munkres or SciPy.
NOT_NEEDED = re.compile(f"^({fetch.NOT_NEEDED}|lib(blas|lapack|tirpc|nsl)-dev|libperl.*|python3-(mpmath|sympy)|automake|autoconf|m4|"
                        "unicode-data)$")
# Packages whose files find each other from where they are themselves: of these all come, or none.
WHOLE = [(["g++"], re.compile(f"^({fetch.COMPILERS})$")),
         (["libopenmpi-dev", "openmpi-bin"], re.compile(r"^(.*openmpi.*|libpmix2)$"))]
LISTS = ("PATH", "LD_LIBRARY_PATH", "CMAKE_PREFIX_PATH", "CMAKE_INCLUDE_PATH", "CMAKE_LIBRARY_PATH")
MARK = "packages.txt"


def apt_options(folder):
    """Those of apt's tools that keep its lists in `folder`, and know what is installed here."""
    for part in ("lists/partial", "cache/archives/partial"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    return ["-o", f"Dir::State={folder}", "-o", "Dir::State::status=/var/lib/dpkg/status", "-o", f"Dir::Cache={folder}/cache",
            "-o", "Debug::NoLocking=1", "-o", "APT::Sandbox::User=root", "-o", "Acquire::Retries=3"]


def apt_get(options, action, *words):
    """What it prints; Problem with its first complaint."""
    done = subprocess.run(["apt-get", *options, "-qq", action, *words], capture_output=True, text=True, check=False,
                          env=dict(os.environ, LC_ALL="C"))
    if done.returncode != 0:
        complaints = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise Problem(f"apt-get {action}: {next((line for line in complaints if line.startswith('E:')), 'failed')}", 3)
    return done.stdout


def to_install(simulated):
    """{package: version} of what `apt-get --simulate install` would install; not what it would only renew."""
    return dict(re.findall(r"^Inst (\S+) \((\S+) ", simulated, re.MULTILINE))


def lacking(packages, apt):
    """What to download, as apt-get wants it."""
    found = to_install(apt_get(apt, "install", "--simulate", "--no-install-recommends", *packages))
    found = {name: version for name, version in found.items() if not NOT_NEEDED.match(name)}
    chosen = [f"{name}={version}" for name, version in found.items()]
    for wanted, pattern in WHOLE:
        if any(pattern.match(name) for name in found):
            everything = fetch.closure(wanted, lambda names: fetch.ask_apt(names, apt), NOT_NEEDED)
            chosen += [name for name in everything if pattern.match(name) and name not in found]
    return chosen


def correct_linker_scripts(prefix):
    """libc.so and the like name files by their absolute places; those of the prefix are in it."""
    for script in prefix.glob("usr/lib/*-linux-gnu/*.so"):
        if script.is_symlink() or not script.is_file() or script.stat().st_size > 4096:
            continue
        text = script.read_bytes()
        if b"GROUP" in text or b"INPUT" in text:
            script.write_bytes(re.sub(rb"/(usr/)?lib/\S+", lambda found: place_of(found[0], prefix), text))


def place_of(path, prefix):
    inside = os.fsencode(prefix) + (path if path.startswith(b"/usr/") else b"/usr" + path)
    return inside if os.path.exists(inside) else path


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def add_compilers(prefix):
    """gcc finds its own parts wherever it is, but the C library's headers in /usr/include alone."""
    for name in ("gcc", "g++"):
        if (prefix / "usr/bin" / name).exists():
            for also in (name, {"gcc": "cc", "g++": "c++"}[name]):
                write_program(prefix / "bin" / also, f'exec "{prefix}/usr/bin/{name}" -idirafter "{prefix}/usr/include" "$@"')


def add_python(prefix):
    """The machine's Python with the prefix's modules beside its own, as a virtual environment: no other Python sees them."""
    modules = prefix / "usr/lib/python3/dist-packages"
    if not modules.is_dir():
        return
    matplotlib, data = modules / "matplotlib/__init__.py", prefix / "usr/share/matplotlib/mpl-data"
    if matplotlib.exists() and data.is_dir():
        text = matplotlib.read_text(encoding="utf-8").replace("'/usr/share/matplotlib/mpl-data'", f"'{data}'")
        matplotlib.write_text(text.replace("'/etc/matplotlibrc'", f"'{data}/matplotlibrc'"), encoding="utf-8")
    python = next(path for path in (prefix / "usr/bin/python3", Path("/usr/bin/python3"), Path(sys.executable)) if path.exists())
    folder = prefix / "python"
    subprocess.run([python, "-m", "venv", "--without-pip", "--system-site-packages", folder], check=True)
    packages = next(folder.glob("lib/python3*/site-packages"))
    (packages / "prefix.pth").write_text(f"{modules}\n", encoding="utf-8")


def write_environment(prefix):
    lines = ["# Made by `ci/setup --prefix`, for bash: what it has unpacked is found, beside what the machine has itself."]
    has_mpi = (prefix / "usr/share/openmpi").is_dir()
    for name, value in prefixes.with_prefix({}, prefix).items():
        if name.startswith(("OPAL_", "PMIX_")) and not has_mpi:
            continue
        if name == "PATH":
            value = f"{prefix}/python/bin:{prefix}/bin:{value}"
        rest = f"${{{name}:+:${name}}}" if name in LISTS else ""
        lines.append(f'export {name}="{value}{rest}"')
    lines.append(f'export HARNESS_SETUP_PREFIX="{prefix}"')
    (prefix / "environment").write_text("\n".join(lines) + "\n", encoding="utf-8")


def empty(prefix):
    """Makes the folder, or empties one of ours. Its mark is there from the start: what is broken off can be begun again."""
    if not re.fullmatch(r"[\w@%+=,./-]+", str(prefix)):
        raise Problem(f"--prefix: found '{prefix}'; allowed: letters, digits and @ % + = , . / - _, since lists of folders hold it")
    if prefix.exists() and (not prefix.is_dir() or any(prefix.iterdir())) and not (prefix / MARK).exists():
        raise Problem(f"--prefix: {prefix} is there and was not made by ci/setup")
    try:
        if prefix.exists():
            shutil.rmtree(prefix)
        prefix.mkdir(parents=True)
        (prefix / MARK).touch()
    except OSError as why:
        raise Problem(f"--prefix: found '{prefix}': {why.strerror}", 3) from why


def fill(prefix, packages):
    apt = apt_options(prefix / "apt")
    try:
        apt_get(apt, "update", "-o", "APT::Update::Error-Mode=any")
    except Problem as why:  # perhaps of one source of several
        print(f"ci/setup: {why}", file=sys.stderr)
    chosen = lacking(packages, apt)
    print(f"ci/setup: unpacking {len(chosen)} packages into {prefix}", flush=True)
    names = fetch.unpack(chosen, prefix, apt)
    shutil.rmtree(prefix / "apt")
    (prefix / f"usr/lib/{platform.machine()}-linux-gnu").mkdir(parents=True, exist_ok=True)
    fetch.tidy(prefix, Path("/"))
    correct_linker_scripts(prefix)
    add_compilers(prefix)
    add_python(prefix)
    write_environment(prefix)
    (prefix / MARK).write_text("\n".join(names) + "\n", encoding="utf-8")


def main(words):
    prefix = Path(words[0])
    try:
        for tool in ("apt-get", "apt-cache", "dpkg"):
            if not shutil.which(tool):
                raise Problem(f"--prefix needs {tool}; without it: docs/cluster.md, Without root", 3)
        empty(prefix)
        fill(prefix, words[1:])
    except Problem as problem:
        print(f"ci/setup: {problem}", file=sys.stderr)
        return problem.code
    except (OSError, subprocess.CalledProcessError) as why:  # a full disk, say
        print(f"ci/setup: --prefix: {why}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
