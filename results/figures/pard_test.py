"""The figures of PARD show what the raw rows of a file say, keep different settings apart, and say what is missing.

Usage: pard_test.py PAPER.h5 SWEEP.h5 MOTIVATION.h5 (write_example_results; lv-tweet of experiments/pard/motivation.toml)
"""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

from figures_testing import Drawn, published_in, rows_of, run, wanted_cells
import catalogue
import style
from pard import fig6, fig12, fig13, fig15
from pard.series import SYSTEMS
from harness_results.file import Cell, Results
from selection import Missing, name_of, series_of, settings

MOTIVATION = sys.argv.pop()
SWEEP = sys.argv.pop()
PAPER = sys.argv.pop()
DROPPED, LATE, IN_TIME = 2, 1, 0


def drop_percent(file, cell):
    rows = rows_of(file, cell)
    return 100 * np.isin(rows["outcome"], (DROPPED, LATE)).mean()


def greatest_of_windows(file, cell, size_s, outcomes, largest):
    """Largest or least percent of the requests sent within [t, t + size) s that ended so, over whole seconds t."""
    rows = rows_of(file, cell)
    second = rows["sent_ns"] // 10**9
    counted = np.isin(rows["outcome"], outcomes)
    found = []
    for start in range(0, 24 - size_s + 1):
        inside = (second >= start) & (second < start + size_s)
        if inside.any():
            found.append(100 * counted[inside].mean())
    return max(found) if largest else min(found)


