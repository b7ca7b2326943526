"""Bars: drop and invalid rate by system, drops by module."""

import matplotlib.pyplot as plt
import numpy as np

import look
import style
from series_styles import chosen
from intervals import half_width, seeds_text, spread
from over_time import some_of
from harness_results.file import flatten
from harness_results.names import without_table
from selection import label_of

MAX_BARS = 48
MAX_SERIES = 20


def pages_of(workloads, series_count):
    """Workloads that share a page: as many as have at most MAX_BARS bars together."""
    items = list(workloads.items())
    each = max(1, MAX_BARS // max(1, series_count))
    pages = -(-len(items) // each)
    each = -(-len(items) // pages)
    return [dict(items[i: i + each]) for i in range(0, len(items), each)]


def draw_bars(axes, page, series, palette, column):
    top = 0.0
    for rank, key in enumerate(series):
        places = [i for i, by_series in enumerate(page.values()) if key in by_series]
        spreads = [spread([100 * cell[column] for cell in list(page.values())[i][key]]) for i in places]
        bars = look.bars_beside(axes, places, spreads, rank, len(series), color=palette.colour(key), label=palette.label(key))
        top = max([top, *look.tops_of(spreads)])
        if len(series) * len(page) <= 16:
            look.label_bars(axes, bars, spreads, fontsize=6.5)
    axes.set_ylim(0, top * 1.14 if top > 0 else 1)
    axes.grid(False, axis="x")


def set_workload_ticks(axes, page):
    labels = ["\n".join([key.pipeline, key.trace, key.offered, *map(without_table, key.texts),
                         *([] if key.runtime == "simulated" else [key.runtime])]) for key in page]
    small = len(page) > 8
    axes.set_xticks(range(len(page)), labels, fontsize=6.5 if small else 8, rotation=90 if len(page) > 12 else 0)
    axes.set_xlim(-0.6, len(page) - 0.4)


def draw_rates(results, palette, page, number, folder):
    series = [key for key in results.series() if any(key in by_series for by_series in page.values())]
    drawn = chosen(series, lambda key: key.system, MAX_SERIES)
    figure, (drops, invalid) = plt.subplots(2, 1, sharex=True, figsize=style.size(style.WIDTH, 4.4))
    draw_bars(drops, page, drawn, palette, "drop_rate")
    draw_bars(invalid, page, drawn, palette, "invalid_rate")
    drops.set_ylabel("drop rate (%)")
    invalid.set_ylabel("wasted GPU time (%)")
    set_workload_ticks(invalid, page)
    style.legend(figure, *drops.get_legend_handles_labels())
    bars = {(workload, key): by_series[key] for workload, by_series in page.items() for key in drawn if key in by_series}
    left_out = [label_of(key) for key in series if key not in drawn]
    note = f" Not drawn: {', '.join(left_out)}." if left_out else ""
    caption = ("Drop rate: requests dropped or late, of all sent. Invalid rate: GPU time spent on requests that did not "
               f"end in time, of all GPU time.{seeds_text(*bars.values())}{note} {results.source(flatten(bars))}")
    return style.save(figure, folder, "rates" if number == 1 else f"rates-{number}", caption)


def drop_shares(cells):
    """Percent of the sent requests that each module dropped, and that were late: [seed, module and one more]."""
    shares = []
    for cell in cells:
        modules = cell.table("modules")
        reasons = [name for name in modules.dtype.names if name.startswith("dropped_")]
        dropped = sum(modules[name].astype(float) for name in reasons)
        shares.append(100 * np.append(dropped, cell["late"]) / max(1, cell["sent"]))
    return np.array(shares)


def draw_drops_by_module(results, palette, workload, by_series, folder):
    drawn, note = some_of(by_series, list(by_series), MAX_SERIES)
    names = flatten(drawn)[0].module_names()
    shares = [drop_shares(cells) for cells in drawn.values()]
    halves = np.array([half_width(own.cumsum(axis=1)) for own in shares])
    means = np.array([own.mean(axis=0) for own in shares])
    places = np.arange(len(drawn))

    figure, axes = plt.subplots(figsize=style.size(style.WIDTH, 1.0 + 0.3 * len(drawn)))
    left = np.zeros(len(drawn))
    late_look = {"color": "white", "edgecolor": "#767676", "hatch": "////", "linewidth": 0.6}
    for part, (name, own) in enumerate(zip([*names, "completed late"], [*style.module_looks(len(names)), late_look])):
        axes.barh(places, means[:, part], 0.72, left=left, label=name, xerr=look.whiskers_of(halves[:, part]),
                  error_kw={"elinewidth": 0.6, "capsize": 1}, **own)
        left += means[:, part]
    tops = left + np.nan_to_num(halves[:, -1])
    for place, total, top in zip(places, left, tops):
        axes.annotate(f"{total:.1f}", (top, place), xytext=(3, 0), textcoords="offset points", va="center", fontsize=7)
    axes.set_yticks(places, [palette.label(key) for key in drawn])
    axes.set(xlabel="dropped or late (% of sent)", title=workload.title, xlim=(0, max(tops.max() * 1.09, 1)))
    axes.invert_yaxis()
    axes.grid(False, axis="y")
    style.legend(figure, *axes.get_legend_handles_labels())
    caption = (f"Where requests were dropped, by module, and those completed after the SLO; whiskers: of the "
               f"sum up to there.{seeds_text(*drawn.values())}{note} {results.source(flatten(drawn))}")
    return style.save(figure, folder, f"drops-{workload.file_stem}", caption)
