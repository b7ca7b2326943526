"""The solvers against values known by hand, and against other ways to the same numbers."""

import sys
import unittest
from math import exp, lgamma, log, sqrt
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
import theory  # noqa: E402


def crommelin_series(load, servers, terms):
    """M/D/c's mean wait in service times, by Crommelin's series: the sum over i of P(K >= ic) - P(K > ic) / load, K Poisson with
    mean i c load."""
    total = 0.0
    for i in range(1, terms):
        mean, k = i * servers * load, i * servers
        first, beyond = exp(k * log(mean) - mean - lgamma(k + 1)), 0.0
        term = first
        while term > 1e-17:
            k += 1
            term *= mean / k
            beyond += term
        total += first + beyond - beyond / load
    return total


class MultiServer(unittest.TestCase):
    def test_one_server_is_pollaczek_khinchine(self):
        for load in (0.05, 0.5, 0.98):
            wait, waits = theory.mdc(load, 1, 10)
            self.assertAlmostEqual(wait / theory.md1_wait(load, 10), 1, places=7)
            self.assertAlmostEqual(waits, load, places=7)

    def test_chain_is_crommelins_series(self):
        for load, servers in ((0.3, 2), (0.8, 2), (0.9, 4)):
            self.assertAlmostEqual(theory.mdc(load, servers, 1)[0], crommelin_series(load, servers, 1500), places=7)

    def test_erlang_c_of_two_servers(self):
        for load in (0.1, 0.5, 0.9):  # P(wait) = 2 load^2 / (1 + load), wait = load^2 / (1 - load^2) service times
            self.assertAlmostEqual(theory.erlang_c(load, 2), 2 * load**2 / (1 + load))
            self.assertAlmostEqual(theory.mmc_wait(load, 2, 1), load**2 / (1 - load**2))
        self.assertAlmostEqual(theory.mmc_wait(0.5, 1, 10), 10)


class Bulk(unittest.TestCase):
    def test_batches_of_one_are_a_queue(self):
        for load in (0.1, 0.5, 0.95):
            wait, waits, latency = theory.bulk(load / 10, [10])
            self.assertAlmostEqual(wait / theory.md1_wait(load, 10), 1, places=7)
            self.assertAlmostEqual(waits, load, places=7)
            self.assertAlmostEqual(latency - wait, 10, places=6)

    def test_batches_that_are_never_full(self):
        """Then nobody is left by a batch: all who come in a busy server wait half of its 1 s on average, and it is idle after a batch
        with probability exp(-0.5), for 2 s."""
        wait, waits, _ = theory.bulk(0.5, [1] * 40)
        self.assertAlmostEqual(waits, 1 / (1 + 2 * exp(-0.5)), places=9)
        self.assertAlmostEqual(wait, waits / 2, places=9)

    def test_small_batches_take_less_time(self):
        self.assertLess(theory.bulk(0.05, [10, 18])[0], theory.bulk(0.05, [18, 18])[0])


class Errors(unittest.TestCase):
    def test_quantile_factor(self):
        """Of the P90 sqrt((1 - 0.1 x 3.302585) / 0.1) / 2.302585 = 2.58789 / 2.302585."""
        self.assertAlmostEqual(theory.quantile_factor(0.9), 1.12391, places=4)
        self.assertGreater(theory.quantile_factor(0.99), 2)

    def test_loss(self):
        self.assertAlmostEqual(theory.loss_error(0.5, 40, 10, 1e6), 0.5e-3)  # overload: (1 - 0.5) / sqrt(n)
        factor = 1 + 4 * 25 / 9.8696044  # L = 5 service times
        self.assertAlmostEqual(theory.loss_error(0.01, 40, 10, 1e6), (0.0099 * factor) ** 0.5 / 1e3, places=9)

    def test_exact_error_of_one_exponential_server(self):
        """Relative, of n customers' mean wait in M/M/1 (Daley 1968): the root of (2 + 5 r - 4 r^2 + r^3) / (r (1 - r)^2 n)."""
        for r in [k / 20 for k in range(1, 20)] + [0.98]:
            exact = sqrt((2 + 5 * r - 4 * r**2 + r**3) / r / (1 - r) ** 2 / 1e6)
            self.assertTrue(1 <= exact / theory.relative_error(r, r, 1e6, 1.0) < 2, r)

    def test_four_times_the_customers_halve_it(self):
        self.assertAlmostEqual(theory.relative_error(0.9, 0.9, 4e6) / theory.relative_error(0.9, 0.9, 1e6), 0.5)
        self.assertAlmostEqual(theory.relative_error(0.5, 0.5, 1e6), 6e-6 ** 0.5)  # 2 / 0.5 + 2 x 1


