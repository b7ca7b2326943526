"""Reads `harness show RESULTS.h5 --csv` and prints the comparison of the systems, best goodput first. Cells
that were skipped stand last."""

import csv
import sys

COLUMNS = [("goodput_rps", "goodput r/s", "{:.1f}"), ("drop_rate", "SLO missed", "{:.2%}"),
           ("invalid_rate", "wasted GPU time", "{:.2%}"), ("bound_share", "of upper bound", "{:.1%}")]
WORKLOAD = ["pipeline", "trace", "load", "seed"]


def values_of(row):
    """The row's figures as text; "skipped" and no figures for a cell that was not run."""
    if row.get("status") == "skipped" or not row.get("goodput_rps"):
        return ["skipped"] + [""] * (len(COLUMNS) - 1)
    return [shape.format(float(row[key])) if row.get(key) else "" for key, _, shape in COLUMNS]


def best_first(row):
    return (values_of(row)[0] == "skipped", -float(row.get("goodput_rps") or 0))


def headline(lines):
    """The text for the lines of a CSV; "" when it has no cells."""
    workloads = {}
    for row in csv.DictReader(lines):
        workloads.setdefault(tuple(row.get(key, "") for key in WORKLOAD), []).append(row)
    text = []
    for workload, cells in workloads.items():
        text.append("  ".join(f"{key} {value}" for key, value in zip(WORKLOAD, workload) if value))
        text.append(f"  {'system':<24}" + "".join(f"{title:>17}" for _, title, _ in COLUMNS))
        for row in sorted(cells, key=best_first):
            variant = row.get("variant", "")
            name = row["system"] + (f" ({variant})" if variant not in ("", "default") else "")
            text.append((f"  {name:<24}" + "".join(f"{value:>17}" for value in values_of(row))).rstrip())
    return "\n".join(text)


def main():
    text = headline(sys.stdin)
    if not text:
        sys.exit("headline: no cells")
    print(text)


if __name__ == "__main__":
    main()
