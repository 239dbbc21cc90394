"""Ends of short simulations are those of `simulate`."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.simulate.ends import motion_after

CASES = {
    "double_pendulum": ({"angle1": 1.2}, {}, my.DOP853()),
    "jumper_skeleton": ({}, {"knee_motor": my.bezier([0.0, 0.9, 0.3], start=0.0, end=0.04)}, my.RKF45()),
    "andrews_squeezer": ({}, {}, my.Midpoint(step=1e-3)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.usefixtures("interpreted")
def test_a_short_simulation_ends_there(name: str) -> None:
    start, controls, scheme = CASES[name]
    equations = my.equations_of(my.load_model(name), compiled=False)
    run = my.simulate(equations, 0.02, start=start, controls=controls, scheme=scheme, every=0.02)
    end = motion_after(equations, 0.02, np.array([run[state][0] for state in equations.motion]), controls, scheme)
    assert end == pytest.approx([run.final[state] for state in equations.motion], rel=1e-9, abs=1e-12)


def test_muscles_end_there_too() -> None:
    equations = my.equations_of(my.load_model("jumper"))
    controls, scheme = dict.fromkeys(equations.controls, 0.8), my.Rosenbrock(relative=1e-8, absolute=1e-8)
    run = my.simulate(equations, 0.05, controls=controls, scheme=scheme, every=0.05)
    end = motion_after(equations, 0.05, equations.state(), controls, scheme)
    assert end == pytest.approx([run.final[state] for state in equations.motion], rel=1e-12, abs=1e-14)


def test_a_march_that_fails_is_an_error() -> None:
    rod = my.load_model("pendulum").with_parts(forces={"spring": my.TorsionSpring(coordinate="angle", stiffness=1e9)})
    equations = my.equations_of(rod, compiled=False)
    with pytest.raises(my.SimulationError, match="'pendulum' stopped at"):
        motion_after(equations, 100.0, np.array([1.0, 0.0]), {}, my.Euler(step=0.1))


def test_embedded_loops_are_not_left() -> None:
    embedded = my.embed(my.load_model("four_bar"), "theta1", {"theta1": (0.3, 1.2)}, poses=32).model
    equations = my.equations_of(embedded, compiled=False)
    beyond = equations.state({"theta1": 1.199, "theta1.speed": 100.0})
    with pytest.raises(my.SimulationError, match="'theta1' leaves its range"):
        motion_after(equations, 1e-3, beyond, {}, my.DOP853())
