"""How the cost of inverse dynamics grows with the length of a chain, 2 to 64 links."""

from __future__ import annotations

from typing import Any

import numpy as np
from peers import chain_model
from timing import below, figure, seconds

import myodyne as my


def run() -> list[dict[str, Any]]:
    lengths = (2, 4, 8, 16, 32, 64)
    rng = np.random.default_rng(0)
    times = []
    rows = []
    for size in lengths:
        equations = my.equations_of(chain_model(size), compiled=True)
        q, v, a = rng.normal(size=(3, 5000, size))
        times.append(seconds(lambda: equations.inverse_dynamics(q, v, a)) / 5000)  # noqa: B023 - called at once
        rows.append(figure(f"inverse dynamics, {size} links", times[-1] * 1e6, "µs"))
    exponent = float(np.polyfit(np.log(lengths), np.log(times), 1)[0])
    steepest = float(np.max(np.diff(np.log(times)) / np.diff(np.log(lengths))))
    rows.append(below("growth of inverse dynamics with links n: exponent over 2 … 64", exponent, "", 1.3))
    rows.append(figure("steepest exponent between two lengths", steepest, ""))
    return rows
