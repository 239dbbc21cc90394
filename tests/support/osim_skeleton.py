"""Skeletons of OpenSim models beside OpenSim's numbers, and the one term in which OpenSim errs.

Simbody 4 (MobilizedBody::FunctionBased) takes the rate of the second and third axis of rotation from the angular
velocity that its first coordinate, or its first two, bring about: right where each rotation has a coordinate of its
own, wrong where one coordinate moves several rotations, as in the knees of Rajagopal's model. The bodies beyond such a
joint then bear an angular acceleration that their own velocities do not have. `spurious_torques` are the generalised
forces of that acceleration.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import myodyne as my

Floats = NDArray[np.float64]
SHARED = Path(__file__).parents[3] / "shared"
REFERENCES = SHARED / "reference_opensim"
VIRTUAL = ("x", "y", "z")


@cache
def reference(name: str) -> dict[str, Any]:
    return json.loads((REFERENCES / f"{name}.open.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


@cache
def skeleton(name: str) -> my.Model:
    """The model without muscles and forces, which play no part in what is compared."""
    model = my.load_model(SHARED / reference(name)["source_file"])
    return model.without(*model.muscles, *model.forces)


def tangled_joints(model: my.Model) -> list[str]:
    """Joints in which one coordinate moves three rotations."""
    found = []
    for name, joint in model.joints.items():
        turns = [axis.function.coordinates for axis in joint.axes if axis.motion == "rotation"]
        if len(turns) == 3 and len({names for names in turns if names}) == 1 and all(turns):
            found.append(name)
    return found


def loosened(model: my.Model) -> my.Model:
    """Return a model that can turn about three axes more in each tangled joint, between translations and rotations."""
    bodies, joints = dict(model.bodies), dict(model.joints)
    for name in tangled_joints(model):
        joint = joints[name]
        between = f"{name}_between"
        bodies[between] = my.Body(mass=0.0)
        moves = [axis for axis in joint.axes if axis.motion == "translation"]
        turns = [axis for axis in joint.axes if axis.motion == "rotation"]
        extra = {f"{name}_{letter}": my.Coordinate() for letter in VIRTUAL}
        more = [my.Axis(motion="rotation", direction=letter, function=f"{name}_{letter}") for letter in VIRTUAL]
        joints[name] = my.Joint(
            parent=joint.parent,
            child=my.Placement(body=between),
            axes=(*moves, *more),
            coordinates={**joint.coordinates, **extra},
        )
        joints[f"{name}_turns"] = my.Joint(parent=my.Placement(body=between), child=joint.child, axes=tuple(turns))
    return my.Model(name=f"{model.name}_loosened", gravity=model.gravity, bodies=bodies, joints=joints)


def spurious_acceleration(joint: my.Joint, q: float, v: float) -> Floats:
    """Return the angular acceleration (rad/s²) that Simbody adds to the child, in the axes of the joint's parent."""
    turns = [axis for axis in joint.axes if axis.motion == "rotation"]
    step = 1e-5
    values = [value_of(axis.function, q) for axis in turns]
    rates = [(value_of(axis.function, q + step) - value_of(axis.function, q - step)) / (2 * step) * v for axis in turns]
    first = _turn(turns[0].direction, values[0])
    axes = [
        np.array(turns[0].direction),
        first @ turns[1].direction,
        first @ _turn(turns[1].direction, values[1]) @ turns[2].direction,
    ]
    whole = sum(axis * rate for axis, rate in zip(axes, rates, strict=True))
    second = np.cross(whole - axes[0] * rates[0], axes[1]) * rates[1]
    third = np.cross(whole - axes[0] * rates[0] - axes[1] * rates[1], axes[2]) * rates[2]
    return np.asarray(second + third)


def _turn(direction: Any, angle: float) -> Floats:
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_rotvec(angle * np.asarray(direction)).as_matrix())


def value_of(function: Any, q: float) -> float:
    """Return a function of one coordinate at a value of it."""
    import casadi as ca

    from myodyne.physics.joint_functions import CoordinateJet, jet

    (name,) = function.coordinates
    return float(ca.evalf(jet(function, {name: CoordinateJet.constant(q, 1)}, 1).value))


def spurious_torques(equations: my.Equations, model: my.Model, q: dict[str, float], v: dict[str, float]) -> Floats:
    """Return the generalised forces that go with Simbody's spurious accelerations; equations are of `loosened`."""
    names = equations.coordinates
    place = np.array([q.get(name, 0.0) for name in names])
    acceleration = np.zeros(len(names))
    for joint in tangled_joints(model):
        axes = model.joints[joint].axes
        (name,) = next(axis for axis in axes if axis.motion == "rotation").function.coordinates
        for letter, value in zip(VIRTUAL, spurious_acceleration(model.joints[joint], q[name], v[name]), strict=True):
            acceleration[names.index(f"{joint}_{letter}")] = value
    rest = np.zeros(len(names))
    forces = equations.inverse_dynamics(place, rest, acceleration) - equations.inverse_dynamics(place, rest, rest)
    return np.array([forces[names.index(name)] for name in model.coordinates])
