"""Limits that OpenSim imposes on fibres and that do not apply here, as remarks in the audit of a file."""

from __future__ import annotations

import math

from myodyne.files.osim.document import Element, Reading
from myodyne.model import Model
from myodyne.model.muscles.muscle import STEEPEST, Muscle

# OpenSim's own values where a file gives none: the largest pennation (rad), at which fibres are held here too, what is
# the same angle, and the shortest active fibre (optimal lengths) of Millard's muscle.
_STEEPEST, _SAME, _SHORTEST_ACTIVE = math.atan2(1.0, STEEPEST), 1e-4, 0.4441
# Fibres shorter than this (optimal lengths) are rare: a limit above it is in reach.
_IN_REACH = 0.5
_HELD = ("Thelen2003Muscle", "Millard2012EquilibriumMuscle")


def remark_on_limits(reading: Reading, model: Model) -> None:
    """Remark on the least length at which OpenSim holds fibres."""
    elements = [element for element in reading.document.model.walk() if element.fate == "read"]
    held: list[tuple[Element, float]] = []
    for element in elements:
        if element.tag in _HELD and element.name in model.muscles:
            muscle, angle = model.muscles[element.name], _steepest(element)
            pennate = _pennate_length(muscle, angle) if abs(angle - _STEEPEST) > _SAME else 0.0
            held.append((element, max(pennate, _active_length(element))))
            if pennate > _IN_REACH:
                reading.approximate(
                    element,
                    f"its maximum pennation angle of {angle:.3g} rad is reached by fibres of "
                    f"{pennate:.2f} optimal lengths, at which OpenSim holds them; here they "
                    "become shorter and steeper",
                )
    held = [(element, least) for element, least in held if least > 0.0]
    if held:
        lengths = [least for _, least in held]
        reading.approximate(
            held[0][0],
            f"OpenSim holds fibres at a least length (here of {len(held)} muscles, at "
            f"{min(lengths):.2g} to {max(lengths):.2g} optimal lengths), where they are "
            "steepest or no longer active; here they become shorter",
        )


def _steepest(element: Element) -> float:
    inner = element.child("MuscleFixedWidthPennationModel")
    source = inner if inner is not None and inner.has("maximum_pennation_angle") else element
    return source.number("maximum_pennation_angle", _STEEPEST)


def _pennate_length(muscle: Muscle, steepest: float) -> float:
    """Return the length (optimal lengths) of fibres between their two parallel lines at the steepest angle."""
    return math.sin(muscle.pennation) / math.sin(steepest) if 0.0 < steepest <= math.pi / 2 else 0.0


def _active_length(element: Element) -> float:
    if element.tag != "Millard2012EquilibriumMuscle":
        return 0.0
    curve = element.child("ActiveForceLengthCurve")
    return (element if curve is None else curve).number("min_norm_active_fiber_length", _SHORTEST_ACTIVE)
