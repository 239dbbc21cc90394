"""One step after the other, for a person or a controller in the loop."""

from __future__ import annotations

import threading
import time as clock
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from myodyne.equations import Equations, equations_of
from myodyne.equations.closure import TIME, Closure
from myodyne.errors import ModelError, SimulationError, unknown_name
from myodyne.model import Model
from myodyne.numerics.schemes import Rosenbrock, Scheme, checked_scheme
from myodyne.simulate.constrained import consistent_state
from myodyne.simulate.control.feedback import Feedback, check_law
from myodyne.simulate.marches import step_of, steps_of
from myodyne.simulate.motions import refuse_motions
from myodyne.simulate.starts import Beginning, Start, beginning_of
from myodyne.types import Floats

# The last part of a wait (s) is spent looking at the clock: sleeping is not exact.
_ALERT = 2e-3


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All that a stepper needs to go on from an earlier point; it can be pickled.

    ``time`` (s) is that of the point; any stepper of the same model, scheme and step can take it up.
    """

    time: float
    controls: Floats
    march: Any
    origin: tuple[str, str, bool]
    steps: int
    begun: float = 0.0


class Stepper:
    """Advances a model by one step per call; made by `stepper`.

    ``time`` (s) is where it is, ``state`` holds coordinates, speeds, fibre lengths and activations in the order of
    ``stepper.names``; ``stepper["knee"]`` reads one of them or any output. ``busy`` is the time that the last step was
    computed (s), without waiting. With ``paced`` a step returns when the clock on the wall has gone as far as the
    model's; ``late`` counts the steps that could not, ``latest`` (s) says by how much at worst.

    Examples
    --------
    >>> import myodyne as my
    >>> at_rest = {"angle": 0.5, "angle.speed": 0.0}
    >>> swing = my.stepper(my.load_model("pendulum"), my.Rosenbrock(step=0.01), start=at_rest)
    >>> for _ in range(10):
    ...     _ = swing.step()
    >>> swing.time, swing["angle"] < 0.5
    (0.1, True)
    """

    def __init__(
        self,
        equations: Equations,
        scheme: Scheme,
        period: float,
        beginning: Beginning,
        paced: bool,
    ) -> None:
        self._equations, self._period = equations, period
        closure = equations.closure
        self._origin = (
            f"{equations.model.hash} {closure.fingerprint} {closure.values}",
            repr(scheme) if period == step_of(scheme) else f"{scheme!r} {period!r}",
            equations.compiled,
        )
        self._parameters = equations.numbers
        self._steps = steps_of(scheme, equations, period)
        self._index = {name: number for number, name in enumerate(equations.motion)}
        fed = () if closure.law is None else closure.law.controls
        self._place = {name: k for k, name in enumerate(equations.controls) if name not in (*fed, TIME)}
        self._clock = equations.controls.index(TIME) if closure.clocked else None
        state = beginning.state
        if equations.multipliers and beginning.continued is None:
            state, _ = consistent_state(equations, state, beginning.given)
        # The last entry is the work of the controls, which a stepper does not report.
        self._steps.begin(np.append(state, 0.0))
        self._controls = np.zeros(len(equations.controls))
        self._taken, self._origin_time, self.time = 0, beginning.time, beginning.time
        if self._clock is not None:
            self._controls[self._clock] = beginning.time
        self._outputs: Floats | None = None
        self.late, self.latest, self.busy = 0, 0.0, 0.0
        self.paced = paced
        self._stepping = threading.Lock()

    @cached_property
    def _output(self) -> dict[str, int]:
        # Their function is compiled when the first of them is asked for.
        return {name: number for number, name in enumerate(self._equations.outputs)}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the entries of ``state``."""
        return self._equations.motion

    @property
    def controls(self) -> tuple[str, ...]:
        """Names of the controls that a step takes; those that a feedback gives are not among them."""
        return tuple(self._place)

    @property
    def state(self) -> Floats:
        """The present state, in the order of ``names``; a copy."""
        return self._steps.state[:-1]

    @property
    def paced(self) -> bool:
        """Whether steps wait for the clock on the wall; when switched on, the pacing begins with the next step."""
        return self._paced

    @paced.setter
    def paced(self, paced: bool) -> None:
        self._paced = bool(paced)
        self._begun: float | None = None

    def __getitem__(self, name: str) -> float:
        if name in self._index:
            return float(self._steps.state[self._index[name]])
        if name not in self._output:
            raise ModelError(unknown_name("state or output", name, [*self._index, *self._output]))
        if self._outputs is None:
            self._outputs = self._read()
        return float(self._outputs[self._output[name]])

    def _read(self) -> Floats:
        """Return all outputs of the present state; one step is read once, however many of them are asked for."""
        equations, state = self._equations, self.state
        known = self._steps.rates
        rates, multipliers = np.split(known, [len(state)])
        if not np.isfinite(known).all():
            rates, multipliers = equations.kernel("derivative")(state, self._controls, self._parameters)
        x, xdot = np.concatenate([state, multipliers]), np.concatenate([rates, np.zeros(len(multipliers))])
        return equations.kernel("outputs").first(x, xdot, self._controls, self._parameters)

    def step(self, u: Mapping[str, float] | ArrayLike | None = None) -> Floats:
        """Go one step further and return the new state.

        Parameters
        ----------
        u
            The controls at the end of the step: all of them in order, or some by name (the others stay); None keeps
            them. In between they change evenly.
        """
        # Refused and not made to wait: two threads that step in turns would each see the other's state.
        if not self._stepping.acquire(blocking=False):
            raise SimulationError(
                f"two threads step the same stepper of '{self._equations.model.name}' at once; give each its own"
            )
        try:
            return self._step(u)
        finally:
            self._stepping.release()

    def _step(self, u: Mapping[str, float] | ArrayLike | None) -> Floats:
        begun = clock.perf_counter()
        wanted = self._controls if u is None else self._vector(u)
        if self._clock is not None:
            wanted = wanted.copy()
            wanted[self._clock] = self._origin_time + (self._taken + 1) * self._period
        failure = self._steps.take(self._controls, wanted)
        if failure is not None:
            raise SimulationError(
                f"the step of '{self._equations.model.name}' from {self.time:.6g} s failed ({failure}); the stepper "
                f"is unchanged. Take a smaller step, or restore an earlier state"
            )
        self._controls, self._outputs = wanted, None
        self._taken += 1
        self.time = self._origin_time + self._taken * self._period
        state = self.state
        ready = clock.perf_counter()
        self.busy = ready - begun
        if self._paced:
            if self._begun is None:
                self._begun = begun - (self.time - self._period)
            self._wait(ready, self._begun + self.time)
        return state

    def _vector(self, u: Mapping[str, float] | ArrayLike) -> Floats:
        if isinstance(u, Mapping):
            wanted = self._controls.copy()
            for name, value in u.items():
                if name not in self._place:
                    raise ModelError(unknown_name("control", name, self.controls))
                if not isinstance(value, Real) or isinstance(value, bool):
                    raise ModelError(f"control '{name}' must be a number, not {value!r:.60}")
                wanted[self._place[name]] = value
        else:
            wanted = self._whole(u)
        if not np.isfinite(wanted).all():
            raise ModelError(
                f"control '{self._equations.controls[int(np.argmin(np.isfinite(wanted)))]}' is not a finite number"
            )
        return wanted

    def _whole(self, u: ArrayLike) -> Floats:
        """Return the controls that were given in order, as an array of its own."""
        try:
            given = np.array(u)
        except ValueError:  # rows of different lengths
            given = np.array(None)
        if given.shape != (len(self._place),) or (given.size and given.dtype.kind not in "fiu"):
            raise ModelError(
                f"'{self._equations.model.name}' takes {len(self.controls)} controls in order, or some by "
                f"name, not {u!r:.60}"
            )
        whole = self._controls.copy()
        whole[list(self._place.values())] = given
        return whole

    def _wait(self, now: float, due: float) -> None:
        """Return when the wall clock reaches the model's; count the steps that it has passed already."""
        if now > due:
            self.late += 1
            self.latest = max(self.latest, now - due)
            return
        if due - now > _ALERT:
            clock.sleep(due - now - _ALERT)
        while clock.perf_counter() < due:
            pass

    def run(self, duration: float, controller: Callable[[Stepper], Any] | None = None) -> None:
        """Take as many whole steps as come nearest to a duration (s).

        Before each, ``controller(stepper)`` returns the controls, as `step` takes them.
        """
        if isinstance(duration, bool) or not isinstance(duration, Real) or not 0 <= duration < np.inf:
            raise ModelError(f"duration must be a number of seconds, not {duration!r:.60}")
        for _ in range(round(float(duration) / self._period)):
            self.step(None if controller is None else controller(self))

    def save(self) -> Snapshot:
        """Return all that is needed to come back to this point."""
        return Snapshot(
            self.time, self._controls.copy(), self._steps.saved(), self._origin, self._taken, self._origin_time
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a saved point, or on to one of another stepper of the same model; the pacing begins anew."""
        if not isinstance(snapshot, Snapshot):
            raise ModelError(f"a stepper is restored from the result of save(), not from {snapshot!r:.60}")
        if snapshot.origin != self._origin:
            what = ("model", "scheme", "kind of equations")
            wrong = next(w for w, one, other in zip(what, snapshot.origin, self._origin, strict=True) if one != other)
            raise ModelError(f"the snapshot belongs to a stepper with another {wrong}")
        self._steps.restore(snapshot.march)
        self._controls, self._outputs = snapshot.controls.copy(), None
        self._taken, self.time, self._origin_time = snapshot.steps, snapshot.time, snapshot.begun
        self._begun = None


def stepper(  # noqa: PLR0913 - as many of `simulate` as make sense step by step
    model: Model | Equations,
    scheme: Scheme | None = None,
    *,
    start: Start | None = None,
    from_time: float | None = None,
    every: float | None = None,
    paced: bool = False,
    feedback: Feedback | None = None,
) -> Stepper:
    """Return a stepper for a model: ``step(u)`` advances it by one step, as fast as possible or paced by the clock.

    Parameters
    ----------
    model
        The model, or its equations.
    scheme
        Any scheme of `simulate`; ``Rosenbrock(step=0.003)`` if None, whose steps all take the same time.
    start
        Values of states by name, an `Equilibrium`, or a result whose last row is the start, as in `simulate`.
    from_time
        Time (s) of the start, as in `simulate`.
    every
        Time (s) that one call of ``step`` covers; the scheme's own step if None. Needed where the scheme has none.
    paced
        Whether steps wait for the clock on the wall.
    feedback
        A control law that is part of the equations. What is called between steps is a function of yours, see `run`.

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
    refuse_motions(equations.model, "a stepper")
    scheme = Rosenbrock(step=0.003) if scheme is None else scheme
    period = _period(checked_scheme(scheme), every)
    if feedback is not None:
        check_law(equations, feedback, {})
        equations = equations.closed_by(Closure.of(feedback.law))
    return Stepper(equations, scheme, period, beginning_of(equations, start, from_time), paced)


def _period(scheme: Scheme, every: float | None) -> float:
    """Return the time (s) that one call covers."""
    if every is None:
        own = step_of(scheme)
        if own is None:
            raise ModelError(
                f"{scheme!r:.60} chooses its own steps: give the time of one call, like every=0.003, or give it a step"
            )
        return float(own)
    if isinstance(every, bool) or not isinstance(every, Real) or not 0 < every < np.inf:
        raise ModelError(f"'every' must be a positive number of seconds, not {every!r:.60}")
    return float(every)
