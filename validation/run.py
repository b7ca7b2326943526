#!/usr/bin/env python3
"""Holds this project's numbers against those of others, and fills docs/validation.md and the README's line: validation/run.py [NAME ...]

A validation is a folder with a validate.py that defines ORDER, where it stands on the page, and validate(harness), which
returns a list of Comparisons (comparison.py), an empty one if figures that it needs are not there. What one found that needs
a running server stays in its folder (comparisons.json), so that the others can be run without a server. Its tables stand between the
page's lines `<!-- validation: NAME -->` and `<!-- validation: end -->`, a row for each of all comparisons between
`<!-- validation: all -->` and the end. Pictures (PNG) that it draws into harness.out go to docs/figures with the page.
Exit code: 1 when a comparison differs by more than it may and says no reason (`known`)."""

import argparse
import importlib.util
import json
import re
import shutil
import sys
import textwrap
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from comparison import ROOT, Comparison, Figure, Harness

HERE = Path(__file__).resolve().parent
PAGE = ROOT / "docs/validation.md"
README = ROOT / "README.md"
FIGURES = ROOT / "docs/figures"
OF_ALL = re.compile(r"(<!-- of validations --> )[^(]*(?= \()")
END = "<!-- validation: end -->\n"
LATE = " (late)"  # the mark of bounds that were set, or after which something was changed, when ours had been seen
KEPT = "comparisons.json"
LONG_TABLE = 20  # longer ones show their worst figures alone


def load(name):
    spec = importlib.util.spec_from_file_location(f"validation_{name}", HERE / name / "validate.py")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(HERE / name))
    spec.loader.exec_module(module)
    sys.path.pop(0)
    return module


def names():
    return sorted(path.parent.name for path in HERE.glob("*/validate.py"))


def kept_path(name, out):
    """The file of what the last run of a validation found. One that needs a running server has it in its folder."""
    own = HERE / name / KEPT
    return own if own.exists() else out / name / KEPT


def bound(comparison):
    parts = [f"worst {comparison.worst:g}" if comparison.worst is not None else "",
             f"mean {comparison.mean:g}" if comparison.mean is not None else "",
             f"of each {min(comparison.own_bounds):.2g} to {max(comparison.own_bounds):.2g}" if comparison.own_bounds else ""]
    said = ", ".join(part for part in parts if part)
    return f"{said} {comparison.unit}{LATE if comparison.late else ''}" if said else "-"


def row_of(comparison):
    return (f"| {comparison.title} | {len(comparison.figures)} | {comparison.mean_error:.3g} {comparison.unit} | "
            f"{comparison.worst_error:.3g} {comparison.unit} | {bound(comparison)} | {comparison.verdict} | {comparison.not_covered} |")


