"""Figures 6 to 8: latency and SLO attainment by model and by SLO, and by the CV of the gaps between arrivals."""

from matplotlib.ticker import LogLocator
import numpy as np

from series_styles import system_of
import curves
import look
from selection import Missing, group, name_of, series_of
import style

SERIES = ("quart", "infless", "inferline", "cocktail", "quart/uniform")
OF_WHOLE_MODELS = "infless"
WHOLE = "-whole"
SLO_FACTOR = 1.5  # of the latencies by model
MEAN, ATTAINMENT = ("mean latency (ms)", "latency_ms_mean", 1), ("SLO attainment (%)", "slo_attainment", 100)
QUANTILES = tuple((f"P{percent} of the latency (ms)", f"latency_ms_p{percent}", 1) for percent in (50, 75, 90, 99))
BY_MODEL = (MEAN, ATTAINMENT, QUANTILES[1], QUANTILES[3])
BY_CV = {7: (MEAN, ATTAINMENT), 8: (*QUANTILES, ("mean queue (requests)", "queue_mean", 1))}
WHAT = {7: "Mean latency and SLO attainment", 8: "Quantiles of the latency and mean queue of a module"}


def model_of(cell):
    return cell["pipeline"].removeprefix("quart-").removesuffix(WHOLE)


def is_whole(cell):
    return cell["pipeline"].endswith(WHOLE)


def slo_factor(cell):
    return cell.row.get("slo_factor", np.nan)


def cv_of(cell):
    """CV of the gaps between arrivals, as the experiment sets it; NaN where it does not."""
    trace = cell.settings.get("trace", {}).get(cell["trace"], {})
    if trace.get("shape") != "gamma":
        return np.nan
    return trace["cv"] if "cv" in trace else trace["scv"] ** 0.5


def served(cells):
    """(cells of INFless's whole models and the other systems' models in stages, or of what a series has; a sentence for captions)"""
    kept = []
    for name, own in group(cells, series_of).items():
        whole = system_of(name) == OF_WHOLE_MODELS
        kept += [cell for cell in own if is_whole(cell) == whole] or own
    wholes, stages = ([cell for cell in kept if is_whole(cell) == whole] for whole in (True, False))
    if not wholes or not stages:
        return kept, ""
    lacking = [model for model in group(stages, model_of) if model not in group(wholes, model_of)]
    name = name_of(OF_WHOLE_MODELS)
    without = f" {name}'s means are without {', '.join(lacking)}, which the file lacks as a whole." if lacking else ""
    return kept, f" {name} serves whole models (pipelines {WHOLE}), the others those in stages.{without}"


def draw_dots(axes, styles, cells, column, scale):
    """The series beside each other at each model."""
    models = list(group(cells, model_of))
    by_series = styles.cells(cells, SERIES, curves.MAX_SERIES)
    for rank, (name, own) in enumerate(by_series.items()):
        shift = (rank - (len(by_series) - 1) / 2) * 0.75 / len(by_series)
        curves.draw_curve(axes, own, lambda cell: models.index(model_of(cell)), column, scale,
                          {**styles.line(name), "linestyle": "none"}, styles.marker(name), shift)
    axes.set_xticks(range(len(models)), models, fontsize=style.points(7))
    axes.set(xlim=(-0.6, len(models) - 0.4))
    axes.grid(False, axis="x")


def set_axes(axes, letter, label, column):
    """Once the points are drawn. Latencies and queues differ by orders of magnitude; whiskers that pass 0 do not stretch their axis."""
    axes.set(ylabel=label)
    axes.set_title(f"({letter})", loc="left")
    if column == ATTAINMENT[1]:
        axes.set(ylim=(0, 104))
        return
    axes.set_yscale("log")
    means = np.concatenate([points.lines[0].get_ydata() for points in axes.containers])
    axes.set(ylim=(0.7 * means[means > 0].min(initial=np.nanmax(means)), None))
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 3)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()


def draw_models(cells, styles):
    cells, note = served([cell for cell in cells if slo_factor(cell) > 0])
    shown = [cell for cell in cells if slo_factor(cell) == SLO_FACTOR]
    if not shown:
        raise Missing(f"no SLO that the experiment gives as {SLO_FACTOR:g} times the execution time")
    if len(group(cells, lambda cell: cell["trace"])) > 1:
        raise Missing("the file has several traces")
    figure, grid = curves.grid_of(len(BY_MODEL), 2)
    for axes, letter, (label, column, scale) in zip(grid, "abcd", BY_MODEL):
        if column == ATTAINMENT[1]:
            curves.draw_series(axes, styles, cells, SERIES, slo_factor, column, scale)
            axes.set(xlabel="SLO (multiple of the execution time)", xticks=sorted({slo_factor(cell) for cell in cells}))
        else:
            draw_dots(axes, styles, shown, column, scale)
        set_axes(axes, letter, label, column)
    look.legend_of(figure, grid[1], grid[0])
    caption = (f"QUART figure 6. By model, with an SLO of {SLO_FACTOR:g} times the execution time: (a) mean latency, (c, d) its 75th and "
               f"99th percentile; (b) share of the requests in time by SLO, mean of the models.{note}{curves.seeds_note(cells)}")
    return figure, caption, cells


def draw_cvs(number, cells, styles):
    """Means of the models, with the largest of the file's SLOs as multiples of the execution time."""
    factor = max((slo_factor(cell) for cell in cells if slo_factor(cell) > 0), default=np.nan)
    cells, note = served([cell for cell in cells if slo_factor(cell) == factor and cv_of(cell) > 0])
    cvs = sorted(set(map(cv_of, cells)))
    if len(cvs) < 2:
        raise Missing("the file has no two gamma traces of different CVs, with an SLO that the experiment gives by workload.slo_factors")
    figure, grid = curves.grid_of(len(BY_CV[number]))
    for axes, letter, (label, column, scale) in zip(grid, "abcde", BY_CV[number]):
        curves.draw_series(axes, styles, cells, SERIES, cv_of, column, scale)
        axes.set_xscale("log")
        axes.set(xlabel="CV of the gaps between arrivals")
        axes.set_xticks(cvs, [f"{cv:g}" for cv in cvs])
        set_axes(axes, letter, label, column)
        axes.minorticks_off()
    look.legend_of(figure, *grid)
    caption = (f"QUART figure {number}. {WHAT[number]} by the CV of the gaps between arrivals, mean of the models; SLO {factor:g} times "
               f"the execution time.{note}{curves.seeds_note(cells)}")
    return figure, caption, cells
