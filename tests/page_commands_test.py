"""The commands on every page but the tutorials, which tutorials_test.py runs, are true; most run. HARNESS_PROGRAM is the program.

A command is a line of an indented block, or a piece of `code` with more than one word. An indented block is one of commands where
its first line begins with a word of FIRST or with a script of ci/ or tests/; blocks between ``` are never commands. Everywhere, in
comments of blocks too, the commands, options, presets, scripts and files of the repository that are named must be there; names in
capitals (E.toml) stand for the reader's. Then the blocks of a page run from top to bottom, in one shell, in a scratch folder
that looks like the repository's root. A comment of HTML before a block says otherwise:

<!-- example: WHY -->   it does not run
<!-- slow -->           it runs with HARNESS_TUTORIALS=all
<!-- needs: WHAT -->    it runs where there is WHAT: torch, data (the real traces) or report (what draws reports)"""

import functools
import json
import os
import re
import shlex
import subprocess
import unittest
from dataclasses import dataclass
from pathlib import Path

from style_test import files_of_tree
from tutorials_test import FOLDER, ROOT, Scratch, Shell, WrongPage

FIRST = ("harness mpirun srun sbatch cmake ctest git docker apptainer unshare python3 pip pip3 sudo apt-get export source for cd cp mv "
         "mkdir tar gzip curl sh bash").split()
MPI = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}  # as ci/environment
if os.getuid() == 0:
    MPI |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
NO_COMMANDS = {"harness results"}  # the `format` of a file
MARK = re.compile(r"\s*<!-- (example|slow|needs)(?:: (.+))? -->$")


def shorter(*experiments):
    """Cuts their loads to 5 s, in a copy of the experiments: those in the scratch folder are a link to the repository's."""
    names = " ".join(f"experiments/{name}.toml" for name in experiments)
    return f"cp -r experiments/ own && rm experiments && mv own experiments && sed -i 's/^duration_s = .*/duration_s = 5/' {names}"


# Before the blocks of a page: what earlier pages have made, and files that stand for the reader's own.
GIVEN = {
    "README.md": ["harness experiments/quickstart.toml"],
    "docs/claims.md": ["harness experiments/quart/cores.toml", "cp experiments/quart/cores.toml bursty.toml",
                       "sed 's/\"cores\"/\"bursty\"/' experiments/claims.toml >mine.toml"],
    "docs/compare.md": ["harness experiments/quart/cores.toml", "mkdir nightly",
                        "for copy in A.h5 B.h5 BASE.h5 NEW.h5 nightly/1.h5 nightly/2.h5; do cp results-out/cores.h5 $copy; done"],
    "docs/replay.md": [shorter("quickstart"), "harness experiments/quart/cores.toml --set record.replay=true",
                       "cp results-out/cores.h5 before.h5", "mv results-out/cores.h5 after.h5"],
    "docs/reproduction-loki.md": ["mkdir -p results-out/loki"],
    "docs/reproduction-shepherd.md": ["mkdir -p results-out/shepherd"],
    "docs/start.md": ["harness experiments/quickstart.toml", shorter("inferline/inferline-plan")],
    "workloads/README.md": [shorter("shepherd/cv")],
}
TUTORIALS = {path.relative_to(ROOT).as_posix() for path in FOLDER.glob("*.md")} - {"docs/tutorials/README.md"}
OWN = {"build", "results-out"}  # of the scratch folder, not the repository's


@dataclass
class Block:
    line: int
    marks: dict
    commands: list  # (line, text)


def is_command(line):
    first = next((word for word in line.split() if not re.match(r"[A-Z_]+=", word)), "")
    return first in FIRST or re.match(r"(\.?ci|tests|build)/|/usr/bin/python3", first) is not None


def indented_blocks(page, text):
    """(marks before it, [(line, text)]) of each."""
    block, marks, fence, blank = None, {}, False, True
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            fence = not fence
            if fence and re.match(r"```(sh|bash|shell|console)\b", line):
                raise WrongPage(f"{page}:{number}: commands stand in an indented block here")
        mark = MARK.match(line)
        if mark:
            block, marks[mark[1]] = None, mark[2] or ""
        elif not fence and line.startswith("    ") and (blank or block):
            if block is None:
                block = []
                yield marks, block
                marks = {}
            block.append((number, line.strip()))
        elif line.strip():
            if marks:
                raise WrongPage(f"{page}:{number}: a mark without a block of commands")
            block = None
        blank = not line.strip()


