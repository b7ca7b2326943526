"""`harness compare` and ci/regress as a user calls them: what they print and write, and their exit codes.

    compare_test.py HARNESS
"""
import json
import os
import shutil
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import h5py
import numpy
from program_testing import Failures, edited, finish, run, write

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXPERIMENT = """[workload]
pipelines = ["lv"]
traces = ["tweet"]
loads = {loads}
seeds = [1, 2]
duration_s = 10
[cluster]
workers = {workers}
profile_scale = 3
{systems}
[record]
rows = false
"""
NEXUS, PARD = '[[system]]\nname = "nexus"\n', '[[system]]\nname = "pard"\n'
# PARD-back knows nothing of the later modules (section 5.3): above the capacity it drops late.
BACK = "[pard]\nestimate = 'back'\n"


def experiment(loads=(0.8, 1.2), workers=32, systems=NEXUS + PARD):
    return EXPERIMENT.format(loads=list(loads), workers=workers, systems=systems)


FILES = {
    "base": experiment(),
    "reordered": experiment(loads=(1.2, 0.8), systems=PARD + NEXUS),
    "worse": experiment(systems=NEXUS + PARD + BACK),
    "fewer": experiment(loads=(0.8,)),
    "smaller": experiment(workers=16),
    "short": experiment().replace("duration_s = 10", "duration_s = 5"),
    "impossible": experiment() + "[planner]\nsizing_factor = 90\n",
}
LIMITS = ["--tolerance", "drop_rate=1", "--tolerance", "invalid_rate=1", "--tolerance", "slo_attainment=1",
          "--tolerance", "latency_ms_p50=1000%", "--tolerance", "latency_ms_p99=1000%"]

# (arguments, exit code, words of standard output, words of the one line of standard error)
CASES = [
    (["base.h5", "base.h5"], 0, ["8 of 8 simulated cells have the same fingerprint", "0 regressions, 0 better"], []),
    (["base.h5", "reordered.h5"], 0, ["8 of 8 simulated cells", "8 cells compared: 0 regressions, 0 better"], []),
    (["base.h5", "other-build.h5"], 0, ["8 of 8 simulated cells", "0 regressions, 0 better"], []),
    (["base.h5", "worse.h5"], 1, ["pard", "drop_rate", "regression", "lv tweet load 1.2 slo 500 ms seed",
                                  "other setting: pard.estimate full, now back (4 cells)"], []),
    (["worse.h5", "base.h5"], 0, ["better", "0 regressions"], []),
    (["base.h5", "worse.h5", *LIMITS], 0, ["0 regressions, 0 better"], []),
    (["base.h5", "worse.h5", *LIMITS, "--tolerance", "in_time=5%"], 1, ["in_time", "1 regression,"], []),
    (["base.h5", "fewer.h5"], 2, ["not comparable: nexus lv tweet load 1.2", "4 cells compared: 0 regressions"],
     ["fewer.h5", "4 problems, first ", "only in the base"]),
    (["fewer.h5", "base.h5"], 2, ["only in the new results"], ["base.h5"]),
    (["base.h5", "smaller.h5"], 2, ["workers 32, now 16"], ["8 problems, first ", "workers 32, now 16"]),
    (["base.h5", "short.h5"], 2, ["duration_s 10, now 5"], ["8 problems, first ", "duration_s 10, now"]),
    (["--fidelity", "base.h5"], 2, ["no live cell", "0 comparisons"], ["base.h5", "8 simulated cells without a live one;", '"gpu"']),
]
# Bad input, with nothing printed or written: (arguments, words)
MISTAKES = [
    (["base.h5", "none.h5"], ["none.h5"]),
    (["none.h5", "base.h5"], ["none.h5"]),
    (["base.h5", "base.toml"], ["base.toml"]),
    (["base.h5"], ["one results file"]),
    ([], ["no results file"]),
    (["--fidelity", "none.h5"], ["none.h5"]),
    (["base.h5", "--fidelity", "base.h5"], ["--fidelity"]),
    (["base.h5", "base.h5", "--tolerance", "drop_rat=1"], ["drop_rat", "drop_rate"]),
    (["base.h5", "base.h5", "--tolerance", "drop_rate=much"], ["much"]),
    (["base.h5", "base.h5", "--tolerance", "drop_rate"], ["METRIC=VALUE"]),
    (["--fidelity", "base.h5", "--within", "close"], ["--within", "close"]),
    (["base.h5", "base.h5", "--within", "5%"], ["--fidelity"]),
    (["--fidelity", "base.h5", "--measured-times"], ["base.h5", "no cell that ran on devices", 'runtime = "gpu"']),
    (["base.h5", "base.h5", "--measured-times"], ["--fidelity"]),
    (["--fidelity", "base.h5", "--folder", "."], ["--measured-times"]),
    (["--fidelity", "base.h5", "--measured-times", "--folder", "nowhere"], ["--folder", "nowhere"]),
]


