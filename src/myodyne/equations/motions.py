"""The last entries of the controls: what functions of time that constraints follow are at an instant."""

from __future__ import annotations

from typing import Any

import numpy as np

from myodyne.model import Model

# A constraint is told all three, so that the equations are linear in its controls as in those of motors.
_PARTS = ("value", "speed", "acceleration")


def control_names(model: Model) -> tuple[str, ...]:
    """Return the names of all controls: those of the model, then three for each of its motions."""
    return (*model.controls, *(f"{name}.{part}" for name in model.motions for part in _PARTS))


def motions_in(model: Model, u: Any) -> Any:
    """Return the part of the controls ``u`` that tells the motions; none is needed where there are none."""
    return np.asarray(u, dtype=float)[..., len(model.controls) :] if model.motions else ()
