"""Values and rates of the functions that move the axes of joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from myodyne.model import Constant, Fourier, Function, Linear, Polynomial, Product, Spline

SX = ca.SX


def value(function: Function, coordinates: Mapping[str, SX]) -> SX:
    """Return ``f(q)`` for coordinates given by name, symbols or constants."""
    match function:
        case Constant():
            return SX(function.value)
        case Linear():
            return function.slope * coordinates[function.coordinate] + function.offset
        case Polynomial():
            return _polynomial(function, coordinates)
        case Spline():
            return _spline(coordinates[function.coordinate], function.x, function.y)
        case Fourier():
            return _fourier(function, coordinates[function.coordinate])
        case Product():
            result = SX(1)
            for factor in function.factors:
                result = result * value(factor, coordinates)
            return result


def _polynomial(function: Polynomial, coordinates: Mapping[str, SX]) -> SX:
    result = SX(0)
    for term in function.terms:
        part = SX(term.coefficient)
        for name, power in zip(function.of, term.powers, strict=True):
            # Repeated products, not pow: exact at zero and cheaper; shared powers are found by CSE.
            for _ in range(power):
                part = part * coordinates[name]
        result = result + part
    return result


def _fourier(function: Fourier, q: SX) -> SX:
    frequency = 2 * np.pi / function.period
    result = SX(function.mean)
    for order, amplitude in enumerate(function.cosines, start=1):
        result = result + amplitude * ca.cos(order * frequency * q)
    for order, amplitude in enumerate(function.sines, start=1):
        result = result + amplitude * ca.sin(order * frequency * q)
    return result


def natural_curvatures(x: Any) -> NDArray[np.float64]:
    """Return the matrix that maps the ordinates of a natural cubic spline to its second derivatives at the knots."""
    from scipy.linalg import solve_banded

    knots = np.asarray(x, dtype=float)
    count = len(knots)
    curvatures = np.zeros((count, count))
    if count > 2:
        h = np.diff(knots)
        bands = np.zeros((3, count - 2))
        bands[1] = 2 * (h[:-1] + h[1:])
        bands[0, 1:] = h[1:-1]
        bands[2, :-1] = h[1:-1]
        differences = np.zeros((count - 2, count))
        rows = np.arange(count - 2)
        differences[rows, rows] = 6 / h[:-1]
        differences[rows, rows + 1] = -6 / h[:-1] - 6 / h[1:]
        differences[rows, rows + 2] = 6 / h[1:]
        curvatures[1:-1] = solve_banded((1, 1), bands, differences)
    return curvatures


def _spline(q: SX, x: Sequence[float], y: Sequence[Any]) -> SX:
    """Return a natural cubic spline, straight beyond its ends; ordinates may be symbolic."""
    knots = np.asarray(x, dtype=float)
    h = np.diff(knots)
    ordinates = ca.vertcat(*map(SX, y))
    curvature = SX(ca.DM(natural_curvatures(knots))) @ ordinates
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


def rates(f: SX, q: SX, v: SX) -> tuple[SX, SX]:
    """Return the gradient ``∇f`` (row) and the velocity term ``vᵀ H v`` of a function of the coordinates."""
    gradient = ca.jacobian(f, q)
    if gradient.nnz() == 0 or gradient.is_constant():
        return gradient, SX(0)
    rate = gradient @ v
    return gradient, ca.jacobian(rate, q) @ v
