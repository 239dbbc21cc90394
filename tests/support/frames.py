"""Rotations and frames in plain numpy; angles may be complex, and stacked along leading axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from myodyne.model import Placement

Array = np.ndarray[Any, np.dtype[Any]]


def skew(vector: Array | Sequence[float]) -> Array:
    """Return the matrix that does what ``vector ×`` does."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rotation(direction: Sequence[float], angle: Any) -> Array:
    """Return Rodrigues' matrix of a turn about a unit vector, of shape ``(*angle.shape, 3, 3)``."""
    cross = skew(direction)
    angle = np.asarray(angle)[..., None, None]
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)


@dataclass(frozen=True)
class Frame:
    """A rotation ``(..., 3, 3)`` and an origin ``(..., 3)`` in some outer frame."""

    turn: Array
    origin: Array

    def __matmul__(self, inner: Frame) -> Frame:
        origin = self.origin + np.einsum("...ij,...j->...i", self.turn, inner.origin)
        return Frame(self.turn @ inner.turn, origin)

    @property
    def inverse(self) -> Frame:
        back = np.swapaxes(self.turn, -1, -2)
        return Frame(back, -np.einsum("...ij,...j->...i", back, self.origin))


IDENTITY = Frame(np.eye(3), np.zeros(3))


def moved(motion: str, direction: Sequence[float], amount: Any) -> Frame:
    """Return the frame after a turn about, or a shift along, one direction."""
    amount = np.asarray(amount)
    if motion == "rotation":
        return Frame(rotation(direction, amount), np.zeros(3))
    return Frame(np.eye(3), amount[..., None] * np.asarray(direction))


def frame_of(placement: Placement) -> Frame:
    """Return a placement as a frame in its body: turns about its own x, then new y, then new z."""
    x, y, z = placement.orientation
    turn = rotation((1, 0, 0), x) @ rotation((0, 1, 0), y) @ rotation((0, 0, 1), z)
    return Frame(turn, np.array(placement.at))


def angles_of(turn: Array) -> tuple[float, float, float]:
    """Return the ``Placement.orientation`` of a rotation matrix."""
    # With R = Rx(a) Ry(b) Rz(c) the first row is (cos b cos c, -cos b sin c, sin b).
    b = float(np.arcsin(np.clip(turn[0, 2], -1.0, 1.0)))
    return float(np.arctan2(-turn[1, 2], turn[2, 2])), b, float(np.arctan2(-turn[0, 1], turn[0, 0]))
