"""The figures of Loki show what the raw rows of a file say.

Usage: loki_test.py LOKI.h5 DROPPING.h5 HARNESS: the results of loki_example.toml and loki_dropping_example.toml, and the program
"""

import csv
import io
import shutil
import subprocess
import sys
import tempfile
import unittest
from functools import cache
from pathlib import Path

import h5py
import numpy as np

from figures_testing import Drawn, published_in, rows_of, run, wanted_cells
from loki import fig1, fig3, published, tasks
from loki import violations as violations_of_loki
from series_styles import SeriesStyles
from harness_results.file import Cell, Results
from selection import Missing, name_of

HARNESS = sys.argv.pop()
DROPPING = sys.argv.pop()
LOKI = sys.argv.pop()
COMPLETED = (0, 1)
VIOLATED = (1, 2)
DONE = 0
RATES = (30, 175, 400)
SECONDS = 8
WORKERS = 20
TITLE = "traffic-analysis"


@cache
def variants_csv():
    return subprocess.run([HARNESS, "list", "variants"], check=True, capture_output=True, text=True).stdout


def accuracy_of_models():
    return {row["model"]: float(row["accuracy"]) for row in csv.DictReader(io.StringIO(variants_csv()))
            if row["pipeline"] == TITLE}


@cache
def cells_at(file, rate, **wanted):
    rates = {cell["cell"]: cell.rate_rps for cell in Results(file).cells}
    return [cell for cell in wanted_cells(file, **wanted) if rates[cell] == rate]


def violations(file, cell):
    return 100 * np.isin(rows_of(file, cell)["outcome"], VIOLATED).mean()


def accuracy(rows):
    return 100 * np.nanmean(rows["accuracy"][np.isin(rows["outcome"], COMPLETED)])


def mean(values):
    return np.mean(list(values))


def models_of(file, cell):
    with h5py.File(file) as opened:
        return [name.decode() for name in opened[f"cells/{cell}/modules"]["name"]]


def accuracy_of_task(cell, task):
    """Of the visits that its models did, by the rows and the accuracies that the program lists."""
    listed = accuracy_of_models()
    names = models_of(LOKI, cell)
    with h5py.File(LOKI) as opened:
        visits = opened[f"cells/{cell}/visits"][:]
    done = visits["module"][visits["outcome"] == DONE]
    own = [module for module in done if names[module].startswith(task + ":")]
    return 100 * mean(listed[names[module].partition(":")[2]] for module in own)


class FakeCell(dict):
    """A cell of two tasks: the first with variants of accuracies 1 and 0.5, the second of 1 and 0.8."""

    MODULES = np.array([(b"a:x", 1.0, 30), (b"a:y", 0.5, 10), (b"b:x", 1.0, 0), (b"b:y", 0.8, 5)],
                       dtype=[("name", "S8"), ("accuracy", "f8"), ("done", "u8")])

    def __init__(self, plans=()):
        super().__init__(cell=0)
        self.plans = np.array(list(plans), dtype=[("at_ns", "i8"), ("module", "u2"), ("workers", "u4")])

    def table(self, name):
        return {"modules": self.MODULES, "plans": self.plans}[name]

    def module_names(self):
        return [name.decode() for name in self.MODULES["name"]]


