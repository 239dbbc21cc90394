"""Faults of a model's content, in words, with the line and the field of the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from myodyne.errors import ModelError, listed, unknown_name
from myodyne.files.models.grammar import ModelEntry
from myodyne.files.models.yaml_reader import Place, Row, Table, located, shortened
from myodyne.model import Named
from myodyne.model.part import findings, plainly

MOST_SHOWN = 10
_MOST_KEPT = 100
_LONGEST = 400

Problem = tuple[Place, str]


def model_error(file: str, tree: Table, problems: Iterable[Problem], more: int = 0) -> ModelError:
    """Return one error that names file, line and field of each problem; ``more`` were found but not described."""
    kept: dict[tuple[Place, str], int] = {}
    for place, message in problems:
        shown, line = _seen_in_file(tree, place)
        kept.setdefault((shown, shortened(message, _LONGEST)), line)
    ordered = sorted(kept.items(), key=lambda item: item[1])
    lines = [located(file, line, place, message) for (place, message), line in ordered[:MOST_SHOWN]]
    left_over = len(ordered) + more - len(lines)
    if left_over > 0:
        lines.append(f"{file}: and {left_over} more")
    return ModelError("\n".join(lines), [key for key, _ in ordered])


def described(error: ValidationError, tree: Table, grammar: type[BaseModel] = ModelEntry) -> tuple[list[Problem], int]:
    """Return pydantic's findings in our words, and how many more there are than are worth describing.

    ``grammar`` is the class that the file should make: it knows which fields and kinds there are.
    """
    found = [item for item in findings(error) if not _follows_from_others(item)]
    problems = [(_without_kinds(item["loc"], grammar), _worded(item, grammar)) for item in found[:_MOST_KEPT]]
    return [_nearer(tree, *problem) for problem in problems], max(0, len(found) - _MOST_KEPT)


def located_in(tree: Table, text: str) -> tuple[list[Problem], int]:
    """Return faults between the parts of a model, which come as lines of text, with their places in the file."""
    lines = [line for line in text.splitlines() if line]
    return [_located(tree, line) for line in lines[:_MOST_KEPT]], max(0, len(lines) - _MOST_KEPT)


def _seen_in_file(tree: Table, place: Place) -> tuple[Place, int]:
    """Return the part of a place that the file shows, and its line.

    A place may go further than the file: into a short form, or to a field that is missing.
    """
    shown: list[str | int] = []
    line = 1
    node: Any = tree
    last = len(place) - 1
    for number, step in enumerate(place):
        if step in _steps(node):
            line = node.lines[step]
            node = node[step]
            shown.append(step)
        elif not isinstance(node, Table | Row):
            break
        elif number == last and step != "[key]":
            # Missing: its line is that of the table it belongs to.
            shown.append(step)
    return tuple(shown), line


# --- what pydantic found ------------------------------------------------------------------------------------


def _worded(item: ErrorDetails, grammar: type[BaseModel]) -> str:
    message: str = item["msg"].removeprefix("Value error, ")
    kind, value, place = item["type"], item.get("input"), item["loc"]
    if kind == "value_error":
        return message
    if kind == "extra_forbidden":
        return unknown_name("field", shortened(str(place[-1]), 60), _fields_at(place[:-1], grammar))
    if kind == "missing":
        return "is missing: the list is too short" if isinstance(place[-1], int) else "is missing"
    if kind == "union_tag_invalid":
        return unknown_name("kind", shortened(str(item["ctx"]["tag"]), 60), _kinds_at(place, grammar))
    if kind == "union_tag_not_found":
        needs = "needs" if isinstance(value, dict) else "must be a table of fields with"
        return f"{needs} a 'kind': choose from {listed(_kinds_at(place, grammar))}"
    if value is None:
        return "is empty; give it a value, or remove it"
    expected = _EXPECTED[kind](value) if kind in _EXPECTED else plainly(message)
    return expected if isinstance(value, dict | list | tuple | BaseModel) else f"{expected}, not {_shown(value)}"


def _follows_from_others(item: ErrorDetails) -> bool:
    """Whether a list was called too short only because its items are wrong, each of which is reported."""
    return bool(item["type"] == "too_short" and len(item["input"]) >= item["ctx"]["min_length"])


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else shortened(repr(value), 60)


def _number_expected(value: object) -> str:
    if isinstance(value, str) and re.match(r"\s*[-+.]?[0-9]", value):
        return "must be a number, without quotes, commas or a unit (SI units are understood)"
    return "must be a number"


_EXPECTED: dict[str, Callable[[object], str]] = {
    "float_type": _number_expected,
    "int_type": lambda value: "must be a whole number",
    "finite_number": lambda value: "must be a finite number",
    "bool_type": lambda value: "must be true or false",
    "string_type": lambda value: (
        "must be text" + ("" if isinstance(value, dict | list) else " (in quotes, if it is a name)")
    ),
    "dict_type": lambda value: "must be a table of names, each with its fields",
    "model_type": lambda value: "must be a table of fields",
    "model_attributes_type": lambda value: "must be a table of fields",
    "tuple_type": lambda value: "must be a list",
}


def _fields_at(place: Place, grammar: type[BaseModel]) -> list[str]:
    """Return the fields that the grammar knows at a place."""
    kinds = [*_types_at(place, grammar)]
    return list(dict.fromkeys(field for kind in kinds if hasattr(kind, "model_fields") for field in kind.model_fields))


def _kinds_at(place: Place, grammar: type[BaseModel]) -> list[str]:
    return [name for kind in _types_at(place, grammar) if (name := _kind_of(kind)) is not None]


def _types_at(place: Place, grammar: type[BaseModel]) -> Iterator[object]:
    """Follow pydantic's steps (fields, names, numbers, and kinds where there are several) through the grammar."""
    kinds: list[object] = [grammar]
    for step in place:
        kinds = _chosen(kinds, step) or [inner for kind in kinds for inner in _inside(kind, step)]
        kinds = [member for kind in kinds for member in _members(kind)]
    yield from kinds


