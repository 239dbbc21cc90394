"""Newton-Euler equations in the plane: any 3n of the variables of a chain of segments from the others.

The method of Casius, Bobbert & van Soest (2004, Journal of Applied Biomechanics 20, 421-449), with the constraint
variables of their MUSK. It uses NumPy only and shares no code with the production equations, so that each verifies
the other.

Examples
--------
A rod that is let go in the horizontal:

>>> import myodyne as my
>>> ne = my.newton_euler
>>> rod = ne.Chain([ne.Segment("rod", length=1.0, centre=0.5, mass=2.0, inertia=1 / 6)], joints=["pivot", "tip"])
>>> fall = ne.solve(rod, ne.Motion([0.0]), known=ne.weight(rod), unknown=ne.forward_unknowns(rod))
>>> print(fall)
joint    force x (N)   force y (N)  moment (N m)
pivot              0         4.905             0
tip                0             0             0
<BLANKLINE>
segment   ext. force x (N)  ext. force y (N)  ext. moment (N m)  ang. acc. (rad/s²)
rod                      0            -19.62                  0             -14.715
<BLANKLINE>
base acceleration (m/s²): 0, 0
"""

from myodyne.formulations.newton_euler.chain import (
    Chain,
    Motion,
    Point,
    Pose,
    Segment,
    acceleration,
    centre_of_mass,
    position,
    velocity,
)
from myodyne.formulations.newton_euler.constraints import (
    AngularAcceleration,
    CoincidentPoints,
    Constraint,
    EqualAngularAccelerations,
    LinearConstraint,
    PointAcceleration,
    overlapping,
)
from myodyne.formulations.newton_euler.from_model import ModelChain, chain_of
from myodyne.formulations.newton_euler.solution import Solution
from myodyne.formulations.newton_euler.solve import solve, solve_arrays
from myodyne.formulations.newton_euler.system import equation_names, extended_system_of, system_of
from myodyne.formulations.newton_euler.to_model import to_model
from myodyne.formulations.newton_euler.variables import (
    added,
    constraint_variable_names,
    drag,
    exchanged,
    force_at,
    forward_unknowns,
    inverse_unknowns,
    printed_index,
    unit_of,
    values_of,
    variable_index,
    variable_names,
    weight,
)

__all__ = [
    "AngularAcceleration",
    "Chain",
    "CoincidentPoints",
    "Constraint",
    "EqualAngularAccelerations",
    "LinearConstraint",
    "ModelChain",
    "Motion",
    "Point",
    "PointAcceleration",
    "Pose",
    "Segment",
    "Solution",
    "acceleration",
    "added",
    "centre_of_mass",
    "chain_of",
    "constraint_variable_names",
    "drag",
    "equation_names",
    "exchanged",
    "extended_system_of",
    "force_at",
    "forward_unknowns",
    "inverse_unknowns",
    "overlapping",
    "position",
    "printed_index",
    "solve",
    "solve_arrays",
    "system_of",
    "to_model",
    "unit_of",
    "values_of",
    "variable_index",
    "variable_names",
    "velocity",
    "weight",
]
