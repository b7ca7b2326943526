"""docs/environment.md lists every environment variable that the program or a script reads, and no other."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs/environment.md").read_text(encoding="utf-8")


def documented(what):
    """The variables of one table."""
    table = PAGE.split(f"<!-- variables of the {what} -->\n", 1)[1].split("\n\n", 1)[0]
    names = [re.findall(r"`([A-Z][A-Z0-9]*(?:_\w+)?)`", row.split("|")[1]) for row in table.splitlines()[2:]]
    return {name for row in names for name in row}


def sources(*folders, suffixes):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in suffixes:
                yield path, path.read_text(encoding="utf-8")


def of_program():
    """What the C++ code reads or sets, tests apart: HARNESS_X between quotes, and what getenv or setenv names."""
    names = set()
    for path, text in sources("harness", "workloads", "systems", "bench", suffixes={".cc", ".h", ".cu"}):
        if path.stem.endswith("_test") or path.stem.startswith("test_"):
            continue
        names |= set(re.findall(r'"(HARNESS_[A-Z_]+)"', text))
        names |= set(re.findall(r'\b(?:getenv|setenv|variable|environment_or|number_in)\("([A-Za-z0-9_]+)"', text))
        for listed in re.findall(r"for \(const char\* (?:name|rank|size) : \{([^}]*)\}\)", text):  # launchers'
            names |= set(re.findall(r'"([A-Z0-9_]+)"', listed))
    return names


def of_scripts():
    names = set()
    for path, text in sources("ci", ".ci", suffixes={"", ".py", ".sbatch"}):
        code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
        if path.suffix == ".py":
            names |= set(re.findall(r"environ(?:\.get\(|\[)[\"'](\w+)", code))
        else:
            names |= set(re.findall(r"\$\{?(HARNESS(?:_[A-Z_]+)?)\b", code))
    return names


def of_tests():
    found = set()
    for path, text in sources("harness", "workloads", "systems", suffixes={".cc", ".h"}):
        if path.stem.endswith("_test") or path.stem.startswith("test_"):
            found |= set(re.findall(r'getenv\("(HARNESS_[A-Z_]+)"', text))
    return found


class Environment(unittest.TestCase):

    def test_the_program_reads_what_the_page_says(self):
        self.assertEqual(of_program() - {"HARNESS_TEST_SEED"}, documented("program"))

    def test_scripts_and_tests_read_what_the_page_says(self):
        self.assertEqual((of_scripts() | of_tests()) - documented("program"), documented("scripts"))


if __name__ == "__main__":
    unittest.main()
