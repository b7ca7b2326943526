"""Figures 6, 7, 10 to 12 and 14(b): offered rate, cost and miss rate over time, a column for each trace."""

import matplotlib.pyplot as plt

from inferline import published
from inferline.series import COST_LABEL, OVER_TIME, require_costs, rises, sample_s
import look
from over_time import Course, bins_of
from selection import Missing, absent_note, first_seed, group, pair_of, trace_of
import style

MOST_COLUMNS = 3
ROWS = 3
NEARLY = 0.01  # of a bin: the load may end a little before it
NAMES = {
    6: "Loads of AutoScale",
    7: "Rates that rise",
    10: "A rate that was not planned for",
    11: "Burstiness that was not planned for",
    12: "What Planner and Tuner bring",
    "14b": "DS2 and InferLine on a rate that rises; the P99 meets the SLO where 1 % miss at most",
}


def whole_bins(cells):
    """bins_of(), without a last one that the load does not fill."""
    width, count = bins_of(cells)
    filled = [int((cell["duration_s"] - cell.measured_from_s) / (width * cell.window_s) + NEARLY) for cell in cells]
    return width, max(1, min(count, *filled))


def draw_published(column, number, cell):
    """Marks what the text gives of the figure."""
    demand, _, missed = column
    for rps in published.DEMAND_RPS.get(number, ()):
        look.published_range(demand, rps, rps)
    if number in published.MISSED:
        look.published_range(missed, published.MISSED[number], published.MISSED[number])
    if number == 6 and trace_of(cell).get("shape") == published.FALL_SHAPE:
        look.published_range(demand, *[published.FALL_S - sample_s(cell)] * 2, axis="x")
    if number == "14b":
        from_s = trace_of(cell)["transition_from_s"] - sample_s(cell)
        look.published_range(missed, from_s, from_s + published.DRAINED_S, axis="x")


def draw_column(column, styles, cells, number):
    """The cells of one workload, a series each."""
    demand, cost, missed = column
    series = {name: first_seed(own) for name, own in styles.cells(cells, OVER_TIME[number]).items()}
    width, count = whole_bins(series.values())
    for rank, (name, cell) in enumerate(series.items()):
        course = Course(cell, width, count)
        if rank == 0:  # the same for all
            demand.fill_between(course.times(), course.demand(), color=style.OFFERED, alpha=0.6, linewidth=0)
            demand.plot(course.times(), course.demand(), color="#404040", linewidth=0.9)
        cost.plot(course.times(), course.workers("added_ns", "usd_per_h"), **styles.line(name))
        missed.plot(course.times(), 100 * course.violations(), **styles.line(name))
    draw_published(column, number, cells[0])
    demand.set_title(cells[0]["trace"], loc="left")
    for axes in column:
        axes.set_xlim(*course.edges[[0, -1]])
        axes.tick_params(labelbottom=axes is missed)
    missed.set_xlabel("send time (s)")
    return list(series.values()), course.bin_s


def draw(number, cells, styles):
    require_costs(cells)
    workloads = group(cells, pair_of)
    columns = style.columns_of(len(workloads), MOST_COLUMNS)
    blocks = -(-len(workloads) // columns)
    figure, grid = plt.subplots(ROWS * blocks, columns, squeeze=False, sharey="row", figsize=style.size(style.WIDTH, 0.5 + 3.6 * blocks))
    for axes in grid[-ROWS:, len(workloads) - columns * (blocks - 1):].flat:
        axes.set_visible(False)
    shown, bins = [], []
    for rank, own in enumerate(workloads.values()):
        block, place = divmod(rank, columns)
        drawn, bin_s = draw_column(grid[ROWS * block:ROWS * (block + 1), place], styles, own, number)
        shown += drawn
        bins.append(bin_s)
    for k, axes in enumerate(grid[:, 0]):
        axes.set_ylabel(("offered rate\n(requests/s)", COST_LABEL, "miss rate (%)")[k % ROWS])
        axes.set_ylim(*((-2, 104) if k % ROWS == 2 else (0, None)))  # of the whole row
    look.legend_of(figure, *grid.flat)
    span = " to ".join(f"{one:g}" for one in sorted({min(bins), max(bins)}))
    caption = (f"InferLine figure {number}. {NAMES[number]}, SLO {cells[0]['slo_ms']:g} ms: offered rate, cost of the "
               f"workers from when they have their devices, and share of the requests late or dropped, by send time in bins of {span} s.{published.words_of(number)}"
               f"{absent_note(cells, OVER_TIME[number])}")
    return figure, caption, shown


def draw_rise(cells, styles):
    """Figure 14(b), of the traces whose rate rises."""
    rising = [cell for cell in cells if rises(cell)]
    if not rising:
        raise Missing("no trace whose rate rises")
    return draw("14b", rising, styles)
