"""Linear sensitivities from exact Jacobians: of a simulated movement, and of an optimum, in one run or one solve."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from myodyne.analyse.variations import Direction, VariedMovement
from myodyne.data import Result, Trajectory
from myodyne.equations import Equations, equations_of
from myodyne.errors import ModelError, SolveError
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.optimise import Solution
from myodyne.optimise.solution import program_of, solution_of
from myodyne.optimise.transcription.iterate import Iterate
from myodyne.optimise.transcription.variation import OptimumVariation
from myodyne.simulate.constrained import consistent_state
from myodyne.simulate.signals import merged
from myodyne.simulate.switching.events import Crossing, as_events
from myodyne.study.inputs import CONTROL, START
from myodyne.study.ranges import Choice, Integers, Range, from_fractions
from myodyne.study.rows import Runner
from myodyne.types import Floats

if TYPE_CHECKING:
    from myodyne.study.study import Study

# The part of a range by which movements are moved along their slopes, to see how a measure follows.
_PART = 1e-4
# The part of a range over which initial states are differentiated: they are balances solved to rounding.
_START_PART = 1e-3


@dataclass(frozen=True)
class Slopes:
    """Slopes in the middle of all ranges, from the exact Jacobians by states and numbers: one run or one solve.

    A simulated movement is followed by its variational equations; all that a run can be asked for has a slope, the
    instant at which an event ends it included. An optimum is followed by its conditions of optimality: bounds that hold
    stay held. ``low`` and ``high`` are where the slopes lead at the ends of the ranges. Times of control curves and
    numbers that shape the equations have no such slope.

    Examples
    --------
    >>> import myodyne as my
    >>> study = my.Study(
    ...     my.load_model("pendulum"),
    ...     vary={"start:angle": (0.4, 0.6), "rod.mass": (0.9, 1.1)},
    ...     measure="angle.final",
    ...     duration=0.5,
    ...     start={"angle.speed": 0.0},
    ... )
    >>> my.sensitivity(study, my.Slopes()).columns["slope"].round(3).tolist()
    [-0.259, -0.113]
    """


def linear_slopes(study: Study, ranges: Mapping[str, Range], measure: str) -> tuple[Floats, float]:
    """Return the slopes of a measure in the middle of all ranges, and the measure there."""
    for name, one in ranges.items():
        if isinstance(one, Integers | Choice):
            raise ModelError(f"'{name}' takes a few values only, so it has no slope: use my.OneAtATime()")
    values = {name: float(from_fractions(one, np.array([0.5]))[0]) for name, one in ranges.items()}
    runner = Runner(study)
    moved = _moved_optimum(study, runner, values) if study.problem is not None else _moved_run(study, runner, values)
    base = runner.taken(moved({}))[measure]
    slopes = []
    for name, one in ranges.items():
        low, high = from_fractions(one, np.array([0.5 - _PART / 2, 0.5 + _PART / 2]))
        step = (high - low) / 2
        ends = [runner.taken(moved({name: side * step}))[measure] for side in (-1.0, 1.0)]
        slopes.append((ends[1] - ends[0]) / (2 * step))
    return np.array(slopes), base


# A movement whose numbers changed by so much, to first order.
_Moved = Callable[[Mapping[str, float]], Result]


def _moved_optimum(study: Study, runner: Runner, values: Mapping[str, float]) -> _Moved:
    """Return the optimum as a function of small changes of its numbers."""
    solution = runner.subject(0, values)
    assert isinstance(solution, Solution)
    program = program_of(solution)
    varied = OptimumVariation(program, solution.iterate, study.names)
    for name in study.names:
        if name not in (*program.parameters, "duration"):
            raise ModelError(_no_slope(name))
    iterate, report = solution.iterate, solution.report
    assert report.optimum is not None
    optimum = report.optimum
    # Slopes of the unknowns need a factorisation, which the objective does without.
    unmoved = all(one == "objective" for one in study.measures.values())

    def moved(changes: Mapping[str, float]) -> Result:
        along = np.array([changes.get(name, 0.0) for name in study.names])
        kept = replace(report, optimum=replace(optimum, objective=optimum.objective + float(varied.objective @ along)))
        unknowns = iterate.unknowns if unmoved or not changes else iterate.unknowns + varied.unknowns @ along
        found = solution_of(program, Iterate(unknowns, iterate.lower, iterate.upper, iterate.rows), kept)
        # Measures may ask for the model: its numbers have moved too.
        problem = runner.problem({name: value + changes.get(name, 0.0) for name, value in values.items()})
        return Solution(found, problem, found.scheme, found.meshes, found.iterate)

    return moved


def _moved_run(study: Study, runner: Runner, values: Mapping[str, float]) -> _Moved:
    """Return the run as a function of small changes of its numbers."""
    if study.duration is None:
        raise ModelError("linear sensitivities are of a simulation or a problem: give duration= or problem=")
    run = runner.subject(0, values)
    assert isinstance(run, Result)
    movement = _Simulated(study, runner, values).movement()
    found = movement.along(run.time)
    outputs, outputs_by_time = movement.outputs(found)
    columns, by_time = _columns(movement, run, found.slopes, outputs, outputs_by_time)
    delay = _delay(study, run, columns, by_time)
    names = {name: run.values(name) for name in run.names if name in columns}

    def moved(changes: Mapping[str, float]) -> Result:
        along = np.array([changes.get(name, 0.0) for name in study.names])
        later = float(delay @ along)
        time = run.time.copy()
        time[-1] += later
        new = {name: old + columns[name] @ along for name, old in names.items()}
        for name, column in new.items():
            column[-1] += later * by_time[name]
        units = {name: run.units[name] for name in new}
        model = runner.inputs.model(
            runner.model, {name: value + changes.get(name, 0.0) for name, value in values.items()}
        )
        data = model.model_dump(mode="json")
        return Result(Trajectory(time, new, units), run.report, run.provenance, data, run.recipe)

    return moved


@dataclass(frozen=True, eq=False)
class _Simulated:
    """The movement of a study in the middle of its ranges."""

    study: Study
    runner: Runner
    values: Mapping[str, float]

    def movement(self) -> VariedMovement:
        equations, controls = self._equations(self.values), self._controls(self.values)
        directions = [self._direction(equations, name) for name in self.study.names]
        return VariedMovement(equations, controls, self._first(self.values), directions)

    def _equations(self, values: Mapping[str, float]) -> Equations:
        return equations_of(self.study.inputs.model(self.runner.model, values))

    def _controls(self, values: Mapping[str, float]) -> PiecewisePolynomial:
        given = self.study.inputs.controls(self.study.controls, values) or {}
        return merged(given, self._equations(self.values).controls)

    def _first(self, values: Mapping[str, float]) -> Floats:
        """Return the initial motion, on the constraints."""
        equations, start = self._equations(values), self.study.inputs.start(self.study.start, values)
        if isinstance(start, Trajectory):
            raise ModelError("linear sensitivities start from states by name, not from a run: start=run.final")
        state = equations.state(start)
        if equations.multipliers:
            state, _ = consistent_state(equations, state, frozenset(start or ()))
        return state

    def _direction(self, equations: Equations, name: str) -> Direction:
        inputs = self.study.inputs
        first = self._first_slope(name)
        if name.startswith(START):
            return Direction(first)
        if name.startswith(CONTROL) or name in inputs.family:
            return Direction(first, controls=self._control_slope(name))
        if name not in equations.parameters:
            raise ModelError(_no_slope(name))
        return Direction(first, parameter=equations.parameters.index(name))

    def _first_slope(self, name: str) -> Floats:
        """Return how the initial motion follows a number, by differences of fourth order."""
        if name.startswith(CONTROL) or name in self.study.inputs.family:
            return np.zeros(len(self._equations(self.values).motion))
        step = _START_PART * max(abs(self.values[name]), 1e-2)
        near, far = (
            self._first({**self.values, name: self.values[name] + k * step})
            - self._first({**self.values, name: self.values[name] - k * step})
            for k in (1, 2)
        )
        return (8 * near - far) / (12 * step)

    def _control_slope(self, name: str) -> Callable[[Floats], Floats]:
        """Return how the controls follow a control value: they are linear in it."""
        step = 1e-3 * max(abs(self.values[name]), 1.0)
        sides = [self._controls({**self.values, name: self.values[name] + side * step}) for side in (1, -1)]
        if any(not np.array_equal(one.breaks, sides[0].breaks) for one in sides[1:]):
            raise ModelError(f"'{name}' is a time at which a control changes: it has no slope; use my.OneAtATime()")
        return lambda times: (sides[0](times) - sides[1](times)) / (2 * step)


def _columns(
    movement: VariedMovement, run: Result, slopes: Floats, outputs: Floats, outputs_by_time: Floats
) -> tuple[dict[str, Floats], dict[str, float]]:
    """Return the derivatives of the columns of a run by each number, and by time at its end.

    The work put in is an integral beside the motion and has none, so it is left out.
    """
    equations = movement.equations
    # At the end, an event may stop a control in its jump: what comes before counts.
    end = np.nextafter(run.time[-1:], -np.inf)
    rates = equations.derivative(run_states(run, equations)[-1], movement.controls(end)[0])
    columns, by_time = {}, {}
    for name in run.names:
        if name in equations.motion:
            place = equations.motion.index(name)
            columns[name], by_time[name] = slopes[:, place], float(rates[place])
        elif name in equations.outputs:
            place = equations.outputs.index(name)
            columns[name], by_time[name] = outputs[:, place], float(outputs_by_time[-1, place])
        elif name in equations.control_columns:
            place = equations.control_columns.index(name)
            changes = [one.controls for one in movement.directions]
            columns[name] = np.stack(
                [np.zeros(len(run.time)) if one is None else one(run.time)[:, place] for one in changes], axis=-1
            )
            by_time[name] = 0.0
    return columns, by_time


def run_states(run: Result, equations: Equations) -> Floats:
    """Return the motion of a run, a row for each time."""
    return np.column_stack([run.values(name) for name in equations.motion])


def _delay(study: Study, run: Result, columns: Mapping[str, Floats], by_time: Mapping[str, float]) -> Floats:
    """Return by how much the end of the run comes later (s) with each number: zero where no event ends it."""
    events = as_events(study.until)
    if run.report.status != "stopped by event":
        return np.zeros(len(study.names))
    happened = [one for one in events if isinstance(one, Crossing) and one.name == run.report.events[-1][1]]
    if not happened or len(run.report.events) > 1:
        raise ModelError("linear sensitivities take events that end a run, not switches to another model")
    output = happened[0].output
    if abs(by_time[output]) < 1e-12:
        raise SolveError(f"'{output}' only touches the level that ends the run, so the end has no slope")
    found: Floats = -columns[output][-1] / by_time[output]
    return found


def _no_slope(name: str) -> str:
    return f"'{name}' shapes the equations, so it has no slope: use my.OneAtATime(part=0.01)"
