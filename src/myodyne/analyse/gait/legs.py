"""The two legs of a model: which coordinates bend hip, knee and ankle, in which sense, and what carries the load."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from myodyne.analyse.sagittal import turns_in_plane
from myodyne.analyse.sides.names import is_right, other_side
from myodyne.errors import ModelError, listed
from myodyne.model import GROUND, Model

Side = Literal["right", "left"]
SIDES: tuple[Side, Side] = ("right", "left")
JOINTS = ("hip", "knee", "ankle")
# Turning from x (forwards) towards y (up): a hip flexes, a knee extends, an ankle dorsiflexes.
_FLEXION = {"hip": 1.0, "knee": -1.0, "ankle": 1.0}


@dataclass(frozen=True)
class Leg:
    """One leg.

    Parameters
    ----------
    side
        ``"right"`` or ``"left"``.
    coordinates
        The coordinate of hip, knee and ankle.
    flexion
        1 where the coordinate grows with flexion (dorsiflexion at the ankle), -1 where it falls.
    foot
        The first body below the ankle that carries load.
    bodies
        All bodies of the leg, from the hip downwards, with the loaded ones that the foot carries, such as toes.
    """

    side: Side
    coordinates: Mapping[str, str]
    flexion: Mapping[str, float]
    foot: str
    bodies: tuple[str, ...]


def side_of(name: str) -> Side | None:
    """Return the side that a name states, None where it states none.

    Examples
    --------
    >>> side_of("calcn_r"), side_of("left_foot"), side_of("trunk")
    ('right', 'left', None)
    """
    if other_side(name) == name:
        return None
    return "right" if is_right(name) else "left"


def legs_of(model: Model, loaded: Collection[str]) -> tuple[dict[Side, Leg], tuple[str, ...]]:
    """Return both legs of a model whose ``loaded`` bodies stand on the ground, and remarks on how they were found."""
    feet = {side: [body for body in model.bodies if body in loaded and side_of(body) == side] for side in SIDES}
    for side, bodies in feet.items():
        if not bodies:
            raise ModelError(
                f"'{model.name}' has no {side} foot on the ground: none of {listed(sorted(loaded)) or 'no body'} has "
                f"a name like '{side}_foot' or 'calcn_{side[0]}'. A gait needs a contact or a plate below each foot"
            )
    turns = turns_in_plane(model)
    chains = {side: _chain(model, bodies[0]) for side, bodies in feet.items()}
    notes: list[str] = []
    legs: dict[Side, Leg] = {}
    for side, other in zip(SIDES, SIDES[::-1], strict=True):
        own = [joint for joint in chains[side] if joint not in chains[other]]
        found, by_name = _joints(model, own, turns, side)
        if not by_name and side == "right":
            notes.append(f"hip, knee and ankle were found by their order in the leg: {listed(list(found.values()))}")
        flexion = {joint: _FLEXION[joint] * turns[name] for joint, name in found.items()}
        limb = tuple(model.joints[joint].child.body for joint in own)
        toes = tuple(body for body in feet[side] if body not in limb)
        legs[side] = Leg(side, found, flexion, feet[side][0], limb + toes)
    return legs, tuple(notes)


def _chain(model: Model, body: str) -> list[str]:
    """Return the joints from the ground to a body."""
    carrier = {model.joints[name].child.body: name for name in model.tree}
    found: list[str] = []
    while body != GROUND:
        found.append(carrier[body])
        body = model.joints[carrier[body]].parent.body
    return found[::-1]


def _joints(model: Model, own: Sequence[str], turns: Mapping[str, float], side: str) -> tuple[dict[str, str], bool]:
    """Return the coordinates of hip, knee and ankle: by name, else the first three that turn in the sagittal plane."""
    turning = [name for joint in own for name in model.joints[joint].coordinates if name in turns]
    named = {joint: [name for name in turning if joint in name.lower()] for joint in JOINTS}
    if all(named.values()):
        return {joint: names[0] for joint, names in named.items()}, True
    if len(turning) < len(JOINTS):
        raise ModelError(
            f"the {side} leg of '{model.name}' has {len(turning)} joints that turn in the plane of x (forwards) and "
            f"y (up), {listed(turning) or 'none'}; hip, knee and ankle are needed"
        )
    return dict(zip(JOINTS, turning, strict=False)), False
