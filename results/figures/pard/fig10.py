"""Figure 10 (section 5.2): normalised goodput over time, beside the request rate of the traces."""

import matplotlib.pyplot as plt

import look
from intervals import seeds_text
from pard import windows
from pard.series import SYSTEMS
from selection import absent_note, group, pair_of, series_of
import style

SERIES = SYSTEMS
SMOOTH_S = 5


def in_time(table):
    return table["in_time"]


def draw_rate(axes, cells, trace):
    """All systems have the same requests: one of them shows the rate."""
    own = next(iter(group(cells, series_of).values()))
    times, rate, half = windows.rate_over_time(own, SMOOTH_S)
    mean = max(rate.mean(), 1e-9)
    axes.fill_between(times, rate / mean, color=style.OFFERED, alpha=0.6, linewidth=0)
    look.band_line(axes, (times, rate / mean, half / mean), {"color": "#404040", "linewidth": 0.8})
    axes.set(ylabel=trace, ylim=(0, None))
    axes.yaxis.label.set_fontweight("bold")


def draw(cells, styles):
    workloads = group(cells, pair_of)
    pipelines = list(dict.fromkeys(pipeline for pipeline, _ in workloads))
    traces = list(dict.fromkeys(trace for _, trace in workloads))
    figure, grid = plt.subplots(len(traces), 1 + len(pipelines), sharex="row", squeeze=False,
                                figsize=style.size(1.9 * (1 + len(pipelines)), 0.6 + 1.55 * len(traces)))
    for row, trace in zip(grid, traces):
        first = next(workloads[pipeline, trace] for pipeline in pipelines if (pipeline, trace) in workloads)
        draw_rate(row[0], first, trace)
        for axes, pipeline in zip(row[1:], pipelines):
            own = workloads.get((pipeline, trace))
            if own is None:
                axes.set_visible(False)
                continue
            for rank, (name, same) in enumerate(styles.cells(own, SERIES).items()):
                times, share, half = windows.over_time(same, in_time, SMOOTH_S)
                own_look = styles.line(name) | {"linestyle": "-", "linewidth": 1, "zorder": 4 - rank / 4}
                look.band_line(axes, (times, 100 * share, 100 * half), own_look)
            axes.set(ylim=(0, 104), xlim=(same[0].measured_from_s, times[-1] + SMOOTH_S / 2))
    for axes, title in zip(grid[0], ["request rate / mean", *pipelines]):
        axes.set_title(title, loc="left")
    for axes in grid[:, 1]:
        axes.set_ylabel("goodput (% of sent)", fontsize=7.5)
    for axes in grid[:, 2:].flat:
        axes.tick_params(labelleft=False)
    for axes in grid[-1]:
        axes.set_xlabel("time (s)")
    look.legend_of(figure, *grid[:, 1:].flat)
    caption = (f"PARD figure 10. Left: request rate, over its mean. Right: requests completed in time, of those sent in a "
               f"centred window of {SMOOTH_S} s, by send time."
               f"{seeds_text(*styles.cells(cells, SERIES).values(), what='bands')}{absent_note(cells, SERIES)}")
    return figure, caption, cells
