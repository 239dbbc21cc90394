"""The Dynamic Arm Simulator's stored results, and the term that its equations of motion leave out."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import myodyne as my

Floats = NDArray[np.float64]

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "das3"
HERE = FOLDER.is_dir()
REASON = "the Dynamic Arm Simulator's numbers are not beside the project"


@dataclass(frozen=True)
class Stored:
    """What the release stores: an equilibrium, its muscle forces (N) as printed, and a simulation by ode15s.

    States are in the order angles, speeds, fibre lengths along the tendon over the optimal ones, activations.
    """

    equilibrium: Floats
    forces: dict[str, float]
    fibre_lengths: dict[str, float]
    times: Floats
    states: Floats


@cache
def stored() -> Stored:
    from scipy.io import loadmat

    with (FOLDER / "rel2_equilibrium_muscles.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    simulation = loadmat(str(FOLDER / "rel2_ode15s_simulation.mat"))
    return Stored(
        equilibrium=loadmat(str(FOLDER / "rel2_equilibrium.mat"))["x"].ravel(),
        forces={row["muscle"]: float(row["force_N"]) for row in rows},
        fibre_lengths={row["muscle"]: float(row["fibre_length_over_optimal"]) for row in rows},
        times=simulation["tout"].ravel(),
        states=simulation["xout"],
    )


def turned(axis: Floats, angle: float) -> Floats:
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def left_out(model: my.Model, q: Floats, v: Floats) -> Floats:
    """Return the generalised forces (N m) of the inertia that the published equations leave out.

    A joint's axis e that is carried by a body turning at ω adds ω × (q̇ e) to the angular acceleration of all beyond
    it. The published equations have that term for the hand's own rotation, and for nothing else: neither for the
    rotation of other bodies nor for the accelerations of any point. Written apart from the package's recursions: in
    the axes of the ground, body by body, with the axes before each body kept in a list.
    """
    value = dict(zip(model.coordinates, q, strict=True))
    rate = dict(zip(model.coordinates, v, strict=True))
    # Rotation, place, angular velocity, and the angular and linear acceleration left out so far.
    frames = {"ground": (np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3))}
    turns: list[tuple[Floats, Floats]] = []
    forces = np.zeros(len(q))
    for joint in (model.joints[name] for name in model.tree):
        rotation, place, spin, angular, linear = frames[joint.parent.body]
        arm = rotation @ joint.parent.at
        place, linear = place + arm, linear + np.cross(angular, arm)
        for axis in joint.axes:
            name = axis.function.coordinate
            direction = rotation @ axis.direction
            turns.append((direction, place))
            angular = angular + np.cross(spin, rate[name] * direction)
            spin = spin + rate[name] * direction
            rotation = rotation @ turned(np.array(axis.direction), value[name])
        if not joint.axes and joint.child.body == "handr":
            angular = np.zeros(3)
        frames[joint.child.body] = (rotation, place, spin, angular, linear)
        body = model.bodies[joint.child.body]
        arm = rotation @ body.centre_of_mass
        push = body.mass * (linear + np.cross(angular, arm))
        twist = rotation @ np.array(body.inertia.matrix) @ rotation.T @ angular
        # A chain: every axis so far moves this body.
        for number, (direction, pivot) in enumerate(turns):
            forces[number] += direction @ (np.cross(place + arm - pivot, push) + twist)
    return forces
