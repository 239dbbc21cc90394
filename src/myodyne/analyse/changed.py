"""Copies of models with some parts exchanged, made without the time that checking them would take."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from myodyne.analyse.movement import stripped
from myodyne.model import Model, MotionConstraint, Named, SpeedConstraint

_REMEMBERED = tuple(name for name, value in vars(Model).items() if isinstance(value, cached_property))


def changed(model: Model, **parts: Any) -> Model:
    """Return a copy with other parts, unchecked, that remembers nothing of what the model was: mass, order, hashes.

    Examples
    --------
    >>> import myodyne as my
    >>> rod = my.load_model("pendulum")
    >>> rod.hash == changed(rod, gravity=(0.0, -1.62, 0.0)).hash
    False
    """
    copy = model.model_copy(update=parts)
    for name in _REMEMBERED:
        copy.__dict__.pop(name, None)
    return copy


def skeleton(model: Model, forces: Iterable[str] = (), *, muscles: bool = False, drives: bool = True) -> Model:
    """Return a model with some of its forces, and with or without its muscles: what is not asked for costs no time.

    Functions of time give way to speeds: a record tells the motion, and drives carry the same coordinates. Without
    ``drives`` both are left out: they say nothing about a pose.
    """
    told = {
        name: SpeedConstraint(coordinate=part.coordinate, speed=0.0) if isinstance(part, MotionConstraint) else part
        for name, part in model.constraints.items()
        if drives or not isinstance(part, SpeedConstraint | MotionConstraint)
    }
    return changed(stripped(model, forces, muscles=muscles), constraints=Named(told))
