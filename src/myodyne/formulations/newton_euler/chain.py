"""A chain of rigid segments in a plane, its pose and its motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from myodyne.errors import ModelError, SolveError, unknown_name
from myodyne.types import Floats

if TYPE_CHECKING:
    from myodyne.formulations.newton_euler.solution import Solution


@dataclass(frozen=True)
class Segment:
    """A rigid segment between two hinges.

    Parameters
    ----------
    name : str
        Name of the segment.
    length : float
        From the proximal to the distal joint (m).
    centre : float
        From the proximal joint to the centre of mass, along the line to the distal joint (m).
    mass : float
        kg.
    inertia : float
        About the centre of mass (kg m²).
    offset : float
        Of the centre of mass to the left of that line, seen towards the distal joint (m). Casius et al. 2004
        assume zero; the same equations hold with the true lever arms.

    Examples
    --------
    >>> shank = Segment("shank", length=0.43, centre=0.19, mass=3.5, inertia=0.06)
    """

    name: str
    length: float
    centre: float
    mass: float
    inertia: float
    offset: float = 0.0

    def __post_init__(self) -> None:
        for field in ("length", "centre", "mass", "inertia", "offset"):
            value = getattr(self, field)
            if not np.isfinite(value):
                raise ModelError(f"segment '{self.name}': {field} must be a finite number, not {value!r}")
            if field in ("length", "mass", "inertia") and value < 0:
                raise ModelError(f"segment '{self.name}': {field} cannot be negative, and is {value:g}")


@dataclass(frozen=True)
class Point:
    """A point fixed to a segment: ``along`` the line from its proximal joint and ``across`` to the left (m)."""

    segment: str
    along: float = 0.0
    across: float = 0.0

    def __post_init__(self) -> None:
        if not np.isfinite([self.along, self.across]).all():
            raise ModelError(f"a point of '{self.segment}' needs finite numbers, not {self.along} and {self.across}")

    def __str__(self) -> str:
        return f"({self.along:g}, {self.across:g}) on {self.segment}"


Place = str | Point
"""A point of a chain: the name of a joint, or a `Point` on a segment."""


class Chain:
    """Segments in a row, joined by hinges; n segments have n + 1 joints, the two ends included.

    Parameters
    ----------
    segments : sequence of Segment
        From base to end.
    joints : sequence of str, optional
        Names of the n + 1 joints; ``joint1`` to ``joint<n+1>`` if left out. The first is the base.

    Examples
    --------
    >>> leg = Chain([Segment("thigh", 0.43, 0.19, 7.5, 0.14), Segment("shank", 0.43, 0.19, 3.5, 0.06)])
    >>> leg.joints
    ('joint1', 'joint2', 'joint3')
    """

    def __init__(self, segments: Sequence[Segment], joints: Sequence[str] | None = None) -> None:
        self.segments = tuple(segments)
        self.joints = tuple(joints) if joints is not None else tuple(f"joint{i + 1}" for i in range(self.size + 1))
        if not self.segments:
            raise ModelError("a chain needs at least one segment")
        if len(self.joints) != self.size + 1:
            raise ModelError(
                f"a chain of {self.size} segments has {self.size + 1} joints, the two ends included; "
                f"{len(self.joints)} names are given"
            )
        for kind, names in (("segment", self.names), ("joint", self.joints)):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ModelError(f"two {kind}s of the chain are called '{twice[0]}'; names must differ")

    def __repr__(self) -> str:
        return f"Chain({', '.join(self.names)})"

    @property
    def size(self) -> int:
        """The number of segments, n."""
        return len(self.segments)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the segments."""
        return tuple(segment.name for segment in self.segments)

    @property
    def degrees_of_freedom(self) -> int:
        """Without constraints: n angles and the two coordinates of the base."""
        return self.size + 2

    @cached_property
    def lengths(self) -> Floats:
        return np.array([segment.length for segment in self.segments])

    @cached_property
    def centres(self) -> Floats:
        """Centres of mass in the axes of each segment, (n, 2): along and across."""
        return np.array([(segment.centre, segment.offset) for segment in self.segments])

    @cached_property
    def masses(self) -> Floats:
        return np.array([segment.mass for segment in self.segments])

    @cached_property
    def inertias(self) -> Floats:
        return np.array([segment.inertia for segment in self.segments])

    def segment_number(self, name: str) -> int:
        """Return the place of a segment in the chain, from 0."""
        if name not in self.names:
            raise SolveError(unknown_name("segment", name, self.names))
        return self.names.index(name)

    def joint_number(self, name: str) -> int:
        """Return the place of a joint in the chain, from 0 (the base) to n (the end)."""
        if name not in self.joints:
            raise SolveError(unknown_name("joint", name, self.joints))
        return self.joints.index(name)


