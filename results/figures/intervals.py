"""Means over the seeds and their 95 % intervals: the one place that takes them, for all figures."""

from math import sqrt

import numpy as np

from harness_results.student_t import student_t_95


def half_width(values):
    """Half of the width of the 95 % interval around the mean of the seeds (the first axis) that have a value; NaN of one."""
    return spread(values)[1]


def spread(values):
    """Returns (mean over the seeds that have a value, half of the width of its 95 % interval); NaN where there is none. NaN is no value."""
    values = np.asarray(values, dtype=float)
    has = ~np.isnan(values)
    count = has.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):  # of no value, of one, of infinite ones
        mean = np.where(has, values, 0).sum(axis=0) / count
        squares = np.where(has, (values - mean) ** 2, 0).sum(axis=0)
        half = t_factors(count) * np.sqrt(squares / (count - 1))
    return mean, half


def t_factors(counts):
    """Returns the factors that make standard deviations of so many values half of an interval; NaN of fewer than two."""
    return np.vectorize(lambda n: student_t_95(int(n) - 1) / sqrt(n) if n > 1 else np.nan, otypes=[float])(counts)


def seeds_text(*groups, what="whiskers"):
    """A sentence for captions: of how many seeds each of these lists of cells gives a mean, and what shows the interval."""
    counts = sorted({len({cell["seed"] for cell in cells}) for cells in groups})
    if counts[-1] < 2:
        return " One seed: no intervals."
    some = f"{counts[-1]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f" Mean of {some} seeds; {what}: its 95 % interval (Student's t{'; none of one seed' if counts[0] < 2 else ''})."
