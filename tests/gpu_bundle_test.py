"""ci/gpu-node pack, exec and visit --bundle: what goes into a bundle, where it fits, how its programs are found. The machine is that of
gpu_node_test.py."""

import json
import os
import sys
import unittest

from gpu_node_test import Folder, Machine  # also finds the modules of ci/gpu_node

import bundle  # noqa: E402
import node  # noqa: E402
import prefix  # noqa: E402
from problems import Problem  # noqa: E402

NEEDS = {"glibc": "2.2", "torch": "2.11.0", "identity": "i"}


class Bundle(Folder):

    def torch(self, version="2.11.0"):
        self.write("site/nvidia/nccl/lib/libnccl.so.2")
        self.write("site/torch/lib/libtorch_cuda.so")
        return bundle.Torch("python3", self.folder / "site/torch", version)

    def test_says_what_does_not_fit(self):
        needs = dict(NEEDS, glibc="2.36")
        for machine, glibc, torch, text in (("x86_64", "2.36", "2.11.0", ""), ("x86_64", "2.40", "2.11.1", ""),
                                            ("aarch64", "2.36", "2.11.0", "for x86_64"), ("x86_64", "2.35", "2.11.0", "glibc 2.36"),
                                            ("x86_64", "2.4", "2.11.0", "glibc 2.36"), ("x86_64", "2.36", "2.12.0", "has 2.12.0"),
                                            ("x86_64", "2.36", "2.11.0a0+git1", ""), ("x86_64", "2.36", "2.10.0rc1+cu130", "has 2.10.0rc1"),
                                            ("x86_64", "2.36", None, "no Python")):
            why = bundle.misfit(needs, machine, glibc, self.torch(torch) if torch else None)
            self.assertEqual(bool(why), bool(text))
            self.assertIn(text, why)
        torch = self.torch()
        (self.folder / "site/torch/lib/libtorch_cuda.so").unlink()
        self.assertIn("a torch with CUDA", bundle.misfit(needs, "x86_64", "2.36", torch))

    def test_links_that_are_right_stay(self):
        self.write("p/usr/lib/x86_64-linux-gnu/libsz.so.2")
        folder = prefix.link_libraries(self.folder / "p", set())
        before = os.lstat(folder / "libsz.so.2").st_ino
        (folder / "libgone.so.1").symlink_to("nowhere")
        prefix.link_libraries(self.folder / "p", set())
        self.assertEqual((os.lstat(folder / "libsz.so.2").st_ino, os.listdir(folder)), (before, ["libsz.so.2"]))

    def test_finds_its_programs_its_libraries_and_torch(self):
        self.write("b/usr/lib/x86_64-linux-gnu/libmpi.so.40")
        self.write("b/bundle.json", json.dumps(NEEDS))
        env = bundle.with_bundle({"PATH": "/bin"}, self.folder / "b", self.folder, self.torch())
        self.assertEqual(env["PATH"], f"{self.folder}/b/bin:{self.folder}/b/usr/bin:/bin")
        self.assertEqual(env["LD_LIBRARY_PATH"].split(":"), [str(self.folder / path) for path in (
            "b/libraries", "site/torch/lib", "site/nvidia/nccl/lib")])
        self.assertEqual(env["HARNESS_HOME"], str(self.folder))

    def test_knows_the_newest_version_that_a_binary_asks_for(self):
        self.write("a").write_bytes(b"\x7fELF\0GLIBC_2.9\0GLIBC_2.34\0GLIBC_2.2.5\0GLIBCXX_3.4.30\0")
        self.write("b", "\0GLIBC_2.99\0")
        self.assertEqual((bundle.newest(b"GLIBC", self.folder), bundle.newest(b"GLIBCXX", self.folder)), ("2.34", "3.4.30"))

    def test_takes_no_library_that_every_machine_has_and_no_plugin_of_a_network(self):
        for name in ("libc.so.6", "ld-linux-x86-64.so.2", "libstdc++.so.6", "libgcc_s.so.1", "libm.so.6"):
            self.assertTrue(bundle.OF_THE_NODE.match(name), name)
        for name in ("libcurl.so.4", "libmpi.so.40", "libcrypto.so.3", "libhdf5_serial.so.103"):
            self.assertFalse(bundle.OF_THE_NODE.match(name), name)
        self.assertTrue(bundle.LEFT_OUT.search("mca_btl_ofi.so") and not bundle.LEFT_OUT.search("mca_btl_tcp.so"))

    def test_belongs_to_the_sources_it_was_made_of(self):
        for name in ("CMakeLists.txt", "CMakePresets.json"):
            self.write(name)
        self.write("b/bundle.json", json.dumps(dict(NEEDS, identity=node.identity_of(self.folder))))
        self.assertEqual(bundle.opened(self.folder / "b", self.folder, node.identity_of(self.folder)), self.folder / "b")
        self.write("harness/a.cc")
        with self.assertRaisesRegex(Problem, "made of other sources"):
            bundle.opened(self.folder / "b", self.folder, node.identity_of(self.folder))

    def test_torch_is_found_without_loading_it(self):
        self.write("lib/torch/__init__.py", "raise SystemExit('loaded')")
        self.write("lib/torch-2.11.0+cu130.dist-info/METADATA", "Metadata-Version: 2.1\nName: torch\nVersion: 2.11.0+cu130\n")
        python = self.program("python", f'PYTHONPATH={self.folder}/lib exec {sys.executable} "$@"')
        found = bundle.torch_of(["/no/python", python])
        self.assertEqual((found.folder, found.version, found.python), (self.folder / "lib/torch", "2.11.0", str(python)))
        self.assertIsNone(bundle.torch_of(["/no/python"]))


