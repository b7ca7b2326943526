"""Figure 8 (section 5.2): drop rate and invalid rate of every workload."""

import matplotlib.pyplot as plt

import look
from pard.series import SYSTEMS
from selection import absent_note, by_series, group, name_of, pair_of, seeds_text, spread
import style

SERIES = SYSTEMS


def draw_bars(axes, workloads, names, column):
    top = 0.0
    for rank, name in enumerate(names):
        places = [i for i, cells in enumerate(workloads.values()) if by_series(cells, (name,))]
        values = [spread([100 * cell[column] for cell in by_series(cells, (name,))[name]])
                  for cells in workloads.values() if by_series(cells, (name,))]
        look.bars_beside(axes, places, values, rank, len(names), color=style.SYSTEM_COLOURS[name], label=name_of(name))
        top = max(top, *(mean + above for mean, _, above in values))
    axes.set_ylim(0, max(1, 1.06 * top))
    axes.grid(False, axis="x")


def draw(cells):
    workloads = group(cells, pair_of)
    names = list(by_series(cells, SERIES))
    figure, (drops, invalid) = plt.subplots(2, 1, sharex=True, figsize=(7.4, 4.2))
    draw_bars(drops, workloads, names, "drop_rate")
    draw_bars(invalid, workloads, names, "invalid_rate")
    drops.set(ylabel="drop rate (%)")
    drops.set_title("(a)", loc="left")
    invalid.set(ylabel="invalid rate (%)", xlim=(-0.6, len(workloads) - 0.4))
    invalid.set_title("(b)", loc="left")
    invalid.set_xticks(range(len(workloads)), [f"{pipeline}\n{trace}" for pipeline, trace in workloads])
    look.legend_of(figure, drops)
    caption = ("PARD figure 8. (a) Requests dropped or late, of all sent. (b) GPU time spent on requests that did not end in time, "
               f"of all GPU time.{seeds_text(cells)}{absent_note(cells, SERIES)}")
    return figure, caption, cells
