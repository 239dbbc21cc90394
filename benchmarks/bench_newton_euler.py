"""The Newton–Euler system of a planar chain against the recursion, per forward solution, 2 to 64 segments.

The last row is the sprint cyclist against real time (000-32: "considerably faster").
"""

from __future__ import annotations

from typing import Any

import numpy as np
from timing import against, alternating, figure, seconds

import myodyne as my
from myodyne.formulations.newton_euler import chain_of


def run() -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    rows: list[dict[str, Any]] = []
    lengths, ours_times, peer_times = (2, 4, 8, 16, 32, 64), [], []
    for size in lengths:
        model = my.chain(size)
        equations, chain = my.equations_of(model, compiled=True), chain_of(model)
        q, v, tau = rng.normal(size=(3, size))
        difference = np.abs(equations.forward_dynamics(q, v, tau) - chain.forward_dynamics(q, v, tau)).max()
        if difference > 1e-6 * max(1.0, float(np.abs(tau).max())) * size**3:
            raise AssertionError(f"the two derivations differ by {difference}")
        ours, peer = alternating(
            lambda: equations.forward_dynamics(q, v, tau),  # noqa: B023 - called at once
            lambda: chain.forward_dynamics(q, v, tau),  # noqa: B023 - called at once
            repeats=5,
            calls=20,
        )
        ours_times.append(ours)
        peer_times.append(peer)
        rows.append(
            {
                "what": f"accelerations of a chain of {size}",
                "ours": ours * 1e6,
                "peer": peer * 1e6,
                "peer_name": "our Newton-Euler system in numpy",
                "unit": "µs",
                "ratio": peer / ours,
                "target": None,
                "met": None,
            }
        )
    for name, times in (("recursion", ours_times), ("Newton-Euler system", peer_times)):
        exponent = float(np.polyfit(np.log(lengths[2:]), np.log(times[2:]), 1)[0])
        rows.append(figure(f"growth of the {name} from 8 to 64 segments: exponent", exponent, ""))
    return [*rows, _cyclist()]


def _cyclist() -> dict[str, Any]:
    """Return the row of one revolution in half a second, pushed by constant moments."""
    eq = my.equations_of(my.load_model("cyclist_one_leg"), compiled=True)
    push = {"ankle_motor": -20.0, "knee_motor": 40.0, "hip_motor": -30.0}
    spent = seconds(lambda: my.simulate(eq, 0.5, controls=push), repeats=5)
    return {**against("a revolution of the sprint cyclist", spent, 0.5, "real time", 1.0), "unit": "µs"}
