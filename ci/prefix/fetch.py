"""Downloads the libraries that the project links, as Debian packages, and unpacks them to a prefix that any x86-64 Linux with
a newer C library can use. Needs apt and internet; nothing is installed."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from problems import Problem

# What CMake looks for (cmake/HarnessDependencies.cmake). LibTorch, CUDA, NCCL, the compiler, CMake, Ninja and Python are the node's.
WANTED = ["libhdf5-dev", "libopenmpi-dev", "openmpi-bin", "libtomlplusplus-dev", "libcli11-dev", "libboost-dev", "zlib1g-dev",
          "libssl-dev", "libxxhash-dev", "libcurl4-openssl-dev", "nlohmann-json3-dev", "libgtest-dev", "libbenchmark-dev", "libglpk-dev", "libprotobuf-dev", "protobuf-compiler"]

# What every node has in a version of its own that must not be mixed with Debian's.
COMPILERS = r"gcc.*|g\+\+.*|cpp.*|lib(gcc|stdc\+\+)-.*-dev|libc6-dev|libc-dev-bin|libcrypt-dev|linux-libc-dev|binutils.*"
OF_THE_NODE = COMPILERS + r"|libc6|libc-bin|libcrypt1|libgcc-s1|libstdc\+\+6|openssh-client|python3.*"
# What no program here needs.
NOT_NEEDED = (
    r"gfortran.*|libgfortran-.*-dev|libhdf5-(hl-)?fortran-.*|perl.*|debconf.*|dpkg.*|install-info|libjs-.*|"
    r"javascript-common|ocl-icd-.*|opencl-.*|autotools-dev|libltdl-dev|libnuma-dev|libibverbs-dev|libnl-.*-dev|libevent-dev|"
    r"libhwloc-dev|libpmix-dev|libsuitesparse-dev|libgmp-dev|libaec-dev|libjpeg.*-dev|hdf5-helpers|adduser|"
    r"passwd|libpam.*|libhwloc-plugins|libsasl2-modules-db")
LEFT_OUT = re.compile(f"^({OF_THE_NODE}|{NOT_NEEDED})$")

PRUNED = ["usr/share/doc", "usr/share/man", "usr/share/info", "usr/share/locale", "usr/share/lintian", "usr/share/bug",
          "usr/share/doc-base", "usr/share/javascript", "usr/src", "etc", "var"]
# Those of tests, and those that a compiler asks for.
STATIC_LIBRARIES = re.compile(r"^lib(gtest|gtest_main|benchmark|benchmark_main|gcc|gcc_eh|c_nonshared|mvec|anl|dl|pthread|rt|util)\.a$")


def parse_depends(text):
    """{package: [what it depends on]} of `apt-cache depends`: of alternatives the first, of a virtual package the first that
    provides it."""
    found, package, chosen, is_virtual = {}, "", True, False
    for line in text.splitlines():
        if not line.startswith((" ", "\t")):
            package, is_virtual = line.strip(), False
            found.setdefault(package, [])
            chosen = False
            continue
        if line.startswith("    "):
            if is_virtual:
                found[package].append(line.strip())
                is_virtual = False
            continue
        kind, name = (part.strip() for part in line.split(":", 1))
        if chosen:  # the line before was an alternative to this one
            chosen = kind.startswith("|")
            is_virtual = False
            continue
        chosen = kind.startswith("|")
        is_virtual = name.startswith("<")
        if not is_virtual:
            found[package].append(name.removesuffix(":any"))
    return found


def closure(wanted, depends, left_out=LEFT_OUT):
    """All packages that `wanted` need; `depends` maps a list of packages to parse_depends()."""
    known, next_ones = set(wanted), sorted(wanted)
    while next_ones:
        needed = {name for names in depends(next_ones).values() for name in names if not left_out.match(name)}
        next_ones = sorted(needed - known)
        known |= needed
    return sorted(known)


def ask_apt(packages, apt=()):
    """`apt`: options of apt's tools."""
    options = ["--no-recommends", "--no-suggests", "--no-conflicts", "--no-breaks", "--no-replaces", "--no-enhances"]
    done = subprocess.run(["apt-cache", *apt, "depends", *options, *packages], capture_output=True, text=True, check=False,
                          env=dict(os.environ, LC_ALL="C"))
    if done.returncode != 0:
        raise Problem(f"apt-cache knows not all of {' '.join(packages)}: run apt-get update", 3)
    return parse_depends(done.stdout)


