"""What `harness fit` found (docs/fit.md): points, settings and verdicts, and what follows from them."""

from dataclasses import dataclass

import h5py
import numpy as np

from harness_results.names import text_of

FORMAT = "harness fit"
CONFIRM = "confirm"
NOT_RUN = "not run"


def is_fit(path):
    """Whether the file is such a result."""
    try:
        with h5py.File(path, "r") as file:
            return text_of(file.attrs.get("format", "")) == FORMAT
    except OSError:
        return False


def rows_of(table):
    return [{name: text_of(row[name]) if isinstance(row[name], bytes) else row[name].item() for name in table.dtype.names}
            for row in table[:]]


@dataclass
class Reach:
    """How often a claim holds over the design, and with which value of which knob most."""

    share: float
    knob: str
    value: str
    with_value: float


class Fit:
    def __init__(self, path):
        with h5py.File(path, "r") as file:
            self.points = rows_of(file["points"])
            self.settings = rows_of(file["settings"])
            self.verdicts = rows_of(file["verdicts"])
        self.knobs = list(dict.fromkeys(row["knob"] for row in self.settings))
        self.at = {}
        for row in self.settings:
            self.at.setdefault(row["point"], {})[row["knob"]] = row
        stages = list(dict.fromkeys(row["stage"] for row in self.points))
        self.confirmations = [stage for stage in stages if stage.startswith(CONFIRM)]
        self.design = [row for row in self.points if row["stage"] == "design"]
        # The search ends on all traces if the file refines; the design's scores are on other ones, and not compared with these.
        first = "refine" if "refine" in stages else "design"
        self.searched = [row for row in self.points if row["stage"] in (first, "descent")]
        self.best = max(self.searched, key=lambda row: row["objective"])
        self.claims = list(dict.fromkeys(row["claim"] for row in self.verdicts))
        self._verdict = {(row["claim"], row["point"], row["stage"]): row for row in self.verdicts}

    def verdict(self, claim, point, stage="design"):
        return self._verdict.get((claim, point, stage))

    def outside(self, point):
        """The score of a point on what the search has not seen, over all confirmations; none if it was not confirmed."""
        held = [row["held"] for row in self.points if row["point"] == point and row["stage"] in self.confirmations]
        return sum(held) if held else None

    @property
    def ahead(self):
        """The point with the highest score on what the search has not seen, the defaults where several have it; the best of the search
        if nothing was confirmed. Whether it is far enough ahead is for the fit's user to judge."""
        confirmed = sorted({row["point"] for row in self.points if row["stage"] in self.confirmations})
        return max(confirmed, key=self.outside) if confirmed else self.best["point"]

    def departures(self, point):
        """knob -> value, where the point has another value than the default."""
        return {knob: setting["value"] for knob, setting in self.at[point].items() if setting["active"] and not setting["standard"]}

    def standard(self, knob):
        """The default."""
        return next(row["value"] for row in self.settings if row["knob"] == knob and row["standard"])

    def front(self):
        """The points that no other passes in both score and distance, by falling score."""
        front, nearest = [], np.inf
        for row in sorted(self.searched, key=lambda row: (-row["held"], row["distance"])):
            if row["distance"] < nearest:
                front.append(row)
                nearest = row["distance"]
        return front

    def _by_value(self, knob, score):
        """value -> mean score of the design's points where the knob has an effect; score(point) may be none."""
        found = {}
        for row in self.design:
            setting = self.at[row["point"]][knob]
            one = score(row)
            if setting["active"] and one is not None:
                found.setdefault(setting["value"], []).append(one)
        return {value: float(np.mean(scores)) for value, scores in found.items()}

    def effects(self, knob):
        """value -> the claims' mean scores, summed; each over the points that decide the claim."""
        sums = {}
        for claim in self.claims:
            for value, mean in self._by_value(knob, lambda row, claim=claim: self._score(claim, row["point"])).items():
                sums[value] = sums.get(value, 0.0) + mean
        return sums

    def main_effect(self, knob):
        sums = self.effects(knob).values()
        return max(sums) - min(sums) if sums else 0.0

    def _score(self, claim, point):
        row = self.verdict(claim, point)
        return None if row is None or row["verdict"] == NOT_RUN else row["score"]

    def flipped(self, knob, least):
        """[(claim, value with which it scores most)] of the claims whose mean score the knob moves by `least` or more."""
        moved = []
        for claim in self.claims:
            means = self._by_value(knob, lambda row, claim=claim: self._score(claim, row["point"]))
            if means and max(means.values()) - min(means.values()) >= least:
                moved.append((claim, max(means, key=means.get)))
        return moved

    def reach(self, claim):
        """None where the search does not decide it."""
        scores = [self._score(claim, row["point"]) for row in self.design]
        scores = [score for score in scores if score is not None]
        if not scores:
            return None
        best = Reach(float(np.mean(scores)), "", "", -1.0)
        for knob in self.knobs:
            for value, mean in self._by_value(knob, lambda row: self._score(claim, row["point"])).items():
                if mean > best.with_value:
                    best = Reach(best.share, knob, value, mean)
        return best