def table_of(comparison):
    """The figures, of long ones those with the largest errors."""
    yield textwrap.fill(f"**{comparison.title}.** {comparison.source}" + (f" {comparison.why}" if comparison.why else ""), 100,
                        break_long_words=False, break_on_hyphens=False)
    yield ""
    figures = comparison.figures
    if len(figures) > LONG_TABLE and not comparison.worst_error:
        yield f"All {len(figures)} figures are the same."
        yield ""
        return
    if len(figures) > LONG_TABLE:
        figures = sorted(figures, key=lambda figure: -abs(figure.error(comparison.relative)))[:LONG_TABLE // 2]
        yield f"The {len(figures)} of {len(comparison.figures)} figures that are furthest apart:"
        yield ""
    own = any(figure.allowed is not None for figure in figures)
    yield f"| what | theirs | ours | error, {comparison.unit} |" + (" allowed |" if own else "")
    yield "|---|---|---|---|" + ("---|" if own else "")
    for figure in figures:
        yield (f"| {figure.what} | {figure.theirs:.{comparison.digits}f} | {figure.ours:.{comparison.digits}f} | "
               f"{figure.error(comparison.relative):+.3g} |" + (f" {figure.allowed:.2g} |" if own else ""))
    yield ""


def between(text, name, lines):
    """The page's text with these lines below the marker of that name."""
    marker = f"<!-- validation: {name} -->\n"
    if marker not in text:
        raise SystemExit(f"ci/validation: {PAGE.name}: found no line '{marker.strip()}'")
    head, rest = text.split(marker, 1)
    following = re.search(r"<!-- validation: .* -->\n", rest)
    if following is None or following[0] != END:
        raise SystemExit(f"ci/validation: {PAGE.name}: found no line '{END.strip()}' after '{marker.strip()}'")
    return head + marker + "\n" + "\n".join(lines).strip() + "\n\n" + END + rest.split(END, 1)[1]


def write_page(done, out):
    text = PAGE.read_text(encoding="utf-8")
    summary = ["| what | figures | mean error | worst error | allowed | verdict | what it does not cover |", "|---|---|---|---|---|---|---|"]
    for name in sorted(done, key=lambda name: done[name][0]):
        comparisons = done[name][1]
        summary += [row_of(comparison) for comparison in comparisons]
        text = between(text, name, [line for comparison in comparisons for line in table_of(comparison)])
    text = between(text, "all", summary)
    PAGE.write_text(text, encoding="utf-8")
    for picture in sorted(picture for name in done for picture in (out / name).glob("*.png")):
        shutil.copyfile(picture, FIGURES / picture.name)
    README.write_text(OF_ALL.sub(lambda match: match[1] + counts_of(text), README.read_text(encoding="utf-8")), encoding="utf-8")


def counts_of(page):
    """What the page's table of all comparisons comes to."""
    table = [row.split(" | ") for row in page.split("<!-- validation: all -->")[1].split(END)[0].splitlines() if row]
    judged = [row for row in table[2:] if row[5] in ("agrees", "differs")]
    verdicts = Counter(row[5] for row in table[2:])

    def counted(words, sign):
        parts = [f"{verdicts[key]} {text}" for key, text in words.items() if verdicts[key]]
        return sign + ", ".join(parts) if parts else ""
    differ = "differs" if verdicts["differs"] == 1 else "differ"
    late = sum(row[4].endswith(LATE) for row in judged)
    return (f"{sum(int(row[1]) for row in judged)} figures judged in {len(judged)} comparisons"
            + (f", {late} of them with bounds or settings chosen late" if late else "")
            + counted({"agrees": "agree", "differs": differ}, ": ") + counted({"not judged": "more not judged", "not run": "not run"}, "; "))


def restored(path):
    """What the last run of a validation found."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    return kept["order"], [Comparison(**one | {"figures": [Figure(**figure) for figure in one["figures"]]}) for one in kept["comparisons"]]


def validate(name, options):
    began = time.monotonic()
    module = load(name)
    out = options.out / name
    out.mkdir(parents=True, exist_ok=True)
    comparisons = module.validate(Harness(options.harness, options.ranks, out))
    text = json.dumps({"order": module.ORDER, "comparisons": [asdict(one) for one in comparisons]}, indent=1)
    kept_path(name, options.out).write_text(text + "\n", encoding="utf-8")
    for one in comparisons:
        print(f"{one.verdict:10}  {one.title}: {len(one.figures)} figures, mean error {one.mean_error:.3g} {one.unit}, "
              f"worst {one.worst_error:.3g}; allowed: {bound(one)}")
    print(f"            {name}: {time.monotonic() - began:.0f} s", flush=True)


def main(words):
    parser = argparse.ArgumentParser(prog="ci/validation", description="Holds our numbers against those of others; fills docs/validation.md.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="folders of validation/ (default: all)")
    parser.add_argument("--servers", action="store_true", help="those that need a running server, which the others leave as they are")
    parser.add_argument("--harness", type=Path, default=ROOT / "build/release/bin/harness")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--out", type=Path, default=ROOT / "results-out/validation")
    options = parser.parse_args(words)
    unknown = sorted(set(options.names) - set(names()))
    if unknown:
        parser.error(f"found no validation '{unknown[0]}'; allowed: {', '.join(names())}")
    chosen = options.names or [name for name in names() if (HERE / name / KEPT).exists() == options.servers]
    for name in chosen:
        validate(name, options)
    kept = {name: kept_path(name, options.out) for name in names()}
    done = {name: restored(path) for name, path in kept.items() if path.exists()}
    if len(done) == len(kept) and all(comparisons for _, comparisons in done.values()):
        write_page(done, options.out)
    else:
        print("the page stays as it is: some validations have not run")
    differs = [name for name in chosen for one in done[name][1] if one.verdict == "differs" and not one.known]
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
