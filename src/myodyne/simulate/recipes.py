"""What a simulation is computed from, as data that its result keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from myodyne.data import ExternalForces, Recipe, Trajectory
from myodyne.equations import Equations
from myodyne.numerics.schemes import Scheme
from myodyne.simulate.signals import Control, as_signal
from myodyne.simulate.switching.events import Crossing, Event, Switch


def recipe_of(  # noqa: PLR0913 - all that a simulation is given
    equations: Equations,
    duration: float,
    start: Mapping[str, float] | Trajectory | None,
    controls: Mapping[str, Control],
    scheme: Scheme,
    events: Sequence[Event],
    *,
    from_time: float = 0.0,
    every: float | None = None,
    forces: ExternalForces | None = None,
    lacks: Sequence[str] = (),
) -> Recipe:
    """Return what a simulation is computed from; ``lacks`` names what took part besides."""
    if isinstance(start, Trajectory):
        final = start.final
        values = {name: final[name] for name in equations.motion}
    else:
        values = dict(start or {})
    switches = [f"the switch to '{event.to.name}'" for event in events if isinstance(event, Switch)]
    return Recipe(
        start=values,
        controls={name: as_signal(value, name) for name, value in controls.items()},
        scheme=scheme,
        duration=duration,
        from_time=from_time,
        every=every,
        until=tuple((e.output, e.direction, e.level) for e in events if isinstance(e, Crossing)),
        given=not isinstance(start, Trajectory),
        external_forces=forces,
        lacks=(*dict.fromkeys(switches), *lacks),
    )
