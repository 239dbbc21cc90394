"""The solution: every variable of a chain by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from myodyne.errors import SolveError
from myodyne.formulations.newton_euler.chain import Chain
from myodyne.formulations.newton_euler.constraints import Constraint
from myodyne.formulations.newton_euler.variables import variable_index, variable_places
from myodyne.types import Floats


@dataclass(frozen=True)
class Solution:
    """All variables of a chain, known and unknown.

    ``values`` (..., 7n + 5) holds them in the printed order, ``constraint_values`` (..., 6n) the forces and moments
    that enforce the constraints. Both are read by name: ``solution["ankle.moment"]``.
    """

    chain: Chain
    values: Floats
    constraint_values: Floats
    constraints: tuple[Constraint, ...] = ()
    reactions: tuple[Floats, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all 13n + 5 variables."""
        return tuple(variable_places(self.chain))

    def __getitem__(self, name: str) -> float | Floats:
        place = variable_index(self.chain, name)
        printed = self.values.shape[-1]
        found = self.values[..., place] if place < printed else self.constraint_values[..., place - printed]
        return float(found) if found.ndim == 0 else found

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def reaction_of(self, constraint: Constraint) -> Floats:
        """Return the reactions (..., m) that enforce a constraint, one for each of its rows (N or N m)."""
        for number, other in enumerate(self.constraints):
            if other is constraint:
                return self.reactions[number]
        raise SolveError(f"{constraint} is not among the constraints of this solution")

    @property
    def angular_accelerations(self) -> Floats:
        """Of all segments, (..., n), rad/s²."""
        n = self.chain.size
        return self.values[..., 6 * n + 3 : 7 * n + 3]

    @property
    def base_acceleration(self) -> Floats:
        """Of the first joint, (..., 2), m/s²."""
        return self.values[..., -2:]

    @property
    def moments(self) -> Floats:
        """About all joints, (..., n + 1), N m; positive counter-clockwise on the segment distal to the joint."""
        n = self.chain.size
        return self.values[..., 2 * n + 2 : 3 * n + 3]
