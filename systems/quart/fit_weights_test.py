"""The fit of QUART's attention. The classes that simulate need the program: HARNESS_PROGRAM."""

import contextlib
import io
import os
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
import fit_weights as fit  # noqa: E402

FILE = Path(__file__).resolve().parent / "attention.toml"
PROGRAM = os.environ.get("HARNESS_PROGRAM")


def random_samples(rng, chains):
    return fit.joined([fit.samples_of(np.exp(rng.normal(size=count)), rng.uniform(0.2, 0.95, count), rng.integers(1, 9, count))
                       for count in rng.integers(2, 11, chains)])


class Network(unittest.TestCase):
    def test_three_stages_by_hand(self):
        """The program predicts the same (attention_test.cc)."""
        samples = fit.samples_of([1, 7, np.e], [0.5, 0.4, 0.9], [2, 1, 1])
        before, behind = np.exp(-0.34 + 0.25), np.exp(-0.3 + 0.25 * np.e)
        updated = (before * 1.5 + behind * 1.3) / (before + behind)
        tiny = np.array([1, 0.5, 2, -1, 1, -1, 0.25, 0.5, 0.1])
        expected = np.exp([0.1 + 0.5 * updated, 0.1 + 0.5 * (0.8 + 0.5 * np.log(7))])
        np.testing.assert_allclose(fit.predicted_cv(tiny, samples), expected, rtol=1e-12)

    def test_the_gradient_equals_numeric_differences(self):
        rng = np.random.default_rng(3)
        samples, numbers, step = random_samples(rng, 12), rng.normal(size=7 * 3 + 2), 1e-5
        gradient = fit.loss_and_gradient(numbers, samples)[1]
        for i, moved in enumerate(step * np.eye(len(numbers))):
            rise = fit.loss_and_gradient(numbers + moved, samples)[0] - fit.loss_and_gradient(numbers - moved, samples)[0]
            numeric = rise / (2 * step)
            self.assertAlmostEqual(gradient[i], numeric, delta=1e-5 * (1 + abs(numeric)), msg=i)

    def test_a_fit_makes_the_error_smaller(self):
        samples = random_samples(np.random.default_rng(4), 60)
        before = fit.loss_and_gradient(fit.first_numbers(6, 1), samples)[0]
        target = np.log(fit.predicted_cv(fit.read_weights(FILE, 0), samples))  # another network's
        taught = fit.Samples(**vars(samples) | {"log_cv": target})
        self.assertLess(fit.loss_and_gradient(fit.fitted(taught, 6, 1, steps=300), taught)[0], before / 20)

    def test_of_poisson_arrivals_and_exponential_times_qna_says_one(self):
        """Where Whitt's formula is exact: they leave as they come."""
        rules = fit.simple_rules(fit.samples_of([1, 2], [0.8, 0.8], [1, 1], service_cv=1))
        self.assertAlmostEqual(rules["QNA"][0], 1)
        self.assertAlmostEqual(rules["constant"][0], 2)


class Files(unittest.TestCase):
    def test_the_form_is_that_of_the_file_in_use(self):
        text = FILE.read_text(encoding="utf-8")
        again = fit.weights_text(fit.read_weights(FILE, 0), 0, "", tomllib.loads(text)["fitted"])
        self.assertEqual(again[again.index("stages ="):], text[text.index("\nstages =") + 1:])

    def test_weights_for_other_chains_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "four.toml"
            path.write_text(fit.weights_text(np.arange(9.0), 4, "", {}), encoding="utf-8")
            self.assertEqual(fit.read_weights(path, 4).tolist(), list(range(9)))
            with self.assertRaisesRegex(SystemExit, r"four.toml: stages: found 4; allowed: \[0, 8\]"):
                fit.read_weights(path, 8)


@unittest.skipUnless(PROGRAM, "HARNESS_PROGRAM is not set")
class Runs(unittest.TestCase):
    def test_the_weights_in_use_predict_other_runs_better_than_simple_rules(self):
        samples = fit.simulated(PROGRAM, 77, "test", 90)
        own = fit.errors(fit.predicted_cv(fit.read_weights(FILE, 0), samples), samples.log_cv)[1]
        for name, cv in fit.simple_rules(samples).items():
            self.assertLess(own, fit.errors(cv, samples.log_cv)[1] / (2 if name == "constant" else 1), name)

    def test_the_same_command_makes_the_same_file(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            first, second = Path(folder) / "first.toml", Path(folder) / "second.toml"
            for path in (first, second):
                fit.main([str(path), "--training", "6", "--held-out", "3", "--stages", "3", "--compare", str(FILE),
                          "--harness", PROGRAM])
            self.assertEqual(first.read_bytes(), second.read_bytes())
            kept = tomllib.loads(first.read_text(encoding="utf-8"))
        self.assertEqual((kept["stages"], kept["fitted"]["training_samples"], kept["fitted"]["held_out_samples"]), (3, 12, 6))
        self.assertIn("attention.toml |", said.getvalue())


if __name__ == "__main__":
    unittest.main()
