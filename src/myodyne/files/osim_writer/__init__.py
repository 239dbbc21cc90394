"""Models as OpenSim files (.osim), of the format of OpenSim 4."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar
from xml.etree.ElementTree import Element, indent, tostring

from myodyne.errors import FileError
from myodyne.files.osim_writer.forces import ForceWriter
from myodyne.files.osim_writer.functions import control_element
from myodyne.files.osim_writer.markup import NoCounterpartError, gathered, made
from myodyne.files.osim_writer.muscles import metabolic_probes, muscle_element
from myodyne.files.osim_writer.paths import surface_element
from myodyne.files.osim_writer.skeleton import (
    body_element,
    constraint_element,
    coupler_element,
    frame_contents,
    joint_element,
    marker_element,
)
from myodyne.files.osim_writer.surroundings import Surroundings
from myodyne.model import Model
from myodyne.model.bodies import GROUND, Body
from myodyne.model.constraints import CouplerConstraint, MotionConstraint

__all__ = ["osim_text", "what_is_lost"]

T = TypeVar("T")

_VERSION = "40500"
# What OpenSim lets no name hold: blanks end it, and the others are parts of the paths by which components are found.
_NO_NAMES = frozenset("\\/*+ \t\n")
_MOST_REFUSALS = 10
_TABLES = (
    *("bodies", "joints", "coordinates", "markers", "sensors", "surfaces", "muscles", "forces", "constraints"),
    "prescribed",
)


def osim_text(model: Model) -> bytes:
    """Return the content of an .osim file that describes a model.

    Raises
    ------
    FileError
        If parts of the model have no counterpart in OpenSim; the message names them.
    """
    return _Writing(model).content()


def what_is_lost(model: Model, again: Model) -> list[str]:
    """Return the parts of a model that are not there when its file is read again, or are there in addition."""
    found = []
    for table in _TABLES:
        # A coupler may come back as a coupled coordinate, which moves alike; a motion is named by its coordinate.
        names = [
            {
                name
                for name, part in getattr(one, table).items()
                if not isinstance(part, CouplerConstraint | MotionConstraint)
            }
            for one in (model, again)
        ]
        found += [f"{table}: '{name}'" for name in sorted(names[0] ^ names[1])]
    return found + ([str(remark) for remark in again.audit.about("skipped")] if again.audit is not None else [])


class _Writing:
    """The file of a model as it is written, and the parts that it cannot hold."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.around = Surroundings(model)
        self.forces = ForceWriter(self.around)
        self.refusals: list[str] = []

    def content(self) -> bytes:
        model = self.model
        self._check_names()
        if model.wrapping != "opensim" and model.surfaces:
            self.refusals.append(
                f"wrapping '{model.wrapping}': OpenSim lays paths over surfaces by its own rules; "
                'write model.with_values({"wrapping": "opensim"})'
            )
        standing = {name: part for name, part in model.constraints.items() if name not in model.motions}
        sets = [
            self._ground(),
            gathered("BodySet", self._each("body", model.bodies, self._body)),
            gathered("JointSet", self._each("joint", model.joints, self._of(joint_element))),
            gathered(
                "ForceSet",
                [
                    *self._each("muscle", model.muscles, self._of(muscle_element)),
                    *self._each("force", model.forces, self.forces.element),
                ],
            ),
            gathered(
                "ConstraintSet", [*self._couplers(), *self._each("constraint", standing, self._of(constraint_element))]
            ),
            gathered("MarkerSet", self._each("marker", model.markers, self._of(marker_element))),
            gathered("ContactGeometrySet", self.forces.geometry.values()),
            gathered("ProbeSet", metabolic_probes(model.muscles)),
            gathered("ControllerSet", self._controllers()),
            made("components", inside=self._sensors()),
        ]
        if self.refusals:
            raise FileError(self._refusal())
        properties = {"credits": model.source, "length_units": "meters", "force_units": "N", "gravity": model.gravity}
        document = Element("OpenSimDocument", {"Version": _VERSION})
        name = "".join("_" if letter in _NO_NAMES else letter for letter in model.name)
        document.append(made("Model", name, properties, sets))
        indent(document, space="\t")
        text: bytes = tostring(document, encoding="UTF-8", xml_declaration=True)
        return text + b"\n"

    def _of(self, write: Callable[[Surroundings, str, T], Element]) -> Callable[[str, T], Element]:
        return lambda name, part: write(self.around, name, part)

    def _each(self, what: str, parts: Mapping[str, T], write: Callable[[str, T], Element]) -> list[Element]:
        found = []
        for name, part in parts.items():
            if name in self.around.hidden:
                continue
            try:
                found.append(write(name, part))
            except NoCounterpartError as error:
                self.refusals.append(f"{what} '{name}': {error}")
        return found

    def _surfaces_of(self, body: str) -> Iterable[Element]:
        return [
            surface_element(name, surface)
            for name, surface in self.model.surfaces.items()
            if surface.frame.body == body
        ]

    def _ground(self) -> Element:
        return made("Ground", GROUND, inside=frame_contents((), self._surfaces_of(GROUND)))

    def _body(self, name: str, body: Body) -> Element:
        return body_element(name, body, self._surfaces_of(name))

    def _couplers(self) -> list[Element]:
        """Return the constraints by which coupled coordinates follow others."""
        coupled = {name: part.coupled for name, part in self.model.coordinates.items() if part.coupled is not None}
        names = {}
        for name in coupled:
            names[name] = f"{name}_coupler"
            while names[name] in self.model.constraints or names[name] in self.model.coordinates:
                names[name] += "_"
        return self._each(
            "coupled coordinate", coupled, lambda name, function: coupler_element(names[name], name, function)
        )

    def _controllers(self) -> list[Element]:
        """Return one controller for all controls over time."""
        functions = self._each("control", self.model.prescribed, lambda name, held: control_element(held, name))
        if not functions:
            return []
        driven = {"socket_actuators": " ".join(f"/forceset/{name}" for name in self.model.prescribed)}
        name = "prescribed"
        while name in self.model.forces or name in self.model.muscles:
            name += "_"
        held = made("FunctionSet", "ControlFunctions", inside=[made("objects", inside=functions)])
        return [made("PrescribedController", name, driven, [held])]

    def _sensors(self) -> list[Element]:
        found = []
        for name, place in self.model.sensors.items():
            frame = self.around.body(place.body)
            if any((*place.at, *place.orientation)):
                offset = {"socket_parent": frame, "translation": place.at, "orientation": place.orientation}
                found.append(made("PhysicalOffsetFrame", f"{name}_frame", offset))
                frame = f"/{name}_frame"
            found.append(made("IMU", name, {"socket_frame": frame}))
        return found

    def _check_names(self) -> None:
        model = self.model
        tables: dict[str, Iterable[str]] = {
            "body": model.bodies,
            "joint": model.joints,
            "coordinate": model.coordinates,
            "muscle": model.muscles,
            "force": model.forces,
            "constraint": model.constraints,
            "marker": model.markers,
            "sensor": model.sensors,
            "surface": model.surfaces,
        }
        for what, table in tables.items():
            self.refusals += [
                f"{what} '{name}': a name with blanks or any of \\ / * +"
                for name in table
                if not _NO_NAMES.isdisjoint(name)
            ]

    def _refusal(self) -> str:
        shown = self.refusals[:_MOST_REFUSALS]
        more = len(self.refusals) - len(shown)
        lines = [*shown, *([f"and {more} more"] if more else [])]
        return "the model holds what OpenSim has no counterpart for:\n  " + "\n  ".join(lines)
