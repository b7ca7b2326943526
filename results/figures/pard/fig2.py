"""Figure 2 (sections 3.1, 3.2): what reactive dropping does to goodput, and where and when it drops."""

import matplotlib.pyplot as plt
import numpy as np

import curves
import look
from intervals import seeds_text, spread
from pard import windows
from pard.drops import shares_by_module
from selection import absent_note, group, one_workload, pair_of, workload_name
import style

SERIES = ("naive", "nexus", "clipperpp")
NEVER_DROPS = "naive"
SMOOTH_S = 5


def draw_window_sizes(goodput, drops, styles, series):
    sizes = windows.sizes_within([cell for cells in series.values() for cell in cells])
    for name, cells in series.items():
        values = 100 * np.array([[windows.least_goodput(cell, size) for size in sizes] for cell in cells])
        for axes, own in ((goodput, values[:, :, 0]), (drops, values[:, :, 1])):
            look.marked_line(axes, (sizes, *spread(own)), styles.line(name), styles.marker(name), [curves.grew(cells)] * len(sizes))
    for axes, label in ((goodput, "minimum goodput (% of sent)"), (drops, "drop rate (%)")):
        windows.window_axis(axes, sizes)
        axes.set(xlabel="window (s)", ylabel=label, ylim=(0, 104))


def draw_modules(panels, styles, workloads, dropping):
    most = max(len(own[0].table("modules")) for own in workloads.values())
    for axes, (name, own) in zip(panels, dropping.items()):
        found = group(own, pair_of)
        shares = [shares_by_module(found[pair], most) if pair in found else None for pair in workloads]
        look.stacked_bars(axes, shares, [f"{p}\n{t}" for p, t in workloads], [f"M{k + 1}" for k in range(most)])
        axes.tick_params(axis="x", labelsize=6)
        axes.set_title(f"(c) {styles.name(name)}", loc="left")
        axes.set_ylabel("share of drops (%)")


def draw_transient(axes, styles, series):
    rates = axes.twinx()
    rates.spines["right"].set_visible(True)
    rates.grid(False)
    times, rate, half = windows.rate_over_time(next(iter(series.values())), SMOOTH_S)
    rates.fill_between(times, rate, color=style.OFFERED, alpha=0.45, linewidth=0)
    look.band_line(rates, (times, rate, half), {"color": style.OFFERED, "linewidth": 0.6})
    rates.set(ylim=(0, None), ylabel="requests/s (grey)")
    axes.set_zorder(rates.get_zorder() + 1)
    axes.patch.set_visible(False)
    for name, own in series.items():
        times, drops, half = windows.over_time(own, windows.lost, SMOOTH_S)
        look.band_line(axes, (times, 100 * drops, 100 * half), styles.line(name))
    axes.set(xlabel="send time (s)", ylabel="drop rate (%)", ylim=(0, 104), xlim=(own[0].measured_from_s, times[-1]))


def draw(cells, styles):
    workload = one_workload(cells, "lv", "tweet")
    series = styles.cells(workload, SERIES)
    dropping = {name: own for name, own in styles.cells(cells, SERIES).items() if name != NEVER_DROPS}
    modules = [f"c{rank}" for rank in range(len(dropping))]
    figure = plt.figure(figsize=style.size(7.4, 4.2 + 1.5 * len(modules)))
    first = [["a", "b"]] if style.columns_of(2, 2, widths=2) > 1 else [["a", "a"], ["b", "b"]]
    panels = figure.subplot_mosaic([*first, *([name, name] for name in modules), ["d", "d"]],
                                   gridspec_kw={"height_ratios": [*(1.25 for _ in first), *(1 for _ in modules), 1.1]})
    draw_window_sizes(panels["a"], panels["b"], styles, series)
    draw_modules([panels[name] for name in modules], styles, group(cells, pair_of), dropping)
    draw_transient(panels["d"], styles, {name: own for name, own in series.items() if name != NEVER_DROPS} or series)
    title = workload_name(workload)
    panels["a"].set_title(f"(a) {title}", loc="left")
    panels["b"].set_title(f"(b) {title}, same window", loc="left")
    panels["d"].set_title(f"(d) {title}", loc="left")
    look.legend_of(figure, panels["a"], *(panels[name] for name in modules[:1]))
    caption = (f"PARD figure 2. (a) Least share of the requests sent in any sliding window that was completed in time, (b) drop "
               f"rate of the same window. (c) Share of the dropped or late requests by module where they were dropped (M1 first; late ones "
               f"count at the last). (d) Drop rate over centred windows of {SMOOTH_S} s; grey: request rate."
               f"{seeds_text(*series.values(), what='whiskers and bands')}{curves.open_note(workload)}{absent_note(cells, SERIES)}")
    return figure, caption, cells
