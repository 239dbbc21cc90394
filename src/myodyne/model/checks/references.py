"""Which fields of each kind of part name a body, a coordinate or a surface."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

from myodyne.errors import unknown_name
from myodyne.model.actuators import CoordinateActuator, LineActuator, PointActuator, TorqueActuator
from myodyne.model.bodies import GROUND, Marker
from myodyne.model.constraints import (
    CouplerConstraint,
    DistanceConstraint,
    LineConstraint,
    MotionConstraint,
    PointConstraint,
    RollingConstraint,
    SpeedConstraint,
    WeldConstraint,
)
from myodyne.model.contacts import (
    ContactPoint,
    EllipsoidContact,
    HuntCrossleyContact,
    SmoothSphereContact,
    SpherePairContact,
)
from myodyne.model.forces import BodyTorque, Drag, JointLimit, PointForce, PointSpring, TorsionSpring
from myodyne.model.formulas import BushingFormula, CoordinateFormula, LineFormula
from myodyne.model.joints import Axis, Joint
from myodyne.model.paths import ConditionalPoint, FunctionPath, MovingPoint, PathPoint
from myodyne.model.springs import Bushing, CoordinateLimit, CurveBushing, PassiveMoment
from myodyne.model.surfaces import Wrap, WrapCylinder, WrapEllipsoid, WrapSphere, WrapTorus

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from myodyne.model.model import Model
    from myodyne.model.part import Part

TargetKind = Literal["body", "coordinate", "surface"]


@dataclass(frozen=True)
class Reference:
    """A field that names one part or several: what it names, its attribute, and the field that messages report."""

    kind: TargetKind
    attribute: str
    field: str

    def names(self, part: Part) -> tuple[str, ...]:
        """Return the names that a part holds in this field; a body that is left out is the ground."""
        held: str | tuple[str, ...] | None = attrgetter(self.attribute)(part)
        return held if isinstance(held, tuple) else (GROUND if held is None else held,)


def _body(*fields: str) -> tuple[Reference, ...]:
    return tuple(Reference("body", field, field) for field in fields)


def _coordinate(attribute: str = "coordinate", field: str = "coordinate") -> Reference:
    return Reference("coordinate", attribute, field)


# In the order in which faults are reported. Forces along a path have no entry: the path and its points have.
REFERENCES: dict[type[Part], tuple[Reference, ...]] = {
    Joint: _body("parent.body", "child.body"),
    Axis: (_coordinate("function.coordinates", ""),),
    Marker: _body("body"),
    # Surfaces
    WrapCylinder: _body("frame.body"),
    WrapSphere: _body("frame.body"),
    WrapEllipsoid: _body("frame.body"),
    WrapTorus: _body("frame.body"),
    # Paths
    FunctionPath: (_coordinate("length.coordinates", "length"),),
    PathPoint: _body("body"),
    MovingPoint: (*_body("body"), _coordinate("coordinates", "")),
    ConditionalPoint: (*_body("body"), _coordinate("coordinates", "")),
    Wrap: (Reference("surface", "surface", ""),),
    # Constraints
    PointConstraint: _body("first.body", "second.body"),
    WeldConstraint: _body("first.body", "second.body"),
    DistanceConstraint: _body("first.body", "second.body"),
    LineConstraint: _body("point.body", "body"),
    CouplerConstraint: (_coordinate(), _coordinate("function.coordinates")),
    SpeedConstraint: (_coordinate(),),
    MotionConstraint: (_coordinate(),),
    RollingConstraint: _body("body"),
    # Forces
    PointForce: _body("body"),
    BodyTorque: _body("body"),
    Drag: _body("body"),
    PointActuator: _body("body"),
    TorqueActuator: _body("body", "reaction"),
    LineActuator: _body("start.body", "end.body"),
    PointSpring: _body("start.body", "end.body"),
    Bushing: _body("first.body", "second.body"),
    CurveBushing: _body("first.body", "second.body"),
    BushingFormula: _body("first.body", "second.body"),
    LineFormula: _body("start.body", "end.body"),
    EllipsoidContact: _body("body", "point.body"),
    HuntCrossleyContact: _body("body", "plane.body"),
    SpherePairContact: _body("body", "other.body"),
    SmoothSphereContact: _body("body", "plane.body"),
    ContactPoint: _body("body", "plane.body"),
    CoordinateActuator: (_coordinate(),),
    TorsionSpring: (_coordinate(),),
    CoordinateFormula: (_coordinate(),),
    JointLimit: (_coordinate(),),
    CoordinateLimit: (_coordinate(),),
    PassiveMoment: (_coordinate(), _coordinate("others", "terms")),
}


@dataclass(frozen=True)
class Targets:
    """The names that references of a model may hold."""

    body: Collection[str]
    coordinate: Collection[str]
    surface: Collection[str]

    @classmethod
    def of(cls, model: Model) -> Targets:
        """Collect the names of a model, in its order."""
        coordinates = dict.fromkeys(name for joint in model.joints.values() for name in joint.coordinates)
        return cls(body=dict.fromkeys([GROUND, *model.bodies]), coordinate=coordinates, surface=model.surfaces)

    def names(self, kind: TargetKind) -> Collection[str]:
        """Return the names of all parts of a kind."""
        return {"body": self.body, "coordinate": self.coordinate, "surface": self.surface}[kind]


def bodies_of(part: Part) -> list[str]:
    """Return the bodies that a part names."""
    references = REFERENCES.get(type(part), ())
    return [name for reference in references if reference.kind == "body" for name in reference.names(part)]


def unknown_references(place: str, part: Part, targets: Targets) -> Iterator[str]:
    """Yield a message for each name in a part that no part of the model bears."""
    for reference in REFERENCES.get(type(part), ()):
        known = targets.names(reference.kind)
        for name in reference.names(part):
            if name not in known:
                field = f".{reference.field}" if reference.field else ""
                yield f"{place}{field}: {unknown_name(reference.kind, name, known)}"
