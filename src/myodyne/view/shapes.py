"""Bodies that people recognise: limbs, trunk, head and feet, from the lengths and masses of a model."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

import numpy as np

from myodyne.model import (
    ContactPoint,
    HuntCrossleyContact,
    Model,
    PointPath,
    SmoothSphereContact,
)
from myodyne.types import Floats
from myodyne.view.scene import Capsule, Ellipsoid, Shape

# Density of a limb (kg/m³), about that of water (Winter 2009, table 4.1, has 1.05 to 1.16 for limbs).
_DENSITY = 1050.0
# A limb is at least and at most so thick (radius over length): massless bodies are seen, doubled legs do not swell.
_THIN, _THICK = 0.03, 0.22
# Parts of the stature (Drillis and Contini 1966, in Winter 2009, figure 4.1): from shoulder to the middle of the head,
# half the height of the head, half its depth.
_SHOULDER_TO_HEAD, _HEAD_HEIGHT, _HEAD_DEPTH = 0.117, 0.066, 0.05
# From hip to shoulder the centre of mass of head, arms and trunk lies at this part (Winter 2009, table 4.1).
_HAT_CENTRE = 0.626
# Bones are this part as thick as limbs.
_SLIM = 0.45
# Below this length (m) two points are one.
_NO_LENGTH = 1e-6
# More markers than this on a body are measured ones, and do not outline its shape.
_FEW_MARKERS = 4
_CONTACTS = (ContactPoint, HuntCrossleyContact, SmoothSphereContact)

_FOOT = re.compile(r"foot|calcn|calcaneus|toes", re.IGNORECASE)
_HEAD = re.compile(r"head|skull", re.IGNORECASE)
_TRUNK = re.compile(r"trunk|torso|thorax|\bhat\b|upper_body", re.IGNORECASE)
_PELVIS = re.compile(r"pelvis", re.IGNORECASE)

_Triple = tuple[float, float, float]


@lru_cache(maxsize=8)
def shapes_of(model: Model) -> tuple[Shape, ...]:
    """Return shapes for all bodies of a model.

    Examples
    --------
    >>> import myodyne as my
    >>> kinds = {type(shape).__name__ for shape in shapes_of(my.load_model("gait2d"))}
    >>> sorted(kinds)
    ['Capsule', 'Ellipsoid']
    """
    shapes = tuple(shape for body in model.bodies for shape in _shapes(model, body))
    along_points = any(isinstance(m.path, PointPath) or m.path.shown for m in model.muscles.values())
    return tuple(_bone(shape) for shape in shapes) if along_points else shapes


def _bone(shape: Shape) -> Shape:
    """Return a slimmer shape: muscles that are drawn must not lie inside the limbs that they move."""
    if isinstance(shape, Capsule):
        return replace(shape, radius=_SLIM * shape.radius, end_radius=_SLIM * shape.end_radius)
    if isinstance(shape, Ellipsoid) and not _HEAD.search(shape.body):
        x, y, z = shape.radii
        return replace(shape, radii=(0.7 * x, y, z))
    return shape


def _shapes(model: Model, body: str) -> list[Shape]:
    start, ends = _ends(model, body)
    if _FOOT.search(body):
        return _foot(model, body, start, ends)
    if _HEAD.search(body):
        return [_head(model, body, start, _tip(model, body, start, ends))]
    if _TRUNK.search(body):
        return _trunk(model, body, start, ends)
    if _PELVIS.search(body) and _width(ends) > _NO_LENGTH:
        return [_pelvis(start, ends, body)]
    return _limb(model, body, start, ends or [_tip(model, body, start, ends)])


def _ends(model: Model, body: str) -> tuple[Floats, list[Floats]]:
    """Return where the joint of a body is, and the joints that it carries."""
    joint = next(joint for joint in model.joints.values() if joint.child.body == body)
    start = np.array(joint.child.at)
    ends: list[Floats] = []
    for other in model.joints.values():
        at = np.array(other.parent.at)
        apart = all(_distance(at, known) > _NO_LENGTH for known in (start, *ends))
        if other.parent.body == body and apart:
            ends.append(at)
    return start, ends


def _tip(model: Model, body: str, start: Floats, ends: list[Floats]) -> Floats:
    """Return the far end of a body that may carry nothing: its farthest marker, or twice the way to its centre."""
    worn = [np.array(marker.at) for marker in model.markers.values() if marker.body == body]
    known = ends or (worn if len(worn) <= _FEW_MARKERS else [])
    if known:
        return max(known, key=lambda at: _distance(start, at))
    return np.asarray(start + 2.0 * (np.array(model.bodies[body].centre_of_mass) - start))


def _limb(model: Model, body: str, start: Floats, ends: list[Floats]) -> list[Shape]:
    """Return a rod to each joint that a body carries, but for those close to a longer one, like a patella's."""
    longest = max(_distance(start, end) for end in ends)
    kept = [end for end in ends if _distance(start, end) > 0.6 * longest]
    if longest < _NO_LENGTH:
        radius = _radius_of_ball(model.bodies[body].mass)
        return [Ellipsoid(body, _triple(start), (radius, radius, radius))]
    radius = _radius(model.bodies[body].mass / len(kept), longest)
    return [Capsule(body, _triple(start), _triple(end), 1.1 * radius, 0.75 * radius) for end in kept]


