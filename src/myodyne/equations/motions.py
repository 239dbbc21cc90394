"""The last entries of the controls: functions of time that constraints follow, and what a closure adds."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from myodyne.equations.closure import NOTHING, Closure
from myodyne.model import Model
from myodyne.types import Floats

# All three are controls, so that the equations are linear in them as in those of motors.
_PARTS = ("value", "speed", "acceleration")


def control_names(model: Model, closure: Closure = NOTHING) -> tuple[str, ...]:
    """Return the names of all controls: those of the model, three for each of its motions, those of the closure."""
    motions = (f"{name}.{part}" for name in model.motions for part in _PARTS)
    return (*model.controls, *motions, *closure.entries)


def motion_places(model: Model) -> slice:
    """Return where the values of motions lie among the controls."""
    return slice(len(model.controls), len(model.controls) + len(_PARTS) * len(model.motions))


def motions_in(model: Model, u: ArrayLike) -> Floats:
    """Return the part of the controls ``u`` that gives the motions; empty where the model has none."""
    return np.asarray(u, dtype=float)[..., motion_places(model)] if model.motions else np.empty(0)
