"""Inverse dynamics of an 11-degree chain against pinocchio, by call and over stacked rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from peers import chain_model, pinocchio_chain
from timing import against, alternating, figure, seconds

import myodyne as my


def run() -> list[dict[str, Any]]:
    import pinocchio

    size, rows = 11, 100_000
    equations = my.equations_of(chain_model(size), compiled=True)
    model = pinocchio_chain(size)
    data = model.createData()
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, size))
    Q, V, A = rng.normal(size=(3, rows, size))
    difference = np.abs(equations.inverse_dynamics(q, v, a) - pinocchio.rnea(model, data, q, v, a)).max()
    if difference > 1e-10:
        raise AssertionError(f"the two chains are not the same: {difference}")

    def peer_rows() -> None:
        for k in range(1000):
            pinocchio.rnea(model, data, Q[k], V[k], A[k])

    def peer_derivative_rows() -> None:
        for k in range(1000):
            pinocchio.computeRNEADerivatives(model, data, Q[k], V[k], A[k])

    equations.inverse_dynamics_jacobians(q, v, a)
    ours_call, peer_call = alternating(
        lambda: equations.inverse_dynamics(q, v, a), lambda: pinocchio.rnea(model, data, q, v, a), calls=2000
    )
    ours_rows, peer_loop = alternating(lambda: equations.inverse_dynamics(Q, V, A), peer_rows)
    ours_derivatives, peer_derivatives = alternating(
        lambda: equations.inverse_dynamics_jacobians(Q[:20_000], V[:20_000], A[:20_000]), peer_derivative_rows
    )
    derivative_call, peer_derivative_call = alternating(
        lambda: equations.inverse_dynamics_jacobians(q, v, a),
        lambda: pinocchio.computeRNEADerivatives(model, data, q, v, a),
        calls=1000,
    )
    # What a call costs beside the mathematics: the same call with equations of one body.
    small = my.equations_of(chain_model(1), compiled=True)
    overhead = seconds(lambda: small.inverse_dynamics(q[:1], v[:1], a[:1]), calls=2000)
    tiny = pinocchio_chain(1)
    tiny_data = tiny.createData()
    peer_overhead = seconds(lambda: pinocchio.rnea(tiny, tiny_data, q[:1], v[:1], a[:1]), calls=2000)
    return [
        against("inverse dynamics, one Python call", ours_call, peer_call, "pinocchio rnea", 1 / 1.5),
        against(
            "inverse dynamics, per row of 100 000 in one call",
            ours_rows / rows,
            peer_loop / 1000,
            "pinocchio rnea in a loop",
            4,
        ),
        against(
            "its derivatives, per row of 20 000 in one call",
            ours_derivatives / 20_000,
            peer_derivatives / 1000,
            "pinocchio computeRNEADerivatives in a loop",
            2,
        ),
        {
            **against(
                "its derivatives, one Python call",
                derivative_call,
                peer_derivative_call,
                "pinocchio computeRNEADerivatives",
                1,
            ),
            "target": None,
            "met": None,
        },
        figure("call overhead of ours (chain of one link)", overhead * 1e6, "µs"),
        figure("call overhead of pinocchio (chain of one link)", peer_overhead * 1e6, "µs"),
    ]
