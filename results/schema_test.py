"""Every attribute, dataset and column of a results file is described in README.md, and nothing else is.

Usage: schema_test.py FILE.h5 LIVE.h5: files with request rows, the second of a live run.
"""

import os
import re
import sys
import unittest
from pathlib import Path

import h5py

README = Path(__file__).with_name("README.md")
LIVE = sys.argv.pop()
EXAMPLE = sys.argv.pop()


def described():
    """Heading (without backticks) -> the names in the first column of the table below it."""
    tables = {}
    heading = None
    for line in README.read_text(encoding="utf8").splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ").replace("`", "")
        row = re.match(r"\| `([^`]+)` \|", line)
        if row:
            tables.setdefault(heading, []).append(row.group(1))
    return tables


def facts_texts(facts):
    """What README.md says of a column of /summary before its meaning, by its row in /columns: unit, better, of nothing."""
    better, *rules = (facts[name].decode() for name in ("better", "no_request_sent", "none_completed"))
    return ["share" if facts["is_share"] else facts["unit"].decode(), "" if better == "neither" else better,
            "" if set(rules) == {"value"} else ", ".join(rules)]


def with_facts(text, facts):
    """README.md with what /columns says in the table of /summary."""
    begin = text.index("\n### `/summary`")
    end = text.index("\n**The bounds.**")
    lines = []
    for line in text[begin:end].split("\n"):
        name, meaning = (line.split("|")[at].strip() for at in (1, -2)) if line.startswith("| `") else ("", "")
        name = name.strip("`")
        texts = [f"`{name}`", *facts_texts(facts[name]), meaning] if name in facts else []
        lines.append("|" + "".join(f" {text} |" if text else " |" for text in texts) if texts else line)
    return text[:begin] + "\n".join(lines) + text[end:]


def columns(name, dataset):
    """The columns of a cell's dataset; those that systems name are not the format's."""
    names = list(dataset.dtype.names)
    return names[:2] if name == "states" else names


def present(file):
    """The same for a file."""
    tables = {"Attributes of the file": list(file.attrs), "/summary": list(file["summary"].dtype.names),
              "/columns": list(file["columns"].dtype.names)}
    cell = file["cells/0"]
    tables["Attributes of /cells/N"] = list(cell.attrs)
    for name, dataset in cell.items():
        tables[f"/cells/N/{name}"] = columns(name, dataset)
    return tables


class SchemaTest(unittest.TestCase):
    def test_readme_describes_exactly_what_files_hold(self):
        with h5py.File(LIVE) as file:
            found = present(file)
            self.assertEqual(set(file), {"summary", "columns", "cells"})
        documented = described()
        self.assertEqual(set(documented), set(found))
        for table, names in found.items():
            self.assertCountEqual(documented[table], names, table)

    def test_table_columns_stand_in_the_order_of_the_file(self):
        with h5py.File(LIVE) as file:
            self.assertEqual(described()["/summary"], list(file["summary"].dtype.names))
            for name, dataset in file["cells/0"].items():
                self.assertEqual(described()[f"/cells/N/{name}"], columns(name, dataset))

    def test_the_readme_says_of_each_column_what_the_file_says(self):
        text = README.read_text(encoding="utf8")
        with h5py.File(LIVE) as file:
            facts = {row["name"].decode(): row for row in file["columns"][:]}
            self.assertEqual(list(facts), list(file["summary"].dtype.names))
        if os.environ.get("HARNESS_WRITE_DOCS"):
            README.write_text(with_facts(text, facts), encoding="utf8")
        self.assertEqual(README.read_text(encoding="utf8"), with_facts(text, facts), "HARNESS_WRITE_DOCS=1 writes it")

    def test_enumerations_are_described_with_their_values(self):
        text = README.read_text(encoding="utf8")
        with h5py.File(LIVE) as file:
            for name, column in (("requests", "outcome"), ("requests", "reason"), ("visits", "outcome"),
                                 ("latency", "measure")):
                values = h5py.check_enum_dtype(file[f"cells/0/{name}"].dtype[column])
                for word, value in values.items():
                    self.assertIn(f"{value} {word}", text)


class ReadingTest(unittest.TestCase):
    """What a reader with h5py sees is consistent."""

    def setUp(self):
        self.file = h5py.File(EXAMPLE)
        self.addCleanup(self.file.close)

    def test_the_accounting_closes_in_every_table(self):
        for row in self.file["summary"][:]:
            cell = self.file[f"cells/{row['cell']}"]
            counts = [int((cell["requests"]["outcome"] == value).sum()) for value in range(4)]
            self.assertEqual(counts, [row["in_time"], row["late"], row["dropped"], row["unfinished"]])
            self.assertEqual(sum(counts), row["sent"])
            self.assertEqual(cell["windows"]["sent"].sum(), row["sent"])
            self.assertEqual(cell["modules"]["done"].sum(), (cell["visits"]["outcome"] == 0).sum())
            self.assertEqual(cell["module_windows"]["arrived"].sum(), len(cell["visits"]))

    def test_a_visit_arrives_after_its_request_was_sent(self):
        cell = self.file["cells/0"]
        requests = cell["requests"][:]
        sent = dict(zip(requests["request"].tolist(), requests["sent_ns"].tolist()))
        for visit in cell["visits"][:2000]:
            durations = [max(0, int(visit[name])) for name in ("queueing_ns", "wait_ns", "exec_ns")]
            self.assertGreaterEqual(int(visit["ended_ns"]) - sum(durations), sent[int(visit["request"])])

    def test_only_live_cells_have_ranks_and_schedule_lags(self):
        self.assertNotIn("ranks", self.file["cells/0"])
        self.assertEqual(self.file["cells/0/requests"]["schedule_lag_ns"].max(), 0)
        for column in ("schedule_lag_us_p99", "messages", "clock_bound_us"):
            self.assertTrue((self.file["summary"][column] != self.file["summary"][column]).all(), column)
        with h5py.File(LIVE) as live:
            late = sorted(live["cells/0/requests"]["schedule_lag_ns"])
            row = live["summary"][0]
            exact = late[-(-len(late) * 99 // 100) - 1] / 1e3
            self.assertGreaterEqual(row["schedule_lag_us_p99"], exact)
            self.assertLessEqual(row["schedule_lag_us_p99"], exact * (1 + 1 / 128) + 0.032)
            self.assertEqual(row["messages"], live["cells/0/ranks"]["messages_sent"].sum())
            self.assertNotEqual(row["sim_requests_per_s"], row["sim_requests_per_s"])

    def test_accuracy_is_of_the_completed_requests_where_models_have_one(self):
        with h5py.File(LIVE) as file:
            cell, row = file["cells/0"], file["summary"][0]
            requests, windows = cell["requests"][:], cell["windows"][:]
            completed = requests[requests["outcome"] <= 1]
            self.assertEqual(cell.attrs["accuracy_requests"], len(completed))
            self.assertAlmostEqual(row["accuracy"], completed["accuracy"].mean())
            self.assertTrue(0.8**3 < row["accuracy"] < 1)
            dropped = requests[requests["outcome"] == 2]["accuracy"]
            self.assertTrue((dropped != dropped).all())
            second = completed[completed["sent_ns"] // int(cell.attrs["window_ns"]) == 3]
            self.assertAlmostEqual(windows["accuracy_sum"][3] / (windows["in_time"][3] + windows["late"][3]),
                                   second["accuracy"].mean())
            # A tree without branches: each request is a path.
            self.assertEqual(row["answers"], b"whole")
            self.assertEqual(windows["paths_in_time"].sum(), row["in_time"])
            self.assertEqual(windows["paths_late"].sum(), row["late"])
            self.assertEqual(windows["paths_lost"].sum(), row["dropped"])
            self.assertEqual(row["path_violation_rate"], row["drop_rate"])
            self.assertAlmostEqual(row["path_accuracy"], row["accuracy"])
        for column in ("accuracy", "path_violation_rate", "path_accuracy"):
            self.assertTrue((self.file["summary"][column] != self.file["summary"][column]).all(), column)
        self.assertEqual(set(self.file["summary"]["answers"]), {b""})
        self.assertEqual(self.file["cells/0/windows"]["accuracy_sum"].max(), 0)

    def test_the_readme_example_runs(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas here")
        with h5py.File(EXAMPLE) as file:
            summary = pandas.DataFrame(file["summary"][:])
        self.assertEqual(summary["system"].str.decode("utf8").nunique(), 4)


if __name__ == "__main__":
    unittest.main()
