"""Events: something crosses zero, and the simulation stops or goes on with another model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Literal, get_args

import numpy as np

from myodyne.errors import ModelError, listed, unknown_name
from myodyne.model import Model
from myodyne.simulate.switching.landing import check_anchors
from myodyne.types import Floats

State = Mapping[str, float]
Direction = Literal["falling", "rising", "either"]


@dataclass(frozen=True)
class Crossing:
    """A named output passes a level; made by `falls_through_zero`, `rises_through_zero`, `crosses`.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Crossing("knee", "falling", level=-1.0).name      # rad
    'knee falls through -1'
    """

    output: str
    direction: Direction
    level: float = 0.0

    def __post_init__(self) -> None:
        if self.direction not in get_args(Direction):
            raise ModelError(f"an event's direction is one of {listed(get_args(Direction))}, not {self.direction!r}")
        if isinstance(self.level, bool) or not isinstance(self.level, Real) or not isfinite(self.level):
            raise ModelError(f"the level that '{self.output}' passes must be a finite number, not {self.level!r}")

    @property
    def name(self) -> str:
        verb = {"falling": "falls through", "rising": "rises through", "either": "crosses"}[self.direction]
        return f"{self.output} {verb} {self.level:g}"

    def first(self, values: Floats) -> int | None:
        """Return the first interval of a record in which the event happens, None if it does not."""
        shifted = values - self.level
        before, after = shifted[:-1], shifted[1:]
        falls, rises = (before > 0) & (after <= 0), (before < 0) & (after >= 0)
        happens = {"falling": falls, "rising": rises, "either": falls | rises}[self.direction]
        found = np.flatnonzero(happens)
        return int(found[0]) if len(found) else None


def falls_through_zero(output: str) -> Crossing:
    """Return the event that an output passes zero downwards.

    Examples
    --------
    >>> falls_through_zero("com.velocity_y").name
    'com.velocity_y falls through 0'
    """
    return Crossing(output, "falling")


def rises_through_zero(output: str) -> Crossing:
    """Return the event that an output passes zero upwards.

    Examples
    --------
    >>> rises_through_zero("knee.speed").direction
    'rising'
    """
    return Crossing(output, "rising")


def crosses(output: str, level: float) -> Crossing:
    """Return the event that an output passes ``level``, in either direction.

    Examples
    --------
    >>> crosses("com.position_y", 1.2).name
    'com.position_y crosses 1.2'
    """
    return Crossing(output, "either", level)


@dataclass(frozen=True)
class Switch:
    """When ``when`` happens, the simulation continues with the model ``to``.

    States keep their values by name. ``carry`` receives the state before, by name, and returns the values
    that are new or different after (an impact, a coordinate that the other model has and this one has not).
    ``anchor`` names point, line and weld constraints of the other model that are put where their body is at that
    instant: a foot stays where it lands. Without any of the two a state that misses the constraints by more than a
    millimetre (or a thousandth of a radian) ends the simulation with an error.

    Examples
    --------
    A ball that loses half of its speed at each bounce:

    >>> import myodyne as my
    >>> ball = my.Model(name="ball", bodies={"ball": my.Body(mass=1.0)},
    ...                 joints={"fall": my.slider("ground", "ball", "height", axis="y", default=1.0)})
    >>> bounce = my.Switch(my.falls_through_zero("height"), to=ball,
    ...                    carry=lambda before: {"height": 0.0, "height.speed": -0.5 * before["height.speed"]})
    >>> len(my.simulate(ball, duration=1.0, until=bounce).report.events)
    2
    """

    when: Crossing
    to: Model
    carry: Callable[[State], State] | None = None
    anchor: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.when, Crossing) or not isinstance(self.to, Model):
            raise ModelError("a Switch takes an event and a model, my.Switch(my.crosses('height', 0.0), to=model)")
        object.__setattr__(self, "anchor", (self.anchor,) if isinstance(self.anchor, str) else tuple(self.anchor))
        check_anchors(self.to, self.anchor)

    def values_after(self, before: State, after: Sequence[str]) -> dict[str, float]:
        """Return the states ``after``, by name: those of before that go on, and what ``carry`` changes or adds."""
        carried = self.carry(before) if self.carry else {}
        if not isinstance(carried, Mapping):
            raise ModelError(f"carry must return new or changed states by name, not {carried!r:.60}")
        for name in carried:
            if name not in after and name not in before:
                raise ModelError("carry: " + unknown_name("state", name, after))
        return {name: value for name, value in {**before, **carried}.items() if name in after}


Event = Crossing | Switch


def crossing_of(event: Event) -> Crossing:
    """Return the crossing that is or triggers an event."""
    return event.when if isinstance(event, Switch) else event


def as_events(until: Event | Sequence[Event] | None) -> tuple[Event, ...]:
    """Return the events of a simulation as a tuple."""
    if until is None:
        return ()
    events = (until,) if isinstance(until, Crossing | Switch) else tuple(until)
    for event in events:
        if not isinstance(event, Crossing | Switch):
            raise ModelError(f"until takes events like my.falls_through_zero('com.velocity_y'), not {event!r}")
    return events