def read_blocks(page, text):
    """The blocks of commands."""
    found = []
    for marks, lines in list(indented_blocks(page, text)):
        if not is_command(lines[0][1]):
            if marks:
                raise WrongPage(f"{page}:{lines[0][0]}: a mark without a block of commands")
            continue
        if any(bool(what) == (mark == "slow") for mark, what in marks.items()):
            raise WrongPage(f"{page}:{lines[0][0]}: a mark that does not say why, or what")
        commands = []
        for number, line in lines:
            if commands and commands[-1][1].endswith("\\"):
                commands[-1] = (commands[-1][0], commands[-1][1][:-1] + line)
            elif line:
                commands.append((number, line))
        found.append(Block(lines[0][0], marks, commands))
    return found


def inline_commands(text):
    """(line, text) of each piece of `code` with more than one word that begins as a command does."""
    text = re.sub(r"^```.*?^```$|^ {4}[^\n]*$", lambda found: re.sub(r"[^\n]", "", found[0]), text, flags=re.MULTILINE | re.DOTALL)
    for found in re.finditer(r"(?<!`)`([^`]+)`(?!`)", text):
        command = " ".join(found[1].split()).replace("\\|", "|")
        if " " in command and is_command(command) and command not in NO_COMMANDS:
            yield text.count("\n", 0, found.start()) + 1, command


