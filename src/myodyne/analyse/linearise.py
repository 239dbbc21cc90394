"""Small motions about a state: the linear system, its eigenvalues, periods and time constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from myodyne.data import Result
from myodyne.equations import Equations, equations_of
from myodyne.errors import ModelError, SolveError, unknown_name
from myodyne.model import Model, SpeedConstraint
from myodyne.simulate.constrained import consistent_state
from myodyne.simulate.control.additions import closed_at_rest
from myodyne.simulate.control.feedback import Feedback
from myodyne.simulate.failures import inactive_undamped_muscles
from myodyne.simulate.motions import refuse_motions
from myodyne.types import Floats, Integers


@dataclass(frozen=True)
class Linearisation:
    """``δẋ = A δx + B δu`` about a state; states and controls are named in order.

    Examples
    --------
    >>> import myodyne as my
    >>> hanging = my.linearise(my.load_model("pendulum"))
    >>> hanging.states, round(float(hanging.A[1, 0]), 3)      # 1/s²
    (('angle', 'angle.speed'), -14.715)
    """

    states: tuple[str, ...]
    controls: tuple[str, ...]
    A: Floats
    B: Floats

    @cached_property
    def eigenvalues(self) -> NDArray[np.complex128]:
        """The eigenvalues of A (1/s), the fastest oscillation first, then the fastest growth."""
        found = np.linalg.eigvals(self.A).astype(complex)
        return found[np.lexsort((-found.real, -found.imag))]


def linearise(
    model: Model | Equations,
    state: Mapping[str, float] | Result | None = None,
    controls: Mapping[str, float] | None = None,
    *,
    feedback: Feedback | None = None,
) -> Linearisation:
    """Return the linear system for small motions about a state under constant controls.

    The state need not be an equilibrium: A is then the Jacobian of the motion at that instant. Where constraints are
    kept, the states are those that can be chosen freely, the others follow; a state that misses the constraints is
    brought onto them first. Eigenvalues do not depend on that choice at rest; in motion they do.

    With ``feedback`` the loop is closed: A is that of the body under its control law, exactly, and B has columns for
    the controls that remain.

    Examples
    --------
    >>> import myodyne as my
    >>> hanging = my.linearise(my.load_model("pendulum"), {"angle": 0.0, "angle.speed": 0.0})
    >>> round(float(hanging.eigenvalues[0].imag), 3)
    3.836
    """
    equations = model if isinstance(model, Equations) else equations_of(model)
    refuse_motions(equations.model, "linearise")
    if feedback is not None:
        equations = closed_at_rest(equations, feedback, controls or {})
    x = equations.state(_last_row(state, equations) if isinstance(state, Result) else state)
    u = _control_vector(equations, controls or {})
    if equations.multipliers:
        given = state if isinstance(state, Mapping) else {}
        x, _ = consistent_state(equations, x, frozenset(given))
    xdot = equations.derivative(x, u)
    if not np.all(np.isfinite(xdot)):
        name = equations.states[int(np.argmin(np.isfinite(xdot)))]
        raise SolveError(f"'{equations.model.name}' has no finite acceleration here: '{name}' is singular")
    try:
        a, b = _rates_by(equations, x, xdot, u)
    except np.linalg.LinAlgError:
        raise SolveError(
            f"'{equations.model.name}' cannot be linearised here: its rates are not determined."
            f"{inactive_undamped_muscles(equations, x, u)}"
        ) from None
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise SolveError(f"'{equations.model.name}' cannot be linearised here: derivatives of its rates are not finite")
    if not equations.multipliers:
        return _named(equations, equations.motion, a, b)
    kept, tangent = _independent(equations, x)
    names = tuple(equations.motion[number] for number in kept)
    return _named(equations, names, a[kept] @ tangent, b[kept])


def _named(equations: Equations, states: tuple[str, ...], a: Floats, b: Floats) -> Linearisation:
    """Return the linear system without the controls that a law gives."""
    law = equations.closure.law
    left = [number for number, name in enumerate(equations.controls) if law is None or name not in law.controls]
    return Linearisation(states, tuple(equations.controls[number] for number in left), a, b[:, left])


def _rates_by(equations: Equations, x: Floats, xdot: Floats, u: Floats) -> tuple[Floats, Floats]:
    """Return the derivatives of the rates of the motion by the motion and by the controls.

    Multipliers stand among the states of the residual, but they have no rates: they are solved for with the rates.
    """
    size, rows = len(equations.motion), len(equations.multipliers)
    forces = equations.constraint_forces(x, u)[:rows]
    whole, rates = np.concatenate([x, forces]), np.concatenate([xdot, np.zeros(rows)])
    by_x, by_xdot, by_u = (matrix.toarray() for matrix in equations.jacobians(whole, rates, u))
    unknown = np.hstack([by_xdot[:, :size], by_x[:, size:]])
    solution = np.linalg.solve(unknown, np.hstack([by_x[:, :size], by_u]))[:size]
    return -solution[:, :size], -solution[:, size:]


def _independent(equations: Equations, x: Floats) -> tuple[Integers, Floats]:
    """Return which entries of the motion can be chosen, and how all entries follow small changes of them.

    Constraints leave the null space of their Jacobian to coordinates and speeds. Muscles are free.
    """
    n, m = len(equations.coordinates), len(equations.motion)
    q, v = x[:n], x[n : 2 * n]
    jacobian = equations.constraint_errors(q, v)[2]
    owners = equations.kernel("constraints").signature.notes["owners"]
    # A prescribed speed binds no coordinate.
    places = np.array([not isinstance(equations.model.constraints[owner], SpeedConstraint) for owner in owners])
    binding = np.vstack(
        [
            np.hstack([jacobian[places], np.zeros((int(places.sum()), n))]),
            np.hstack([_turned(equations, q, v), jacobian]),
        ]
    )
    kept = np.concatenate([_chosen(jacobian[places]), n + _chosen(jacobian)])
    bound = np.setdiff1d(np.arange(2 * n), kept)
    muscles = np.arange(2 * n, m)
    every = np.concatenate([kept, muscles])
    tangent = np.zeros((m, len(every)))
    tangent[every, np.arange(len(every))] = 1.0
    tangent[bound, : len(kept)] = -np.linalg.solve(binding[:, bound], binding[:, kept])
    return every, tangent


def _turned(equations: Equations, q: Floats, v: Floats) -> Floats:
    """Return how the demands on speeds change with the coordinates, by differences of fourth order."""
    columns = []
    for step in 1e-3 * np.eye(len(q)):
        near, far = (
            equations.constraint_errors(q + k * step, v)[1] - equations.constraint_errors(q - k * step, v)[1]
            for k in (1, 2)
        )
        columns.append((8 * near - far) / (12 * np.max(step)))
    return np.array(columns).T


def _chosen(jacobian: Floats) -> Integers:
    """Return the coordinates that can be chosen: those left when the rows have taken the ones they determine best."""
    from scipy.linalg import qr

    order = qr(jacobian, mode="r", pivoting=True)[1] if len(jacobian) else np.arange(jacobian.shape[1])
    return np.sort(order[len(jacobian) :]).astype(np.intp)


def _last_row(run: Result, equations: Equations) -> dict[str, float]:
    final = run.final
    missing = [name for name in equations.motion if name not in final]
    if missing:
        raise ModelError(f"the result to linearise about has no '{missing[0]}'")
    return {name: final[name] for name in equations.motion}


def _control_vector(equations: Equations, controls: Mapping[str, Any]) -> Floats:
    u = np.zeros(len(equations.controls))
    for name, value in controls.items():
        if name not in equations.controls:
            raise ModelError(unknown_name("control", name, equations.controls))
        u[equations.controls.index(name)] = value
    return u
