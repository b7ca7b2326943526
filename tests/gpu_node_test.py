"""ci/gpu-node: which packages it fetches, how they are found, how its steps go on and end, what it reads from results. The machine is
made of substitutes."""

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "ci" / folder) for folder in ("gpu_node", "prefix")]

import fetch  # noqa: E402
import prefix  # noqa: E402
import report  # noqa: E402
import runner  # noqa: E402
import sizes  # noqa: E402
import steps  # noqa: E402
from problems import Failed, NotHere, OutOfTime, Problem  # noqa: E402
from steps import STEPS  # noqa: E402

PROFILE = """description = "d {model}"
device = "x"

[[profile]]
model = "{model}"
batch = [1, 2]
latency_ms = [{first}, {second}]
exit_points = 7
[profile.measured]
exit_overhead = 0.02
preemption_delay = 0.03
"""


class Folder(unittest.TestCase):

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, path, text=""):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def program(self, path, text):
        self.write(path, "#!/usr/bin/env bash\n" + text + "\n").chmod(0o755)
        return self.folder / path


class Fetch(Folder):

    def test_takes_the_first_alternative_and_the_first_provider(self):
        text = ("one\n  Depends: libc6\n |Depends: first\n  Depends: second\n  PreDepends: third:any\n  Depends: <virtual>\n"
                "    provider\n    other\n |Depends: <mta>\n    exim\n  Depends: postfix\nfirst\n")
        self.assertEqual(fetch.parse_depends(text), {"one": ["libc6", "first", "third", "provider", "exim"], "first": []})

    def test_closes_over_dependencies_but_what_the_node_has(self):
        graph = {"a": ["b", "libc6"], "b": ["a", "c"], "c": ["gcc-12-base", "python3"]}
        asked = []

        def depends(names):
            asked.extend(names)
            return {name: graph.get(name, []) for name in names}

        self.assertEqual(fetch.closure(["a"], depends), ["a", "b", "c"])
        self.assertEqual(asked, ["a", "b", "c"])

    def test_wants_what_the_setup_installs(self):
        setup = re.findall(r"\S+", re.search(r"packages=\((.*?)\)", (ROOT / "ci/setup").read_text(encoding="utf-8"), re.DOTALL)[1])
        self.assertLessEqual(set(fetch.WANTED), set(setup))

    def test_makes_a_prefix_of_unpacked_packages(self):
        self.write("lib/x86_64-linux-gnu/libz.so.1")
        self.write("usr/lib/x86_64-linux-gnu/libbig.a")
        self.write("usr/lib/x86_64-linux-gnu/libgtest.a")
        self.write("usr/include/x86_64-linux-gnu/openssl/opensslconf.h", "c")
        self.write("usr/include/openssl/ssl.h", "s")
        self.write("usr/share/doc/x/copyright")
        self.write("usr/bin/mpicc.openmpi")
        self.write("usr/bin/h5cc")
        (self.folder / "usr/lib/absolute").symlink_to("/lib/x86_64-linux-gnu/libz.so.1")
        (self.folder / "usr/lib/inside").symlink_to("/usr/include/openssl/ssl.h")
        (self.folder / "usr/lib/gone").symlink_to("/etc/alternatives/x")
        fetch.tidy(self.folder)
        usr = self.folder / "usr"
        self.assertTrue((usr / "lib/x86_64-linux-gnu/libz.so.1").exists())
        self.assertEqual(sorted(path.name for path in usr.rglob("*.a")), ["libgtest.a"])
        self.assertEqual((usr / "include/openssl/opensslconf.h").read_text(encoding="utf-8"), "c")
        self.assertTrue((usr / "lib/absolute").exists())
        self.assertEqual(os.readlink(usr / "lib/inside"), "../include/openssl/ssl.h")
        self.assertFalse(os.path.lexists(usr / "lib/gone") or (usr / "bin/h5cc").exists() or (usr / "share/doc").exists())
        self.assertEqual(os.readlink(usr / "bin/mpicc"), "mpicc.openmpi")


