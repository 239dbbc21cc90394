"""The derivatives of expressions of one instant by its symbols."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca

from myodyne.equations.definitions import Definition
from myodyne.optimise.transcription.instant import Instant
from myodyne.optimise.transcription.scope import InstantScope, replaced
from myodyne.physics.spatial import SX

# Given a scope, the expressions of a function, in their order, as one column.
Expressing = Callable[[InstantScope], SX]


def definition_of(instant: Instant, expressing: Expressing, channels: Sequence[str], what: str) -> Definition:
    """Return the values, the Jacobian or the Hessian of expressions at an instant, as a kernel computes them."""
    a = instant.expressions
    duration, data = SX.sym("duration"), SX.sym("data", len(channels))
    rate = SX.sym("r", a.motion.numel())
    scope = InstantScope(instant, duration, {name: data[number] for number, name in enumerate(channels)})
    slopes = ca.vertcat(rate / duration, SX(ca.DM.zeros(a.x.numel() - rate.numel())))
    value = replaced(ca.vertcat(SX(0, 1), expressing(scope)), [a.xdot], [slopes])
    shared = ca.vertcat(duration, a.p)
    inputs = {
        "x": a.x,
        "r": rate,
        "u": instant.unknown_controls,
        "shared": shared,
        "data": ca.vertcat(data, instant.given),
    }
    if what == "values":
        return Definition(inputs, {"values": ca.densify(value)})
    unknowns = ca.vertcat(a.x, rate, instant.unknown_controls, shared)
    if what == "jacobian":
        return Definition(inputs, {"jacobian": ca.jacobian(value, unknowns)})
    multipliers = SX.sym("multipliers", value.numel())
    hessian, _ = ca.hessian(ca.dot(multipliers, value), unknowns)
    return Definition({**inputs, "multipliers": multipliers}, {"hessian": ca.tril(hessian)})
