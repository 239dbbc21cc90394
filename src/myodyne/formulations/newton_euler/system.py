"""The system A' V = b' of a chain: three equations for each segment, in all its variables.

Equations as in Casius, Bobbert & van Soest 2004: first the n balances of forces along x, then those along y, then
the moments about the centres of mass. The blocks of the printed matrix are written with lever arms (from the
proximal joint to the centre of mass, and to the distal joint) in place of d cos φ, d sin φ, ℓ cos φ and ℓ sin φ, so
that the centre of mass may also lie off the line of the joints. Blocks 1, 3 and 8 of the printed example are
misprinted (they lack columns); here they follow the equations of motion.

The functions work for arrays of numbers and of symbols.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from myodyne.formulations.newton_euler.chain import Chain, Pose
from myodyne.types import Floats

# Numbers, or symbols as objects.
Entry = TypeVar("Entry", np.float64, np.object_)


def matrix(
    to_centre: NDArray[Entry], to_end: NDArray[Entry], masses: NDArray[Entry], inertias: NDArray[Entry]
) -> NDArray[Entry]:
    """Return A' (..., 3n, 7n + 5).

    Parameters
    ----------
    to_centre, to_end : array (..., n, 2)
        Lever arms from the proximal joint of each segment (m).
    masses, inertias : array (n,)
        kg, and kg m² about the centres of mass.
    """
    n = len(masses)
    left = np.zeros((*to_centre.shape[:-2], 3 * n, 7 * n + 5), dtype=to_centre.dtype)
    to_distal = to_end - to_centre
    reaction_x, reaction_y, moment = 0, n + 1, 2 * n + 2
    external, spin, base = 3 * n + 3, 6 * n + 3, 7 * n + 3
    for i in range(n):
        along_x, along_y, turning = i, n + i, 2 * n + i
        # Block 1: the proximal joint pushes the segment, the segment pushes the distal joint.
        left[..., along_x, reaction_x + i], left[..., along_x, reaction_x + i + 1] = 1, -1
        left[..., along_y, reaction_y + i], left[..., along_y, reaction_y + i + 1] = 1, -1
        # Block 7: the moments of these forces about the centre of mass.
        left[..., turning, reaction_x + i] = to_centre[..., i, 1]
        left[..., turning, reaction_x + i + 1] = to_distal[..., i, 1]
        left[..., turning, reaction_y + i] = -to_centre[..., i, 0]
        left[..., turning, reaction_y + i + 1] = -to_distal[..., i, 0]
        # Blocks 8, 3 and 10: joint moments, external forces and external moments.
        left[..., turning, moment + i], left[..., turning, moment + i + 1] = 1, -1
        for row, equation in enumerate((along_x, along_y, turning)):
            left[..., equation, external + row * n + i] = 1
        # Blocks 5 and 11: inertia times the angular accelerations of this segment and those proximal to it.
        arms = np.concatenate([to_end[..., :i, :], to_centre[..., i : i + 1, :]], axis=-2)
        left[..., along_x, spin : spin + i + 1] = masses[i] * arms[..., 1]
        left[..., along_y, spin : spin + i + 1] = -masses[i] * arms[..., 0]
        left[..., turning, spin + i] = -inertias[i]
        # Block 6: mass times the acceleration of the base.
        left[..., along_x, base], left[..., along_y, base + 1] = -masses[i], -masses[i]
    return left


def right_side(
    to_centre: NDArray[Entry], to_end: NDArray[Entry], masses: NDArray[Entry], rates: NDArray[Entry]
) -> NDArray[Entry]:
    """Return b' (..., 3n): the centripetal terms, which contain no variables."""
    n = len(masses)
    right = np.zeros((*to_centre.shape[:-2], 3 * n), dtype=to_centre.dtype)
    squared = rates**2
    for i in range(n):
        arms = np.concatenate([to_end[..., :i, :], to_centre[..., i : i + 1, :]], axis=-2)
        right[..., i] = -masses[i] * (squared[..., : i + 1] * arms[..., 0]).sum(axis=-1)
        right[..., n + i] = -masses[i] * (squared[..., : i + 1] * arms[..., 1]).sum(axis=-1)
    return right


def constraint_matrix(to_centre: NDArray[Entry]) -> NDArray[Entry]:
    """Return the columns (..., 3n, 6n) of the constraint variables.

    A constraint force on the proximal joint acts only on the segment distal to the joint, so that the forces on the
    two sides of the joint may differ: its reaction acts on the environment. The constraint moment from the proximal
    joint acts between the two adjacent segments, the others come from the environment.
    """
    n = to_centre.shape[-2]
    left = np.zeros((*to_centre.shape[:-2], 3 * n, 6 * n), dtype=to_centre.dtype)
    for i in range(n):
        along_x, along_y, turning = i, n + i, 2 * n + i
        left[..., along_x, i], left[..., along_y, n + i] = 1, 1
        left[..., turning, i] = to_centre[..., i, 1]
        left[..., turning, n + i] = -to_centre[..., i, 0]
        left[..., turning, 2 * n + i] = 1
        if i:
            left[..., turning - 1, 2 * n + i] = -1
        for row, equation in enumerate((along_x, along_y, turning)):
            left[..., equation, (3 + row) * n + i] = 1
    return left


def system_of(pose: Pose) -> tuple[Floats, Floats]:
    """Return A' (..., 3n, 7n + 5) and b' (..., 3n) of a chain in a motion."""
    chain = pose.chain
    left = matrix(pose.to_centre, pose.to_end, chain.masses, chain.inertias)
    return left, right_side(pose.to_centre, pose.to_end, chain.masses, pose.motion.rates)


def extended_system_of(pose: Pose) -> tuple[Floats, Floats]:
    """Return the system in all 13n + 5 variables: (..., 3n, 13n + 5) and (..., 3n)."""
    left, right = system_of(pose)
    return np.concatenate([left, constraint_matrix(pose.to_centre)], axis=-1), right


def equation_names(chain: Chain) -> tuple[str, ...]:
    """Return the names of the 3n equations, in their order."""
    return tuple(
        f"{what} of '{segment}'" for what in ("forces along x", "forces along y", "moments") for segment in chain.names
    )
