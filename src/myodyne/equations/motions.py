"""The last entries of the controls: values of the functions of time that constraints follow."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from myodyne.model import Model
from myodyne.types import Floats

# All three are controls, so that the equations are linear in them as in those of motors.
_PARTS = ("value", "speed", "acceleration")


def control_names(model: Model) -> tuple[str, ...]:
    """Return the names of all controls: those of the model, then three for each of its motions."""
    return (*model.controls, *(f"{name}.{part}" for name in model.motions for part in _PARTS))


def motions_in(model: Model, u: ArrayLike) -> Floats:
    """Return the part of the controls ``u`` that gives the motions; empty where the model has none."""
    return np.asarray(u, dtype=float)[..., len(model.controls) :] if model.motions else np.empty(0)
