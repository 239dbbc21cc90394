"""Rows of a chain as constraints of its model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from myodyne.errors import ModelError
from myodyne.formulations.newton_euler.chain import Chain, Motion, Place, Point, position
from myodyne.formulations.newton_euler.constraints import (
    AngularAcceleration,
    CoincidentPoints,
    Constraint,
    EqualAngularAccelerations,
    PointAcceleration,
)
from myodyne.model import (
    GROUND,
    Constraint as ModelConstraint,
    CouplerConstraint,
    Marker,
    PointConstraint,
    Polynomial,
    SpeedConstraint,
    Term,
)

_STILL = 1e-12


def model_constraints(chain: Chain, motion: Motion, rows: Sequence[Constraint]) -> dict[str, ModelConstraint]:
    """Return rows on accelerations as constraints that also hold on positions and speeds, from a start that meets them.

    A point whose acceleration is zero stays where it is, an angle at its rate, overlapping segments together. Rows with
    prescribed accelerations, and weighted sums, have no counterpart and raise an error that names them.
    """
    found: dict[str, ModelConstraint] = {}
    for number, row in enumerate(rows, start=1):
        found[f"row_{number}"] = _translated(chain, motion, row, number)
    return found


def _translated(chain: Chain, motion: Motion, row: Constraint, number: int) -> ModelConstraint:
    match row:
        case PointAcceleration():
            return _held_point(chain, motion, row, number)
        case CoincidentPoints():
            return PointConstraint(first=_marker(chain, row.first), second=_marker(chain, row.second), axes="xy")
        case AngularAcceleration():
            _refuse_values(row.value, number)
            return _held_angle(chain, motion, chain.segment_number(row.segment))
        case EqualAngularAccelerations():
            _refuse_values(row.difference, number)
            return _together(chain, motion, row, number)
        case _:
            raise ModelError(f"row {number} of the chain is a weighted sum, for which models have no constraint")


def _held_point(chain: Chain, motion: Motion, row: PointAcceleration, number: int) -> PointConstraint:
    for value in (row.x, row.y):
        if value is not None:
            _refuse_values(value, number)
    axes = "".join(axis for axis, value in zip("xy", (row.x, row.y), strict=True) if value is not None)
    x, y = map(float, position(chain, motion, row.place))
    return PointConstraint(first=_marker(chain, row.place), second=Marker(body=GROUND, at=(x, y, 0.0)), axes=axes)


def _held_angle(chain: Chain, motion: Motion, number: int) -> ModelConstraint:
    """Return what keeps the rate of a segment against the ground."""
    rate = float(motion.rates[number])
    names = [f"{joint}_angle" for joint in chain.joints[: number + 1]]
    if number == 0:
        return SpeedConstraint(coordinate=names[0], speed=rate)
    if abs(rate) > _STILL:
        raise ModelError(
            f"'{chain.names[number]}' turns steadily against the ground at {rate:g} rad/s; only the first segment of a "
            "chain can: begin the chain with it"
        )
    # The angles of the joints before it add up to a constant.
    size = len(names) - 1
    terms = [Term(coefficient=-1.0, powers=tuple(int(i == k) for i in range(size))) for k in range(size)]
    terms.append(Term(coefficient=float(motion.angles[number]), powers=(0,) * size))
    return CouplerConstraint(coordinate=names[-1], function=Polynomial(of=tuple(names[:-1]), terms=tuple(terms)))


def _together(chain: Chain, motion: Motion, row: EqualAngularAccelerations, number: int) -> SpeedConstraint:
    first, second = sorted(chain.segment_number(name) for name in (row.first, row.second))
    if second != first + 1:
        raise ModelError(
            f"row {number} couples '{row.first}' and '{row.second}', which are not neighbours in the chain"
        )
    speed = float(motion.rates[second] - motion.rates[first])
    return SpeedConstraint(coordinate=f"{chain.joints[second]}_angle", speed=speed)


def _marker(chain: Chain, place: Place) -> Marker:
    if isinstance(place, Point):
        return Marker(body=place.segment, at=(place.along, place.across, 0.0))
    number = chain.joint_number(place)
    if number < chain.size:
        return Marker(body=chain.names[number])
    return Marker(body=chain.names[-1], at=(chain.segments[-1].length, 0.0, 0.0))


def _refuse_values(value: object, number: int) -> None:
    if np.any(np.asarray(value, dtype=float) != 0.0):
        raise ModelError(
            f"row {number} of the chain prescribes an acceleration; a model holds what does not accelerate"
        )
