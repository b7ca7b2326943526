"""The scripts under ci/ notice what they are there to notice. Each runs as a copy beside stand-ins for what it calls."""

import os
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


class Scripts(unittest.TestCase):

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

    def run_script(self, *words):
        env = dict(os.environ, PATH=f"{self.folder / 'tools'}:{os.environ['PATH']}")
        return subprocess.run([str(self.folder / "ci" / words[0]), *words[1:]], env=env, capture_output=True, text=True,
                              check=False)

    def harness(self, build, cell):
        self.program(f"{build}/bin/harness", f'[ "$1" != show ] || printf "%s\\n" "{COLUMNS}" "{cell}"')

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

    def test_headline_needs_cells(self):
        self.assertNotEqual(self.headline()[0], 0)


if __name__ == "__main__":
    unittest.main()
