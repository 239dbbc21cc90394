"""Muscles of every family, as numbers and as functions of their states."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

import myodyne as my
from myodyne.model import Part
from myodyne.physics.curves import family
from myodyne.physics.muscle import Drive, respond
from support.frames import Array

FAMILIES: dict[str, Any] = {
    "van_den_bogert": my.VanDenBogert2011(),
    "van_soest_bobbert": my.VanSoestBobbert1993(),
    "degroote_fregly": my.DeGrooteFregly2016(),
    "thelen": my.Thelen2003(),
    "millard": my.Millard2012(),
    "tabulated": my.Tabulated(),
}
ACTIVATIONS: dict[str, Any] = {
    "he": my.HeActivation(),
    "degroote": my.DeGrooteActivation(),
    "thelen": my.ThelenActivation(),
    "hatze": my.HatzeActivation(),
    "none": my.NoActivation(),
}
# The numbers of OpenSim's DeGrooteFregly2016Muscle, which differ a little from the paper's (OpenSim 4.6).
OPENSIM_DEGROOTE = my.DeGrooteFregly2016(
    b11=0.8150671134243542,
    b21=1.055033428970575,
    b31=0.162384573599574,
    b41=0.063303448465465,
    b12=0.433004984392647,
    b22=0.716775413397760,
    b32=-0.029947116970696,
    b42=0.200356847296188,
    b13=0.1,
    b23=1.0,
    b33=0.353553390593274,
    b43=0.0,
    d1=-0.3211346127989808,
    d3=-0.374,
    d4=0.8825327733249912,
    c2=1.0,
    c3=0.2,
    parallel_slack=0.2,
)


def a_muscle(curves: Any, **more: Any) -> my.Muscle:
    """Return a muscle of 1000 N with fibres of 0.1 m and a tendon of 0.2 m."""
    numbers = {"max_force": 1000.0, "optimal_fibre_length": 0.1, "tendon_slack_length": 0.2, **more}
    return my.Muscle(curves=curves, path=my.FunctionPath(length=my.Constant(value=0.3)), **numbers)


def curve_expressions(muscle: my.Muscle, active: float = 1.0) -> dict[str, tuple[Any, Any]]:
    """Return symbol and expression of each curve: lengths in optimal or slack lengths, velocities in maximal ones."""
    functions, at = family(muscle), ca.SX.sym("at")
    one = ca.SX(1)
    isometric = active * functions.force_length(muscle, one)
    return {
        "force_length": (at, functions.force_length(muscle, at)),
        "force_velocity": (at, functions.contractile(muscle, one, at * muscle.max_velocity, ca.SX(active)) / isometric),
        "parallel": (at, functions.parallel(muscle, at)),
        "tendon": (at, functions.tendon(muscle, at * muscle.tendon_slack_length)),
    }


def values(symbol: Any, expression: Any, at: Array, order: int = 0) -> Array:
    """Return an expression, or its derivative of some order, at many places."""
    for _ in range(order):
        expression = ca.jacobian(expression, symbol)
    function = ca.Function("f", [symbol], [expression])
    return np.asarray(function.map(len(at))(np.asarray(at)[None, :])).ravel()


def with_symbols(part: Any, taken: list[tuple[Any, float]]) -> Any:
    """Return a part whose single numbers are symbols, and note each symbol with its number."""
    changed = {}
    for field in type(part).model_fields:
        value = getattr(part, field)
        if isinstance(value, Part) and field != "path":
            changed[field] = with_symbols(value, taken)
        elif isinstance(value, float):
            changed[field] = ca.SX.sym(field)
            taken.append((changed[field], value))
    return part.model_copy(update=changed)


def response_function(muscle: my.Muscle, derivatives: bool = True) -> Any:
    """Return a function from the seven numbers of a drive and the pennation to response and its Jacobian."""
    drive, pennation = ca.SX.sym("drive", 7), ca.SX.sym("pennation")
    pennate = muscle.model_copy(update={"pennation": pennation})
    response = respond(pennate, Drive(*(drive[number] for number in range(7))))
    rows = ca.vertcat(response.tension, response.contraction, response.activation)
    told = [rows, ca.jacobian(rows, drive)] if derivatives else [rows]
    return ca.Function("muscle", [drive, pennation], told)
