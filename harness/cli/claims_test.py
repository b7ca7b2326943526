"""`harness claims` as a user calls it: what it prints and writes, and its exit codes.

    claims_test.py HARNESS
"""
import json
import os
import shutil
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from program_testing import Failures, finish, run, write

EXPERIMENT = """[workload]
pipelines = ["tm"]
traces = ["poisson"]
loads = [0.5, 2.0]
seeds = [1, 2]
duration_s = 5
[[system]]
name = "naive"
[[system]]
name = "pard"
"""


def claim(name, expression, expect, more="", kind="paper"):
    return f"""[[claim]]
id = "{name}"
kind = "{kind}"
paper = "pard"
section = "5 & <6>"
statement = "It's \\"so\\" < & >, {name}"
paper_value = "a < b"
experiment = "small"
expression = "{expression}"
expect = {expect}
{more}
"""


GOODPUT = "goodput_rps[pard] / goodput_rps[naive]"
HIGH = 'where = { load = "> 1" }'
# Twice the capacity: a system that drops nothing is overrun.
TRUE = claim("a.true", GOODPUT, '"> 1"', HIGH)
FALSE = claim("a.false", GOODPUT, '"< 1"', HIGH)
KNOWN = claim("a.known", GOODPUT, '"< 1"', HIGH + '\nknown = "not reproduced"\nsee = "docs/x.md"')
BETTER = claim("a.better", GOODPUT, '"> 1"', HIGH + '\nknown = "partly"')
AFTER = claim("a.after", GOODPUT, '"> 1"', HIGH + '\nchosen_after = true')
SEVERAL = claim("a.several", GOODPUT, '"> 1"')
TWO = claim("a.two", "goodput_rps[pard, experiment=twin] / goodput_rps[pard, experiment=small]", "[1, 1]", HIGH).replace(
    'experiment = "small"', 'experiment = ["small", "twin"]')
MISSING = claim("b.missing", GOODPUT, '"> 1"').replace('"small"', '"large"')
# The seeds are 1 and 2: their mean is 1.5, its interval reaches far.
NOISY = claim("a.noisy", "seed[pard]", '"> 1"', HIGH)
NOISY_MEAN = claim("a.noisy-mean", "seed[pard]", '"> 1"', HIGH + '\ncombine = "mean"')
NOISE_KNOWN = claim("a.known-noise", "seed[pard]", '"> 1"', HIGH + '\nknown = "undecided"')
MINUTES = claim("a.minute", "max(minute.drop_rate[naive] - drop_rate[naive] over minute)", "[0, 0]", HIGH, "ours")  # a run of 5 s has one
CV = claim("b.cv", "mean_cv[*, group=4, window_s=1]", "[0.1, 0.3]", "", "ours").replace('"small"', '"cv"')  # four Poisson streams at 10 requests/s on average: about 1 / sqrt(40)
NO_CELL = claim("b.nowhere", GOODPUT, '"> 1"', "where = { trace = 'nowhere' }")

