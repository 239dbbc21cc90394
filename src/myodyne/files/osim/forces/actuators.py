"""Actuators of an OpenSim model other than muscles."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from myodyne.errors import ModelError
from myodyne.files.osim.document import Element
from myodyne.files.osim.forces.surroundings import Surroundings, coordinate_of, vector
from myodyne.files.osim.skeleton.frames import socket
from myodyne.files.osim.skeleton.torque_axes import TorqueAxis
from myodyne.model.actuators import CoordinateActuator, LineActuator, PathActuator, PointActuator, TorqueActuator
from myodyne.model.bodies import GROUND, Marker, Placement
from myodyne.model.forces import Force
from myodyne.numerics.rotations import rotation


def coordinate_actuator(around: Surroundings, element: Element) -> Force:
    """Return a motor on a coordinate."""
    if element.tag == "ActivationCoordinateActuator":
        around.reading.approximate(element, "its torque follows the control at once here, and with a delay in OpenSim")
    coordinate = coordinate_of(element)
    axis_of_torque = around.torque_axes.get(coordinate)
    if axis_of_torque is None:
        return CoordinateActuator(coordinate=coordinate, **_control(element))
    around.reading.approximate(
        element,
        f"a torque about an axis on the parent of joint '{axis_of_torque.joint}', as in "
        "OpenSim, where the speeds of this joint are the angular velocity",
    )
    return _swivel_motor(axis_of_torque, _control(element))


def _swivel_motor(axis_of_torque: TorqueAxis, control: dict[str, Any]) -> Force:
    axis = turned(axis_of_torque.parent, axis_of_torque.axis)
    if axis_of_torque.parent.body == GROUND:
        return TorqueActuator(body=axis_of_torque.child, axis=axis, axes="ground", **control)
    # The axis is fixed in the parent, so the parent is the one that is turned, the other way.
    return TorqueActuator(
        body=axis_of_torque.parent.body,
        reaction=None if axis_of_torque.child == GROUND else axis_of_torque.child,
        axis=axis,
        axes="body",
        **{**control, "gain": -control["gain"]},
    )


def point_actuator(around: Surroundings, element: Element) -> Force:
    """Return a force on a point of a body."""
    place = _body(around, element, "body")
    fixed = element.flag("force_is_global", False)
    at_ground = element.flag("point_is_global", False)
    point, direction = vector(element, "point"), vector(element, "direction", (1.0, 0.0, 0.0))
    if not at_ground:
        point = around.frames.point(_body_name(element, "body"), point, element).at
    if not fixed:
        direction = turned(place, direction)
    return PointActuator(
        body=place.body,
        at=point,
        at_frame="ground" if at_ground else "body",
        direction=direction,
        axes="ground" if fixed else "body",
        **_control(element),
    )


def torque_actuator(around: Surroundings, element: Element) -> Force:
    """Return a torque between two bodies."""
    place = _body(around, element, "bodyA")
    other = element.text("bodyB", "") if socket(element, "bodyB") is None else socket(element, "bodyB")
    reaction = around.frames.resolve(other, element).body if other and other.lower() != "unassigned" else None
    axis = vector(element, "axis", (0.0, 0.0, 1.0))
    fixed = element.flag("torque_is_global", True)
    if not fixed:
        axis = turned(place, axis)
    body, control = place.body, _control(element)
    if body == GROUND and reaction is not None and fixed:
        # What turns the ground one way turns the other body the other way.
        body, reaction, control = reaction, None, {**control, "gain": -control["gain"]}
    return TorqueActuator(
        body=body,
        reaction=None if reaction == GROUND else reaction,
        axis=axis,
        axes="ground" if fixed else "body",
        **control,
    )


def body_actuator(around: Surroundings, element: Element) -> list[tuple[str, Force]]:
    """Return three torques and three forces on a body, each with a control of its own."""
    place = _body(around, element, "body")
    fixed = element.flag("spatial_force_is_global", True)
    at_ground = element.flag("point_is_global", False)
    point = vector(element, "point")
    if not at_ground:
        point = around.frames.point(_body_name(element, "body"), point, element).at
    found: list[tuple[str, Force]] = []
    axes: Literal["ground", "body"] = "ground" if fixed else "body"
    units = {letter: tuple(1.0 if axis == letter else 0.0 for axis in "xyz") for letter in "xyz"}
    directions = {letter: unit if fixed else turned(place, unit) for letter, unit in units.items()}  # type: ignore[arg-type]
    for letter, direction in directions.items():
        torque = TorqueActuator(body=place.body, axis=direction, axes=axes)
        found.append((f"{element.name}_torque_{letter}", torque))
    for letter, direction in directions.items():
        push = PointActuator(
            body=place.body, at=point, at_frame="ground" if at_ground else "body", direction=direction, axes=axes
        )
        found.append((f"{element.name}_force_{letter}", push))
    return found


def line_actuator(around: Surroundings, element: Element) -> Force:
    """Return a piston between two points."""
    if element.flag("points_are_global", False):
        raise ModelError("points fixed in the ground while the bodies move are not supported")
    start, end = (_end(around, element, body, point) for body, point in (("bodyA", "pointA"), ("bodyB", "pointB")))
    return LineActuator(start=start, end=end, **_control(element))


def path_actuator(around: Surroundings, element: Element) -> Force:
    """Return a cable along a path."""
    return PathActuator(path=around.paths.path(element), **_control(element))


def _end(around: Surroundings, element: Element, body: str, point: str) -> Marker:
    return around.frames.point(_body_name(element, body), vector(element, point), element)


def _body_name(element: Element, tag: str) -> str:
    found = socket(element, tag)
    if found is None or found.lower() == "unassigned":
        raise element.fault(f"names no body (<{tag}>)")
    return found


def _body(around: Surroundings, element: Element, tag: str) -> Placement:
    return around.frames.resolve(_body_name(element, tag), element)


def turned(place: Placement, direction: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return a direction in the axes of the body on which its frame stands."""
    if not any(place.orientation):
        return direction
    x, y, z = (rotation(place.orientation) @ np.array(direction)).tolist()
    return x, y, z


def _control(element: Element) -> dict[str, Any]:
    """Return gain and range of the control."""
    low = element.number("min_control", -math.inf, infinite=True)
    high = element.number("max_control", math.inf, infinite=True)
    bounded = math.isfinite(low) and math.isfinite(high) and low < high
    return {"gain": element.number("optimal_force", 1.0), "control_range": (low, high) if bounded else None}
