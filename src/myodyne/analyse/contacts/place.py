"""Contacts placed under the feet of any model, from its geometry in the default pose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from myodyne.analyse.coordinate_motion import equations_kept
from myodyne.errors import ModelError, unknown_name
from myodyne.model import GROUND, ContactPoint, Model, PathPoint
from myodyne.model.part import Vector
from myodyne.types import Floats

# Depth (m) of a foot under twice the body's weight, the peak of running: soft tissue and shoe.
_DEPTH = 0.02
# A rolling foot rests on about two contacts of a row.
_RESTING = 2
_GRAVITY = 9.81
# Damping (s/m), friction, and rounding of the corner (m): those of gait2d, with a softer corner for optimisation.
_DISSIPATION, _FRICTION, _TRANSITION = 0.5, 1.0, 0.002
# A foot that is as narrow as this (m) in the model has one row of contacts.
_NARROW = 0.02
# Joint centres of feet lie within this (m) of the lowest one; a foot is longer than that.
_LEVEL, _SHORTEST = 0.05, 0.05


def place_contacts(
    model: Model,
    feet: Sequence[str] | None = None,
    *,
    points: int = 4,
    sole: float = 0.02,
    stiffness: float | None = None,
    spans: Mapping[str, tuple[float, float]] | None = None,
) -> Model:
    """Return a model with contact points under its feet, placed from its geometry in the default pose.

    A foot reaches from the hindmost to the foremost of all joint centres, markers and muscle points on it and on the
    bodies that it carries (toes). The points lie in a row along it, level in the default pose, ``sole`` below the
    lowest of these; a foot of a model in space has two rows, one on each side. Those beyond a toe joint that moves are
    fixed to the toes. They are called ``<foot>_contact_1`` from heel to toe.

    Parameters
    ----------
    model
        A model with y up and x forwards.
    feet
        The bodies that carry the feet, toes left out; by default the bodies that end a limb and whose joint centres
        are the lowest (toes that cannot move count as a part of their foot).
    points
        Contacts in each row.
    sole
        Thickness (m) of skin and shoe below the lowest known point of a foot.
    stiffness
        Of each contact (N/m); by default such that two of them sink in by 2 cm under twice the body's weight.
    spans
        Other ends than the model's geometry for some feet: from and to (m), along x of the ground in the default pose,
        counted from the origin of the foot.

    Examples
    --------
    >>> import myodyne as my
    >>> person = my.place_contacts(my.load_model("full_body"), points=2)
    >>> [name for name in person.forces if "contact" in name]
    ['foot_r_contact_1', 'foot_r_contact_2', 'foot_l_contact_1', 'foot_l_contact_2']
    """
    if not isinstance(model, Model):
        raise ModelError(f"a Model is needed (from my.load_model), not {model!r:.60}")
    if isinstance(points, bool) or not isinstance(points, int) or points < 2:
        raise ModelError(f"points: a foot needs at least two contacts, not {points!r}")
    pose = DefaultPose.of(model)
    names = list(feet) if feet is not None else lowest_ends(model, pose)
    each = stiffness if stiffness is not None else 2 * model.mass * _GRAVITY / _DEPTH / _RESTING
    forces = {}
    for foot in names:
        if foot not in model.bodies:
            raise ModelError("feet: " + unknown_name("body", foot, tuple(model.bodies)))
        places = _row(pose, foot, points, sole, (spans or {}).get(foot))
        rows = len(places) // points
        for number, (body, at) in enumerate(places, 1):
            forces[f"{foot}_contact_{number}"] = ContactPoint(
                body=body,
                at=at,
                stiffness=each / rows,
                dissipation=_DISSIPATION,
                friction=_FRICTION,
                transition=_TRANSITION,
            )
    return model.with_parts(forces=forces)


@dataclass(frozen=True, eq=False)
class DefaultPose:
    """Rotation and place of every body in the default pose."""

    model: Model
    rotations: dict[str, Floats]
    places: dict[str, Floats]

    @staticmethod
    def of(model: Model) -> DefaultPose:
        """Return the pose of a model's plain tree."""
        equations = equations_kept(model)
        turns, places = equations.body_poses(equations.coordinate_defaults())
        return DefaultPose(
            model,
            dict(zip(equations.bodies, turns, strict=True)) | {GROUND: np.eye(3)},
            dict(zip(equations.bodies, places, strict=True)) | {GROUND: np.zeros(3)},
        )

    def point(self, body: str, at: Sequence[float]) -> Floats:
        """Return a point of a body in the ground."""
        return np.asarray(self.places[body] + self.rotations[body] @ np.asarray(at), dtype=float)

    def known_points(self, bodies: set[str]) -> Floats:
        """Return joint centres, markers and muscle points on some bodies (rows of x, y, z in the ground)."""
        found = [
            self.point(end.body, end.at)
            for joint in self.model.joints.values()
            for end in (joint.parent, joint.child)
            if end.body in bodies
        ]
        found += [self.point(one.body, one.at) for one in self.model.markers.values() if one.body in bodies]
        for muscle in self.model.muscles.values():
            for point in getattr(muscle.path, "points", ()):
                if isinstance(point, PathPoint) and point.body in bodies:
                    found.append(self.point(point.body, point.at))
        return np.array(found).reshape(-1, 3)


