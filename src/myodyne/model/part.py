"""The base of all model data: frozen, validated, without mathematics."""

from __future__ import annotations

import re
from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Annotated, Any, Generic, Self, TypeVar, Unpack, get_args, overload

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    ValidationError,
)
from pydantic_core import CoreSchema, ErrorDetails, core_schema

from myodyne.errors import ModelError, unknown_name
from myodyne.notebook import Table, counted, first_of, html_of

T = TypeVar("T")
D = TypeVar("D")

# A string is never a number here, and NaN is never a measurement.
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Positive = Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0)]
NonNegative = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0)]
Vector = tuple[Number, Number, Number]


def _tidy_name(name: str) -> str:
    if not name or name != name.strip() or not name.isprintable() or "/" in name:
        raise ValueError(f"a name must be printable, without '/' and without blanks at its ends, not {name!r}")
    return name


Name = Annotated[str, Field(strict=True, min_length=1, max_length=120), AfterValidator(_tidy_name)]

AXES: dict[str, tuple[float, float, float]] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def _as_direction(value: object) -> object:
    if isinstance(value, str):
        letter = value.removeprefix("-")
        if letter not in AXES:
            raise ValueError(f"a direction must be x, y, z, -x, -y, -z or three numbers, not {value!r}")
        return tuple(-x + 0.0 for x in AXES[letter]) if value.startswith("-") else AXES[letter]
    return value


def _as_unit(vector: tuple[float, float, float]) -> tuple[float, float, float]:
    length = sum(x * x for x in vector) ** 0.5
    if length < 1e-12:
        raise ValueError("a direction cannot be the zero vector")
    # A vector that is already of unit length is kept to the last bit, so that files read back unchanged.
    return vector if abs(length - 1.0) < 1e-12 else (vector[0] / length, vector[1] / length, vector[2] / length)


Direction = Annotated[Vector, BeforeValidator(_as_direction), AfterValidator(_as_unit)]


# How pydantic calls the alternatives of a union, which are not fields of the user's.
_ALTERNATIVE = re.compile(r"constrained-\w+|(tuple|list|dict|literal|nullable|function-[a-z]+)\[.*\]")


def findings(error: ValidationError) -> list[ErrorDetails]:
    """Return pydantic's findings, each at a place that the user knows.

    A value that fits no alternative of a union has one for each of them. Those of the alternative that was probably
    meant are kept: the first whose type fits, else the first.
    """
    items = error.errors(include_url=False)
    chosen: dict[tuple[str | int, ...], tuple[bool, str | int]] = {}
    for item in items:
        for number, step in _alternatives(item):
            wrong_type = item["type"].endswith("_type") and number == len(item["loc"]) - 1
            best = chosen.setdefault(item["loc"][:number], (wrong_type, step))
            if best[0] and not wrong_type:
                chosen[item["loc"][:number]] = (wrong_type, step)
    kept = []
    for item in items:
        steps = dict(_alternatives(item))
        if all(chosen[item["loc"][:number]][1] == step for number, step in steps.items()):
            place = tuple(step for number, step in enumerate(item["loc"]) if number not in steps)
            kept.append(ErrorDetails(**{**item, "loc": place}))
    return kept


def _alternatives(item: ErrorDetails) -> list[tuple[int, str]]:
    """Return where in a finding's place an alternative of a union is named, and its name."""
    return [
        (number, step)
        for number, step in enumerate(item["loc"])
        if isinstance(step, str) and _ALTERNATIVE.fullmatch(step)
    ]


def plainly(message: str) -> str:
    """Turn "Tuple should have at most 6 items after validation, not 7" into "must have at most 6 items, not 7"."""
    return re.sub(r"^[A-Z][a-z]+ should\b", "must", message).replace(" after validation", "")


_EXPECTED = {
    "float_type": "must be a number",
    "int_type": "must be a whole number",
    "bool_type": "must be True or False",
    "string_type": "must be text",
    "tuple_type": "must be a tuple or a list",
    "dict_type": "must be a mapping of names",
}


def problems_of(error: ValidationError) -> list[tuple[tuple[str | int, ...], str]]:
    """Return pydantic's findings as ``(place, message)`` pairs in our words."""
    found = []
    for item in findings(error):
        message = _EXPECTED.get(item["type"]) or plainly(item["msg"].removeprefix("Value error, "))
        if item["type"] == "extra_forbidden":
            message = "unknown field"
        elif item["type"] == "missing":
            message = "is missing"
        elif item["type"] == "union_tag_invalid":
            context = item["ctx"]
            valid = [tag.strip().strip("'") for tag in context["expected_tags"].split(",")]
            message = unknown_name("kind", context["tag"], valid)
        elif item["type"] == "model_attributes_type":
            message = f"cannot be {item.get('input')!r:.60}"
        elif item["type"] == "model_type":
            message = f"must be a {item['ctx']['class_name']}, not {item.get('input')!r:.60}"
        elif item["type"] != "value_error" and not isinstance(item.get("input"), (dict, list, tuple, BaseModel)):
            message = f"{message}, not {item.get('input')!r:.60}"
        found.append((item["loc"], message))
    return found


def raise_model_error(title: str, error: ValidationError) -> None:
    """Raise pydantic's findings as one ModelError."""
    problems = problems_of(error)
    lines = [f"{'.'.join(map(str, place))}: {message}" if place else message for place, message in problems]
    raise ModelError(f"{title}: " + "\n".join(lines), problems) from None


