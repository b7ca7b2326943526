"""The figures of a small file and of a crowded one (15 series, 36 workloads, 540 cells) are drawn completely.

Usage: draw_test.py SMALL.h5 MANY.h5
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
from matplotlib import colors, image

from figures_testing import Drawn
import catalogue
from draw import WORKLOAD_FIGURES
from harness_results import file as results
from harness_results.series import SeriesKey, WorkloadKey, name_series
import selection
import shares
import style

DRAW = Path(__file__).with_name("draw.py")
MANY = sys.argv.pop()
SMALL = sys.argv.pop()
JUST_SEEN = 2.3  # the difference of two colours in lab() that can just be seen, side by side


def draw(file, folder, *options):
    command = [sys.executable, str(DRAW), file, "-o", str(folder), *options]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def lab(colour):
    """A colour in CIE L*a*b* (D65), in which distances are about as they look."""
    rgb = np.array(colors.to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ linear / np.array([0.9505, 1.0, 1.089])
    x, y, z = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


class DrawTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name) / "new" / "figures"

    def test_every_workload_has_its_figures(self):
        printed = draw(SMALL, self.folder)
        names = {path.name for path in self.folder.iterdir()}
        expected = {f"{stem}.{ending}" for stem in ("rates", "goodput-load-lv-tweet", "slo-attainment-load-lv-tweet")
                    for ending in ("pdf", "png")}
        for kind in ("goodput", "queueing", "drops", "latency"):
            for load in ("0.9", "1.2"):
                expected |= {f"{kind}-lv-tweet-{load}-500ms.pdf", f"{kind}-lv-tweet-{load}-500ms.png"}
        self.assertEqual(names, expected)
        self.assertEqual({Path(line).name for line in printed}, expected)
        for path in self.folder.glob("*.png"):
            height, width = image.imread(path).shape[:2]
            self.assertLess(abs(width / style.PNG_DPI - style.WIDTH), 0.3, path.name)
            self.assertLess(height / style.PNG_DPI, 9, path.name)

    def test_many_cells_are_limited_and_said_so(self):
        printed = draw(MANY, self.folder, "--limit", "1")
        figures = list(self.folder.glob("*.pdf"))
        self.assertEqual(len(figures), 1 + len(WORKLOAD_FIGURES) + len(catalogue.LOAD_SWEEPS))
        self.assertEqual(printed[-1], "35 further workloads have no figures of their own (--limit 1)")

    def test_pages_hold_all_workloads(self):
        workloads = results.Results(MANY).workloads()
        pages = shares.pages_of(workloads, 15)
        self.assertEqual([key for page in pages for key in page], list(workloads))
        for page in pages:
            self.assertLessEqual(15 * len(page), shares.MAX_BARS)


class ManySeriesTest(Drawn):
    def test_a_figure_of_curves_names_the_series_that_it_leaves_out(self):
        """All 15 series stand in the caption or in each of the panels."""
        (_, figure, caption), = self.figures(MANY, "pard/fig14a")
        every = {selection.name_of(selection.series_of(cell)) for cell in results.Results(MANY).cells}
        left_out = caption.partition("Not drawn: ")[2].partition(".")[0].split(", ")
        self.assertEqual(len(left_out), len(every) - 8)
        for axes in figure.axes:
            self.assertEqual(set(self.lines(axes)) | set(left_out), every)
            self.assertFalse(set(self.lines(axes)) & set(left_out))

    def test_nothing_is_said_where_all_are_drawn(self):
        (_, _, caption), = self.figures(SMALL, "pard/fig14a")
        self.assertNotIn("Not drawn", caption)


class ColourTest(unittest.TestCase):
    def test_a_system_has_the_same_colour_in_any_company(self):
        alone = style.system_colours({"pard"})["pard"]
        together = style.system_colours({"pard", "nexus", "mine", "yours"})
        self.assertEqual(alone, together["pard"])
        self.assertEqual(style.system_colours({"mine"})["mine"], style.system_colours({"mine", "naive"})["mine"])

    def test_colours_differ(self):
        names = set(style.SYSTEM_COLOURS) | {f"system {i}" for i in range(len(style.OTHER_COLOURS))}
        colours = style.system_colours(names)
        self.assertEqual(len(set(colours.values())), len(names))

    def test_a_new_system_does_not_look_like_another(self):
        colours = [lab(colour) for colour in (*style.SYSTEM_COLOURS.values(), *style.OTHER_COLOURS)]
        for i, one in enumerate(colours):
            for other in colours[:i]:
                self.assertGreater(np.linalg.norm(one - other), 8 * JUST_SEEN)

    def test_the_modules_of_a_pipeline_can_be_told_apart(self):
        for count in (2, 3, 5, 6, 7, 13, 17, 42):
            looks = style.module_looks(count)
            self.assertEqual(len(looks), count)
            for hatch in style.MODULE_HATCHES:
                colours = [lab(look["facecolor"]) for look in looks if look["hatch"] == hatch]
                for i, one in enumerate(colours):
                    for other in colours[:i]:
                        self.assertGreater(np.linalg.norm(one - other), 8 * JUST_SEEN, f"{count} modules")

    def test_variants_of_a_system_differ(self):
        keys = [SeriesKey("pard", name, "") for name in ("default", "back", "sf", "oc", "split", "wcl", "lower")]
        palette = style.Palette(keys)
        self.assertEqual(palette.colour(keys[0]), style.SYSTEM_COLOURS["pard"])
        self.assertEqual(len({palette.colour(key) for key in keys}), len(keys))


class TextTest(unittest.TestCase):
    def test_ranges(self):
        self.assertEqual(results.ranges([0, 1, 2, 5, 7, 8]), "0-2, 5, 7-8")
        self.assertEqual(results.ranges([3]), "3")
        cut = results.ranges(list(range(0, 1000, 2)))
        self.assertLess(len(cut), 100)
        self.assertIn("998 (500 in all)", cut)

    def test_an_experiment_may_ask_for_one_figure_without_brackets(self):
        self.assertEqual(results.named("pard/fig8"), ["pard/fig8"])
        self.assertEqual(results.named(["pard/fig8", "pard/fig9"]), ["pard/fig8", "pard/fig9"])

    def test_captions_name_cells_file_and_commit(self):
        file = results.Results(SMALL)
        text = file.source(file.cells)
        self.assertEqual(text, "small.h5, cells 0-15 (seeds 1-2), commit 0123456789ab with local changes.")

    def test_captions_say_where_the_peaks_of_a_log_were_not_sent(self):
        class Group:
            attrs = {"effective_toml": "[trace.gateway]\ncompress = 0\nclip_rps = 0\n[trace.night]\ncompress = 60\n"
                     "[trace.steep]\ncompress = 60\ncontrast = 2.0\n"}

        def cell(trace, recorded, sent):
            return results.Cell({"trace": trace, "recorded_peak_over_mean": recorded, "sent_peak_over_mean": sent}, Group())

        smoothed = cell("gateway", 1.98, 1.31)
        self.assertEqual(results.peaks_text([smoothed, smoothed]), " Peak over mean 2.0 in the log, 1.3 as sent (smoothed).")
        nan = float("nan")
        older = results.Cell({"trace": "gateway"}, Group())
        self.assertEqual(results.peaks_text([cell("gateway", 2, 1.81), cell("tweet", nan, nan), older]), "")
        self.assertEqual(results.peaks_text([cell("steep", 2, 3)]),
                         " Peak over mean 2.0 in the log, 3.0 as sent (stretched).")
        self.assertEqual(results.peaks_text([smoothed, cell("night", 3, 2)]),
                         " Peak over mean of gateway 2.0 in the log, 1.3 as sent (smoothed); "
                         "of night 3.0 in the log, 2.0 as sent (compressed).")

    def test_file_names_have_no_odd_characters(self):
        key = WorkloadKey("", "lv", "../my trace", 1.0, 500.0, "emulated", "cluster.workers=64", None, ())
        self.assertEqual(key.file_stem, "lv-.._my_trace-1-500ms-cluster.workers_64-emulated")

    def test_given_rates_name_the_load(self):
        class Group:
            attrs = {"effective_toml": "[workload]\nrates_rps = [400]\n"}

        row = {"pipeline": "lv", "trace": "tweet", "load": 0.2209687, "slo_ms": 500.0, "runtime": "simulated", "workload": ""}
        by_rate = results.Cell(row, Group(), True).workload
        self.assertEqual(by_rate.title, "lv, tweet, 400 requests/s, SLO 500 ms")
        self.assertEqual(by_rate.file_stem, "lv-tweet-400rps-500ms")
        by_load = results.Cell(row, Group(), False).workload
        self.assertEqual(by_load.file_stem, "lv-tweet-0.220969-500ms")
        Group.attrs = {"effective_toml": b"[workload]\nrates_rps = [0]\n"}
        self.assertEqual(results.Cell(row, Group(), True).workload.file_stem, "lv-tweet-recorded-500ms")

    def test_streams_name_the_range_of_their_slos(self):
        class Group:
            attrs = {"effective_toml": "[[trace.five.streams]]\nslo_ms = [364.5]\n[[trace.five.streams]]\nslo_ms = [111, 200]\n"
                                       "[[trace.five.streams]]\nrps = 1\n[[trace.two.streams]]\nrps = 1\n"}

        row = {"pipeline": "all", "trace": "five", "load": 1.0, "slo_ms": 1292.0, "runtime": "simulated", "workload": ""}
        five = results.Cell(row, Group())
        self.assertEqual(five.slos_ms, (111, 200, 364.5, 1292))
        self.assertEqual(five.workload.title, "all, five, load 1, SLO 111 to 1292 ms")
        self.assertEqual(five.workload.file_stem, "all-five-1-111to1292ms")
        self.assertEqual(results.Cell({**row, "trace": "two"}, Group()).workload.title, "all, two, load 1, SLO 1292 ms")

    def test_cells_of_another_slo_or_cluster_are_another_workload(self):
        class Group:
            attrs = {"effective_toml": ""}

        row = {"pipeline": "lv", "trace": "tweet", "load": 1.0, "slo_ms": 500.0, "runtime": "simulated", "system": "pard",
               "variant": "lambda=0.2", "parameters": "pard.lambda=0.2 cluster.workers=64", "seed": 1}
        rows = [row, {**row, "parameters": "pard.lambda=0.2 cluster.workers=16"}, {**row, "slo_ms": 400.0}]
        name_series(rows)
        one, other, tight = (results.Cell(row, Group()) for row in rows)
        self.assertEqual(one.series.label, "pard lambda=0.2")
        self.assertEqual(one.workload.title, "lv, tweet, load 1, SLO 500 ms, cluster.workers=64")
        self.assertEqual(one.series, other.series)
        self.assertNotEqual(one.workload, other.workload)
        self.assertNotEqual(one.workload, tight.workload)

    def test_a_variant_without_a_name_and_values_of_several_words(self):
        class Group:
            attrs = {"effective_toml": ""}

        row = {"pipeline": "lv", "trace": "tweet", "load": 1.0, "slo_ms": 500.0, "runtime": "simulated", "system": "pard",
               "variant": "estimate=back,window_s=5", "parameters": "setting=far away pard.estimate=back pard.window_s=5 cluster.workers=8 pard.lambda=0.2",
               "series": "pard/estimate=back,window_s=5 lambda=0.2", "workload": "lv tweet load 1 slo 500 ms setting=far away"}
        cell = results.Cell(row, Group())
        self.assertEqual(cell.series.label, "pard estimate=back,window_s=5 lambda=0.2")
        self.assertEqual(cell.series.swept_values, (5, 0.2))
        self.assertEqual(cell.workload.parameters, "setting=far away")
        self.assertEqual(cell.parameters["setting"], "far away")


if __name__ == "__main__":
    unittest.main()
