"""The figures of InferLine show what the raw rows of a file say.

Usage: inferline_test.py INFERLINE.h5: the results of inferline_example.toml
"""

import sys
import unittest

import h5py
import matplotlib.pyplot as plt
import numpy as np

from figures_testing import Drawn, profiles_for_slo, published_in, rows_of, runtimes_for_slo, wanted_cells
from harness_results.file import Results
from inferline import profiles, published
import look
import selection
from selection import Missing, group, name_of

INFERLINE = sys.argv.pop()
VIOLATED = (1, 2)
VARIANTS = ("plan", "cg-peak")
RATES, SLOS, TRACES = (40, 80), (300, 500), ("rise", "bursty")
SECONDS = {"rise": 15, "bursty": 20}  # of which the first has given its first quarter to the planner


def cells_at(rate, **wanted):
    rates = {cell["cell"]: cell.rate_rps for cell in Results(INFERLINE).cells}
    return [cell for cell in wanted_cells(INFERLINE, **wanted) if rates[cell] == rate]


def missed(rows):
    return 100 * np.isin(rows["outcome"], VIOLATED).mean()


def paid_usd(cell, from_s, to_s):
    """For the workers of a cell in that time, one after the other."""
    with h5py.File(INFERLINE) as file:
        workers = file[f"cells/{cell}/workers"][:]
    total = 0
    for row in workers:
        end_s = to_s if row["removed_ns"] < 0 else min(to_s, row["removed_ns"] / 1e9)
        if row["added_ns"] >= 0:
            total += row["usd_per_h"] * max(0, end_s - max(from_s, row["added_ns"] / 1e9)) / 3600
    return total


def cost_per_h(cell, trace):
    return paid_usd(cell, 0, SECONDS[trace]) * 3600 / SECONDS[trace]


class Copied(Drawn):
    def copy(self, edit):
        return self.edited(INFERLINE, edit)


