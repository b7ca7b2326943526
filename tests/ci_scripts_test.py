"""The scripts under ci/ notice what they are there to notice. Each runs as a copy beside substitutes for what it calls."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = ("system,variant,pipeline,trace,load,seed,status,sent,in_time,late,dropped,goodput_rps,drop_rate,invalid_rate,"
           "latency_ms_p50,latency_ms_p99,bound_share,wall_s,fingerprint")
CELL = "pard,default,lv,tweet,1,1,ok,100,80,5,15,8.5,0.2,0.1,30.5,90.25,0.9,{wall},00ff"


class Copies(unittest.TestCase):
    """A folder with a copy of ci/ and substitutes for what it calls."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(ROOT / "ci", self.folder / "ci")
        self.program("tools/cmake", "exit 0")
        self.program("tools/mpirun", 'shift 2; exec "$@"')

    def program(self, path, text):
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text("#!/usr/bin/env bash\n" + text + "\n")
        (self.folder / path).chmod(0o755)


class Scripts(Copies):

    def run_script(self, *words):
        env = dict(os.environ, PATH=f"{self.folder / 'tools'}:{os.environ['PATH']}")
        env.pop("HARNESS_PYTHON", None)
        return subprocess.run([str(self.folder / "ci" / words[0]), *words[1:]], env=env, capture_output=True, text=True,
                              check=False)

    def harness(self, build, cell):
        self.program(f"{build}/bin/harness", f'[ "$1" != show ] || printf "%s\\n" "{COLUMNS}" "{cell}"')

    def apt_with_everything(self):
        """Nothing is missing but torch; a substitute for python makes the environment that the script asks for."""
        self.program("tools/dpkg-query", "printf installed")
        self.program("tools/apt-get", 'echo "apt-get $*" >>"$0.log"')

    def test_setup_refuses_what_it_does_not_know(self):
        done = self.run_script("setup", "--gpu")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "ci/setup: found '--gpu'; allowed: --program, --run, --cuda, --servers, --prefix DIR, or nothing\n")

    def test_setup_leaves_the_torch_that_is_there(self):
        self.apt_with_everything()
        self.program("build/torch/bin/python3", 'echo "$*" >>build/asked; [ "$1" = -c ] && echo 2.11.0 || exit 9')
        self.report_tools()
        self.assertEqual(self.run_script("setup").returncode, 0)
        self.assertFalse((self.folder / "build/asked").exists())
        done = self.run_script("setup", "--cuda")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertNotIn("pip", (self.folder / "build/asked").read_text())

    def report_tools(self):
        """Those that are there, and those of the site; returns the version that the reports ask for."""
        site_version = re.search(r"install_with_pip python3 mkdocs-material (\S+)", (ROOT / "ci/setup").read_text())[1]
        (self.folder / f"build/site-tools/mkdocs_material-{site_version}.dist-info").mkdir(parents=True, exist_ok=True)
        (self.folder / "results/report").mkdir(parents=True, exist_ok=True)
        pins = Path(shutil.copy(ROOT / "results/report/packages.py", self.folder / "results/report")).read_text()
        version, ruptures = (re.search(rf'^{name} = "(.*?)"', pins, re.MULTILINE)[1] for name in ("VL_CONVERT", "RUPTURES"))
        for tool in (f"vl_convert_python-{version}", f"ruptures-{ruptures}"):
            (self.folder / f"build/report-tools/{tool}.dist-info").mkdir(parents=True, exist_ok=True)
        return version

    def asked_of_python(self):
        log = self.folder / "tools/python3.log"
        return log.read_text() if log.exists() else ""

    def test_setup_fetches_the_libraries_of_reports_once(self):
        self.apt_with_everything()
        self.program("tools/python3", 'echo "$*" >>"$0.log"')
        version = self.report_tools()
        self.assertEqual(self.run_script("setup").returncode, 0)
        self.assertNotIn("pip", self.asked_of_python())
        shutil.rmtree(self.folder / "build/report-tools")
        self.assertEqual(self.run_script("setup", "--program").returncode, 0)
        self.assertNotIn("pip", self.asked_of_python())
        self.assertEqual(self.run_script("setup").returncode, 0)
        self.assertIn(f"--target build/report-tools vl-convert-python=={version}\n", self.asked_of_python())
        self.assertIn("--target build/report-tools ruptures==", self.asked_of_python())
        self.assertNotIn("mkdocs", self.asked_of_python())

    def test_reproduction_is_of_all_papers_or_of_one(self):
        self.program("build/release/bin/harness", 'echo "$*" >>ran')
        self.program("tools/filler", 'echo "$*" >>ran')
        (self.folder / "build/release/CMakeCache.txt").write_text(f"HARNESS_PYTHON:FILEPATH={self.folder / 'tools/filler'}\n")
        pages = {"pard": "docs/reproduction.md", "shepherd": "docs/reproduction-shepherd.md", "loki": "docs/reproduction-loki.md"}
        for words, papers in (((), list(pages)), (("shepherd", "--fresh"), ["shepherd"]), (("--fresh",), list(pages))):
            (self.folder / "ran").unlink(missing_ok=True)
            done = self.run_script("reproduction", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            ran = (self.folder / "ran").read_text().splitlines()
            for paper, page in pages.items():
                fresh = " --fresh" if "--fresh" in words else ""
                self.assertEqual(f"experiments/{paper}/all.toml --quiet -o results-out/{paper}{fresh}" in ran, paper in papers, (words, paper))
                self.assertEqual(f"results/tables.py {page} results-out/{paper}" in ran, paper in papers, (words, paper))

    def test_attack_notices_a_program_that_crashes_and_one_that_accepts_everything(self):
        for path in ("harness/cli/program_testing.py", "docs/keys.md", "results/seal.py"):
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, self.folder / path)
        for program in ("kill -SEGV $$", "exit 0"):
            self.program("build/release/bin/harness", program)
            for kind in ("kills", "damage", "hostile", "faults", "limits"):
                env = dict(os.environ, HARNESS_JOBS="2")
                done = subprocess.run([sys.executable, str(self.folder / "ci/attack"), "--only", kind, "--tries", "4"], env=env,
                                      capture_output=True, text=True, check=False, timeout=120)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(f"FAILED: ci/attack --only {kind} --seed 1 --tries 1", done.stdout, done.stderr)
                shutil.rmtree(re.search(r"files: (\S+)/", done.stdout)[1])

    def test_goldens_notice_another_value_another_exit_code_and_a_missing_answer(self):
        (self.folder / "experiments/a").mkdir(parents=True)
        (self.folder / "experiments/a/b.toml").write_text("[workload]\n")
        (self.folder / "experiments/a/live.toml").write_text('runtime = "gpu"\n')
        folders = [str(self.folder / name) for name in ("made", "before", "after")]
        said = '[{"cell": 0, "goodput_rps": 8.5, "load": null, "wall_s": %s}]'
        self.program("build/release/bin/harness", f"[[ $1 == */b.toml ]] && mkdir -p $3 && touch $3/b.h5 || echo '{said % 1}'")
        self.assertIn("1 experiments; longer", self.run_script("goldens", "make", folders[0]).stdout)
        self.assertEqual(self.run_script("goldens", "say", *folders[:2]).stdout, "9 answers\n")
        for answer, differ in ((said % 2, 0), ((said % 1).replace("8.5", "8.6"), 9), ((said % 1).replace('"load": null, ', ""), 9)):
            self.compare_goldens(folders, f"echo '{answer}'", differ)
        self.compare_goldens(folders, f"echo '{said % 1}'; [ $1 != claims ]", 1)
        (self.folder / "after/a-b.show.json").unlink()
        self.assertIn("9 answers, 2 differ", self.run_script("goldens", "same", *folders[1:]).stdout)

    def compare_goldens(self, folders, answer, differ):
        self.program("build/release/bin/harness", answer)
        self.run_script("goldens", "say", folders[0], folders[2])
        compared = self.run_script("goldens", "same", *folders[1:])
        self.assertEqual((compared.returncode, compared.stdout.split("\n")[-2]), (int(differ > 0), f"9 answers, {differ} differ"))

    def test_cuda_fails_when_the_build_has_no_such_devices(self):
        self.apt_with_everything()
        self.program("tools/nvcc", "exit 0")
        self.program("build/torch/bin/python3", "echo 2.11.0")
        self.program("tools/ctest", "exit 0")
        for said, code in (("ON", 0), ("OFF", 1)):
            self.program("tools/cmake", f"echo '-- LibTorch: ON, with CUDA: {said}; CUDA: ON; NCCL: ON'")
            self.assertEqual(self.run_script("cuda").returncode, code, said)

    def test_fuzz_fails_without_targets(self):
        targets = self.folder / "build/fuzz/tests/fuzz"
        targets.mkdir(parents=True)
        nothing = self.run_script("fuzz")
        self.assertNotEqual(nothing.returncode, 0)
        self.assertIn("no fuzz target", nothing.stderr)
        self.program(targets / "good_fuzz", "exit 0")
        self.assertEqual(self.run_script("fuzz").returncode, 0)
        self.program(targets / "bad_fuzz", "exit 1")
        self.assertNotEqual(self.run_script("fuzz").returncode, 0)

    def test_same_fingerprints_compares_figures_but_not_times(self):
        self.harness("a", CELL.format(wall=1))
        self.harness("b", CELL.format(wall=2))
        same = self.run_script("same-fingerprints", "a", "b")
        self.assertEqual(same.returncode, 0, same.stderr)
        self.assertIn("goodput_rps=8.5 ", same.stdout)
        for value in ["00ff", "100", "80", ",5,", "15", "8.5", "0.2", "0.1", "30.5", "90.25"]:
            self.harness("b", CELL.format(wall=1).replace(value, value.replace(value.strip(",")[-1], "7", 1)))
            self.assertNotEqual(self.run_script("same-fingerprints", "a", "b").returncode, 0, value)

    def headline(self, *cells):
        done = subprocess.run([sys.executable, str(ROOT / "ci/headline.py")], input="\n".join((COLUMNS,) + cells),
                              capture_output=True, text=True, check=False)
        return done.returncode, [line.split() for line in done.stdout.splitlines()]

    def test_headline_puts_the_best_first_and_skipped_cells_last(self):
        other = CELL.format(wall=1).replace("pard", "naive").replace("8.5", "9.5")
        status, lines = self.headline("x,default,lv,tweet,1,1,skipped,,,,,,,,,,,,", CELL.format(wall=1),
                                      "y,default,lv,tweet,1,1,skipped,0,0,0,0,0,0,0,0,0,0,0,", other)
        self.assertEqual(status, 0)
        self.assertEqual(lines[2:], [["naive", "9.5", "20.00%", "10.00%", "90.0%"],
                                     ["pard", "8.5", "20.00%", "10.00%", "90.0%"], ["x", "skipped"], ["y", "skipped"]])

    def test_headline_compares_pard_with_the_better_of_its_baselines(self):
        def lines(*rows):
            text = "\n".join(("system,variant,pipeline,load,status,goodput_rps,goodput_overload_rps",) + rows)
            return subprocess.run([sys.executable, str(ROOT / "ci/headline.py")], input=text, capture_output=True, text=True,
                                  check=True).stdout

        cells = ["pard,default,lv,1,ok,40,30", "nexus,default,lv,1,ok,40,10", "clipperpp,default,lv,1,ok,40,20"]
        self.assertIn("in overload pard has 1.50 times the goodput of the better", lines(*cells, "nexus,split,lv,1,ok,40,60"))
        for missing in range(3):
            self.assertNotIn("times", lines(*cells[:missing], cells[missing].rsplit(",", 1)[0] + ",", *cells[missing + 1:]))
        self.assertNotIn("times", lines(cells[0], "nexus,default,lv,1,ok,40,0", "clipperpp,default,lv,1,ok,40,0"))

    def test_headline_needs_cells(self):
        self.assertNotEqual(self.headline()[0], 0)

    def test_batch_files_hold_64_gpus_and_a_rank_for_the_load(self):
        for name, nodes in (("harness-8x8", 8), ("harness-16x4", 16)):
            text = (ROOT / f"ci/slurm/{name}.sbatch").read_text(encoding="utf-8")
            options = dict(re.findall(r"^#SBATCH --([a-z-]+)=(\S+)$", text, re.MULTILINE))
            self.assertEqual((options["nodes"], options["ntasks"]), (str(nodes), str(nodes + 1)))
            self.assertEqual(options["signal"], "B:TERM@60")
            self.assertIn(f"##SBATCH --gpus-per-node={64 // nodes}\n", text)
            self.assertIn("\n#SBATCH --requeue\n", text)

    def test_every_bash_script_can_be_parsed(self):
        files = [path for path in sorted((ROOT / "ci").rglob("*")) if path.is_file()]
        scripts = [path for path in files if path.read_bytes().startswith(b"#!/usr/bin/env bash")]
        self.assertGreater(len(scripts), 10)
        for path in scripts:
            done = subprocess.run(["bash", "-n", str(path)], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)


