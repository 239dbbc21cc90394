"""Handles of a curve: fitted, added, removed; and a curve set at one instant."""

from __future__ import annotations

import numpy as np

from myodyne.data.curves.signals import Signal, piecewise_constant, piecewise_linear
from myodyne.errors import ModelError, unknown_name

# Handles that a hand can take.
FEWEST, MOST = 2, 20
_SAMPLED = {"piecewise_linear": piecewise_linear, "piecewise_constant": piecewise_constant}
_SMOOTH = ("bezier", "bspline")
# Two instants nearer than this part of the movement are one.
_NEAR = 1e-6


def fitted(curve: Signal, kind: str, points: int, span: tuple[float, float]) -> Signal:
    """Return the curve of a kind with so many handles over a time (s) that is nearest to another.

    Examples
    --------
    >>> from myodyne.data.curves.signals import constant
    >>> fitted(constant(0.5), "piecewise_linear", 3, (0.0, 1.0)).times
    (0.0, 0.5, 1.0)
    """
    first, last = span
    if not FEWEST <= points <= MOST:
        raise ModelError(f"a curve takes {FEWEST} to {MOST} handles, not {points}")
    if kind == "bezier":
        return curve.fitted(points=points, start=first, end=last)
    if kind == "bspline":
        return curve.fitted(points=max(points, 4), degree=3, start=first, end=last)
    if kind not in _SAMPLED:
        raise ModelError(unknown_name("kind of curve", kind, (*_SMOOTH, *_SAMPLED)))
    times = np.linspace(first, last, points)
    return _SAMPLED[kind](times, np.asarray(curve(times)))


def at_instant(curve: Signal, time: float, value: float) -> Signal:
    """Return a curve that has a value at one instant (s): a point more, or its handles moved as little as possible.

    Examples
    --------
    >>> from myodyne.data.curves.signals import bezier
    >>> changed = at_instant(bezier([0.0, 0.0, 0.0], 0.0, 1.0), 0.5, 0.3)
    >>> round(changed(0.5), 12), [round(one, 3) for one in changed.values]
    (0.3, [0.2, 0.4, 0.2])
    """
    if curve.kind in _SAMPLED:
        reach = _NEAR * max(curve.times[-1] - curve.times[0], 1.0)
        points = {one: old for one, old in zip(curve.times, curve.values, strict=True) if abs(one - time) > reach}
        points[time] = value
        return _SAMPLED[curve.kind](sorted(points), [points[one] for one in sorted(points)])
    _check_handles(curve)
    # A smooth curve is linear in its handles: this is the least change that gives the value.
    now, old = float(curve(time)), np.array(curve.values)
    weights = np.array([float(curve.with_value(place, one + 1.0)(time)) - now for place, one in enumerate(old)])
    size = float(weights @ weights)
    if size < 1e-12:
        raise ModelError(f"the curve has no handle that moves it at {time:g} s")
    for place, moved in enumerate(old + weights * (value - now) / size):
        curve = curve.with_value(place, float(moved))
    return curve


def with_handle(curve: Signal, time: float, span: tuple[float, float]) -> Signal:
    """Return the same curve with one handle more: at a time (s) among points and steps, else fitted again.

    Examples
    --------
    >>> from myodyne.data.curves.signals import piecewise_linear
    >>> with_handle(piecewise_linear([0.0, 1.0], [0.0, 1.0]), 0.25, (0.0, 1.0)).values
    (0.0, 0.25, 1.0)
    """
    _check_handles(curve)
    if len(curve.values) >= MOST:
        raise ModelError(f"a curve takes at most {MOST} handles")
    if curve.kind in _SAMPLED:
        return at_instant(curve, time, float(curve(time)))
    return fitted(curve, curve.kind, len(curve.values) + 1, span)


def without_handle(curve: Signal, number: int, span: tuple[float, float]) -> Signal:
    """Return the curve with one handle less; a smooth one is fitted again, and keeps its shape as well as it can.

    Examples
    --------
    >>> from myodyne.data.curves.signals import piecewise_linear
    >>> without_handle(piecewise_linear([0.0, 0.5, 1.0], [0.0, 0.9, 1.0]), 1, (0.0, 1.0)).times
    (0.0, 1.0)
    """
    _check_handles(curve)
    count = len(curve.values)
    fewest = 4 if curve.kind == "bspline" else FEWEST
    if count <= fewest:
        raise ModelError(f"this kind of curve needs at least {fewest} handles")
    if not 0 <= number < count:
        raise ModelError(f"the curve has handles 1 to {count}, not {number + 1}")
    if curve.kind in _SAMPLED:
        left = [place for place in range(count) if place != number]
        return _SAMPLED[curve.kind]([curve.times[place] for place in left], [curve.values[place] for place in left])
    return fitted(curve, curve.kind, count - 1, span)


def _check_handles(curve: Signal) -> None:
    if curve.kind not in (*_SMOOTH, *_SAMPLED):
        raise ModelError("this curve has no handles yet: press 'Fit handles to this curve' first")
