"""Values with their rates: arithmetic that carries the time derivative along."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Functions = Mapping[str, Callable[[Any], Any]]

# The derivative of each function from its table of functions f, its argument x and its value y.
_DERIVATIVES: dict[str, Callable[[Functions, Any, Any], Any]] = {
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
}
FUNCTIONS = tuple(_DERIVATIVES)


@dataclass(frozen=True, slots=True)
class Dual:
    """A value and its total derivative by time, both scalars of one algebra."""

    value: Any
    rate: Any

    def __add__(self, other: Dual) -> Dual:
        return Dual(self.value + other.value, self.rate + other.rate)

    def __sub__(self, other: Dual) -> Dual:
        return Dual(self.value - other.value, self.rate - other.rate)

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.rate)

    def __mul__(self, other: Dual) -> Dual:
        return Dual(self.value * other.value, self.rate * other.value + self.value * other.rate)

    def __truediv__(self, other: Dual) -> Dual:
        ratio = self.value / other.value
        if is_zero(other.rate):
            return Dual(ratio, self.rate / other.value)
        return Dual(ratio, (self.rate - ratio * other.rate) / other.value)

    def power(self, exponent: Dual, functions: Functions) -> Dual:
        """Return this value to a power, which may vary itself."""
        if is_zero(exponent.rate):
            value = self.value**exponent.value
            if isinstance(value, complex):
                raise ValueError(f"{self.value:.6g} has no power {exponent.value:g}")
            if is_zero(self.rate):
                return Dual(value, self.rate)
            return Dual(value, exponent.value * self.value ** (exponent.value - 1) * self.rate)
        return applied("exp", exponent * applied("log", self, functions), functions)


def applied(function: str, argument: Dual, functions: Functions) -> Dual:
    """Return a function of a value that varies."""
    value = functions[function](argument.value)
    if is_zero(argument.rate):
        return Dual(value, argument.rate)
    return Dual(value, derivative_of(function, functions, argument.value, value) * argument.rate)


def derivative_of(function: str, functions: Functions, argument: Any, value: Any) -> Any:
    """Return the derivative of a function at an argument, where it has this value."""
    return _DERIVATIVES[function](functions, argument, value)


def is_zero(scalar: Any) -> bool:
    """Tell whether a scalar is the number zero itself, not merely zero at this point."""
    return bool(scalar == 0)
