"""Where bodies are in the default pose, roughly: enough to see that a model sinks into the ground."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from myodyne.files.osim.document import Element, Reading
from myodyne.model import Model
from myodyne.model.bodies import GROUND, Placement
from myodyne.model.contacts import HuntCrossleyContact, SmoothSphereContact
from myodyne.model.functions import (
    Arc,
    Constant,
    Fourier,
    Function,
    Linear,
    PiecewiseLinear,
    Polynomial,
    Product,
    Spline,
)
from myodyne.numerics.rotations import rotation
from myodyne.types import Floats

# Deeper than any sole is soft (m).
_TOO_DEEP = 0.05
CONTACTS = ("HuntCrossleyForce", "SmoothSphereHalfSpaceForce")


@dataclass(frozen=True)
class DefaultPose:
    """The values of all coordinates, and rotation and origin of every body."""

    values: Mapping[str, float]
    places: Mapping[str, tuple[Floats, Floats]]


def suspect_posture(reading: Reading, model: Model, pose: DefaultPose, elements: Mapping[str, Element]) -> None:
    """Remark on contacts that stand deep in what they should rest on, in the default pose."""
    for name, contact in model.forces.items():
        if not isinstance(contact, HuntCrossleyContact | SmoothSphereContact):
            continue
        turn, origin = pose.places[contact.body]
        centre = origin + turn @ np.asarray(contact.at)
        plane_turn, plane_origin = _compose(pose.places[contact.plane.body], contact.plane)
        # The solid side of a half space is where its x axis points.
        depth = float(plane_turn[:, 0] @ (centre - plane_origin)) + contact.radius
        if depth > _TOO_DEEP:
            # A force of several spheres is several contacts, named after it.
            owner = elements.get(name) or next(
                (part for force, part in elements.items() if name.startswith(f"{force}_")), reading.document.model
            )
            reading.suspect(owner, f"contact '{name}' is {depth:.2f} m deep in the ground in the default pose")


def default_pose(model: Model) -> DefaultPose | None:
    """Return the pose at the defaults of the coordinates; None where its numbers are beyond all scales."""
    try:
        with np.errstate(all="ignore"):
            values = _default_values(model)
            return DefaultPose(values, _default_places(model, values))
    except (OverflowError, ValueError):
        return None


def _default_values(model: Model) -> dict[str, float]:
    """Return the coordinates at their defaults, those that are coupled where the others lead them."""
    values = {name: part.default for name, part in model.coordinates.items()}
    coupled = {name: part.coupled for name, part in model.coordinates.items() if part.coupled is not None}
    settled = values.keys() - coupled.keys()
    for first in coupled:
        waiting = [first]  # a coordinate, those that lead it, those that lead these
        while waiting:
            function = coupled.get(waiting[-1])
            leading = (
                []
                if waiting[-1] in settled or function is None
                else [name for name in function.coordinates if name not in settled]
            )
            waiting.extend(leading)
            if not leading:
                name = waiting.pop()
                if function is not None and name not in settled:
                    values[name] = value_of(function, values)
                settled.add(name)
    return values


def _default_places(model: Model, values: Mapping[str, float]) -> dict[str, tuple[Floats, Floats]]:
    places: dict[str, tuple[Floats, Floats]] = {GROUND: (np.eye(3), np.zeros(3))}
    for name in model.tree:
        joint = model.joints[name]
        turn, origin = _compose(places[joint.parent.body], joint.parent)
        for axis in joint.axes:
            amount = value_of(axis.function, values)
            if axis.motion == "translation":
                origin = origin + turn @ np.asarray(axis.direction) * amount
            else:
                turn = turn @ about(axis.direction, amount)
        child_turn = rotation(joint.child.orientation)
        turn = turn @ child_turn.T
        places[joint.child.body] = turn, origin - turn @ np.asarray(joint.child.at)
    return places


def _compose(place: tuple[Floats, Floats], frame: Placement) -> tuple[Floats, Floats]:
    turn, origin = place
    return turn @ rotation(frame.orientation), origin + turn @ np.asarray(frame.at)


def about(direction: tuple[float, float, float], angle: float) -> Floats:
    """Return the matrix of a turn about an axis (rad)."""
    x, y, z = direction
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    matrix: Floats = np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
    return matrix


def value_of(function: Function, values: Mapping[str, float]) -> float:
    """Return the value of a function; of splines that of the straight line between their points."""
    match function:
        case Constant():
            return function.value
        case Linear():
            return function.offset + function.slope * values[function.coordinate]
        case Polynomial():
            return sum(
                term.coefficient
                * math.prod(values[name] ** power for name, power in zip(function.of, term.powers, strict=True))
                for term in function.terms
            )
        case Spline() | PiecewiseLinear():
            return float(np.interp(values[function.coordinate], function.x, function.y))
        case Fourier():
            angle = 2 * math.pi / function.period * values[function.coordinate]
            waves = sum(c * math.cos((k + 1) * angle) for k, c in enumerate(function.cosines))
            waves += sum(s * math.sin((k + 1) * angle) for k, s in enumerate(function.sines))
            return function.mean + function.slope * values[function.coordinate] + waves
        case Arc():
            return _end_of_arc(function, values)
        case Product():
            return math.prod(value_of(factor, values) for factor in function.factors)


def _end_of_arc(arc: Arc, values: Mapping[str, float]) -> float:
    a, b = (values[name] + angle for name, angle in zip(arc.of, arc.neutral, strict=True))
    angle = math.acos(math.cos(a) * math.cos(b))
    along = math.sin(angle) / angle if angle > 1e-6 else 1.0
    across = math.tan(angle / 2) / angle if angle > 1e-6 else 0.5
    shares = {"x": -math.sin(b) * across, "y": along, "z": math.sin(a) * math.cos(b) * across}
    return arc.length * shares[arc.along]
