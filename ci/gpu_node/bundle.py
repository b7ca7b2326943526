"""The relocatable bundle: the program, its module of devices, benchmarks and GPU tests with the shared libraries that a bare machine
lacks. The machine itself has the C and C++ libraries, and torch with CUDA and NCCL."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from fetch import pack
from prefix import before, unpacked, with_prefix
from problems import Problem

LIMIT_MIB = 60
FACTS = "bundle.json"
PRESET = "cuda"
ARCH = "x86_64-linux-gnu"
LIBRARIES = f"usr/lib/{ARCH}"
MAKER = "ci/gpu-node pack"

# Every machine has its own of these.
OF_THE_NODE = re.compile(r"^(ld-linux.*|lib(c|m|dl|pthread|rt|resolv|util|mvec|anl|stdc\+\+|gcc_s)\.so.*)$")
# Of Open MPI: networks and tools that one machine does not need and that would bring many libraries.
LEFT_OUT = re.compile(r"_(ofi|ucx|psm2?|openib|flux|jsm|gridengine|monitoring)\.so$|^mca_(spml|scoll|sshmem|memheap|atomic)_")


@dataclass
class Torch:
    python: str
    folder: Path
    version: str  # "2.11.0"

    def libraries(self):
        """The folders of its shared libraries, those of CUDA and NCCL among them."""
        return [self.folder / "lib", *sorted(self.folder.parent.glob("nvidia/*/lib"))]


def torch_of(pythons):
    """The first of these Pythons that has torch, which takes seconds to import and so is only looked up; None: none."""
    code = ("import importlib.metadata as m, importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0]); "
            "print(m.version('torch'))")
    for python in pythons:
        try:
            done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False, timeout=60)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0 and done.stdout.strip():
            lines = done.stdout.split("\n")
            return Torch(str(shutil.which(python) or python), Path(lines[0]), lines[1].split("+")[0])
    return None


def shared_libraries(files, env):
    """Paths of all shared libraries that the files need, and those that were not found."""
    done = subprocess.run(["ldd", *files], capture_output=True, text=True, check=False, env=env)
    return [sorted(set(re.findall(pattern, done.stdout, re.MULTILINE))) for pattern in (r"=> (/\S+)", r"^\s*(\S+) => not found")]


def copy(source, folder):
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, folder / Path(source).name)


def copy_open_mpi(folder):
    """Its launcher, plugins and messages, laid out as Debian's packages have them (prefix.with_prefix)."""
    usr = Path("/usr")
    for program in ("orterun", "orted"):
        copy(usr / "bin" / program, folder / "usr/bin")
    for name in ("mpirun", "mpiexec"):
        (folder / "usr/bin" / name).symlink_to("orterun")
    plugins = usr / "lib" / ARCH / "openmpi/lib/openmpi3"
    for plugin in sorted(plugins.glob("*.so")):
        if not LEFT_OUT.search(plugin.name):
            copy(plugin, folder / LIBRARIES / "openmpi/lib/openmpi3")
    shutil.copytree(usr / "share/openmpi", folder / "usr/share/openmpi")
    pmix = folder / LIBRARIES / "pmix2"
    shutil.copytree(usr / "lib" / ARCH / "pmix2", pmix, symlinks=True, ignore=shutil.ignore_patterns("include", "*.a", "*.la"))


