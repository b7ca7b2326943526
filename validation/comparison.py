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
    """One number. The error is ours minus theirs, in the unit of its comparison, and so is the error allowed of this figure alone."""

    what: str
    theirs: float
    ours: float
    allowed: float | None = None

    def error(self, relative):
        difference = self.ours - self.theirs
        if not relative:
            return difference
        return 100 * difference / abs(self.theirs) if self.theirs else (0 if not difference else float("inf"))


@dataclass(frozen=True)
class Comparison:
    """Figures of one kind. `worst` and `mean` are the largest errors allowed, of a single figure and on average, as
    magnitudes; figures may have bounds of their own. None of these: not judged, and `why` says why. Bounds are written down
    before ours are seen, unless `late`. If `known`, `why` says why it differs, and the run does not fail for it."""

    title: str
    source: str  # Markdown: whose figures, the version, the licence, or the formula
    unit: str  # of the error: "points", "ms", "%"
    not_covered: str
    figures: list = field(default_factory=list)
    relative: bool = False  # errors in percent of theirs
    worst: float | None = None
    mean: float | None = None
    late: bool = False
    known: bool = False
    why: str = ""
    digits: int = 3  # of the figures, behind the point

    @property
    def errors(self):
        return [abs(figure.error(self.relative)) for figure in self.figures]

    @property
    def worst_error(self):
        return max(self.errors, default=0.0)

    @property
    def mean_error(self):
        return sum(self.errors) / max(1, len(self.errors))

    @property
    def own_bounds(self):
        """Those of figures that have one."""
        return [figure.allowed for figure in self.figures if figure.allowed is not None]

    @property
    def verdict(self):
        if not self.figures:
            return "not run"
        if self.worst is None and self.mean is None and not self.own_bounds:
            return "not judged"
        rounding = 1e-9
        pairs = [(self.worst_error, self.worst), (self.mean_error, self.mean),
                 *((error, figure.allowed) for error, figure in zip(self.errors, self.figures))]
        within = all(error <= bound + rounding for error, bound in pairs if bound is not None)
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