class Prefix(Folder):

    def test_links_what_the_node_lacks_and_what_must_fit_the_headers(self):
        for name in ("libsz.so.2", "libcrypto.so.3", "libmpi.so.40", "hdf5/serial/libhdf5.so.103", "libpsm.so.1.16", "libcrypto.so.3.0"):
            self.write(f"usr/lib/x86_64-linux-gnu/{name}")
        folder = prefix.link_libraries(self.folder, {"libcrypto.so.3", "libmpi.so.40"})
        self.assertEqual(sorted(os.listdir(folder)), ["libcrypto.so.3.0", "libhdf5.so.103", "libmpi.so.40", "libpsm.so.1", "libpsm.so.1.16", "libsz.so.2"])
        self.assertTrue(all((folder / name).exists() for name in os.listdir(folder)))

    def test_comes_first_in_the_environment(self):
        self.write("usr/lib/x86_64-linux-gnu/libsz.so.2")
        env = prefix.with_prefix({"PATH": "/bin", "CMAKE_PREFIX_PATH": "/mine"}, self.folder)
        self.assertEqual(env["PATH"], f"{self.folder}/usr/bin:/bin")
        self.assertEqual(env["CMAKE_PREFIX_PATH"], f"{self.folder}/usr:/mine")
        self.assertEqual(env["OPAL_PREFIX"], f"{self.folder}/usr")

    def test_is_unpacked_once_from_its_archive(self):
        self.write("p/packages.txt", "x\n")
        self.write("p/usr/lib/x86_64-linux-gnu/libsz.so.2")
        archive = fetch.pack(self.folder / "p")
        first = prefix.unpacked(archive, self.folder / "u", "packages.txt", "fetch")
        self.assertTrue((first / "usr/lib/x86_64-linux-gnu/libsz.so.2").exists())
        (first / "mark").touch()
        self.assertTrue((prefix.unpacked(archive, self.folder / "u", "packages.txt", "fetch") / "mark").exists())

    def test_what_is_none_is_told_in_a_line(self):
        for path, text in ((self.folder / "gone", "no such"), (self.write("torn.tar.xz", "x"), "cannot be unpacked"),
                           (self.write("dir/x").parent, "not made by fetch")):
            with self.assertRaisesRegex(Problem, f"^.*{text}.*$"):
                prefix.unpacked(path, self.folder / "u", "packages.txt", "fetch")

    def test_names_libraries_found_elsewhere(self):
        cache = ("HDF5_C_INCLUDE_DIR:PATH=/p/usr/include\nGTest_DIR:PATH=/usr/lib/cmake/GTest\nOther_DIR:PATH=/usr/x\n"
                 "HDF5_C_LIBRARY_m:FILEPATH=/usr/lib/x86_64-linux-gnu/libm.so\n")
        self.assertEqual(prefix.outside(Path("/p"), cache), ["GTest_DIR=/usr/lib/cmake/GTest"])


def step(name, run, needs=(), **more):
    return runner.Step(name, name, run, needs, **more)


def raising(error):

    def run(_node, _again):
        raise error

    return run


class Steps(Folder):

    def setUp(self):
        super().setUp()
        (self.folder / "logs").mkdir()
        self.clock = runner.Clock(None)
        self.node = SimpleNamespace(out=self.folder, shell=runner.Shell(self.folder, dict(os.environ), self.clock))

    def state(self, identity="i"):
        return runner.State(self.folder / "state.json", identity)

    def verdicts(self, steps, chosen=(), state=None):
        state = state or self.state()
        runner.run_steps(steps, chosen, self.node, state, self.clock)
        return [state.of(each.name).verdict for each in steps], runner.exit_code(steps, state)

    def test_a_failure_leaves_the_others_but_those_that_need_it(self):
        steps = [step("a", lambda *_: "fine"), step("b", raising(Failed("broken"))), step("c", lambda *_: "", ("b",)),
                 step("d", raising(NotHere("none"))), step("e", lambda *_: "", ("a",))]
        self.assertEqual(self.verdicts(steps),
                         ([runner.PASSED, runner.FAILED, runner.LEFT, runner.NOT_HERE, runner.PASSED], 1))
        self.assertIn("broken", runner.summary(steps, self.state()))

    def test_what_a_failed_step_made_may_be_of_use(self):
        steps = [step("a", raising(Failed("one of two")), is_there=lambda _: True, is_useful_failed=True),
                 step("b", lambda *_: "", ("a",))]
        self.assertEqual(self.verdicts(steps), ([runner.FAILED, runner.PASSED], 1))

    def test_passed_steps_are_not_run_again_unless_named_or_gone(self):
        runs = []
        steps = [step("a", lambda *_: runs.append("a")), step("b", lambda *_: runs.append("b"), is_there=lambda _: False)]
        self.verdicts(steps)
        self.verdicts(steps)
        self.assertEqual(runs, ["a", "b", "b"])
        self.verdicts(steps, ["a"])
        self.assertEqual(runs, ["a", "b", "b", "a"])
        self.verdicts(steps, state=self.state("other sources"))
        self.assertEqual(runs[4:], ["a", "b"])

    def test_an_interrupted_step_goes_on_and_the_rest_is_left(self):
        seen = []

        def slow(_node, again):
            seen.append(again)
            if not again:
                self.clock.stop()
                raise OutOfTime

        steps = [step("a", slow), step("b", lambda *_: "")]
        self.assertEqual(self.verdicts(steps), ([runner.UNFINISHED, runner.LEFT], 3))
        self.clock = runner.Clock(None)
        self.assertEqual(self.verdicts(steps), ([runner.PASSED, runner.PASSED], 0))
        self.assertEqual(seen, [False, True])

    def test_a_step_that_reaches_its_limit_is_stopped_and_the_next_begins(self):
        self.node.shell.clock = self.clock

        def endless(node, _again):
            node.shell.run(["sleep", "60"])

        steps = [step("a", endless, limit_s=0.3), step("b", lambda *_: "")]
        self.assertEqual(self.verdicts(steps), ([runner.UNFINISHED, runner.PASSED], 3))
        self.assertFalse(self.clock.is_over())


