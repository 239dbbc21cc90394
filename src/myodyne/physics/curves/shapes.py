"""Shapes that several families of curves share, finite everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import casadi as ca

from myodyne.model.muscles.corner_curves import CornerCurve, Knot, corner_share
from myodyne.physics.spatial import SX, Scalar

# 5e8 maximal forces are beyond any muscle, and far below overflow.
_STEEPEST = 20.0
_HALLEY_STEPS = 3

# Symbols in place of the parameters of corners, each with its value, and a symbol that the values must depend on to be
# held, if any; None where they are not held.
_held: ContextVar[tuple[list[tuple[SX, SX]], SX | None] | None] = ContextVar("_held", default=None)


@contextmanager
def held_parameters(by: SX | None = None) -> Iterator[list[tuple[SX, SX]]]:
    """Keep the search for the parameters of corners out of derivatives: within, each parameter is a symbol.

    Where only derivatives by one symbol are needed, ``by`` names it: parameters that do not depend on it are not held.

    Yield the list of these symbols with their values, to be substituted once the derivatives are taken. One step of
    Newton's method leads from the symbol to the parameter: the step is zero, but its derivative by the place is that of
    the inverse function, at a fraction of the cost of differentiating a search.
    """
    found: list[tuple[SX, SX]] = []
    token = _held.set((found, by))
    try:
        yield found
    finally:
        _held.reset(token)


def exponential(exponent: SX) -> SX:
    """Return the exponential, continued linearly beyond an exponent of 20, so that it never overflows."""
    return ca.exp(ca.fmin(exponent, _STEEPEST)) * (1 + ca.fmax(exponent - _STEEPEST, 0))


def clamp(value: SX, low: Scalar, high: Scalar) -> SX:
    """Return the value clamped to limits."""
    return ca.fmin(ca.fmax(value, low), high)


def rounded_corners(curve: CornerCurve, at: SX) -> SX:
    """Return the value of a curve of rounded corners; straight outside.

    The corner that is needed is chosen first, so that one quintic is inverted whatever the number of corners. Where
    two corners meet, value, slope and curvature agree.
    """
    first, last = curve.knots[0], curve.knots[-1]
    inside = clamp(at, first.at, last.at)
    corners = [
        (
            left.at,
            1 / (right.at - left.at),
            left.value,
            left.slope,
            _bend(left, right),
            corner_share(left, right),
            close,
        )
        for left, right, close in zip(curve.knots, curve.knots[1:], curve.closeness, strict=False)
    ]
    start, over, value, slope, bend, share, close = (
        _chosen(numbers, [knot.at for knot in curve.knots[1:-1]], inside) for numbers in zip(*corners, strict=True)
    )
    u = _parameter((inside - start) * over, share, close)
    bent = bend * (close * u * (u**2) ** 2 + (1 - close) * _step(u))
    before, after = first.slope * ca.fmin(at - first.at, 0), last.slope * ca.fmax(at - last.at, 0)
    return SX(value + slope * (inside - start) + bent + before + after)


def where_tilted_corners(curve: CornerCurve, scale: SX, tilt: Scalar, reached: SX) -> tuple[SX, SX, SX]:
    """Return where a curve of rounded corners, times a scale and tilted by a slope, reaches a value; it must rise.

    Also returned are the error of the value, and the slope there.

    That sum has corners at the same places. Its position and its value are quintics of one parameter, so that this is
    found from the value as easily as from the position. Not finite beyond an end where the sum is flat.
    """
    heights = [scale * knot.value + tilt * knot.at for knot in curve.knots]
    inside = clamp(reached, heights[0], heights[-1])
    corners = [
        (
            left.at,
            right.at - left.at,
            left.value,
            left.slope,
            corner_share(left, right),
            close,
            right.value - left.value,
        )
        for left, right, close in zip(curve.knots, curve.knots[1:], curve.closeness, strict=False)
    ]
    start, width, value, slope, share, close, rise = (
        _chosen(numbers, heights[1:-1], inside) for numbers in zip(*corners, strict=True)
    )
    climb = scale * rise + tilt * width
    upright = (scale * slope + tilt) * width * share / climb
    u = _parameter((inside - scale * value - tilt * start) / climb, upright, close)
    end = ca.if_else(reached < heights[0], curve.knots[0].slope, curve.knots[-1].slope)
    at = start + width * _place(u, share, close) + (reached - inside) / (scale * end + tilt)
    missed = scale * value + tilt * start + climb * _place(u, upright, close) - inside
    rising = climb * _place_slope(u, upright, close) / (width * _place_slope(u, share, close))
    return SX(at), SX(missed), SX(rising)


def _bend(left: Knot, right: Knot) -> Scalar:
    """Return how far the end of a corner lies above the tangent at its start."""
    bend: Scalar = (right.slope - left.slope) * (1 - corner_share(left, right)) * (right.at - left.at)
    return bend


def _chosen(numbers: tuple[Scalar, ...], borders: Sequence[Scalar], at: SX) -> Scalar:
    """Return the number of the piece in which a position lies."""
    chosen = numbers[0]
    for before, after, border in zip(numbers, numbers[1:], borders, strict=False):
        # Numbers that are the same in both pieces need no choice.
        if before is not after and not (isinstance(before, float) and isinstance(after, float) and before == after):
            chosen = ca.if_else(at > border, after, chosen)
    return chosen


def _parameter(place: SX, share: Scalar, close: Scalar) -> SX:
    """Return the parameter u of the quintic that reaches a place between 0 and 1.

    Its control points coincide in pairs, so that the place is ``(1 - c) S(u) + c (r (1 - (1 - u)^5) + (1 - r) u^5)``
    for a corner at r that is followed to c, with the step ``S(u) = u^3 (10 - 15 u + 6 u^2)``. The search starts from
    the quadratic curve with the same corner, which can be inverted, and takes three steps of Halley. For corners
    between 0.005 and 0.995 this leaves an error below 2e-12 of the height of the corner; both ends are exact.
    """
    u: SX = place / (share + ca.sqrt(share**2 + (1 - 2 * share) * place))
    # The same in powers of u, at half the cost but with more rounding: not used in the last step.
    open_, first = 1 - close, 5 * close * share
    powers = [0.0, first, -2 * first, 10 * open_ + 2 * first, -15 * open_ - first, 1 + 5 * open_]
    slopes = [number * power for number, power in enumerate(powers)][1:]
    half_bends = [number / 2 * power for number, power in enumerate(slopes)][1:]
    for step in range(_HALLEY_STEPS):
        if step < _HALLEY_STEPS - 1:
            miss, slope = _polynomial(powers, u) - place, _polynomial(slopes, u)
        else:
            miss, slope = _place(u, share, close) - place, _place_slope(u, share, close)
        u = u - miss * slope / (slope**2 - miss * _polynomial(half_bends, u))
    held = _held.get()
    if held is None or (held[1] is not None and not ca.depends_on(place, held[1])):
        return u
    symbol = SX.sym("u")
    held[0].append((symbol, u))
    return symbol - (_place(symbol, share, close) - place) / _place_slope(symbol, share, close)


def _polynomial(powers: list[Scalar], u: SX) -> Scalar:
    """Return a polynomial by its coefficients, the constant one first."""
    total = powers[-1]
    for power in reversed(powers[:-1]):
        total = total * u + power
    return total


def _place(u: SX, share: Scalar, close: Scalar) -> SX:
    """Return the place between 0 and 1 that the quintic of a corner reaches."""
    w = 1 - u
    place: SX = (1 - close) * _step(u) + close * (share * (1 - w * (w**2) ** 2) + (1 - share) * u * (u**2) ** 2)
    return place


def _place_slope(u: SX, share: Scalar, close: Scalar) -> SX:
    u2, w2 = u**2, (1 - u) ** 2
    slope: SX = 30 * (1 - close) * u2 * w2 + 5 * close * (share * w2**2 + (1 - share) * u2**2)
    return slope


def _step(u: SX) -> SX:
    """Return the step from 0 to 1 whose slope and curvature are zero at both ends."""
    return u**3 * (10 - u * (15 - 6 * u))
