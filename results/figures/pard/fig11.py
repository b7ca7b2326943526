"""Figure 11 (section 5.3): PARD and its ablations on lv-tweet."""

import matplotlib.pyplot as plt
import numpy as np

import look
from intervals import seeds_text, spread
from pard.drops import shares_by_module
from pard.series import VARIANTS
from selection import absent_note, one_workload, workload_name
import style

SERIES = ("pard", *VARIANTS)
MAX_LEVEL_LABELS = 13


def draw_rates(axes, series):
    measures = (("drop_rate", look.DROP_COLOUR, "drop rate"), ("invalid_rate", look.INVALID_COLOUR, "invalid rate"))
    for rank, (column, colour, label) in enumerate(measures):
        spreads = [spread([100 * cell[column] for cell in cells]) for cells in series.values()]
        bars = look.bars_beside(axes, np.arange(len(series)), spreads, rank, len(measures), color=colour, label=label)
        look.label_bars(axes, bars, spreads, fontsize=6)
    axes.set_ylim(0, 1.12 * max(1, axes.dataLim.ymax))
    axes.set_ylabel("rate (%)")
    axes.grid(False, axis="x")


def draw(cells, styles):
    workload = one_workload(cells, "lv", "tweet")
    series = styles.cells(workload, SERIES)
    first = next(iter(series.values()))[0]
    names = first.module_names()
    figure, (rates, modules) = plt.subplots(2, 1, sharex=True, figsize=style.size(7.4, 4.8))
    draw_rates(rates, series)
    shares = [shares_by_module(same, len(names)) for same in series.values()]
    labels = [styles.name(name).partition("-")[2] if name in VARIANTS else styles.name(name) for name in series]
    look.stacked_bars(modules, shares, labels, [f"M{k + 1} {name}" for k, name in enumerate(names)])
    styles.ticks(modules, np.arange(len(series)), series, labels, **look.crowded(len(series), MAX_LEVEL_LABELS))
    modules.set_ylabel("share of drops (%)")
    rates.set_title(f"(a) {workload_name(workload)}", loc="left")
    modules.set_title("(b)", loc="left")
    look.legend_of(figure, rates, modules)
    caption = ("PARD figure 11. (a) Drop rate (dropped or late, of all sent) and invalid rate (GPU time on requests that did not "
               "end in time) of PARD, its variants and the file's other systems. (b) Share of the dropped or late requests by module "
               f"where they were dropped; late ones count at the last module.{seeds_text(*series.values())}{absent_note(workload, SERIES)}")
    return figure, caption, workload
