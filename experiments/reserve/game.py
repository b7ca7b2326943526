#!/usr/bin/env python3
"""What any online policy loses to the offline optimum, in games small enough to solve completely (systems/reserve/README.md).

    game.py write FOLDER          writes an experiment for each game, whose requests come by chance, and all.toml
    game.py judge FOLDER PAGE     solves the games, and writes a table into the page, between the lines that begin with <!-- game

One module, a few workers, time in ticks. At each tick up to `most` requests come. A batch of b takes d(b) ticks; a request counts
if it ends within its SLO. At every tick a policy sees what has come, and each idle worker starts a batch of any size or waits.
All requests have one SLO, so it is no loss to take the earliest. The offline optimum knows all arrivals from the beginning.

- *Against an adversary*, who knows the policy and sends what hurts it most in a few ticks, nothing after them: the largest share
  of the offline optimum that a deterministic policy can be sure of. More ticks can only hurt more.
- *By chance*: at each tick a binomial number comes. On one long drawn sequence: the offline optimum, by dynamic programming; the best
  online policy, which knows the mean, by value iteration; and `reserve`, simulated, its SLO half a tick longer, so that no margin
  costs it a whole one. (Nobody gains by that: who starts within a tick knows no more than at its beginning.)"""

import random
import sys
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import comb
from pathlib import Path

from grid import ROOT, write_suite, write_table

LOADS = [0.8, 1.2]
TICKS = 20000  # of a drawn sequence; a tick is 10 ms
TICK_MS = 10


@dataclass(frozen=True)
class Game:
    """State of a policy: the ticks that each worker is busy still, sorted, and those that each waiting request has left."""

    exec_ticks: tuple  # of batches of 1, 2, ...
    slo: int
    workers: int
    ticks: int  # that the adversary has
    most: int = 2  # requests in a tick
    memo: dict = field(default_factory=dict, compare=False)

    @property
    def capacity(self):
        """Requests a tick."""
        return self.workers * max(size / takes for size, takes in enumerate(self.exec_ticks, 1))

    @property
    def start(self):
        return (0,) * self.workers, ()

    def join(self, state, arrivals):
        return state[0], state[1] + (self.slo,) * arrivals

    def actions(self, state):
        """[(a state that a tick's decisions lead to, requests that will end in time by them)]"""
        if state not in self.memo:
            self.memo[state] = self._actions(state)
        return self.memo[state]

    def _actions(self, state):
        reached, found = {state: 0}, [state]
        while found:
            busy, slacks = here = found.pop()
            if busy[0] > 0:
                continue
            for size, takes in enumerate(self.exec_ticks, 1):
                late = tuple(slack for slack in slacks if slack < takes)  # they wait for a smaller batch
                fit = slacks[len(late):]
                if len(fit) < size:
                    break
                then = tuple(sorted((*busy[1:], takes))), late + fit[size:]
                if reached.get(then, -1) < reached[here] + size:
                    reached[then] = reached[here] + size
                    found.append(then)
        return [(self.a_tick_later(then), count) for then, count in reached.items()]

    def a_tick_later(self, state):
        busy, slacks = state
        return tuple(max(0, left - 1) for left in busy), tuple(slack - 1 for slack in slacks if slack > self.exec_ticks[0])

    def best_counts(self, counts, arrivals):
        """{state: the most served on the way to it}, one tick later."""
        then = {}
        for state, count in counts.items():
            for reached, gain in self.actions(self.join(state, arrivals)):
                then[reached] = max(then.get(reached, 0), count + gain)
        return then


class Adversary:
    def __init__(self, game):
        self.game = game
        self.drained = lru_cache(None)(self._drained)

    def _drained(self, state):
        """The most that can still be served when nothing comes any more."""
        return max(gain + self.drained(then) for then, gain in self.game.actions(state)) if state[1] else 0

    def values(self, tick, counts, states, ratio):
        """By state of the policy, what it serves from this tick on, less ratio x the optimum of the whole game. `counts`: of the
        schedules that were possible so far."""
        game = self.game
        if tick == game.ticks:
            optimum = max(count + self.drained(state) for state, count in counts.items())
            return {state: self.drained(state) - ratio * optimum for state in states}
        worst = dict.fromkeys(states, float("inf"))
        for arrivals in range(game.most + 1):
            choices = {state: game.actions(game.join(state, arrivals)) for state in states}
            reached = {then for ways in choices.values() for then, _ in ways}
            after = self.values(tick + 1, game.best_counts(counts, arrivals), reached, ratio)
            for state, ways in choices.items():
                worst[state] = min(worst[state], max(gain + after[then] for then, gain in ways))
        return worst

    @cached_property
    def share(self):
        """By bisection: the largest ratio for which some policy serves at least ratio x the optimum, whatever comes."""
        low, high = 0.0, 1.0
        while high - low > 1e-4:
            ratio = (low + high) / 2
            value = self.values(0, {self.game.start: 0}, {self.game.start}, ratio)[self.game.start]
            low, high = (ratio, high) if value >= -1e-9 else (low, ratio)
        return high  # the bound, rounded up


