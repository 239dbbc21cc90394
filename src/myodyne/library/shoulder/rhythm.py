"""The shoulder rhythm of de Groot and Brand (2001): angles of clavicle and scapula by plane and elevation of the arm.

Clinical Biomechanics 16, 735-743. Angles are degrees against the thorax; the arm by turns about y (plane), z
(elevation) and y (axial rotation), clavicle and scapula about y, z and x. Axes of the thorax: x to the right, y up, z
backwards.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from myodyne.model.functions import Polynomial, Term
from myodyne.types import Floats

PLANE, ELEVATION, AXIAL = "plane", "elevation", "axial_rotation"
# Poses in which the regression holds; those measured were elevations of 30 to 150 degrees in planes of -30 to 130.
PLANES, ELEVATIONS = (-30.0, 130.0), (0.0, 150.0)
CLAVICLE_AT_REST = (-28.573324, 11.679804, 7.4820950)
SCAPULA_AT_REST = (32.047376, 10.669100, -10.320259)
_DEGREE_OF_AXIAL_RULE = 4


class _Row(NamedTuple):
    """Constant (degrees), slopes by plane, by elevation and by the angle at rest."""

    constant: float
    plane: float
    elevation: float
    at_rest: float


_CLAVICLE = (_Row(-4.983, 0.120, -0.242, 0.851), _Row(3.917, -0.046, 0.123, 0.493))
_SCAPULA = (
    _Row(-1.203, 0.140, -0.049, 0.901),
    _Row(3.095, -0.079, 0.396, 0.414),
    _Row(0.659, -0.028, 0.184, 0.886),
)


def clavicle_turns() -> list[tuple[str, Polynomial]]:
    """Return the turns of the clavicle against the thorax: protraction, elevation, and the axial rule."""
    found = [_line(row, rest) for row, rest in zip(_CLAVICLE, CLAVICLE_AT_REST, strict=False)]
    return [("y", found[0]), ("z", found[1]), ("x", axial_rule())]


def scapula_turns() -> list[tuple[str, Polynomial]]:
    """Return the turns of the scapula against the thorax: protraction, lateral rotation, tilt."""
    found = [_line(row, rest) for row, rest in zip(_SCAPULA, SCAPULA_AT_REST, strict=True)]
    return list(zip("yzx", found, strict=True))


def _line(row: _Row, at_rest: float) -> Polynomial:
    constant = np.radians(row.constant + row.at_rest * at_rest)
    terms = [((0, 0), float(constant)), ((1, 0), row.plane), ((0, 1), row.elevation)]
    return Polynomial(
        of=(PLANE, ELEVATION), terms=tuple(Term(coefficient=value, powers=powers) for powers, value in terms)
    )


@cache
def axial_rule() -> Polynomial:
    """Return the axial rotation of the clavicle, which the regression leaves open.

    The acromioclavicular joint turns as little as it can from its pose at rest, as van der Helm assumed. The angle
    that does so is known in closed form; here it is a polynomial of fourth degree through it, within 0.01 degrees.
    """
    planes, elevations = np.meshgrid(np.radians(np.linspace(*PLANES, 17)), np.radians(np.linspace(*ELEVATIONS, 16)))
    angles = np.array([least_axial_rotation(p, e) for p, e in zip(planes.ravel(), elevations.ravel(), strict=True)])
    powers = [(i, j) for i in range(_DEGREE_OF_AXIAL_RULE + 1) for j in range(_DEGREE_OF_AXIAL_RULE + 1 - i)]
    columns = np.stack([planes.ravel() ** i * elevations.ravel() ** j for i, j in powers], axis=-1)
    found = np.linalg.lstsq(columns, angles, rcond=None)[0]
    # Eight decimals are far below what anyone measures, and keep the model the same on every machine.
    terms = tuple(Term(coefficient=round(float(c), 8), powers=power) for c, power in zip(found, powers, strict=True))
    return Polynomial(of=(PLANE, ELEVATION), terms=terms)


def least_axial_rotation(plane: float, elevation: float) -> float:
    """Return the axial rotation of the clavicle (rad) with the least turn of the joint between it and the scapula.

    With A the scapula seen from the clavicle before its axial rotation, and R the same at rest, the trace of
    Rᵀ Rx(-a) A is largest, which is a cosine of a.
    """
    clavicle = [_value(row, rest, plane, elevation) for row, rest in zip(_CLAVICLE, CLAVICLE_AT_REST, strict=False)]
    scapula = [_value(row, rest, plane, elevation) for row, rest in zip(_SCAPULA, SCAPULA_AT_REST, strict=True)]
    seen = (_turn("y", clavicle[0]) @ _turn("z", clavicle[1])).T @ _yzx(scapula)
    rest = _yzx(np.radians(CLAVICLE_AT_REST)).T @ _yzx(np.radians(SCAPULA_AT_REST))
    across = seen @ rest.T
    return float(np.arctan2(across[2, 1] - across[1, 2], across[1, 1] + across[2, 2]))


def _value(row: _Row, at_rest: float, plane: float, elevation: float) -> float:
    constant = np.radians(row.constant + row.at_rest * at_rest)
    return float(constant + row.plane * plane + row.elevation * elevation)


def _yzx(angles: Floats | list[float]) -> Floats:
    y, z, x = angles
    return _turn("y", y) @ _turn("z", z) @ _turn("x", x)


def _turn(axis: str, angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    rows = {
        "x": [[1, 0, 0], [0, c, -s], [0, s, c]],
        "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
        "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
    }
    return np.array(rows[axis], dtype=np.float64)
