"""Values, gradients and curvatures of the functions that move the axes of joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from myodyne.model import Arc, Constant, Fourier, Function, Linear, PiecewiseLinear, Polynomial, Product, Spline
from myodyne.physics.arcs import end_across, end_along
from myodyne.physics.spatial import SX, Scalar
from myodyne.types import Floats


@dataclass(frozen=True)
class CoordinateJet:
    """A function of the coordinates along a motion: its value f, its rate ∇f·v, and the terms of f̈ = ∇f·v̇ + vᵀHv.

    ``gradient`` is the row ∇f, ``velocity_term`` is vᵀHv. Written out by the rules of calculus, not by
    differentiating the code of the value: series then share one basis for value, slope and curvature. Where cosine and
    sine of the value are known without the value itself, they are its ``direction``.
    """

    value: SX
    gradient: SX
    rate: SX
    velocity_term: SX
    direction: tuple[SX, SX] | None = None

    @staticmethod
    def constant(value: Scalar, size: int) -> CoordinateJet:
        return CoordinateJet(SX(value), SX(1, size), SX(0), SX(0))

    @staticmethod
    def coordinate(q: SX, v: SX, number: int) -> CoordinateJet:
        gradient = SX(1, q.numel())
        gradient[0, number] = 1
        return CoordinateJet(q[number], gradient, v[number], SX(0))

    def scaled(self, factor: Scalar) -> CoordinateJet:
        if isinstance(factor, float) and factor == 1.0:
            return self
        direction = None
        if self.direction is not None and isinstance(factor, float) and factor == -1.0:
            direction = self.direction[0], -self.direction[1]
        return CoordinateJet(
            factor * self.value, factor * self.gradient, factor * self.rate, factor * self.velocity_term, direction
        )

    def __add__(self, other: CoordinateJet) -> CoordinateJet:
        return CoordinateJet(
            self.value + other.value,
            self.gradient + other.gradient,
            self.rate + other.rate,
            self.velocity_term + other.velocity_term,
        )

    def __mul__(self, other: CoordinateJet) -> CoordinateJet:
        return CoordinateJet(
            self.value * other.value,
            self.value * other.gradient + other.value * self.gradient,
            self.value * other.rate + other.value * self.rate,
            self.value * other.velocity_term + other.value * self.velocity_term + 2 * self.rate * other.rate,
        )

    def through(self, value: SX, slope: SX, curvature: SX) -> CoordinateJet:
        """Return F(self) for a function of one variable with known derivatives."""
        return CoordinateJet(
            value,
            slope * self.gradient,
            slope * self.rate,
            curvature * self.rate**2 + slope * self.velocity_term,
        )

    def held(self, low: Scalar, high: Scalar) -> CoordinateJet:
        """Return the value clamped to a range."""
        inside = ca.logic_and(self.value >= low, self.value <= high)
        return self.through(ca.fmin(ca.fmax(self.value, low), high), inside, SX(0))


def jet(function: Function, coordinates: Mapping[str, CoordinateJet], size: int) -> CoordinateJet:
    """Return a function of coordinates that are given by name, ``size`` moving ones in all."""
    match function:
        case Constant():
            return CoordinateJet.constant(function.value, size)
        case Linear():
            scaled = coordinates[function.coordinate].scaled(function.slope)
            unmoved = isinstance(function.offset, float) and function.offset == 0.0
            return scaled if unmoved else scaled + CoordinateJet.constant(function.offset, size)
        case Polynomial():
            return _polynomial(function, coordinates, size)
        case Spline():
            inner = coordinates[function.coordinate]
            return _through_code(inner, lambda q: _spline(q, function.x, function.y, function.ends))
        case PiecewiseLinear():
            inner = coordinates[function.coordinate]
            return _through_code(inner, lambda q: _piecewise_linear(q, function.x, function.y))
        case Fourier():
            return _fourier(function, coordinates[function.coordinate])
        case Arc():
            return arc(function, coordinates, size)
        case Product():
            result = CoordinateJet.constant(1.0, size)
            for factor in function.factors:
                result = result * jet(factor, coordinates, size)
            return result


def _polynomial(function: Polynomial, coordinates: Mapping[str, CoordinateJet], size: int) -> CoordinateJet:
    if len(function.of) == 1:
        return _horner(function, coordinates[function.of[0]])
    result = CoordinateJet.constant(0.0, size)
    for term in function.terms:
        part = CoordinateJet.constant(1.0, size)
        for name, power in zip(function.of, term.powers, strict=True):
            # Repeated products, not pow: exact at zero and cheaper; shared powers are found by CSE.
            for _ in range(power):
                part = part * coordinates[name]
        result = result + part.scaled(term.coefficient)
    return result


def _horner(function: Polynomial, inner: CoordinateJet) -> CoordinateJet:
    """Return a polynomial of one variable, its slope and curvature in the same sweep over its powers."""
    coefficients: dict[int, Scalar] = {}
    for term in function.terms:
        coefficients[term.powers[0]] = coefficients.get(term.powers[0], 0.0) + term.coefficient
    value, slope, bend = SX(0), SX(0), SX(0)
    for power in reversed(range(max(coefficients) + 1)):
        bend, slope = bend * inner.value + slope, slope * inner.value + value
        value = value * inner.value + coefficients.get(power, 0.0)
    return inner.through(value, slope, 2 * bend)


def _fourier(function: Fourier, angle: CoordinateJet) -> CoordinateJet:
    """Return a Fourier series; each harmonic is the previous one rotated, without sines and cosines of its own."""
    frequency = 2 * np.pi / function.period
    q = angle.value
    value, slope, curvature = function.mean + function.slope * q, SX(function.slope), SX(0)
    first_cosine, first_sine = ca.cos(frequency * q), ca.sin(frequency * q)
    cosine, sine = first_cosine, first_sine
    orders = max(len(function.cosines), len(function.sines))
    for order in range(1, orders + 1):
        a = function.cosines[order - 1] if order <= len(function.cosines) else 0.0
        b = function.sines[order - 1] if order <= len(function.sines) else 0.0
        k = order * frequency
        value = value + a * cosine + b * sine
        slope = slope + (b * k) * cosine - (a * k) * sine
        curvature = curvature - (a * k**2) * cosine - (b * k**2) * sine
        cosine, sine = cosine * first_cosine - sine * first_sine, sine * first_cosine + cosine * first_sine
    return angle.through(value, slope, curvature)


def arc(function: Arc, coordinates: Mapping[str, CoordinateJet], size: int) -> CoordinateJet:
    """Return where the end of an arc lies along one axis."""
    first, second = (
        coordinates[name] + CoordinateJet.constant(angle, size)
        for name, angle in zip(function.of, function.neutral, strict=True)
    )
    (cosine_a, sine_a), (cosine_b, sine_b) = (
        (
            angle.through(ca.cos(angle.value), -ca.sin(angle.value), -ca.cos(angle.value)),
            angle.through(ca.sin(angle.value), ca.cos(angle.value), -ca.sin(angle.value)),
        )
        for angle in (first, second)
    )
    # One less the cosine of the whole bend, of which all shares of the length are smooth functions.
    bend = (cosine_a * cosine_b).scaled(-1.0) + CoordinateJet.constant(1.0, size)
    if function.along == "y":
        return _through_code(bend, end_along).scaled(function.length)
    direction = sine_b.scaled(-1.0) if function.along == "x" else sine_a * cosine_b
    return (_through_code(bend, end_across) * direction).scaled(function.length)


def _through_code(inner: CoordinateJet, code: Callable[[SX], SX]) -> CoordinateJet:
    """Return a function of one variable whose derivatives are taken from its own code."""
    symbol = SX.sym("inner")
    value = code(symbol)
    slope = ca.jacobian(value, symbol)
    curvature = ca.jacobian(slope, symbol)
    substituted = ca.substitute([value, ca.densify(slope), ca.densify(curvature)], [symbol], [inner.value])
    return inner.through(*substituted)


def curvatures_at_knots(x: ArrayLike, ends: str) -> Floats:
    """Return the matrix that maps the ordinates of a cubic spline to its second derivatives at the knots.

    With natural ends these are zero in the first and the last; otherwise the third derivative there is that of the
    cubic through the four nearest points, and zero where there are only three.
    """
    from scipy.linalg import solve_banded

    knots = np.asarray(x, dtype=float)
    count = len(knots)
    if count == 2:
        return np.zeros((2, 2))
    h = np.diff(knots)
    bands = np.zeros((3, count))
    bands[1, 1:-1] = 2 * (h[:-1] + h[1:])
    bands[0, 2:] = h[1:]
    bands[2, :-2] = h[:-1]
    differences = np.zeros((count, count))
    rows = np.arange(1, count - 1)
    differences[rows, rows - 1] = 6 / h[:-1]
    differences[rows, rows] = -6 / h[:-1] - 6 / h[1:]
    differences[rows, rows + 1] = 6 / h[1:]
    bands[1, 0] = bands[1, -1] = 1.0
    if ends != "natural":
        bands[0, 1] = bands[2, -2] = -1.0
        if count > 3:
            differences[0, :4] = -h[0] * _third_derivative(knots[:4])
            differences[-1, -4:] = h[-1] * _third_derivative(knots[-4:])
    return solve_banded((1, 1), bands, differences)  # type: ignore[no-any-return]


def _third_derivative(knots: Floats) -> Floats:
    """Return the weights of four ordinates in the third derivative of the cubic through them."""
    return np.array([6.0 / np.prod([one - other for other in knots if other != one]) for one in knots])


def _piecewise_linear(q: SX, x: Sequence[float], y: Sequence[Scalar]) -> SX:
    """Return a piecewise linear function; each knot adds its change of slope."""
    slopes = [(y[k + 1] - y[k]) / (x[k + 1] - x[k]) for k in range(len(x) - 1)]
    result: SX = y[0] + slopes[0] * (q - x[0])
    for k in range(1, len(slopes)):
        result = result + (slopes[k] - slopes[k - 1]) * ca.fmax(q - x[k], 0)
    return result


def _spline(q: SX, x: Sequence[float], y: Sequence[Scalar], ends: str) -> SX:
    """Return a cubic spline, straight beyond its ends; ordinates may be symbolic."""
    knots = np.asarray(x, dtype=float)
    h = np.diff(knots)
    ordinates = ca.vertcat(*map(SX, y))
    curvature = SX(ca.DM(curvatures_at_knots(knots, ends))) @ ordinates
    slope = [
        (ordinates[k + 1] - ordinates[k]) / h[k] - h[k] * (2 * curvature[k] + curvature[k + 1]) / 6
        for k in range(len(h))
    ]
    last_slope = slope[-1] + h[-1] * (curvature[-2] + curvature[-1]) / 2
    inside = ca.fmin(ca.fmax(q, knots[0]), knots[-1])
    passed = [inside >= knot for knot in knots[1:-1]]

    def chosen(values: Sequence[SX]) -> SX:
        """Return the entry of the interval that q lies in; sums of steps, because SX has no table look-up."""
        result: SX = SX(values[0])
        for step, before, after in zip(passed, values, values[1:], strict=False):
            result = result + step * (after - before)
        return result

    d = inside - chosen([SX(k) for k in knots[:-1]])
    bend = chosen([curvature[k] for k in range(len(h))])
    twist = chosen([(curvature[k + 1] - curvature[k]) / h[k] for k in range(len(h))])
    cubic: SX = chosen([ordinates[k] for k in range(len(h))]) + d * (chosen(slope) + d * (bend / 2 + d * twist / 6))
    straight: SX = slope[0] * ca.fmin(q - knots[0], 0) + last_slope * ca.fmax(q - knots[-1], 0)
    return cubic + straight
