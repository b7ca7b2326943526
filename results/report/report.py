#!/usr/bin/env python3
"""Writes a report of results files as one page for a browser: `harness report A.h5 [B.h5 ...] -o report.html` runs this.

Without Vega the page has no plots, and a line says how to install it. Exit codes: 0, 2: a file is no results file, or the page would
replace one, 3: the page cannot be written.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))  # harness_results and figures, installed or not

from contents import page_data  # noqa: E402
from harness_results.file import ResultsError  # noqa: E402
import judgements  # noqa: E402
from output import BadOutput, checked_output, line_of, take_any_names, write  # noqa: E402
from packages import NotInstalled  # noqa: E402
from page import page  # noqa: E402
import vega  # noqa: E402

COURSES_LIMIT = 1_500_000  # characters of the courses over time of all files
BAD_INPUT, ENVIRONMENT = 2, 3


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path, help="results files; further ones are compared with the first")
    parser.add_argument("-o", "--output", type=Path, default=Path("report.html"), help="the page (%(default)s)")
    parser.add_argument("--harness", default="harness", help="the program, for claims and comparisons (%(default)s)")
    return parser.parse_args()


def plots_library():
    """Returns (the text of Vega, ""), or ("", why there is none)."""
    try:
        return vega.bundle(), ""
    except NotInstalled as missing:
        return "", str(missing)


def main():
    take_any_names()
    arguments = parse_arguments()
    try:
        output = checked_output(arguments.output, arguments.results)
        library, missing = plots_library()
        data = page_data(arguments.results, COURSES_LIMIT)
        judgements.add(arguments.harness, arguments.results, data)
        text = page(data, library).encode("utf-8", "replace")  # a name of a file may be no text
        write(output, text)
    except (ResultsError, BadOutput) as error:
        print(f"harness: {error}", file=sys.stderr)
        return BAD_INPUT
    except OSError as error:
        print(f"harness: {line_of(error)}", file=sys.stderr)
        return ENVIRONMENT
    cells = sum(len(file["cells"]) for file in data["files"])
    print(f"{arguments.output}: {cells} cell{'s' if cells != 1 else ''}, {len(text) / 1e6:.1f} MB")
    for file in data["files"]:
        for note in file["notes"]:
            print(f"{file['label']}: {note}")
    if missing:
        print(f"harness: the page has no plots: {missing}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
