"""Dragging a body: which coordinates take a point of it to where the hand is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

import numpy as np

from myodyne.data import DataError
from myodyne.equations import equations_of
from myodyne.errors import ModelError, unknown_name
from myodyne.model import GROUND, Model
from myodyne.types import Floats

# Gauss-Newton: how many steps, the damping (m per rad or m), the step of differences, when it has arrived (m).
_STEPS, _DAMPING, _DIFFERENCE, _ARRIVED = 30, 0.02, 1e-6, 1e-7
# A coordinate that moves the point by less than this (m per rad or m) does not turn it.
_MOVES = 1e-3
# A hand that points farther away (m) slipped.
_FARTHEST = 1e3


def dragged(
    model: Model, pose: Mapping[str, float], body: str, point: Sequence[float], target: Sequence[float], *, chain: bool
) -> dict[str, float]:
    """Return the coordinates that change, and their values, when a point of a body is dragged to a target.

    The coordinates are those of the joint nearest to the body that move the point; with `chain` those of all joints
    from the body to the ground take part.

    Examples
    --------
    >>> import myodyne as my
    >>> arm = my.load_model("pendulum")
    >>> found = dragged(arm, {"angle": 0.0}, "rod", (0.0, -1.0, 0.0), (1.0, 0.0, 0.0), chain=False)
    >>> round(found["angle"], 3)
    1.571
    """
    if body not in model.bodies:
        raise ModelError(unknown_name("body", body, model.bodies))
    place, goal = _Place(model, body, np.asarray(point, dtype=float)), np.asarray(target, dtype=float)
    q = place.pose(pose)
    names = _movers(model, body, place, q, chain=chain)
    if not names:
        raise ModelError(f"'{body}' cannot be dragged: all coordinates between it and the ground are locked")
    columns = [place.names.index(name) for name in names]
    limits = [model.coordinates[name].range or (-np.inf, np.inf) for name in names]
    for _ in range(_STEPS):
        error = goal - place.at(q)
        slopes = place.slopes(q, columns)
        step = np.linalg.solve(slopes.T @ slopes + _DAMPING**2 * np.eye(len(columns)), slopes.T @ error)
        moved = np.clip(q[columns] + np.clip(step, -0.3, 0.3), *np.array(limits).T)
        if np.abs(moved - q[columns]).max() < _ARRIVED:
            break
        q[columns] = moved
    return dict(zip(names, q[columns].tolist(), strict=True))


def place_of(value: object) -> tuple[float, ...]:
    """Return the place (m) that plain data give, three finite numbers.

    Examples
    --------
    >>> place_of([0, 1, 0.5])
    (0.0, 1.0, 0.5)
    """
    if not isinstance(value, Sequence) or len(value) != 3:
        raise DataError("edit: a place has three numbers")
    if not all(isinstance(one, int | float) and isfinite(one) and abs(one) < _FARTHEST for one in value):
        raise DataError(f"edit: places are finite numbers within {_FARTHEST:g} m")
    return tuple(float(one) for one in value)


class _Place:
    """Where a point of a body is, and how coordinates move it."""

    def __init__(self, model: Model, body: str, point: Floats) -> None:
        self._equations = equations_of(model)
        self.names = list(self._equations.coordinates)
        self._number, self._point = list(self._equations.bodies).index(body), point

    def pose(self, given: Mapping[str, float]) -> Floats:
        """Return all coordinates, with those given at their values."""
        q: Floats = np.array(self._equations.coordinate_defaults(), dtype=float)
        for number, name in enumerate(self.names):
            q[number] = given.get(name, q[number])
        return q

    def at(self, q: Floats) -> Floats:
        """Return the point (m) in the ground's axes."""
        found: Floats = self._many(q[None])[0]
        return found

    def slopes(self, q: Floats, columns: Sequence[int]) -> Floats:
        """Return by how much each coordinate moves the point (3, n)."""
        steps = np.repeat(q[None], 2 * len(columns), axis=0)
        for number, column in enumerate(columns):
            steps[2 * number, column] += _DIFFERENCE
            steps[2 * number + 1, column] -= _DIFFERENCE
        points = self._many(steps)
        found: Floats = (points[0::2] - points[1::2]).T / (2 * _DIFFERENCE)
        return found

    def _many(self, q: Floats) -> Floats:
        rotations, positions = (np.asarray(part) for part in self._equations.body_poses(q))
        found: Floats = rotations[:, self._number] @ self._point + positions[:, self._number]
        return found


def _movers(model: Model, body: str, place: _Place, q: Floats, *, chain: bool) -> list[str]:
    """Return the coordinates that move a point of a body, of the joint nearest to it or of all."""
    inward = {joint.child.body: joint for joint in model.joints.values()}
    found: list[str] = []
    while body != GROUND and body in inward and (chain or not found):
        joint = inward[body]
        free = [name for name in joint.coordinates if name in model.moving]
        if free:
            sizes = np.linalg.norm(place.slopes(q, [place.names.index(name) for name in free]), axis=0)
            found += [name for name, size in zip(free, sizes, strict=True) if size > _MOVES]
        body = joint.parent.body
    return found
