"""Each series under each setting that `harness robust` has run: where the order is another than as written."""

import matplotlib.pyplot as plt
import numpy as np

import style
from harness_results.robust import is_robust, robustness_of
from intervals import seeds_text, spread
from selection import Missing, group, series_of

ROW = 0.22  # inches of a setting
FADED = 0.3


def draw_workload(axes, found, workload, looks):
    """A row for each setting, a dot for each series; faded where the setting does not concern it."""
    by_series, rows = found.workloads[workload], found.settings
    for rank, (name, series) in enumerate(by_series.items()):
        shift = (rank - (len(by_series) - 1) / 2) * 0.7 / len(by_series)
        for at, setting in enumerate(rows):
            mean, half = spread(list(series.under(setting).values()) or [float("nan")])
            axes.errorbar(mean, at + shift, xerr=half if np.isfinite(half) else None, fmt=looks[name]["marker"], color=looks[name]["color"],
                          markersize=style.points(3.2), linewidth=0.9, alpha=1 if setting in series.takes else FADED)
    turned = {setting for pair in found.pairs if pair.workload == workload for setting in pair.turned_by()}
    for at, setting in enumerate(rows):
        if setting in turned:
            axes.axhspan(at - 0.5, at + 0.5, color="#fbe3d6", zorder=0, linewidth=0)
    axes.set_yticks(range(len(rows)), rows)
    axes.set(ylim=(len(rows) - 0.5, -0.5), xlim=(0, None), title=workload, xlabel=found.metric)
    axes.axhline(0.5, color="#888888", linewidth=0.7)
    axes.grid(axis="y", visible=False)


def looks_of(results, found, styles):
    """Colour and mark of each series; one whose colour another has got is a square."""
    looks, seen = {}, {}
    cells = group(results.cells, lambda cell: cell["series"])
    for name in dict.fromkeys(name for by_series in found.workloads.values() for name in by_series):
        own = series_of(cells[name][0]) if name in cells else None
        if own is None:
            continue
        colour = styles.colour(own)
        looks[name] = {"color": colour, "marker": "s" if colour in seen.values() else "o", "label": styles.name(own)}
        seen[name] = colour
    return looks


def draw(results, styles):
    """(figure, caption, cells shown)"""
    if not is_robust(results):
        raise Missing("the file does not come from harness robust")
    found = robustness_of(results)
    looks = looks_of(results, found, styles)
    workloads = [workload for workload, by_series in found.workloads.items() if all(name in looks for name in by_series)]
    height = ROW * len(found.settings) * max(1, len(looks) / 5) + 0.9
    columns = style.columns_of(len(workloads), 2)
    lines = -(-len(workloads) // columns)
    figure, axes = plt.subplots(lines, columns, figsize=style.size(style.WIDTH, height * lines), squeeze=False, sharey=True)
    for place, workload in zip(axes.flat, workloads):
        draw_workload(place, found, workload, looks)
    for place in axes.flat[len(workloads):]:
        place.set_visible(False)
    handles = [plt.Line2D([], [], marker=look["marker"], linestyle="", color=look["color"], markersize=style.points(4))
               for look in looks.values()]
    style.legend(figure, handles, [look["label"] for look in looks.values()])
    seeds = seeds_text(*group(results.cells, lambda cell: (cell["workload"], cell["series"])).values())
    caption = (f"{found.metric} under the experiment's own setting and one step away from it.{seeds} Shaded: some pair of systems has the other "
               "order than as written, by intervals of the paired differences. Faded: the setting does not concern the system.")
    return figure, caption, results.cells