class Part(BaseModel):
    """A frozen piece of a model; building one from wrong values raises a ModelError."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=False, arbitrary_types_allowed=True)

    def __init__(self, **values: object) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise_model_error(type(self).__name__, error)

    # Declares to pydantic that this constructor is equivalent to its own, so that nested parts are validated in place
    # and their faults keep their full location.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    def __init_subclass__(cls, **options: Unpack[ConfigDict]) -> None:
        """Declare the same of the constructor of a subclass, which only names what it takes by position."""
        super().__init_subclass__(**options)
        cls.__init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    def model_copy(self, *, update: Mapping[str, object] | None = None, deep: bool = False) -> Self:
        """Return a copy with some fields changed, which are not checked; cached properties are dropped."""
        copy = super().model_copy(update=update, deep=deep)
        for name in copy.__dict__.keys() - type(self).model_fields.keys():
            del copy.__dict__[name]
        return copy


class Named(Mapping[str, T], Generic[T]):
    """An immutable, ordered table of parts by name; an unknown name is answered with the nearest ones."""

    __slots__ = ("_parts",)
    _parts: dict[str, T]

    def __init__(self, parts: Mapping[str, T] | None = None) -> None:
        object.__setattr__(self, "_parts", dict(parts or {}))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a table of parts cannot be changed; use model.with_values or build a new model")

    def __getitem__(self, name: str) -> T:
        parts: dict[str, T] = self._parts
        try:
            return parts[name]
        except KeyError:
            raise ModelError(unknown_name("name", name, parts)) from None

    @overload
    def get(self, name: str, /) -> T | None: ...

    @overload
    def get(self, name: str, /, default: T | D) -> T | D: ...

    def get(self, name: str, /, default: T | D | None = None) -> T | D | None:
        """Return the part of that name, or the default."""
        return self._parts.get(name, default)

    def __contains__(self, name: object) -> bool:
        return name in self._parts

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    # Views of the table itself: those of Mapping look up every name again.
    def keys(self) -> KeysView[str]:
        """Return the names."""
        return self._parts.keys()

    def values(self) -> ValuesView[T]:
        """Return the parts."""
        return self._parts.values()

    def items(self) -> ItemsView[str, T]:
        """Return names and parts."""
        return self._parts.items()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Named):
            return NotImplemented
        # The order counts: it is the order of the coordinates.
        return list(self._parts.items()) == list(other._parts.items())

    def __hash__(self) -> int:
        return hash(tuple(self._parts.items()))

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'part')}: {first_of(self._parts)}>" if self._parts else "<0 parts>"

    def _repr_html_(self) -> str:
        kinds = {type(part) for part in self._parts.values()}
        table = _same_kind(self._parts) if len(kinds) == 1 else _many_kinds(self._parts)
        return html_of(counted(len(self), "part"), (), [table] if self._parts else [])

    def __reduce__(self) -> tuple[Any, ...]:
        return Named, (self._parts,)

    def replaced(self, name: str, part: T) -> Named[T]:
        """Return a table with one part exchanged."""
        return Named({**self._parts, name: part})

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        # Without parameters it comes from pydantic itself, when it writes an empty table as a default.
        kind = (get_args(source) or (Any,))[0]
        items = handler.generate_schema(dict[Name, kind])  # type: ignore[valid-type]
        return core_schema.no_info_before_validator_function(
            lambda value: dict(value) if isinstance(value, Named) else value,
            core_schema.no_info_after_validator_function(cls, items),
            serialization=core_schema.plain_serializer_function_ser_schema(dict),
        )


def said(part: object) -> dict[str, str]:
    """Return what a part says in numbers and words, as short texts by field: no defaults, nothing nested.

    Examples
    --------
    >>> import myodyne as my
    >>> said(my.Marker(body="shank", at=(0.0, -0.2, 0.0)))
    {'body': 'shank', 'at': '(0, -0.2, 0)'}
    """
    fields = type(part).model_fields if isinstance(part, BaseModel) else {}
    texts = {
        name: _brief(value)
        for name, field in fields.items()
        if name != "kind" and ((value := getattr(part, name)) != field.default or field.is_required())
    }
    return {name: text for name, text in texts.items() if text}


def _brief(value: object) -> str:
    """Return a number, a word or a short list as text; nothing for what is larger."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:.5g}"
    if isinstance(value, str):
        return first_of([value], 60)
    if isinstance(value, Mapping) and value:
        return first_of([f"{name} {text}" if (text := _brief(one)) else str(name) for name, one in value.items()], 60)
    if isinstance(value, tuple) and value:
        texts = [_brief(one) for one in value]
        return f"({first_of(texts, 60)})" if all(texts) else ""
    # Where a part sits: the body that it is fixed to says enough.
    return str(getattr(value, "body", ""))


def _same_kind(parts: Mapping[str, object]) -> Table:
    """Return parts of one kind as a table with a column for each field."""
    rows = {name: said(part) for name, part in parts.items()}
    fields = list(dict.fromkeys(field for row in rows.values() for field in row))[:9]
    body = [(name, *(row.get(field, "") for field in fields)) for name, row in rows.items()]
    return Table("", ("name", *(field.replace("_", " ") for field in fields)), body)


def _many_kinds(parts: Mapping[str, object]) -> Table:
    """Return parts of several kinds as a table that lists the fields of each."""
    rows = [
        (name, type(part).__name__, first_of([f"{field} {text}" for field, text in said(part).items()], 120))
        for name, part in parts.items()
    ]
    return Table("", ("name", "kind", "values"), rows)
