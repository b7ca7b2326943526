"""docs/reproduction.md and experiments/claims.toml fit together: every claim of the paper stands on the page, what a claim points at
exists, and every table names an experiment of the suite."""

import fnmatch
import re
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs/reproduction.md").read_text(encoding="utf-8")
CLAIMS = tomllib.loads((ROOT / "experiments/claims.toml").read_text(encoding="utf-8"))["claim"]
SUITE = tomllib.loads((ROOT / "experiments/pard/all.toml").read_text(encoding="utf-8"))["suite"]


def anchors(page):
    headings = re.findall(r"^#+ (.*)$", page, flags=re.MULTILINE)
    return {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Reproduction(unittest.TestCase):

    def test_every_claim_stands_on_the_page_once(self):
        patterns = re.findall(r"^<!-- claims: (.*) -->$", PAGE, flags=re.MULTILINE)
        for claim in CLAIMS:
            matching = [pattern for pattern in patterns if fnmatch.fnmatchcase(claim["id"], pattern)]
            self.assertEqual(len(matching), 1, f"{claim['id']}: {matching}")
        for pattern in patterns:
            self.assertTrue(fnmatch.filter([claim["id"] for claim in CLAIMS], pattern), pattern)

    def test_a_deviation_is_explained(self):
        for claim in CLAIMS:
            if claim.get("known", "reproduced") == "reproduced":
                continue
            page, _, anchor = claim.get("see", "").partition("#")
            self.assertEqual(page, "docs/reproduction.md", claim["id"])
            self.assertIn(anchor, anchors(PAGE), claim["id"])

    def test_experiments_belong_to_the_suite(self):
        stems = {Path(name).stem for name in SUITE}
        for stem in re.findall(r"^<!-- table: ([^;]*);", PAGE, flags=re.MULTILINE):
            self.assertIn(stem, stems)
        for claim in CLAIMS:
            named = claim["experiment"]
            self.assertLessEqual({named} if isinstance(named, str) else set(named), stems, claim["id"])


if __name__ == "__main__":
    unittest.main()