def unpack(packages, prefix, apt=()):
    downloads = prefix / "debs"
    downloads.mkdir(parents=True)
    done = subprocess.run(["apt-get", *apt, "-o", "APT::Sandbox::User=root", "-qq", "download", *packages], cwd=downloads, check=False)
    if done.returncode != 0:
        raise Problem("apt-get download failed", 3)
    for package in sorted(downloads.glob("*.deb")):
        subprocess.run(["dpkg", "-x", package, prefix], check=True)
    names = [package.stem for package in sorted(downloads.glob("*.deb"))]
    shutil.rmtree(downloads)
    return names


def merge(source, target):
    """Moves the contents of `source` into `target`, folder by folder; what is there stays."""
    for entry in sorted(source.iterdir()):
        there = target / entry.name
        if entry.is_dir() and not entry.is_symlink() and there.is_dir():
            merge(entry, there)
        elif not os.path.lexists(there):
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(entry, there)


def relative_links(prefix, beside=None):
    """Links to absolute places point into the prefix where that is there; the others (/etc/alternatives) go. `beside`: the root of
    the machine, where the prefix holds only what that lacks: links that lead nowhere else lead there."""
    for folder, folders, files in os.walk(prefix):
        for name in folders + files:
            path = Path(folder) / name
            if not path.is_symlink():
                continue
            link = os.readlink(path)
            place = os.path.relpath(os.path.normpath(path.parent / link), prefix)  # of a link that leads nowhere
            if link.startswith("/"):
                place = link.lstrip("/")
                target = prefix / (f"usr/{place}" if place.startswith("lib/") else place)
                path.unlink()
                if target.exists():
                    path.symlink_to(os.path.relpath(target, path.parent))
            if beside and not path.exists() and (beside / place).exists():
                path.unlink(missing_ok=True)
                path.symlink_to(beside / place)


def tidy(prefix, beside=None):
    """Makes of unpacked packages what a compiler and CMake find without being told of Debian's folders; see relative_links."""
    usr = prefix / "usr"
    if (prefix / "lib").is_dir():
        merge(prefix / "lib", usr / "lib")
        shutil.rmtree(prefix / "lib")
    for folder in PRUNED:
        shutil.rmtree(prefix / folder, ignore_errors=True)
    for library in usr.glob("lib/**/*.a"):
        if not STATIC_LIBRARIES.match(library.name):
            library.unlink()
    for compiler in usr.glob("bin/h5*c*"):  # they name Debian's own folders; without them CMake looks for itself
        compiler.unlink()
    relative_links(prefix, beside)
    for folder in usr.glob("include/*-linux-gnu"):
        merge(folder, usr / "include")
    for name in ("mpicc", "mpirun", "mpiexec"):  # as the packages' installation links them
        link = usr / "bin" / name
        if not os.path.lexists(link) and (usr / "bin" / f"{name}.openmpi").exists():
            link.symlink_to(f"{name}.openmpi")


def pack(prefix):
    archive = prefix.with_name(prefix.name + ".tar.xz")
    subprocess.run(["tar", "-C", prefix, "-cf", archive, "--use-compress-program=xz -T0 -3", "."], check=True)
    return archive


def fetch(prefix):
    for tool in ("apt-get", "apt-cache", "dpkg"):
        if not shutil.which(tool):
            raise Problem(f"no {tool} here; fetch on Debian 12, then take the folder along", 3)
    if prefix.exists() and any(prefix.iterdir()) and not (prefix / "packages.txt").exists():
        raise Problem(f"{prefix} is there and is no prefix of this script", 2)
    shutil.rmtree(prefix, ignore_errors=True)
    names = unpack(closure(WANTED, ask_apt), prefix)
    tidy(prefix)
    (prefix / "packages.txt").write_text("\n".join(names) + "\n", encoding="utf-8")
    archive = pack(prefix)
    print(f"{prefix}: {len(names)} packages; {archive}: {archive.stat().st_size / 2**20:.1f} MiB")
    return 0
