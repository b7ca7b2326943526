"""Figure 12 (section 5.3): what takes up the latency budget, and how uncertain it is."""

import matplotlib.pyplot as plt
import numpy as np

from intervals import half_width, seeds_text
from over_time import bins_of, edges_of, mean_delay_ms, middles
import look
from harness_results.file import NS_PER_MS, NS_PER_S, OUTCOME_DONE
from selection import Missing, absent_note, first_seed, one_workload, rows_of, workload_name
import style

SERIES = ("pard", "pard/fcfs", "pard/hbf", "pard/lbf")
PARTS = (("queueing_ns", "queueing delay", "#0072b2"), ("wait_ns", "batch wait", "#d55e00"),
         ("exec_ns", "execution", "#009e73"))
COMPLETED = (0, 1)  # in time, late
SPAN_S = 2


def arrivals_ns(visits):
    """When each visit came to its module; a stage that was never reached is -1 and counts as 0."""
    return visits["ended_ns"] - sum(np.maximum(visits[name], 0) for name, _, _ in PARTS)


def latency_by_second(cell, visits):
    """Mean latency in ms of the visits done, [second of arrival from measured_from_s on, module]; NaN where there is none."""
    done = visits[visits["outcome"] == OUTCOME_DONE]
    modules = len(cell.table("modules"))
    first = int(cell.measured_from_s)
    seconds = int(np.ceil(cell.attribute("duration_ns") / NS_PER_S)) - first
    second = arrivals_ns(done) // int(NS_PER_S) - first
    kept = second < seconds
    place = (second * modules + done["module"])[kept]
    latency = sum(done[name].astype(float) for name, _, _ in PARTS)[kept] / NS_PER_MS
    total = np.bincount(place, weights=latency, minlength=seconds * modules)
    count = np.bincount(place, minlength=seconds * modules)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (total / np.where(count > 0, count, np.nan)).reshape(seconds, modules)


def sums_by_request(cell, visits):
    """Queueing delay, batch wait and execution in ms, summed over the modules of each completed request: {part: values}."""
    requests = rows_of(cell, "requests")
    completed = np.sort(requests["request"][np.isin(requests["outcome"].astype(int), COMPLETED)])
    if not len(completed):
        raise Missing("no request was completed")
    own = visits[np.isin(visits["request"], completed)]
    index = np.searchsorted(completed, own["request"])
    return {name: np.bincount(index, weights=np.maximum(own[name], 0), minlength=len(completed)) / NS_PER_MS
            for name, _, _ in PARTS}


def remaining_budgets(cell, visits, module, span_s):
    """(arrival in s, remaining budget in ms) of the visits that came to the module within the span."""
    requests = rows_of(cell, "requests")
    order = np.argsort(requests["request"])
    own = visits[visits["module"] == module]
    arrived = arrivals_ns(own)
    kept = (arrived >= span_s[0] * NS_PER_S) & (arrived < span_s[1] * NS_PER_S)
    own, arrived = own[kept], arrived[kept]
    sent = requests["sent_ns"][order][np.searchsorted(requests["request"][order], own["request"])]
    return arrived / NS_PER_S, cell["slo_ms"] - (arrived - sent) / NS_PER_MS


def steady_span(cell):
    """SPAN_S seconds in which less is sent than the plan can serve, the nearest to the middle; else the middle."""
    rates = cell.windows["sent"] / cell.window_s
    times = middles(edges_of(cell, 1, len(rates)))
    steady = rates < cell.capacity(times)
    width = max(1, round(SPAN_S / cell.window_s))
    middle = max(0, len(rates) - width) / 2
    starts = [k for k in range(len(rates) - width + 1) if steady[k: k + width].all()]
    start = min(starts, key=lambda k: abs(k - middle), default=int(middle)) * cell.window_s + cell.measured_from_s
    return start, start + SPAN_S


def draw_consumption(axes, cell, visits):
    latencies = np.nan_to_num(latency_by_second(cell, visits))
    edges = int(cell.measured_from_s) + np.arange(len(latencies) + 1)
    axes.stackplot(middles(edges), latencies.T, colors=style.module_colours(latencies.shape[1]), linewidth=0,
                   labels=[f"M{k + 1} {name}" for k, name in enumerate(cell.module_names())])
    axes.axhline(cell["slo_ms"], color="black", linestyle=":", linewidth=1)
    axes.set(xlabel="time of arrival (s)", ylabel="mean latency (ms)", xlim=edges[[0, -1]],
             ylim=(0, 1.08 * max(cell["slo_ms"], latencies.sum(axis=1).max())))
    axes.set_title("(a) latency by module; dotted: SLO", loc="left")


