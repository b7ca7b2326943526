"""The figures of QUART show what the raw rows of a file say.

Usage: quart_test.py QUART.h5: the results of quart_example.toml
"""

import sys
import unittest

import h5py
import numpy as np

from figures_testing import Drawn, published_in, rows_of, wanted_cells
from selection import Missing

QUART = sys.argv.pop()
STAGES, WHOLES = ("quart-whisper", "quart-llama"), ("quart-whisper-whole",)
SERIES = {"QUART": ("quart", "default", STAGES), "INFless": ("infless", "default", WHOLES), "Uniform": ("quart", "uniform", STAGES)}
FACTORS, CVS, SEEDS = (1.5, 3), {"cv-0.1": 0.1, "cv-4": 4}, (1, 2)
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


def by_stage(cell, table, *columns):
    with h5py.File(QUART) as file:
        rows = file[f"cells/{cell}/{table}"][:]
    return [rows[column].astype(float) for column in columns]


def variations(cell):
    gaps, sums, squares = by_stage(cell, "modules", "gaps", "gap_ns", "gap_squares_ns2")
    return np.sqrt(squares / gaps - (sums / gaps) ** 2) / (sums / gaps)


def only_trace(row, trace=b"cv-4"):
    row["status"] = row["status"] if row["trace"] == trace else b"skipped"


class StagesTest(Drawn):
    def test_fig2_is_arrivals_and_queues_by_stage_with_the_papers_pair(self):
        stem, figure, caption = next(one for one in self.figures(QUART, "quart/fig2") if "whisper" in one[1].axes[0].get_title(loc="left"))
        self.assertTrue(stem.startswith("quart-fig2"))
        arrivals, queues = map(self.lines, figure.axes[:2])
        for name, cv in CVS.items():
            cells = wanted_cells(QUART, system="quart", variant="default", pipeline="quart-whisper", trace=name, slo_factor=1.5)
            stages, points = arrivals[f"input CV {cv:g}"]
            self.assertEqual(list(stages), list(range(1, 9)))
            np.testing.assert_allclose(points, np.mean([variations(cell) for cell in cells], axis=0))
            waits = [sum(by_stage(cell, "modules", "queueing_ns", "wait_ns")) for cell in cells]
            np.testing.assert_allclose(queues[f"input CV {cv:g}"][1], np.mean([one / one.min() for one in waits], axis=0))
        self.assertEqual(published_in(figure.axes[0]), [((1, 8), (0.03, 0.25))])
        self.assertEqual(published_in(figure.axes[1]), [(None, (3, 3))])
        self.assertIn("0.03 at the first stage and 0.25 at the last (4.1)", caption)

    def test_fig3a_is_busy_time_by_stage(self):
        figure = next(one for _, one, _ in self.figures(QUART, "quart/fig3a") if "whisper" in one.axes[0].get_title(loc="left"))
        shares = []
        for cell in wanted_cells(QUART, system="quart", variant="default", pipeline="quart-whisper", trace="cv-4", slo_factor=1.5):
            with h5py.File(QUART) as file:
                end = file[f"cells/{cell}"].attrs["end_ns"]
                spread = file["summary"]["utilisation_spread"][cell]
            modules, ready, removed, busy = by_stage(cell, "workers", "module", "ready_ns", "removed_ns", "busy_ns")
            able = np.maximum(np.where(removed < 0, end, removed) - ready, 0)
            shares.append([100 * busy[modules == stage].sum() / able[modules == stage].sum() for stage in range(8)])
            self.assertAlmostEqual(max(shares[-1]) - min(shares[-1]), 100 * spread, places=6)
        np.testing.assert_allclose(self.lines(figure.axes[0])["input CV 4"][1], np.mean(shares, axis=0))

    def test_fig3b_is_latency_by_cores_with_the_papers_cut(self):
        chosen = {"cv-0.1": 2, "cv-4": 4}
        cores = {cell: count for trace, count in chosen.items()
                 for cell in wanted_cells(QUART, system="quart", variant="default", pipeline="quart-whisper", slo_factor=3, trace=trace)}

        def by_cores(row):
            row["status"] = row["status"] if row["cell"] in cores else b"skipped"
            row["trace"] = b"cv-4"

        file = self.edited(QUART, by_cores)
        with h5py.File(file, "r+") as opened:
            medians = {count: [opened["summary"]["latency_ms_p50"][cell] for cell in cores if cores[cell] == count] for count in (2, 4)}
            for cell, count in cores.items():
                plans = opened[f"cells/{cell}/plans"][:]
                plans["cores"] = count
                opened[f"cells/{cell}/plans"][:] = plans
        (_, figure, caption), = self.figures(file, "quart/fig3b")
        places, points = self.lines(figure.axes[0])["P50"]
        self.assertEqual(list(places), [2, 4])
        np.testing.assert_allclose(points, [100, np.mean(100 * np.array(medians[4]) / medians[2])])
        self.assertEqual(published_in(figure.axes[0]), [((4,), (67,))])
        self.assertIn("33 % below", caption)

    def test_figures_of_stages_that_lack_what_they_show_say_so(self):
        def as_whole(row):
            row["status"] = row["status"] if row["pipeline"].endswith(b"-whole") else b"skipped"

        for name in ("fig2", "fig3a"):
            with self.assertRaisesRegex(Missing, "no pipeline of several modules"):
                self.figures(self.edited(QUART, as_whole), f"quart/{name}")


