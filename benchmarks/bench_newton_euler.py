"""The Newton–Euler system of a planar chain against the recursion, per forward solution, 2 to 64 segments."""

from __future__ import annotations

from typing import Any

import numpy as np
from timing import alternating, figure

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
    return rows