def make_files(harness, folder):
    for name, text in FILES.items():
        done = run([harness, write(folder, name + ".toml", text), "-o", ".", "--quiet", "--allow-skipped"], folder)
        if done.returncode != 0:
            finish([done.stderr])
    shutil.copy(os.path.join(folder, "base.h5"), os.path.join(folder, "other-build.h5"))
    with edited(os.path.join(folder, "other-build.h5")) as file:
        rows = file["summary"][:]
        rows["input_hash"] = b"0123456789abcdef"
        rows["wall_s"] *= 100
        file["summary"][:] = rows


def make_live(folder, name, shift, slower=0):
    """Of base.h5's cells as they are, and again as two emulated repeats each, off by `shift` of the requests sent and, at
    p90, slower by this share."""
    with h5py.File(os.path.join(folder, "base.h5")) as source, edited(os.path.join(folder, name), "w") as file:
        for key, value in source.attrs.items():
            file.attrs[key] = value
        rows = source["summary"][:]
        live = []
        for repeat in (1, 2):
            again = rows.copy()
            again["runtime"] = b"emulated"
            again["parameters"] = f"live.repeat={repeat}".encode()
            again["drop_rate"] += shift
            again["slo_attainment"] -= shift
            again["latency_ms_p90"] *= 1 + slower
            live.append(again)
        source.copy("cells", file)
        file.create_dataset("summary", data=numpy.concatenate([rows, *live]), dtype=rows.dtype)


def check_cases(harness, folder, failures):
    for arguments, code, words, stderr_words in CASES:
        done = run([harness, "compare", *arguments], folder)
        missing = [word for word in words if word not in done.stdout]
        missing += [word for word in stderr_words if word not in done.stderr]
        if done.returncode != code or missing or done.stderr.count("\n") != bool(stderr_words):
            failures.append(f"{arguments}: {done.returncode}, without {missing}:\n{done.stdout}{done.stderr}")
    for arguments, words in MISTAKES:
        failures.refused(arguments, [harness, "compare", *arguments, "--junit", "j.xml"], folder, words)


def check_skipped(harness, folder, failures):
    """A cell that cannot run any more is a regression, one that can is none."""
    worse = run([harness, "compare", "base.h5", "impossible.h5"], folder)
    better = run([harness, "compare", "impossible.h5", "base.h5"], folder)
    if worse.returncode != 1 or worse.stdout.count(": ok, now skipped (") != 8 or better.returncode != 0:
        failures.append(f"skipped: {worse.returncode} {worse.stdout}{worse.stderr} {better.returncode} {better.stdout}")


