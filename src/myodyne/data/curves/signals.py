"""Signals: controls over time, made of a few numbers that can be changed, compared, saved and read.

Each signal becomes a piecewise polynomial, which marches evaluate without returning to Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from myodyne.data.curves.curve_fits import bernstein_fit, clipped, clipped_lines, spline_fit
from myodyne.data.curves.handles import Handles, Kind, arguments_of, known_kinds, numbers_in
from myodyne.data.plain import DataError, Fields
from myodyne.data.trajectory import Trajectory
from myodyne.errors import ModelError, unknown_name
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.types import Floats

_POLYNOMIALS = "polynomials"


@dataclass(frozen=True, eq=False, repr=False)
class Signal:
    """A control over time, made by `constant`, `step`, `piecewise_constant`, `piecewise_linear`, `bezier`, ...

    Signals are plain data: two are equal if they are made of the same numbers, and a change is a copy.

    Parameters
    ----------
    description
        How it is printed.
    pieces
        The polynomials that it is.
    handles
        The numbers that it is made of; None for one that is made of its polynomials, as an optimum's are.

    Examples
    --------
    >>> import myodyne as my
    >>> push = my.step(at=0.1, after=0.5)      # s
    >>> push, push([0.0, 0.2])
    (step(at=0.1, before=0.0, after=0.5), array([0. , 0.5]))
    >>> push.shifted(0.2).with_value(1, 0.7)
    step(at=0.30000000000000004, before=0.0, after=0.7)
    >>> my.Signal.from_dict(push.to_dict()) == push
    True
    """

    description: str
    pieces: PiecewisePolynomial
    handles: Handles | None = None

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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Signal):
            return NotImplemented
        if self.handles is not None or other.handles is not None:
            return self.handles == other.handles
        return np.array_equal(self.pieces.breaks, other.pieces.breaks) and np.array_equal(
            self.pieces.coefficients, other.pieces.coefficients
        )

    def __hash__(self) -> int:
        if self.handles is not None:
            return hash(self.handles)
        return hash((self.pieces.breaks.tobytes(), self.pieces.coefficients.tobytes()))

    @property
    def kind(self) -> str:
        """How it is made: the name of the function, ``"cubic_spline"`` for smooth records, or ``"polynomials"``."""
        return _POLYNOMIALS if self.handles is None else self.handles.kind

    @property
    def values(self) -> tuple[float, ...]:
        """The samples or control values; empty for one that is made of polynomials."""
        return () if self.handles is None else self.handles.values

    @property
    def times(self) -> tuple[float, ...]:
        """The time (s) of each of `values`; control values of curves stand where a picture shows them."""
        return () if self.handles is None else self.handles.places

    # -- changed copies

    def with_value(self, number: int, value: float) -> Signal:
        """Return the signal with another sample or control value, counted from 0, from the end if negative.

        Examples
        --------
        >>> bezier([0.0, 1.0, 0.0], start=0.0, end=1.0).with_value(1, 2.0)(0.5)
        1.0
        """
        handles = self.handles
        if handles is None:
            raise ModelError(f"{self}: has no control values; .fitted(points=6) gives a curve that has some")
        count = len(handles.values)
        if isinstance(number, bool) or not isinstance(number, int) or not -count <= number < count:
            raise ModelError(f"{self}: has {count} values, counted from 0; there is no value {number!r:.20}")
        values = list(handles.values)
        values[number] = _number(f"{self}: value {number}", value)
        return _made(handles.kind, handles.times, values, handles.degree)

    def shifted(self, seconds: float) -> Signal:
        """Return the signal later by some time (s), or earlier if it is negative.

        Examples
        --------
        >>> step(at=0.1).shifted(-0.1)
        step(at=0.0, before=0.0, after=1.0)
        """
        later, handles = _number(f"{self}: the shift (s)", seconds), self.handles
        if handles is None:
            return Signal(self.description, PiecewisePolynomial(self.pieces.breaks + later, self.pieces.coefficients))
        times = [time + later for time in handles.times]
        return _made(handles.kind, times, handles.values, handles.degree)

    def scaled(self, factor: float) -> Signal:
        """Return the signal with all values multiplied by a factor.

        Examples
        --------
        >>> constant(0.3).scaled(2.0)
        constant(0.6)
        """
        times, handles = _number(f"{self}: the factor", factor), self.handles
        if handles is None:
            return Signal(self.description, PiecewisePolynomial(self.pieces.breaks, self.pieces.coefficients * times))
        return _made(handles.kind, handles.times, [value * times for value in handles.values], handles.degree)

    def limited(self, low: float, high: float) -> Signal:
        """Return the signal kept between two values.

        Samples and steps are cut off there, straight lines with new points where they cross. Of a Bézier curve or
        B-spline that leaves the limits the control values are cut off, which keeps its handles, and the curve between
        the limits since it stays in their hull. Other curves become polynomials that are cut off.

        Examples
        --------
        >>> piecewise_linear([0.0, 1.0], [0.0, 2.0]).limited(0.0, 1.0)([0.25, 0.75])
        array([0.5, 1. ])
        """
        low, high = _number(f"{self}: the lower limit", low), _number(f"{self}: the upper limit", high)
        if not low < high:
            raise ModelError(f"{self}: the lower limit ({low:g}) must be below the upper one ({high:g})")
        cut, handles = clipped(self.pieces, low, high), self.handles
        if cut is self.pieces:
            return self
        if handles is None or handles.kind == "cubic_spline":
            return Signal(f"{self.description}.limited({low!r}, {high!r})", cut)
        if handles.kind == "piecewise_linear":
            return _made(handles.kind, *clipped_lines(handles.times, handles.values, low, high))
        return _made(handles.kind, handles.times, np.clip(handles.values, low, high), handles.degree)

    def fitted(
        self, points: int = 6, *, degree: int | None = None, start: float | None = None, end: float | None = None
    ) -> Signal:
        """Return the Bézier curve, or the B-spline of a ``degree``, that is nearest to the signal in least squares.

        The square of the difference is integrated over time, from ``start`` to ``end`` (s) or over the whole signal.

        Parameters
        ----------
        points
            How many control values the curve has.
        degree
            Of a B-spline; a Bézier curve if None.
        start, end
            Where the curve begins and ends (s); needed for a constant or a step, which have no ends.

        Examples
        --------
        >>> ramp = piecewise_linear([0.0, 1.0], [0.0, 1.0])
        >>> [round(value, 6) + 0.0 for value in ramp.fitted(points=3).values]
        [0.0, 0.5, 1.0]
        """
        span = (self.pieces.breaks[0], self.pieces.breaks[-1]) if self.handles is None else self.handles.span
        if span is None and (start is None or end is None):
            raise ModelError(f"{self}: has no ends; fitted(start=0.0, end=1.0) says where the curve begins and ends")
        first, last = span or (0.0, 1.0)
        first, last = first if start is None else start, last if end is None else end
        trial = np.zeros(points) if isinstance(points, int) and 0 < points < 10_000 else np.zeros(1)
        # The rules for the number of points are those of the curves themselves.
        curve = bezier(trial, first, last) if degree is None else bspline(trial, first, last, degree)
        handles = curve.handles
        assert handles is not None
        fit = bernstein_fit if degree is None else spline_fit
        return _made(handles.kind, handles.times, fit(self.pieces, handles), handles.degree)

    # -- plain data

    def to_dict(self) -> dict[str, Any]:
        """Return the signal as plain data that JSON can hold.

        Examples
        --------
        >>> step(at=0.1).to_dict()
        {'kind': 'step', 'at': 0.1, 'before': 0.0, 'after': 1.0}
        """
        if self.handles is not None:
            return self.handles.to_dict()
        return {
            "kind": _POLYNOMIALS,
            "description": self.description,
            "breaks": self.pieces.breaks.tolist(),
            "coefficients": self.pieces.coefficients[:, :, 0].tolist(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Signal:
        """Return the signal that `to_dict` wrote; unknown fields and wrong types raise errors that name them.

        Examples
        --------
        >>> Signal.from_dict({"kind": "bezier", "values": [0.0, 1.0, 0.0], "start": 0.0, "end": 1.0})
        bezier(3 values, 0.0 to 1.0 s)
        """
        kind = Fields("signal", data, data if isinstance(data, Mapping) else ()).text("kind")
        if kind != _POLYNOMIALS and kind not in known_kinds():
            raise DataError("signal: " + unknown_name("kind", kind, (*known_kinds(), _POLYNOMIALS)))
        try:
            if kind == _POLYNOMIALS:
                return _polynomials(data)
            given = arguments_of(kind, data)
            source = given.pop("source", "")
            if kind == "cubic_spline" or source:
                line: Kind = "cubic_spline" if kind == "cubic_spline" else "piecewise_linear"
                return _sampled(line, given["times"], given["values"], source)
            made: Signal = _MAKERS[kind](**given)
            return made
        except (ModelError, ValueError) as error:
            raise error if isinstance(error, DataError) else DataError(f"signal: {error}") from None


def constant(value: float) -> Signal:
    """Return a signal that never changes.

    Examples
    --------
    >>> constant(0.3)(12.0)
    0.3
    """
    return _made("constant", (), [_number("constant: the value", value)])


def step(at: float, before: float = 0.0, after: float = 1.0) -> Signal:
    """Return a signal that jumps from ``before`` to ``after`` at time ``at`` (s).

    Examples
    --------
    >>> jump = step(at=0.1)
    >>> jump(0.09), jump(0.1)
    (0.0, 1.0)
    """
    return _made("step", [_number("step: at", at)], [_number("step: before", before), _number("step: after", after)])


def piecewise_constant(times: Sequence[float] | Floats, values: Sequence[float] | Floats) -> Signal:
    """Return steps: each value holds from its time (s) to the next, the first before and the last after them too.

    Examples
    --------
    >>> steps = piecewise_constant([0.0, 0.1, 0.3], [0.0, 1.0, 0.2])
    >>> steps([0.05, 0.1, 0.5])
    array([0. , 1. , 0.2])
    """
    return _sampled("piecewise_constant", times, values)


def piecewise_linear(times: Sequence[float] | Floats, values: Sequence[float] | Floats) -> Signal:
    """Return straight lines through points in time (s), constant before the first and after the last.

    Examples
    --------
    >>> ramp = piecewise_linear([0.0, 0.2, 2.0], [0.0, 1.0, 1.0])
    >>> ramp(0.1)
    0.5
    """
    return _sampled("piecewise_linear", times, values)


def bezier(values: Sequence[float] | Floats, start: float, end: float) -> Signal:
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
    return _made("bezier", [float(start), float(end)], heights)


def bspline(values: Sequence[float] | Floats, start: float, end: float, degree: int = 3) -> Signal:
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
    return _made("bspline", [float(start), float(end)], heights, degree)


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
    kind: Kind = "cubic_spline" if smooth else "piecewise_linear"
    return _sampled(kind, source.time, source.values(name), name)


_MAKERS: dict[str, Any] = {
    "constant": constant,
    "step": step,
    "piecewise_constant": piecewise_constant,
    "piecewise_linear": piecewise_linear,
    "bezier": bezier,
    "bspline": bspline,
}


def _made(kind: Kind, times: ArrayLike, values: ArrayLike, degree: int = 3, source: str = "") -> Signal:
    t, y = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    handles = Handles(kind, tuple(t.tolist()), tuple(y.tolist()), degree, source)
    try:
        return Signal(handles.description, handles.pieces(), handles)
    except ValueError as error:
        raise ModelError(f"{handles.description}: {error}") from None


def _sampled(kind: Kind, times: ArrayLike, values: ArrayLike, source: str = "") -> Signal:
    t, y = _points(f"recorded '{source}'" if source else kind, times, values)
    return _made(kind, t, y, source=source)


def _polynomials(data: Mapping[str, Any]) -> Signal:
    place = f"signal '{_POLYNOMIALS}'"
    read = Fields(place, data, ["kind", "description", "breaks", "coefficients"])
    rows = [numbers_in(f"{place}.coefficients", row) for row in read.sequence("coefficients")]
    if len({len(row) for row in rows}) != 1:
        raise DataError(f"{place}.coefficients: rows of equal length are expected, one for each piece")
    breaks = numbers_in(f"{place}.breaks", read.sequence("breaks"))
    return Signal(read.text("description", _POLYNOMIALS), PiecewisePolynomial(breaks, np.array(rows)[:, :, None]))


def _number(what: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not np.isfinite(float(value)):
        raise ModelError(f"{what} must be a finite number, not {value!r:.60}")
    return float(value)


def _heights(what: str, values: ArrayLike, start: float | None, end: float | None) -> Floats:
    """Return the control values of a curve from ``start`` to ``end`` (s)."""
    first, last = _number(f"{what}: start", start), _number(f"{what}: end", end)
    if not last > first:
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
