"""The machine: its device, Python, LibTorch, the libraries that were brought along; and where the results go."""

import hashlib
import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import bundle as bundles
import prefix as prefixes
from problems import Failed, Problem
from sizes import CPU, GPU


def base_environment():
    """As ci/environment sets it for the other scripts."""
    env = dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl_vader_single_copy_mechanism="none",
               PYTHONDONTWRITEBYTECODE="1")
    if not shutil.which("ssh"):
        env["OMPI_MCA_plm_rsh_agent"] = "false"  # on one machine it is not called, but must be there
    if os.getuid() == 0:
        env |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return env


def identity_of(root):
    """Of the sources that the program is built from."""
    digest = hashlib.sha256()
    for folder in ("cmake", "harness", "systems", "workloads", "bench"):
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    for name in ("CMakeLists.txt", "CMakePresets.json"):
        digest.update((root / name).read_bytes())
    return digest.hexdigest()[:16]


def slug(name):
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


@dataclass
class Node:
    root: Path
    out: Path
    device: str  # "cuda" or "cpu"
    prefix: Path | None
    jobs: int
    bundle: Path | None = None  # whose programs run; None: those of a build
    shell: object = None

    def __post_init__(self):
        self.sizes = GPU if self.device == "cuda" else CPU
        self.build = self.bundle or self.root / "build" / self.sizes.preset
        self.harness = self.build / "bin" / "harness"
        self.profiles = self.out / "profiles.toml"

    def environment(self):
        env = base_environment()
        if self.bundle:
            return bundles.with_bundle(env, self.bundle, self.root, bundles.torch_of(self.torch_pythons()))
        return prefixes.with_prefix(env, self.prefix) if self.prefix else env

    def identity(self):
        """What results belong to: the device and the sources of the program, a bundle's or a build's."""
        return f"{self.device} {identity_of(self.root)}"

    def python(self):
        """The first Python that reads results and draws."""
        named = os.environ.get("HARNESS_PYTHON")
        for python in [named] if named else [sys.executable, "python3", "/usr/bin/python3"]:
            if self.shell.output([python, "-c", "import h5py, numpy, matplotlib; print(1)"]):
                return shutil.which(python, path=self.shell.env["PATH"]) or python
        raise Failed("no Python with h5py, numpy and matplotlib; name one by HARNESS_PYTHON")

    def torch_pythons(self):
        """Where pip's torch may be, the first first."""
        named = os.environ.get("HARNESS_TORCH_PYTHON")
        return [named] if named else [self.root / "build/torch/bin/python3", sys.executable, "python3"]

    def torch_python(self):
        """A Python with pip's torch, whose LibTorch CMake takes; "": CMake looks for another LibTorch."""
        found = bundles.torch_of(self.torch_pythons())
        return found.python if found else ""

    def gpus(self):
        """Names of the GPUs."""
        listed = self.shell.output(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"])
        return [line.strip() for line in listed.splitlines() if line.strip()]

    def baseline(self):
        """The folder of this GPU's baseline, there or not."""
        name = self.gpus()[0] if self.device == "cuda" and self.gpus() else self.device
        return self.root / "results" / "baselines" / "gpu" / slug(name)


def checked_node(root, options, out):
    device = (options.device or os.environ.get("HARNESS_NODE_DEVICE", "cuda")).removesuffix(":0")
    if device not in ("cuda", "cpu"):
        raise Problem(f"device {device}; allowed: cuda, cpu")
    given = options.prefix or os.environ.get("HARNESS_PREFIX")
    wanted = getattr(options, "bundle", None)
    if wanted and given:
        raise Problem("--bundle with a prefix (--prefix or HARNESS_PREFIX); allowed: one of them, a bundle has its libraries")
    prefix = prefixes.unpacked(given, root / "build/prefix-unpacked", "packages.txt", "ci/gpu-node fetch") if given else None
    bundle = bundles.opened(wanted, root, identity_of(root)) if wanted else None
    return Node(root, out, device, prefix, options.jobs or os.cpu_count() or 1, bundle)