class ModelsTest(Drawn):
    def test_quart_against_the_rivals_with_the_papers_factors(self):
        def rows(name, trace, factor, column):
            system, variant, _ = SERIES[name]
            with h5py.File(QUART) as file:
                pipeline = "quart-whisper" + ("-whole" if system == "infless" else "")
                cells = wanted_cells(QUART, system=system, variant=variant, pipeline=pipeline, trace=trace, slo_factor=factor)
                return file["summary"][column][cells]

        (_, figure, caption), = self.figures(QUART, "quart/fig7")
        for axes, column in zip(figure.axes[2:], ("latency_ms_mean", "slo_attainment")):
            (name, (cvs, points)), = self.lines(axes).items()
            self.assertEqual((name, list(cvs)), ("INFless", list(CVS.values())))
            np.testing.assert_allclose(points, [np.mean(rows("QUART", trace, 3, column) / rows("INFless", trace, 3, column)) for trace in CVS])
        self.assertEqual(published_in(figure.axes[2]), [(None, (one, one)) for one in (1 - 0.698, 1 - 0.772, 1 - 0.478)])
        self.assertEqual(published_in(figure.axes[3]), [(None, (one, one)) for one in (13.5, 14.4, 2.3)], "no CV of 8")
        self.assertIn("17.9 (INFless), 32.4 (InferLine), 3.9 (Cocktail)", caption)

        (_, figure, _), = self.figures(QUART, "quart/fig8")
        np.testing.assert_allclose(self.lines(figure.axes[5])["INFless"][1],
                                   [np.mean(rows("INFless", trace, 3, "queue_mean") / rows("QUART", trace, 3, "queue_mean")) for trace in CVS])
        self.assertEqual(published_in(figure.axes[5]), [(None, (10.1, 10.1))])

        (_, figure, _), = self.figures(self.edited(QUART, only_trace), "quart/fig6")
        points, = published_in(figure.axes[1])
        np.testing.assert_allclose(points, [[1.5] * 4, [47.5, 47.5 / 2.19, 47.5 / 2.37, 47.5 / 2.09]])
        points, *lines = published_in(figure.axes[4])
        np.testing.assert_allclose(points, [(1, 0), (1 - 0.091, 1 - 0.102)])  # the file has no Cocktail beside which they could be drawn
        self.assertEqual(lines, [(None, (one, one)) for one in (1 - 0.871, 1 - 0.705, 1 - 0.367)])

    def test_a_cv_of_8_has_the_papers_points(self):
        def eight(row):
            row["trace"] = row["trace"].replace(b"cv-4", b"cv-8")

        file = self.edited(QUART, eight)
        with h5py.File(file, "r+") as opened:
            for cell in opened["cells"].values():
                toml = cell.attrs["effective_toml"]
                cell.attrs["effective_toml"] = toml.replace("cv-4", "cv-8").replace("scv = 16", "scv = 64")
        (_, figure, _), = self.figures(file, "quart/fig7")
        self.assertEqual(published_in(figure.axes[3])[0], ((8, 8, 8), (17.9, 32.4, 3.9)))

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
