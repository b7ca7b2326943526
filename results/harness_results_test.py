"""The package harness_results: DataFrames of what the file holds, names decoded, files of older versions, what a file lacks, pip.

Usage: harness_results_test.py SMALL.h5 LIVE.h5: files with request rows, the second of a live run.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
from importlib.util import find_spec
from pathlib import Path

import h5py
import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import harness_results as hr  # noqa: E402

LIVE = Path(sys.argv.pop()).resolve()
SMALL = Path(sys.argv.pop()).resolve()
NO_PANDAS = "this Python has no pandas (Debian: python3-pandas)"


def python(code, **options):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, **options)


@unittest.skipUnless(find_spec("pandas"), NO_PANDAS)
class FramesTest(unittest.TestCase):
    def load(self, path):
        results = hr.load(path)
        self.addCleanup(results.close)
        return results

    def copy(self, edit, source=SMALL):
        """A changed copy of a file."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        copy = Path(folder.name) / "copy.h5"
        shutil.copy(source, copy)
        with h5py.File(copy, "r+") as file:
            edit(file)
        return copy

    def test_summary_has_the_rows_and_columns_of_the_file(self):
        summary = self.load(SMALL).summary
        with h5py.File(SMALL) as file:
            stored = file["summary"][:]
        self.assertEqual(list(summary.columns), list(stored.dtype.names))
        self.assertEqual(list(summary.system), [name.decode() for name in stored["system"]])
        np.testing.assert_array_equal(summary.goodput_rps, stored["goodput_rps"])
        means = summary.groupby("system").goodput_rps.mean()
        for system, mean in means.items():
            self.assertAlmostEqual(mean, stored["goodput_rps"][stored["system"] == system.encode()].mean())

    def test_skipped_cells_have_rows_and_no_tables(self):
        def skip(file):
            rows = file["summary"][:]
            rows["status"][0], rows["why"][0] = b"skipped", b"too many workers"
            file["summary"][:] = rows

        results = self.load(self.copy(skip))
        self.assertEqual(results.summary.status[0], "skipped")
        with self.assertRaisesRegex(hr.MissingTable, "cell 0 was skipped: too many workers"):
            results.requests(0)

    def test_kinds_of_devices_have_the_names_of_the_settings(self):
        kinds = '[[cluster.device]]\nname = "vcpu"\n[[cluster.device]]\nname = "k80"\n'
        results = self.load(self.copy(lambda file: file["cells/0"].attrs.__setitem__("effective_toml", kinds)))
        with h5py.File(SMALL) as file:
            for name in ("plans", "workers"):
                self.assertEqual(list(results.table(0, name).device),
                                 [("vcpu", "k80")[kind] for kind in file[f"cells/0/{name}"]["device"]])

    def test_units_of_numbers(self):
        results = self.load(LIVE)
        units = results.summary.attrs["units"]
        for column, unit in (("goodput_rps", "requests/s"), ("slo_ms", "ms"), ("latency_ms_p99", "ms"), ("gpu_hours", "h"), ("schedule_lag_us_p99", "us"),
                             ("overload_s", "s"), ("sim_requests_per_s", "requests/s"), ("drop_rate", "1"), ("sent", "requests"),
                             ("state_kbps_per_worker", "1000 bit/s"), ("min_goodput_share_10s", "1"), ("message_bytes", "bytes")):
            self.assertEqual(units[column], unit, column)
        self.assertNotIn("system", units)
        self.assertEqual(results.visits(0).attrs["units"]["queueing_ns"], "ns")

    def test_modules_outcomes_and_reasons_have_names(self):
        results = self.load(SMALL)
        with h5py.File(SMALL) as file:
            modules = [name.decode() for name in file["cells/0/modules"]["name"]]
            for name in ("requests", "visits"):
                stored = file[f"cells/0/{name}"]
                names = {column: {code: text for text, code in h5py.check_enum_dtype(stored.dtype[column]).items()}
                         for column in ("outcome", "reason")}
                rows, frame = stored[:], results.table(0, name)
                self.assertEqual(len(frame), len(rows))
                self.assertEqual(list(frame.module), [modules[number] for number in rows["module"]])
                self.assertEqual(list(frame.outcome), [names["outcome"][code] for code in rows["outcome"]])
                dropped = frame.outcome == "dropped"
                self.assertTrue(dropped.any() and not dropped.all())
                self.assertTrue(frame.reason[~dropped].isna().all())
                expected = [names["reason"][code] for code in rows["reason"][dropped]]
                self.assertEqual(list(frame.reason[dropped]), [text.replace("inbox_full", "scheduler_queue_full") for text in expected])
                np.testing.assert_array_equal(frame[frame.columns[1]], rows[rows.dtype.names[1]])

    def test_whole_requests_are_at_no_module(self):
        latency = self.load(SMALL).table(0, "latency")
        self.assertTrue(latency.module[latency.measure == "latency"].isna().all())
        self.assertFalse(latency.module[latency.measure == "batch_wait"].isna().any())

    def test_every_table_reads(self):
        results = self.load(LIVE)
        with h5py.File(LIVE) as file:
            for name, stored in file["cells/0"].items():
                frame = results.table(0, name)
                self.assertEqual((len(frame), list(frame.columns)), (len(stored), list(stored.dtype.names)), name)
        for frame, name in ((results.windows(0), "windows"), (results.plan(0), "plans"), (results.modules(0), "modules")):
            self.assertTrue(frame.equals(results.table(0, name)))

    def test_settings_and_provenance(self):
        results = self.load(LIVE)
        with h5py.File(LIVE) as file:
            self.assertEqual(results.settings(0), tomllib.loads(file["cells/0"].attrs["effective_toml"]))
            self.assertEqual(results.provenance["git_commit"], file.attrs["git_commit"])
            self.assertEqual(results.provenance["git_dirty"], int(file.attrs["git_dirty"]))
            self.assertEqual(set(results.provenance), {"file", *file.attrs})

    def test_what_a_file_lacks_is_said(self):
        def drop(file):
            for name in ("requests", "visits", "groups"):
                del file[f"cells/1/{name}"]

        results = self.load(self.copy(drop))
        for ask, text in ((lambda: results.requests(1), r"copy.h5: no /cells/1/requests: rows .* \[record\] rows = true"),
                          (lambda: results.visits(1), r"no /cells/1/visits: rows are recorded with \[record\] rows = true"),
                          (lambda: results.table(1, "groups"), "only plans whose workers serve several modules"),
                          (lambda: results.table(1, "request"), "no /cells/1/request: the cell has .*windows"),
                          (lambda: results.plan(99), "no cell 99: the file has 0-15")):
            with self.assertRaisesRegex(hr.MissingTable, text) as raised:
                ask()
            self.assertIsInstance(raised.exception, KeyError)
            self.assertNotIn("'", str(raised.exception))

    def test_other_files_are_refused(self):
        for name, value, text in (("format", "harness trace cv", "format: found harness trace cv, allowed: harness results"),
                                  ("format_version", 9, "format_version: found 9, allowed: up to 1")):
            with self.assertRaisesRegex(hr.ResultsError, text):
                hr.load(self.copy(lambda file, name=name, value=value: file.attrs.modify(name, value)))
        with self.assertRaisesRegex(hr.ResultsError, "found no table summary"):
            hr.load(self.copy(lambda file: file.pop("summary")))


