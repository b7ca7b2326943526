"""Parts of an experiment, run apart and joined, are what the whole run gives; what does not belong together is refused.

    parts_test.py HARNESS MPIRUN
"""
import os
import shutil
import signal
import sys
import tempfile

import h5py

from kill_test import rows
from program_testing import Failures, finish, run, seal, several_cells, stopped_run, tree, write
from resume_test import EDITS, FILES, another_build


def refused(harness, folder, expect, failures):
    """Nothing is written where parts are asked for that there are not, or that do not belong together."""
    def refuses(what, words, texts):
        before = tree(folder)
        expect(what, run([harness, *words], folder), 2, texts)
        if tree(folder) != before:
            failures.append(f"{what}: something was written")

    for text in ("0/3", "4/3", "3", "1/0", "x/3", "1/3/2", "-1/3", "1/1000001", " 1/3"):
        refuses(f"part {text}", ["e.toml", f"--part={text}"], ["--part", "K/N"])
    refuses("more parts than cells", ["e.toml", "--part", "1/15"], ["14 cells", "e.toml"])
    write(folder, "repeat.toml", several_cells(2) + '[repeat_until]\nmetric = "goodput_rps"\nhalf_width = 1\n')
    refuses("a part of who knows how many", ["repeat.toml", "--part", "1/2"], ["repeat.toml:", "repeat_until"])
    refuses("another part's folder", ["e.toml", "--part", "2/3", "-o", "p1"], ["which is not of part 2/3", "-o DIR"])
    refuses("another part's folder, from the start", ["e.toml", "--part", "2/3", "-o", "p1", "--fresh"], ["which is not of part 2/3"])
    refuses("parts of other settings", ["collect", "p1/e.h5", "other/e.h5", "-o", "w.h5"],
            ["other/e.h5", "p1/e.h5", "sizing_factor = 3"])
    refuses("nowhere to join", ["collect", "p1/e.h5", "p2/e.h5"], ["-o FILE.h5"])
    refuses("a folder of cells to join", ["collect", "x.cells", "-o", "w.h5"], ["x.cells: found a folder with -o", "STEM.h5"])
    refuses("a folder to join", ["collect", "p1", "-o", "w.h5"], ["p1: found a folder"])
    refuses("another kind of file", ["collect", "p1/e.h5", "-o", "w.csv"], [".h5"])
    refuses("a part as the whole", ["collect", "p1/e.h5", "p2/e.h5", "-o", "p1/e.h5"], ["p1/e.h5: found one of the parts"])
    refuses("a part that is missing", ["collect", "p1/e.h5", "gone.h5", "-o", "w.h5"], ["gone.h5"])


def failed_cells(harness, folder, expect):
    """A cell that failed gives way to one that did not when a part is added, and never the other way."""
    for name in ("failed", "before"):
        shutil.copytree(f"{folder}/p1", f"{folder}/{name}")
        path = f"{folder}/{name}/e.h5"
        with h5py.File(path, "r+") as file:
            table = file["summary"][:]
            table["status"][0] = b"invalid"
            file["summary"][...] = table
        seal(path)
    for names in (("p1", "failed"), ("failed", "p1")):
        expect(f"joining {names}", run([harness, "collect", *(f"{name}/e.h5" for name in names), "-o", "w.h5"], folder), 2,
               [f"{names[1]}/e.h5: cell 0: found", "invalid", "ok"])
    expect("a failed one onto a good one", run([harness, "collect", "failed/e.h5", "-o", "copy/e.h5"], folder), 2, ["cell 0"])
    expect("a good one onto a failed one", run([harness, "collect", "p1/e.h5", "-o", "before/e.h5"], folder), 0, ["5 cells;"])
    expect("failed cells are counted", run([harness, "collect", "failed/e.h5", "-o", "w.h5"], folder), 0,
           ["5 cells, 1 skipped or invalid; of"])


def other_inputs(harness, folder, expect):
    """Parts that agree in their text alone: a file that it names was edited in between, or the program is another."""
    folder = os.path.join(folder, "inputs")
    for name, text in FILES.items():
        write(folder, name, text)

    def part(number, out, program=(harness,)):
        expect(f"{number} of {out}", run([*program, "e.toml", "--quiet", "--part", number, "-o", out], folder), 0)

    def refuses(what, second, said):
        expect(what, run([harness, "collect", "one/e.h5", f"{second}/e.h5", "-o", "w.h5"], folder), 2,
               [f"{second}/e.h5: found {said} than in one/e.h5; allowed: parts of one experiment, made from the same files by one build"])
        if os.path.exists(f"{folder}/w.cells") or os.path.exists(f"{folder}/w.h5"):
            raise AssertionError("a refused join left something")

    part("1/2", "one")
    part("2/2", "built", another_build(harness, folder))
    refuses("parts of two builds", "built", "results of another build")
    for kind, (name, before, after) in EDITS.items():
        write(folder, name, FILES[name].replace(before, after, 1))
        part("2/2", kind)
        refuses(f"parts of an edited {kind}", kind, f"other contents of {kind} {'./' if name != 't.csv' else ''}{name}")
        write(folder, name, FILES[name])
    write(folder, "p.toml", FILES["p.toml"].replace("slo_ms = 400", "slo_ms = 399"))
    part("2/2", "slo")
    refuses("parts of two SLOs", "slo", "other pipelines, profiles or traces under the same names")


