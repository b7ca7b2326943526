"""Figure 2 (sections 3.1, 3.2): what reactive dropping does to goodput, and where and when it drops."""

import matplotlib.pyplot as plt
import numpy as np

import look
from pard import windows
from pard.drops import shares_by_module
from selection import absent_note, by_series, group, name_of, one_workload, pair_of, seeds_text, spread, workload_name
import style

SERIES = ("naive", "nexus", "clipperpp")
REACTIVE = ("nexus", "clipperpp")
SMOOTH_S = 5
MAX_MODULES = 5


def draw_window_sizes(goodput, drops, series):
    sizes = windows.sizes_within([cell for cells in series.values() for cell in cells])
    for name, cells in series.items():
        values = 100 * np.array([[windows.least_goodput(cell, size) for size in sizes] for cell in cells])
        look.marked_line(goodput, (sizes, *spread(values[:, :, 0])), look.line_of(name), look.MARKERS[name])
        look.marked_line(drops, (sizes, *spread(values[:, :, 1])), look.line_of(name), look.MARKERS[name])
    for axes, label in ((goodput, "minimum goodput (% of sent)"), (drops, "drop rate (%)")):
        windows.window_axis(axes, sizes)
        axes.set(xlabel="window (s)", ylabel=label, ylim=(0, 104))


def draw_modules(panels, cells):
    workloads = group(cells, pair_of)
    most = max(len(own[0].table("modules")) for own in workloads.values())
    for axes, name in zip(panels, REACTIVE):
        found = [by_series(own, (name,)).get(name) for own in workloads.values()]
        shares = np.array([shares_by_module(own, most) if own else np.full(most, np.nan) for own in found])
        look.stacked_bars(axes, shares, [f"{p}\n{t}" for p, t in workloads], [f"M{k + 1}" for k in range(most)])
        axes.tick_params(axis="x", labelsize=6)
        axes.set_title(f"(c) {name_of(name)}", loc="left")
        axes.set_ylabel("share of drops (%)")


def draw_transient(axes, series):
    own = [cells for name, cells in series.items() if name in REACTIVE]
    rates = axes.twinx()
    rates.spines["right"].set_visible(True)
    rates.grid(False)
    times, rate = windows.rate_over_time(own[0] if own else next(iter(series.values())), SMOOTH_S)
    rates.fill_between(times, rate, color=style.OFFERED, alpha=0.45, linewidth=0)
    rates.set(ylim=(0, None), ylabel="requests/s (grey)")
    axes.set_zorder(rates.get_zorder() + 1)
    axes.patch.set_visible(False)
    for name in REACTIVE:
        if name in series:
            times, drops = windows.over_time(series[name], windows.lost, SMOOTH_S)
            axes.plot(times, 100 * drops, **look.line_of(name))
    axes.set(xlabel="send time (s)", ylabel="drop rate (%)", ylim=(0, 104), xlim=(0, times[-1]))


def draw(cells):
    workload = one_workload(cells, "lv", "tweet")
    series = by_series(workload, SERIES)
    figure = plt.figure(figsize=(7.4, 7.2))
    panels = figure.subplot_mosaic([["a", "b"], ["c", "c"], ["e", "e"], ["d", "d"]],
                                   gridspec_kw={"height_ratios": [1.25, 1, 1, 1.1]})
    draw_window_sizes(panels["a"], panels["b"], series)
    draw_modules((panels["c"], panels["e"]), cells)
    draw_transient(panels["d"], series)
    title = workload_name(workload)
    panels["a"].set_title(f"(a) {title}", loc="left")
    panels["b"].set_title(f"(b) {title}, same window", loc="left")
    panels["d"].set_title(f"(d) {title}", loc="left")
    look.legend_of(figure, panels["a"], panels["c"])
    caption = (f"PARD figure 2. (a) Least share of the requests sent in any sliding window that was completed in time, (b) drop "
               f"rate of the same window. (c) Share of the dropped or late requests by module where they were dropped (M1 first; late ones "
               f"count at the last). (d) Drop rate over centred windows of {SMOOTH_S} s; grey: request rate."
               f"{seeds_text(workload)}{absent_note(cells, SERIES)}")
    return figure, caption, cells
