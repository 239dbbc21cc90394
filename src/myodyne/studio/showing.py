"""Messages that every desk sends: a movement as a scene, with its summary beside that of a pinned one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from myodyne.data import Result, Trajectory
from myodyne.model import Model
from myodyne.studio.summary import Fact
from myodyne.view.actors import actor_of
from myodyne.view.packing import packed
from myodyne.view.scene import Actor, Scene, lies_in_plane, stands_on_ground


@dataclass(frozen=True)
class Message:
    """What goes to the page: plain data, and a block of bytes where a scene goes along."""

    data: Mapping[str, Any]
    block: bytes = b""


@dataclass(frozen=True)
class Beside:
    """A movement that is shown beside the present one: pinned, with its summary, or recorded."""

    actor: Actor
    facts: tuple[Fact, ...] = ()


def pinned(run: Result, model: Model, facts: Sequence[Fact]) -> Beside:
    """Return what stays of a run."""
    return Beside(actor_of(model, run, "pinned"), tuple(facts))


def scene_message(
    model: Model, movement: Trajectory, title: str, *, facts: Sequence[Fact], others: Sequence[Beside] = ()
) -> dict[str, Any]:
    """Return header, block and summary of a movement."""
    actors = (actor_of(model, movement, "now"), *(other.actor for other in others))
    points = actors[0].axes()
    header, block = packed(Scene(actors, title, lies_in_plane(points), stands_on_ground(points)))
    return {"header": header, "summary": rows_of(facts, others), "block": block}


def rows_of(facts: Sequence[Fact], others: Sequence[Beside]) -> list[dict[str, Any]]:
    """Return the rows of the summary as plain data, with the numbers of the pinned movement."""
    before = {fact.name: fact.value for other in others for fact in other.facts}
    return [{**vars(fact), "value": finite(fact.value), "pinned": finite(before.get(fact.name))} for fact in facts]


def finite(value: float | None) -> float | None:
    """Return a number that JSON can hold; NaN and infinity are None.

    Examples
    --------
    >>> finite(float("nan")), finite(0.5)
    (None, 0.5)
    """
    return value if value is not None and isfinite(value) else None
