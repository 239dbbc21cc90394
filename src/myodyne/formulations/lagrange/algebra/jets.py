"""Jets: numbers that carry their first and second derivatives, so that no symbols are needed.

A jet holds a value, its gradient and its Hessian with respect to the independent variables. Sums, products and
functions of jets follow the chain rule to second order, so a kinetic energy computed with jets carries every
derivative that Lagrange's equations need.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from myodyne.types import Floats

Number: TypeAlias = "float | Jet"

# Value, first and second derivative of each function, from its argument x and value y.
_SERIES: dict[str, tuple[Callable[[float], float], Callable[[float, float], tuple[float, float]]]] = {
    "sin": (math.sin, lambda x, y: (math.cos(x), -y)),
    "cos": (math.cos, lambda x, y: (-math.sin(x), -y)),
    "tan": (math.tan, lambda x, y: (1 + y * y, 2 * y * (1 + y * y))),
    "asin": (math.asin, lambda x, y: ((1 - x * x) ** -0.5, x * (1 - x * x) ** -1.5)),
    "acos": (math.acos, lambda x, y: (-((1 - x * x) ** -0.5), -x * (1 - x * x) ** -1.5)),
    "atan": (math.atan, lambda x, y: (1 / (1 + x * x), -2 * x / (1 + x * x) ** 2)),
    "sqrt": (math.sqrt, lambda x, y: (0.5 / y, -0.25 / y**3)),
    "exp": (math.exp, lambda x, y: (y, y)),
    "log": (math.log, lambda x, y: (1 / x, -1 / (x * x))),
    "sinh": (math.sinh, lambda x, y: (math.cosh(x), y)),
    "cosh": (math.cosh, lambda x, y: (math.sinh(x), y)),
    "tanh": (math.tanh, lambda x, y: (1 - y * y, -2 * y * (1 - y * y))),
    "abs": (abs, lambda x, y: (float(np.sign(x)), 0.0)),
    "sign": (lambda x: float(np.sign(x)), lambda x, y: (0.0, 0.0)),
}


class Jet:
    """A value with gradient and Hessian. Plain numbers combined with it are constants."""

    __slots__ = ("gradient", "hessian", "value")

    def __init__(self, value: float, gradient: Floats, hessian: Floats) -> None:
        self.value = value
        self.gradient = gradient
        self.hessian = hessian

    def __repr__(self) -> str:
        return f"Jet({self.value!r})"

    def composed(self, value: float, first: float, second: float) -> Jet:
        """Return a function of this jet by its value and derivatives (the chain rule)."""
        gradient = self.gradient
        return Jet(value, first * gradient, first * self.hessian + second * np.outer(gradient, gradient))

    def __add__(self, other: Number) -> Jet:
        if isinstance(other, Jet):
            return Jet(self.value + other.value, self.gradient + other.gradient, self.hessian + other.hessian)
        return Jet(self.value + other, self.gradient, self.hessian)

    __radd__ = __add__

    def __neg__(self) -> Jet:
        return Jet(-self.value, -self.gradient, -self.hessian)

    def __sub__(self, other: Number) -> Jet:
        return self + (-other)

    def __rsub__(self, other: Number) -> Jet:
        return -self + other

    def __mul__(self, other: Number) -> Number:
        if isinstance(other, Jet):
            mixed = np.outer(self.gradient, other.gradient)
            return Jet(
                self.value * other.value,
                self.value * other.gradient + other.value * self.gradient,
                self.value * other.hessian + other.value * self.hessian + mixed + mixed.T,
            )
        # A constant zero stays constant: planar mechanisms are full of them.
        return 0.0 if other == 0 else Jet(self.value * other, self.gradient * other, self.hessian * other)

    __rmul__ = __mul__

    def __truediv__(self, other: Number) -> Number:
        return self * (other**-1 if isinstance(other, Jet) else 1 / other)

    def __rtruediv__(self, other: float) -> Number:
        return other * self**-1

    def __pow__(self, exponent: Number) -> Number:
        if isinstance(exponent, Jet):
            return function("exp")(exponent * function("log")(self))
        x, n = self.value, exponent
        if x < 0 and n != int(n):
            raise ValueError(f"{x:.6g} to the power {n:g} is not real")
        first = n * x ** (n - 1) if n != 0 else 0.0
        second = n * (n - 1) * x ** (n - 2) if n not in (0, 1) else 0.0
        return self.composed(x**n, first, second)

    def __rpow__(self, base: float) -> Number:
        return function("exp")(self * math.log(base))


def function(name: str) -> Callable[[Number], Number]:
    """Return a function that takes numbers and jets."""
    plain, derivatives = _SERIES[name]

    def of(x: Number) -> Number:
        if not isinstance(x, Jet):
            return plain(x)
        value = plain(x.value)
        return x.composed(value, *derivatives(x.value, value))

    return of


def variables(values: Sequence[float]) -> list[Jet]:
    """Return independent variables: each has unit gradient with respect to itself.

    Examples
    --------
    >>> x, y = variables([2.0, 3.0])
    >>> (x * x * y).gradient
    array([12.,  4.])
    """
    size = len(values)
    unit, nothing = np.eye(size), np.zeros((size, size))
    return [Jet(float(value), unit[number], nothing) for number, value in enumerate(values)]


def gradient_of(scalar: Number, size: int) -> Floats:
    """Return the gradient of a jet, zero for a constant."""
    return scalar.gradient if isinstance(scalar, Jet) else np.zeros(size)


def hessian_of(scalar: Number, size: int) -> Floats:
    """Return the Hessian of a jet, zero for a constant."""
    return scalar.hessian if isinstance(scalar, Jet) else np.zeros((size, size))


def value_of(scalar: Number) -> float:
    """Return the value of a jet or number."""
    return float(scalar.value if isinstance(scalar, Jet) else scalar)


class JetAlgebra:
    """Plain numbers and jets."""

    pi = math.pi

    def __init__(self) -> None:
        self.functions = {name: function(name) for name in _SERIES}

    def number(self, value: float) -> float:
        return float(value)

    def signed_power(self, base: Number, exponent: float) -> float:
        """Return ``sign(x) |x|ⁿ`` as a plain number: dampers' forces are not differentiated, and |x|ⁿ may not be."""
        value = value_of(base)
        return math.copysign(abs(value) ** exponent, value)
