"""Lagrange's equations from lists: points, frames, segments, springs, forces, torques and constraints.

A mechanism is described by a `Description` (or by the bare lists of Winter 2009, chapter 8: `from_lists`). `derive`
gives its equations as formulas, `numbers_of` as numbers, `to_model` as an ordinary model that simulates; `from_model`
describes a model by lists, so that its equations can be compared with those that myodyne runs. `to_model_with_law`
adds forces of state and time as feedback, `load_description` reads the lists from a file.

Examples
--------
The equation of a pendulum, from a built-in model:

>>> import myodyne as my
>>> equations = my.lagrange.derive(my.lagrange.from_model(my.load_model("pendulum")))
>>> print(equations.text(digits=4).splitlines()[-1])
angle:  0.3333*angle'' + 4.905*sin(angle) = 0
"""

from myodyne.formulations.lagrange.formulas.equations import LagrangeEquations, derive
from myodyne.formulations.lagrange.from_model import from_model
from myodyne.formulations.lagrange.lists.description import Description
from myodyne.formulations.lagrange.lists.files import is_description_file, load_description, save_description
from myodyne.formulations.lagrange.lists.records import (
    GROUND,
    Coincidence,
    Constraint,
    Coordinate,
    CoordinateForce,
    CoordinateSpring,
    Force,
    Frame,
    LinearSpring,
    Nonholonomic,
    Point,
    Segment,
    Torque,
    TorsionalSpring,
)
from myodyne.formulations.lagrange.lists.splitting import split_joint
from myodyne.formulations.lagrange.lists.winter import from_lists
from myodyne.formulations.lagrange.mobility import Mobility, Redundant, degrees_of_freedom, mobility_of
from myodyne.formulations.lagrange.numeric import ForwardDynamics, NumericEquations, Terms, numbers_of
from myodyne.formulations.lagrange.to_model import ModelWithLaw, controls_of, to_model, to_model_with_law

__all__ = [
    "GROUND",
    "Coincidence",
    "Constraint",
    "Coordinate",
    "CoordinateForce",
    "CoordinateSpring",
    "Description",
    "Force",
    "ForwardDynamics",
    "Frame",
    "LagrangeEquations",
    "LinearSpring",
    "Mobility",
    "ModelWithLaw",
    "Nonholonomic",
    "NumericEquations",
    "Point",
    "Redundant",
    "Segment",
    "Terms",
    "Torque",
    "TorsionalSpring",
    "controls_of",
    "degrees_of_freedom",
    "derive",
    "from_lists",
    "from_model",
    "is_description_file",
    "load_description",
    "mobility_of",
    "numbers_of",
    "save_description",
    "split_joint",
    "to_model",
    "to_model_with_law",
]