class SimulatedErrors(unittest.TestCase):
    """The spread over RUNS simulations, over the standard error of theory.py."""

    RUNS = 300

    def setUp(self):
        self.random = np.random.default_rng(1)

    def gaps(self, load):
        return self.random.exponential(1 / load, self.RUNS)

    def test_constant_service(self):
        for load in (0.1, 0.5, 0.8):
            customers, wait, total = 20000, np.zeros(self.RUNS), np.zeros(self.RUNS)
            for k in range(-1000, customers):
                total += wait * (k >= 0)
                wait = np.maximum(0, wait + 1 - self.gaps(load))
            mean, error = theory.md1_wait(load, 1), theory.relative_error(load, load, customers)
            self.assertAlmostEqual(total.mean() / customers / mean, 1, delta=0.01)
            self.assertTrue(0.8 < (total / customers).std() / mean / error < 1.6, load)

    def bulk_waits(self, load, times, batches):
        """Mean waits and customers, batch by batch: those left wait all of it, those who come from then on."""
        rate, times = load * len(times) / times[-1], np.array(times)
        waiting, area, came = np.zeros(self.RUNS, int), np.zeros(self.RUNS), np.zeros(self.RUNS)
        for _ in range(batches):
            idle = waiting == 0
            present = np.maximum(waiting, 1)
            taken = np.minimum(present, len(times))
            lasts = times[taken - 1]
            new = self.random.poisson(rate * lasts)
            parts = self.random.random((self.RUNS, new.max() + 1)) * (np.arange(new.max() + 1) < new[:, None])
            area += (present - taken + parts.sum(axis=1)) * lasts
            came += new + idle
            waiting = present - taken + new
        return area / came, came.mean()

    def test_batches(self):
        for times in ([10] * 8, [8 + 2 * b for b in range(1, 9)]):
            for load in (0.1, 0.5, 0.8):
                waits, customers = self.bulk_waits(load, times, 3000)
                mean, waiting, _ = theory.bulk(load * len(times) / times[-1], times)
                self.assertAlmostEqual(waits.mean() / mean, 1, delta=0.01)
                self.assertTrue(0.25 < waits.std() / mean / theory.relative_error(load, waiting, customers) < 0.9, (times, load))

    def test_losses(self):
        for load in (0.5, 1, 1.3, 2):
            length, at, work = 8000 / load, np.zeros(self.RUNS), np.zeros(self.RUNS)
            lost, came = np.zeros(self.RUNS), np.zeros(self.RUNS)
            while (at < length).any():
                gaps = self.gaps(load)
                at, work = at + gaps, np.maximum(0, work - gaps)
                lost += (at < length) & (work > 4)
                came += at < length
                work += work <= 4
            expected = theory.md1_loss(load, 1, 4)
            self.assertTrue(0.3 < (lost / came).std() / theory.loss_error(expected, 4, 1, 8000) < 1.1, load)


class OneServer(unittest.TestCase):
    def test_distribution_below_one_service_time(self):
        """There P(wait <= x) = (1 - load) exp(load x)."""
        self.assertEqual(theory.md1_quantile(0.3, 10, 0.7), 0)
        self.assertAlmostEqual(theory.md1_quantile(0.5, 10, 0.6), 10 * log(1.2) / 0.5, places=4)

    def test_mean_of_the_distribution(self):
        step = 0.02
        tail = sum((1 - 0.4 * theory.erlang_sum(0.6, (k + 0.5) * step, 1)) * step for k in range(1000))
        self.assertAlmostEqual(tail, theory.md1_wait(0.6, 1), places=4)

    def test_no_patience_is_erlang_b(self):
        for load in (0.2, 1, 3):
            self.assertAlmostEqual(theory.md1_loss(load, 10, 0), load / (1 + load))

    def test_loss_by_hand(self):
        inside = exp(3) - 2 * exp(2) + exp(1) / 2  # H(3) at a load of 1
        self.assertAlmostEqual(theory.md1_loss(1, 1, 3), 1 - inside / (1 + inside))

    def test_patience_without_end(self):
        self.assertLess(theory.md1_loss(0.5, 10, 400), 1e-9)
        self.assertAlmostEqual(theory.md1_loss(2, 10, 200), 0.5, places=9)


if __name__ == "__main__":
    unittest.main()