def draw_parts(axes, cell, visits):
    sums = sums_by_request(cell, visits)
    for rank, (name, label, colour) in enumerate(PARTS):
        values = np.sort(sums[name])
        shown = np.linspace(0, len(values) - 1, min(len(values), 2000)).astype(int)
        axes.plot(values[shown], 100 * (shown + 1) / len(values), color=colour, linestyle=style.LINE_STYLES[rank],
                  label=f"{label} (sd {values.std():.0f} ms)")
    axes.set(xlabel="sum over the modules (ms)", ylabel="CDF (% of requests)", xlim=(0, None), ylim=(0, 140), yticks=range(0, 101, 25))
    axes.legend(loc="upper left", fontsize=7)
    axes.set_title("(b) parts of the latency", loc="left")


def draw_orders(axes, styles, series):
    cells = [cell for own in series.values() for cell in own]
    width, count = bins_of(cells)
    bin_s, edges = width * cells[0].window_s, edges_of(cells[0], width, count)
    highest = 0.0
    for name, own in series.items():
        delays = np.nan_to_num(mean_delay_ms(own, width, count)).sum(axis=1)
        half = half_width([np.nan_to_num(mean_delay_ms([cell], width, count)).sum(axis=1) for cell in own])
        highest = max(highest, delays.max())
        look.band_line(axes, (middles(edges), delays, half), styles.line(name) | {"linewidth": 1})
    axes.set(xlabel="time (s)", ylabel="queueing delay (ms)", ylim=(0, max(1, 1.3 * highest)), xlim=edges[[0, -1]])
    axes.legend(loc="upper left", fontsize=7, ncol=2)
    axes.set_title(f"(c) summed over the modules, bins of {bin_s:g} s", loc="left")


def draw_budgets(axes, cell, visits):
    span = steady_span(cell)
    names = cell.module_names()
    for module, colour, marker in dict.fromkeys([(min(1, len(names) - 1), "#0072b2", "o"), (len(names) - 1, "#d55e00", "^")]):
        times, budgets = remaining_budgets(cell, visits, module, span)
        axes.plot(times, budgets, linestyle="none", marker=marker, markersize=1.8, alpha=0.6, markeredgewidth=0, color=colour,
                  label=f"M{module + 1}")
    axes.set(xlabel="time of arrival (s)", ylabel="remaining budget (ms)", xlim=span, ylim=(0, cell["slo_ms"]))
    axes.locator_params(axis="x", nbins=5)
    axes.legend(loc="upper right", fontsize=7, markerscale=3, ncol=2)
    axes.set_title("(d) single requests", loc="left")


def draw(cells, styles, shown):
    workload = one_workload(cells, "lv", "tweet")
    series = styles.cells(workload, SERIES)
    if shown not in series:
        raise Missing(f"no cells of {shown} on {workload_name(workload)}")
    cell = first_seed(series[shown])
    visits = rows_of(cell, "visits")
    columns = style.columns_of(4, 2, widths=2)
    figure, grid = plt.subplots(4 // columns, columns, squeeze=False, figsize=style.size(7.4, 10.4 / columns))
    consumption, parts, orders, budgets = grid.flat
    draw_consumption(consumption, cell, visits)
    draw_parts(parts, cell, visits)
    draw_orders(orders, styles, series)
    draw_budgets(budgets, cell, visits)
    look.legend_of(figure, consumption)
    caption = (f"PARD figure 12, {workload_name(workload)}. (a), (b), (d): {styles.name(shown)}, seed {cell['seed']}. (a) Mean latency of "
               "the visits done at each module, by second of arrival. (b) Queueing delay, batch wait and execution of each completed "
               "request, summed over its modules: share of the requests up to a value, with the standard deviation. (c) Mean "
               "queueing delay by module, summed. (d) Remaining budget of each request on arrival at two modules."
               f"{seeds_text(*series.values(), what='bands')}{absent_note(workload, SERIES)}")
    used = [one for own in series.values() for one in own]
    return figure, caption, used
