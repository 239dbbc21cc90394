"""Varied numbers as inputs of the equations."""

from __future__ import annotations

from myodyne.equations import equations_of
from myodyne.errors import ModelError
from myodyne.model import Model


def freed(model: Model, names: tuple[str, ...]) -> Model:
    """Return the model with numbers free, except those that shape the equations.

    Rows with other values of those need code of their own, which takes longer.
    """
    made = model
    for name in names:
        try:
            trial = made.free(name)
            equations_of(trial, compiled=False)
        except ModelError:
            continue
        made = trial
    return made
