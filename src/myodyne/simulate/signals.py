"""The controls of a simulation: numbers and signals by name, merged into one function of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from numbers import Real
from typing import TypeAlias, TypeGuard

from myodyne.data.curves.signals import (
    Signal,
    bezier,
    bspline,
    constant,
    piecewise_constant,
    piecewise_linear,
    recorded,
    step,
)
from myodyne.errors import ModelError, unknown_name
from myodyne.numerics.piecewise import PiecewisePolynomial

__all__ = [
    "Control",
    "Signal",
    "as_signal",
    "bezier",
    "bspline",
    "constant",
    "merged",
    "piecewise_constant",
    "piecewise_linear",
    "recorded",
    "step",
]

# What `simulate` takes for a control.
Control: TypeAlias = float | Signal


def as_signal(value: Control, name: str) -> Signal:
    """Return a control as a signal: a number, or a signal already."""
    if isinstance(value, Signal):
        return value
    if _is_number(value):
        return constant(_finite(value, name))
    raise ModelError(
        f"control '{name}' is a number or a signal (my.step, my.piecewise_constant, my.piecewise_linear, my.bezier, "
        f"my.bspline, my.recorded), not {type(value).__name__}"
    )


def merged(controls: Mapping[str, Control], names: Sequence[str]) -> PiecewisePolynomial:
    """Return all controls of a model as one piecewise polynomial; those not mentioned are zero."""
    for name in controls:
        if name not in names:
            raise ModelError(unknown_name("control", name, names))
    given = {name: controls.get(name, 0.0) for name in names}
    numbers = {name: _finite(value, name) for name, value in given.items() if _is_number(value)}
    if len(numbers) < 2:
        return PiecewisePolynomial.merged([as_signal(value, name).pieces for name, value in given.items()])
    # Numbers, which most controls are, need no pieces of their own.
    others = [name for name in names if name not in numbers]
    parts = [PiecewisePolynomial.constant(list(numbers.values()))]
    parts += [as_signal(given[name], name).pieces for name in others]
    found = parts[0] if not others else PiecewisePolynomial.merged(parts)
    order = {name: number for number, name in enumerate([*numbers, *others])}
    return PiecewisePolynomial(found.breaks, found.coefficients[:, :, [order[name] for name in names]])


def _finite(value: float, name: str) -> float:
    if not isfinite(value):
        raise ModelError(f"control '{name}' cannot be {value}")
    return float(value)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, Real) and not isinstance(value, bool)
