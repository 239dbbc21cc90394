"""Coordinates lead somewhere: coupled ones to free ones, solved ones to a constraint, all of them to an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from myodyne.errors import unknown_name
from myodyne.model.constraints import PointConstraint

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from myodyne.model.constraints import Constraint
    from myodyne.model.joints import Coordinate
    from myodyne.model.model import Model


def _coordinates(model: Model) -> dict[str, Coordinate]:
    """Return all coordinates by name; the model's own table needs a tree that is sound."""
    return {name: part for joint in model.joints.values() for name, part in joint.coordinates.items()}


def unused_coordinates(model: Model) -> Iterator[str]:
    """Yield a message for each coordinate that moves neither an axis nor another coordinate."""
    parts = _coordinates(model)
    used = {name for joint in model.joints.values() for axis in joint.axes for name in axis.function.coordinates}
    used.update(name for part in parts.values() if part.coupled for name in part.coupled.coordinates)
    for name in parts:
        if name not in used:
            yield f"coordinate '{name}' moves nothing: no axis is a function of it"


def solving_faults(model: Model) -> Iterator[str]:
    """Yield the faults of embedded constraints: what they solve is coupled, as a first guess, and solved once."""
    parts = _coordinates(model)
    owners: dict[str, str] = {}
    for name, constraint in model.constraints.items():
        rows = _most_rows(constraint)
        if len(constraint.solves) > rows:
            yield (
                f"constraints.{name}.solves.{rows}: a constraint of kind '{constraint.kind}' has {rows} "
                f"row{'' if rows == 1 else 's'} here and cannot solve {len(constraint.solves)} coordinates"
            )
        for number, solved in enumerate(constraint.solves):
            place = f"constraints.{name}.solves.{number}"
            if solved not in parts:
                yield f"{place}: {unknown_name('coordinate', solved, parts)}"
            elif parts[solved].coupled is None:
                yield (
                    f"{place}: '{solved}' is not coupled. Met by {constraint.by}, a loop needs a first guess as a "
                    f"function of the coordinates that stay free: give '{solved}' one (coupled), or use embed"
                )
            if solved in owners:
                yield f"{place}: '{solved}' is solved by constraint '{owners[solved]}' already"
            owners.setdefault(solved, name)


def _most_rows(constraint: Constraint) -> int:
    """Return how many rows a constraint has, those included that no coordinate of the model can change."""
    if isinstance(constraint, PointConstraint):
        return len(constraint.axes)
    return {"weld": 6, "line": 2, "rolling": 2}.get(constraint.kind, 1)


def coupling_faults(model: Model) -> Iterator[str]:
    """Yield the faults of coupled coordinates, which must lead to free ones without a cycle."""
    parts = _coordinates(model)
    leaders = {name: part.coupled.coordinates for name, part in parts.items() if part.coupled is not None}
    unsettled = _unsettled(leaders)
    for name, followed in leaders.items():
        if parts[name].locked:
            yield f"coordinate '{name}' is locked and coupled; it can be only one of them"
        for other in followed:
            if other not in parts:
                yield f"coordinate '{name}', coupled: {unknown_name('coordinate', other, parts)}"
        if name in unsettled and _leads_back(name, leaders, unsettled):
            yield f"coordinate '{name}' is coupled to itself: the couplings form a cycle"


def _leads_back(name: str, leaders: Mapping[str, Collection[str]], unsettled: Collection[str]) -> bool:
    """Return whether a coordinate follows itself, through others or directly."""
    waiting, seen = [*leaders[name]], {name}
    while waiting:
        other = waiting.pop()
        if other == name:
            return True
        if other in unsettled and other not in seen:
            seen.add(other)
            waiting.extend(leaders[other])
    return False


def _unsettled(leaders: Mapping[str, Collection[str]]) -> set[str]:
    """Return the coupled coordinates that are in a cycle or follow one; each of the others is visited once."""
    followers: dict[str, list[str]] = {}
    missing = {}
    for name, followed in leaders.items():
        coupled = {other for other in followed if other in leaders}
        missing[name] = len(coupled)
        for other in coupled:
            followers.setdefault(other, []).append(name)
    settled = [name for name, count in missing.items() if count == 0]
    for name in settled:
        for follower in followers.get(name, ()):
            missing[follower] -= 1
            if missing[follower] == 0:
                settled.append(follower)
    return set(leaders).difference(settled)
