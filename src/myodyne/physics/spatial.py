"""Spatial vectors, rotations and inertias as CasADi expressions.

Everything is three-dimensional. Zeros and ones fold away as the expressions are built, so a planar model
costs what a planar derivation would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import casadi as ca

SX = ca.SX
# A number of a model, or a symbol in its place where it is free.
Scalar: TypeAlias = SX | float
# Three of them, in whatever holds three.
Triple: TypeAlias = Sequence[Scalar] | SX


def vector(values: Triple) -> SX:
    """Return three numbers, constant or symbolic, as a column."""
    return ca.vertcat(*(SX(values[i]) for i in range(3)))


def zero() -> SX:
    """Return the null vector."""
    return SX([0.0, 0.0, 0.0])


def unit() -> SX:
    """Return the identity matrix, dense: its zeros fold away, and its entries can be set."""
    return SX(ca.DM.eye(3).full())


def blank() -> SX:
    """Return the dense zero matrix."""
    return SX(ca.DM.zeros(3, 3).full())


def cross(a: SX, b: SX) -> SX:
    """Return a × b."""
    return ca.vertcat(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def skew(a: SX) -> SX:
    """Return the matrix of a × ."""
    return ca.vertcat(ca.horzcat(0, -a[2], a[1]), ca.horzcat(a[2], 0, -a[0]), ca.horzcat(-a[1], a[0], 0))


def dot(a: SX, b: SX) -> SX:
    """Return a · b, summed without a leading zero so that constants fold."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def symmetric(a: SX) -> SX:
    """Return a symmetric matrix from its upper triangle, so that mirrored entries are one expression."""
    return ca.vertcat(
        ca.horzcat(a[0, 0], a[0, 1], a[0, 2]),
        ca.horzcat(a[0, 1], a[1, 1], a[1, 2]),
        ca.horzcat(a[0, 2], a[1, 2], a[2, 2]),
    )


def rotation(axis: Sequence[float], angle: SX) -> SX:
    """Return the matrix of a rotation by ``angle`` about a constant unit axis (Rodrigues)."""
    return turned(axis, _snapped(ca.cos(angle)), _snapped(ca.sin(angle)))


def turned(axis: Sequence[float], cosine: SX, sine: SX) -> SX:
    """Return the matrix of a rotation about a constant unit axis by an angle of known cosine and sine."""
    e = vector(axis)
    versine = 1 - cosine
    result = SX(3, 3)
    cross_matrix = skew(e)
    for i in range(3):
        for j in range(3):
            # For a coordinate axis e_i e_j is exactly 0 or 1 and the general form folds to the familiar one.
            product = e[i] * e[j]
            spread = cosine if i == j else SX(0)
            if i == j and product.is_one():
                result[i, j] = 1
            else:
                result[i, j] = spread + product * versine + cross_matrix[i, j] * sine
    return result


def _snapped(value: SX) -> SX:
    """Return exact 0 or ±1 for constants within rounding of them: cos(π/2) must not leave 6e-17 in the code."""
    if value.is_constant():
        number = float(value)
        nearest = round(number)
        if nearest != number and abs(number - nearest) < 1e-15:
            return SX(float(nearest))
    return value


@dataclass(frozen=True)
class Transform:
    """The pose of a frame in another: ``x_outer = rotation @ x_inner + position``."""

    rotation: SX
    position: SX

    @staticmethod
    def identity() -> Transform:
        return Transform(unit(), zero())

    @staticmethod
    def placed(at: Triple, orientation: Sequence[Scalar]) -> Transform:
        """Return the pose of a `Placement`: rotated about x, then the new y, then the new z."""
        turn = unit()
        for axis, angle in zip(((1, 0, 0), (0, 1, 0), (0, 0, 1)), orientation, strict=True):
            angle = SX(angle)
            if not angle.is_zero():
                turn = turn @ rotation(axis, angle)
        return Transform(turn, vector(at))

    def __matmul__(self, inner: Transform) -> Transform:
        return Transform(self.rotation @ inner.rotation, self.rotation @ inner.position + self.position)

    def inverse(self) -> Transform:
        """Return the pose of the outer frame in the inner one."""
        turn = self.rotation.T
        return Transform(turn, -(turn @ self.position))

    def point(self, x: SX) -> SX:
        """Return a point of the inner frame in the outer one."""
        return self.rotation @ x + self.position


@dataclass(frozen=True)
class RigidInertia:
    """Mass, first moment and inertia about the origin of a frame."""

    mass: SX
    first_moment: SX
    inertia: SX

    @staticmethod
    def none() -> RigidInertia:
        return RigidInertia(SX(0), zero(), blank())

    @staticmethod
    def of_body(mass: Scalar, centre: SX, about_centre: SX) -> RigidInertia:
        mass = SX(mass)
        moment = mass * centre
        about_origin = about_centre + symmetric(dot(moment, centre) * unit() - moment @ centre.T)
        return RigidInertia(mass, moment, symmetric(about_origin))

    def __add__(self, other: RigidInertia) -> RigidInertia:
        return RigidInertia(
            self.mass + other.mass, self.first_moment + other.first_moment, self.inertia + other.inertia
        )

    def moved(self, frame: Transform) -> RigidInertia:
        """Return the inertia about the origin and in the axes of the outer frame of ``frame``."""
        turn, r = frame.rotation, frame.position
        moment = turn @ self.first_moment
        inertia = turn @ self.inertia @ turn.T
        # Parallel axes: I' = I - [h][r] - [r][h] - m [r][r], written with outer products.
        total = moment + self.mass * r
        shift = (dot(moment, r) + dot(total, r)) * unit() - (moment @ r.T + r @ total.T)
        return RigidInertia(self.mass, total, symmetric(inertia + shift))

    def momentum(self, angular: SX, linear: SX) -> tuple[SX, SX]:
        """Return angular momentum about the origin and linear momentum of a rigid motion of the frame."""
        return (
            self.inertia @ angular + cross(self.first_moment, linear),
            self.mass * linear + cross(angular, self.first_moment),
        )
