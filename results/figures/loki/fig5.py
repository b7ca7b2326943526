"""Figures 5 and 6 (section 6.2): demand, accuracy, cluster utilisation and SLO violations over time."""

import matplotlib.pyplot as plt

import look
from loki import published, violations
from loki.series import LOKI, SYSTEMS, as_the_paper_says
from loki.tasks import scaling_changes
from over_time import Course, bins_of, share
from selection import first_seed, group, series_of, workload_name
import style


class LokiCourse(Course):
    def accuracy(self):
        return share(self.sums("accuracy_sum"), self.sums("in_time", "late"))

    def path_violations(self):
        return share(self.sums(*violations.PATHS[1:]), self.sums(*violations.PATHS))

    def utilisation(self):
        """Workers that can serve, of the cluster's."""
        return self.workers("ready_ns") / self.cell.cluster_workers


PANELS = (
    ("demand\n(requests/s)", Course.demand, 1),
    ("accuracy\n(% of the best)", LokiCourse.accuracy, 100),
    ("cluster\nutilisation (%)", LokiCourse.utilisation, 100),
    ("SLO violations\n(% of requests)", Course.violations, 100),
)
OF_PATHS = ("SLO violations\n(% of paths)", LokiCourse.path_violations, 100)


def draw_panel(axes, styles, courses, value, scale, times):
    for name, course in courses.items():
        if value is Course.demand:  # the same for all
            axes.fill_between(times, scale * value(course), color=style.OFFERED, alpha=0.6, linewidth=0)
            axes.plot(times, scale * value(course), color="#404040", linewidth=0.9)
            return
        axes.plot(times, scale * value(course), **styles.line(name))


def draw(cells, styles, number):
    names, note = styles.one_of_each(SYSTEMS)
    groups = group(cells, series_of)
    series = {name: groups[name] for name in names.values() if name in groups}
    cells = [first_seed(own) for own in series.values()]
    width, count = bins_of(cells)
    courses = {name: LokiCourse(cell, width, count) for name, cell in zip(series, cells)}
    first = next(iter(courses.values()))
    with_paths = violations.have_path_windows(cells)
    panels = PANELS + ((OF_PATHS,) if with_paths else ())
    figure, grid = plt.subplots(len(panels), 1, sharex=True, figsize=style.size(style.WIDTH, 0.5 + 1.25 * len(panels)))
    for axes, (label, value, scale) in zip(grid, panels):
        draw_panel(axes, styles, courses, value, scale, first.times())
        axes.set_ylabel(label)
        if value is not LokiCourse.accuracy:
            axes.set_ylim(*((0, None) if value is Course.demand else (-2, 104)))
    changes = scaling_changes(courses[names[LOKI]].cell)[1:] if names.get(LOKI) in courses else []
    for axes in grid:
        for at_s, _ in changes:
            axes.axvline(at_s, color="black", linestyle=(0, (1, 2)), linewidth=0.9)
    papers = published.on_time(cells, grid[1], grid[2])
    grid[0].set_title(workload_name(cells), loc="left")
    grid[-1].set(xlabel="send time (s)", xlim=first.edges[[0, -1]])
    look.legend_of(figure, *grid[1:])
    caption = (f"Loki figure {number}. Demand, accuracy of the completed requests, workers that can serve (of the cluster's) and SLO "
               f"violations, by send time in bins of {first.bin_s:g} s. Dotted: from here on some of Loki's workers host a variant that is "
               f"not the most accurate of its task, or none do any more.{violations.text(cells, with_paths)}{as_the_paper_says(series)}{papers}{note}")
    return figure, caption, cells


def draw_traffic(cells, styles):
    return draw(cells, styles, 5)


def draw_social(cells, styles):
    return draw(cells, styles, 6)