class Commands(Folder):

    def shell(self, budget_s=None):
        shell = runner.Shell(self.folder, dict(os.environ), runner.Clock(budget_s))
        shell.log = self.folder / "log"
        return shell

    def test_commands_end_with_the_time_and_with_what_they_started(self):
        child = self.folder / "child"
        begin = time.monotonic()
        with self.assertRaises(OutOfTime):
            self.shell(0.5).run(["bash", "-c", f"sleep 60 & echo $! >{child}; wait"])
        self.assertLess(time.monotonic() - begin, 20)
        deadline = time.monotonic() + 10
        while is_running(int(child.read_text(encoding="utf-8"))) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertFalse(is_running(int(child.read_text(encoding="utf-8"))))

    def test_commands_are_logged_and_judged_by_their_exit_code(self):
        shell = self.shell()
        self.assertEqual(shell.run(["bash", "-c", "echo seen; exit 4"], codes=(0, 4)), 4)
        self.assertIn("seen", shell.log.read_text(encoding="utf-8"))
        with self.assertRaisesRegex(Failed, "exit code 4"):
            shell.run(["bash", "-c", "exit 4"])
        with self.assertRaisesRegex(Failed, "No such file"):
            shell.run([self.folder / "nothing"])
        shell.run(["echo", "kept"], stdout=self.folder / "kept.txt")
        self.assertEqual((self.folder / "kept.txt").read_text(encoding="utf-8"), "kept\n")