class CostsTest(Copied):
    def test_fig5_is_cost_and_misses_of_each_plan_by_trace_and_rate(self):
        figures = self.figures(INFERLINE, "inferline/fig5")
        self.assertEqual([stem for stem, _, _ in figures], [f"inferline-fig5-SLO_{slo}_ms" for slo in SLOS])
        for (_, figure, caption), slo in zip(figures, SLOS):
            costs, misses = map(self.heights, figure.axes)
            self.assertEqual(list(costs), ["Planner alone", "CG-Peak"])
            for variant in VARIANTS:
                own = [(trace, cells_at(rate, variant=variant, slo_ms=slo, trace=trace)) for trace in TRACES for rate in RATES]
                np.testing.assert_allclose(costs[name_of(f"inferline/{variant}")],
                                           [np.mean([cost_per_h(cell, trace) for cell in cells]) for trace, cells in own])
                np.testing.assert_allclose(misses[name_of(f"inferline/{variant}")],
                                           [np.mean([missed(rows_of(INFERLINE, cell)) for cell in cells]) for _, cells in own])
            self.assertEqual([tick.get_text() for tick in figure.axes[0].get_xticklabels()],
                             [f"{rate}\n{trace}" for trace in TRACES for rate in RATES])
            self.assertIn("Not in the file: CG-Mean.", caption)
            self.assertIn("Squared CV of the gaps: 1 in rise, 4 in bursty.", caption)

    def test_fig3_is_throughput_and_execution_time_by_the_largest_batch(self):
        with h5py.File(INFERLINE) as file:
            least = min(file["summary"]["load"])
        batches = {300: 2, 500: 16}

        def batch_for_slo(row):
            if (row["variant"], row["trace"], row["load"]) != (b"default", b"bursty", least):
                row["status"] = b"skipped"
            row["parameters"] = f"planner.max_batch={batches[int(row['slo_ms'])]}".encode()
            row["slo_ms"] = 500

        copy = self.copy(batch_for_slo)
        (_, figure, caption), = self.figures(copy, "inferline/fig3")
        self.assertIn("on vcpu, k80 serves", caption)
        cells = group(Results(copy).cells, lambda cell: cell.parameters["planner.max_batch"])
        values = (lambda cell: cell["goodput_rps"], lambda cell: cell.table("plans")["exec_ns"][0] / 1e6)
        for axes, value in zip(figure.axes, values):
            drawn_batches, drawn = self.lines(axes)["social-posts"]
            self.assertEqual(list(drawn_batches), [2, 16])
            np.testing.assert_allclose(drawn, [np.mean([value(cell) for cell in cells[at]]) for at in ("2", "16")])
        with self.assertRaisesRegex(Missing, "one largest batch only"):
            self.figures(INFERLINE, "inferline/fig3")

    def test_fig9_is_cost_by_slo_with_a_line_for_each_rate(self):
        (stem, figure, caption), = self.figures(INFERLINE, "inferline/fig9")
        self.assertEqual(stem, "inferline-fig9-social-posts")
        self.assertIn("(Planner alone)", caption)
        for trace in TRACES:
            lines = self.lines(self.panel(figure, f"social-posts, {trace}"))
            self.assertEqual(list(lines), [f"{rate} requests/s" for rate in RATES])
            for rate in RATES:
                slos, drawn = lines[f"{rate} requests/s"]
                self.assertEqual(tuple(slos), SLOS)
                cells = [cells_at(rate, variant="plan", slo_ms=slo, trace=trace) for slo in SLOS]
                np.testing.assert_allclose(drawn, [np.mean([cost_per_h(cell, trace) for cell in own]) for own in cells])

    def test_fig9_marks_where_the_cost_falls_steeply(self):
        (_, figure, caption), = self.figures(INFERLINE, "inferline/fig9")
        self.assertEqual([published_in(axes) for axes in figure.axes], [[((100, 150), None)]] * len(TRACES))
        self.assertIn("Paper: a steep fall between SLOs of 0.1 and 0.15 s (section 4.3).", caption)

    def test_fig3_marks_the_throughput_of_resnet152(self):
        for kinds, marks, words in ((["k80"], [((32,), (50.6,))], "at 50.6 requests/s, with batches of 32"), (["vcpu"], [(None, (0.6, 0.6))], "at 0.6 requests/s"),
                                    (["vcpu", "k80"], [], ""), (["v100"], [], "")):
            axes = plt.figure().subplots()
            said = profiles.draw_published(axes, kinds)
            self.assertEqual(published_in(axes), marks)
            self.assertEqual(said, f" Paper: ResNet152 {words} (section 2.1)." if words else "")

    def test_fig8_is_p99_as_estimated_and_as_measured(self):
        figures = self.figures(self.copy(runtimes_for_slo), "inferline/fig8")
        self.assertEqual(len(figures), len(RATES))
        for (_, figure, caption), rate in zip(figures, RATES):
            heights = self.heights(figure.axes[0])
            self.assertEqual(list(heights), ["Planner alone, estimated", "Planner alone, measured (emulated)"])
            for drawn, slo in zip(heights.values(), SLOS):
                own = [cells_at(rate, variant="plan", slo_ms=slo, trace=trace) for trace in TRACES]
                with h5py.File(INFERLINE) as file:
                    np.testing.assert_allclose(drawn, [np.mean(file["summary"]["latency_ms_p99"][cells]) for cells in own])
            self.assertIn("Dotted: the SLO, 500 ms.", caption)
        with self.assertRaisesRegex(Missing, "both simulated and measured"):
            self.figures(INFERLINE, "inferline/fig8")

    def test_fig14a_is_cost_and_misses_on_the_traces_of_one_rate(self):
        figures = self.figures(INFERLINE, "inferline/fig14a")
        self.assertEqual(len(figures), len(RATES) * len(SLOS))
        (_, figure, caption) = figures[0]
        costs, misses = (self.heights(axes)["InferLine"] for axes in figure.axes)
        own = cells_at(RATES[0], variant="default", slo_ms=SLOS[0], trace="bursty")
        np.testing.assert_allclose(costs, [np.mean([cost_per_h(cell, "bursty") for cell in own])])
        np.testing.assert_allclose(misses, [np.mean([missed(rows_of(INFERLINE, cell)) for cell in own])])
        self.assertEqual([tick.get_text() for tick in figure.axes[0].get_xticklabels()], ["bursty"])
        self.assertIn("Not in the file: DS2.", caption)

    def test_fig13_is_cost_and_misses_by_set_of_profiles(self):
        figures = self.figures(self.copy(profiles_for_slo), "inferline/fig13")
        self.assertEqual(len(figures), len(RATES))
        for (_, figure, _), rate in zip(figures, RATES):
            for row, trace in enumerate(TRACES):
                costs, misses = (self.heights(axes)["Planner alone"] for axes in figure.axes[2 * row:2 * row + 2])
                self.assertEqual([tick.get_text() for tick in figure.axes[2 * row].get_xticklabels()], [f"set{slo}" for slo in SLOS])
                own = [cells_at(rate, variant="plan", slo_ms=slo, trace=trace) for slo in SLOS]
                np.testing.assert_allclose(costs, [np.mean([cost_per_h(cell, trace) for cell in cells]) for cells in own])
                np.testing.assert_allclose(misses, [np.mean([missed(rows_of(INFERLINE, cell)) for cell in cells]) for cells in own])

    def test_figures_that_lack_what_they_show_say_so(self):
        def one_slo(row):
            row["status"] = row["status"] if row["slo_ms"] == SLOS[0] else b"skipped"

        def without_prices(row):
            row["cost_usd_per_h"] = np.nan

        with self.assertRaisesRegex(Missing, "one SLO only"):
            self.figures(self.copy(one_slo), "inferline/fig9")
        with self.assertRaisesRegex(Missing, "one set of profiles only"):
            self.figures(INFERLINE, "inferline/fig13")
        for name in ("fig5", "fig6", "fig9"):
            with self.assertRaisesRegex(Missing, "no costs"):
                self.figures(self.copy(without_prices), f"inferline/{name}")


