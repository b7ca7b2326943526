#!/usr/bin/env python3
"""Games that can be played by hand."""

import unittest

from game import TICKS, Adversary, Game, best_policy, drawn, offline_count, online_count


class SolvedByHand(unittest.TestCase):
    def test_without_batches_nothing_is_lost_to_an_adversary(self):
        self.assertAlmostEqual(Adversary(Game((2,), slo=3, workers=1, ticks=5)).share, 1, places=3)

    def test_who_begins_alone_may_miss_two_who_come_later(self):
        # A request must start within a tick. When it has, two come that could have had a batch, and end too late behind it.
        # A policy that lets it pass serves nobody, if nobody else comes.
        self.assertAlmostEqual(Adversary(Game((3, 4), slo=4, workers=1, ticks=4)).share, 1 / 2, places=3)

    def test_with_two_workers_a_fifth(self):
        # The second takes the two as a batch. With a tick more, two more come behind those.
        self.assertAlmostEqual(Adversary(Game((3, 4), slo=4, workers=2, ticks=3)).share, 1, places=3)
        for ticks in (4, 6):
            self.assertAlmostEqual(Adversary(Game((3, 4), slo=4, workers=2, ticks=ticks)).share, 4 / 5, places=3)

    def test_who_must_start_at_once_is_served_if_anybody_comes(self):
        # One tick a request and no time to wait: one of those that come in a tick.
        game = Game((1,), slo=1, workers=1, ticks=1)
        self.assertAlmostEqual(best_policy(game, 0.8)[0], 1 - (1 - 0.4) ** 2, places=3)
        arrivals = drawn(game, 0.8)
        served = sum(count > 0 for count in arrivals)
        self.assertEqual((len(arrivals), offline_count(game, arrivals), online_count(game, 0.8, arrivals)), (TICKS, served, served))

    def test_nobody_is_late_where_there_is_time(self):
        game = Game((1, 1), slo=3, workers=1, ticks=1)
        self.assertAlmostEqual(best_policy(game, 0.5)[0], 0.5 * game.capacity, places=3)

    def test_knowing_the_future_never_hurts(self):
        game = Game((3, 4), slo=5, workers=1, ticks=1)
        for load in (0.5, 1.5):
            arrivals = drawn(game, load)
            self.assertLess(online_count(game, load, arrivals), offline_count(game, arrivals))


if __name__ == "__main__":
    unittest.main()
