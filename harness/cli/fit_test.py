"""`harness fit` finds the setting that a claim needs, on one rank and on two, and goes on where it was stopped.

    fit_test.py HARNESS MPIRUN
"""
import os
import sys
import tempfile

import h5py
import numpy as np

from program_testing import Failures, finish, run, tree, write

EXPERIMENT = """[workload]
pipelines = ["tm"]
traces = ["poisson"]
loads = [1.5]
duration_s = 3
[cluster]
workers = 8
[[system]]
name = "naive"
[[system]]
name = "pard"
"""

# The naive system keeps up only below its capacity; PARD drops less than it does only above.
CLAIMS = """[[claim]]
id = "pard.light"
kind = "paper"
paper = "pard"
section = "5"
statement = "Nothing is lost."
paper_value = "0"
experiment = "small"
expression = "drop_rate[naive]"
expect = "< 0.01"
[[claim]]
id = "pard.never"
kind = "paper"
paper = "pard"
section = "5"
statement = "Less than nothing is lost."
paper_value = "-1"
experiment = "small"
expression = "drop_rate[pard]"
expect = "< 0"
[[claim]]
id = "pard.ours"
kind = "ours"
paper = "pard"
section = "5"
statement = "It runs."
paper_value = "-"
experiment = "small"
expression = "drop_rate[pard]"
expect = ">= 0"
"""

FIT = """claims_file = "claims.toml"
claims = ["pard.*"]
[search]
points = 4
best = 2
moves = 4
round = 2
set = ["workload.seeds=[1, 2]"]
[refine]
set = ["workload.seeds=[4, 5, 6]"]
[[confirm]]
name = "seeds"
set = ["workload.seeds=[3]"]
[[confirm]]
name = "shape"
set = ["trace.poisson.shape='constant'"]
[[base]]
experiment = "small.toml"
[[knob]]
name = "load"
key = "workload.load"
values = [0.5, 1, 1.5, 2]
default = 1.5
text = "not given"
[[knob]]
name = "dispatch"
key = "serving.dispatch"
values = ["round_robin", "least_outstanding"]
default = "round_robin"
text = "not given"
"""


def tables(path):
    with h5py.File(path, "r") as file:
        return {name: file[name][:] for name in ("points", "settings", "verdicts")}


def found(folder, failures):
    """The best point has the light load, the hopeless claim is told, and what is stored agrees."""
    stored = tables(os.path.join(folder, "one/fit.h5"))
    points = stored["points"]
    design = points[points["stage"] == b"design"]
    searched = points[np.isin(points["stage"], [b"refine", b"descent"])]
    best = searched[np.argmax(searched["objective"])]
    loads = [row["value"] for row in stored["settings"] if row["point"] == best["point"] and row["knob"] == b"load"]
    if best["held"] != 1 or loads != [b"0.5"]:
        failures.append(f"the best point: {best}, load {loads}")
    if set(points["judged"]) != {2}:
        failures.append(f"claims judged: {set(points['judged'])}")
    if len(np.unique(searched["point"])) != len(searched) or len(searched) > 3 + 4:
        failures.append(f"points: {searched['point']}")
    refined = points[points["stage"] == b"refine"]["point"]
    best_of_design = design["point"][np.argsort(-design["objective"], kind="stable")][:2]
    if sorted(refined) != sorted({0, *best_of_design}):
        failures.append(f"refined: {refined}, the best of the design: {best_of_design}")
    if len(stored["settings"]) != 2 * len(np.unique(points["point"])):
        failures.append(f"settings: {stored['settings']}")
    for world in (b"confirm-seeds", b"confirm-shape"):
        confirmed = points[points["stage"] == world]["point"]
        if sorted(confirmed) != sorted({0, best["point"]}):
            failures.append(f"{world}: {confirmed}")


