"""What ci/release writes: the same archive of the same commit, a description that names the files that are there, right checksums,
what experiments took as their files have it. The version is the same wherever it stands."""

import csv
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.search(r"^project\(harness VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


class Version(unittest.TestCase):

    def test_is_the_same_everywhere(self):
        self.assertEqual(re.search(r"^version: (\S+)$", text("CITATION.cff"), re.MULTILINE)[1], VERSION)
        self.assertEqual(json.loads(text("codemeta.json"))["version"], VERSION)
        self.assertEqual(re.search(r'^version = "(.*)"$', text("results/pyproject.toml"), re.MULTILINE)[1], VERSION)
        self.assertIn(f"\n## {VERSION}", text("CHANGELOG.md"))

    def test_formats_are_those_of_the_sources(self):
        found = {}
        for header, name, constant in (("results_file.h", "harness results", "kResultsFormat"), ("cv_table.cc", "harness trace cv", "kCvFormat"),
                                       ("fit_tables.cc", "harness fit", "kFitFormat")):
            found[name] = re.search(rf"{constant} = (\d+);", text(f"harness/record/hdf5/{header}"))[1]
        table = re.findall(r"^\| `(harness [a-z ]+)` \| (\d+) \| \S+ \| (\S+) \|$", text("docs/release.md"), re.MULTILINE)
        self.assertEqual({name: version for name, version, reader in table if reader.endswith(VERSION)}, found)


@unittest.skipUnless((ROOT / ".git").exists(), "not in a clone")
@unittest.skipUnless(importlib.util.find_spec("h5py"), "no h5py")
class Release(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        results = cls.folder / "results-out"
        (results / "figures").mkdir(parents=True)
        shutil.copy(ROOT / "results/baselines/regress.h5", results / "overall.h5")
        (results / "figures/a.png").write_bytes(b"a")
        (results / "left.cells").mkdir()
        (results / "left.cells/0.h5").write_bytes(b"")
        cls.done = [cls.release(cls.folder / "a", "--results", str(results)), cls.release(cls.folder / "b")]
        cls.graph = {entity["@id"]: entity for entity in json.loads((cls.folder / "a/ro-crate-metadata.json").read_text())["@graph"]}

    @classmethod
    def release(cls, *words):
        """Without a validator on the PATH: it would ask the internet."""
        tools = cls.folder / "tools"
        tools.mkdir(exist_ok=True)
        if not (tools / "git").exists():
            (tools / "git").symlink_to(shutil.which("git"))
        env = dict(os.environ, PATH=str(tools), HARNESS_PYTHON=sys.executable)
        return subprocess.run([sys.executable, str(ROOT / "ci/release"), *map(str, words)], env=env, capture_output=True, text=True, check=False)

    def test_succeeds_and_says_that_nothing_validated(self):
        for done in self.done:
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("not validated: no rocrate-validator here", done.stdout)

    def test_the_same_commit_gives_the_same_archive(self):
        name = f"harness-{VERSION}.tar.gz"
        self.assertEqual((self.folder / "a" / name).read_bytes(), (self.folder / "b" / name).read_bytes())
        with tarfile.open(self.folder / "a" / name) as archive:
            names = archive.getnames()
            self.assertEqual(len(archive.pax_headers["comment"]), 40, "the commit")
        self.assertIn(f"harness-{VERSION}/CMakeLists.txt", names)
        self.assertTrue(all(name.split("/")[0] == f"harness-{VERSION}" for name in names))

    def test_the_crate_names_the_files_that_are_there(self):
        named = {part["@id"] for part in self.graph["./"]["hasPart"]}
        there = {path.relative_to(self.folder / "a").as_posix() for path in (self.folder / "a").rglob("*") if path.is_file()}
        self.assertEqual(named, there - {"ro-crate-metadata.json", "SHA256SUMS"})
        self.assertFalse(any("left" in name for name in there))
        for name in named:
            self.assertEqual(self.graph[name]["sha256"], hashlib.sha256((self.folder / "a" / name).read_bytes()).hexdigest())

    def test_what_the_crate_refers_to_is_in_it(self):
        def references(value):
            if isinstance(value, list):
                return {name for each in value for name in references(each)}
            return {value["@id"]} if isinstance(value, dict) else set()

        for entity in self.graph.values():
            for key, value in entity.items():
                if key != "conformsTo":
                    self.assertLessEqual(references(value), set(self.graph), (entity["@id"], key))

    def test_the_crate_has_the_commands_and_the_origin_of_data(self):
        made = {entity["name"]: entity["result"] for entity in self.graph.values() if entity["@type"] == "CreateAction"}
        self.assertEqual(made["harness experiments/pard/overall.toml"], [{"@id": "results/overall.h5"}])
        self.assertEqual(made["ci/reproduction"], [{"@id": "results/figures/a.png"}])
        self.assertEqual(self.graph["#trace-wiki"]["license"], "MIT")
        self.assertIn("Table 4", self.graph["#profiles-shepherd-v100"]["isBasedOn"])

    def test_checksums_are_those_of_the_files(self):
        sums = dict(reversed(line.split("  ")) for line in (self.folder / "a/SHA256SUMS").read_text().splitlines())
        there = {path.relative_to(self.folder / "a").as_posix() for path in (self.folder / "a").rglob("*") if path.is_file()}
        self.assertEqual(set(sums), there - {"SHA256SUMS"})
        for name, digest in sums.items():
            self.assertEqual(hashlib.sha256((self.folder / "a" / name).read_bytes()).hexdigest(), digest)

    def test_costs_are_those_of_the_files(self):
        with (self.folder / "a/results/costs.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["experiment"], row["cells"]) for row in rows], [("regress", "24")])
        self.assertRegex(rows[0]["commit"], "^[0-9a-f]{12}")
        self.assertGreater(float(rows[0]["wall_s"]), 0)
        self.assertIn("| regress | ", (self.folder / "a/results/costs.md").read_text())

    def test_refuses_a_full_folder_and_results_that_are_not_there(self):
        self.assertEqual(self.release(self.folder / "a").returncode, 2)
        done = self.release(self.folder / "c", "--results", self.folder / "tools")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no results there", done.stderr)


if __name__ == "__main__":
    unittest.main()
