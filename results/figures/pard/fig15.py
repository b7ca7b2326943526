"""Figure 15 (section 7): retrieval-augmented generation."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator

import look
from results import NS_PER_MS
from selection import first_seed, group, name_of, rows_of, seeds_text, series_of, spread
import style

OUTCOME_DONE = 0
POLICY = "rag.policy"
SHORTEST_MS = 1
MAX_SPAN_OF_FINE_TICKS = 300


def policy_of(cell):
    """The policy that the experiment sets or sweeps, or the variant's own name: proactive, reactive, predict."""
    series = series_of(cell)
    return cell.parameters.get(POLICY) or series.partition("/")[2] or name_of(series)


def module_latencies(cell):
    """Latencies in ms of the visits done at each module: arrival to end."""
    visits = rows_of(cell, "visits")
    done = visits[visits["outcome"] == OUTCOME_DONE]
    latency = sum(done[name].astype(float) for name in ("queueing_ns", "wait_ns", "exec_ns")) / NS_PER_MS
    return [np.sort(latency[done["module"] == module]) for module in range(len(cell.table("modules")))]


def shown_policy(policies):
    """The proactive one, or PARD itself, or the first."""
    return next((name for name in ("proactive", name_of("pard")) if name in policies), next(iter(policies)))


def tick_steps(low, high):
    """Labels per decade of a logarithmic axis: as many as have room."""
    return (1, 2, 5) if high < MAX_SPAN_OF_FINE_TICKS * low else (1,)


def draw(cells):
    policies = group(cells, policy_of)
    shown = shown_policy(policies)
    seed = first_seed(policies[shown])
    latencies = module_latencies(seed)
    figure, (rates, modules) = plt.subplots(1, 2, figsize=(7.4, 3.0), gridspec_kw={"width_ratios": [2, 3]})
    mean, below, above = np.array([spread([100 * cell["drop_rate"] for cell in own]) for own in policies.values()]).T
    bars = rates.bar(range(len(policies)), mean, 0.6, yerr=[below, above] if (below + above).any() else None,
                     color=look.DROP_COLOUR, error_kw={"elinewidth": 0.8, "capsize": 2})
    for bar, value, up in zip(bars, mean, above):
        rates.annotate(f"{value:.1f}", (bar.get_x() + bar.get_width() / 2, value + up), xytext=(0, 2),
                       textcoords="offset points", ha="center", fontsize=7)
    crowded = len(policies) > 4
    rates.set_xticks(range(len(policies)), list(policies), rotation=30 if crowded else 0,
                     ha="right" if crowded else "center")
    rates.set(ylabel="drop rate (%)", ylim=(0, max(1, 1.15 * (mean + above).max())))
    rates.grid(False, axis="x")
    rates.set_title("(a)", loc="left")
    colours = style.module_colours(len(latencies))
    for module, (name, own) in enumerate(zip(seed.module_names(), latencies)):
        if len(own):
            modules.plot(np.maximum(own, SHORTEST_MS), 100 * np.arange(1, len(own) + 1) / len(own), color=colours[module],
                         linestyle=look.style.LINE_STYLES[module % 6], label=name, drawstyle="steps-post")
    modules.set_xscale("log")
    modules.set(xlabel="latency (ms)", ylabel="CDF of latency (%)", ylim=(0, 102))
    modules.xaxis.set_major_locator(LogLocator(subs=tick_steps(*modules.get_xlim())))
    modules.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    modules.minorticks_off()
    modules.set_title(f"(b) {shown}", loc="left")
    look.legend_of(figure, modules)
    caption = (f"PARD figure 15. (a) Drop rate by policy. (b) Latency of the visits done at each module, arrival to end, seed "
               f"{seed['seed']}; what took less than {SHORTEST_MS} ms is drawn there.{seeds_text(cells)}")
    return figure, caption, cells