class Motion:
    """Pose and velocity of a chain: one instant, or a stack of instants.

    Parameters
    ----------
    angles : array (..., n)
        Of the segments, from +x to the line from proximal to distal joint, counter-clockwise (rad).
    rates : array (..., n), optional
        Their rates (rad/s), zero if left out.
    base, base_velocity : array (2,) or (..., 2), optional
        Position (m) and velocity (m/s) of the first joint, zero if left out.

    Examples
    --------
    >>> upright = Motion(angles=[1.57, 1.57], rates=[0.0, 0.3])
    >>> upright.state.shape
    (8,)
    """

    angles: Floats
    rates: Floats
    base: Floats
    base_velocity: Floats

    def __init__(
        self,
        angles: ArrayLike,
        rates: ArrayLike | None = None,
        base: ArrayLike = (0.0, 0.0),
        base_velocity: ArrayLike = (0.0, 0.0),
    ) -> None:
        self.angles = np.asarray(angles, dtype=float)
        self.rates = np.zeros_like(self.angles) if rates is None else np.asarray(rates, dtype=float)
        if self.angles.ndim == 0 or self.rates.shape != self.angles.shape:
            raise SolveError(
                f"angles and rates need the same shape (..., n), not {self.angles.shape} and {self.rates.shape}"
            )
        self.base, self.base_velocity = self._pair("base", base), self._pair("base_velocity", base_velocity)
        for name in ("angles", "rates", "base", "base_velocity"):
            if not np.isfinite(getattr(self, name)).all():
                raise SolveError(f"{name} of the motion are not finite")

    def _pair(self, name: str, values: ArrayLike) -> Floats:
        pair, rows = np.asarray(values, dtype=np.float64), self.angles.shape[:-1]
        if pair.shape not in ((2,), (*rows, 2)):
            raise SolveError(f"{name} needs x and y, or these for each row of angles, not the shape {pair.shape}")
        return np.broadcast_to(pair, (*rows, 2))

    @property
    def state(self) -> Floats:
        """The 2n + 4 state variables in the order of Casius et al. 2004: angles, rates, base, base velocity."""
        return np.concatenate([self.angles, self.rates, self.base, self.base_velocity], axis=-1)

    @classmethod
    def from_state(cls, state: ArrayLike) -> Motion:
        """Return the motion of 2n + 4 state variables; the inverse of `state`."""
        state = np.asarray(state, dtype=float)
        if state.ndim == 0 or state.shape[-1] < 6 or state.shape[-1] % 2:
            raise SolveError(f"a state has 2n + 4 entries for n segments, not an array of shape {state.shape}")
        n = state.shape[-1] // 2 - 2
        angles, rates, base, velocity = np.split(state, [n, 2 * n, 2 * n + 2], axis=-1)
        return cls(angles, rates, base, velocity)

    def state_rate(self, solution: Solution) -> Floats:
        """Return the rate of the state, with the accelerations of a solution, for an integrator."""
        return np.concatenate(
            [self.rates, solution.angular_accelerations, self.base_velocity, solution.base_acceleration], axis=-1
        )


