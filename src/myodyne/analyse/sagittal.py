"""Sagittal reduction: a model in space becomes a planar one of the same lengths, masses and moments of inertia."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from myodyne.analyse.changed import changed
from myodyne.analyse.coordinate_motion import stripped
from myodyne.equations import equations_of
from myodyne.errors import ModelError, listed, unknown_name
from myodyne.model import GROUND, Axis, Body, Coordinate, Joint, Marker, Model, Placement
from myodyne.model.part import Named, Vector
from myodyne.types import Floats

# An axis within 45° of z turns a segment in the sagittal plane; its angle is taken as the angle in the plane.
_MOSTLY = 0.7
# Speeds below this part of the others are rounding.
_NOTHING = 1e-9


def sagittal(model: Model, *, keep: Collection[str] | None = None) -> Model:
    """Return the planar version of a spatial model in the sagittal plane, the plane of x and y.

    Coordinates that turn a segment about an axis near z, or move it along x or y, stay, with their names, senses,
    ranges and defaults (locked ones locked), so that a motion of the one is a motion of the other. At all other joints
    the bodies grow together in the default pose. Lengths are the distances of joint centres, seen along z, in that
    pose; mass, centre of mass and moment of inertia about z are those of all bodies of a segment. A segment is called
    as the heaviest body in it, its origin is the centre of its proximal joint, and its axes are those of the ground
    in the default pose. Markers keep their depth, all else lies in the plane. Motors, springs and limits of the
    coordinates that stay are kept; muscles, other forces, surfaces and constraints are left out. Where an axis is
    oblique (ankle, metatarsals), or slides as it turns (knees), the planar joint is a pin about z at the centre of the
    default pose.

    Parameters
    ----------
    model
        The model in space: y up, x forwards.
    keep
        The coordinates that stay; None means all that move in the plane.

    Examples
    --------
    >>> import myodyne as my
    >>> person = my.sagittal(my.load_model("full_body"))
    >>> len(person.bodies), len(person.moving), round(person.mass, 9)
    (15, 17, 75.0)
    """
    space = _Space.of(model)
    kept = space.planar_moves()
    if keep is not None:
        _check_kept(keep, model, kept)
        kept = {name: move for name, move in kept.items() if name in keep}
    if not kept:
        raise ModelError(f"'{model.name}' has no coordinate that moves in the plane of x and y; is z to the right?")
    return _planar_model(model, space, kept)


def turns_in_plane(model: Model) -> dict[str, float]:
    """Return which coordinates turn their segment about an axis near z: 1 from x towards y, -1 the other way."""
    return {name: move.turn for name, move in _Space.of(model).planar_moves().items() if move.turn}


@dataclass(frozen=True)
class _Move:
    """What a coordinate does in the plane: it turns (``turn`` is 1 or -1), or slides along a direction."""

    joint: str
    turn: float
    direction: tuple[float, float]


@dataclass(frozen=True)
class _Segment:
    """Bodies that move as one: names, place of the joint that carries them, and what they weigh."""

    name: str
    joint: str
    bodies: tuple[str, ...]


@dataclass(frozen=True)
class _Space:
    """The default pose of a model in the ground, and how each coordinate moves its bodies.

    ``rotations`` and ``places`` are those of the bodies' frames, ``centres`` those of the joints' moving frames;
    ``spins`` and ``slides`` (3 x coordinates) are the rates of a joint's child against its parent.
    """

    model: Model
    coordinates: tuple[str, ...]
    rotations: dict[str, Floats]
    places: dict[str, Floats]
    centres: dict[str, Floats]
    spins: dict[str, Floats]
    slides: dict[str, Floats]

    @staticmethod
    def of(model: Model) -> _Space:
        bare = _unlocked(changed(stripped(model), free_values=()))
        equations = equations_of(bare, compiled=False)
        assembly = equations.assembly()
        kinematics, v = assembly.kinematics, assembly.v
        found: list[ca.SX] = []
        for name in bare.tree:
            joint = bare.joints[name]
            child, parent = joint.child.body, joint.parent.body
            pose = kinematics.body_pose(child)
            centre = kinematics.point(child, joint.child.at)
            spin = kinematics.angular_velocity(child) - kinematics.angular_velocity(parent)
            # The speed of the child's joint centre, less that which it has as a point of the parent.
            fixed = kinematics.body_pose(parent).inverse().point(centre)
            slide = kinematics.point_velocity(child, joint.child.at) - kinematics.point_velocity(parent, fixed)
            found += [pose.rotation, pose.position, centre, ca.jacobian(spin, v), ca.jacobian(slide, v)]
        rest = (equations.coordinate_defaults(), np.zeros(len(equations.coordinates)))
        values = [np.array(value) for value in ca.Function("rest", [assembly.q, v], found).call(rest)]
        columns = [values[number::5] for number in range(5)]
        children = [bare.joints[name].child.body for name in bare.tree]
        return _Space(
            model,
            equations.coordinates,
            dict(zip(children, columns[0], strict=True)) | {GROUND: np.eye(3)},
            dict(zip(children, (place.ravel() for place in columns[1]), strict=True)) | {GROUND: np.zeros(3)},
            dict(zip(bare.tree, (centre.ravel() for centre in columns[2]), strict=True)),
            dict(zip(bare.tree, columns[3], strict=True)),
            dict(zip(bare.tree, columns[4], strict=True)),
        )

    def planar_moves(self) -> dict[str, _Move]:
        """Return what each coordinate does in the plane, by name; those that do something else are left out."""
        moves = {}
        for name, joint in self.model.joints.items():
            for coordinate in joint.coordinates:
                if coordinate in self.coordinates:
                    column = self.coordinates.index(coordinate)
                    move = _move(name, self.spins[name][:, column], self.slides[name][:, column])
                    if move is not None:
                        moves[coordinate] = move
        return moves

    def point(self, body: str, at: Vector) -> Floats:
        """Return a point of a body in the ground."""
        return np.asarray(self.places[body] + self.rotations[body] @ np.asarray(at), dtype=float)


def _unlocked(model: Model) -> Model:
    joints = {}
    for name, joint in model.joints.items():
        coordinates = {c: part.model_copy(update={"locked": False}) for c, part in joint.coordinates.items()}
        joints[name] = joint.model_copy(update={"coordinates": Named(coordinates)})
    return changed(model, joints=Named(joints))


def _move(joint: str, spin: Floats, slide: Floats) -> _Move | None:
    size = float(np.linalg.norm(spin))
    if size > _NOTHING:
        return _Move(joint, float(np.sign(spin[2])), (0.0, 0.0)) if abs(spin[2]) > _MOSTLY * size else None
    size, along = float(np.linalg.norm(slide)), float(np.linalg.norm(slide[:2]))
    if size < _NOTHING or along < _MOSTLY * size:
        return None
    return _Move(joint, 0.0, (float(slide[0] / along), float(slide[1] / along)))


def _check_kept(keep: Collection[str], model: Model, planar: Collection[str]) -> None:
    if isinstance(keep, str):
        raise ModelError(f"keep takes several names: keep=['{keep}']")
    for name in keep:
        if name not in model.coordinates:
            raise ModelError("keep: " + unknown_name("coordinate", name, tuple(model.coordinates)))
        if name not in planar:
            raise ModelError(
                f"keep: '{name}' does not move in the plane of x and y. Those that do are {listed(sorted(planar))}"
            )


def _planar_model(model: Model, space: _Space, kept: dict[str, _Move]) -> Model:
    carriers = {move.joint for move in kept.values()}
    segment_of = _segments(model, carriers)
    segments = {segment.joint: segment for segment in segment_of.values() if segment.joint}
    origins = {segment.name: space.centres[segment.joint] for segment in segments.values()} | {GROUND: np.zeros(3)}
    joints = {
        name: _joint(model.joints[name], segment_of, origins, {c: m for c, m in kept.items() if m.joint == name})
        for name in model.tree
        if name in carriers
    }
    markers = {}
    for name, marker in model.markers.items():
        home = segment_of[marker.body].name
        place = space.point(marker.body, marker.at) - origins[home] * (1.0, 1.0, 0.0)
        markers[name] = Marker(body=home, at=_tuple(place))
    forces = {name: force for name, force in model.forces.items() if getattr(force, "coordinate", None) in kept}
    x, y, _ = model.gravity
    return Model(
        name=f"{model.name}_sagittal",
        source=f"The sagittal plane of '{model.name}': lengths, masses and moments of inertia of its default pose. "
        f"{model.source}",
        gravity=(x, y, 0.0),
        bodies={segment.name: _body(space, segment, origins[segment.name]) for segment in segments.values()},
        joints=joints,
        markers=markers,
        forces=forces,
    )


def _segments(model: Model, carriers: Collection[str]) -> dict[str, _Segment]:
    """Return the segment of each body, the ground's included: bodies up to the next joint that stays."""
    found = {GROUND: _Segment(GROUND, "", ())}
    for name in model.tree:
        joint = model.joints[name]
        body, parent = joint.child.body, found[joint.parent.body]
        segment = _Segment(body, name, ()) if name in carriers else parent
        found[body] = replace(segment, bodies=(*segment.bodies, body))
        for other, one in found.items():
            if one.joint == segment.joint:
                found[other] = found[body]
    loose = found[GROUND].bodies
    if loose:
        raise ModelError(
            f"{listed(loose)} would become part of the ground: no coordinate that stays moves {loose[0]}. "
            "Keep one of the joint that carries it"
        )
    named = {}
    for body, segment in found.items():
        heaviest = max(segment.bodies, key=lambda name: model.bodies[name].mass, default=GROUND)
        named[body] = replace(segment, name=heaviest)
    return named


