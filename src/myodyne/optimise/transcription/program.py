"""The whole problem as a nonlinear program: unknowns with bounds, an objective, rows with ranges, exact derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from myodyne.errors import ModelError, unknown_name
from myodyne.numerics.collocation import Transcription, collocation_of
from myodyne.optimise.conditions import range_of
from myodyne.optimise.goals import Goal
from myodyne.optimise.problem import Phases, Problem
from myodyne.optimise.transcription.blocks import Block, Grid
from myodyne.optimise.transcription.functions import Sizes
from myodyne.optimise.transcription.phase import PhaseProgram, instant_of
from myodyne.optimise.transcription.rows import EndRows, LinearRows
from myodyne.types import Floats, Integers


@dataclass(frozen=True)
class RowGroup:
    """A stretch of rows of one phase: what they are, when they hold, and in which range they stay."""

    phase: int
    what: tuple[str, ...]
    times: Floats
    first: int
    lower: Floats
    upper: Floats

    @property
    def count(self) -> int:
        return len(self.what) * len(self.times)


class Program:
    """A problem on a mesh, as a nonlinear program.

    Parameters
    ----------
    problem : one problem, or several phases.
    scheme : how it is discretised.
    meshes : the nodes of each phase, as fractions of its duration.
    changed : weights of goals and numbers of the model that differ from the problem's, by name.
    """

    def __init__(
        self,
        problem: Problem | Phases,
        scheme: Transcription,
        meshes: Sequence[Floats],
        changed: Mapping[str, float] | None = None,
    ) -> None:
        self.problem, self.scheme, self.changed = problem, scheme, dict(changed or {})
        self.parts = problem.phases if isinstance(problem, Phases) else (problem,)
        self.parameters = _parameters(self.parts, self.changed)
        names = list(self.parameters)
        self.phases: list[PhaseProgram] = []
        counts = [_count(part, scheme, mesh) for part, mesh in zip(self.parts, meshes, strict=True)]
        self.shared_start = sum(counts)
        offset = 0
        for number, (part, mesh) in enumerate(zip(self.parts, meshes, strict=True)):
            free = [names.index(name) for name in part.free_names]
            shared = np.array(
                [self.shared_start + number, *(self.shared_start + len(self.parts) + place for place in free)],
                dtype=np.intp,
            )
            self.phases.append(PhaseProgram(part, scheme, mesh, offset, shared))
            offset += counts[number]
        self.count = self.shared_start + len(self.parts) + len(names)
        self.links = self._links()
        self.groups = self._groups()
        self.rows = sum(group.count for group in self.groups)
        self._record()

    @property
    def follows_data(self) -> bool:
        """Whether a goal tracks data."""
        return any(goal.kind == "track" for part in self.parts for goal in part.goals)

    @property
    def eased(self) -> bool:
        """Whether this is an easier problem of a continuation that follows data."""
        return self.follows_data and bool(self.changed)

    # -- unknowns and rows

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """The lower and upper bounds of all unknowns."""
        pairs = [phase.bounds() for phase in self.phases]
        durations = [range_of(part.duration) for part in self.parts]
        further = [*durations, *self.parameters.values()]
        lower = np.concatenate([*(pair[0] for pair in pairs), [low for low, _ in further]])
        upper = np.concatenate([*(pair[1] for pair in pairs), [high for _, high in further]])
        return lower, upper

    @cached_property
    def row_bounds(self) -> tuple[Floats, Floats]:
        """The lower and upper ends of the ranges of all rows."""
        lower = [np.tile(group.lower, len(group.times)) for group in self.groups]
        upper = [np.tile(group.upper, len(group.times)) for group in self.groups]
        return np.concatenate([np.zeros(0), *lower]), np.concatenate([np.zeros(0), *upper])

    def _record(self) -> None:
        for phase in self.phases:
            low, high = range_of(phase.problem.duration)
            phase.record((low + high) / 2)

    def _links(self) -> list[LinearRows]:
        """Return the rows that make states of the same name continuous from phase to phase."""
        unlinked = self.problem.unlinked if isinstance(self.problem, Phases) else ()
        known = tuple(dict.fromkeys(name for phase in self.phases for name in phase.instant.motion))
        for name in unlinked:
            if name not in known:
                raise ModelError("unlinked: " + unknown_name("state", name, known))
        links = []
        for one, other in zip(self.phases[:-1], self.phases[1:], strict=True):
            common = [name for name in one.instant.motion if name in other.instant.motion and name not in unlinked]
            end = one.grid.offset + one.grid.count - one.grid.point_sizes[-1]
            first = np.array([end + one.instant.states.index(name) for name in common], dtype=np.intp)
            second = np.array([other.grid.offset + other.instant.states.index(name) for name in common], dtype=np.intp)
            links.append(LinearRows.differences(first, second))
        return links

    def _groups(self) -> list[RowGroup]:
        """Return what all rows are, in their order."""
        groups: list[RowGroup] = []
        first = 0

        def add(phase: int, what: Sequence[str], times: Floats, ranges: Sequence[tuple[float, float]]) -> None:
            nonlocal first
            low, high = (np.array([pair[side] for pair in ranges], dtype=float) for side in (0, 1))
            groups.append(RowGroup(phase, tuple(what), times, first, low, high))
            first += groups[-1].count

        zero = (0.0, 0.0)
        for number, phase in enumerate(self.phases):
            states = phase.instant.row_names
            for block in phase.dynamics:
                add(number, states, block.times, [zero] * len(states))
            for block, rows in zip(phase.limits, phase.limit_rows, strict=True):
                add(number, [name for name, _, _ in rows], block.times, [(low, high) for _, low, high in rows])
            joined = len(phase.collocation.joined)
            motion = [f"step of {name}" for name in phase.instant.motion] * joined
            add(number, motion, phase.grid.mesh[1:] if joined else np.zeros(0), [zero] * len(motion))
            for what, linear in zip(("first control", "first fibre length"), phase.linear[1:], strict=True):
                add(number, [what] * linear.count, np.zeros(1), [zero] * linear.count)
            add(
                number,
                [name for name, _, _ in phase.end_rows],
                np.zeros(1),
                [(low, high) for _, low, high in phase.end_rows],
            )
        for number, link in enumerate(self.links):
            add(number, ["link to the next phase"] * link.count, np.ones(1), [zero] * link.count)
        return groups

    def _constraints(self) -> list[tuple[Block | LinearRows | EndRows, int]]:
        """Return what computes the rows, with the number of the first row of each, in the order of the groups."""
        found: list[Block | LinearRows | EndRows] = []
        for phase in self.phases:
            found += [*phase.dynamics, *phase.limits, *phase.linear, phase.ends]
        found += self.links
        return [(maker, group.first) for maker, group in zip(found, self.groups, strict=True)]

    # -- objective

    def parts_of(self, unknowns: Floats) -> dict[str, float]:
        """Return what each goal contributes to the objective."""
        parts: dict[str, float] = {}
        for number, phase in enumerate(self.phases):
            totals = np.zeros(len(phase.problem.goals))
            for block, weights in phase.goals:
                totals += weights @ block.values(unknowns)
            totals += phase.end_goals.values(unknowns)
            prefix = f"phase {number + 1}: " if len(self.phases) > 1 else ""
            for aim, total in zip(phase.problem.goals, totals, strict=True):
                parts[prefix + aim.name] = float(self._weight(aim) * total)
        return parts

    def _weight(self, goal: Goal) -> float:
        return float(self.changed.get(goal.name, goal.weight))

    def _weights(self, phase: PhaseProgram) -> Floats:
        return np.array([self._weight(goal) for goal in phase.problem.goals])

    def objective(self, unknowns: Floats) -> float:
        """Return the objective."""
        return sum(self.parts_of(unknowns).values())

    def gradient(self, unknowns: Floats) -> Floats:
        """Return the derivatives of the objective."""
        total = np.zeros(self.count)
        for phase in self.phases:
            importance = self._weights(phase)
            for block, weights in phase.goals:
                values = block.gradient(unknowns, weights[:, None] * importance[None, :])
                total += np.bincount(block.gradient_places(), values.ravel(), minlength=self.count)
            ends = phase.end_goals
            total += np.bincount(ends.columns, ends.jacobian(unknowns) * importance[ends.row], minlength=self.count)
        return total

    # -- rows

    def constraints(self, unknowns: Floats) -> Floats:
        """Return the values of all rows."""
        values = np.zeros(self.rows)
        for maker, first in self._constraints():
            found = maker.values(unknowns).ravel()
            values[first : first + len(found)] = found
        return values

    @cached_property
    def _jacobian_parts(self) -> tuple[Integers, Integers, Floats, list[tuple[Block | EndRows, int, int]]]:
        """Rows and columns of all derivatives; the constant ones; and what computes the others, from where to where."""
        rows: list[Integers] = [np.zeros(0, dtype=np.intp)]
        columns: list[Integers] = [np.zeros(0, dtype=np.intp)]
        constant: list[Floats] = [np.zeros(0)]
        makers: list[tuple[Block | EndRows, int, int]] = []
        place = 0
        for maker, first in self._constraints():
            row, column = maker.jacobian_places()
            rows.append(first + row)
            columns.append(column)
            constant.append(maker.weights if isinstance(maker, LinearRows) else np.zeros(len(row)))
            if not isinstance(maker, LinearRows):
                makers.append((maker, place, place + len(row)))
            place += len(row)
        return np.concatenate(rows), np.concatenate(columns), np.concatenate(constant), makers

    @property
    def jacobian_places(self) -> tuple[Integers, Integers]:
        """Rows and columns of the derivatives of the rows; repeated pairs are summed."""
        return self._jacobian_parts[:2]

    def jacobian(self, unknowns: Floats) -> Floats:
        """Return the derivatives of the rows."""
        _, _, constant, makers = self._jacobian_parts
        values = constant.copy()
        for maker, first, last in makers:
            values[first:last] = maker.jacobian(unknowns).ravel()
        return values

    # -- second derivatives

    @cached_property
    def hessian_places(self) -> tuple[Integers, Integers]:
        """Rows and columns of the second derivatives, the lower half; repeated pairs are summed."""
        pairs = [maker.hessian_places() for maker in self._curved()]
        none = np.zeros(0, dtype=np.intp)
        return np.concatenate([none, *(pair[0] for pair in pairs)]), np.concatenate([none, *(p[1] for p in pairs)])

    def _curved(self) -> list[Block | EndRows]:
        found: list[Block | EndRows] = []
        for phase in self.phases:
            found += [*phase.dynamics, *phase.limits, *(block for block, _ in phase.goals), phase.ends, phase.end_goals]
        return found

    def hessian(self, unknowns: Floats, factor: float, multipliers: Floats) -> Floats:
        """Return the second derivatives of ``factor * objective + multipliers * rows``."""
        first = {id(maker): place for maker, place in self._constraints()}
        values = []
        for phase in self.phases:
            importance = self._weights(phase)
            for block in (*phase.dynamics, *phase.limits):
                place = first[id(block)]
                own = multipliers[place : place + block.rows].reshape(len(block.intervals), -1)
                values.append(block.hessian(unknowns, np.ascontiguousarray(own)).ravel())
            for block, weights in phase.goals:
                own = factor * weights[:, None] * importance[None, :]
                values.append(block.hessian(unknowns, own).ravel())
            place = first[id(phase.ends)]
            values.append(phase.ends.hessian(unknowns, multipliers[place : place + phase.ends.count]))
            values.append(phase.end_goals.hessian(unknowns, factor * importance))
        return np.concatenate([np.zeros(0), *values])


def _count(part: Problem, scheme: Transcription, mesh: Floats) -> int:
    sizes = Sizes.of(instant_of(part))
    return Grid(collocation_of(scheme), sizes, mesh, 0, np.zeros(1, dtype=np.intp)).count


def _parameters(parts: Sequence[Problem], changed: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    """Return the ranges of the free parameters of all phases; those that are not optimised keep their value."""
    found: dict[str, tuple[float, float]] = {}
    for part in parts:
        for name in part.free_names:
            value = float(changed.get(name, part.free_number(name)))
            pair = part.parameters.get(name, (value, value))
            for end in set(pair) if name in part.free_model.free_values else ():
                # Ranges that contain invalid models raise an error here.
                part.model.with_values({name: end})
            if name in found and found[name] != pair:
                raise ModelError(f"'{name}' has the range {found[name]} in one phase and {pair} in another")
            found[name] = pair
    return found
