"""The pages on what of the papers is reproduced and experiments/claims.toml fit together: every claim stands on one page, what a claim
points at exists there, every table names an experiment of the page's suite, and what docs/reproductions.md and the README say of
results is the ledger's (HARNESS_WRITE_DOCS=1 writes it, and the counts by kind of docs/claims.md)."""

import fnmatch
import os
import re
import textwrap
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
    """Of the suite's experiments; cv is harness trace cv's."""
    return {Path(name).stem for name in tomllib.loads((ROOT / suite).read_text(encoding="utf-8"))["suite"]} | ({"cv"} if "shepherd" in suite else set())


def claims_on(page):
    """The patterns of the page and the claims that fit one."""
    patterns = re.findall(r"^<!-- claims: (.*) -->$", page, flags=re.MULTILINE)
    return patterns, [claim for claim in CLAIMS for pattern in patterns if fnmatch.fnmatchcase(claim["id"], pattern)]


def turns_of(page):
    """The rows of the section that says what would turn claims: the ids in a row, and the files that it names."""
    section = re.search(r"^## What would turn the claims that are not reproduced\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    rows = [line.strip("|").split("|") for line in section[1].splitlines() if line.startswith("| `")] if section else []
    return [(re.findall(r"`([^`]+)`", row[0]), re.findall(r"[\w.-]+\.toml", row[-1])) for row in rows]


HEADLINES = [claim for claim in CLAIMS if "headline" in claim]
VERDICTS = ("reproduced", "partly", "undecided", "not reproduced", "not run")
KINDS = ("reading", "ours")  # beside paper


def verdict(claim):
    return claim.get("known", "reproduced")


def once(claims):
    """Claims with one statement and one expression, on several experiments, count as one, with the worst of their verdicts."""
    said = {}
    for claim in claims:
        twins = said.setdefault((claim["paper"], claim["kind"], claim["statement"], claim["expression"]), [])
        twins.append(claim)
    return [max(twins, key=lambda claim: -1 if verdict(claim) == "not run" else VERDICTS.index(verdict(claim))) for twins in said.values()]


def counts_text(claims, of_none=False):
    counts = [(sum(verdict(claim) == each for claim in claims), each) for each in VERDICTS]
    after = sum(claim.get("chosen_after", False) for claim in claims)
    text = ", ".join(f"{count} {each}" for count, each in counts if count or (of_none and each != "not run"))
    return text + (f"; {after} of them chosen after results" if after else "")


def kind_text(claim):
    return claim["kind"] + (", after" if claim.get("chosen_after") else "")


def verdicts_text(paper, ids):
    """How many of the paper's own claims hold, how many of the other kinds, and what became of some, or of those of kind paper."""
    of_paper = [claim for claim in CLAIMS if claim["paper"] == paper]
    of_kind = {kind: once(claim for claim in of_paper if claim["kind"] == kind) for kind in ("paper", *KINDS)}
    text = f"{len(of_kind['paper'])} claims of kind paper: {counts_text(of_kind['paper'], True)}. Of other kinds: "
    text += ", ".join(f"{len(of_kind[kind])} {kind} ({counts_text(of_kind[kind])})" for kind in KINDS if of_kind[kind])
    text += ". The paper's own:" if ids == ["paper"] else ". Among them:"
    ids = [claim["id"] for claim in of_kind["paper"]] if ids == ["paper"] else ids
    rows = [textwrap.fill(text, 100, break_long_words=False), "", "| claim | kind | paper | verdict |", "|---|---|---|---|"]
    for claim in (next(claim for claim in of_paper if claim["id"] == each) for each in ids):
        rows.append(f"| {claim['statement']} | {kind_text(claim)} | {claim['paper_value']} | {verdict(claim)} |")
    return "\n".join(rows) + "\n"


def table_of_kinds():
    """A row per paper: how many claims of each kind, and how many of those are reproduced; the same of those chosen after results."""
    rows = ["| paper | paper | reading | ours | chosen after results |", "|---|---|---|---|---|"]
    for paper in dict.fromkeys(claim["paper"] for claim in CLAIMS):
        of_paper = [claim for claim in CLAIMS if claim["paper"] == paper]
        entries = []
        for own in [*([claim for claim in of_paper if claim["kind"] == kind] for kind in ("paper", *KINDS)),
                    [claim for claim in of_paper if claim.get("chosen_after")]]:
            own = once(own)
            entries.append(f"{sum(verdict(claim) == 'reproduced' for claim in own)} of {len(own)}" if own else "-")
        rows.append(f"| {paper} | {' | '.join(entries)} |")
    return "\n".join(rows) + "\n"


def with_kinds(page):
    return re.sub(r"(<!-- kinds -->\n\n)(?:\|.*\n)*", lambda match: match[1] + table_of_kinds(), page)


def of_papers(paper=None):
    """The papers' own claims, of all or of one paper, each statement once."""
    return once(claim for claim in CLAIMS if claim["kind"] == "paper" and paper in (None, claim["paper"]))


def with_papers(page):
    """A row per paper: what became of its own claims."""
    rows = "| paper | its own claims | reproduced | partly | undecided | not reproduced | chosen after results |\n|---|---|---|---|---|---|---|\n"
    for paper in (paper for paper in PAPER_NAMES if of_papers(paper)):
        claims = of_papers(paper)
        counts = [sum(verdict(claim) == each for claim in claims) for each in VERDICTS[:4]]
        counts.append(sum(claim.get("chosen_after", False) for claim in claims))
        rows += f"| {PAPER_NAMES[paper]} | {len(claims)} | {' | '.join(map(str, counts))} |\n"
    return re.sub(r"(<!-- papers -->\n\n)(?:\|.*\n)*", lambda match: match[1] + rows, page)


def with_total(page):
    """The README's cell."""
    after = sum(verdict(claim) == "reproduced" for claim in of_papers() if claim.get("chosen_after"))
    total = (f"{len(of_papers())} claims of five papers: {counts_text(of_papers(), True)}, {after} of the reproduced among them; "
             f"of {len(HEADLINES)} headline figures: {counts_text(HEADLINES, True)}")
    return re.sub(r"<!-- of papers -->[^|(]*", f"<!-- of papers --> {total} ", page)


def row_of(claim):
    """The page that has the claim, and the entries of its row in the table of claims there, where the kind follows the id."""
    name, page = next((name, page) for name, page in PAGES.items() if claim in claims_on(page)[1])
    start = f"| `{claim['id'].split('.', 1)[1]}` |"
    rows = [[entry.strip() for entry in line.strip("|").split("|")] for line in page.splitlines() if line.startswith(start)]
    return name, next(row for row in rows if len(row) == 7 and row[1] == kind_text(claim))


def with_headlines(page):
    """The papers' headline figures beside ours, whatever the kind of the claim; `headline` says why ours is what it is."""
    rows = "| claim | headline | paper | here | verdict | why |\n|---|---|---|---|---|---|\n"
    for claim in HEADLINES:
        its_page, row = row_of(claim)
        link = claim.get("see", its_page).removeprefix("docs/")
        rows += (f"| [`{claim['id']}`]({link}) | {claim['statement']} ({claim.get('figure', claim['section'])}) | {claim['paper_value']} | {row[5]} | {row[6]} | "
                 f"{claim['headline']} |\n")
    return re.sub(r"(<!-- headlines -->\n\n)(?:\|.*\n)*", lambda match: match[1] + rows, page)


def with_verdicts(page):
    """What stands between <!-- verdicts: PAPER: IDS --> and the next line that begins otherwise is written anew."""
    def written(match):
        paper, ids = match[1].split(": ")
        return f"<!-- verdicts: {match[1]} -->\n{verdicts_text(paper, ids.split(', '))}\n"
    return re.sub(r"<!-- verdicts: (.*) -->\n(?:\d+ claims (?:.+\n)+\n(?:\|.*\n)*)?\n?", written, page)


PAPER_NAMES = {"pard": "PARD", "shepherd": "SHEPHERD", "loki": "Loki", "inferline": "InferLine", "quart": "QUART", "harness": "ours"}
EVIDENCE = ["the paper's text", "public code", "our reconstruction", "not here"]  # written by hand, in this order
SYSTEM_PAGES = {path: [path.parent.name] for path in sorted((ROOT / "systems").glob("*/README.md"))}
SYSTEM_PAGES[ROOT / "systems/loki/README.md"] += ["proteus", "hwscaling"]


def with_evidence(page, systems):
    """The rows that say what became of the paper's claims in which a system stands, under those written by hand."""
    rows = ""
    for system in systems:
        named = [claim for claim in CLAIMS if claim["kind"] == "paper" and re.search(rf"\[{system}[/,\]]", claim["expression"])]
        of_papers = [(paper, [claim for claim in named if claim["paper"] == paper]) for paper in dict.fromkeys(claim["paper"] for claim in named)]
        counts = "; ".join(f"{len(claims)} of {PAPER_NAMES[paper]}: {counts_text(claims)}" for paper, claims in of_papers)
        rows += f"| papers' claims with `{system}` | {counts or 'none'} |\n"
    return re.sub(r"(^\| not here \| .* \|\n)(?:\| papers' claims .*\n)*", lambda match: match[1] + rows, page, count=1, flags=re.MULTILINE)


class Written(unittest.TestCase):
    """What HARNESS_WRITE_DOCS=1 writes."""

    def test_each_systems_page_opens_with_its_evidence(self):
        for path, systems in SYSTEM_PAGES.items():
            page = path.read_text(encoding="utf-8")
            if os.environ.get("HARNESS_WRITE_DOCS"):
                path.write_text(with_evidence(page, systems), encoding="utf-8")
                continue
            with self.subTest(path.parent.name):
                table = re.search(r"^## (.*)\n\n\| from \| what \|\n\|---\|---\|\n((?:\|.*\n)+)", page, flags=re.MULTILINE)
                self.assertIsNotNone(table, f"{path} needs a table of its evidence (| from | what |), as templates/systems/my_system/README.md has it")
                self.assertEqual(table[1], re.search(r"^## (.*)$", page, flags=re.MULTILINE)[1], "the first section")
                self.assertEqual([row.split("|")[1].strip() for row in table[2].splitlines()][:4], EVIDENCE)
                self.assertEqual(page, with_evidence(page, systems), "HARNESS_WRITE_DOCS=1 writes it")

    def test_what_the_overview_and_the_readme_say_of_results_is_the_ledgers(self):
        overview, readme = ROOT / "docs/reproductions.md", ROOT / "README.md"
        for path, written in ((overview, lambda page: with_papers(with_headlines(with_verdicts(page)))), (readme, with_total)):
            page = path.read_text(encoding="utf-8")
            if os.environ.get("HARNESS_WRITE_DOCS"):
                path.write_text(written(page), encoding="utf-8")
                continue
            self.assertEqual(page, written(page), path.name)
        page = overview.read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r"^<!-- verdicts: (\w+):", page, re.MULTILINE)), {claim["paper"] for claim in CLAIMS} - {"harness"})
        counts = [page.count("<!-- papers -->"), page.count("<!-- headlines -->"), readme.read_text(encoding="utf-8").count("<!-- of papers -->")]
        self.assertEqual(counts, [1, 1, 1])

    def test_the_page_on_claims_counts_their_kinds(self):
        document = ROOT / "docs/claims.md"
        page = document.read_text(encoding="utf-8")
        if os.environ.get("HARNESS_WRITE_DOCS"):
            document.write_text(with_kinds(page), encoding="utf-8")
            self.skipTest("the table has been written")
        self.assertIn("<!-- kinds -->", page)
        self.assertEqual(page, with_kinds(page))


