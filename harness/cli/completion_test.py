"""Completion and manual pages: `completion_test.py HARNESS`. A real bash completes what the program's script offers; every
command has a page, which groff (where it is) formats without a warning."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from program_testing import run


def completed(folder, script, words):
    """What bash offers for the last of the words."""
    quoted = " ".join(f"'{word}'" for word in words)
    code = f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _harness; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "--norc", "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    return set(done.stdout.split("\n")) - {""}


def completes(harness, folder):
    script = folder / "completion.bash"
    script.write_text(run([harness, "completion", "bash"], folder).stdout)
    for name in ("a.h5", "b c.h5", "e.toml", "log.csv", "mine.so"):
        (folder / name).touch()
    (folder / "deep").mkdir()
    (folder / "figures").mkdir()
    failures = []
    for words, wanted, unwanted in (
            (["harness", ""], {"show", "watch", "e.toml", "deep"}, {"a.h5", "log.csv"}),
            (["harness", "sh"], {"show"}, {"figures", "e.toml"}),
            (["harness", "show", ""], {"a.h5", "b c.h5", "deep"}, {"e.toml", "log.csv"}),
            (["harness", "show", "--f"], {"--format", "--filter"}, {"--json"}),
            (["harness", "show", "--format", ""], {"markdown", "latex"}, {"a.h5"}),
            (["harness", "show", "a.h5", "--so"], {"--sort"}, set()),
            (["harness", "list", "p"], {"pipelines", "profiles"}, {"traces"}),
            (["harness", "list", ""], {"traces"}, {"a.h5", "e.toml", "deep"}),
            (["harness", "new", "system", "x", "--o"], {"--out-of-tree", "--output"}, set()),
            (["harness", "check", ""], {"a.h5", "e.toml", "log.csv"}, set()),
            (["harness", "--dr"], {"--dry-run"}, set()),
            (["harness", "figures", "--style", "a"], {"acm-1col", "acm-2col"}, {"a.h5", "slides"}),
            (["harness", "fig"], {"figures"}, {"fig", "figures/"}),
            (["harness", "show", "a.h5", "--format", "=", "m"], {"markdown"}, {"latex"}),
            (["harness", "--progress", "="], {"json", "text"}, {"show"}),
            (["harness", "-o", "show", ""], {"watch", "e.toml"}, {"a.h5"}),
            (["harness", "claims", "--claims-file", ""], {"log.csv", "e.toml"}, set()),
            (["harness", "replay", "a.h5", "--library", ""], {"mine.so", "deep"}, {"a.h5", "e.toml"})):
        found = completed(folder, script, words)
        if not wanted <= found or unwanted & found:
            failures.append(f"{words}: {sorted(found)}")
    zsh = run([harness, "completion", "zsh"], folder).stdout
    if "bashcompinit" not in zsh or script.read_text() not in zsh:
        failures.append("zsh: not the same script")
    fish = run([harness, "completion", "fish"], folder)
    if fish.returncode != 2:
        failures.append(f"fish: {fish.returncode}")
    return failures


def commands_in(text):
    """Those that a help text lists."""
    lines = text.partition("\nSubcommands:\n")[2].partition("\n\n")[0].split("\n")
    return [line.split()[0] for line in lines if line.startswith("  ") and not line.startswith("   ")]


def has_pages(harness, folder):
    done = run([harness, "man", "-o", "man"], folder)
    if done.returncode:
        return [f"man: {done.stderr}"]
    pages = {page.name for page in (folder / "man").iterdir()}
    commands = commands_in(run([harness, "--help"], folder).stdout)
    wanted = {"harness.1", "harness-trace-import.1"} | {f"harness-{command}.1" for command in commands}
    failures = [] if len(commands) > 10 and wanted <= pages else [f"pages: {sorted(pages)}, commands: {commands}"]
    show = (folder / "man/harness-show.1").read_text()
    if "\\-\\-paired METRIC" not in show or "RESULTS.h5" not in show:
        failures.append(show)
    if shutil.which("groff") is None:
        print("no groff here: the pages were not formatted")
        return failures
    for page in sorted(pages):
        done = subprocess.run(["groff", "-ww", "-man", "-Tutf8", page], cwd=folder / "man", capture_output=True, text=True, check=False)
        if done.returncode or done.stderr or not done.stdout:
            failures.append(f"{page}: {done.stderr}")
    return failures


def main():
    harness = os.path.abspath(sys.argv[1])
    failures = []
    for check in (completes, has_pages):
        with tempfile.TemporaryDirectory() as folder:
            failures += check(harness, Path(folder))
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