def is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").split(")")[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Report(Folder):

    def test_counts_skipped_cases_also_within_one_entry(self):
        junit = self.write("t.xml", """<testsuite><testcase name="A" status="run"><system-out>x.cc:1: Skipped
ends its batches at once
[  SKIPPED ] A.B
x.cc:2: Skipped
no GPU: no CUDA-capable device is detected
</system-out></testcase><testcase name="B" status="fail"/><testcase name="C" status="notrun"><skipped/>
<system-out>x.cc:3: Skipped
no CUDA-capable device is detected
</system-out></testcase><testcase name="D" status="disabled"/></testsuite>""")
        run, failed, reasons = report.test_counts(junit)
        self.assertEqual((run, failed, sum(reasons.values())), (4, ["B"], 4))
        self.assertEqual(report.skipped_for_want_of_gpu(reasons), 2)
        self.assertEqual(report.skipped_for_want_of_gpu(Counter({"NCCL refuses two ranks on one GPU": 1})), 0)

    def test_counts_the_cases_of_a_program_by_its_own_report(self):
        junit = self.write("t.xml", """<testsuites><testsuite><testcase name="A" status="run" result="completed"/>
<testcase name="B" status="run" result="completed"><failure message="x.cc:1&#x0A;no"/></testcase>
<testcase name="C" status="run" result="skipped"><skipped message="x.cc:2&#x0A;no GPU: none&#x0A;"/></testcase>
</testsuite></testsuites>""")
        run, failed, reasons = report.test_counts(junit)
        self.assertEqual((run, failed, dict(reasons)), (3, ["B"], {"no GPU: none": 1}))

    def test_merges_and_compares_profiles(self):
        paths = [self.write(f"{model}.toml", PROFILE.format(model=model, first=first, second=2 * first))
                 for model, first in (("a", 1), ("b", 3))]
        merged = self.write("all.toml", report.merged(paths))
        now = report.profiles_of(merged)
        self.assertEqual(list(now), ["a", "b"])
        base = {"a": {"batch": [1, 2, 4], "latency_ms": [0.96, 1.8, 3]}, "c": {"batch": [1], "latency_ms": [1]}}
        self.assertEqual(report.slower_models(base, now, 0.05), ["a at 2: +11.1%", "a at 4 is missing", "c is missing"])
        text, overhead, delay = report.exit_table(now)
        self.assertAlmostEqual(overhead, 0.02)
        self.assertAlmostEqual(delay, 0.03)
        self.assertIn("2.00%", text)

    def test_benchmarks_of_a_gpu_are_held_to_what_is_asked(self):
        good = {"name": "saturate_cuda/resnet50_worker/8/manual_time", "of_bare": 0.97, "submit_us": 6, "handling_us": 13.9}
        copy = {"name": "assemble_on_gpu/32/manual_time", "of_copy": 0.8}
        fine = [good, copy, dict(copy, name="assemble_on_gpu/8/manual_time", of_copy=0.1),
                dict(good, name="saturate_cuda/resnet50_exits/8/manual_time", of_bare=0.5, handling_us=99),
                dict(good, name="saturate_cuda/resnet50_late/1/manual_time", of_bare=0.9, handling_us=30),
                {"name": "saturate_cpu/resnet18/1/manual_time", "of_bare": 0.5, "submit_us": 99}]
        self.assertEqual(report.bench_faults(self.write("b.json", json.dumps({"benchmarks": fine}))), [])
        slow = [dict(good, of_bare=0.9699), dict(good, handling_us=14), dict(copy, of_copy=0.79)]
        faults = report.bench_faults(self.write("b.json", json.dumps({"benchmarks": slow})))
        self.assertEqual(["bare loop" in faults[0], "20.0 us" in faults[1], "copy's" in faults[2], len(faults)], [True, True, True, 3])

    def test_benchmarks_that_fail_or_are_not_there_count(self):
        good = {"name": "B/1", "real_time": 2.5, "cpu_time": 1, "time_unit": "ms", "iterations": 3, "of_copy": 0.83}
        self.assertEqual(report.bench_lines(self.write("b.json", json.dumps({"benchmarks": [good]}))), ["B/1 2.5 ms of_copy=0.83"])
        for benches in ([], [dict(good, error_occurred=True, error_message="no GPU")]):
            with self.assertRaises(Failed):
                report.bench_lines(self.write("b.json", json.dumps({"benchmarks": benches})))

    def test_finds_the_images_of_the_models(self):
        self.assertEqual(report.models_of(("tm", "classifier"), ROOT),
                         [("rcnn", 480, 640), ("resnet50", 224, 224), ("inception_v3", 299, 299)])

    def test_packs_what_fits_and_names_the_rest(self):
        self.write("out/summary.txt", "s")
        self.write("out/one-gpu.h5", "h" * 5000)
        self.write("out/logs/a.log", "l" * 100)
        self.assertEqual(report.pack(self.folder / "out", self.folder / "p.tar.xz", 2000), ["one-gpu.h5"])
        with tarfile.open(self.folder / "p.tar.xz") as archive:
            self.assertEqual(archive.getnames(), ["out/summary.txt", "out/logs/a.log"])


