"""States that obey the constraints: found at the start, kept during the motion, reached by an impact."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from myodyne.equations import Equations
from myodyne.errors import SolveError, listed
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.row_sizes import row_sizes
from myodyne.numerics.stepping.march import Advance, March
from myodyne.types import Booleans, Floats, Integers

# Positions count as met below this (m, rad), speeds below this (m/s, rad/s).
_POSITION, _SPEED = 1e-12, 1e-11
# Singular values below this part of the largest belong to constraints that say the same.
_RANK = 1e-9
# From sample to sample, directions can be followed if nothing moves farther than this (rad or m), and their cosine is
# above it.
_FOLLOWED, _LITTLE = 0.7, 0.1


def consistent_state(
    equations: Equations, state: Floats, given: frozenset[str] = frozenset(), u: ArrayLike = ()
) -> tuple[Floats, str]:
    """Return the nearest coordinates and speeds that obey the constraints, and a note if they had to move.

    Nearest in the metric of the mass matrix: a change of speed is then that of an impact, which conserves the
    momentum of all that the constraints leave free. Values that were ``given`` are kept where the others suffice. The
    controls ``u`` are needed where constraints follow functions of time.
    """
    size = len(equations.coordinates)
    q, v = state[:size].copy(), state[size : 2 * size].copy()
    held_q = np.array([name in given for name in equations.coordinates])
    held_v = np.array([name in given for name in equations.speeds])
    placed = _placed(equations, q, held_q, u)
    if placed is None and held_q.any():
        placed = _placed(equations, q, np.zeros(size, dtype=bool), u)
    if placed is None:
        raise _not_met(equations, q, v, u)
    _check_rank(equations, placed)
    moving = _moving(equations, placed, v, held_v, u)
    moved = float(np.max(np.abs(placed - q), initial=0.0))
    changed = float(np.max(np.abs(moving - v), initial=0.0))
    note = ""
    if moved > 1e-9 or changed > 1e-9:
        note = f"coordinates by up to {moved:.3g}, speeds by {changed:.3g}"
    return np.concatenate([placed, moving, state[2 * size :]]), note


def _placed(equations: Equations, q: Floats, held: Booleans, u: ArrayLike) -> Floats | None:
    """Return coordinates that meet the constraints, by Gauss-Newton steps in the metric of the mass matrix."""
    q, still = q.copy(), np.zeros_like(q)
    error = equations.constraint_errors(q, still, u=u)[0]
    for _ in range(60):
        size = float(np.max(np.abs(error), initial=0.0))
        if size < _POSITION:
            return q
        jacobian = equations.constraint_errors(q, still, u=u)[2]
        if not (np.isfinite(size) and np.all(np.isfinite(jacobian))):
            return None  # a distance between points that coincide, a weld that is turned over
        step = _nearest_change(equations.mass_matrix(q), jacobian, -error, held)
        for fraction in (1.0, 0.5, 0.25, 0.1, 0.03, 0.01):
            trial = q + fraction * step
            trial_error = equations.constraint_errors(trial, still, u=u)[0]
            if np.max(np.abs(trial_error)) < size:
                break
        else:
            return q if size < 1e3 * _POSITION else None
        q, error = trial, trial_error
    return None


def _moving(equations: Equations, q: Floats, v: Floats, held: Booleans, u: ArrayLike) -> Floats:
    """Return speeds that meet the constraints; the rows are linear in them, two rounds remove the rounding."""
    mass = equations.mass_matrix(q)
    for kept in [held, np.zeros_like(held)] if held.any() else [held]:
        trial = v.copy()
        for _ in range(3):
            _, error, jacobian = equations.constraint_errors(q, trial, u=u)
            trial = trial + _nearest_change(mass, jacobian, -error, kept)
        error = equations.constraint_errors(q, trial, u=u)[1]
        if np.max(np.abs(error), initial=0.0) < _SPEED * max(1.0, float(np.max(np.abs(trial)))):
            return trial
    raise _not_met(equations, q, v, u)


def _nearest_change(mass: Floats, jacobian: Floats, wanted: Floats, held: Booleans) -> Floats:
    """Return the change with ``jacobian @ change = wanted`` of least kinetic energy; held entries do not change."""
    if not (np.isfinite(mass).all() and np.isfinite(jacobian).all() and np.isfinite(wanted).all()):
        raise SolveError(
            "masses or constraints are not finite in the initial state: check its values, and masses, inertias and "
            "positions of the model"
        )
    change = np.zeros(len(mass))
    free = ~held
    if not free.any():
        return change
    inner = mass[np.ix_(free, free)]
    size = max(float(np.trace(inner)) / len(inner), 1e-9)
    if np.linalg.eigvalsh(inner)[0] < 1e-12 * size:
        # Massless coordinates are given a little mass, so that the metric is one. No others: an impact would then
        # not quite conserve momentum.
        inner = inner + 1e-9 * size * np.eye(len(inner))
    response = np.linalg.solve(inner, jacobian[:, free].T)
    change[free] = response @ np.linalg.lstsq(jacobian[:, free] @ response, wanted, rcond=1e-12)[0]
    return change


def _check_rank(equations: Equations, q: Floats) -> None:
    """Refuse constraints that repeat each other, by name."""
    jacobian = constraint_rows(equations, q)
    scaled = jacobian / row_sizes(equations.multipliers, jacobian)
    vectors, values, _ = np.linalg.svd(scaled)
    rank = int(np.sum(values > _RANK * values[0])) if len(values) else 0
    if rank == len(scaled):
        return
    involved = np.any(np.abs(vectors[:, rank:]) > 1e-6, axis=1)
    names = [name for name, bad in zip(equations.multipliers, involved, strict=True) if bad]
    raise SolveError(
        f"'{equations.model.name}': {len(scaled) - rank} of the constraints repeat others in this pose, among "
        f"{listed(names)}; their forces are not determined. Leave one out, or name fewer axes"
    )


def _not_met(equations: Equations, q: Floats, v: Floats, u: ArrayLike) -> SolveError:
    position, speed, _ = equations.constraint_errors(q, v, u=u)
    off = np.nan_to_num(np.abs(position) + np.abs(speed), nan=np.inf)
    worst = equations.multipliers[int(np.argmax(off))].rpartition(".")[0]
    size = float(np.max(np.abs(position)))
    how = f"it is off by {size:.3g}" if np.isfinite(size) else "it is turned over by half a turn"
    return SolveError(
        f"'{equations.model.name}' cannot start: no state near the given one meets the constraint '{worst}' together "
        f"with the others ({how}). Give a start that nearly meets it"
    )


def constraint_rows(equations: Equations, q: Floats) -> Floats:
    """Return the Jacobian of the kept constraints, for one pose or several; it does not depend on time."""
    return equations.constraint_errors(q, np.zeros_like(q), u=np.zeros((*q.shape[:-1], len(equations.controls))))[2]


def singular_passages(equations: Equations, times: Floats, states: Floats) -> list[float]:
    """Return the times (s) before which a motion passes a pose where the constraints repeat each other.

    There branches of a mechanism meet, and rounding decides which of them the motion takes. The rows of the
    constraints and the directions that they leave free span a volume, whose sign changes in that pose (as in the
    continuation of curves: Keller 1977). Samples too far apart to follow the free directions are skipped.
    """
    size = len(equations.coordinates)
    way = np.max(np.abs(states[:, size : 2 * size]), axis=1)
    moved = np.maximum(way[1:], way[:-1]) * np.diff(times)
    jacobian = constraint_rows(equations, states[:, :size])
    if len(states) < 2 or not np.all(np.isfinite(jacobian)):
        return []
    free = np.linalg.svd(jacobian)[2][:, jacobian.shape[1] :]
    volume = np.sign(np.linalg.det(np.concatenate([jacobian, free], axis=1)))
    kept = np.linalg.det(free[1:] @ free[:-1].swapaxes(1, 2))
    turned = volume[1:] * volume[:-1] * np.sign(kept) < 0
    followed = (moved < _FOLLOWED) & (np.abs(kept) > _FOLLOWED)
    # Free directions that turn sharply while next to nothing moves: the motion went over to the other branch.
    bent = (moved < _LITTLE) & (np.abs(kept) <= _FOLLOWED)
    return [float(time) for time in times[1:][(followed & turned) | bent]]


class ProjectedMarch:
    """A march whose states are brought back onto the constraints at every requested time."""

    def __init__(self, march: March, equations: Equations, controls: PiecewisePolynomial) -> None:
        self._march, self._equations, self._controls = march, equations, controls

    def reset(self) -> None:
        """Forget the step size of the last advance."""
        self._march.reset()

    def saved(self) -> object:
        """Return all that is carried over to the next advance."""
        return self._march.saved()

    def restore(self, saved: object) -> None:
        """Go back to what was saved."""
        self._march.restore(saved)

    def rewind(self) -> None:
        """Let the next advance start at time zero and yet continue the last one."""
        self._march.rewind()

    def advance(self, time: float, state: Floats, times: Floats) -> Advance:
        """Return the states at ``times`` (s), each on the constraints."""
        found: list[Floats] = []
        total: Advance | None = None
        for moment in times:
            part = self._march.advance(time, state, np.array([moment]))
            total = part if total is None else _added(total, part)
            if part.failure is not None:
                break
            motion, _ = consistent_state(self._equations, part.states[0][:-1], u=self._controls(float(moment)))
            state = np.append(motion, part.states[0][-1])
            found.append(state)
            time = float(moment)
        assert total is not None
        last = total.last_state if total.failure is not None else state
        # The rates of a step do not belong to states that were moved after it.
        return replace(total, states=np.array(found).reshape(len(found), len(state)), last_state=last, rates=None)


def _added(one: Advance, other: Advance) -> Advance:
    counts = {
        name: getattr(one, name) + getattr(other, name) for name in ("steps", "rejected", "evaluations", "iterations")
    }
    return replace(other, **counts)


def places_of_motion(coordinates: int, rows: int, muscle_states: int) -> Integers:
    """Return where coordinates, speeds and states of muscles stand in the vector that an implicit march carries.

    Beside each coordinate and speed stand those of the constraints' rows and of the power, which nothing reads.
    """
    half = coordinates + rows + 1
    moving = np.arange(coordinates)
    return np.concatenate([moving, half + moving, 2 * half + np.arange(muscle_states)]).astype(np.intp)


def places_of_rates(coordinates: int, rows: int, muscle_states: int) -> Integers:
    """Return where the rates of the motion stand in that vector's, then the multipliers, which are accelerations."""
    multipliers = 2 * coordinates + rows + 1 + np.arange(rows)
    return np.append(places_of_motion(coordinates, rows, muscle_states), multipliers).astype(np.intp)