class OverTimeTest(Copied):
    def test_columns_are_the_workloads_by_second(self):
        figures = {stem: (figure, caption) for stem, figure, caption in self.figures(INFERLINE, "inferline/fig6")}
        for rate in RATES:
            for slo in SLOS:
                figure, caption = figures[f"inferline-fig6-social-posts-{rate}_requests_s-SLO_{slo}_ms"]
                self.assertIn("seed 1", caption)
                for column, trace in enumerate(TRACES):
                    self.check_column(figure.axes[column::len(TRACES)], trace, {
                        name_of(series): cells_at(rate, slo_ms=slo, trace=trace, seed=1, variant=series.partition("/")[2] or "default")[0]
                        for series in ("inferline", "inferline/coarse")})

    def check_column(self, panels, trace, cells):
        demand, cost, misses = panels
        self.assertEqual(demand.get_title(loc="left"), trace)
        drawn = [{line.get_label(): line.get_ydata() for line in axes.lines if line.get_label() != look.PUBLISHED} for axes in (cost, misses)]
        self.assertEqual([list(own) for own in drawn], [list(cells)] * 2)
        for name, cell in cells.items():
            rows = rows_of(INFERLINE, cell)
            seconds = [rows[rows["sent_ns"] // 10**9 == k] for k in range(SECONDS[trace])]
            np.testing.assert_allclose(demand.lines[0].get_ydata(), [len(own) for own in seconds])
            np.testing.assert_allclose(drawn[0][name], [3600 * paid_usd(cell, k, k + 1) for k in range(SECONDS[trace])])
            np.testing.assert_allclose(drawn[1][name], [missed(own) for own in seconds])
            with h5py.File(INFERLINE) as file:
                np.testing.assert_allclose(drawn[0][name].mean(), file["summary"]["cost_usd_per_h"][cell])

    def test_marks_of_the_paper(self):
        of_rate = {"fig6": [300], "fig7": [], "fig10": [150, 250], "fig11": [], "fig12": [], "fig14b": [50, 100]}
        of_misses = {"fig6": [(None, (100, 100))], "fig14b": [((5, 305), None)]}  # the rise begins after 5 s
        for name, rates in of_rate.items():
            for _, figure, caption in self.figures(INFERLINE, f"inferline/{name}"):
                columns = len(figure.axes) // 3
                self.assertEqual(published_in(figure.axes[0]), [(None, (rate, rate)) for rate in rates])
                self.assertEqual(published_in(figure.axes[columns]), [])
                self.assertEqual(published_in(figure.axes[2 * columns]), of_misses.get(name, []))
                self.assertEqual("Paper: " in caption, bool(rates or name in of_misses))

    def test_fig6_marks_the_fall_of_the_second_load(self):
        def as_dual(file):
            for cell in file["cells"].values():
                cell.attrs["effective_toml"] = cell.attrs["effective_toml"].replace('shape = "gamma"', f'shape = "{published.FALL_SHAPE}"')

        copy = self.copy(lambda row: None)
        with h5py.File(copy, "r+") as file:
            as_dual(file)
        for _, figure, _ in self.figures(copy, "inferline/fig6"):
            self.assertEqual([published_in(axes) for axes in figure.axes[:2]], [[(None, (300, 300))], [(None, (300, 300)), ((1000, 1000), None)]])

    def test_fig14b_is_the_trace_whose_rate_rises(self):
        for _, figure, caption in self.figures(INFERLINE, "inferline/fig14b"):
            self.assertEqual([axes.get_title(loc="left") for axes in figure.axes], ["rise", "", ""])
            self.assertIn("Not in the file: DS2.", caption)
        copy = self.copy(lambda row: row.__setitem__("status", row["status"] if row["trace"] == b"bursty" else b"skipped"))
        with self.assertRaisesRegex(Missing, "no trace whose rate rises"):
            self.figures(copy, "inferline/fig14b")

    def test_the_tuner_changes_the_cost_and_plans_alone_do_not(self):
        for _, figure, _ in self.figures(INFERLINE, "inferline/fig11"):
            for axes in figure.axes[2:4]:
                ranges = {line.get_label(): np.ptp(line.get_ydata()) for line in axes.lines}
                self.assertGreater(ranges["InferLine"], 0.1)
                self.assertLess(ranges["Planner alone"], 1e-9)

    def test_many_traces_stand_below_each_other(self):
        copy = self.copy(lambda row: row.__setitem__("trace", f"t{int(row['cell']) // 4 % 4}".encode()))
        figures = self.figures(copy, "inferline/fig12")
        self.assertTrue(figures)
        for _, figure, caption in figures:
            visible = [axes for axes in figure.axes if axes.get_visible()]
            traces = [axes.get_title(loc="left") for axes in visible if axes.get_title(loc="left")]
            self.assertEqual(len(visible), 3 * len(set(traces)))
            self.assertEqual(len(traces), len(set(traces)))
            self.assertIn("Not in the file: CG-Peak alone, Planner + AutoScale.", caption)


class NamesTest(unittest.TestCase):
    def test_variants_have_the_names_of_the_paper_until_the_user_renames_them(self):
        self.addCleanup(selection.RENAMED.clear)
        self.assertEqual([name_of(f"inferline/{name}") for name in ("plan", "cg-mean", "excess")],
                         ["Planner alone", "CG-Mean", "InferLine-excess"])
        selection.RENAMED["inferline/plan"] = "mine"
        self.assertEqual([name_of("inferline/plan"), name_of("inferline/cg-mean")], ["mine", "CG-Mean"])
        selection.RENAMED["inferline"] = "Ours"
        self.assertEqual([name_of("inferline/plan"), name_of("inferline/cg-mean")], ["mine", "Ours-cg-mean"])


if __name__ == "__main__":
    unittest.main()
