"""The records of the lists: points, frames, segments, springs, forces, torques, constraints.

They follow Winter (2009), chapter 8: ``pt`` is `Point`, ``LRS`` is `Frame`, ``seg`` is `Segment`, ``spl`` is
`LinearSpring`, ``spt`` is `TorsionalSpring`, ``frc`` is `Force`, ``trq`` is `Torque`. Records refer to each other by
name; "ground" is the global reference system. Every value may be a number or an expression as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from myodyne.errors import ModelError
from myodyne.formulations.lagrange.lists.expressions import Expression, as_expression
from myodyne.model.part import AXES

GROUND = "ground"
Components: TypeAlias = Sequence[Expression]
# One expression or several; records keep them as a tuple.
OneOrMore: TypeAlias = Expression | Components
Direction: TypeAlias = tuple[float, float, float]


def _components(values: object, what: str) -> tuple[Expression, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ModelError(f"{what} needs a list of components, not {values!r:.60}")
    return tuple(as_expression(value) for value in values)


def _one_or_more(values: object, what: str) -> tuple[Expression, ...]:
    single = isinstance(values, str) or not isinstance(values, Iterable)
    return _components((values,) if single else values, what)


def _set(record: object, **values: object) -> None:
    """Set fields of a frozen record during its construction."""
    for name, value in values.items():
        object.__setattr__(record, name, value)


def direction_of(axis: str | Sequence[float]) -> Direction:
    """Return a direction from "x", "-z" or three numbers, of unit length.

    Examples
    --------
    >>> direction_of("-z"), direction_of((0, 3, 4))
    ((0.0, 0.0, -1.0), (0.0, 0.6, 0.8))
    """
    if isinstance(axis, str):
        letter = axis.removeprefix("-")
        if letter not in AXES:
            raise ModelError(f"an axis is x, y, z, -x, -y, -z or three numbers, not {axis!r}")
        sign = -1.0 if axis.startswith("-") else 1.0
        x, y, z = (sign * part + 0.0 for part in AXES[letter])
        return (x, y, z)
    numbers = [float(part) for part in axis]
    length = sum(part * part for part in numbers) ** 0.5
    if len(numbers) != 3 or not 1e-12 < length < float("inf"):
        raise ModelError(f"an axis is x, y, z, -x, -y, -z or three numbers that are not all zero, not {axis!r}")
    if abs(length - 1.0) < 1e-15:
        return (numbers[0], numbers[1], numbers[2])
    return (numbers[0] / length, numbers[1] / length, numbers[2] / length)


@dataclass(frozen=True)
class Coordinate:
    """A generalised coordinate (m or rad).

    The motion of a ``prescribed`` coordinate is known: ``motion`` is an expression of the time ``t``; without it,
    values are passed at each evaluation. Its equation then gives the force that drives it.
    """

    default: float = 0.0
    default_speed: float = 0.0
    motion: Expression | None = None
    prescribed: bool = False

    def __post_init__(self) -> None:
        if self.motion is not None:
            _set(self, motion=as_expression(self.motion), prescribed=True)


@dataclass(frozen=True)
class Point:
    """A point in a frame, ``pt = [frame, x, y, z]`` (Winter 8.10); components may depend on coordinates and ``t``."""

    frame: str
    at: Components = ()

    def __post_init__(self) -> None:
        _set(self, at=_components(self.at, "a point"))


@dataclass(frozen=True)
class Frame:
    """A local reference system, ``LRS = [origin, angles]`` (Winter 8.11).

    Its origin is a point. It is rotated relative to ``relative_to`` by ``angles`` (rad) about the body-fixed axes of
    ``sequence``: "z" in the plane; "zxz", "xyz" or a list of directions in space.
    """

    origin: str
    angles: Components
    sequence: str | Sequence[str | Sequence[float]] = "z"
    relative_to: str = GROUND

    def __post_init__(self) -> None:
        _set(self, angles=_components(self.angles, "a frame"))
        one = isinstance(self.sequence, str) and len(self.angles) == 1
        axes = (self.sequence,) if one else tuple(self.sequence) if self.angles else ()
        _set(self, sequence=tuple(axis if isinstance(axis, str) else tuple(axis) for axis in axes))
        if len(self.angles) != len(self.sequence):
            raise ModelError(
                f"a frame with {len(self.angles)} angles needs as many axes, not {len(self.sequence)}; "
                'write sequence="zxz", for example'
            )

    @property
    def axes(self) -> tuple[Direction, ...]:
        """The axes of the rotations, as unit vectors."""
        return tuple(direction_of(axis) for axis in self.sequence)


@dataclass(frozen=True)
class Segment:
    """A mass, ``seg = [centre, mass, inertia]`` (Winter 8.26); its frame is that of the point ``centre``.

    Parameters
    ----------
    centre : str
        The point at its centre of mass.
    mass : Expression
        Mass (kg).
    inertia : Expression or tuple, optional
        None for a particle; one number (kg m²) in the plane; in space ``(Ixx, Iyy, Izz)`` or
        ``(Ixx, Iyy, Izz, Ixy, Ixz, Iyz)`` with the products ``Ixy = ∫ x y dm`` of Winter 8.24, which have a
        minus sign in the matrix.
    about : str
        The reference point of the inertia: the "centre" of mass or the "origin" of the frame.
    """

    centre: str
    mass: Expression
    inertia: OneOrMore | None = None
    about: Literal["centre", "origin"] = "centre"

    def __post_init__(self) -> None:
        _set(self, mass=as_expression(self.mass))
        if self.inertia is not None:
            _set(self, inertia=_one_or_more(self.inertia, "an inertia"))
        if self.about not in ("centre", "origin"):
            raise ModelError(f"an inertia is about the 'centre' or the 'origin', not {self.about!r}")

    @property
    def inertia_entries(self) -> tuple[Expression, ...]:
        """The entries of the inertia; empty for a particle."""
        return () if self.inertia is None else _made(self.inertia)


@dataclass(frozen=True)
class LinearSpring:
    """A spring and damper between two points, ``spl = [start, end, k, c, free length]`` (Winter 8.28).

    The damper resists with ``damping`` times the rate of length to the ``power``: 1 is viscous, 2 quadratic drag.
    """

    start: str
    end: str
    stiffness: Expression = 0
    damping: Expression = 0
    free_length: Expression = 0
    power: float = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        _settle(self, "stiffness", "damping", "free_length")
        _check_power(self.power)


@dataclass(frozen=True)
class TorsionalSpring:
    """A spring and damper between two frames, ``spt = [start, end, k, c, free angle]`` (Winter 8.29).

    Its angle is that of ``end`` relative to ``start`` about their common axis. ``power`` as in `LinearSpring`.
    """

    start: str
    end: str
    stiffness: Expression = 0
    damping: Expression = 0
    free_angle: Expression = 0
    power: float = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        _settle(self, "stiffness", "damping", "free_angle")
        _check_power(self.power)


@dataclass(frozen=True)
class CoordinateSpring:
    """A spring and damper that acts on a coordinate directly; ``power`` as in `LinearSpring`."""

    coordinate: str
    stiffness: Expression = 0
    damping: Expression = 0
    rest: Expression = 0
    power: float = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        _settle(self, "stiffness", "damping", "rest")
        _check_power(self.power)


@dataclass(frozen=True)
class Force:
    """A force at a point, ``frc = [at, Fx, Fy, Fz]`` (Winter 8.32), in the axes of ``axes`` (the ground or a frame).

    With ``reaction_at`` the opposite force acts there. A single number is then a force along the line between the two
    points, positive when it pushes them apart.
    """

    at: str
    force: OneOrMore
    axes: str = GROUND
    reaction_at: str | None = None

    def __post_init__(self) -> None:
        single = isinstance(self.force, str) or not isinstance(self.force, Iterable)
        if single and self.reaction_at is None:
            raise ModelError("a force given as one number acts between two points; name the other in reaction_at")
        _set(self, force=_one_or_more(self.force, "a force"))

    @property
    def components(self) -> tuple[Expression, ...]:
        """The components of the force; one along the line between its points."""
        return _made(self.force)

    @property
    def along_line(self) -> bool:
        """Whether it is a single number, along the line between its points."""
        return len(self.components) == 1


@dataclass(frozen=True)
class CoordinateForce:
    """A generalised force (N or N m) on a coordinate; it may depend on coordinates, speeds, inputs and ``t``."""

    coordinate: str
    force: Expression

    def __post_init__(self) -> None:
        _settle(self, "force")


@dataclass(frozen=True)
class Torque:
    """A torque between two frames, ``trq = [reaction on, on, τ]`` (Winter 8.33).

    It acts on ``on``, its opposite on ``reaction_on``. One number in the plane; in space three components in the axes
    of ``on``, or of ``axes``.
    """

    reaction_on: str
    on: str
    torque: OneOrMore
    axes: str | None = None

    def __post_init__(self) -> None:
        _set(self, torque=_one_or_more(self.torque, "a torque"))

    @property
    def components(self) -> tuple[Expression, ...]:
        """The components of the torque."""
        return _made(self.torque)


@dataclass(frozen=True)
class Constraint:
    """An equation ``expression = 0`` in coordinates, ``t`` and components of points like ``hand.x``."""

    expression: Expression

    def __post_init__(self) -> None:
        _settle(self, "expression")


@dataclass(frozen=True)
class Nonholonomic:
    """An equation ``expression = 0`` in speeds like ``wheel_dot``, coordinates and ``t``: a wheel, a skate, a drive.

    Its multiplier acts along the derivatives of the expression by the speeds.
    """

    expression: Expression

    def __post_init__(self) -> None:
        _settle(self, "expression")


@dataclass(frozen=True)
class Coincidence:
    """Two points coincide: a closed loop, or a joint that was split (Winter 8.5).

    Its multipliers are the components, in the ground, of the force on ``point``; the opposite acts on ``against``.
    """

    point: str
    against: str


Spring = LinearSpring | TorsionalSpring | CoordinateSpring
Load = Force | CoordinateForce
Closure = Constraint | Coincidence | Nonholonomic


def _made(values: OneOrMore) -> tuple[Expression, ...]:
    assert isinstance(values, tuple)  # by the record's __post_init__
    return values


def _settle(record: object, *fields: str) -> None:
    _set(record, **{field: as_expression(getattr(record, field)) for field in fields})


def _check_power(power: object) -> None:
    if isinstance(power, bool) or not isinstance(power, int | float) or not 0 < power < float("inf"):
        raise ModelError(f"the power of a damper is a positive number, not {power!r}")
