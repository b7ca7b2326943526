"""Figure 11 (section 5.3): PARD and its ablations on lv-tweet."""

import matplotlib.pyplot as plt
import numpy as np

import look
from pard.drops import shares_by_module
from pard.series import VARIANTS
from selection import absent_note, by_series, name_of, one_workload, seeds_text, spread, workload_name

SERIES = ("pard", *VARIANTS)


def draw_rates(axes, series):
    places = np.arange(len(series))
    for offset, column, colour, label in ((-0.2, "drop_rate", look.DROP_COLOUR, "drop rate"),
                                          (0.2, "invalid_rate", look.INVALID_COLOUR, "invalid rate")):
        mean, below, above = np.array([spread([100 * cell[column] for cell in cells]) for cells in series.values()]).T
        bars = axes.bar(places + offset, mean, 0.38, yerr=look.whiskers_of(below, above), color=colour,
                        label=label, error_kw={"elinewidth": 0.7, "capsize": 1.5})
        for bar, value, up in zip(bars, mean, above):
            axes.annotate(f"{value:.1f}", (bar.get_x() + bar.get_width() / 2, value + up), xytext=(0, 1.5),
                          textcoords="offset points", ha="center", fontsize=6)
    axes.set_ylim(0, 1.12 * max(1, axes.dataLim.ymax))
    axes.set_ylabel("rate (%)")
    axes.grid(False, axis="x")


def draw(cells):
    workload = one_workload(cells, "lv", "tweet")
    series = by_series(workload, SERIES)
    first = next(iter(series.values()))[0]
    names = first.module_names()
    figure, (rates, modules) = plt.subplots(2, 1, sharex=True, figsize=(7.4, 4.8))
    draw_rates(rates, series)
    shares = np.array([shares_by_module(same, len(names)) for same in series.values()])
    labels = [name_of(name) if name == "pard" else name_of(name).partition("-")[2] for name in series]
    look.stacked_bars(modules, shares, labels, [f"M{k + 1} {name}" for k, name in enumerate(names)])
    modules.set_ylabel("share of drops (%)")
    rates.set_title(f"(a) {workload_name(workload)}", loc="left")
    modules.set_title("(b)", loc="left")
    look.legend_of(figure, rates, modules)
    caption = ("PARD figure 11. (a) Drop rate (dropped or late, of all sent) and invalid rate (GPU time on requests that did not "
               "end in time) of PARD and its variants. (b) Share of the dropped or late requests by module where they were dropped; late "
               f"ones count at the last module.{seeds_text(workload)}{absent_note(workload, SERIES)}")
    return figure, caption, workload
