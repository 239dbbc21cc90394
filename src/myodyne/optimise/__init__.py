"""Optimal control: problems, goals, conditions, and the solution of all instants at once."""

from myodyne.optimise.best import solve
from myodyne.optimise.builtin import builtin_problems, load_problem
from myodyne.optimise.conditions import (
    AverageSpeed,
    Bounds,
    CustomCondition,
    End,
    Equal,
    OnConstraints,
    Periodic,
    Start,
    SteadyActivation,
    SteadyFibres,
    Waypoint,
)
from myodyne.optimise.gait.steps import random_steps, stepping_guess
from myodyne.optimise.gait.walking import running, walking
from myodyne.optimise.goals import (
    ContactForceRate,
    Custom,
    Effort,
    FinalTime,
    FinalValue,
    FlightHeight,
    FootClearance,
    JointLoad,
    MeanSpeed,
    MeanValue,
    MetabolicCost,
    PassiveLoad,
    Smoothness,
    Squared,
)
from myodyne.optimise.guesses import grounded, interpolated, muscle_guess, standing, varied
from myodyne.optimise.problem import Phases, Problem
from myodyne.optimise.recorded.tracking import Accelerometer, Gyroscope, Track, inertial_sensors
from myodyne.optimise.refine import refine
from myodyne.optimise.replay import mesh_errors, replay
from myodyne.optimise.screening import Screening
from myodyne.optimise.settings import Settings
from myodyne.optimise.solution import Solution
from myodyne.optimise.solving import resume
from myodyne.optimise.starts import Starts, solve_from
from myodyne.optimise.terms import goal_terms

__all__ = [
    "Accelerometer",
    "AverageSpeed",
    "Bounds",
    "ContactForceRate",
    "Custom",
    "CustomCondition",
    "Effort",
    "End",
    "Equal",
    "FinalTime",
    "FinalValue",
    "FlightHeight",
    "FootClearance",
    "Gyroscope",
    "JointLoad",
    "MeanSpeed",
    "MeanValue",
    "MetabolicCost",
    "OnConstraints",
    "PassiveLoad",
    "Periodic",
    "Phases",
    "Problem",
    "Screening",
    "Settings",
    "Smoothness",
    "Solution",
    "Squared",
    "Start",
    "Starts",
    "SteadyActivation",
    "SteadyFibres",
    "Track",
    "Waypoint",
    "builtin_problems",
    "goal_terms",
    "grounded",
    "inertial_sensors",
    "interpolated",
    "load_problem",
    "mesh_errors",
    "muscle_guess",
    "random_steps",
    "refine",
    "replay",
    "resume",
    "running",
    "solve",
    "solve_from",
    "standing",
    "stepping_guess",
    "varied",
    "walking",
]
