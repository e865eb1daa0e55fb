"""Intervals and tests for counts, exact enough for a page and without a library for them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_Z95 = 1.959963984540054
LEAST_EXPECTED = 5.0  # of each class: with fewer, chi-square's distribution is no guide
_STEPS, _TINY = 1000, 1e-14


@dataclass(frozen=True)
class Share:
    """`part` of `whole`, with Wilson's 95 % interval; all None of nothing."""

    part: int
    whole: int

    @property
    def value(self) -> float | None:
        return self.part / self.whole if self.whole else None

    @property
    def interval(self) -> tuple[float, float] | None:
        if not self.whole:
            return None
        n, p = self.whole, self.part / self.whole
        middle = p + _Z95**2 / (2 * n)
        spread = _Z95 * math.sqrt(p * (1 - p) / n + _Z95**2 / (4 * n * n))
        scale = 1 + _Z95**2 / n
        return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


@dataclass(frozen=True)
class Fit:
    """How counts fit what is expected of them. `p` None where there are too few to say."""

    n: int
    statistic: float
    p: float | None


def chi_square(counts: Sequence[int], chances: Sequence[float]) -> Fit:
    """Pearson's test of counts against chances that are known beforehand."""
    n = sum(counts)
    expected = [n * chance for chance in chances]
    if not n:
        return Fit(0, 0.0, None)
    pairs = zip(counts, expected, strict=True)
    statistic = sum((count - much) ** 2 / much for count, much in pairs if much > 0)
    enough = min(expected) >= LEAST_EXPECTED
    return Fit(n, statistic, upper_tail(statistic, len(counts) - 1) if enough else None)


def upper_tail(statistic: float, freedom: int) -> float:
    """The chance that chi-square with so many degrees of freedom is as large or larger."""
    half, x = freedom / 2, statistic / 2
    if x <= 0:
        return 1.0
    scale = math.exp(-x + half * math.log(x) - math.lgamma(half))
    if x < half + 1:
        return 1.0 - scale * _series(half, x)
    return scale * _fraction(half, x)


def _series(a: float, x: float) -> float:
    """The lower incomplete gamma function's series, without its scale."""
    term = total = 1 / a
    for step in range(1, _STEPS):
        term *= x / (a + step)
        total += term
        if term < total * _TINY:
            break
    return total


def _fraction(a: float, x: float) -> float:
    """The upper incomplete gamma function's continued fraction (Lentz), without its scale."""
    b = x + 1 - a
    c, d = 1e300, 1 / b
    value = d
    for step in range(1, _STEPS):
        factor = -step * (step - a)
        b += 2
        d = 1 / (factor * d + b)
        c = b + factor / c
        value *= d * c
        if abs(d * c - 1) < _TINY:
            break
    return value
