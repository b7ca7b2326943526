"""Reads `harness show quickstart.h5 --csv` and prints the comparison of the systems, best goodput first. Cells
that were skipped come last."""

import csv
import sys

COLUMNS = [("goodput_rps", "goodput r/s", "{:.1f}"), ("goodput_overload_rps", "in overload", "{:.1f}"),
           ("drop_rate", "SLO missed", "{:.2%}"), ("invalid_rate", "wasted GPU time", "{:.2%}"),
           ("bound_share", "of upper bound", "{:.1%}")]
WORKLOAD = ["pipeline", "trace", "load", "seed"]
BASELINES = ["nexus", "clipperpp"]  # PARD's, whose default variants are read from PARD's paper


def values_of(row):
    """The row's figures as text; "skipped" and no figures for a cell that was not run."""
    if row.get("status") == "skipped" or not row.get("goodput_rps"):
        return ["skipped"] + [""] * (len(COLUMNS) - 1)
    return [shape.format(float(row[key])) if row.get(key) else "" for key, _, shape in COLUMNS]


def best_first(row):
    return (values_of(row)[0] == "skipped", -float(row.get("goodput_rps") or 0))


def factor(cells):
    """PARD's goodput in overload over the better of its baselines', or None if one of the three has none."""
    rates = {row["system"]: float(row["goodput_overload_rps"]) for row in cells
             if row.get("variant") == "default" and row.get("goodput_overload_rps")}
    if not {"pard", *BASELINES} <= rates.keys():
        return None
    best = max(rates[name] for name in BASELINES)
    return rates["pard"] / best if best > 0 else None


def headline(lines):
    """The text for the lines of a CSV; "" when it has no cells."""
    workloads = {}
    for row in csv.DictReader(lines):
        workloads.setdefault(tuple(row.get(key, "") for key in WORKLOAD), []).append(row)
    text = []
    for workload, cells in workloads.items():
        text.append("  ".join(f"{key} {value}" for key, value in zip(WORKLOAD, workload) if value))
        text.append(f"  {'system':<22}" + "".join(f"{title:>{len(title) + 3}}" for _, title, _ in COLUMNS))
        for row in sorted(cells, key=best_first):
            variant = row.get("variant", "")
            name = row["system"] + (f" ({variant})" if variant not in ("", "default") else "")
            values = "".join(f"{value:>{len(title) + 3}}" for value, (_, title, _) in zip(values_of(row), COLUMNS))
            text.append(f"  {name:<22}{values}".rstrip())
        times = factor(cells)
        if times is not None:
            text.append(f"  in overload pard has {times:.2f} times the goodput of the better of nexus and clipperpp "
                        "(PARD's paper: 1.16 to 2.76 over its workloads)")
    return "\n".join(text)


def main():
    text = headline(sys.stdin)
    if not text:
        sys.exit("headline: no cells")
    print(text)


if __name__ == "__main__":
    main()