def binaries(folder):
    return [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF"]


def newest(name, folder):
    """The newest version NAME_x.y that a binary of the folder asks for, as "x.y"."""
    found = {match for path in binaries(folder) for match in re.findall(rb"\0" + name + rb"_(\d+(?:\.\d+)+)(?=\0)", path.read_bytes())}
    return max(found, key=numbers).decode()


def numbers(version):
    """[2, 11, 0] of "2.11.0", "2.11.0a0+git", b"2.11.0"."""
    text = version.decode() if isinstance(version, bytes) else version
    return [int(part) for part in re.match(r"[\d.]*", text)[0].split(".") if part]


def make(root, archive, identity):
    """Builds the target `bundle` against the torch of ci/setup --cuda and packs it; all is put together beside the build."""
    def do(*command, **more):
        if subprocess.run([str(word) for word in command], cwd=root, check=False, **more).returncode:
            raise Problem(f"{' '.join(str(word) for word in command)} failed", 1)

    if archive.is_dir():
        raise Problem(f"pack: {archive} is a folder; allowed: a file to write")
    archive.parent.mkdir(parents=True, exist_ok=True)
    build, folder = root / "build" / PRESET, root / "build" / "bundle" / "packed"
    shutil.rmtree(folder, ignore_errors=True)
    do("ci/setup", "--cuda")
    do("cmake", "--preset", PRESET, stdout=subprocess.DEVNULL)
    do("cmake", "--build", build, "--target", "bundle", "-j", os.environ.get("HARNESS_JOBS", os.cpu_count()))
    do("cmake", "--install", build, "--component", "bundle", "--strip", "--prefix", folder, stdout=subprocess.DEVNULL)
    torch = torch_of([root / "build/torch/bin/python3"])
    copy_open_mpi(folder)
    # The loader's own environment: the installed programs name no place of the build's.
    env = dict(os.environ, LD_LIBRARY_PATH=":".join(map(str, torch.libraries())))
    libraries, missing = shared_libraries(binaries(folder), env)
    if missing:
        raise Problem(f"the bundle lacks {', '.join(missing)}", 1)
    for library in libraries:
        if library.startswith(("/lib/", "/usr/lib/")) and not OF_THE_NODE.match(Path(library).name):
            # Python's HDF5 may be another than the program's, so that one is found by the program alone.
            copy(library, folder / ("lib" if "hdf5" in library else LIBRARIES))
    needs = {"identity": identity, "torch": torch.version, "glibc": newest(b"GLIBC", folder), "libstdcxx": newest(b"GLIBCXX", folder),
             "commit": subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()}
    (folder / FACTS).write_text(json.dumps(needs, indent=1) + "\n", encoding="utf-8")
    shutil.move(pack(folder), archive)
    size = archive.stat().st_size / 2**20
    print(f"{archive}: {size:.1f} MiB; needs x86-64, glibc {needs['glibc']}, libstdc++ GLIBCXX_{needs['libstdcxx']}, "
          f"torch {torch.version}")
    if size > LIMIT_MIB:
        raise Problem(f"{archive} is larger than {LIMIT_MIB} MiB", 1)
    return 0


def facts(folder):
    return json.loads((folder / FACTS).read_text(encoding="utf-8"))


def misfit(needs, machine, glibc, torch):
    """Why a bundle cannot run on this machine, in a line; "": it can."""
    if machine != "x86_64":
        return f"it is for x86_64, this machine is {machine}"
    if numbers(glibc) < numbers(needs["glibc"]):
        return f"it needs glibc {needs['glibc']}, this machine has {glibc}: build here, without --bundle"
    if torch is None:
        named = os.environ.get("HARNESS_TORCH_PYTHON")
        return f"it needs torch {needs['torch']}, and " + (f"{named} (HARNESS_TORCH_PYTHON) has none" if named else
                                                         "no Python here has one; name one by HARNESS_TORCH_PYTHON")
    if numbers(torch.version)[:2] != numbers(needs["torch"])[:2]:
        return f"it needs torch {needs['torch']}, {torch.python} has {torch.version}"
    if not (torch.libraries()[0] / "libtorch_cuda.so").exists():
        return f"it needs a torch with CUDA, that of {torch.python} has none"
    return ""


def opened(given, root, identity):
    """The bundle's folder; Problem when it was made of other sources than those here, whose experiments and profiles it reads."""
    folder = unpacked(given, root / "build/bundle-unpacked", FACTS, MAKER)
    if facts(folder)["identity"] != identity:
        raise Problem(f"{given}: made of other sources than these: {MAKER} again")
    return folder


def with_bundle(env, folder, root, torch):
    """`env` with the bundle's programs and libraries, and torch's. Problem when it cannot run here."""
    why = misfit(facts(folder), os.uname().machine, os.confstr("CS_GNU_LIBC_VERSION").split()[-1], torch)
    if why:
        raise Problem(f"{folder}: {why}", 3)
    env = with_prefix(env, folder)
    env["PATH"] = before(folder / "bin", env, "PATH")
    env["LD_LIBRARY_PATH"] = ":".join([env["LD_LIBRARY_PATH"], *map(str, torch.libraries())])
    env["HARNESS_HOME"] = str(root)
    env.setdefault("HARNESS_PYTHON", sys.executable)
    return env
