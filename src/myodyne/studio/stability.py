"""Eigenvalues of small motions about the instant that a page shows."""

from __future__ import annotations

from math import isfinite
from typing import Any

from myodyne.analyse import linearise
from myodyne.data import DataError
from myodyne.equations import equations_of
from myodyne.studio.player import Played


def eigenvalues(played: Played | None, time: object) -> dict[str, Any]:
    """Return the eigenvalues (1/s) of a movement at a time (s), as `my.linearise` gives them, as plain data.

    Examples
    --------
    >>> import myodyne as my
    >>> from myodyne.studio.session import opened
    >>> session = opened("pendulum")
    >>> still = Played(session, my.simulate(session.model, 0.1, start={"angle": 0.0}))
    >>> [abs(round(part, 3)) for part in eigenvalues(still, 0.05)["values"][0]]
    [0.0, 3.834]
    """
    if played is None or played.run is None:
        raise DataError("there is no movement yet to look at")
    if isinstance(time, bool) or not isinstance(time, int | float) or not isfinite(time):
        raise DataError("eigenvalues: give a time (s)")
    run, law = played.run, played.session.feedback
    equations = equations_of(played.session.changed_model)
    moment = min(max(float(time), float(run.time[0])), float(run.time[-1]))
    row = run.at(moment)
    given = set() if law is None else set(law.controls)
    columns = {
        name: f"{name}.{'excitation' if name in equations.muscles else 'control'}" for name in equations.controls
    }
    controls = {name: row[column] for name, column in columns.items() if column in row and name not in given}
    state = {name: row[name] for name in equations.motion if name in row}
    found = linearise(equations, state, controls, feedback=law).eigenvalues
    return {"kind": "eigenvalues", "time": moment, "values": [[float(one.real), float(one.imag)] for one in found]}
