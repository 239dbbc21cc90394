"""Forward simulation: signals, events, and the march through time."""

from myodyne.simulate.events import Crossing, Switch, crosses, falls_through_zero, rises_through_zero
from myodyne.simulate.signals import Signal, bezier, bspline, constant, piecewise_linear, recorded, step
from myodyne.simulate.simulation import simulate

__all__ = [
    "Crossing", "Signal", "Switch", "bezier", "bspline", "constant", "crosses", "falls_through_zero",
    "piecewise_linear", "recorded", "rises_through_zero", "simulate", "step",
]
