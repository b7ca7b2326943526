"""Reports: what stands in the page is what the file and `harness show` say, within the sizes, and nothing of a file is markup.

    report_test.py HARNESS SMALL.h5 QUICKSTART.h5 INFERLINE.h5
"""

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from unittest import mock

import h5py
import numpy as np

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))  # harness_results, figures

import cell_views  # noqa: E402
from columns import column, counts  # noqa: E402
from contents import Contents, label_without, labels_of, page_data, values_of  # noqa: E402
from harness_results.series import SeriesKey  # noqa: E402
import judgements  # noqa: E402
import packages  # noqa: E402
from page import page  # noqa: E402
import report  # noqa: E402
from seal import seal  # noqa: E402

HARNESS, SMALL, QUICKSTART, INFERLINE = sys.argv[1:5]
STUB = "window.vegaEmbed = () => {};"
HOSTILE = "</script><img src=http://x/ onerror=alert(1)>\u2028<!--\x1b[2J"


def zeros_back(packed):
    """counts() as a list again, told by its description: -n stands for n zeros."""
    return [value for each in packed for value in ([0] * -each if each < 0 else [each])]


def data_of(text):
    """The data of a page, as a browser finds them."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])


def made(*paths):
    data = page_data([Path(path) for path in paths], report.COURSES_LIMIT)
    judgements.add(HARNESS, paths, data)
    return data_of(page(data, STUB))


class Attributes(HTMLParser):
    """What the elements of a page name in attributes that load something."""

    def __init__(self, text):
        super().__init__()
        self.found, self.tags = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.found += [value for name, value in attrs if name in ("src", "href", "action", "data", "srcset", "poster")]


class Columns(unittest.TestCase):

    def test_every_form_reads_back(self):
        for values in ([1, 2, 3], [1.5] * 4, ["a", "b"] * 5, ["a", None] * 3, [], [0.1 + 0.2, 2.0]):
            self.assertEqual(values_of(column(values)), values)
        self.assertEqual(column([float("nan"), float("inf"), 2.0]), [None, "inf", 2])

    def test_zeros_are_counted(self):
        self.assertEqual(counts([0, 0, 5, 0, 7]), [-2, 5, -1, 7])
        self.assertEqual(counts([]), [])


class Numbers(unittest.TestCase):

    def test_the_summary_is_that_of_harness_show(self):
        for path in (SMALL, QUICKSTART, INFERLINE):
            shown = json.loads(subprocess.run([HARNESS, "show", path, "--json"], capture_output=True, text=True, check=True).stdout)
            summary = {name: values_of(stored) for name, stored in made(path)["files"][0]["summary"].items()}
            for at, row in enumerate(shown):
                self.assertEqual({name: summary[name][at] for name in row}, row)

    def test_counts_over_time_and_drops_are_those_of_the_file(self):
        for path in (SMALL, QUICKSTART, INFERLINE):
            data = made(path)["files"][0]
            with h5py.File(path) as file:
                for name, view in zip(values_of(data["summary"]["cell"]), data["cells"]):
                    self.check_cell(data, view, file[f"cells/{name}"])

    def check_cell(self, data, view, group):
        windows = group["windows"][:]
        course = view["course"]
        self.assertEqual(course["window_s"], group.attrs["window_ns"] / 1e9)
        self.assertEqual(zeros_back(data["sent"][course["sent"]]), windows["sent"].tolist())
        for name in ("late", "dropped"):
            self.assertEqual(zeros_back(course[name]) if name in course else [0] * len(windows), windows[name].tolist())
        modules = group["modules"][:]
        started = group["module_windows"]["started"].reshape(-1, len(modules)).sum(axis=0)
        for at, row in enumerate(modules):
            self.assertAlmostEqual(view["modules"]["queueing_ms"][at], row["queueing_ns"] / max(1, started[at]) / 1e6, places=4)
        self.check_waits(view["module_course"], group, len(modules))
        drops = {(at, reason): count for at, reason, count in view["modules"]["drops"]}
        for at, row in enumerate(modules):
            for name in modules.dtype.names:
                if name.startswith("dropped_"):
                    self.assertEqual(drops.get((at, name.removeprefix("dropped_")), 0), row[name])
        plans = {name: values_of(stored) for name, stored in view["plans"]["rows"].items()}
        stored = group["plans"][:cell_views.MAX_PLAN_ROWS]
        self.assertEqual(plans["workers"], stored["workers"].tolist())
        self.assertEqual(view["plans"]["left"], len(group["plans"]) - len(stored))
        for at, row in enumerate(stored):
            if row["exec_ns"] > 0:
                self.assertAlmostEqual(plans["rate_rps"][at], float(row["workers"]) * float(row["max_batch"]) / row["exec_ns"] * 1e9)

    def check_waits(self, course, group, modules):
        """Where the page's windows are the file's; 0: none started, 1: 0.0 ms."""
        rows = group["module_windows"][:].reshape(-1, modules)
        if course["window_s"] != group.attrs["window_ns"] / 1e9:
            return
        for name in ("queueing", "wait"):
            for module in range(modules):
                found = zeros_back(course[name][module])
                wanted = [0 if row["started"] == 0 else round(row[name + "_ns"] / row["started"] / 1e5) + 1 for row in rows[:, module]]
                self.assertEqual(found, wanted)

    def test_points_of_the_distribution_are_those_of_the_histogram(self):
        data = made(QUICKSTART)["files"][0]
        with h5py.File(QUICKSTART) as file:
            for name, view in zip(values_of(data["summary"]["cell"]), data["cells"]):
                rows = file[f"cells/{name}/latency"][:]
                rows = rows[(rows["measure"] == 0) & (rows["module"] == 65535)]
                total = dict(zip((rows["up_to_ns"] / 1000).round(3).tolist(), np.cumsum(rows["count"]).tolist()))
                self.assertEqual([total[value] for value in view["cdf"]["us"]], view["cdf"]["count"])
                self.assertEqual(view["cdf"]["count"][-1], rows["count"].sum())
                steps = np.diff(np.array(view["cdf"]["count"]) / rows["count"].sum())
                largest = rows["count"].max() / rows["count"].sum()
                self.assertLessEqual(steps.max(), 1 / cell_views.CDF_STEPS + largest + 1e-9)

    def test_latencies_over_time_are_quantiles_of_the_rows(self):
        data = made(QUICKSTART)["files"][0]
        with h5py.File(QUICKSTART) as file:
            rows = file["cells/1/requests"][:]
            outcomes = h5py.check_enum_dtype(rows.dtype["outcome"])
            for window in (0, 7, 30, 59):
                own = sorted(int(row["latency_ns"]) for row in rows
                             if row["sent_ns"] // 10**9 == window and row["outcome"] in (outcomes["in_time"], outcomes["late"]))
                for name, percent in (("p50_ms", 50), ("p99_ms", 99)):
                    found = values_of(data["cells"][1]["latencies"][name])[window]
                    wanted = own[-(-len(own) * percent // 100) - 1] / 1e6 if own else None
                    self.assertEqual(found, wanted and round(wanted, 2))

    def test_a_file_with_prices_has_costs_and_loads_are_an_axis(self):
        data = made(INFERLINE)["files"][0]
        self.assertTrue(any(value for value in values_of(data["summary"]["cost_usd_per_h"])))
        self.assertIn("request rate (requests/s)", [axis["label"] for axis in data["axes"]])


class Axes(unittest.TestCase):

    def test_over_a_parameter_of_its_own_a_series_keeps_its_others(self):
        for variant, parameters, label in (("default", "pard.lambda=0.1 pard.estimate=back", "pard estimate=back"),
                                           ("lambda=0.1", "pard.lambda=0.1", "pard"), ("sf", "pard.lambda=0.1", "pard sf")):
            self.assertEqual(label_without(SeriesKey("pard", variant, parameters), "pard.lambda"), label)


class Waits(unittest.TestCase):

    def test_a_wait_of_0_is_not_the_same_as_no_visit(self):
        course = cell_views.ModuleCourse.__new__(cell_views.ModuleCourse)
        course.window_s = 1.0
        course.started, course.dropped = np.array([[2.0, 0, 4, 1]]), np.array([[0, 3, 0, 0]])
        course.waited_ns = {"queueing": np.array([[3e6, 0, 1e4, 0]]), "wait": np.array([[0, 0, 8e6, 5e5]])}
        packed = course.packed(1, None)
        self.assertEqual([zeros_back(packed[name][0]) for name in ("queueing", "wait")], [[16, 0, 1, 1], [1, 0, 21, 6]])
        self.assertEqual(zeros_back(course.packed(2, None)["queueing"][0]), [16, 1])  # 1.5 ms, 2 us


class Labels(unittest.TestCase):

    def test_files_of_one_name_have_the_shortest_ends_that_tell_them_apart(self):
        for paths, labels in ((["m.h5", "n.h5"], ["m.h5", "n.h5"]), (["ma/m.h5", "mb/m.h5"], ["ma/m.h5", "mb/m.h5"]),
                              (["/x/a/m.h5", "/y/a/m.h5", "/y/a/n.h5"], ["x/a/m.h5", "y/a/m.h5", "n.h5"]),
                              (["/m.h5", "/a/m.h5"], ["/m.h5", "a/m.h5"]), (["m.h5", "m.h5"], ["base", "new"])):
            self.assertEqual(labels_of([Path(path) for path in paths]), labels)


class Outputs(unittest.TestCase):

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.results = self.folder / "q.h5"
        shutil.copy(QUICKSTART, self.results)

    def test_what_is_no_page_is_not_replaced(self):
        other, broken, link = (self.folder / name for name in ("other.h5", "broken.h5", "link.html"))
        shutil.copy(self.results, other)
        broken.write_bytes(self.results.read_bytes()[:2000])
        link.symlink_to(self.results)
        os.link(self.results, self.folder / "hard.html")
        os.mkfifo(self.folder / "pipe")
        (self.folder / "null.html").symlink_to("/dev/null")
        (self.folder / "mine.toml").write_text("[workload]", encoding="utf-8")
        for name in ("mine.toml", "q.h5", "other.h5", "broken.h5", "link.html", "hard.html", "pipe", "null.html", "."):
            with self.assertRaisesRegex(report.BadOutput, "^--output: found .*, allowed: a new file, or a page to replace$"):
                report.checked_output(self.folder / name, [self.results])

    def test_a_page_is_replaced_also_through_a_link(self):
        (self.folder / "old.html").write_text("<!doctype html>old", encoding="utf-8")
        (self.folder / "link.html").symlink_to("old.html")
        report.write(report.checked_output(self.folder / "link.html", [self.results]), b"new")
        self.assertEqual((self.folder / "old.html").read_text(encoding="utf-8"), "new")
        self.assertTrue((self.folder / "link.html").is_symlink())
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["link.html", "old.html", "q.h5"])

    def test_a_folder_that_is_missing_is_not_made(self):
        with self.assertRaises(FileNotFoundError):
            report.checked_output(self.folder / "no" / "r.html", [self.results])


class Sizes(unittest.TestCase):

    def test_what_is_too_long_becomes_coarser_and_says_so(self):
        contents = Contents(SMALL, 3000).data()
        finer = Contents(SMALL, 10**9).data()
        self.assertEqual(finer["notes"], [])
        self.assertTrue(any("in steps of" in note or "left out" in note for note in contents["notes"]), contents["notes"])
        for coarse, fine in zip(contents["cells"], finer["cells"]):
            if "course" in coarse:
                total = [sum(zeros_back(data["sent"][view["course"]["sent"]])) for data, view in ((contents, coarse), (finer, fine))]
                self.assertEqual(*total)

    def test_what_never_fits_is_left_out_and_says_so(self):
        contents = Contents(SMALL, 10).data()
        self.assertFalse(any("course" in view for view in contents["cells"]))
        self.assertEqual(sum("left out" in note for note in contents["notes"]), 2)

    def test_scripts_and_style_are_small(self):
        self.assertLess(len(page(page_data([Path(SMALL)], 0), "")), 400_000)


class Pages(unittest.TestCase):

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def hostile(self):
        path = self.folder / "</script>$(x) 'y'.h5".replace("/", "_")
        shutil.copy(SMALL, path)
        with h5py.File(path, "r+") as file:
            rows = file["summary"][:]
            for name in ("system", "variant", "pipeline", "trace", "why"):
                rows[name] = HOSTILE.encode()
            rows["status"][0] = b"skipped"
            del file["summary"]
            file["summary"] = rows
            modules = file["cells/1/modules"][:]
            modules["name"] = HOSTILE.encode()
            del file["cells/1/modules"]
            file["cells/1/modules"] = modules
            file.attrs["machine"] = HOSTILE
        seal(str(path))
        return path

    def test_nothing_of_a_file_is_markup(self):
        path = self.hostile()
        data = page_data([path], report.COURSES_LIMIT)
        judgements.add(HARNESS, [path], data)
        text = page(data, STUB)
        plain = page(page_data([Path(SMALL)], report.COURSES_LIMIT) | {"comparisons": []}, STUB)
        self.assertEqual(Attributes(text).tags, Attributes(plain).tags)
        self.assertNotIn("\u2028", text)
        found = data_of(text)["files"][0]
        self.assertEqual(set(values_of(found["summary"]["system"])), {HOSTILE})
        self.assertEqual(found["attributes"]["machine"], HOSTILE)
        quoted = subprocess.run(["bash", "-c", f"printf %s {found['quoted']}"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(quoted, str(path))

    def test_nothing_is_loaded(self):
        text = page(page_data([Path(SMALL)], report.COURSES_LIMIT) | {"comparisons": []}, STUB)
        for value in Attributes(text).found:
            self.assertRegex(value, "^(#|data:,)")
        self.assertIn("default-src 'none'", text)
        for word in ("@import", "url(", "fetch(", "XMLHttpRequest", "import("):
            self.assertNotIn(word, text)

    def test_without_the_library_there_are_no_plots_and_a_line_says_what_to_install(self):
        errors, made = io.StringIO(), self.folder / "r.html"
        with mock.patch.dict(sys.modules, vl_convert=None), mock.patch.object(packages, "TOOLS", self.folder), \
                mock.patch.object(sys, "argv", ["report.py", SMALL, "-o", str(made), "--harness", HARNESS]), contextlib.redirect_stderr(errors), \
                contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(report.main(), 0)
        self.assertRegex(errors.getvalue(), "^harness: the page has no plots: they need the Python package vl-convert-python .*: ci/setup "
                         f"installs it, or .* -m pip install --no-deps --target {self.folder} vl-convert-python==.*\n$")
        self.assertEqual(data_of(made.read_text(encoding="utf-8"))["files"][0]["label"], Path(SMALL).name)

    def test_two_files_are_paired_cell_by_cell(self):
        data = made(QUICKSTART, QUICKSTART)
        found = data["comparisons"][0]["report"]
        self.assertEqual(found["pairs"], [[at, at] for at in range(len(data["files"][0]["cells"]))])
        self.assertEqual({each["movement"] for each in found["changes"]}, {"equal"})
        self.assertIn("drop_rate", {each["metric"] for each in found["changes"]})
        other = made(QUICKSTART, INFERLINE)["comparisons"][0]
        self.assertIsNone(other["report"])
        self.assertIn("no cell", other["said"])

    def test_claims_that_need_other_files_are_counted(self):
        claims = [{"id": "a", "verdict": "reproduced", "missing": []}, {"id": "b", "verdict": "not run", "missing": ["no results of x were given"]},
                  {"id": "c", "verdict": "not run", "missing": ["no cell for goodput_rps[pard]"]}]
        program = self.folder / "program"
        program.write_text(f"#!/bin/sh\nprintf '%s' '{json.dumps(claims)}'\nexit 1\n", encoding="utf-8")
        program.chmod(0o755)
        found = judgements.claims_of(program, "x.h5")
        self.assertEqual(([each["id"] for each in found["decided"]], found["others"], found["problem"]), (["a", "c"], 1, ""))
        self.assertEqual(judgements.claims_of(HARNESS, SMALL), {"decided": [], "others": 0, "problem": ""})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
