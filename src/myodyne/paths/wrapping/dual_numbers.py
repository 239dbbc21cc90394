"""Dual numbers with derivatives by the two points between which a path wraps over a surface.

The counterpart in NumPy of ``native/wrapping/wrap_way.h``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from myodyne.types import Floats

ALONE, AMONG_OTHERS = range(2)
STRAIGHT, INSIDE, MET, MUST, MISSED = range(5)
TURN = 6.283185307179586


class Dual:
    """A number with its six derivatives."""

    __slots__ = ("d", "v")

    def __init__(self, v: float, d: Floats) -> None:
        self.v, self.d = v, d

    def __add__(self, other: Dual | float) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.v + other.v, self.d + other.d)
        return Dual(self.v + other, self.d)

    def __sub__(self, other: Dual | float) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.v - other.v, self.d - other.d)
        return Dual(self.v - other, self.d)

    def __rsub__(self, other: float) -> Dual:
        return Dual(other - self.v, -self.d)

    def __mul__(self, other: Dual | float) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.v * other.v, other.v * self.d + self.v * other.d)
        return Dual(self.v * other, self.d * other)

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other: Dual) -> Dual:
        return Dual(self.v / other.v, self.d / other.v - self.v / (other.v * other.v) * other.d)

    def __neg__(self) -> Dual:
        return Dual(-self.v, -self.d)


Dual3 = tuple[Dual, Dual, Dual]


@dataclass(frozen=True)
class Curve:
    """centre + a cos + b sin + s rise, the angle from start over turn, s from 0 to 1."""

    centre: Floats
    a: Floats
    b: Floats
    rise: Floats
    start: float
    turn: float


@dataclass(frozen=True)
class SurfaceSegment:
    """The part of a path on a surface, in its frame: first and last point of contact, length in between (m), curve."""

    touch: Dual3
    leave: Dual3
    length: Dual
    curve: Curve


WrapResult = tuple[int, SurfaceSegment | None]


def constant(v: float) -> Dual:
    """Return a constant, with zero derivatives."""
    return Dual(v, np.zeros(6))


def seeded(p: Floats, q: Floats) -> tuple[Dual3, Dual3]:
    """Return two points as dual numbers, seeded with unit derivatives."""
    unit = np.eye(6)
    numbers = [Dual(float(v), unit[i]) for i, v in enumerate((*p, *q))]
    return (numbers[0], numbers[1], numbers[2]), (numbers[3], numbers[4], numbers[5])


def sign_of(x: float) -> int:
    """Return 1 or -1; OpenSim counts zero as positive."""
    return 1 if x >= 0.0 else -1


def root(a: Dual) -> Dual:
    """Return the square root, bounded away from zero."""
    v = math.sqrt(max(a.v, 1e-24))
    return Dual(v, 0.5 / v * a.d)


def sine(a: Dual) -> Dual:
    """Return the sine."""
    return Dual(math.sin(a.v), math.cos(a.v) * a.d)


def cosine(a: Dual) -> Dual:
    """Return the cosine."""
    return Dual(math.cos(a.v), -math.sin(a.v) * a.d)


def angle_of(y: Dual, x: Dual) -> Dual:
    """Return the angle of a direction."""
    r = x.v * x.v + y.v * y.v
    return Dual(math.atan2(y.v, x.v), x.v / r * y.d - y.v / r * x.d)


def dot(a: Dual3, b: Dual3) -> Dual:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Dual3, b: Dual3) -> Dual3:
    """Return the vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def add(a: Dual3, b: Dual3) -> Dual3:
    """Return the sum of two vectors."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def sub(a: Dual3, b: Dual3) -> Dual3:
    """Return the difference of two vectors."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def along(s: Dual | float, a: Dual3) -> Dual3:
    """Return a multiple of a vector."""
    return s * a[0], s * a[1], s * a[2]


def unit(a: Dual3) -> Dual3:
    """Return the direction of a vector."""
    return along(constant(1.0) / root(dot(a, a)), a)


def values(a: Dual3) -> Floats:
    """Return a vector without its derivatives."""
    return np.array([a[0].v, a[1].v, a[2].v])
