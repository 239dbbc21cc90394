"""Kinematic constraints: equations between accelerations, each with the reaction that enforces it.

A constraint adds a row to A' and b', and an unknown. A constraint may name one of the 7n + 5 variables for that
(``reaction``, as in the programs printed by Casius et al. 2004). Otherwise it adds its own unknown: a force at the
constrained point, a moment on the constrained segment, or a pair between two segments. All reactions add up in the 6n
constraint variables, which nothing else sets, so any number of constraints can be combined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from myodyne.errors import SolveError
from myodyne.formulations.newton_euler.chain import Chain, Place, Point, Pose, turned
from myodyne.formulations.newton_euler.variables import variable_index
from myodyne.types import Floats


@dataclass(frozen=True)
class Rows:
    """The rows that a constraint adds to the system.

    ``left`` (..., m, 7n + 5) and ``right`` (..., m) are its rows; ``reach`` (..., 6n, m) maps the reactions to the
    constraint variables; ``labels`` name the rows.
    """

    left: Floats
    right: Floats
    reach: Floats
    labels: tuple[str, ...]


class Constraint(Protocol):
    """An equation between accelerations."""

    @property
    def reaction(self) -> Sequence[str]:
        """The variables that become unknown, one for each row; empty if the constraint adds its own."""
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
    value: ArrayLike = 0.0
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

    Its own reaction is a force of the environment on that point. At a joint between two segments the reactions on
    the two sides may then differ. None leaves a direction free.

    Examples
    --------
    >>> seated = PointAcceleration("hip")
    >>> on_ice = PointAcceleration("toe", x=None, y=0.0)
    """

    place: Place
    x: ArrayLike | None = 0.0
    y: ArrayLike | None = 0.0
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
    """Couples the rotation of two segments: the first accelerates by ``difference`` (rad/s²) more than the second.

    Its own reaction is a pair of moments, positive on the first segment: in the joint between them if they are
    adjacent, else through the environment. It makes branched chains possible: see `overlapping`.
    """

    first: str
    second: str
    difference: ArrayLike = 0.0
    reaction: Sequence[str] = ()

    def rows(self, pose: Pose) -> Rows:
        chain = pose.chain
        first, second = chain.segment_number(self.first), chain.segment_number(self.second)
        if first == second:
            raise SolveError(f"segment '{self.first}' is named twice; name two different segments")
        left, reach = _blank(pose, 1)
        left[..., 0, _spin(chain) + first] = 1.0
        left[..., 0, _spin(chain) + second] = -1.0
        if abs(first - second) == 1:
            # The moment from a joint is positive on the segment distal to it.
            reach[..., 2 * chain.size + max(first, second), 0] = 1.0 if first > second else -1.0
        else:
            reach[..., 5 * chain.size + first, 0] = 1.0
            reach[..., 5 * chain.size + second, 0] = -1.0
        right = np.asarray(self.difference, dtype=float)[..., None]
        return Rows(left, right, reach, (f"equal angular accelerations of '{self.first}' and '{self.second}'",))


@dataclass(frozen=True, eq=False)
class CoincidentPoints:
    """Keeps two points of the chain together: equal accelerations, and a pair of forces, positive on the first."""

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
    """Any other linear equation: a weighted sum of variables has a given value; ``reaction`` becomes unknown.

    Examples
    --------
    >>> geared = LinearConstraint(
    ...     {"crank.angular_acceleration": 2.0, "wheel.angular_acceleration": -1.0}, 0.0, ["crank.external_moment"])
    """

    coefficients: Mapping[str, float | Floats]
    value: ArrayLike = 0.0
    reaction: Sequence[str] = ()

    def rows(self, pose: Pose) -> Rows:
        if isinstance(self.reaction, str) or len(self.reaction) != 1:
            raise SolveError(f"a linear constraint needs the one variable that becomes unknown, not {self.reaction!r}")
        left, reach = _blank(pose, 1)
        for name, coefficient in self.coefficients.items():
            place = variable_index(pose.chain, name)
            if place >= left.shape[-1]:
                raise SolveError(f"'{name}' is a constraint variable and is not allowed in a linear constraint")
            left[..., 0, place] = coefficient
        label = " + ".join(f"({coefficient}) {name}" for name, coefficient in self.coefficients.items())
        return Rows(left, np.asarray(self.value, dtype=float)[..., None], reach, (label,))


def overlapping(chain: Chain, first: str, second: str, angles: ArrayLike | None = None) -> EqualAngularAccelerations:
    """Return the constraint that keeps two segments overlapping, so that a chain can turn back and branch.

    The second segment runs back over the first from their common joint: each has half the body's mass and inertia,
    the lengths are equal, and the angles differ by π. If the angles (rad) of a motion are given, this is checked.
    """
    one, two = chain.segment_number(first), chain.segment_number(second)
    if two != one + 1:
        raise SolveError(f"'{second}' must be the next segment after '{first}' to run back over it")
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


def _blank(pose: Pose, count: int) -> tuple[Floats, Floats]:
    n = pose.chain.size
    return np.zeros((*pose.rows, count, 7 * n + 5)), np.zeros((*pose.rows, 6 * n, count))


def _acceleration(pose: Pose, place: Place) -> tuple[Floats, Floats]:
    """Return rows (..., 2, 7n + 5) of the acceleration of a place, and its centripetal part (..., 2)."""
    left, _ = _blank(pose, 2)
    arms, spin = pose.arms(place), _spin(pose.chain)
    left[..., :, spin : spin + pose.chain.size] = np.swapaxes(turned(arms), -1, -2)
    left[..., 0, -2] = left[..., 1, -1] = 1.0
    return left, (pose.motion.rates[..., None] ** 2 * arms).sum(axis=-2)


def _push(pose: Pose, place: Place) -> Floats:
    """Return the constraint variables (..., 6n, 2) equivalent to unit forces along x and y at a place."""
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
