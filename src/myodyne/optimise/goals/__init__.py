"""Goals: terms of the objective, as typed objects.

The objective of a problem is the sum of its goals, each with its weight. A goal is a mean or an integral over time of
something at every instant, or a function of the two ends, or both.
"""

from myodyne.optimise.goals.base import Custom, Goal
from myodyne.optimise.goals.cost import Effort, JointLoad, MeanValue, MetabolicCost, PassiveLoad, Smoothness, Squared
from myodyne.optimise.goals.ends import FinalTime, FinalValue, FlightHeight, MeanSpeed
from myodyne.optimise.goals.feet import ContactForceRate, FootClearance

__all__ = [
    "ContactForceRate",
    "Custom",
    "Effort",
    "FinalTime",
    "FinalValue",
    "FlightHeight",
    "FootClearance",
    "Goal",
    "JointLoad",
    "MeanSpeed",
    "MeanValue",
    "MetabolicCost",
    "PassiveLoad",
    "Smoothness",
    "Squared",
]
