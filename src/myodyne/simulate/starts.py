"""Where a simulation begins: a state, its time, and what a simulation before it left to go on with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TypeAlias

import numpy as np

from myodyne.data import Result, Trajectory
from myodyne.equations import Equations
from myodyne.errors import ModelError
from myodyne.simulate.reporting.facts import facts_of, identity
from myodyne.types import Floats

# What a simulation can start from: states by name, or the last row of a trajectory.
Start: TypeAlias = Mapping[str, float] | Trajectory


@dataclass(frozen=True, eq=False)
class Continuation:
    """What a simulation leaves for another that goes on as if it were one.

    Parameters
    ----------
    identity : of the equations at the end.
    scheme : with which the march went, and whether its equations were compiled.
    time : of the end (s).
    row : motion, work, rates and multipliers at the end.
    memory : what the march carries over to its next step.
    """

    identity: str
    scheme: tuple[str, bool]
    time: float
    row: Floats
    memory: object


@dataclass(frozen=True, eq=False)
class Beginning:
    """The first state (n,) of a simulation and its time (s), and what it goes on from, if anything.

    States that were ``given`` by name stay as they are if the others can meet the constraints alone. Unless they
    ``may_move``, constraints that they miss by more than rounding are an error.
    """

    time: float
    state: Floats
    given: frozenset[str] = frozenset()
    continued: Continuation | None = None
    may_move: bool = True
    model_hash: str = ""
    notes: tuple[str, ...] = ()


def beginning_of(equations: Equations, start: Start | None, from_time: float | None) -> Beginning:
    """Return where a simulation begins: at ``from_time`` (s), else where its start ended, else at zero."""
    if from_time is not None and (
        isinstance(from_time, bool) or not isinstance(from_time, Real) or not np.isfinite(from_time)
    ):
        raise ModelError(f"from_time must be a number of seconds, not {from_time!r:.60}")
    if not isinstance(start, Trajectory):
        given = frozenset(start) if isinstance(start, Mapping) else frozenset()
        state = equations.state(start)
        return Beginning(float(from_time or 0.0), state, given, notes=_turns(equations, state, given))
    final, last = start.final, float(start.time[-1])
    missing = [name for name in equations.motion if name not in final]
    if missing:
        raise ModelError(f"the result to start from has no '{missing[0]}'")
    time = last if from_time is None else float(from_time)
    left = start.continuation if isinstance(start, Result) else None
    goes_on = isinstance(left, Continuation) and left.identity == identity(equations) and left.time == time
    state = equations.state({name: final[name] for name in equations.motion})
    return Beginning(time, state, continued=left if goes_on and isinstance(left, Continuation) else None)


def _turns(equations: Equations, state: Floats, given: frozenset[str]) -> tuple[str, ...]:
    """Return notes on angles of more than a turn that were given: degrees, perhaps, where radians are meant."""
    if not given:
        return ()
    turning = facts_of(equations).turning
    return tuple(
        f"'{name}' starts at {value:g} rad, more than a turn; angles are in radians (my.degrees converts)"
        for name, value in zip(equations.coordinates, state, strict=False)
        # Beyond a range it is noted as such.
        if name in given and abs(value) > 2 * np.pi and name in turning and not equations.model.coordinates[name].range
    )
