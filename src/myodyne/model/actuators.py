"""Actuators: torques, forces and tensions that a control drives."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator

from myodyne.model.bodies import Marker
from myodyne.model.part import Direction, Name, Number, Part, Vector
from myodyne.model.paths import Path


def _rises(limits: tuple[float, float]) -> tuple[float, float]:
    if not limits[0] < limits[1]:
        raise ValueError(f"the range {list(limits)} is empty or inverted")
    return limits


ControlRange = Annotated[tuple[Number, Number], AfterValidator(_rises)]


class CoordinateActuator(Part):
    """A motor on one coordinate: torque (N m) or force (N) = ``gain`` times its control.

    Examples
    --------
    A knee motor that gives at most 250 N m either way:

    >>> import myodyne as my
    >>> motor = my.CoordinateActuator(coordinate="knee", gain=250.0, control_range=(-1.0, 1.0))
    >>> motor.gain
    250.0
    """

    controlled: ClassVar[bool] = True
    kind: Literal["coordinate_actuator"] = "coordinate_actuator"
    coordinate: Name
    gain: Number = 1.0
    control_range: ControlRange | None = None


class TorqueActuator(Part):
    """A motor that turns one body about an ``axis`` and another one, the ``reaction``, the opposite way.

    The torque on ``body`` is ``gain`` (N m) times the control. The axis is fixed in the ground or in ``body``, as
    ``axes`` says; without a ``reaction`` the ground takes it.

    Examples
    --------
    A wheel in the trunk that turns against it:

    >>> import myodyne as my
    >>> wheel = my.TorqueActuator(body="wheel", reaction="trunk", axis="z", axes="body", gain=20.0)
    >>> wheel.axis
    (0.0, 0.0, 1.0)
    """

    controlled: ClassVar[bool] = True
    kind: Literal["torque_actuator"] = "torque_actuator"
    body: Name
    reaction: Name | None = None
    axis: Direction
    axes: Literal["ground", "body"] = "ground"
    gain: Number = 1.0
    control_range: ControlRange | None = None


class PointActuator(Part):
    """A force of ``gain`` (N) times its control on a point of a body, from outside.

    ``axes`` says whether the ``direction`` is fixed in the ground or in the body, ``at_frame`` whether the point
    ``at`` (m) is. A point fixed in the ground means that whatever part of the body is there is pushed.

    Examples
    --------
    >>> import myodyne as my
    >>> jet = my.PointActuator(body="trunk", at=(-0.2, 0.3, 0.0), direction="y", axes="body", gain=900.0)
    >>> jet.at_frame
    'body'
    """

    controlled: ClassVar[bool] = True
    kind: Literal["point_actuator"] = "point_actuator"
    body: Name
    at: Vector = (0.0, 0.0, 0.0)
    at_frame: Literal["ground", "body"] = "body"
    direction: Direction
    axes: Literal["ground", "body"] = "ground"
    gain: Number = 1.0
    control_range: ControlRange | None = None


class LineActuator(Part):
    """A piston between two points: it pushes them apart with ``gain`` (N) times its control, or pulls if negative.

    Examples
    --------
    >>> import myodyne as my
    >>> piston = my.LineActuator(start=my.Marker(body="frame"), end=my.Marker(body="arm", at=(0.0, -0.2, 0.0)),
    ...                          gain=400.0, control_range=(-1.0, 1.0))
    >>> piston.end.body
    'arm'
    """

    controlled: ClassVar[bool] = True
    kind: Literal["line_actuator"] = "line_actuator"
    start: Marker
    end: Marker
    gain: Number = 1.0
    control_range: ControlRange | None = None


class PathActuator(Part):
    """A cable along a path that pulls with ``gain`` (N) times its control: a muscle without dynamics of its own.

    Examples
    --------
    >>> import myodyne as my
    >>> path = my.PointPath(points=(("thigh", (0.03, -0.2, 0.0)), ("shank", (0.05, -0.04, 0.0))))
    >>> my.PathActuator(path=path, gain=800.0, control_range=(0.0, 1.0)).gain
    800.0
    """

    controlled: ClassVar[bool] = True
    kind: Literal["path_actuator"] = "path_actuator"
    path: Path
    gain: Number = 1.0
    control_range: ControlRange | None = None
