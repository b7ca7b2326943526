#!/usr/bin/env python3
"""Figures of a style: a page as wide as the column, no text smaller than allowed, cut off, or over another or the axes.

Usage: page_test.py QUICKSTART.h5 SWEEP.h5 (the quickstart's results, and of several loads and seeds)
"""

import re
import sys
import tempfile
import unittest
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text

from figures_testing import run
import draw
import page
import style
from harness_results.file import Results

QUICKSTART, SWEEP = sys.argv[-2:]
del sys.argv[-2:]
WIDTHS = {"acm-1col": 3.33, "acm-2col": 7.0, "usenix": 3.33, "slides": 10.0}  # inches, of the papers' columns
LEAST = 7  # points
SLACK = 1  # pixel: what hinting adds to a text


def page_of(pdf):
    """(width, height) in inches."""
    box = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf.read_bytes())
    return tuple(float(side) / 72 for side in box[0])


def drawn_texts(figure):
    """What can be read: ticks outside the axes have texts too, which are not drawn."""
    found = {}
    real = Text.draw

    def draw_text(self, renderer, *args, **options):
        if self.get_visible() and self.get_text().strip():
            found[id(self)] = self
        return real(self, renderer, *args, **options)

    Text.draw = draw_text
    try:
        figure.canvas.draw()
    finally:
        Text.draw = real
    return list(found.values())


class Styled(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def figures(self, file, name, captions):
        """Yields (stem, figure) of the general figures in a style, as they are drawn; their PDFs are written, too."""
        arranged = []
        real, before, save = page.arrange, style.Options(**style.OPTIONS.__dict__), Figure.savefig

        def arrange(figure, *arguments):
            real(figure, *arguments)
            arranged.append(figure)

        page.arrange = arrange
        Figure.savefig = lambda figure, path, **options: save(figure, path, **options) if path.suffix == ".pdf" else None
        try:
            with matplotlib.rc_context({"pdf.fonttype": 3}):  # sooner embedded
                style.use(style.Options(page.STYLES[name], captions))
                stems = []
                for path in draw.draw_general(Results(file), self.folder, 1):
                    if path.suffix == ".pdf":
                        stems.append(path.stem)
                        yield path.stem, arranged[len(stems) - 1]
                self.assertEqual(len(stems), len(arranged))
        finally:
            page.arrange, Figure.savefig = real, save
            style.use(before)

    def boxes_of(self, figure):
        return [(text, page.extent(text).padded(-SLACK)) for text in drawn_texts(figure)]

    def check_texts(self, figure, least):
        boxes = self.boxes_of(figure)
        for text, box in boxes:
            self.assertGreaterEqual(text.get_fontsize(), least, text)
            for side, (low, high) in (("x", (box.x0, box.x1)), ("y", (box.y0, box.y1))):
                end = figure.bbox.width if side == "x" else figure.bbox.height
                self.assertTrue(low >= 0 and high <= end, f"{text} is cut off: {side} {low:.1f} to {high:.1f} of {end:.1f}")
        for k, (text, box) in enumerate(boxes):
            for other, its in boxes[:k]:
                self.assertFalse(box.overlaps(its), f"{text} over {other}")
            for axes in figure.axes:
                inside = isinstance(text, Annotation)
                self.assertFalse(not inside and box.overlaps(axes.get_window_extent().padded(-SLACK)), f"{text} over the axes")

    def check(self, file, name, captions):
        for stem, figure in self.figures(file, name, captions):
            with self.subTest(file=Path(file).name, style=name, figure=stem, captions=captions):
                width, height = page_of(self.folder / f"{stem}.pdf")
                self.assertAlmostEqual(width, WIDTHS[name], places=3)
                self.assertAlmostEqual(height, figure.get_figheight(), places=3)
                self.assertGreater(height, 1)
                self.check_texts(figure, LEAST)


class PageTest(Styled):
    def test_every_style_is_as_wide_as_its_column(self):
        self.assertEqual({name: one.width for name, one in page.STYLES.items()}, WIDTHS)

    def test_figures_of_the_quickstart(self):
        for name in WIDTHS:
            self.check(QUICKSTART, name, captions=name != "acm-1col")

    def test_figures_of_a_load_sweep(self):
        for name in WIDTHS:
            self.check(SWEEP, name, captions=name == "acm-1col")

    def test_slides_have_larger_text(self):
        sizes = {name: min(text.get_fontsize() for text in drawn_texts(next(self.figures(QUICKSTART, name, True))[1]))
                 for name in ("slides", "acm-2col")}
        self.assertGreaterEqual(sizes["slides"] / WIDTHS["slides"], sizes["acm-2col"] / WIDTHS["acm-2col"])

    def test_an_unknown_style_is_refused(self):
        done = run(QUICKSTART, "-o", self.folder / "figures", "--style", "acm-3col")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^--style: found 'acm-3col', allowed: acm-1col, acm-2col, usenix, slides; did you mean .*\n$")
        self.assertFalse((self.folder / "figures").exists())


class LabelTest(unittest.TestCase):
    def test_settings_part_at_their_signs(self):
        self.assertEqual(page.filled("planner.sizing_factor=2.5, SLO 500 ms", 16), "planner.sizing_\nfactor=2.5, SLO\n500 ms")
        self.assertEqual(page.filled("(requests/s)", 4), "(requests/s)")


if __name__ == "__main__":
    unittest.main()
