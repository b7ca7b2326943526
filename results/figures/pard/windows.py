"""Numbers from the windows of cells: shares over sliding windows and over time."""

import numpy as np

from intervals import half_width, spread

# Widths of sliding windows in s (figures 2 and 9).
SIZES_S = (1, 2, 5, 10, 20, 30, 60)


def sums(values, width):
    """Sums over windows of `width` consecutive values, sliding by one; a shorter run is one window."""
    width = min(width, len(values))
    total = np.concatenate([[0], np.cumsum(values, dtype=float)])
    return total[width:] - total[:-width]


def share(part, whole):
    """part / whole, NaN where there is nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole > 0, part / whole, np.nan)


def lost(windows):
    """Requests dropped or late, by window of sending."""
    return windows["dropped"].astype(float) + windows["late"]


def count_of(cell, size_s):
    return max(1, round(size_s / cell.window_s))


def least_goodput(cell, size_s):
    """(least in_time / sent of a window of that size, drop rate of the same window)."""
    windows, width = cell.windows, count_of(cell, size_s)
    sent = sums(windows["sent"], width)
    goodput = share(sums(windows["in_time"], width), sent)
    if np.isnan(goodput).all():
        return np.nan, np.nan
    least = np.nanargmin(goodput)
    return goodput[least], share(sums(lost(windows), width), sent)[least]


def greatest_drop_rate(cell, size_s):
    windows, width = cell.windows, count_of(cell, size_s)
    return np.nanmax(share(sums(lost(windows), width), sums(windows["sent"], width)))


def sizes_within(cells):
    """The widths that the measured part of every cell is at least as long as; at least the first."""
    longest = min(len(cell.windows) * cell.window_s for cell in cells)
    return [size for size in SIZES_S if size <= longest] or [SIZES_S[0]]


def middles_of(cell, length, width):
    """Returns the middles of the windows of sums() over that many windows of the cell, in s of the load."""
    return cell.measured_from_s + (np.arange(length - width + 1) + width / 2) * cell.window_s


def over_time(cells, column, smooth_s):
    """(times in s, share of the sent requests over centred windows of smooth_s, all seeds together, half width of their interval).

    `column` gives a window's requests from the windows of a cell.
    """
    length = min(len(cell.windows) for cell in cells)
    width = min(count_of(cells[0], smooth_s), length)
    part = np.array([sums(column(cell.windows)[:length], width) for cell in cells])
    sent = np.array([sums(cell.windows["sent"][:length], width) for cell in cells])
    return middles_of(cells[0], length, width), share(part.sum(axis=0), sent.sum(axis=0)), half_width(share(part, sent))


def rate_over_time(cells, smooth_s):
    """(times in s, requests sent per s over centred windows, mean of the seeds, half width of its interval)."""
    length = min(len(cell.windows) for cell in cells)
    width = min(count_of(cells[0], smooth_s), length)
    sent = np.array([sums(cell.windows["sent"][:length], width) for cell in cells])
    return middles_of(cells[0], length, width), *spread(sent / (width * cells[0].window_s))


def window_axis(axes, sizes):
    """Logarithmic, with the widths as its ticks."""
    axes.set_xscale("log")
    axes.minorticks_off()
    shown = [size for size in SIZES_S if size in sizes]
    axes.set_xticks(shown, [f"{size:g}" for size in shown])