def check_reports(harness, folder, failures):
    done = run([harness, "compare", "base.h5", "worse.h5", "--json", "--junit", "j.xml"], folder)
    report = json.loads(done.stdout)
    regressions = [each for each in report["metrics"] if each["verdict"] == "regression"]
    systems = {each["system"] for each in regressions}
    if len(regressions) != report["regressions"] or systems != {"pard"}:
        failures.append(f"JSON: {done.stdout}")
    if report["cells"] != 8 or not 4 <= report["same_fingerprint"] < 8 or report["not_comparable"]:
        failures.append(f"JSON's counts: {done.stdout}")
    suite = ElementTree.parse(os.path.join(folder, "j.xml")).getroot().find("testsuite")
    failed = [(each.get("classname"), each.get("name")) for each in suite if each.find("failure") is not None]
    if suite.get("tests") != "10" or failed != [(each["system"], each["metric"]) for each in regressions]:
        failures.append(f"JUnit: {ElementTree.tostring(suite)}")
    run([harness, "compare", "base.h5", "fewer.h5", "--junit", "j.xml"], folder)
    suite = ElementTree.parse(os.path.join(folder, "j.xml")).getroot().find("testsuite")
    if suite.get("errors") != "4":
        failures.append(f"JUnit of a missing cell: {ElementTree.tostring(suite)}")


def check_fidelity(harness, folder, failures):
    for name, shift, code, words in [("true.h5", 0.009, 0, "24 comparisons: 24 within their tolerance, 0 beyond"),
                                     ("untrue.h5", 0.02, 1, "24 comparisons: 8 within their tolerance, 16 beyond")]:
        make_live(folder, name, shift)
        failures.expect(name, run([harness, "compare", "--fidelity", name], folder), code, [words])
    wide = ["--tolerance", "drop_rate=0.03", "--tolerance", "slo_attainment=0.03"]
    failures.expect("with tolerances", run([harness, "compare", "--fidelity", "untrue.h5", *wide], folder), 0)


def check_service_fidelity(harness, folder, failures):
    """Goodput and latency quantiles, each by the same share: the one that is off is named, and how far it is."""
    for slower, code, words in [(0.049, 0, ["32 comparisons: 32 within"]),
                                (0.06, 1, ["32 comparisons: 24 within their tolerance, 8 beyond", "latency_ms_p90", "+6%"])]:
        make_live(folder, "service.h5", 0.001, slower)
        done = run([harness, "compare", "--fidelity", "service.h5", "--within", "5%"], folder)
        failures.expect("--within", done, code, words)
        if "drop_rate" in done.stdout:
            failures.append(f"--within: {done.stdout}")


def check_regress(harness, folder, failures):
    """The script compares with a baseline that it wrote itself, and notices another parameter."""
    os.environ.update(HARNESS_PROGRAM=harness, HARNESS_EXPERIMENT=os.path.join(folder, "base.toml"),
                      HARNESS_PYTHON=sys.executable)
    regress = os.path.join(ROOT, "ci", "regress")
    made = run([regress, "--update", "baselines/base.h5"], folder)
    size = os.path.getsize(os.path.join(folder, "baselines", "base.h5")) if made.returncode == 0 else None
    if size is None or size > 200_000:
        failures.append(f"--update: {made.returncode} {size} {made.stdout}{made.stderr}")
    for name, code in [("base", 0), ("worse", 1), ("fewer", 2)]:
        os.environ["HARNESS_EXPERIMENT"] = name + ".toml"
        done = run([regress, "baselines/base.h5", "--junit", name + ".xml"], folder)
        if done.returncode != code or not os.path.exists(os.path.join(folder, name + ".xml")):
            failures.append(f"ci/regress {name}: {done.returncode} {done.stdout}{done.stderr}")


def main(harness):
    failures = Failures()
    with tempfile.TemporaryDirectory() as folder:
        make_files(harness, folder)
        check_cases(harness, folder, failures)
        check_skipped(harness, folder, failures)
        check_reports(harness, folder, failures)
        check_fidelity(harness, folder, failures)
        check_service_fidelity(harness, folder, failures)
        check_regress(harness, folder, failures)
    finish(failures)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
