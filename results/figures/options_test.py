#!/usr/bin/env python3
"""What a user asks of all figures: fonts, other names of systems, captions beside the figures; and what is refused.

Usage: options_test.py SMALL.h5 MANY.h5 (write_example_results; many.h5 has variants)
"""

import re
import sys
import tempfile
import unittest
from pathlib import Path

from figures_testing import Drawn, run
import options
import selection
from harness_results.file import Results
from harness_results.series import SeriesKey

SMALL, MANY = sys.argv[-2:]
del sys.argv[-2:]
SOURCE = "small.h5, cells 0-15 (seeds 1-2), commit 0123456789ab with local changes."
FIGURE = ("--only", "goodput-load")
STEM = "goodput-load-lv-tweet"


class Asked(Drawn):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name) / "figures"

    def files(self, *asked, file=SMALL, folder=None):
        """{name: bytes} of what is drawn."""
        folder = folder or self.folder
        done = run(file, "-o", folder, *asked)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = {path.name: path.read_bytes() for path in folder.iterdir()}
        self.assertEqual(sorted(Path(line).name for line in done.stdout.splitlines()), sorted(found))
        return found

    def subject(self, pdf):
        """The caption in the PDF's metadata."""
        text = re.search(rb"/Subject \(((?:[^\\)]|\\.)*)\)", pdf, re.DOTALL)[1]
        return re.sub(rb"\\(.)", rb"\1", text).decode()

    def refused(self, line, *asked, file=SMALL):
        done = run(file, "-o", self.folder, *asked)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, f"^{line}\n$")
        self.assertFalse(self.folder.exists())


class CaptionTest(Asked):
    def test_a_pdf_says_what_it_shows_and_where_from(self):
        files = self.files(*FIGURE)
        self.assertEqual(set(files), {f"{STEM}.pdf", f"{STEM}.png"})
        caption = self.subject(files[f"{STEM}.pdf"])
        self.assertTrue(caption.startswith("Goodput against the load."), caption)
        self.assertTrue(caption.endswith(SOURCE), caption)

    def test_without_captions_they_stand_beside_the_figures(self):
        for style in ((), ("--style", "acm-1col")):
            with self.subTest(style=style):
                inside = self.files(*FIGURE, *style, folder=self.folder / "inside")
                beside = self.files(*FIGURE, *style, "--no-caption", folder=self.folder / "beside")
                self.assertEqual(set(beside), {f"{STEM}.{ending}" for ending in ("pdf", "png", "txt")})
                caption = self.subject(inside[f"{STEM}.pdf"])
                self.assertEqual(self.subject(beside[f"{STEM}.pdf"]), caption)
                self.assertEqual(" ".join(beside[f"{STEM}.txt"].decode().split()), caption)
                self.assertLess(len(beside[f"{STEM}.pdf"]), len(inside[f"{STEM}.pdf"]))
                for path in self.folder.glob("*/*"):
                    path.unlink()

    def test_the_same_results_give_the_same_files(self):
        asked = (*FIGURE, "--style", "usenix", "--no-caption", "--rename", "pard=Ours")
        self.assertEqual(self.files(*asked, folder=self.folder / "one"), self.files(*asked, folder=self.folder / "two"))


class FontTest(Asked):
    def test_text_has_the_font(self):
        pdf = self.files(*FIGURE, "--font", "dejavu serif")[f"{STEM}.pdf"]
        self.assertEqual(set(re.findall(rb"/BaseFont /\w+\+(\w+)", pdf)), {b"DejaVuSerif"})

    def test_an_unknown_font_is_refused_with_names_near_it(self):
        self.refused("--font: found 'DejaVu Serf', allowed: .*; did you mean 'DejaVu Serif'.*", *FIGURE, "--font", "DejaVu Serf")


class RenameTest(Asked):
    def setUp(self):
        super().setUp()
        self.addCleanup(selection.RENAMED.clear)

    def renamed(self, file, *texts):
        results = Results(file)
        selection.RENAMED.update(options.new_names(texts, results))
        return results

    def test_systems_and_series_are_called_otherwise_in_all_figures(self):
        self.renamed(MANY, "pard=Ours", "nexus/back=Nexus, changed", "naive=FCFS $2")
        for series, name, label in (("pard", "Ours", "Ours"), ("pard/back", "Ours-back", "Ours back"), ("nexus", "Nexus", "nexus"),
                                    ("nexus/back", "Nexus, changed", "Nexus, changed"), ("naive", r"FCFS \$2", r"FCFS \$2")):
            system, _, variant = series.partition("/")
            self.assertEqual(selection.name_of(series), name)
            self.assertEqual(selection.label_of(SeriesKey(system, variant or "default", "")), label)
            self.assertEqual(selection.label_of(SeriesKey(system, variant or "default", f"{system}.k=2")), label + " k=2")

    def test_the_names_stand_in_the_figure_and_the_caption_tells(self):
        self.renamed(SMALL, "pard=Ours")
        (_, figure, _), = self.figures(SMALL, "goodput-load")
        self.assertIn("Ours", self.lines(figure.axes[0]))
        self.assertNotIn("PARD", self.lines(figure.axes[0]))
        caption = self.subject(self.files(*FIGURE, "--rename", "pard=Ours", "--rename=nexus=Theirs")[f"{STEM}.pdf"])
        self.assertTrue(caption.endswith(f"{SOURCE} Renamed: pard is Ours, nexus is Theirs."), caption)

    def test_a_name_may_hold_an_equals_sign(self):
        self.assertEqual(options.new_names(["pard=k=2"], Results(SMALL)), {"pard": "k=2"})

    def test_names_that_the_file_lacks_are_refused(self):
        self.refused("--rename: found 'prd', allowed: clipperpp, naive, nexus, pard; did you mean 'pard'.*", "--rename", "prd=Ours")
        self.refused("--rename: found 'pard/back', allowed: clipperpp, naive, nexus, pard.*", "--rename", "pard/back=Ours")

    def test_names_that_cannot_be_shown_are_refused(self):
        for text in ("pard", "pard=", "pard= ", "pard=_hidden", "pard=two\nlines"):
            self.refused(r"--rename: found '(.|\n)*', allowed: A=B with a name B that can be printed .*", "--rename", text)

    def test_two_series_of_one_name_are_refused(self):
        for text in ("naive=Nexus", "naive=nexus"):
            self.refused("--rename: 'n.*' and 'n.*' would both be called '[Nn]exus', allowed: names that differ", "--rename", text)


if __name__ == "__main__":
    unittest.main()
