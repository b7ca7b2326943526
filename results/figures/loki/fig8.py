"""Figure 8 (section 6.4): accuracy, its greatest drop and SLO violations by SLO."""

import matplotlib.pyplot as plt
import numpy as np

import curves
import look
from loki import published, violations
from loki.series import SYSTEMS
from over_time import binned, share
from selection import Missing
import style

STEP_S = 10


def greatest_drop(cell):
    """How far the accuracy of the requests sent in any step of STEP_S lies below 1, the highest possible, at most; NaN where none was
    completed."""
    width = max(1, round(STEP_S / cell.window_s))
    count = -(-len(cell.windows) // width)
    completed = binned(cell.windows["in_time"].astype(float) + cell.windows["late"], width, count)
    accuracy = share(binned(cell.windows["accuracy_sum"], width, count), completed)
    return 1 - np.nanmin(accuracy) if completed.any() else np.nan


def slo(cell):
    return cell["slo_ms"]


def draw(cells, styles):
    if len({slo(cell) for cell in cells}) < 2:
        raise Missing("the file has one SLO only")
    panels = [("mean accuracy (% of the best)", "accuracy"), ("greatest drop of accuracy (%)", greatest_drop)]
    panels += [(f"SLO violations (% of {of})", column) for column, of in violations.measures(cells)]
    figure, grid = plt.subplots(1, len(panels), figsize=style.size(2.5 * len(panels), 2.7))
    for axes, (label, column) in zip(grid, panels):
        curves.draw_series(axes, styles, cells, SYSTEMS, slo, column, 100)
        axes.set(ylabel=label, ylim=(None if column == "accuracy" else 0, None))
    for axes, letter in zip(grid, "abcd"):
        axes.set_xlabel("SLO (ms)")
        axes.set_xticks(sorted({slo(cell) for cell in cells}))
        axes.set_title(f"({letter})", loc="left")
    papers = published.on_slos(cells, grid)
    look.legend_of(figure, *grid)
    caption = (f"Loki figure 8. By SLO: (a) accuracy of the completed requests, (b) the most by which it lies below the highest possible "
               f"in any step of {STEP_S} s of sending, {'(c, d)' if len(panels) > 3 else '(c)'} SLO violations."
               f"{violations.text(cells, len(panels) > 3)}{curves.seeds_note(cells)}{papers}")
    return figure, caption, cells
