"""How a solve goes about it: what a user sets, and what IPOPT is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from myodyne.errors import ModelError
from myodyne.optimise.ipopt.linear_solver import ipopt_linear_solver


@dataclass(frozen=True)
class Settings:
    """How a solve goes about it.

    Parameters
    ----------
    tolerance : at which the optimiser stops.
    most_iterations : in one mesh.
    seconds : after which it stops wherever it is; None lets it run.
    approach : so many iterations, at most, of each kind of `myodyne.optimise.ipopt.approach` come first; 0 for none.
    options : further ones of IPOPT, by its names.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Settings(tolerance=1e-4).most_iterations
    2000
    """

    tolerance: float = 1e-5
    most_iterations: int = 2000
    seconds: float | None = None
    approach: int = 60
    options: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        for name, value in (("tolerance", self.tolerance), ("seconds", self.seconds)):
            if value is not None and (isinstance(value, bool | str) or not 0 < value < float("inf")):
                raise ModelError(f"Settings: {name} is a positive number, not {value!r:.60}")
        for name, value in (("most_iterations", self.most_iterations), ("approach", self.approach)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise ModelError(f"Settings: {name} is a whole number that is not negative, not {value!r:.60}")
        for name, value in dict(self.options or {}).items():
            if not isinstance(value, str | int | float):
                raise ModelError(f"Settings: the option {name} of IPOPT is a number or a text, not {value!r:.60}")

    def plain(self) -> dict[str, Any]:
        """Return what a checkpoint keeps of them."""
        return {
            "tolerance": self.tolerance,
            "most_iterations": self.most_iterations,
            "approach": self.approach,
            "options": dict(self.options or {}),
        }


def ipopt_options(settings: Settings, barrier: float | None = None) -> dict[str, Any]:
    """Return IPOPT's options; with a barrier a solve starts from it and keeps multipliers and distances to bounds."""
    options: dict[str, Any] = {
        "print_level": 0,
        "sb": "yes",
        "tol": settings.tolerance,
        "max_iter": settings.most_iterations,
        **ipopt_linear_solver(),
    }
    if barrier is not None:
        options |= {"warm_start_init_point": "yes", "mu_init": barrier}
        options |= {
            f"warm_start_{name}": min(1e-6, barrier)
            for name in ("bound_push", "bound_frac", "slack_bound_push", "slack_bound_frac", "mult_bound_push")
        }
    return options | dict(settings.options or {})