def best_policy(game, load):
    """(requests a tick that the best online policy serves in the long run, the values of its states), by value iteration."""
    share = load * game.capacity / game.most
    weights = [comb(game.most, k) * share**k * (1 - share) ** (game.most - k) for k in range(game.most + 1)]
    value, found = {game.start: 0.0}, [game.start]
    while found:
        state = found.pop()
        for arrivals in range(game.most + 1):
            for then, _ in game.actions(game.join(state, arrivals)):
                if then not in value:
                    value[then] = 0.0
                    found.append(then)
    while True:
        new = {state: sum(weight * max(gain + value[then] for then, gain in game.actions(game.join(state, arrivals)))
                          for arrivals, weight in enumerate(weights)) for state in value}
        steps = [new[state] - value[state] for state in value]
        value = new
        if max(steps) - min(steps) < 1e-4 * max(steps):
            return max(steps), value  # the largest step is an upper bound of the rate


def online_count(game, load, arrivals):
    """What that policy serves of a sequence."""
    _, value = best_policy(game, load)
    state, served = game.start, 0
    for number in arrivals:
        state, gain = max(game.actions(game.join(state, number)), key=lambda choice: choice[1] + value[choice[0]])
        served += gain
    return served + Adversary(game).drained(state)


def drawn(game, load):
    """Requests by tick."""
    dice = random.Random(1)
    share = load * game.capacity / game.most
    return [sum(dice.random() < share for _ in range(game.most)) for _ in range(TICKS)]


def offline_count(game, arrivals):
    counts = {game.start: 0}
    for number in arrivals:
        counts = game.best_counts(counts, number)
    adversary = Adversary(game)
    return max(count + adversary.drained(state) for state, count in counts.items())


GAMES = ([Game((3, 4), slo, 1, 7) for slo in (4, 5, 6, 8)] + [Game((3, 4), slo, 2, 6) for slo in (4, 5, 6)]
         + [Game((3, 4, 5), slo, 1, 7) for slo in (6, 8)])
EXPERIMENT = """# Written by game.py: {game}.
name = "game-{number}"

[workload]
pipelines = "game-{number}-pipeline.toml"
traces = [{names}]
rates_rps = 0
duration_s = 0

{traces}
[cluster]
workers = {game.workers}
profiles = "game-{number}-profile.toml"

[planner]
sizing_factor = 1
max_batch = {largest}

[serving]
queue = "module"

[[system]]
name = "reserve"
"""


def name_of(load):
    return f"load-{round(100 * load)}"


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for number, game in enumerate(GAMES):
        for load in LOADS:
            times = [tick * TICK_MS / 1000 for tick, count in enumerate(drawn(game, load)) for _ in range(count)]
            (folder / f"game-{number}-{name_of(load)}.csv").write_text("time_s\n" + "".join(f"{time:.3f}\n" for time in times), encoding="utf-8")
        traces = "".join(f'[trace.{name_of(load)}]\nfile = "game-{number}-{name_of(load)}.csv"\nformat = "times"\n\n' for load in LOADS)
        (folder / f"game-{number}-pipeline.toml").write_text(
            f'slo_ms = {(game.slo + 0.5) * TICK_MS}\n\n[[module]]\nname = "only"\nmodel = "game"\n', encoding="utf-8")
        (folder / f"game-{number}-profile.toml").write_text(
            f'device = "tick"\n\n[[profile]]\nmodel = "game"\nlatency_ms = {[TICK_MS * takes for takes in game.exec_ticks]}\n', encoding="utf-8")
        (folder / f"game-{number}.toml").write_text(EXPERIMENT.format(
            number=number, game=game, largest=len(game.exec_ticks), traces=traces, names=", ".join(f'"{name_of(load)}"' for load in LOADS)),
            encoding="utf-8")
    write_suite(folder / "all.toml", [f"game-{number}" for number in range(len(GAMES))])


def judge(folder, page):
    sys.path.insert(0, str(ROOT / "results"))
    from harness_results.file import Results
    titles = [f"{what} at {100 * load:.0f} %" for load in LOADS for what in ("offline", "online", "`reserve`")]
    lines = ["| batches take | SLO | workers | against an adversary | " + " | ".join(titles) + " |", "|---" * (4 + len(titles)) + "|"]
    for number, game in enumerate(GAMES):
        shares = [Adversary(game).share]
        for load, cell in zip(LOADS, Results(folder / f"game-{number}.h5").cells, strict=True):
            arrivals = drawn(game, load)
            sent = sum(arrivals)
            if sent != cell["sent"]:
                raise SystemExit(f"game.py: {folder}: found {cell['sent']} requests sent in game {number}; allowed: the {sent} drawn")
            shares += [count / sent for count in (offline_count(game, arrivals), online_count(game, load, arrivals), cell["in_time"])]
        takes = ", ".join(str(one) for one in game.exec_ticks)
        lines.append(f"| {takes} | {game.slo} | {game.workers} | " + " | ".join(f"{100 * share:.1f} %" for share in shares) + " |")
    write_table(page, "game: small", "game: end", lines)


def main(words):
    if len(words) == 2 and words[0] == "write":
        write(Path(words[1]))
    elif len(words) == 3 and words[0] == "judge":
        judge(Path(words[1]), Path(words[2]))
    else:
        print(f"game.py: found '{' '.join(words)}'; allowed: write FOLDER, or judge FOLDER PAGE", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
