"""The figures of QUART show what the raw rows of a file say.

Usage: quart_test.py QUART.h5: the results of quart_example.toml
"""

import sys
import unittest

import h5py
import numpy as np

from figures_testing import Drawn, rows_of, wanted_cells
from selection import Missing

QUART = sys.argv.pop()
STAGES, WHOLES = ("quart-whisper", "quart-llama"), ("quart-whisper-whole",)
SERIES = {"QUART": ("quart", "default", STAGES), "INFless": ("infless", "default", WHOLES), "Uniform": ("quart", "uniform", STAGES)}
FACTORS, CVS, SEEDS = (1.5, 3), {"cv-0.5": 0.5, "cv-4": 4}, (1, 2)
BUCKETS = 1 / 128  # of the histogram that quantiles come from
NOTE = " INFless serves whole models (pipelines -whole), the others those in stages. INFless's means are without llama,"


def latency_ms(cell):
    return rows_of(QUART, cell)["latency_ns"].mean() / 1e6


def quantile_ms(percent):
    return lambda cell: np.quantile(rows_of(QUART, cell)["latency_ns"] / 1e6, percent / 100, method="inverted_cdf")


def attainment(cell):
    return 100 * (rows_of(QUART, cell)["outcome"] == 0).mean()


def queue(cell):
    with h5py.File(QUART) as file:
        return file["summary"]["queue_mean"][cell]


def mean_of(value, name, pipelines=None, **wanted):
    """Over the models of the series and the seeds."""
    system, variant, own = SERIES[name]
    models = [wanted_cells(QUART, system=system, variant=variant, pipeline=pipeline, **wanted) for pipeline in pipelines or own]
    assert all(len(cells) == len(SEEDS) for cells in models)
    return np.mean([value(cell) for cells in models for cell in cells])


def only_trace(row, trace=b"cv-4"):
    row["status"] = row["status"] if row["trace"] == trace else b"skipped"


class ModelsTest(Drawn):
    def test_fig6_is_latency_by_model_and_attainment_by_slo(self):
        (stem, figure, caption), = self.figures(self.edited(QUART, only_trace), "quart/fig6")
        self.assertEqual(stem, "quart-fig6")
        self.assertIn(NOTE, caption)
        mean, by_slo, *tails = map(self.lines, figure.axes)
        self.assertEqual([tick.get_text() for tick in figure.axes[0].get_xticklabels()], ["whisper", "llama"])
        for drawn, value in ((mean, latency_ms), (tails[0], quantile_ms(75)), (tails[1], quantile_ms(99))):
            self.assertEqual(list(drawn), list(SERIES))
            for name, (places, points) in drawn.items():
                pipelines = SERIES[name][2]
                self.assertEqual(list(np.round(places)), list(range(len(pipelines))))
                wanted = [mean_of(value, name, [pipeline], trace="cv-4", slo_factor=1.5) for pipeline in pipelines]
                np.testing.assert_allclose(points, wanted, rtol=BUCKETS)
        for name, (factors, points) in by_slo.items():
            self.assertEqual(tuple(factors), FACTORS)
            np.testing.assert_allclose(points, [mean_of(attainment, name, trace="cv-4", slo_factor=factor) for factor in factors])

    def test_figures_by_cv_are_means_of_the_models_at_the_largest_slo(self):
        panels = {7: (latency_ms, attainment), 8: (*map(quantile_ms, (50, 75, 90, 99)), queue)}
        for number, values in panels.items():
            (stem, figure, caption), = self.figures(QUART, f"quart/fig{number}")
            self.assertEqual(stem, f"quart-fig{number}")
            self.assertIn("SLO 3 times the execution time." + NOTE, caption)
            for drawn, value in zip(map(self.lines, figure.axes), values):
                self.assertEqual(list(drawn), list(SERIES))
                for name, (cvs, points) in drawn.items():
                    self.assertEqual(list(cvs), list(CVS.values()))
                    np.testing.assert_allclose(points, [mean_of(value, name, trace=trace, slo_factor=3) for trace in CVS], rtol=BUCKETS)

    def test_without_whole_models_infless_is_drawn_in_stages(self):
        def in_stages(row):
            row["status"] = b"skipped" if row["pipeline"].endswith(b"-whole") else row["status"]

        (_, figure, caption), = self.figures(self.edited(QUART, in_stages), "quart/fig7")
        self.assertNotIn("whole", caption)
        wanted = [np.mean([mean_of(attainment, "INFless", [pipeline], trace=trace, slo_factor=3) for pipeline in STAGES]) for trace in CVS]
        np.testing.assert_allclose(self.lines(figure.axes[1])["INFless"][1], wanted)

    def test_figures_that_lack_what_they_show_say_so(self):
        def by_ms(row):
            row["slo_factor"] = np.nan

        for name in ("fig6", "fig7", "fig8"):
            with self.assertRaisesRegex(Missing, "SLO that the experiment gives"):
                self.figures(self.edited(QUART, by_ms), f"quart/{name}")
        with self.assertRaisesRegex(Missing, "several traces"):
            self.figures(QUART, "quart/fig6")
        with self.assertRaisesRegex(Missing, "no two gamma traces"):
            self.figures(self.edited(QUART, only_trace), "quart/fig7")


if __name__ == "__main__":
    unittest.main()
