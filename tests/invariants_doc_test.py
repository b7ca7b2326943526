"""docs/invariants.md, ci/seeded-violations and the sources agree: numbers, places, tests, and the texts to replace."""

import importlib.machinery
import importlib.util
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/invariants.md"
SCRIPT = ROOT / "ci/seeded-violations"


def violations_script():
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("seeded_violations", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def invariants():
    """By number: its text."""
    parts = re.split(r"^(\d+)\. ", PAGE.read_text(encoding="utf-8").replace("\n## ", "\n0. "), flags=re.MULTILINE)
    return {int(number): text for number, text in zip(parts[1::2], parts[2::2]) if number != "0"}


def entries(text, what):
    """What stands in backticks on each line of that name."""
    return [re.findall(r"`([^`]+)`", line) for line in re.findall(rf"^ +- {what}: (.*)$", text, re.MULTILINE)]


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def files(pattern):
    return [path.read_text(encoding="utf-8") for folder in ("harness", "systems", "workloads", "tests")
            for path in sorted((ROOT / folder).rglob(pattern))]


TESTS = "\n".join(files("*_test.cc"))
LISTS = "\n".join(files("CMakeLists.txt"))


def is_test(name):
    """SUITE.NAME of GoogleTest, or the path of a script that CTest runs."""
    if "/" in name:
        script = Path(name).name
        return (ROOT / name).is_file() and (script in LISTS or f"_test({script.removesuffix('_test.py')})" in LISTS
                                            or f"_test({script.removesuffix('_test.py')} " in LISTS)
    suite, _, case = name.partition(".")
    return re.search(rf"^TEST(_F|_P)?\({suite}, {case}\)", TESTS, re.MULTILINE) is not None


def as_on_page(ctest_name):
    """program.ranks is harness/cli/ranks_test.py, style.tree what its line names, PREFIX/SUITE.NAME/KIND is SUITE.NAME."""
    if ctest_name.startswith("program."):
        return f"harness/cli/{ctest_name.removeprefix('program.')}_test.py"
    script = re.search(rf"harness_python_test\({re.escape(ctest_name)} (\S+) ", LISTS)
    if script:
        return f"tests/{script.group(1)}"
    prefix, name = re.fullmatch(r"(?:(\w+)/)?(\w+\.\w+)(?:/\w+)?", ctest_name).groups()
    suite = name.partition(".")[0]
    if prefix and not re.search(rf"INSTANTIATE_TEST_SUITE_P\({prefix}, {suite},", TESTS):
        return f"no instance {prefix} of {suite}"
    return name


class Invariants(unittest.TestCase):

    def setUp(self):
        self.script = violations_script()
        self.page = invariants()

    def test_numbers_are_those_of_the_script(self):
        self.assertEqual(list(self.page), list(range(1, len(self.page) + 1)))
        self.assertGreaterEqual(len(self.page), 12)
        self.assertEqual(sorted({violation.number for violation in self.script.VIOLATIONS}), list(self.page))

    def test_places_are_there(self):
        for number, text in self.page.items():
            places = entries(text, "Where")
            self.assertTrue(places, number)
            for file, *functions in places:
                self.assertTrue((ROOT / file).is_file(), f"{number}: {file}")
                self.assertTrue(functions, f"{number}: {file}: no function")
                for function in functions:
                    *owner, name = function.split("::")
                    code = read(file)
                    there = re.search(rf"\b{name}\(", code) and all(re.search(rf"\b{word}\b", code) for word in owner)
                    self.assertTrue(there, f"{number}: {file}: {function}")

    def test_tests_are_there_and_those_that_the_script_runs(self):
        for number, text in self.page.items():
            named = [name for names in entries(text, "Test") for name in names]
            for name in named:
                self.assertTrue(is_test(name), f"{number}: {name}")
            run = {as_on_page(one.test) for one in self.script.VIOLATIONS if one.number == number}
            self.assertEqual(set(named), run, number)
            self.assertIn("- Violation: ", text, number)

    def test_targets_are_there(self):
        for target in {violation.target for violation in self.script.VIOLATIONS} - {""}:
            self.assertRegex(LISTS, rf"(harness_test|add_executable)\({target}\s")

    def test_texts_to_replace_stand_there_once(self):
        self.assertEqual(self.script.misplaced(self.script.VIOLATIONS), [])
        for violation in self.script.VIOLATIONS:
            self.assertNotEqual(violation.old, violation.new)

    def test_a_text_that_is_gone_is_said(self):
        first = self.script.VIOLATIONS[0]
        gone = first._replace(old="no such text"), first._replace(file="no/such/file.cc"), first._replace(old="(")
        self.assertEqual(len(self.script.misplaced(gone)), 3)
        self.assertIn(f"{first.file} has 0 times, instead of once: no such text", self.script.misplaced(gone)[0])

    def test_unknown_numbers_are_refused(self):
        for word in ("0", "99", "one"):
            done = subprocess.run([sys.executable, str(SCRIPT), word], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(done.stderr, f"ci/seeded-violations: found {word}; allowed: numbers from 1 to {len(self.page)}\n")


if __name__ == "__main__":
    unittest.main()
