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
from myodyne.model import Model
from myodyne.simulate.failures import sleeping_muscles


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
    A: NDArray[np.float64]
    B: NDArray[np.float64]

    @cached_property
    def eigenvalues(self) -> NDArray[np.complex128]:
        """The eigenvalues of A (1/s), the fastest oscillation first, then the fastest growth."""
        found = np.linalg.eigvals(self.A).astype(complex)
        return found[np.lexsort((-found.real, -found.imag))]


def linearise(
    model: Model | Equations, state: Mapping[str, float] | Result | None = None,
    controls: Mapping[str, float] | None = None,
) -> Linearisation:
    """Return the linear system for small motions about a state under constant controls.

    The state need not be an equilibrium: A is then the Jacobian of the motion at that instant.

    Examples
    --------
    >>> import myodyne as my
    >>> hanging = my.linearise(my.load_model("pendulum"), {"angle": 0.0, "angle.speed": 0.0})
    >>> round(float(hanging.eigenvalues[0].imag), 3)
    3.836
    """
    equations = model if isinstance(model, Equations) else equations_of(model)
    x = equations.state(_last_row(state, equations) if isinstance(state, Result) else state)
    if equations.multipliers:
        raise ModelError(
            f"'{equations.model.name}' keeps constraints; linearise a model whose loops are embedded, as "
            "`embed(model, ...).model` has them"
        )
    u = _control_vector(equations, controls or {})
    xdot = equations.derivative(x, u)
    if not np.all(np.isfinite(xdot)):
        name = equations.states[int(np.argmin(np.isfinite(xdot)))]
        raise SolveError(f"'{equations.model.name}' has no finite acceleration here: '{name}' is singular")
    by_x, by_xdot, by_u = (matrix.toarray() for matrix in equations.jacobians(x, xdot, u))
    try:
        solution = np.linalg.solve(by_xdot, np.hstack([by_x, by_u]))
    except np.linalg.LinAlgError:
        raise SolveError(
            f"'{equations.model.name}' cannot be linearised here: its rates are not determined."
            f"{sleeping_muscles(equations, x, u)}"
        ) from None
    size = len(equations.states)
    return Linearisation(equations.states, equations.controls, -solution[:, :size], -solution[:, size:])


def _last_row(run: Result, equations: Equations) -> dict[str, float]:
    final = run.final
    missing = [name for name in equations.motion if name not in final]
    if missing:
        raise ModelError(f"the result to linearise about has no '{missing[0]}'")
    return {name: final[name] for name in equations.motion}


def _control_vector(equations: Equations, controls: Mapping[str, Any]) -> NDArray[np.float64]:
    u = np.zeros(len(equations.controls))
    for name, value in controls.items():
        if name not in equations.controls:
            raise ModelError(unknown_name("control", name, equations.controls))
        u[equations.controls.index(name)] = value
    return u