class Visit(Machine):

    def setUp(self):
        super().setUp()
        self.write("b/bundle.json", json.dumps(dict(NEEDS, identity=node.identity_of(self.folder))))
        self.write("b/usr/lib/x86_64-linux-gnu/libmpi.so.40")
        self.write("site/torch/lib/libtorch_cuda.so")
        for path, stand_in in (("bin/harness", "harness"), ("harness/gpu/gpu_devices_test", "test"), ("bench/assembly_bench", "bench"),
                               ("bench/device_bench", "bench")):
            self.program(f"b/{path}", f'exec "{self.folder}/tools/{stand_in}" "$@"')
        self.program("tools/python3", 'case "$2" in *torch*) printf "%s/site/torch\\n2.11.0+cu130\\n" "{0}" ;; *) echo 1 ;; esac'.replace("{0}", str(self.folder)))

    def test_runs_its_programs_and_builds_nothing(self):
        for number in ("1", "2"):
            done = self.run_node("visit", number, "--device", "cpu", "--bundle", self.folder / "b", "--out", self.folder / "out")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertFalse((self.folder / "cmake.log").exists())
        self.assertIn(f"{self.folder}/b/bin/harness", (self.folder / "results-out/gpu-visit/logs/quickstart.log").read_text(encoding="utf-8"))
        listed = self.run_node("visit", "--list", "--bundle", self.folder / "b").stdout
        self.assertIn("   b/bin/harness profile", listed)
        self.assertNotIn("cmake", listed)

    def test_says_in_a_line_what_does_not_fit(self):
        self.program("tools/python3", "exit 1")
        visit = ("visit", "1", "--device", "cpu", "--out", self.folder / "out", "--bundle")
        torchless = dict(HARNESS_NODE_PYTHON=str(self.program("python", f'exec {sys.executable} -S "$@"')))
        for words, code, text in (((*visit, self.folder / "b"), 3, "(HARNESS_TORCH_PYTHON) has none"), ((*visit, "gone"), 2, "gone: no such"),
                                  ((*visit, self.folder / "tools"), 2, "not made by ci/gpu-node pack"), (("exec", "--"), 2, "no command"),
                                  (("exec", "no-such-program"), 127, "no such program"), (("pack", self.folder), 2, "is a folder"),
                                  (("exec", "--prefix", "p", "--bundle", self.folder / "b", "--", "true"), 2, "one of them")):
            done = self.run_node(*words, **torchless)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (code, 1), done.stderr)
            self.assertIn(text, done.stderr)

    def test_exec_has_its_environment_and_the_exit_code(self):
        done = self.run_node("exec", "--bundle", self.folder / "b", "--", "sh", "-c", 'command -v harness; echo "$OPAL_PREFIX"; exit 7')
        self.assertEqual((done.returncode, done.stdout.split()), (7, [f"{self.folder}/b/bin/harness", f"{self.folder}/b/usr"]), done.stderr)


if __name__ == "__main__":
    unittest.main()
