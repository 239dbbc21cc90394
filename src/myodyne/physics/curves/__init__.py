"""The curves of muscles as expressions: one module for each family, all with the same four functions.

Forces come out in maximal forces. Fibre lengths are in optimal lengths, fibre velocities (lengthening positive) in
optimal lengths per second, tendon lengths in metres.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from myodyne.model import (
    DeGrooteFregly2016,
    Millard2012,
    Muscle,
    Tabulated,
    Thelen2003,
    VanDenBogert2011,
    VanSoestBobbert1993,
)
from myodyne.physics.curves import degroote_fregly, millard, tabulated, thelen, van_den_bogert, van_soest_bobbert
from myodyne.physics.spatial import SX


class Family(Protocol):
    """The functions of a family of curves."""

    def contractile(self, muscle: Muscle, length: SX, velocity: SX, active: SX) -> SX:
        """Return the force of the contractile element."""

    def force_length(self, muscle: Muscle, length: SX) -> SX:
        """Return the isometric force of a fully active fibre."""

    def parallel(self, muscle: Muscle, length: SX) -> SX:
        """Return the force of the parallel element."""

    def tendon(self, muscle: Muscle, length: SX) -> SX:
        """Return the force of the series element."""


_FAMILIES: dict[type, Family] = {
    VanDenBogert2011: van_den_bogert,
    VanSoestBobbert1993: van_soest_bobbert,
    DeGrooteFregly2016: degroote_fregly,
    Thelen2003: thelen,
    Millard2012: millard,
    Tabulated: tabulated,
}


def family(muscle: Muscle) -> Family:
    """Return the functions of the muscle's family of curves."""
    return _FAMILIES[type(muscle.curves)]


Velocity = Callable[[Muscle, SX, SX, SX], tuple[SX, SX, SX]]

# Velocities for a length, an active state and a force, where a formula gives them.
_VELOCITIES: dict[type, Velocity] = {Millard2012: millard.balanced_velocity}


def velocity_of(muscle: Muscle) -> Velocity | None:
    """Return the function of length, active state and force that gives the fibre velocity, if the family has one.

    It also returns the error of the force there, and the slope of the force by the velocity.
    """
    return _VELOCITIES.get(type(muscle.curves))
