#!/usr/bin/env python3
"""Goodput and SLO attainment against the load: means and bounds of the rows, drawn by default where a file holds a sweep.

Usage: load_sweep_test.py SMALL.h5 STREAMS.h5 (write_example_results: loads, and rates)
"""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

from figures_testing import Drawn, run
import catalogue
import curves
from harness_results.file import Results
from intervals import spread
from selection import group, name_of, pair_of, series_of

SMALL, STREAMS = sys.argv[-2:]
del sys.argv[-2:]
STEMS = {f"{name}-lv-tweet" for name in catalogue.LOAD_SWEEPS}


class Offered(dict):
    """What a place on the axis of rates needs of a cell."""

    rate_rps = 50.0


class LoadSweepTest(Drawn):
    def test_seeds_of_a_rate_are_one_point_also_where_it_has_no_load(self):
        cells = [Offered(load=float("nan"), offered_rps=rate) for rate in (49.0, 51.0)]
        place = curves.offered_by_level(cells)
        self.assertEqual([place(cell) for cell in cells], [50.0, 50.0])

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def changed(self, edit):
        """A copy of SMALL with edit(its rows) done."""
        copy = self.folder / "changed.h5"
        shutil.copy(SMALL, copy)
        with h5py.File(copy, "r+") as file:
            rows = file["summary"][:]
            edit(rows)
            file["summary"][:] = rows
        return copy

    def stems(self, file, *options):
        """(names of the figures that were drawn, the finished command)"""
        done = run(file, "-o", self.folder / "figures", "--limit", 1, *options)
        return {path.stem for path in self.folder.glob("figures/*.pdf")}, done

    def drawn(self, file, name):
        (_, figure, caption), *_ = self.figures(file, name)
        return figure.axes[0], caption

    def bound(self, axes):
        line, = (one for one in axes.lines if one.get_label() == "upper bound")
        return line.get_data()

    def test_points_are_means_over_the_seeds_with_their_intervals(self):
        cells = Results(SMALL).cells
        for name, column, scale in (("goodput-load", "goodput_rps", 1), ("slo-attainment-load", "slo_attainment", 100)):
            axes, caption = self.drawn(SMALL, name)
            lines = self.lines(axes)
            self.assertEqual(set(lines), {name_of(series_of(cell)) for cell in cells})
            self.assertIn("Mean of 2 seeds", caption)
            for series in map(series_of, cells):
                loads, means = lines[name_of(series)]
                self.assertEqual(list(loads), [0.9, 1.2])
                expected = [spread([scale * cell[column] for cell in cells if (series_of(cell), cell["load"]) == (series, load)])
                            for load in loads]
                np.testing.assert_allclose(means, [mean for mean, _ in expected])

    def test_the_upper_bound_is_the_highest_of_the_series(self):
        def edit(rows):
            rows["fluid_bound_rps"] = 100 * rows["load"]
            rows["fluid_bound_rps"][rows["system"] == b"nexus"] *= 2
            rows["offered_rps"] = 400

        copy = self.changed(edit)
        axes, caption = self.drawn(copy, "goodput-load")
        np.testing.assert_allclose(self.bound(axes), [[0.9, 1.2], [180, 240]])
        self.assertIn("of the bounds of the series, whose plans differ, the highest", caption)
        axes, _ = self.drawn(copy, "slo-attainment-load")
        np.testing.assert_allclose(self.bound(axes), [[0.9, 1.2], [45, 60]])

    def test_one_plan_has_one_bound(self):
        axes, caption = self.drawn(self.changed(lambda rows: rows["fluid_bound_rps"].fill(123)), "goodput-load")
        np.testing.assert_allclose(self.bound(axes)[1], [123, 123])
        self.assertNotIn("differ", caption)

    def test_without_bounds_there_is_no_line(self):
        axes, caption = self.drawn(self.changed(lambda rows: rows["fluid_bound_rps"].fill(np.nan)), "goodput-load")
        self.assertNotIn("upper bound", [line.get_label() for line in axes.lines])
        self.assertNotIn("bound", caption)

    def test_given_rates_are_the_axis(self):
        axes, caption = self.drawn(STREAMS, "goodput-load")
        self.assertEqual(axes.get_xlabel(), "request rate (requests/s)")
        self.assertIn("Goodput against the request rate.", caption)
        cells, *_ = group(Results(STREAMS).cells, pair_of).values()
        rates = [np.mean([cell["offered_rps"] for cell in own]) for _, own in sorted(group(cells, lambda cell: cell.rate_rps).items())]
        for places, _ in self.lines(axes).values():
            np.testing.assert_allclose(places, rates)

    def test_they_are_among_the_general_figures_of_a_sweep_only(self):
        self.assertLess(STEMS, self.stems(SMALL)[0])
        shutil.rmtree(self.folder / "figures")

        def keep_one_load(rows):
            rows["status"][rows["load"] != 0.9] = b"skipped"

        drawn, done = self.stems(self.changed(keep_one_load))
        self.assertIn("rates", drawn)
        self.assertFalse(STEMS & drawn)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        _, done = self.stems(self.folder / "changed.h5", "--only", "goodput-load")
        self.assertEqual(done.returncode, 2)
        self.assertIn("goodput-load is not drawn: no series has cells that differ in load or rate\n", done.stderr)

    def test_a_system_outside_the_sweep_keeps_it_from_the_general_figures(self):
        """The others are drawn, a line says why these are not, and that is no failure: nobody asked for them."""
        def move(rows):
            own = rows["system"] == b"nexus"
            rows["pipeline"][own] = b"tm"
            rows["status"][own & (rows["load"] != 0.9)] = b"skipped"

        drawn, done = self.stems(self.changed(move))
        self.assertIn("rates", drawn)
        self.assertFalse(STEMS & drawn)
        self.assertEqual(done.returncode, 0)
        self.assertIn("goodput-load is not drawn: it leaves out nexus: ", done.stderr)


if __name__ == "__main__":
    unittest.main()
