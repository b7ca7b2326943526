"""Figure 3: what one replica serves, and how long a batch takes, by the largest batch."""

import matplotlib.pyplot as plt

import curves
import look
from inferline import published
from intervals import seeds_text
from selection import Missing, group
import style

MAX_BATCH = "planner.max_batch"


def batch_of(cell):
    return float(cell.parameters[MAX_BATCH])


def batch_ms(cell):
    """Execution time of a batch of that size."""
    return float(cell.table("plans")[0]["exec_ns"]) / 1e6


def draw_published(axes, kinds):
    """Marks what the text gives of ResNet152 on the one kind of device; returns a sentence on it for captions."""
    batch, rps = published.THROUGHPUT.get(kinds[0] if len(kinds) == 1 else None, (None, None))
    if rps is None:
        return ""
    if batch is None:
        look.published_range(axes, rps, rps)
        return f" Paper: ResNet152 at {rps:g} requests/s (section 2.1)."
    look.published_points(axes, [batch], [rps])
    return f" Paper: ResNet152 at {rps:g} requests/s, with batches of {batch} (section 2.1)."


def draw(cells, styles, name):
    """A line for each pipeline, in shades of the system's colour."""
    cells = styles.cells(cells, (name,))[name]
    batches = sorted({batch_of(cell) for cell in cells if MAX_BATCH in cell.parameters})
    if len(batches) < 2:
        raise Missing("the file has one largest batch only")
    figure, panels = plt.subplots(1, 2, figsize=style.size(style.WIDTH, 3.0))
    pipelines = group(cells, lambda cell: cell["pipeline"])
    for rank, (pipeline, own) in enumerate(pipelines.items()):
        own_look = {"color": style.graded(styles.colour(name), rank, max(2, len(pipelines))), "label": pipeline}
        for axes, column in zip(panels, ("goodput_rps", batch_ms)):
            curves.draw_curve(axes, own, batch_of, column, 1, own_look, "os^Dv"[rank % 5])
    for axes, label in zip(panels, ("throughput (requests/s)", "execution time of a batch (ms)")):
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set(xlabel="largest batch", ylabel=label)
        axes.set_xticks(batches, [f"{batch:g}" for batch in batches])
        axes.minorticks_off()
    kinds = [kind["name"] for kind in cells[0].settings["cluster"].get("device", [])]
    words = draw_published(panels[0], kinds) if published.RESNET152 in pipelines else ""
    look.legend_of(figure, *panels)
    caption = (f"InferLine figure 3. What one replica on {', '.join(kinds) or 'its device'} serves behind more load than it can take, and how long a batch "
               f"takes, by the largest batch.{words}{seeds_text(cells)}{curves.open_note(cells)}")
    return figure, caption, cells
