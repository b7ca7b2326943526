"""Figure 3 (section 2.2): accuracy against throughput of a task's variants, from what `harness list variants` prints."""

import csv
import os

import matplotlib.pyplot as plt
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

import look
import style

COLUMNS = {"task", "model", "accuracy", "profiles", "batch", "throughput_rps"}
FIRST = "efficientnet"  # the paper's family
BATCHES = (1, 4, 16, 64)
MAX_PANELS = 12


def is_table(path):
    """Whether the file is such a table."""
    if path.suffix != ".csv":
        return False
    with open(path, encoding="utf-8-sig", newline="") as file:
        return COLUMNS <= set(csv.DictReader(file).fieldnames or ())


def panels_of(table):
    """[(task, profiles, {batch: [(requests/s, accuracy, model)]})] in the order of the table, the paper's family first."""
    panels = {}
    with open(table, encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            batches = panels.setdefault((row["task"], row["profiles"]), {})
            batches.setdefault(int(row["batch"]), {})[row["model"]] = (float(row["throughput_rps"]), float(row["accuracy"]), row["model"])
    found = [(*names, {batch: list(points.values()) for batch, points in batches.items()}) for names, batches in panels.items()]
    return sorted(found, key=lambda panel: not panel[2][1][0][2].startswith(FIRST))


def batches_shown(batches):
    """Those of BATCHES that all variants can take."""
    most = max(len(points) for points in batches.values())
    return [batch for batch in BATCHES if len(batches.get(batch, ())) == most]


def label_points(axes, points):
    names = [model for _, _, model in points]
    prefix = os.path.commonprefix(names) if len(names) > 1 else ""
    prefix = prefix[:prefix.rfind("-") + 1]
    for rate, accuracy, model in points:
        axes.annotate(model.removeprefix(prefix), (rate, 100 * accuracy), xytext=(3, 3), textcoords="offset points", fontsize=6)


def draw_table(table):
    panels = panels_of(table)[:MAX_PANELS]
    columns = style.columns_of(len(panels), 3)
    rows = -(-len(panels) // columns)
    figure, grid = plt.subplots(rows, columns, squeeze=False, figsize=style.size(max(4.2, 3.0 * columns), 0.5 + 2.4 * rows))
    for axes in grid.flat[len(panels):]:
        axes.set_visible(False)
    for axes, (task, profiles, batches) in zip(grid.flat, panels):
        for batch in batches_shown(batches):
            rank, points = BATCHES.index(batch), sorted(batches[batch], key=lambda point: point[1])
            axes.plot([rate for rate, _, _ in points], [100 * accuracy for _, accuracy, _ in points], marker="os^D"[rank], markersize=3.5,
                      color=look.OTHER[rank], linestyle=style.LINE_STYLES[rank], label=f"batch {batch}")
        label_points(axes, points)
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set(xlabel="throughput (requests/s)", ylabel="accuracy (% of the best)")
        axes.set_title(f"{task.replace('_', ' ')}, {profiles}", loc="left", fontsize=8)
    return figure, grid


def draw(table, folder):
    """The paths of the files drawn."""
    figure, grid = draw_table(table)
    look.legend_of(figure, *grid.flat)
    caption = ("Loki figure 3. Accuracy of the variants of a task, relative to the best, against the throughput of one GPU in batches of a "
               f"size, by the sets of profiles that have them (the paper's GPU is a V100). From {table.name} (harness list variants).")
    return style.save(figure, folder, "loki-fig3", caption)
