"""Each tutorial of docs/tutorials does what it says: its files are written and its commands run, from top to bottom, in a
scratch folder (docs/tutorials/README.md has the form of a page). HARNESS_PROGRAM is the program; pages that need more than it
run with HARNESS_TUTORIALS=all. Arguments as of unittest: `tutorials_test.py Pages.test_trace` is one page."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs/tutorials"
PAGE_LIMIT_S = 600
LEFT_OUT = ("HARNESS_PROGRAM", "HARNESS_EXPERIMENT", "HARNESS_LAUNCH", "CLICOLOR_FORCE", "BASH_ENV")  # they change what is printed
NEEDS = re.compile(r"<!-- needs: (\w+) -->$")


class WrongPage(AssertionError):
    pass


@dataclass
class Command:
    line: int
    text: str
    code: int = 0
    needs: str = ""
    expected: list = field(default_factory=list)


@dataclass
class File:
    line: int
    name: str
    text: str = ""


def blocks(page, text):
    """(line of the first line within, words after the fence, lines) of each fenced block."""
    start, words, inside = 0, None, []
    for number, line in enumerate(text.splitlines(), 1):
        if words is None and line.startswith("```"):
            start, words, inside = number + 1, line[3:].split(), []
        elif words is not None and line == "```":
            yield start, words, inside
            words = None
        elif words is not None:
            inside.append(line)
    if words is not None:
        raise WrongPage(f"{page}:{start - 1}: a block that does not end")


def options(page, line, words, allowed):
    pairs = dict(word.partition("=")[::2] for word in words)
    if not set(pairs) <= set(allowed):
        raise WrongPage(f"{page}:{line - 1}: found {' '.join(words)}; allowed: {', '.join(allowed)}")
    return pairs


def console_steps(page, start, words, lines):
    given = options(page, start, words, ["exit", "needs"])
    steps = []
    for number, line in enumerate(lines, start):
        if line.startswith("$ "):
            steps.append(Command(number, line[2:], int(given.get("exit", 0)), given.get("needs", "")))
        elif not steps:
            raise WrongPage(f"{page}:{number}: output before the first command")
        else:
            steps[-1].expected.append(line)
    return steps


def read_page(page, text):
    """Its steps, files and commands, in order. Blocks that are neither are for the reader alone."""
    steps = []
    for start, words, lines in blocks(page, text):
        if words[:1] == ["console"]:
            steps += console_steps(page, start, words[1:], lines)
        elif len(words) > 1:
            name = options(page, start, words[1:], ["file"])["file"]
            steps.append(File(start, name, "".join(line + "\n" for line in lines)))
    return steps


def needs_of(text):
    """What the page needs beside the program: the word of its first line, or ""."""
    found = NEEDS.match(text.partition("\n")[0])
    return found[1] if found else ""


def matches(expected, printed):
    """Line by line, blanks at the ends apart; `...` is any number of lines."""
    if not expected:
        return not printed
    if expected[0] == "...":
        return any(matches(expected[1:], printed[skip:]) for skip in range(len(printed) + 1))
    return bool(printed) and expected[0].rstrip() == printed[0].rstrip() and matches(expected[1:], printed[1:])


class Shell:
    """One bash: what a command changes, its folder or a variable, stays for the next ones."""

    MARK = "end-of-command-5f1c"

    def __init__(self, folder, env):
        self.bash = subprocess.Popen(["bash", "--norc"], cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
        self.timer = threading.Timer(PAGE_LIMIT_S, self.kill)
        self.timer.start()

    def kill(self):
        if self.bash.poll() is None:
            os.killpg(self.bash.pid, signal.SIGKILL)

    def run(self, text):
        """(exit code or None where bash has ended, lines printed)"""
        try:
            self.bash.stdin.write(f"eval {shlex.quote(text)} </dev/null; printf '\\n{self.MARK} %d\\n' $?\n")
            self.bash.stdin.flush()
        except BrokenPipeError:
            return None, []
        lines = []
        for line in self.bash.stdout:
            if line.startswith(self.MARK):
                # The mark begins with a line break: of output that ended with one, an empty line is left.
                return int(line.split()[1]), lines[:-1] if lines[-1:] == [""] else lines
            lines.append(line.rstrip("\n"))
        return None, lines

    def folder(self):
        return Path(self.run("pwd")[1][0])

    def close(self):
        self.timer.cancel()
        self.kill()
        self.bash.stdin.close()
        self.bash.stdout.close()
        self.bash.wait()


def check_command(page, command, shell):
    code, printed = shell.run(command.text)
    wrong = ""
    if code is None:
        wrong = f"it ended the shell, or the page took more than {PAGE_LIMIT_S} s"
    elif code != command.code:
        wrong = f"exit code {code}, expected {command.code}"
    elif not matches(command.expected, printed):
        wrong = "it prints something else; expected:\n" + "\n".join(command.expected)
    if wrong:
        raise WrongPage(f"{page}:{command.line}: $ {command.text}\n{wrong}\nprinted:\n" + "\n".join(printed[-40:]))


def run_page(page, text, folder, env, has=lambda need: True):
    """Every step in `folder`. `has`: whether this machine has what a block needs."""
    steps = read_page(page, text)
    if not any(isinstance(step, Command) for step in steps):
        raise WrongPage(f"{page}:1: no command")
    shell = Shell(folder, env)
    try:
        for step in steps:
            if isinstance(step, File):
                path = shell.folder() / step.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(step.text, encoding="utf-8")
            elif not step.needs or has(step.needs):
                check_command(page, step, shell)
    finally:
        shell.close()


def installation(program, folder):
    """Where the program is installed; a build's is installed into `folder`."""
    prefix = program.parent.parent
    if not (prefix / "lib/cmake/harness").is_dir():
        subprocess.run(["cmake", "--install", prefix, "--prefix", folder], check=True, capture_output=True)
        prefix = folder
    return prefix


