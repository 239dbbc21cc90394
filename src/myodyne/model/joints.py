"""Joints: up to six ordered axes, each moved by a function of the coordinates.

There is one kind of joint. `pin`, `slider`, `ball` and the rest are constructors of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack

from pydantic import Field, model_validator

from myodyne.errors import ModelError
from myodyne.model.bodies import Placement
from myodyne.model.functions import Function, Linear
from myodyne.model.part import AXES, Direction, Named, Number, Part

# Beyond two turns a limit of a joint is almost surely in degrees.
LARGEST_ANGLE = 4 * 3.141592653589793


class Coordinate(Part):
    """A generalised coordinate (rad or m): default value and speed, range, and whether it is free to move.

    A locked coordinate stays at its default. A ``coupled`` one is a function of others: it has no equation of
    its own, and whatever it moves, they move.

    Examples
    --------
    A knee that starts bent by 30° and cannot bend further than 140°:

    >>> import myodyne as my
    >>> knee = my.Coordinate(default=my.degrees(-30), range=(my.degrees(-140), 0.0))
    >>> knee.locked, knee.coupled
    (False, None)
    """

    default: Number = 0.0
    default_speed: Number = 0.0
    range: tuple[Number, Number] | None = None
    locked: bool = Field(default=False, strict=True)
    coupled: Function | None = None

    @model_validator(mode="after")
    def _default_in_range(self) -> Coordinate:
        if self.range is not None:
            low, high = self.range
            if not low < high:
                raise ValueError(f"the range [{low:g}, {high:g}] is empty or inverted")
            if not low <= self.default <= high:
                raise ValueError(
                    f"the default {self.default:g} lies outside the range [{low:g}, {high:g}]; "
                    "angles are in radians (my.degrees converts)"
                )
        return self


class Axis(Part):
    """One motion of a joint: a rotation about, or a translation along, ``direction`` by ``function``.

    The direction is expressed in the frame that the axes before it have moved.

    Examples
    --------
    A kneecap that slides 0.03 m along x for each radian of flexion:

    >>> import myodyne as my
    >>> my.Axis(motion="translation", direction="x", function=my.Linear(coordinate="flexion", slope=0.03)).direction
    (1.0, 0.0, 0.0)
    """

    motion: Literal["rotation", "translation"]
    direction: Direction
    function: Function


class Joint(Part):
    """How ``child`` moves relative to ``parent``: the parent's placement, then the axes in order.

    Examples
    --------
    A wheel of 0.3 m radius that rolls: it moves 0.3 m along x for each radian that it turns about -z.

    >>> import myodyne as my
    >>> rolling = my.Joint(
    ...     parent=my.Placement(body="ground"), child=my.Placement(body="wheel"), coordinates={"turn": my.Coordinate()},
    ...     axes=[my.Axis(motion="translation", direction="x", function=my.Linear(coordinate="turn", slope=0.3)),
    ...           my.Axis(motion="rotation", direction="-z", function="turn")])
    >>> list(rolling.coordinates)
    ['turn']
    """

    parent: Placement
    child: Placement
    coordinates: Named[Coordinate] = Named()
    axes: tuple[Axis, ...] = Field(default=(), max_length=6)

    @model_validator(mode="after")
    def _angles_are_radians(self) -> Joint:
        for axis in self.axes:
            function = axis.function
            if axis.motion != "rotation" or not isinstance(function, Linear) or abs(function.slope) != 1.0:
                continue
            # An axis may be moved by a coordinate of another joint, which is checked there.
            own = function.coordinate in self.coordinates
            limits = self.coordinates[function.coordinate].range if own else None
            if limits is not None:
                widest = max(map(abs, limits))
                if widest > LARGEST_ANGLE:
                    raise ValueError(
                        f"coordinate '{function.coordinate}' turns to {widest:g} rad, more than two turns: "
                        "are these degrees? Angles are in radians (my.degrees converts)"
                    )
        return self


class CoordinateOptions(TypedDict, total=False):
    """The fields of a `Coordinate`, each of which may be left out."""

    default: float
    default_speed: float
    range: tuple[float, float] | None
    locked: bool
    coupled: Function | str | float | None


Place = str | Placement | Mapping[str, Any]
# Options of one coordinate, as a table.
Options = Mapping[str, object]
# A letter like "x" or "-x", or three numbers.
Along = str | Sequence[float]


def place_of(place: Place) -> Placement:
    """Return a place from the name of a body or a table."""
    if isinstance(place, str):
        return Placement(body=place)
    if not isinstance(place, Placement | Mapping):
        raise ModelError(
            f"a place must be the name of a body, or a table like {{'body': 'thigh', 'at': (0, -0.4, 0)}}, not "
            f"{place!r}"
        )
    return place if isinstance(place, Placement) else Placement(**place)


def _joint(
    parent: Place,
    child: Place,
    motions: Sequence[tuple[str, Along, str]],
    options: Mapping[str, Mapping[str, object]],
) -> Joint:
    """Build a joint in which every axis is moved by a coordinate of its own."""
    names = [name for _, _, name in motions]
    if len(set(names)) != len(names):
        raise ModelError(f"a joint needs coordinates with different names, not {names}")
    for name in options:
        if name not in names:
            raise ModelError(f"options are given for coordinate '{name}', which this joint does not have ({names})")
    return Joint(
        parent=place_of(parent),
        child=place_of(child),
        coordinates={name: dict(options.get(name, {})) for name in names},
        axes=[{"motion": motion, "direction": along, "function": name} for motion, along, name in motions],
    )


def weld(parent: Place, child: Place) -> Joint:
    """Join two bodies without any motion.

    Examples
    --------
    >>> import myodyne as my
    >>> my.weld({"body": "trunk", "at": (0.0, 0.5, 0.0)}, "head").axes      # 0.5 m above the origin of the trunk
    ()
    """
    return _joint(parent, child, [], {})


def pin(parent: Place, child: Place, coordinate: str, axis: Along = "z", **options: Unpack[CoordinateOptions]) -> Joint:
    """Join by one rotation about ``axis``; options are those of `Coordinate`.

    Examples
    --------
    >>> knee = pin("thigh", "shank", "knee", axis="z", range=(-2.4, 0.0))
    """
    return _joint(parent, child, [("rotation", axis, coordinate)], {coordinate: options})


def slider(
    parent: Place, child: Place, coordinate: str, axis: Along = "x", **options: Unpack[CoordinateOptions]
) -> Joint:
    """Join by one translation along ``axis``; options are those of `Coordinate`.

    Examples
    --------
    A lift that starts 2 m above the ground:

    >>> import myodyne as my
    >>> lift = my.slider("ground", "cabin", "height", axis="y", default=2.0, range=(0.0, 30.0))
    >>> lift.axes[0].motion
    'translation'
    """
    return _joint(parent, child, [("translation", axis, coordinate)], {coordinate: options})


def universal(
    parent: Place,
    child: Place,
    coordinates: tuple[str, str],
    axes: tuple[Along, Along] = ("x", "y"),
    **options: Options,
) -> Joint:
    """Join by two rotations, the second about an axis carried by the first; options by coordinate name.

    Examples
    --------
    >>> import myodyne as my
    >>> wrist = my.universal("forearm", "hand", ("flexion", "deviation"), axes=("z", "x"), flexion={"default": 0.2})
    >>> wrist.coordinates["flexion"].default      # rad
    0.2
    """
    names = _counted("universal", coordinates, 2)
    if len(axes) != 2:
        raise ModelError(f"a universal joint needs two axes, like ('x', 'y'), not {axes!r}")
    return _joint(parent, child, [("rotation", a, c) for a, c in zip(axes, names, strict=True)], options)


def ball(
    parent: Place, child: Place, coordinates: tuple[str, str, str], sequence: str = "xyz", **options: Options
) -> Joint:
    """Join by three rotations about the moving axes of ``sequence``; options by coordinate name.

    Examples
    --------
    >>> import myodyne as my
    >>> hip = my.ball("pelvis", "thigh", ("flexion", "adduction", "rotation"), sequence="zxy",
    ...               flexion={"range": (-0.5, 2.1)})
    >>> [axis.direction for axis in hip.axes]
    [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    """
    return _joint(parent, child, _turns(sequence, _counted("ball", coordinates, 3)), options)


def planar(parent: Place, child: Place, coordinates: tuple[str, str, str], **options: Options) -> Joint:
    """Join by x and y in the plane, then a rotation about z; options by coordinate name.

    Examples
    --------
    >>> import myodyne as my
    >>> flight = my.planar("ground", "trunk", ("x", "y", "tilt"), y={"default": 0.95})      # 0.95 m above the ground
    >>> [axis.motion for axis in flight.axes]
    ['translation', 'translation', 'rotation']
    """
    x, y, turn = _counted("planar", coordinates, 3)
    return _joint(parent, child, [("translation", "x", x), ("translation", "y", y), ("rotation", "z", turn)], options)


def free(
    parent: Place,
    child: Place,
    coordinates: tuple[str, str, str, str, str, str],
    sequence: str = "xyz",
    **options: Options,
) -> Joint:
    """Join by three translations (named first), then three rotations in ``sequence``; options by name.

    Examples
    --------
    >>> import myodyne as my
    >>> names = ("x", "y", "z", "tilt", "list", "turn")      # m, m, m, rad, rad, rad
    >>> flight = my.free("ground", "pelvis", names, sequence="zxy", y={"default": 0.95})
    >>> len(flight.axes)
    6
    """
    names = _counted("free", coordinates, 6)
    moves = [("translation", a, c) for a, c in zip("xyz", names[:3], strict=True)]
    return _joint(parent, child, [*moves, *_turns(sequence, names[3:])], options)


def _counted(kind: str, coordinates: Sequence[str], count: int) -> Sequence[str]:
    if isinstance(coordinates, str) or len(coordinates) != count:
        raise ModelError(f"a {kind} joint needs the names of {count} coordinates, not {coordinates!r}")
    return coordinates


def _turns(sequence: str, coordinates: Sequence[str]) -> list[tuple[str, Along, str]]:
    letters = sequence if isinstance(sequence, str) else ""
    if len(letters) != 3 or any(a not in AXES for a in letters) or letters[1] in (letters[0], letters[2]):
        raise ModelError(
            f"a rotation sequence is three letters like 'xyz' or 'zxz', neighbours different, not {sequence!r}"
        )
    return [("rotation", a, c) for a, c in zip(sequence, coordinates, strict=True)]


CONSTRUCTORS = {
    "weld": weld,
    "pin": pin,
    "slider": slider,
    "universal": universal,
    "ball": ball,
    "planar": planar,
    "free": free,
}
