"""Bars: drop and invalid rate by system, drops by module."""

import matplotlib.pyplot as plt
import numpy as np

import style
from results import flatten, seeds_note, without_table

MAX_BARS = 48
MAX_SERIES = 20


def mean(cells, column):
    return float(np.mean([cell[column] for cell in cells]))


def pages_of(workloads, series_count):
    """Workloads that share a page: as many as have at most MAX_BARS bars together."""
    items = list(workloads.items())
    each = max(1, MAX_BARS // max(1, series_count))
    pages = -(-len(items) // each)
    each = -(-len(items) // pages)
    return [dict(items[i: i + each]) for i in range(0, len(items), each)]


def draw_bars(axes, page, series, palette, column):
    width = 0.84 / len(series)
    top = 0.0
    for rank, key in enumerate(series):
        places = [i for i, by_series in enumerate(page.values()) if key in by_series]
        values = [100 * mean(list(page.values())[i][key], column) for i in places]
        offset = (rank - (len(series) - 1) / 2) * width
        axes.bar(np.array(places) + offset, values, 0.92 * width, color=palette.colour(key), label=key.label)
        top = max([top, *values])
        if len(series) * len(page) <= 16:
            label_bars(axes, np.array(places) + offset, values)
    axes.set_ylim(0, top * 1.14 if top > 0 else 1)
    axes.grid(False, axis="x")


def label_bars(axes, places, values):
    for place, value in zip(places, values):
        text = f"{value:.1f}" if value < 99.95 else "100"
        axes.annotate(text, (place, value), xytext=(0, 1.5), textcoords="offset points", ha="center", fontsize=6.5)


def set_workload_ticks(axes, page):
    labels = ["\n".join([key.pipeline, key.trace, key.offered, *map(without_table, key.parameters.split()),
                         *([] if key.runtime == "simulated" else [key.runtime])]) for key in page]
    small = len(page) > 8
    axes.set_xticks(range(len(page)), labels, fontsize=6.5 if small else 8, rotation=90 if len(page) > 12 else 0)
    axes.set_xlim(-0.6, len(page) - 0.4)


def draw_rates(results, palette, page, number, folder):
    series = [key for key in results.series() if any(key in by_series for by_series in page.values())]
    drawn = series[:MAX_SERIES]
    figure, (drops, invalid) = plt.subplots(2, 1, sharex=True, figsize=(style.WIDTH, 4.4))
    draw_bars(drops, page, drawn, palette, "drop_rate")
    draw_bars(invalid, page, drawn, palette, "invalid_rate")
    drops.set_ylabel("drop rate (%)")
    invalid.set_ylabel("wasted GPU time (%)")
    set_workload_ticks(invalid, page)
    style.legend(figure, *drops.get_legend_handles_labels())
    bars = {(workload, key): by_series[key] for workload, by_series in page.items() for key in drawn if key in by_series}
    note = f" {len(series) - len(drawn)} further series are not drawn." if len(series) > len(drawn) else ""
    caption = ("Drop rate: requests dropped or late, of all sent. Invalid rate: GPU time spent on requests that did not "
               f"end in time, of all GPU time.{seeds_note(bars)}{note} {results.source(flatten(bars))}")
    return style.save(figure, folder, "rates" if number == 1 else f"rates-{number}", caption)


def drop_shares(cells):
    """Percent of the sent requests that each module dropped."""
    shares = []
    for cell in cells:
        modules = cell.table("modules")
        reasons = [name for name in modules.dtype.names if name.startswith("dropped_")]
        dropped = sum(modules[name].astype(float) for name in reasons)
        shares.append(100 * dropped / max(1, cell["sent"]))
    return np.mean(shares, axis=0)


def draw_drops_by_module(results, palette, workload, by_series, folder):
    drawn = dict(list(by_series.items())[:MAX_SERIES])
    names = flatten(drawn)[0].module_names()
    dropped = np.array([drop_shares(cells) for cells in drawn.values()])
    late = np.array([100 * np.mean([cell["late"] / max(1, cell["sent"]) for cell in cells]) for cells in drawn.values()])
    places = np.arange(len(drawn))

    figure, axes = plt.subplots(figsize=(style.WIDTH, 1.0 + 0.3 * len(drawn)))
    left = np.zeros(len(drawn))
    for module, (name, look) in enumerate(zip(names, style.module_looks(len(names)))):
        axes.barh(places, dropped[:, module], 0.72, left=left, label=name, **look)
        left += dropped[:, module]
    axes.barh(places, late, 0.72, left=left, color="white", edgecolor="#767676", hatch="////", linewidth=0.6,
              label="completed late")
    left += late
    for place, total in zip(places, left):
        axes.annotate(f"{total:.1f}", (total, place), xytext=(3, 0), textcoords="offset points", va="center", fontsize=7)
    axes.set_yticks(places, [key.label for key in drawn])
    axes.set(xlabel="dropped or late (% of sent)", title=workload.title, xlim=(0, max(left.max() * 1.09, 1)))
    axes.invert_yaxis()
    axes.grid(False, axis="y")
    style.legend(figure, *axes.get_legend_handles_labels())
    note = f" {len(by_series) - len(drawn)} further series are not drawn." if len(by_series) > len(drawn) else ""
    caption = (f"Where requests were dropped, by module, and those completed after the SLO.{seeds_note(drawn)}{note} "
               f"{results.source(flatten(drawn))}")
    return style.save(figure, folder, f"drops-{workload.file_stem}", caption)
