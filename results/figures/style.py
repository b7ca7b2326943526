"""The look of all figures: sizes, one colour per system, captions, saving."""

import textwrap
from dataclasses import dataclass

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.collections import PolyCollection  # noqa: E402
from matplotlib.container import ErrorbarContainer  # noqa: E402

from colours import OTHER_COLOURS, SYSTEM_COLOURS, VARIANT_COLOURS, graded, series_colours, shade, system_colours  # noqa: E402, F401
import page  # noqa: E402
from selection import label_of  # noqa: E402

WIDTH = 6.6
CAPTION_CHARACTERS = 116
LEGEND_CHARACTERS = 104
PNG_DPI = 200
TEXT = 8.5

LINE_STYLES = ["-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.2, 1, 1.2)), (0, (8, 2, 2, 2)), (0, (3, 3))]
OFFERED = "#b8b8b8"
# Of a pipeline's modules a ramp shows their order; of more than this, most often independent models, neighbours on it look alike.
MAX_ON_RAMP = 6
MODULE_COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442"]
MODULE_HATCHES = ["", "////", "....", "xxxx", "----", "oooo"]

plt.rcParams.update({
    "font.family": "DejaVu Sans",
    "font.size": TEXT,
    "axes.titlesize": 9,
    "axes.labelsize": TEXT,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.3,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,
    "figure.max_open_warning": 0,  # the figures of a name are saved once all of them are drawn
})


@dataclass
class Options:
    """What the user wants of all figures."""

    sizes: page.Style | None = None  # of a page as wide as a column
    captions: bool = True  # in the figures; otherwise beside them
    note: str = ""  # for the end of captions


OPTIONS = Options()


def use(options, font=None):
    """Must come before the first figure. The font is one that matplotlib knows."""
    OPTIONS.__dict__.update(options.__dict__)
    if font is not None:
        plt.rcParams["font.family"] = [font, "DejaVu Sans"]
    if options.sizes is not None:
        plt.rcParams.update(options.sizes.parameters)


def size(width, height):
    """The size of a figure that has this one without a style."""
    own = OPTIONS.sizes
    return (width, height) if own is None else (own.width, own.height * height)


def points(length):
    """The size of a mark that has this one without a style."""
    own = OPTIONS.sizes
    return length if own is None else length * own.text / TEXT


def columns_of(count, most, widths=1):
    """How many panels stand beside each other, each as wide as so many simple ones."""
    return min(most, count, most if OPTIONS.sizes is None else max(1, OPTIONS.sizes.columns // widths))


class Palette:
    """Colours and line styles of the series of one file."""

    def __init__(self, series):
        self._colours, ranks = series_colours(series)
        self._styles = {key: LINE_STYLES[rank % len(LINE_STYLES)] for key, rank in ranks.items()}
        self.shown = set()  # systems that something was drawn of

    def colour(self, key):
        self.shown.add(key.system)
        return self._colours[key]

    def dashes(self, key):
        return self._styles[key]

    def label(self, key):
        self.shown.add(key.system)
        return label_of(key)

    def line(self, key):
        return {"color": self.colour(key), "linestyle": self._styles[key], "label": label_of(key)}


def module_colours(count):
    """One for each of a pipeline's modules; of more than seven they repeat."""
    if count <= MAX_ON_RAMP:
        return list(plt.get_cmap("viridis")(np.linspace(0.08, 0.92, count)))
    return [MODULE_COLOURS[k % len(MODULE_COLOURS)] for k in range(count)]


def module_looks(count):
    """Colour and hatch of the bars of each of a pipeline's modules, no two alike up to 42."""
    return [{"facecolor": colour, "edgecolor": "black", "linewidth": 0,
             "hatch": MODULE_HATCHES[k // len(MODULE_COLOURS) % len(MODULE_HATCHES)]}
            for k, colour in enumerate(module_colours(count))]


def legend(figure, handles, labels, **options):
    """Above the axes, row by row, in as many columns as fit."""
    if OPTIONS.sizes is not None:
        page.fit_legend(figure, handles, labels, OPTIONS.sizes)
        return
    count = len(labels)
    fitting = LEGEND_CHARACTERS * figure.get_figwidth() / WIDTH
    columns = next((n for n in range(count, 1, -1) if legend_characters(labels, n) <= fitting), 1)
    by_column = [i for column in range(columns) for i in range(column, count, columns)]
    figure.legend([handles[i] for i in by_column], [labels[i] for i in by_column], loc="lower center",
                  bbox_to_anchor=(0.5, 1.0), ncol=columns, **{"handlelength": 2.6, "columnspacing": 1.4, **options})


def legend_characters(labels, columns):
    """Width of a legend in average characters; a line sample and the gap take as much as nine."""
    widest = [max(len(label) for label in labels[column::columns]) for column in range(columns)]
    return sum(widest) + 9 * columns


def arrange(figure, caption):
    """Puts the caption below the axes; for a style, all on its page. Returns the options of savefig()."""
    if OPTIONS.sizes is not None:
        page.arrange(figure, caption, OPTIONS.sizes)
        return {}
    text = "\n".join(textwrap.wrap(caption, round(CAPTION_CHARACTERS * figure.get_figwidth() / WIDTH)))
    figure.text(0.01, -0.015, text, ha="left", va="top", fontsize=7, color="#404040", linespacing=1.35)
    return {"bbox_inches": "tight", "pad_inches": 0.06}


def cut_intervals(figure):
    """Ends intervals where the values end: at 0, of shares (axes in percent) also at 100."""
    for axes in figure.axes:
        most = [100 if "%" in label_beside(axes, get) else np.inf for get in ("get_xlabel", "get_ylabel")]
        for bars in axes.containers:
            if not isinstance(bars, ErrorbarContainer):
                continue
            at = 1 if bars.has_yerr else 0
            for collection in bars.lines[2]:
                collection.set_segments([cut(segment, at, most[at]) for segment in collection.get_segments()])
            for line in bars.lines[1]:
                line.set_data(cut(line.get_xydata(), at, most[at]).T)
        for band in axes.collections:
            if isinstance(band, PolyCollection):
                for path in band.get_paths():
                    path.vertices = cut(path.vertices, 1, most[1])


def label_beside(axes, get):
    """Returns the label of the axis, or of the panel that it is shared with."""
    shared = axes.get_shared_x_axes() if get == "get_xlabel" else axes.get_shared_y_axes()
    return next((getattr(other, get)() for other in (axes, *shared.get_siblings(axes)) if getattr(other, get)()), "")


def cut(points, at, most):
    """Returns the points with their coordinate `at` clipped to [0, most]."""
    points = np.array(points)
    points[:, at] = np.clip(points[:, at], 0, most)
    return points


def save(figure, folder, stem, caption):
    """Writes STEM.pdf and STEM.png with the caption below the axes, or in STEM.txt beside them; returns their paths. The PDF's metadata
    has the caption in any case."""
    caption += OPTIONS.note
    cut_intervals(figure)
    options = arrange(figure, caption if OPTIONS.captions else "")
    paths = []
    for ending, metadata in ((".pdf", {"CreationDate": None, "Title": stem, "Subject": caption}), (".png", {"Software": None})):
        path = folder / (stem + ending)
        figure.savefig(path, dpi=PNG_DPI, metadata=metadata, **options)
        paths.append(path)
    plt.close(figure)
    if not OPTIONS.captions:
        paths.append(folder / (stem + ".txt"))
        paths[-1].write_text(textwrap.fill(caption, 100) + "\n", encoding="utf-8")
    return paths
