"""myodyne simulates, analyses and optimises the movement of bodies driven by muscles.

The public names are written out below. Each is imported when it is first used, so that ``import myodyne``
takes no time and a script pays for what it uses.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from myodyne.analyse import Embedding, Linearisation, MuscleCurve, MuscleCurves, embed, linearise, muscle_curves
    from myodyne.data import ExternalForce, ExternalForces, Markers, Provenance, Report, Result, Trajectory
    from myodyne.equations import Equations, equations_of
    from myodyne.equations.path_fit import PathFit, PathFits, fit_path, fit_paths
    from myodyne.errors import FileError, ModelError, MyodyneError, SimulationError, SolveError
    from myodyne.files import (
        builtin_models,
        load,
        load_external_forces,
        load_markers,
        load_model,
        model_schema,
        save,
        save_markers,
        save_model,
    )
    from myodyne.model import (
        Audit,
        Axis,
        Body,
        BodyTorque,
        Bushing,
        ConditionalPoint,
        Constant,
        Coordinate,
        CoordinateActuator,
        CoordinateLimit,
        CouplerConstraint,
        CurveLigament,
        CurveTable,
        DeGrooteActivation,
        DeGrooteFregly2016,
        DistanceConstraint,
        ElementCount,
        EllipsoidContact,
        Fourier,
        FunctionPath,
        HatzeActivation,
        HeActivation,
        HuntCrossleyContact,
        Inertia,
        Joint,
        JointLimit,
        Ligament,
        LineActuator,
        Linear,
        LineConstraint,
        Marker,
        Millard2012,
        Model,
        MovingPoint,
        Muscle,
        NoActivation,
        PathActuator,
        PathPoint,
        PathSpring,
        PiecewiseLinear,
        Placement,
        PointActuator,
        PointConstraint,
        PointForce,
        PointPath,
        PointSpring,
        Polynomial,
        Product,
        Remark,
        SmoothSphereContact,
        SpeedConstraint,
        Spline,
        Tabulated,
        Term,
        Thelen2003,
        ThelenActivation,
        TorqueActuator,
        TorsionSpring,
        VanDenBogert2011,
        VanSoestBobbert1993,
        WeldConstraint,
        Wrap,
        WrapCylinder,
        WrapEllipsoid,
        WrapSphere,
        WrapTorus,
        ball,
        free,
        pin,
        planar,
        slider,
        universal,
        weld,
    )
    from myodyne.model.generators import chain, full_body, jumper_skeleton, runner_skeleton, synthetic_arm
    from myodyne.model.units import degrees
    from myodyne.numerics.schemes import (
        BDF,
        DOP853,
        RK4,
        RKF45,
        TRBDF2,
        Adams,
        Euler,
        Heun,
        Midpoint,
        Projected,
        Rosenbrock,
    )
    from myodyne.plot import animate, plot
    from myodyne.simulate import (
        Crossing,
        Equilibrium,
        Signal,
        Stepper,
        Switch,
        bezier,
        bspline,
        constant,
        crosses,
        equilibrium,
        falls_through_zero,
        piecewise_linear,
        recorded,
        rises_through_zero,
        simulate,
        step,
        stepper,
    )

_HOMES = {
    "analyse": ("Embedding", "Linearisation", "MuscleCurve", "MuscleCurves", "embed", "linearise", "muscle_curves"),
    "data": ("ExternalForce", "ExternalForces", "Markers", "Provenance", "Report", "Result", "Trajectory"),
    "equations": ("Equations", "equations_of"),
    "equations.path_fit": ("PathFit", "PathFits", "fit_path", "fit_paths"),
    "errors": ("FileError", "ModelError", "MyodyneError", "SimulationError", "SolveError"),
    "files": ("builtin_models", "load", "load_external_forces", "load_markers", "load_model", "model_schema", "save",
              "save_markers", "save_model"),
    "model": (
        "Axis", "Body", "BodyTorque", "ConditionalPoint", "Constant", "Coordinate", "CoordinateActuator",
        "CouplerConstraint", "CurveTable", "DeGrooteActivation", "DeGrooteFregly2016", "DistanceConstraint",
        "EllipsoidContact", "Fourier", "FunctionPath", "HatzeActivation", "HeActivation", "Inertia", "Joint",
        "JointLimit", "Ligament",
        "LineConstraint", "Linear", "Marker", "Millard2012", "Model", "MovingPoint", "Muscle", "NoActivation",
        "PathPoint", "Placement", "PointConstraint", "PointForce", "PointPath", "PointSpring", "Polynomial", "Product",
        "Audit", "ElementCount", "PiecewiseLinear", "Remark", "Wrap", "WrapCylinder", "WrapEllipsoid", "WrapSphere",
        "WrapTorus", "SpeedConstraint", "Spline", "Tabulated", "Term", "Thelen2003", "ThelenActivation",
        "TorsionSpring", "VanDenBogert2011", "VanSoestBobbert1993", "WeldConstraint", "ball", "free", "pin",
        "planar", "slider",
        "universal", "weld", "Bushing", "CoordinateLimit", "CurveLigament", "HuntCrossleyContact", "LineActuator",
        "PathActuator", "PathSpring", "PointActuator", "SmoothSphereContact", "TorqueActuator",
    ),
    "model.generators": ("chain", "full_body", "jumper_skeleton", "runner_skeleton", "synthetic_arm"),
    "model.units": ("degrees",),
    "numerics.schemes": ("Adams", "BDF", "DOP853", "Euler", "Heun", "Midpoint", "Projected", "RK4", "RKF45",
                         "Rosenbrock", "TRBDF2"),
    "plot": ("animate", "plot"),
    "simulate": (
        "Crossing", "Equilibrium", "Signal", "Stepper", "Switch", "bezier", "bspline", "constant", "crosses",
        "equilibrium", "falls_through_zero", "piecewise_linear", "recorded", "rises_through_zero", "simulate",
        "step", "stepper",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BDF",
    "DOP853",
    "RK4",
    "RKF45",
    "TRBDF2",
    "Adams",
    "Audit",
    "Axis",
    "Body",
    "BodyTorque",
    "Bushing",
    "ConditionalPoint",
    "Constant",
    "Coordinate",
    "CoordinateActuator",
    "CoordinateLimit",
    "CouplerConstraint",
    "Crossing",
    "CurveLigament",
    "CurveTable",
    "DeGrooteActivation",
    "DeGrooteFregly2016",
    "DistanceConstraint",
    "ElementCount",
    "EllipsoidContact",
    "Embedding",
    "Equations",
    "Equilibrium",
    "Euler",
    "ExternalForce",
    "ExternalForces",
    "FileError",
    "Fourier",
    "FunctionPath",
    "HatzeActivation",
    "HeActivation",
    "Heun",
    "HuntCrossleyContact",
    "Inertia",
    "Joint",
    "JointLimit",
    "Ligament",
    "LineActuator",
    "LineConstraint",
    "Linear",
    "Linearisation",
    "Marker",
    "Markers",
    "Midpoint",
    "Millard2012",
    "Model",
    "ModelError",
    "MovingPoint",
    "Muscle",
    "MuscleCurve",
    "MuscleCurves",
    "MyodyneError",
    "NoActivation",
    "PathActuator",
    "PathFit",
    "PathFits",
    "PathPoint",
    "PathSpring",
    "PiecewiseLinear",
    "Placement",
    "PointActuator",
    "PointConstraint",
    "PointForce",
    "PointPath",
    "PointSpring",
    "Polynomial",
    "Product",
    "Projected",
    "Provenance",
    "Remark",
    "Report",
    "Result",
    "Rosenbrock",
    "Signal",
    "SimulationError",
    "SmoothSphereContact",
    "SolveError",
    "SpeedConstraint",
    "Spline",
    "Stepper",
    "Switch",
    "Tabulated",
    "Term",
    "Thelen2003",
    "ThelenActivation",
    "TorqueActuator",
    "TorsionSpring",
    "Trajectory",
    "VanDenBogert2011",
    "VanSoestBobbert1993",
    "WeldConstraint",
    "Wrap",
    "WrapCylinder",
    "WrapEllipsoid",
    "WrapSphere",
    "WrapTorus",
    "animate",
    "ball",
    "bezier",
    "bspline",
    "builtin_models",
    "chain",
    "constant",
    "crosses",
    "degrees",
    "embed",
    "equations_of",
    "equilibrium",
    "falls_through_zero",
    "fit_path",
    "fit_paths",
    "free",
    "full_body",
    "jumper_skeleton",
    "linearise",
    "load",
    "load_external_forces",
    "load_markers",
    "load_model",
    "model_schema",
    "muscle_curves",
    "piecewise_linear",
    "pin",
    "planar",
    "plot",
    "recorded",
    "rises_through_zero",
    "runner_skeleton",
    "save",
    "save_markers",
    "save_model",
    "simulate",
    "slider",
    "step",
    "stepper",
    "synthetic_arm",
    "universal",
    "weld",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        from myodyne.errors import unknown_name

        raise AttributeError(f"myodyne: {unknown_name('name', name, __all__)}")
    value = getattr(importlib.import_module(f"myodyne.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


class _Package(ModuleType):
    """Keeps the verbs ``simulate`` and ``plot`` from being hidden by the folders of the same name.

    Python binds a folder to its package when it is first imported, whoever imports it.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOME_OF and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
