"""Joints over an ellipsoid or along an arc, known by the functions that move them: OpenSim has kinds of its own."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from myodyne.files.osim.functions import scaled
from myodyne.files.osim.skeleton.frames import placement
from myodyne.files.osim.skeleton.joints import along_arc, over_ellipsoid, over_thorax
from myodyne.model import Model
from myodyne.model.bodies import Body, Placement
from myodyne.model.functions import Arc, Fourier, Function, Linear, Product
from myodyne.model.joints import Axis, Joint
from myodyne.numerics.rotations import rotation

Radii = tuple[float, float, float]


@dataclass(frozen=True)
class Scapula:
    """A shoulder blade: two joints here, with a massless body ``between`` them, and one in OpenSim.

    It glides over an ellipsoid of ``radii``, and wings about an axis through ``origin``, at an ``angle`` from y.
    """

    between: str
    wing: str
    child: Placement
    radii: Radii
    origin: tuple[float, float]
    angle: float


def inverse(axes: Sequence[Axis]) -> list[Axis]:
    """Return the axes of the same joint, seen from its child."""
    return [axis.model_copy(update={"function": scaled(axis.function, -1.0)}) for axis in axes[::-1]]


def ellipsoid_radii(axes: Sequence[Axis], names: Sequence[str]) -> Radii | None:
    """Return the radii of the ellipsoid over which a joint glides by these axes; None if it does not."""
    if len(axes) != 6 or len(names) != 3:
        return None
    radii = _sizes(axes)
    turns = [
        Axis(motion="rotation", direction=letter, function=Linear(coordinate=name))
        for letter, name in zip("xyz", names, strict=True)
    ]
    return radii if min(radii) > 0.0 and list(axes) == [*over_ellipsoid(names, radii), *turns] else None


def arc_of(axes: Sequence[Axis], names: Sequence[str]) -> dict[str, float | tuple[float, ...]] | None:
    """Return the length and the neutral angles of a joint that moves along an arc; None if it does not."""
    if len(axes) != 6 or len(names) != 3 or not isinstance(axes[0].function, Arc):
        return None
    angles = tuple(axis.function.offset if isinstance(axis.function, Linear) else 0.0 for axis in axes[3:])
    length = axes[0].function.length
    return {"neutral_angle_x_z_y": angles, "length": length} if list(axes) == along_arc(names, angles, length) else None


def scapulae(model: Model) -> dict[str, Scapula]:
    """Return the shoulder blades of a model, by the joints over which they glide."""
    found = {}
    for name, joint in model.joints.items():
        wing = model.joints.get(f"{name}_winging")
        if joint.child == Placement(body=f"{name}_between") and wing is not None:
            scapula = _scapula(name, joint, wing)
            massless = model.bodies[joint.child.body] == Body(mass=0.0)
            if scapula is not None and massless and not _is_named(model, scapula):
                found[name] = scapula
    return found


def _scapula(name: str, joint: Joint, wing: Joint) -> Scapula | None:
    names, radii = list(joint.coordinates), _sizes(joint.axes) if len(joint.axes) == 6 else (0.0, 0.0, 0.0)
    if len(names) != 3 or min(radii) <= 0.0 or list(joint.axes) != over_thorax(names, radii):
        return None
    x, y, z = wing.parent.at
    if wing.parent != Placement(body=joint.child.body, at=(x, y, 0.0)) or len(wing.axes) != 1:
        return None
    axis = wing.axes[0]
    plain = [Linear(coordinate=coordinate) for coordinate in wing.coordinates]
    if axis.motion != "rotation" or [axis.function] != plain or axis.direction[2]:
        return None
    # OpenSim gives the place of the child where the axis stands at the origin.
    back = np.asarray(wing.child.at) - rotation(wing.child.orientation) @ np.array([x, y, z])
    child = placement(wing.child.body, np.where(np.abs(back) < 1e-16, 0.0, back).tolist(), wing.child.orientation)
    return Scapula(
        joint.child.body, f"{name}_winging", child, radii, (x, y), math.atan2(-axis.direction[0], axis.direction[1])
    )


def _is_named(model: Model, scapula: Scapula) -> bool:
    """Whether other parts of the model are attached to the intermediate body, which OpenSim keeps internal."""
    tables = model.model_dump(mode="json", include={"markers", "surfaces", "muscles", "forces", "constraints"})
    others = [joint.parent.body for name, joint in model.joints.items() if name != scapula.wing]
    return json.dumps(scapula.between) in json.dumps(tables) or scapula.between in others


def _sizes(axes: Sequence[Axis]) -> Radii:
    x, y, z = (_size(axis.function) for axis in axes[:3])
    return x, y, z


def _size(function: Function) -> float:
    """Return the size of a wave, or of the first one in a product."""
    if isinstance(function, Product):
        function = function.factors[0]
    return abs(sum(function.sines) + sum(function.cosines)) if isinstance(function, Fourier) else 0.0


def driven_by_torques(model: Model) -> frozenset[str]:
    """Return the coordinates whose speeds are those of an angular velocity in OpenSim."""
    found = {name for joint in scapulae(model) for name in model.joints[joint].coordinates}
    for joint in model.joints.values():
        names = list(joint.coordinates)
        if any(ellipsoid_radii(axes, names) is not None for axes in (joint.axes, inverse(joint.axes))):
            found.update(names)
    return frozenset(found)
