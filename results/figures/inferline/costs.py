"""Figures 5, 8, 9, 13 and 14(a): what plans cost and what they miss, by load, SLO, set of profiles and burstiness; what they are
estimated to take."""

import matplotlib.pyplot as plt
import numpy as np

import curves
from inferline import published
from inferline.series import COST, COST_LABEL, DS2, PLANNER, PLANS, TARGET, require_costs, rises
from intervals import seeds_text, spread
import load_sweep
import look
from selection import Missing, absent_note, group, pair_of, series_of, trace_of
import style

PROFILES = "cluster.profiles"
PANELS = ((COST, 1, COST_LABEL), ("drop_rate", 100, "miss rate (%)"))


def load_of(cell):
    return cell["trace"], load_sweep.level(cell)


def profiles_of(cell):
    return cell.parameters.get(PROFILES) or cell.settings["cluster"]["profiles"]


def burstiness(cells):
    """A sentence for captions: the squared CVs of the gaps, where the experiment gives them."""
    known = {cell["trace"]: trace_of(cell).get("scv") for cell in cells}
    told = ", ".join(f"{scv:g} in {trace}" for trace, scv in known.items() if scv is not None)
    return f" Squared CV of the gaps: {told}." if told else ""


def draw_bars(pair, styles, cells, place, order):
    """A panel for each of PANELS; the bars of the series stand beside each other at each place."""
    by_series = styles.cells(cells, order)
    places = list(group(cells, place))
    for axes, (column, scale, label) in zip(pair, PANELS):
        for rank, (name, own) in enumerate(by_series.items()):
            spreads = {at: spread([scale * cell[column] for cell in same]) for at, same in group(own, place).items()}
            look.bars_beside(axes, [places.index(at) for at in spreads], list(spreads.values()), rank, len(by_series),
                             color=styles.colour(name), label=styles.name(name))
        axes.set(ylabel=label, xlim=(-0.6, len(places) - 0.4))
        axes.grid(False, axis="x")
    misses = pair[1]
    misses.set_yscale("symlog", linthresh=TARGET, linscale=0.6)
    misses.set(ylim=(0, 100), yticks=[0, 1, 10, 100], yticklabels=["0", "1", "10", "100"])
    misses.minorticks_off()
    misses.axhline(TARGET, color="black", linestyle=":", linewidth=0.8)
    return places


def draw_rows(cells, styles, row, place, order, label):
    """The figure: a row for each row(cell), which names it, and ticks named by label(place)."""
    require_costs(cells)
    rows = group(cells, row)
    figure, grid = plt.subplots(len(rows), 2, squeeze=False, figsize=style.size(style.WIDTH, 0.5 + 1.55 * len(rows)))
    for pair, (title, own) in zip(grid, rows.items()):
        places = draw_bars(pair, styles, own, place, order)
        for axes in pair:
            axes.set_title(title, loc="left")
            axes.set_xticks(np.arange(len(places)), [label(at) for at in places], fontsize=style.points(7))
    look.legend_of(figure, *grid.flat)
    return figure


MISSES = f" Misses: requests late or dropped, of all sent; linear up to the {TARGET} % that may miss (dotted), logarithmic above."


def draw_plans(cells, styles):
    between = "\n" if style.OPTIONS.sizes is None else " "  # labels of narrow pages are turned
    figure = draw_rows(cells, styles, lambda cell: cell["pipeline"], load_of, PLANS, lambda at: f"{at[1]:g}{between}{at[0]}")
    caption = (f"InferLine figure 5. What plans cost and miss, by requests/s and trace.{MISSES}{burstiness(cells)}"
               f"{seeds_text(*group(cells, series_of).values())}{absent_note(cells, PLANS)}")
    return figure, caption, cells


def draw_frameworks(cells, styles):
    if len({profiles_of(cell) for cell in cells}) < 2:
        raise Missing("the file has one set of profiles only")
    figure = draw_rows(cells, styles, lambda cell: "-".join(pair_of(cell)), profiles_of, (PLANNER,), str)
    caption = f"InferLine figure 13. What plans cost and miss, by set of profiles.{MISSES}{seeds_text(*group(cells, series_of).values())}"
    return figure, caption, cells


