"""Forces that lead a scheme's own steps along a recorded motion: its formulas read backwards, without iteration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from myodyne.analyse.reproduction.recorded import Recorded
from myodyne.errors import ModelError, SolveError
from myodyne.types import Floats

# The root of a body without residual forces moves by itself: its steps are solved to this change of speed.
_TOLERANCE, _MOST = 1e-11, 60


class March(NamedTuple):
    """States at the ends of all steps, the forces constant over each, and what it took."""

    q: Floats
    v: Floats
    forces: Floats
    evaluations: int
    iterations: int


@dataclass(frozen=True)
class Matched:
    """In each step the force that makes the simulation's end velocity, or position, the recorded one.

    Velocities are matched by default: positions then follow, and forces are smooth. Position matching under the
    midpoint rule makes forces alternate from step to step (Selbie 1989, §2.1.4 and 4.1.4).

    Examples
    --------
    >>> Matched("velocity")
    Matched(what='velocity')
    """

    what: Literal["velocity", "position"] = "velocity"

    def __post_init__(self) -> None:
        if self.what not in ("velocity", "position"):
            raise ModelError(f"Matched takes 'velocity' or 'position', not {self.what!r:.40}")

    def march(self, task: Recorded, share: float) -> March:
        """Return the simulated states and the forces; ``share`` is θ of the scheme, see `reproduction.schemes`."""
        if self.what == "position" and share == 0.0:
            raise ModelError(
                "Euler's force does not reach the position within its step: match 'velocity', or use Midpoint"
            )
        if task.undriven:
            return self._without_residuals(task, share)
        movement, h = task.movement, task.steps
        v = movement.v if self.what == "velocity" else _speeds_to(movement.q, movement.v[0], h, share)
        between = v[:-1] + share * np.diff(v, axis=0)
        q = np.vstack([movement.q[:1], movement.q[0] + np.cumsum(h * between, axis=0)])
        pose, times = q[:-1] + share * h * between, movement.time[:-1] + share * h[:, 0]
        forces = task.equations.inverse_dynamics(pose, between, np.diff(v, axis=0) / h) - task.applied(times, pose)
        return March(q, v, forces, len(h), 0)

    def _without_residuals(self, task: Recorded, share: float) -> March:
        """Match the joints alone: the root obeys its equations without a force, found by Newton's method in each step.

        The Jacobian is that of inertia alone; what it leaves out is of the order of the step.
        """
        movement, steps, equations = task.movement, task.steps[:, 0], task.equations
        root = np.array(task.undriven)
        q, v = movement.q[0].copy(), movement.v[0].copy()
        rows_q, rows_v, forces, evaluations = [q], [v], [], 0
        for number, h in enumerate(steps):
            if self.what == "velocity":
                after = movement.v[number + 1].copy()
            else:
                after = ((movement.q[number + 1] - q) / h - (1.0 - share) * v) / share
            # The root goes on as in the last step until the equations say otherwise.
            after[root] = 2.0 * v[root] - rows_v[-2][root] if number else v[root]
            time = float(movement.time[number] + share * h)
            inertia = equations.mass_matrix(q)[np.ix_(root, root)]
            for _ in range(_MOST):
                between = v + share * (after - v)
                pose = q + share * h * between
                force = (
                    equations.inverse_dynamics(pose, between, (after - v) / h) - task.applied_at(time, pose[None])[0]
                )
                evaluations += 1
                change = np.linalg.solve(inertia, h * force[root])
                if not np.isfinite(change).all():
                    break
                after[root] -= change
                if np.abs(change).max() <= _TOLERANCE * (1.0 + np.abs(after[root]).max()):
                    break
            if not np.isfinite(change).all() or np.abs(change).max() > 1e3 * _TOLERANCE * (1.0 + np.abs(after).max()):
                raise SolveError(
                    f"without residual forces the step at {movement.time[number]:g} s does not converge: the body has "
                    f"drifted too far from the recorded motion, or the steps are too long"
                )
            between = v + share * (after - v)
            q, v = q + h * between, after
            force[root] = 0.0
            rows_q.append(q)
            rows_v.append(v)
            forces.append(force)
        return March(np.array(rows_q), np.array(rows_v), np.array(forces), evaluations, evaluations)


def _speeds_to(places: Floats, first: Floats, steps: Floats, share: float) -> Floats:
    """Return the speeds at the ends of steps that lead through all places: each follows from the one before."""
    mean = np.diff(places, axis=0) / steps
    speeds = [first]
    for row in mean:
        speeds.append((row - (1.0 - share) * speeds[-1]) / share)
    return np.array(speeds)
