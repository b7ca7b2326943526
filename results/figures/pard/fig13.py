"""Figure 13 (section 5.3): load factor, band and order of PARD and of PARD-instant."""

import matplotlib.pyplot as plt
import numpy as np

from harness_results.file import NS_PER_S
from selection import Missing, absent_note, first_seed, one_workload, rows_of, workload_name
import style

SERIES = ("pard", "pard/instant")
COLUMNS = ("load", "band", "order")
SPAN_S = 120
MAX_LOAD = 5
HBF_COLOUR = "#f3c9a8"


def states_of(cell):
    """Published states by module, in the order of time; of those before the measured part the last, which is in force at its start."""
    states = rows_of(cell, "states")
    lacking = [name for name in ("at_ns", "module", *COLUMNS) if name not in states.dtype.names]
    if lacking:
        raise Missing(f"/cells/{cell['cell']}/states has no column {', '.join(lacking)}")
    states = states[np.isfinite(states["load"])] if states.dtype["load"].kind == "f" else states
    by_module = {int(module): states[states["module"] == module] for module in np.unique(states["module"])}
    from_ns = cell.measured_from_s * NS_PER_S
    return {module: own[max(0, np.searchsorted(own["at_ns"], from_ns, side="right") - 1):] for module, own in by_module.items()}


def changes(states):
    return int((np.diff(states["order"].astype(int)) != 0).sum())


def chosen_module(by_cell):
    """The module whose order changes most, over the cells: where the band matters."""
    modules = sorted(set.intersection(*(set(own) for own in by_cell)))
    if not modules:
        raise Missing("no module published states in all cells")
    return max(modules, key=lambda module: (sum(changes(own[module]) for own in by_cell), -module))


def chosen_span(states, end_s, start_s=0):
    """The SPAN_S seconds between start and end in which the order changes most often; all of it if it is no longer."""
    if end_s - start_s <= SPAN_S:
        return start_s, end_s
    at = states["at_ns"][1:][np.diff(states["order"].astype(int)) != 0] / NS_PER_S
    starts = np.arange(start_s, end_s - SPAN_S + 1)
    counts = [((at >= start) & (at < start + SPAN_S)).sum() for start in starts]
    start = float(starts[int(np.argmax(counts))])
    return start, start + SPAN_S


def draw_states(axes, states, span):
    times = states["at_ns"] / NS_PER_S
    high = states["order"].astype(int) > 0
    ends = np.append(times[1:], span[1])
    for k, (start, end) in enumerate(zip(times[high], ends[high])):
        axes.axvspan(start, end, color=HBF_COLOUR, linewidth=0, label="high budget first" if k == 0 else None, zorder=0)
    axes.fill_between(times, 1 - states["band"], 1 + states["band"], step="post", color="#0072b2", alpha=0.22, linewidth=0,
                      label="1 \u00b1 eps")
    axes.plot(times, states["load"], color="black", drawstyle="steps-post", linewidth=1, label="load factor")
    axes.axhline(1, color="#0072b2", linewidth=0.6)
    axes.set_xlim(*span)


def greatest_load(states, span):
    """The greatest load factor within the span, so far as it is drawn."""
    times = states["at_ns"] / NS_PER_S
    shown = states["load"][(times >= span[0]) & (times <= span[1])]
    return min(MAX_LOAD, float(shown.max())) if len(shown) else 1.0


def draw(cells, styles):
    workload = one_workload(cells, "lv", "tweet")
    series = {name: first_seed(own) for name, own in styles.cells(workload, SERIES).items()}
    states = styles.each(series, states_of)
    module = chosen_module(list(states.values()))
    restless = states.get("pard/instant") or next(iter(states.values()))
    first = next(iter(series.values()))
    span = chosen_span(restless[module], first.attribute("duration_ns") / NS_PER_S, first.measured_from_s)
    figure, panels = plt.subplots(len(series), 1, sharex=True, sharey=True, squeeze=False,
                                  figsize=style.size(7.4, 0.9 + 1.6 * len(series)))
    panels = panels[:, 0]
    for axes, (name, own) in zip(panels, states.items()):
        draw_states(axes, own[module], span)
        axes.set_ylabel("load factor")
        axes.set_title(f"{styles.name(name)}: {changes(own[module])} changes of order in all", loc="left")
    panels[-1].set_xlabel("time (s)")
    panels[-1].set_ylim(0, max(1.3, 1.1 * max(greatest_load(own[module], span) for own in states.values())))
    handles = dict(zip(*reversed(panels[-1].get_legend_handles_labels())))
    for axes in panels:
        handles.update(zip(*reversed(axes.get_legend_handles_labels())))
    style.legend(figure, list(handles.values()), list(handles), handlelength=2, columnspacing=2)
    names = first.module_names()
    caption = (f"PARD figure 13. Published load factor of {names[module]} ({workload_name(workload)}, seed {first['seed']}), the band "
               "outside which PARD changes its order (PARD-instant has none), and the order: shaded, high budget first; white, low budget first. The "
               f"module and the {span[1] - span[0]:g} s with the most changes are shown.{absent_note(workload, SERIES)}")
    return figure, caption, list(series.values())
