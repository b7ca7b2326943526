"""Systems of one's own: `own_system_test.py HARNESS CMAKE BUILD MPIEXEC`. Installs the build, writes a system with
`harness new`, builds it against the installation and runs it; what is wrong with a library is refused in a line, a crash in
one costs its own cells alone. In the tree `harness new` edits what has to be edited."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from program_testing import ROOT, environment, run

SHORT = ["--quiet", "--set", "workload.duration_s=3", "--set", "workload.loads=[0.5,1.5]", "--set", "workload.seeds=1"]


CLAIM = """[[claim]]
id = "mine.serves"
kind = "ours"
paper = "mine"
section = "1"
figure = "none"
statement = "It serves more than nothing."
paper_value = "more"
experiment = "experiment"
where = { load = 0.5 }
expression = "goodput_rps[mine]"
expect = "> 0"
"""


class Failures(list):
    def expect(self, is_so, what):
        if not is_so:
            self.append(what)


class Place:
    """An installation, and a folder beside it with systems."""

    def __init__(self, folder, cmake):
        self.folder, self.cmake = Path(folder), cmake
        self.prefix = self.folder / "prefix"
        self.harness = str(self.prefix / "bin/harness")

    def install(self, build):
        subprocess.run([self.cmake, "--install", build, "--prefix", self.prefix], check=True, capture_output=True)

    def new(self, name):
        done = run([self.harness, "new", "system", name, "--out-of-tree"], self.folder)
        assert done.returncode == 0, done.stderr
        return self.folder / name

    def build(self, system):
        """Its library alone."""
        options = ["-B", "build", "-S", ".", f"-DCMAKE_PREFIX_PATH={self.prefix}"]
        subprocess.run([self.cmake, *options], cwd=system, check=True, capture_output=True)
        subprocess.run([self.cmake, "--build", "build", "--target", system.name], cwd=system, check=True, capture_output=True)

    def rows(self, results):
        return json.loads(run([self.harness, "show", str(results), "--json"], self.folder).stdout)


def changed(path, old, new):
    text = path.read_text()
    assert old in text, (path, old)
    path.write_text(text.replace(old, new, 1))


def serves(place, mpiexec):
    """The library's system runs beside those of the program, the same on several ranks, and its file is part of the results."""
    failures, mine = Failures(), place.folder / "mine"
    done = run([place.harness, "experiment.toml", *SHORT], mine)
    failures.expect(done.returncode == 0, f"experiment.toml: {done.returncode}: {done.stderr}")
    rows = place.rows(mine / "results-out/experiment.h5")
    failures.expect({row["system"] for row in rows} == {"mine", "pard", "nexus"}, f"systems: {rows}")
    failures.expect(all(row["status"] == "ok" and row["goodput_rps"] > 0 for row in rows), f"cells: {rows}")
    two = run([mpiexec, "-n", "2", place.harness, "experiment.toml", "-o", "two", *SHORT], mine)
    failures.expect(two.returncode == 0, f"two ranks: {two.stderr}")
    prints = [[row["fingerprint"] for row in place.rows(mine / folder / "experiment.h5")] for folder in ("results-out", "two")]
    failures.expect(prints[0] == prints[1], f"fingerprints: {prints}")
    checked = run([place.harness, "check", "build/mine.so", "experiment.toml"], mine)
    failures.expect(checked.returncode == 0 and "margin_ms = 0" in checked.stdout, f"check: {checked.stdout}{checked.stderr}")
    (mine / "claims.toml").write_text(CLAIM)
    claims = run([place.harness, "claims", "--claims-file", "claims.toml", "results-out/experiment.h5"], mine)
    failures.expect(claims.returncode == 0 and "1 reproduced" in claims.stdout, f"claims: {claims.stdout}{claims.stderr}")
    conformance = run([str(place.prefix / "bin/harness-conformance"), "build/mine.so", "--gtest_filter=*/LightLoad.*/mine"], mine)
    failures.expect("1 test from" in conformance.stdout and conformance.returncode == 0, f"conformance: {conformance.stdout}")
    return failures