CMAKE = """case "$1" in
--preset) echo "-- LibTorch: TRUE, with CUDA: OFF; CUDA: OFF; NCCL: OFF" ;;
--build)
  echo "$*" >>cmake.log
  mkdir -p build/release/bin build/release/bench
  for word in bin/harness bench/assembly_bench $(printf '%s\\n' "$@" | grep _test); do
    mkdir -p "build/release/$(dirname "$word")"
    cp "tools/$(sed 's/.*_//; s/.*harness$/harness/' <<<"$word")" "build/release/$word"
  done
  cp tools/bench build/release/bench/device_bench ;;
esac"""
CTEST = """while [ "$1" != --output-junit ]; do shift; done
echo '<testsuite><testcase name="A" status="run"/></testsuite>' >"$2" """
HARNESS = """echo "$*" >>harness.log
words=("$@")
for ((i = 0; i < $#; ++i)); do [ "${words[i]}" != -o ] || out=${words[i + 1]}; done
case "$1" in
list) echo "cpu      usable    stand-in" ;;
profile)
  for ((i = 0; i < $#; ++i)); do [ "${words[i]}" != --model ] || model=${words[i + 1]}; done
  [ "$model" != "${BAD_MODEL:-none}" ] || exit 3
  printf 'device = "d"\\n[[profile]]\\nmodel = "%s"\\nbatch = [1]\\nlatency_ms = [1]\\nexit_points = 1\\n' "$model" >"$out"
  printf '[profile.measured]\\nexit_overhead = 0.1\\npreemption_delay = 0.1\\n' >>"$out" ;;
compare) echo "9 comparisons: 9 within their tolerance, 0 beyond, 0 invalid" ;;
show) echo "a row per cell" ;;
figures) mkdir -p "$out"; touch "$out/f.png" ;;
*) mkdir -p "$out"; touch "$out/$(basename "$1" .toml).h5" ;;
esac"""
TEST = """out=${1#*:}
echo '<testsuites><testcase name="A" status="run"/></testsuites>' >"$out" """
PYTHON = """case "$1" in *write_baseline.py) cp "$2" "$3" ;; *) echo 1 ;; esac"""
BENCH = """for word; do case $word in --benchmark_out=*) out=${word#*=} ;; esac; done
echo '{"benchmarks": [{"name": "B", "real_time": 1, "time_unit": "ns"}]}' >"$out" """


NOT_ON_PROCESSORS = ["sanitizer", "regress", "nccl-one", "nccl-pair"]


class Machine(Folder):
    """The scripts in a folder of their own, with substitutes for all programs."""

    def setUp(self):
        super().setUp()
        for folder in ("ci", "experiments", "workloads/pipelines", "workloads/profiles"):
            shutil.copytree(ROOT / folder, self.folder / folder, ignore=shutil.ignore_patterns("__pycache__"))
        self.write("CMakeLists.txt")
        self.write("CMakePresets.json")
        for name, text in (("cmake", CMAKE), ("ctest", CTEST), ("harness", HARNESS), ("bench", BENCH), ("ninja", ""),
                           ("g++", ""), ("python3", PYTHON), ("test", TEST), ("mpirun", 'shift 4; exec "$@"')):
            self.program(f"tools/{name}", text)

    def run_node(self, *words, **more):
        env = dict(os.environ, PATH=f"{self.folder / 'tools'}:{os.environ['PATH']}", HARNESS_NODE_PYTHON=sys.executable,
                   HARNESS_PYTHON=str(self.folder / "tools/python3"), HARNESS_TORCH_PYTHON=str(self.folder / "tools/python3"),
                   PYTHONDONTWRITEBYTECODE="1") | more
        env.pop("HARNESS_PREFIX", None)
        return subprocess.run([self.folder / "ci/gpu-node", *words], env=env, capture_output=True, text=True, check=False)

    def rows(self, done):
        table = done.stdout[done.stdout.index("step  "):].splitlines()
        return {line.split()[0]: line.split()[1] for line in table[1:table.index("")]}


