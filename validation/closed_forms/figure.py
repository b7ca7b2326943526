"""One picture of all closed forms: theory as lines, ours as points, a panel for each kind of queue."""

from dataclasses import dataclass

import style

MARKERS = "os^"


@dataclass
class Panel:
    title: str
    comparisons: list
    labels: list
    log: bool = True


def load_of(figure):
    return float(figure.what.split()[-1])


def draw(panels, path):
    figure, axes = style.plt.subplots(2, 3, figsize=style.size(9.5, 5.4))
    for axis, panel in zip(axes.flat, panels):
        for comparison, label, colour, marker in zip(panel.comparisons, panel.labels, style.MODULE_COLOURS, MARKERS):
            loads = [load_of(one) for one in comparison.figures]
            axis.plot(loads, [one.theirs for one in comparison.figures], color=colour, label=label)
            axis.plot(loads, [one.ours for one in comparison.figures], marker, color=colour, markersize=style.points(3.5))
        axis.set_title(panel.title)
        axis.set_xlabel("load")
        axis.set_yscale("log" if panel.log else "linear")
        axis.legend()
    for axis in axes.flat[len(panels):]:
        axis.axis("off")
    figure.savefig(path, dpi=style.PNG_DPI, metadata={"Software": None})
    style.plt.close(figure)