class TasksTest(unittest.TestCase):
    def test_accuracy_of_a_task_is_the_mean_over_its_visits(self):
        self.assertEqual(tasks.task_accuracies(FakeCell()), {"a": (30 + 5) / 40, "b": 0.8})

    def test_accuracy_is_scaled_while_a_worker_hosts_a_lesser_variant(self):
        second = 10**9
        plans = [(0, 0, 3), (0, 1, 0), (0, 2, 2), (0, 3, 0), (4 * second, 0, 4), (5 * second, 1, 1), (9 * second, 1, 0)]
        self.assertEqual(tasks.scaling_changes(FakeCell(plans)), [(0, False), (5, True), (9, False)])

    def test_a_gap_between_two_lesser_variants_is_no_change(self):
        second = 10**9
        plans = [(0, 0, 3), (5 * second, 1, 1), (9 * second, 1, 0), (9 * second + second // 10, 3, 1)]
        self.assertEqual(tasks.scaling_changes(FakeCell(plans)), [(0, False), (5, True)])

    def test_phases_begin_where_accuracies_fall(self):
        demands = np.array([10, 20, 30, 40])
        full = np.ones(4)
        later = np.array([1, 0.9995, 0.98, 0.97])
        first = np.array([1, 1, 1, 0.9])
        self.assertEqual(fig1.phase_starts(demands, {"first": first, "later": later, "other": full}), {2: 30, 3: 40})
        self.assertEqual(fig1.phase_starts(demands, {"first": full, "later": later}), {2: 30})
        self.assertEqual(fig1.phase_starts(demands, {"first": full, "later": full}), {})


class DemandTest(Drawn):
    def draw(self):
        (stem, figure, caption), = self.figures(LOKI, "loki/fig1")
        self.assertEqual(stem, "loki-fig1-traffic-analysis-step")
        return figure, caption

    def test_fig1_is_accuracy_workers_and_violations_by_demand(self):
        figure, caption = self.draw()
        self.assertIn("Mean of 2 seeds", caption)
        accuracies, workers, violated = map(self.lines, figure.axes)
        demands, values = accuracies["Loki, whole pipeline"]
        self.assertEqual(list(demands), list(RATES))
        np.testing.assert_allclose(values, [mean(accuracy(rows_of(LOKI, cell)) for cell in cells_at(LOKI, rate, system="loki"))
                                            for rate in RATES])
        for system in ("loki", "hwscaling"):
            cells = [cells_at(LOKI, rate, system=system) for rate in RATES]
            np.testing.assert_allclose(violated[name_of(system)][1], [mean(violations(LOKI, cell) for cell in own) for own in cells])
            with h5py.File(LOKI) as file:
                means = file["summary"]["workers_mean"]
            np.testing.assert_allclose(workers[name_of(system)][1], [means[own].mean() for own in cells])

    def test_fig1_shows_each_task_and_where_its_accuracy_falls(self):
        figure, caption = self.draw()
        drawn = {line.get_label(): line.get_ydata() for line in figure.axes[0].lines}
        found = {task: [mean(accuracy_of_task(cell, task) for cell in cells_at(LOKI, rate, system="loki")) for rate in RATES]
                 for task in ("object_detection", "car_classification", "facial_recognition")}
        for task, values in found.items():
            np.testing.assert_allclose(drawn[task.replace("_", " ")], values)
        later = [rate for rate, *values in zip(RATES, found["car_classification"], found["facial_recognition"]) if min(values) < 99.9]
        first = [rate for rate, value in zip(RATES, found["object_detection"]) if value < 99.9]
        self.assertTrue(later and later[0] > RATES[0], "an example whose accuracy never falls, or always")
        self.assertIn(f"Phase 2 begins at {later[0]} requests/s.", caption)
        self.assertEqual([line.get_xdata()[0] for line in figure.axes[1].lines if len(set(line.get_xdata())) == 1 and line.get_label() != "paper"],
                         sorted(set(later[:1] + first[:1])))


class TimeTest(Drawn):
    """Figures 5 and 6 have one form."""

    def drawn(self, rate):
        figures = {stem: (figure, caption) for stem, figure, caption in self.figures(LOKI, "loki/fig5")}
        figure, caption = figures[f"loki-fig5-traffic-analysis-step-{rate}_requests_s"]
        return figure, caption

    def test_panels_are_the_rows_by_second_of_sending(self):
        figure, caption = self.drawn(400)
        self.assertIn("seed 1", caption)
        demand, accuracies, _, violated = figure.axes[:4]
        for system in ("loki", "proteus", "hwscaling"):
            rows = rows_of(LOKI, cells_at(LOKI, 400, system=system, seed=1)[0])
            seconds = [rows[rows["sent_ns"] // 10**9 == k] for k in range(SECONDS)]
            np.testing.assert_allclose(demand.lines[0].get_ydata(), [len(own) for own in seconds])
            drawn = {line.get_label(): line.get_ydata() for line in accuracies.lines}[name_of(system)]
            for own, value in zip(seconds, drawn):
                np.testing.assert_allclose(value, accuracy(own) if np.isin(own["outcome"], COMPLETED).any() else np.nan)
            drawn = {line.get_label(): line.get_ydata() for line in violated.lines}[name_of(system)]
            np.testing.assert_allclose(drawn, [100 * np.isin(own["outcome"], VIOLATED).mean() for own in seconds])

    def test_utilisation_has_the_mean_of_the_workers_in_use(self):
        for rate in RATES:
            figure, _ = self.drawn(rate)
            for line in figure.axes[2].lines:
                system = {name_of(one): one for one in ("loki", "proteus", "hwscaling")}.get(line.get_label())
                if system:
                    with h5py.File(LOKI) as file:
                        workers = file["summary"]["workers_mean"][cells_at(LOKI, rate, system=system, seed=1)[0]]
                    np.testing.assert_allclose(line.get_ydata().mean(), 100 * workers / WORKERS, rtol=1e-6)

    def test_dotted_lines_part_hardware_from_accuracy_scaling(self):
        """By the workers' own totals: some serves a lesser variant in the middle of each part with accuracy scaling, none elsewhere."""
        listed = accuracy_of_models()
        parts = 0
        for rate in RATES:
            cell = next(one for one in Results(LOKI).cells if one["cell"] == cells_at(LOKI, rate, system="loki", seed=1)[0])
            lesser = np.array([listed[name.partition(":")[2]] < 1 for name in cell.module_names()])
            workers = cell.table("workers")
            changes = tasks.scaling_changes(cell)
            figure, _ = self.drawn(rate)
            self.assertEqual([line.get_xdata()[0] for line in figure.axes[0].lines[1:]], [at for at, _ in changes[1:]])
            for (from_s, scaled), (to_s, _) in zip(changes, changes[1:] + [(SECONDS, None)]):
                middle = (from_s + to_s) / 2 * 1e9
                serves = (workers["ready_ns"] >= 0) & (workers["ready_ns"] <= middle)
                serves &= (workers["removed_ns"] < 0) | (workers["removed_ns"] > middle)
                self.assertEqual(lesser[workers["module"][serves]].any(), scaled, (rate, from_s))
                parts += 1
        self.assertGreater(parts, len(RATES), "an example in which nothing changes")


class DroppingTest(Drawn):
    def test_fig7_is_violations_by_version(self):
        figures = self.figures(DROPPING, "loki/fig7")
        self.assertEqual([stem for stem, _, _ in figures],
                         [f"loki-fig7-traffic-analysis-step-SLO_{slo}_ms" for slo in (250, 350)])
        for (_, figure, _), slo in zip(figures, (250, 350)):
            heights = self.heights(figure.axes[0])
            self.assertEqual(list(heights)[0], "% of requests")
            expected = [mean(violations(DROPPING, cell) for cell in wanted_cells(DROPPING, variant=variant, slo_ms=slo))
                        for variant in ("none", "last_task", "per_task", "reroute")]
            np.testing.assert_allclose(heights["% of requests"], expected)

    def test_fig8_is_accuracy_its_drop_and_violations_by_slo(self):
        (_, figure, _), = self.figures(DROPPING, "loki/fig8")
        accuracies, drops, violated = map(self.lines, figure.axes[:3])
        for variant in ("none", "reroute"):
            label = name_of(f"loki/{variant}")
            cells = [wanted_cells(DROPPING, variant=variant, slo_ms=slo) for slo in (250, 350)]
            self.assertEqual(list(accuracies[label][0]), [250, 350])
            rows = [[rows_of(DROPPING, cell) for cell in own] for own in cells]
            np.testing.assert_allclose(accuracies[label][1], [mean(map(accuracy, own)) for own in rows])
            np.testing.assert_allclose(violated[label][1], [mean(violations(DROPPING, cell) for cell in own) for own in cells])
            steps = [[min(accuracy(one[one["sent_ns"] // 10**10 == k]) for k in range(3)) for one in own] for own in rows]
            np.testing.assert_allclose(drops[label][1], [100 - mean(own) for own in steps])

    def test_figures_that_need_several_rates_or_slos_say_so(self):
        with self.assertRaisesRegex(Missing, "one rate only"):
            self.figures(DROPPING, "loki/fig1")
        with self.assertRaisesRegex(Missing, "one SLO only"):
            self.figures(LOKI, "loki/fig8")

    def test_a_system_without_a_default_is_one_of_its_variants(self):
        chosen, words = SeriesStyles(Results(DROPPING).cells).one_of_each(("loki", "proteus"))
        self.assertEqual(chosen, {"loki": "loki/none"})
        for part in ("Loki: its variant none.", "Not in the file: Proteus."):
            self.assertIn(part, words)
        _, _, caption = self.figures(DROPPING, "loki/fig5")[0]
        self.assertIn("Not drawn: Loki-last_task, Loki-per_task, Loki-reroute.", caption)


def with_column(table, **columns):
    """The rows of a table with these columns of real numbers, which may replace its own."""
    rows = table[:]
    kept = {name: rows.dtype[name] for name in rows.dtype.names} | dict.fromkeys(columns, "f8")
    wider = np.zeros(len(rows), dtype=list(kept.items()))
    for name in rows.dtype.names:
        wider[name] = rows[name]
    for name, values in columns.items():
        wider[name] = values
    return wider


class PathsTest(Drawn):
    """Copies of the files that count paths too."""

    def copy(self, original):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        copy = Path(temporary.name) / "copy.h5"
        shutil.copy(original, copy)
        with h5py.File(copy, "r+") as file:
            rows = with_column(file["summary"], path_violation_rate=file["summary"]["drop_rate"] / 4)
            del file["summary"]
            file["summary"] = rows
            for cell in file["cells"].values():
                sent = cell["windows"]["sent"].astype(float)
                rows = with_column(cell["windows"], paths_in_time=6 * sent, paths_late=sent, paths_lost=3 * sent)
                del cell["windows"]
                cell["windows"] = rows
        return copy

    def test_violations_of_paths_are_drawn_beside_those_of_requests(self):
        copy = self.copy(LOKI)
        (_, figure, caption), = self.figures(copy, "loki/fig1")
        lines = self.lines(figure.axes[2])
        np.testing.assert_allclose(lines["Loki, paths"][1], lines["Loki"][1] / 4)
        self.assertIn("paths through the pipeline", caption)
        _, figure, _ = self.figures(copy, "loki/fig5")[0]
        self.assertEqual(len(figure.axes), 5)
        for line in figure.axes[4].lines:
            if line.get_label() in ("Loki", "Proteus", "Hardware scaling"):
                np.testing.assert_allclose(line.get_ydata(), 40)

    def test_bars_and_a_panel_of_paths(self):
        copy = self.copy(DROPPING)
        _, figure, _ = self.figures(copy, "loki/fig7")[0]
        heights = self.heights(figure.axes[0])
        np.testing.assert_allclose(np.array(heights["% of paths"]) * 4, heights["% of requests"])
        (_, figure, _), = self.figures(copy, "loki/fig8")
        violated, of_paths = map(self.lines, figure.axes[2:])
        np.testing.assert_allclose(of_paths["Loki-none"][1] * 4, violated["Loki-none"][1])


class PublishedTest(Drawn):
    """The paper's own figures are drawn for its pipelines: sections 1, 6.2 and 6.4."""

    def test_fig1_has_the_ends_of_the_phases(self):
        (_, figure, caption), = self.figures(LOKI, "loki/fig1")
        self.assertEqual(list(map(published_in, figure.axes)), [[((560, 1550), (100, 87))], [((560,), (20,))], [((1765,), (0,))]])
        self.assertIn("(section 1)", caption)

    def test_figs5_and_6_have_servers_and_accuracy(self):
        _, figure, caption = self.figures(LOKI, "loki/fig5")[0]
        of_traffic = list(map(published_in, figure.axes[:4]))
        self.assertIn("the paper's servers off peak (section 6.2)", caption)

        def social(row):
            row["pipeline"] = b"social-media"
        _, figure, caption = self.figures(self.edited(LOKI, social), "loki/fig6")[0]
        of_social = list(map(published_in, figure.axes[:4]))
        self.assertIn("accuracy at the peak (section 6.2)", caption)
        (_, (utilisation, _)), = of_traffic[2]
        self.assertAlmostEqual(100 / utilisation, 2.67)
        self.assertEqual(of_traffic, [[], [], of_traffic[2], []])
        self.assertEqual(of_social, [[], [(None, (90, 90))], of_traffic[2], []])

    def test_fig8_has_the_least_slo(self):
        (_, figure, caption), = self.figures(DROPPING, "loki/fig8")
        self.assertEqual(list(map(published_in, figure.axes)), len(figure.axes) * [[((200, 200), None)]])
        self.assertIn("(section 6.4)", caption)

    def test_other_pipelines_have_none(self):
        cells = [Cell({"pipeline": "mine"}, None)]
        self.assertEqual((published.on_demand(cells, None, None, None), published.on_time(cells, None, None), published.on_slos(cells, [])),
                         ("", "", ""))


class AnswersTest(unittest.TestCase):
    def test_the_caption_says_what_counts_as_an_answer(self):
        rows = [{"answers": "partial"}, {"answers": "partial"}, {}, {"answers": ""}]
        cells = [Cell(row, None) for row in rows]
        self.assertIn("of all sent (partial answers).", violations_of_loki.text(cells[:2], False))
        self.assertIn("of all sent.", violations_of_loki.text(cells[2:], False))


class VariantsTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.table = Path(temporary.name) / "variants.csv"
        self.table.write_text(variants_csv(), encoding="utf-8")

    def test_fig3_has_the_efficientnets_first(self):
        (task, profiles, batches), *others = fig3.panels_of(self.table)
        self.assertEqual((task, profiles), ("car_classification", "loki-gtx1080ti"))
        # The public profile files: 3.9 ms for one image, 35.6 ms for 32; top-1 77.1 % against 84.0 % of B6.
        by_model = {model: (rate, accuracy) for rate, accuracy, model in batches[1]}
        np.testing.assert_allclose(by_model["efficientnet-b0"], (1000 / 3.9, 77.1 / 84.0), rtol=5e-3)
        self.assertEqual(by_model["efficientnet-b6"][1], 1)
        by_model = {model: rate for rate, _, model in batches[32]}
        np.testing.assert_allclose(by_model["efficientnet-b0"], 32 * 1000 / 35.6, rtol=1e-5)
        tasks = {"car_classification", "facial_recognition", "image_captioning", "image_classification", "object_detection"}
        self.assertEqual({task, *(task for task, _, _ in others)}, tasks, "a task without a choice has no panel")

    def test_points_are_those_of_the_table(self):
        panels = fig3.panels_of(self.table)
        _, grid = fig3.draw_table(self.table)
        for axes, (_, _, batches) in zip(grid.flat, panels):
            for line in axes.lines:
                points = sorted(batches[int(line.get_label().split()[1])], key=lambda point: point[1])
                np.testing.assert_allclose(line.get_xdata(), [rate for rate, _, _ in points])
                np.testing.assert_allclose(line.get_ydata(), [100 * accuracy for _, accuracy, _ in points])

    def test_the_command_draws_the_table(self):
        done = run(self.table, "-o", self.table.parent)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual({path.name for path in self.table.parent.iterdir()}, {"variants.csv", "loki-fig3.pdf", "loki-fig3.png"})


if __name__ == "__main__":
    unittest.main()
