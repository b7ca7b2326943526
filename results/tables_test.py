#!/usr/bin/env python3
"""Tables of documents: means over seeds, shares in percent, refusal to average different cells."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
import tables  # noqa: E402

COLUMNS = [("cell", "u4"), ("system", "S16"), ("variant", "S16"), ("pipeline", "S16"), ("trace", "S16"), ("load", "f8"), ("seed", "u8"),
           ("slo_ms", "f8"), ("parameters", "S64"), ("status", "S8"), ("drop_rate", "f8"), ("goodput_rps", "f8")]


def row(system, variant, seed, drop_rate, trace="tweet", parameters="", status="ok", goodput=1000.0):
    return (system, variant, "lv", trace, 1.0, seed, 500.0, parameters, status, drop_rate, goodput)


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def fill(self, marker, rows):
        with h5py.File(self.folder / "toy.h5", "w") as file:
            file["summary"] = np.array([(index, *row) for index, row in enumerate(rows)], dtype=COLUMNS)
            for index in range(len(rows)):
                file.create_group(f"cells/{index}")
        return tables.fill(f"before\n\n<!-- table: {marker} -->\nafter", self.folder).split("\n")


class Tables(InAFolder):
    def test_means_over_seeds_in_percent(self):
        lines = self.fill("toy; rows=trace; columns=series; metric=drop_rate",
                          [row("pard", "default", 1, 0.10), row("pard", "default", 2, 0.20), row("pard", "back", 1, 0.5)])
        self.assertEqual(lines, ["before", "", "<!-- table: toy; rows=trace; columns=series; metric=drop_rate -->", "",
                                 "| trace | pard | pard/back |", "| --- | --- | --- |", "| tweet | 15.0 | 50.0 |", "", "after"])

    def test_infinite_values_of_claims_are_texts(self):
        self.assertEqual([tables.short(value) for value in (None, "inf", 1.5)], ["-", "inf", "1.5"])

    def test_a_mean_is_of_the_seeds_that_have_a_value(self):
        self.assertEqual(tables.entry({"1": 2.0, "2": float("nan"), "3": 4.0}, False), "3 (2 of 3 seeds)")
        self.assertEqual(tables.entry({"1": float("nan")}, True), "-")
        self.assertEqual(tables.entry({"1": 0.25, "2": 0.75}, True), "50.0")

    def test_filled_tables_are_replaced(self):
        rows = [row("pard", "default", 1, 0.10)]
        once = "\n".join(self.fill("toy; rows=trace; columns=series; metric=drop_rate", rows))
        self.assertEqual(once, tables.fill(once, self.folder))

    def test_rates_are_not_percent(self):
        lines = self.fill("toy; rows=trace; columns=series; metric=goodput_rps", [row("pard", "default", 1, 0.1, goodput=1234.0)])
        self.assertIn("| tweet | 1234 |", lines)
        lines = self.fill("toy; rows=trace; columns=series; metric=goodput_rps", [row("pard", "default", 1, 0.1, goodput=24235.4)])
        self.assertIn("| tweet | 24235 |", lines)

    def test_shares_of_seeds_within_a_limit(self):
        rows = [row("pard", "default", seed, 0.01 * seed) for seed in (1, 2, 3, 4)] + [row("pard", "default", 5, float("nan"))]
        self.assertIn("| tweet | 75.0 (4 of 5 seeds) |", self.fill("toy; rows=trace; columns=series; metric=drop_rate<=0.03", rows))

    def test_ratios_to_a_series_seed_by_seed(self):
        rows = [row("pard", "default", seed, 0.1 * seed) for seed in (1, 2)] + [row("nexus", "default", seed, 0.1 * (3 - seed)) for seed in (1, 2)]
        marker = "toy; rows=trace; columns=series; metric=drop_rate; over=nexus"
        self.assertEqual(self.fill(marker, rows)[4:7], ["| trace | pard |", "| --- | --- |", "| tweet | 1.25 ± 9.5 |"])
        self.assertIn("| tweet | 1.25 ± 9.5 (2 of 3 seeds) |", self.fill(marker, rows + [row("pard", "default", 3, 0.3)]))
        with self.assertRaisesRegex(tables.TableError, "over needs columns=series"):
            self.fill("toy; rows=trace; columns=pipeline; metric=drop_rate; over=nexus; where=series=pard", rows)
        with self.assertRaisesRegex(tables.TableError, r"toy: over=nexus: no cell of it at \('wiki',\)"):
            self.fill(marker, rows + [row("pard", "default", 1, 0.1, trace="wiki")])

    def test_plans_are_those_that_cells_began_with(self):
        marker = "toy; rows=trace; columns=series; metric=plan.task:a.b.usd_per_h"
        rows = [row("pard", "default", seed, 0.1) for seed in (1, 2)]
        with self.assertRaises(KeyError):
            self.fill(marker, rows)
        with h5py.File(self.folder / "toy.h5", "r+") as file:
            for cell, price in ((0, 0.5), (1, 1.0)):
                file[f"cells/{cell}/modules"] = np.array([(b"other",), (b"task:a.b",)], dtype=[("name", "S16")])
                file[f"cells/{cell}/plans"] = np.array([(0, 0, 9), (0, 1, price), (10, 1, 7)],
                                                       dtype=[("at_ns", "i8"), ("module", "u2"), ("usd_per_h", "f8")])
        self.assertIn("| tweet | 0.75 |", tables.fill(f"<!-- table: {marker} -->", self.folder).split("\n"))
        with self.assertRaisesRegex(tables.TableError, "plan.task:c.workers: no module task:c, but other, task:a.b"):
            tables.fill("<!-- table: toy; rows=trace; columns=series; metric=plan.task:c.workers -->", self.folder)

    def test_lost_visits_by_task_a_column_for_each_metric(self):
        marker = "toy; rows=trace; columns=metric; metric=lost_share.a,lost_share.b,lost_share.a+b,goodput_rps"
        with self.assertRaises(KeyError):
            self.fill(marker, [row("pard", "default", 1, 0.1)])
        with h5py.File(self.folder / "toy.h5", "r+") as file:
            file["cells/0/modules"] = np.array([(b"a:x", 10, 1, 1), (b"a:y", 10, 0, 0), (b"b:z", 60, 6, 0)], dtype=[
                ("name", "S16"), ("arrived", "u8"), ("dropped_expired", "u8"), ("dropped_over_budget", "u8")])
        lines = tables.fill(f"<!-- table: {marker} -->", self.folder).split("\n")
        self.assertIn("| trace | lost at a | lost at b | lost at a+b | goodput_rps |", lines)
        self.assertIn("| tweet | 10.0 | 10.0 | 10.0 | 1000 |", lines)
        with self.assertRaisesRegex(tables.TableError, "several metrics need columns=metric"):
            tables.fill("<!-- table: toy; rows=trace; columns=series; metric=drop_rate,goodput_rps -->", self.folder)
        with self.assertRaisesRegex(tables.TableError, "no task c, but a:x, a:y, b:z"):
            tables.fill("<!-- table: toy; rows=trace; columns=series; metric=lost_share.c -->", self.folder)

    def test_counts_of_visits_by_module_and_window(self):
        times = np.arange(0, 120, 0.5) + 0.25  # at b all of a minute come together
        came = [(0, time) for time in times] + [(1, 30 if time < 60 else 100) for time in times]
        with h5py.File(self.folder / "toy.h5", "w") as file:
            rows = np.array([(0, *row("naive", "default", 1, 0.0), 120.0)], dtype=[*COLUMNS, ("duration_s", "f8")])
            file["summary"] = rows
            file["cells/0/modules"] = np.array([(b"a",), (b"b",)], dtype=[("name", "S4")])
            file["cells/0/visits"] = np.array([(module, round(1e9 * (time + 2 + 3 + 5)), 2e9, 3e9, 5e9) for module, time in came], dtype=[
                ("module", "u2"), *((name, "i8") for name in ("ended_ns", "queueing_ns", "wait_ns", "exec_ns"))])
        lines = tables.fill("<!-- table: toy; rows=window_s; columns=module; metric=count_cv -->", self.folder).split("\n")
        every_fifth = np.sqrt(0.2 * 0.8) / 0.2
        self.assertEqual(lines[2:], [
            "| window_s | a | b |", "| --- | --- | --- |", f"| 0.1 | {every_fifth:.4g} | {np.sqrt(599):.4g} |",
            f"| 0.5 | 0 | {np.sqrt(119):.4g} |", f"| 1 | 0 | {np.sqrt(59):.4g} |", f"| 10 | 0 | {np.sqrt(5):.4g} |", "| 60 | 0 | 0 |", ""])

    def test_latencies_and_budgets_by_module_and_second(self):
        """Two requests a second, 5 ms off the second's latency at the first module; in the last second more is sent than the plan can serve."""
        sent_ms, took_ms = [], []
        for second, base in enumerate((10, 30, 10, 30)):
            sent_ms += [1000 * second + 100, 1000 * second + 200]
            took_ms += [base - 5, base + 5]
        sent_ms += [4100, 4200, 4300]
        took_ms += [20, 20, 20]
        count = len(sent_ms)
        ms = np.array(sent_ms + [sent + took for sent, took in zip(sent_ms, took_ms)])  # arrivals at the first module, then at the second
        execution = np.array(took_ms + [1] * count)
        outcome = np.zeros(2 * count, dtype="u1")
        outcome[-1] = 1  # dropped at the second module: it came there, and took no time that counts
        with h5py.File(self.folder / "toy.h5", "w") as file:
            file["summary"] = np.array([(0, *row("pard", "default", 1, 0.0), 2.5)], dtype=[*COLUMNS, ("capacity_rps", "f8")])
            cell = file.create_group("cells/0")
            cell.attrs["window_ns"] = 10**9
            cell["modules"] = np.array([(b"a",), (b"b",)], dtype=[("name", "S4")])
            cell["plans"] = np.array([(0,)], dtype=[("at_ns", "i8")])
            cell["windows"] = np.array([(2,), (2,), (2,), (2,), (3,)], dtype=[("sent", "u4")])
            cell["requests"] = np.array([(k, 10**6 * sent) for k, sent in enumerate(sent_ms)], dtype=[("request", "u8"), ("sent_ns", "i8")])
            cell["visits"] = np.array(
                [(k % count, k // count, 10**6 * (ms[k] + execution[k]), 0, -1, 10**6 * execution[k], outcome[k]) for k in range(2 * count)],
                dtype=[("request", "u8"), ("module", "u2"), *((name, "i8") for name in ("ended_ns", "queueing_ns", "wait_ns", "exec_ns")), ("outcome", "u1")])
        lines = tables.fill("<!-- table: toy; rows=module; columns=what; metric=by_second -->", self.folder).split("\n")
        self.assertEqual(lines[2:], ["| module | latency | its change in a second | budget's sd within a second | sd of the seconds' means |",
                                     "| --- | --- | --- | --- | --- |", "| a | 20 | 17.5 | 0 | 0 |", "| b | 1 | 0 | 5 | 10 |", ""])
        lines = tables.fill("<!-- table: toy; rows=module; columns=what; metric=visit_ms -->", self.folder).split("\n")
        self.assertEqual(lines[2:5], ["| module | median | P99 |", "| --- | --- | --- |", "| a | 20 | 35 |"])
        with h5py.File(self.folder / "toy.h5", "r+") as file:
            file["cells/0"].attrs["window_ns"] = 10**8
        with self.assertRaisesRegex(tables.TableError, "by_second needs windows of 1 s, found 0.1 s"):
            tables.fill("<!-- table: toy; rows=module; columns=what; metric=by_second -->", self.folder)


class Selection(InAFolder):
    def test_conditions_and_chosen_series(self):
        lines = self.fill("toy; rows=trace; columns=series; metric=drop_rate; series=pard,nexus; where=trace=wiki",
                          [row("nexus", "default", 1, 0.3, trace="wiki"), row("pard", "default", 1, 0.1, trace="wiki"),
                           row("pard", "default", 1, 0.9), row("naive", "default", 1, 0.8, trace="wiki")])
        self.assertEqual(lines[4:7], ["| trace | pard | nexus |", "| --- | --- | --- |", "| wiki | 10.0 | 30.0 |"])

    def test_conditions_compare_numbers(self):
        lines = self.fill("toy; rows=trace; columns=series; metric=drop_rate; where=load=1,slo_ms=500.0", [row("pard", "default", 1, 0.5)])
        self.assertIn("| tweet | 50.0 |", lines)

    def test_swept_parameters_are_axes(self):
        rows = [row("pard", "default", 1, 0.1 * i, parameters=f"planner.sizing_factor=2 pard.lambda={i}") for i in (1, 2)]
        lines = self.fill("toy; rows=planner.sizing_factor; columns=pard.lambda; metric=drop_rate", rows)
        self.assertEqual(lines[4:7], ["| sizing_factor | 1 | 2 |", "| --- | --- | --- |", "| 2 | 10.0 | 20.0 |"])

    def test_different_cells_are_never_averaged(self):
        rows = [row("pard", "default", 1, 0.1, parameters="pard.lambda=0.1"), row("pard", "default", 1, 0.2, parameters="pard.lambda=0.2")]
        with self.assertRaisesRegex(tables.TableError, "several cells"):
            self.fill("toy; rows=trace; columns=series; metric=drop_rate", rows)

    def test_cells_without_results_do_not_count(self):
        rows = [row("pard", "default", 1, 0.1), row("nexus", "default", 1, 0.0, status="skipped")]
        self.assertIn("| trace | pard |", self.fill("toy; rows=trace; columns=series; metric=drop_rate", rows))

    def test_a_table_without_cells_is_refused(self):
        with self.assertRaisesRegex(tables.TableError, "no cells"):
            self.fill("toy; rows=trace; columns=series; metric=drop_rate; where=trace=azure", [row("pard", "default", 1, 0.1)])


class OtherSources(InAFolder):
    """Claims, lines of a CSV, and what a fit found."""

    def test_claims_stand_with_value_and_verdict(self):
        group = {"mean": 2.0, "half_width": 0.25, "holds": True}
        claim = {"id": "pard.a.one", "paper": "pard", "kind": "paper", "chosen_after": 0, "budget_spent": 0, "section": "5.2", "figure": "", "statement": "It holds.", "paper_value": "2x", "expect": "> 1",
                 "verdict": "reproduced", "value": 2.0, "groups": [group]}
        other = claim | {"id": "pard.b", "value": 1.5, "kind": "ours", "verdict": "undecided", "worst": "partly", "best": "reproduced",
                         "groups": [group, group | {"mean": 1.0, "holds": False}]}
        (self.folder / "claims.json").write_text(json.dumps([claim, other]), encoding="utf-8")
        filled = tables.fill("<!-- claims: pard.* -->", self.folder)
        self.assertIn("| `a.one` | paper | It holds. (5.2) | 2x | `> 1` | 2 ± 0.25 | reproduced |", filled)
        self.assertIn("| `b` | ours | It holds. (5.2) | 2x | `> 1` | 1.5 (1 to 2; 1 of 2 hold) | undecided, partly to reproduced |", filled)
        spent = other | {"budget_spent": 1, "groups": [group | {"seeds": 24}, group | {"seeds": 12}]}
        (self.folder / "claims.json").write_text(json.dumps([claim, spent]), encoding="utf-8")
        self.assertIn("| undecided, partly to reproduced, budget of 24 seeds spent |", tables.fill("<!-- claims: pard.* -->", self.folder))
        with self.assertRaisesRegex(tables.TableError, "no claim"):
            tables.fill("<!-- claims: loki.* -->", self.folder)

    def test_lines_of_a_csv_are_cells(self):
        (self.folder / "cv.csv").write_text("trace,window_s,group,mean_cv\na,1,1,0.5\na,1,10,0.25\na,60,1,-\n", encoding="utf-8")
        lines = tables.fill("<!-- csv: cv; rows=trace,window_s; columns=group; metric=mean_cv -->", self.folder).split("\n")
        self.assertEqual(lines[2:6], ["| trace | window_s | 1 | 10 |", "| --- | --- | --- | --- |", "| a | 1 | 0.5 | 0.25 |", "| a | 60 | - | - |"])
        with self.assertRaisesRegex(tables.TableError, "not found"):
            tables.fill("<!-- csv: none; rows=a; columns=b; metric=c -->", self.folder)

    def write_fit(self):
        """Four points of a knob with two values: claim a needs the second, b holds everywhere, c nowhere."""
        text = "S24"
        points = [(number, b"design", 3, 1 + number % 2, 0, 0, 1.0 + number % 2, 0.5 - 0.1 * number, 0.5 + number % 2 + 0.1 * number)
                  for number in range(4)] + [(number, stage, 3, 1 + number % 2, 0, 0, 1.0 + number, 0.0, 1.0)
                                                        for stage in (b"confirm-days", b"confirm-shapes") for number in (0, 3)]
        settings = [(number, b"order", b"two" if number % 2 else b"one", True, number % 2 == 0) for number in range(4)]
        verdicts = []
        for number, stage, *_ in points:
            holds = {"p.a": number % 2, "p.b": 1, "p.c": 0}
            verdicts += [(number, stage, claim.encode(), b"reproduced" if score else b"not reproduced", claim == "p.c", 0.0, float(score))
                         for claim, score in holds.items()]
        with h5py.File(self.folder / "best.h5", "w") as file:
            file.attrs["format"] = "harness fit"
            file["points"] = np.array(points, dtype=[("point", "u4"), ("stage", text), ("judged", "u4"), ("reproduced", "u4"), ("partly", "u4"),
                                                     ("noisy", "u4"), ("held", "f8"), ("distance", "f8"), ("objective", "f8")])
            file["settings"] = np.array(settings, dtype=[("point", "u4"), ("knob", text), ("value", text), ("active", "?"), ("standard", "?")])
            file["verdicts"] = np.array(verdicts, dtype=[("point", "u4"), ("stage", text), ("claim", text), ("verdict", text), ("noisy", "?"),
                                                         ("value", "f8"), ("score", "f8")])

    def rows_of_fit(self, what):
        lines = tables.fill(f"<!-- fit: best; {what} -->", self.folder).split("\n")
        return [line.strip("| ").split(" | ") for line in lines[4:] if line]

    def test_what_a_fit_found(self):
        self.write_fit()
        self.assertEqual(self.rows_of_fit("knobs"), [["order", "one", "two", "1.0", "`a` (two)"]])
        self.assertEqual(self.rows_of_fit("claims"), [["`a`"] + 2 * ["not reproduced", "reproduced"] + ["50", "order = two (100 %)"],
                                                      ["`b`"] + 4 * ["reproduced"] + ["100", "order = one (100 %)"],
                                                      ["`c`"] + 4 * ["not reproduced, seeds disagree"] + ["0", "-"]])
        # Point 3 passes all others in score and distance.
        worlds = ("design", "confirm-days", "confirm-shapes")
        self.assertEqual([row[:2] for row in self.rows_of_fit("points")],
                         [[name, world] for name in ("defaults", "3, best, ahead") for world in worlds])
        self.assertEqual(self.rows_of_fit("candidates"), [["defaults", "2.0", "-"], ["3, best, ahead", "8.0", "order two"]])
        self.assertEqual(self.rows_of_fit("steps")[1], ["order = two", "2", "0", "`a` reproduced"])
        page = "<!-- fit: other; knobs -->\n\n| a |\n\nafter"
        self.assertEqual(tables.fill(page, self.folder), page)
        with self.assertRaisesRegex(tables.TableError, "allowed: points, candidates, knobs, claims, steps"):
            self.rows_of_fit("what")


if __name__ == "__main__":
    unittest.main()
