"""Analyses of a model or a motion: linearisation, inverse dynamics, joint reactions, muscles, loops."""

from myodyne.analyse.embed import embed
from myodyne.analyse.inverse_dynamics import inverse_dynamics
from myodyne.analyse.inverse_kinematics import inverse_kinematics
from myodyne.analyse.joint_reactions import joint_reactions
from myodyne.analyse.linearise import Linearisation, linearise
from myodyne.analyse.linearise_along import EigenvaluesAlong, linearise_along
from myodyne.analyse.loop_equations import Embedding
from myodyne.analyse.moment_arm_range import Jump, MomentArms, moment_arms
from myodyne.analyse.muscle_analysis import muscle_analysis
from myodyne.analyse.muscle_curves import MuscleCurve, MuscleCurves, muscle_curves
from myodyne.analyse.reproduction import (
    Comparison,
    Deviation,
    Matched,
    Reproduction,
    Shooting,
    Trial,
    Validity,
    compare,
    reproduce,
    validity,
)
from myodyne.analyse.rolling_foot import RollingFoot, fit_rolling_foot
from myodyne.analyse.sagittal import sagittal
from myodyne.analyse.scale import scale_factors, scale_model
from myodyne.analyse.segment_angles import joint_angles, segment_angles
from myodyne.analyse.static_optimisation import Sharing, static_optimisation

__all__ = [
    "Comparison",
    "Deviation",
    "EigenvaluesAlong",
    "Embedding",
    "Jump",
    "Linearisation",
    "Matched",
    "MomentArms",
    "MuscleCurve",
    "MuscleCurves",
    "Reproduction",
    "RollingFoot",
    "Sharing",
    "Shooting",
    "Trial",
    "Validity",
    "compare",
    "embed",
    "fit_rolling_foot",
    "inverse_dynamics",
    "inverse_kinematics",
    "joint_angles",
    "joint_reactions",
    "linearise",
    "linearise_along",
    "moment_arms",
    "muscle_analysis",
    "muscle_curves",
    "reproduce",
    "sagittal",
    "scale_factors",
    "scale_model",
    "segment_angles",
    "static_optimisation",
    "validity",
]