# (what, the ledger, arguments, exit code, words that are printed)
CASES = [
    ("a true claim", TRUE, [], 0, ["reproduced", "1 claim of kind paper: 1 reproduced"]),
    ("a false claim", TRUE + FALSE, [], 1, ["WORSE than", "1 not reproduced", "1 worse than known"]),
    ("a known one", KNOWN, [], 0, ["see docs/x.md", "0 worse than known"]),
    ("a known one, strict", KNOWN, ["--strict"], 1, ["not reproduced"]),
    ("a better one", BETTER, ["--strict"], 0, ["better than known"]),
    ("an undecided one", NOISY, [], 0, ["undecided, not reproduced to", "known as reproduced", "1 undecided"]),
    ("an undecided one, strict", NOISY, ["--strict"], 1, ["0 worse than known"]),
    ("a known undecided one, strict", NOISE_KNOWN, ["--strict"], 0, ["1 undecided"]),
    ("kinds", TRUE + claim("a.ours", GOODPUT, '"> 1"', HIGH, "ours") + claim("a.read", GOODPUT, '"< 1"', HIGH, "reading"), [], 1,
     ["1 claim of kind paper: 1 reproduced, 0 partly, 0 undecided, 0 not reproduced, 0 not run\n"
      "of other kinds: 1 reading (1 not reproduced), 1 ours (1 reproduced); 1 worse than known\n"]),
    ("said twice: the worse verdict counts", TRUE + FALSE.replace('"a.false"', '"a.twin"').replace(", a.false", ", a.true"), [], 1,
     ["1 claim of kind paper: 0 reproduced, 0 partly, 0 undecided, 1 not reproduced, 0 not run; 1 worse than known"]),
    ("chosen after results", AFTER, [], 0, ["paper, after", "1 reproduced, 0 partly, 0 undecided, 0 not reproduced, 0 not run; 1 of them chosen after"]),
    ("minutes", MINUTES, [], 0, ["1 ours (1 reproduced)"]),
    ("a table of trace cv", CV, [], 0, ["1 ours (1 reproduced)"]),
    ("a table of trace cv given", CV + MISSING, ["results-out/cv.h5"], 0, ["1 ours (1 reproduced)"]),
    ("no results", MISSING, [], 0, ["1 not run", "not run: 1 claim, results-out/large.h5 is missing"]),
    ("some results", TRUE + MISSING, [], 0, ["not run: 1 claim, results-out/large.h5 is missing", "1 reproduced"]),
    ("no results, strict", MISSING, ["--strict"], 0, ["1 not run"]),
    ("no cell", NO_CELL, [], 0, ["1 not run"]),
    ("no cell, strict", NO_CELL, ["--strict"], 1, ["1 not run"]),
    ("files given: others are left out", TRUE + MISSING, ["results-out/small.h5"], 0, ["1 claim of kind paper: 1 reproduced"]),
    ("a choice", TRUE + FALSE, ["--id", "*.tr*e"], 0, ["1 claim of kind paper: 1 reproduced"]),
    ("a choice of kind", TRUE + claim("a.ours", GOODPUT, '"> 1"', HIGH, "ours"), ["--kind", "ours"], 0, ["of other kinds: 1 ours (1 reproduced)"]),
    ("a choice of paper", TRUE, ["--paper", "pard"], 0, ["1 claim of kind paper: 1 reproduced"]),
    ("two experiments", TWO, [], 0, ["1 +- 0", "1 claim of kind paper: 1 reproduced"]),
    ("one of two", TWO, ["results-out/twin.h5"], 0, ["no results of small were given"]),
    ("another folder", TRUE, ["--folder", "nowhere"], 0, ["1 not run"]),
]

# (what, the ledger, arguments, words of the one line)
MISTAKES = [
    ("several cells", SEVERAL, [], ["l.toml:2: a.several: expression", "differ in load;"]),
    ("an unknown system", TRUE.replace("[naive]", "[nave]"), [], ["l.toml:9:", "did you mean 'naive'"]),
    ("an unknown column", TRUE.replace("goodput_rps[pard]", "goodput[pard]"), [], ["l.toml:9:", "unknown column"]),
    ("an id twice", TRUE + TRUE, [], ["l.toml:13: id", "a.true"]),
    ("no claim of that id", TRUE, ["--id", "c.*"], ["c.*"]),
    ("no claim of that paper", TRUE, ["--paper", "loki"], ["loki"]),
    ("no claim of that kind", TRUE, ["--kind", "ours"], ["no claim of kind ours", "--kind"]),
    ("results of no claim", MISSING, ["results-out/small.h5"], ["small.h5", "no claim uses this file"]),
    ("results that are not there", TRUE, ["none.h5"], ["none.h5"]),
    ("results that are not results", TRUE, ["l.toml"], ["l.toml"]),
    ("the same results twice", TRUE, ["results-out/small.h5"] * 2, ["a second file for small"]),
    ("an unknown option", TRUE, ["--stict"], ["--stict"]),
]


