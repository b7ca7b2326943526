"""A figure on a page as wide as a paper's column: legend, axes and caption below each other, no text too small, too long or cut off.

LaTeX then includes it at its size. The styles are those of `harness figures --style`; without one, figures have the size that suits
them, and these functions are not used."""

import re
import textwrap
from dataclasses import dataclass

from matplotlib.gridspec import GridSpec
from matplotlib.text import Annotation, Text
from matplotlib.ticker import MaxNLocator, NullFormatter

GAP = 0.4  # between what stands below each other, of the height of small text
POINTS_PER_INCH = 72
MAX_NUMBERS = 4  # below an axis on which more run into each other
MIN_PANEL = 13.7  # width of a panel beside others, of the height of text
CAPTION_COLOUR = "#404040"


@dataclass(frozen=True)
class Style:
    """Sizes in print: of the page, in inches; of text, in points."""

    width: float
    height: float  # of a figure, relative to that without a style
    text: float
    least: float  # of ticks and legends; no text is smaller
    line: float

    @property
    def parameters(self):
        """matplotlib's."""
        sizes = {name: self.text for name in ("font.size", "axes.titlesize", "axes.labelsize")}
        return sizes | {name: self.least for name in ("xtick.labelsize", "ytick.labelsize", "legend.fontsize")} | {
            "lines.linewidth": self.line}

    @property
    def gap(self):
        """In inches."""
        return GAP * self.least / POINTS_PER_INCH

    @property
    def columns(self):
        """How many panels may stand beside each other."""
        return max(1, int(self.width * POINTS_PER_INCH / (MIN_PANEL * self.text)))


STYLES = {
    "acm-1col": Style(3.33, 0.72, 8, 7, 1.1),
    "acm-2col": Style(7.0, 0.8, 8, 7, 1.2),
    "usenix": Style(3.33, 0.72, 8, 7, 1.1),
    "slides": Style(10.0, 1.35, 17, 14, 2.4),
}


def extent(artist):
    """In pixels."""
    return artist.get_window_extent(artist.figure.canvas.get_renderer())


def filled(text, characters):
    """Lines of at most so many characters, unless a word is longer; settings part at '=' and '_' too."""
    wrapper = textwrap.TextWrapper(characters, break_long_words=False)
    wrapper.wordsep_re = re.compile(r"(\s+|(?<=[=_-])(?=\w))")
    return wrapper.fill(text)


def wrap(text, room, least, across=False):
    """Makes a text that takes more pixels as small as is allowed, then breaks its lines. A label that is turned takes its height
    (`across`)."""
    def length():
        return extent(text).height if across else extent(text).width

    if length() > room:
        text.set_fontsize(least)
    whole = " ".join(text.get_text().split())
    characters = len(whole)
    while characters > 4 and length() > room:
        characters = min(characters - 1, int(characters * max(0.5, room / length())) + 1)
        text.set_text(filled(whole, characters))


def enlarge(figure, least):
    for text in figure.findobj(Text):
        text.set_fontsize(max(text.get_fontsize(), least))


def lay_out(figure):
    figure.get_layout_engine().execute(figure)


def titles_of(axes):
    return [axes.title, axes._left_title, axes._right_title]


def wrap_labels(figure, least):
    """Titles and labels of axes that are longer than these."""
    for axes in figure.axes:
        box = axes.get_window_extent()
        for text in (*titles_of(axes), axes.xaxis.label):
            wrap(text, box.width, least)
        wrap(axes.yaxis.label, box.height, least, across=True)
    for text in (figure._supxlabel, figure._suptitle):
        if text is not None:
            wrap(text, figure.bbox.width, least)
    if figure._supylabel is not None:
        wrap(figure._supylabel, figure.bbox.height, least, across=True)


def overlap(texts):
    boxes = [extent(text).padded(0.1 * text.get_fontsize()) for text in texts if text.get_visible() and text.get_text()]
    return any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[:k])


def part_ticks(axes):
    """Turns the names below an axis that run into each other, and leaves numbers out."""
    if not overlap(axes.get_xticklabels(which="both")):
        return
    axes.xaxis.set_minor_formatter(NullFormatter())
    locator = axes.xaxis.get_major_locator()
    if not overlap(axes.get_xticklabels()):
        return
    if isinstance(locator, MaxNLocator):
        locator.set_params(nbins=MAX_NUMBERS)
        return
    axes.tick_params(axis="x", labelrotation=90)
    for label in axes.get_xticklabels():
        label.set_ha("center")


def part_annotations(axes):
    """Leaves figures at bars out where they run into each other: the axis tells."""
    notes = [text for text in axes.texts if isinstance(text, Annotation)]
    if overlap(notes):
        for note in notes:
            note.set_visible(False)


def fit_legend(figure, handles, labels, style):
    """A legend in as many columns as the page is wide."""
    room = figure.bbox.width - 2 * style.gap * figure.dpi
    for columns in range(len(labels), 0, -1):
        by_column = [i for column in range(columns) for i in range(column, len(labels), columns)]
        legend = figure.legend([handles[i] for i in by_column], [labels[i] for i in by_column], ncol=columns, loc="lower center",
                               borderpad=0, borderaxespad=0, handlelength=2.2, columnspacing=1.2, labelspacing=0.35)
        if extent(legend).width <= room:
            return
        if columns > 1:
            legend.remove()
    for text in legend.get_texts():
        wrap(text, room - (extent(legend).width - extent(text).width), style.least)


def stack(figure, columns):
    """Panels in a row that are more than have room go below each other; the figure grows with them."""
    grids = {axes.get_gridspec() for axes in figure.axes if axes.get_subplotspec() is not None}
    grid = next(iter(grids))
    if len(grids) > 1 or grid.nrows > 1 or grid.ncols <= columns:
        return
    rows = -(-grid.ncols // columns)
    figure.set_figheight(rows * figure.get_figheight())
    places = GridSpec(rows, columns, figure)
    for place, axes in enumerate(figure.axes):
        axes.set_subplotspec(places[place // columns, place % columns])
        axes.tick_params(labelbottom=True, labelleft=True)


def height_of(artists, gap):
    """In inches, with a gap each."""
    return sum(extent(artist).height / artist.figure.dpi + gap for artist in artists)


def arrange(figure, caption, style):
    """The page of the figure with these words below it, none where they are empty."""
    enlarge(figure, style.least)
    stack(figure, style.columns)
    texts = []
    if caption:
        texts = [figure.text(0.01, 0, caption, ha="left", va="bottom", fontsize=style.least, color=CAPTION_COLOUR, linespacing=1.25)]
        wrap(texts[0], 0.98 * figure.bbox.width, style.least)
    middle = figure.get_figheight()
    below, above = height_of(texts, style.gap), height_of(figure.legends, style.gap)
    height = below + middle + above
    figure.set_size_inches(style.width, height)
    for text in texts:
        text.set_y(style.gap / 2 / height)
    for legend in figure.legends:
        legend.set_bbox_to_anchor((0.5, (below + middle) / height), transform=figure.transFigure)
        legend.set_in_layout(False)
    figure.get_layout_engine().set(rect=(0, below / height, 1, middle / height))
    for mend in (part_ticks, part_annotations):
        lay_out(figure)
        wrap_labels(figure, style.least)
        for axes in figure.axes:
            mend(axes)
    lay_out(figure)
