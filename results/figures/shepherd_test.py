"""The figures of SHEPHERD show what the raw rows of a file say.

Usage: shepherd_test.py STREAMS.h5 (write_example_results)
"""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import h5py
import numpy as np

from figures_testing import Drawn, published_in, rows_of, run, wanted_cells
from harness_results.file import Results
from selection import Missing, name_of
from shepherd import exits, predictability, published
from shepherd.series import LITERAL, SYSTEMS

STREAMS = sys.argv.pop()
DRAWN = [system for system in SYSTEMS if system != LITERAL]  # the file has none of the variant
IN_TIME, LATE = 0, 1
SECONDS = 6
TRACES = ("maf-stable", "maf-bursty")
RATES = (300, 900, 1800)


def goodput(cell):
    return (rows_of(STREAMS, cell)["outcome"] == IN_TIME).sum() / SECONDS


def cells_by_rate(**wanted):
    """Numbers of the cells, those of each rate together."""
    rates = {cell["cell"]: cell.rate_rps for cell in Results(STREAMS).cells}
    cells = wanted_cells(STREAMS, **wanted)
    return [[cell for cell in cells if rates[cell] == rate] for rate in RATES]


class NumbersTest(Drawn):
    def test_fig7_is_goodput_and_utilisation_by_rate(self):
        (_, figure, caption), = self.figures(STREAMS, "shepherd/fig7")
        self.assertIn("Mean of 2 seeds", caption)
        self.assertEqual(len(figure.axes), 4)
        for column, trace in enumerate(TRACES):
            lines = self.lines(figure.axes[column])
            busy = self.lines(figure.axes[2 + column])
            self.assertEqual(set(lines), {"SHEPHERD", "Clockwork", "Nexus"})
            for system in DRAWN:
                levels = cells_by_rate(system=system, variant="default", trace=trace)
                np.testing.assert_allclose(lines[name_of(system)][1], [np.mean([goodput(cell) for cell in level]) for level in levels])
                with h5py.File(STREAMS) as file:
                    shares = file["summary"]["gpu_utilisation"]
                np.testing.assert_allclose(busy[name_of(system)][1], [100 * shares[level].mean() for level in levels])

    def test_fig7_has_the_papers_factors_and_limits(self):
        with mock.patch.object(published, "HIGHEST_RPS", RATES[-1]):
            (_, figure, caption), = self.figures(STREAMS, "shepherd/fig7")
        self.assertIn("4.6x and 7.1x; 5.2x and 18.1x; section 7.1", caption)
        for column, (factors, busy) in enumerate((((4.6, 7.1), 89), ((5.2, 18.1), 55))):
            axes = figure.axes[column]
            places, goodputs = self.lines(axes)["SHEPHERD"]
            limit, (at, values) = published_in(axes)
            self.assertEqual(limit, ((6000, 6000), None))
            np.testing.assert_allclose(at, [places[-1]] * 2)
            np.testing.assert_allclose(values, [goodputs[-1] / factor for factor in factors])
            self.assertEqual(published_in(figure.axes[2 + column]), [(None, (busy, busy)), (None, (95, 100))])

    def test_fig7_of_other_rates_has_no_factors(self):
        (_, figure, _), = self.figures(STREAMS, "shepherd/fig7")
        self.assertFalse([mark for axes in figure.axes for mark in published_in(axes) if None not in mark])

    def test_fig7_places_each_level_at_its_mean_rate(self):
        """The counts of the cells scatter; one place for all of them."""
        (_, figure, _), = self.figures(STREAMS, "shepherd/fig7")
        rates = self.lines(figure.axes[0])["Nexus"][0]
        sent = [np.mean([len(rows_of(STREAMS, cell)) for cell in level]) / SECONDS
                for level in cells_by_rate(trace="maf-stable", variant="default")]
        np.testing.assert_allclose(rates, sent)

    def test_fig8_is_the_distribution_of_completed_requests_at_the_ends(self):
        figures = self.figures(STREAMS, "shepherd/fig8")
        self.assertEqual([stem for stem, _, _ in figures], [f"shepherd-fig8-shepherd13-{trace}" for trace in TRACES])
        _, figure, _ = figures[1]
        self.assertEqual([axes.get_title(loc="left") for axes in figure.axes], ["300 requests/s", "1800 requests/s"])
        line, = [line for line in figure.axes[1].lines if line.get_label() == "Clockwork"]
        latencies, shares = line.get_data()
        self.assertAlmostEqual(shares[-1], 100)
        rows = np.concatenate([rows_of(STREAMS, cell)
                               for cell in cells_by_rate(system="clockwork", trace="maf-bursty")[2]])
        exact = rows["latency_ns"][np.isin(rows["outcome"], (IN_TIME, LATE))] / 1e6
        for place in range(1, len(latencies), max(1, len(latencies) // 20)):
            self.assertAlmostEqual(shares[place], 100 * (exact <= latencies[place]).mean(), places=6)

    def test_an_axis_that_the_file_lacks_is_missed(self):
        for name, what in (("fig9", "SLO"), ("fig10", "number of workers")):
            with self.assertRaisesRegex(Missing, f"one {what} only"):
                self.figures(STREAMS, f"shepherd/{name}")
        with self.assertRaisesRegex(Missing, "does not sweep shepherd.herd_group_worker_limit"):
            self.figures(STREAMS, "shepherd/fig11b")


class ChangedTest(Drawn):
    """Copies of the file in which the rates stand for something else."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.copy = Path(temporary.name) / "copy.h5"

    def change(self, edit):
        """edit(row, place of its rate) changes the rows of /summary."""
        shutil.copy(STREAMS, self.copy)
        rates = {cell["cell"]: RATES.index(cell.rate_rps) for cell in Results(STREAMS).cells}
        with h5py.File(self.copy, "r+") as file:
            rows = file["summary"][:]
            for row in rows:
                edit(row, rates[row["cell"]])
            file["summary"][:] = rows

    def means(self, **wanted):
        return [np.mean([goodput(cell) for cell in level]) for level in cells_by_rate(trace="maf-stable", **wanted)]

    def test_fig10_is_goodput_by_workers(self):
        def edit(row, place):
            row["parameters"] = f"cluster.workers={(12, 100, 1000)[place]}"

        self.change(edit)
        with mock.patch.object(published, "MOST_WORKERS", 1000):
            (_, figure, caption), = self.figures(self.copy, "shepherd/fig10")
        self.assertIn("2.5x and 1.8x; section 7.1", caption)
        saturated, (at, values) = published_in(figure.axes[0])
        self.assertEqual([list(each) for each in saturated], [[200], [50_000]])
        self.assertEqual(list(at), [1000, 1000])
        np.testing.assert_allclose(values, [self.lines(figure.axes[0])["SHEPHERD"][1][-1] / factor for factor in (2.5, 1.8)])
        for system in DRAWN:
            places, values = self.lines(figure.axes[0])[name_of(system)]
            self.assertEqual(list(places), [12, 100, 1000])
            np.testing.assert_allclose(values, self.means(system=system, variant="default"))

    def test_fig11b_has_a_line_for_each_limit(self):
        def edit(row, place):
            limit = {b"clockwork": 12, b"nexus": 0}.get(row["system"], 1)
            row["parameters"] = f"cluster.workers={(12, 100, 1000)[place]} shepherd.herd_group_worker_limit={limit}"
            row["system"], row["variant"] = b"shepherd", b"np" if row["variant"] == b"np" else b"default"

        self.change(edit)
        with h5py.File(self.copy, "r+") as file:
            rows = file["summary"][:]
            rows["status"][rows["variant"] == b"np"] = b"skipped"
            file["summary"][:] = rows
        with mock.patch.object(published, "MOST_WORKERS", 1000):
            (_, figure, caption), = self.figures(self.copy, "shepherd/fig11b")
        self.assertIn("groups of 1 (1.7x) and no limit (2.5x; section 7.2)", caption)
        lines = self.lines(figure.axes[0])
        self.assertEqual(set(lines), {"SHEPHERD, groups of 1", "SHEPHERD, groups of 12", "SHEPHERD, no limit"})
        np.testing.assert_allclose(lines["SHEPHERD, groups of 12"][1], self.means(system="clockwork"))
        np.testing.assert_allclose(lines["SHEPHERD, no limit"][1], self.means(system="nexus"))
        (at, values), = published_in(figure.axes[0])
        self.assertEqual(list(at), [1000, 1000])
        np.testing.assert_allclose(values, [self.means(system="clockwork")[-1] / factor for factor in (1.7, 2.5)])

    def test_fig9_and_11a_are_goodput_by_slo(self):
        def edit(row, place):
            row["slo_ms"] = (50, 90, 250)[place]

        self.change(edit)
        with h5py.File(self.copy, "r+") as file:
            for cell in file["cells"].values():
                cell.attrs["effective_toml"] = "[workload]\nrates_rps = [0]\n"
        (_, figure, caption), = self.figures(self.copy, "shepherd/fig9")
        self.assertIn("1.3x and 38x; section 7.1", caption)
        (at, marked), = published_in(figure.axes[0])
        self.assertEqual(list(at), [50, 50])
        np.testing.assert_allclose(marked, [self.lines(figure.axes[0])["SHEPHERD"][1][0] / factor for factor in (1.3, 38)])
        places, values = self.lines(figure.axes[0])["Nexus"]
        self.assertEqual(list(places), [50, 90, 250])
        np.testing.assert_allclose(values, self.means(system="nexus"))
        with h5py.File(self.copy, "r+") as file:
            rows = file["summary"][:]
            rows["status"][rows["trace"] != b"maf-stable"] = b"skipped"
            file["summary"][:] = rows
        (_, figure, caption), = self.figures(self.copy, "shepherd/fig11a")
        self.assertNotIn("Not in the file", caption)
        heights = self.heights(figure.axes[0])
        self.assertEqual(list(heights), ["SHEPHERD", "SHEPHERD-NP", "Clockwork", "Nexus"])
        np.testing.assert_allclose(heights["SHEPHERD-NP"], self.means(system="shepherd", variant="np")[::-1])
        of_250, of_90 = published_in(figure.axes[0])
        np.testing.assert_allclose(of_250[1], [heights["SHEPHERD"][0] / 3.7])
        np.testing.assert_allclose(of_90[1], [heights["SHEPHERD"][1] / 6.2] * 2)
        np.testing.assert_allclose(of_90[0], [1 - 0.84 / 8, 1 + 0.84 / 8])  # the second and the third of four bars


class PredictabilityTest(unittest.TestCase):
    TABLE = ("trace,rate_rps,window_s,group,groups,windows,mean_cv\n"
             "a,10,60,1,4,9,0.5\na,10,1,1,4,500,2\na,10,1,4,1,500,1\nb,3,1,1,4,500,3\nb,3,1,4,1,500,-\n")

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.table = Path(temporary.name) / "cv.csv"
        self.table.write_text(self.TABLE, encoding="utf-8")

    def test_lines_have_the_points_of_the_table(self):
        rows = predictability.rows_of(self.table)
        self.assertEqual(predictability.curves_of(rows, "trace", group=1),
                         {"a": [(1 / 60, 2.0), (1.0, 0.5)], "b": [(1 / 60, 3.0)]})
        self.assertEqual(predictability.curves_of(rows, "group", trace="a"), {1: [(1 / 60, 2.0), (1.0, 0.5)], 4: [(1 / 60, 1.0)]})

    def test_hdf5_has_the_same_points(self):
        rows = [tuple(line.replace("-", "nan").split(",")) for line in self.TABLE.splitlines()[1:]]
        types = [(name, "f8") for name in self.TABLE.splitlines()[0].split(",")[1:]]
        types = [("trace", h5py.string_dtype())] + [(name, "u8" if "group" in name else kind) for name, kind in types]
        hdf5 = self.table.with_suffix(".h5")
        with h5py.File(hdf5, "w") as file:
            file.attrs["format"] = "harness trace cv"
            file["cv"] = np.array(rows, dtype=types)
        self.assertTrue(predictability.is_table(hdf5))
        self.assertFalse(predictability.is_table(STREAMS))
        self.assertEqual(predictability.rows_of(hdf5), predictability.rows_of(self.table))

    def test_both_figures_are_drawn(self):
        paths = predictability.draw(self.table, self.table.parent)
        self.assertEqual({path.name for path in paths}, {f"shepherd-fig{k}.{ending}" for k in (2, 5) for ending in ("pdf", "png")})


class ExitsTest(unittest.TestCase):
    TABLE = ("model          exit points    exit overhead  preemption delay\n"
             "resnet18                40            3.60%             2.80%\n"
             "resnest269             128            6.25%             1.00%\n"
             "mean                                   4.93%             1.90%\n")

    def test_bars_are_the_tables_beside_the_papers_5_percent(self):
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "exit-points.txt"
            table.write_text(self.TABLE, encoding="utf-8")
            rows = exits.rows_of(table)
            self.assertEqual(rows, {"resnet18": (3.6, 2.8), "resnest269": (6.25, 1.0), "mean": (4.93, 1.9)})
            figure = exits.draw_table(rows)
            self.assertEqual(Drawn.heights(self, figure.axes[0]), {"exit overhead": [3.6, 6.25, 4.93], "preemption delay": [2.8, 1.0, 1.9]})
            self.assertEqual(published_in(figure.axes[0]), [(None, (5, 5))])
            done = run(table, "-o", folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual({path.name for path in Path(folder).glob("*.p*")}, {"shepherd-fig12.pdf", "shepherd-fig12.png"})

    def test_another_table_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "notes.txt"
            table.write_text("some text\n", encoding="utf-8")
            done = run(table, "-o", folder)
            self.assertEqual(done.returncode, 2)
            self.assertIn("exit-points.txt", done.stderr)


class CommandTest(unittest.TestCase):
    def test_the_command_draws_twice_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("one", "two"):
                done = run(STREAMS, "-o", Path(folder) / name, "--only=shepherd/fig7", "--only=shepherd/fig8")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
            drawn = sorted((Path(folder) / "one").iterdir())
            self.assertEqual(len(drawn), 2 * 3)
            for path in drawn:
                self.assertEqual(path.read_bytes(), (Path(folder) / "two" / path.name).read_bytes(), path.name)


if __name__ == "__main__":
    unittest.main()
