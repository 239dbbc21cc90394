"""The options of IPOPT that follow from the settings of a solve."""

from __future__ import annotations

from myodyne.optimise.ipopt.linear_solver import ipopt_linear_solver
from myodyne.optimise.settings import Option, Settings


def ipopt_options(settings: Settings, barrier: float | None = None) -> dict[str, Option]:
    """Return IPOPT's options; with a barrier a solve starts from it and keeps multipliers and distances to bounds."""
    options: dict[str, Option] = {
        "print_level": 0,
        "sb": "yes",
        "tol": settings.tolerance,
        "max_iter": settings.most_iterations,
        **ipopt_linear_solver(),
    }
    if barrier is None and settings.barrier is not None:
        options["mu_init"] = settings.barrier
    if barrier is not None:
        options |= {"warm_start_init_point": "yes", "mu_init": barrier}
        options |= {
            f"warm_start_{name}": min(1e-6, barrier)
            for name in ("bound_push", "bound_frac", "slack_bound_push", "slack_bound_frac", "mult_bound_push")
        }
    return options | dict(settings.options or {})
