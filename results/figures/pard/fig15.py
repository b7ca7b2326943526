"""Figure 15 (section 7): retrieval-augmented generation."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator

import look
from intervals import seeds_text, spread
from pard.published import STILL_DROPPED
from harness_results.file import NS_PER_MS, OUTCOME_DONE
from selection import first_seed, group, name_of, rows_of, series_of
import style

POLICY = "rag.policy"
SHORTEST_MS = 1
MAX_LEVEL_LABELS = 4
MAX_SPAN_OF_FINE_TICKS = 300


def policies_of(cells):
    """(series, policy) -> its cells. The policy is the one that the experiment sets or sweeps, or the variant's own name: proactive,
    reactive, predict."""
    return group(cells, lambda cell: (series_of(cell), policy_of(cell)))


def policy_of(cell):
    series = series_of(cell)
    return cell.parameters.get(POLICY) or series.partition("/")[2] or name_of(series)


def labels_of(policies):
    """The policies, with the systems' names where there are several."""
    systems = {series.partition("/")[0] for series, _ in policies}
    return [policy if len(systems) == 1 or policy == name_of(series) else f"{name_of(series.partition('/')[0])}, {policy}"
            for series, policy in policies]


def module_latencies(cell):
    """Latencies in ms of the visits done at each module: arrival to end."""
    visits = rows_of(cell, "visits")
    done = visits[visits["outcome"] == OUTCOME_DONE]
    latency = sum(done[name].astype(float) for name in ("queueing_ns", "wait_ns", "exec_ns")) / NS_PER_MS
    return [np.sort(latency[done["module"] == module]) for module in range(len(cell.table("modules")))]


def shown_policy(policies):
    """The proactive one, or PARD itself, or the first."""
    return next((key for name in ("proactive", name_of("pard")) for key in policies if key[1] == name), next(iter(policies)))


def published_of(policies):
    """{place of a policy: its drop rate in percent by the paper's text}."""
    return {place: STILL_DROPPED[policy] for place, (_, policy) in enumerate(policies) if policy in STILL_DROPPED}


def tick_steps(low, high):
    """Labels per decade of a logarithmic axis: as many as have room."""
    return (1, 2, 5) if high < MAX_SPAN_OF_FINE_TICKS * low else (1,)


def draw(cells, styles):
    policies = policies_of(cells)
    shown = shown_policy(policies)
    seed = first_seed(policies[shown])
    latencies = module_latencies(seed)
    figure, (rates, modules) = plt.subplots(1, 2, figsize=style.size(7.4, 3.0), gridspec_kw={"width_ratios": [2, 3]})
    spreads = [spread([100 * cell["drop_rate"] for cell in own]) for own in policies.values()]
    bars = look.bars_beside(rates, np.arange(len(policies)), spreads, 0, 1, color=look.DROP_COLOUR)
    look.label_bars(rates, bars, spreads, fontsize=7)
    styles.ticks(rates, range(len(policies)), [series for series, _ in policies], labels_of(policies),
               **look.crowded(len(policies), MAX_LEVEL_LABELS))
    published = published_of(policies)
    if published:
        look.published_points(rates, list(published), list(published.values()))
    rates.set(ylabel="drop rate (%)", ylim=(0, max(1, 1.15 * max(look.tops_of(spreads).max(), *published.values(), 0))))
    rates.grid(False, axis="x")
    rates.set_title("(a)", loc="left")
    colours = style.module_colours(len(latencies))
    for module, (name, own) in enumerate(zip(seed.module_names(), latencies)):
        if len(own):
            modules.plot(np.maximum(own, SHORTEST_MS), 100 * np.arange(1, len(own) + 1) / len(own), color=colours[module],
                         linestyle=style.LINE_STYLES[module % 6], label=name, drawstyle="steps-post")
    modules.set_xscale("log")
    modules.set(xlabel="latency (ms)", ylabel="CDF of latency (%)", ylim=(0, 102))
    modules.xaxis.set_major_locator(LogLocator(subs=tick_steps(*modules.get_xlim())))
    modules.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    modules.minorticks_off()
    modules.set_title(f"(b) {labels_of([shown])[0]}", loc="left")
    look.legend_of(figure, modules, rates)
    note = "; crosses: section 7" if published else ""
    caption = (f"PARD figure 15. (a) Drop rate by policy{note}. (b) Latency of the visits done at each module, arrival to end, seed "
               f"{seed['seed']}; what took less than {SHORTEST_MS} ms is drawn there.{seeds_text(*policies.values())}")
    return figure, caption, cells
