"""What the tests of the papers' figures share: running the command, reading raw rows, looking into figures."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from functools import cache
from pathlib import Path

import h5py
from matplotlib.container import BarContainer, ErrorbarContainer

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))  # harness_results

import catalogue  # noqa: E402
import look  # noqa: E402
import style  # noqa: E402
from harness_results.file import Results  # noqa: E402

DRAW = Path(__file__).with_name("draw.py")


def run(*arguments):
    return subprocess.run([sys.executable, str(DRAW), *map(str, arguments)], capture_output=True, text=True, check=False)


@cache
def rows_of(file, cell):
    """The raw request rows of a cell."""
    with h5py.File(file) as opened:
        return opened[f"cells/{cell}/requests"][:]


def wanted_cells(file, **wanted):
    """Numbers of the cells whose summary row has these values."""
    with h5py.File(file) as opened:
        rows = opened["summary"][:]
    def value(row, name):
        return row[name].decode() if isinstance(row[name], bytes) else row[name]
    return [int(row["cell"]) for row in rows if all(value(row, name) == one for name, one in wanted.items())]


def profiles_for_slo(row):
    """Makes a row of /summary one of those that differ in the profiles instead of the SLO."""
    profiles = f"cluster.profiles=set{row['slo_ms']:g}"
    row["parameters"] = b" ".join([*row["parameters"].split(), profiles.encode()])
    row["slo_ms"] = 500


def runtimes_for_slo(row):
    """Makes a row of /summary one of those that differ in the runtime instead of the SLO."""
    row["runtime"] = b"simulated" if row["slo_ms"] < 500 else b"emulated"
    row["slo_ms"] = 500


def published_in(axes):
    """[(x, y)] of what the axes show as the paper's, in their units: points, and the two ends of ranges along one axis, None along the other."""
    found = []
    for handle in [*axes.lines, *axes.patches]:
        if handle.get_label() != look.PUBLISHED:
            continue
        if handle in axes.patches:
            box = handle.get_patch_transform().transform_path(handle.get_path()).get_extents()
            found.append(((box.x0, box.x1), None) if (box.y0, box.y1) == (0, 1) else (None, (box.y0, box.y1)))
        elif handle.get_marker() == "x":
            found.append(tuple(map(tuple, handle.get_data())))
        else:
            x, y = handle.get_data()
            found.append((None, tuple(y)) if tuple(x) == (0, 1) else (tuple(x), None))
    return found


class Drawn(unittest.TestCase):
    """Draws figures in this process and looks at what stands in them."""

    def figures(self, file, name):
        """[(file name's stem, figure, caption)]"""
        kept = []
        real = style.save
        self.addCleanup(setattr, style, "save", real)
        style.save = lambda figure, folder, stem, caption: kept.append((stem, figure, caption)) or []
        list(catalogue.draw(Results(file), name, Path(".")))
        style.save = real
        return kept

    def edited(self, file, edit):
        """A copy of the file with edit(row) done to each row of /summary."""
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        copy = Path(temporary.name) / "copy.h5"
        shutil.copy(file, copy)
        with h5py.File(copy, "r+") as opened:
            rows = opened["summary"][:]
            for row in rows:
                edit(row)
            opened["summary"][:] = rows
        return copy

    def lines(self, axes):
        """label -> (x, y) of the lines with whiskers."""
        bars = [one for one in axes.containers if isinstance(one, ErrorbarContainer) and one.get_label()[0] != "_"]
        return {one.get_label(): one.lines[0].get_data() for one in bars}

    def heights(self, axes):
        """label -> heights of the bars."""
        bars = [one for one in axes.containers if isinstance(one, BarContainer)]
        return {one.get_label(): [patch.get_height() for patch in one.patches] for one in bars}

    def panel(self, figure, title):
        return next(axes for axes in figure.axes if axes.get_title(loc="left").startswith(title))
