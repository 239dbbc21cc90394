"""Kinematic constraints: equations between accelerations, each with the reaction that enforces it.

A constraint adds a row to A' and b', and an unknown. Unless a constraint names one of the 7n + 5 variables for that
(``reaction``, as in the programs printed by Casius et al. 2004), the unknown is its own: a force at the constrained
point, a moment on the constrained segment, a pair of them between two. All reactions add up in the 6n constraint
variables, which no one else may write, so any number of constraints can be set without a collision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from myodyne.errors import SolveError
from myodyne.formulations.newton_euler.chain import Array, Chain, Place, Point, Pose, turned
from myodyne.formulations.newton_euler.variables import variable_index


@dataclass(frozen=True)
class Rows:
    """What a constraint adds to the system.

    ``left`` (..., m, 7n + 5) and ``right`` (..., m) are its rows; ``reach`` (..., 6n, m) tells which constraint
    variables a unit of each reaction fills; ``labels`` name the rows.
    """

    left: Array
    right: Array
    reach: Array
    labels: tuple[str, ...]


class Constraint(Protocol):
    """An equation between accelerations."""

    @property
    def reaction(self) -> Sequence[str]:
        """The variables that become unknown, one for each row; none if the constraint brings its own."""
        ...

    def rows(self, pose: Pose) -> Rows:
        """Return the rows in a pose."""
        ...


@dataclass(frozen=True, eq=False)
class AngularAcceleration:
    """Prescribes the angular acceleration of a segment (rad/s²); its own reaction is a moment on the segment.

    Examples
    --------
    >>> steady = AngularAcceleration("crank", 0.0)
    >>> printed = AngularAcceleration("crank", 0.0, reaction=["crank.external_moment"])
    """

    segment: str
    value: Any = 0.0
    reaction: Sequence[str] = ()

    def rows(self, pose: Pose) -> Rows:
        number = pose.chain.segment_number(self.segment)
        left, reach = _blank(pose, 1)
        left[..., 0, _spin(pose.chain) + number] = 1.0
        reach[..., 5 * pose.chain.size + number, 0] = 1.0
        right = np.asarray(self.value, dtype=float)[..., None]
        return Rows(left, right, reach, (f"angular acceleration of '{self.segment}'",))


@dataclass(frozen=True, eq=False)
class PointAcceleration:
    """Prescribes the acceleration (m/s²) of a joint or a point of a segment, along x, y or both.

    Its own reaction is a force of the environment on that point. On a joint between two segments it lets the
    reactions on both sides differ. A direction given as None stays free.

    Examples
    --------
    >>> seated = PointAcceleration("hip")
    >>> on_ice = PointAcceleration("toe", x=None, y=0.0)
    """

    place: Place
    x: Any = 0.0
    y: Any = 0.0
    reaction: Sequence[str] = ()

    def rows(self, pose: Pose) -> Rows:
        directions = [i for i, value in enumerate((self.x, self.y)) if value is not None]
        if not directions:
            raise SolveError(f"the constraint on the acceleration of '{self.place}' leaves x and y free; give one")
        left, right = _acceleration(pose, self.place)
        prescribed = [np.asarray((self.x, self.y)[i], dtype=float) + right[..., i] for i in directions]
        labels = tuple(f"acceleration {'xy'[i]} of '{self.place}'" for i in directions)
        right = np.stack(np.broadcast_arrays(*prescribed), axis=-1)
        return Rows(left[..., directions, :], right, _push(pose, self.place)[..., directions], labels)


@dataclass(frozen=True, eq=False)
class EqualAngularAccelerations:
    """Keeps two segments turning alike: the first accelerates by ``difference`` (rad/s²) more than the second.

    Its own reaction is a pair of moments, positive on the first segment: in the joint between them if they are
    neighbours, else through the environment. With it a chain branches: see `overlapping`.
    """

    first: str
    second: str
    difference: Any = 0.0
    reaction: Sequence[str] = ()

    def rows(self, pose: Pose) -> Rows:
        chain = pose.chain
        first, second = chain.segment_number(self.first), chain.segment_number(self.second)
        if first == second:
            raise SolveError(f"segment '{self.first}' always turns like itself; name two segments")
        left, reach = _blank(pose, 1)
        left[..., 0, _spin(chain) + first] = 1.0
        left[..., 0, _spin(chain) + second] = -1.0
        if abs(first - second) == 1:
            # The moment from a joint is positive on the segment behind it.
            reach[..., 2 * chain.size + max(first, second), 0] = 1.0 if first > second else -1.0
        else:
            reach[..., 5 * chain.size + first, 0] = 1.0
            reach[..., 5 * chain.size + second, 0] = -1.0
        right = np.asarray(self.difference, dtype=float)[..., None]
        return Rows(left, right, reach, (f"equal angular accelerations of '{self.first}' and '{self.second}'",))


@dataclass(frozen=True, eq=False)
class CoincidentPoints:
    """Keeps two places of the chain together: equal accelerations, and a pair of forces, positive on the first."""

    first: Place
    second: Place
    reaction: Sequence[str] = ()

    def rows(self, pose: Pose) -> Rows:
        (left, right), (other_left, other_right) = (_acceleration(pose, place) for place in (self.first, self.second))
        labels = tuple(f"equal accelerations {axis} of '{self.first}' and '{self.second}'" for axis in "xy")
        reach = _push(pose, self.first) - _push(pose, self.second)
        return Rows(left - other_left, right - other_right, reach, labels)


@dataclass(frozen=True, eq=False)
class LinearConstraint:
    """Any other equation: the sum of coefficients times variables has a value; ``reaction`` becomes unknown.

    Examples
    --------
    >>> geared = LinearConstraint(
    ...     {"crank.angular_acceleration": 2.0, "wheel.angular_acceleration": -1.0}, 0.0, ["crank.external_moment"])
    """

    coefficients: Mapping[str, Any]
    value: Any = 0.0
    reaction: Sequence[str] = ()

    def rows(self, pose: Pose) -> Rows:
        if isinstance(self.reaction, str) or len(self.reaction) != 1:
            raise SolveError(f"a linear constraint needs the one variable that becomes unknown, not {self.reaction!r}")
        left, reach = _blank(pose, 1)
        for name, coefficient in self.coefficients.items():
            place = variable_index(pose.chain, name)
            if place >= left.shape[-1]:
                raise SolveError(f"'{name}' is set by constraints alone and cannot stand in a linear constraint")
            left[..., 0, place] = coefficient
        label = " + ".join(f"({coefficient}) {name}" for name, coefficient in self.coefficients.items())
        return Rows(left, np.asarray(self.value, dtype=float)[..., None], reach, (label,))


def overlapping(chain: Chain, first: str, second: str, angles: Any = None) -> EqualAngularAccelerations:
    """Return the constraint that keeps two segments one above the other, so that a chain can turn back and branch.

    The second segment runs back over the first, from the joint they share: half the body's mass and inertia on
    each, equal lengths, and an angle that differs by π. Given the angles (rad) of a motion, the overlap is checked.
    """
    one, two = chain.segment_number(first), chain.segment_number(second)
    if two != one + 1:
        raise SolveError(f"'{second}' must follow '{first}' in the chain to run back over it")
    if not np.isclose(chain.lengths[one], chain.lengths[two], rtol=1e-12, atol=0.0):
        raise SolveError(
            f"'{first}' is {chain.lengths[one]:g} m long and '{second}' {chain.lengths[two]:g} m: they cannot overlap"
        )
    if angles is not None:
        angles = np.asarray(angles, dtype=float)
        apart = angles[..., one] - angles[..., two] - np.pi
        if np.abs(np.sin(apart / 2)).max() > 1e-9:
            raise SolveError(f"the angles of '{first}' and '{second}' do not differ by π: they do not overlap")
    return EqualAngularAccelerations(first, second)


def _spin(chain: Chain) -> int:
    return 6 * chain.size + 3


def _blank(pose: Pose, count: int) -> tuple[Array, Array]:
    n = pose.chain.size
    return np.zeros((*pose.rows, count, 7 * n + 5)), np.zeros((*pose.rows, 6 * n, count))


def _acceleration(pose: Pose, place: Place) -> tuple[Array, Array]:
    """Return rows (..., 2, 7n + 5) that give the acceleration of a place but for its centripetal part (..., 2)."""
    left, _ = _blank(pose, 2)
    arms, spin = pose.arms(place), _spin(pose.chain)
    left[..., :, spin : spin + pose.chain.size] = np.swapaxes(turned(arms), -1, -2)
    left[..., 0, -2] = left[..., 1, -1] = 1.0
    return left, (pose.motion.rates[..., None] ** 2 * arms).sum(axis=-2)


def _push(pose: Pose, place: Place) -> Array:
    """Return the constraint variables (..., 6n, 2) that unit forces along x and y at a place amount to."""
    n = pose.chain.size
    number, arm = pose.carrier(place)
    _, reach = _blank(pose, 2)
    on_joint = not isinstance(place, Point) and pose.chain.joint_number(place) < n
    first = 0 if on_joint else 3 * n
    reach[..., first + number, 0] = 1.0
    reach[..., first + n + number, 1] = 1.0
    if not on_joint:
        lever = arm - pose.to_centre[..., number, :]
        reach[..., 5 * n + number, 0] = -lever[..., 1]
        reach[..., 5 * n + number, 1] = lever[..., 0]
    return reach
