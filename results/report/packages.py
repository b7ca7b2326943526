"""Python packages that are not part of the tree: where they lie, in which versions, and what to do where one is missing."""

import importlib
import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parent.parent.parent / "build" / "report-tools"
VL_CONVERT = "1.9.0.post1"  # ci/setup reads these two lines, and installs them
RUPTURES = "1.1.10"


class NotInstalled(Exception):
    """A package is not there; the text says how to get it."""


def package(module, requirement, use, before=""):
    """The module; `use` says what needs it, `before` what is to be installed first."""
    sys.path.append(str(TOOLS))
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        raise NotInstalled(f"{use} the Python package {requirement.partition('==')[0]} ({missing}): ci/setup installs it, or {before}"
                           f"{sys.executable} -m pip install --no-deps --target {TOOLS} {requirement}") from missing