class Scratch(unittest.TestCase):
    """A folder to run commands in, `reader`, with the program and this Python on the PATH."""

    def setUp(self):
        if "HARNESS_PROGRAM" not in os.environ:
            self.fail("HARNESS_PROGRAM is not set; expected the path of the program")
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ["bin", "reader", "tmp"]:
            (self.folder / name).mkdir()
        self.program = Path(os.environ["HARNESS_PROGRAM"]).resolve()
        python = self.folder / "bin/python3"  # no link: a virtual environment is found by the path of its Python
        python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n', encoding="utf-8")
        python.chmod(0o755)

    def environment(self, needs):
        env = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
        program = self.program
        if needs == "sdk":
            env["PREFIX"] = str(installation(program, self.folder / "prefix"))
            program = Path(env["PREFIX"]) / "bin/harness"
        env["REPO"] = str(ROOT)
        env["TMPDIR"] = str(self.folder / "tmp")
        env["PATH"] = os.pathsep.join([str(self.folder / "bin"), str(program.parent), env["PATH"]])
        return env

    def has(self, need):
        asks = {"torch": [self.program, "list", "models"], "pandas": [sys.executable, "-c", "import h5py, pandas"],
                "data": ["test", "-d", os.environ.get("HARNESS_DATA", ROOT.parent / "shared/data")],
                "servers": ["sh", "-c", "test $(nproc) -ge 2 && python3 -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))'"],
                "report": ["test", "-d", ROOT / "build/report-tools"]}
        return subprocess.run(asks[need], capture_output=True, check=False).returncode == 0


class Pages(Scratch):
    """A test for each page, named after it: see below."""

    def run_one(self, path):
        text = path.read_text(encoding="utf-8")
        needs = needs_of(text)
        if needs and os.environ.get("HARNESS_TUTORIALS") != "all":
            self.skipTest(f"needs {needs}: HARNESS_TUTORIALS=all runs it")
        run_page(path.relative_to(ROOT).as_posix(), text, self.folder / "reader", self.environment(needs), self.has)


def add_pages():
    for path in sorted(FOLDER.glob("*.md")):
        if path.name != "README.md":
            setattr(Pages, f"test_{path.stem}", lambda self, path=path: self.run_one(path))


add_pages()


class Index(unittest.TestCase):

    def test_it_names_every_page(self):
        named = re.findall(r"\]\((\w+\.md)\)", (FOLDER / "README.md").read_text(encoding="utf-8"))
        self.assertEqual(sorted(named), sorted(path.name for path in FOLDER.glob("*.md") if path.name != "README.md"))


class Runner(unittest.TestCase):

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def run_text(self, text, has=lambda need: True):
        run_page("page.md", text, self.folder, dict(os.environ), has)

    def expect_wrong(self, text, *parts):
        with self.assertRaises(WrongPage) as caught:
            self.run_text(text)
        for part in parts:
            self.assertIn(part, str(caught.exception))

    def test_a_page_that_holds(self):
        self.run_text("# A\n\n    indented: not run\n\n```text\nnot run\n```\n\n```toml file=sub/a.toml\nx = 1\n\ny = 2\n```\n\n"
                      "```console\n$ cd sub && export X=5\n$ cat a.toml; printf $X\nx = 1\n\ny = 2\n5\n```\n"
                      "```csv file=b.csv\nt\n```\n"
                      "```console\n$ ls; cat; seq 9\na.toml\nb.csv\n1\n...\n4\n5\n...\n```\n"
                      "```console exit=3\n$ (echo gone >&2; exit 3)\ngone\n```\n")

    def test_another_exit_code_fails(self):
        self.expect_wrong("x\n```console\n$ true\n$ false\n```\n", "page.md:4: $ false", "exit code 1, expected 0")
        self.expect_wrong("```console exit=1\n$ true\n```\n", "page.md:2: $ true", "exit code 0, expected 1")
        self.expect_wrong("```console\n$ echo 'open\n```\n", "page.md:2:", "expected 0")
        self.expect_wrong("```console\n$ exit 0\n```\n", "page.md:2:", "it ended the shell")

    def test_other_output_fails(self):
        self.expect_wrong("```console\n$ echo a; echo b\na\n```\n", "page.md:2: $ echo a; echo b", "prints something else", "\nb")
        self.expect_wrong("```console\n$ echo a\n```\n", "page.md:2:")
        self.expect_wrong("```console\n$ echo a\n...\nb\n```\n", "page.md:2:")
        self.expect_wrong("```console\n$ true\n...\nb\n...\n```\n", "page.md:2:")

    def test_a_page_of_another_form_fails(self):
        self.expect_wrong("```console\n$ true\n", "page.md:1: a block that does not end")
        self.expect_wrong("```console\nno command\n```\n", "page.md:2: output before the first command")
        self.expect_wrong("```console exits=1\n$ true\n```\n", "page.md:1: found exits=1; allowed: exit, needs")
        self.expect_wrong("nothing to run\n", "page.md:1: no command")

    def test_what_the_machine_lacks_is_left_out(self):
        text = "```console\n$ true\n```\n```console needs=torch\n$ false\n```\n"
        self.run_text(text, has=lambda need: False)
        with self.assertRaises(WrongPage):
            self.run_text(text)
        self.assertEqual(needs_of("<!-- needs: sdk -->\n# A\n"), "sdk")
        self.assertEqual(needs_of("# A\n<!-- needs: sdk -->\n"), "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
