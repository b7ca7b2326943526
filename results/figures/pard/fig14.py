"""Figure 14 (section 5.4): stress, SLO, quantile lambda and window of the queueing delay."""

from itertools import cycle

import numpy as np

import curves
import look
from intervals import spread
from pard.published import BEST_LAMBDA
from pard.series import SYSTEMS
from harness_results.names import number
from selection import Missing, group, pair_of, series_of
import style

LAMBDA = ("pard.lambda", "quantile lambda", 0.1)
WINDOW = ("pard.queueing_window_s", "window of the queueing delay (s)", 5)


def optimum(cells, place):
    """(rates, least of the rate and the capacity of the plan, half width of the interval of this capacity)."""
    rates, capacity, half = curves.curve(cells, place, "capacity_rps")
    return rates, np.minimum(rates, capacity), np.where(capacity < rates, half, 0)


def draw_stress(parts, styles):
    panels = curves.by_workload(parts)
    if all(len({curves.level_of(cell) for cell in cells}) < 2 for _, cells in panels):
        raise Missing("the file has one load only")
    figure, grid = curves.grid_of(len(panels))
    for axes, (title, cells) in zip(grid, panels):
        place = curves.offered_by_level(cells)
        first = next(iter(styles.cells(cells, SYSTEMS).values()))
        look.reference_line(axes, optimum(first, place), "optimum")
        curves.draw_series(axes, styles, cells, SYSTEMS, place, "goodput_rps")
        axes.set(xlabel="request rate (requests/s)", ylabel="goodput (requests/s)", xlim=(0, None), ylim=(0, None))
        axes.set_title(title, loc="left")
    look.legend_of(figure, *grid)
    cells = [cell for _, own in parts for cell in own]
    caption = ("PARD figure 14a. Goodput against the request rate. Optimum: the least of the request rate and the capacity of the "
               f"plan.{curves.seeds_note(cells)}")
    return figure, caption, cells


def draw_slo(parts, styles):
    panels = curves.by_workload(parts)
    if all(len({cell["slo_ms"] for cell in cells}) < 2 for _, cells in panels):
        raise Missing("the file has one SLO only")
    figure, grid = curves.grid_of(len(panels))
    for axes, (title, cells) in zip(grid, panels):
        curves.draw_series(axes, styles, cells, SYSTEMS, lambda cell: cell["slo_ms"], "drop_rate", 100)
        axes.set(xlabel="SLO (ms)", ylabel="drop rate (%)", ylim=(0, None))
        axes.set_title(title, loc="left")
    look.legend_of(figure, *grid)
    cells = [cell for _, own in parts for cell in own]
    caption = ("PARD figure 14b. Drop rate against the SLO; batch sizes follow it. An SLO that no plan can meet has no point."
               f"{curves.seeds_note(cells)}")
    return figure, caption, cells


def draw_unswept(axes, styles, cells, values):
    """A level line for each workload and system without the parameter."""
    for name, own in styles.cells(cells).items():
        for (pair, same), dashes in zip(group(own, pair_of).items(), cycle(style.LINE_STYLES)):
            mean, half = spread([100 * cell["drop_rate"] for cell in same])
            label = f"{styles.name(name)}, {'-'.join(pair)}"
            own_look = styles.line(name) | {"label": label, "linestyle": dashes}
            points = (values, [mean] * len(values), [half] * len(values))
            look.marked_line(axes, points, own_look, styles.marker(name), [curves.grew(same)] * len(values))


def draw_parameter(parts, styles, key, default, prepare):
    """A panel per setting, a line per workload; the best value of each is ringed. Their colours are those of the workloads where one
    series has the parameter."""
    cells = [cell for _, own in parts for cell in own]
    if len({cell.parameters.get(key) for cell in cells} - {None}) < 2:
        raise Missing(f"the file does not sweep {key}")
    figure, grid = curves.grid_of(len(parts))

    def place(cell):
        return float(cell.parameters[key])

    for axes, (setting, own) in zip(grid, parts):
        swept = [cell for cell in own if number(cell.parameters.get(key, "")) is not None]
        workloads = group(swept, lambda cell: pair_of(cell) + (series_of(cell),))
        several = len({(pair[0], pair[2]) for pair in workloads}) > 1
        alone = len({series for _, _, series in workloads}) == 1
        for rank, ((pipeline, trace, series), same) in enumerate(workloads.items()):
            points = curves.curve(same, place, "drop_rate", 100)
            name = styles.name(series)
            label = f"{pipeline}-{trace}" + ("" if series == "pard" else f" {name}") if several else trace
            colour = look.OTHER[rank % len(look.OTHER)] if alone else styles.colour(series)
            look.marked_line(axes, points, {"color": colour, "label": label}, "os^Dv<>"[rank % 7], curves.grow(same, place))
            best = int(np.argmin(points[1]))
            axes.plot(points[0][best], points[1][best], marker="o", markersize=9, markerfacecolor="none", color=colour,
                      clip_on=False)
        draw_unswept(axes, styles, [cell for cell in own if cell not in swept], sorted(set(map(place, swept))))
        prepare(axes, sorted(set(map(place, swept))))
        axes.axvline(default, color="black", linestyle=":", linewidth=1, label="default")
        axes.set(ylabel="drop rate (%)", ylim=(0, None))
        axes.set_title(setting.text, loc="left")
    look.legend_of(figure, *grid)
    return figure, cells


def draw_lambda(parts, styles):
    key, label, default = LAMBDA

    def prepare(axes, values):
        """The interesting values are small: a square-root scale where the sweep goes up to 1."""
        if values[-1] > 0.5:
            axes.set_xscale("function", functions=(lambda x: np.sqrt(np.maximum(x, 0)), np.square))
            axes.set_xticks([0, 0.025, 0.1, 0.2, 0.4, 0.7, 1], ["0", ".025", ".1", ".2", ".4", ".7", "1"])
        look.published_range(axes, *BEST_LAMBDA, axis="x")
        axes.set(xlabel=label, xlim=(0, 1.02 * values[-1]))

    figure, cells = draw_parameter(parts, styles, key, default, prepare)
    caption = ("PARD figure 14c. Drop rate against the quantile lambda of the summed batch waits; rings: the least of each line; "
               f"grey: where the paper finds the best (section 5.4); dotted: the default; lambda is spaced by its square root.{curves.seeds_note(cells)}")
    return figure, caption, cells


def draw_window(parts, styles):
    key, label, default = WINDOW

    def prepare(axes, values):
        axes.set_xscale("log")
        axes.minorticks_off()
        axes.set_xticks(values, [f"{value:g}" for value in values])
        axes.set_xlabel(label)

    figure, cells = draw_parameter(parts, styles, key, default, prepare)
    caption = ("PARD figure 14d. Drop rate against the sliding window over which a module's queueing delay is averaged; rings: the "
               f"least of each line; dotted: the default.{curves.seeds_note(cells)}")
    return figure, caption, cells
