"""The environment in which libraries unpacked by `ci/gpu-node fetch` or `ci/setup --prefix` are found, beside what the machine has
itself."""

import lzma
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

from problems import Problem


def unpacked(given, folder, mark, maker):
    """The folder that `given`, a folder or an archive made by `maker`, stands for; an archive is unpacked into `folder`. It holds a
    file `mark`."""
    path = Path(given).resolve()
    if path.is_file():
        state = path.stat()
        text = f"{path} {state.st_size} {state.st_mtime_ns}\n"
        stamp = folder / "from.txt"
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != text:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            try:
                with tarfile.open(path) as archive:
                    archive.extractall(folder)
            except (tarfile.TarError, EOFError, lzma.LZMAError) as why:
                raise Problem(f"{given}: cannot be unpacked ({maker} makes it)") from why
            stamp.write_text(text, encoding="utf-8")
        path = folder
    elif not path.is_dir():
        raise Problem(f"{given}: no such folder or archive ({maker} makes it)")
    if not (path / mark).exists():
        raise Problem(f"{given}: not made by {maker}")
    return path


def own_libraries():
    """Names of the shared libraries that the node's loader finds by itself."""
    for program in ("ldconfig", "/sbin/ldconfig", "/usr/sbin/ldconfig"):
        try:
            done = subprocess.run([program, "-p"], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        return set(re.findall(r"^\s+(\S+\.so\S*) \(", done.stdout, re.MULTILINE))
    return set()


# Libraries that must be of the same version as the headers or the plugins, which are the prefix's.
OF_THE_PREFIX = re.compile(r"^lib(hdf5|mpi|open-|mca_|oshmem|ompi|pmix|tomlplusplus|benchmark|glpk|protobuf|protoc)")


def shared_libraries(prefix):
    """With a version in the name, and those that have none (binutils), which are no links or scripts for a linker."""
    bare = [path for path in prefix.glob("usr/lib/*-linux-gnu/*.so") if path.is_file() and not path.is_symlink()]
    return [*prefix.glob("usr/lib/**/*.so.*"), *(path for path in bare if path.read_bytes()[:4] == b"\x7fELF")]


def link_libraries(prefix, own):
    """A folder with links to the prefix's libraries that the node lacks. Otherwise the node's own come first, since its
    programs, Python and LibTorch among them, were linked with those."""
    folder = prefix / "libraries"
    folder.mkdir(exist_ok=True)
    wanted = {}
    for library in sorted(shared_libraries(prefix)):
        if library.name not in own or OF_THE_PREFIX.match(library.name):
            wanted.setdefault(library.name, os.path.relpath(library, folder))
    for name, target in list(wanted.items()):  # what a package's installation links by the name that programs ask for
        short = re.match(r".*\.so\.\d+", name)
        if short and short[0] not in own:
            wanted.setdefault(short[0], target)
    # What is right stays: programs may be starting with it.
    there = {link.name: os.readlink(link) for link in folder.iterdir()}
    for name in there:
        if wanted.get(name) != there[name]:
            (folder / name).unlink()
    for name, target in wanted.items():
        if there.get(name) != target:
            (folder / name).symlink_to(target)
    return folder


def before(folder, env, name):
    return f"{folder}:{env[name]}" if env.get(name) else str(folder)


def architecture(prefix):
    found = sorted(path.name for path in prefix.glob("usr/lib/*-linux-gnu"))
    if not found:
        raise Problem(f"{prefix}: no libraries in it")
    return found[0]


def with_prefix(env, prefix):
    """`env` with the prefix's libraries, programs and headers."""
    usr, arch = prefix / "usr", architecture(prefix)
    library = usr / "lib" / arch
    env = dict(env)
    env["PATH"] = before(usr / "bin", env, "PATH")
    env["LD_LIBRARY_PATH"] = before(link_libraries(prefix, own_libraries()), env, "LD_LIBRARY_PATH")
    env["CMAKE_PREFIX_PATH"] = before(usr, env, "CMAKE_PREFIX_PATH")
    env["CMAKE_INCLUDE_PATH"] = before(usr / "include" / "hdf5" / "serial", env, "CMAKE_INCLUDE_PATH")
    env["CMAKE_LIBRARY_PATH"] = before(library / "hdf5" / "serial", env, "CMAKE_LIBRARY_PATH")
    # Open MPI and PMIx were configured for Debian's folders, and ask these for others.
    pmix = library / "pmix2"
    env |= {"OPAL_PREFIX": str(usr), "PMIX_PREFIX": str(pmix), "PMIX_LIBDIR": str(pmix / "lib"),
            "PMIX_DATAROOTDIR": str(pmix / "share")}
    return env


def outside(prefix, cache):
    """Entries of a CMake cache for libraries that the prefix holds, but that were found elsewhere: ["NAME=PATH"]."""
    names = re.compile(r"^((?:HDF5|MPI|ZLIB|OPENSSL|Boost|GTest|benchmark|GLPK|Protobuf|xxHash|CLI11|tomlplusplus)\w*):(?:FILEPATH|PATH)=(/.*)$", re.MULTILINE)
    # The node's own C library, which every list of libraries ends with.
    system = re.compile(r"/lib(c|m|dl|pthread|rt)\.(so|a)$")
    return [f"{name}={path}" for name, path in names.findall(cache)
            if not Path(path).is_relative_to(prefix) and not system.search(path)]
