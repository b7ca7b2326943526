"""Which orders of an experiment's series hold under all settings that `harness robust` has run, which turn, and by what.

A setting is a step away from the experiment as it is written. For each workload, pair of series and setting the difference of the metric
is taken in each seed, and its mean has an interval by Student's t. The intervals of all settings of a pair hold together with 95 % (Bonferroni: each
has 1 - 0.05 / settings). So a verdict on a pair, which is one on all of its intervals, is wrong with at most 5 %.
"""

from dataclasses import dataclass, field
from itertools import combinations
from math import inf, isfinite, isnan, nan, sqrt

from harness_results.series import shared_of
from harness_results.student_t import student_t

AS_WRITTEN = "as written"
CONFIDENCE = 0.95
ABOVE, BELOW, TIE, UNDECIDED, NO_VALUE = "above", "below", "tie", "undecided", "no value"
TURNS, IN_PART, HOLDS, TIES, OPEN = "turns", "in part", "holds", "ties", "undecided"
KINDS = (TURNS, IN_PART, OPEN, TIES, HOLDS)  # worst first


@dataclass(frozen=True)
class Verdict:
    """One pair under one setting. `difference` is that of the first less the second, above means better."""

    order: str
    seeds: int
    first: float = float("nan")  # means over the seeds that both have
    second: float = float("nan")
    difference: float = float("nan")
    half_width: float = float("nan")

    def turned(self):
        return Verdict({ABOVE: BELOW, BELOW: ABOVE}.get(self.order, self.order), self.seeds, self.second, self.first, -self.difference, self.half_width)


def judge(first, second, margin, confidence, higher_is_better=True):
    """The verdict on two series, {seed: value} each. They tie if the interval lies within `margin` times the larger mean; one is above if
    the interval lies beyond 0 on its side and the difference is more than that; otherwise it is undecided."""
    seeds = [seed for seed in first if seed in second and not isnan(first[seed]) and not isnan(second[seed])]
    count = len(seeds)
    if not count:
        return Verdict(NO_VALUE, 0)
    if not all(isfinite(values[seed]) for values in (first, second) for seed in seeds):
        return judge_infinite([[isfinite(values[seed]) for seed in seeds] for values in (first, second)], higher_is_better)
    differences = [first[seed] - second[seed] for seed in seeds]
    means = [sum(values[seed] for seed in seeds) / count for values in (first, second)]
    mean = sum(differences) / count
    if count < 2:
        return Verdict(UNDECIDED, count, *means, mean)
    variance = sum((each - mean) ** 2 for each in differences) / (count - 1)
    half = student_t(count - 1, confidence) * sqrt(variance / count)
    limit = margin * max(map(abs, means))
    order = UNDECIDED
    if abs(mean) + half <= limit:
        order = TIE
    elif abs(mean) > half and abs(mean) > limit:
        order = ABOVE if (mean > 0) == higher_is_better else BELOW
    return Verdict(order, count, *means, mean, half)


def judge_infinite(finite, higher_is_better):
    """The verdict on two series of which some values are infinite; `finite` says of each series and seed whether its value is not. Without
    means there are no intervals: it is decided where all seeds of a series are alike."""
    count, order = len(finite[0]), UNDECIDED
    if all(len(set(own)) == 1 for own in finite):
        first, second = finite[0][0], finite[1][0]
        order = TIE if first == second else ABOVE if second == higher_is_better else BELOW
    return Verdict(order, count, *(inf if not any(own) else nan for own in finite))


@dataclass(frozen=True)
class Pair:
    """Two series of a workload under all settings that concern one of them. The first is the better one where that is decided."""

    workload: str
    first: str
    second: str
    verdicts: dict  # by setting, as written first

    @classmethod
    def of(cls, workload, first, second, verdicts):
        orders = [verdict.order for verdict in verdicts.values()]
        decided = next((order for order in orders if order in (ABOVE, BELOW)), ABOVE)
        if decided == BELOW:
            first, second, verdicts = second, first, {setting: verdict.turned() for setting, verdict in verdicts.items()}
        return cls(workload, first, second, verdicts)

    def under(self, order):
        """The settings with this order."""
        return [setting for setting, verdict in self.verdicts.items() if verdict.order == order]

    @property
    def kind(self):
        orders = {verdict.order for verdict in self.verdicts.values()}
        if {ABOVE, BELOW} <= orders:
            return TURNS
        if not orders & {ABOVE, TIE}:
            return OPEN
        return {(ABOVE,): HOLDS, (TIE,): TIES}.get(tuple(orders), IN_PART)

    @property
    def as_written(self):
        return self.verdicts[AS_WRITTEN]

    def changed_by(self):
        """The settings under which the order is another than as written."""
        return [setting for setting, verdict in self.verdicts.items() if verdict.order != self.as_written.order]

    def turned_by(self):
        """The settings under which the order is the other way round than as written."""
        return [setting for setting in self.changed_by() if {self.as_written.order, self.verdicts[setting].order} == {ABOVE, BELOW}]


