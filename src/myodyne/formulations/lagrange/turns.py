"""Rotations about body-fixed axes, one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic

from myodyne.formulations.lagrange.algebra.rates import Dual, Scalar, is_zero
from myodyne.formulations.lagrange.lists.records import Direction


@dataclass(frozen=True, eq=False)
class Turn(Generic[Scalar]):
    """A rotation about a body-fixed axis."""

    axis: Direction
    angle: Dual[Scalar]


def merged(turns: Iterable[Turn[Scalar]]) -> tuple[Turn[Scalar], ...]:
    """Return rotations with successive ones about the same line added up, and those by zero left out.

    In the plane a single rotation by the sum of all angles is left: cos(q1 + q2) instead of a product of matrices.
    """
    found: list[Turn[Scalar]] = []
    for turn in turns:
        if found and turn.axis == found[-1].axis:
            found[-1] = Turn(turn.axis, found[-1].angle + turn.angle)
        elif found and all(a == -b for a, b in zip(turn.axis, found[-1].axis, strict=True)):
            found[-1] = Turn(found[-1].axis, found[-1].angle - turn.angle)
        else:
            found.append(turn)
        if found and is_zero(found[-1].angle.value) and is_zero(found[-1].angle.rate):
            found.pop()
    return tuple(found)
