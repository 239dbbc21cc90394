"""Descriptions as YAML files, by names or as the numbered lists of the book."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import yaml

from myodyne.errors import FileError, ModelError, unknown_name
from myodyne.formulations.lagrange.lists import records
from myodyne.formulations.lagrange.lists.description import Description
from myodyne.formulations.lagrange.lists.winter import from_lists

# The kinds of record in each table; the first is meant where a record does not say its kind.
_KINDS: dict[str, tuple[type, ...]] = {
    "coordinates": (records.Coordinate,),
    "points": (records.Point,),
    "frames": (records.Frame,),
    "segments": (records.Segment,),
    "springs": (records.LinearSpring, records.TorsionalSpring, records.CoordinateSpring),
    "forces": (records.Force, records.CoordinateForce),
    "torques": (records.Torque,),
    "constraints": (records.Constraint, records.Coincidence, records.Nonholonomic),
}
_PLAIN = ("name", "parameters", "inputs", "gravity", "dimension")
_LISTS = ("pt", "LRS", "seg", "spl", "spt", "frc", "trq")


def is_description_file(file: str | Path) -> bool:
    """Return whether a YAML file is a description and not a model: it has points, by name or as the list ``pt``."""
    try:
        return _is_description(yaml.safe_load(_text(Path(file))))
    except (OSError, yaml.YAMLError, UnicodeDecodeError, RecursionError, FileError):
        return False


def _text(path: Path) -> str:
    # A pipe or a device could keep the reader waiting for ever.
    if path.exists() and not path.is_file():
        raise FileError(f"{path}: is not a regular file")
    return path.read_text(encoding="utf-8")


def _is_description(data: object) -> bool:
    return isinstance(data, Mapping) and ("points" in data or "pt" in data)


def load_description(file: str | Path) -> Description:
    """Return the description in a YAML file: tables by name, or the lists ``pt``, ``LRS``, ``seg``, ... of the book.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> text = "{name: bob, coordinates: [q], points: {bob: {frame: ground, at: [q, 0]}}, segments: "
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "bob.yaml"
    >>> path.write_text(text + "{bob: {centre: bob, mass: 2}}}") > 0
    True
    >>> load_description(path).dimension
    2
    """
    path = Path(file)
    try:
        data = yaml.safe_load(_text(path))
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise FileError(f"{path}: is not YAML: {error}") from None
    if not _is_description(data):
        raise FileError(f"{path}: is not a description: it has neither 'points' nor the list 'pt'")
    try:
        return _from_book(data) if "pt" in data else _from_tables(data)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def save_description(description: Description, file: str | Path) -> None:
    """Write a description as YAML, so that `load_description` returns an equal one.

    Examples
    --------
    >>> import myodyne as my, tempfile, pathlib
    >>> lists = my.lagrange.from_model(my.load_model("pendulum"))
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pendulum.yaml"
    >>> save_description(lists, path)
    >>> load_description(path) == lists
    True
    """
    data: dict[str, Any] = {"name": description.name, "dimension": description.dimension}
    for table, kinds in _KINDS.items():
        found = getattr(description, table)
        if found:
            data[table] = {name: _written(record, kinds) for name, record in found.items()}
    data["parameters"] = dict(description.values)
    data["inputs"] = list(description.inputs)
    data["gravity"] = list(description.gravity or ())
    Path(file).write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True), encoding="utf-8")


def _from_tables(data: Mapping[str, Any]) -> Description:
    known = [*_PLAIN, *_KINDS]
    for key in data:
        if key not in known:
            raise ModelError(unknown_name("table", str(key), known))
    given: dict[str, Any] = {key: data[key] for key in _PLAIN if key in data}
    given.setdefault("name", "mechanism")
    for table, kinds in _KINDS.items():
        content = data.get(table, {})
        if table == "coordinates" and isinstance(content, list):
            given[table] = content
        elif isinstance(content, Mapping):
            given[table] = {name: _record(f"{table}.{name}", row, kinds) for name, row in content.items()}
        else:
            raise ModelError(f"{table}: must be a table of names, not {content!r:.60}")
    return Description(**given)


def _from_book(data: Mapping[str, Any]) -> Description:
    rest = {key: value for key, value in data.items() if key not in (*_LISTS, "constraints")}
    known = [*_PLAIN, "coordinates", "sequence", "about"]
    for key in rest:
        if key not in known:
            raise ModelError(unknown_name("entry", str(key), [*known, *_LISTS, "constraints"]))
    if isinstance(rest.get("coordinates"), Mapping):
        kinds, table = _KINDS["coordinates"], rest["coordinates"]
        rest["coordinates"] = {name: _record(f"coordinates.{name}", row, kinds) for name, row in table.items()}
    lists = {key: data[key] for key in (*_LISTS, "constraints") if key in data}
    return from_lists(lists, **rest)


def _record(place: str, row: object, kinds: tuple[type, ...]) -> Any:  # noqa: ANN401 - one of the records
    if not isinstance(row, Mapping | None):
        raise ModelError(f"{place}: must be a table of fields, not {row!r:.60}")
    given = dict(row or {})
    titles = {kind.__name__: kind for kind in kinds}
    title = given.pop("kind", kinds[0].__name__)
    if title not in titles:
        raise ModelError(f"{place}: {unknown_name('kind', str(title), list(titles))}")
    kind = titles[title]
    known = {field.name: field for field in fields(kind)}
    for name in given:
        if name not in known:
            raise ModelError(f"{place}: {unknown_name('field', str(name), list(known))}")
    for name, field in known.items():
        if name not in given and field.default is MISSING and field.default_factory is MISSING:
            raise ModelError(f"{place}: the field '{name}' of a {title} is missing")
    return kind(**given)


def _written(record: Any, kinds: tuple[type, ...]) -> dict[str, Any]:  # noqa: ANN401 - one of the records
    values = {field.name: (getattr(record, field.name), field.default) for field in fields(record)}
    row = {name: _plain(value) for name, (value, default) in values.items() if value != default}
    return row if type(record) is kinds[0] else {"kind": type(record).__name__, **row}


def _plain(value: object) -> object:
    return [_plain(part) for part in value] if isinstance(value, tuple | list) else value
