"""The solution of a problem: the movement, its report, and what another solve can start from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from myodyne.data import Provenance, Recipe, Report, Result, Trajectory
from myodyne.data.curves.signals import Signal
from myodyne.equations import Equations
from myodyne.errors import ModelError
from myodyne.model import Model
from myodyne.numerics.collocation import Transcription
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import DOP853, Rosenbrock, Scheme
from myodyne.optimise.problem import Phases, Problem
from myodyne.optimise.storage.packing import holds_functions, solution_data
from myodyne.optimise.transcription.instant import Instant
from myodyne.optimise.transcription.iterate import Iterate
from myodyne.optimise.transcription.phase import PhaseProgram
from myodyne.optimise.transcription.program import Program
from myodyne.simulate.control.feedback import Feedback
from myodyne.simulate.signals import Control, as_signal
from myodyne.types import Floats

# Tolerance of a replay, and how many samples it has.
_ACCURACY = 1e-8
_SAMPLES = 200
# What to know about files, where a solution is expected and something else is given.
KEPT = (
    "a .nc file keeps a whole solution, unless its problem has Python functions; other formats keep the movement and "
    "what replays it"
)


class Solution(Result):
    """What `solve` gives: a result, the problem that it solves, and where the optimiser stopped.

    ``iterate`` holds unknowns and multipliers on ``meshes``; as a guess of another `solve` they make it start warm.

    Examples
    --------
    >>> import myodyne as my
    >>> fast = my.solve(my.load_problem("sliding_mass"), nodes=[11], audit=False)
    >>> fast.problem.name, len(fast.meshes[0]), fast.report.status
    ('sliding_mass', 11, 'completed')
    """

    __slots__ = ("iterate", "meshes", "problem", "scheme")

    iterate: Iterate
    meshes: tuple[Floats, ...]
    problem: Problem | Phases
    scheme: Transcription

    def __init__(
        self,
        result: Result,
        problem: Problem | Phases,
        scheme: Transcription,
        meshes: Sequence[Floats],
        iterate: Iterate,
    ) -> None:
        super().__init__(result, result.report, result.provenance, result._model_text, result.recipe)
        for name, value in (("iterate", iterate), ("problem", problem), ("scheme", scheme), ("meshes", tuple(meshes))):
            object.__setattr__(self, name, value)

    @property
    def model(self) -> Model:
        """The model, with the optimised parameters."""
        problem = self.problem.phases[0] if isinstance(self.problem, Phases) else self.problem
        optimum = self.report.optimum
        found = {} if optimum is None else dict(optimum.parameters)
        values = {
            name: value
            for name, value in found.items()
            if name not in (problem.feedback.gains if problem.feedback else ())
        }
        return problem.model.with_values(values) if values else problem.model

    @property
    def feedback(self) -> Feedback | None:
        """The control law, with the optimised gains; None without one."""
        problem = self.problem.phases[0] if isinstance(self.problem, Phases) else self.problem
        if problem.feedback is None:
            return None
        found = {} if self.report.optimum is None else dict(self.report.optimum.parameters)
        return problem.feedback.with_gains(**{name: found[name] for name in problem.feedback.gains if name in found})

    @property
    def further_data(self) -> dict[str, Any]:
        """Problem, mesh, unknowns and multipliers for a file; nothing if the problem holds functions in Python."""
        if holds_functions(self.problem):
            return {}
        return {"solution": solution_data(self.problem, self.scheme, self.meshes, self.iterate)}

    def __reduce__(self) -> tuple[Any, ...]:
        plain = Result(self.trajectory, self.report, self.provenance, self._model_text, self.recipe)
        return Solution, (plain, self.problem, self.scheme, self.meshes, self.iterate)


def program_of(solution: Solution, problem: Problem | Phases | None = None) -> Program:
    """Return the program that a solution solves, or the one of another problem with the same unknowns."""
    program = Program(problem or solution.problem, solution.scheme, list(solution.meshes))
    iterate, rows = solution.iterate, len(program.row_bounds[0])
    if len(iterate.unknowns) != program.count or (problem is None and len(iterate.rows) != rows):
        raise ModelError(
            f"the solution of '{solution.problem.name}' has {len(iterate.unknowns)} unknowns and {len(iterate.rows)} "
            f"rows, its problem {program.count} and {rows}: another version solved it, or its file is damaged; solve "
            "it again with this solution as the guess, without its multipliers: guess=solution.trajectory"
        )
    return program


def trajectory_of(program: Program, unknowns: Floats) -> Trajectory:
    """Return all that can be read of a movement, at the nodes; phases follow one another."""
    parts, begin = [], program.parts[0].start
    for phase in program.phases:
        duration = float(unknowns[phase.grid.shared[0]])
        parts.append(_columns(phase, unknowns, begin, duration))
        begin += duration
    if len(parts) == 1:
        return parts[0]
    # The last node of a phase is the first of the next; one row serves both.
    names = [name for name in parts[0].names if all(name in part for part in parts)]
    kept = [slice(None) if number == len(parts) - 1 else slice(0, -1) for number in range(len(parts))]
    columns = {
        name: np.concatenate([part.values(name)[rows] for part, rows in zip(parts, kept, strict=True)])
        for name in names
    }
    time = np.concatenate([part.time[rows] for part, rows in zip(parts, kept, strict=True)])
    return Trajectory(time, columns, {name: parts[0].units[name] for name in names})


def node_table(phase: PhaseProgram, unknowns: Floats) -> tuple[Floats, Floats]:
    """Return the states and the controls at the nodes of a phase."""
    last = len(phase.grid.point_sizes) - 1
    tables = []
    for kind in ("states", "controls"):
        places = np.vstack([phase.grid.node_places(0, kind), phase.grid.node_places(last, kind)[-1:]])
        tables.append(unknowns[places])
    return tables[0], tables[1]


def controls_of(phase: PhaseProgram, unknowns: Floats) -> PiecewisePolynomial:
    """Return the controls over time (s from the start of the phase), as the scheme sees them."""
    grid, duration = phase.grid, float(unknowns[phase.grid.shared[0]])
    owned = [point for point, own in enumerate(phase.collocation.controlled) if own]
    if phase.collocation.frees_first_control:
        owned = owned[1:]
    fractions = phase.collocation.points[owned]
    values = np.stack([unknowns[grid.node_places(point, "controls")] for point in owned])
    # The polynomial through the controls of each interval, in powers of the time since its start.
    vandermonde = fractions[:, None] ** np.arange(len(owned))[None, :]
    powers = np.linalg.solve(vandermonde, values.reshape(len(owned), -1)).reshape(values.shape)
    lengths = grid.lengths * duration
    scaled = powers / lengths[None, :, None] ** np.arange(len(owned))[:, None, None]
    return PiecewisePolynomial(grid.mesh * duration, np.moveaxis(scaled, 0, 1))


def optimal_recipe(phase: PhaseProgram, unknowns: Floats) -> Recipe | None:
    """Return what a forward simulation of a phase needs, its time counted from zero; None where motion is given."""
    equations, duration = phase.instant.simulated, float(unknowns[phase.grid.shared[0]])
    if equations is None:
        return None
    states, _ = node_table(phase, unknowns)
    given = replay_signals(phase.instant, controls_of(phase, unknowns), phase.problem.start)
    return Recipe(
        start=dict(zip(equations.motion, states[0].tolist(), strict=False)),
        controls={name: as_signal(signal, name) for name, signal in given.items()},
        scheme=replay_scheme(equations),
        duration=duration,
        every=duration / _SAMPLES,
        lacks=("recorded forces",) if equations.closure.loads else (),
    )


def replay_signals(instant: Instant, controls: PiecewisePolynomial, begin: float) -> dict[str, Control]:
    """Return the controls, and what else is given, as signals of the time since ``begin`` (s)."""
    found: dict[str, Control] = {
        name: Signal("solution", PiecewisePolynomial(controls.breaks, controls.coefficients[:, :, [number]]))
        for number, name in enumerate(instant.controls)
    }
    return found | {name: signal.shifted(-begin) for name, signal in instant.given_signals.items()}


def replay_scheme(equations: Equations) -> Scheme:
    """Return the accurate scheme that movements are replayed by."""
    return Rosenbrock(relative=_ACCURACY, absolute=_ACCURACY) if equations.muscles else DOP853()


def _columns(phase: PhaseProgram, unknowns: Floats, begin: float, duration: float) -> Trajectory:
    states, controls = node_table(phase, unknowns)
    return phase.instant.trajectory(
        begin, phase.grid.mesh * duration, states, controls, unknowns[phase.grid.shared[1:]]
    )


def with_wall_time(solution: Solution, seconds: float) -> Solution:
    """Return a solution whose report says how long the user waited (s)."""
    return with_report(solution, replace(solution.report, wall_seconds=seconds))


def with_report(solution: Solution, report: Report) -> Solution:
    """Return a solution with another report."""
    result = Result(solution, report, solution.provenance, solution._model_text, solution.recipe)
    return Solution(result, solution.problem, solution.scheme, solution.meshes, solution.iterate)


def solution_of(program: Program, iterate: Iterate, report: Report) -> Solution:
    """Return the solution with its movement."""
    instant = program.phases[0].instant
    names = instant.parameters
    model = instant.model
    law = instant.equations.closure.law
    if names:
        equations = instant.equations.with_parameters(iterate.unknowns[program.phases[0].grid.shared[1:]])
        model, law = equations.model, equations.closure.law
    provenance = Provenance(
        model.name,
        model.hash,
        scheme=repr(program.scheme),
        compiled=instant.compiled,
        feedback="" if law is None else law.to_text(),
    )
    movement, recipe = trajectory_of(program, iterate.unknowns), optimal_recipe(program.phases[0], iterate.unknowns)
    result = Result(movement, report, provenance, model.model_dump(mode="json"), recipe)
    meshes = [phase.grid.mesh for phase in program.phases]
    return Solution(result, program.problem, program.scheme, meshes, iterate)
