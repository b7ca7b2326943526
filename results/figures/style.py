"""The look of all figures: sizes, one colour per system, captions, saving."""

import colorsys
import textwrap
import zlib
from dataclasses import dataclass

import matplotlib

matplotlib.use("Agg")
import matplotlib.colors  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import page  # noqa: E402
from selection import label_of  # noqa: E402

WIDTH = 6.6
CAPTION_CHARACTERS = 116
LEGEND_CHARACTERS = 104
PNG_DPI = 200
TEXT = 8.5

# Distinguishable for the colour-blind (Okabe and Ito); every figure of every file uses them.
SYSTEM_COLOURS = {
    "naive": "#767676",
    "clipperpp": "#e69f00",
    "nexus": "#0072b2",
    "pard": "#d55e00",
    "shepherd": "#009e73",
    "clockwork": "#5f4690",
    "loki": "#cc79a7",
    "hwscaling": "#56b4e9",
    "proteus": "#7a5c00",
    "quart": "#8c564b",
    "inferline": "#306cf0",
}
# Of variants that stand for another approach than their system's; others have shades of its colour.
VARIANT_COLOURS = {("inferline", name): "#d01818" for name in ("cg-peak", "coarse", "baseline-plan")}
VARIANT_COLOURS |= {("inferline", name): "#eda0a0" for name in ("cg-mean", "coarse-mean")}
VARIANT_COLOURS |= {("inferline", "oracle"): "#303030", ("inferline", "plan"): "#7fa3f5", ("quart", "uniform"): "#e8a33d"}
# Those of systems without one: unlike these, or a new system would pass for a known one.
OTHER_COLOURS = [
    "#332288", "#0000ff", "#73af48", "#94346e", "#cc77ff", "#38a6a5",
    "#ff00ff", "#ff0077", "#00cc00", "#114400", "#cc503e", "#404060",
]
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
        self._colours = {}
        self._styles = {}
        self.shown = set()  # systems that something was drawn of
        systems = system_colours({key.system for key in series})
        for system, colour in systems.items():
            own = sorted((key for key in series if key.system == system),
                         key=lambda key: (key.variant != "default", key.swept_names, key.swept_values, key.label))
            sweep = len({key.swept_names for key in own}) == 1 and len({key.swept_values for key in own}) > 1
            for rank, key in enumerate(own):
                self._colours[key] = graded(colour, rank, len(own)) if sweep else shade(colour, rank, len(own))
                self._colours[key] = VARIANT_COLOURS.get((key.system, key.variant), self._colours[key])
                self._styles[key] = LINE_STYLES[rank % len(LINE_STYLES)]

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


def system_colours(systems):
    """Known systems have their colour; others take one by their name, the next free one if two names collide."""
    colours = {name: SYSTEM_COLOURS[name] for name in systems if name in SYSTEM_COLOURS}
    taken = set()
    for name in sorted(systems - set(SYSTEM_COLOURS)):
        wanted = zlib.crc32(name.encode()) % len(OTHER_COLOURS)
        order = [(wanted + i) % len(OTHER_COLOURS) for i in range(len(OTHER_COLOURS))]
        index = next((i for i in order if i not in taken), wanted)
        taken.add(index)
        colours[name] = OTHER_COLOURS[index]
    return colours


def shade(colour, rank, count):
    """The system's colour for the first of its variants, then alternately darker and lighter ones."""
    if rank == 0:
        return colour
    hue, lightness, saturation = colorsys.rgb_to_hls(*matplotlib.colors.to_rgb(colour))
    step = ((rank + 1) // 2) / (count // 2 + 1)
    target = 0.12 if rank % 2 else 0.85
    return colorsys.hls_to_rgb(hue, lightness + (target - lightness) * step, saturation)


def graded(colour, rank, count):
    """The system's colour from light to dark, by the rank in a sweep."""
    hue, _, saturation = colorsys.rgb_to_hls(*matplotlib.colors.to_rgb(colour))
    return colorsys.hls_to_rgb(hue, 0.8 - 0.65 * rank / (count - 1), saturation)


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


def save(figure, folder, stem, caption):
    """Writes STEM.pdf and STEM.png with the caption below the axes, or in STEM.txt beside them; returns their paths. The PDF's metadata
    has the caption in any case."""
    caption += OPTIONS.note
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
