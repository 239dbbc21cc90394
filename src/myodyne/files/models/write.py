"""A model as the text of a model file: short forms where they say the same, defaults left out."""

from __future__ import annotations

import json

from myodyne.errors import ModelError
from myodyne.files.models.grammar import Ball, JointEntry, Pin, Slider, Universal
from myodyne.files.models.yaml_writer import Block, Plain, yaml_text
from myodyne.model import Axis, Constant, Inertia, Joint, Linear, Model, Named, Part, Placement
from myodyne.model.part import AXES, Vector

_DIRECTIONS = {**AXES, **{f"-{letter}": tuple(-x + 0.0 for x in axis) for letter, axis in AXES.items()}}
# The kind of joint that a row of rotations and translations may be.
_KINDS = {
    (): "weld",
    ("rotation",): "pin",
    ("translation",): "slider",
    ("rotation", "rotation"): "universal",
    ("rotation", "rotation", "rotation"): "ball",
    ("translation", "translation", "rotation"): "planar",
    ("translation", "translation", "translation", "rotation", "rotation", "rotation"): "free",
}


def model_text(model: Model) -> str:
    """Return the text of a model file.

    Examples
    --------
    >>> from myodyne.model import Body, pin
    >>> rod = Model(name="rod", bodies={"rod": Body(mass=1.0)}, joints={"pivot": pin("ground", "rod", "angle")})
    >>> print(model_text(rod), end="")
    name: rod
    bodies:
      rod: {mass: 1.0}
    joints:
      pivot:
        parent: ground
        child: rod
        pin: {coordinate: angle}
    """
    tree = Block(_fields(model))
    for name, value in tree.items():
        if isinstance(getattr(model, name), Named):
            tree[name] = Block(value)
    return yaml_text(tree)


def _plain(value: object) -> Plain:
    """Return a value of the model as the tables, lists, text and numbers of the file."""
    match value:
        case Named():
            return {name: _plain(part) for name, part in value.items()}
        case tuple():
            return [_plain(item) for item in value]
        case Joint():
            return _joint(value)
        case Axis():
            return {
                "motion": value.motion,
                "direction": _direction(value.direction),
                "function": _plain(value.function),
            }
        case Constant():
            return value.value
        case Linear() if _same(value, Linear(coordinate=value.coordinate)):
            return value.coordinate
        case Inertia() if _same(value, Inertia(xx=value.xx, yy=value.xx, zz=value.xx)):
            return value.xx
        case Part():
            return _fields(value)
        case None | str() | float() | int():
            return value
        case _:
            raise TypeError(f"a model file cannot hold {value!r:.60}")


def _fields(part: Part) -> dict[str, Plain]:
    """Return the fields of a part that are not at their defaults, and its kind in any case."""
    said: dict[str, Plain] = {}
    for name, field in type(part).model_fields.items():
        if field.exclude:
            continue
        value = getattr(part, name)
        if name == "kind" or field.is_required() or not _same(value, field.default):
            said[name] = _plain(value)
    return said


def _same(value: object, other: object) -> bool:
    """Whether two values are the same to the last bit: zero and minus zero are equal, but not the same."""
    return _bits(value) == _bits(other)


def _bits(value: object) -> str:
    if isinstance(value, Named):
        value = dict(value)
    return json.dumps(value, default=lambda part: part.model_dump(mode="json"))


def _joint(joint: Joint) -> Block:
    ends = Block(parent=_placement(joint.parent), child=_placement(joint.child))
    kind = _KINDS.get(tuple(axis.motion for axis in joint.axes))
    if kind is not None:
        form = _short_form(kind, joint)
        if _says(Block(ends, **{kind: form}), joint):
            return Block(ends, **{kind: form})
    coordinates = {"coordinates": _plain(joint.coordinates)} if joint.coordinates else {}
    return Block(ends, **coordinates, axes=_plain(joint.axes))


def _says(entry: Block, joint: Joint) -> bool:
    """Whether an entry of the file means exactly this joint."""
    try:
        return _same(JointEntry(**entry).joint(), joint)
    except ModelError:
        # Not of this kind after all: too few coordinates, or an axis that is not x, y or z.
        return False


def _short_form(kind: str, joint: Joint) -> dict[str, Plain]:
    """Return the best guess at the short form; whether it says the same is for the caller to see."""
    names = list(joint.coordinates)
    options = {name: _fields(part) for name, part in joint.coordinates.items()}
    coordinates: Plain = options if any(options.values()) else names
    directions = [_direction(axis.direction) for axis in joint.axes]
    match kind:
        case "weld":
            return {}
        case "pin" | "slider":
            usual = _direction((Pin if kind == "pin" else Slider).model_fields["axis"].default)
            axis = {} if directions[0] == usual else {"axis": directions[0]}
            name = names[0] if names else ""
            return {"coordinate": name, **axis, **options.get(name, {})}
        case "universal":
            usual_axes = [_direction(axis) for axis in Universal.model_fields["axes"].default]
            return {"coordinates": coordinates, **({} if directions == usual_axes else {"axes": directions})}
        case "planar":
            return {"coordinates": coordinates}
        case _:
            sequence = "".join(map(str, directions[-3:]))
            usual = Ball.model_fields["sequence"].default
            return {"coordinates": coordinates, **({} if sequence == usual else {"sequence": sequence})}


def _placement(placement: Placement) -> Plain:
    said = _fields(placement)
    return said["body"] if set(said) == {"body"} else said


def _direction(direction: Vector) -> str | list[float]:
    for letter, axis in _DIRECTIONS.items():
        if _same(direction, axis):
            return letter
    return list(direction)
