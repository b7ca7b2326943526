"""ARTIFACT.md's tables are those of experiments/claims.toml and experiments/costs.csv (HARNESS_WRITE_DOCS=1 writes them): a row for
each set of experiments on which claims rest."""

import csv
import os
import re
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "ARTIFACT.md"
CLAIMS = tomllib.loads((ROOT / "experiments/claims.toml").read_text(encoding="utf-8"))["claim"]
with (ROOT / "experiments/costs.csv").open(encoding="utf-8", newline="") as file:
    COSTS = {(row["experiment"], row["systems"]): row for row in csv.DictReader(file)}
HEAD = "| experiments | command | expected verdicts | wall | cells | disk |\n|---|---|---|---|---|---|\n"
VERDICTS = ("reproduced", "partly", "undecided", "not reproduced", "not run")
MARKER = re.compile(r"(<!-- experiments: (\w+) -->\n)(?:\n(?:\|.*\n)+)?")


def experiments_of(claim):
    named = claim["experiment"]
    return (named,) if isinstance(named, str) else tuple(sorted(named))


def folder_of(claim):
    """The paper whose experiments it rests on; claims of ours rest on PARD's."""
    return "pard" if claim["paper"] == "harness" else claim["paper"]


def experiment(folder, stem):
    return tomllib.loads((ROOT / f"experiments/{folder}/{stem}.toml").read_text(encoding="utf-8"))


def in_suite(folder, stem):
    """Or else it is a table that ci/reproduction makes."""
    return f"{stem}.toml" in experiment(folder, "all")["suite"]


def command(folder, stems):
    if not all(in_suite(folder, stem) for stem in stems):
        return f"`ci/reproduction {folder}`"
    return f"`harness -n 2 experiments/{folder}/{stems[0] if len(stems) == 1 else 'EXPERIMENT'}.toml -o results-out/{folder}`"


def cost(folder, stems, column):
    """Experiments of two papers may have the same name: those of the same systems are meant."""
    rows = [COSTS.get((stem, " ".join(sorted({system["name"] for system in experiment(folder, stem)["system"]})))) for stem in stems
            if in_suite(folder, stem)]
    return "-" if None in rows or not rows else f"{sum(float(row[column]) for row in rows):.1f}"


def table_of(folder):
    claims = [claim for claim in CLAIMS if folder_of(claim) == folder]
    rows = []
    for stems in dict.fromkeys(map(experiments_of, claims)):
        counts = [(sum(claim.get("known", "reproduced") == each for claim in claims if experiments_of(claim) == stems), each)
                  for each in VERDICTS]
        expected = ", ".join(f"{count} {each}" for count, each in counts if count)
        rows.append(f"| {', '.join(stems)} | {command(folder, stems)} | {expected} | {cost(folder, stems, 'wall_s')} | {cost(folder, stems, 'cells_s')} "
                    f"| {cost(folder, stems, 'disk_mb')} |\n")
    return HEAD + "".join(rows)


def with_tables(page):
    return MARKER.sub(lambda match: f"{match[1]}\n{table_of(match[2])}", page)


class Artifact(unittest.TestCase):

    def test_the_tables_are_those_of_the_ledger(self):
        page = PAGE.read_text(encoding="utf-8")
        if os.environ.get("HARNESS_WRITE_DOCS"):
            PAGE.write_text(with_tables(page), encoding="utf-8")
            self.skipTest("the tables have been written")
        self.assertEqual(page, with_tables(page), "HARNESS_WRITE_DOCS=1 writes it")

    def test_every_claim_is_in_a_table(self):
        folders = [folder for _, folder in MARKER.findall(PAGE.read_text(encoding="utf-8"))]
        self.assertEqual(set(folders), {folder_of(claim) for claim in CLAIMS})
        rows = re.findall(r"^\| .* \| `.*` \| (.*) \| .* \| .* \| .* \|$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
        counted = sum(int(count) for row in rows for count in re.findall(r"(\d+) (?:not )?(?:reproduced|partly|undecided|run)\b", row))
        self.assertEqual(counted, len(CLAIMS))

    def test_what_the_page_runs_is_there(self):
        for path in re.findall(r"\b((?:ci|experiments|results|workloads)/[\w./-]+\w)", PAGE.read_text(encoding="utf-8")):
            if not path.endswith("EXPERIMENT.toml"):
                self.assertTrue((ROOT / path).exists(), path)


if __name__ == "__main__":
    unittest.main()