def _chosen(kinds: list[object], step: str | int) -> list[object]:
    """Return the one of several kinds that a step chooses; it may have a field of the same name."""
    return [kind for kind in kinds if _kind_of(kind) == step] if len(kinds) > 1 else []


def _kind_of(kind: object) -> str | None:
    field = getattr(kind, "model_fields", {}).get("kind")
    return None if field is None else str(field.default)


def _without_kinds(place: Place, grammar: type[BaseModel]) -> Place:
    """Return a place without the steps that only choose one of several kinds: they are not fields of the file."""
    return tuple(step for number, step in enumerate(place) if not _chosen([*_types_at(place[:number], grammar)], step))


def _members(kind: object) -> list[object]:
    """Return the types that an annotation allows."""
    if get_origin(kind) is Annotated:
        return _members(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return [member for choice in get_args(kind) if choice is not NoneType for member in _members(choice)]
    return [kind]


def _inside(kind: object, step: str | int) -> list[object]:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Named:
        return [arguments[0]]
    if origin is dict:
        return [arguments[1]]
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return [arguments[0]]
        return [arguments[step]] if isinstance(step, int) and step < len(arguments) else []
    fields = getattr(kind, "model_fields", {})
    return [fields[step].annotation] if step in fields else []


# --- what the model's own check found -----------------------------------------------------------------------

_OWNER = re.compile(r"(body|joint|muscle|force|marker|surface|constraint) '(.*?)' has the name of ")
_COORDINATE = re.compile(r"coordinate '(.*?)'(?:, coupled:| (belongs|has|moves|turns|is)) ")
_CYCLE = re.compile(r"joints form a cycle through the bodies '(.*?)'(?:,|;| and)")
_QUOTED = re.compile(r"'([^']*)'")
_TABLE_OF = {
    "body": "bodies",
    "joint": "joints",
    "muscle": "muscles",
    "force": "forces",
    "marker": "markers",
    "surface": "surfaces",
    "constraint": "constraints",
}


def _nearer(tree: Table, place: Place, message: str) -> Problem:
    """Return a fault that a joint reports about one of its coordinates at the place of that coordinate."""
    found = _COORDINATE.match(message)
    if found is None or len(place) != 2 or place[0] != "joints":
        return place, message
    return _coordinate_place(tree, found[1], place[1], about_range=found[2] == "turns") or place, message


def _located(tree: Table, line: str) -> Problem:
    place, rest = _leading_place(tree, line)
    if place:
        return place, rest
    if (found := _OWNER.match(line)) is not None:
        return (_TABLE_OF[found[1]], found[2]), line
    if (found := _COORDINATE.match(line)) is not None:
        return _coordinate_place(tree, found[1]), line
    if (found := _CYCLE.match(line)) is not None:
        return _joint_of_child(tree, found[1]), line
    return _free_value_place(tree, line), line


def _leading_place(tree: Table, line: str) -> tuple[Place, str]:
    """Split ``joints.knee.parent.body: unknown body ...`` into place and message; names may hold dots and colons."""
    place: list[str | int] = []
    node: Any = tree
    rest = line
    while fitting := [step for step in _steps(node) if rest.startswith((f"{step}.", f"{step}: "))]:
        step = max(fitting, key=lambda step: len(str(step)))
        place.append(step)
        node = node[step]
        rest = rest[len(str(step)) :]
        if rest.startswith(": "):
            return tuple(place), rest[2:]
        rest = rest[1:]
    # Below what the file says, in a short form, the place goes on in field names up to the colon.
    beyond = re.match(r"[a-z_0-9.]+: ", rest)
    if place and beyond is not None:
        return (*place, *beyond.group()[:-2].split(".")), rest[beyond.end() :]
    return (), line


def _steps(node: object) -> Iterable[str | int]:
    if isinstance(node, Row):
        return range(len(node))
    return node if isinstance(node, Table) else ()


def _coordinate_place(tree: Table, name: str, joint: str | int | None = None, about_range: bool = False) -> Place:
    """Return where a coordinate is declared: the last place if there are several, its range if that is wanted."""
    found: Place = ()
    for joint_name, entry in _entries(tree, "joints"):
        if joint is None or joint_name == joint:
            for steps in _declarations(entry, name):
                found = ("joints", joint_name, *steps)
    if about_range and found:
        return (*found[:-1], "range") if found[-1] == "coordinate" else (*found, "range")
    return found


def _entries(tree: Table, table: str) -> Iterator[tuple[str, Any]]:
    entries = tree.get(table)
    if isinstance(entries, Table):
        yield from entries.items()


def _declarations(entry: object, name: str) -> Iterator[tuple[str | int, ...]]:
    """Yield the steps to each declaration of a coordinate in a joint: in ``coordinates``, or in a short form."""
    for field, form in entry.items() if isinstance(entry, Table) else ():
        if field == "coordinates" and name in form:
            yield "coordinates", name
        elif isinstance(form, Table) and form.get("coordinate") == name:
            yield field, "coordinate"
        elif isinstance(form, Table) and isinstance(form.get("coordinates"), Table) and name in form["coordinates"]:
            yield field, "coordinates", name
        elif isinstance(form, Table) and isinstance(form.get("coordinates"), Row) and name in form["coordinates"]:
            yield field, "coordinates", form["coordinates"].index(name)


def _joint_of_child(tree: Table, body: str) -> Place:
    for name, entry in _entries(tree, "joints"):
        child = entry.get("child")
        if child == body or (isinstance(child, Table) and child.get("body") == body):
            return "joints", name, "child"
    return ("joints",)


def _free_value_place(tree: Table, line: str) -> Place:
    """Return the free value that a message is about: it quotes it, or the element it begins with."""
    quoted = _QUOTED.findall(line)
    free_values = tree.get("free_values")
    for number, name in enumerate(free_values if isinstance(free_values, Row) else ()):
        if any(name == text or str(name).startswith(f"{text}.") for text in quoted[:1]):
            return "free_values", number
    return ()
