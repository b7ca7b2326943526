"""The pages on what of the papers is reproduced and experiments/claims.toml fit together: every claim stands on one page, what a claim
points at exists there, every table names an experiment of the page's suite, and what the README says of results is the ledger's
(HARNESS_WRITE_DOCS=1 writes it)."""

import fnmatch
import os
import re
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLAIMS = tomllib.loads((ROOT / "experiments/claims.toml").read_text(encoding="utf-8"))["claim"]
SUITES = {
    "docs/reproduction.md": "experiments/pard/all.toml",
    "docs/reproduction-shepherd.md": "experiments/shepherd/all.toml",
    "docs/reproduction-loki.md": "experiments/loki/all.toml",
    "docs/reproduction-inferline.md": "experiments/inferline/all.toml",
    "docs/reproduction-quart.md": "experiments/quart/all.toml",
}
PAGES = {name: (ROOT / name).read_text(encoding="utf-8") for name in SUITES}


def anchors(page):
    headings = re.findall(r"^#+ (.*)$", page, flags=re.MULTILINE)
    return {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def stems_of(suite):
    return {Path(name).stem for name in tomllib.loads((ROOT / suite).read_text(encoding="utf-8"))["suite"]}


def claims_on(page):
    """The patterns of the page and the claims that fit one."""
    patterns = re.findall(r"^<!-- claims: (.*) -->$", page, flags=re.MULTILINE)
    return patterns, [claim for claim in CLAIMS for pattern in patterns if fnmatch.fnmatchcase(claim["id"], pattern)]


VERDICTS = ("reproduced", "partly", "not reproduced")


def verdict(claim):
    return claim.get("known", "reproduced")


def verdicts_text(paper, ids):
    """How many of the paper's claims hold, and what became of some."""
    of_paper = [claim for claim in CLAIMS if claim["paper"] == paper]
    counts = ", ".join(f"{sum(verdict(claim) == each for claim in of_paper)} {each}" for each in VERDICTS)
    rows = [f"{len(of_paper)} claims: {counts}. Among them:", "", "| claim | paper | verdict |", "|---|---|---|"]
    for claim in (next(claim for claim in of_paper if claim["id"] == each) for each in ids):
        rows.append(f"| {claim['statement']} | {claim['paper_value']} | {verdict(claim)} |")
    return "\n".join(rows) + "\n"


def with_verdicts(page):
    """What stands between <!-- verdicts: PAPER: IDS --> and the next line that begins otherwise is written anew."""
    def written(match):
        paper, ids = match[1].split(": ")
        return f"<!-- verdicts: {match[1]} -->\n{verdicts_text(paper, ids.split(', '))}\n"
    return re.sub(r"<!-- verdicts: (.*) -->\n(?:\d+ claims: .*\n\n(?:\|.*\n)*)?\n?", written, page)


class Reproduction(unittest.TestCase):

    def test_the_readme_says_of_results_what_the_ledger_does(self):
        readme = ROOT / "README.md"
        page = readme.read_text(encoding="utf-8")
        if os.environ.get("HARNESS_WRITE_DOCS"):
            readme.write_text(with_verdicts(page), encoding="utf-8")
            self.skipTest("the verdicts have been written")
        self.assertEqual(page, with_verdicts(page))
        self.assertEqual({paper for paper in re.findall(r"^<!-- verdicts: (\w+):", page, re.MULTILINE)}, {claim["paper"] for claim in CLAIMS} - {"harness"})
        self.assertNotIn("In short:", page, "sentences about results are the ledger's")

    def test_every_claim_stands_on_one_page_once(self):
        for claim in CLAIMS:
            places = [name for name, page in PAGES.items() for found in claims_on(page)[1] if found is claim]
            self.assertEqual(len(places), 1, f"{claim['id']}: {places}")
        for page in PAGES.values():
            for pattern in claims_on(page)[0]:
                self.assertTrue(fnmatch.filter([claim["id"] for claim in CLAIMS], pattern), pattern)

    def test_a_deviation_is_explained(self):
        for claim in CLAIMS:
            if claim.get("known", "reproduced") == "reproduced":
                continue
            page, _, anchor = claim.get("see", "").partition("#")
            self.assertIn(page, PAGES, claim["id"])
            self.assertIn(claim, claims_on(PAGES[page])[1], claim["id"])
            self.assertIn(anchor, anchors(PAGES[page]), claim["id"])

    def test_experiments_belong_to_the_suite(self):
        for name, page in PAGES.items():
            stems = stems_of(SUITES[name])
            for stem in re.findall(r"^<!-- table: ([^;]*);", page, flags=re.MULTILINE):
                self.assertIn(stem, stems)
            for claim in claims_on(page)[1]:
                named = claim["experiment"]
                self.assertLessEqual({named} if isinstance(named, str) else set(named), stems, claim["id"])


if __name__ == "__main__":
    unittest.main()
