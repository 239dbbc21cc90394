"""Marches: time integration through requested times, with a report of what happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from myodyne.types import Floats

Failure = Literal["not finite", "step too small", "Newton did not converge", "too many steps"]


@dataclass(frozen=True, eq=False)
class Advance:
    """The outcome of one call of a march.

    Parameters
    ----------
    states : (k, n) states at the first k requested times; fewer than requested only after a failure.
    steps, rejected : accepted and rejected steps.
    evaluations, iterations : calls of the equations, and iterations of Newton's method among them.
    failure : why the march stopped early, or None.
    last_time, last_state : the last valid point (s; n states), the end unless something failed.
    offender : index of the state that failed, where that is known.
    rates : (k, n) rates that the steps ended with, NaN where unknown; None from marches that do not provide any.
    """

    states: Floats
    steps: int
    rejected: int
    evaluations: int
    iterations: int
    failure: Failure | None
    last_time: float
    last_state: Floats
    offender: int | None
    rates: Floats | None = None


class March(Protocol):
    """Integrates a state in time; one thread at a time."""

    def advance(self, time: float, state: Floats, times: Floats) -> Advance:
        """Return the states at ``times`` (s, increasing, all after ``time``), each of them hit exactly.

        An advance that starts where the last one ended continues with its step size; any other starts over.
        """
        ...

    def reset(self) -> None:
        """Discard the step size of the last advance."""
        ...

    def saved(self) -> object:
        """Return all that is carried over to the next advance."""
        ...

    def restore(self, saved: Any) -> None:  # noqa: ANN401 - what `saved` of the same kind of march returned
        """Go back to what was saved."""
        ...

    def rewind(self) -> None:
        """Let the next advance start at time zero and yet continue the last one."""
        ...


def checked(time: float, state: ArrayLike, times: ArrayLike, n: int) -> tuple[float, Floats, Floats]:
    """Return copies of the arguments of a march as contiguous arrays, or raise a ValueError."""
    start, own_state = float(time), np.array(state, dtype=float).reshape(-1)
    own_times = np.array(times, dtype=float).reshape(-1)
    if len(own_state) != n:
        raise ValueError(f"a march of {n} states cannot start with {len(own_state)}")
    if not np.isfinite(start) or not np.all(np.isfinite(own_times)):
        raise ValueError("times must be finite numbers")
    offending = np.flatnonzero(~np.isfinite(own_state))
    if len(offending):
        raise ValueError(f"a march cannot start where state {offending[0]} is {own_state[offending[0]]}")
    late = np.flatnonzero(np.diff(own_times, prepend=start) <= 0)
    if len(late):
        earlier = own_times[late[0] - 1] if late[0] else start
        raise ValueError(f"requested times must increase, but {own_times[late[0]]:g} s follows {earlier:g} s")
    return start, own_state, own_times
