"""Copies of models with some parts exchanged, made without the cost of checking them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from myodyne.analyse.coordinate_motion import stripped
from myodyne.model import Model, MotionConstraint, Named, SpeedConstraint


def changed(model: Model, **parts: Any) -> Model:  # noqa: ANN401 - any field of a model
    """Return a copy with other parts, unchecked; mass, order and hashes are those of the copy.

    Examples
    --------
    >>> import myodyne as my
    >>> rod = my.load_model("pendulum")
    >>> rod.hash == changed(rod, gravity=(0.0, -1.62, 0.0)).hash
    False
    """
    return model.model_copy(update=parts)


def skeleton(model: Model, forces: Iterable[str] = (), *, muscles: bool = False, drives: bool = True) -> Model:
    """Return a model with only the named forces, and with or without its muscles, so that the rest costs no time.

    Prescribed motions are replaced by speed constraints of the same coordinates: the motion comes from a record.
    Without ``drives`` both are left out: they do not affect a pose.
    """
    constraints = {
        name: SpeedConstraint(coordinate=part.coordinate, speed=0.0) if isinstance(part, MotionConstraint) else part
        for name, part in model.constraints.items()
        if drives or not isinstance(part, SpeedConstraint | MotionConstraint)
    }
    return changed(stripped(model, forces, muscles=muscles), constraints=Named(constraints))
