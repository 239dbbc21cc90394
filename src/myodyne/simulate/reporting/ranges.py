"""Embedded loops during a simulation: where their range ends, and the errors of functions fitted to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from myodyne.errors import ModelError, listed
from myodyne.model import Model
from myodyne.simulate.switching.events import Crossing

# Functions that miss the loops by more than this (rad or m) make another mechanism.
ACCEPTED_MISS = 1e-5


@dataclass(frozen=True)
class RangeEnd(Crossing):
    """A coordinate leaves the range over which loops were embedded as functions of it."""

    limits: tuple[float, float] = (0.0, 0.0)
    solved: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        low, high = self.limits
        return (
            f"'{self.output}' leaves its range [{low:g}, {high:g}], over which the loops that give "
            f"{listed(self.solved)} were embedded. Embed them over a wider one, or keep them by multipliers."
        )


def range_ends(model: Model) -> tuple[RangeEnd, ...]:
    """Return where the embedded loops of a model end: at both limits of each coordinate that they follow."""
    solved: dict[str, list[str]] = {}
    for constraint in model.constraints.values():
        for name in constraint.solves:
            for root in _roots(model, name):
                solved.setdefault(root, []).append(name)
    ends = []
    for name, followers in solved.items():
        limits = model.coordinates[name].range
        if limits is not None:
            ends.append(RangeEnd(name, "falling", limits[0], limits, tuple(followers)))
            ends.append(RangeEnd(name, "rising", limits[1], limits, tuple(followers)))
    return tuple(ends)


def refuse_outside(ends: tuple[RangeEnd, ...], values: dict[str, float]) -> None:
    """Refuse a state that lies outside the range of embedded loops."""
    for end in ends:
        low, high = end.limits
        if not low <= values[end.output] <= high:
            raise ModelError(
                f"'{end.output}' would start at {values[end.output]:g}, outside its range [{low:g}, {high:g}], over "
                f"which the loops that give {listed(end.solved)} were embedded"
            )


def missed_loops(model: Model, drift: Mapping[str, float]) -> list[str]:
    """Return notes on loops that fitted functions miss, given the largest violation of each constraint."""
    return [
        f"the functions fitted to '{name}' miss it by up to {drift[f'{name}.drift']:.2g} (m or rad): the mechanism "
        f"differs by that much. Embed it with a smaller tolerance or more poses, or by projection"
        for name, constraint in model.constraints.items()
        # Not 'greater than': NaN is reported too.
        if constraint.by == "fit" and not drift.get(f"{name}.drift", 0.0) <= ACCEPTED_MISS
    ]


def _roots(model: Model, name: str) -> list[str]:
    """Return the free coordinates that a coupled one follows."""
    function = model.coordinates[name].coupled
    if function is None:
        return [name] if name in model.moving else []
    return list(dict.fromkeys(root for other in function.coordinates for root in _roots(model, other)))
