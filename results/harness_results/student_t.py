"""Student's t: the one place that has it, for figures, reports and verdicts."""

from functools import cache
from math import atan, cos, pi, sin, sqrt, tan

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
def student_t(freedom, share):
    """Two-sided quantile of Student's t: P(|T| <= result) = share."""
    low, high = 0.0, atan(float("inf"))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if student_t_share(middle, freedom) < share else (low, middle)
    return sqrt(freedom) * tan(low)


def student_t_95(freedom):
    """That of 95 %."""
    return student_t(freedom, 0.95)
