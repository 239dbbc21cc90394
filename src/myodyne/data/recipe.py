"""What a movement is computed from: enough to run it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, get_args

from myodyne.data.curves.signals import Signal
from myodyne.data.external_forces import ExternalForces
from myodyne.data.plain import DataError, Fields, number_out
from myodyne.errors import ModelError, unknown_name
from myodyne.numerics.schemes import OneScheme, Projected, Scheme

_SCHEMES: dict[str, Any] = {kind.__name__: kind for kind in (*get_args(OneScheme), Projected)}
# An event as data: the output, its direction, the level that it passes.
Stop = tuple[str, str, float]


@dataclass(frozen=True)
class Recipe:
    """Start, controls, scheme and duration of a simulation: with its model, all that `replay` needs.

    Parameters
    ----------
    start
        Values of states by name; the model's defaults are the others.
    controls
        Signals by name; other controls are zero.
    scheme
        How it marches through time.
    duration
        Time (s) that is simulated, unless an event ends it before.
    from_time
        Time (s) of the start.
    every
        Time (s) between samples; None leaves it to the scheme.
    until
        Events that end it: output, direction (``"falling"``, ``"rising"``, ``"either"``), and level.
    given
        Whether the start was given by hand: constraints then move other states first. Else it was the end of a run.
    external_forces
        Recorded forces on bodies.
    lacks
        What took part and cannot be kept, such as a controller in Python; such a run is not repeated.

    Examples
    --------
    >>> import myodyne as my
    >>> swing = my.simulate(my.load_model("pendulum"), 1.0, start={"angle": 0.5}).recipe
    >>> swing.start, swing.duration, Recipe.from_dict(swing.to_dict()) == swing
    ({'angle': 0.5}, 1.0, True)
    """

    start: Mapping[str, float]
    controls: Mapping[str, Signal]
    scheme: Scheme
    duration: float
    from_time: float = 0.0
    every: float | None = None
    until: tuple[Stop, ...] = ()
    given: bool = True
    external_forces: ExternalForces | None = None
    lacks: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", {str(name): float(value) for name, value in self.start.items()})
        object.__setattr__(self, "controls", dict(self.controls))
        object.__setattr__(self, "duration", float(self.duration))
        object.__setattr__(self, "from_time", float(self.from_time))
        object.__setattr__(self, "every", None if self.every is None else float(self.every))
        object.__setattr__(self, "until", tuple((str(o), str(d), float(level)) for o, d, level in self.until))
        object.__setattr__(self, "lacks", tuple(map(str, self.lacks)))

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe as plain data that JSON can hold."""
        forces = self.external_forces
        return {
            "start": {name: number_out(value) for name, value in self.start.items()},
            "controls": {name: signal.to_dict() for name, signal in self.controls.items()},
            "scheme": _plain_scheme(self.scheme),
            "duration": self.duration,
            "from_time": self.from_time,
            "every": self.every,
            "until": [list(stop) for stop in self.until],
            "given": self.given,
            **({} if forces is None else {"external_forces": forces.to_dict()}),
            "lacks": list(self.lacks),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Recipe:
        """Return the recipe that `to_dict` wrote; unknown fields and wrong types raise errors that name them."""
        read = Fields("recipe", data, [item.name for item in fields(cls)])
        controls = data.get("controls", {})
        if not isinstance(controls, Mapping):
            raise DataError("recipe.controls: signals by name are expected")
        lacks, forces = read.sequence("lacks"), data.get("external_forces")
        if not all(isinstance(one, str) for one in lacks):
            raise DataError("recipe.lacks: a list of texts is expected")
        return cls(
            start=read.numbers("start"),
            controls={str(name): _signal(str(name), signal) for name, signal in controls.items()},
            scheme=_scheme(data.get("scheme")),
            duration=read.number("duration", float("nan")),
            from_time=read.number("from_time"),
            every=read.optional_number("every"),
            until=tuple(_stop(row) for row in read.sequence("until")),
            given=read.flag("given"),
            external_forces=None if forces is None else ExternalForces.from_dict(forces),
            lacks=tuple(lacks),
        )


def _signal(name: str, data: Any) -> Signal:  # noqa: ANN401 - anything may stand in a file
    try:
        return Signal.from_dict(data)
    except DataError as error:
        raise DataError(f"recipe.controls.{name}: {error}") from None


def _stop(row: object) -> Stop:
    if not isinstance(row, list | tuple) or len(row) != 3:
        raise DataError(f"recipe.until: an event is an output, a direction and a level, not {row!r:.60}")
    names = ("output", "direction", "level")
    read = Fields("recipe.until", dict(zip(names, row, strict=True)), names)
    return read.text("output"), read.text("direction"), read.number("level")


def _plain_scheme(scheme: Scheme) -> dict[str, Any]:
    plain: dict[str, Any] = {"kind": type(scheme).__name__}
    for item in fields(scheme):
        value = getattr(scheme, item.name)
        if isinstance(value, OneScheme):
            plain[item.name] = _plain_scheme(value)
        else:
            plain[item.name] = number_out(value) if isinstance(value, float) else value
    return plain


def _scheme(data: object) -> Scheme:
    if not isinstance(data, Mapping):
        raise DataError(f"recipe.scheme: a kind and its numbers are expected, not {data!r:.60}")
    name = Fields("recipe.scheme", data, data).text("kind")
    if name not in _SCHEMES:
        raise DataError("recipe.scheme: " + unknown_name("scheme", name, tuple(_SCHEMES)))
    kind = _SCHEMES[name]
    read = Fields(f"recipe.scheme ({name})", data, ["kind", *(item.name for item in fields(kind))])
    numbers: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, Mapping):
            numbers[key] = _scheme(value)
        elif key != "kind":
            # Counts and orders stay whole numbers.
            numbers[key] = value if isinstance(value, int) else read.optional_number(key)
    try:
        made: Scheme = kind(**numbers)
    except (ModelError, TypeError) as error:
        raise DataError(f"recipe.scheme: {error}") from None
    return made
