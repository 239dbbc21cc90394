"""The end of an arc of constant curvature, as smooth functions of how far it bends."""

from __future__ import annotations

from math import comb

import casadi as ca

from myodyne.physics.spatial import SX

# With u = 1 - cos θ below this, the closed forms lose digits and the series, whose terms shrink by u / 2, do not.
_SMALL, _TERMS = 0.1, 14


def end_along(u: SX) -> SX:
    """Return sin θ / θ, with u = 1 - cos θ.

    Examples
    --------
    >>> float(end_along(SX(0.0)))
    1.0
    """
    angle = _angle(u)
    return ca.if_else(u < _SMALL, 1 / _angle_by_sine(u), ca.sin(angle) / angle)


def end_across(u: SX) -> SX:
    """Return tan(θ/2) / θ, with u = 1 - cos θ.

    Examples
    --------
    >>> float(end_across(SX(0.0)))
    0.5
    """
    angle = _angle(u)
    return ca.if_else(u < _SMALL, _angle_by_sine(u) / _square_by_bend(u), ca.tan(angle / 2) / angle)


def _angle(u: SX) -> SX:
    # Held where the series is used instead: a derivative that is not finite there would spoil that of the series.
    return ca.acos(1 - ca.fmax(u, _SMALL))


def _angle_by_sine(u: SX) -> SX:
    """Return the series of θ / sin θ, which follows from that of asin(x) / sqrt(1 - x²)."""
    return _series(u, [2.0**n / ((2 * n + 1) * comb(2 * n, n)) for n in range(_TERMS)])


def _square_by_bend(u: SX) -> SX:
    """Return the series of θ² / (1 - cos θ), which follows from that of asin(x)²."""
    return _series(u, [2.0 * 2.0**n / (n**2 * comb(2 * n, n)) for n in range(1, _TERMS + 1)])


def _series(u: SX, coefficients: list[float]) -> SX:
    total = SX(0)
    for coefficient in reversed(coefficients):
        total = total * u + coefficient
    return total
