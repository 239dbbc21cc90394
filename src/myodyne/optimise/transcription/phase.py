"""One phase of a problem on a mesh: its unknowns, their bounds, and the functions that act on them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import casadi as ca
import numpy as np

from myodyne.equations import equations_of
from myodyne.errors import ModelError
from myodyne.model import Model
from myodyne.numerics.collocation import Transcription, collocation_of
from myodyne.numerics.schemes import Midpoint
from myodyne.optimise.conditions import Range, range_of
from myodyne.optimise.expressions import Row, Scope
from myodyne.optimise.problem import Problem
from myodyne.optimise.transcription.blocks import Block, Grid
from myodyne.optimise.transcription.free import FreeMotion
from myodyne.optimise.transcription.functions import InstantFunction, Sizes
from myodyne.optimise.transcription.instant import Instant, control_names, control_title
from myodyne.optimise.transcription.muscled import MuscledDynamics
from myodyne.optimise.transcription.rows import EndRows, LinearRows
from myodyne.optimise.transcription.scope import GoalScope, InstantScope, MovementEnds
from myodyne.optimise.transcription.symbols import Expressing, definition_of
from myodyne.physics.spatial import SX
from myodyne.types import Floats, Integers

# The name of a row, and the two ends of its range.
RowRange = tuple[str, float, float]

# With so many muscles, the equations of motion are put together from functions that muscles share. With fewer, one
# function compiles in seconds.
_MANY_MUSCLES = 40

# Fibre lengths (optimal lengths) outside this range are beyond all measured curves.
_FIBRES = (0.05, 3.0)


def instant_of(problem: Problem) -> Instant:
    """Return the equations of one instant of a problem: those of its model, or of its muscles under a given motion."""
    if problem.motion is None:
        return FreeMotion(equations_of(problem.free_model), problem)
    from myodyne.optimise.transcription.prescribed import PrescribedMotion

    return PrescribedMotion(problem)


class PhaseProgram:
    """A problem, discretised.

    Parameters
    ----------
    problem : with its goals and conditions.
    scheme : how it is discretised.
    mesh : the nodes, as fractions of the duration, from 0 to 1.
    offset : place of the first unknown in the vector of all.
    shared : places of the duration and the free parameters.
    """

    def __init__(self, problem: Problem, scheme: Transcription, mesh: Floats, offset: int, shared: Integers) -> None:
        self.problem = problem
        self.instant = instant_of(problem)
        self.collocation = collocation_of(scheme)
        self.instant.check(problem, self.collocation)
        if isinstance(scheme, Midpoint) and self.instant.multipliers:
            raise ModelError(
                f"Midpoint leaves the forces of the kept constraints of '{problem.model.name}' "
                "undetermined; use Radau, HermiteSimpson or BackwardEuler, or embed the constraints"
            )
        self.sizes = Sizes.of(self.instant)
        self.grid = Grid(self.collocation, self.sizes, mesh, offset, shared)
        self.controls = control_names(self.instant)
        self.ranges = self._ranges()
        everywhere = np.arange(self.grid.intervals)
        first = np.array([0])
        dynamics = _dynamics_of(self.instant)
        self.dynamics = [
            Block(dynamics, self.grid, stage, everywhere) for stage in self.collocation.stages if stage.dynamic
        ]
        if self.collocation.first.dynamic:
            self.dynamics.append(Block(dynamics, self.grid, self.collocation.first, first))
        self.limits, self.limit_rows = self._limit_blocks(everywhere, first)
        self.goals = self._goal_blocks(everywhere)
        self.linear = [self._joined(), self._held(), self._steady()]
        self.ends, self.end_rows, self.end_goals = self._end_rows()

    # -- bounds of unknowns

    def _ranges(self) -> dict[str, tuple[float, float]]:
        """Return the range of every state and control from the model and the conditions."""
        instant, model = self.instant, self.instant.model
        ranges: dict[str, tuple[float, float]] = dict.fromkeys(instant.states, (-np.inf, np.inf))
        for name in instant.coordinates:
            ranges[name] = model.coordinates[name].range or ranges[name]
        for name in instant.layout.fibres:
            ranges[name] = _FIBRES
        for name in instant.layout.activations:
            muscle = model.muscles[name.rpartition(".")[0]]
            ranges[name] = (getattr(muscle.activation, "minimum", 0.0), 1.0)
        for control, name in zip(instant.controls, self.controls, strict=True):
            ranges[name] = _control_range(model, control) or (-np.inf, np.inf)
        given: dict[str, tuple[float, float]] = {}
        for condition in self.problem.conditions:
            for name, value in condition.bounds().items():
                if name in ranges:
                    # A bound replaces the range of the model; several bounds must all hold.
                    given[name] = _narrowed(name, given.get(name, (-np.inf, np.inf)), range_of(value))
        return ranges | given

    def bounds(self) -> tuple[Floats, Floats]:
        """Return the lower and upper bounds of the unknowns of the phase."""
        lower, upper = np.full(self.grid.count, -np.inf), np.full(self.grid.count, np.inf)
        for number, name in enumerate(self.instant.states):
            for places in self._places("states", number):
                lower[places], upper[places] = self.ranges[name]
        for number, name in enumerate(self.controls):
            for places in self._places("controls", number):
                lower[places], upper[places] = self.ranges[name]
        last = self.grid.count - self.grid.point_sizes[-1]
        for condition in self.problem.conditions:
            nodes = [(self.grid.stride * self._node(at), ranges) for at, ranges in condition.waypoints().items()]
            for start, ranges in ((0, condition.start_bounds()), (last, condition.end_bounds()), *nodes):
                for name, value in ranges.items():
                    place = self._variable(name)
                    if place is not None:
                        low, high = _narrowed(name, (lower[start + place], upper[start + place]), range_of(value))
                        lower[start + place], upper[start + place] = low, high
        return lower, upper

    def _places(self, kind: str, number: int) -> list[Integers]:
        """Return where one state or control lies at all points of the phase, without the offset."""
        grid = self.grid
        points = range(len(grid.point_sizes))
        owned = [p for p in points if kind == "states" or self.collocation.controlled[p]]
        return [getattr(grid, kind)(p)[number] + grid.stride * np.arange(grid.intervals) for p in owned]

    def _variable(self, name: str) -> int | None:
        """Return the place of a state or control among the unknowns of a node, None if it is neither."""
        if name in self.instant.states:
            return self.instant.states.index(name)
        if name in self.controls:
            return int(self.grid.controls(0)[self.controls.index(name)])
        return None

    # -- goals and conditions at instants

    def _goal_blocks(self, everywhere: Integers) -> list[tuple[Block, Floats]]:
        """Return the goals at all stages where they are measured, with the weights of the quadrature."""
        goals = self.problem.goals
        channels = [f"{number} {name}" for number, goal in enumerate(goals) for name in goal.channels()]

        def expressing(scope: InstantScope) -> SX:
            found = [goal.instant(GoalScope(scope, number)) for number, goal in enumerate(goals)]
            column: SX = ca.vertcat(*(0.0 if value is None else value for value in found))
            return column

        if not goals:
            return []
        for goal in goals:
            goal.check(self.instant.model, self.ranges)
        key = self._key(
            [goal.fingerprint for goal in goals], any(goal.kind == "custom" for goal in goals), expressing, channels
        )
        function = InstantFunction(self.instant, "goals", key, expressing, channels)
        blocks = []
        for stage in self.collocation.stages:
            if stage.weight:
                block = Block(function, self.grid, stage, everywhere)
                blocks.append((block, stage.weight * self.grid.lengths))
        return blocks

    def record(self, duration: float) -> None:
        """Fill in the recorded numbers of the goals and the known quantities of the instants, for a duration (s)."""
        for block, _ in self.goals:
            times = self.problem.start + block.times * duration
            parts = [goal.recorded(times, block.times) for goal in self.problem.goals]
            block.data = np.ascontiguousarray(np.hstack(parts))
        for block in (*self.dynamics, *self.limits, *(block for block, _ in self.goals)):
            times = self.problem.start + block.times * duration
            block.data = np.ascontiguousarray(np.hstack([block.data, self.instant.given_values(times)]))

    def _limit_blocks(self, everywhere: Integers, first: Integers) -> tuple[list[Block], list[list[RowRange]]]:
        """Return the rows that hold at every instant or at waypoints: blocks, and name and range of their rows."""
        conditions, model = self.problem.conditions, self.instant.model
        # What a control law gives keeps to the range of its actuator, too.
        limits = ((control_title(model, control), _control_range(model, control)) for control in model.controls)
        bounded: dict[str, Range] = {name: pair for name, pair in limits if pair and name in self.instant.fed}
        bounded |= {
            name: value
            for condition in conditions
            for name, value in condition.bounds().items()
            if name not in self.ranges
        }

        def always(scope: Scope) -> list[Row]:
            return _ranged(bounded, scope) + [row for condition in conditions for row in condition.instants(scope)]

        stages = [stage for stage in self.collocation.stages if stage.weight and stage.at > 0]
        blocks, names = [], []
        function, rows = self._limit_function(always)
        if rows:
            blocks = [Block(function, self.grid, stage, everywhere) for stage in stages]
            blocks.append(Block(function, self.grid, self.collocation.first, first))
            names = [rows] * len(blocks)
        for fraction, ranges in self._waypoints():
            outputs = {name: value for name, value in ranges.items() if name not in self.ranges}
            function, rows = self._limit_function(partial(_ranged, outputs))
            if rows:
                blocks.append(Block(function, self.grid, stages[-1], np.array([self._node(fraction) - 1])))
                names.append(rows)
        return blocks, names

    def _waypoints(self) -> list[tuple[float, Mapping[str, Range]]]:
        return [pair for condition in self.problem.conditions for pair in condition.waypoints().items()]

    def _node(self, fraction: float) -> int:
        """Return the number of the node next to a fraction of the duration, but not the first."""
        return max(1, int(np.argmin(abs(self.grid.mesh - fraction))))

    def _limit_function(self, made: Callable[[Scope], list[Row]]) -> tuple[InstantFunction, list[RowRange]]:
        """Return the function whose values stay in ranges, and the name and range of each."""
        rows = made(InstantScope(self.instant, SX.sym("duration")))

        def expressing(scope: InstantScope) -> SX:
            return ca.vertcat(*(row[1] for row in made(scope)))

        plain = [c.model_dump_json() for c in self.problem.conditions]
        key = self._key(
            [repr([row[0] for row in rows]), *plain],
            any(c.kind == "custom" for c in self.problem.conditions),
            expressing,
            (),
        )
        return InstantFunction(self.instant, "limits", key, expressing), [(r[0], r[2], r[3]) for r in rows]

    def _key(self, parts: list[str], custom: bool, expressing: Expressing, channels: Sequence[str]) -> str:
        """Return a text that identifies expressions; those of user functions are identified by what they compute."""
        if not custom:
            return "\0".join(parts)
        made = definition_of(self.instant, expressing, channels, "values")
        function = ca.Function("key", list(made.inputs.values()), list(made.outputs.values()))
        return hashlib.sha256(function.serialize().encode()).hexdigest()

    # -- rows that are not functions of an instant

    def _joined(self) -> LinearRows:
        """Return the rows that join the points of each interval."""
        grid, collocation, motion = self.grid, self.collocation, self.sizes.motion
        rows, columns, weights = [], [], []
        per_interval = len(collocation.joined) * motion
        numbers = per_interval * np.arange(grid.intervals)[:, None] + np.arange(motion)[None, :]
        for number, (states, rates) in enumerate(zip(collocation.joined, collocation.joined_rates, strict=True)):
            for point, (state, rate) in enumerate(zip(states, rates, strict=True)):
                row = numbers + number * motion
                for weight, kind in ((np.full(grid.intervals, state), "states"), (-rate * grid.lengths, "rates")):
                    if np.any(weight):
                        rows.append(row.ravel())
                        columns.append(grid.node_places(point, kind)[:, :motion].ravel())
                        weights.append(np.repeat(weight, motion))
        if not rows:
            return _no_rows()
        return LinearRows(
            per_interval * grid.intervals, np.concatenate(rows), np.concatenate(columns), np.concatenate(weights)
        )

    def _held(self) -> LinearRows:
        """Return the rows that fix what no equation depends on at the first node: controls, multipliers."""
        if not self.collocation.frees_first_control:
            return _no_rows()
        grid = self.grid
        loose = np.arange(self.sizes.motion, self.sizes.states)
        first = np.concatenate([grid.controls(0), grid.states(0)[loose]])
        second = np.concatenate([grid.controls(1), grid.states(1)[loose]])
        return LinearRows.differences(grid.offset + first, grid.offset + second)

    def _steady(self) -> LinearRows:
        """Return the rows that put the first fibre lengths on the line through the next two, if a condition asks."""
        if not any(condition.kind == "steady_fibres" for condition in self.problem.conditions):
            return _no_rows()
        grid, points = self.grid, self.collocation.points
        if len(points) < 3:
            raise ModelError(
                "SteadyFibres needs a scheme with two points after the first in an interval, such as my.Radau(2)"
            )
        fibres = np.arange(len(self.instant.layout.fibres)) + 2 * len(self.instant.coordinates)
        places = [grid.offset + grid.states(point)[fibres] for point in range(3)]
        ahead = points[1] / (points[2] - points[1])
        weights = np.repeat([1.0, -1.0 - ahead, ahead], len(fibres))
        rows = np.tile(np.arange(len(fibres)), 3)
        return LinearRows(len(fibres), rows, np.concatenate(places), weights)

    def _end_rows(self) -> tuple[EndRows, list[RowRange], EndRows]:
        """Return the conditions on the ends, with name and range of each, and the goals of the ends."""
        grid, duration = self.grid, SX.sym("duration")
        ends = MovementEnds(self.instant, duration, self.problem.start)
        rows = [row for condition in self.problem.conditions for row in condition.ends(ends)]
        for condition in self.problem.conditions:
            for end, what, ranges in (
                (ends.start, "start", condition.start_bounds()),
                (ends.end, "end", condition.end_bounds()),
            ):
                rows += [
                    (f"{name} at the {what}", end[name], *range_of(value))
                    for name, value in ranges.items()
                    if self._variable(name) is None
                ]
        finals = [goal.at_ends(ends) for goal in self.problem.goals]
        node = np.concatenate([grid.states(0), grid.controls(0)])
        last = grid.count - grid.point_sizes[-1]
        places = np.concatenate([grid.offset + node, grid.offset + last + node, grid.shared])
        unknowns = ca.vertcat(*ends.first, *ends.last, duration, self.instant.expressions.p)
        conditions = EndRows(unknowns, [row[1] for row in rows], places)
        goals = EndRows(unknowns, [SX(0) if value is None else value for value in finals], places)
        return conditions, [(name, low, high) for name, _, low, high in rows], goals


def _control_range(model: Model, control: str) -> tuple[float, float] | None:
    """Return the range of an excitation or of the control of a motor, None without one."""
    if control in model.muscles:
        return 0.0, 1.0
    limits: tuple[float, float] | None = getattr(model.forces[control], "control_range", None)
    return limits


def _ranged(outputs: Mapping[str, Range], scope: Scope) -> list[Row]:
    """Return the rows of outputs that stay in ranges."""
    return [(name, scope[name], *range_of(value)) for name, value in outputs.items()]


def _dynamics_of(instant: Instant) -> InstantFunction | MuscledDynamics:
    """Return the equations of motion: as one function, or of several where there are many muscles."""
    many = len(instant.model.muscles) >= _MANY_MUSCLES
    if many and isinstance(instant, FreeMotion) and not instant.parameters and not instant.known_controls:
        return MuscledDynamics(instant)
    return InstantFunction(instant, "dynamics", "residual", _residual)


def _residual(scope: Scope) -> SX:
    return scope.assembly.residual


def _no_rows() -> LinearRows:
    none = np.zeros(0, dtype=np.intp)
    return LinearRows(0, none, none, np.zeros(0))


def _narrowed(name: str, old: tuple[float, float], new: tuple[float, float]) -> tuple[float, float]:
    """Return what is in both ranges."""
    low, high = max(old[0], new[0]), min(old[1], new[1])
    if low > high:
        raise ModelError(
            f"'{name}' must be in [{new[0]:g}, {new[1]:g}], but other bounds keep it in "
            f"[{old[0]:g}, {old[1]:g}]; make bounds, start and end consistent"
        )
    return low, high
