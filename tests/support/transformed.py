"""The same mechanism told differently: tilted, mirrored, in other axes, in other units, set afloat.

Each function returns a model whose coordinates mean the same motion, so that physics demands the same
accelerations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from myodyne.model import GROUND, Body, Constant, Inertia, Joint, Model, Placement, Product, free
from support.frames import IDENTITY, Array, Frame, angles_of, frame_of

MIRROR = np.diag([1.0, 1.0, -1.0])


def tilted(model: Model, turn: Array) -> Model:
    """Return the model turned as a whole against the ground, gravity with it."""
    whole = Frame(turn, np.zeros(3))
    joints = {
        name: _with(joint, parent=_placement(GROUND, whole @ frame_of(joint.parent)))
        if joint.parent.body == GROUND
        else joint
        for name, joint in model.joints.items()
    }
    return _rebuilt(model, model.bodies, joints, turn @ np.array(model.gravity))


def in_other_axes(model: Model, frames: dict[str, Frame]) -> Model:
    """Return the model with each body described in another frame, given in its old one."""

    def told(placement: Placement) -> Placement:
        frame = frames.get(placement.body, IDENTITY)
        return _placement(placement.body, frame.inverse @ frame_of(placement))

    bodies = {}
    for name, body in model.bodies.items():
        back = frames[name].inverse
        centre = back.origin + back.turn @ np.array(body.centre_of_mass)
        bodies[name] = _body(body.mass, centre, back.turn @ np.array(body.inertia.matrix) @ back.turn.T)
    joints = {
        name: _with(joint, parent=told(joint.parent), child=told(joint.child)) for name, joint in model.joints.items()
    }
    return _rebuilt(model, bodies, joints, model.gravity)


def mirrored(model: Model) -> Model:
    """Return the image in the plane of x and y. Turns in a mirror run the other way round."""
    bodies = {
        name: _body(body.mass, MIRROR @ np.array(body.centre_of_mass), MIRROR @ np.array(body.inertia.matrix) @ MIRROR)
        for name, body in model.bodies.items()
    }

    def image(placement: Placement) -> Placement:
        frame = frame_of(placement)
        return _placement(placement.body, Frame(MIRROR @ frame.turn @ MIRROR, MIRROR @ frame.origin))

    joints = {}
    for name, joint in model.joints.items():
        axes = [
            {
                "motion": axis.motion,
                "function": axis.function,
                "direction": tuple(
                    (MIRROR @ np.array(axis.direction) * (-1.0 if axis.motion == "rotation" else 1.0)).tolist()
                ),
            }
            for axis in joint.axes
        ]
        joints[name] = _with(joint, parent=image(joint.parent), child=image(joint.child), axes=axes)
    return _rebuilt(model, bodies, joints, MIRROR @ np.array(model.gravity))


def in_other_units(model: Model, length: float, mass: float) -> Model:
    """Return the model with lengths and masses in other units; the coordinates keep their numbers."""
    bodies = {
        name: _body(
            mass * body.mass, length * np.array(body.centre_of_mass), mass * length**2 * np.array(body.inertia.matrix)
        )
        for name, body in model.bodies.items()
    }

    def larger(placement: Placement) -> Placement:
        return Placement(
            body=placement.body, at=tuple((length * np.array(placement.at)).tolist()), orientation=placement.orientation
        )

    joints = {}
    for name, joint in model.joints.items():
        axes = [
            axis
            if axis.motion == "rotation"
            else {
                "motion": axis.motion,
                "direction": axis.direction,
                "function": Product(factors=(Constant(value=length), axis.function)),
            }
            for axis in joint.axes
        ]
        joints[name] = _with(joint, parent=larger(joint.parent), child=larger(joint.child), axes=axes)
    return _rebuilt(model, bodies, joints, length * np.array(model.gravity))


def afloat(model: Model) -> Model:
    """Return the model with a new, free body in place of the ground."""
    limits: list[tuple[float, float]] = [(-0.5, 0.5)] * 3 + [(-1.0, 1.0), (-0.5, 0.5), (-1.0, 1.0)]
    names = ("raft_x", "raft_y", "raft_z", "raft_turn", "raft_pitch", "raft_roll")
    options: dict[str, Any] = {name: {"range": limit} for name, limit in zip(names, limits, strict=True)}
    raft = _body(3.0, np.array([0.1, -0.05, 0.02]), np.diag([0.4, 0.5, 0.3]))
    joints = {"raft_joint": free(GROUND, "raft", names, "yzx", **options)}
    for name, joint in model.joints.items():
        place = joint.parent
        moved = Placement(body="raft", at=place.at, orientation=place.orientation)
        joints[name] = _with(joint, parent=moved) if place.body == GROUND else joint
    return _rebuilt(model, {"raft": raft, **model.bodies}, joints, model.gravity)


def _with(joint: Joint, **changes: Any) -> Joint:
    old: dict[str, Any] = {
        "parent": joint.parent,
        "child": joint.child,
        "axes": joint.axes,
        "coordinates": dict(joint.coordinates),
    }
    return Joint(**{**old, **changes})


def _placement(body: str, frame: Frame) -> Placement:
    return Placement(body=body, at=tuple(frame.origin.tolist()), orientation=angles_of(frame.turn))


def _body(mass: float, centre: Array, inertia: Array) -> Body:
    entries = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
    return Body(
        mass=mass,
        centre_of_mass=tuple(centre.tolist()),
        inertia=Inertia(**{name: float(inertia[place]) for name, place in entries.items()}),
    )


def _rebuilt(model: Model, bodies: Any, joints: Any, gravity: Sequence[float] | Array) -> Model:
    return Model(name=model.name, gravity=tuple(float(x) for x in gravity), bodies=dict(bodies), joints=joints)
