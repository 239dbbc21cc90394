"""Shapes that several families of curves are made of, finite wherever they are asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import casadi as ca

from myodyne.numerics.corner_curves import CornerCurve, Knot, corner_share
from myodyne.physics.spatial import SX

# 5e8 maximal forces lie beyond any muscle, and far below what a number can hold.
_STEEPEST = 20.0
_HALLEY_STEPS = 3

# Symbols in the place of the parameters of corners, each with what it stands for; None where they are not held.
_held: ContextVar[list[tuple[SX, SX]] | None] = ContextVar("_held", default=None)


@contextmanager
def held_parameters() -> Iterator[list[tuple[SX, SX]]]:
    """Keep the search for the parameters of corners out of derivatives: within, each found one is a symbol.

    Yield the list of these symbols with what they stand for, to be put back once the derivatives are taken. One step
    of Newton's method goes from the symbol to the parameter: nothing is left to go, but its derivative by the place is
    that of the inverse function, at a small part of the cost of differentiating a search.
    """
    found: list[tuple[SX, SX]] = []
    token = _held.set(found)
    try:
        yield found
    finally:
        _held.reset(token)


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


def where_tilted_corners(curve: CornerCurve, scale: SX, tilt: Any, reached: SX) -> SX:
    """Return where a curve of rounded corners, times a scale and tilted by a slope, reaches a value; it must rise.

    That sum has corners at the same places. Its position and its value are quintics of one parameter, so that this is
    found from the value as easily as from the position. Not finite beyond an end where the sum is flat.
    """
    heights = [scale * knot.value + tilt * knot.at for knot in curve.knots]
    inside = clamp(reached, heights[0], heights[-1])
    corners = [
        (*_corner(left, right, close), right.value - left.value)
        for left, right, close in zip(curve.knots, curve.knots[1:], curve.closeness, strict=False)
    ]
    start, width, value, slope, _, share, close, rise = (
        _chosen(numbers, heights[1:-1], inside) for numbers in zip(*corners, strict=True)
    )
    climb = scale * rise + tilt * width
    upright = (scale * slope + tilt) * width * share / climb
    u = _parameter((inside - scale * value - tilt * start) / climb, upright, close)
    before = ca.fmin(reached - heights[0], 0) / (scale * curve.knots[0].slope + tilt)
    after = ca.fmax(reached - heights[-1], 0) / (scale * curve.knots[-1].slope + tilt)
    return SX(start + width * _place(u, share, close) + before + after)


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
        miss, slope = _place(u, share, close) - place, _place_slope(u, share, close)
        w = 1 - u
        bend = 60 * (1 - close) * u * w * (w - u) + 20 * close * ((1 - share) * u * u**2 - share * w * w**2)
        u = u - 2 * miss * slope / (2 * slope**2 - miss * bend)
    held = _held.get()
    if held is None:
        return u
    symbol = SX.sym("u")
    held.append((symbol, u))
    return symbol - (_place(symbol, share, close) - place) / _place_slope(symbol, share, close)


def _place(u: SX, share: Any, close: Any) -> SX:
    """Return the place between 0 and 1 that the quintic of a corner reaches."""
    w = 1 - u
    place: SX = (1 - close) * _step(u) + close * (share * (1 - w * (w**2) ** 2) + (1 - share) * u * (u**2) ** 2)
    return place


def _place_slope(u: SX, share: Any, close: Any) -> SX:
    u2, w2 = u**2, (1 - u) ** 2
    slope: SX = 30 * (1 - close) * u2 * w2 + 5 * close * (share * w2**2 + (1 - share) * u2**2)
    return slope


def _step(u: SX) -> SX:
    """Return the step from 0 to 1 whose slope and curvature are zero at both ends."""
    return u**3 * (10 - u * (15 - 6 * u))