class Pose:
    """The lever arms of a chain in a motion: from each proximal joint to the centre of mass and to the distal joint."""

    def __init__(self, chain: Chain, motion: Motion) -> None:
        if motion.angles.shape[-1] != chain.size:
            raise SolveError(f"the chain has {chain.size} segments, the motion {motion.angles.shape[-1]} angles")
        self.chain = chain
        self.motion = motion
        # The left normal of a segment is its direction rotated by 90°.
        self._along = np.stack([np.cos(motion.angles), np.sin(motion.angles)], axis=-1)
        self._across = turned(self._along)
        self.to_end = chain.lengths[:, None] * self._along
        self.to_centre = chain.centres[:, :1] * self._along + chain.centres[:, 1:] * self._across

    @property
    def rows(self) -> tuple[int, ...]:
        """The shape of the stack of instants, empty for one."""
        return tuple(self.motion.angles.shape[:-1])

    def carrier(self, place: Place) -> tuple[int, Floats]:
        """Return the segment that carries a place, and the lever arm (..., 2) from its proximal joint.

        A joint belongs to the segment distal to it, the last joint to the last segment.
        """
        if isinstance(place, Point):
            number = self.chain.segment_number(place.segment)
            arm = place.along * self._along[..., number, :] + place.across * self._across[..., number, :]
            return number, arm
        number = self.chain.joint_number(place)
        if number == self.chain.size:
            return number - 1, self.to_end[..., -1, :]
        return number, np.zeros((*self.rows, 2))

    def arms(self, place: Place) -> Floats:
        """Return what each segment adds to a position, (..., n, 2): zero distal to the segment that carries it."""
        number, arm = self.carrier(place)
        arms: Floats = np.zeros(self.to_end.shape)
        arms[..., :number, :] = self.to_end[..., :number, :]
        arms[..., number, :] = arm
        return arms


def turned(vectors: Floats) -> Floats:
    """Return plane vectors (..., 2) rotated counter-clockwise by 90°."""
    left: Floats = np.stack([-vectors[..., 1], vectors[..., 0]], axis=-1)
    return left


def position(chain: Chain, motion: Motion, place: Place) -> Floats:
    """Return the position of a joint or of a point of a segment (m).

    Examples
    --------
    >>> rod = Chain([Segment("rod", 2.0, 1.0, 1.0, 1 / 3)])
    >>> position(rod, Motion([0.0], base=(0.5, 0.0)), "joint2")
    array([2.5, 0. ])
    """
    place_from_base: Floats = Pose(chain, motion).arms(place).sum(axis=-2)
    return motion.base + place_from_base


def velocity(chain: Chain, motion: Motion, place: Place) -> Floats:
    """Return the velocity of a joint or of a point of a segment (m/s)."""
    arms = Pose(chain, motion).arms(place)
    against_base: Floats = (motion.rates[..., None] * turned(arms)).sum(axis=-2)
    return motion.base_velocity + against_base


def acceleration(chain: Chain, motion: Motion, place: Place, solution: Solution) -> Floats:
    """Return the acceleration (m/s²) of a joint or a point of a segment in a solution."""
    arms = Pose(chain, motion).arms(place)
    tangential = solution.angular_accelerations[..., None] * turned(arms)
    centripetal = motion.rates[..., None] ** 2 * arms
    against_base: Floats = (tangential - centripetal).sum(axis=-2)
    return solution.base_acceleration + against_base


def centre_of_mass(chain: Chain, motion: Motion) -> tuple[Floats, Floats]:
    """Return position (m) and velocity (m/s) of the centre of mass of the whole chain."""
    centres = [Point(segment.name, segment.centre, segment.offset) for segment in chain.segments]
    weights = chain.masses / chain.masses.sum()
    where = np.stack([position(chain, motion, centre) for centre in centres], axis=-1) @ weights
    speed = np.stack([velocity(chain, motion, centre) for centre in centres], axis=-1) @ weights
    return where, speed
