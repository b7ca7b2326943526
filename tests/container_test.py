"""The container's files fit together: the Dockerfile is one that ci/rehearse-container can carry out, what it copies is there,
ci/apptainer.def has the same steps, and the entry point passes commands on."""

import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def script(name):
    """A Python script without a suffix, as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "ci" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.modules[name] = module
    loader.exec_module(module)
    return module


REHEARSAL = script("rehearse-container")
STAGES = REHEARSAL.stages_of((ROOT / "Dockerfile").read_text(encoding="utf-8"))


class Container(unittest.TestCase):

    def test_copies_what_is_there(self):
        names = []
        for stage in STAGES:
            for word, text in stage.steps:
                if word == "COPY" and text.startswith("--from="):
                    self.assertIn(text.split()[0].removeprefix("--from="), names)
                elif word == "COPY":
                    self.assertTrue((ROOT / text.split()[0]).exists(), text)
            names.append(stage.name)

    def test_apptainer_has_the_same_commands(self):
        definition = (ROOT / "ci/apptainer.def").read_text(encoding="utf-8")
        for stage in STAGES:
            for word, text in stage.steps:
                for command in re.split(" && ", text) if word == "RUN" else []:
                    self.assertIn(re.sub(r"\S*(ci/setup)|(/var/lib/apt/lists/\*)", r"\1\2", command), definition)

    def test_the_rehearsal_refuses_what_it_does_not_know(self):
        for text in ("FROM alpine\n", "FROM debian:12-slim\nADD a b\n", "RUN true\n"):
            with self.assertRaises(REHEARSAL.Refused):
                REHEARSAL.stages_of(text)

    def test_reads_comments_and_continued_lines(self):
        stages = REHEARSAL.stages_of("# c\nFROM debian:12-slim AS one\nRUN a && \\\n  b\n\nENV A=1\n")
        self.assertEqual([(stage.name, stage.steps) for stage in stages], [("one", [("RUN", "a && b"), ("ENV", "A=1")])])

    def test_the_entry_point_passes_commands_on(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "harness").write_text('#!/bin/sh\necho "$PWD: $*"\n', encoding="utf-8")
            os.chmod(Path(folder, "harness"), 0o755)
            env = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}")
            entry = str(ROOT / "ci/container-entry")
            done = subprocess.run([entry, "harness", "list", "systems"], cwd=folder, env=env, capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout, f"{os.path.realpath(folder)}: list systems\n")
            self.assertIn("quickstart", subprocess.run([entry], capture_output=True, text=True, check=True).stdout)

    def test_what_the_entry_point_needs_is_installed(self):
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run([str(ROOT / "ci/container-entry"), "--install", prefix], check=True)
            share = Path(prefix, "share/harness")
            for name in ("container-entry", "quickstart", "headline.py", "environment"):
                self.assertTrue((share / "ci" / name).is_file(), name)
            self.assertEqual(os.readlink(share / "results-out"), "/out")


if __name__ == "__main__":
    unittest.main()
