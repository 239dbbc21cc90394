"""Shapes that several families of curves are made of, finite wherever they are asked."""

from __future__ import annotations

from typing import Any

import casadi as ca

from myodyne.numerics.corner_curves import CornerCurve, Knot, corner_share
from myodyne.physics.spatial import SX

# 5e8 maximal forces lie beyond any muscle, and far below what a number can hold.
_STEEPEST = 20.0
_HALLEY_STEPS = 3


def exponential(exponent: SX) -> SX:
    """Return the exponential, which goes on straight beyond an exponent of 20, so that it never overflows."""
    return ca.exp(ca.fmin(exponent, _STEEPEST)) * (1 + ca.fmax(exponent - _STEEPEST, 0))


def clamp(value: SX, low: Any, high: Any) -> SX:
    """Return the value, or the limit that it lies beyond."""
    return ca.fmin(ca.fmax(value, low), high)


def rounded_corners(curve: CornerCurve, at: SX) -> SX:
    """Return the value of a curve of rounded corners; straight outside.

    The corner that is needed is chosen first, so that one quintic is inverted whatever the number of corners. Where
    two corners meet, value, slope and curvature agree.
    """
    first, last = curve.knots[0], curve.knots[-1]
    inside = clamp(at, first.at, last.at)
    corners = [_corner(*ends) for ends in zip(curve.knots, curve.knots[1:], curve.closeness, strict=False)]
    start, width, value, slope, turn, share, close = (
        _chosen(numbers, [knot.at for knot in curve.knots[1:-1]], inside) for numbers in zip(*corners, strict=True)
    )
    u = _parameter((inside - start) / width, share, close)
    bent = turn * (1 - share) * width * (close * u**5 + (1 - close) * _step(u))
    before, after = first.slope * ca.fmin(at - first.at, 0), last.slope * ca.fmax(at - last.at, 0)
    return SX(value + slope * (inside - start) + bent + before + after)


def _corner(left: Knot, right: Knot, close: Any) -> tuple[Any, ...]:
    """Return what is to know of a corner: start, width, value and slope there, change of slope, share, closeness."""
    share = corner_share(left, right)
    return left.at, right.at - left.at, left.value, left.slope, right.slope - left.slope, share, close


def _chosen(numbers: tuple[Any, ...], borders: list[Any], at: SX) -> Any:
    """Return the number of the piece in which a position lies."""
    chosen = numbers[0]
    for before, after, border in zip(numbers, numbers[1:], borders, strict=False):
        # Numbers that are the same in both pieces need no choice.
        if before is not after and not (isinstance(before, float) and isinstance(after, float) and before == after):
            chosen = ca.if_else(at > border, after, chosen)
    return chosen


def _parameter(place: SX, share: Any, close: Any) -> SX:
    """Return the parameter u of the quintic that reaches a place between 0 and 1.

    Its control points coincide in pairs, so that the place is ``(1 - c) S(u) + c (r (1 - (1 - u)^5) + (1 - r) u^5)``
    for a corner at r that is followed to c, with the step ``S(u) = u^3 (10 - 15 u + 6 u^2)``. The search starts from
    the quadratic curve with the same corner, which can be inverted, and takes three steps of Halley. For corners
    between 0.005 and 0.995 this leaves an error below 2e-12 of the height of the corner; both ends are exact.
    """
    u: SX = place / (share + ca.sqrt(share**2 + (1 - 2 * share) * place))
    for _ in range(_HALLEY_STEPS):
        w = 1 - u
        u2, w2 = u**2, w**2
        u4, w4 = u2**2, w2**2
        miss = (1 - close) * _step(u) + close * (share * (1 - w * w4) + (1 - share) * u * u4) - place
        slope = 30 * (1 - close) * u2 * w2 + 5 * close * (share * w4 + (1 - share) * u4)
        bend = 60 * (1 - close) * u * w * (w - u) + 20 * close * ((1 - share) * u * u2 - share * w * w2)
        u = u - 2 * miss * slope / (2 * slope**2 - miss * bend)
    return u


def _step(u: SX) -> SX:
    """Return the step from 0 to 1 whose slope and curvature are zero at both ends."""
    return u**3 * (10 - u * (15 - 6 * u))
