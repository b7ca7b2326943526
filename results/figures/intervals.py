"""Means over the seeds and their 95 % intervals: the one place that takes them, for all figures."""

from functools import cache
from math import atan, cos, pi, sin, sqrt, tan

import numpy as np

SHARE = 0.95
HALVINGS = 60


def student_t_share(angle, freedom):
    """P(|T| <= t) of Student's t, t = sqrt(freedom) tan(angle): the finite series of Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    odd = freedom % 2
    term = cos(angle) if odd else 1.0
    total = 0.0
    for k in range(1 + odd, freedom, 2):
        total += term
        term *= k / (k + 1) * cos(angle) ** 2
    return 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total


@cache
def student_t_95(freedom):
    """Two-sided 95 % quantile of Student's t: P(|T| <= result) = 0.95."""
    low, high = 0.0, atan(float("inf"))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if student_t_share(middle, freedom) < SHARE else (low, middle)
    return sqrt(freedom) * tan(low)


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
