"""Steps of one stage, forwards for many rows at once: what their formulas have in common.

A step of length h goes from (q, v) to (q', v') by ``v' = v + h a`` and ``q' = q + h w``, with the speed
``w = v + θ (v' - v)``; the equations hold in the pose ``q + θ h w`` with the speed ``w``. Explicit Euler has θ = 0, the
implicit midpoint rule θ = 1/2, backward Euler θ = 1.
"""

from __future__ import annotations

from typing import TypeAlias

from myodyne.errors import ModelError
from myodyne.numerics.schemes import RK4, BackwardEuler, Euler, Heun, Midpoint

OneStage: TypeAlias = Euler | Midpoint | BackwardEuler
Steppable: TypeAlias = OneStage | Heun | RK4


def share_of(scheme: OneStage) -> float:
    """Return θ: how far within a step the equations hold."""
    return {Euler: 0.0, Midpoint: 0.5, BackwardEuler: 1.0}[type(scheme)]


def step_of(scheme: Steppable) -> float | None:
    """Return the length (s) of a scheme's steps, None where it takes the rows of the motion."""
    return None if isinstance(scheme, BackwardEuler) else scheme.step


def checked(scheme: object, *, one_stage: bool) -> Steppable:
    """Return a scheme by which movements can be reproduced, or raise an error that says which can."""
    if isinstance(scheme, OneStage) or (isinstance(scheme, Heun | RK4) and not one_stage):
        return scheme
    name = type(scheme).__name__ if not isinstance(scheme, type) else f"the class {scheme.__name__}"
    offered = "my.Midpoint(), my.BackwardEuler() or my.Euler(step=...)"
    if isinstance(scheme, Heun | RK4):
        raise ModelError(f"{name} has several stages and no closed form: use {offered}, or by=my.Shooting()")
    raise ModelError(f"a movement is reproduced with {offered}, by my.Shooting() also with Heun and RK4, not {name}")
