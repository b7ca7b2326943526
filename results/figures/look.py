"""What the papers' figures share in their look."""

import numpy as np

from intervals import half_width
import style

MARKERS = {"pard": "o", "shepherd": "o", "loki": "o", "inferline": "o", "nexus": "s", "proteus": "s", "clockwork": "^", "clipperpp": "^", "hwscaling": "^",
           "naive": "D"}
BAND_ALPHA = 0.18
OTHER_MARKERS = "vP*X<>hdp8H"
DROP_COLOUR = "#0072b2"
INVALID_COLOUR = "#e69f00"
LINE_STYLES = {"pard": "-", "shepherd": "-", "loki": "-", "inferline": "-", "nexus": (0, (5, 1.5)), "proteus": (0, (5, 1.5)), "clockwork": (0, (1.2, 1.2)),
               "clipperpp": (0, (1.2, 1.2)), "hwscaling": (0, (1.2, 1.2)), "naive": (0, (5, 1.2, 1, 1.2))}
OTHER = ("#009e73", "#cc79a7", "#56b4e9", "#5f4690", "#c9a800", "#8c564b")


def of_others(system, systems, looks, own):
    """The one of `looks` of a system that has none of its own: by its place among these of the file."""
    return looks[[name for name in systems if name not in own].index(system) % len(looks)]


def marker_of(system, systems):
    return MARKERS.get(system) or of_others(system, systems, OTHER_MARKERS, MARKERS)


def dashes_of(system, systems):
    return LINE_STYLES.get(system) or of_others(system, systems, style.LINE_STYLES, LINE_STYLES)


def whiskers_of(half):
    """The intervals; None where there are none."""
    half = np.asarray(half, dtype=float)
    return np.nan_to_num(half) if np.nan_to_num(half).any() else None


def marked_line(axes, points, look, marker="o", is_open=None):
    """A line with marks and whiskers; `points`: places, the means there, half of the widths of their intervals. `is_open` says of
    each whether its mark is white inside."""
    places, mean, half = points
    axes.errorbar(places, mean, yerr=whiskers_of(half), marker=marker, markersize=style.points(3.5), capsize=style.points(1.8), elinewidth=style.points(0.8),
                  **look)
    if np.any(is_open):
        axes.plot(np.asarray(places)[is_open], np.asarray(mean)[is_open], linestyle="none", marker=marker, markersize=style.points(3.5),
                  color=look["color"], markerfacecolor="white", label="_open", zorder=3)


def band_line(axes, points, look, least=-np.inf):
    """A line in a band: as marked_line() where the places are many. The band ends at `least`."""
    places, mean, half = points
    axes.plot(places, mean, **look)
    half = np.nan_to_num(np.asarray(half, dtype=float))
    if half.any():
        axes.fill_between(places, np.maximum(mean - half, least), mean + half, color=look["color"], linewidth=0, alpha=BAND_ALPHA)


def bars_beside(axes, places, spreads, rank, count, **look):
    """The bars of series `rank` of `count`, which stand beside each other at the places; `spreads`: spread() at each."""
    mean, half = np.array(spreads).T
    width = 0.84 / count
    return axes.bar(np.array(places) + (rank - (count - 1) / 2) * width, mean, 0.9 * width, yerr=whiskers_of(half),
                    error_kw={"elinewidth": style.points(0.7), "capsize": style.points(1.2)}, **look)


def plain_line(axes, points, look):
    """As marked_line() without marks: of what is no system."""
    places, mean, half = points
    axes.plot(places, mean, **look)
    if (whiskers := whiskers_of(half)) is not None:
        axes.errorbar(places, mean, yerr=whiskers, fmt="none", ecolor=look["color"], elinewidth=0.8, capsize=1.8, label="_whiskers")


def reference_line(axes, points, label):
    """What curves are seen against: dotted, black."""
    plain_line(axes, points, {"color": "black", "linestyle": ":", "linewidth": style.points(1.2), "label": label})


PUBLISHED = "paper"  # label of what a paper's text gives
PUBLISHED_COLOUR = "#555555"


def published_points(axes, places, values):
    """Figures that the paper's text gives, as crosses; in the units of the axes. Called after set_xscale() and set_yscale()."""
    axes.plot(places, values, linestyle="none", marker="x", markersize=style.points(5), markeredgewidth=style.points(1.2), color=PUBLISHED_COLOUR,
              label=PUBLISHED, zorder=4, clip_on=False)


def published_range(axes, low, high, axis="y"):
    """A range that the paper's text gives, as a shaded band along the other axis; low = high is a line. In the units of `axis`."""
    if low == high:
        (axes.axhline if axis == "y" else axes.axvline)(low, color=PUBLISHED_COLOUR, linewidth=style.points(1), linestyle="-.", label=PUBLISHED)
    else:
        (axes.axhspan if axis == "y" else axes.axvspan)(low, high, color=PUBLISHED_COLOUR, alpha=0.1, linewidth=0, label=PUBLISHED)


def label_bars(axes, bars, spreads, **font):
    """The means in figures, above the whiskers."""
    for bar, (mean, _), top in zip(bars, spreads, tops_of(spreads)):
        axes.annotate(f"{mean:.1f}", (bar.get_x() + bar.get_width() / 2, top), xytext=(0, 1.5), textcoords="offset points", ha="center",
                      **font)


def crowded(count, most_level):
    """How that many labels below an axis are turned."""
    return {"rotation": 30, "ha": "right"} if count > most_level else {}


def tops_of(spreads):
    """The upper ends of the intervals."""
    mean, half = np.array(spreads).T
    return mean + np.nan_to_num(half)


def stacked_bars(axes, parts, labels, names):
    """One bar for each of `parts`, the shares [seed, module] of a series or None, in the order of the modules; whiskers: of the
    shares up to a module."""
    means = np.array([np.full(len(names), np.nan) if own is None else own.mean(axis=0) for own in parts])
    halves = np.array([np.full(len(names), np.nan) if own is None else half_width(own.cumsum(axis=1)) for own in parts])
    bottom = np.zeros(len(parts))
    for module, own in enumerate(style.module_looks(len(names))):
        axes.bar(np.arange(len(parts)), means[:, module], 0.74, bottom=bottom, label=names[module], yerr=whiskers_of(halves[:, module]),
                 error_kw={"elinewidth": 0.6, "capsize": 1}, **own)
        bottom += np.nan_to_num(means[:, module])
    axes.set_xticks(np.arange(len(parts)), labels)
    axes.set(ylim=(0, 100), xlim=(-0.6, len(parts) - 0.4))
    axes.grid(False, axis="x")


def legend_of(figure, *panels, **options):
    """One legend for several axes, each label once."""
    found = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            found.setdefault(label, handle)
    style.legend(figure, list(found.values()), list(found), **options)
