"""Joints of every kind as axes that functions of the coordinates move."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from myodyne.errors import ModelError
from myodyne.files.osim.document import Element, Reading
from myodyne.files.osim.functions import function_of, read_function, scaled
from myodyne.files.osim.skeleton.coordinates import coordinate_elements, read_coordinate
from myodyne.files.osim.skeleton.frames import moved
from myodyne.model.bodies import Body, Placement
from myodyne.model.functions import Arc, Constant, Fourier, Function, Linear, Product
from myodyne.model.joints import Axis, Coordinate
from myodyne.model.part import AXES

_Motion = Literal["rotation", "translation"]
_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_TURNS: tuple[tuple[_Motion, str], ...] = (("rotation", "x"), ("rotation", "y"), ("rotation", "z"))
_MOVES: tuple[tuple[_Motion, str], ...] = (("translation", "x"), ("translation", "y"), ("translation", "z"))
# Of each kind of joint the motions of its coordinates, in their order in the file.
_SIMPLE: dict[str, tuple[tuple[_Motion, str], ...]] = {
    "WeldJoint": (),
    "PinJoint": (("rotation", "z"),),
    "SliderJoint": (("translation", "x"),),
    "UniversalJoint": _TURNS[:2],
    "GimbalJoint": _TURNS,
    "BallJoint": _TURNS,
    "PlanarJoint": (("rotation", "z"), ("translation", "x"), ("translation", "y")),
    "FreeJoint": (*_TURNS, *_MOVES),
}
# Their speeds are the angular velocity in OpenSim.
_OTHER_SPEEDS = ("BallJoint", "FreeJoint", "EllipsoidJoint", "ScapulothoracicJoint")
_SUPPORTED = sorted([*_SIMPLE, "CustomJoint", "EllipsoidJoint", "ScapulothoracicJoint", "ConstantCurvatureJoint"])
_AXES = ("rotation1", "rotation2", "rotation3", "translation1", "translation2", "translation3")
_UNITS = (_X, _Y, _Z, _X, _Y, _Z)


@dataclass
class JointDraft:
    """A joint as it is read: building the tree may still reverse it."""

    name: str
    element: Element
    parent: Placement
    child: Placement
    axes: list[Axis]
    coordinates: dict[str, Coordinate]

    def reversed(self) -> JointDraft:
        """Return the same joint with parent and child exchanged: the inverse motions in the opposite order."""
        axes = [axis.model_copy(update={"function": scaled(axis.function, -1.0)}) for axis in self.axes[::-1]]
        return replace(self, parent=self.child, child=self.parent, axes=axes)


@dataclass
class Joints:
    """The joints of a model, with the massless bodies that some of them need in between."""

    drafts: list[JointDraft] = field(default_factory=list)
    bodies: dict[str, Body] = field(default_factory=dict)


def read_joint(reading: Reading, element: Element, ends: tuple[Placement, Placement], joints: Joints) -> None:
    """Add what an element describes to the joints."""
    element.own_name()
    try:
        _read_joint(reading, element, ends, joints)
    except ModelError as error:
        raise element.fault(str(error)) from None


def _read_joint(reading: Reading, element: Element, ends: tuple[Placement, Placement], joints: Joints) -> None:
    parent, child = ends
    reading.read(element)
    if element.tag in _OTHER_SPEEDS:
        reading.approximate(
            element, "speeds are the rates of its angles here, the angular velocity in OpenSim; the motion is the same"
        )
    if element.tag == "ScapulothoracicJoint":
        _scapulothoracic(reading, element, ends, joints)
        return
    if element.tag == "CustomJoint":
        axes, names = _custom(reading, element)
    elif element.tag == "EllipsoidJoint":
        names = _coordinate_names(element, 3)
        radii = element.numbers("radii_x_y_z", 3)
        if min(radii) <= 0:
            raise element.fault("the radii of its ellipsoid must be positive")
        axes = [*over_ellipsoid(names, radii), *_plain_axes(_TURNS, names)]
    elif element.tag == "ConstantCurvatureJoint":
        names = _coordinate_names(element, 3)
        neutral = element.numbers("neutral_angle_x_z_y", 3, (0.0, 0.0, 0.0))
        axes = along_arc(names, neutral, element.number("length", 1.0))
        reading.approximate(
            element,
            "an arc however little it bends, where OpenSim takes a straight line below 0.06 degrees; velocities are "
            "the rates of its poses, which they are not in OpenSim 4.6",
        )
    elif element.tag in _SIMPLE:
        motions = _SIMPLE[element.tag]
        names = _coordinate_names(element, len(motions))
        axes = _plain_axes(motions, names)
        # Translations are along the axes of the parent, wherever they stand among the coordinates.
        axes.sort(key=lambda axis: axis.motion == "rotation")
    else:
        raise element.fault(f"joints of this kind are not supported; supported: {', '.join(_SUPPORTED)}")
    joints.drafts.append(
        JointDraft(element.name, element, parent, child, axes, _coordinates(reading, element, names, axes))
    )


def _coordinates(reading: Reading, joint: Element, names: list[str], axes: list[Axis]) -> dict[str, Coordinate]:
    elements = {element.name: element for element in coordinate_elements(reading, joint)}
    for name, element in elements.items():
        if name not in names:
            reading.skip(element, f"joint '{joint.name}' does not move by it")
    turns = {
        axis.function.coordinate
        for axis in axes
        if axis.motion == "rotation" and isinstance(axis.function, Linear) and abs(axis.function.slope) == 1.0
    }
    return {
        name: read_coordinate(reading, elements[name], turns=name in turns) if name in elements else Coordinate()
        for name in names
    }


def _coordinate_names(joint: Element, count: int) -> list[str]:
    elements = coordinate_elements(None, joint)
    if len(elements) > count:
        raise joint.fault(f"has {len(elements)} coordinates, and a {joint.tag} moves by {count}")
    # What the file leaves out bears the name that OpenSim gives it.
    names = [element.own_name() for element in elements]
    names += [f"{joint.name}_coord_{number}" for number in range(len(elements), count)]
    if len(set(names)) != count:
        raise joint.fault(f"its coordinates need {count} different names, not {names}")
    return names


def _plain_axes(motions: tuple[tuple[_Motion, str], ...], names: list[str]) -> list[Axis]:
    return [plain_axis(motion, direction, name) for (motion, direction), name in zip(motions, names, strict=True)]


def plain_axis(motion: _Motion, letter: str, coordinate: str) -> Axis:
    """Return a motion by a coordinate itself, about or along x, y or z."""
    return Axis(motion=motion, direction=AXES[letter], function=Linear(coordinate=coordinate))


def _custom(reading: Reading, joint: Element) -> tuple[list[Axis], list[str]]:
    turns: list[Axis] = []
    moves: list[Axis] = []
    names: dict[str, None] = {}
    for motion, element, usual in _transform_axes(reading, joint):
        coordinates = element.names("coordinates") or element.names("coordinate")
        x, y, z = element.numbers("axis", 3, usual)
        if not any((x, y, z)):
            raise element.fault("its axis is the zero vector")
        function = _axis_function(reading, element, coordinates)
        names.update(dict.fromkeys(coordinates))
        if not (isinstance(function, Constant) and function.value == 0.0):
            axis = Axis(motion=motion, direction=(x, y, z), function=function)
            (turns if motion == "rotation" else moves).append(axis)
    # A coordinate may be named on an axis that stands still.
    used = {name for axis in (*moves, *turns) for name in axis.function.coordinates}
    return [*moves, *turns], [name for name in names if name in used]


def _transform_axes(reading: Reading, joint: Element) -> list[tuple[_Motion, Element, tuple[float, float, float]]]:
    """Return the axes with the motion of each and its usual direction."""
    transform = joint.child("SpatialTransform")
    if transform is not None:
        reading.read(transform)
        named = {element.name: element for element in transform.objects("TransformAxis")}
        for property_tag in transform.children:
            # Also allowed: <rotation1><TransformAxis>...
            if property_tag.tag in _AXES and (inner := property_tag.objects("TransformAxis")):
                named.setdefault(property_tag.tag, inner[0])
        reading.read(*named.values())
        return [
            ("rotation" if slot.startswith("rotation") else "translation", named[slot], unit)
            for slot, unit in zip(_AXES, _UNITS, strict=True)
            if slot in named
        ]
    # Before version 10901 axes stood in one list, and each said whether it was a rotation.
    old = joint.child("TransformAxisSet")
    if old is None:
        raise joint.fault("has no <SpatialTransform>")
    elements = old.objects("TransformAxis")
    reading.read(old, *elements)
    found: list[tuple[_Motion, Element, tuple[float, float, float]]] = [
        ("rotation" if element.flag("is_rotation", False) else "translation", element, _X) for element in elements
    ]
    for motion in ("rotation", "translation"):
        if sum(kind == motion for kind, _, _ in found) > 3:
            raise old.fault(f"holds more than three axes of {motion}")
    return found


def _axis_function(reading: Reading, axis: Element, coordinates: tuple[str, ...]) -> Function:
    element = function_of(axis, "function", "Function")
    if element is not None:
        return read_function(reading, element, coordinates)
    if axis.parent is not None and axis.parent.tag in ("SpatialTransform", *_AXES):
        if coordinates:
            reading.suspect(axis, f"has no function of '{coordinates[0]}': it stands still, as in OpenSim")
        return Constant()
    if len(coordinates) > 1:
        raise axis.fault("has several coordinates and no function of them")
    return Linear(coordinate=coordinates[0]) if coordinates else Constant()


def _wave(coordinate: str, *, sine: float = 0.0, cosine: float = 0.0) -> Fourier:
    return Fourier(
        coordinate=coordinate, period=2 * math.pi, sines=(sine,) if sine else (), cosines=(cosine,) if cosine else ()
    )


def along_arc(names: Sequence[str], neutral: Sequence[float], length: float) -> list[Axis]:
    """Return the motion of the end of an arc by two bends, about x and z, and a twist about y."""
    bends, angles = (names[0], names[1]), (neutral[0], neutral[1])
    ends = (Arc(of=bends, neutral=angles, length=length, along=letter) for letter in ("x", "y", "z"))
    moves = [
        Axis(motion="translation", direction=unit, function=end) for unit, end in zip((_X, _Y, _Z), ends, strict=True)
    ]
    turns = [
        Axis(motion="rotation", direction=unit, function=Linear(coordinate=name, offset=angle))
        for unit, name, angle in zip((_X, _Z, _Y), names, neutral, strict=True)
    ]
    return [*moves, *turns]


def over_ellipsoid(names: Sequence[str], radii: Sequence[float]) -> list[Axis]:
    """Return the motion over an ellipsoid on which the child stands upright, along its own z axis."""
    x, y, z = radii
    first, second = names[:2]
    # After turns about x and y the z axis points along (sin b, -sin a cos b, cos a cos b).
    along: list[Function] = [
        _wave(second, sine=x),
        Product(factors=(_wave(first, sine=-y), _wave(second, cosine=1.0))),
        Product(factors=(_wave(first, cosine=z), _wave(second, cosine=1.0))),
    ]
    return [
        Axis(motion="translation", direction=unit, function=function)
        for unit, function in zip((_X, _Y, _Z), along, strict=True)
    ]


def over_thorax(names: Sequence[str], radii: Sequence[float]) -> list[Axis]:
    """Return the motion of a shoulder blade over an ellipsoid, by abduction, elevation and upward rotation."""
    x, y, z = radii
    abduction, elevation, rotation = names[:3]
    # OpenSim turns the frame of the ellipsoid by 90 degrees about z, so that abduction is about y and elevation
    # about -x; written in the axes of the parent, the shoulder blade stands on these three functions.
    along: list[Function] = [
        Product(factors=(_wave(abduction, sine=x), _wave(elevation, cosine=1.0))),
        _wave(elevation, sine=y),
        Product(factors=(_wave(abduction, cosine=z), _wave(elevation, cosine=1.0))),
    ]
    return [
        *(
            Axis(motion="translation", direction=unit, function=function)
            for unit, function in zip((_X, _Y, _Z), along, strict=True)
        ),
        Axis(motion="rotation", direction=_Y, function=Linear(coordinate=abduction)),
        Axis(motion="rotation", direction=(-1.0, 0.0, 0.0), function=Linear(coordinate=elevation)),
        Axis(motion="rotation", direction=_Z, function=Linear(coordinate=rotation)),
    ]


def _scapulothoracic(reading: Reading, element: Element, ends: tuple[Placement, Placement], joints: Joints) -> None:
    """Add a shoulder blade that glides over an ellipsoid and wings about an axis of its own (Seth et al. 2016).

    OpenSim sets a massless body between the two motions, and so do we: together they are more than six axes.
    """
    parent, child = ends
    names = _coordinate_names(element, 4)
    x, y, z = element.numbers("thoracic_ellipsoid_radii_x_y_z", 3)
    if min(x, y, z) <= 0:
        raise element.fault("the radii of its ellipsoid must be positive")
    glide = over_thorax(names, (x, y, z))
    winging = names[3]
    angle = element.number("scapula_winging_axis_direction", 0.0)
    at = (*element.numbers("scapula_winging_axis_origin", 2, (0.0, 0.0)), 0.0)
    wing = Axis(
        motion="rotation", direction=(-math.sin(angle), math.cos(angle), 0.0), function=Linear(coordinate=winging)
    )
    between = f"{element.name}_between"
    joints.bodies[between] = Body(mass=0.0)
    reading.approximate(element, f"two joints with the massless body '{between}' between them")
    coordinates = _coordinates(reading, element, names, [*glide, wing])
    own = {name: coordinates.pop(name) for name in [winging]}
    joints.drafts.append(JointDraft(element.name, element, parent, Placement(body=between), glide, coordinates))
    joints.drafts.append(
        JointDraft(
            f"{element.name}_winging",
            element,
            Placement(body=between, at=at),
            moved(child, at, (0.0, 0.0, 0.0)),
            [wing],
            own,
        )
    )
