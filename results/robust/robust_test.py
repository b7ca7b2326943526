"""Verdicts of `harness robust`: by hand where intervals are simple, by properties on random values."""

import random
import sys
import unittest
from math import inf, nan, sqrt
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))

from harness_results.robust import (ABOVE, AS_WRITTEN, BELOW, HOLDS, IN_PART, NO_VALUE, OPEN, TIE, TIES, TURNS, UNDECIDED, Pair, Series,  # noqa: E402
                                    Verdict, judge, pairs_of_workload)
from harness_results.student_t import student_t, student_t_share  # noqa: E402


def by_seed(*values):
    return dict(enumerate(values, start=1))


def series(settings):
    """A series with these values of each setting."""
    made = Series()
    for setting, values in settings.items():
        made.values[setting] = by_seed(*values)
        made.takes.add(setting)
    return made


class Intervals(unittest.TestCase):
    def test_half_width_by_hand(self):
        # Differences 1, 2, 3: mean 2, deviation 1; t of two degrees of freedom at 95 % is 4.3027.
        verdict = judge(by_seed(11, 12, 13), by_seed(10, 10, 10), 0, 0.95)
        self.assertAlmostEqual(verdict.difference, 2)
        self.assertAlmostEqual(verdict.half_width, 4.30265 / sqrt(3), places=4)
        self.assertEqual((verdict.first, verdict.second, verdict.seeds, verdict.order), (12, 10, 3, UNDECIDED))

    def test_quantile_is_the_inverse(self):
        # With one degree of freedom T is Cauchy's: P(|T| <= 1) = 1/2. With two, P(|T| <= t) = t / sqrt(2 + t^2).
        self.assertAlmostEqual(student_t(1, 0.5), 1)
        for share in (0.9, 0.95, 0.997):
            quantile = student_t(2, share)
            self.assertAlmostEqual(quantile / sqrt(2 + quantile**2), share)
        self.assertAlmostEqual(student_t_share(0, 7), 0)

    def test_more_settings_widen_the_interval(self):
        one = judge(by_seed(11, 12, 13), by_seed(10, 10, 10), 0, 0.95)
        ten = judge(by_seed(11, 12, 13), by_seed(10, 10, 10), 0, 0.995)
        self.assertGreater(ten.half_width, one.half_width)


class Orders(unittest.TestCase):
    def test_equal_values_tie_even_without_a_margin(self):
        self.assertEqual(judge(by_seed(5, 7, 9), by_seed(5, 7, 9), 0, 0.95).order, TIE)
        self.assertEqual(judge(by_seed(0, 0), by_seed(0, 0), 0.01, 0.95).order, TIE)

    def test_pairing_by_seed_decides_what_means_would_not(self):
        # The seeds differ by 100, the systems by 3 to 3.2.
        verdict = judge(by_seed(103, 203.1, 303.2), by_seed(100, 200, 300), 0.01, 0.95)
        self.assertEqual(verdict.order, ABOVE)

    def test_a_sure_but_small_difference_is_a_tie(self):
        self.assertEqual(judge(by_seed(100.5, 100.5, 100.5), by_seed(100, 100, 100), 0.01, 0.95).order, TIE)
        self.assertEqual(judge(by_seed(100.5, 100.5, 100.5), by_seed(100, 100, 100), 0.001, 0.95).order, ABOVE)

    def test_an_interval_across_the_margin_is_undecided(self):
        # Differences 0.5 and 1.5 beside a margin of about 1: mean 1.
        self.assertEqual(judge(by_seed(100.5, 101.5), by_seed(100, 100), 0.01, 0.95).order, UNDECIDED)

    def test_less_is_better_where_the_column_says_so(self):
        low, high = by_seed(0.1, 0.11, 0.1), by_seed(0.5, 0.5, 0.51)
        self.assertEqual(judge(low, high, 0.01, 0.95, higher_is_better=False).order, ABOVE)
        self.assertEqual(judge(low, high, 0.01, 0.95).order, BELOW)

    def test_only_seeds_of_both_count(self):
        verdict = judge({1: 10.0, 2: 10.0, 3: nan, 5: 99.0}, {1: 5.0, 2: 5.0, 3: 5.0, 4: 5.0}, 0.01, 0.95)
        self.assertEqual((verdict.seeds, verdict.order), (2, ABOVE))
        self.assertEqual(judge({1: 1.0}, {2: 1.0}, 0.01, 0.95).order, NO_VALUE)
        self.assertEqual(judge({1: 1.0}, {1: 2.0}, 0.01, 0.95).order, UNDECIDED)

    def test_an_infinite_latency_is_worse_than_any(self):
        lost, served, mixed = {1: inf, 2: inf}, {1: 5.0, 2: 6.0}, {1: inf, 2: 1.0}
        self.assertEqual(judge(lost, served, 0.01, 0.95, higher_is_better=False).order, BELOW)
        self.assertEqual(judge(served, lost, 0.01, 0.95, higher_is_better=False).order, ABOVE)
        self.assertEqual(judge(lost, served, 0.01, 0.95).order, ABOVE)
        self.assertEqual(judge(lost, lost, 0.01, 0.95, higher_is_better=False).order, TIE)
        self.assertEqual(judge(mixed, served, 0.01, 0.95, higher_is_better=False).order, UNDECIDED)

    def test_properties_on_random_values(self):
        draw = random.Random(7)
        for _ in range(500):
            count = draw.randrange(2, 9)
            first = by_seed(*(draw.uniform(50, 150) for _ in range(count)))
            second = by_seed(*(value + draw.choice([0, 0.3, 20]) * draw.gauss(1, 0.5) for value in first.values()))
            margin, confidence = draw.choice([0, 0.01, 0.1]), draw.choice([0.95, 0.997])
            verdict, reverse = judge(first, second, margin, confidence), judge(second, first, margin, confidence)
            self.assertEqual(reverse.order, verdict.turned().order)
            self.assertAlmostEqual(reverse.difference, -verdict.difference)
            scaled = judge({seed: 8 * value for seed, value in first.items()}, {seed: 8 * value for seed, value in second.items()}, margin, confidence)
            self.assertEqual(scaled.order, verdict.order)  # no unit decides
            if verdict.order in (ABOVE, BELOW):  # what the stricter interval decides, the other does too
                self.assertEqual(judge(first, second, margin, 0.9).order, verdict.order)
            if verdict.order == TIE:
                self.assertEqual(judge(first, second, 2 * margin, confidence).order, TIE)


