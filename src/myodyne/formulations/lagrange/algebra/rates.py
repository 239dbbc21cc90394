"""Values with their rates: arithmetic that propagates the time derivative."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from sympy import Expr

    from myodyne.formulations.lagrange.algebra.jets import Number

# Every algorithm here is written once, and checked for both kinds of scalar: numbers or jets, and SymPy expressions.
Scalar = TypeVar("Scalar", "Number", "Expr")
Functions: TypeAlias = Mapping[str, Callable[[Scalar], Scalar]]

# The derivative of each function from its table of functions f, its argument x and its value y.
_DERIVATIVES: dict[str, Callable[[Functions[Any], Any, Any], Any]] = {
    "sin": lambda f, x, y: f["cos"](x),
    "cos": lambda f, x, y: -f["sin"](x),
    "tan": lambda f, x, y: 1 + y * y,
    "asin": lambda f, x, y: 1 / f["sqrt"](1 - x * x),
    "acos": lambda f, x, y: -1 / f["sqrt"](1 - x * x),
    "atan": lambda f, x, y: 1 / (1 + x * x),
    "sqrt": lambda f, x, y: 1 / (2 * y),
    "exp": lambda f, x, y: y,
    "log": lambda f, x, y: 1 / x,
    "sinh": lambda f, x, y: f["cosh"](x),
    "cosh": lambda f, x, y: f["sinh"](x),
    "tanh": lambda f, x, y: 1 - y * y,
    "abs": lambda f, x, y: f["sign"](x),
    "sign": lambda f, x, y: 0 * y,
}
FUNCTIONS = tuple(_DERIVATIVES)


@dataclass(frozen=True, slots=True)
class Dual(Generic[Scalar]):
    """A value and its total derivative by time, both scalars of one algebra."""

    value: Scalar
    rate: Scalar

    def __add__(self, other: Dual[Scalar]) -> Dual[Scalar]:
        return Dual(self.value + other.value, self.rate + other.rate)

    def __sub__(self, other: Dual[Scalar]) -> Dual[Scalar]:
        return Dual(self.value - other.value, self.rate - other.rate)

    def __neg__(self) -> Dual[Scalar]:
        return Dual(-self.value, -self.rate)

    def __mul__(self, other: Dual[Scalar]) -> Dual[Scalar]:
        return Dual(self.value * other.value, self.rate * other.value + self.value * other.rate)

    def __truediv__(self, other: Dual[Scalar]) -> Dual[Scalar]:
        ratio = self.value / other.value
        if is_zero(other.rate):
            return Dual(ratio, self.rate / other.value)
        return Dual(ratio, (self.rate - ratio * other.rate) / other.value)

    def power(self, exponent: Dual[Scalar], functions: Functions[Scalar]) -> Dual[Scalar]:
        """Return this value raised to a power, which may vary too."""
        if is_zero(exponent.rate):
            value = self.value**exponent.value
            if isinstance(value, complex):
                raise ValueError(f"{self.value:.6g} to the power {exponent.value:g} is not real")
            if is_zero(self.rate):
                return Dual(value, self.rate)
            return Dual(value, exponent.value * self.value ** (exponent.value - 1) * self.rate)
        return applied("exp", exponent * applied("log", self, functions), functions)


def applied(function: str, argument: Dual[Scalar], functions: Functions[Scalar]) -> Dual[Scalar]:
    """Return a function of a value that varies."""
    value = functions[function](argument.value)
    if is_zero(argument.rate):
        return Dual(value, argument.rate)
    return Dual(value, derivative_of(function, functions, argument.value, value) * argument.rate)


def derivative_of(function: str, functions: Functions[Scalar], argument: Scalar, value: Scalar) -> Scalar:
    """Return the derivative of a function at an argument, where it has this value."""
    slope: Scalar = _DERIVATIVES[function](functions, argument, value)
    return slope


def is_zero(scalar: object) -> bool:
    """Return whether a scalar is the constant zero, not merely zero at this point."""
    return bool(scalar == 0)
