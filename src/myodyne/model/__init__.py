"""What a body is: frozen, validated data. No mathematics here."""

from myodyne.model.bodies import GROUND, Body, Inertia, Marker, Placement
from myodyne.model.constraints import (
    Constraint,
    CouplerConstraint,
    DistanceConstraint,
    LineConstraint,
    PointConstraint,
    SpeedConstraint,
    WeldConstraint,
)
from myodyne.model.forces import (
    BodyTorque,
    CoordinateActuator,
    Force,
    JointLimit,
    PointForce,
    PointSpring,
    TorsionSpring,
)
from myodyne.model.functions import Constant, Fourier, Function, Linear, Polynomial, Product, Spline, Term
from myodyne.model.joints import Axis, Coordinate, Joint, ball, free, pin, planar, slider, universal, weld
from myodyne.model.model import Model
from myodyne.model.part import Named, Part

__all__ = [
    "GROUND", "Axis", "Body", "BodyTorque", "Constant", "Constraint", "Coordinate", "CoordinateActuator",
    "CouplerConstraint", "DistanceConstraint", "Force", "Fourier", "Function", "Inertia", "Joint", "JointLimit",
    "LineConstraint", "Linear", "Marker", "Model", "Named", "Part", "Placement", "PointConstraint", "PointForce",
    "PointSpring", "Polynomial", "Product", "SpeedConstraint", "Spline", "Term", "TorsionSpring", "WeldConstraint",
    "ball", "free", "pin", "planar", "slider", "universal", "weld",
]
