"""Problems whose solutions are known in closed form."""

from __future__ import annotations

from myodyne.model import Body, CoordinateActuator, Model, slider
from myodyne.numerics.schemes import Radau
from myodyne.optimise.conditions import End, Start
from myodyne.optimise.goals import FinalTime
from myodyne.optimise.problem import Problem


def sliding_mass() -> Problem:
    """A mass of 2 kg goes 1 m from rest to rest in the shortest time under at most 50 N: in 0.4 s."""
    mass = Model(
        name="sliding_mass",
        source="A point mass on a rail; full force forward for half of the way, full force backward for the rest.",
        bodies={"block": Body(mass=2.0)},
        joints={"rail": slider("ground", "block", "way", axis="x")},
        forces={"push": CoordinateActuator(coordinate="way", gain=50.0, control_range=(-1.0, 1.0))},
    )
    rest = {"way.speed": 0.0}
    return Problem(
        mass,
        name="sliding_mass",
        source="minimum time, solution 2 * sqrt(1 m * 2 kg / 50 N) = 0.4 s",
        duration=(0.1, 2.0),
        goals=[FinalTime()],
        conditions=[Start({"way": 0.0, **rest}), End({"way": 1.0, **rest})],
        scheme=Radau(degree=3),
        nodes=21,
    )