class Whole(Machine):

    def test_a_folder_that_cannot_be_made_is_told_in_a_line(self):
        done = self.run_node("visit", "1", "--device", "cpu", "--out", str(self.write("file")))
        self.assertEqual((done.returncode, done.stderr.splitlines()), (3, [f"ci/gpu-node: visit: --out {self.folder / 'file'}: File exists"]))

    def test_says_whether_a_signal_or_the_time_ended_it(self):
        clock = runner.Clock(0)
        self.assertEqual((clock.is_over(), clock.why_over()), (True, "the time was up"))
        clock = runner.Clock(None)
        clock.stop()
        self.assertEqual((clock.is_over(), clock.why_over()), (True, "a signal came"))

    def test_a_second_one_does_not_clear_what_the_first_is_making(self):
        made = self.write("results-out/gpu-visit/state.json", "{}").parent
        held = os.open(made, os.O_RDONLY)
        self.addCleanup(os.close, held)
        fcntl.flock(held, fcntl.LOCK_EX)
        done = self.run_node("visit", "1", "--device", "cpu", "--out", str(self.folder / "out"))
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertRegex(done.stderr, "^ci/gpu-node: .*gpu-visit: another ci/gpu-node is at work there; [^\n]*\n$")

    def test_runs_every_step_and_packs_the_results(self):
        done = self.run_node("run", "--device", "cpu")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = [self.rows(done)[each.name] for each in STEPS]
        self.assertEqual(found, ["not" if each.name in NOT_ON_PROCESSORS else "passed" for each in STEPS], done.stdout)
        with tarfile.open(self.folder / "results-out/gpu-node.tar.xz") as archive:
            self.assertLessEqual({"gpu-node/summary.txt", "gpu-node/profiles.toml", "gpu-node/one-gpu.h5", "gpu-node/tests.xml",
                                  "gpu-node/figures/one-gpu/f.png", "gpu-node/logs/build.log"}, set(archive.getnames()))
        calls = (self.folder / "harness.log").read_text(encoding="utf-8")
        self.assertIn("node.toml --set cluster.profiles=", calls)
        again = self.run_node("run", "--device", "cpu")
        self.assertEqual(again.returncode, 0)
        self.assertEqual(re.findall(r"^== (\S+):", again.stdout, re.MULTILINE), NOT_ON_PROCESSORS)
        fresh = self.run_node("run", "--device", "cpu", "--fresh", "environment")
        self.assertEqual((fresh.returncode, self.rows(fresh)["build"]), (0, "left"), fresh.stderr)

    def test_a_model_that_fails_is_named_and_the_others_are_used(self):
        done = self.run_node("run", "--device", "cpu", BAD_MODEL="inception_v3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 of 3 models could not be measured: inception_v3", done.stdout)
        self.assertEqual(self.rows(done)["fidelity"], "passed")

    def test_ends_in_time_and_goes_on(self):
        done = self.run_node("run", "--device", "cpu", "--budget-s", "0")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(set(self.rows(done).values()), {"left"})
        self.assertEqual(self.run_node("run", "--device", "cpu").returncode, 0)

    def test_refuses_what_it_does_not_know(self):
        for words, text in ((("run", "nothing"), "step nothing"), (("run", "--prefix", "gone"), "gone")):
            done = self.run_node(*words)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertIn(text, done.stderr)

    def test_without_a_gpu_says_so(self):
        self.program("tools/nvidia-smi", "exit 9")
        done = self.run_node("run", "environment")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nvidia-smi shows no GPU", done.stdout)


class Lacks(unittest.TestCase):

    def test_are_told_all_at_once(self):
        def no_python():
            raise Failed("no Python with h5py")
        node = SimpleNamespace(shell=SimpleNamespace(env={"PATH": "/nowhere"}), device="cuda", bundle=None, gpus=lambda: [], python=no_python)
        told = "; ".join(steps.lacking(node, ""))
        for what in ("no cmake", "no ninja", "no g++", "no Python with h5py", "no Python with torch", "no GPU"):
            self.assertIn(what, told)

    def test_a_reader_that_is_gone_is_no_traceback(self):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([ROOT / "ci/gpu-node", "steps"], stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
        os.close(writing)
        self.assertEqual(done.stderr, "")


class Names(unittest.TestCase):

    def test_every_experiment_that_runs_is_there(self):
        text = (ROOT / "ci/gpu_node/steps.py").read_text(encoding="utf-8")
        names = set(re.findall(r"experiments/gpu/([a-z-]+)\.toml", text))
        self.assertEqual(names - {path.stem for path in (ROOT / "experiments/gpu").glob("*.toml")}, set())

    def test_a_gpu_profiles_every_model_of_the_experiments(self):
        pipelines = {name for path in (ROOT / "experiments/gpu").glob("*.toml")
                     for name in re.findall(r'"([a-z]+)"', re.search(r"pipelines = \[(.*)\]", path.read_text(encoding="utf-8"))[1])}
        self.assertEqual(set(sizes.GPU.pipelines), pipelines)


if __name__ == "__main__":
    unittest.main()
