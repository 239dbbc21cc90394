"""Analyses of a model or a motion: linearisation, inverse dynamics, joint reactions, muscles, loops."""

from myodyne.analyse.contacts import ContactFit, StanceFit, fit_contacts, place_contacts
from myodyne.analyse.embed import embed
from myodyne.analyse.gait.cycle import GaitCurve
from myodyne.analyse.gait.measures import GaitCost, GaitMeasure
from myodyne.analyse.gait.report import GaitReport, gait_report
from myodyne.analyse.gait.timing import MuscleTiming
from myodyne.analyse.glenohumeral import glenohumeral_force
from myodyne.analyse.inverse_dynamics import inverse_dynamics
from myodyne.analyse.joint_functions import JointFunctions, fit_joint_functions
from myodyne.analyse.joint_powers import JointPowers, Work, joint_powers, stance
from myodyne.analyse.joint_reactions import joint_reactions
from myodyne.analyse.kept import kept
from myodyne.analyse.laboratory.trials import (
    TrialAnalysis,
    TrialMeasure,
    TrialSettings,
    analyse_trial,
    plate_forces,
    upright,
)
from myodyne.analyse.linearise import Linearisation, linearise
from myodyne.analyse.linearise_along import EigenvaluesAlong, linearise_along
from myodyne.analyse.loop_equations import Embedding
from myodyne.analyse.markers.inverse_kinematics import inverse_kinematics
from myodyne.analyse.markers.placement import MarkerPlacement, place_markers
from myodyne.analyse.markers.scale import scale_factors, scale_model
from myodyne.analyse.markers.segment_angles import joint_angles, segment_angles
from myodyne.analyse.moment_spread import MonteCarlo, moment_spread
from myodyne.analyse.muscles.moment_arm_range import Jump, MomentArms, moment_arms
from myodyne.analyse.muscles.muscle_analysis import muscle_analysis
from myodyne.analyse.muscles.muscle_curves import MuscleCurve, MuscleCurves, muscle_curves
from myodyne.analyse.muscles.static_optimisation import Sharing, static_optimisation
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
from myodyne.analyse.setups.job import SetupRun
from myodyne.analyse.setups.run import run_setup
from myodyne.analyse.shared_reactions import shared_reactions
from myodyne.analyse.sides import Sides, sides_of, whole_cycle

__all__ = [
    "Comparison",
    "ContactFit",
    "Deviation",
    "EigenvaluesAlong",
    "Embedding",
    "GaitCost",
    "GaitCurve",
    "GaitMeasure",
    "GaitReport",
    "JointFunctions",
    "JointPowers",
    "Jump",
    "Linearisation",
    "MarkerPlacement",
    "Matched",
    "MomentArms",
    "MonteCarlo",
    "MuscleCurve",
    "MuscleCurves",
    "MuscleTiming",
    "Reproduction",
    "RollingFoot",
    "SetupRun",
    "Sharing",
    "Shooting",
    "Sides",
    "StanceFit",
    "Trial",
    "TrialAnalysis",
    "TrialMeasure",
    "TrialSettings",
    "Validity",
    "Work",
    "analyse_trial",
    "compare",
    "embed",
    "fit_contacts",
    "fit_joint_functions",
    "fit_rolling_foot",
    "gait_report",
    "glenohumeral_force",
    "inverse_dynamics",
    "inverse_kinematics",
    "joint_angles",
    "joint_powers",
    "joint_reactions",
    "kept",
    "linearise",
    "linearise_along",
    "moment_arms",
    "moment_spread",
    "muscle_analysis",
    "muscle_curves",
    "place_contacts",
    "place_markers",
    "plate_forces",
    "reproduce",
    "run_setup",
    "sagittal",
    "scale_factors",
    "scale_model",
    "segment_angles",
    "shared_reactions",
    "sides_of",
    "stance",
    "static_optimisation",
    "upright",
    "validity",
    "whole_cycle",
]