def check_cases(harness, folder, failures):
    for what, ledger, arguments, code, words in CASES:
        write(folder, "l.toml", ledger)
        done = run([harness, "claims", "--claims-file", "l.toml", *arguments], folder)
        failures.expect(what, done, code, words)
        if done.stderr:
            failures.append(f"{what}: {done.stderr}")
    for what, ledger, arguments, words in MISTAKES:
        write(folder, "l.toml", ledger)
        failures.refused(what, [harness, "claims", "--claims-file", "l.toml", "--junit", "j.xml", *arguments], folder, words)
    failures.refused("no ledger", [harness, "claims", "--claims-file", "none.toml"], folder, ["none.toml"])


def check_reports(harness, folder, failures):
    write(folder, "l.toml", TRUE + FALSE + KNOWN + MISSING)
    done = run([harness, "claims", "--claims-file", "l.toml", "--json", "--junit", "j.xml"], folder)
    verdicts = ["reproduced", "not reproduced", "not reproduced", "not run"]
    claims = json.loads(done.stdout)
    if [each["verdict"] for each in claims] != verdicts or [each["worse"] for each in claims] != [0, 1, 0, 0] or {each["kind"] for each in claims} != {"paper"}:
        failures.append(f"JSON: {done.stdout}")
    write(folder, "noisy.toml", TRUE + NOISY + NOISY_MEAN)
    noisy = run([harness, "claims", "--claims-file", "noisy.toml", "--json"], folder).stdout
    decided = [(each["verdict"], each["worst"], each["best"], each["groups"][0]["within_noise"]) for each in json.loads(noisy)]
    if decided != [("reproduced", "reproduced", "reproduced", False)] + 2 * [("undecided", "not reproduced", "reproduced", True)]:
        failures.append(f"JSON's noise: {noisy}")
    if claims[0]["groups"][0]["seeds"] != 2 or not claims[0]["value"] > 1 or claims[3]["value"] is not None:
        failures.append(f"JSON's values: {done.stdout}")
    for each in claims[0]["groups"]:
        numbers = [number for found in each["cells"] for number in found["cells"]]
        if [found["experiment"] for found in each["cells"]] != ["small"] or len(set(numbers)) != 4 or numbers != sorted(numbers):
            failures.append(f"JSON's cells: {each}")
    suite = ElementTree.parse(os.path.join(folder, "j.xml")).getroot().find("testsuite")
    if (suite.get("tests"), suite.get("failures"), suite.get("skipped")) != ("4", "2", "1"):
        failures.append(f"JUnit's counts: {suite.attrib}")
    case = suite.find("testcase")
    if case.get("classname") != "pard.5 & <6>" or not case.findtext("system-out").startswith("It's \"so\" < & >"):
        failures.append(f"JUnit's texts: {ElementTree.tostring(case)}")
    if [[child.tag for child in each][:1] for each in suite] != [["system-out"], ["failure"], ["failure"], ["skipped"]]:
        failures.append(f"JUnit's verdicts: {ElementTree.tostring(suite)}")
    if "paper: a < b" not in suite.findall("testcase")[1].find("failure").get("message"):
        failures.append("JUnit's message")


