"""Muscles of an OpenSim model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from myodyne.errors import ModelError
from myodyne.files.osim.document import Element, Reading
from myodyne.files.osim.forces.muscle_curves import (
    RIGID_PARALLEL,
    RIGID_VELOCITY,
    degroote_curves,
    millard_curves,
    table,
    thelen_curves,
)
from myodyne.files.osim.functions import function_of
from myodyne.files.osim.naming import members
from myodyne.files.osim.paths import PathReader, UnreadablePathError
from myodyne.files.osim.skeleton.frames import Frames
from myodyne.files.osim.skeleton.rotations import coordinates_of
from myodyne.files.osim.surfaces import Surfaces
from myodyne.model.functions import Constant
from myodyne.model.muscles.activation import DeGrooteActivation, HeActivation, NoActivation, ThelenActivation
from myodyne.model.muscles.curves import Tabulated
from myodyne.model.muscles.muscle import Muscle
from myodyne.model.paths import FunctionPath, PathPoint, PointPath

# Fields of a `Muscle` by name.
_Fields = dict[str, Any]
# Fibres that start this many times longer or shorter than their optimal length are a slip.
_FACTOR = 3.0
_NO_TENDON = 1e-9
# The last version in which the pennation bore its old name.
_OLD_PENNATION = 20301
# Where forces stand; the second is from before OpenSim 2.
_HOLDERS = ("ForceSet", "ActuatorSet", "ComponentSet", "components")


def is_muscle(element: Element) -> bool:
    """Whether an element is a muscle of any kind."""
    return element.tag in _READERS or element.tag.removesuffix("_Deprecated").endswith("Muscle")


def muscle_elements(model: Element) -> list[Element]:
    """Return the muscles of a model, wherever they stand."""
    return [element for element in members(model, *_HOLDERS) if is_muscle(element)]


def read_muscles(reading: Reading, model: Element, frames: Frames, surfaces: Surfaces) -> dict[str, Muscle]:
    """Return the muscles of a model, wherever they stand; those that cannot be muscles here are skipped by name."""
    paths = PathReader(reading, frames, surfaces, coordinates_of(model))
    others = {*paths.coordinates.names, *(body.name for body in members(model, "BodySet")), "ground"}
    found: dict[str, Muscle] = {}
    for element in muscle_elements(model):
        muscle = _muscle(reading, element, paths)
        if muscle is not None:
            if element.name in found or element.name in others:
                raise element.fault("another muscle, a body or a coordinate has the same name")
            found[element.name] = muscle
            reading.read(element, *_parts(element))
    _remark_on_kinds(reading, model, found)
    return found


def applies(element: Element) -> bool:
    """Whether a force acts at all: it may be switched off, which was written the other way round before OpenSim 4."""
    return element.flag("appliesForce", True) and not element.flag("isDisabled", False)


def _muscle(reading: Reading, element: Element, paths: PathReader) -> Muscle | None:
    read = _READERS.get(element.tag)
    if read is None:
        supported = ", ".join(_READERS)
        reading.skip(element, f"muscles of this kind are not supported; supported: {supported}")
        return None
    if not applies(element):
        reading.skip(element, "switched off in the file (appliesForce, isDisabled)")
        return None
    if not element.name:
        raise element.fault("a muscle needs a name")
    try:
        path = _within_one_body(reading, element, paths.path(element))
        fields = {**_common(reading, element), **read(element), "path": path}
        _settle_tendon(reading, element, fields)
        return Muscle(**fields)
    except (UnreadablePathError, ModelError) as error:
        reading.skip(element, f"cannot be read as a muscle: {error}")
        return None


def _within_one_body(reading: Reading, element: Element, path: PointPath | FunctionPath) -> PointPath | FunctionPath:
    """Return a path as it is, or as a constant length where all of its points are fixed to the same body."""
    if not isinstance(path, PointPath) or path.wraps or not all(isinstance(point, PathPoint) for point in path.points):
        return path
    if len({point.body for point in path.points}) > 1:
        return path
    places = [point.at for point in path.points if isinstance(point, PathPoint)]
    length = sum(math.dist(*pair) for pair in pairwise(places))
    if not length > 0.0:
        return path
    reading.suspect(
        element, f"all points are on '{path.points[0].body}': it moves nothing; its length stays {length:g} m"
    )
    return FunctionPath(length=Constant(value=length))


def _common(reading: Reading, element: Element) -> _Fields:
    """Return what all muscles have."""
    optimal = element.number("optimal_fiber_length", 0.1)
    # The latter is the name until OpenSim 2.
    angle = next((tag for tag in ("pennation_angle_at_optimal", "pennation_angle") if element.has(tag)), "")
    if angle == "pennation_angle" and element.document.version > _OLD_PENNATION:
        angle = ""
        reading.suspect(
            element,
            f"<pennation_angle> was renamed in version {_OLD_PENNATION + 1} of the format and OpenSim ignores it: the "
            f"pennation is zero",
        )
    fields: _Fields = {
        "max_force": element.number("max_isometric_force", 1000.0),
        "optimal_fibre_length": optimal,
        "tendon_slack_length": element.number("tendon_slack_length", 0.2),
        "pennation": element.number(angle) if angle else 0.0,
        "max_velocity": element.number("max_contraction_velocity", 10.0),
        "tendon": "rigid" if element.flag("ignore_tendon_compliance", False) else "elastic",
    }
    start = element.number("default_fiber_length", optimal)
    if optimal > 0 and not optimal / _FACTOR <= start <= optimal * _FACTOR:
        reading.suspect(element, f"starts with fibres of {start:g} m, where {optimal:g} m is their optimal length")
    if fields["pennation"] > 1.4:
        reading.suspect(element, f"has a pennation of {fields['pennation']:g} rad; degrees?")
    return fields


def _settle_tendon(reading: Reading, element: Element, fields: _Fields) -> None:
    if fields["tendon"] == "elastic" and fields["tendon_slack_length"] < _NO_TENDON:
        fields["tendon"], fields["tendon_slack_length"] = "rigid", 0.0
        reading.approximate(element, "its tendon has no length, and is rigid here")


def _first_order(element: Element, rise: float, fall: float) -> _Fields:
    """Return the activation of Thelen's and Millard's muscles."""
    starting = min(max(element.number("default_activation", 0.05), 0.0), 1.0)
    if element.flag("ignore_activation_dynamics", False):
        return {"activation": NoActivation()}
    # Before OpenSim 4 the numbers could stand in an object of their own.
    inner = element.child("MuscleFirstOrderActivationDynamicModel")
    source = element if inner is None else inner
    activation = ThelenActivation(
        activation_time=source.number("activation_time_constant", rise),
        deactivation_time=source.number("deactivation_time_constant", fall),
        minimum=source.number("minimum_activation", 0.01),
    )
    return {"activation": activation, "default_activation": starting}


def _thelen(element: Element) -> _Fields:
    return {**_first_order(element, 0.015, 0.05), "curves": thelen_curves(element)}


def _millard(element: Element) -> _Fields:
    rigid = element.flag("ignore_tendon_compliance", False)
    damping = element.number("fiber_damping", 0.1)
    # Below this OpenSim takes the muscle without damping.
    damped = damping >= 0.001
    speed = element.number("max_contraction_velocity", 10.0)
    return {
        **_first_order(element, 0.01, 0.04),
        "curves": millard_curves(element, classic=not rigid and not damped),
        # OpenSim's is in maximal forces at the maximal velocity.
        "damping": damping / speed if damped and speed > 0 else 0.0,
    }


def _degroote(element: Element) -> _Fields:
    speed = element.number("max_contraction_velocity", 10.0)
    fields: _Fields = {
        "curves": degroote_curves(element),
        "damping": element.number("fiber_damping", 0.0) / speed if speed > 0 else 0.0,
    }
    if element.flag("ignore_activation_dynamics", False):
        return {**fields, "activation": NoActivation()}
    activation = DeGrooteActivation(
        activation_time=element.number("activation_time_constant", 0.015),
        deactivation_time=element.number("deactivation_time_constant", 0.06),
        smoothness=element.number("activation_dynamics_smoothing", 0.1),
    )
    starting = min(max(element.number("default_activation", 0.5), 0.0), 1.0)
    return {**fields, "activation": activation, "default_activation": starting}


def _schutte(element: Element) -> _Fields:
    scale = element.number("time_scale", 0.1)
    rise, fall = element.number("activation1", 7.667), element.number("activation2", 1.459854)
    if not (scale > 0 and fall > 0 and rise + fall > 0):
        raise ModelError(f"time_scale {scale:g}, activation1 {rise:g}, activation2 {fall:g} give no time constants")
    curves = {
        "active": table(element, "active_force_length_curve"),
        "parallel": table(element, "passive_force_length_curve"),
        "tendon": table(element, "tendon_force_length_curve"),
    }
    given = {name: curve for name, curve in curves.items() if curve is not None}
    return {
        # Its parallel element pushes where the spline swings below zero.
        "curves": Tabulated(**given, parallel_floor=-1.0),
        "activation": HeActivation(activation_time=scale / (rise + fall), deactivation_time=scale / fall),
        # Velocities are in optimal lengths per unit of the time scale; max_contraction_velocity is not used.
        "max_velocity": 1 / scale,
        "damping": element.number("damping", 0.1) * scale,
    }


def _rigid(element: Element) -> _Fields:
    curves = {
        "active": table(element, "active_force_length_curve"),
        "parallel": table(element, "passive_force_length_curve") or RIGID_PARALLEL,
        "velocity": table(element, "force_velocity_curve") or RIGID_VELOCITY,
    }
    given = {name: curve for name, curve in curves.items() if curve is not None}
    return {"curves": Tabulated(**given), "activation": NoActivation(), "tendon": "rigid", "damping": 0.0}


_READERS: dict[str, Callable[[Element], _Fields]] = {
    "Thelen2003Muscle": _thelen,
    "Millard2012EquilibriumMuscle": _millard,
    "DeGrooteFregly2016Muscle": _degroote,
    "Schutte1993Muscle_Deprecated": _schutte,
    # OpenSim reads the older name as the same muscle.
    "Schutte1993Muscle": _schutte,
    "RigidTendonMuscle": _rigid,
}

_CURVES = (
    "ActiveForceLengthCurve",
    "ForceVelocityCurve",
    "FiberForceLengthCurve",
    "TendonForceLengthCurve",
    "MuscleFirstOrderActivationDynamicModel",
    "MuscleFixedWidthPennationModel",
)
_TABLES = (
    "active_force_length_curve",
    "passive_force_length_curve",
    "tendon_force_length_curve",
    "force_velocity_curve",
)


def _parts(element: Element) -> Iterator[Element]:
    """Yield the objects of a muscle that its numbers were taken from."""
    yield from (child for child in element.children if child.tag in _CURVES)
    for name in _TABLES:
        curve = function_of(element, name)
        if curve is not None:
            yield curve


# What is not to the letter in all muscles of a kind.
_REMARKS = {
    "Schutte1993Muscle_Deprecated": (
        "an excitation above zero slows the decay of activation here, which in OpenSim has one time constant; and "
        "fibres may shorten faster than at their maximal velocity where OpenSim holds them to it"
    ),
    "RigidTendonMuscle": "fibres shorten with the cosine of their pennation here, with the path itself in OpenSim",
}


def _remark_on_kinds(reading: Reading, model: Element, found: dict[str, Muscle]) -> None:
    for kind, remark in _REMARKS.items():
        elements = [element for element in members(model, *_HOLDERS) if element.tag == kind and element.name in found]
        if elements:
            every = f" (so are all {len(elements)} of this kind)" if len(elements) > 1 else ""
            reading.approximate(elements[0], remark + every)