def _foot(model: Model, body: str, start: Floats, ends: list[Floats]) -> list[Shape]:
    """Return a sole from heel to toes, and an instep from the ankle to it."""
    points = [
        np.array(force.at) for force in model.forces.values() if isinstance(force, _CONTACTS) and force.body == body
    ]
    worn = [np.array(marker.at) for marker in model.markers.values() if marker.body == body]
    points += ends + (worn if len(worn) <= _FEW_MARKERS else [])
    far = [point for point in points if _distance(point, start) > _NO_LENGTH]
    if not far:
        return _limb(model, body, start, [_tip(model, body, start, ends)])
    if len(far) == 1:
        return _limb(model, body, start, far)
    heel, toe = min(far, key=lambda at: at[0]), max(far, key=lambda at: at[0])
    length = _distance(heel, toe)
    if length < _NO_LENGTH:
        return _limb(model, body, start, far[:1])
    radius = 0.11 * length
    lifted = np.array([0.0, 0.6 * radius, 0.0])
    sole = Capsule(body, _triple(heel + lifted), _triple(toe + 0.6 * lifted), radius, 0.6 * radius)
    if _distance(start, heel) < _NO_LENGTH:
        return [sole]
    middle = heel + 0.45 * (toe - heel) + lifted
    return [sole, Capsule(body, _triple(start), _triple(middle), 1.2 * radius, 0.9 * radius)]


def _trunk(model: Model, body: str, start: Floats, ends: list[Floats]) -> list[Shape]:
    """Return a trunk from hip to shoulder, as broad as its shoulders, and a head where no other body is one."""
    centre = np.array(model.bodies[body].centre_of_mass)
    way = centre - start
    length = float(np.linalg.norm(way))
    if length < _NO_LENGTH:
        return _limb(model, body, start, ends or [centre])
    up = way / length
    heights = [float((end - start) @ up) for end in ends]
    carried = [height for height in heights if height > 0.5 * length]
    top = max(carried) if carried else length / _HAT_CENTRE
    width = 0.5 * _width(ends)
    depth = min(max(0.5 * _radius(model.bodies[body].mass, top), 0.16 * top), 0.24 * top)
    middle = start + 0.5 * top * up
    half = 0.56 * top
    axis = int(np.argmax(np.abs(up)))
    radii = [depth, depth, max(width - 0.01, 1.25 * depth)]
    radii[axis] = half
    shapes: list[Shape] = [Ellipsoid(body, _triple(middle), (radii[0], radii[1], radii[2]))]
    if not any(_HEAD.search(other) for other in model.bodies):
        stature = _stature(model)
        high = start + (top + _SHOULDER_TO_HEAD * stature) * up
        neck = _triple(start + 0.9 * top * up), _triple(high)
        shapes += [
            Capsule(body, *neck, 0.03 * stature, 0.028 * stature),
            Ellipsoid(body, _triple(high), _head_radii(stature, axis)),
        ]
    return shapes


def _head(model: Model, body: str, start: Floats, tip: Floats) -> Shape:
    """Return a head that reaches from its joint to its tip."""
    length = max(_distance(start, tip), _HEAD_HEIGHT * _stature(model))
    up = (tip - start) / max(_distance(start, tip), _NO_LENGTH)
    axis = int(np.argmax(np.abs(up))) if _distance(start, tip) > _NO_LENGTH else 1
    radii = np.full(3, 0.36 * length)
    radii[axis] = 0.46 * length
    return Ellipsoid(body, _triple(start + 0.52 * length * up), (float(radii[0]), float(radii[1]), float(radii[2])))


def _pelvis(start: Floats, ends: list[Floats], body: str) -> Shape:
    points = np.array([start, *ends])
    low, high = points.min(axis=0), points.max(axis=0)
    half = np.maximum(0.5 * (high - low) + 0.02, 0.45 * _width(ends) * np.array([1.0, 0.9, 1.0]))
    middle = 0.5 * (low + high)
    return Ellipsoid(body, _triple(middle), (float(half[0]), float(half[1]), float(half[2])))


def _head_radii(stature: float, axis: int) -> _Triple:
    radii = [_HEAD_DEPTH * stature] * 3
    radii[axis] = _HEAD_HEIGHT * stature
    return radii[0], radii[1], radii[2]


def _stature(model: Model) -> float:
    """Return a height (m) that suits the mass: 1.75 m for 75 kg, by equal shape."""
    return 1.75 * float(np.cbrt(max(model.mass, 1.0) / 75.0))


def _radius(mass: float, length: float) -> float:
    radius = float(np.sqrt(mass / (_DENSITY * np.pi * length)))
    return min(max(radius, _THIN * length), _THICK * length)


def _radius_of_ball(mass: float) -> float:
    return min(max(float(np.cbrt(0.75 * mass / (np.pi * _DENSITY))), 0.005), 0.2)


def _width(points: list[Floats]) -> float:
    return float(np.ptp([point[2] for point in points])) if points else 0.0


def _distance(one: Floats, other: Floats) -> float:
    return float(np.linalg.norm(one - other))


def _triple(point: Floats) -> _Triple:
    x, y, z = (float(value) for value in point)
    return x, y, z
