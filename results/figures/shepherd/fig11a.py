"""Figure 11a (section 7.2): goodput on two streams, with preemption and without, by SLO."""

import matplotlib.pyplot as plt

import look
from intervals import seeds_text, spread
from selection import absent_note, group, pair_of
import style
from shepherd import published
from shepherd.series import LITERAL, NOT_PREEMPTIVE

REFERENCE = "shepherd"
PAPERS = (REFERENCE, NOT_PREEMPTIVE, "clockwork")
SERIES = (REFERENCE, LITERAL, *PAPERS[1:])


def mark_factors(axes, columns, bars):
    """Crosses over the bars of the series that the paper gives a factor for, where they would end with it; `bars`: {series: {column: bar}}."""
    for column in columns:
        own = {name: one[column] for name, one in bars.items() if column in one}
        factors = {name: factor for name, factor in published.STREAM_FACTORS.get(column[1], {}).items() if name in own and REFERENCE in own}
        if factors:
            look.published_points(axes, [own[name].get_x() + own[name].get_width() / 2 for name in factors],
                                  [own[REFERENCE].get_height() / factor for factor in factors.values()])


def draw(cells, styles):
    workloads = list(group(cells, pair_of))
    columns = [(pair, slo) for pair in workloads for slo in sorted({cell["slo_ms"] for cell in cells}, reverse=True)]
    series = styles.cells(cells, SERIES)
    figure, axes = plt.subplots(figsize=style.size(max(4.6, 1.1 * len(columns)), 2.9))
    bars = {}
    for rank, (name, own) in enumerate(series.items()):
        by_column = group(own, lambda cell: (pair_of(cell), cell["slo_ms"]))
        places = [i for i, column in enumerate(columns) if column in by_column]
        values = [spread([cell["goodput_rps"] for cell in by_column[columns[i]]]) for i in places]
        drawn = look.bars_beside(axes, places, values, rank, len(series), color=styles.colour(name), label=styles.name(name))
        bars[name] = {columns[i]: bar for i, bar in zip(places, drawn)}
    mark_factors(axes, columns, bars)
    labels = [f"SLO {slo:g} ms" + ("\n" + "\n".join(pair) if len(workloads) > 1 else "") for pair, slo in columns]
    axes.set_xticks(range(len(columns)), labels)
    axes.set(ylabel="goodput (requests/s)", ylim=(0, None))
    axes.grid(False, axis="x")
    look.legend_of(figure, axes)
    note = published.note([axes], " Crosses: SHEPHERD's goodput here divided by the paper's factors over Clockwork (3.7x, 250 ms) and over Clockwork "
                                  "and SHEPHERD-NP (6.2x, 90 ms; section 7.2).")
    caption = (f"SHEPHERD figure 11a. Bursts to one model and single requests to another on one GPU.{note}{seeds_text(*series.values())}"
               f"{absent_note(cells, PAPERS)}")
    return figure, caption, cells
