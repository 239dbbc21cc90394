"""Where a body lands: constraints of the next model are put where their bodies are at the instant of a switch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from myodyne.equations import Equations
from myodyne.errors import ModelError, listed, unknown_name
from myodyne.model import GROUND, LineConstraint, Model, Placement, PointConstraint, RollingConstraint, WeldConstraint
from myodyne.numerics.rotations import rotation
from myodyne.types import Floats

# A switch moves a state onto constraints that are off by no more than this (m or rad).
FARTHEST = 1e-3

_Pose = tuple[Floats, Floats]
_MOVABLE = PointConstraint | WeldConstraint | LineConstraint | RollingConstraint


def check_anchors(model: Model, names: Sequence[str]) -> None:
    """Refuse names that are not constraints with a place that could be moved."""
    for name in names:
        if name not in model.constraints:
            raise ModelError("anchor: " + unknown_name("constraint", name, model.constraints))
        constraint = model.constraints[name]
        if not isinstance(constraint, _MOVABLE):
            raise ModelError(
                f"anchor: a {constraint.kind} constraint, '{name}', has no location; points, lines, welds and arcs "
                f"have one"
            )
        if constraint.by != "multipliers":
            raise ModelError(f"anchor: '{name}' is embedded, and its location is part of the embedding functions")


@lru_cache(maxsize=64)
def _freed(model: _ByHash, names: tuple[str, ...]) -> Model:
    """Return the model with its anchors as free numbers: moving them takes no compiler."""
    return model.model.free(*(field for name in names for field in _fields(model.model, name)))


class _ByHash:
    """A model as a key: two that say the same are equal."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def __hash__(self) -> int:
        return hash(self.model.hash)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByHash) and other.model.hash == self.model.hash


def _end(model: Model, name: str) -> str:
    """Return which end of a constraint is moved: that on the ground, or else the second."""
    constraint = model.constraints[name]
    if isinstance(constraint, LineConstraint):
        return ""
    assert isinstance(constraint, PointConstraint | WeldConstraint)
    return "first" if constraint.first.body == GROUND and constraint.second.body != GROUND else "second"


def _fields(model: Model, name: str) -> tuple[str, ...]:
    """Return the names of the numbers that place a constraint."""
    if isinstance(model.constraints[name], RollingConstraint):
        return (f"{name}.anchor",)
    end = _end(model, name)
    if not end:
        return (f"{name}.at",)
    turned = isinstance(model.constraints[name], WeldConstraint)
    return (f"{name}.{end}.at", f"{name}.{end}.orientation") if turned else (f"{name}.{end}.at",)


def freed(model: Model, names: Sequence[str]) -> Model:
    """Return the model whose anchors can be moved without building it again."""
    return _freed(_ByHash(model), tuple(names)) if names else model


def landed(equations: Equations, names: Sequence[str], q: ArrayLike) -> tuple[Model, list[str]]:
    """Return the model with some of its constraints placed where they are met by the pose ``q``, and what was moved."""
    model = equations.model
    turns, places = equations.body_poses(q)
    poses: dict[str, _Pose] = {body: (turns[number], places[number]) for number, body in enumerate(equations.bodies)}
    poses[GROUND] = np.eye(3), np.zeros(3)
    changes: dict[str, float] = {}
    notes = []
    for name in names:
        if isinstance(constraint := model.constraints[name], RollingConstraint):
            changes[f"{name}.anchor"] = _rolled_from(equations, name, constraint, q)
            notes.append(f"'{name}' was anchored at {changes[f'{name}.anchor']:.6g} m along the ground")
            continue
        at, orientation = _anchor(model, name, poses)
        for field, numbers in zip(_fields(model, name), (at, orientation), strict=False):
            changes |= {f"{field}.{axis}": float(number) for axis, number in zip("xyz", numbers, strict=True)}
        notes.append(
            f"'{name}' was anchored at ({', '.join(f'{round(float(number), 9) + 0.0:.6g}' for number in at)}) m"
        )
    return model.with_values(changes), notes


def _rolled_from(equations: Equations, name: str, arc: RollingConstraint, q: ArrayLike) -> float:
    """Return the anchor from which an arc has rolled to where it is, whatever its height above the ground."""
    row = equations.multipliers.index(f"{name}.tangential_force")
    pose = np.asarray(q, dtype=float)
    controls = np.zeros(len(equations.controls))
    return float(arc.anchor + equations.constraint_errors(pose, np.zeros_like(pose), u=controls)[0][row])


def _anchor(model: Model, name: str, poses: dict[str, _Pose]) -> tuple[Floats, Floats]:
    """Return place and orientation, in its own body, of the end of a constraint that meets the other end."""
    constraint = model.constraints[name]
    if isinstance(constraint, LineConstraint):
        turn, place = poses[constraint.point.body]
        met, frame, body = turn @ np.array(constraint.point.at) + place, turn, constraint.body
    else:
        assert isinstance(constraint, PointConstraint | WeldConstraint)
        ends = constraint.first, constraint.second
        moved, other = ends if _end(model, name) == "first" else ends[::-1]
        turn, place = poses[other.body]
        met, frame, body = turn @ np.array(other.at) + place, turn, moved.body
        if isinstance(other, Placement):
            frame = turn @ rotation(other.orientation)
    own_turn, own_place = poses[body]
    return own_turn.T @ (met - own_place), _angles(own_turn.T @ frame)


def _angles(turn: Floats) -> Floats:
    """Return the angles about x, the new y and the new z of a rotation matrix."""
    middle = math.asin(min(1.0, max(-1.0, float(turn[0, 2]))))
    if abs(turn[0, 2]) > 1 - 1e-14:  # first and last axis coincide
        return np.array([math.atan2(turn[2, 1], turn[1, 1]), middle, 0.0])
    return np.array([math.atan2(-turn[1, 2], turn[2, 2]), middle, math.atan2(-turn[0, 1], turn[0, 0])])


def too_far(equations: Equations, state: Floats, u: ArrayLike) -> str:
    """Return why a switch cannot put a state onto the constraints of its model; empty if it may."""
    size = len(equations.coordinates)
    errors = np.abs(equations.constraint_errors(state[:size], state[size : 2 * size], u=u)[0])
    if not len(errors) or np.max(errors) <= FARTHEST:
        return ""
    worst = equations.multipliers[int(np.argmax(errors))].rpartition(".")[0]
    movable = [
        name
        for name, part in equations.model.constraints.items()
        if isinstance(part, _MOVABLE) and part.by == "multipliers"
    ]
    remedy = f"Let the Switch put it where the body is (anchor={movable!r})" if worst in movable else "Give it a carry"
    return (
        f"the switch to '{equations.model.name}' would have to move the state by {np.max(errors):.3g} (m or rad) onto "
        f"{listed([worst])}; at most {FARTHEST:g} is rounding. {remedy}, or return a state that meets it from carry."
    )
