"""Figures 2 and 3: arrivals, queues and utilisation along the stages of a pipeline; latency by the cores of its instances."""

import numpy as np

import curves
from intervals import seeds_text, spread
import look
from quart import published
from quart.models import cv_of
from selection import Missing, group, series_of
from series_styles import system_of
import style

MARKERS = "os^Dv"
QUANTILES = (50, 75, 90, 99)


def arrival_cvs(cell):
    """CV of the gaps between the visits sent to each stage; NaN where they were not recorded."""
    rows = cell.table("modules")
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = rows["gap_ns"] / rows["gaps"]
        return np.sqrt(np.maximum(rows["gap_squares_ns2"] / rows["gaps"] - mean ** 2, 0)) / mean


def queues(cell):
    """Waits at each stage, which are as its mean queue, over those at the stage where they are shortest; NaN where nothing waits at one."""
    rows = cell.table("modules")
    waits = (rows["queueing_ns"] + rows["wait_ns"]).astype(float)
    return waits / waits.min() if waits.min() > 0 else np.full(len(waits), np.nan)


def utilisations(cell):
    """Busy time / time in which they could serve, in percent, of the workers of each stage."""
    workers = cell.table("workers")
    until_ns = max(cell.attribute("end_ns"), cell.attribute("duration_ns"))
    ready_ns, removed_ns = (workers[name].astype(float) for name in ("ready_ns", "removed_ns"))
    removed_ns[removed_ns < 0] = until_ns
    able_ns = np.maximum(np.minimum(removed_ns, until_ns) - np.maximum(ready_ns, cell.attribute("measured_from_ns")), 0)
    stages = len(cell.table("modules"))
    able, busy = (np.bincount(workers["module"], one, stages) for one in (able_ns, workers["busy_ns"]))
    return 100 * np.divide(busy, able, out=np.full(stages, np.nan), where=able > 0)


def staged(cells):
    """{pipeline: {CV of the input: cells}} of the pipelines of several stages behind gamma traces."""
    own = [cell for cell in cells if len(cell.table("modules")) > 1 and cv_of(cell) > 0]
    if not own:
        raise Missing("no pipeline of several modules behind a gamma trace")
    return {pipeline: dict(sorted(group(cells, cv_of).items())) for pipeline, cells in group(own, lambda cell: cell["pipeline"]).items()}


def draw_along(axes, by_cv, value, colour):
    """A line along the stages for each CV of the input; value(cell) has a number for each stage."""
    drawn = False
    for rank, (cv, cells) in enumerate(by_cv.items()):
        numbers = np.array([value(cell) for cell in cells])
        points = np.array([spread(column) for column in numbers.T])
        if not np.isnan(points[:, 0]).any():
            own_look = {"color": style.graded(colour, rank, max(2, len(by_cv))), "label": f"input CV {cv:g}"}
            look.marked_line(axes, (1 + np.arange(len(points)), *points.T), own_look, MARKERS[rank % len(MARKERS)])
            drawn = True
    axes.set(xlabel="stage", xticks=1 + np.arange(numbers.shape[1]))
    return drawn