class Checker:
    """Whether what commands name is there: the program's options are those of its help texts."""

    FOLDERS = "ci|docs|experiments|harness|results/baselines|systems|templates|tests|workloads"
    NAMED = re.compile(rf"(?<![\w/.$~-])(?:{FOLDERS})/[\w./*-]+")
    OPTION = re.compile(r"(?<![\w-])--?[a-z][\w-]*")

    def __init__(self, program):
        self.program = program
        presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))
        self.presets = {preset["name"] for kind in presets.values() if isinstance(kind, list) for preset in kind}
        self.built = {folder: (ROOT / folder / "CMakeLists.txt").read_text(encoding="utf-8") for folder in ("bench", "validation/inferline")}
        self.help = functools.cache(self.read_help)

    def read_help(self, path):
        """({option: its value, as the help says}, subcommands)"""
        text = subprocess.run([self.program, *path, "--help"], check=True, capture_output=True, text=True).stdout
        options = {}
        for names, value in re.findall(r"^  (-[\w,-]+)(?: (\S+))?", text, flags=re.MULTILINE):
            for name in names.split(","):
                options[name] = "" if value.endswith(":") else value
        listed = re.search(r"^Subcommands:\n((?:  .*\n)*)", text, flags=re.MULTILINE)
        return options, re.findall(r"^  ([a-z-]+)", listed[1], flags=re.MULTILINE) if listed else []

    def check_harness(self, words):
        """What the words after `harness` may be. Returns the options of the command."""
        path, (options, commands) = (), self.help(())
        words = iter(words)
        for word in words:
            name, _, value = word.partition("=")
            if word.startswith("-"):
                if name not in options:
                    raise WrongPage(f"harness {' '.join(path)}: found {name}; allowed: {' '.join(options)}")
                allowed = re.search(r"\{(.+)\}", options[name])
                value = value or (next(words, "") if options[name] else "")
                if allowed and value not in allowed[1].split(","):
                    raise WrongPage(f"{name}: found {value}; allowed: {allowed[1]}")
            elif word in commands:
                path, before = (*path, word), options if path else {}  # `list` takes its options behind a list, too
                options, commands = self.help(path)
                options = before | options
            elif commands and not re.search(r"[./$\[]", word) and not word.isupper():
                raise WrongPage(f"harness {' '.join(path)}: found {word}; allowed: {' '.join(commands)}")
        return set(options)

    def check_script(self, script, words):
        """Its options and lower-case words stand in its source. Returns the options that do."""
        source = (ROOT / script).read_text(encoding="utf-8")
        for folder in (ROOT / script).parent.iterdir():
            if folder.is_dir() and folder.name in source:
                source += "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
        for word in words:
            if word not in OWN and re.fullmatch(r"--?[a-z].*|[a-z][a-z-]*", word) and not re.search(rf"(?<![\w-]){re.escape(word.split('=')[0])}\b", source):
                raise WrongPage(f"{script}: found {word}; it knows no such word")
        return set(self.OPTION.findall(source))

    def check_simple(self, words):
        """One command without pipes and lists. Returns its options, None where they are not known."""
        while words and re.match(r"[A-Z_]+=", words[0]):
            words = words[1:]
        first, rest = (words[0], words[1:]) if words else ("", [])
        if words[-3:-1] == ["sh", "-c"]:
            return self.check_text(words[-1])
        if "--preset" in rest[:-1] and rest[rest.index("--preset") + 1] not in self.presets:
            raise WrongPage(f"--preset: found {rest[rest.index('--preset') + 1]}; allowed: {' '.join(sorted(self.presets))}")
        built = re.match(rf"build/\w+/({'|'.join(self.built)})/(\w+)$", first)
        if built and not re.search(rf"\b{built[2]}\b", self.built[built[1]]):
            raise WrongPage(f"{first}: found no such program")
        if first.endswith("python3") or first == "sbatch":
            first, rest = next(((word, rest[at + 1:]) for at, word in enumerate(rest) if "/" in word), ("", []))
        if first == "ci/gpu-node" and "--" in rest:
            at = rest.index("--")
            self.check_simple(rest[at + 1:])
            rest = rest[:at]
        # The launchers' program; of docker and apptainer, `harness` may be the image.
        programs = [at for at, word in enumerate(rest) if Path(word).name == "harness"]
        if first in ("mpirun", "srun", "apptainer") and programs or first == "docker" and len(programs) > 1:
            first, rest = "harness", rest[programs[-1] + 1:]
        if Path(first).name == "harness":
            return self.check_harness(rest)
        if re.match(r"(\.?ci|tests|results)/", first) and (ROOT / first).is_file():
            return self.check_script(first, rest)
        return None

    def check_text(self, text):
        """A line of a shell. Returns the options of its last known command, None without one."""
        for name in self.NAMED.findall(text):
            name = name.rstrip(".")
            if not re.search(r"(^|/)[A-Z]+\b", name) and not any(ROOT.glob(name.rstrip("/"))):
                raise WrongPage(f"found no {name}")
        lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        known, words = None, []
        for token in [*lexer, ";"]:
            if set(token) <= set("();<>|&"):
                options = self.check_simple(words)
                known, words = known if options is None else options, []
            else:
                words.append(token)
        return known

    def check(self, page, line, text):
        command, _, comment = re.sub(r"\s#\s", "\0", text, count=1).partition("\0")
        try:
            known = self.check_text(command)
            wrong = [option for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", comment) if known is not None and option not in known]
            if wrong:
                raise WrongPage(f"its comment: found {wrong[0]}; allowed: {' '.join(sorted(known))}")
        except (WrongPage, ValueError) as error:
            raise WrongPage(f"{page}:{line}: {command}\n{error}") from error


def check_page(page, text, checker):
    """Returns the page's blocks of commands; a tutorial's are run elsewhere."""
    found = [] if page in TUTORIALS else read_blocks(page, text)
    consoles = [(number, line[2:]) for number, line in enumerate(text.splitlines(), 1) if page in TUTORIALS and line.startswith("$ ")]
    for line, command in [*(command for block in found for command in block.commands), *inline_commands(text), *consoles]:
        checker.check(page, line, command)
    return found


def runs(block, has):
    """`has`: whether this machine has what a block needs, or time for it ("slow")."""
    return "example" not in block.marks and all(has(what or mark) for mark, what in block.marks.items())


def run_commands(page, commands, folder, env):
    """In one shell."""
    shell = Shell(folder, env)
    try:
        for number, command in commands:
            code, printed = shell.run(command)
            if code != 0:
                raise WrongPage(f"{page}:{number}: {command}\nexit code {code}, expected 0; printed:\n" + "\n".join(printed[-40:]))
    finally:
        shell.close()


def look_like_root(folder, program):
    for path in ROOT.iterdir():
        if path.name not in OWN and not path.name.startswith("."):
            (folder / path.name).symlink_to(path)
    (folder / "build").mkdir()
    (folder / "build/release").symlink_to(program.parent.parent)


checker_for = functools.cache(Checker)


class Commands(Scratch):
    """A test for each page, named after it: see below."""

    def has_now(self, what):
        return os.environ.get("HARNESS_TUTORIALS") == "all" if what == "slow" else self.has(what)

    def run_one(self, page):
        text = (ROOT / page).read_text(encoding="utf-8")
        blocks = [block for block in check_page(page, text, checker_for(self.program)) if runs(block, self.has_now)]
        if not blocks:
            return
        look_like_root(self.folder / "reader", self.program)
        env = self.environment("") | {"HARNESS_PROGRAM": str(self.program)} | MPI
        given = [(0, command) for command in GIVEN.get(page, [])]
        run_commands(page, given + [command for block in blocks for command in block.commands], self.folder / "reader", env)


def add_pages():
    for page in files_of_tree():
        if page.endswith(".md"):
            name = re.sub(r"\W", "_", page[:-3])
            setattr(Commands, f"test_{name}", lambda self, page=page: self.run_one(page))


add_pages()


class Rules(Scratch):

    def expect_wrong(self, text, *parts):
        with self.assertRaises(WrongPage) as caught:
            check_page("page.md", text, checker_for(self.program))
        for part in parts:
            self.assertIn(part, str(caught.exception))

    def test_what_a_command_names_must_be_there(self):
        for command, wrong in [
                ("harness show a.h5 --nothing", "harness show: found --nothing; allowed: -h"), ("harness shows a.h5", "found shows; allowed: show"),
                ("harness show a.h5 --format word", "--format: found word; allowed: markdown,latex"), ("harness list nothing", "found nothing"),
                ("mpirun -n 2 build/release/bin/harness E.toml --nothing", "found --nothing"), ("X=1 harness show >a; harness sho", "found sho;"),
                ("sh -c 'true && harness fit E.toml --nothing'", "found --nothing"), ("docker run harness harness fit --nothing", "found --nothing"),
                ("harness experiments/nothing.toml", "found no experiments/nothing.toml"), ("ci/nothing now", "found no ci/nothing"),
                ("ci/site --nothing", "ci/site: found --nothing"), ("ci/sanitize nothing", "ci/sanitize: found nothing"),
                ("/usr/bin/python3 tests/folder_graph.py --nothing", "found --nothing"), ("cmake --preset nothing", "--preset: found nothing; allowed: asan"),
                ("build/release/bench/nothing --x", "no such program"), ("ci/gpu-node exec -- harness fit --nothing", "harness fit: found --nothing")]:
            self.expect_wrong(f"A\n\n    {command}\n" if is_command(command) else f"A\n\n    harness list keys\n    {command}\n", wrong)
        self.expect_wrong("A\n`b` and `harness show\n--nothing` c\n", "page.md:2: harness show --nothing", "found --nothing")
        self.expect_wrong("    harness list keys\n    harness show a.h5   # --csv, or --nothing\n", "page.md:2:", "comment: found --nothing")

    def test_what_holds(self):
        blocks = check_page("page.md", "`harness` `harness COMMAND --help` `ci/site` `x --nothing`\n\n    harness: no command\n\n- a\n\n"
                            "      harness profile \\\n        -o a.toml\n\n      harness E.toml -n 2 # --fresh\n\n<!-- slow -->\n"
                            "<!-- needs: torch -->\n\n    mpirun -n 2 harness list keys --json | sort >a\n\n```toml\n\n    harness x\n```\n"
                            "<!-- example: why -->\n\n    ci/regress base.h5 --junit NEW.xml\n    ls\n", checker_for(self.program))
        self.assertEqual([block.line for block in blocks], [7, 15, 23])
        self.assertEqual(blocks[0].commands, [(7, "harness profile -o a.toml"), (10, "harness E.toml -n 2 # --fresh")])
        for has, run in [(set(), [7]), ({"slow"}, [7]), ({"torch"}, [7]), ({"slow", "torch"}, [7, 15])]:
            self.assertEqual([block.line for block in blocks if runs(block, has.__contains__)], run)

    def test_marks_that_are_wrong(self):
        self.expect_wrong("<!-- example -->\n\n    harness list keys\n", "page.md:3: a mark that does not say why")
        self.expect_wrong("<!-- slow -->\nA\n", "page.md:2: a mark without a block")
        self.expect_wrong("<!-- slow -->\n\n    an output\n", "page.md:3: a mark without a block")
        self.expect_wrong("```sh\nharness list keys\n```\n", "page.md:1: commands stand in an indented block")

    def test_a_command_that_fails(self):
        run_commands("page.md", [(1, "X=5"), (2, "test $X = 5  # a comment")], self.folder, dict(os.environ))
        with self.assertRaisesRegex(WrongPage, r"page.md:2: echo gone; false\nexit code 1, expected 0; printed:\ngone"):
            run_commands("page.md", [(1, "true"), (2, "echo gone; false")], self.folder, dict(os.environ))


if __name__ == "__main__":
    unittest.main(verbosity=2)
