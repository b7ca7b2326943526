"""Figure 7 (section 6.3): SLO violations by version of early dropping."""

import matplotlib.pyplot as plt
import numpy as np

import look
from loki import violations
from loki.series import DROPPING
from selection import absent_note, by_series, seeds_text, spread, workload_name

SERIES = tuple(DROPPING)
LOOKS = ({"color": look.DROP_COLOUR}, {"color": look.INVALID_COLOUR})


def label_bars(axes, places, spreads):
    for place, (mean, _, above) in zip(places, spreads):
        axes.annotate(f"{mean:.1f}", (place, mean + above), xytext=(0, 2), textcoords="offset points", ha="center", fontsize=7)


def draw(cells):
    series = by_series(cells, SERIES)
    measures = violations.measures(cells)
    places = np.arange(len(series))
    figure, axes = plt.subplots(figsize=(4.8, 2.9))
    for rank, ((column, of), own_look) in enumerate(zip(measures, LOOKS)):
        spreads = [spread([100 * cell[column] for cell in own]) for own in series.values()]
        look.bars_beside(axes, places, spreads, rank, len(measures), label=f"% of {of}", **own_look)
        label_bars(axes, places + (rank - (len(measures) - 1) / 2) * 0.84 / len(measures), spreads)
    axes.set_xticks(places, [DROPPING[name] for name in series])
    axes.set(ylabel="SLO violations (%)", ylim=(0, 1.1 * max(1, axes.dataLim.ymax)))
    axes.set_title(workload_name(cells), loc="left")
    axes.grid(False, axis="x")
    look.legend_of(figure, axes)
    caption = (f"Loki figure 7. SLO violations of Loki by its version of early dropping.{violations.text(cells, len(measures) > 1)}"
               f"{seeds_text(cells)}{absent_note(cells, SERIES)}")
    return figure, caption, cells
