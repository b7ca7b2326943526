"""Figure 7 (section 6.3): SLO violations by version of early dropping."""

import matplotlib.pyplot as plt
import numpy as np

import look
from intervals import seeds_text, spread
from loki import violations
from loki.series import DROPPING
from selection import absent_note, workload_name
import style

SERIES = tuple(DROPPING)
LOOKS = ({"color": look.DROP_COLOUR}, {"color": look.INVALID_COLOUR})


def draw(cells, styles):
    series = styles.cells(cells, SERIES)
    measures = violations.measures(cells)
    places = np.arange(len(series))
    figure, axes = plt.subplots(figsize=style.size(max(4.8, 1.2 * len(series)), 2.9))
    for rank, ((column, of), own_look) in enumerate(zip(measures, LOOKS)):
        spreads = [spread([100 * cell[column] for cell in own]) for own in series.values()]
        bars = look.bars_beside(axes, places, spreads, rank, len(measures), label=f"% of {of}", **own_look)
        look.label_bars(axes, bars, spreads, fontsize=7)
    styles.ticks(axes, places, series, [DROPPING.get(name) or styles.name(name) for name in series])
    axes.set(ylabel="SLO violations (%)", ylim=(0, 1.1 * max(1, axes.dataLim.ymax)))
    axes.set_title(workload_name(cells), loc="left")
    axes.grid(False, axis="x")
    look.legend_of(figure, axes)
    caption = (f"Loki figure 7. SLO violations of Loki by its version of early dropping.{violations.text(cells, len(measures) > 1)}"
               f"{seeds_text(*series.values())}{absent_note(cells, SERIES)}")
    return figure, caption, cells
