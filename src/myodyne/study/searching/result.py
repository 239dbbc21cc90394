"""What a search found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from myodyne.errors import SolveError
from myodyne.types import Floats

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True)
class Objective:
    """A measure, and whether more of it is better."""

    name: str
    maximised: bool = False

    @property
    def sign(self) -> float:
        """By which values are multiplied so that less is better."""
        return -1.0 if self.maximised else 1.0


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a search found, and all that it tried.

    Parameters
    ----------
    objectives
        What was sought.
    table
        All evaluations, as `load_study` gives them.
    message
        How the search ended.
    method
        How it was done.

    Examples
    --------
    >>> import myodyne as my
    >>> def off(model):
    ...     return (model.value("rod.mass") - 2.0) ** 2
    >>> study = my.Study(my.load_model("pendulum"), vary={"rod.mass": (1.0, 4.0)}, measure=off)
    >>> found = my.search(study, my.CMA(seed=1), evaluations=60)
    >>> round(found.best["rod.mass"], 1), found.evaluations
    (2.0, 60)
    """

    objectives: tuple[Objective, ...]
    table: xarray.Dataset
    message: str
    method: str

    @property
    def evaluations(self) -> int:
        """How many rows were computed, failed ones included."""
        return int(self.table.sizes["row"])

    @property
    def losses(self) -> Floats:
        """The values of the objectives (rows, objectives) such that less is better; NaN where a row failed."""
        return np.stack([one.sign * self.table[one.name].values for one in self.objectives], axis=1)

    @property
    def number(self) -> int:
        """The row of the best evaluation; of several objectives, of the first one."""
        losses = self.losses[:, 0]
        if not np.isfinite(losses).any():
            why = str(self.table["reason"].values[0]) if self.evaluations else "nothing was evaluated"
            raise SolveError(f"none of {self.evaluations} evaluations succeeded; the first: {why}")
        return int(np.nanargmin(losses))

    @property
    def best(self) -> dict[str, float]:
        """The values of what was varied at the best evaluation."""
        names = [str(name) for name in self.table.coords if name != "row"]
        return {name: float(self.table[name].values[self.number]) for name in names}

    @property
    def value(self) -> float:
        """The best value of the (first) objective."""
        return float(self.table[self.objectives[0].name].values[self.number])

    @property
    def history(self) -> Floats:
        """The best value of the (first) objective so far, after each evaluation; NaN before the first success."""
        sign = self.objectives[0].sign
        return sign * np.fmin.accumulate(self.losses[:, 0])

    @property
    def front(self) -> xarray.Dataset:
        """The rows of which no other is better in every objective (Pareto), ordered by the first objective."""
        losses = self.losses
        good = np.flatnonzero(np.isfinite(losses).all(axis=1))
        order = good[np.lexsort(losses[good].T[::-1])]
        kept: list[int] = []
        for row in order:
            dominated = any((losses[other] <= losses[row]).all() for other in kept)
            if not dominated:
                kept.append(int(row))
        return self.table.isel(row=kept)

    def __str__(self) -> str:
        values = ", ".join(f"{name} = {value:.6g}" for name, value in self.best.items())
        return f"{self.objectives[0].name} = {self.value:.6g} at {values} ({self.message}, {self.method})"
