"""ci/setup --prefix: which packages it unpacks, how they and what the machine has find each other, what it refuses. apt is a substitute."""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

from gpu_node_test import ROOT, Folder  # also finds the modules of ci/prefix

import fetch
import machine

LIBRARY = "usr/lib/x86_64-linux-gnu"
APT = """case "$*" in
  *--simulate*) printf '%s\\n' 'Inst libx1 (1.0 Debian:12)' 'Inst libc6 [2.35] (2.36 Debian:12)' 'Inst perl (5 Debian:12)' ;;
  *download*) shift $(($# - 1)); echo "$1" >"${1%%=*}_1.0_amd64.deb" ;;
esac"""


class Setup(Folder):

    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "ci", self.folder / "ci")
        self.program("tools/dpkg-query", '[ "${!#}" = python3 ] && printf installed')

    def run_setup(self, *words, **env):
        env = dict(os.environ, PATH=f"{self.folder / 'tools'}:{os.environ['PATH']}", **env)
        return subprocess.run([str(self.folder / "ci/setup"), *words], env=env, cwd=self.folder, capture_output=True, text=True, check=False)

    def with_apt(self):
        self.program("tools/apt-get", f'echo "$*" >>"$0.log"\n{APT}')
        self.program("tools/apt-cache", "exit 0")
        self.program("tools/dpkg", f'mkdir -p "$3/{LIBRARY}" && touch "$3/{LIBRARY}/libx.so.1"')

    def test_unpacks_what_is_lacking_and_then_has_nothing_to_do(self):
        self.with_apt()
        done = self.run_setup("--prefix", "p")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, f"ci/setup: unpacking 1 packages into {self.folder}/p\n"
                         f"In each shell first:  . {self.folder}/p/environment\nThen:  ci/quickstart\n")
        self.assertEqual((self.folder / "p/packages.txt").read_text(encoding="utf-8"), "libx1_1.0_amd64\n")
        self.assertTrue((self.folder / "p/libraries/libx.so.1").exists())
        self.assertFalse((self.folder / "p/apt").exists())
        environment = (self.folder / "p/environment").read_text(encoding="utf-8")
        self.assertIn(f'export LD_LIBRARY_PATH="{self.folder}/p/libraries${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}"', environment)
        self.assertNotIn("OPAL_PREFIX", environment)  # the machine's own Open MPI
        asked = self.folder / "tools/apt-get.log"
        asked.unlink()
        names = fetch.WANTED + ["cmake", "ninja-build", "make", "g++", "ccache", "python3-h5py", "python3-matplotlib", "python3-munkres", "python3-numpy"]
        self.write("p/packages.txt", "".join(f"{name}_1.0_amd64\n" for name in names))
        for words, env in ((("--prefix", "p"), {}), (("--program",), {"HARNESS_SETUP_PREFIX": f"{self.folder}/p"})):
            self.assertEqual(self.run_setup(*words, **env).returncode, 0)
            self.assertFalse(asked.exists())

    def test_refuses_in_a_line(self):
        self.with_apt()
        self.write("mine/file")
        for words, text, code in ((("--prefix",), "--prefix: found 0 folders", 2), (("--prefix", "a", "b"), "found 2 folders", 2),
                                  (("--prefix", "mine"), "was not made by ci/setup", 2), (("--prefix", "a b"), "allowed: letters", 2),
                                  (("--prefix", "mine/file/p"), "Not a directory", 3)):
            done = self.run_setup(*words)
            self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
            self.assertRegex(done.stderr, f"^ci/setup: .*{text}.*\n$")
        self.program("tools/apt-get", 'case "$*" in *--simulate*) echo "E: Unable to locate package libx" >&2; exit 100 ;; esac')
        done = self.run_setup("--prefix", "p")
        self.assertEqual((done.returncode, done.stderr), (3, "ci/setup: apt-get install: E: Unable to locate package libx\n"))


class Beside(Folder):

    def test_links_lead_to_the_machine_where_the_prefix_has_nothing(self):
        self.write(f"machine/{LIBRARY}/libx.so.1")
        self.write("machine/lib/liby.so.1")
        library = self.folder / "p" / LIBRARY
        library.mkdir(parents=True)
        (library / "libx.so").symlink_to("libx.so.1")
        (library / "liby.so").symlink_to("/lib/liby.so.1")
        (library / "gone.so").symlink_to("/lib/gone.so.1")
        (library / "own.so").symlink_to("own.so.1")
        (library / "own.so.1").touch()
        fetch.relative_links(self.folder / "p", self.folder / "machine")
        self.assertEqual({path.name: os.readlink(path) for path in library.iterdir() if path.is_symlink()},
                         {"libx.so": f"{self.folder}/machine/{LIBRARY}/libx.so.1", "liby.so": f"{self.folder}/machine/lib/liby.so.1",
                          "own.so": "own.so.1"})

    def test_scripts_of_the_linker_name_what_the_prefix_has(self):
        script = self.write(f"{LIBRARY}/libc.so", f"GROUP ( /lib/gone.so.6 /{LIBRARY}/libc_nonshared.a )\n")
        inside = self.write(f"{LIBRARY}/libc_nonshared.a")
        machine.correct_linker_scripts(self.folder)
        self.assertEqual(script.read_text(encoding="utf-8"), f"GROUP ( /lib/gone.so.6 {inside} )\n")

    def test_what_belongs_together_comes_together(self):
        self.program("tools/apt-get", "echo 'Inst openmpi-bin (4 Debian:12)'")
        self.program("tools/apt-cache", "printf '%s\\n' openmpi-bin '  Depends: libopenmpi3' libopenmpi3 '  Depends: libz1'")
        path = os.environ["PATH"]
        os.environ["PATH"] = f"{self.folder / 'tools'}:{path}"
        try:
            self.assertEqual(machine.lacking(["openmpi-bin"], []), ["openmpi-bin=4", "libopenmpi-dev", "libopenmpi3"])
        finally:
            os.environ["PATH"] = path


if __name__ == "__main__":
    unittest.main()
