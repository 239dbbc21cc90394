"""Forward simulation: signals, events, and the march through time."""

from myodyne.simulate.control.computed_torque import computed_torque
from myodyne.simulate.control.feedback import Feedback
from myodyne.simulate.control.sampled import Sampled
from myodyne.simulate.equilibrium import Equilibrium, equilibrium
from myodyne.simulate.movements import Movement, builtin_movements, load_movement, save_movement
from myodyne.simulate.signals import (
    Control,
    Signal,
    bezier,
    bspline,
    constant,
    piecewise_constant,
    piecewise_linear,
    recorded,
    step,
)
from myodyne.simulate.simulation import simulate
from myodyne.simulate.starts import Start
from myodyne.simulate.stepper import Stepper, stepper
from myodyne.simulate.switching.events import Crossing, Switch, crosses, falls_through_zero, rises_through_zero
from myodyne.simulate.watching import Watch

__all__ = [
    "Control",
    "Crossing",
    "Equilibrium",
    "Feedback",
    "Movement",
    "Sampled",
    "Signal",
    "Start",
    "Stepper",
    "Switch",
    "Watch",
    "bezier",
    "bspline",
    "builtin_movements",
    "computed_torque",
    "constant",
    "crosses",
    "equilibrium",
    "falls_through_zero",
    "load_movement",
    "piecewise_constant",
    "piecewise_linear",
    "recorded",
    "rises_through_zero",
    "save_movement",
    "simulate",
    "step",
    "stepper",
]
