"""What each muscle and each recorded column adds to the objective: goals, term by term."""

from __future__ import annotations

import numpy as np

from myodyne.data import Trajectory
from myodyne.errors import ModelError
from myodyne.optimise.conditions import range_of
from myodyne.optimise.goals import Goal
from myodyne.optimise.problem import Phases, Problem
from myodyne.optimise.solution import KEPT, Solution, program_of
from myodyne.optimise.transcription.initial import divided, guessed_unknowns
from myodyne.optimise.transcription.program import Program
from myodyne.types import Floats

# Between the name of a goal and that of its term; names do not contain it.
_SEPARATOR = "\n"


def goal_terms(solved: Solution | Problem | Phases, movement: Trajectory | None = None) -> dict[str, dict[str, float]]:
    """Return what each term of each goal adds to the objective, by the names of goal and term.

    `Effort` has a term for each muscle or motor, `MetabolicCost` for each muscle, `Track` for each column; other goals
    are a term of their own. The terms of a goal sum up to its part of ``report.optimum.parts``.

    Parameters
    ----------
    solved
        A solution; or a problem, whose goals are then measured along ``movement``.
    movement
        States and controls by name over time. It is read at the problem's own nodes, kept to the bounds, and stretched
        to the problem's duration if that is given; if the duration is free, the movement's own counts, which phases
        divide in proportion to the middles of their ranges.

    Examples
    --------
    >>> import myodyne as my
    >>> fast = my.load_problem("sliding_mass")
    >>> goals = [my.FinalTime(), my.Effort(of="torques", weight=0.01)]
    >>> found = my.solve(fast.model_copy(update={"goals": tuple(goals)}), nodes=[11], audit=False)
    >>> {goal: list(terms) for goal, terms in my.goal_terms(found).items()}
    {'final_time': ['final_time'], 'effort': ['push.control']}
    """
    if isinstance(solved, Solution):
        if movement is not None:
            raise ModelError("goal_terms: a solution has its own movement; give its problem to measure another one")
        program = program_of(solved, _split(solved.problem))
        return _nested(program.parts_of(solved.iterate.unknowns))
    if not isinstance(solved, Problem | Phases):
        raise ModelError(f"goal_terms takes a solution or a problem, not {solved!r:.60}; {KEPT}")
    if movement is None:
        raise ModelError("goal_terms: a problem alone has no movement; give one, or a solution of it")
    parts = solved.phases if isinstance(solved, Phases) else (solved,)
    program = Program(_split(solved), parts[0].scheme, [np.linspace(0.0, 1.0, part.nodes) for part in parts])
    return _nested(program.parts_of(_unknowns(program, movement)))


def _split(problem: Problem | Phases) -> Problem | Phases:
    """Return a problem whose goals are the terms of another one's."""
    if isinstance(problem, Phases):
        return problem.model_copy(update={"phases": tuple(_split(phase) for phase in problem.phases)})
    names = {goal.name for goal in problem.goals}
    # Continuation parameters of the model are among the unknowns; weights of goals are not.
    steps = tuple({name: value for name, value in step.items() if name not in names} for step in problem.continuation)
    goals: list[Goal] = []
    for goal in problem.goals:
        for name, term in goal.split(problem.model).items():
            goals.append(term.model_copy(update={"label": f"{goal.name}{_SEPARATOR}{name}"}))
    return problem.model_copy(update={"goals": tuple(goals), "continuation": steps})


def _unknowns(program: Program, movement: Trajectory) -> Floats:
    """Return the unknowns that represent a movement."""
    ranges = [range_of(part.duration) for part in program.parts]
    middles = np.array([(low + high) / 2 for low, high in ranges])
    whole = float(movement.time[-1] - movement.time[0])
    durations = np.array(
        [
            low if low == high else whole * middle / middles.sum()
            for (low, high), middle in zip(ranges, middles, strict=True)
        ]
    )
    unknowns = np.zeros(program.count)
    pieces = divided(movement, durations)
    for phase, piece, duration in zip(program.phases, pieces, durations, strict=True):
        unknowns[phase.grid.offset : phase.grid.offset + phase.grid.count] = guessed_unknowns(phase, piece, duration)
        unknowns[phase.grid.shared[0]] = duration
        names = phase.instant.parameters
        unknowns[phase.grid.shared[1:]] = [float(phase.instant.model.value(name)) for name in names]
    return unknowns


def _nested(parts: dict[str, float]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for label, value in parts.items():
        goal, _, term = label.partition(_SEPARATOR)
        found.setdefault(goal, {})[term] = value
    return found
