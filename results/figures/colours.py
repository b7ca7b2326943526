"""One colour for each system and series of a file, in figures and reports alike. Without matplotlib."""

import colorsys
import zlib

# Distinguishable for the colour-blind (Okabe and Ito); every figure of every file uses them.
SYSTEM_COLOURS = {
    "naive": "#767676",
    "clipperpp": "#e69f00",
    "nexus": "#0072b2",
    "pard": "#d55e00",
    "shepherd": "#009e73",
    "clockwork": "#5f4690",
    "symphony": "#d808a8",
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


def series_colours(series):
    """({SeriesKey: colour}, {SeriesKey: its rank among those of its system}): the system's colour, and shades of it for the others."""
    colours, ranks = {}, {}
    for system, colour in system_colours({key.system for key in series}).items():
        own = sorted((key for key in series if key.system == system),
                     key=lambda key: (key.variant != "default", key.swept_names, key.swept_values, key.label))
        sweep = len({key.swept_names for key in own}) == 1 and len({key.swept_values for key in own}) > 1
        for rank, key in enumerate(own):
            colours[key] = graded(colour, rank, len(own)) if sweep else shade(colour, rank, len(own))
            colours[key] = VARIANT_COLOURS.get((key.system, key.variant), colours[key])
            ranks[key] = rank
    return colours, ranks


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
    hue, lightness, saturation = colorsys.rgb_to_hls(*parts_of(colour))
    step = ((rank + 1) // 2) / (count // 2 + 1)
    target = 0.12 if rank % 2 else 0.85
    return colorsys.hls_to_rgb(hue, lightness + (target - lightness) * step, saturation)


def graded(colour, rank, count):
    """The system's colour from light to dark, by the rank in a sweep."""
    hue, _, saturation = colorsys.rgb_to_hls(*parts_of(colour))
    return colorsys.hls_to_rgb(hue, 0.8 - 0.65 * rank / (count - 1), saturation)


def parts_of(colour):
    """Red, green and blue of "#rrggbb", each in [0, 1]; a colour in parts stays."""
    return colour if not isinstance(colour, str) else tuple(int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5))
