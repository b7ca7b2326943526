#!/usr/bin/env python3
"""Games that can be played by hand."""

import unittest

from game import TICKS, Adversary, Game, drawn, offline_count, online_rate


class SolvedByHand(unittest.TestCase):
    def test_without_batches_nothing_is_lost_to_an_adversary(self):
        self.assertAlmostEqual(Adversary(Game((2,), slo=3, workers=1, ticks=5)).share, 1, places=3)

    def test_who_begins_alone_may_miss_two_who_come_later(self):
        # A request must start within a tick. When it has, two come that could have had a batch, and end too late behind it.
        # A policy that lets it pass serves nobody, if nobody else comes.
        self.assertAlmostEqual(Adversary(Game((3, 4), slo=4, workers=1, ticks=4)).share, 1 / 2, places=3)

    def test_a_second_worker_can_take_one_of_the_two(self):
        # It serves two of three; with more ticks more is lost.
        short, longer = (Adversary(Game((3, 4), slo=4, workers=2, ticks=ticks)).share for ticks in (3, 6))
        self.assertGreater(short, longer)
        self.assertGreater(longer, 1 / 2)

    def test_who_must_start_at_once_is_served_if_anybody_comes(self):
        # One tick a request and no time to wait: one of those that come in a tick.
        game = Game((1,), slo=1, workers=1, ticks=1)
        self.assertAlmostEqual(online_rate(game, 0.8), 1 - (1 - 0.4) ** 2, places=3)
        arrivals = drawn(game, 0.8)
        self.assertEqual(offline_count(game, arrivals), sum(count > 0 for count in arrivals))
        self.assertEqual(len(arrivals), TICKS)

    def test_nobody_is_late_where_there_is_time(self):
        game = Game((1, 1), slo=3, workers=1, ticks=1)
        self.assertAlmostEqual(online_rate(game, 0.5), 0.5 * game.capacity, places=3)

    def test_knowing_the_future_never_hurts(self):
        game = Game((3, 4), slo=5, workers=1, ticks=1)
        for load in (0.5, 1.5):
            self.assertLess(online_rate(game, load) * TICKS, 1.01 * offline_count(game, drawn(game, load)))


if __name__ == "__main__":
    unittest.main()
