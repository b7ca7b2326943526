"""Cells with a warm-up: whatever is read, drawn or reported of them is of the requests sent from measured_from_s on, by their rows.

Usage: measured_part_test.py HARNESS, which runs small experiments.
"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from functools import cache
from pathlib import Path

import h5py
import numpy as np
from numpy.lib.recfunctions import drop_fields

HERE = Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE / "figures"), str(HERE), str(HERE / "report")]

from figures_testing import Drawn  # noqa: E402
from contents import Contents, values_of  # noqa: E402
import draw  # noqa: E402
from inferline import courses  # noqa: E402
from harness_results.file import Cell, NS_PER_MS, NS_PER_S, Results, length_text  # noqa: E402
from intervals import student_t_95  # noqa: E402
import judgements  # noqa: E402
from seal import seal  # noqa: E402
from pard import fig6, fig12, fig13  # noqa: E402
from selection import name_of, series_of  # noqa: E402
import style  # noqa: E402

HARNESS = sys.argv.pop()
FROM_S, DURATION_S = 3, 10
FROM_NS = FROM_S * 10**9
IN_TIME, LATE, DROPPED = 0, 1, 2
EXPERIMENT = f"""[workload]
pipelines = "lv"
traces = "tweet"
loads = [{{}}, 1.5]
seeds = [1, 2]
duration_s = {DURATION_S}
[cluster]
workers = 8
[record]
states = true
"""
SYSTEM = """[[system]]
name = "{}"
"""
EXPERIMENTS = {
    "lengths": EXPERIMENT.format(0.8) + "".join(map(SYSTEM.format, ("naive", "nexus", "clipperpp", "pard"))),
    # For figures that need completed requests, or states, of every system; at a load of 1 the order changes.
    "alone": EXPERIMENT.format(1.0) + SYSTEM.format("pard") + SYSTEM.format("pard") + 'variant = "instant"\nparams = { order = "instant" }\n',
}


def setUpModule():
    global FOLDER
    temporary = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(temporary.cleanup)
    FOLDER = Path(temporary.name)
    for name, text in EXPERIMENTS.items():
        (FOLDER / f"{name}.toml").write_text(text, encoding="utf-8")


@cache
def file_of(name="lengths", from_s=FROM_S):
    """The results of one of EXPERIMENTS, or of an example of the figures, with that warm-up."""
    experiment = (FOLDER if name in EXPERIMENTS else HERE / "figures") / f"{name}.toml"
    folder = FOLDER / f"{name}-{from_s}"
    subprocess.run([HARNESS, experiment, "--set", f"workload.measure_from_s={from_s}", "-o", folder, "--quiet"], capture_output=True, check=True)
    return folder / f"{name}.h5"


@cache
def older_file():
    """Results without the columns and attributes that there were not before a run could have a warm-up."""
    older = FOLDER / "older.h5"
    shutil.copy(file_of(from_s=0), older)
    with h5py.File(older, "r+") as file:
        rows = file["summary"][:]
        later = [name for name in rows.dtype.names if name.startswith("queue_") or name == "measured_from_s"]
        del file["summary"]
        file["summary"] = drop_fields(rows, later)
        for cell in file["cells"].values():
            del cell.attrs["measured_from_ns"]
    seal(str(older))
    return older


def cells_of(file, **wanted):
    return [cell for cell in Results(file).cells if all(cell[key] == value for key, value in wanted.items())]


def counted(cell):
    """The rows of the requests that count, by the raw table."""
    rows = cell.table("requests")
    return rows[rows["sent_ns"] >= cell["measured_from_s"] * NS_PER_S]


def visits_counted(cell):
    visits = cell.table("visits")
    return visits[np.isin(visits["request"], counted(cell)["request"])]


def lost_share(rows):
    return 100 * np.isin(rows["outcome"], (LATE, DROPPED)).mean()


class FileTest(unittest.TestCase):
    def test_summary_and_tables_count_the_rows_of_the_measured_part(self):
        for cell in cells_of(file_of()):
            rows, visits = counted(cell), visits_counted(cell)
            self.assertTrue(0 < len(rows) < len(cell.table("requests")))
            self.assertEqual([cell[name] for name in ("in_time", "late", "dropped", "unfinished")],
                             [(rows["outcome"] == value).sum() for value in range(4)])
            self.assertEqual(cell["sent"], len(rows))
            self.assertAlmostEqual(cell["goodput_rps"], (rows["outcome"] == IN_TIME).sum() / (DURATION_S - FROM_S))
            self.assertEqual(cell.attribute("measured_from_ns"), FROM_NS)
            self.assertEqual(cell["measured_from_s"], FROM_S)
            for name in ("windows", "module_windows"):
                table = cell.table(name)
                self.assertEqual(table["start_ns"][0], 0)
                for column in set(table.dtype.names) - {"start_ns", "module"}:
                    self.assertFalse(table[column][table["start_ns"] < FROM_NS].any(), (name, column))
            self.assertEqual(cell.table("windows")["sent"].sum(), len(rows))
            modules = len(cell.table("modules"))
            for counts in (cell.table("modules")["arrived"], cell.module_table("arrived").sum(axis=0)):
                np.testing.assert_array_equal(counts, np.bincount(visits["module"], minlength=modules))
            self.assertEqual(cell.table("modules")["done"].sum(), (visits["outcome"] == 0).sum())

    def test_the_run_is_the_one_without_a_warm_up(self):
        for part, whole in zip(cells_of(file_of()), cells_of(file_of(from_s=0))):
            self.assertEqual(part["fingerprint"], whole["fingerprint"])
            self.assertNotEqual(part["input_hash"], whole["input_hash"])
            for name in ("requests", "visits", "plans", "states"):
                self.assertEqual(part.has(name), whole.has(name))
                if part.has(name):
                    self.assertEqual(part.table(name).tobytes(), whole.table(name).tobytes(), name)
            self.assertEqual(whole.measured_from_s, 0)
            self.assertEqual(len(whole.rows("visits")), len(whole.table("visits")))

    def test_samples_of_the_queue_are_the_visits_that_wait_then(self):
        for cell in cells_of(file_of()):
            queue, visits = cell.table("queue"), cell.table("visits")
            np.testing.assert_array_equal(queue["at_ns"], FROM_NS + np.arange(1, 101) * (DURATION_S * 10**9 - FROM_NS) // 100)
            until = visits["ended_ns"] - np.maximum(visits["exec_ns"], 0)  # it waits until its batch starts, or it ends
            since = until - visits["queueing_ns"] - np.maximum(visits["wait_ns"], 0)
            waiting = [((since < at) & (until >= at)).sum() for at in queue["at_ns"]]
            np.testing.assert_array_equal(queue["waiting"], waiting)

    def test_the_trend_is_that_of_the_samples(self):
        trends = set()
        for cell in cells_of(file_of()):
            means = cell.table("queue")["waiting"].reshape(10, 10).mean(axis=1)
            part_s = (DURATION_S - FROM_S) / 10
            times = (np.arange(10) + 0.5) * part_s
            slope, start = np.polyfit(times, means, 1)
            rest = means - slope * times - start
            freedom = len(means) - 2
            half = student_t_95(freedom) * np.sqrt((rest**2).sum() / freedom / ((times - times.mean()) ** 2).sum())
            np.testing.assert_allclose([cell["queue_growth"], cell["queue_growth_low"], cell["queue_growth_high"]],
                                       [slope, slope - half, slope + half], rtol=1e-5, atol=1e-6)
            longer_ms, most_ms = (1000 * growth * (DURATION_S - FROM_S) / cell["offered_rps"] for growth in (slope, slope + half))
            large_ms = cell["slo_ms"] / 10
            trend = "growing" if slope > half and longer_ms >= large_ms else "steady" if most_ms < large_ms else "unclear"
            self.assertEqual(cell["queue_trend"], trend)
            trends.add(trend)
        self.assertIn("growing", trends)
        self.assertIn("steady", trends)


class CellTest(unittest.TestCase):
    def test_windows_and_rows_are_those_of_the_measured_part(self):
        cell = cells_of(file_of(), system="pard", load=1.5)[0]
        self.assertEqual(len(cell.windows), DURATION_S - FROM_S)
        self.assertEqual(cell.windows["start_ns"][0], FROM_NS)
        self.assertEqual(len(cell.module_table("arrived")), len(cell.table("module_windows")) // len(cell.table("modules")) - FROM_S)
        self.assertEqual(cell.rows("requests").tobytes(), counted(cell).tobytes())
        self.assertEqual(cell.rows("visits").tobytes(), visits_counted(cell).tobytes())
        self.assertEqual(len(cell.rows("states")), len(cell.table("states")))

    def test_a_file_of_an_older_version_counts_all(self):
        older = Results(older_file())
        for cell in older.cells:
            self.assertEqual((cell.measured_from_s, cell.is_growing), (0, False))
            self.assertEqual(len(cell.windows), len(cell.table("windows")))
        self.assertNotIn("counted", older.source(older.cells))

    def test_captions_say_what_counts_and_which_cells_depend_on_the_length(self):
        def text(*pairs):
            return length_text([Cell({"measured_from_s": start, "queue_trend": trend}, None) for start, trend in pairs])

        self.assertEqual(text((0, "steady"), (0, "")), "")
        self.assertEqual(text((20.0, "unclear")), " Requests sent in the first 20 s are not counted.")
        self.assertEqual(text((0, "growing"), (20.0, "growing"), (5.0, "")),
                         " Requests sent in the first 0 to 20 s are not counted. Overload: in 2 of 3 cells the queue still grew; they depend on "
                         "the length of the run.")
        self.assertEqual(text((0, "growing"), (0, "")),
                         " Overload: in 1 of 2 cells the queue still grew; that cell depends on the length of the run.")


class MeasuredFigures(Drawn):
    def overloaded(self, name, file="lengths"):
        """(figure, caption) of the cells with a load of 1.5."""
        return next((figure, caption) for stem, figure, caption in self.figures(file_of(file), name) if "load_1.5" in stem)

    def general(self, file):
        """stem -> (figure, caption) of the general figures."""
        kept = {}
        real = style.save
        self.addCleanup(setattr, style, "save", real)
        style.save = lambda figure, folder, stem, caption: kept.__setitem__(stem, (figure, caption)) or []
        list(draw.draw_general(Results(file), FOLDER, 1000))
        style.save = real
        return kept

    def check_axis(self, axes, start=FROM_S, end=DURATION_S):
        np.testing.assert_allclose(axes.get_xlim(), (start, end))
        for line in axes.lines:
            x = np.asarray(line.get_xdata(), dtype=float)
            if len(x) > 2:
                self.assertGreaterEqual(x.min(), start)

    def line_of(self, axes, label):
        return next(line for line in axes.lines if line.get_label() == label).get_data()


class OverTimeTest(MeasuredFigures):
    def test_goodput_and_waits_over_time_begin_with_the_measured_part(self):
        figures = self.general(file_of())
        figure, caption = next(own for stem, own in figures.items() if stem.startswith("goodput-lv-tweet-1.5"))
        self.assertIn(f" Requests sent in the first {FROM_S} s are not counted.", caption)
        self.assertIn("cells the queue still grew; they depend on the length of the run.", caption)
        rates, _ = figure.axes
        self.check_axis(rates)
        times, values = self.line_of(rates, "pard")
        np.testing.assert_allclose(times, np.arange(FROM_S, DURATION_S) + 0.5)
        cells = cells_of(file_of(), system="pard", load=1.5)
        for time, value in zip(times, values):
            found = [((rows["outcome"] == IN_TIME) & (rows["sent_ns"] // 10**9 == int(time))).sum() for rows in map(counted, cells)]
            self.assertAlmostEqual(value, np.mean(found))
        waits, _ = next(own for stem, own in figures.items() if stem.startswith("queueing-lv-tweet-1.5"))
        for axes in waits.axes:
            self.check_axis(axes)

    def test_bins_of_several_windows_hold_nothing_of_the_warm_up(self):
        whole = cells_of(file_of(), system="pard", load=1.5)[0]
        course = draw.over_time.Course(whole, 2, 3)
        np.testing.assert_allclose(course.times(), [FROM_S + 1, FROM_S + 3, FROM_S + 5])
        seconds = counted(whole)["sent_ns"] // 10**9 - FROM_S
        np.testing.assert_allclose(course.demand(), np.bincount(seconds // 2)[:3] / 2)
        np.testing.assert_allclose(course.workers("ready_ns"), whole["workers_mean"])

    def test_a_last_bin_that_the_load_does_not_fill_is_left_out(self):
        class Short(dict):
            windows, window_s, measured_from_s = range(7), 1.0, 3.0

        self.assertEqual(courses.whole_bins([Short(duration_s=9.5)]), (1, 6))
        self.assertEqual(courses.whole_bins([Short(duration_s=10)]), (1, 7))

    def test_pard_over_time(self):
        figure, _ = self.overloaded("pard/fig10")
        axes = next(axes for axes in figure.axes if axes.get_title(loc="left") == "lv")
        times, values = self.line_of(axes, name_of("pard"))
        self.assertEqual((times[0], times[-1], axes.get_xlim()), (FROM_S + 2.5, DURATION_S - 2.5, (FROM_S, DURATION_S)))
        rows = np.concatenate([counted(cell) for cell in cells_of(file_of(), system="pard", load=1.5)])
        for time, value in zip(times, values):
            inside = abs(rows["sent_ns"] - time * 1e9) <= 2.5e9
            self.assertAlmostEqual(value, 100 * (rows["outcome"][inside] == IN_TIME).mean())
        figure, _ = self.overloaded("pard/fig2")
        self.check_axis(self.panel(figure, "(d)"), FROM_S, DURATION_S - 2.5)

    def test_loki_over_time(self):
        file = file_of("loki_example")
        for (_, figure, caption), rate in zip(self.figures(file, "loki/fig5"), (30, 175, 400)):
            self.assertIn(f"first {FROM_S} s are not counted", caption)
            cell = next(cell for cell in cells_of(file, system="loki", seed=1) if cell.rate_rps == rate)
            rows, end = counted(cell), cell["duration_s"]
            demand, accuracies, utilisation, violated = figure.axes[:4]
            for axes in (demand, accuracies, utilisation, violated):
                np.testing.assert_allclose(axes.get_xlim(), (FROM_S, end))
            seconds = [rows[rows["sent_ns"] // 10**9 == k] for k in range(FROM_S, int(end))]
            np.testing.assert_allclose(demand.lines[0].get_data(), [np.arange(FROM_S, end) + 0.5, [len(own) for own in seconds]])
            np.testing.assert_allclose(self.line_of(violated, "Loki")[1], [lost_share(own) for own in seconds])
            np.testing.assert_allclose(self.line_of(utilisation, "Loki")[1].mean(), 100 * cell["workers_mean"] / cell.cluster_workers, rtol=1e-6)

    def test_loki_drops_of_accuracy_are_of_the_measured_part(self):
        file = file_of("loki_dropping_example", 10)
        (_, figure, _), = self.figures(file, "loki/fig8")
        slos, drops = self.lines(figure.axes[1])[name_of("loki/none")]
        for slo, value in zip(slos, drops):
            least = []
            for cell in cells_of(file, variant="none", slo_ms=slo):
                rows = counted(cell)
                least.append(min(np.nanmean(rows["accuracy"][(rows["sent_ns"] // 10**10 == k) & (rows["outcome"] <= LATE)]) for k in (1, 2)))
            self.assertAlmostEqual(value, 100 - 100 * np.mean(least))

    def test_inferline_over_time(self):
        file = file_of("inferline_example")
        for number in (6, 11):
            for _, figure, caption in self.figures(file, f"inferline/fig{number}"):
                self.assertIn(f"first {FROM_S} s are not counted", caption)
                for axes in figure.axes:
                    self.assertEqual(axes.get_xlim()[0], FROM_S)
        _, figure, _ = self.figures(file, "inferline/fig6")[0]
        cells = [cell for cell in cells_of(file, trace="rise", seed=1, variant="default", slo_ms=300) if cell.rate_rps == 40]
        self.assertEqual(len(cells), 1)
        times, cost = self.line_of(figure.axes[2], "InferLine")
        self.assertEqual(times[0], FROM_S + 0.5)
        self.assertAlmostEqual(cost.mean(), cells[0]["cost_usd_per_h"])


class RowsTest(MeasuredFigures):
    def test_shares_of_windows_are_of_the_measured_part(self):
        figure, _ = self.overloaded("pard/fig9")
        sizes, values = self.lines(self.panel(figure, "lv-tweet"))[name_of("pard")]
        self.assertEqual(list(sizes), [1, 2, 5])
        cells = cells_of(file_of(), system="pard", load=1.5)
        for size, value in zip(sizes, values):
            greatest = []
            for rows in map(counted, cells):
                second = rows["sent_ns"] // 10**9
                starts = range(FROM_S, DURATION_S - int(size) + 1)
                greatest.append(max(lost_share(rows[(second >= start) & (second < start + size)]) for start in starts))
            self.assertAlmostEqual(value, np.mean(greatest))

    def test_fig6_has_the_requests_of_the_measured_part(self):
        for cell in cells_of(file_of(), system="pard"):
            completed = (counted(cell)["outcome"] <= LATE).sum()
            self.assertEqual(len(fig6.normalised_waits(cell)), completed)

    def test_fig12_takes_apart_the_visits_of_the_measured_part(self):
        cell = cells_of(file_of(), system="pard", load=1.5)[0]
        visits = cell.rows("visits")
        latencies = fig12.latency_by_second(cell, visits)
        self.assertEqual(len(latencies), DURATION_S - FROM_S)
        done = visits[(visits["module"] == 1) & (visits["outcome"] == 0)]
        latency = done["queueing_ns"] + done["wait_ns"] + done["exec_ns"]
        inside = (done["ended_ns"] - latency) // 10**9 == FROM_S + 2
        self.assertAlmostEqual(latencies[2, 1], latency[inside].mean() / NS_PER_MS)
        rows = counted(cell)
        completed = rows[rows["outcome"] <= LATE]
        sums = fig12.sums_by_request(cell, visits)
        np.testing.assert_allclose(np.sort(sum(sums.values())), np.sort(completed["latency_ns"] / NS_PER_MS))
        start, _ = fig12.steady_span(cell)
        self.assertGreaterEqual(start, FROM_S)
        figure, _ = self.overloaded("pard/fig12", "alone")
        for title in ("(a)", "(c)"):
            self.check_axis(self.panel(figure, title))

    def test_fig13_shows_the_states_of_the_measured_part(self):
        figures = self.figures(file_of("alone"), "pard/fig13")
        for _, figure, _ in figures:
            np.testing.assert_allclose(figure.axes[0].get_xlim(), (FROM_S, DURATION_S))
        before = 0
        for whole, part in zip(cells_of(file_of("alone", 0)), cells_of(file_of("alone"))):
            self.assertEqual(sum(map(fig13.changes, fig13.states_of(whole).values())), whole["order_changes"])
            for module, states in fig13.states_of(whole).items():
                times = states["at_ns"][1:][np.diff(states["order"]) != 0]
                self.assertEqual(fig13.changes(fig13.states_of(part)[module]), (times > FROM_NS).sum())
                before += (times < FROM_NS).sum()
        self.assertGreater(before, 0)
        self.assertEqual(fig13.chosen_span(np.zeros(0, dtype=[("at_ns", "i8"), ("order", "u1")]), 300, 290), (290, 300))


class MarksTest(MeasuredFigures):
    def open_places(self, axes):
        """Places of the marks that are white inside."""
        return [place for line in axes.lines if line.get_markerfacecolor() == "white" for place in line.get_xdata()]

    def test_points_of_growing_queues_have_open_marks_and_captions_say_so(self):
        growing = {series_of(cell): cell["load"] for cell in cells_of(file_of()) if cell["queue_trend"] == "growing"}
        self.assertEqual(growing.get("naive"), 1.5)
        (_, figure, caption), = self.figures(file_of(), "goodput-load")
        self.assertEqual(self.open_places(figure.axes[0]), [1.5] * len(growing))
        self.assertIn(" Open marks: in some of the cells there the queue still grew.", caption)
        self.assertNotIn("_open", figure.axes[0].get_legend_handles_labels()[1])
        figure, caption = self.overloaded("pard/fig9")
        self.assertEqual(sorted(set(self.open_places(figure.axes[0]))), [1, 2, 5])
        self.assertIn("Open marks", caption)

    def test_there_are_none_where_all_are_steady(self):
        def settle(row):
            row["queue_trend"] = b"steady"

        (_, figure, caption), = self.figures(self.edited(file_of(), settle), "goodput-load")
        self.assertEqual(self.open_places(figure.axes[0]), [])
        for word in ("Open marks", "Overload"):
            self.assertNotIn(word, caption)


class ReportTest(unittest.TestCase):
    def test_courses_and_latencies_are_of_the_measured_part(self):
        data = Contents(file_of(), 10**9).data()
        cells = cells_of(file_of())
        self.assertEqual(values_of(data["summary"]["measured_from_s"]), [FROM_S] * len(cells))
        for cell, view in zip(cells, data["cells"]):
            rows = counted(cell)
            seconds = rows["sent_ns"] // 10**9
            self.assertEqual(data["sent"][view["course"]["sent"]], np.bincount(seconds - FROM_S).tolist())
            completed = rows["latency_ns"][(seconds == FROM_S) & (rows["outcome"] <= LATE)] / NS_PER_MS
            median = np.quantile(completed, 0.5, method="inverted_cdf") if len(completed) else None
            self.assertEqual(values_of(view["latencies"]["p50_ms"])[0], median and round(median, 2))
            self.assertEqual(len(values_of(view["latencies"]["p50_ms"])), DURATION_S - FROM_S)

    def test_the_page_begins_with_what_the_program_notes(self):
        file = file_of()
        notes = judgements.length_notes_of(HARNESS, file)
        self.assertIn(f"requests sent in the first {FROM_S} s are not counted (workload.measure_from_s)", notes)
        self.assertTrue(any(note.startswith("overload: cells ") for note in notes), notes)
        shown = subprocess.run([HARNESS, "show", file], capture_output=True, text=True, check=True).stdout
        for note in notes:
            self.assertIn(f"note: {note}\n", shown)
        subprocess.run([HARNESS, "show", older_file()], capture_output=True, check=True)
        self.assertEqual(judgements.length_notes_of(HARNESS, older_file()), [])


if __name__ == "__main__":
    unittest.main()
