"""Constraints of a description as those of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from myodyne.errors import ModelError
from myodyne.formulations.lagrange.lists.records import Closure, Coincidence, Nonholonomic
from myodyne.formulations.lagrange.motions import motion_function
from myodyne.model import (
    Constraint as ModelConstraint,
    CouplerConstraint,
    MotionConstraint,
    PointConstraint,
    SpeedConstraint,
)

if TYPE_CHECKING:
    from sympy import Expr

    from myodyne.formulations.lagrange.to_model import Builder


def constraint_of(builder: Builder, name: str, constraint: Closure) -> ModelConstraint:
    """Return a constraint of the lists as one of a model; what a model does not have raises an error."""
    place = f"constraint '{name}'"
    match constraint:
        case Coincidence():
            first, second = builder.anchor(constraint.point), builder.anchor(constraint.against)
            axes = "xyz"[: builder.description.dimension]
            return PointConstraint(first=first.marker, second=second.marker, axes=axes)
        case Nonholonomic():
            return _speed(builder, builder.formula(builder.mechanics.constraints[name].rate), place)
        case _:
            row = builder.formula(builder.mechanics.constraints[name].value)
            driven = row.has(builder.equations.time)
            return _motion(builder, row, place) if driven else _coupler(builder, row, place)


def _speed(builder: Builder, row: Expr, place: str) -> SpeedConstraint:
    """Return a row of speeds that gives one speed a number."""
    speeds = {symbol: coordinate for coordinate, symbol in builder.equations.speeds.items()}
    symbols = row.free_symbols
    if len(symbols) == 1 and symbols <= set(speeds) and row.diff(*symbols).is_number:
        (symbol,) = symbols
        speed = -row.subs(symbol, 0) / row.diff(symbol)
        return SpeedConstraint(coordinate=speeds[symbol], speed=float(speed))
    raise ModelError(
        f"{place}: '{row} = 0' relates several speeds, which no constraint of a model does; numbers_of solves it"
    )


def _motion(builder: Builder, row: Expr, place: str) -> MotionConstraint:
    """Return a row ``a q - f(t)`` as the motion of one coordinate."""
    moving = [symbol for symbol in builder.coordinate_names if row.has(symbol)]
    if len(moving) == 1 and row.diff(moving[0]).is_number:
        motion = builder.sympy.expand(-row.subs(moving[0], 0) / row.diff(moving[0]))
        function = motion_function(motion, builder.equations.time, place)
        return MotionConstraint(coordinate=builder.coordinate_names[moving[0]], function=function)
    raise ModelError(f"{place}: '{row} = 0' contains t but is not the motion of one coordinate, which a model needs")


def _coupler(builder: Builder, row: Expr, place: str) -> CouplerConstraint:
    """Return a constraint solved for a coordinate that occurs in it once and linearly."""
    terms = builder.polynomial(row, place)
    for powers, slope in terms.items():
        single = powers[0][0] if len(powers) == 1 and powers[0][1] == 1 else None
        others = {other: value for other, value in terms.items() if other != powers}
        if single is not None and not any(single in dict(other) for other in others):
            rest = {other: -value / slope for other, value in others.items()}
            return CouplerConstraint(coordinate=single, function=builder.function(rest))
    raise ModelError(f"{place} cannot be solved for one coordinate, which a model needs; close loops with Coincidence")