def carried_by(model: Model, body: str) -> set[str]:
    """Return a body and all bodies that it carries."""
    carried = {body}
    for name in model.tree:
        joint = model.joints[name]
        if joint.parent.body in carried:
            carried.add(joint.child.body)
    return carried


def lowest_ends(model: Model, pose: DefaultPose) -> list[str]:
    """Return the feet: bodies that end a limb and have the lowest joint centres of all."""
    moving = set(model.moving)
    ends = []
    for name in model.tree:
        joint = model.joints[name]
        beyond = carried_by(model, joint.child.body) - {joint.child.body}
        limb = joint.parent.body != GROUND and moving.intersection(joint.coordinates)
        if limb and not any(_moves(model, body) for body in beyond):
            heaviest = max((joint.child.body, *sorted(beyond)), key=lambda one: model.bodies[one].mass)
            ends.append((float(pose.point(joint.child.body, joint.child.at)[1]), heaviest))
    joints = [joint.child for joint in model.joints.values() if joint.parent.body != GROUND]
    lowest = min((float(pose.point(end.body, end.at)[1]) for end in joints), default=0.0)
    feet = [body for height, body in ends if height < lowest + _LEVEL]
    if not feet:
        raise ModelError(f"'{model.name}' has no limb that ends low in its default pose; name the bodies with feet=")
    return feet


def _moves(model: Model, body: str) -> bool:
    """Return whether the joint that carries a body has a coordinate that moves."""
    carrier = next(joint for joint in model.joints.values() if joint.child.body == body)
    return bool(set(model.moving).intersection(carrier.coordinates))


def _row(
    pose: DefaultPose, foot: str, points: int, sole: float, span: tuple[float, float] | None
) -> list[tuple[str, Vector]]:
    """Return body and place of each contact of a foot, from heel to toe, one side before the other."""
    known = pose.known_points(carried_by(pose.model, foot))
    if span is None and (len(known) < 2 or np.ptp(known[:, 0]) < _SHORTEST):
        raise ModelError(
            f"how long '{foot}' is cannot be seen from joint centres, markers and muscle points on it; give its ends "
            f"(m, from its origin): spans={{'{foot}': (-0.05, 0.2)}}"
        )
    origin = pose.places[foot]
    first, last = (known[:, 0].min(), known[:, 0].max()) if span is None else origin[0] + np.asarray(span)
    bottom = known[:, 1].min() - sole
    sides: tuple[float, ...] = (float(origin[2]),)
    if np.ptp(known[:, 2]) > _NARROW and not is_planar(pose.model):
        sides = float(known[:, 2].min()), float(known[:, 2].max())
    found = []
    for z in sides:
        for x in np.linspace(first, last, points):
            body = _carrier(pose, foot, float(x))
            local = pose.rotations[body].T @ (np.array([x, bottom, z]) - pose.places[body])
            found.append((body, (float(local[0]), float(local[1]), float(local[2]))))
    return found


def _carrier(pose: DefaultPose, foot: str, x: float) -> str:
    """Return the body under which a contact at x lies: the foot, or toes that move and begin before it."""
    beyond = carried_by(pose.model, foot) - {foot}
    for joint in pose.model.joints.values():
        body = joint.child.body
        if body in beyond and _moves(pose.model, body) and pose.point(body, joint.child.at)[0] < x:
            return body
    return foot


def is_planar(model: Model) -> bool:
    """Return whether no body ever leaves its plane z = constant."""
    equations = equations_kept(model)
    draw = np.random.default_rng(0)
    poses = equations.coordinate_defaults() + draw.uniform(-0.3, 0.3, (4, len(equations.coordinates)))
    _, places = equations.body_poses(poses)
    return bool(np.ptp(places[..., 2], axis=0).max(initial=0.0) < 1e-9)
