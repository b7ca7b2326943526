"""The figures by name, as catalogue.txt lists them, and how each is drawn."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Callable

import matplotlib.pyplot as plt

from series_styles import SeriesStyles, system_of
from inferline import costs, courses, profiles
from inferline.series import DS2, OVER_TIME, PLANNER, PLANS
import load_sweep
from loki import fig1, fig5, fig7
from loki import fig8 as loki_fig8
import style
from pard import fig2, fig6, fig8, fig9, fig10, fig11, fig12, fig13, fig14, fig15
from quart import models, stages
import robust
from selection import Missing, Setting, group, name_of, pair_of, series_of, settings
from shepherd import fig8 as shepherd_fig8
from shepherd import fig11a, sweeps
from shepherd.series import GROUP_LIMIT, SYSTEMS, WORKERS

FILE = Path(__file__).with_name("catalogue.txt")
GENERAL = "general"
MAX_SETTINGS = 12


@dataclass(frozen=True)
class Drawing:
    """draw(cells, styles) gives (figure, caption, cells shown), once for each setting that the file holds besides `axes`; with `panels`
    draw([(setting, cells)], styles) puts all settings into one figure, with `by_workload` each workload has a figure of its own, with
    `by_pipeline` each pipeline, and with `by_system` each system: draw(cells, styles, series that stands for it). Of `series` the file
    must have some; its other systems are shown too, for which SeriesStyles.names() says. All series count if it is None. Parts without what
    the figure is `of` are left out."""

    draw: Callable
    series: tuple | None = None
    axes: tuple = ()
    panels: bool = False
    by_workload: bool = False
    by_pipeline: bool = False
    by_system: bool = False
    of: Callable | None = None  # of a part's cells: whether they show it
    of_file: bool = False  # draw(results, styles): a figure of the whole file


def of_inferline(number):
    """A figure of InferLine over time."""
    return Drawing(partial(courses.draw, number), OVER_TIME[number], by_pipeline=True)


LOADS = ("load", "rate")
# Also drawn of every file that holds a load sweep.
LOAD_SWEEPS = ("goodput-load", "slo-attainment-load")
DRAWINGS = {
    "goodput-load": Drawing(load_sweep.draw_goodput, None, LOADS, by_workload=True, of=load_sweep.is_sweep),
    "slo-attainment-load": Drawing(load_sweep.draw_slo_attainment, None, LOADS, by_workload=True, of=load_sweep.is_sweep),
    "robust": Drawing(robust.draw, of_file=True),
    "pard/fig2": Drawing(fig2.draw, fig2.SERIES),
    "pard/fig6": Drawing(fig6.draw, by_system=True),
    "pard/fig8": Drawing(fig8.draw, fig8.SERIES),
    "pard/fig9": Drawing(fig9.draw, fig9.SERIES),
    "pard/fig10": Drawing(fig10.draw, fig10.SERIES),
    "pard/fig11": Drawing(fig11.draw, fig11.SERIES),
    "pard/fig12": Drawing(fig12.draw, fig12.SERIES, by_system=True),
    "pard/fig13": Drawing(fig13.draw, fig13.SERIES),
    "pard/fig14a": Drawing(fig14.draw_stress, None, LOADS, panels=True),
    "pard/fig14b": Drawing(fig14.draw_slo, None, ("slo_ms",), panels=True),
    "pard/fig14c": Drawing(fig14.draw_lambda, None, (fig14.LAMBDA[0],), panels=True),
    "pard/fig14d": Drawing(fig14.draw_window, None, (fig14.WINDOW[0],), panels=True),
    "pard/fig15": Drawing(fig15.draw, None, (fig15.POLICY,), by_workload=True),
    "shepherd/fig7": Drawing(sweeps.draw_load, SYSTEMS, LOADS, panels=True),
    "shepherd/fig8": Drawing(shepherd_fig8.draw, shepherd_fig8.SERIES, LOADS, by_workload=True),
    "shepherd/fig9": Drawing(sweeps.draw_slo, SYSTEMS, ("slo_ms",), panels=True),
    "shepherd/fig10": Drawing(sweeps.draw_scale, SYSTEMS, (*LOADS, WORKERS), panels=True),
    "shepherd/fig11a": Drawing(fig11a.draw, fig11a.SERIES, ("slo_ms",)),
    "shepherd/fig11b": Drawing(sweeps.draw_groups, None, (*LOADS, WORKERS, GROUP_LIMIT), panels=True),
    "loki/fig1": Drawing(fig1.draw, None, LOADS, by_workload=True),
    "loki/fig5": Drawing(fig5.draw_traffic, by_workload=True),
    "loki/fig6": Drawing(fig5.draw_social, by_workload=True),
    "loki/fig7": Drawing(fig7.draw, fig7.SERIES, by_workload=True),
    "loki/fig8": Drawing(loki_fig8.draw, None, ("slo_ms",), by_workload=True),
    "inferline/fig3": Drawing(profiles.draw, None, (profiles.MAX_BATCH,), by_system=True),
    "inferline/fig5": Drawing(costs.draw_plans, PLANS, LOADS),
    "inferline/fig6": of_inferline(6),
    "inferline/fig7": of_inferline(7),
    "inferline/fig8": Drawing(costs.draw_estimates, (PLANNER,), ("runtime",)),
    "inferline/fig9": Drawing(costs.draw_slos, (PLANNER,), ("slo_ms", *LOADS), by_pipeline=True, by_system=True),
    "inferline/fig10": of_inferline(10),
    "inferline/fig11": of_inferline(11),
    "inferline/fig12": of_inferline(12),
    "inferline/fig13": Drawing(costs.draw_frameworks, (PLANNER,), (costs.PROFILES,)),
    "inferline/fig14a": Drawing(costs.draw_steady, DS2),
    "inferline/fig14b": Drawing(courses.draw_rise, DS2, by_pipeline=True),
    "quart/fig2": Drawing(stages.draw_arrivals, by_system=True),
    "quart/fig3a": Drawing(stages.draw_utilisation, by_system=True),
    "quart/fig3b": Drawing(stages.draw_cores, by_system=True),
    "quart/fig6": Drawing(models.draw_models, models.SERIES, ("slo_ms",)),
    "quart/fig7": Drawing(partial(models.draw_cvs, 7), models.SERIES, ("slo_ms",)),
    "quart/fig8": Drawing(partial(models.draw_cvs, 8), models.SERIES, ("slo_ms",)),
}


def names():
    """All names, in the order of catalogue.txt."""
    return [line.partition("\t")[0] for line in FILE.read_text(encoding="utf8").splitlines()]


def shown_cells(results, drawing, styles):
    """The cells of the figure's series, and of what else the file compares."""
    if drawing.series is None:
        return results.cells
    if not set(drawing.series) & set(styles.series):
        raise Missing("no cells of " + ", ".join(drawing.series))
    names = styles.names(drawing.series)
    return [cell for cell in results.cells if series_of(cell) in names]


