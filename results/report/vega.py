"""Vega-Lite for the page: one script, from the package vl-convert-python, which is not part of the tree."""

import sys
from pathlib import Path

VERSION = "1.9.0.post1"  # of vl-convert-python; ci/setup installs it
TOOLS = Path(__file__).resolve().parent.parent.parent / "build" / "report-tools"
SNIPPET = "window.vegaEmbed = vegaEmbed;"


class NoVega(Exception):
    """The package is not there; the text says how to get it."""


def bundle():
    """Vega, Vega-Lite and vega-embed as the text of a script element."""
    sys.path.append(str(TOOLS))
    try:
        import vl_convert
    except ImportError as missing:
        raise NoVega(f"plots need the Python package vl-convert-python ({missing}): "
                     f"{sys.executable} -m pip install --target {TOOLS} vl-convert-python=={VERSION}") from missing
    return vl_convert.javascript_bundle(SNIPPET)
