"""What a body is: frozen, validated data. No mathematics here."""

from myodyne.model.activation import (
    Activation,
    DeGrooteActivation,
    HatzeActivation,
    HeActivation,
    NoActivation,
    ThelenActivation,
)
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
from myodyne.model.curves import (
    Curves,
    DeGrooteFregly2016,
    Millard2012,
    Thelen2003,
    VanDenBogert2011,
    VanSoestBobbert1993,
)
from myodyne.model.forces import (
    BodyTorque,
    CoordinateActuator,
    EllipsoidContact,
    Force,
    JointLimit,
    Ligament,
    PointForce,
    PointSpring,
    TorsionSpring,
)
from myodyne.model.functions import Constant, Fourier, Function, Linear, Polynomial, Product, Spline, Term
from myodyne.model.joints import Axis, Coordinate, Joint, ball, free, pin, planar, slider, universal, weld
from myodyne.model.model import Model
from myodyne.model.muscles import Muscle
from myodyne.model.part import Named, Part
from myodyne.model.paths import ConditionalPoint, FunctionPath, MovingPoint, Path, PathPoint, PointPath

__all__ = [
    "GROUND", "Activation", "Axis", "Body", "BodyTorque", "ConditionalPoint", "Constant", "Constraint", "Coordinate",
    "CoordinateActuator", "CouplerConstraint", "Curves", "DeGrooteActivation", "DeGrooteFregly2016",
    "DistanceConstraint", "EllipsoidContact", "Force", "Fourier", "Function", "FunctionPath", "HatzeActivation",
    "HeActivation", "Inertia", "Joint", "JointLimit", "Ligament", "LineConstraint", "Linear", "Marker", "Millard2012",
    "Model", "MovingPoint", "Muscle", "Named", "NoActivation", "Part", "Path", "PathPoint", "Placement",
    "PointConstraint", "PointForce", "PointPath", "PointSpring", "Polynomial", "Product", "SpeedConstraint", "Spline",
    "Term", "Thelen2003", "ThelenActivation", "TorsionSpring", "VanDenBogert2011", "VanSoestBobbert1993",
    "WeldConstraint", "ball", "free", "pin", "planar", "slider", "universal", "weld",
]
