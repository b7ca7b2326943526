"""ci/gpu-node visit: its blocks run what its list says, go on where they stopped, and build only what they run. The machine is that of
gpu_node_test.py."""

import os
import re
import tarfile
import unittest
from types import SimpleNamespace

from gpu_node_test import ROOT, Folder, Machine  # also finds the modules of ci/gpu_node

import runner  # noqa: E402
import sizes  # noqa: E402
import steps  # noqa: E402
import visit  # noqa: E402
from node import Node  # noqa: E402
from problems import Failed  # noqa: E402


class Visits(Machine):

    def visit(self, number, *words, **more):
        return self.run_node("visit", number, "--device", "cpu", "--out", self.folder / "out", *words, **more)

    def test_each_block_of_a_visit_runs_what_is_listed_and_packs(self):
        self.program("build/release/bench/device_bench", "exit 1")
        before = sorted(self.folder.rglob("*"))
        listed = self.run_node("visit", "--list", "--device", "cpu")
        self.assertEqual((listed.returncode, listed.stderr), (0, ""))
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        for number, block in visit.BLOCKS.items():
            done = self.visit(number)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(list(self.rows(done)), [each.name for each in block.steps])
            self.assertEqual("== build" in done.stdout, number in ("1", "2"), done.stdout)  # what lay there before was not counted
            with tarfile.open(self.folder / f"out/visit-{number}.tar.xz") as archive:
                names = set(archive.getnames())
            self.assertLessEqual({"gpu-visit/state.json", "gpu-visit/summary.txt"}, names)
        self.assertLessEqual({"gpu-visit/tests/assembly_test.xml", "gpu-visit/quickstart-torch.h5", "gpu-visit/quickstart-torch-show.txt",
                              "gpu-visit/bench/device_bench.json", "gpu-visit/profiles.toml", "gpu-visit/cut/one-gpu.h5",
                              "gpu-visit/cut/one-gpu-show.txt", "gpu-visit/exit-points.txt", "gpu-visit/saturation.h5",
                              "gpu-visit/baseline/cpu/regress.h5", "gpu-visit/first.toml", "gpu-visit/one-gpu.h5"}, names)
        self.assertLessEqual(len(list((self.folder / "out").iterdir())), 8)
        self.assertNotIn("harness/gpu/all", (self.folder / "cmake.log").read_text(encoding="utf-8"))
        ran = (self.folder / "harness.log").read_text(encoding="utf-8")
        for line in ran.replace(f"{self.folder}/", "").replace(" --fresh", "").replace(".part.toml", ".toml").splitlines():
            self.assertTrue(f"harness {line}\n" in listed.stdout.replace("'", ""), line)
        again = self.visit("3")
        self.assertEqual((again.returncode, "== " in again.stdout), (0, False), again.stdout)

    def test_a_visit_that_ends_in_time_goes_on(self):
        self.assertEqual(self.visit("3", "--budget-s", "0").returncode, 3)
        failed = self.visit("3", BAD_MODEL="inception_v3")
        self.assertEqual((failed.returncode, self.rows(failed)["fidelity-cut"]), (1, "passed"), failed.stdout)
        self.write("harness.log")
        self.assertEqual(self.visit("3").returncode, 0)
        measured = re.findall(r"^profile .*--model (\S+)", (self.folder / "harness.log").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertEqual(measured, ["inception_v3"])

    def test_what_was_measured_stays_when_a_visit_is_of_other_sources(self):
        self.assertEqual(self.visit("3").returncode, 0)
        self.write("CMakeLists.txt", "changed")
        done = self.visit("2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("results-out/gpu-visit-earlier now", done.stdout)
        self.assertTrue((self.folder / "results-out/gpu-visit-earlier/cut/one-gpu.h5").exists())
        self.assertFalse((self.folder / "results-out/gpu-visit/cut").exists())

    def test_refuses_numbers_that_are_none(self):
        for words in (("--jobs", "-1"), ("--budget-s", "-3"), ("--budget-s", "nan")):
            done = self.visit("2", *words)
            self.assertEqual((done.returncode, "found " + words[1] in done.stderr), (2, True), done.stderr)

    def test_asks_for_a_block_and_a_folder(self):
        for words, text in ((("7", "--out", "x"), "found block 7"), (("1",), "no --out"), ((), "block None")):
            done = self.run_node("visit", *words)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertIn(text, done.stderr)


class CudaTools(Folder):

    def setUp(self):
        super().setUp()
        shell = runner.Shell(self.folder, dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}"), runner.Clock(None))
        shell.log = self.folder / "log"
        self.node = Node(self.folder, self.folder, "cuda", None, 1, shell=shell)

    def test_what_the_sanitizer_has_passed_is_not_run_again(self):
        self.program("compute-sanitizer", 'echo "$2 $(basename "${@: -2:1}")" >>ran; [ "$2" != "$(cat bad)" ]')
        for path in ("harness/gpu/cuda/assemble_batch_test", "harness/gpu/nccl/nccl_lane_test", "bin/harness"):
            self.write(f"build/cuda/{path}")
        self.write("bad", "racecheck")
        with self.assertRaisesRegex(Failed, "2 of 5 runs found something: racecheck assemble_batch_test, racecheck nccl_lane_test"):
            visit.sanitizer(self.node, False)
        self.write("bad", "none")
        self.write("ran")
        self.assertEqual(visit.sanitizer(self.node, False), "5 runs, nothing found")
        self.assertEqual(len((self.folder / "ran").read_text(encoding="utf-8").splitlines()), 2)

    def test_counters_of_the_kernel_are_read_or_said_to_be_refused(self):
        self.program("ncu", "echo '    DRAM Throughput           %        71.25'")
        self.assertEqual(steps.kernel_counters(self.node, False), "DRAM Throughput 71.25 %")
        self.program("ncu", "echo '==ERROR== ERR_NVGPUCTRPERM'")
        with self.assertRaisesRegex(Failed, "not let to count"):
            steps.kernel_counters(self.node, False)


class Blocks(unittest.TestCase):

    def test_every_sweep_that_is_cut_is_one_of_an_experiment(self):
        for size in (sizes.CPU, sizes.GPU_VISIT):
            for name, settings in (("one-gpu", (*size.one_gpu, sizes.ONCE)), ("saturation", size.saturation), ("node", size.node)):
                text = (ROOT / f"experiments/gpu/{name}.toml").read_text(encoding="utf-8")
                for key in (setting.split("=")[0] for setting in settings):
                    if key.startswith(("live.repeat", "module.")):
                        self.assertIn(f'key = "{key}"', text)

    def test_each_block_is_whole_bounded_and_builds_what_it_runs(self):
        for device, size in (("cuda", sizes.GPU_VISIT), ("cpu", sizes.CPU_VISIT)):
            node = Node(ROOT, ROOT / "results-out" / "gpu-visit", device, None, 2)
            node.sizes = size
            node.python = node.torch_python = lambda: "python3"
            node.shell = SimpleNamespace(output=lambda _: "", env={"PATH": ""})
            for number, block in visit.BLOCKS.items():
                names = [each.name for each in block.steps]
                for each in block.steps:
                    self.assertTrue(each.limit_s and each.limit_s <= 540, (number, each.name))
                    self.assertLessEqual(set(each.needs), set(names[:names.index(each.name)]), (number, each.name))
                    self.assertTrue(each.commands or each.name == "environment", (number, each.name))
                words = [str(word) for each in block.steps if each.commands for command in each.commands(node) for word in command]
                built = words[words.index("--target") + 1:]
                ran = {word.removeprefix(f"{node.build}/") for word in words if word.startswith(f"{node.build}/")}
                if device == "cuda" or number != "5":
                    self.assertLessEqual(ran - {"bench/assembly_cuda_bench"} if device == "cpu" else ran, set(built), number)


if __name__ == "__main__":
    unittest.main()