class NumbersTest(Drawn):
    def test_fig2a_is_the_least_share_in_time_of_any_window(self):
        (_, figure, _), = self.figures(PAPER, "pard/fig2")
        lines = self.lines(self.panel(figure, "(a)"))
        self.assertEqual(set(lines), {"Naive", "Nexus", "Clipper++", "PARD"})
        for system in ("naive", "nexus", "clipperpp"):
            sizes, values = lines[name_of(system)]
            self.assertEqual(list(sizes), [1, 2, 5, 10, 20])
            cells = wanted_cells(PAPER, system=system, pipeline="lv", trace="tweet")
            self.assertEqual(len(cells), 2)
            for size, value in zip(sizes, values):
                expected = np.mean([greatest_of_windows(PAPER, cell, size, (IN_TIME,), False) for cell in cells])
                self.assertAlmostEqual(value, expected, places=9)

    def test_fig2_is_drawn_at_a_load_at_which_it_says_something(self):
        """Of every system most points of (a) and (b) lie clearly between 0 and 100."""
        (_, figure, _), = self.figures(MOTIVATION, "pard/fig2")
        for title in ("(a)", "(b)"):
            lines = self.lines(self.panel(figure, title))
            self.assertEqual(set(lines), {"Naive", "Nexus", "Clipper++"})
            for system, (sizes, values) in lines.items():
                between = sum(5 < value < 95 for value in values)
                self.assertGreater(between, len(sizes) / 2, (title, system, values))

    def test_fig8_bars_are_rates_of_the_rows(self):
        (_, figure, caption), = self.figures(PAPER, "pard/fig8")
        self.assertIn("paper.h5, cells 0-3, 7-10", caption)
        self.assertIn("Mean of 2 seeds", caption)
        drops, invalid = (self.heights(self.panel(figure, title)) for title in ("(a)", "(b)"))
        workloads = [("tm", "wiki"), ("tm", "tweet"), ("lv", "wiki"), ("lv", "tweet")]
        for system in SYSTEMS:
            for place, (pipeline, trace) in enumerate(workloads):
                cells = wanted_cells(PAPER, system=system, variant="default", pipeline=pipeline, trace=trace)
                self.assertAlmostEqual(drops[name_of(system)][place], np.mean([drop_percent(PAPER, cell) for cell in cells]))
                shares = []
                for cell in cells:
                    rows = rows_of(PAPER, cell)
                    shares.append(100 * rows["gpu_ns"][rows["outcome"] != IN_TIME].sum() / rows["gpu_ns"].sum())
                self.assertAlmostEqual(invalid[name_of(system)][place], np.mean(shares))

    def test_fig9_is_the_greatest_drop_rate_of_any_window(self):
        (_, figure, _), = self.figures(PAPER, "pard/fig9")
        sizes, values = self.lines(self.panel(figure, "lv-tweet"))["PARD"]
        cells = wanted_cells(PAPER, system="pard", variant="default", pipeline="lv", trace="tweet")
        for size, value in zip(sizes, values):
            expected = np.mean([greatest_of_windows(PAPER, cell, size, (DROPPED, LATE), True) for cell in cells])
            self.assertAlmostEqual(value, expected, places=9)

    def test_fig10_is_the_share_in_time_around_each_second(self):
        (_, figure, _), = self.figures(PAPER, "pard/fig10")
        axes = next(axes for axes in figure.axes if axes.get_title(loc="left") == "lv")
        times, values = next(line for line in axes.get_lines() if line.get_label() == "Nexus").get_data()
        self.assertEqual((times[0], len(times)), (2.5, 20))
        rows = np.concatenate([rows_of(PAPER, cell) for cell in wanted_cells(PAPER, system="nexus", pipeline="lv", trace="wiki")])
        for time, value in zip(times, values):
            inside = abs(rows["sent_ns"] - time * 1e9) <= 2.5e9
            self.assertAlmostEqual(value, 100 * (rows["outcome"][inside] == IN_TIME).mean(), places=6)

    def test_fig11b_parts_are_the_modules_where_requests_were_lost(self):
        (_, figure, caption), = self.figures(PAPER, "pard/fig11")
        self.assertIn("Not in the file: PARD-sf, PARD-oc", caption)
        parts = list(self.heights(self.panel(figure, "(b)")).values())
        self.assertEqual(len(parts), 5)
        for place, variant in enumerate(("default", "back", "fcfs", "instant")):
            cells = wanted_cells(PAPER, system="pard", variant=variant, pipeline="lv", trace="tweet")
            shares = []
            for cell in cells:
                rows = rows_of(PAPER, cell)
                lost = rows["module"][np.isin(rows["outcome"], (DROPPED, LATE))]
                shares.append(100 * np.bincount(lost, minlength=5) / len(lost))
            for module, expected in enumerate(np.mean(shares, axis=0)):
                self.assertAlmostEqual(parts[module][place], expected)

    def test_fig14c_has_a_panel_for_each_setting_and_a_point_for_each_value(self):
        (_, figure, _), = self.figures(SWEEP, "pard/fig14c")
        panels = [axes for axes in figure.axes if axes.get_visible()]
        titles = [axes.get_title(loc="left") for axes in panels]
        self.assertEqual(titles, ["planner.sizing_factor=2.5", "planner.sizing_factor=10"])
        for axes, factor in zip(panels, ("2.5", "10")):
            for trace in ("wiki", "tweet"):
                values, rates = self.lines(axes)[trace]
                self.assertEqual(list(values), [0.05, 0.1, 0.2, 1])
                for value, rate in zip(values, rates):
                    parameters = f"planner.sizing_factor={factor} pard.lambda={value:g}"
                    cells = wanted_cells(SWEEP, trace=trace, parameters=parameters)
                    self.assertEqual(len(cells), 2)
                    self.assertAlmostEqual(rate, np.mean([drop_percent(SWEEP, cell) for cell in cells]))

    def test_fig15_labels_a_wide_axis_by_decades(self):
        self.assertEqual(fig15.tick_steps(10, 2000), (1, 2, 5))
        self.assertEqual(fig15.tick_steps(5, 50000), (1,))

    def test_fig15_shows_each_workload_apart(self):
        figures = self.figures(PAPER, "pard/fig15")
        self.assertEqual([stem for stem, _, _ in figures],
                         [f"pard-fig15-{pipeline}-{trace}" for pipeline in ("tm", "lv") for trace in ("wiki", "tweet")])
        _, figure, caption = figures[3]
        self.assertIn("With lv-tweet.", caption)
        heights = next(iter(self.heights(self.panel(figure, "(a)")).values()))
        cells = wanted_cells(PAPER, system="nexus", pipeline="lv", trace="tweet")
        self.assertAlmostEqual(heights[2], np.mean([drop_percent(PAPER, cell) for cell in cells]))


