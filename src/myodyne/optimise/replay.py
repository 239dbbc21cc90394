"""Replay: the controls of a solution in a forward simulation, independent of the mesh."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from myodyne.data import Result, Trajectory, Violation
from myodyne.equations import Equations
from myodyne.errors import ModelError, MyodyneError, SimulationError
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.optimise.conditions import AverageSpeed
from myodyne.optimise.gait.plausible import ground_force_notes
from myodyne.optimise.solution import (
    KEPT,
    Solution,
    controls_of,
    node_table,
    optimal_recipe,
    program_of,
    replay_scheme,
    replay_signals,
    solution_of,
)
from myodyne.optimise.transcription.activation_errors import activation_error
from myodyne.optimise.transcription.instant import Instant
from myodyne.optimise.transcription.phase import PhaseProgram
from myodyne.optimise.transcription.program import Program
from myodyne.simulate import simulate
from myodyne.simulate.ends import motion_after
from myodyne.simulate.repeating import repeated
from myodyne.types import Floats

# A simulation stays close while no coordinate deviates by more than this fraction of its range of motion.
_CLOSE = 0.01
# Errors below the first are acceptable; where the median is below this fraction of the largest, the error is local.
_FINE, _LOCAL = 0.05, 0.1
# How many of the states with the largest errors a report names.
_NAMED = 3


def replay(result: Result) -> Result:
    """Return the movement of a solution or a simulation, run again from its start under its controls.

    A simulation comes back bit for bit. Of a solution the first phase is simulated, with its time counted from zero:
    walking is unstable, and a simulation diverges from it sooner or later, however fine the mesh. Files keep what a
    replay needs. Runs in which a `Switch` or a controller in Python took part are refused.

    Examples
    --------
    >>> import myodyne as my
    >>> solution = my.solve(my.load_problem("sliding_mass"), my.Radau(degree=3), nodes=21)
    >>> run = my.replay(solution)
    >>> round(run.final["way"], 3)
    1.0
    >>> my.replay(run).trajectory == run.trajectory
    True
    """
    if not isinstance(result, Result):
        raise ModelError(f"replay takes a result of my.solve or my.simulate, not {result!r:.60}")
    optimum = result.report.optimum is not None
    if optimum and result.recipe is None and isinstance(result, Solution):
        raise ModelError(f"'{result.problem.name}' has a given motion, so there is no motion to simulate")
    try:
        if isinstance(result, Solution) and result.recipe is not None and result.recipe.lacks:
            # Its problem has what the recipe lacks.
            return _simulated(program_of(result).phases[0], result.iterate.unknowns)
        return repeated(result)
    except SimulationError as stopped:
        # A walk that falls may end in a pose where integration fails; the replay is what came before.
        if not optimum or stopped.result is None or len(stopped.result.time) < 2:
            raise
        found: Result = stopped.result
        return found


def audited(solution: Solution, program: Program) -> Solution:
    """Return the solution with its mesh error and its replay in the report."""
    optimum = solution.report.optimum
    assert optimum is not None
    unknowns = solution.iterate.unknowns
    notes = list(solution.report.notes)
    errors, found = MeshErrors(), None
    try:
        errors = MeshErrors.of(program, unknowns)
        if program.phases[0].instant.simulated is not None:
            found = _divergence(program.phases[0], unknowns)
    except MyodyneError as fault:
        notes.append(f"the solution could not be replayed by a simulation: {fault}")
        errors = MeshErrors()
    optimum = replace(optimum, mesh_error=errors.largest, mesh_worst=errors.worst)
    if found is not None:
        optimum = replace(optimum, replay=found.most, replay_until=found.until)
        if found.first is not None:
            notes.append(f"a forward simulation leaves the solution after {found.until:.3g} s, {found.first} first")
    steady = any(isinstance(condition, AverageSpeed) for condition in program.phases[0].problem.conditions)
    notes += ground_force_notes(solution, solution.model, steady=steady)
    notes.append(verdict(optimum.largest_violation, errors))
    return solution_of(program, solution.iterate, replace(solution.report, optimum=optimum, notes=tuple(notes)))


@dataclass(frozen=True)
class MeshErrors:
    """How far intervals end from where accurate simulations of them do, relative to the size of each state.

    Parameters
    ----------
    largest : of all intervals and states; None where it is unknown.
    typical : the largest of all states, in the interval in the middle of all.
    worst : the states with the largest errors: name, when (s), relative error.
    """

    largest: float | None = None
    typical: float | None = None
    worst: tuple[Violation, ...] = ()

    @classmethod
    def of(cls, program: Program, unknowns: Floats) -> MeshErrors:
        """Return the errors of all phases."""
        largest, worst, each, begin = 0.0, [], [], program.parts[0].start
        for phase in program.phases:
            duration = float(unknowns[phase.grid.shared[0]])
            if phase.instant.simulated is None:
                motion = node_table(phase, unknowns)[0][:, : len(phase.instant.motion)]
                largest = max(largest, activation_error(phase, unknowns, motion, controls_of(phase, unknowns)))
                continue
            errors = state_errors(phase, unknowns)
            each.append(errors.max(axis=1))
            rows = errors.argmax(axis=0)
            for number, name in enumerate(phase.instant.motion):
                instant = begin + duration * float(phase.grid.mesh[rows[number] + 1])
                worst.append(Violation(name, instant, float(errors[rows[number], number])))
            begin += duration
        worst.sort(key=lambda one: -one.size)
        typical = float(np.median(np.concatenate(each))) if each else None
        return cls(max([largest, *(one.size for one in worst)]), typical, tuple(worst[:_NAMED]))


def verdict(violation: float, mesh: MeshErrors) -> str:
    """Return in a sentence how far a solution can be trusted."""
    if violation > 1e-3:
        return f"do not trust it: a condition is violated by {violation:.1g}"
    if mesh.largest is None:
        return "trust it with care: its mesh error is unknown"
    if mesh.largest <= _FINE:
        return f"trust it: all conditions hold, and no interval is off by more than {100 * mesh.largest:.1g} %"
    where, remedy = "", "use more nodes"
    if mesh.worst:
        where = f" in {mesh.worst[0].name} at {mesh.worst[0].time:.3g} s"
    if mesh.typical is not None and mesh.typical < _LOCAL * mesh.largest:
        where += f", half of them by less than {100 * mesh.typical:.1g} %"
        remedy = "my.refine divides those intervals"
    return f"trust it with care: the mesh is coarse, one interval is off by {100 * mesh.largest:.0f} %{where}; {remedy}"


def state_errors(phase: PhaseProgram, unknowns: Floats) -> Floats:
    """Return (intervals, states) how far an accurate simulation of each interval ends from its last node.

    Each state is measured by its range over the movement, or by a tenth of its size where it hardly moves.
    """
    intervals = Intervals.of(phase, unknowns)
    motion = intervals.motion
    sizes = np.maximum(np.ptp(motion, axis=0), 0.1 * np.maximum(abs(motion).max(axis=0), 0.1))
    ends = np.array([intervals.end(number, motion[number]) for number in range(phase.grid.intervals)])
    errors: Floats = abs(ends - motion[1:]) / sizes
    return errors


def mesh_errors(solution: Solution) -> Trajectory:
    """Return how far each interval of a solution ends from where an accurate simulation of it does, by state.

    A row for the end of each interval; errors are relative to the range of each state, or to a tenth of its size where
    it hardly moves. The largest of all is ``report.optimum.mesh_error``. Errors in a few rows ask for `refine`; errors
    of a light body in many rows often mean that controls alternate within the intervals.

    Examples
    --------
    >>> import myodyne as my
    >>> coarse = my.solve(my.load_problem("sliding_mass"), my.Midpoint(), nodes=[6])
    >>> errors = my.mesh_errors(coarse)
    >>> errors.names, len(errors)
    (('way', 'way.speed'), 5)
    >>> float(errors.rows().max()) == coarse.report.optimum.mesh_error
    True
    """
    if not isinstance(solution, Solution):
        raise ModelError(f"mesh_errors takes a solution (from my.solve), not {solution!r:.60}; {KEPT}")
    program, unknowns, begin = program_of(solution), solution.iterate.unknowns, 0.0
    times, tables = [], []
    for phase in program.phases:
        if phase.instant.simulated is None:
            raise ModelError(f"'{solution.problem.name}' has a given motion, which is not simulated")
        duration = float(unknowns[phase.grid.shared[0]])
        times.append(program.parts[0].start + begin + duration * phase.grid.mesh[1:])
        tables.append(dict(zip(phase.instant.motion, state_errors(phase, unknowns).T, strict=True)))
        begin += duration
    names = [name for name in tables[0] if all(name in table for table in tables)]
    columns = {name: np.concatenate([table[name] for table in tables]) for name in names}
    return Trajectory(np.concatenate(times), columns)


def interval_errors(phase: PhaseProgram, unknowns: Floats) -> Floats:
    """Return the largest error of a state in each interval."""
    largest: Floats = state_errors(phase, unknowns).max(axis=1)
    return largest


@dataclass(frozen=True)
class _Divergence:
    """The largest deviation (rad, m), until when (s) a simulation stays close, and which coordinate diverges first."""

    most: float
    until: float
    first: str | None


def _divergence(phase: PhaseProgram, unknowns: Floats) -> _Divergence:
    """Return how a simulation of the whole movement diverges from it, at the nodes."""
    intervals = Intervals.of(phase, unknowns)
    names = phase.instant.coordinates
    found = [intervals.motion[0]]
    try:
        for number in range(phase.grid.intervals):
            found.append(intervals.end(number, found[-1]))
    except SimulationError:
        # A walk that falls may end in a pose where integration fails; the replay is what came before.
        if len(found) < 2:
            raise
    expected = intervals.motion[:, : len(names)]
    errors = abs(np.array(found)[:, : len(names)] - expected[: len(found)])
    shares = errors / np.maximum(np.ptp(expected, axis=0), 0.05)
    far = (shares > _CLOSE).any(axis=1)
    if not far.any():
        return _Divergence(float(errors.max()), float(intervals.times[len(found) - 1]), None)
    leaving = int(np.argmax(far))
    return _Divergence(float(errors.max()), float(intervals.times[leaving - 1]), names[int(np.argmax(shares[leaving]))])


@dataclass(frozen=True)
class Intervals:
    """The intervals of a mesh, each simulated under its own controls.

    Parameters
    ----------
    equations : with the optimised parameters.
    motion : (nodes, states) what was found.
    times : of the nodes (s).
    controls : over time.
    instant : of the movement, and the time (s) at which that begins.
    """

    equations: Equations
    motion: Floats
    times: Floats
    controls: PiecewisePolynomial
    instant: tuple[Instant, float]

    @classmethod
    def of(cls, phase: PhaseProgram, unknowns: Floats) -> Intervals:
        """Return the intervals of a phase."""
        motion = node_table(phase, unknowns)[0][:, : len(phase.instant.motion)]
        times = phase.grid.mesh * float(unknowns[phase.grid.shared[0]])
        instant = phase.instant, phase.problem.start
        return cls(_equations(phase, unknowns), motion, times, controls_of(phase, unknowns), instant)

    def end(self, number: int, start: Floats) -> Floats:
        """Return the state at the end of an interval that starts in a given one."""
        length = float(self.times[number + 1] - self.times[number])
        piece = PiecewisePolynomial([0.0, length], self.controls.coefficients[number : number + 1])
        instant, since = self.instant
        signals = replay_signals(instant, piece, since + float(self.times[number]))
        return motion_after(self.equations, length, start, signals, replay_scheme(self.equations))


def _simulated(phase: PhaseProgram, unknowns: Floats) -> Result:
    equations, recipe = _equations(phase, unknowns), optimal_recipe(phase, unknowns)
    assert recipe is not None
    run = simulate(
        equations,
        recipe.duration,
        start=dict(recipe.start),
        controls=dict(recipe.controls),
        scheme=replay_scheme(equations),
        every=recipe.every,
        progress=False,
    )
    if run.report.status == "interrupted":
        # Half a replay would look like one that diverges.
        raise KeyboardInterrupt
    return run


def _equations(phase: PhaseProgram, unknowns: Floats) -> Equations:
    """Return the equations with the optimised parameters."""
    equations = phase.instant.simulated
    assert equations is not None
    return equations.with_parameters(unknowns[phase.grid.shared[1:]]) if equations.parameters else equations
