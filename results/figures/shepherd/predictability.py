"""Figures 2 and 5 (sections 2.2, 3.1): coefficient of variation of the requests in a window against its length, of single streams and of
groups of them, from the table of `harness trace cv FILE`: the HDF5 file of -o, or what --csv prints."""

import csv
import math

import h5py
import matplotlib.pyplot as plt

import look
from harness_results.names import text_of
import style

SECONDS_PER_MINUTE = 60
FORMAT = "harness trace cv"


def is_table(path):
    """Whether the file is such a table."""
    if str(path).endswith(".csv"):
        return True
    with h5py.File(path, "r") as file:
        return text_of(file.attrs.get("format", "")) == FORMAT


def table_of(path):
    """The table's rows as dictionaries of columns."""
    if str(path).endswith(".csv"):
        with open(path, encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file))
    with h5py.File(path, "r") as file:
        rows = file["cv"][:]
    return [{name: row[name] for name in rows.dtype.names} | {"trace": text_of(row["trace"])} for row in rows]


def rows_of(path):
    """The table's rows; those without a value are left out."""
    rows = [row for row in table_of(path) if row["mean_cv"] != "-"]
    points = [{"trace": row["trace"], "group": int(row["group"]), "minutes": float(row["window_s"]) / SECONDS_PER_MINUTE,
               "cv": float(row["mean_cv"])} for row in rows]
    return [point for point in points if not math.isnan(point["cv"])]


def curves_of(rows, key, **fixed):
    """value of the key -> [(minutes, coefficient)] in order of the minutes, of the rows that have the fixed values."""
    curves = {}
    for row in rows:
        if all(row[name] == value for name, value in fixed.items()):
            curves.setdefault(row[key], []).append((row["minutes"], row["cv"]))
    return {name: sorted(points) for name, points in curves.items()}


def plot(axes, curves, label):
    for rank, (name, points) in enumerate(curves.items()):
        axes.plot(*zip(*points), marker="os^Dv<>"[rank % 7], markersize=3.5, color=look.OTHER[rank % len(look.OTHER)],
                  label=label.format(name))
    axes.set(xscale="log", yscale="log", xlabel="window (minutes)", ylabel="coefficient of variation")


def draw_streams(rows):
    figure, axes = plt.subplots(figsize=style.size(4.2, 2.9))
    plot(axes, curves_of(rows, "trace", group=1), "{}")
    look.legend_of(figure, axes)
    return figure


def draw_groups(rows):
    traces = list(dict.fromkeys(row["trace"] for row in rows))
    figure, grid = plt.subplots(1, len(traces), squeeze=False, sharey=True, figsize=style.size(max(4.2, 2.6 * len(traces)), 2.9))
    for axes, trace in zip(grid.flat, traces):
        plot(axes, curves_of(rows, "group", trace=trace), "groups of {}")
        axes.set_title(trace, loc="left")
        axes.label_outer()
    look.legend_of(figure, *grid.flat)
    return figure


def draw(table, folder):
    """The paths of the files drawn."""
    rows = rows_of(table)
    source = f"From {table.name} (harness trace cv)."
    paths = style.save(draw_streams(rows), folder, "shepherd-fig2", "SHEPHERD figure 2. Coefficient of variation of a stream's requests "
                       f"in windows, mean of the streams that have any, against the windows' length. {source}")
    paths += style.save(draw_groups(rows), folder, "shepherd-fig5", "SHEPHERD figure 5. Coefficient of variation of the requests of groups "
                        f"of streams, mean of the groups. {source}")
    return paths
