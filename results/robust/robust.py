#!/usr/bin/env python3
"""Says which orders hold in a results file of `harness robust`, which runs this: a table, or with --json all verdicts.

Exit codes: 0, 2: the file does not come from `harness robust`.
"""

import argparse
import json
import os
import sys
import textwrap
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))  # harness_results, installed or not

from harness_results.file import Results, ResultsError, length_text  # noqa: E402
from harness_results.robust import (ABOVE, AS_WRITTEN, BELOW, CONFIDENCE, HOLDS, IN_PART, NO_VALUE, OPEN, TIE, TIES, TURNS, UNDECIDED,  # noqa: E402
                                    data_of, effects, is_robust, robustness_of)

WIDTH = 100
INDENT = " " * 12
KIND_WORDS = {TURNS: "turns", IN_PART: "in part", OPEN: "undecided", TIES: "ties", HOLDS: "holds"}
MAX_NAMED = 6  # settings named in a line; the JSON has all


def wrapped(head, text):
    """A paragraph with its head at the left."""
    return textwrap.fill(text, WIDTH, initial_indent=f"  {head:<{len(INDENT) - 2}}", subsequent_indent=INDENT, break_long_words=False, break_on_hyphens=False)


def short(value):
    """A number of at most four digits, without an exponent where that is short."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def named(pair, settings):
    """The settings with the means of both series."""
    words = [f"{setting} ({short(pair.verdicts[setting].first)}, {short(pair.verdicts[setting].second)})" for setting in settings[:MAX_NAMED]]
    more = len(settings) - MAX_NAMED
    return ", ".join(words) + (f" and {more} more" if more > 0 else "")


def order_text(pair, order):
    return {ABOVE: f"{pair.first} above", BELOW: f"{pair.second} above"}.get(order, order)


def pair_text(pair):
    """One pair that does not hold everywhere: what is so as written, and what is otherwise under which settings."""
    own = pair.as_written
    text = f"{pair.first}, {pair.second}: {order_text(pair, own.order)} as written ({short(own.first)}, {short(own.second)})"
    others = [setting for setting in pair.under(own.order) if setting != AS_WRITTEN]
    text += f" and under {len(others)} of {len(pair.verdicts) - 1} other settings" if others else ""
    for order in (BELOW, ABOVE, TIE, UNDECIDED, NO_VALUE):
        if order != own.order and pair.under(order):
            text += f"; {order_text(pair, order)} under {named(pair, pair.under(order))}"
    return text + "."


def same_everywhere(pairs, kind):
    """Pairs that are alike under all settings, by the first of them: "pard above naive (9), nexus (12)"."""
    by_first = {}
    for pair in pairs:
        by_first.setdefault(pair.first, []).append(f"{pair.second} ({len(pair.verdicts)})")
    word = "above" if kind == HOLDS else "like"
    return [f"{first} {word} {', '.join(others)}" for first, others in by_first.items()]


def workload_text(found, workload):
    lines = [workload]
    for kind in (TURNS, IN_PART, OPEN):
        lines += [wrapped(KIND_WORDS[kind], pair_text(pair)) for pair in found.of_kind(kind) if pair.workload == workload]
    for kind in (TIES, HOLDS):
        own = [pair for pair in found.of_kind(kind) if pair.workload == workload]
        lines += [wrapped(KIND_WORDS[kind], text) for text in same_everywhere(own, kind)]
    return "\n".join(lines)


def count_text(count, word):
    return f"{count} {word}{'' if count == 1 else 's'}"


def settings_text(found):
    """What each setting does, those that turn most first."""
    by_effect = effects(found)
    changing = sorted((setting for setting in by_effect if any(by_effect[setting])), key=lambda setting: by_effect[setting], reverse=True)
    width = max(map(len, ["by setting", *changing]))
    lines = [f"{'by setting':<{width + 2}}  pairs that turn  that change otherwise"] if changing else []
    lines += [f"  {setting:<{width}}  {by_effect[setting][0]:>15}  {by_effect[setting][1]:>21}" for setting in changing]
    still = [setting for setting in by_effect if setting not in changing and setting not in found.idle]
    lines += [wrapped("no change", ", ".join(still))] if still else []
    lines += [wrapped("no effect", "every decision is as it was under " + ", ".join(found.idle))] if found.idle else []
    lines += [wrapped("skipped", f"{setting}: {count_text(count, 'cell')}, the first {why}") for setting, (count, why) in found.failed.items()]
    lines += [wrapped("not tried", line) for line in found.left_out]
    return "\n".join(lines)


def text_of(results, found):
    """The table."""
    tally = ", ".join(f"{len(found.of_kind(kind))} {words}" for kind, words in (
        (TURNS, "turn"), (IN_PART, "hold in part"), (OPEN, "are undecided"), (TIES, "tie under all"), (HOLDS, "hold under all")) if found.of_kind(kind))
    better = "higher" if found.higher_is_better else "lower"
    head = (f"{results.path.name}: {found.metric} ({better} is better) under {count_text(len(found.settings), 'setting')}, "
            f"{count_text(len(found.seeds), 'seed')}, paired. Of {count_text(len(found.pairs), 'pair')} of systems {tally}. A difference within "
            f"{100 * found.margin:g} % is a tie. The {100 * CONFIDENCE:g} % intervals of all settings of a pair hold together. "
            "In parentheses: means of the two, or the number of settings that concern the pair."
            f"{length_text(results.cells)}")
    parts = [textwrap.fill(head, WIDTH), *(workload_text(found, workload) for workload in found.workloads), settings_text(found)]
    return "\n\n".join(part for part in parts if part)


def tell(text):
    """Prints it; a reader that has gone away has read enough."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="results file of harness robust")
    parser.add_argument("--json", action="store_true", help="all verdicts as JSON")
    arguments = parser.parse_args()
    try:
        results = Results(arguments.results)
        if not is_robust(results):
            raise ResultsError(f"{arguments.results}: found no settings of harness robust, allowed: its results")
    except (OSError, ResultsError) as error:
        print(f"harness: {error}", file=sys.stderr)
        return 2
    found = robustness_of(results)
    tell(json.dumps({"results": arguments.results} | data_of(found), indent=1) if arguments.json else text_of(results, found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
