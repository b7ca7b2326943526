"""Figures 6 to 8: latency and SLO attainment by model and by SLO, and by the CV of the gaps between arrivals; QUART against each rival."""

from matplotlib.ticker import LogLocator
import numpy as np

from series_styles import system_of
import curves
from intervals import spread
import look
from quart import published
from selection import Missing, group, name_of, series_of, trace_of
import style

SERIES = ("quart", "infless", "inferline", "cocktail", "quart/uniform")
OF_WHOLE_MODELS = "infless"
WHOLE = "-whole"
BESIDE = 0.2  # between the ratios of two systems, in models
SLO_FACTOR = 1.5  # of the latencies by model
MEAN, ATTAINMENT = ("mean latency (ms)", "latency_ms_mean", 1), ("SLO attainment (%)", "slo_attainment", 100)
QUANTILES = tuple((f"P{percent} of the latency (ms)", f"latency_ms_p{percent}", 1) for percent in (50, 75, 90, 99))
BY_MODEL = (MEAN, ATTAINMENT, QUANTILES[1], QUANTILES[3])
BY_CV = {7: (MEAN, ATTAINMENT), 8: (*QUANTILES, ("mean queue (requests)", "queue_mean", 1))}
QUART = "quart"
RATIOS = {6: (("mean latency, QUART's / the other's", "latency_ms_mean"),),
          7: (("mean latency, QUART's / the other's", "latency_ms_mean"), ("attainment, QUART's / the other's", "slo_attainment")),
          8: (("mean queue, the other's / QUART's", "queue_mean"),)}
WHAT = {7: "Mean latency and SLO attainment", 8: "Quantiles of the latency and mean queue of a module"}


def model_of(cell):
    return cell["pipeline"].removeprefix("quart-").removesuffix(WHOLE)


def is_whole(cell):
    return cell["pipeline"].endswith(WHOLE)


def slo_factor(cell):
    return cell.row.get("slo_factor", np.nan)


def cv_of(cell):
    """CV of the gaps between arrivals, as the experiment sets it; NaN where it does not."""
    trace = trace_of(cell)
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


def rivals_of(by_series):
    """{series: its cells} of the other systems, where the file has QUART too."""
    return {name: own for name, own in by_series.items() if QUART in by_series and system_of(name) != QUART}


