"""Figure 12 (section 7.3): what exit points cost, by model, from the table that `ci/gpu-node` writes: exit-points.txt."""

import matplotlib.pyplot as plt

import look
import style
from shepherd import published

COLUMNS = ("exit overhead", "preemption delay")


def is_table(path):
    """Returns whether the file is such a table."""
    return str(path).endswith(".txt")


def rows_of(path):
    """Returns model -> (exit overhead, preemption delay) in percent of a batch's time; the last row has their means."""
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    if header.split() != ["model", "exit", "points", *" ".join(COLUMNS).split()]:
        raise ValueError(f"its first line is {header!r}")
    rows = {model: tuple(float(value.removesuffix("%")) for value in values[-2:]) for model, *values in map(str.split, lines)}
    if not rows:
        raise ValueError("it has no models")
    return rows


def draw_table(rows):
    figure, axes = plt.subplots(figsize=style.size(max(4.6, 0.34 * len(rows)), 2.9))
    for rank, (name, colour) in enumerate(zip(COLUMNS, (look.DROP_COLOUR, look.INVALID_COLOUR))):
        look.bars_beside(axes, range(len(rows)), [(values[rank], 0) for values in rows.values()], rank, len(COLUMNS), color=colour, label=name)
    look.published_range(axes, published.OVERHEAD_PERCENT, published.OVERHEAD_PERCENT)
    axes.set_xticks(range(len(rows)), rows, **look.crowded(len(rows), 4))
    axes.set(ylabel="of a batch's time (%)", ylim=(0, None))
    axes.grid(False, axis="x")
    look.legend_of(figure, axes)
    return figure


def draw(table, folder):
    """Returns the paths of the files drawn."""
    caption = (f"SHEPHERD figure 12. What exit points add to the time of a batch, and how long a preempted batch runs on, mean of the batch sizes. "
               f"Paper: most models are below {published.OVERHEAD_PERCENT} % in both (section 7.3). From {table.name} (ci/gpu-node).")
    return style.save(draw_table(rows_of(table)), folder, "shepherd-fig12", caption)
