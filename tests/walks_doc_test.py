"""docs/walks.md has three walks of at most ten numbered steps; the file and function that a step names, written
`path: Class::function` with the path from the root or from harness/, are there."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_STEPS = 10
PLACE = re.compile(r"`([\w./-]+\.\w+): ([\w:~]+(?:\(\))?(?:, [\w:~]+(?:\(\))?)*)`")


def walks(page):
    """By heading, of the sections that have numbered items: of each item its places, (path, function)."""
    found = {}
    for section in re.split(r"^##+ ", page, flags=re.MULTILINE)[1:]:
        heading, _, text = section.partition("\n")
        items = re.split(r"^\d+\. ", text, flags=re.MULTILINE)[1:]
        if items:
            found[heading] = [[(path, one.removesuffix("()")) for path, names in PLACE.findall(re.sub(r"\s+", " ", item))
                               for one in names.split(", ")] for item in items]
    return found


def missing(path, function):
    """"" or what is not there."""
    file = next((place for place in (ROOT / path, ROOT / "harness" / path) if place.is_file()), None)
    if file is None:
        return f"{path}: no such file"
    name = function.split("::")[-1]
    found = re.search(rf"(?<!\w){re.escape(name)}\b", file.read_text(encoding="utf-8"))
    return "" if found else f"{path}: no {name}"


def faults(page):
    """What is wrong with the page, a line each."""
    found = walks(page)
    lines = [] if len(found) == 3 else [f"{len(found)} walks, expected 3"]
    for walk, steps in found.items():
        lines += [f"{walk}: {len(steps)} steps, at most {MAX_STEPS}"] if len(steps) > MAX_STEPS else []
        lines += [f"{walk}: step {number} names no place" for number, places in enumerate(steps, 1) if not places]
        lines += [f"{walk}: {what}" for places in steps for place in places if (what := missing(*place))]
    return lines


class Walks(unittest.TestCase):

    def test_the_page_names_what_is_there(self):
        self.assertEqual(faults((ROOT / "docs/walks.md").read_text(encoding="utf-8")), [])

    def test_a_page_without_faults(self):
        steps = "1. Begins in `sim/simulation.cc: simulate` and\n   `harness/core/types.h: ms_to_ns()`.\n2. `core/types.h:\n   ns_to_s`\n"
        self.assertEqual(faults(f"# Walks\n\n## A\n\n{steps}\n## B\n{steps}\n## Notes\n\n`x.cc: f`\n\n## C\n{steps}"), [])

    def test_what_is_wrong_is_said(self):
        page = ("## A\n1. `sim/simulation.cc: VirtualWorld::walk`\n2. `sim/gone.cc: run`\n3. nothing\n"
                "## B\n" + "1. `sim/simulation.cc: VirtualWorld::run, VirtualWorld::gone`\n" * 11)
        self.assertEqual(sorted(set(faults(page))),
                         ["2 walks, expected 3", "A: sim/gone.cc: no such file", "A: sim/simulation.cc: no walk",
                          "A: step 3 names no place", "B: 11 steps, at most 10", "B: sim/simulation.cc: no gone"])


if __name__ == "__main__":
    unittest.main()
