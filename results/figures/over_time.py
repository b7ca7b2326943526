"""Figures whose horizontal axis is the time of the load."""

import matplotlib.pyplot as plt
import matplotlib.ticker
import numpy as np

import look
import style
from series_styles import chosen
from intervals import half_width, seeds_text, spread
from harness_results.file import NS_PER_MS, NS_PER_S, flatten
from selection import label_of

MAX_POINTS = 150
MAX_LINES = 8
SHORTEST_DELAY_MS = 0.1


def chosen_lines(by_series):
    """At most MAX_LINES series, default variants first; and a sentence about those left out."""
    ranked = sorted(by_series, key=lambda key: key.variant != "default" or bool(key.parameters))
    return some_of(by_series, ranked, MAX_LINES)


def some_of(by_series, ranked, most):
    """At most that many series, in their order, the first of the ranked and one of each system; and a sentence about those left out."""
    kept = chosen(ranked, lambda key: key.system, most)
    left_out = [label_of(key) for key in ranked if key not in kept]
    note = f" Not drawn: {', '.join(left_out)}." if left_out else ""
    return {key: cells for key, cells in by_series.items() if key in kept}, note


def bins_of(cells):
    """(windows in a bin, number of bins) so that a line has at most MAX_POINTS points."""
    windows = min(len(cell.windows) for cell in cells)
    width = max(1, -(-windows // MAX_POINTS))
    return width, windows // width


def edges_of(cell, width, count):
    """Returns the bounds of the bins, in s of the load."""
    return cell.measured_from_s + np.arange(count + 1) * width * cell.window_s


def middles(edges):
    return (edges[:-1] + edges[1:]) / 2


def binned(values, width, count):
    """Sums of `width` consecutive values; shorter data counts as zeros."""
    padded = np.zeros((width * count,) + values.shape[1:])
    kept = values[: width * count]
    padded[: len(kept)] = kept
    return padded.reshape((count, width) + values.shape[1:]).sum(axis=1)


def sums_of(cells, column, width, count):
    """[seed, bin]"""
    return np.array([binned(cell.windows[column].astype(float), width, count) for cell in cells])


def share(part, whole):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole > 0, part / whole, np.nan)


class Course:
    """A cell's columns over time, in bins of `width` windows."""

    def __init__(self, cell, width, count):
        self.cell, self.width, self.count = cell, width, count
        self.bin_s = width * cell.window_s
        self.edges = edges_of(cell, width, count)

    def times(self):
        """The middles of the bins, in s."""
        return middles(self.edges)

    def sums(self, *columns):
        return binned(sum(self.cell.windows[column].astype(float) for column in columns), self.width, self.count)

    def demand(self):
        return self.sums("sent") / self.bin_s

    def violations(self):
        return share(self.sums("dropped", "late"), self.sums("sent"))

    def workers(self, since, weight=None):
        """Workers, or the sum of this column of theirs, from the time in the column `since` until they are removed: mean over each bin."""
        edges = self.edges
        workers = self.cell.table("workers")
        workers = workers[workers[since] >= 0]
        to_s = np.where(workers["removed_ns"] < 0, np.inf, workers["removed_ns"] / NS_PER_S)
        overlap = np.minimum(to_s[:, None], edges[1:]) - np.maximum(workers[since][:, None] / NS_PER_S, edges[:-1])
        weights = np.ones(len(workers)) if weight is None else workers[weight]
        return weights @ np.maximum(overlap, 0) / self.bin_s


def line_style(palette, key, count):
    """A run of one or two points shows as marks."""
    return palette.line(key) | ({"marker": "o", "markersize": 3} if count <= 2 else {})


def draw_capacity(axes, cells, times):
    """One dotted line where all cells agree on the capacity."""
    curves = np.array([cell.capacity(times) for cell in cells])
    if not np.isfinite(curves).all() or np.ptp(curves, axis=0).max() > 0.01 * curves.max():
        return ""
    axes.plot(times, curves[0], color="black", linestyle=":", linewidth=style.points(1), label="capacity")
    return " Dotted: capacity of the plan."


def draw_goodput(results, palette, workload, by_series, folder):
    lines, note = chosen_lines(by_series)
    cells = flatten(lines)
    width, count = bins_of(cells)
    bin_s, edges = width * cells[0].window_s, edges_of(cells[0], width, count)
    times = middles(edges)
    offered, _ = spread(sums_of(cells, "sent", width, count))

    figure, (rate, ratio) = plt.subplots(2, 1, sharex=True, figsize=style.size(style.WIDTH, 3.9),
                                         gridspec_kw={"height_ratios": [3, 2]})
    rate.fill_between(times, offered / bin_s, color=style.OFFERED, alpha=0.45, linewidth=0, label="offered load")
    capacity = draw_capacity(rate, cells, times)
    for key, own in lines.items():
        in_time, sent = sums_of(own, "in_time", width, count), sums_of(own, "sent", width, count)
        look.band_line(rate, (times, *spread(in_time / bin_s)), line_style(palette, key, count))
        shares = 100 * share(in_time.sum(axis=0), sent.sum(axis=0))
        look.band_line(ratio, (times, shares, half_width(100 * share(in_time, sent))), line_style(palette, key, count))
    rate.set(title=workload.title, ylabel="goodput (requests/s)", ylim=(0, None))
    ratio.set(xlabel="send time (s)", ylabel="SLO attainment (%)", ylim=(-2, 104), xlim=edges[[0, -1]])
    style.legend(figure, *rate.get_legend_handles_labels())
    caption = (f"Goodput and share of the requests completed within the SLO ({own[0].workload.slo_text}), by send time "
               f"in bins of {bin_s:g} s; grey: offered load.{capacity}{seeds_text(*lines.values(), what='bands')}{note} "
               f"{results.source(cells)}")
    return style.save(figure, folder, f"goodput-{workload.file_stem}", caption)


def mean_delay_ms(cells, width, count):
    """Mean queueing delay of the visits that started in each bin, [bin, module]."""
    delay = sum(binned(cell.module_table("queueing_ns"), width, count) for cell in cells)
    started = sum(binned(cell.module_table("started"), width, count) for cell in cells)
    return share(delay, started) / NS_PER_MS


def draw_queueing_delay(results, palette, workload, by_series, folder):
    lines, note = chosen_lines(by_series)
    cells = flatten(lines)
    width, count = bins_of(cells)
    bin_s, edges = width * cells[0].window_s, edges_of(cells[0], width, count)
    times = middles(edges)
    names = cells[0].module_names()

    figure, panels = plt.subplots(len(names), 1, sharex=True, sharey=True, squeeze=False,
                                  figsize=style.size(style.WIDTH, 0.7 + 1.1 * len(names)))
    panels = panels[:, 0]
    for key, own in lines.items():
        delays = np.maximum(mean_delay_ms(own, width, count), SHORTEST_DELAY_MS)
        halves = half_width([mean_delay_ms([cell], width, count) for cell in own])
        for panel, delay, half in zip(panels, delays.T, halves.T):
            look.band_line(panel, (times, delay, half), line_style(palette, key, count), least=SHORTEST_DELAY_MS)
    for panel, name in zip(panels, names):
        panel.set_yscale("log")
        panel.yaxis.set_major_locator(matplotlib.ticker.LogLocator(numticks=5))
        panel.yaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        panel.minorticks_off()
        panel.set_title(name, loc="left", fontsize=8.5, pad=3)
    panels[0].set_ylim(bottom=SHORTEST_DELAY_MS * 0.8)
    panels[-1].set(xlabel="time (s)", xlim=edges[[0, -1]])
    figure.supylabel("mean queueing delay (ms)", fontsize=8.5)
    style.legend(figure, *panels[0].get_legend_handles_labels())
    caption = (f"Queueing delay by module for {workload.title}: mean over the visits whose batch started in a bin of "
               f"{bin_s:g} s; values below {SHORTEST_DELAY_MS:g} ms are drawn there.{seeds_text(*lines.values(), what='bands')}{note} "
               f"{results.source(cells)}")
    return style.save(figure, folder, f"queueing-{workload.file_stem}", caption)