def draw_steady(cells, styles):
    steady = [cell for cell in cells if not rises(cell)]
    if not steady:
        raise Missing("no trace of one rate")
    figure = draw_rows(steady, styles, lambda cell: cell["pipeline"], lambda cell: cell["trace"], DS2, str)
    caption = (f"InferLine figure 14a. DS2 and InferLine by burstiness: cost and misses.{MISSES}{burstiness(steady)}"
               f"{seeds_text(*group(steady, series_of).values())}{absent_note(steady, DS2)}")
    return figure, caption, steady


ESTIMATED = "simulated"  # the runtime in which a cell is what the Estimator says


def draw_estimates(cells, styles):
    """Bars for each workload: P99 as estimated, pale, and as measured."""
    runtimes = sorted({cell["runtime"] for cell in cells}, key=lambda runtime: runtime != ESTIMATED)
    if len(runtimes) < 2 or runtimes[0] != ESTIMATED:
        raise Missing("the file does not have both simulated and measured cells")
    places = list(group(cells, pair_of))
    bars = [(name, runtime, own) for name, of_series in styles.cells(cells, (PLANNER,)).items()
            for runtime, own in sorted(group(of_series, lambda cell: cell["runtime"]).items(), key=lambda pair: runtimes.index(pair[0]))]
    figure, axes = plt.subplots(figsize=style.size(style.WIDTH, 2.8))
    for rank, (name, runtime, own) in enumerate(bars):
        spreads = {at: spread([cell["latency_ms_p99"] for cell in same]) for at, same in group(own, pair_of).items()}
        label = f"{styles.name(name)}, {'estimated' if runtime == ESTIMATED else f'measured ({runtime})'}"
        look.bars_beside(axes, [places.index(at) for at in spreads], list(spreads.values()), rank, len(bars), color=styles.colour(name),
                         alpha=0.45 if runtime == ESTIMATED else 1, label=label)
    axes.axhline(cells[0]["slo_ms"], color="black", linestyle=":", linewidth=0.8)
    axes.set(ylabel="P99 of the latency (ms)", xlim=(-0.6, len(places) - 0.4), ylim=(0, None))
    axes.set_xticks(np.arange(len(places)), ["\n".join(at) for at in places], fontsize=style.points(7))
    axes.grid(False, axis="x")
    look.legend_of(figure, axes)
    caption = (f"InferLine figure 8. P99 of the latency as the Estimator has it and as measured. Dotted: the SLO, {cells[0]['slo_ms']:g} ms."
               f"{burstiness(cells)}{seeds_text(*(own for _, _, own in bars))}{absent_note(cells, (PLANNER,))}")
    return figure, caption, cells


def draw_slos(cells, styles, name):
    """A panel for each trace, a line for each load, in shades of the system's colour."""
    cells = styles.cells(cells, (PLANNER,))[name]
    require_costs(cells)
    slos = sorted({cell["slo_ms"] for cell in cells})
    if len(slos) < 2:
        raise Missing("the file has one SLO only")
    loads = sorted({load_sweep.level(cell) for cell in cells})
    traces = group(cells, lambda cell: cell["trace"])
    columns = style.columns_of(len(traces), 2)
    figure, grid = plt.subplots(-(-len(traces) // columns), columns, squeeze=False, sharey=True, figsize=style.size(style.WIDTH, 3.2))
    for axes in grid.flat[len(traces):]:
        axes.set_visible(False)
    for axes, (trace, of_trace) in zip(grid.flat, traces.items()):
        for load, own in sorted(group(of_trace, load_sweep.level).items()):
            rank = loads.index(load)
            own_look = {"color": style.graded(styles.colour(name), rank, max(2, len(loads))), "label": own[0].workload.offered}
            curves.draw_curve(axes, own, lambda cell: cell["slo_ms"], COST, 1, own_look, "os^Dv"[rank % 5])
        look.published_range(axes, *published.STEEP_FALL_MS, axis="x")
        axes.set(xlabel="SLO (ms)")
        axes.set_xticks(slos, [f"{slo:g}" for slo in slos], fontsize=style.points(7))
        axes.set_title(f"{cells[0]['pipeline']}, {trace}", loc="left")
    grid[0, 0].set(ylabel=COST_LABEL, ylim=(0, None))
    look.legend_of(figure, *grid.flat)
    caption = (f"InferLine figure 9. What plans cost ({styles.name(name)}) against the SLO. Paper: a steep fall between SLOs of 0.1 and 0.15 s "
               f"(section 4.3).{burstiness(cells)}"
               f"{seeds_text(cells)}{curves.open_note(cells)}")
    return figure, caption, cells