class PublishedTest(Drawn):
    """The figures show what the paper's text gives, in their units."""

    def test_fig6_has_the_centre_of_the_sum(self):
        for stem, figure, caption in self.figures(PAPER, "pard/fig6"):
            axes, = figure.axes
            self.assertEqual(published_in(axes), [((axes.get_xlim()[1] / 2,) * 2, None)], stem)  # the axis ends at the sum of the executions
            self.assertIn("section 4.2", caption)

    def test_fig14c_has_the_range_of_the_best_lambda(self):
        (_, figure, caption), = self.figures(SWEEP, "pard/fig14c")
        for axes in (axes for axes in figure.axes if axes.get_visible()):
            self.assertEqual(published_in(axes), [((0.075, 0.15), None)])
        self.assertIn("section 5.4", caption)

    def test_fig15a_has_the_drop_rates_of_section_7(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "policies.h5"
            shutil.copy(PAPER, copy)
            with h5py.File(copy, "r+") as file:
                rows = file["summary"][:]
                for row in rows:
                    policy = {b"nexus": b"proactive", b"clipperpp": b"predict", b"naive": b"reactive"}.get(row["system"])
                    if policy is not None:
                        row["parameters"] = b"rag.policy=" + policy
                file["summary"][:] = rows
            found = self.figures(copy, "pard/fig15")
        for _, figure, caption in found:
            axes = self.panel(figure, "(a)")
            marks, = published_in(axes)
            labels = [label.get_text() for label in axes.get_xticklabels()]
            by_policy = {labels[int(place)].rpartition(" ")[2]: value for place, value in zip(*marks)}
            self.assertEqual(by_policy, {"proactive": 17, "predict": 11})
            self.assertGreater(axes.get_ylim()[1], 17)
            self.assertIn("crosses: section 7", caption)

    def test_other_policies_have_no_marks(self):
        for _, figure, caption in self.figures(PAPER, "pard/fig15"):
            self.assertEqual(published_in(self.panel(figure, "(a)")), [])
            self.assertNotIn("section 7", caption)


class RowsTest(unittest.TestCase):
    """What figures 6, 12 and 13 take from rows and states."""

    def test_irwin_hall(self):
        """Closed forms, and the quantiles of the paper's formulas for 1 to 5 modules."""
        for x, count, density in ((0.3, 1, 1), (0.5, 2, 0.5), (1.5, 3, 0.75), (2, 4, 2 / 3), (2.5, 5, 115 / 192)):
            self.assertAlmostEqual(float(fig6.irwin_hall(x, count)), density)
        for count, quantile in enumerate((0.100, 0.447, 0.843, 1.247, 1.661), start=1):
            self.assertAlmostEqual(fig6.irwin_hall_quantile(0.1, count), quantile, delta=6e-4)

    def test_batch_waits_add_up_from_the_last_module(self):
        cell = next(cell for cell in Results(PAPER).cells if series_of(cell) == "pard" and cell["pipeline"] == "tm")
        sums = fig6.aggregated([cell])
        rows, visits = cell.table("requests"), cell.table("visits")
        self.assertEqual(len(sums), np.isin(rows["outcome"], (IN_TIME, LATE)).sum())
        request = np.unique(visits["request"][(visits["module"] == 2) & (visits["outcome"] == 0)])[7]
        own = np.sort(visits[visits["request"] == request], order="module")
        waits = own["wait_ns"] / own["exec_ns"]
        np.testing.assert_allclose(sums[7], [waits.sum(), waits[1:].sum(), waits[2]])

    def test_fig12_takes_latencies_apart(self):
        cell = next(cell for cell in Results(PAPER).cells if series_of(cell) == "pard" and cell["pipeline"] == "lv")
        visits, requests = cell.table("visits"), cell.table("requests")
        completed = np.isin(requests["outcome"], (IN_TIME, LATE))
        sums = fig12.sums_by_request(cell, visits)
        order = np.argsort(requests["request"][completed])
        np.testing.assert_allclose(sum(sums.values()), requests["latency_ns"][completed][order] / 1e6)
        times, budgets = fig12.remaining_budgets(cell, visits, 0, (5, 7))
        sent = np.sort(requests["sent_ns"][(requests["sent_ns"] >= 5e9) & (requests["sent_ns"] < 7e9)])
        np.testing.assert_allclose(np.sort(times), sent / 1e9)
        np.testing.assert_allclose(budgets, 500)
        done = visits[(visits["module"] == 1) & (visits["outcome"] == 0)]
        latency = done["queueing_ns"] + done["wait_ns"] + done["exec_ns"]
        inside = (done["ended_ns"] - latency) // 10**9 == 5
        self.assertAlmostEqual(fig12.latency_by_second(cell, visits)[5, 1], latency[inside].mean() / 1e6)

    def test_capacity_follows_the_plans_and_of_one_plan_is_that_of_the_summary(self):
        """A server with continuous batching serves more or less than workers x batch / latency."""
        plans = np.array([(0, 0, 2, 8, 1e9), (10e9, 0, 4, 8, 1e9)], dtype=[
            ("at_ns", "i8"), ("module", "u2"), ("workers", "u4"), ("max_batch", "u4"), ("exec_ns", "i8")])
        modules = np.zeros(1, dtype=[("done", "u8")])
        times = np.array([1.0, 11.0])
        changing = Cell({"capacity_rps": 7}, {"plans": plans, "modules": modules})
        self.assertEqual(list(changing.capacity(times)), [16, 32])
        fixed = Cell({"capacity_rps": 7}, {"plans": plans[:1], "modules": modules})
        self.assertEqual(list(fixed.capacity(times)), [7, 7])

    def test_fig13_shows_the_span_with_the_most_changes(self):
        states = np.zeros(300, dtype=[("at_ns", "i8"), ("module", "u2"), ("load", "f8"), ("band", "f8"), ("order", "u1")])
        states["at_ns"] = np.arange(300) * 10**9
        states["order"][150:160] = [1, 0] * 5
        states["order"][20] = 1
        self.assertEqual(fig13.changes(states), 12)
        start, end = fig13.chosen_span(states, 300)
        self.assertEqual(end - start, 120)
        self.assertTrue(start <= 150 and end >= 160)
        self.assertEqual(fig13.chosen_span(states, 100), (0, 100))


class SettingsTest(unittest.TestCase):
    def test_parameters_that_vary_within_a_series_part_the_cells(self):
        cells = Results(SWEEP).cells
        both = settings(cells)
        self.assertEqual(len(both), 8)
        self.assertEqual([len(own) for _, own in both], [4] * 8)
        by_factor = settings(cells, ("pard.lambda",))
        self.assertEqual([setting.text for setting, _ in by_factor], ["planner.sizing_factor=2.5", "planner.sizing_factor=10"])
        self.assertEqual(by_factor[0][0].stem, "-planner.sizing_factor_2.5")
        self.assertEqual([setting.text for setting, _ in settings(Results(PAPER).cells)], [""])

    def test_series_of_a_sweep_stand_and_are_shaded_by_its_values(self):
        results = Results(SWEEP)
        self.assertEqual([key.label for key in results.series()], [f"pard lambda={value}" for value in ("0.05", "0.1", "0.2", "1")])
        palette = style.Palette(results.series())
        lightness = [sum(palette.colour(key)) for key in results.series()]
        self.assertEqual(lightness, sorted(lightness, reverse=True))

    def test_the_catalogue_names_every_drawing(self):
        self.assertEqual(catalogue.names(), [catalogue.GENERAL, *catalogue.DRAWINGS])

    def test_names_are_the_papers(self):
        self.assertEqual([name_of(name) for name in ("pard", "pard/back", "pard/fcfs", "clipperpp", "mine/x")],
                         ["PARD", "PARD-back", "PARD-FCFS", "Clipper++", "mine-x"])


class CommandTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def names(self):
        return {path.name for path in self.folder.iterdir()}

    def test_the_experiment_names_its_figures(self):
        done = run(PAPER, "-o", self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.names(), {f"pard-fig{k}.{ending}" for k in (8, 9) for ending in ("pdf", "png")})

    def test_every_other_figure_draws_and_twice_the_same(self):
        wanted = ["fig2", "fig6", "fig10", "fig11", "fig12", "fig15"]
        for folder in ("one", "two"):
            done = run(PAPER, "-o", self.folder / folder, *[f"--only=pard/{name}" for name in wanted])
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        for path in (self.folder / "one").iterdir():
            self.assertEqual(path.read_bytes(), (self.folder / "two" / path.name).read_bytes(), path.name)
        workloads = 4  # figure 15 never averages over them
        self.assertEqual(len(list((self.folder / "one").glob("*fig15-*"))), 2 * workloads)
        systems = 4  # figures 6 and 12 show one
        for name in ("fig6", "fig12"):
            self.assertEqual(len(list((self.folder / "one").glob(f"pard-{name}*"))), 2 * systems)
        self.assertEqual(len(list((self.folder / "one").iterdir())), 2 * (len(wanted) - 3 + workloads + 2 * systems))

    def test_loads_slos_and_states(self):
        """A copy of the sweep whose seeds and quantiles are loads and SLOs, with published states."""
        copy = self.folder / "copy.h5"
        shutil.copy(SWEEP, copy)
        states = np.zeros(12, dtype=[("at_ns", "i8"), ("module", "u2"), ("load", "f8"), ("band", "f8"), ("order", "u1")])
        states["at_ns"], states["load"], states["band"] = np.arange(12) * 5 * 10**8, 1.1, 0.2
        states["order"][5:] = 1
        with h5py.File(copy, "r+") as file:
            rows = file["summary"][:]
            for row in rows:
                factor, value = (text.partition("=")[2] for text in row["parameters"].decode().split())
                row["load"], row["parameters"] = float(value), f"planner.sizing_factor={factor}"
                file.pop(f"cells/{row['cell']}/states", None)
                file[f"cells/{row['cell']}/states"] = states
            file["summary"][:] = rows
        done = run(copy, "-o", self.folder / "a", "--only=pard/fig14a", "--only=pard/fig14b")
        self.assertEqual(done.returncode, 0)
        self.assertIn("pard/fig14b is not drawn: the file has one SLO only", done.stderr)
        with h5py.File(copy, "r+") as file:
            rows = file["summary"][:]
            rows["slo_ms"], rows["load"] = 100 * rows["load"], 1
            file["summary"][:] = rows
        self.assertEqual(run(copy, "-o", self.folder / "a", "--only=pard/fig14b").returncode, 0)
        self.assertEqual(len(list((self.folder / "a").glob("pard-fig14[ab].p*"))), 4)
        done = run(copy, "-o", self.folder / "a", "--only=pard/fig13")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(list((self.folder / "a").glob("pard-fig13-*.pdf"))), 8)

    def test_unknown_names_are_refused_with_the_nearest(self):
        done = run(PAPER, "-o", self.folder / "a", "--only", "pard/fig14")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--only: found 'pard/fig14', allowed: general, goodput-load, slo-attainment-load, robust, pard/fig2, ", done.stderr)
        self.assertIn("did you mean 'pard/fig14", done.stderr)
        self.assertFalse((self.folder / "a").exists())

    def test_what_a_file_lacks_is_said(self):
        done = run(SWEEP, "-o", self.folder, *[f"--only=pard/{name}" for name in ("fig8", "fig13", "fig14a", "fig14d", "fig2")])
        self.assertEqual(done.returncode, 0)
        for line in ("pard/fig14a is not drawn: the file has one load only",
                     "pard/fig14d is not drawn: the file does not sweep pard.queueing_window_s",
                     "pard/fig2 is not drawn: no cells of naive, nexus, clipperpp"):
            self.assertIn(f"{SWEEP}: {line}\n", done.stderr)
        self.assertIn("pard/fig13 is not drawn: ", done.stderr)
        self.assertEqual(run(SWEEP, "-o", self.folder, "--only=pard/fig13").returncode, 2)


class MissingTest(unittest.TestCase):
    def cell(self, **tables):
        class Made(dict):
            def has(self, name):
                return name in tables

            def table(self, name):
                return tables[name]

            rows = table

        return Made(cell=7, pipeline="da")

    def test_states_and_their_columns_are_missed_by_name(self):
        with self.assertRaisesRegex(Missing, r"no /cells/7/states: published states are recorded with \[record\] states = true"):
            fig13.states_of(self.cell())
        states = np.zeros(3, dtype=[("at_ns", "i8"), ("module", "u2"), ("order", "f8")])
        with self.assertRaisesRegex(Missing, "/cells/7/states has no column load, band"):
            fig13.states_of(self.cell(states=states))

    def test_a_chain_is_needed_for_sums_of_waits(self):
        visits = np.array([(0, 0), (1, 0), (2, 0)], dtype=[("visit", "u2"), ("parent", "u2")])
        with self.assertRaisesRegex(Missing, "da is not a chain"):
            fig6.normalised_waits(self.cell(visits=visits, modules=[0, 0, 0]))


if __name__ == "__main__":
    unittest.main()
