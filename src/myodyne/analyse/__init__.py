"""What a model or a motion tells when asked: linearisation, inverse dynamics, loads of joints, muscles, loops."""

from myodyne.analyse.embed import embed
from myodyne.analyse.inverse_dynamics import inverse_dynamics
from myodyne.analyse.joint_reactions import joint_reactions
from myodyne.analyse.linearise import Linearisation, linearise
from myodyne.analyse.loop_equations import Embedding
from myodyne.analyse.moment_arm_range import Jump, MomentArms, moment_arms
from myodyne.analyse.muscle_analysis import muscle_analysis
from myodyne.analyse.muscle_curves import MuscleCurve, MuscleCurves, muscle_curves

__all__ = [
    "Embedding",
    "Jump",
    "Linearisation",
    "MomentArms",
    "MuscleCurve",
    "MuscleCurves",
    "embed",
    "inverse_dynamics",
    "joint_reactions",
    "linearise",
    "moment_arms",
    "muscle_analysis",
    "muscle_curves",
]