class InJob(Copies):

    def in_job(self, *words, harness, launcher="srun", **environment):
        """Runs ci/slurm/in-job with a harness that logs its arguments and does `harness`."""
        log = self.folder / "log"
        log.write_text("")
        self.program("tools/srun", 'shift 2; exec "$@"')
        self.program("tools/mpirun", 'shift 4; exec "$@"')
        self.program("tools/scontrol", f'echo "scontrol $*" >>{log}')
        self.program("build/release/bin/harness", f'echo "$*" >>{log}\n{harness}')
        env = dict(os.environ, PATH=f"{self.folder / 'tools'}:{os.environ['PATH']}", SLURM_JOB_ID="7", SLURM_NTASKS="9",
                   SLURM_JOB_NUM_NODES="8", HARNESS_LAUNCHER=launcher, **environment)
        done = subprocess.run([str(self.folder / "ci/slurm/in-job"), *words], env=env, cwd=self.folder, capture_output=True,
                              text=True, check=False)
        return done.returncode, log.read_text().splitlines()

    def test_in_job_asks_doctor_first_and_stops_when_it_fails(self):
        for launcher in ("srun", "mpirun"):
            well = self.in_job("a/e.toml", "--fresh", harness="exit 0", launcher=launcher)
            self.assertEqual(well, (0, ["doctor a/e.toml -o results-out", "a/e.toml --fresh -o results-out"]))
        self.assertEqual(self.in_job("e.toml", harness="exit 1"), (1, ["doctor e.toml -o results-out"]))
        self.assertEqual(self.in_job("e.toml", harness="", launcher="ssh"), (2, []))
        self.assertEqual(self.in_job(harness="")[0], 2)

    def test_in_job_asks_for_another_turn_only_if_cells_are_missing(self):
        stopped = '[ "$1" = doctor ] || exit {status}'
        turn = "scontrol requeue 7"
        self.assertNotIn(turn, self.in_job("e.toml", harness=stopped.format(status=3))[1])
        (self.folder / "results-out/e.cells").mkdir(parents=True)
        for status, again in ((3, True), (143, True), (0, False), (1, False), (2, False)):
            code, log = self.in_job("e.toml", harness=stopped.format(status=status))
            self.assertEqual((code, turn in log), (status, again))
        code, log = self.in_job("e.toml", "--fresh", harness=stopped.format(status=3), SLURM_RESTART_COUNT="9")
        self.assertEqual(log, ["doctor e.toml -o results-out", "e.toml -o results-out", turn])
        code, log = self.in_job("e.toml", harness=stopped.format(status=3), SLURM_RESTART_COUNT="10")
        self.assertEqual((code, turn in log), (3, False))

    def test_in_job_of_an_array_runs_the_part_of_its_task(self):
        task = {"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "8", "SLURM_ARRAY_TASK_MIN": "1",
                "SLURM_ARRAY_TASK_MAX": "8", "SLURM_ARRAY_JOB_ID": "7"}
        log = self.in_job("e.toml", harness="exit 0", **task)[1]
        self.assertEqual(log, ["doctor e.toml -o results-out/part-3", "--part 3/8 e.toml -o results-out/part-3"])
        log = self.in_job("e.toml", harness="exit 0", HARNESS_PARTS="100", HARNESS_OUT="out", **task)[1]
        self.assertEqual(log[1], "--part 3/100 e.toml -o out/part-3")
        # One task again: of how many it is must be said. An array from 0 has no last part.
        for ids in (("3", "3", "3", "1"), ("0", "0", "7", "8"), ("7", "1", "15", "8")):
            again = dict(zip((f"SLURM_ARRAY_TASK_{name}" for name in ("ID", "MIN", "MAX", "COUNT")), ids))
            self.assertEqual(self.in_job("e.toml", harness="exit 0", **again), (2, []), ids)
            log = self.in_job("e.toml", harness="exit 0", HARNESS_PARTS="100", **again)[1]
            self.assertIn(f"--part {ids[0]}/100 ", log[1])
        (self.folder / "results-out/part-3/e.cells").mkdir(parents=True)
        log = self.in_job("e.toml", harness='[ "$1" = doctor ] || exit 3', **task)[1]
        self.assertEqual(log[-1], "scontrol requeue 7_3")

    def test_in_job_counts_all_experiments_of_a_suite(self):
        stopped = '[ "$1" = doctor ] || exit 3'
        results = self.folder / "results-out"
        results.mkdir()
        (self.folder / "all.toml").write_text(
            'name = "x"  # suite = ["no.toml"]\nsuite = [\n  "e/one.toml",  # the first\n  \'two.toml\',\n]\n')
        again = lambda: "scontrol requeue 7" in self.in_job("all.toml", harness=stopped)[1]
        self.assertFalse(again(), "nothing was begun")
        (results / "one.cells").mkdir()
        self.assertTrue(again())
        (results / "one.cells").rmdir()
        (results / "one.h5").touch()
        self.assertTrue(again(), "stopped between two experiments")
        (results / "two.cells").mkdir()
        self.assertTrue(again())
        (results / "two.cells").rmdir()
        (results / "two.h5").touch()
        self.assertFalse(again(), "all are complete")


if __name__ == "__main__":
    unittest.main()
