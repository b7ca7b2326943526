"""Figures of a metric against something that is varied: points over the seeds, panels."""

import matplotlib.pyplot as plt
import numpy as np

import look
import style
from intervals import seeds_text, spread
from selection import group, pair_of, series_of

MAX_SERIES = 8


def grid_of(count, most=3):
    columns = style.columns_of(count, most)
    rows = -(-count // columns)
    figure, grid = plt.subplots(rows, columns, squeeze=False, figsize=style.size(max(5.4, 2.9 * columns), 0.6 + 2.5 * rows))
    for axes in grid.flat[count:]:
        axes.set_visible(False)
    return figure, list(grid.flat[:count])


def curve(cells, place, column, scale=1):
    """(places, means, half widths) along the axis; place(cell) tells where a cell belongs, `column` what counts: a column of
    /summary or a function of the cell."""
    value = column if callable(column) else lambda cell: cell[column]
    points = sorted(group(cells, place).items())
    by_seed = [group(same, lambda cell: cell["seed"]).values() for _, same in points]
    values = np.array([spread([scale * np.mean([value(cell) for cell in own]) for own in seeds]) for seeds in by_seed])
    return np.array([at for at, _ in points]), *values.T


def grow(cells, place):
    """Returns for each place of curve() whether the queue still grew in some of the cells there."""
    return np.array([grew(same) for _, same in sorted(group(cells, place).items())])


def grew(cells):
    return any(cell.is_growing for cell in cells)


def draw_curve(axes, cells, place, column, scale, own_look, marker="o", shift=0):
    """A line through curve(), `shift` beside its places; its marks are open where the queue still grew."""
    places, *values = curve(cells, place, column, scale)
    look.marked_line(axes, (places + shift, *values), own_look, marker, grow(cells, place))


def by_workload(parts):
    """[(title, cells)]: a panel for each setting and workload."""
    panels = []
    for setting, cells in parts:
        for pair, own in group(cells, pair_of).items():
            panels.append(("-".join(pair) + (f", {setting.text}" if setting.text else ""), own))
    return panels


def draw_series(axes, styles, cells, systems, place, column, scale=1):
    """A curve for each series of the cells, those of `systems` first, as many as one panel shows."""
    for name, own in styles.cells(cells, systems, MAX_SERIES).items():
        draw_curve(axes, own, place, column, scale, styles.line(name), styles.marker(name))


def seeds_note(cells):
    """seeds_text() of the curves through these cells, and open_note()."""
    return seeds_text(*group(cells, series_of).values()) + open_note(cells)


def open_note(cells):
    """A sentence for captions; empty where no mark is open."""
    return " Open marks: in some of the cells there the queue still grew." if grew(cells) else ""


def offered_by_level(cells):
    """cell -> mean offered rate of all cells at its load: the seeds' own counts scatter."""
    levels = group(cells, level_of)
    rates = {level: float(np.mean([cell["offered_rps"] for cell in own])) for level, own in levels.items()}
    return lambda cell: rates[level_of(cell)]


def level_of(cell):
    """Returns what cells of one offered rate share; a load without a value equals no other, its text does."""
    return str(cell["load"]), cell.rate_rps
