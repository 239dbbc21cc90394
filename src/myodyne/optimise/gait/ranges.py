"""Ranges of coordinates in human gait, for any body."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from myodyne.analyse.sides.advancing import moving_along
from myodyne.analyse.sides.names import other_side
from myodyne.equations import equations_of
from myodyne.model import Model
from myodyne.optimise.gait.anatomy import Anatomy

Limits = tuple[float, float]
# Anatomical angles (rad) of hip, knee and ankle: wider bounds admit other gaits. Those of walking are those of gait2d.
WALKING: dict[str, Limits] = {"hip": (-0.6, 1.0), "knee": (0.0, 1.4), "ankle": (-0.6, 0.6), "toes": (-0.3, 1.0)}
RUNNING: dict[str, Limits] = {"hip": (-0.7, 1.3), "knee": (0.0, 2.2), "ankle": (-0.8, 0.7), "toes": (-0.3, 1.1)}
# What people use of them: means of walking (Winter 1991) and running (Fukuchi et al. 2017), and about 10 degrees more.
USED_WALKING: dict[str, Limits] = {"hip": (-0.4, 0.7), "knee": (0.0, 1.3), "ankle": (-0.5, 0.4)}
USED_RUNNING: dict[str, Limits] = {"hip": (-0.4, 1.0), "knee": (0.0, 2.0), "ankle": (-0.6, 0.6)}
# Turns of the pelvis about x, y and z. Out of the sagittal plane these, like those below, are about twice those of
# healthy adults: the goals, found with a planar model, have no term that limits them.
_PELVIS = (0.12, 0.15, 0.3)
# Of other joints: about z; about other axes in legs and trunk, and in arms.
_OTHERS, _TURNED, _ARMS = 0.6, 0.2, 0.3
# Of the standing height of the pelvis.
_LOWEST, _HIGHEST = 0.75, 1.18
_ASIDE = 0.06
_FAR = (-2.0, 8.0)


def gait_bounds(model: Model, anatomy: Anatomy, standing: float, angles: dict[str, Limits]) -> dict[str, Limits]:
    """Return ranges of all coordinates: those of human gait, within the model's own.

    ``standing`` is the coordinate that lifts the pelvis (m) in the upright pose with the feet on the ground.
    """
    bounds: dict[str, Limits] = {anatomy.forward: _FAR}
    above = standing - _ground_level(model, anatomy, standing)
    bounds[anatomy.upward] = (standing - (1 - _LOWEST) * above, standing + (_HIGHEST - 1) * above)
    for name in moving_along(model, (0.0, 0.0, 1.0)):
        bounds[name] = (-_ASIDE, _ASIDE)
    for name in anatomy.root:
        if name not in bounds:
            size = _PELVIS[_axis(model, anatomy, name, anatomy.pelvis)]
            bounds[name] = (-size, size)
    bounds |= leg_limits(anatomy, angles)
    for name in model.moving:
        if name not in bounds:
            middle, size = anatomy.upright[name], _size(model, anatomy, name)
            bounds[name] = (middle - size, middle + size)
    along = {anatomy.forward, anatomy.upward, *moving_along(model, (0.0, 0.0, 1.0))}
    own = {name: None if name in along else model.coordinates[name].range for name in bounds}
    return {name: _within(limits, own[name]) for name, limits in bounds.items()}


def leg_limits(anatomy: Anatomy, angles: Mapping[str, Limits]) -> dict[str, Limits]:
    """Return the ranges of the coordinates of both legs, given those of anatomical angles (rad)."""
    leg = anatomy.leg
    roles = {"hip": leg.hip, "knee": leg.knee, "ankle": leg.ankle, "toes": leg.toes}
    return {
        each.coordinate: each.limits(*angles[role])
        for role, flexion in roles.items()
        if flexion is not None and role in angles
        for each in (flexion, anatomy.left(flexion))
    }


def _ground_level(model: Model, anatomy: Anatomy, standing: float) -> float:
    """Return the lifting coordinate at which the pelvis would be on the ground: its zero may be anywhere."""
    equations = equations_of(model, compiled=False)
    pose = np.array([anatomy.upright[name] for name in equations.coordinates])
    pose[equations.coordinates.index(anatomy.upward)] = standing
    return standing - float(equations.body_poses(pose[None])[1][0, equations.bodies.index(anatomy.pelvis), 1])


def _size(model: Model, anatomy: Anatomy, name: str) -> float:
    """Return how far a joint of a leg, of the trunk or of an arm may turn from the upright pose."""
    joint = next(joint for joint in model.joints.values() if name in joint.coordinates)
    body = joint.child.body
    if anatomy.planar or _axis(model, anatomy, name, body) == 2:
        return _OTHERS
    arm = other_side(body) != body and body not in (*anatomy.leg.bodies, *map(other_side, anatomy.leg.bodies))
    return _ARMS if arm else _TURNED


def _axis(model: Model, anatomy: Anatomy, name: str, body: str) -> int:
    """Return about which axis of the ground a coordinate turns a body most: 0, 1 or 2."""
    equations = equations_of(model, compiled=False)
    pose = np.array([anatomy.upright[each] for each in equations.coordinates])
    moved = pose.copy()
    moved[equations.coordinates.index(name)] += 0.05
    turns = equations.body_poses(np.array([pose, moved]))[0][:, equations.bodies.index(body)]
    turn = turns[1] @ turns[0].T
    return int(np.argmax(abs(np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]))))


def _within(limits: Limits, own: Limits | None) -> Limits:
    """Return the part of a range that the model allows; where they do not meet, the model's own."""
    if own is None:
        return limits
    low, high = max(limits[0], own[0]), min(limits[1], own[1])
    return (low, high) if low < high else own
