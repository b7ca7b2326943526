"""Figure 6 (section 4.2): the batch waits from a module to the end add up to an Irwin-Hall distribution."""

from math import comb, factorial

import matplotlib.pyplot as plt
import numpy as np

import look
from pard.published import CENTRE_OF_WAITS
from harness_results.file import OUTCOME_DONE
from selection import Missing, group, pair_of, rows_of, workload_name
import style

LAMBDA = 0.1
BIN = 0.05
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
ROUNDING = 1e-9  # a wait of exactly d belongs to the bin that ends there


def irwin_hall(x, count):
    """Density of the sum of `count` independent U(0, 1)."""
    x = np.asarray(x, dtype=float)
    total = sum((-1) ** k * comb(count, k) * np.maximum(x - k, 0) ** (count - 1) * (x >= k) for k in range(count + 1))
    return np.where((x < 0) | (x > count), 0, total / factorial(count - 1))


def irwin_hall_quantile(share, count):
    x = np.linspace(0, count, 20001)
    density = irwin_hall(x, count)
    cumulated = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2) * (x[1] - x[0])])
    return float(np.interp(share, cumulated, x))


def normalised_waits(cell):
    """Batch wait / execution time of each request that passed the whole chain, [request, module]."""
    visits = rows_of(cell, "visits")
    modules = len(cell.table("modules"))
    if (visits["parent"] != np.maximum(visits["visit"].astype(int) - 1, 0)).any():
        raise Missing(f"{cell['pipeline']} is not a chain of modules")
    done = visits[visits["outcome"] == OUTCOME_DONE]
    requests, index = np.unique(done["request"], return_inverse=True)
    waits = np.full((len(requests), modules), np.nan)
    waits[index, done["module"]] = done["wait_ns"] / done["exec_ns"]
    return waits[np.isfinite(waits).all(axis=1)]


def aggregated(cells):
    """The summed waits from each module on, in execution times: [request, module]."""
    waits = np.concatenate([normalised_waits(cell) for cell in cells])
    if not len(waits):
        raise Missing("no request passed all modules")
    return np.cumsum(waits[:, ::-1], axis=1)[:, ::-1]


def shown_cells(cells):
    """Those of the wiki trace, or of the first."""
    workloads = group(cells, pair_of)
    return workloads[next((pair for pair in workloads if pair[1].startswith("wiki")), next(iter(workloads)))]


def draw(cells, styles, name):
    cells = shown_cells(styles.cells(cells)[name])
    sums = aggregated(cells)
    modules = sums.shape[1]
    figure, axes = plt.subplots(figsize=style.size(6.6, 3.6))
    points = np.linspace(0, modules, 400)
    for module in range(modules):
        count = modules - module
        colour = COLOURS[module % len(COLOURS)]
        edges = BIN * np.arange(round(count / BIN) + 2)
        density, _ = np.histogram(sums[:, module], bins=edges + ROUNDING, density=True)
        quantile = np.quantile(sums[:, module], LAMBDA)
        where = f"M{module + 1} to M{modules}" if count > 1 else f"M{modules}"
        axes.stairs(density, edges, color=colour, linewidth=1.3,
                    label=f"{where}: {quantile:.2f} d ({irwin_hall_quantile(LAMBDA, count):.2f} d)")
        axes.plot(points, irwin_hall(points, count), color=colour, linestyle="--", linewidth=1,
                  label="Irwin-Hall" if count == 1 else None)
        axes.plot([quantile, quantile], [0, np.interp(quantile, edges[:-1] + BIN / 2, density)], color=colour, linewidth=1)
        axes.plot([quantile], [0], marker="v", color=colour, markersize=6, clip_on=False, zorder=5)
    look.published_range(axes, CENTRE_OF_WAITS * modules, CENTRE_OF_WAITS * modules, axis="x")
    axes.set(xlabel="summed batch wait (d)", ylabel="probability density", xlim=(0, modules), ylim=(0, None),
             title=workload_name(cells))
    axes.legend(loc="upper right", title=f"{LAMBDA:g}-quantile (Irwin-Hall)", title_fontsize=8)
    caption = (f"PARD figure 6. Batch waits summed from each module to the last, each in execution times d of its batch, of "
               f"{len(sums)} requests that passed all modules ({styles.name(name)}; all seeds together). Dashed: sums of independent "
               f"U(0, d). Triangles: the {LAMBDA:g}-quantile; in brackets that of the dashed curve. Dotted: where the sum of "
               "all modules' waits is centred by section 4.2.")
    return figure, caption, cells
