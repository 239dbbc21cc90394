"""The symbols of one instant, and the derivatives of expressions by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca

from myodyne.equations.assemble import Assembly
from myodyne.equations.definitions import Definition
from myodyne.optimise.transcription.prescribed import PrescribedAssembly, System
from myodyne.optimise.transcription.scope import Names, Scope, replaced
from myodyne.physics.spatial import SX


def definition_of(
    equations: System, a: Assembly, expressions: Callable[[Scope], Any], channels: Sequence[str], what: str
) -> Definition:
    """Return the values, the Jacobian or the Hessian of expressions at an instant, as a kernel computes them."""
    duration, data = SX.sym("duration"), SX.sym("data", len(channels))
    rate = SX.sym("r", a.motion.numel())
    recorded = {name: data[number] for number, name in enumerate(channels)}
    scope = Scope(Names(a, equations.states), duration, recorded)
    slopes = ca.vertcat(rate / duration, SX(ca.DM.zeros(a.x.numel() - rate.numel())))
    value = replaced(ca.vertcat(SX(0, 1), expressions(scope)), [a.xdot], [slopes])
    shared = ca.vertcat(duration, a.p)
    given = a.numbers if isinstance(a, PrescribedAssembly) else SX(0, 1)
    inputs = {"x": a.x, "r": rate, "u": a.u, "shared": shared, "data": ca.vertcat(data, given)}
    if what == "values":
        return Definition(inputs, {"values": ca.densify(value)})
    unknowns = ca.vertcat(a.x, rate, a.u, shared)
    if what == "jacobian":
        return Definition(inputs, {"jacobian": ca.jacobian(value, unknowns)})
    multipliers = SX.sym("multipliers", value.numel())
    hessian, _ = ca.hessian(ca.dot(multipliers, value), unknowns)
    return Definition({**inputs, "multipliers": multipliers}, {"hessian": ca.tril(hessian)})
