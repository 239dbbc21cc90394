"""Analyses of a model or a motion: linearisation, inverse dynamics, joint reactions, muscles, loops."""

from myodyne.analyse.embed import embed
from myodyne.analyse.inverse_dynamics import inverse_dynamics
from myodyne.analyse.inverse_kinematics import inverse_kinematics
from myodyne.analyse.joint_reactions import joint_reactions
from myodyne.analyse.linearise import Linearisation, linearise
from myodyne.analyse.loop_equations import Embedding
from myodyne.analyse.moment_arm_range import Jump, MomentArms, moment_arms
from myodyne.analyse.muscle_analysis import muscle_analysis
from myodyne.analyse.muscle_curves import MuscleCurve, MuscleCurves, muscle_curves
from myodyne.analyse.rolling_foot import RollingFoot, fit_rolling_foot
from myodyne.analyse.sagittal import sagittal
from myodyne.analyse.scale import scale_factors, scale_model
from myodyne.analyse.static_optimisation import Sharing, static_optimisation

__all__ = [
    "Embedding",
    "Jump",
    "Linearisation",
    "MomentArms",
    "MuscleCurve",
    "MuscleCurves",
    "RollingFoot",
    "Sharing",
    "embed",
    "fit_rolling_foot",
    "inverse_dynamics",
    "inverse_kinematics",
    "joint_reactions",
    "linearise",
    "moment_arms",
    "muscle_analysis",
    "muscle_curves",
    "sagittal",
    "scale_factors",
    "scale_model",
    "static_optimisation",
]
