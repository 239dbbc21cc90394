"""Bodies, joints, markers and constraints as elements of an .osim file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from xml.etree.ElementTree import Element

import numpy as np

from myodyne.files.osim_writer.ellipsoids import arc_of, ellipsoid_radii, inverse
from myodyne.files.osim_writer.functions import function_element
from myodyne.files.osim_writer.markup import NoCounterpartError, gathered, made
from myodyne.files.osim_writer.surroundings import Surroundings
from myodyne.model.bodies import Body, Marker
from myodyne.model.constraints import (
    Constraint,
    CouplerConstraint,
    DistanceConstraint,
    LineConstraint,
    PointConstraint,
    RollingConstraint,
    WeldConstraint,
)
from myodyne.model.functions import Constant, Function
from myodyne.model.joints import Axis, Coordinate, Joint

# Sines of angles below this are those of axes that OpenSim takes for the same.
_PARALLEL = 1e-4
_ENDS = ("parent_frame", "child_frame")


def frame_contents(geometry: Sequence[str], surfaces: Iterable[Element]) -> list[Element]:
    """Return what a body or the ground carries: meshes and wrap objects."""
    meshes = [made("Mesh", f"mesh_{number}", {"mesh_file": file}) for number, file in enumerate(geometry, start=1)]
    found = [made("attached_geometry", inside=meshes)] if meshes else []
    wrapped = list(surfaces)
    return [*found, gathered("WrapObjectSet", wrapped)] if wrapped else found


def body_element(name: str, body: Body, surfaces: Iterable[Element]) -> Element:
    """Return the element of a body."""
    inertia = body.inertia
    moments = (inertia.xx, inertia.yy, inertia.zz, inertia.xy, inertia.xz, inertia.yz)
    if body.mass == 0.0 and any(moments):
        raise NoCounterpartError("an inertia without mass, which OpenSim leaves out")
    return made(
        "Body",
        name,
        {"mass": body.mass, "mass_center": body.centre_of_mass, "inertia": moments},
        frame_contents(body.geometry, surfaces),
    )


def joint_element(around: Surroundings, name: str, joint: Joint) -> Element:
    """Return the element of a joint: a custom joint, or one over an ellipsoid."""
    used = dict.fromkeys(c for axis in joint.axes for c in axis.function.coordinates)
    foreign = [coordinate for coordinate in used if coordinate not in joint.coordinates]
    if foreign:
        raise NoCounterpartError(f"it moves by '{foreign[0]}', a coordinate of another joint")
    if not joint.coordinates:
        return _weld(around, name, joint)
    if name in around.scapulae:
        return _scapulothoracic(around, name, joint)
    coordinates = made("coordinates", inside=[_coordinate(around, *item) for item in joint.coordinates.items()])
    places, axes = (joint.parent, joint.child), list(joint.axes)
    if _is_turned_round(joint):
        # OpenSim roots its tree in the ground whichever way a joint points, and turns this one round again.
        places = places[::-1]
        axes = inverse(axes)
    sockets, frames = around.ends(_ENDS, places)
    curve = arc_of(axes, list(joint.coordinates))
    if curve is not None:
        return made("ConstantCurvatureJoint", name, {**sockets, **curve}, [*frames, coordinates])
    radii = ellipsoid_radii(axes, list(joint.coordinates))
    if radii is None:
        return made("CustomJoint", name, sockets, [*frames, coordinates, _transform(axes)])
    _check_speeds(joint)
    return made("EllipsoidJoint", name, {**sockets, "radii_x_y_z": radii}, [*frames, coordinates])


def _weld(around: Surroundings, name: str, joint: Joint) -> Element:
    if joint.axes:
        # A custom joint without coordinates ends OpenSim 4.6 with a fault.
        raise NoCounterpartError("it has axes but no coordinate to move them; write their offsets into its ends")
    sockets, frames = around.ends(_ENDS, (joint.parent, joint.child))
    return made("WeldJoint", name, sockets, frames)


def _scapulothoracic(around: Surroundings, name: str, joint: Joint) -> Element:
    _check_speeds(joint)
    scapula = around.scapulae[name]
    sockets, frames = around.ends(_ENDS, (joint.parent, scapula.child))
    coordinates = {**joint.coordinates, **around.model.joints[scapula.wing].coordinates}
    return made(
        "ScapulothoracicJoint",
        name,
        {
            **sockets,
            "thoracic_ellipsoid_radii_x_y_z": scapula.radii,
            "scapula_winging_axis_origin": scapula.origin,
            "scapula_winging_axis_direction": scapula.angle,
        },
        [*frames, made("coordinates", inside=[_coordinate(around, *item) for item in coordinates.items()])],
    )


def _check_speeds(joint: Joint) -> None:
    if any(coordinate.default_speed for coordinate in joint.coordinates.values()):
        raise NoCounterpartError(
            "it glides over an ellipsoid, and OpenSim defines the speeds of such joints differently: set "
            "the default speeds to zero"
        )


def _is_turned_round(joint: Joint) -> bool:
    """Whether a joint must be written with parent and child exchanged: in OpenSim translations come first."""
    motions = [axis.motion for axis in joint.axes]
    forwards, backwards = (motions == sorted(motions, reverse=reverse) for reverse in (True, False))
    if not forwards and not backwards:
        raise NoCounterpartError("it has translations between its rotations")
    if forwards and backwards:
        # Either way will do for the motion: what counts is the order of the coordinates.
        order = list(joint.coordinates)
        return _order(joint.axes) != order and _order(joint.axes[::-1]) == order
    return backwards


def _order(axes: Sequence[Axis]) -> list[str]:
    return list(dict.fromkeys(c for axis in axes for c in axis.function.coordinates))


def _transform(axes: Sequence[Axis]) -> Element:
    written = []
    for motion in ("rotation", "translation"):
        own = [axis for axis in axes if axis.motion == motion]
        if len(own) > 3:
            raise NoCounterpartError(f"it has {len(own)} axes of {motion}; OpenSim allows three")
        for one, other in combinations(own, 2):
            if np.linalg.norm(np.cross(one.direction, other.direction)) < _PARALLEL:
                raise NoCounterpartError(f"two of its axes of {motion} are parallel")
        still = [
            Axis(motion=motion, direction=direction, function=Constant())
            for direction in _completed([axis.direction for axis in own])
        ]
        for number, axis in enumerate([*own, *still], start=1):
            written.append(
                made(
                    "TransformAxis",
                    f"{motion}{number}",
                    {
                        "coordinates": axis.function.coordinates,
                        "axis": axis.direction,
                        "function": function_element(axis.function),
                    },
                )
            )
    return made("SpatialTransform", inside=written)


def _completed(directions: Sequence[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """Return directions that make three with those given, none of them parallel."""
    found = [np.asarray(direction) for direction in directions]
    added = []
    while len(found) < 3:
        # Of the axes of the frame, the one farthest from all that are there.
        nearness = [max((abs(float(unit @ direction)) for direction in found), default=0.0) for unit in np.eye(3)]
        unit = np.eye(3)[int(np.argmin(nearness))]
        found.append(unit)
        added.append((float(unit[0]), float(unit[1]), float(unit[2])))
    return added


def _coordinate(around: Surroundings, name: str, coordinate: Coordinate) -> Element:
    limits = {} if coordinate.range is None else {"range": around.limits(name)}
    functions = around.motions.get(name, [])
    if len(functions) > 1 or (functions and not functions[0].coordinates):
        raise NoCounterpartError(f"'{name}' is prescribed twice, or to a constant; OpenSim has one function, or a lock")
    motion = {"prescribed_function": function_element(functions[0]), "prescribed": True} if functions else {}
    return made(
        "Coordinate",
        name,
        {
            "default_value": coordinate.default,
            "default_speed_value": coordinate.default_speed,
            **limits,
            "clamped": False,
            "locked": coordinate.locked,
            **motion,
        },
    )


def marker_element(around: Surroundings, name: str, marker: Marker) -> Element:
    """Return the element of a marker."""
    properties = {
        "socket_parent_frame": around.body(marker.body),
        "location": marker.at,
        "fixed": marker.fixed,
    }
    return made("Marker", name, properties)


def coupler_element(name: str, coordinate: str, function: Function) -> Element:
    """Return the element by which a coordinate follows others."""
    if not function.coordinates:
        raise NoCounterpartError("it is coupled to nothing; lock the coordinate instead")
    return made(
        "CoordinateCouplerConstraint",
        name,
        {
            "isEnforced": True,
            "coupled_coordinates_function": function_element(function),
            "independent_coordinate_names": function.coordinates,
            "dependent_coordinate_name": coordinate,
            "scale_factor": 1.0,
        },
    )


def constraint_element(around: Surroundings, name: str, constraint: Constraint) -> Element:
    """Return the element of a constraint."""
    if constraint.by != "multipliers":
        raise NoCounterpartError(f"it is met by {constraint.by}, where OpenSim has multipliers only")
    match constraint:
        case PointConstraint() if constraint.axes == "xyz":
            return made("PointConstraint", name, _points(around, constraint.first, constraint.second))
        case PointConstraint():
            raise NoCounterpartError(f"it holds along the axes '{constraint.axes}' only, where OpenSim has all three")
        case DistanceConstraint():
            return made(
                "ConstantDistanceConstraint",
                name,
                {**_points(around, constraint.first, constraint.second), "constant_distance": constraint.distance},
            )
        case LineConstraint():
            return made(
                "PointOnLineConstraint",
                name,
                {
                    "socket_line_body": around.body(constraint.body),
                    "line_direction_vec": constraint.direction,
                    "point_on_line": constraint.at,
                    "socket_follower_body": around.body(constraint.point.body),
                    "point_on_follower": constraint.point.at,
                },
            )
        case WeldConstraint():
            sockets, frames = around.ends(("frame1", "frame2"), (constraint.first, constraint.second))
            return made("WeldConstraint", name, sockets, frames)
        case CouplerConstraint():
            return coupler_element(name, constraint.coordinate, constraint.function)
        case RollingConstraint():
            raise NoCounterpartError("an arc that rolls on a plane")
        case _:
            raise NoCounterpartError("a constant speed")


def _points(around: Surroundings, first: Marker, second: Marker) -> dict[str, object]:
    return {
        "socket_body_1": around.body(first.body),
        "socket_body_2": around.body(second.body),
        "location_body_1": first.at,
        "location_body_2": second.at,
    }