def main():
    harness, mpirun = os.path.abspath(sys.argv[1]), sys.argv[2]
    failures = Failures()
    expect = failures.expect
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "small.toml", EXPERIMENT)
        write(folder, "claims.toml", CLAIMS)
        write(folder, "fit.toml", FIT)
        before = tree(folder)
        expect("a dry run", run([harness, "fit", "fit.toml", "--dry-run"], folder), 0,
               ["2 knobs, 4 points", "2 claims score", "pard.light", "16 cells"])
        if tree(folder) != before:
            failures.append("a dry run wrote something")
        words = ["judged", "round_robin", "claims that score under no setting: pard.never"]
        expect("a fit", run([harness, "fit", "fit.toml", "-o", "one", "--quiet"], folder), 0, words)
        expect("again", run([harness, "fit", "fit.toml", "-o", "one", "--quiet"], folder), 0, ["complete already", *words])
        expect("on two ranks", run([mpirun, "-n", "2", harness, "fit", "fit.toml", "-o", "two", "--quiet"], folder), 0, words)
        found(folder, failures)
        one, two = (tables(os.path.join(folder, name, "fit.h5")) for name in ("one", "two"))
        if any(one[name].tolist() != two[name].tolist() for name in one):
            failures.append("two ranks found something else than one")
        expect("the figures", run([harness, "figures", "one/fit.h5", "-o", "figures"], folder), 0, ["fit-points.png", "fit-knobs.png", "fit-claims.png"])
        expect("no results of an experiment", run([harness, "show", "one/fit.h5"], folder), 2, ["results of harness fit"])
        for what, change, word in (("an unknown knob", ("serving.dispatch", "serving.dispath"), "bad.toml:26: serving.dispath: found unknown key 'dispath', did you mean 'dispatch'"),
                                   ("a missing base", ("small.toml", "gone.toml"), "bad.toml:18: base.experiment = gone.toml: found no such file; allowed: an experiment file"),
                                   ("no claim", ('"pard.*"', '"pard.ours"'), "claims of kind paper whose `experiment` is the `as` of a base: small"),
                                   ("an id that is none", ('"pard.*"', '"pard.*", "pard.nope"'), "bad.toml:2: claims: found pard.nope"),
                                   ("a name with a folder", ('claims_file', 'name = "../x"\nclaims_file'), "bad.toml:1: name: found ../x"),
                                   ("a setting of the confirmation", ("seeds=[3]", "sedes=[3]"), "bad.toml:18: base.experiment: in confirm-seeds: "),
                                   ("a key that no knob sets", ('"small.toml"', '"small.toml"\nkeeps = ["workload.loads"]'), "bad.toml:18: base.keeps: found unknown key of a knob"),
                                   ("a world twice", ('"shape"', '"seeds"'), "bad.toml:15: confirm.name: found seeds; allowed: a name of its own"),
                                   ("a trace that none replays", ("trace.poisson.shape", "trace.poison.shape"), "bad.toml:16: confirm.set: found trace.poison.shape='constant'; allowed: keys of a trace that a base replays: poisson"),
                                   ("a knob's trace that none replays", ('key = "workload.load"', 'key = "trace.poison.contrast"'), "bad.toml:20: knob.name: found trace.poison.contrast; allowed: keys of a trace that a base replays"),
                                   ("nothing in the design", ('"small.toml"', '"small.toml"\nonly = ["refine", "confirm"]'), "bad.toml:8: search.set: found no [[base]] that runs in design"),
                                   ("no purpose", ('"small.toml"', '"small.toml"\nonly = ["search"]'), "bad.toml:19: base.only: found search; allowed: design, refine, confirm"),
                                   ("no default", ("default = 1.5", "default = 3"), "bad.toml:23: knob.default: found 3; allowed: 0.5, 1, 1.5, 2")):
            write(folder, "bad.toml", FIT.replace(*change))
            failures.refused(what, [harness, "fit", "bad.toml", "-o", "bad"], folder, [word])
    finish(failures)


if __name__ == "__main__":
    main()
