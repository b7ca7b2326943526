"""Figure 9 (section 5.2): transient drop rate, the greatest of any window, by the window's size."""

import matplotlib.pyplot as plt
import numpy as np

import curves
import look
from intervals import seeds_text, spread
from pard import windows
from pard.series import SYSTEMS
from selection import absent_note, group, pair_of
import style

SERIES = SYSTEMS


def draw(cells, styles):
    workloads = group(cells, pair_of)
    columns = len({trace for _, trace in workloads}) if len(workloads) > 3 else len(workloads)
    rows = -(-len(workloads) // columns)
    figure, grid = plt.subplots(rows, columns, sharex=True, sharey=True, squeeze=False,
                                figsize=style.size(max(4.2, 2.45 * columns), 0.5 + 1.6 * rows))
    sizes = windows.sizes_within(cells)
    for axes in grid.flat[len(workloads):]:
        axes.set_visible(False)
    for axes, ((pipeline, trace), own) in zip(grid.flat, workloads.items()):
        for name, same in styles.cells(own, SERIES).items():
            rates = 100 * np.array([[windows.greatest_drop_rate(cell, size) for size in sizes] for cell in same])
            look.marked_line(axes, (sizes, *spread(rates)), styles.line(name), styles.marker(name), [curves.grew(same)] * len(sizes))
        windows.window_axis(axes, sizes)
        axes.set_title(f"{pipeline}-{trace}", loc="left")
        axes.set_ylim(0, 104)
    figure.supxlabel("window (s)", fontsize=8.5)
    figure.supylabel("maximum drop rate (%)", fontsize=8.5)
    look.legend_of(figure, *grid.flat)
    caption = (f"PARD figure 9. Maximum drop rate of any sliding window, by send time, against the window's size."
               f"{seeds_text(*styles.cells(cells, SERIES).values())}{curves.open_note(cells)}{absent_note(cells, SERIES)}")
    return figure, caption, cells