def check_decide(harness, folder, failures):
    """Seeds are 1, 2, ...: with n of them the mean is (n + 1) / 2 +- t(n - 1) sqrt((n + 1) / 12). The second look, of 4 seeds, spends an
    eighth of 5 %: 2.5 +- 4.5; the third, of 8, a quarter: 4.5 +- 2.9, which lies above 1."""
    write(folder, "l.toml", TRUE + NOISY)
    claims = [harness, "claims", "--claims-file", "l.toml"]
    failures.refused("files to decide", [*claims, "results-out/small.h5", "--decide"], folder, ["--decide", "--folder"])
    failures.expect("decided", run([*claims, "--decide", "--quiet"], folder), 0, ["2 reproduced"])
    decided = json.loads(run([*claims, "--json"], folder).stdout)
    found = [(each["verdict"], each["looks"], each["groups"][0]["seeds"]) for each in decided]
    if found != [("reproduced", 2, 4), ("reproduced", 3, 8)]:
        failures.append(f"looks: {found}")
    if abs(decided[1]["half_width"] - 3.3353 * (9 / 12) ** 0.5) > 1e-3:  # t(7) with 1.25 %
        failures.append(f"half-width: {decided[1]}")
    if {each["experiment"] for each in decided[1]["groups"][0]["cells"]} != {"small", "small-2", "small-3"}:
        failures.append(f"cells: {decided[1]['groups']}")
    shown = json.loads(run([harness, "show", "results-out/decide/small-3.h5", "--json"], folder).stdout)
    if {(each["system"], each["seed"]) for each in shown} != {("pard", seed) for seed in range(5, 9)}:
        failures.append(f"cells of the third look: {shown}")
    again = run([*claims, "--decide"], folder)
    failures.expect("decided already", again, 0, ["2 reproduced"])
    if "suite" in again.stdout + again.stderr:
        failures.append(f"ran again: {again}")
    write(folder, "l.toml", TRUE + NOISY.replace('"> 1"', '"> 6"', 1))  # within 4.5 +- 2.9 and within 8.5 +- 3 of 16 seeds
    failures.refused("other decisions", [*claims, "--decide"], folder, ["decide", "--fresh"])
    changed = run(claims, folder)
    failures.expect("a claim has changed", changed, 0, ["1 reproduced", "1 undecided"])
    if "the decisions on a.noisy do not count" not in changed.stderr:
        failures.append(f"says nothing of a changed claim: {changed.stderr}")
    failures.expect("never decided", run([*claims, "--decide", "--fresh", "--quiet"], folder), 0, ["budget of 16"])
    write(folder, "l.toml", MINUTES + CV + claim("a.seed", "max(seed[pard] over seed)", '"> 1"', HIGH, "ours"))
    left = run([*claims, "--decide", "--fresh", "--quiet"], folder)
    failures.expect("claims that seeds cannot decide", left, 0, ["3 ours (3 reproduced)"])
    if "2 claims got no seeds" not in left.stderr:
        failures.append(f"says nothing of what got no seeds: {left.stderr}")
    for option in ("--fresh", "--quiet", "--ranks=2"):
        failures.refused("no --decide", [*claims, option], folder, [option.partition("=")[0], "--decide"])
    shutil.rmtree(os.path.join(folder, "results-out", "decide"))


def main(harness):
    failures = Failures()
    with tempfile.TemporaryDirectory() as folder:
        made = run([harness, write(folder, "small.toml", EXPERIMENT), "--quiet"], folder)
        if made.returncode != 0:
            finish([made.stderr])
        shutil.copy(os.path.join(folder, "results-out", "small.h5"), os.path.join(folder, "results-out", "twin.h5"))
        measured = run([harness, "trace", "cv", "poisson-streams", "--rate", "10000", "--duration", "60", "--windows", "1", "--groups", "4",
                        "-o", os.path.join("results-out", "cv.h5")], folder)
        failures.expect("a table of trace cv, made", measured, 0, ["0.1"])
        check_cases(harness, folder, failures)
        check_reports(harness, folder, failures)
        check_decide(harness, folder, failures)
        failures.expect("the shipped ledger", run([harness, "claims", "--folder", "nowhere"], folder), 0,
                        [" 0 reproduced, 0 partly, 0 undecided, 0 not reproduced"])
    finish(failures)


if __name__ == "__main__":
    main(sys.argv[1])
