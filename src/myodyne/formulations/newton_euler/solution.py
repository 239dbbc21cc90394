"""The solution: every variable of a chain by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from myodyne.errors import SolveError
from myodyne.formulations.newton_euler.chain import Chain
from myodyne.formulations.newton_euler.constraints import Constraint
from myodyne.formulations.newton_euler.variables import variable_index, variable_places
from myodyne.types import Floats


@dataclass(frozen=True)
class Solution:
    """All variables of a chain, known and unknown.

    ``values`` (..., 7n + 5) holds them in the printed order, ``constraint_values`` (..., 6n) the forces and moments
    that enforce the constraints, ``residual`` the errors of the equations, in the order of `equation_names` and
    constraints: rounding, except in least squares. Variables are read by name: ``solution["ankle.moment"]``.
    """

    chain: Chain
    values: Floats
    constraint_values: Floats
    constraints: tuple[Constraint, ...] = ()
    reactions: tuple[Floats, ...] = ()
    residual: Floats | None = None

    def __str__(self) -> str:
        """Return one instant as a table."""
        return table_of(self)

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


def table_of(solution: Solution) -> str:
    """Return the variables of one instant as a table of joints and one of segments; constraints follow."""
    if solution.values.ndim > 1:
        rows = "x".join(map(str, solution.values.shape[:-1]))
        name = solution.names[0]
        return f"a solution of {solution.chain!r} at {rows} instants; read it by name, as in solution['{name}']"
    n, chain = solution.chain.size, solution.chain
    ends = [(n + 1), 2 * (n + 1), 3 * (n + 1), 3 * n + 3 + n, 3 * n + 3 + 2 * n, 6 * n + 3, 7 * n + 3]
    fx, fy, moment, ext_x, ext_y, ext_m, spin, base = np.split(solution.values, ends)
    lines = _table("joint", chain.joints, {"force x (N)": fx, "force y (N)": fy, "moment (N m)": moment})
    outside = {"ext. force x (N)": ext_x, "ext. force y (N)": ext_y, "ext. moment (N m)": ext_m}
    lines += ["", *_table("segment", chain.names, {**outside, "ang. acc. (rad/s²)": spin})]
    lines += ["", f"base acceleration (m/s²): {_number(base[0])}, {_number(base[1])}"]
    for constraint, reaction in zip(solution.constraints, solution.reactions, strict=True):
        lines.append(f"reaction to {constraint}: {', '.join(map(_number, np.atleast_1d(reaction)))}")
    return "\n".join(lines)


def _table(title: str, names: tuple[str, ...], columns: dict[str, Floats]) -> list[str]:
    first = max(len(title), *map(len, names)) + 3
    widths = {heading: max(len(heading), 12) for heading in columns}
    lines = [title.ljust(first) + "  ".join(heading.rjust(widths[heading]) for heading in columns)]
    for number, name in enumerate(names):
        cells = (_number(column[number]).rjust(widths[heading]) for heading, column in columns.items())
        lines.append(name.ljust(first) + "  ".join(cells))
    return lines


def _number(value: float) -> str:
    # Rounding errors of the solution of a linear system read as zero.
    return "0" if abs(value) < 5e-13 else f"{value:.6g}"
