"""The knots of the curves of `Millard2012`: position, value and slope, from its parameters (Millard et al. 2013).

A curve is a sequence of knots, and straight before the first and after the last. Between two knots it leaves along the
first slope and arrives along the second; the two straight lines meet in a corner, which a quintic Bézier curve rounds.
The rules for the knots are those of OpenSim 4. This module only describes the curves: `Millard2012` checks its
parameters by their knots, and `myodyne.physics.curves` evaluates them. Like any field of a part, the numbers may be
symbols.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from myodyne.model.muscles.curves import Millard2012

# Half of the plateau about the optimal length, and how much of the range of velocities bends to the slope at its end.
_PLATEAU = 0.05
_NEAR = 0.9
# The ascent is this much steeper than the line from its foot to its shoulder.
_ASCENT = 1.25


@dataclass(frozen=True)
class Knot:
    """A point of a curve, and its slope there."""

    at: float
    value: float
    slope: float


@dataclass(frozen=True)
class CornerCurve:
    """Knots in order, and for each corner between them how closely the curve follows it (0.1 to 0.9)."""

    knots: tuple[Knot, ...]
    closeness: tuple[float, ...]


def force_length(shape: Millard2012) -> CornerCurve:
    """Return active force against fibre length: foot, steep ascent, shallow ascent, plateau, descent, foot."""
    top = 1 - _PLATEAU
    shoulder_value = 1 - shape.shallow_slope * (top - shape.shoulder)
    ascent = _ASCENT * shoulder_value / (shape.shoulder - shape.shortest)
    descent = -1 / (shape.longest - 1 - 2 * _PLATEAU)
    knots = (
        Knot(shape.shortest, shape.floor, 0.0),
        Knot((shape.shortest + shape.shoulder) / 2, shoulder_value / 2, ascent),
        Knot((shape.shoulder + top) / 2, (1 + shoulder_value) / 2, shape.shallow_slope),
        Knot(1.0, 1.0, 0.0),
        Knot((1 + _PLATEAU + shape.longest) / 2, 0.5, descent),
        Knot(shape.longest, shape.floor, 0.0),
    )
    return CornerCurve(knots, (_closeness(1.0),) * 5)


def force_velocity(shape: Millard2012) -> CornerCurve:
    """Return force against velocity, in maximal velocities, lengthening positive."""
    rest = (1 - _NEAR) / 2
    near = rest * (shape.concentric_slope + shape.concentric_slope_near)
    far = shape.eccentric_force - rest * (shape.eccentric_slope + shape.eccentric_slope_near)
    knots = (
        Knot(-1.0, 0.0, shape.concentric_slope),
        Knot(-_NEAR, near, shape.concentric_slope_near),
        Knot(0.0, 1.0, shape.isometric_slope),
        Knot(_NEAR, far, shape.eccentric_slope_near),
        Knot(1.0, shape.eccentric_force, shape.eccentric_slope),
    )
    concentric, eccentric = _closeness(shape.concentric_curviness), _closeness(shape.eccentric_curviness)
    return CornerCurve(knots, (concentric, concentric, eccentric, eccentric))


def parallel(shape: Millard2012) -> CornerCurve:
    """Return the force of the parallel element against fibre length."""
    foot = 0.1 * shape.parallel_strain / shape.parallel_steepness
    knots = (
        Knot(shape.parallel_slack, 0.0, 0.0),
        Knot(shape.parallel_slack + foot, shape.parallel_low_stiffness * foot / 2, shape.parallel_low_stiffness),
        Knot(shape.parallel_slack + shape.parallel_strain, 1.0, shape.parallel_steepness / shape.parallel_strain),
    )
    return CornerCurve(knots, (_closeness(shape.parallel_curviness),) * 2)


def tendon(shape: Millard2012) -> CornerCurve:
    """Return the force of the tendon against its length in slack lengths."""
    stiffness = shape.tendon_steepness / shape.tendon_strain
    toe = 1 + shape.tendon_strain - (1 - shape.tendon_toe_force) / stiffness
    half = toe - shape.tendon_toe_force / 2 / stiffness
    foot = 1 + (toe - 1) / 10
    slope = shape.tendon_toe_force / 2 / (half - foot)
    knots = (
        Knot(1.0, 0.0, 0.0),
        Knot((foot + half) / 2, shape.tendon_toe_force / 4, slope),
        Knot(toe, shape.tendon_toe_force, stiffness),
    )
    return CornerCurve(knots, (_closeness(shape.tendon_curviness),) * 2)


CURVES = {"force_length": force_length, "force_velocity": force_velocity, "parallel": parallel, "tendon": tendon}


def corner_shares(knots: Sequence[Knot]) -> list[float]:
    """Return where each corner lies between its knots: 0 at the left one, 1 at the right one."""
    return [corner_share(left, right) for left, right in pairwise(knots)]


def corner_share(left: Knot, right: Knot) -> float:
    """Return where the straight lines through two knots meet, as a share of the distance of the knots."""
    chord = (right.value - left.value) / (right.at - left.at)
    return (chord - right.slope) / (left.slope - right.slope)


def _closeness(curviness: float) -> float:
    return 0.1 + 0.8 * curviness