class Pairs(unittest.TestCase):
    def pair(self, first, second, margin=0.01):
        made = pairs_of_workload("w", {"a": series(first), "b": series(second)}, margin, True, [AS_WRITTEN, "x", "y"])
        self.assertEqual(len(made), 1)
        return made[0]

    def test_turns(self):
        pair = self.pair({AS_WRITTEN: (10, 10, 10), "x": (10, 10, 10)}, {AS_WRITTEN: (5, 5, 5), "x": (20, 20, 20)})
        self.assertEqual((pair.kind, pair.first, pair.under(BELOW), pair.changed_by()), (TURNS, "a", ["x"], ["x"]))

    def test_the_better_one_comes_first(self):
        pair = self.pair({AS_WRITTEN: (5, 5)}, {AS_WRITTEN: (10, 10)})
        self.assertEqual((pair.first, pair.second, pair.kind, pair.as_written.difference), ("b", "a", HOLDS, 5))

    def test_a_setting_that_concerns_one_takes_the_other_as_written(self):
        pair = self.pair({AS_WRITTEN: (10, 10), "x": (4, 4)}, {AS_WRITTEN: (5, 5)})
        self.assertEqual((list(pair.verdicts), pair.under(BELOW)), ([AS_WRITTEN, "x"], ["x"]))

    def test_cells_that_failed_are_no_value_and_not_those_as_written(self):
        failed = series({AS_WRITTEN: (10, 10)})
        failed.takes.add("x")
        made = pairs_of_workload("w", {"a": failed, "b": series({AS_WRITTEN: (5, 5), "x": (5, 5)})}, 0.01, True, [AS_WRITTEN, "x"])
        self.assertEqual((made[0].verdicts["x"].order, made[0].kind), (NO_VALUE, IN_PART))

    def test_kinds(self):
        def kind(*orders):
            return Pair.of("w", "a", "b", {f"s{at}" if at else AS_WRITTEN: Verdict(order, 5, 1, 1, 0, 0) for at, order in enumerate(orders)}).kind

        self.assertEqual(kind(ABOVE, ABOVE), HOLDS)
        self.assertEqual(kind(BELOW, BELOW), HOLDS)
        self.assertEqual(kind(TIE, TIE), TIES)
        self.assertEqual(kind(TIE, ABOVE, BELOW), TURNS)
        self.assertEqual(kind(ABOVE, TIE), IN_PART)
        self.assertEqual(kind(TIE, UNDECIDED), IN_PART)
        self.assertEqual(kind(ABOVE, NO_VALUE), IN_PART)
        self.assertEqual(kind(UNDECIDED, NO_VALUE), OPEN)

    def test_intervals_hold_for_all_settings_of_a_pair(self):
        # Differences 1, 2, 3 beside one setting more: t at 97.5 %.
        pair = self.pair({AS_WRITTEN: (11, 12, 13), "x": (11, 12, 13)}, {AS_WRITTEN: (10, 10, 10), "x": (10, 10, 10)})
        self.assertAlmostEqual(pair.as_written.half_width, student_t(2, 0.975) / sqrt(3))

    def test_false_turns_are_rare(self):
        # Two series alike but for noise, 20 settings: by chance some order turns in at most 5 % of the pairs.
        draw, turned, pairs = random.Random(3), 0, 400
        settings = [AS_WRITTEN, *(f"s{at}" for at in range(19))]
        for _ in range(pairs):
            both = [series({setting: [draw.gauss(100, 10) for _ in range(5)] for setting in settings}) for _ in range(2)]
            pair, = pairs_of_workload("w", dict(zip("ab", both)), 0, True, settings)
            turned += pair.kind != OPEN
        self.assertLess(turned, 0.105 * pairs)  # five standard deviations above 5 %


if __name__ == "__main__":
    unittest.main()
