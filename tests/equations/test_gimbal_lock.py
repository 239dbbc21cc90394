"""Kept constraints near a gimbal lock keep the digits of articulated bodies: against 50 digits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import casadi as ca
import mpmath
import numpy as np
import pytest

import myodyne as my
from myodyne.equations.assemble import Assembly

_CODES = {getattr(ca, name): name for name in dir(ca) if name.startswith("OP_")}
_OPERATIONS: dict[str, Callable[..., Any]] = {
    "OP_ADD": lambda a, b: a + b,
    "OP_SUB": lambda a, b: a - b,
    "OP_MUL": lambda a, b: a * b,
    "OP_DIV": lambda a, b: a / b,
    "OP_NEG": lambda a: -a,
    "OP_SIN": mpmath.sin,
    "OP_COS": mpmath.cos,
    "OP_SQ": lambda a: a * a,
    "OP_TWICE": lambda a: 2 * a,
    "OP_INV": lambda a: 1 / a,
    "OP_SQRT": mpmath.sqrt,
    "OP_LT": lambda a, b: mpmath.mpf(a < b),
    "OP_LE": lambda a, b: mpmath.mpf(a <= b),
    "OP_NOT": lambda a: mpmath.mpf(not a),
    "OP_IF_ELSE_ZERO": lambda a, b: b if a else mpmath.mpf(0),
}


def precisely(function: ca.Function, *given: np.ndarray) -> list[np.ndarray]:
    """Evaluate a function of CasADi, operation by operation, with 50 digits."""
    work: dict[int, Any] = {}
    found = [np.zeros(function.nnz_out(k)) for k in range(function.n_out())]
    with mpmath.workdps(50):
        for number in range(function.n_instructions()):
            code = _CODES[function.instruction_id(number)]
            places, to = function.instruction_input(number), function.instruction_output(number)
            if code == "OP_CONST":
                work[to[0]] = mpmath.mpf(function.instruction_constant(number))
            elif code == "OP_INPUT":
                work[to[0]] = mpmath.mpf(float(given[places[0]][places[1]]))
            elif code == "OP_OUTPUT":
                found[to[0]][to[1]] = float(work[places[0]])
            else:
                work[to[0]] = _OPERATIONS[code](*(work[place] for place in places))
    return found


def ball_joints(**constraints: my.PointConstraint | my.DistanceConstraint) -> ca.Function:
    """Return accelerations and multipliers of two bodies in gimbal joints."""

    def gimbal(parent: my.Placement, child: str) -> my.Joint:
        names = [f"{child}_{axis}" for axis in "xyz"]
        return my.Joint(
            parent=parent,
            child=my.Placement(body=child),
            coordinates={name: my.Coordinate() for name in names},
            axes=[my.Axis(motion="rotation", direction=name[-1], function=name) for name in names],
        )

    upper = my.Body(mass=2.0, centre_of_mass=(0.05, -0.2, 0.03), inertia=my.Inertia(xx=0.1, yy=0.05, zz=0.12, xy=0.01))
    lower = my.Body(mass=1.0, centre_of_mass=(0.02, -0.15, 0.01), inertia=my.Inertia(xx=0.05, yy=0.02, zz=0.04))
    shoulder = gimbal(my.Placement(body="ground"), "upper")
    elbow = gimbal(my.Placement(body="upper", at=(0.0, -0.4, 0.0)), "lower")
    model = my.Model(
        name="arm",
        bodies={"upper": upper, "lower": lower},
        joints={"shoulder": shoulder, "elbow": elbow},
        constraints=constraints,
    )
    a = Assembly(model)
    return ca.Function("f", [a.q, a.v], [ca.densify(part) for part in a.response])


HAND, HOOK = my.Marker(body="lower", at=(0.0, -0.3, 0.0)), my.Marker(body="ground", at=(0.3, -0.2, 0.4))


@pytest.mark.parametrize("gap", [1e-1, 1e-3, 1e-5])
@pytest.mark.parametrize(
    "held",
    [my.PointConstraint(first=HAND, second=HOOK), my.DistanceConstraint(first=HAND, second=HOOK, distance=0.5)],
    ids=["point", "distance"],
)
def test_digits_near_a_gimbal_lock(held: my.PointConstraint | my.DistanceConstraint, gap: float) -> None:
    """Errors grow with one over the gap (rad), as those of bodies without constraints, not with its square."""
    q = np.array([0.3, math.pi / 2 - gap, 0.2, 0.1, 0.4, -0.3])
    v = np.array([0.5 * gap, 0.3, -0.5 * gap, 0.2, -0.4, 0.3])
    free, bound = ball_joints(), ball_joints(held=held)
    lost = float(np.abs(np.asarray(free(q, v)[0]).ravel() / precisely(free, q, v)[0] - 1).max())
    for computed, exact in zip(bound(q, v), precisely(bound, q, v), strict=True):
        off = np.abs(np.asarray(computed).ravel() - exact).max() / np.abs(exact).max()
        # By the mass matrix it was 3e-16 / gap².
        assert off < 1e-14 / gap
    assert lost < 2e-16 / gap
