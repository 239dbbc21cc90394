"""The settings of a solve: tolerance, limits, options of IPOPT."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from myodyne.errors import ModelError

# The value of an option of IPOPT.
Option: TypeAlias = str | int | float


@dataclass(frozen=True)
class Settings:
    """Tolerance, limits and options of a solve.

    Parameters
    ----------
    tolerance : of the optimiser.
    most_iterations : on one mesh.
    seconds : after which it stops; None for no limit.
    approach : at most so many iterations of each kind of `myodyne.optimise.ipopt.approach` come first; 0 skips them.
    barrier : first barrier parameter from a guess that is no solution; None for IPOPT's own. A small one stays near.
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
    barrier: float | None = None
    options: Mapping[str, Option] | None = None

    def __post_init__(self) -> None:
        for name, value in (("tolerance", self.tolerance), ("seconds", self.seconds), ("barrier", self.barrier)):
            if value is not None and (isinstance(value, bool | str) or not 0 < value < float("inf")):
                raise ModelError(f"Settings: {name} must be a positive number, not {value!r:.60}")
        for name, value in (("most_iterations", self.most_iterations), ("approach", self.approach)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise ModelError(f"Settings: {name} must be a whole number, at least 0, not {value!r:.60}")
        for name, option in dict(self.options or {}).items():
            if not isinstance(option, str | int | float):
                raise ModelError(f"Settings: the option {name} of IPOPT is a number or a text, not {option!r:.60}")

    def plain(self) -> dict[str, Any]:
        """Return what a checkpoint stores."""
        return {
            "tolerance": self.tolerance,
            "most_iterations": self.most_iterations,
            "approach": self.approach,
            "options": dict(self.options or {}),
        }