def is_replayed(place):
    """Decisions are repeated with the library alone, and another version of it shows."""
    failures, mine = Failures(), place.folder / "mine"
    run([place.harness, "experiment.toml", "-o", "kept", "--set", "record.replay=true", *SHORT], mine)
    without = run([place.harness, "replay", "kept/experiment.h5"], mine)
    failures.expect(without.returncode == 2 and "--library build/mine.so of replay" in without.stderr, f"without: {without.stderr}")
    replay = [place.harness, "replay", "kept/experiment.h5", "--library", "build/mine.so"]
    same = run(replay, mine)
    failures.expect(same.returncode == 0 and "none differs" in same.stdout, f"replay: {same.stdout}{same.stderr}")
    changed(mine / "systems/mine/mine.cc", "+ margin_ns_ >", "+ margin_ns_ + 20 * kNsPerMs >")
    place.build(mine)
    other = run(replay, mine)
    failures.expect(other.returncode == 1 and "of 6 cells" in other.stdout, f"another version: {other.stdout}{other.stderr}")
    again = run([place.harness, "experiment.toml", *SHORT], mine)
    failures.expect(again.returncode == 2 and "contents of library differ: build/mine.so" in again.stderr, f"run again: {again.stderr}")
    return failures


def is_refused(place):
    """One line, exit code 2, nothing written."""
    failures, mine, bad = Failures(), place.folder / "mine", place.folder / "bad"
    shutil.copytree(mine, bad, ignore=shutil.ignore_patterns("build", "results-out", "two", "kept"))
    library = (bad / "library.cc").read_text()
    cases = [
        ("no library", 'library = "build/none.so"', None, "no such file"),
        ("no shared library", 'library = "library.cc"', None, "invalid ELF header"),
        ("another library", f'library = "{place.prefix}/lib/libnone.so"', None, "no function harness_systems"),
        ("other headers", None, library.replace("harness::kSdkVersion", '"0.0.1-abc"'), "headers of version 0.0.1-abc"),
        ("a name of the program's", None, library.replace('"mine"', '"pard"'), "a system pard, which the program has already"),
        ("a name of a table", None, library.replace('"mine"', '"cluster"'), "a system cluster, which"),
        ("no name", None, library.replace('"mine"', '"Mine 2"'), "'Mine 2'"),
        ("another system", None, library.replace('"mine"', '"other"'), "unknown system of build/mine.so 'mine'"),
    ]
    subprocess.run(["c++", "-shared", "-x", "c", "-o", place.prefix / "lib/libnone.so", "/dev/null"], check=True)
    experiment = (mine / "experiment.toml").read_text()
    for what, key, source, message in cases:
        (bad / "library.cc").write_text(source or library)
        (bad / "experiment.toml").write_text(experiment.replace('library = "build/mine.so"', key) if key else experiment)
        if source:
            subprocess.run(["c++", "-std=c++20", "-O1", "-shared", "-fPIC", f"-I{place.prefix}/include", "-I.", "library.cc",
                            "systems/mine/mine.cc", "-o", "mine.so"], cwd=bad, check=True)
            (bad / "build").mkdir(exist_ok=True)
            os.replace(bad / "mine.so", bad / "build/mine.so")
        done = run([place.harness, "experiment.toml", "-o", "out", *SHORT], bad)
        failures.expect(done.returncode == 2 and message in done.stderr and len(done.stderr.splitlines()) == 1,
                        f"{what}: {done.returncode}: {done.stderr}")
        failures.expect("experiment.toml:" in done.stderr, f"{what}: no line of the experiment: {done.stderr}")
        failures.expect(not (bad / "out").exists(), f"{what}: wrote results")
    return failures