@dataclass
class Series:
    """The cells of one series of a workload, by setting and seed."""

    values: dict = field(default_factory=dict)  # setting: {seed: value} of cells that are ok
    decisions: dict = field(default_factory=dict)  # setting: {seed: fingerprint}
    takes: set = field(default_factory=set)  # settings that it has cells of, ok or not

    def under(self, setting):
        """Its values; of a setting that does not concern it those as written."""
        return self.values.get(setting if setting in self.takes else AS_WRITTEN, {})


@dataclass(frozen=True)
class Robustness:
    """What a results file of `harness robust` says."""

    metric: str
    higher_is_better: bool
    margin: float
    settings: list  # names, as written first
    left_out: list  # lines: what was not tried, and why
    seeds: list
    workloads: dict  # text: {series: Series}
    pairs: list  # worst first, within that in the order of the file
    failed: dict  # setting: how many of its cells are skipped or invalid, and why the first is
    idle: list  # settings under which every decision is as it was

    def of_kind(self, kind):
        return [pair for pair in self.pairs if pair.kind == kind]


def is_robust(results):
    """True if the file is one of `harness robust`."""
    names = [setting.get("name") for setting in results.experiment.get("setting", [])]
    return "robustness" in results.experiment and names[:1] == [AS_WRITTEN]


def pairs_of_workload(workload, by_series, margin, higher_is_better, order):
    """All pairs of its series."""
    made = []
    for first, second in combinations(by_series, 2):
        one, other = by_series[first], by_series[second]
        settings = [setting for setting in order if setting in one.takes | other.takes]
        confidence = 1 - (1 - CONFIDENCE) / len(settings)
        verdicts = {setting: judge(one.under(setting), other.under(setting), margin, confidence, higher_is_better) for setting in settings}
        made.append(Pair.of(workload, first, second, verdicts))
    return made


def gathered(results, metric):
    """({workload: {series: Series}}, {setting: [cells that failed, why the first did]})."""
    workloads, failed = {}, {}
    for row in results.rows:
        setting = shared_of(row)["setting"]
        workload = row["workload"].replace(f" setting={setting}", "", 1)
        series = workloads.setdefault(workload, {}).setdefault(row["series"], Series())
        series.takes.add(setting)
        if row["status"] == "ok":
            series.values.setdefault(setting, {})[row["seed"]] = float(row[metric])
            series.decisions.setdefault(setting, {})[row["seed"]] = row["fingerprint"]
        else:
            failed.setdefault(setting, [0, f"{row['status']}: {row['why']}"])[0] += 1
    return workloads, failed


def robustness_of(results):
    """The verdicts of a file of `harness robust`."""
    own = results.experiment["robustness"]
    metric = own.get("metric", "goodput_rps")
    higher = results.columns.get(metric, {}).get("better", "higher") == "higher"
    settings = [setting["name"] for setting in results.experiment["setting"]]
    workloads, failed = gathered(results, metric)
    pairs = [pair for workload, by_series in workloads.items()
             for pair in pairs_of_workload(workload, by_series, own.get("margin", 0.01), higher, settings)]
    every = [series for by_series in workloads.values() for series in by_series.values()]
    idle = [setting for setting in settings[1:] if setting not in failed and all(
        series.decisions[setting] == series.decisions.get(AS_WRITTEN) for series in every if setting in series.takes)]
    return Robustness(metric, higher, own.get("margin", 0.01), settings, own.get("left_out", []), sorted({row["seed"] for row in results.rows}),
                      workloads, sorted(pairs, key=lambda pair: (KINDS.index(pair.kind), pair.as_written.order != ABOVE)), failed, idle)


def effects(found):
    """{setting: (how many pairs it turns, how many it leaves without their order or gives one)}."""
    made = {setting: [0, 0] for setting in found.settings[1:]}
    for pair in found.pairs:
        turned = pair.turned_by()
        for setting in pair.changed_by():
            made[setting][0 if setting in turned else 1] += 1
    return {setting: tuple(counts) for setting, counts in made.items()}


def plain(value):
    """As JSON has it: nothing for what is no number."""
    return None if isinstance(value, float) and not isfinite(value) else value


def data_of(found):
    """All verdicts, for programs and pages."""
    by_effect = effects(found)
    settings = [{"name": name, "pairs_turned": by_effect.get(name, (0, 0))[0], "pairs_changed_otherwise": by_effect.get(name, (0, 0))[1],
                 "has_effect": name not in found.idle, "cells_failed": found.failed.get(name, (0, ""))[0]} for name in found.settings]
    pairs = [{"workload": pair.workload, "first": pair.first, "second": pair.second, "verdict": pair.kind, "settings": [
        {"name": name, "order": verdict.order, "seeds": verdict.seeds, "first_mean": plain(verdict.first), "second_mean": plain(verdict.second),
         "difference": plain(verdict.difference), "half_width": plain(verdict.half_width)} for name, verdict in pair.verdicts.items()]}
        for pair in found.pairs]
    return {"metric": found.metric, "better": "higher" if found.higher_is_better else "lower",
            "margin": found.margin, "confidence": CONFIDENCE, "seeds": [int(seed) for seed in found.seeds],
            "settings": settings, "not_tried": found.left_out, "pairs": pairs}