def ratio(cells, own, column):
    """QUART's `column` over that of a rival, whose cells are `own`: (mean over the seeds, half of the width of its interval). Latencies: the
    mean over the models of the ratios; the others: of the sums over the models. Of queues it is the rival's over QUART's."""
    def by_seed_and_model(some):
        return {seed: {model_of(cell): cell[column] for cell in same} for seed, same in group(some, lambda cell: cell["seed"]).items()}

    quarts, values = by_seed_and_model(cells), []
    for seed, theirs in by_seed_and_model(own).items():
        models = [model for model in theirs if model in quarts.get(seed, {})]
        pairs = np.array([(quarts[seed][model], theirs[model]) for model in models]).reshape(-1, 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            one = (pairs[:, 0] / pairs[:, 1]).mean() if column == MEAN[1] else pairs[:, 0].sum() / pairs[:, 1].sum()
            values.append(1 / one if column == "queue_mean" else one)
    return spread(values)


def draw_ratios(axes, styles, cells, place, column, beside=0, **more):
    """ratio() of each rival at each place; `beside`: the series stand that far beside each other."""
    by_series = styles.cells(cells, SERIES, curves.MAX_SERIES)
    quarts = group(by_series[QUART], place)
    for rank, (name, own) in enumerate(rivals_of(by_series).items()):
        points = [(at + beside * (rank - 1), *ratio(quarts[at], same, column)) for at, same in sorted(group(own, place).items()) if at in quarts]
        look.marked_line(axes, np.array(points).T, {**styles.line(name), **more}, styles.marker(name))


def set_ratio_axes(axes, letter, label, rivals=None):
    """Once the points are drawn; `rivals`: what the paper gives, a line for each of these with its name."""
    axes.axhline(1, color="black", linewidth=0.6)
    for rank, (system, number) in enumerate((rivals or {}).items()):
        look.published_range(axes, number, number)
        axes.annotate(name_of(system), (0.02 + 0.38 * rank, number), xycoords=axes.get_yaxis_transform(), xytext=(0, 1), textcoords="offset points",
                      fontsize=style.points(6.5), color=look.PUBLISHED_COLOUR)
    set_axes(axes, letter, label, "")


def listed(numbers, form):
    """The numbers with the names of the rivals, for captions."""
    return ", ".join(f"{form(number)} ({name_of(system)})" for system, number in numbers.items())


RATIOS_OF_PAPER = {"latency_ms_mean": {system: 1 - saved for system, saved in published.SAVED_BY_CV.items()},
                   "slo_attainment": published.GOODPUT_FACTORS, "queue_mean": {OF_WHOLE_MODELS: published.QUEUE_OF_INFLESS}}
PAPER_OF = {
    7: (f" Paper (8.3), averages over the CVs: in (c) {listed(published.SAVED_BY_CV, lambda saved: f'{1 - saved:.3g}')}; in (d) "
        f"{listed(published.GOODPUT_FACTORS, '{:g}'.format)}, and crosses at a CV of {published.HIGH_CV}: "
        f"{listed(published.GOODPUT_FACTORS_HIGH, '{:g}'.format)}."),
    8: f" Paper (8.4): in (f) {published.QUEUE_OF_INFLESS:g} for INFless, the largest of the CVs."}


def set_axes(axes, letter, label, column):
    """Once the points are drawn. Latencies and queues differ by orders of magnitude; whiskers that pass 0 do not stretch their axis."""
    axes.set(ylabel=label)
    axes.set_title(f"({letter})", loc="left")
    if column == ATTAINMENT[1]:
        axes.set(ylim=(0, 104))
        return
    axes.set_yscale("log")
    means = np.concatenate([line.get_ydata() for line in axes.lines if line.get_label() == look.PUBLISHED]
                           + [points.lines[0].get_ydata() for points in axes.containers])
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
    ratios = RATIOS[6] if rivals_of(styles.cells(shown, SERIES, curves.MAX_SERIES)) else ()
    figure, grid = curves.grid_of(len(BY_MODEL) + len(ratios), 2)
    for axes, letter, (label, column, scale) in zip(grid, "abcd", BY_MODEL):
        if column == ATTAINMENT[1]:
            curves.draw_series(axes, styles, cells, SERIES, slo_factor, column, scale)
            axes.set(xlabel="SLO (multiple of the execution time)", xticks=sorted({slo_factor(cell) for cell in cells}))
        else:
            draw_dots(axes, styles, shown, column, scale)
        set_axes(axes, letter, label, column)
    rivals = [published.IN_TIME / factor for factor in published.IN_TIME_FACTORS.values()]
    look.published_points(grid[1], [published.IN_TIME_SLO] * (1 + len(rivals)), [100 * share for share in (published.IN_TIME, *rivals)])
    note += (f" Paper (8.2): in (b) QUART {100 * published.IN_TIME:g} % at {published.IN_TIME_SLO:g}, and the others by its factors "
             f"{listed(published.IN_TIME_FACTORS, '{:g}'.format)}")
    for axes, (label, column) in zip(grid[len(BY_MODEL):], ratios):
        models = list(group(shown, model_of))
        draw_ratios(axes, styles, shown, lambda cell: models.index(model_of(cell)), column, BESIDE, linestyle="none")
        axes.set_xticks(range(len(models)), models, fontsize=style.points(7))
        axes.grid(False, axis="x")
        drawn = [system_of(name) for name in rivals_of(styles.cells(shown, SERIES, curves.MAX_SERIES))]
        known = {model: 1 - saved for model, saved in published.SAVED_OF_COCKTAIL.items() if model in models}
        beside = BESIDE * (drawn.index("cocktail") - 1) if "cocktail" in drawn else 0
        look.published_points(axes, [models.index(model) + beside for model in known], list(known.values()))
        set_ratio_axes(axes, "e", label, {system: 1 - saved for system, saved in published.SAVED.items()})
        note += (f"; in (e), which has QUART's mean latency over the other's, crosses: against Cocktail; lines, averages over the models: "
                 f"{listed(published.SAVED, lambda saved: f'{1 - saved:.3g}')}")
    note += "."
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
    panels = BY_CV[number]
    ratios = RATIOS[number] if rivals_of(styles.cells(cells, SERIES, curves.MAX_SERIES)) else ()
    figure, grid = curves.grid_of(len(panels) + len(ratios), 2 if number == 7 else 3)
    for axes, letter, (label, column, scale) in zip(grid, "abcde", panels):
        curves.draw_series(axes, styles, cells, SERIES, cv_of, column, scale)
        axes.set_xscale("log")
        axes.set(xlabel="CV of the gaps between arrivals")
        axes.set_xticks(cvs, [f"{cv:g}" for cv in cvs])
        set_axes(axes, letter, label, column)
        axes.minorticks_off()
    for axes, letter, (label, column) in zip(grid[len(panels):], "cd" if number == 7 else "f", ratios):
        draw_ratios(axes, styles, cells, cv_of, column)
        axes.set_xscale("log")
        axes.set(xlabel="CV of the gaps between arrivals")
        axes.set_xticks(cvs, [f"{cv:g}" for cv in cvs])
        if column == ATTAINMENT[1] and published.HIGH_CV in cvs:
            look.published_points(axes, [published.HIGH_CV] * len(published.GOODPUT_FACTORS_HIGH), list(published.GOODPUT_FACTORS_HIGH.values()))
        set_ratio_axes(axes, letter, label, RATIOS_OF_PAPER[column])
    if ratios:
        note += PAPER_OF[number]
    look.legend_of(figure, *grid)
    caption = (f"QUART figure {number}. {WHAT[number]} by the CV of the gaps between arrivals, mean of the models; SLO {factor:g} times "
               f"the execution time.{note}{curves.seeds_note(cells)}")
    return figure, caption, cells
