"""[repeat_until] adds seeds until the metric is known well enough: the same ones on one rank and on two.

    repeat_test.py HARNESS MPIRUN
"""
import math
import os
import shutil
import statistics
import sys
import tempfile

from kill_test import rows
from program_testing import Failures, finish, run, several_cells, tree, write

STUDENT_95 = {1: 12.7062, 2: 4.30265, 3: 3.18245, 4: 2.77645, 5: 2.57058, 6: 2.44691, 7: 2.36462}


def experiment(half_width, most, baseline=False, seeds=1):
    return several_cells(seeds) + (f'[repeat_until]\nmetric = "goodput_rps"\nhalf_width = {half_width}\nmax_seeds = {most}\n'
                                   + ('baseline = "naive"\n' if baseline else ""))


def half_width(shown, seeds, baseline):
    """The widest over the series, by the textbook's formula."""
    values = {system: [float(row["goodput_rps"]) for row in shown if row["system"] == system][:seeds]
              for system in ("naive", "pard")}
    if baseline:
        values = {"pard": [a - b for a, b in zip(values["pard"], values["naive"])]}
    return max(STUDENT_95[seeds - 1] * statistics.stdev(one) / math.sqrt(seeds) for one in values.values())


def main():
    harness, mpirun = os.path.abspath(sys.argv[1]), sys.argv[2]
    failures = Failures()
    expect = failures.expect

    def check(what, condition, why):
        if not condition:
            failures.append(f"{what}: {why}")

    with tempfile.TemporaryDirectory() as folder:
        # All seeds that may be needed, to know what must come out.
        write(folder, "e.toml", experiment(1e-9, 8))
        expect("up to the most", run([harness, "e.toml", "-o", "most"], folder), 0, ["16 cells", "with 8 seeds", "more than 1e-09"])
        most = rows(harness, folder, "most/e.h5")
        check("up to the most", [row["seed"] for row in most] == [str(1 + i // 2) for i in range(16)], "other seeds")
        for baseline in (False, True):
            what = "with a baseline" if baseline else "of the metric"
            widths = {seeds: half_width(most, seeds, baseline) for seeds in range(2, 9)}
            target = (min(widths[2], widths[3]) + min(widths.values())) / 2
            enough = next(seeds for seeds in sorted(widths) if widths[seeds] <= target)
            write(folder, "e.toml", experiment(target, 8, baseline))
            before = tree(folder)
            expect(f"dry run {what}", run([harness, "e.toml", "--dry-run"], folder), 0, ["4 cells", "up to 16 cells (8 seeds)"])
            check(what, tree(folder) == before, "a dry run wrote something")
            for name, command in (("one", [harness]), ("two", [mpirun, "-n", "2", harness])):
                out = f"{name}{baseline}"
                go = lambda *more: run([*command, "e.toml", "-o", out, *more], folder)
                expect(f"{name} {what}", go(), 0, [f"{2 * enough} cells", f"with {enough} seeds: half-width at most"])
                check(f"{name} {what}", rows(harness, folder, f"{out}/e.h5") == most[:2 * enough], "other rows")
                before = tree(os.path.join(folder, out))
                expect(f"again, {name} {what}", go(), 0, ["complete already", f"with {enough} seeds"])
                check(f"again, {name} {what}", tree(os.path.join(folder, out)) == before, "complete results changed")
        # A tighter interval goes on from there, a wider one is refused, since fewer seeds would do.
        write(folder, "e.toml", experiment(1e-9, enough + 1, True))
        expect("a tighter interval", run([harness, "e.toml", "-o", "oneTrue"], folder), 0,
               [f"{2 * enough} of {2 * enough + 2} cells are finished already", f"{2 * enough + 2} cells"])
        write(folder, "e.toml", experiment(1e9, 8))
        expect("--rerun-failed", run([harness, "e.toml", "-o", "oneTrue", "--rerun-failed"], folder), 2,
               ["e.toml:", "repeat_until: found --rerun-failed", "allowed: --fresh"])
        expect("a wider interval", run([harness, "e.toml", "-o", "oneTrue"], folder), 2, ["more seeds than needed (2)"])
        # Cells of a run without [repeat_until] are used.
        write(folder, "e.toml", several_cells(3))
        expect("plain seeds", run([harness, "e.toml", "-o", "plain", "--quiet"], folder), 0)
        write(folder, "e.toml", experiment(1e-9, 4, seeds=3))
        expect("and one more", run([harness, "e.toml", "-o", "plain"], folder), 0,
               ["6 of 8 cells are finished already", "with 4 seeds"])
        write(folder, "e.toml", 'figures = ["pard/fig8"]\n' + experiment(1e-9, 4, seeds=3))
        expect("with a figure", run([harness, "e.toml", "-o", "plain"], folder), 0, ["complete already"])
        shutil.rmtree(os.path.join(folder, "plain"))
    finish(failures)


if __name__ == "__main__":
    main()