def unfinished(harness, folder, expect):
    """What is finished of a part that was stopped takes part; the run of the whole runs the rest."""
    for seeds in (8, 16, 32, 64):
        write(folder, "u.toml", several_cells(seeds, 20))
        if stopped_run([harness, "u.toml", "--quiet", "--part", "1/2", "-o", "u1"], folder, "u1/u", 1, signal.SIGTERM)[0] != 0:
            break
        shutil.rmtree(f"{folder}/u1")
    expect("the other part", run([harness, "u.toml", "--quiet", "--part", "2/2", "-o", "u2"], folder), 0)
    expect("what is finished", run([harness, "collect", "u1/u.cells"], folder), 0, ["collected from u1/u.cells"])
    expect("joining it", run([harness, "collect", "u1/u.h5", "u2/u.h5", "-o", "u/u.h5"], folder), 0,
           [f"of the experiment's {2 * seeds} cells are missing"])
    expect("finishing it", run([harness, "u.toml", "--quiet", "-o", "u"], folder), 0, [f"{2 * seeds} cells"])


def main():
    harness, mpirun = os.path.abspath(sys.argv[1]), sys.argv[2]
    failures = Failures()
    expect = failures.expect
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "e.toml", several_cells(7))
        go = lambda *more, command=(harness,): run([*command, "e.toml", "--quiet", *more], folder)
        expect("the whole", go("-o", "whole"), 0, ["14 cells"])
        whole = rows(harness, folder, "whole/e.h5")
        expect("a dry run", run([harness, "e.toml", "--part", "1/3", "--dry-run"], folder), 0, ["5 cells"])
        for part, command in (("1/3", [harness]), ("2/3", [mpirun, "-n", "2", harness]), ("3/3", [harness])):
            expect(part, go("--part", part, "-o", f"p{part[0]}", command=command), 0, ["4 cells" if part == "2/3" else "5 cells"])
            if not all(row in whole for row in rows(harness, folder, f"p{part[0]}/e.h5")):
                failures.append(f"part {part} has other rows than the whole")
        expect("a part again", go("--part", "2/3", "-o", "p2"), 0, ["complete already"])
        expect("with other settings", go("--part", "3/3", "-o", "other", "--set", "planner.sizing_factor=3"), 0)
        refused(harness, folder, expect, failures)

        parts = [f"p{part}/e.h5" for part in (3, 1, 2)]
        expect("joining", run([harness, "collect", *parts, "-o", "joined/e.h5"], folder), 0, ["joined/e.h5: 14 cells\n"])
        if rows(harness, folder, "joined/e.h5") != whole or os.listdir(f"{folder}/joined") != ["e.h5"]:
            failures.append("joined parts are not the whole")
        expect("the whole, joined", go("-o", "joined"), 0, ["complete already"])
        # A part at a time, one from a file with a comment; then the run that finishes the rest.
        write(folder, "e.toml", "# the same\n" + several_cells(7))
        expect("one more", go("--part", "3/3", "-o", "comment"), 0)
        for part, cells, missing in (("p1/e.h5", 5, "1, 2, 3, 4, 6 and 4 more"), ("comment/e.h5", 10, "1, 3, 6, 11")):
            expect(f"adding {part}", run([harness, "collect", part, "-o", "grown/e.h5"], folder), 0,
                   [f"{cells} cells; of the experiment's 14 cells are missing: {missing}\n"])
        expect("watching a part", run([harness, "watch", "grown", "--once"], folder), 0, ["a part, 10 of 14 cells"])
        expect("the rest", run([harness, "e.toml", "-o", "grown"], folder), 0, ["10 of 14 cells are finished already"])
        if rows(harness, folder, "grown/e.h5") != whole:
            failures.append("what was joined and finished is not the whole")
        shutil.copytree(f"{folder}/p1", f"{folder}/copy")
        failed_cells(harness, folder, expect)
        other_inputs(harness, folder, expect)
        unfinished(harness, folder, expect)
        expect("a part twice", run([harness, "collect", "p1/e.h5", "copy/e.h5", "-o", "twice.h5"], folder), 0, ["5 cells"])
    finish(failures)


if __name__ == "__main__":
    main()
