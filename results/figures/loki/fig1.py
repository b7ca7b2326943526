"""Figure 1: as demand grows Loki first takes more workers, then gives up the accuracy of later tasks, then that of the first."""

import matplotlib.pyplot as plt
import numpy as np

import curves
import look
from intervals import seeds_text, spread
from loki import published, violations
from loki.series import HARDWARE, LOKI, as_the_paper_says
from loki.tasks import task_accuracies
from selection import Missing, group, series_of
import style

SYSTEMS = (LOKI, HARDWARE)
# A task's accuracy has fallen when it is below that of its best variant by more than this.
FALLEN = 0.001


def demand(cell):
    return cell.rate_rps


def tasks_by_demand(cells):
    """(demands, {task: (mean accuracies there, half widths of their intervals)})."""
    points = sorted(group(cells, demand).items())
    found = [[task_accuracies(cell) for cell in same] for _, same in points]
    return np.array([at for at, _ in points]), {task: np.array([spread([one[task] for one in same]) for same in found]).T
                                                for task in found[0][0]}


def phase_starts(demands, tasks):
    """phase -> the least demand at which the accuracy of a later task (2) or of the first (3) has fallen; absent where it never has."""
    first, *later = (accuracies < 1 - FALLEN for accuracies in tasks.values())
    fallen = {2: np.any(later, axis=0) if later else np.zeros(len(demands), dtype=bool), 3: first}
    return {phase: demands[where][0] for phase, where in fallen.items() if where.any()}


def draw_accuracy(axes, styles, cells, demands, tasks):
    curves.draw_curve(axes, cells, demand, "accuracy", 100,
                      styles.line(series_of(cells[0])) | {"label": f"{styles.name(series_of(cells[0]))}, whole pipeline", "linewidth": 2})
    for (task, (accuracies, half)), colour, dashes in zip(tasks.items(), style.module_colours(len(tasks)), style.LINE_STYLES[1:]):
        look.plain_line(axes, (demands, 100 * accuracies, 100 * half),
                        {"color": colour, "linestyle": dashes, "label": task.replace("_", " ")})
    axes.set(ylabel="accuracy (% of the best)")


def draw_workers(axes, styles, series):
    for name, own in series.items():
        curves.draw_curve(axes, own, demand, "workers_mean", 1, styles.line(name), styles.marker(name))
    workers = max(cell.cluster_workers for own in series.values() for cell in own)
    axes.axhline(workers, color="black", linestyle=":", linewidth=1, label="workers of the cluster")
    axes.set(ylabel="workers in use", ylim=(0, None))


def draw_violations(axes, styles, series):
    for column, of in violations.measures([cell for own in series.values() for cell in own]):
        for name, own in series.items():
            own_look = styles.line(name)
            if column == violations.OF_PATHS:
                own_look |= {"alpha": 0.5, "label": f"{own_look['label']}, {of}"}
            curves.draw_curve(axes, own, demand, column, 100, own_look, styles.marker(name))
    axes.set(ylabel="SLO violations (%)", xlabel="demand (requests/s)", ylim=(0, 104), xlim=(0, None))


def mark_phases(panels, starts):
    for height, at in enumerate(sorted(set(starts.values()), reverse=True)):
        for axes in panels:
            axes.axvline(at, color="black", linestyle=(0, (1, 2)), linewidth=0.9)
        begun = [str(phase) for phase, start in starts.items() if start == at]
        panels[0].annotate(f"phase {' and '.join(begun)}", (at, 1), xycoords=("data", "axes fraction"), xytext=(2, 2 + 9 * height),
                           textcoords="offset points", fontsize=7)


def draw(cells, styles):
    names, note = styles.one_of_each(SYSTEMS)
    groups = group(cells, series_of)
    series = {name: groups[name] for name in names.values() if name in groups}
    if names.get(LOKI) not in series:
        raise Missing("no cells of loki")
    loki = series[names[LOKI]]
    cells = [cell for own in series.values() for cell in own]
    if any(cell.rate_rps is None for cell in cells) or len({cell.rate_rps for cell in loki}) < 2:
        raise Missing("the file has one rate only")
    demands, tasks = tasks_by_demand(loki)
    figure, (accuracy, workers, violated) = plt.subplots(3, 1, sharex=True, figsize=style.size(5.2, 5.8), gridspec_kw={"height_ratios": [3, 2, 2]})
    draw_accuracy(accuracy, styles, loki, demands, tasks)
    draw_workers(workers, styles, series)
    draw_violations(violated, styles, series)
    starts = phase_starts(demands, {task: accuracies for task, (accuracies, _) in tasks.items()})
    mark_phases((accuracy, workers, violated), starts)
    papers = published.on_demand(cells, accuracy, workers, violated)
    for axes, title in ((accuracy, "(a)"), (workers, "(b)"), (violated, "(c)")):
        axes.set_title(title, loc="left", x=-0.08)
    look.legend_of(figure, accuracy, workers, violated)
    told = " ".join(f"Phase {phase} begins at {at:g} requests/s." for phase, at in starts.items())
    caption = (f"Loki figure 1. Against a steady demand: (a) accuracy of the completed requests of Loki, and of each task the mean "
               f"accuracy of the models that did its visits; (b) workers in use; (c) SLO violations. Dotted: the least demand at which the "
               f"accuracy of a later task (phase 2) and of the first (phase 3) is lower by more than {100 * FALLEN:g} %. {told}"
               f"{violations.text(cells, len(violations.measures(cells)) > 1)}{as_the_paper_says(series)}{seeds_text(*series.values())}"
               f"{curves.open_note(cells)}{papers}{note}")
    return figure, caption, cells
