"""Figure 8 (section 7.1): how the latencies of completed requests are spread at the lowest and the highest load."""

import matplotlib.pyplot as plt
import numpy as np

import look
from harness_results.file import MEASURE_LATENCY, NS_PER_MS
from selection import Missing, absent_note
import style
from shepherd.series import SYSTEMS

SERIES = SYSTEMS


def completed_by(cells):
    """(latencies in ms, percent of the completed requests with at most that), of all the cells together."""
    tables = [cell.table("latency") for cell in cells]
    buckets = np.concatenate([table[table["measure"] == MEASURE_LATENCY] for table in tables])
    edges, inverse = np.unique(buckets["up_to_ns"], return_inverse=True)
    counts = np.bincount(inverse, weights=buckets["count"].astype(float), minlength=len(edges))
    return edges / NS_PER_MS, 100 * np.cumsum(counts) / max(1, counts.sum())


def draw_panel(axes, styles, cells):
    slo_ms = max(cell["slo_ms"] for cell in cells)
    for name, own in styles.cells(cells, SERIES).items():
        latencies, shares = completed_by(own)
        axes.plot(np.concatenate([[0], latencies]), np.concatenate([[0], shares]), drawstyle="steps-post", **styles.line(name))
    axes.axvline(slo_ms, color="black", linestyle=":", linewidth=1, label="SLO")
    axes.set(xlabel="latency (ms)", ylabel="CDF of latency (%)", xlim=(0, 1.1 * slo_ms), ylim=(0, 104))


def draw(cells, styles):
    rates = sorted({cell.rate_rps for cell in cells if cell.rate_rps is not None})
    if not rates:
        raise Missing("the experiment gives no rates")
    ends = list(dict.fromkeys([rates[0], rates[-1]]))
    figure, grid = plt.subplots(1, len(ends), squeeze=False, sharey=True, figsize=style.size(3.3 * len(ends), 2.9))
    shown = []
    for axes, rate in zip(grid.flat, ends):
        own = [cell for cell in cells if cell.rate_rps == rate]
        draw_panel(axes, styles, own)
        axes.set_title(f"{rate:g} requests/s", loc="left")
        axes.label_outer()
        shown += own
    look.legend_of(figure, *grid.flat)
    caption = ("SHEPHERD figure 8. Latencies of the requests that were completed, of all seeds together; dropped ones do not count."
               f"{absent_note(cells, SERIES)}")
    return figure, caption, shown
