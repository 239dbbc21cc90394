"""Joint variables: values, gradients and Hessians of the functions that move the axes of joints.

The derivatives are written by hand, independent of the automatic differentiation of the production equations, so
that each verifies the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from myodyne.errors import ModelError
from myodyne.formulations.matrix_calculus.calculus import Array
from myodyne.model import Constant, Fourier, Function, Linear, Model, PiecewiseLinear, Polynomial, Product, Spline
from myodyne.types import Floats


@dataclass(frozen=True, eq=False)
class JointVariables:
    """Values, gradients and Hessians of all joint variables ``f_j(q)``, in the order of the frames.

    Parameters
    ----------
    values : (k,) ``f_j`` (rad or m).
    gradients : (k, n) ``∇f_j``.
    hessians : (k, n, n) ``H_j``.
    """

    values: Array
    gradients: Array
    hessians: Array

    def __post_init__(self) -> None:
        count, size = self.gradients.shape
        if self.values.shape != (count,) or self.hessians.shape != (count, size, size):
            raise ValueError(
                f"{count} joint variables of {size} coordinates need values ({count},), gradients ({count}, {size}) "
                f"and Hessians ({count}, {size}, {size}), not {self.values.shape}, {self.gradients.shape} and "
                f"{self.hessians.shape}"
            )


@dataclass(frozen=True, eq=False)
class JointVariable:
    """A function of the coordinates at one pose: value, gradient (n,) and Hessian (n, n)."""

    value: complex
    gradient: Array
    hessian: Array

    def __add__(self, other: JointVariable) -> JointVariable:
        return JointVariable(self.value + other.value, self.gradient + other.gradient, self.hessian + other.hessian)

    def __mul__(self, other: JointVariable) -> JointVariable:
        mixed = np.multiply.outer(self.gradient, other.gradient)
        return JointVariable(
            self.value * other.value,
            self.value * other.gradient + other.value * self.gradient,
            self.value * other.hessian + other.value * self.hessian + mixed + mixed.T,
        )

    def through(self, value: complex, slope: complex, curvature: complex) -> JointVariable:
        """Return ``h(f)`` for a function ``h`` of one variable with this value, slope and curvature at ``f``."""
        outer = np.multiply.outer(self.gradient, self.gradient)
        return JointVariable(value, slope * self.gradient, slope * self.hessian + curvature * outer)

    @staticmethod
    def constant(value: complex, size: int) -> JointVariable:
        return JointVariable(value, np.zeros(size), np.zeros((size, size)))


Coordinates: TypeAlias = Mapping[str, JointVariable]
Evaluator: TypeAlias = Callable[[Coordinates, int], JointVariable]


def coordinate_variables(
    q: Array, moving: Sequence[str], fixed: Mapping[str, float], coupled: Mapping[str, Evaluator] | None = None
) -> dict[str, JointVariable]:
    """Return all coordinates by name as functions of the moving ones.

    Fixed ones are constants, coupled ones follow their functions; each must come after the coordinates on which it
    depends.
    """
    size = len(moving)
    unit, flat = np.eye(size), np.zeros((size, size))
    variables = {name: JointVariable.constant(value, size) for name, value in fixed.items()}
    variables |= {name: JointVariable(q[number], unit[number], flat) for number, name in enumerate(moving)}
    for name, evaluate in (coupled or {}).items():
        variables[name] = evaluate(variables, size)
    return variables


def couplings(model: Model) -> dict[str, Evaluator]:
    """Return evaluators of the coupled coordinates, each after those on which it depends."""
    waiting = {name: part.coupled for name, part in model.coordinates.items() if part.coupled is not None}
    found: dict[str, Evaluator] = {}
    while waiting:
        # The model is checked to have no cycles, so every round finds at least one.
        for name in [n for n, function in waiting.items() if not waiting.keys() & set(function.coordinates)]:
            found[name] = evaluator(waiting.pop(name))
    return found


def evaluator(function: Function) -> Evaluator:
    """Return an evaluator of a joint function and its derivatives from coordinates by name.

    Examples
    --------
    >>> roll = evaluator(Polynomial(of=("knee",), terms=[{"coefficient": 2.0, "powers": [3]}]))
    >>> variable = roll(coordinate_variables(np.array([0.5]), ["knee"], {}), 1)
    >>> float(variable.value), variable.gradient.tolist(), variable.hessian.tolist()
    (0.25, [1.5], [[6.0]])
    """
    match function:
        case Constant():
            constant = function.value
            return lambda coordinates, size: JointVariable.constant(constant, size)
        case Linear():
            name, slope, offset = function.coordinate, function.slope, function.offset
            return lambda coordinates, size: coordinates[name].through(
                offset + slope * coordinates[name].value, slope, 0.0
            )
        case Polynomial():
            return _polynomial(function)
        case Spline():
            return _spline(function)
        case Fourier():
            return _fourier(function)
        case Product():
            return _product(function)
        case PiecewiseLinear():
            return _piecewise_linear(function)
        case _:
            raise ModelError(f"the matrix calculus does not support a function of kind '{function.kind}'")


def _product(function: Product) -> Evaluator:
    factors = [evaluator(factor) for factor in function.factors]

    def evaluate(coordinates: Coordinates, size: int) -> JointVariable:
        result = factors[0](coordinates, size)
        for factor in factors[1:]:
            result = result * factor(coordinates, size)
        return result

    return evaluate


def _polynomial(function: Polynomial) -> Evaluator:
    def evaluate(coordinates: Coordinates, size: int) -> JointVariable:
        total = JointVariable.constant(0.0, size)
        for term in function.terms:
            part = JointVariable.constant(term.coefficient, size)
            for name, power in zip(function.of, term.powers, strict=True):
                if power:
                    part = part * _power(coordinates[name], power)
            total = total + part
        return total

    return evaluate


def _power(base: JointVariable, power: int) -> JointVariable:
    """Return an integer power; terms with a zero factor are left out, lest they divide zero by zero."""
    x = base.value
    slope = power * x ** (power - 1)
    curvature = power * (power - 1) * x ** (power - 2) if power > 1 else 0.0
    return base.through(x**power, slope, curvature)


def _fourier(function: Fourier) -> Evaluator:
    order = np.arange(1, max(len(function.cosines), len(function.sines)) + 1)
    frequencies = 2 * np.pi / function.period * order
    cosines, sines = np.zeros((2, len(order)))
    cosines[: len(function.cosines)] = function.cosines
    sines[: len(function.sines)] = function.sines

    def evaluate(coordinates: Coordinates, size: int) -> JointVariable:
        at = coordinates[function.coordinate]
        c, s = np.cos(frequencies * at.value), np.sin(frequencies * at.value)
        wave = cosines * c + sines * s
        rate = frequencies * (sines * c - cosines * s)
        value = function.mean + function.slope * at.value + wave.sum()
        return at.through(value, function.slope + rate.sum(), -(frequencies**2 * wave).sum())

    return evaluate


def _piecewise_linear(function: PiecewiseLinear) -> Evaluator:
    knots, ordinates = np.array(function.x), np.array(function.y)
    slopes = np.diff(ordinates) / np.diff(knots)

    def evaluate(coordinates: Coordinates, size: int) -> JointVariable:
        at = coordinates[function.coordinate]
        piece = int(np.clip(np.searchsorted(knots, np.real(at.value), side="right") - 1, 0, len(slopes) - 1))
        return at.through(ordinates[piece] + slopes[piece] * (at.value - knots[piece]), slopes[piece], 0.0)

    return evaluate


def _spline(function: Spline) -> Evaluator:
    from scipy.interpolate import CubicSpline

    knots, ordinates = np.array(function.x), np.array(function.y)
    curvatures = end_curvatures(knots, ordinates) if function.ends == "cubic" else (0.0, 0.0)
    curve = CubicSpline(knots, ordinates, bc_type=tuple((2, curvature) for curvature in curvatures))
    pieces = curve.c.T  # cubic first
    end_slopes = curve(knots[[0, -1]], 1)

    def evaluate(coordinates: Coordinates, size: int) -> JointVariable:
        at = coordinates[function.coordinate]
        # The piece is chosen by the real part, so that a complex step differentiates the piece.
        where = np.real(at.value)
        for end, beyond in ((0, where < knots[0]), (-1, where > knots[-1])):
            if beyond:
                slope = end_slopes[end]
                return at.through(function.y[end] + slope * (at.value - knots[end]), slope, 0.0)
        piece = min(max(int(np.searchsorted(knots, where, side="right")) - 1, 0), len(knots) - 2)
        c3, c2, c1, c0 = pieces[piece]
        t = at.value - knots[piece]
        return at.through(c0 + t * (c1 + t * (c2 + t * c3)), c1 + t * (2 * c2 + 3 * t * c3), 2 * c2 + 6 * t * c3)

    return evaluate


def end_curvatures(knots: Floats, ordinates: Floats) -> tuple[float, float]:
    """Return the second derivatives at both ends for which the third ones are those of `Spline.ends` "cubic".

    A spline is linear in its ordinates and end curvatures, so three splines determine the two curvatures.
    """
    from scipy.interpolate import CubicSpline

    if len(knots) == 2:
        return 0.0, 0.0

    def third_derivatives(y: Floats, first: float, last: float) -> Floats:
        curve = CubicSpline(knots, y, bc_type=((2, first), (2, last)))
        return np.array([6 * curve.c[0, 0], 6 * curve.c[0, -1]])

    def through_four(points: slice) -> float:
        # The cubic through the four points nearest to an end; with three points its third derivative is zero.
        x, y = knots[points], ordinates[points]
        return 6 * float(np.linalg.solve(np.vander(x - x[0]), y)[0]) if len(x) == 4 else 0.0

    wanted = np.array([through_four(slice(None, 4)), through_four(slice(-4, None))])
    flat = np.zeros_like(ordinates)
    by_ends = np.column_stack([third_derivatives(flat, 1.0, 0.0), third_derivatives(flat, 0.0, 1.0)])
    first, last = np.linalg.solve(by_ends, wanted - third_derivatives(ordinates, 0.0, 0.0))
    return float(first), float(last)
