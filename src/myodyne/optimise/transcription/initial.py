"""From a guess to the first unknowns of a program."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from myodyne.data import DataError, Trajectory
from myodyne.equations.muscles.fibre_lengths import balanced_fibres
from myodyne.equations.muscles.kinds import activation_states
from myodyne.errors import listed
from myodyne.optimise.guesses import natural_guess
from myodyne.optimise.transcription.phase import PhaseProgram
from myodyne.optimise.transcription.program import Program
from myodyne.types import Floats

# Activation of muscles that a guess does not mention: at zero, forces would hardly depend on excitations.
_ACTIVATION = 0.1


def initial_unknowns(program: Program, guess: Trajectory | None) -> Floats:
    """Return the unknowns of all phases from a guess of the whole movement, or from the guesses of the problems."""
    unknowns = np.zeros(program.count)
    lower, upper = program.bounds
    shared = slice(program.shared_start, program.count)
    unknowns[shared] = (lower[shared] + upper[shared]) / 2
    durations = unknowns[program.shared_start : program.shared_start + len(program.phases)]
    if guess is not None:
        _check_names(program, guess)
    pieces = [None] * len(durations) if guess is None else divided(guess, durations)
    for phase, part, piece in zip(program.phases, program.parts, pieces, strict=True):
        for name, place in zip(part.free_names, phase.grid.shared[1:], strict=True):
            unknowns[place] = np.clip(part.free_number(name), lower[place], upper[place])
        place = phase.grid.shared[0]
        movement = part.guess if piece is None else piece
        if movement is None:
            movement = natural_guess(part)
        elif len(movement.time) > 1:
            unknowns[place] = np.clip(movement.time[-1] - movement.time[0], lower[place], upper[place])
        own = slice(phase.grid.offset, phase.grid.offset + phase.grid.count)
        unknowns[own] = guessed_unknowns(phase, movement, float(unknowns[place]))
    return unknowns


def _check_names(program: Program, guess: Trajectory) -> None:
    """Refuse a guess that says nothing about the movement: it was probably meant for another model."""
    wanted = [name for phase in program.phases for name in (*phase.instant.states, *phase.instant.model.muscles)]
    beginnings = tuple(f"{name}." for name in wanted)
    if wanted and not any(name in wanted or name.startswith(beginnings) for name in guess.names):
        raise DataError(
            f"the guess has no column of '{program.parts[0].model.name}', such as '{wanted[0]}'; it has "
            f"{listed(guess.names, 6) or 'none at all'}"
        )


def divided(guess: Trajectory, durations: Floats) -> list[Trajectory]:
    """Return the pieces of a movement that belong to phases, in proportion to their durations.

    Examples
    --------
    >>> way = Trajectory([0.0, 1.0], {"way": [0.0, 3.0]})
    >>> [piece.final["way"] for piece in divided(way, np.array([2.0, 1.0]))]
    [2.0, 3.0]
    """
    if len(durations) == 1 or len(guess.time) == 1:
        return [guess] * len(durations)
    first, last = float(guess.time[0]), float(guess.time[-1])
    cuts = first + (last - first) * np.concatenate([[0.0], np.cumsum(durations)]) / durations.sum()
    cuts[-1] = last
    pieces = []
    for start, end in pairwise(cuts):
        inner = guess.time[(guess.time > start) & (guess.time < end)]
        times = np.unique(np.concatenate([[start], inner, [end]]))
        table = {name: np.interp(times, guess.time, guess.values(name)) for name in guess.names}
        pieces.append(Trajectory(times, table))
    return pieces


def guessed_unknowns(phase: PhaseProgram, guess: Trajectory, duration: float) -> Floats:
    """Return the unknowns of a phase that represent a movement, stretched to the duration (s).

    Speeds that the movement lacks are the slopes of its coordinates; fibres have their equilibrium
    lengths; excitations are the activations.
    """
    grid = phase.grid
    fractions = np.unique(
        np.concatenate(
            [(grid.mesh[:-1, None] + grid.collocation.points[None, :-1] * grid.lengths[:, None]).ravel(), [1.0]]
        )
    )
    table, slopes = _states(phase, guess, fractions, duration)
    controls = _controls(phase, guess, fractions, table)
    unknowns = np.zeros(grid.count)
    points = len(grid.point_sizes) - 1
    for point in range(points + 1):
        rows = np.arange(grid.intervals) * points + point
        places = grid.node_places(point, "states") - grid.offset
        unknowns[places] = table[rows]
        if grid.collocation.rated:
            unknowns[grid.node_places(point, "rates") - grid.offset] = duration * slopes[rows]
        if grid.collocation.controlled[point]:
            unknowns[grid.node_places(point, "controls") - grid.offset] = controls[rows]
    clipped: Floats = np.clip(unknowns, *phase.bounds())
    return clipped


def _states(phase: PhaseProgram, guess: Trajectory, fractions: Floats, duration: float) -> tuple[Floats, Floats]:
    """Return the states at fractions of the movement, and the rates of the motion (1/s)."""
    instant = phase.instant
    size = len(instant.coordinates)
    table = np.tile(np.zeros(len(instant.states)), (len(fractions), 1))
    slopes = np.zeros((len(fractions), len(instant.motion)))
    defaults = instant.coordinate_defaults()
    for number, name in enumerate(instant.coordinates):
        value, rate, second = _column(guess, name, fractions, duration, defaults[number])
        table[:, number], table[:, size + number] = value, rate
        slopes[:, number], slopes[:, size + number] = rate, second
        speed = f"{name}.speed"
        if speed in guess:
            value, rate, _ = _column(guess, speed, fractions, duration, 0.0)
            table[:, size + number], slopes[:, number], slopes[:, size + number] = value, value, rate
    active = activation_states(instant.model)
    fibres = len(instant.layout.fibres)
    for number, name in enumerate(active.values()):
        place = 2 * size + fibres + number
        muscle = name.rpartition(".")[0]
        value, rate, _ = _column(guess, name, fractions, duration, _excitation(guess, muscle, fractions))
        table[:, place], slopes[:, place] = value, rate
    balanced: Floats | None = None
    for number, name in enumerate(instant.layout.fibres):
        place = 2 * size + number
        if name in guess:
            table[:, place], slopes[:, place], _ = _column(guess, name, fractions, duration, 1.0)
            continue
        if balanced is None:
            activations = table[:, 2 * size + fibres : 2 * size + fibres + len(active)]
            poses = instant.poses(phase.problem.start + fractions * duration, table)
            balanced = np.array(
                [balanced_fibres(instant.equations, q, a) for q, a in zip(poses, activations, strict=True)]
            )
        table[:, place] = balanced[:, number]
        if len(fractions) > 1:
            slopes[:, place] = np.gradient(balanced[:, number], fractions * duration)
    for name in instant.multipliers:
        table[:, instant.states.index(name)] = _column(guess, name, fractions, duration, 0.0)[0]
    return table, slopes


def _controls(phase: PhaseProgram, guess: Trajectory, fractions: Floats, table: Floats) -> Floats:
    """Return the controls at fractions of the movement."""
    instant = phase.instant
    controls = np.zeros((len(fractions), len(phase.controls)))
    active = activation_states(instant.model)
    for number, (control, name) in enumerate(zip(instant.controls, phase.controls, strict=True)):
        default: Floats | float = 0.0
        if control in instant.muscles:
            state = active.get(control)
            default = _ACTIVATION if state is None else table[:, instant.states.index(state)]
        controls[:, number] = _column(guess, name, fractions, 1.0, default)[0]
    return controls


def _excitation(guess: Trajectory, muscle: str, fractions: Floats) -> Floats | float:
    name = f"{muscle}.excitation"
    return _column(guess, name, fractions, 1.0, 0.0)[0] if name in guess else _ACTIVATION


def _column(
    guess: Trajectory, name: str, fractions: Floats, duration: float, default: Floats | float
) -> tuple[Floats, Floats, Floats]:
    """Return a column, its rate and second derivative at fractions of the movement."""
    nothing = np.zeros(len(fractions))
    if name not in guess:
        return nothing + default, nothing, nothing
    values, time = guess.values(name), guess.time
    if not np.isfinite(values).all():
        when = float(time[int(np.argmin(np.isfinite(values)))])
        raise DataError(
            f"the guess: '{name}' is {values[~np.isfinite(values)][0]:g} at {when:g} s; leave the column out"
        )
    if len(time) == 1:
        return nothing + values[0], nothing, nothing
    own = (time - time[0]) / (time[-1] - time[0])
    if len(time) < 4:
        slope = np.gradient(values, own)
        return np.interp(fractions, own, values), np.interp(fractions, own, slope) / duration, nothing
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(own, values)
    return spline(fractions), spline(fractions, 1) / duration, spline(fractions, 2) / duration**2
