"""Forces of an OpenSim model other than muscles."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from myodyne.errors import ModelError
from myodyne.files.osim.document import Element, Reading
from myodyne.files.osim.forces import actuators, contacts, prescribed
from myodyne.files.osim.forces.muscles import applies, is_muscle
from myodyne.files.osim.forces.surroundings import Surroundings, coordinate_of, vector
from myodyne.files.osim.functions import function_of, read_function
from myodyne.files.osim.naming import claimed, free_name, members
from myodyne.files.osim.paths import PathReader, UnreadablePathError
from myodyne.files.osim.skeleton.frames import Frames, moved, socket
from myodyne.files.osim.skeleton.rotations import coordinates_of
from myodyne.files.osim.surfaces import Surfaces
from myodyne.model.bodies import Marker, Placement
from myodyne.model.forces import Force, PointSpring, TorsionSpring
from myodyne.model.formulas import BushingFormula, CoordinateFormula, LineFormula, PathFormula
from myodyne.model.functions import Constant, Function, PiecewiseLinear, Spline
from myodyne.model.part import Vector
from myodyne.model.springs import (
    BlankevoortLigament,
    Bushing,
    CoordinateLimit,
    CurveBushing,
    CurveLigament,
    PathSpring,
)

# As many as there may be parts of any other kind.
_MOST = 2000
_LISTS = ("ComponentSet", "components")
# Endings of the names of OpenSim's forces, by which forces in lists of components are recognised.
_ENDINGS = ("Force", "Actuator", "Spring", "Ligament", "Loads")
# A ligament's curve where the file gives none.
_LIGAMENT = (
    (-5.0, 0.998, 0.999, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.601, 1.602, 5.0),
    (0.0, 0.0, 0.0, 0.0, 0.035, 0.12, 0.26, 0.55, 1.17, 2.0, 2.0, 2.0, 2.0),
)


def read_forces(
    reading: Reading, model: Element, frames: Frames, surfaces: Surfaces
) -> tuple[dict[str, Force], Surroundings]:
    """Return the forces of a model but its muscles, and what they brought along; unknown kinds are skipped by name."""
    coordinates = coordinates_of(model)
    paths = PathReader(reading, frames, surfaces, coordinates)
    around = Surroundings(reading, model, frames, paths, frozenset(coordinates.rotational))
    elements = list(_elements(model))
    # A force gives up its name to any other part of the model.
    taken = claimed(model, leave_out=elements) | set(surfaces)
    found: dict[str, Force] = {}
    for element in elements:
        suffix = "_actuator" if element.tag.endswith("Actuator") else "_force"
        for name, force in _read(around, element):
            if (coordinate := getattr(force, "coordinate", None)) is not None:
                coordinates.called(coordinate, element)
            # Contacts of one force have names that are made up here.
            if name == element.name or name in taken:
                old, name = name, free_name(reading, element, taken, otherwise=suffix)
                around.renamed.setdefault(element.name, name)
                if old != name and old in around.prescribed:
                    around.prescribed[name] = around.prescribed.pop(old)
            taken.add(name)
            found[name] = force
        if len(found) > _MOST:
            raise element.fault(f"is more than the {_MOST} forces that are read")
    contacts.note_idle_geometry(reading, model)
    return found, around


def _elements(model: Element) -> Iterator[Element]:
    yield from (element for element in members(model, "ForceSet", "ActuatorSet") if not is_muscle(element))
    for element in members(model, *_LISTS):
        if element.tag in _READERS or (element.tag.endswith(_ENDINGS) and not is_muscle(element)):
            yield element


def _read(around: Surroundings, element: Element) -> list[tuple[str, Force]]:
    if not applies(element):
        around.reading.skip(element, "switched off in the file (appliesForce, isDisabled)")
        return []
    try:
        if element.tag == "HuntCrossleyForce":
            found = list(contacts.hunt_crossley_contacts(around, element))
            if not found:
                around.reading.skip(element, "no sphere of it can touch anything on another body")
                return []
        elif element.tag == "BodyActuator":
            found = actuators.body_actuator(around, element)
        elif element.tag == "PrescribedForce":
            found = prescribed.prescribed_force(around, element)
            message = "its controls follow the file in simulations; optimisation and analyses find their own"
            around.reading.approximate(element, message)
        elif element.tag in _READERS:
            found = [(element.name, _READERS[element.tag](around, element))]
        else:
            around.reading.skip(element, _WHY_NOT.get(element.tag, "forces of this kind are not supported"))
            return []
    except (UnreadablePathError, ModelError) as error:
        around.reading.skip(element, f"cannot be read as a force: {error}")
        return []
    around.reading.read(element)
    return found


_WHY_NOT = {
    "ElasticFoundationForce": "contact of meshes is not supported; give the body spheres (HuntCrossleyForce)",
    "ExternalLoads": "recorded forces are not part of a model; load them with load_external_forces",
    "ExternalForce": "recorded forces are not part of a model; load them with load_external_forces",
    "ClutchedPathSpring": "the stretch of its clutch is a state of its own, which models here do not have",
    "McKibbenActuator": "pneumatic actuators are not supported; a PathActuator has a force of its control alone",
    "ExponentialContactForce": "its anchors of friction are states of their own; use spheres (HuntCrossleyForce)",
    "MeyerFregly2016Force": "contact of this kind is not supported; use spheres (SmoothSphereHalfSpaceForce)",
}


def _limit(around: Surroundings, element: Element) -> Force:
    coordinate = _own_coordinate(around, element)
    # For angles, everything is in degrees and per degree.
    unit = math.radians(1.0) if coordinate in around.rotational else 1.0
    return CoordinateLimit(
        coordinate=coordinate,
        lower=element.number("lower_limit", 0.0) * unit,
        upper=element.number("upper_limit", 0.0) * unit,
        lower_stiffness=element.number("lower_stiffness", 1.0) / unit,
        upper_stiffness=element.number("upper_stiffness", 1.0) / unit,
        damping=element.number("damping", 0.001) / unit,
        transition=element.number("transition", 0.1) * unit,
    )


def _own_coordinate(around: Surroundings, element: Element) -> str:
    """Return the coordinate of a force that acts on its rate here."""
    coordinate = coordinate_of(element)
    axis_of_torque = around.torque_axes.get(coordinate)
    if axis_of_torque is not None:
        around.reading.approximate(
            element,
            f"acts along '{coordinate}' and its rate here, in OpenSim about an axis "
            f"on the parent of joint '{axis_of_torque.joint}', against the angular velocity",
        )
    return coordinate


def _bushing(around: Surroundings, element: Element) -> Force:
    first, second = (_bushing_end(around, element, number) for number in (1, 2))
    fields = ("rotational_stiffness", "translational_stiffness", "rotational_damping", "translational_damping")
    return Bushing(first=first, second=second, **{field: vector(element, field) for field in fields})


def _bushing_end(around: Surroundings, element: Element, number: int) -> Placement:
    frame = socket(element, f"frame{number}", f"body_{number}", f"body{number}")
    if frame is None:
        raise element.fault(f"names no frame {number} (<socket_frame{number}>)")
    # Until OpenSim 4 the frames were bodies, with an offset of their own.
    return moved(
        around.frames.resolve(frame, element),
        vector(element, f"location_body_{number}"),
        vector(element, f"orientation_body_{number}"),
    )


def _coordinate_formula(around: Surroundings, element: Element) -> Force:
    return CoordinateFormula(coordinate=_own_coordinate(around, element), formula=element.text("expression", "0.0"))


def _line_formula(around: Surroundings, element: Element) -> Force:
    start, end = _ends(around, element)
    return LineFormula(start=start, end=end, formula=element.text("expression", "0.0"))


def _bushing_formula(around: Surroundings, element: Element) -> Force:
    first, second = (_bushing_end(around, element, number) for number in (1, 2))
    torques, forces = (tuple(element.text(f"{kind}{axis}_expression", "0.0") for axis in "xyz") for kind in ("M", "F"))
    return BushingFormula(first=first, second=second, torques=torques, forces=forces, **_damping(element))


def _curve_bushing(around: Surroundings, element: Element) -> Force:
    first, second = (_bushing_end(around, element, number) for number in (1, 2))
    torques, forces = (
        tuple(_resistance(around, element, f"{kind}_{axis}_{deviation}_{axis}_function") for axis in "xyz")
        for kind, deviation in (("m", "theta"), ("f", "delta"))
    )
    return CurveBushing(first=first, second=second, torques=torques, forces=forces, **_damping(element))


def _damping(element: Element) -> dict[str, Vector]:
    return {field: vector(element, field) for field in ("rotational_damping", "translational_damping")}


def _resistance(around: Surroundings, element: Element, tag: str) -> Function:
    curve = function_of(element, tag)
    return Constant() if curve is None else read_function(around.reading, curve, ("deviation",))


def _path_formula(around: Surroundings, element: Element) -> Force:
    return PathFormula(
        path=around.paths.path(element),
        rest_length=element.number("resting_length", 0.0),
        formula=element.text("expression", "0.0"),
        slack=element.flag("clamp_stretch", default=True),
    )


def _blankevoort(around: Surroundings, element: Element) -> Force:
    return BlankevoortLigament(
        path=around.paths.path(element),
        slack_length=element.number("slack_length", 0.0),
        stiffness=element.number("linear_stiffness", 1.0),
        transition_strain=element.number("transition_strain", 0.06),
        damping=element.number("damping_coefficient", 0.003),
    )


def _ligament(around: Surroundings, element: Element) -> Force:
    curve = function_of(element, "force_length_curve")
    table = (
        Spline(coordinate="length", x=_LIGAMENT[0], y=_LIGAMENT[1], ends="cubic")
        if curve is None
        else read_function(around.reading, curve, ("length",))
    )
    if not isinstance(table, Spline | PiecewiseLinear):
        raise ModelError(f"its force_length_curve is a function of the kind '{table.kind}'; only splines are supported")
    return CurveLigament(
        path=around.paths.path(element),
        slack_length=element.number("resting_length", 0.0),
        scale=element.number("pcsa_force", 0.0),
        curve=table,
    )


def _path_spring(around: Surroundings, element: Element) -> Force:
    return PathSpring(
        path=around.paths.path(element),
        rest_length=element.number("resting_length"),
        stiffness=element.number("stiffness"),
        dissipation=element.number("dissipation"),
    )


def _ends(around: Surroundings, element: Element) -> list[Marker]:
    """Return the two points of a force between bodies."""
    ends = []
    for number in (1, 2):
        frame = socket(element, f"body{number}", f"body{number}_name")
        if frame is None:
            raise element.fault(f"names no body {number} (<socket_body{number}>)")
        ends.append(around.frames.point(frame, vector(element, f"point{number}"), element))
    return ends


def _point_spring(around: Surroundings, element: Element) -> Force:
    start, end = _ends(around, element)
    return PointSpring(
        start=start,
        end=end,
        stiffness=element.number("stiffness", 1.0),
        rest_length=element.number("rest_length", 0.0),
    )


def _coordinate_spring(around: Surroundings, element: Element) -> Force:
    return TorsionSpring(
        coordinate=_own_coordinate(around, element),
        stiffness=element.number("stiffness", 0.0),
        rest=element.number("rest_length", 0.0),
        damping=element.number("viscosity", 0.0),
    )


_READERS: dict[str, Callable[[Surroundings, Element], Force]] = {
    "CoordinateActuator": actuators.coordinate_actuator,
    "ActivationCoordinateActuator": actuators.coordinate_actuator,
    "PointActuator": actuators.point_actuator,
    "TorqueActuator": actuators.torque_actuator,
    "PointToPointActuator": actuators.line_actuator,
    "PathActuator": actuators.path_actuator,
    "CoordinateLimitForce": _limit,
    "BushingForce": _bushing,
    "Ligament": _ligament,
    "PathSpring": _path_spring,
    "PointToPointSpring": _point_spring,
    "SpringGeneralizedForce": _coordinate_spring,
    "SmoothSphereHalfSpaceForce": contacts.smooth_contact,
    "ExpressionBasedCoordinateForce": _coordinate_formula,
    "ExpressionBasedPointToPointForce": _line_formula,
    "ExpressionBasedBushingForce": _bushing_formula,
    "ExpressionBasedPathForce": _path_formula,
    "FunctionBasedBushingForce": _curve_bushing,
    "Blankevoort1991Ligament": _blankevoort,
}
