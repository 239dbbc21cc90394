"""The handles of a control curve: the few numbers that it is made of, and the polynomials that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import comb
from typing import Any, Literal, TypeAlias

import numpy as np

from myodyne.data.plain import DataError, Fields
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.types import Floats

Kind: TypeAlias = Literal[
    "constant", "step", "piecewise_constant", "piecewise_linear", "cubic_spline", "bezier", "bspline"
]
# The fields of each kind as plain data: those of the function that makes it.
_FIELDS: dict[str, tuple[str, ...]] = {
    "constant": ("value",),
    "step": ("at", "before", "after"),
    "piecewise_constant": ("times", "values"),
    "piecewise_linear": ("times", "values", "source"),
    "cubic_spline": ("times", "values", "source"),
    "bezier": ("values", "start", "end"),
    "bspline": ("values", "start", "end", "degree"),
}


@dataclass(frozen=True)
class Handles:
    """What a curve is made of.

    Parameters
    ----------
    kind
        How the values become a curve.
    times
        Times (s) of samples; the jump of a step; start and end of a Bézier curve or B-spline; empty for a constant.
    values
        Samples or control values.
    degree
        Of a B-spline.
    source
        The recorded column that samples come from; it has no part in comparisons.

    Examples
    --------
    >>> bump = Handles("bezier", (0.0, 1.0), (0.0, 1.0, 0.0))
    >>> bump.places, bump.pieces()(0.5)
    ((0.0, 0.5, 1.0), array([0.5]))
    """

    kind: Kind
    times: tuple[float, ...]
    values: tuple[float, ...]
    degree: int = 3
    source: str = field(default="", compare=False)

    @property
    def places(self) -> tuple[float, ...]:
        """The time (s) of each value, as a picture of the curve shows its handles."""
        if self.kind == "constant":
            return (0.0,)
        if self.kind == "step":
            return self.times * 2
        if self.kind == "bezier":
            return tuple(np.linspace(self.times[0], self.times[1], len(self.values)).tolist())
        if self.kind == "bspline":
            # Greville's abscissae: control values on a straight line there give that line.
            knots = spline_knots(len(self.values), self.times[0], self.times[1], self.degree)
            means = [knots[k + 1 : k + self.degree + 1].mean() for k in range(len(self.values))]
            return tuple(map(float, means))
        return self.times

    @property
    def span(self) -> tuple[float, float] | None:
        """Where the curve begins and ends (s); None for those that have no end."""
        return None if self.kind in ("constant", "step") else (self.times[0], self.times[-1])

    @property
    def description(self) -> str:
        """The curve as it is printed: that of the function that makes it, long lists as their count."""
        count, values = len(self.values), self.values
        if self.kind == "constant":
            return f"constant({values[0]!r})"
        if self.kind == "step":
            return f"step(at={self.times[0]!r}, before={values[0]!r}, after={values[1]!r})"
        if self.kind in ("bezier", "bspline"):
            return f"{self.kind}({count} values, {self.times[0]!r} to {self.times[1]!r} s)"
        if self.source:
            return f"recorded({self.source!r}{', smooth=True' if self.kind == 'cubic_spline' else ''})"
        return f"{self.kind}({count} points)"

    def pieces(self) -> PiecewisePolynomial:
        """Return the curve as polynomials."""
        t, y = np.array(self.times), np.array(self.values)
        match self.kind:
            case "constant":
                return PiecewisePolynomial([0.0, 1.0], y[:, None, None])
            case "step":
                return PiecewisePolynomial([t[0] - 1.0, t[0], t[0] + 1.0], y[:, None, None])
            case "piecewise_constant":
                return PiecewisePolynomial(np.append(t, t[-1] + 1.0), y[:, None, None])
            case "piecewise_linear":
                slopes = np.diff(y) / np.diff(t)
                return PiecewisePolynomial(t, np.stack([y[:-1], slopes], axis=1)[:, :, None])
            case "cubic_spline":
                from scipy.interpolate import CubicSpline

                return PiecewisePolynomial(t, CubicSpline(t, y).c[::-1].T[:, :, None])
            case "bezier":
                return PiecewisePolynomial(t, _bezier_powers(y, float(t[1] - t[0]))[None, :, None])
            case "bspline":
                return _spline_pieces(y, float(t[0]), float(t[1]), self.degree)

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as plain data that JSON can hold."""
        every = {
            "value": self.values[0],
            "at": self.times[0] if self.times else None,
            "before": self.values[0],
            "after": self.values[-1],
            "times": list(self.times),
            "values": list(self.values),
            "start": self.times[0] if self.times else None,
            "end": self.times[-1] if self.times else None,
            "degree": self.degree,
            "source": self.source,
        }
        names = [name for name in _FIELDS[self.kind] if name != "source" or self.source]
        return {"kind": self.kind, **{name: every[name] for name in names}}


def arguments_of(kind: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of the function that makes a curve, from plain data, every field checked by name."""
    read = Fields(f"signal '{kind}'", data, ["kind", *_FIELDS[kind]])
    found: dict[str, Any] = {}
    for name in _FIELDS[kind]:
        if name == "source":
            found[name] = read.text(name, "")
        elif name not in data:
            raise DataError(f"signal '{kind}': {name} is missing")
        elif name in ("times", "values"):
            found[name] = numbers_in(f"signal '{kind}'.{name}", read.sequence(name))
        else:
            found[name] = read.integer(name) if name == "degree" else read.number(name)
    return found


def known_kinds() -> tuple[str, ...]:
    """Return the kinds of curves that have handles."""
    return tuple(_FIELDS)


def numbers_in(place: str, data: object) -> list[float]:
    """Return a list of numbers from plain data."""
    if not isinstance(data, list | tuple) or any(isinstance(x, bool) or not isinstance(x, int | float) for x in data):
        raise DataError(f"{place}: a list of numbers is expected, not {data!r:.60}")
    return [float(number) for number in data]


def spline_knots(count: int, start: float, end: float, degree: int) -> Floats:
    """Return even knots with clamped ends."""
    inner = np.linspace(start, end, count - degree + 1)
    return np.concatenate([np.full(degree, start), inner, np.full(degree, end)])


def _bezier_powers(heights: Floats, width: float) -> Floats:
    degree = len(heights) - 1
    # Bernstein to powers: the k-th coefficient is a k-th difference of the control values.
    return np.array([comb(degree, k) * np.diff(heights, k)[0] / width**k for k in range(degree + 1)])


def _spline_pieces(heights: Floats, start: float, end: float, degree: int) -> PiecewisePolynomial:
    from scipy.interpolate import BSpline, PPoly

    pieces = PPoly.from_spline(BSpline(spline_knots(len(heights), start, end, degree), heights, degree))
    whole = np.diff(pieces.x) > 0
    return PiecewisePolynomial(np.append(pieces.x[:-1][whole], end), pieces.c[::-1, whole].T[:, :, None])