def of_each_system(drawing, cells, setting, styles):
    """[(setting, what drew it)]: a figure for each system; named by it, but for PARD's."""
    shown = group(styles.cells(cells, drawing.series or ()), system_of)
    names = {system: name for system, name in styles.one_of_each()[0].items() if system in shown}
    names = [name if name in shown[system] else shown[system][0] for system, name in names.items()]
    first = next((name for name in names if system_of(name) == "pard"), next(iter(names)))
    drawn = styles.each(dict(zip(names, names)), lambda name: drawing.draw(cells, styles, name))
    return [(setting if name == first else setting.of_system(name_of(name)), one) for name, one in drawn.items()]


def parts_of(results, drawing, styles):
    """[(setting, cells)]: what the figure shows, or figures of it."""
    parts = settings(shown_cells(results, drawing, styles), drawing.axes)
    if drawing.by_workload:
        parts = [(setting.of_workload(pair), own) for setting, cells in parts for pair, own in group(cells, pair_of).items()]
    if drawing.by_pipeline:
        parts = [(setting.of_workload((pipeline,)), own) for setting, cells in parts
                 for pipeline, own in group(cells, lambda cell: cell["pipeline"]).items()]
    if drawing.of is None:
        return parts
    parts = [(setting, cells) for setting, cells in parts if drawing.of(cells)]
    if not parts:
        raise Missing(f"no series has cells that differ in {' or '.join(drawing.axes)}")
    return parts


def drawn_of(drawing, parts, styles):
    """[(setting, (figure, caption, cells))] of the parts."""
    drawn = []
    for setting, cells in parts:
        if drawing.by_system:
            drawn += of_each_system(drawing, cells, setting, styles)
        else:
            drawn.append((setting, drawing.draw(cells, styles)))
    return drawn


def draw(results, name, folder, limit=MAX_SETTINGS):
    """Draws the figure, of at most `limit` settings; returns the paths of its files. Raises Missing when the file lacks what it shows, and LeftOut, with nothing
    written, when it would leave a system of the file out."""
    drawing, styles = DRAWINGS[name], SeriesStyles(results.cells)
    try:
        parts = [] if drawing.of_file else parts_of(results, drawing, styles)
        whole = results if drawing.of_file else parts if drawing.panels else None
        drawn = drawn_of(drawing, parts[:limit], styles) if whole is None else [(Setting(()), drawing.draw(whole, styles))]
        styles.require_all()
        note = f" Not drawn: {', '.join(map(name_of, styles.not_drawn()))}." if styles.not_drawn() else ""
        if len(parts) > limit and not drawing.panels:
            note += f" {len(parts) - limit} further settings of the file are not drawn."
        paths = []
        for setting, (figure, caption, cells) in drawn:
            own = f" With {setting.text}." if setting.text else ""
            paths += style.save(figure, folder, name.replace("/", "-") + setting.stem, f"{caption}{own}{note} {results.source(cells)}")
        return paths
    finally:
        plt.close("all")
