"""Forces by formulas, as expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import casadi as ca

from myodyne.model import CoordinateFormula, LineFormula, PathFormula
from myodyne.model.formulas import MOTION, SPAN, STRETCH, Formula, parsed
from myodyne.physics.forces.applied import Applied, Effect
from myodyne.physics.paths import Paths
from myodyne.physics.spatial import SX, dot

_OPERATIONS: Mapping[str, Callable[..., SX]] = {
    "negative": lambda a: -a,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": lambda a, b: a**b,
    **{
        name: getattr(ca, name)
        for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt")
    },
    "abs": ca.fabs,
    "step": lambda a: ca.if_else(a >= 0, 1, 0),
    "square": lambda a: a**2,
    "cube": lambda a: a**3,
    "recip": lambda a: 1 / a,
    "min": ca.fmin,
    "max": ca.fmax,
}


def expression(formula: Formula, variables: Mapping[str, SX]) -> SX:
    """Return a parsed formula as an expression of its variables."""
    if isinstance(formula, float):
        return SX(formula)
    if isinstance(formula, str):
        return variables[formula]
    name, parts = formula
    if name == "^" and isinstance(parts[1], float):
        # A number, so that whole powers of negative values have derivatives.
        return expression(parts[0], variables) ** parts[1]
    return _OPERATIONS[name](*(expression(part, variables) for part in parts))


def coordinate_formula(applied: Applied, force: CoordinateFormula) -> Effect:
    """Add a torque on a coordinate."""
    coordinate = applied.kinematics.tree.coordinates[force.coordinate]
    held = dict(zip(MOTION, (coordinate.value, coordinate.rate), strict=True))
    return applied.on_coordinate(force.coordinate, expression(parsed(force.formula, MOTION), held))


def line_formula(applied: Applied, force: LineFormula) -> Effect:
    """Add a tension between two points."""
    kinematics, start, end = applied.kinematics, force.start, force.end
    span = kinematics.point(end.body, end.at) - kinematics.point(start.body, start.at)
    # Points that coincide have no direction; the tiny radius keeps the force finite there.
    length = ca.sqrt(dot(span, span) + 1e-24)
    direction = span / length
    parting = kinematics.point_velocity(end.body, end.at) - kinematics.point_velocity(start.body, start.at)
    speed = dot(direction, parting)
    tension = expression(parsed(force.formula, SPAN), dict(zip(SPAN, (length, speed), strict=True)))
    applied.push(start.body, start.at, direction * tension)
    applied.push(end.body, end.at, -direction * tension)
    return Effect(tension, -tension * speed)


def path_formula(applied: Applied, paths: Paths, row: int, force: PathFormula) -> Effect:
    """Add a tension along a path."""
    stretch = paths.lengths[row] - force.rest_length
    held = dict(zip(STRETCH, (ca.fmax(stretch, 0) if force.slack else stretch, paths.speeds[row]), strict=True))
    return applied.along(paths, row, expression(parsed(force.formula, STRETCH), held))
