"""What a user asks of all figures: their style, font and names. What cannot be is told in a line."""

import argparse
import difflib
import sys

from matplotlib import font_manager

import page
import selection
import style


def fail(line):
    """Bad input."""
    print(line, file=sys.stderr)
    raise SystemExit(2)


def refuse(where, found, allowed):
    """Not one of the allowed names; the line has the nearest ones."""
    by_small = {name.lower(): name for name in allowed}
    near = [by_small[name] for name in difflib.get_close_matches(str(found).lower(), by_small, 3)]
    some = ", ".join(allowed) if len(allowed) <= 60 else f"one of {len(allowed)}"
    fail(f"{where}: found '{found}', allowed: {some}" + (f"; did you mean {' or '.join(repr(name) for name in near)}?" if near else ""))


def add(parser):
    parser.add_argument("--style", metavar="NAME", help=f"width and text of a page: {', '.join(page.STYLES)}")
    parser.add_argument("--no-caption", dest="captions", action="store_false", help="captions beside the figures, in STEM.txt")
    parser.add_argument("--font", metavar="NAME", help="font of all text")
    parser.add_argument("--rename", action="append", default=[], metavar="A=B",
                        help="call a system, or SYSTEM/VARIANT, B; repeatable")


def known_series(results):
    """{name: the series that it stands for}: systems with all their variants, and series."""
    names = {}
    for cell in results.cells:
        series = selection.series_of(cell)
        for name in (cell["system"], series):
            names.setdefault(name, set()).add(series)
    return names


def new_names(texts, results):
    """{system or series: name} of --rename A=B."""
    known = known_series(results)
    found = {}
    for text in texts:
        longest = max((name for name in known if text.startswith(name + "=")), key=len, default=None)
        if longest is None and "=" in text:
            refuse("--rename", text.partition("=")[0], sorted(known))
        name = "" if longest is None else text[len(longest) + 1:]
        if not name.strip() or name.startswith("_") or not name.isprintable():
            fail(f"--rename: found '{text}', allowed: A=B with a name B that can be printed and does not begin with '_'")
        found[longest] = name.replace("$", r"\$")
    return found


def require_distinct(results):
    """Two series of one name would be one in the legends."""
    for name_of, shown in ((selection.name_of, dict.fromkeys(map(selection.series_of, results.cells))),
                           (selection.label_of, results.series())):
        first = {}
        for series in shown:
            other = first.setdefault(name_of(series), series)
            if other != series:
                before = [getattr(one, "label", one) for one in (other, series)]
                fail(f"--rename: '{before[0]}' and '{before[1]}' would both be called '{name_of(series)}', allowed: names that differ")


def font_of(name):
    known = sorted(set(font_manager.get_font_names()))
    own = next((one for one in known if one.lower() == name.lower()), None)
    if own is None:
        refuse("--font", name, known)
    return own


def apply(arguments: argparse.Namespace, results=None):
    """Before the first figure. Of a table there are no results, and so no series."""
    if arguments.style is not None and arguments.style not in page.STYLES:
        refuse("--style", arguments.style, list(page.STYLES))
    note = ""
    if arguments.rename and results is None:
        fail(f"--rename: found '{arguments.rename[0]}', allowed: with a results file only")
    if arguments.rename:
        selection.RENAMED.update(new_names(arguments.rename, results))
        require_distinct(results)
        note = " Renamed: " + ", ".join(f"{before} is {now}" for before, now in selection.RENAMED.items()) + "."
    font = arguments.font and font_of(arguments.font)
    style.use(style.Options(page.STYLES.get(arguments.style), arguments.captions, note), font)
