"""Forces other than muscles, and contact geometry, as elements of an .osim file."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any
from xml.etree.ElementTree import Element

from myodyne.files.osim_writer.ellipsoids import driven_by_torques
from myodyne.files.osim_writer.functions import function_element
from myodyne.files.osim_writer.markup import NoCounterpartError, made, preimage
from myodyne.files.osim_writer.paths import path_element
from myodyne.files.osim_writer.surroundings import Surroundings
from myodyne.model.actuators import (
    ControlRange,
    CoordinateActuator,
    LineActuator,
    PathActuator,
    PointActuator,
    TorqueActuator,
)
from myodyne.model.bodies import GROUND, Marker, Placement
from myodyne.model.contacts import HuntCrossleyContact, SmoothSphereContact, SpherePairContact
from myodyne.model.forces import Force, PointSpring, TorsionSpring
from myodyne.model.formulas import BushingFormula, CoordinateFormula, LineFormula, PathFormula
from myodyne.model.springs import (
    BlankevoortLigament,
    Bushing,
    CoordinateLimit,
    CurveBushing,
    CurveLigament,
    PathSpring,
)

_DAMPING = ("rotational_damping", "translational_damping")
_FRICTION = ("static_friction", "dynamic_friction", "viscous_friction")


class ForceWriter:
    """Writes forces, and keeps the contact geometry that they need."""

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self.geometry: dict[str, Element] = {}
        self._planes: dict[Placement, str] = {}
        self._driven_by_torques = driven_by_torques(around.model)

    def element(self, name: str, force: Force) -> Element:
        """Return the element of a force."""
        if getattr(force, "coordinate", None) in self._driven_by_torques:
            raise NoCounterpartError(
                "it acts on a coordinate of a joint over an ellipsoid, where OpenSim's would be a torque"
            )
        match force:
            case CoordinateActuator():
                return made(
                    "CoordinateActuator",
                    name,
                    {"coordinate": force.coordinate, **_control(force.gain, force.control_range)},
                )
            case TorqueActuator():
                return made(
                    "TorqueActuator",
                    name,
                    {
                        "bodyA": force.body,
                        "bodyB": force.reaction or GROUND,
                        "torque_is_global": force.axes == "ground",
                        "axis": force.axis,
                        **_control(force.gain, force.control_range),
                    },
                )
            case PointActuator():
                return made(
                    "PointActuator",
                    name,
                    {
                        "body": force.body,
                        "point": force.at,
                        "point_is_global": force.at_frame == "ground",
                        "direction": force.direction,
                        "force_is_global": force.axes == "ground",
                        **_control(force.gain, force.control_range),
                    },
                )
            case LineActuator():
                return made(
                    "PointToPointActuator",
                    name,
                    {
                        "bodyA": force.start.body,
                        "bodyB": force.end.body,
                        "points_are_global": False,
                        "pointA": force.start.at,
                        "pointB": force.end.at,
                        **_control(force.gain, force.control_range),
                    },
                )
            case PathActuator():
                return made(
                    "PathActuator",
                    name,
                    _control(force.gain, force.control_range),
                    [path_element(self.around, name, force.path)],
                )
            case HuntCrossleyContact() | SpherePairContact():
                return self._hunt_crossley(name, force)
            case SmoothSphereContact():
                return self._smooth_sphere(name, force)
            case _:
                return self._spring(name, force)

    def _spring(self, name: str, force: Force) -> Element:
        match force:
            case CoordinateLimit():
                return made("CoordinateLimitForce", name, _limits(force, force.coordinate in self.around.turning))
            case Bushing():
                sockets, frames = self.around.ends(("frame1", "frame2"), (force.first, force.second))
                fields = (
                    "rotational_stiffness",
                    "translational_stiffness",
                    "rotational_damping",
                    "translational_damping",
                )
                return made(
                    "BushingForce", name, {**sockets, **{field: getattr(force, field) for field in fields}}, frames
                )
            case PathSpring():
                return made(
                    "PathSpring",
                    name,
                    {
                        "resting_length": force.rest_length,
                        "stiffness": force.stiffness,
                        "dissipation": force.dissipation,
                    },
                    [path_element(self.around, name, force.path)],
                )
            case CurveLigament():
                return made(
                    "Ligament",
                    name,
                    {
                        "resting_length": force.slack_length,
                        "pcsa_force": force.scale,
                        "force_length_curve": function_element(force.curve),
                    },
                    [path_element(self.around, name, force.path)],
                )
            case BlankevoortLigament():
                numbers = {
                    "linear_stiffness": force.stiffness,
                    "transition_strain": force.transition_strain,
                    "damping_coefficient": force.damping,
                    "slack_length": force.slack_length,
                }
                return made("Blankevoort1991Ligament", name, numbers, [path_element(self.around, name, force.path)])
            case CurveBushing():
                return self._curve_bushing(name, force)
            case PointSpring() if not force.damping:
                return made(
                    "PointToPointSpring",
                    name,
                    {
                        "socket_body1": self.around.body(force.start.body),
                        "socket_body2": self.around.body(force.end.body),
                        "point1": force.start.at,
                        "point2": force.end.at,
                        "stiffness": force.stiffness,
                        "rest_length": force.rest_length,
                    },
                )
            case PointSpring():
                raise NoCounterpartError("the damping of a spring between two points")
            case TorsionSpring():
                return made(
                    "SpringGeneralizedForce",
                    name,
                    {
                        "coordinate": force.coordinate,
                        "stiffness": force.stiffness,
                        "rest_length": force.rest,
                        "viscosity": force.damping,
                    },
                )
            case CoordinateFormula() | LineFormula() | PathFormula() | BushingFormula():
                return self._by_formulas(name, force)
            case _:
                raise NoCounterpartError(f"a force of the kind '{force.kind}'")

    def _curve_bushing(self, name: str, force: CurveBushing) -> Element:
        sockets, frames = self.around.ends(("frame1", "frame2"), (force.first, force.second))
        curves = {
            f"{kind}_{axis}_{deviation}_{axis}_function": function_element(curve)
            for kind, deviation, held in (("m", "theta", force.torques), ("f", "delta", force.forces))
            for axis, curve in zip("xyz", held, strict=True)
        }
        damping = {field: getattr(force, field) for field in _DAMPING}
        return made("FunctionBasedBushingForce", name, {**sockets, **curves, **damping}, frames)

    def _by_formulas(self, name: str, force: CoordinateFormula | LineFormula | PathFormula | BushingFormula) -> Element:
        match force:
            case PathFormula():
                held = {
                    "resting_length": force.rest_length,
                    # OpenSim takes no blanks in it.
                    "expression": "".join(force.formula.split()),
                    "clamp_stretch": force.slack,
                }
                path = path_element(self.around, name, force.path)
                return made("ExpressionBasedPathForce", name, held, [path])
            case CoordinateFormula():
                held = {"coordinate": force.coordinate, "expression": force.formula}
                return made("ExpressionBasedCoordinateForce", name, held)
            case LineFormula():
                bodies = {"body1": force.start.body, "body2": force.end.body}
                points = {"point1": force.start.at, "point2": force.end.at, "expression": force.formula}
                return made("ExpressionBasedPointToPointForce", name, {**bodies, **points})
        sockets, frames = self.around.ends(("frame1", "frame2"), (force.first, force.second))
        formulas = {
            f"{kind}{axis}_expression": text
            for kind, texts in (("M", force.torques), ("F", force.forces))
            for axis, text in zip("xyz", texts, strict=True)
        }
        damping = {field: getattr(force, field) for field in _DAMPING}
        return made("ExpressionBasedBushingForce", name, {**sockets, **formulas, **damping}, frames)

    def _smooth_sphere(self, name: str, contact: SmoothSphereContact) -> Element:
        sphere, plane = self._touching(name, contact)
        fields = (
            "stiffness",
            "dissipation",
            *_FRICTION,
            "transition_velocity",
            "constant_contact_force",
            "hertz_smoothing",
            "hunt_crossley_smoothing",
        )
        return made(
            "SmoothSphereHalfSpaceForce",
            name,
            {
                "socket_sphere": f"/contactgeometryset/{sphere}",
                "socket_half_space": f"/contactgeometryset/{plane}",
                **{field: getattr(contact, field) for field in fields},
            },
        )

    def _hunt_crossley(self, name: str, contact: HuntCrossleyContact | SpherePairContact) -> Element:
        share = contact.sphere_share
        if not 0.0 < share < 1.0:
            raise NoCounterpartError(f"a sphere_share of {share:g}: in OpenSim no material is rigid")
        sphere, plane = self._touching(name, contact)
        moduli = _moduli(contact.stiffness, share)
        numbers = {field: getattr(contact, field) for field in ("dissipation", *_FRICTION)}
        materials = [
            made(
                "HuntCrossleyForce::ContactParameters",
                properties={"geometry": geometry, "stiffness": modulus, **numbers},
            )
            for geometry, modulus in zip((sphere, plane), moduli, strict=True)
        ]
        held = made(
            "HuntCrossleyForce::ContactParametersSet", "contact_parameters", inside=[made("objects", inside=materials)]
        )
        return made("HuntCrossleyForce", name, {"transition_velocity": contact.transition_velocity}, [held])

    def _touching(
        self, name: str, contact: HuntCrossleyContact | SmoothSphereContact | SpherePairContact
    ) -> tuple[str, str]:
        """Return the names of the sphere and of the half space, which several may share, or of the other sphere."""
        sphere = self._sphere(name, Marker(body=contact.body, at=contact.at), contact.radius)
        if isinstance(contact, SpherePairContact):
            return sphere, self._sphere(name, contact.other, contact.other_radius)
        plane = self._planes.get(contact.plane)
        if plane is None:
            plane = self._planes[contact.plane] = self._unused(f"{contact.plane.body}_plane")
            self.geometry[plane] = made(
                "ContactHalfSpace",
                plane,
                {
                    "socket_frame": self.around.body(contact.plane.body),
                    "location": contact.plane.at,
                    "orientation": contact.plane.orientation,
                },
            )
        return sphere, plane

    def _sphere(self, name: str, centre: Marker, radius: float) -> str:
        sphere = self._unused(f"{name}_sphere")
        place = {"location": centre.at, "orientation": (0.0, 0.0, 0.0), "radius": radius}
        self.geometry[sphere] = made("ContactSphere", sphere, {"socket_frame": self.around.body(centre.body), **place})
        return sphere

    def _unused(self, name: str) -> str:
        found, number = name, 2
        while found in self.geometry:
            found, number = f"{name}_{number}", number + 1
        return found


def _moduli(stiffness: float, share: float) -> tuple[float, float]:
    """Return the moduli of the materials of sphere and half space that together are as stiff, and share the depth."""
    both = stiffness ** (2 / 3) / 2
    plane = (both / (1 - share)) ** 1.5
    sphere = preimage(stiffness, (both / share) ** 1.5, lambda modulus: _together(modulus, plane))
    if share == 0.5:
        # One material: the modulus of both, so that they share the depth to the last bit.
        sphere = plane = preimage(stiffness, stiffness, lambda modulus: _together(modulus, modulus))
    return sphere, plane


def _together(sphere: float, plane: float) -> float:
    """Return the stiffness of two materials, as the reader reckons it."""
    first, second = sphere ** (2 / 3), plane ** (2 / 3)
    return float((2 * first * (second / (first + second))) ** 1.5) if first + second > 0 else 0.0


def _control(gain: float, limits: ControlRange | None) -> dict[str, Any]:
    bounds = {} if limits is None else {"min_control": limits[0], "max_control": limits[1]}
    return {**bounds, "optimal_force": gain}


def _limits(force: CoordinateLimit, turns: bool) -> dict[str, Any]:
    """Return the numbers of a limit, in degrees and per degree where it is one of an angle."""
    unit = math.radians(1.0) if turns else 1.0
    times: Callable[[float], float] = lambda number: number * unit  # noqa: E731
    per: Callable[[float], float] = lambda number: number / unit  # noqa: E731
    lengths = {"upper_limit": force.upper, "lower_limit": force.lower, "transition": force.transition}
    rates = {
        "upper_stiffness": force.upper_stiffness,
        "lower_stiffness": force.lower_stiffness,
        "damping": force.damping,
    }
    return {
        "coordinate": force.coordinate,
        **{name: preimage(value, value / unit, times) for name, value in lengths.items()},
        **{name: preimage(value, value * unit, per) for name, value in rates.items()},
    }
