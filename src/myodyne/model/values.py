"""Numbers of a model by name: ``thigh.mass``, ``thigh.centre_of_mass.y``, ``gravity.y``.

A name is ``<element>.<field>`` and, inside vectors and nested parts, further fields; the components of a
vector are ``x``, ``y``, ``z``, those of other lists their number. The functions work on symbolic numbers as
well: that is how free numbers enter the equations.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from myodyne.errors import ModelError, unknown_name
from myodyne.model.part import Named, Part

if TYPE_CHECKING:
    from myodyne.model.model import Model

_COMPONENTS = {"x": 0, "y": 1, "z": 2}
_TABLES = ("joints", "bodies", "muscles", "forces", "markers", "sensors", "surfaces", "constraints")
_NUMBERED = ("bodies", "muscles", "forces", "surfaces")
_MODEL_FIELDS = ("gravity", "wrapping", "stabilisation")


def get(model: Model, name: str) -> Any:  # noqa: ANN401 - a number, text or part, as the name says
    """Return the value that bears this name."""
    return _follow(model, _locate(model, name), name)


def replaced(model: Model, name: str, value: object) -> Model:
    """Return a copy of the model with another value under this name; the copy is not validated."""
    table, *keys = _locate(model, name)
    return model.model_copy(update={table: _replaced(_step(model, table, name), keys, value, name)})


def leaves(model: Model, name: str) -> list[str]:
    """Return the names of the single numbers below a name: three for a vector."""
    value = get(model, name)
    found = [f"{name}{suffix}" for suffix in _leaf_suffixes(value)]
    if not found:
        raise ModelError(f"'{name}' has no number that can be free")
    return found


class BodyNumbers:
    """Numbers of bodies and of gravity, which are checked without the rest of the model: no other part depends on them.

    Parameters
    ----------
    model : the model that has them.
    names : what they are called.
    """

    def __init__(self, model: Model, names: Iterable[str]) -> None:
        self._bodies = model.bodies
        self._routes = {name: _locate(model, name) for name in names}

    @property
    def alone(self) -> bool:
        """Whether all names are such numbers."""
        return all(keys[0] in ("bodies", "gravity") for keys in self._routes.values())

    def check(self, values: Mapping[str, float]) -> None:
        """Raise a ``ValueError`` where a body with these numbers cannot exist."""
        parts: dict[str, object] = {}
        for name, (table, element, *keys) in self._routes.items():
            if not math.isfinite(values[name]):
                raise ValueError(f"'{name}' cannot be {values[name]}")
            if table == "bodies":
                parts[element] = _replaced(parts.get(element, self._bodies[element]), keys, values[name], name)
        for part in parts.values():
            assert isinstance(part, Part)
            type(part).model_validate(dict(part))


def numbers_of(model: Model) -> dict[str, float]:
    """Return the single numbers of gravity, bodies, muscles, forces and surfaces, by their names."""
    parts: list[tuple[str, object]] = [("gravity", model.gravity)]
    for table in _NUMBERED:
        for element, part in getattr(model, table).items():
            fields = (field for field in type(part).model_fields if field != "geometry")
            parts += [(f"{element}.{field}", getattr(part, field)) for field in fields]
    found: dict[str, float] = {}
    for name, value in parts:
        for suffix in _leaf_suffixes(value):
            # Within an element names are followed key by key; to locate each from the model's root takes seconds.
            below: Any = value
            for key in suffix.split(".")[1:]:
                below = _step(below, key, name)
            found[f"{name}{suffix}"] = float(below)
    return found


def _leaf_suffixes(value: object) -> Iterator[str]:
    if isinstance(value, float | int) and not isinstance(value, bool):
        yield ""
    elif isinstance(value, tuple):
        letters = "xyz" if len(value) == 3 else None
        for index, item in enumerate(value):
            for suffix in _leaf_suffixes(item):
                yield f".{letters[index] if letters else index}{suffix}"
    elif isinstance(value, Part):
        for field in type(value).model_fields:
            for suffix in _leaf_suffixes(getattr(value, field)):
                yield f".{field}{suffix}"


def _locate(model: Model, name: str) -> list[str]:
    """Return the keys that lead from the model to the value."""
    if not isinstance(name, str):
        raise ModelError(f"a value is named by text like 'thigh.mass', not {name!r}")
    head, _, rest = name.partition(".")
    if head in _MODEL_FIELDS:
        return [head, *([*rest.split(".")] if rest else [])]
    candidates = _elements(model)
    # Names may contain dots themselves: the longest element that fits owns the name.
    for element in sorted((e for e in candidates if name == e or name.startswith(e + ".")), key=len, reverse=True):
        fields = name[len(element) + 1 :].split(".") if len(name) > len(element) else []
        if not fields:
            raise ModelError(f"'{name}' names a whole element; name one of its fields, like '{element}.mass'")
        routes = candidates[element]
        for route in routes:
            if fields[0] in _fields(model, route):
                return [*route, *fields]
        valid = [f"{element}.{field}" for route in routes for field in _fields(model, route)]
        raise ModelError(unknown_name("value", name, valid))
    raise ModelError(unknown_name("element", head, [*candidates, *_MODEL_FIELDS]))


def _elements(model: Model) -> dict[str, list[list[str]]]:
    """Return the routes to each named element; a joint comes before the coordinate that shares its name."""
    routes: dict[str, list[list[str]]] = {}
    for table in _TABLES:
        for name in getattr(model, table):
            routes.setdefault(name, []).append([table, name])
    for joint_name, joint in model.joints.items():
        for name in joint.coordinates:
            routes.setdefault(name, []).append(["joints", joint_name, "coordinates", name])
    return routes


def _fields(model: Model, route: list[str]) -> Collection[str]:
    """Return the names of the fields of the element that a route leads to."""
    element = _follow(model, route, ".".join(route))
    return type(element).model_fields if isinstance(element, Part) else ()


def _follow(model: Model, keys: Iterable[str], name: str) -> object:
    value: object = model
    for key in keys:
        value = _step(value, key, name)
    return value


def _index(part: tuple[object, ...], key: str, name: str) -> int:
    index = _COMPONENTS.get(key, -1) if not key.isdigit() else int(key)
    if not 0 <= index < len(part):
        raise ModelError(f"'{name}': a list of {len(part)} numbers has no component '{key}'")
    return index


def _step(part: object, key: str, name: str) -> object:
    if isinstance(part, Named):
        return part[key]
    if isinstance(part, tuple):
        return part[_index(part, key, name)]
    if isinstance(part, Part):
        if key not in type(part).model_fields:
            raise ModelError(f"'{name}': " + unknown_name("field", key, type(part).model_fields))
        return getattr(part, key)
    raise ModelError(f"'{name}': a single value has no fields")


def _replaced(part: object, keys: list[str], value: object, name: str) -> object:
    if not keys:
        return value
    key, *rest = keys
    inner = _replaced(_step(part, key, name), rest, value, name)
    if isinstance(part, Named):
        return part.replaced(key, inner)
    if isinstance(part, tuple):
        index = _index(part, key, name)
        return (*part[:index], inner, *part[index + 1 :])
    assert isinstance(part, Part)
    return part.model_copy(update={key: inner})
