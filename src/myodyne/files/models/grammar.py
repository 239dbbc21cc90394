"""The grammar of model files: the data of a `Model`, and short forms for the usual joints.

A joint may be written ``{parent: thigh, child: shank, pin: {coordinate: knee}}``. The short forms are data
classes here, so that their faults are found in place and the JSON schema knows them; what they mean is said by
the constructors of `myodyne.model.joints` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, cast

from pydantic import (
    AfterValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    create_model,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from myodyne.errors import ModelError, listed
from myodyne.model import Coordinate, Joint, Model, Named, Part, Placement
from myodyne.model.joints import CONSTRUCTORS, ball
from myodyne.model.part import AXES, Direction, Name


class _BodyAlone:
    """Lets a bare name stand for a frame in the origin of that body."""

    @staticmethod
    def read(value: object) -> object:
        return {"body": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(cls.read, handler(source))

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"type": "string", "minLength": 1, "maxLength": 120}, handler(core)]}


@dataclass(frozen=True)
class _Several:
    """Coordinates as a list of names, or as a table of names with their options; always ``count`` of them."""

    count: int

    def read(self, value: object) -> object:
        if not isinstance(value, list | tuple):
            return value
        for name in value:
            if not isinstance(name, str):
                raise ValueError(f"coordinates are listed by name, not {name!r:.60}")
        if len(set(value)) != len(value):
            raise ValueError("a coordinate is listed twice")
        return {name: {} for name in value}

    def counted(self, table: Named[Coordinate]) -> Named[Coordinate]:
        if len(table) != self.count:
            raise ValueError(f"this kind of joint has {self.count} coordinates, not {len(table)}")
        return table

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        table = core_schema.no_info_after_validator_function(self.counted, handler(source))
        return core_schema.no_info_before_validator_function(self.read, table)

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        names = {
            "type": "array",
            "items": {"type": "string"},
            "minItems": self.count,
            "maxItems": self.count,
            "uniqueItems": True,
        }
        table = {**handler(core), "minProperties": self.count, "maxProperties": self.count}
        return {"anyOf": [names, table]}


def _rotation_sequence(sequence: str) -> str:
    # The constructor knows which sequences there are, and says so.
    ball("parent", "child", ("first", "second", "third"), sequence)
    return sequence


PlacementEntry = Annotated[Placement, _BodyAlone]
Sequence = Annotated[
    str,
    Field(strict=True, json_schema_extra={"pattern": "^(?!.*(xx|yy|zz))[xyz]{3}$"}),
    AfterValidator(_rotation_sequence),
]


class _OneCoordinate(Coordinate):
    """A short form with one coordinate, whose fields stand beside its name."""

    coordinate: Name
    axis: Direction

    def arguments(self) -> dict[str, Any]:
        """Return what to hand to the constructor of this kind of joint."""
        return {"coordinate": self.coordinate, "axis": self.axis}

    def table(self) -> dict[str, Coordinate]:
        """Return the coordinates by name."""
        return {self.coordinate: Coordinate(**{field: getattr(self, field) for field in Coordinate.model_fields})}


class _OrderedCoordinates(Part):
    """A short form whose coordinates are in the order of its motions."""

    coordinates: Named[Coordinate]

    def arguments(self) -> dict[str, Any]:
        """Return what to hand to the constructor of this kind of joint."""
        other = {field: getattr(self, field) for field in type(self).model_fields if field != "coordinates"}
        return {"coordinates": tuple(self.coordinates), **other}

    def table(self) -> dict[str, Coordinate]:
        """Return the coordinates by name."""
        return dict(self.coordinates)


class Weld(Part):
    """No motion."""

    def arguments(self) -> dict[str, Any]:
        """Return what to hand to the constructor of this kind of joint."""
        return {}

    def table(self) -> dict[str, Coordinate]:
        """Return the coordinates by name."""
        return {}


class Pin(_OneCoordinate):
    """One rotation about ``axis``; the other fields are those of the coordinate."""

    axis: Direction = AXES["z"]


class Slider(_OneCoordinate):
    """One translation along ``axis``; the other fields are those of the coordinate."""

    axis: Direction = AXES["x"]


class Universal(_OrderedCoordinates):
    """Two rotations about ``axes``, the second carried by the first, by two coordinates in this order."""

    coordinates: Annotated[Named[Coordinate], _Several(2)]
    axes: tuple[Direction, Direction] = (AXES["x"], AXES["y"])


class Ball(_OrderedCoordinates):
    """Three rotations about the moving axes of ``sequence``, by three coordinates in this order."""

    coordinates: Annotated[Named[Coordinate], _Several(3)]
    sequence: Sequence = "xyz"


class Planar(_OrderedCoordinates):
    """Translations along x and y, then a rotation about z, by three coordinates in this order."""

    coordinates: Annotated[Named[Coordinate], _Several(3)]


class Free(_OrderedCoordinates):
    """Translations along x, y and z, then rotations in ``sequence``, by six coordinates in this order."""

    coordinates: Annotated[Named[Coordinate], _Several(6)]
    sequence: Sequence = "xyz"


class JointEntry(Joint):
    """How ``child`` moves against ``parent``: by one of the short forms, or by ``coordinates`` and ``axes``."""

    parent: PlacementEntry
    child: PlacementEntry
    # Not optional: a form that is named but left empty is a slip, not a joint without it.
    weld: Weld = cast(Any, None)
    pin: Pin = cast(Any, None)
    slider: Slider = cast(Any, None)
    universal: Universal = cast(Any, None)
    ball: Ball = cast(Any, None)
    planar: Planar = cast(Any, None)
    free: Free = cast(Any, None)

    @model_validator(mode="after")
    def _one_motion(self) -> JointEntry:
        given = [field for field in (*CONSTRUCTORS, "axes") if field in self.model_fields_set]
        if not given:
            raise ValueError(f"does not say how it moves; give one of {listed(CONSTRUCTORS)}, or 'axes'")
        if len(given) > 1:
            raise ValueError(f"moves in several ways: {listed(given)}; keep one of them")
        if "coordinates" in self.model_fields_set and given != ["axes"]:
            raise ValueError(f"'coordinates' of its own belong to 'axes'; with '{given[0]}' they go inside it")
        try:
            self.joint()
        except ModelError as error:
            raise ValueError("\n".join(message for _, message in error.problems)) from None
        return self

    def joint(self) -> Joint:
        """Return the joint that is meant."""
        for kind in CONSTRUCTORS:
            form = getattr(self, kind)
            if form is not None:
                construct = cast(Callable[..., Joint], CONSTRUCTORS[kind])
                axes = construct(self.parent, self.child, **form.arguments()).axes
                return Joint(parent=self.parent, child=self.child, coordinates=Named(form.table()), axes=axes)
        return Joint(parent=self.parent, child=self.child, coordinates=self.coordinates, axes=self.axes)


def _same_but(fields: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: (field.annotation, field) for name, field in Model.model_fields.items() if not field.exclude}
    return {**kept, **fields}


# The model's own fields, so that a new kind of element can be written in files as soon as models have it.
ModelEntry: type[Part] = create_model(
    "ModelEntry",
    __base__=Part,
    __doc__="Bodies, joints, markers and forces, by name. SI units, radians; y is up, x forward, z to the right.",
    **_same_but({"joints": (Named[JointEntry], Named())}),
)
