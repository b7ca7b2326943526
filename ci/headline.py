"""Reads `harness show RESULTS.h5 --csv` and prints the comparison of the systems, best goodput first."""

import csv
import sys

COLUMNS = [("goodput_rps", "goodput r/s", "{:.1f}"), ("drop_rate", "drop rate", "{:.2%}"),
           ("invalid_rate", "invalid rate", "{:.2%}"), ("bound_share", "of the bound", "{:.1%}")]
WORKLOAD = ["pipeline", "trace", "load", "seed"]


def main():
    rows = list(csv.DictReader(sys.stdin))
    if not rows:
        sys.exit("headline: no cells")
    workloads = {}
    for row in rows:
        workloads.setdefault(tuple(row.get(key, "") for key in WORKLOAD), []).append(row)
    for workload, cells in workloads.items():
        print("  ".join(f"{key} {value}" for key, value in zip(WORKLOAD, workload) if value))
        print(f"  {'system':<24}" + "".join(f"{title:>14}" for _, title, _ in COLUMNS))
        for row in sorted(cells, key=lambda cell: -float(cell["goodput_rps"])):
            variant = row.get("variant", "")
            name = row["system"] + (f" ({variant})" if variant not in ("", "default") else "")
            values = [shape.format(float(row[key])) if row.get(key) else "" for key, _, shape in COLUMNS]
            print(f"  {name:<24}" + "".join(f"{value:>14}" for value in values))


if __name__ == "__main__":
    main()
