"""Replay: the controls of a solution in a forward simulation, which shares nothing with the mesh."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from myodyne.data import Result
from myodyne.equations import Equations
from myodyne.errors import ModelError, MyodyneError, SimulationError
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import DOP853, Rosenbrock, Scheme
from myodyne.optimise.phase import PhaseProgram
from myodyne.optimise.prescribed import Prescribed
from myodyne.optimise.prescribed_audit import activation_error
from myodyne.optimise.program import Program
from myodyne.optimise.solution import Solution, controls_of, node_table, result_of
from myodyne.simulate import Signal, simulate

Floats = NDArray[np.float64]

# A simulation stays with the movement while no coordinate strays by more than this part of its range of motion.
_CLOSE = 0.01
_ACCURACY = 1e-8


def replay(solution: Solution) -> Result:
    """Return a forward simulation of the first phase of a solution, under its controls, from its start.

    Walking is unstable: a simulation leaves the movement sooner or later, however fine the mesh.

    Examples
    --------
    >>> import myodyne as my
    >>> solution = my.solve(my.load_problem("sliding_mass"), my.Radau(degree=3), nodes=21)
    >>> run = my.replay(solution)
    >>> round(run.final["way"], 3)
    1.0
    """
    if not isinstance(solution, Solution):
        raise ModelError(f"replay needs what my.solve gives, not {solution!r:.60}; my.simulate repeats other movements")
    program = Program(solution.problem, solution.scheme, list(solution.meshes))
    if isinstance(program.phases[0].equations, Prescribed):
        raise ModelError(f"'{program.problem.name}' has a given motion, which no simulation needs to find")
    return _simulated(program.phases[0], solution.iterate.unknowns)


def audited(solution: Solution, program: Program) -> Solution:
    """Return the solution with its mesh error and its replay in the report."""
    optimum = solution.report.optimum
    assert optimum is not None
    unknowns = solution.iterate.unknowns
    notes = list(solution.report.notes)
    error = strayed = until = None
    try:
        error = max(mesh_error(phase, unknowns) for phase in program.phases)
        if not isinstance(program.phases[0].equations, Prescribed):
            strayed, until = _divergence(program.phases[0], unknowns)
    except MyodyneError as fault:
        notes.append(f"the solution could not be replayed by a simulation: {fault}")
        error = None
    optimum = replace(optimum, mesh_error=error, replay=strayed, replay_until=until)
    notes.append(verdict(optimum.largest_violation, error))
    return result_of(program, solution.iterate, replace(solution.report, optimum=optimum, notes=tuple(notes)))


def verdict(violation: float, mesh: float | None) -> str:
    """Return in a sentence whether to believe a solution."""
    if violation > 1e-3:
        return f"do not believe it: a condition is violated by {violation:.1g}"
    if mesh is None:
        return "believe it with care: nothing but the mesh itself vouches for it"
    if mesh > 0.05:
        return f"believe it with care: the mesh is coarse, an interval errs by {100 * mesh:.0f} %; take more nodes"
    return f"believe it: all conditions hold, and no interval errs by more than {100 * mesh:.1g} %"


def mesh_error(phase: PhaseProgram, unknowns: Floats) -> float:
    """Return the largest error of an interval, relative to the size of each state."""
    if isinstance(phase.equations, Prescribed):
        states, _ = node_table(phase, unknowns)
        motion = states[:, : len(phase.equations.motion)]
        return activation_error(phase, unknowns, motion, controls_of(phase, unknowns))
    return float(interval_errors(phase, unknowns).max())


def interval_errors(phase: PhaseProgram, unknowns: Floats) -> Floats:
    """Return how far an accurate simulation of each interval ends from its last node.

    Each state is measured by its range over the movement, or by one where it hardly moves.
    """
    states, _ = node_table(phase, unknowns)
    motion = states[:, : len(phase.equations.motion)]
    sizes = np.maximum(np.ptp(motion, axis=0), 0.1 * np.maximum(abs(motion).max(axis=0), 0.1))
    equations = _equations(phase, unknowns)
    controls = controls_of(phase, unknowns)
    duration = float(unknowns[phase.grid.shared[0]])
    times = phase.grid.mesh * duration
    errors = np.zeros(phase.grid.intervals)
    for number in range(phase.grid.intervals):
        length = float(times[number + 1] - times[number])
        piece = PiecewisePolynomial([0.0, length], controls.coefficients[number : number + 1])
        start = dict(zip(equations.motion, motion[number].tolist(), strict=True))
        end = _run(equations, length, start, piece, every=length)
        found = np.array([end.values(name)[-1] for name in equations.motion])
        errors[number] = (abs(found - motion[number + 1]) / sizes).max()
    return errors


def _divergence(phase: PhaseProgram, unknowns: Floats) -> tuple[float, float]:
    """Return how far a simulation strays (rad, m) from the movement, and until when (s) it stays close."""
    states, _ = node_table(phase, unknowns)
    size = len(phase.equations.coordinates)
    duration = float(unknowns[phase.grid.shared[0]])
    times = phase.grid.mesh * duration
    run = _simulated(phase, unknowns)
    reached = times <= run.time[-1] + 1e-12
    found = np.column_stack([np.interp(times[reached], run.time, run.values(name))
                             for name in phase.equations.coordinates])
    errors = abs(found - states[reached, :size])
    ranges = np.maximum(np.ptp(states[:, :size], axis=0), 0.05)
    close = (errors <= _CLOSE * ranges).all(axis=1)
    until = times[reached][-1] if close.all() else times[max(int(np.argmin(close)) - 1, 0)]
    return float(errors.max()), float(until)


def _simulated(phase: PhaseProgram, unknowns: Floats) -> Result:
    equations = _equations(phase, unknowns)
    states, _ = node_table(phase, unknowns)
    start = dict(zip(equations.motion, states[0].tolist(), strict=False))
    duration = float(unknowns[phase.grid.shared[0]])
    try:
        return _run(equations, duration, start, controls_of(phase, unknowns), every=duration / 200)
    except SimulationError as stopped:
        # A walk that falls may end in a pose that no step gets out of; what came before is the replay.
        if stopped.result is None or len(stopped.result.time) < 2:
            raise
        found: Result = stopped.result
        return found


def _run(equations: Equations, duration: float, start: dict[str, float], controls: PiecewisePolynomial,
         every: float) -> Result:
    signals = {
        name: Signal("solution", PiecewisePolynomial(controls.breaks, controls.coefficients[:, :, [number]]))
        for number, name in enumerate(equations.controls)
    }
    scheme: Scheme = Rosenbrock(relative=_ACCURACY, absolute=_ACCURACY) if equations.muscles else DOP853()
    run = simulate(equations, duration, start=start, controls=signals, scheme=scheme, every=every, progress=False)
    if run.report.status == "interrupted":
        # Half a replay would look like one that strays.
        raise KeyboardInterrupt
    return run


def _equations(phase: PhaseProgram, unknowns: Floats) -> Equations:
    """Return the equations with the numbers that were found."""
    assert isinstance(phase.equations, Equations)
    if not phase.equations.parameters:
        return phase.equations
    from myodyne.equations import equations_of

    return equations_of(phase.equations.with_numbers(unknowns[phase.grid.shared[1:]]))
