"""What the papers' figures share in their look."""

import numpy as np

from selection import name_of
import style

MARKERS = {"pard": "o", "shepherd": "o", "loki": "o", "nexus": "s", "proteus": "s", "clockwork": "^", "clipperpp": "^", "inferline": "^",
           "naive": "D"}
DROP_COLOUR = "#0072b2"
INVALID_COLOUR = "#e69f00"
LINE_STYLES = {"pard": "-", "shepherd": "-", "loki": "-", "nexus": (0, (5, 1.5)), "proteus": (0, (5, 1.5)), "clockwork": (0, (1.2, 1.2)),
               "clipperpp": (0, (1.2, 1.2)), "inferline": (0, (1.2, 1.2)), "naive": (0, (5, 1.2, 1, 1.2))}
OTHER = ("#009e73", "#cc79a7", "#56b4e9", "#5f4690", "#c9a800", "#8c564b")


def line_of(series, rank=0):
    """Colour, line and label of a series: a system has its own everywhere, a variant takes those of its rank."""
    if series in LINE_STYLES:
        return {"color": style.SYSTEM_COLOURS[series], "linestyle": LINE_STYLES[series], "label": name_of(series)}
    return {"color": OTHER[rank % len(OTHER)], "linestyle": style.LINE_STYLES[(rank + 1) % len(style.LINE_STYLES)],
            "label": name_of(series)}


def whiskers_of(below, above):
    """From the least to the greatest of the seeds; None where all are equal."""
    return np.array([below, above]) if (below + above).any() else None


def marked_line(axes, points, look, marker="o"):
    """A line with marks and whiskers; `points`: places, the means there, how far below and above them the seeds reach."""
    places, mean, below, above = points
    axes.errorbar(places, mean, yerr=whiskers_of(below, above), marker=marker, markersize=3.5, capsize=1.8, elinewidth=0.8, **look)


def bars_beside(axes, places, spreads, rank, count, **look):
    """The bars of series `rank` of `count`, which stand beside each other at the places; `spreads`: spread() at each."""
    mean, below, above = np.array(spreads).T
    width = 0.84 / count
    axes.bar(np.array(places) + (rank - (count - 1) / 2) * width, mean, 0.9 * width, yerr=whiskers_of(below, above),
             error_kw={"elinewidth": 0.7, "capsize": 1.2}, **look)


def stacked_bars(axes, shares, labels, names):
    """One bar per row of `shares` [bar, module], parts in the order of the modules."""
    bottom = np.zeros(len(shares))
    for module, own in enumerate(style.module_looks(shares.shape[1])):
        axes.bar(np.arange(len(shares)), shares[:, module], 0.74, bottom=bottom, label=names[module], **own)
        bottom += np.nan_to_num(shares[:, module])
    axes.set_xticks(np.arange(len(shares)), labels)
    axes.set(ylim=(0, 100), xlim=(-0.6, len(shares) - 0.4))
    axes.grid(False, axis="x")


def legend_of(figure, *panels, **options):
    """One legend for several axes, each label once."""
    found = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            found.setdefault(label, handle)
    style.legend(figure, list(found.values()), list(found), **options)
