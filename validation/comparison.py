"""What a validation says: figures of others beside ours."""

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "results"), str(ROOT / "results/figures")]
from harness_results.file import Results  # noqa: E402


@dataclass(frozen=True)
class Figure:
    """One number. The error is ours minus theirs, in the unit of its comparison."""

    what: str
    theirs: float
    ours: float

    def error(self, relative):
        difference = self.ours - self.theirs
        if not relative:
            return difference
        return 100 * difference / abs(self.theirs) if self.theirs else (0 if not difference else float("inf"))


@dataclass(frozen=True)
class Comparison:
    """Figures of one kind. `worst` and `mean` are the largest errors allowed, of a single figure and on average, as
    magnitudes, written down before ours were seen; none: not judged, and `why` says why."""

    title: str
    source: str  # Markdown: whose figures, the version, the licence, or the formula
    unit: str  # of the error: "points", "ms", "%"
    not_covered: str
    figures: list = field(default_factory=list)
    relative: bool = False  # errors in percent of theirs
    worst: float | None = None
    mean: float | None = None
    why: str = ""
    digits: int = 3  # of the figures, behind the point

    @property
    def errors(self):
        return [abs(figure.error(self.relative)) for figure in self.figures]

    @property
    def worst_error(self):
        return max(self.errors)

    @property
    def mean_error(self):
        return sum(self.errors) / len(self.errors)

    @property
    def verdict(self):
        if self.worst is None and self.mean is None:
            return "not judged"
        rounding = 1e-9
        within = (self.worst is None or self.worst_error <= self.worst + rounding) and (
            self.mean is None or self.mean_error <= self.mean + rounding)
        return "agrees" if within else "differs"


class Harness:
    """Runs experiment files of a validation's folder. Results go to `out`."""

    def __init__(self, program, ranks, out):
        self.program, self.ranks, self.out = program, ranks, out

    def run(self, experiment, *options):
        """Returns the Results of an experiment, once for each run of the validation."""
        path = self.out / (Path(experiment).stem + ".h5")
        words = ["mpirun", "-n", str(self.ranks), str(self.program), str(experiment), "--quiet", "--fresh", "-o", str(self.out), *options]
        ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
        if ran.returncode:
            raise SystemExit(f"ci/validation: {experiment}: exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
        return Results(path)
