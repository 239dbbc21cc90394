"""The geometry and the masses of a model whose bodies are stretched along their axes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from myodyne.analyse.changed import changed
from myodyne.model import (
    Arc,
    Axis,
    Body,
    Constant,
    Fourier,
    Function,
    Inertia,
    Joint,
    Linear,
    Model,
    MovingPoint,
    PiecewiseLinear,
    Placement,
    Polynomial,
    Product,
    Spline,
    WrapCylinder,
    WrapEllipsoid,
    WrapSphere,
    WrapTorus,
)
from myodyne.model.part import Named, Part
from myodyne.model.surfaces import Surface
from myodyne.numerics.rotations import rotation
from myodyne.types import Floats

Vector = tuple[float, float, float]
Factors = dict[str, Vector]

_UNCHANGED: Vector = (1.0, 1.0, 1.0)


def stretched_model(model: Model, factors: Factors, *, scale_mass: bool, cylinders: bool) -> Model:
    """Return the model with points, frames, surfaces, joints and inertia scaled; lengths along paths are not."""
    bodies = {
        name: _body(body, factors.get(name, _UNCHANGED), scale_mass, cylinders) for name, body in model.bodies.items()
    }
    joints = {name: _joint(joint, factors) for name, joint in model.joints.items()}
    surfaces = {name: _surface(surface, factors) for name, surface in model.surfaces.items()}
    tables: dict[str, Any] = {
        table: Named({name: _part(part, factors) for name, part in getattr(model, table).items()})
        for table in ("markers", "sensors", "muscles", "forces", "constraints")
    }
    return changed(model, bodies=Named(bodies), joints=Named(joints), surfaces=Named(surfaces), **tables)


def _part(part: Any, factors: Factors) -> Any:  # noqa: ANN401 - a value of any field of a model
    """Return a part of a model with all points and frames in it moved with their bodies."""
    if isinstance(part, MovingPoint):
        by = factors.get(part.body, _UNCHANGED)
        at = tuple(times(function, factor) for function, factor in zip(part.at, by, strict=True))
        return part.model_copy(update={"at": at})
    if isinstance(part, tuple):
        return tuple(_part(item, factors) for item in part)
    if not isinstance(part, Part):
        return part
    update = {field: _part(getattr(part, field), factors) for field in type(part).model_fields}
    # A point that is fixed in the ground does not belong to the body that it pushes.
    if "at" in update and "body" in update and getattr(part, "at_frame", "body") == "body":
        update["at"] = _times(update["at"], factors.get(update["body"], _UNCHANGED))
    return part.model_copy(update=update)


def _times(vector: Vector, by: Vector) -> Vector:
    return vector[0] * by[0], vector[1] * by[1], vector[2] * by[2]


def _joint(joint: Joint, factors: Factors) -> Joint:
    by = factors.get(joint.parent.body, _UNCHANGED)
    turn = rotation(joint.parent.orientation)
    axes = tuple(_axis(axis, turn, by) for axis in joint.axes)
    return joint.model_copy(
        update={"parent": _part(joint.parent, factors), "child": _part(joint.child, factors), "axes": axes}
    )


def _axis(axis: Axis, turn: Floats, by: Vector) -> Axis:
    """Return an axis of a joint, its translation scaled as the parent is in that direction."""
    function = axis.function
    if axis.motion == "rotation" or (isinstance(function, Linear) and function.slope == 1.0 and function.offset == 0.0):
        return axis
    factor = float(np.linalg.norm((turn @ np.array(axis.direction)) * by))
    return axis.model_copy(update={"function": times(function, factor)})


def times(function: Function, factor: float) -> Function:
    """Return a function of coordinates multiplied by a number.

    Examples
    --------
    >>> times(Linear(coordinate="knee", slope=0.1, offset=0.02), 2.0).offset
    0.04
    """
    if factor == 1.0:
        return function

    def all_times(values: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(value * factor for value in values)

    match function:
        case Constant():
            update: Mapping[str, Any] = {"value": function.value * factor}
        case Linear():
            update = {"slope": function.slope * factor, "offset": function.offset * factor}
        case Polynomial():
            terms = (term.model_copy(update={"coefficient": term.coefficient * factor}) for term in function.terms)
            update = {"terms": tuple(terms)}
        case Spline() | PiecewiseLinear():
            update = {"y": all_times(function.y)}
        case Fourier():
            update = {
                "mean": function.mean * factor,
                "slope": function.slope * factor,
                "cosines": all_times(function.cosines),
                "sines": all_times(function.sines),
            }
        case Arc():
            update = {"length": function.length * factor}
        case Product():
            update = {"factors": (times(function.factors[0], factor), *function.factors[1:])}
        case _:
            raise TypeError(f"not a function of coordinates: {function!r:.60}")
    return function.model_copy(update=update)


def _surface(surface: Surface, factors: Factors) -> Surface:
    """Return a surface with its frame moved, and its radii scaled as its body is along the axes of the frame."""
    by = factors.get(surface.frame.body, _UNCHANGED)
    x, y, z = (float(np.linalg.norm(column * by)) for column in rotation(surface.frame.orientation).T)
    frame: Placement = _part(surface.frame, factors)
    update: dict[str, Any] = {"frame": frame}
    match surface:
        case WrapCylinder():
            update |= {"radius": surface.radius * (x + y) / 2.0, "length": surface.length * z}
        case WrapSphere():
            update |= {"radius": surface.radius * (x + y + z) / 3.0}
        case WrapEllipsoid():
            update |= {"radii": _times(surface.radii, (x, y, z))}
        case WrapTorus():
            update |= {name: getattr(surface, name) * (x + y) / 2.0 for name in ("inner_radius", "outer_radius")}
    return surface.model_copy(update=update)


def _body(body: Body, by: Vector, scale_mass: bool, cylinders: bool) -> Body:
    mass = body.mass * math.prod(by) if scale_mass else body.mass
    matrix = np.array(body.inertia.matrix)
    if body.mass == 0.0:
        moments = matrix
    elif cylinders and len(set(by)) > 1:
        moments = _cylinder(matrix, body.mass, mass, np.array(by))
    else:
        # The second moments ∫ x y dm grow with the mass and with both factors; the inertia follows from them.
        spread = (np.eye(3) * (np.trace(matrix) / 2.0) - matrix) * np.outer(by, by) * (mass / body.mass)
        moments = np.eye(3) * np.trace(spread) - spread
    inertia = Inertia(
        xx=moments[0, 0],
        yy=moments[1, 1],
        zz=moments[2, 2],
        xy=moments[0, 1],
        xz=moments[0, 2],
        yz=moments[1, 2],
        # A planar model may give one number for all axes, which no stretched body has.
        as_published=body.inertia.as_published or _impossible(moments),
    )
    return body.model_copy(update={"mass": mass, "centre_of_mass": _times(body.centre_of_mass, by), "inertia": inertia})


def _impossible(moments: Floats) -> bool:
    small, middle, large = np.linalg.eigvalsh(moments)
    return bool(small < 0.0 or large > small + middle)


def _cylinder(matrix: Floats, before: float, after: float, by: Floats) -> Floats:
    """Return the inertia of a cylinder about its middle, of the size that the two smallest moments imply, scaled."""
    axis = int(np.argmin(np.diag(matrix)))
    others = [place for place in range(3) if place != axis]
    radius_squared = max(2.0 * matrix[axis, axis] / before, 0.0)
    # OpenSim takes the first of the other axes.
    length_squared = max(12.0 * (matrix[others[0], others[0]] / before - radius_squared / 4.0), 0.0)
    wide, long = radius_squared * by[others[0]] * by[others[1]], length_squared * by[axis] ** 2
    moments = matrix * np.outer(by, by) * (after / before)
    moments[axis, axis] = after * wide / 2.0
    for place in others:
        moments[place, place] = after * (long / 12.0 + wide / 4.0)
    return moments
