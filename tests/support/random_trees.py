"""Random trees of bodies, the same for the same seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from myodyne.model import GROUND, Body, Inertia, Joint, Linear, Model, ball, free, pin, planar, slider, universal, weld
from support.frames import Array, angles_of
from support.random_functions import bend_joints, couple_coordinates

SPATIAL = ("weld", "pin", "slider", "universal", "ball", "planar", "free", "custom")
PLANAR = ("weld", "pin", "slider", "planar", "custom")
DEGREES = {"weld": 0, "pin": 1, "slider": 1, "universal": 2, "ball": 3, "planar": 3, "free": 6, "custom": 6}
# More coordinates than this only cost time; large trees have simpler joints.
MOST_COORDINATES = 16
SEQUENCES = tuple(a + b + c for a in "xyz" for b in "xyz" for c in "xyz" if a != b != c)

TURN = (-2.0, 2.0)
SHIFT = (-0.4, 0.4)
# The middle turn of a sequence stays away from where the first and the last axis fall together.
MIDDLE_OF_THREE_AXES = (-0.9, 0.9)
MIDDLE_OF_TWO_AXES = (0.6, 2.4)


@dataclass(frozen=True)
class State:
    """Coordinates, speeds, accelerations and generalised forces, in the order of the free coordinates."""

    q: Array
    v: Array
    vdot: Array
    tau: Array


def random_tree(
    seed: int,
    bodies: int,
    *,
    flat: bool = False,
    kinds: Sequence[str] | None = None,
    functions: bool = False,
    most_coordinates: int = MOST_COORDINATES,
) -> Model:
    """Return a tree of bodies with random shape, joints, placements, inertias and gravity.

    With ``flat`` everything moves in the plane of x and y. With ``functions`` some axes are nonlinear
    functions of one or several coordinates, also of coordinates that belong to other joints, and some
    coordinates are coupled to others.
    """
    rng = np.random.default_rng([seed, bodies, flat, functions])
    kinds = kinds or (PLANAR if flat else SPATIAL)
    builder = _Builder(rng, flat)
    # Some trees are chains, some are bushes: the parent is drawn from the last few bodies.
    reach = int(rng.choice([1, 2, 4, 30]))
    names = [GROUND]
    joints: dict[str, Joint] = {}
    degrees = 0
    for number in range(bodies):
        # Every second body that is still to come shall find a coordinate left.
        room = most_coordinates - degrees - (bodies - number - 1) // 2
        # The first joint moves: a tree of welds has no equations.
        choices = [
            kind for kind in kinds if DEGREES[kind] <= max(room, 0 if number else 1) and (number or kind != "weld")
        ]
        kind = str(rng.choice(choices or ["weld"]))
        parent = str(rng.choice(names[-reach:]))
        name = f"body{number}"
        joints[f"joint{number}"] = builder.joint(kind, parent, name, number)
        degrees += len(joints[f"joint{number}"].coordinates)
        names.append(name)
    if functions:
        joints = couple_coordinates(rng, bend_joints(rng, joints, flat))
    if rng.random() < 0.2:
        joints = _with_one_lock(rng, joints)
    gravity = rng.normal(size=3) * 6.0
    if flat:
        gravity[2] = 0.0
    return Model(
        name=f"tree {seed}",
        gravity=tuple(gravity.tolist()),
        bodies=_with_one_empty(rng, {name: builder.body() for name in names[1:]}, joints),
        joints=_shuffled(rng, joints),
    )


def random_state(model: Model, seed: int, spread: float = 1.0) -> State:
    """Return a random state within the ranges of the coordinates, or within a share of them around their middle."""
    rng = np.random.default_rng([seed, 77])
    parts = [model.coordinates[name] for name in model.moving]
    ranges = np.array([part.range for part in parts], dtype=float)
    q = ranges.mean(axis=1) + 0.5 * spread * (ranges[:, 1] - ranges[:, 0]) * rng.uniform(-1.0, 1.0, size=len(parts))
    v, vdot, tau = rng.normal(size=(3, len(parts)))
    return State(q, v, 3.0 * vdot, 5.0 * tau)


class _Builder:
    def __init__(self, rng: np.random.Generator, flat: bool) -> None:
        self.rng = rng
        self.flat = flat

    def body(self) -> Body:
        spread = self.rng.uniform(0.08, 0.3, size=3)
        axes = self.rotation()
        # The second moments of a real distribution of mass: every inertia that follows can exist.
        moments = axes @ np.diag(spread**2) @ axes.T
        mass = float(self.rng.uniform(0.5, 4.0))
        if self.flat and self.rng.random() < 0.5:
            inertia: Any = Inertia(xx=mass * moments[0, 0], yy=mass * moments[0, 0], zz=mass * moments[0, 0])
        else:
            matrix = mass * (np.trace(moments) * np.eye(3) - moments)
            inertia = Inertia(
                xx=matrix[0, 0], yy=matrix[1, 1], zz=matrix[2, 2], xy=matrix[0, 1], xz=matrix[0, 2], yz=matrix[1, 2]
            )
        return Body(mass=mass, centre_of_mass=self.point(0.25), inertia=inertia)

    def joint(self, kind: str, parent: str, child: str, number: int) -> Joint:
        ends = self.placement(parent), self.placement(child)
        name = [f"q{number}{letter}" for letter in "abcdef"]
        match kind:
            case "weld":
                return weld(*ends)
            case "pin":
                return pin(*ends, name[0], axis=self.turning_axis(), range=TURN)
            case "slider":
                return slider(*ends, name[0], axis=self.shifting_axis(), range=SHIFT)
            case "universal":
                axes = self.triad()[:2]
                # Not always perpendicular.
                second = tuple((np.array(axes[1]) + self.rng.uniform(0.0, 0.5) * np.array(axes[0])).tolist())
                return universal(*ends, (name[0], name[1]), axes=(axes[0], second), **_ranges(name[:2], [TURN, TURN]))
            case "ball":
                sequence = str(self.rng.choice(SEQUENCES))
                return ball(*ends, (name[0], name[1], name[2]), sequence, **_ranges(name[:3], _turn_ranges(sequence)))
            case "planar":
                return planar(*ends, (name[0], name[1], name[2]), **_ranges(name[:3], [SHIFT, SHIFT, TURN]))
            case "free":
                sequence = str(self.rng.choice(SEQUENCES))
                ranges = [SHIFT, SHIFT, SHIFT, *_turn_ranges(sequence)]
                return free(*ends, tuple(name), sequence, **_ranges(name, ranges))  # type: ignore[arg-type]
            case "custom":
                return self.custom(ends, name)
            case _:
                raise ValueError(f"no joint of kind '{kind}'")

    def custom(self, ends: tuple[Any, Any], names: list[str]) -> Joint:
        """Return a joint of up to six axes in any order, with slopes, offsets, and axes that stand still."""
        turns = [("rotation", d) for d in ([(0.0, 0.0, 1.0)] if self.flat else self.triad())]
        shifts = [("translation", d) for d in self.triad()[: 2 if self.flat else 3]]
        turns = turns[: int(self.rng.integers(0, len(turns) + 1))]
        shifts = shifts[: int(self.rng.integers(0 if turns else 1, len(shifts) + 1))]
        moves = [*turns, *shifts]
        moves = [moves[i] for i in self.rng.permutation(len(moves))]
        middle = 1 if len(turns) == 3 else -1
        axes: list[dict[str, Any]] = []
        coordinates: dict[str, Any] = {}
        seen = 0
        for name, (motion, direction) in zip(names, moves, strict=False):
            if len(axes) + len(moves) - len(coordinates) < 6 and self.rng.random() < 0.2:
                still = turns[0] if turns and self.rng.random() < 0.5 else moves[0]
                axes.append({"motion": still[0], "direction": still[1], "function": float(self.rng.normal() * 0.3)})
            slope = float(self.rng.choice([1.0, -1.0, 1.7, -0.6]))
            offset = float(self.rng.choice([0.0, 0.1]))
            axes.append(
                {
                    "motion": motion,
                    "direction": direction,
                    "function": Linear(coordinate=name, slope=slope, offset=offset),
                }
            )
            limit = SHIFT if motion == "translation" else MIDDLE_OF_THREE_AXES if seen == middle else (-1.2, 1.2)
            seen += motion == "rotation"
            low, high = sorted(((limit[0] - offset) / slope, (limit[1] - offset) / slope))
            coordinates[name] = {"range": (low, high), "default": float(self.rng.uniform(low, high))}
        # The order of the coordinates need not be that of the axes.
        order = [list(coordinates)[i] for i in self.rng.permutation(len(coordinates))]
        return Joint(parent=ends[0], child=ends[1], axes=axes, coordinates={name: coordinates[name] for name in order})

    def placement(self, body: str) -> dict[str, Any]:
        if self.flat:
            orientation: tuple[float, float, float] = (0.0, 0.0, float(self.rng.uniform(-3, 3)))
        else:
            orientation = angles_of(self.rotation()) if self.rng.random() < 0.8 else (0.0, 0.0, 0.0)
        return {"body": body, "at": self.point(0.4), "orientation": orientation}

    def point(self, size: float) -> tuple[float, float, float]:
        x, y, z = self.rng.uniform(-size, size, size=3).tolist()
        return (x, y, 0.0 if self.flat else z)

    def turning_axis(self) -> Any:
        if self.flat:
            return str(self.rng.choice(["z", "-z"]))
        return self.triad()[0]

    def shifting_axis(self) -> Any:
        return self.triad()[0]

    def triad(self) -> list[tuple[float, ...]]:
        """Return three perpendicular directions; in the plane the first two lie in it."""
        return [tuple(row) for row in self.rotation().T.tolist()]

    def rotation(self) -> Array:
        if self.flat:
            angle = self.rng.uniform(-np.pi, np.pi)
            return np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1.0]])
        if self.rng.random() < 0.15:
            return np.eye(3)[:, self.rng.permutation(3)] @ np.diag(self.rng.choice([-1.0, 1.0], size=3))
        basis, _ = np.linalg.qr(self.rng.normal(size=(3, 3)))
        return basis * np.sign(np.linalg.det(basis))


def _turn_ranges(sequence: str) -> list[tuple[float, float]]:
    middle = MIDDLE_OF_TWO_AXES if sequence[0] == sequence[2] else MIDDLE_OF_THREE_AXES
    return [TURN, middle, TURN]


def _ranges(names: Sequence[str], ranges: Sequence[tuple[float, float]]) -> dict[str, Any]:
    return {
        name: {"range": limits, "default": 0.5 * (limits[0] + limits[1])}
        for name, limits in zip(names, ranges, strict=True)
    }


def _with_one_lock(rng: np.random.Generator, joints: dict[str, Joint]) -> dict[str, Joint]:
    """Return the joints with one coordinate locked away from zero, if two others remain."""
    places = [
        (joint, name) for joint, part in joints.items() for name, c in part.coordinates.items() if c.coupled is None
    ]
    if len(places) < 3:
        return joints
    joint, name = places[int(rng.integers(len(places)))]
    old = joints[joint].coordinates[name]
    low, high = old.range or (-1.0, 1.0)
    locked = {"range": old.range, "default": float(rng.uniform(low, high)), "locked": True}
    coordinates = {**joints[joint].coordinates, name: locked}
    whole = joints[joint]
    return {**joints, joint: Joint(parent=whole.parent, child=whole.child, axes=whole.axes, coordinates=coordinates)}


def _with_one_empty(rng: np.random.Generator, bodies: dict[str, Body], joints: dict[str, Joint]) -> dict[str, Body]:
    """Return the bodies, one of them without mass if another is welded to it and carries the motion."""
    carriers = [j.parent.body for j in joints.values() if not j.axes and j.parent.body != GROUND]
    if carriers and rng.random() < 0.5:
        bodies = {**bodies, str(rng.choice(carriers)): Body(mass=0.0)}
    return bodies


def _shuffled(rng: np.random.Generator, joints: dict[str, Joint]) -> dict[str, Joint]:
    """Return the joints in another order: a model lists them as it likes."""
    return {name: joints[name] for name in np.array(list(joints))[rng.permutation(len(joints))].tolist()}


__all__ = ["MOST_COORDINATES", "PLANAR", "SPATIAL", "State", "random_state", "random_tree"]
