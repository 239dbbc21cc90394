"""A mechanism described by lists, checked as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias, cast

from myodyne.errors import ModelError, unknown_name
from myodyne.formulations.lagrange.lists.checks import faults_of, frame_order
from myodyne.formulations.lagrange.lists.expressions import Expression, as_expression
from myodyne.formulations.lagrange.lists.records import (
    Closure,
    Coordinate,
    Frame,
    Load,
    Point,
    Segment,
    Spring,
    Torque,
)
from myodyne.model.part import Named

_STANDARD_GRAVITY = 9.80665
Record: TypeAlias = Coordinate | Point | Frame | Segment | Spring | Load | Torque | Closure | float | None
TABLES = ("points", "frames", "segments", "springs", "forces", "torques", "constraints")


@dataclass(frozen=True)
class Description:
    """A mechanism as lists, from which Lagrange's equations are derived.

    Parameters
    ----------
    name : str
        Name of the mechanism.
    coordinates : mapping or names
        The generalised coordinates, in the order of the equations.
    points, frames, segments : mapping
        The lists ``pt``, ``LRS`` and ``seg``, by name. The frame "ground" always exists.
    springs, forces, torques, constraints : mapping
        The lists ``spl`` and ``spt``, ``frc``, ``trq``, and the equations of constraint.
    parameters : mapping or names
        The constants in expressions, with their values (None: no value yet).
    inputs : names
        Forces and torques that are given at each instant.
    gravity : sequence
        The acceleration of gravity (m/s²); 9.80665 along -y by default.
    dimension : int
        2 for a mechanism in the plane of x and y, 3 in space.

    Examples
    --------
    >>> pendulum = Description(
    ...     name="pendulum",
    ...     coordinates=["q"],
    ...     points={"pivot": Point("ground", (0, 0)), "bob": Point("arm", ("l", 0))},
    ...     frames={"arm": Frame("pivot", ["q"])},
    ...     segments={"bob": Segment("bob", "m")},
    ...     parameters=["l", "m", "g"],
    ...     gravity=(0, "-g"),
    ... )
    >>> list(pendulum.coordinates)
    ['q']
    """

    name: str
    coordinates: Mapping[str, Coordinate] | Iterable[str]
    points: Mapping[str, Point]
    frames: Mapping[str, Frame]
    segments: Mapping[str, Segment]
    springs: Mapping[str, Spring] = field(default_factory=dict)
    forces: Mapping[str, Load] = field(default_factory=dict)
    torques: Mapping[str, Torque] = field(default_factory=dict)
    constraints: Mapping[str, Closure] = field(default_factory=dict)
    parameters: Mapping[str, float | None] | Iterable[str] = ()
    inputs: Iterable[str] = ()
    gravity: Sequence[Expression] | None = None
    dimension: int = 2

    def __post_init__(self) -> None:
        if self.dimension not in (2, 3):
            raise ModelError(f"{self.name}: the dimension is 2 or 3, not {self.dimension!r}")
        coordinates = self.coordinates
        if not isinstance(coordinates, Mapping):
            coordinates = {name: Coordinate() for name in _names(coordinates)}
        parameters = self.parameters
        if not isinstance(parameters, Mapping):
            parameters = dict.fromkeys(_names(parameters))
        gravity = self.gravity
        if gravity is None:
            gravity = (0, -_STANDARD_GRAVITY, 0)[: self.dimension]
        tables = {name: Named(getattr(self, name)) for name in TABLES}
        settled = {
            **tables,
            "coordinates": Named(coordinates),
            "parameters": Named(parameters),
            "inputs": tuple(_names(self.inputs)),
            "gravity": tuple(as_expression(part) for part in gravity),
        }
        for name, value in settled.items():
            object.__setattr__(self, name, value)
        faults = faults_of(self)
        if faults:
            lines = [f"{'.'.join(place)}: {message}" for place, message in faults]
            raise ModelError(f"{self.name}: " + "\n".join(lines), faults)

    @cached_property
    def frame_order(self) -> tuple[str, ...]:
        """The frames, each after those on which its origin and rotation depend."""
        order, _ = frame_order(self)
        return order

    @property
    def free(self) -> tuple[str, ...]:
        """Names of the coordinates whose motion is unknown."""
        return tuple(name for name, part in self.coordinate_table.items() if not part.prescribed)

    @property
    def prescribed(self) -> tuple[str, ...]:
        """Names of the coordinates whose motion is prescribed."""
        return tuple(name for name, part in self.coordinate_table.items() if part.prescribed)

    @property
    def coordinate_table(self) -> Mapping[str, Coordinate]:
        """The coordinates by name."""
        return cast("Mapping[str, Coordinate]", self.coordinates)

    @property
    def values(self) -> dict[str, float | None]:
        """The parameters with their values, None where one is missing."""
        return dict(cast("Mapping[str, float | None]", self.parameters))

    def with_values(self, values: Mapping[str, float]) -> Description:
        """Return a copy with these parameter values."""
        known = self.values
        for name in values:
            if name not in known:
                raise ModelError(unknown_name("parameter", name, known))
        return replace(self, parameters={**known, **{name: float(value) for name, value in values.items()}})

    def with_parts(self, **tables: Mapping[str, Record]) -> Description:
        """Return a copy with records added or replaced: ``with_parts(constraints={...}, coordinates={...})``."""
        valid = [*TABLES, "coordinates", "parameters"]
        changes: dict[str, Mapping[str, Record]] = {}
        for table, records in tables.items():
            if table not in valid:
                raise ModelError(unknown_name("table", table, valid))
            changes[table] = {**getattr(self, table), **records}
        return replace(self, **changes)  # type: ignore[arg-type]  # the table names are checked above

    def numbers(self, values: Mapping[str, float] | None = None) -> dict[str, float]:
        """Return a number for every parameter: the given value, else its own; a missing one raises an error."""
        described = self.with_values(values or {}).values
        missing = [name for name, value in described.items() if value is None]
        if missing:
            raise ModelError(
                f"{self.name}: parameters without a value: {', '.join(missing)}; give them in values={{...}}"
            )
        return {name: float(value) for name, value in described.items() if value is not None}


def _names(names: Iterable[str]) -> list[str]:
    if isinstance(names, str):
        raise ModelError(f"names must be a list, not the text {names!r}; write {names.split()!r}")
    found = list(names)
    for name in found:
        if found.count(name) > 1:
            raise ModelError(f"the name '{name}' is listed twice")
    return found
