"""Goodput and SLO attainment against the load, with the upper bound: of every file in which a series has several loads or rates."""

import matplotlib.pyplot as plt
import numpy as np

import curves
import look
from selection import group, pair_of, series_of
import style

LARGEST_DIFFERENCE = 0.01  # of bounds that count as the same


def level(cell):
    """The load, or the rate that the experiment gives."""
    return cell["load"] if cell.rate_rps is None else cell.rate_rps


def is_sweep(cells):
    """Whether some series has several loads, or rates, on these cells' workload."""
    return any(len(set(map(level, own))) > 1 for own in group(cells, series_of).values())


def axis_of(cells):
    """(what tells where a cell belongs on the axis, the axis' label)"""
    if cells[0].rate_rps is None:
        return level, "load"
    return curves.offered_by_level(cells), "request rate (requests/s)"


def highest_bound(by_series, place, bound):
    """((places, highest bound of the series there, half of the width of its interval), whether the series' bounds differ); None where
    there are no bounds."""
    found = {}
    for own in by_series.values():
        for at, mean, half in zip(*curves.curve([cell for cell in own if np.isfinite(bound(cell))], place, bound)):
            found.setdefault(at, []).append((mean, half))
    if not found:
        return None
    differ = any(max(own)[0] - min(own)[0] > LARGEST_DIFFERENCE * max(own)[0] for own in found.values())
    return (*np.array([(at, *max(own)) for at, own in sorted(found.items())]).T,), differ


def draw(cells, styles, column, bound, scale):
    """(figure, its axes, caption's end): a line for each series and the bound, in units of the column times `scale`."""
    figure, axes = plt.subplots(figsize=style.size(style.WIDTH, 3.1))
    place, label = axis_of(cells)
    by_series = styles.cells(cells, (), curves.MAX_SERIES)
    curves.draw_series(axes, styles, cells, (), place, column, scale)
    caption = curves.seeds_note([cell for own in by_series.values() for cell in own])
    if (highest := highest_bound(by_series, place, lambda cell: scale * bound(cell))) is not None:
        points, differ = highest
        look.reference_line(axes, points, "upper bound")
        caption = (" Dotted: the upper bound, which no policy can exceed with the plan's workers and maximum batch sizes"
                   + ("; of the bounds of the series, whose plans differ, the highest." if differ else ".") + caption)
    axes.set(xlabel=label, title=f"{', '.join(pair_of(cells[0]))}, SLO {cells[0].workload.slo_text}")
    look.legend_of(figure, axes)
    return figure, axes, caption


def draw_goodput(cells, styles):
    figure, axes, caption = draw(cells, styles, "goodput_rps", lambda cell: cell.row.get("fluid_bound_rps", np.nan), 1)
    axes.set(ylabel="goodput (requests/s)", ylim=(0, None))
    return figure, f"Goodput against the {axes.get_xlabel().partition(' (')[0]}.{caption}", cells


def attainment_bound(cell):
    """The share of the requests that the upper bound leaves."""
    return cell.row.get("fluid_bound_rps", np.nan) / cell["offered_rps"] if cell["offered_rps"] else np.nan


def draw_slo_attainment(cells, styles):
    figure, axes, caption = draw(cells, styles, "slo_attainment", attainment_bound, 100)
    axes.set(ylabel="SLO attainment (%)", ylim=(0, 104))
    return figure, ("Share of the requests completed within the SLO, of all sent, against the "
                    f"{axes.get_xlabel().partition(' (')[0]}.{caption}"), cells
