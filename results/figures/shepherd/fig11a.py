"""Figure 11a (section 7.2): goodput on two streams, with preemption and without, by SLO."""

import matplotlib.pyplot as plt

import look
from intervals import seeds_text, spread
from selection import absent_note, group, pair_of
import style
from shepherd.series import LITERAL, NOT_PREEMPTIVE

PAPERS = ("shepherd", NOT_PREEMPTIVE, "clockwork")
SERIES = ("shepherd", LITERAL, *PAPERS[1:])


def draw(cells, styles):
    workloads = list(group(cells, pair_of))
    columns = [(pair, slo) for pair in workloads for slo in sorted({cell["slo_ms"] for cell in cells}, reverse=True)]
    series = styles.cells(cells, SERIES)
    figure, axes = plt.subplots(figsize=style.size(max(4.6, 1.1 * len(columns)), 2.9))
    for rank, (name, own) in enumerate(series.items()):
        by_column = group(own, lambda cell: (pair_of(cell), cell["slo_ms"]))
        places = [i for i, column in enumerate(columns) if column in by_column]
        values = [spread([cell["goodput_rps"] for cell in by_column[columns[i]]]) for i in places]
        look.bars_beside(axes, places, values, rank, len(series), color=styles.colour(name), label=styles.name(name))
    labels = [f"SLO {slo:g} ms" + ("\n" + "\n".join(pair) if len(workloads) > 1 else "") for pair, slo in columns]
    axes.set_xticks(range(len(columns)), labels)
    axes.set(ylabel="goodput (requests/s)", ylim=(0, None))
    axes.grid(False, axis="x")
    look.legend_of(figure, axes)
    caption = (f"SHEPHERD figure 11a. Bursts to one model and single requests to another on one GPU.{seeds_text(*series.values())}"
               f"{absent_note(cells, PAPERS)}")
    return figure, caption, cells
