"""Figure 8 (section 5.2): drop rate and invalid rate of every workload."""

import matplotlib.pyplot as plt

import look
from intervals import seeds_text, spread
from selection import absent_note, group, pair_of
import style

# Both readings of the baselines' budgets.
SERIES = ("pard", "nexus", "nexus/per_module", "clipperpp", "clipperpp/cumulative", "naive")


def draw_bars(axes, styles, workloads, series, column):
    top = 0.0
    for rank, (name, cells) in enumerate(series.items()):
        own = group(cells, pair_of)
        places = [i for i, pair in enumerate(workloads) if pair in own]
        values = [spread([100 * cell[column] for cell in own[pair]]) for pair in workloads if pair in own]
        look.bars_beside(axes, places, values, rank, len(series), color=styles.colour(name), label=styles.name(name))
        top = max(top, *look.tops_of(values))
    axes.set_ylim(0, max(1, 1.06 * top))
    axes.grid(False, axis="x")


def draw(cells, styles):
    workloads = group(cells, pair_of)
    series = styles.cells(cells, SERIES)
    figure, (drops, invalid) = plt.subplots(2, 1, sharex=True, figsize=style.size(7.4, 4.2))
    draw_bars(drops, styles, workloads, series, "drop_rate")
    draw_bars(invalid, styles, workloads, series, "invalid_rate")
    drops.set(ylabel="drop rate (%)")
    drops.set_title("(a)", loc="left")
    invalid.set(ylabel="invalid rate (%)", xlim=(-0.6, len(workloads) - 0.4))
    invalid.set_title("(b)", loc="left")
    invalid.set_xticks(range(len(workloads)), [f"{pipeline}\n{trace}" for pipeline, trace in workloads])
    look.legend_of(figure, drops)
    caption = ("PARD figure 8. (a) Requests dropped or late, of all sent. (b) GPU time spent on requests that did not end in time, "
               f"of all GPU time.{seeds_text(*series.values())}{absent_note(cells, SERIES)}")
    return figure, caption, cells
