"""The curves of Millard, Uchida, Seth and Delp (2013): corners rounded by quintic Bézier curves, as in OpenSim."""

from __future__ import annotations

from myodyne.model import Millard2012, Muscle
from myodyne.model.muscles import corner_curves
from myodyne.physics.curves.shapes import rounded_corners, where_tilted_corners
from myodyne.physics.spatial import SX


def _shape(muscle: Muscle) -> Millard2012:
    assert isinstance(muscle.curves, Millard2012)
    return muscle.curves


def contractile(muscle: Muscle, length: SX, velocity: SX, active: SX) -> SX:
    """Return the force of the contractile element."""
    return active * force_length(muscle, length) * force_velocity(muscle, velocity)


def force_length(muscle: Muscle, length: SX) -> SX:
    """Return the isometric force of a fully active fibre."""
    return rounded_corners(corner_curves.force_length(_shape(muscle)), length)


def force_velocity(muscle: Muscle, velocity: SX) -> SX:
    """Return the force at a velocity against the isometric one."""
    return rounded_corners(corner_curves.force_velocity(_shape(muscle)), velocity / muscle.max_velocity)


def parallel(muscle: Muscle, length: SX) -> SX:
    """Return the force of the parallel element."""
    return rounded_corners(corner_curves.parallel(_shape(muscle)), length)


def tendon(muscle: Muscle, length: SX) -> SX:
    """Return the force of the series element."""
    return rounded_corners(corner_curves.tendon(_shape(muscle)), length / muscle.tendon_slack_length)


def balanced_velocity(muscle: Muscle, length: SX, active: SX, force: SX) -> tuple[SX, SX, SX]:
    """Return the velocity at which contractile element and damping make a force; not finite where none does.

    Also returned are the error of the force, and its slope by the velocity.
    """
    curve, strength = corner_curves.force_velocity(_shape(muscle)), active * force_length(muscle, length)
    tilt = muscle.damping * muscle.max_velocity
    at, missed, slope = where_tilted_corners(curve, strength, tilt, force)
    return at * muscle.max_velocity, missed, slope / muscle.max_velocity