class Ledger(unittest.TestCase):

    def test_every_paper_has_its_headlines_and_one_rule_for_figures(self):
        self.assertEqual({claim["paper"] for claim in HEADLINES}, set(PAPER_NAMES) - {"harness"})
        for claim in (claim for claim in CLAIMS if claim["kind"] == "paper"):  # a plain figure has `about`, a range its own interval
            if isinstance(claim.get("expect"), list) and claim["expect"] != [1, 1]:
                self.assertRegex(claim["paper_value"], r"\d.*(-|to).*\d", claim["id"])
            if "about" in claim:
                about = str(claim["about"]).removesuffix("x")
                self.assertTrue(about in claim["paper_value"] or f"{100 * float(about):g} %" in claim["paper_value"], claim["id"])

    def test_only_a_paper_has_claims_of_its_own(self):
        for claim in CLAIMS:
            self.assertTrue(claim["paper"] != "harness" or claim["kind"] == "ours", claim["id"])

    def test_every_claim_stands_on_one_page_once(self):
        for claim in CLAIMS:
            places = [name for name, page in PAGES.items() for found in claims_on(page)[1] if found is claim]
            self.assertEqual(len(places), 1, f"{claim['id']}: {places}")
        for page in PAGES.values():
            for pattern in claims_on(page)[0]:
                self.assertTrue(fnmatch.filter([claim["id"] for claim in CLAIMS], pattern), pattern)

    def test_a_deviation_is_explained(self):
        for claim in CLAIMS:
            if verdict(claim) in ("reproduced", "not run"):
                continue
            page, _, anchor = claim.get("see", "").partition("#")
            self.assertIn(page, PAGES, claim["id"])
            self.assertIn(claim, claims_on(PAGES[page])[1], claim["id"])
            self.assertIn(anchor, anchors(PAGES[page]), claim["id"])

    def test_a_page_says_once_what_would_turn_each_claim_that_fails(self):
        for name, page in PAGES.items():
            rows = turns_of(page)
            fail = [claim["id"].split(".", 1)[1] for claim in claims_on(page)[1]
                    if claim["kind"] == "paper" and verdict(claim) in ("not reproduced", "undecided")]
            with self.subTest(name):
                self.assertEqual(sorted(each for ids, _ in rows for each in ids), sorted(fail))
                for ids, files in rows:
                    lacking = [file for file in files if not (ROOT / SUITES[name]).with_name(file).exists()]
                    self.assertTrue(files and not lacking, f"{ids}: {files}, not there: {lacking}")

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
