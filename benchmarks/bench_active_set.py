"""Active-set methods against the interior point of IPOPT: a chain of pendulums swung up, by the same callbacks.

Backward Euler over N intervals, all states unknown, torque bounded. CasADi's own methods are the active-set ones that
come with what we already need; see docs/decisions/0024-no-active-set-method.md.
"""

from __future__ import annotations

import time
from typing import Any

import casadi as ca
import numpy as np
from timing import figure

METHODS: dict[str, dict[str, Any]] = {
    "ipopt": {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes"},
    "sqpmethod": {
        "qpsol": "qpoases",
        "qpsol_options": {"printLevel": "none", "error_on_fail": False},
        "print_time": False,
        "print_header": False,
        "print_iteration": False,
        "print_status": False,
        "max_iter": 60,
        "error_on_fail": False,
    },
}
SIZES = (10, 20)


def swing_up(intervals: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the program of one pendulum swung up in 2 s with a bounded torque, and its bounds."""
    q, v, u = (ca.SX.sym(name, intervals + 1) for name in "qvu")
    step = 2.0 / intervals
    rows = [q[0], v[0], q[-1] - np.pi, v[-1]]
    rows += [q[k + 1] - q[k] - step * v[k + 1] for k in range(intervals)]
    rows += [v[k + 1] - v[k] - step * (u[k + 1] - 9.81 * ca.sin(q[k + 1]) - 0.1 * v[k + 1]) for k in range(intervals)]
    unknowns = ca.vertcat(q, v, u)
    many = intervals + 1
    limits = np.concatenate([np.full(2 * many, np.inf), np.full(many, 12.0)])
    start = np.concatenate([np.linspace(0.0, np.pi, many), np.full(many, np.pi / 2), np.zeros(many)])
    program = {"x": unknowns, "f": step * ca.sumsqr(u), "g": ca.vertcat(*rows)}
    return program, {"x0": start, "lbx": -limits, "ubx": limits, "lbg": 0.0, "ubg": 0.0}


def run() -> list[dict[str, Any]]:
    rows = []
    for intervals in SIZES:
        program, bounds = swing_up(intervals)
        for method, options in METHODS.items():
            solver = ca.nlpsol("solver", method, program, options)
            began = time.process_time()
            found = solver(**bounds)
            spent = time.process_time() - began
            statistics = solver.stats()
            title = f"swing-up, {intervals} intervals, {method}"
            ended = "" if statistics["success"] else " (not converged)"
            rows.append(figure(f"{title}: time{ended}", 1e3 * spent, "ms"))
            rows.append(figure(f"{title}: iterations", float(statistics["iter_count"]), ""))
            rows.append(figure(f"{title}: cost", float(found["f"]), ""))
    return rows
