"""Forces found by shooting: integrate, compare the end velocity with the recorded one, correct, and integrate again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isfinite
from typing import NamedTuple, TypeAlias

import numpy as np

from myodyne.analyse.reproduction.matched import March
from myodyne.analyse.reproduction.recorded import Recorded
from myodyne.analyse.reproduction.schemes import OneStage, Steppable, share_of, step_of
from myodyne.errors import ModelError, SolveError
from myodyne.numerics.schemes import Heun
from myodyne.types import Floats, Integers

# Forces in rows to end velocities in rows.
Ends: TypeAlias = Callable[[Floats], Floats]

# A Jacobian is computed anew where an iteration leaves more than this share of the error.
_QUICK = 0.1
# Stages of implicit steps are iterated until no speed changes by more than this share.
_SETTLED, _MOST_SETTLING = 1e-13, 100


@dataclass(frozen=True)
class Shooting:
    """In each interval of the motion a force that is corrected until the end velocity is the recorded one.

    The quasi-Newton method of Selbie (1989, Appendix B): the Jacobian is that of finite differences, an integration
    of the interval for each force, all of them as rows of one call. It works with schemes of any number of stages,
    whose steps may be shorter than the intervals. The first guess is the force of inverse dynamics in the middle.

    Parameters
    ----------
    increment : of each force (N m, N) in the finite differences; the thesis found 10 better than the usual 0.001.
    tolerance : of the end velocities (rad/s, m/s).
    most_iterations : corrections in one interval.

    Examples
    --------
    >>> Shooting(increment=10.0).tolerance
    1e-06
    """

    increment: float = 10.0
    tolerance: float = 1e-6
    most_iterations: int = 20

    def __post_init__(self) -> None:
        for name in ("increment", "tolerance", "most_iterations"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value <= 0:
                raise ModelError(f"Shooting: {name} must be a positive number, not {value!r:.40}")

    def march(self, task: Recorded, scheme: Steppable) -> March:
        """Return the simulated states and the forces, interval after interval."""
        movement = task.movement
        driven = np.setdiff1d(np.arange(len(movement.names)), task.undriven)
        flow = _Flow(task, scheme)
        q, v = movement.q[0], movement.v[0]
        rows_q, rows_v, forces, iterations = [q], [v], [], 0
        jacobian = None
        for number, (start, h) in enumerate(zip(movement.time[:-1], task.steps[:, 0], strict=True)):
            target = movement.v[number + 1]
            mean, middle = (v + target) / 2, np.array([start + h / 2])
            pose = q + h / 4 * (v + mean)
            guess = task.equations.inverse_dynamics(pose, mean, (target - v) / h) - task.applied(middle, pose[None])[0]
            interval = _Interval(flow, float(start), float(h), q, v, driven)
            found = corrected(interval.ends, guess[driven], target[driven], self, jacobian)
            if found is None:
                raise SolveError(
                    f"shooting does not converge in the interval at {start:g} s: use shorter intervals, another "
                    "increment, or by=my.Matched()"
                )
            force = np.zeros(len(q))
            force[driven] = found.forces
            iterations, jacobian = iterations + found.iterations, found.jacobian
            q, v = interval.reached
            rows_q.append(q)
            rows_v.append(v)
            forces.append(force)
        return March(np.array(rows_q), np.array(rows_v), np.array(forces), flow.evaluations, iterations)


class Correction(NamedTuple):
    """Forces whose end velocities are the wanted ones, and after how many corrections."""

    forces: Floats
    iterations: int
    jacobian: Floats | None


def corrected(
    ends: Ends, first: Floats, target: Floats, by: Shooting, jacobian: Floats | None = None
) -> Correction | None:
    """Return the forces that give the wanted end velocities, None where they are not found.

    A Jacobian that is known, from the last interval or iteration, is kept as long as errors fall quickly with it.
    """
    forces, increments, last = first, by.increment * np.eye(len(first)), np.inf
    for iteration in range(by.most_iterations + 1):
        error = ends(forces[None])[0] - target
        if not np.isfinite(error).all():
            return None
        size = float(np.abs(error).max(initial=0.0))
        if size <= by.tolerance:
            return Correction(forces, iteration, jacobian)
        if jacobian is None or size > _QUICK * last:
            jacobian = (ends(forces + increments) - (error + target)).T / by.increment
        last = size
        try:
            forces = forces - np.linalg.solve(jacobian, error)
        except np.linalg.LinAlgError:
            return None
    return None


@dataclass
class _Interval:
    """One interval from a known state, under forces on the driven coordinates that are constant in it."""

    flow: _Flow
    start: float
    length: float
    q: Floats
    v: Floats
    driven: Integers
    # Where the last single row of forces led.
    reached: tuple[Floats, Floats] = field(init=False)

    def ends(self, forces: Floats) -> Floats:
        """Return the end velocities of driven coordinates, a row for each row of forces."""
        whole = np.zeros((len(forces), len(self.q)))
        whole[:, self.driven] = forces
        q, v = (np.repeat(part[None], len(forces), axis=0) for part in (self.q, self.v))
        q, v = self.flow.advance(self.start, self.length, q, v, whole)
        if len(forces) == 1:
            self.reached = q[0], v[0]
        return v[:, self.driven]


@dataclass
class _Flow:
    """The scheme's steps through one interval, many rows at once."""

    task: Recorded
    scheme: Steppable
    evaluations: int = 0

    def acceleration(self, time: float, q: Floats, v: Floats, forces: Floats) -> Floats:
        self.evaluations += len(q)
        return self.task.equations.forward_dynamics(q, v, forces + self.task.applied_at(time, q))

    def advance(self, start: float, length: float, q: Floats, v: Floats, forces: Floats) -> tuple[Floats, Floats]:
        """Return the states after equal steps, none longer than the scheme's."""
        step = step_of(self.scheme)
        count = 1 if step is None else max(1, int(np.ceil(length / step * (1.0 - 1e-9))))
        h = length / count
        for number in range(count):
            q, v = self._step(start + number * h, h, q, v, forces)
        return q, v

    def _step(self, t: float, h: float, q: Floats, v: Floats, forces: Floats) -> tuple[Floats, Floats]:
        if isinstance(self.scheme, OneStage):
            return self._one_stage(t, h, q, v, forces)
        first = self.acceleration(t, q, v, forces)
        if isinstance(self.scheme, Heun):
            second = self.acceleration(t + h, q + h * v, v + h * first, forces)
            return q + h * (v + h / 2 * first), v + h / 2 * (first + second)
        v2 = v + h / 2 * first
        second = self.acceleration(t + h / 2, q + h / 2 * v, v2, forces)
        v3 = v + h / 2 * second
        third = self.acceleration(t + h / 2, q + h / 2 * v2, v3, forces)
        v4 = v + h * third
        fourth = self.acceleration(t + h, q + h * v3, v4, forces)
        return q + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (first + 2 * second + 2 * third + fourth)

    def _one_stage(self, t: float, h: float, q: Floats, v: Floats, forces: Floats) -> tuple[Floats, Floats]:
        assert isinstance(self.scheme, OneStage)
        share = share_of(self.scheme)
        after = v
        # A skeleton is not stiff: the stage is a fixed point that plain iteration reaches.
        for _ in range(_MOST_SETTLING):
            between = v + share * (after - v)
            found = v + h * self.acceleration(t + share * h, q + share * h * between, between, forces)
            change, after = np.abs(found - after).max(), found
            if share == 0.0 or not change > _SETTLED * (1.0 + np.abs(found).max()):
                break
        return q + h * (v + share * (after - v)), after