def drawn_panels(pipelines, panels, colour):
    """(figure, {(pipeline, rank of the panel): axes}) of `panels`: (label of the axis, value(cell) of draw_along())."""
    figure, grid = curves.grid_of(len(pipelines) * len(panels), max(2, len(panels)))
    found = {}
    for place, axes in enumerate(grid):
        (pipeline, by_cv), (label, value) = list(pipelines.items())[place // len(panels)], panels[place % len(panels)]
        if not draw_along(axes, by_cv, value, colour):
            axes.set_visible(False)
            continue
        letter = f"({'ab'[place % len(panels)]})" if len(panels) > 1 else ""
        axes.set_title(f"{letter} {pipeline}".strip(), loc="left")
        axes.set(ylabel=label)
        found[pipeline, place % len(panels)] = axes
    if not found:
        raise Missing("the gaps between visits, or waits at all stages: gaps are counted with [record] rows = true")
    return figure, found


def draw_arrivals(cells, styles, name):
    pipelines = staged(styles.cells(cells, (name,))[name])
    figure, panels = drawn_panels(pipelines, (("CV of the gaps between visits", arrival_cvs), ("mean queue / shortest of the stages", queues)),
                                  styles.colour(name))
    for (pipeline, rank), axes in panels.items():
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        if published.LOW_CV in pipelines[pipeline]:
            if rank == 0:
                look.published_points(axes, [1, axes.get_xticks()[-1]], [published.CV_FIRST, published.CV_LAST])
            else:
                look.published_range(axes, published.QUEUE_FACTOR, published.QUEUE_FACTOR)
    look.legend_of(figure, *panels.values())
    caption = (f"QUART figure 2. By stage and CV of the input, of {styles.name(name)}: (a) CV of the gaps between the visits sent to the stage, "
               f"(b) its mean queue over the shortest of the stages, where something waits at each. Paper, with an input CV of "
               f"{published.LOW_CV:g}: {published.CV_FIRST:g} at the first stage and {published.CV_LAST:g} at the last (4.1); the longest queue is "
               f"{published.QUEUE_FACTOR:g} times the shortest (3.2).{seeds_text(cells)}")
    return figure, caption, cells


def draw_utilisation(cells, styles, name):
    pipelines = staged(styles.cells(cells, (name,))[name])
    figure, panels = drawn_panels(pipelines, (("utilisation (%)", utilisations),), styles.colour(name))
    for axes in panels.values():
        axes.set(ylim=(0, 104))
    look.legend_of(figure, *panels.values())
    return figure, f"QUART figure 3(a). Utilisation by stage and CV of the input, of {styles.name(name)}.{seeds_text(cells)}", cells


def cores_of(cell):
    """Cores of each instance by the first plan; NaN where the stages differ or nobody counts cores."""
    cores = set(cell.table("plans")["cores"][:len(cell.table("modules"))])
    return float(cores.pop()) if len(cores) == 1 and min(cores) > 0 else np.nan


def draw_cores(cells, styles, name):
    """Of all series of the system, which may be what has the numbers of cores."""
    cells = [cell for cell in cells if system_of(series_of(cell)) == system_of(name) and cores_of(cell) > 0]
    by_cores = sorted(group(cells, cores_of))
    if len(by_cores) < 2:
        raise Missing("no two numbers of cores of the instances")
    names = [styles.name(series) for series in group(cells, series_of)]
    least = group([cell for cell in cells if cores_of(cell) == by_cores[0]], lambda cell: (cell["pipeline"], cell["trace"], cell["seed"]))
    figure, (axes,) = curves.grid_of(1)
    for rank, percent in enumerate(QUANTILES):
        def share(cell, column=f"latency_ms_p{percent}"):
            return cell[column] / least[cell["pipeline"], cell["trace"], cell["seed"]][0]["latency_ms_p50"]
        own_look = {"color": style.graded(styles.colour(name), rank, len(QUANTILES)), "label": f"P{percent}"}
        curves.draw_curve(axes, cells, cores_of, share, 100, own_look, MARKERS[rank])
    if by_cores[0] == published.FEWEST_CORES and published.CORES in by_cores:
        look.published_points(axes, [published.CORES], [100 * (1 - published.LATENCY_CUT)])
    axes.set(xlabel="cores of an instance", ylabel=f"latency (% of the median with {by_cores[0]:g})", xticks=by_cores, ylim=(0, None))
    look.legend_of(figure, axes)
    caption = (f"QUART figure 3(b). Quantiles of the latency by the cores of an instance, of {', '.join(names)}. Paper: the median with {published.CORES} cores is "
               f"{100 * published.LATENCY_CUT:g} % below that with {published.FEWEST_CORES} (3.4).{seeds_text(cells)}")
    return figure, caption, cells