class PackageTest(unittest.TestCase):
    def test_what_draws_needs_no_pandas(self):
        found = python("import sys; sys.modules['pandas'] = None\n"
                       "import harness_results.file as file\n"
                       f"print(len(file.Results({str(SMALL)!r}).cells))\n"
                       "import harness_results as hr\n"
                       f"hr.load({str(SMALL)!r})", cwd=HERE)
        self.assertEqual(found.stdout, "16\n")
        self.assertRegex(found.stderr.splitlines()[-1], "^(ModuleNotFound|Import)Error: .*pandas")

    def test_its_version_is_the_harness_version(self):
        version = re.search(r'^version = "(.*)"$', (HERE / "pyproject.toml").read_text(), re.MULTILINE)[1]
        self.assertIn(f"project(harness VERSION {version} ", (HERE.parent / "CMakeLists.txt").read_text())

    @unittest.skipUnless(find_spec("pip") and find_spec("setuptools") and find_spec("wheel"), "this Python has no pip, setuptools or wheel")
    def test_pip_installs_it(self):
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder, "source"), Path(folder, "target")
            shutil.copytree(HERE / "harness_results", source / "harness_results", ignore=shutil.ignore_patterns("__pycache__"))
            shutil.copy(HERE / "pyproject.toml", source)
            done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index",
                                   "--target", target, source], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = python("import harness_results, importlib.metadata as m\n"
                           "print(harness_results.__file__, m.version('harness-results'))", cwd=folder, env={"PYTHONPATH": str(target)})
            self.assertEqual(found.stdout, f"{target}/harness_results/__init__.py 0.1.0\n", found.stderr)


if __name__ == "__main__":
    unittest.main()
