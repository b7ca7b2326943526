"""Figure 11a (section 7.2): goodput on two streams, with preemption and without, by SLO."""

import matplotlib.pyplot as plt

import look
from selection import Missing, absent_note, by_series, group, name_of, seeds_text, spread
from shepherd.series import NOT_PREEMPTIVE

SERIES = ("shepherd", NOT_PREEMPTIVE, "clockwork")


def draw(cells):
    slos = sorted({cell["slo_ms"] for cell in cells}, reverse=True)
    series = by_series(cells, SERIES)
    if not series:
        raise Missing("no cells of " + ", ".join(SERIES))
    figure, axes = plt.subplots(figsize=(4.6, 2.9))
    for rank, (name, own) in enumerate(series.items()):
        of_slo = group(own, lambda cell: cell["slo_ms"])
        places = [i for i, slo in enumerate(slos) if slo in of_slo]
        values = [spread([cell["goodput_rps"] for cell in of_slo[slos[i]]]) for i in places]
        look.bars_beside(axes, places, values, rank, len(series), color=look.line_of(name, 1)["color"], label=name_of(name))
    axes.set_xticks(range(len(slos)), [f"SLO {slo:g} ms" for slo in slos])
    axes.set(ylabel="goodput (requests/s)", ylim=(0, None))
    axes.grid(False, axis="x")
    look.legend_of(figure, axes)
    caption = (f"SHEPHERD figure 11a. Bursts to one model and single requests to another on one GPU.{seeds_text(cells)}"
               f"{absent_note(cells, SERIES)}")
    return figure, caption, cells
