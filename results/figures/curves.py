"""Figures of a metric against something that is varied: points over the seeds, panels."""

import matplotlib.pyplot as plt
import numpy as np

import look
from selection import group, name_of, pair_of, series_of, spread

MAX_SERIES = 8


def grid_of(count):
    columns = min(3, count)
    rows = -(-count // columns)
    figure, grid = plt.subplots(rows, columns, squeeze=False, figsize=(max(5.4, 2.9 * columns), 0.6 + 2.5 * rows))
    for axes in grid.flat[count:]:
        axes.set_visible(False)
    return figure, list(grid.flat[:count])


def curve(cells, place, column, scale=1):
    """(places, mean, below, above) along the axis; place(cell) tells where a cell belongs, `column` what counts: a column of
    /summary or a function of the cell."""
    value = column if callable(column) else lambda cell: cell[column]
    points = sorted(group(cells, place).items())
    values = np.array([spread([scale * value(cell) for cell in same]) for _, same in points])
    return np.array([at for at, _ in points]), *values.T


def by_workload(parts):
    """[(title, cells)]: a panel for each setting and workload."""
    panels = []
    for setting, cells in parts:
        for pair, own in group(cells, pair_of).items():
            panels.append(("-".join(pair) + (f", {setting.text}" if setting.text else ""), own))
    return panels


def ranked_series(cells, systems):
    """The systems of the paper first, then what else the file compares."""
    groups = group(cells, series_of)
    names = [name for name in systems if name in groups] + [name for name in groups if name not in systems]
    return {name: groups[name] for name in names}


def ordered_series(cells, systems):
    """As many of these as one panel shows."""
    return dict(list(ranked_series(cells, systems).items())[:MAX_SERIES])


def left_out_text(panels, systems):
    """A sentence for captions: which series have no curve in a panel [(title, cells)] that could show them; empty when all have."""
    names = {name: None for _, cells in panels for name in list(ranked_series(cells, systems))[MAX_SERIES:]}
    return f" Not drawn, of more than {MAX_SERIES} series: {', '.join(map(name_of, names))}." if names else ""


def draw_series(axes, cells, systems, place, column, scale=1):
    """A curve for each series of the cells, those of `systems` in the colours of theirs."""
    series = ordered_series(cells, systems)
    others = [name for name in series if name not in systems]
    for name, own in series.items():
        look_of = look.line_of(name, others.index(name) if name in others else 0)
        look.marked_line(axes, curve(own, place, column, scale), look_of, look.MARKERS.get(name, "x"))


def offered_by_level(cells):
    """cell -> mean offered rate of all cells at its load: the seeds' own counts scatter."""
    levels = group(cells, lambda cell: (cell["load"], cell.rate_rps))
    rates = {level: float(np.mean([cell["offered_rps"] for cell in own])) for level, own in levels.items()}
    return lambda cell: rates[cell["load"], cell.rate_rps]