def _joint(joint: Joint, segment_of: dict[str, _Segment], origins: dict[str, Floats], moves: dict[str, _Move]) -> Joint:
    parent, child = segment_of[joint.parent.body].name, segment_of[joint.child.body].name
    place, angle = origins[child] - origins[parent], 0.0
    axes: list[Axis] = []
    # Slides come first: a turn before them would turn their directions.
    for name, move in sorted(moves.items(), key=lambda item: abs(item[1].turn)):
        default = joint.coordinates[name].default
        if move.turn:
            if any(axis.motion == "rotation" for axis in axes):
                turning = listed(sorted(other for other, one in moves.items() if one.turn))
                raise ModelError(
                    f"{turning} all turn '{child}' about an axis near z; name the one that stays with keep="
                )
            angle = move.turn * default + 0.0
            axes.append(Axis(motion="rotation", direction=(0.0, 0.0, move.turn), function=name))
        else:
            place = place - default * np.array([*move.direction, 0.0])
            axes.append(Axis(motion="translation", direction=(*move.direction, 0.0), function=name))
    coordinates = {name: _coordinate(joint.coordinates[name]) for name in joint.coordinates if name in moves}
    return Joint(
        parent=Placement(body=parent, at=_tuple(place * (1.0, 1.0, 0.0))),
        # Turned so that the segment's axes are those of the ground in the default pose.
        child=Placement(body=child, orientation=(0.0, 0.0, angle)),
        coordinates=coordinates,
        axes=tuple(axes),
    )


def _coordinate(part: Coordinate) -> Coordinate:
    return part.model_copy(update={"coupled": None})


def _body(space: _Space, segment: _Segment, origin: Floats) -> Body:
    """Return the bodies of a segment as one, seen along z."""
    parts = [space.model.bodies[name] for name in segment.bodies]
    masses = np.array([part.mass for part in parts])
    centres = np.array(
        [space.point(name, part.centre_of_mass) for name, part in zip(segment.bodies, parts, strict=True)]
    )
    mass = float(np.sum(masses))
    centre = masses @ centres / mass if mass > 0 else origin
    inertia = 0.0
    for name, part, place in zip(segment.bodies, parts, centres, strict=True):
        turned = space.rotations[name] @ np.array(part.inertia.matrix) @ space.rotations[name].T
        inertia += float(turned[2, 2]) + part.mass * float(np.sum((place - centre)[:2] ** 2))
    # One number for all axes: a planar model never turns about the others.
    return Body(mass=mass, centre_of_mass=_tuple((centre - origin) * (1.0, 1.0, 0.0)), inertia=inertia)


def _tuple(values: Floats) -> Vector:
    x, y, z = (float(value) + 0.0 for value in values)
    return (x, y, z)
