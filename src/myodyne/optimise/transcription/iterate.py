"""Where an optimiser stands: the unknowns of a program, with multipliers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from myodyne.types import Floats


@dataclass
class Iterate:
    """Unknowns with the multipliers of their bounds and of the rows: all that a warm start needs."""

    unknowns: Floats
    lower: Floats
    upper: Floats
    rows: Floats

    @staticmethod
    def at(unknowns: Floats, rows: int) -> Iterate:
        return Iterate(unknowns, np.zeros_like(unknowns), np.zeros_like(unknowns), np.zeros(rows))