class ImplicitMarch:
    """An implicit march: multipliers and power are the accelerations of coordinates of their own.

    Those coordinates and the impulses of the constraints are added here, at zero, and taken away again; the
    speed that belongs to the power is the work, and stays.
    """

    def __init__(self, march: March, coordinates: int, rows: int, muscle_states: int = 0) -> None:
        self.march = march
        half = coordinates + rows + 1
        self._length = 2 * half + muscle_states
        motion = places_of_motion(coordinates, rows, muscle_states)
        # The speed that belongs to the power is the work.
        self.kept = np.append(motion, 2 * half - 1)
        self.moving = places_of_rates(coordinates, rows, muscle_states)
        self._end: tuple[float, Floats, Floats] | None = None

    def reset(self) -> None:
        """Forget the step size of the last advance."""
        self.march.reset()

    def saved(self) -> tuple[object, tuple[float, Floats, Floats] | None]:
        """Return all that is carried over to the next advance."""
        end = None if self._end is None else (self._end[0], self._end[1].copy(), self._end[2].copy())
        return self.march.saved(), end

    def restore(self, saved: tuple[object, tuple[float, Floats, Floats] | None]) -> None:
        """Go back to what was saved."""
        inner, end = saved
        self.march.restore(inner)
        self._end = None if end is None else (end[0], end[1].copy(), end[2].copy())

    def rewind(self) -> None:
        """Let the next advance start at time zero and yet continue the last one."""
        self.march.rewind()
        self._end = None if self._end is None else (0.0, *self._end[1:])

    def advance(self, time: float, state: Floats, times: Floats) -> Advance:
        """Return the states at ``times`` (s); rates are those of the motion, and the multipliers."""
        whole = np.zeros(self._length)
        if self._end is not None and self._end[0] == time and np.array_equal(self._end[1], state):
            whole = self._end[2]
        whole[self.kept] = state
        part = self.march.advance(time, whole, times)
        states = part.states[:, self.kept]
        if part.failure is None:
            self._end = (float(times[-1]), states[-1], part.states[-1].copy())
        offender = None
        if part.offender is not None and part.offender in self.kept:
            offender = int(np.flatnonzero(self.kept == part.offender)[0])
        rates = None if part.rates is None else part.rates[:, self.moving]
        return replace(part, states=states, last_state=part.last_state[self.kept], offender=offender, rates=rates)
