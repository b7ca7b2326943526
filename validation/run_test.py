"""What ci/validation says and writes, with validations made up here."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))
import run  # noqa: E402
from comparison import Comparison, Figure, Harness  # noqa: E402

PAGE = """Above.
<!-- validation: all -->

<!-- validation: end -->
Between.
<!-- validation: first -->
old
<!-- validation: end -->
<!-- validation: second -->

<!-- validation: end -->
Below.
"""
VALIDATION = """from comparison import Comparison, Figure
ORDER = {order}
def validate(harness):
    {more}
    return [Comparison("{title}", "Theirs.", "ms", "much", [Figure("a", 10, {ours})], worst=1, known={known})]
"""


class Verdicts(unittest.TestCase):
    def verdict(self, *errors, **bounds):
        figures = [Figure("x", 100, 100 + error, bounds.get("own")) for error in errors]
        return Comparison("t", "s", "ms", "n", figures, worst=bounds.get("worst"), mean=bounds.get("mean")).verdict

    def test_bounds(self):
        self.assertEqual(self.verdict(2, -2, worst=2), "agrees")
        self.assertEqual(self.verdict(0, -2.1, worst=2), "differs")
        self.assertEqual(self.verdict(3, -1, worst=3, mean=2), "agrees")
        self.assertEqual(self.verdict(3, -2, worst=3, mean=2), "differs")
        self.assertEqual(self.verdict(50), "not judged")
        self.assertEqual(self.verdict(worst=2), "not run")

    def test_own_bounds(self):
        self.assertEqual(self.verdict(1, own=1), "agrees")
        self.assertEqual(self.verdict(1, own=0.9), "differs")
        self.assertEqual(self.verdict(1, own=2, worst=0.5), "differs")

    def test_relative_errors(self):
        self.assertAlmostEqual(Figure("x", 50, 51).error(True), 2)
        self.assertEqual(Figure("x", 0, 1).error(True), float("inf"))
        self.assertEqual(Figure("x", 0, 0).error(True), 0)


class Readme(unittest.TestCase):
    def test_says_what_the_page_says(self):
        self.assertIn("<!-- of validations --> " + run.counts_of(run.PAGE.read_text(encoding="utf-8")) + " (",
                      run.README.read_text(encoding="utf-8"))


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.page = self.folder / "validation.md"
        self.page.write_text(PAGE, encoding="utf-8")
        self.readme = self.folder / "README.md"
        self.readme.write_text("| others | <!-- of validations --> old ([page](x)) |\n", encoding="utf-8")
        self.figures = self.folder / "figures"
        self.figures.mkdir()
        for name, value in (("HERE", self.folder), ("PAGE", self.page), ("README", self.readme), ("FIGURES", self.figures)):
            patch = mock.patch.object(run, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def add(self, name, order, ours, more="", known=False):
        (self.folder / name).mkdir(exist_ok=True)
        text = VALIDATION.format(order=order, title=f"the {name}", ours=ours, more=more, known=known)
        (self.folder / name / "validate.py").write_text(text, encoding="utf-8")

    def run_all(self, *names):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = run.main([*names, "--out", str(self.folder / "out")])
        return code, said.getvalue()

    def test_fills_the_page(self):
        self.add("first", 2, 10.5)
        self.add("second", 1, 9)
        self.assertEqual(self.run_all()[0], 0)
        text = self.page.read_text(encoding="utf-8")
        self.assertNotIn("old", text)
        self.assertIn("| the first | 1 | 0.5 ms | 0.5 ms | worst 1 ms | agrees | much |", text)
        self.assertLess(text.index("| the second |"), text.index("| the first |"))  # by ORDER
        self.assertIn("| a | 10.000 | 9.000 | -1 |", text)
        self.assertEqual(self.readme.read_text(encoding="utf-8"),
                         "| others | <!-- of validations --> 2 figures judged in 2 comparisons: 2 agree ([page](x)) |\n")
        for kept in ("Above.", "Between.", "Below."):
            self.assertIn(kept, text)
        self.run_all()
        self.assertEqual(self.page.read_text(encoding="utf-8"), text)

    def test_one_with_a_server_stays_as_it_is(self):
        self.add("first", 1, 10)
        self.add("second", 2, 10.5)
        (self.folder / "second/comparisons.json").write_text("{}", encoding="utf-8")
        self.assertEqual(self.run_all("--servers")[0], 0)
        self.add("second", 2, 99)
        self.assertEqual(self.run_all()[0], 0)
        self.assertIn("| a | 10.000 | 10.500 | +0.5 |", self.page.read_text(encoding="utf-8"))
        self.assertEqual(self.run_all("--servers")[0], 1)

    def test_one_that_differs(self):
        self.add("first", 1, 10)
        self.add("second", 2, 12)
        code, said = self.run_all()
        self.assertEqual(code, 1)
        self.assertIn("differs     the second: 1 figures, mean error 2 ms, worst 2; allowed: worst 1 ms", said)
        self.assertEqual(self.run_all("first")[0], 0)  # it alone is judged
        self.assertIn("| the second | 1 | 2 ms | 2 ms | worst 1 ms | differs | much |", self.page.read_text(encoding="utf-8"))

    def test_one_that_is_known_to_differ(self):
        self.add("first", 1, 10)
        self.add("second", 2, 12, known=True)
        code, said = self.run_all()
        self.assertEqual(code, 0)
        self.assertIn("differs     the second", said)

    def test_page_and_pictures_wait_for_all(self):
        self.add("first", 1, 10, more='(harness.out / "picture.png").write_bytes(b"new")')
        self.add("second", 2, 10)
        code, said = self.run_all("first")
        self.assertEqual((code, self.page.read_text(encoding="utf-8")), (0, PAGE))
        self.assertIn("some validations have not run", said)
        self.assertEqual(list(self.figures.iterdir()), [])
        self.run_all("second")
        self.assertEqual((self.figures / "picture.png").read_bytes(), b"new")

    def test_page_waits_for_figures_that_are_not_there(self):
        self.add("first", 1, 10)
        (self.folder / "second").mkdir()
        text = "ORDER = 2\ndef validate(harness):\n    return []\n"
        (self.folder / "second/validate.py").write_text(text, encoding="utf-8")
        code, said = self.run_all()
        self.assertEqual((code, self.page.read_text(encoding="utf-8")), (0, PAGE))
        self.assertIn("some validations have not run", said)

    def test_page_without_the_marker(self):
        self.add("third", 1, 10)
        with self.assertRaisesRegex(SystemExit, "validation.md: found no line '<!-- validation: third -->'"):
            self.run_all()

    def test_page_without_an_end(self):
        self.add("first", 1, 10)
        for rest in ("", "<!-- validation: all -->\n\n<!-- validation: end -->\n"):
            self.page.write_text("<!-- validation: first -->\n" + rest, encoding="utf-8")
            with self.assertRaisesRegex(SystemExit, "validation.md: found no line '<!-- validation: end -->' after '<!-- validation: first"):
                self.run_all()

    def test_counts(self):
        def page(*verdicts):
            return run.PAGE.read_text(encoding="utf-8").replace("all -->\n", "all -->\n" + "".join(
                f"| {row} |\n" for row in ["what | figures", "---", *(f"t | 3 | 1 | 1 | - | {one} | n" for one in verdicts)]))
        self.assertEqual(run.counts_of(page("agrees", "not judged", "differs", "agrees", "not run")),
                         "9 figures judged in 3 comparisons: 2 agree, 1 differs; 1 more not judged, 1 not run")
        self.assertEqual(run.counts_of(page("not judged")), "0 figures judged in 0 comparisons; 1 more not judged")

    def test_unknown_name(self):
        self.add("first", 1, 10)
        with self.assertRaises(SystemExit) as stopped:
            self.run_all("furst")
        self.assertEqual(stopped.exception.code, 2)

    def test_tables(self):
        many = Comparison("t", "s", "ms", "n", [Figure(f"f{k}", 0, k) for k in range(run.LONG_TABLE + 1)])
        lines = list(run.table_of(many))
        self.assertIn(f"The {run.LONG_TABLE // 2} of {run.LONG_TABLE + 1} figures that are furthest apart:", lines)
        self.assertFalse(any(line.startswith("| f0 ") for line in lines))
        same = Comparison("t", "s", "ms", "n", [Figure("a", 1, 1)] * (run.LONG_TABLE + 1))
        self.assertEqual(list(run.table_of(same))[2:], [f"All {run.LONG_TABLE + 1} figures are the same.", ""])
        self.assertEqual(run.bound(Comparison("t", "s", "ms", "n", [], worst=1, mean=0.5, late=True)), "worst 1, mean 0.5 ms (late)")
        own = Comparison("t", "s", "%", "n", [Figure("a", 1, 1.5, 2)])
        self.assertIn("| a | 1.000 | 1.500 | +0.5 | 2 |", list(run.table_of(own)))


class InferLine(unittest.TestCase):
    def test_line_that_is_not_there(self):
        with self.assertRaisesRegex(SystemExit, "inferline_authors wrote no line 'a'; it has: b; c"):
            run.load("inferline").line_of({"b": [], "c": []}, "a")


class Runs(unittest.TestCase):
    def test_failing_program(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(SystemExit, "x.toml: exit code"):
            Harness("/bin/false", 1, Path(folder)).run("x.toml")


if __name__ == "__main__":
    unittest.main()
