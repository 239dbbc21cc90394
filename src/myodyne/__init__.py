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
    from myodyne.analyse import (
        Embedding,
        Jump,
        Linearisation,
        MomentArms,
        MuscleCurve,
        MuscleCurves,
        Sharing,
        embed,
        inverse_dynamics,
        inverse_kinematics,
        joint_reactions,
        linearise,
        moment_arms,
        muscle_analysis,
        muscle_curves,
        scale_factors,
        scale_model,
        static_optimisation,
    )
    from myodyne.data import (
        ExternalForce,
        ExternalForces,
        ForcePlate,
        Markers,
        Measurement,
        Optimum,
        Provenance,
        Recording,
        Report,
        Result,
        Trajectory,
        Violation,
    )
    from myodyne.equations import Equations, equations_of
    from myodyne.equations.path_fit import PathFit, PathFits, fit_path, fit_paths
    from myodyne.equations.path_jumps import PathJump, path_jumps
    from myodyne.errors import FileError, ModelError, MyodyneError, SimulationError, SolveError
    from myodyne.files import (
        IkSetup,
        ScaleSetup,
        builtin_models,
        load,
        load_c3d,
        load_external_forces,
        load_forces,
        load_ik_setup,
        load_markers,
        load_model,
        load_scale_setup,
        model_schema,
        save,
        save_markers,
        save_model,
        with_function_paths,
    )
    from myodyne.model import (
        Audit,
        Axis,
        Body,
        BodyTorque,
        Bushing,
        ConditionalPoint,
        Constant,
        ContactPoint,
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
        MotionConstraint,
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
    from myodyne.numerics.collocation import BackwardEuler, HermiteSimpson, Radau, Trapezoid
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
    from myodyne.optimise import (
        Accelerometer,
        AverageSpeed,
        Bounds,
        Custom,
        CustomCondition,
        Effort,
        End,
        Equal,
        FinalTime,
        FinalValue,
        FlightHeight,
        Gyroscope,
        JointLoad,
        MeanSpeed,
        MetabolicCost,
        Periodic,
        Phases,
        Problem,
        Settings,
        Smoothness,
        Solution,
        Start,
        Starts,
        SteadyActivation,
        Track,
        Waypoint,
        builtin_problems,
        goal_terms,
        grounded,
        interpolated,
        load_problem,
        muscle_guess,
        refine,
        replay,
        resume,
        solve,
        solve_from,
        standing,
        varied,
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
    "analyse": (
        "Embedding", "Jump", "Linearisation", "MomentArms", "MuscleCurve", "MuscleCurves", "embed",
        "inverse_dynamics", "joint_reactions", "linearise", "moment_arms", "muscle_analysis", "muscle_curves",
        "Sharing", "inverse_kinematics", "scale_factors", "scale_model", "static_optimisation",
    ),
    "data": ("ExternalForce", "ExternalForces", "ForcePlate", "Markers", "Measurement", "Provenance", "Recording",
             "Report", "Result", "Trajectory"),
    "equations": ("Equations", "equations_of"),
    "equations.path_fit": ("PathFit", "PathFits", "fit_path", "fit_paths"),
    "equations.path_jumps": ("PathJump", "path_jumps"),
    "errors": ("FileError", "ModelError", "MyodyneError", "SimulationError", "SolveError"),
    "files": ("builtin_models", "load", "load_c3d", "load_external_forces", "load_markers", "load_model",
              "model_schema", "save", "save_markers", "save_model", "with_function_paths",
              "IkSetup", "ScaleSetup", "load_forces", "load_ik_setup", "load_scale_setup"),
    "model": (
        "Axis", "Body", "BodyTorque", "ConditionalPoint", "Constant", "Coordinate", "CoordinateActuator",
        "CouplerConstraint", "CurveTable", "DeGrooteActivation", "DeGrooteFregly2016", "DistanceConstraint",
        "EllipsoidContact", "Fourier", "FunctionPath", "HatzeActivation", "HeActivation", "Inertia", "Joint",
        "JointLimit", "Ligament",
        "LineConstraint", "Linear", "Marker", "Millard2012", "Model", "MotionConstraint", "MovingPoint", "Muscle",
        "NoActivation",
        "PathPoint", "Placement", "PointConstraint", "PointForce", "PointPath", "PointSpring", "Polynomial", "Product",
        "Audit", "ElementCount", "PiecewiseLinear", "Remark", "Wrap", "WrapCylinder", "WrapEllipsoid", "WrapSphere",
        "WrapTorus", "SpeedConstraint", "Spline", "Tabulated", "Term", "Thelen2003", "ThelenActivation",
        "TorsionSpring", "VanDenBogert2011", "VanSoestBobbert1993", "WeldConstraint", "ball", "free", "pin",
        "planar", "slider",
        "universal", "weld", "Bushing", "CoordinateLimit", "CurveLigament", "HuntCrossleyContact", "LineActuator",
        "PathActuator", "PathSpring", "PointActuator", "SmoothSphereContact", "TorqueActuator",
        "ContactPoint",
    ),
    "model.generators": ("chain", "full_body", "jumper_skeleton", "runner_skeleton", "synthetic_arm"),
    "model.units": ("degrees",),
    "numerics.collocation": ("BackwardEuler", "HermiteSimpson", "Radau", "Trapezoid"),
    "numerics.schemes": ("Adams", "BDF", "DOP853", "Euler", "Heun", "Midpoint", "Projected", "RK4", "RKF45",
                         "Rosenbrock", "TRBDF2"),
    "optimise": (
        "Accelerometer", "AverageSpeed", "Bounds", "Custom", "CustomCondition", "Effort", "End", "Equal",
        "FinalTime", "FinalValue", "FlightHeight", "Gyroscope", "JointLoad", "MeanSpeed", "MetabolicCost", "Periodic",
        "Phases", "Problem", "Settings", "Smoothness", "Solution", "Start", "Starts", "SteadyActivation", "Track",
        "Waypoint",
        "builtin_problems", "goal_terms", "grounded", "interpolated", "load_problem", "muscle_guess",
        "refine", "replay", "resume", "solve", "solve_from", "standing", "varied",
    ),
    "data.optimum": ("Optimum", "Violation"),
    "plot": ("animate", "plot"),
    "simulate": (
        "Crossing", "Equilibrium", "Signal", "Stepper", "Switch", "bezier", "bspline", "constant", "crosses",
        "equilibrium", "falls_through_zero", "piecewise_linear", "recorded", "rises_through_zero", "simulate",
        "step", "stepper",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BDF", "DOP853", "RK4", "RKF45", "TRBDF2", "Accelerometer", "Adams", "Audit", "AverageSpeed", "Axis",
    "BackwardEuler", "Body", "BodyTorque", "Bounds", "Bushing", "ConditionalPoint", "Constant", "ContactPoint",
    "Coordinate", "CoordinateActuator", "CoordinateLimit", "CouplerConstraint", "Crossing", "CurveLigament",
    "CurveTable", "Custom", "CustomCondition", "DeGrooteActivation", "DeGrooteFregly2016", "DistanceConstraint",
    "Effort", "ElementCount", "EllipsoidContact", "Embedding", "End", "Equal", "Equations", "Equilibrium",
    "Euler", "ExternalForce", "ExternalForces", "FileError", "FinalTime", "FinalValue", "FlightHeight",
    "ForcePlate", "Fourier", "FunctionPath", "Gyroscope", "HatzeActivation", "HeActivation", "HermiteSimpson",
    "Heun", "HuntCrossleyContact", "IkSetup", "Inertia", "Joint", "JointLimit", "JointLoad", "Jump", "Ligament",
    "LineActuator", "LineConstraint", "Linear", "Linearisation", "Marker", "Markers", "MeanSpeed", "Measurement",
    "MetabolicCost", "Midpoint", "Millard2012", "Model", "ModelError", "MomentArms", "MotionConstraint",
    "MovingPoint", "Muscle", "MuscleCurve", "MuscleCurves", "MyodyneError", "NoActivation", "Optimum",
    "PathActuator", "PathFit", "PathFits", "PathJump", "PathPoint", "PathSpring", "Periodic", "Phases",
    "PiecewiseLinear", "Placement", "PointActuator", "PointConstraint", "PointForce", "PointPath", "PointSpring",
    "Polynomial", "Problem", "Product", "Projected", "Provenance", "Radau", "Recording", "Remark", "Report",
    "Result", "Rosenbrock", "ScaleSetup", "Settings", "Sharing", "Signal", "SimulationError",
    "SmoothSphereContact", "Smoothness", "Solution", "SolveError", "SpeedConstraint", "Spline", "Start", "Starts",
    "SteadyActivation", "Stepper", "Switch", "Tabulated", "Term", "Thelen2003", "ThelenActivation",
    "TorqueActuator", "TorsionSpring", "Track", "Trajectory", "Trapezoid", "VanDenBogert2011",
    "VanSoestBobbert1993", "Violation", "Waypoint", "WeldConstraint", "Wrap", "WrapCylinder", "WrapEllipsoid",
    "WrapSphere", "WrapTorus", "animate", "ball", "bezier", "bspline", "builtin_models", "builtin_problems",
    "chain", "constant", "crosses", "degrees", "embed", "equations_of", "equilibrium", "falls_through_zero",
    "fit_path", "fit_paths", "free", "full_body", "goal_terms", "grounded", "interpolated", "inverse_dynamics",
    "inverse_kinematics", "joint_reactions", "jumper_skeleton", "linearise", "load", "load_c3d",
    "load_external_forces", "load_forces", "load_ik_setup", "load_markers", "load_model", "load_problem",
    "load_scale_setup", "model_schema", "moment_arms", "muscle_analysis", "muscle_curves", "muscle_guess",
    "path_jumps", "piecewise_linear", "pin", "planar", "plot", "recorded", "refine", "replay", "resume",
    "rises_through_zero", "runner_skeleton", "save", "save_markers", "save_model", "scale_factors", "scale_model",
    "simulate", "slider", "solve", "solve_from", "standing", "static_optimisation", "step", "stepper",
    "synthetic_arm", "universal", "varied", "weld", "with_function_paths",
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
