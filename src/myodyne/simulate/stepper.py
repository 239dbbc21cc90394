"""One step after the other, for a person or a controller in the loop."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from myodyne.equations import Equations, equations_of
from myodyne.equations.stepping import Steps
from myodyne.errors import ModelError, SimulationError, unknown_name
from myodyne.model import Model
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import TRBDF2, Midpoint, Rosenbrock, checked_scheme
from myodyne.simulate.constrained import consistent_state

Floats = NDArray[np.float64]

# The last part of a wait is spent looking at the clock: sleeping is not exact.
_ALERT = 2e-3


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All that a stepper needs to go on from an earlier point."""

    time: float
    march: Any
    controls: Floats


class Stepper:
    """Carries a model through time one step at a call; made by `stepper`.

    ``time`` (s) is where it is, ``state`` holds coordinates, speeds, fibre lengths and activations in the order of
    ``stepper.names``; ``stepper["knee"]`` reads one of them or any output. With ``paced`` a step returns when the
    clock on the wall has gone as far as the model's; ``late`` counts the steps that could not, ``latest`` (s) tells by
    how much at worst.

    Examples
    --------
    >>> import myodyne as my
    >>> swing = my.stepper(my.load_model("pendulum"), my.Rosenbrock(step=0.01), start={"angle": 0.5})
    >>> for _ in range(10):
    ...     _ = swing.step()
    >>> round(swing.time, 3), swing["angle"] < 0.5
    (0.1, True)
    """

    def __init__(
        self, equations: Equations, scheme: Rosenbrock | Midpoint | TRBDF2, start: Mapping[str, float], paced: bool
    ) -> None:
        assert scheme.step is not None
        self._equations, self._period = equations, float(scheme.step)
        self._parameters = np.array(equations.model.free_numbers, dtype=float)
        self._steps = Steps(scheme, equations.system, self._parameters)
        self._index = {name: number for number, name in enumerate(equations.motion)}
        state = equations.state(start)
        if equations.multipliers:
            state, _ = consistent_state(equations, state, frozenset(start))
        self._kept = self._places()
        self.time = 0.0
        self.paced = paced
        self.late, self.latest = 0, 0.0
        self._begun: float | None = None
        self._set(state, np.zeros(len(equations.controls)))

    def _places(self) -> NDArray[np.intp]:
        """Where the motion stands in the vector that is marched, among idle and summed entries."""
        size, rows = len(self._equations.coordinates), len(self._equations.multipliers)
        half = size + rows + 1
        muscles = 2 * half + np.arange(len(self._equations.motion) - 2 * size)
        return np.concatenate([np.arange(size), half + np.arange(size), muscles]).astype(np.intp)

    def _set(self, state: Floats, controls: Floats) -> None:
        self._steps.state[:] = 0.0
        self._steps.state[self._kept] = state
        self._steps.forget()
        self._controls = controls

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the entries of ``state``."""
        return self._equations.motion

    @property
    def controls(self) -> tuple[str, ...]:
        """Names of the entries of the controls."""
        return self._equations.controls

    @property
    def state(self) -> Floats:
        """The present state, in the order of ``names``; a copy."""
        return self._steps.state[self._kept]

    def __getitem__(self, name: str) -> float:
        if name in self._index:
            return float(self._steps.state[self._kept[self._index[name]]])
        equations = self._equations
        if name not in equations.outputs:
            raise ModelError(unknown_name("state or output", name, [*equations.motion, *equations.outputs]))
        constant = PiecewisePolynomial.constant(self._controls)
        row = equations.outputs_at(np.array([self.time]), self.state[None, :], constant, self._parameters)
        return float(row[0, equations.outputs.index(name)])

    def step(self, u: Any = None) -> Floats:
        """Go one step further and return the new state.

        Parameters
        ----------
        u
            The controls at the end of the step: all of them in order, or some by name (the others stay); None keeps
            them. In between they change evenly.
        """
        wanted = self._controls if u is None else self._vector(u)
        failure = self._steps.take(self._controls, wanted)
        if failure is not None:
            raise SimulationError(
                f"the step of '{self._equations.model.name}' from {self.time:.6g} s failed ({failure}); the stepper is "
                "where it was. Take a smaller step, or restore an earlier state"
            )
        self._controls = wanted
        self.time += self._period
        if self.paced:
            self._wait()
        return self._steps.state[self._kept]

    def _vector(self, u: Any) -> Floats:
        if isinstance(u, Mapping):
            wanted = self._controls.copy()
            for name, value in u.items():
                if name not in self.controls:
                    raise ModelError(unknown_name("control", name, self.controls))
                wanted[self.controls.index(name)] = value
        else:
            wanted = np.array(u, dtype=float)
            if wanted.shape != self._controls.shape:
                raise ModelError(f"'{self._equations.model.name}' takes {len(self.controls)} controls, "
                                 f"not an array of shape {wanted.shape}")
        if not np.isfinite(wanted).all():
            raise ModelError(f"control '{self.controls[int(np.argmin(np.isfinite(wanted)))]}' is not a finite number")
        return wanted

    def _wait(self) -> None:
        """Return when the wall clock reaches the model's; count the steps that it has passed already."""
        now = clock.perf_counter()
        if self._begun is None:
            self._begun = now - self.time + self._period
        due = self._begun + self.time
        if now > due:
            self.late += 1
            self.latest = max(self.latest, now - due)
            return
        if due - now > _ALERT:
            clock.sleep(due - now - _ALERT)
        while clock.perf_counter() < due:
            pass

    def run(self, duration: float, controller: Callable[[Stepper], Any] | None = None) -> None:
        """Take steps for a duration (s); before each, ``controller(stepper)`` returns the controls."""
        for _ in range(round(duration / self._period)):
            self.step(None if controller is None else controller(self))

    def save(self) -> Snapshot:
        """Return all that is needed to come back to this point."""
        return Snapshot(self.time, self._steps.saved(), self._controls.copy())

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a saved point; the pacing begins anew."""
        self.time, self._begun = snapshot.time, None
        self._steps.restore(snapshot.march)
        self._controls = snapshot.controls.copy()


def stepper(
    model: Model | Equations,
    scheme: Rosenbrock | Midpoint | TRBDF2 | None = None,
    *,
    start: Mapping[str, float] | None = None,
    paced: bool = False,
) -> Stepper:
    """Return a stepper for a model: ``step(u)`` carries it one step further, as fast as it can or paced by the clock.

    Parameters
    ----------
    model
        The model, or its equations.
    scheme
        An implicit scheme with a fixed step; ``Rosenbrock(step=0.003)`` if None, whose steps all take the same time.
    start
        Values of states by name, as in `simulate`.
    paced
        Whether steps wait for the clock on the wall.

    Examples
    --------
    >>> import myodyne as my
    >>> swing = my.stepper(my.load_model("pendulum"), my.Rosenbrock(step=0.005))
    >>> saved = swing.save()
    >>> _ = swing.step()
    >>> swing.restore(saved)
    >>> swing.time
    0.0
    """
    equations = model if isinstance(model, Equations) else equations_of(model)
    scheme = Rosenbrock(step=0.003) if scheme is None else scheme
    checked_scheme(scheme)
    if not isinstance(scheme, Rosenbrock | Midpoint | TRBDF2) or scheme.step is None:
        raise ModelError(f"a stepper takes an implicit scheme with a step, like my.Rosenbrock(step=0.003), not {scheme!r}")
    return Stepper(equations, scheme, dict(start or {}), paced)
