"""Control signals: excitations of muscles and inputs of motors as functions of time.

Each signal becomes a piecewise polynomial, which marches evaluate without returning to Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from numbers import Real
from typing import TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from myodyne.data import Trajectory
from myodyne.errors import ModelError, unknown_name
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.types import Floats


@dataclass(frozen=True)
class Signal:
    """A control over time, made by `constant`, `step`, `piecewise_linear`, `bezier`, `bspline`, `recorded`.

    Examples
    --------
    >>> import myodyne as my
    >>> push = my.step(at=0.1, after=0.5)      # s
    >>> push, push([0.0, 0.2])
    (step(at=0.1, before=0.0, after=0.5), array([0. , 0.5]))
    """

    description: str
    pieces: PiecewisePolynomial

    @overload
    def __call__(self, time: float) -> float: ...
    @overload
    def __call__(self, time: Sequence[float] | Floats) -> Floats: ...
    def __call__(self, time: float | Sequence[float] | Floats) -> float | Floats:
        """Return the value at a time (s), or at several."""
        values: Floats = self.pieces(time)[..., 0]
        return values if values.ndim else float(values)

    def __repr__(self) -> str:
        return self.description


# What `simulate` takes for a control.
Control: TypeAlias = float | Signal


def _signal(description: str, breaks: ArrayLike, coefficients: ArrayLike) -> Signal:
    try:
        return Signal(description, PiecewisePolynomial(breaks, coefficients))
    except ValueError as error:
        raise ModelError(f"{description}: {error}") from None


def constant(value: float) -> Signal:
    """Return a signal that never changes.

    Examples
    --------
    >>> constant(0.3)(12.0)
    0.3
    """
    return _signal(f"constant({value!r})", [0.0, 1.0], [[[value]]])


def step(at: float, before: float = 0.0, after: float = 1.0) -> Signal:
    """Return a signal that jumps from ``before`` to ``after`` at time ``at`` (s).

    Examples
    --------
    >>> jump = step(at=0.1)
    >>> jump(0.09), jump(0.1)
    (0.0, 1.0)
    """
    _check_numbers("step", at=at)
    return _signal(
        f"step(at={at!r}, before={before!r}, after={after!r})", [at - 1.0, at, at + 1.0], [[[before]], [[after]]]
    )


def piecewise_linear(times: Sequence[float], values: Sequence[float]) -> Signal:
    """Return straight lines through points in time (s), constant before the first and after the last.

    Examples
    --------
    >>> ramp = piecewise_linear([0.0, 0.2, 2.0], [0.0, 1.0, 1.0])
    >>> ramp(0.1)
    0.5
    """
    t, y = _points("piecewise_linear", times, values)
    slopes = np.diff(y) / np.diff(t)
    coefficients = np.stack([y[:-1], slopes], axis=1)[:, :, None]
    return _signal(f"piecewise_linear({len(t)} points)", t, coefficients)


def bezier(values: Sequence[float], start: float, end: float) -> Signal:
    """Return the Bézier curve of control values spread evenly from ``start`` to ``end`` (s).

    The curve begins at the first value, ends at the last, and stays within the hull of all
    (the force profiles of Selbie 1989, section 2.3.2).

    Examples
    --------
    >>> bump = bezier([0.0, 1.0, 0.0], start=0.0, end=1.0)
    >>> bump(0.5)
    0.5
    """
    heights = _heights("bezier", values, start, end)
    if heights.ndim != 1 or not 2 <= len(heights) <= 20:
        raise ModelError(f"bezier: 2 to 20 control values are needed, not {heights.size}; a bspline takes more")
    degree = len(heights) - 1
    # Bernstein to powers: the k-th coefficient is a k-th difference of the control values.
    coefficients = np.array([comb(degree, k) * np.diff(heights, k)[0] / (end - start) ** k for k in range(degree + 1)])
    return _signal(f"bezier({len(heights)} values, {start!r} to {end!r} s)", [start, end], coefficients[None, :, None])


def bspline(values: Sequence[float], start: float, end: float, degree: int = 3) -> Signal:
    """Return the B-spline of control values from ``start`` to ``end`` (s), with even knots and clamped ends.

    Moving one control value changes the curve near it only.

    Examples
    --------
    >>> hill = bspline([0, 0, 1, 0, 0], start=0.0, end=1.0)
    >>> round(float(hill(0.5)), 6)
    0.5
    """
    heights = _heights("bspline", values, start, end)
    if not isinstance(degree, int) or not 1 <= degree <= 7 or heights.ndim != 1 or len(heights) <= degree:
        raise ModelError(f"bspline: a curve of degree {degree} needs more than {degree} control values (degree 1 to 7)")
    from scipy.interpolate import BSpline, PPoly

    inner = np.linspace(start, end, len(heights) - degree + 1)
    knots = np.concatenate([np.full(degree, start), inner, np.full(degree, end)])
    pieces = PPoly.from_spline(BSpline(knots, heights, degree))
    whole = np.diff(pieces.x) > 0
    breaks = np.append(pieces.x[:-1][whole], end)
    description = f"bspline({len(heights)} values, {start!r} to {end!r} s)"
    return _signal(description, breaks, pieces.c[::-1, whole].T[:, :, None])


def recorded(source: Trajectory, name: str, smooth: bool = False) -> Signal:
    """Return a column of a trajectory as a signal: straight lines, or a cubic spline if ``smooth``.

    Examples
    --------
    >>> measured = Trajectory([0.0, 1.0, 2.0], {"torque": [0.0, 10.0, 0.0]}, {"torque": "N m"})
    >>> recorded(measured, "torque")(0.5)
    5.0
    """
    if not isinstance(source, Trajectory):
        raise ModelError(f"recorded takes a trajectory or result and the name of a column, not {source!r:.60}")
    t, y = _points(f"recorded '{name}'", source.time, source.values(name))
    if not smooth:
        slopes = np.diff(y) / np.diff(t)
        return _signal(f"recorded({name!r})", t, np.stack([y[:-1], slopes], axis=1)[:, :, None])
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(t, y)
    return _signal(f"recorded({name!r}, smooth=True)", t, spline.c[::-1].T[:, :, None])


def _check_numbers(what: str, **numbers: object) -> None:
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, Real):
            raise ModelError(f"{what}: {name} must be a number (s), not {value!r}")


def _heights(what: str, values: ArrayLike, start: float, end: float) -> Floats:
    """Return the control values of a curve from ``start`` to ``end`` (s)."""
    _check_numbers(what, start=start, end=end)
    if not end > start:
        raise ModelError(f"{what}: end ({end!r} s) must come after start ({start!r} s)")
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{what}: control values must be numbers, not {values!r:.60}") from None


def _points(what: str, times: ArrayLike, values: ArrayLike) -> tuple[Floats, Floats]:
    try:
        t, y = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{what}: times and values must be numbers") from None
    if t.ndim != 1 or t.shape != y.shape or len(t) < 2:
        raise ModelError(f"{what}: needs as many values as times, at least two, not {y.size} and {t.size}")
    bad = np.flatnonzero(~(np.diff(t) > 0))
    if len(bad):
        raise ModelError(f"{what}: times must increase, but {t[bad[0] + 1]:g} s follows {t[bad[0]]:g} s")
    return t, y


def as_signal(value: Control, name: str) -> Signal:
    """Return a control as a signal: a number, or a signal already."""
    if isinstance(value, Signal):
        return value
    if isinstance(value, Real) and not isinstance(value, bool):
        return constant(float(value))
    raise ModelError(
        f"control '{name}' is a number or a signal (my.step, my.piecewise_linear, my.bezier, my.bspline, "
        f"my.recorded), not {type(value).__name__}"
    )


def merged(controls: Mapping[str, Control], names: Sequence[str]) -> PiecewisePolynomial:
    """Return all controls of a model as one piecewise polynomial; those not mentioned are zero."""
    for name in controls:
        if name not in names:
            raise ModelError(unknown_name("control", name, names))
    return PiecewisePolynomial.merged([as_signal(controls.get(name, 0.0), name).pieces for name in names])