def crashes_alone(place):
    """The other cells run in the same call, and the row names the library."""
    failures, crash = Failures(), place.new("crash")
    changed(crash / "systems/crash/crash.cc", "int fill(TimeNs, ", "int fill(TimeNs now, ")
    changed(crash / "systems/crash/crash.cc", "    int joined = 0;\n", "    int joined = 0;\n    if (now > kNsPerS) __builtin_trap();\n")
    place.build(crash)
    for options in ([], ["--fresh"]):
        done = run([place.harness, "experiment.toml", *SHORT, *options], crash)
        failures.expect(done.returncode == 1, f"{options}: {done.returncode}: {done.stderr}")
        failures.expect(done.stderr.count("illegal instruction; going on with the other cells") == 2, f"{options}: {done.stderr}")
        for row in place.rows(crash / "results-out/experiment.h5"):
            if row["system"] != "crash":
                failures.expect(row["status"] == "ok", f"{options}: {row['why']}")
            else:
                failures.expect(row["status"] == "invalid" and f"(system of {crash}/build/crash.so)" in row["why"], row["why"])
    again = run([place.harness, "experiment.toml", *SHORT, "--rerun-failed"], crash)
    failures.expect(again.returncode < 0 and "the same command finishes" in again.stderr, f"--rerun-failed: {again.stderr}")
    return failures


def is_written_into_the_tree(place):
    failures, tree = Failures(), place.folder / "tree"
    for name in ("systems/all_systems.cc", "systems/README.md", "docs/keys.md"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(os.path.join(ROOT, name), tree / name)
    shutil.copytree(os.path.join(ROOT, "templates"), tree / "templates")

    def new(*words):
        return subprocess.run([place.harness, "new", *words], cwd=tree, env=environment(HARNESS_HOME=str(tree)),
                              capture_output=True, text=True, check=False)

    done = new("system", "my_idea")
    failures.expect(done.returncode == 0, done.stderr)
    written = {str(path.relative_to(tree)) for path in (tree / "systems/my_idea").iterdir()}
    failures.expect(written == {f"systems/my_idea/{name}" for name in (
        "CMakeLists.txt", "README.md", "my_idea.h", "my_idea.cc", "my_idea_test.cc")}, written)
    systems = (tree / "systems/all_systems.cc").read_text()
    failures.expect('loki/loki.h"\n#include "systems/my_idea/my_idea.h"\n#include "systems/naive' in systems, systems)
    failures.expect('make_my_idea},\n  };' in systems, systems)
    failures.expect("class MyIdeaServing final : public System" in (tree / "systems/my_idea/my_idea.cc").read_text(), "no class MyIdea")
    failures.expect("| [my_idea](my_idea/README.md) |" in (tree / "systems/README.md").read_text(), "no row in systems/README.md")
    failures.expect("### my_idea\n\n<!-- keys: my_idea -->\n| key |" in (tree / "docs/keys.md").read_text(), "no keys")
    for words, message in ((["system", "my_idea"], "a file that is there already"), (["system", "test"], "'test', which is there already"), (["system", "pard"], "'pard', which is there already"),
                           (["system", "My"], "found 'My'"), (["pipeline", "a/b"], "found 'a/b'")):
        done = new(*words)
        failures.expect(done.returncode == 2 and message in done.stderr, f"{words}: {done.stderr}")
    failures.expect((tree / "systems/all_systems.cc").read_text() == systems, "what was refused was written")
    return failures


def starts_from_files(place):
    """What `harness new` writes is sound, and each goes with the others."""
    failures = Failures()
    for kind in ("pipeline", "profile", "experiment"):
        run([place.harness, "new", kind, "x", "-o", f"{kind}.toml"], place.folder)
        done = run([place.harness, "check", f"{kind}.toml"], place.folder)
        failures.expect(done.returncode == 0, f"{kind}: {done.stderr}")
    done = run([place.harness, "experiment.toml", "--set", 'workload.pipelines="pipeline.toml"', "--set", 'cluster.profiles="profile.toml"',
                *SHORT], place.folder)
    failures.expect(done.returncode == 0, f"all together: {done.stderr}")
    return failures


def main():
    _, _, cmake, build, mpiexec = sys.argv
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        place = Place(os.path.realpath(folder), cmake)
        place.install(build)
        place.build(place.new("mine"))
        for check in (lambda p: serves(p, mpiexec), is_replayed, is_refused, crashes_alone, is_written_into_the_tree, starts_from_files):
            failures += check(place)
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
