"""Where a taut path touches and leaves a sphere or a cylinder, in closed form.

Along the part on the surface a frictionless string presses perpendicularly, so the work of its tension is that of the
two straight parts alone: the surface's body becomes a stop of the attachment sequence, with the two points of touch.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from myodyne.errors import ModelError
from myodyne.formulations.matrix_calculus.calculus import Array
from myodyne.model import Surface, WrapCylinder, WrapSphere

_AXES = {"x": 0, "y": 1, "z": 2}


@dataclass(frozen=True, eq=False)
class Contact:
    """Where a path touches and leaves a surface, in the surface's axes (m), and the length (m) along it."""

    touch: Array
    leave: Array
    length: float


@dataclass(frozen=True)
class _Arc:
    """An arc about the origin of a plane: angles (rad) of both ends, and how far it turns."""

    first: float
    last: float
    turn: float

    @property
    def middle(self) -> float:
        return (self.first + self.last) / 2


def contact(surface: Surface, start: Array, end: Array) -> Contact | None:
    """Return the contact of a taut path between two points in the surface's axes, None where it runs straight."""
    match surface:
        case WrapSphere():
            return _over_sphere(surface, start, end)
        case WrapCylinder():
            return _over_cylinder(surface, start, end)
        case _:
            raise ModelError(
                f"lines of action over a surface of the kind '{surface.kind}' have no closed form; use a sphere or a "
                "cylinder, or `moment_arms` of the model's equations"
            )


def _over_sphere(surface: WrapSphere, start: Array, end: Array) -> Contact | None:
    along = start / np.linalg.norm(start)
    across = end - (end @ along) * along
    size = float(np.linalg.norm(across))
    if size < 1e-12 * float(np.linalg.norm(end)):
        raise ModelError("a path through the centre of a sphere has no side to pass it on")
    across = across / size

    def placed(angle: float) -> Array:
        point: Array = surface.radius * (math.cos(angle) * along + math.sin(angle) * across)
        return point

    flat = np.array([np.linalg.norm(start), 0.0]), np.array([end @ along, size])
    arc = _chosen(flat, surface.radius, surface.half, placed)
    if arc is None:
        return None
    return Contact(placed(arc.first), placed(arc.last), surface.radius * arc.turn)


def _over_cylinder(surface: WrapCylinder, start: Array, end: Array) -> Contact | None:
    radius = surface.radius

    def placed(angle: float, height: float = 0.0) -> Array:
        return np.array([radius * math.cos(angle), radius * math.sin(angle), height])

    flat = start[:2], end[:2]
    arc = _chosen(flat, radius, surface.half, placed)
    if arc is None:
        return None
    # Unrolled, the path is straight: its height grows in proportion to the way in the plane.
    before, after = (math.sqrt(float(point @ point) - radius**2) for point in flat)
    way, rise = before + radius * arc.turn + after, float(end[2] - start[2])
    heights = [float(start[2]) + rise * part / way for part in (before, before + radius * arc.turn)]
    if max(map(abs, heights)) > surface.length / 2:
        return None
    return Contact(
        placed(arc.first, heights[0]), placed(arc.last, heights[1]), radius * arc.turn * math.hypot(way, rise) / way
    )


def _chosen(flat: tuple[Array, Array], radius: float, half: str, placed: Callable[[float], Array]) -> _Arc | None:
    """Return the arc on which a string is taut: through the given half, or on the shorter way round."""
    start, end = flat
    if min(float(np.linalg.norm(point)) for point in flat) < radius:
        return None
    arcs = [_arc(start, end, radius, sense) for sense in (1, -1)]
    if half == "all":
        return min(arcs, key=lambda arc: abs(arc.turn)) if _pierced(start, end, radius) else None
    axis, side = _AXES[half[-1]], -1.0 if half.startswith("-") else 1.0
    best = max(arcs, key=lambda arc: side * float(placed(arc.middle)[axis]))
    # Where it would have to run backwards, the string is straight. More than half a turn is not considered.
    return best if best.turn > 0 else None


def _arc(start: Array, end: Array, radius: float, sense: int) -> _Arc:
    opened = [math.acos(radius / float(np.linalg.norm(point))) for point in (start, end)]
    first = math.atan2(start[1], start[0]) + sense * opened[0]
    last = math.atan2(end[1], end[0]) - sense * opened[1]
    turn = math.remainder(sense * (last - first), 2 * math.pi)
    return _Arc(first, first + sense * turn, turn)


def _pierced(start: Array, end: Array, radius: float) -> bool:
    """Return whether the straight line between two points of a plane passes through a circle."""
    step = end - start
    share = -float(start @ step) / float(step @ step)
    return 0.0 < share < 1.0 and float(np.linalg.norm(start + share * step)) < radius
