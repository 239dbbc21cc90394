"""Accelerations where the masses hardly determine them: the equations must hold all the same."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my


def carriages(light: float) -> my.Model:
    """Return two sliders along the same rail, the first with next to no mass, and a muscle that pulls the second."""
    path = my.PointPath(points=(("ground", (0.0, 0.3, 0.0)), ("load", (0.0, 0.0, 0.0))))
    muscle = my.Muscle(max_force=600.0, optimal_fibre_length=0.12, tendon_slack_length=0.2, damping=0.1, path=path)
    hold = my.TorsionSpring(coordinate="first", stiffness=40.0, rest=0.01)
    return my.Model(
        name="carriages",
        bodies={"carriage": my.Body(mass=light), "load": my.Body(mass=1.5)},
        joints={
            "rail": my.slider("ground", "carriage", "first", axis="x"),
            "second_rail": my.slider("carriage", "load", "second", axis="x"),
        },
        muscles={"pull": muscle},
        forces={"hold": hold},
    )


@pytest.mark.parametrize("light", [0.5, 1e-6, 1e-11])
def test_the_equations_hold(light: float) -> None:
    """Beside the load the lightest has an inertia that rounding could have left: it is found with pivoting."""
    eq = my.equations_of(carriages(light), compiled=True)
    x, u = eq.state({"first": 0.05, "second": 0.1, "first.speed": 0.2, "pull.activation": 0.4}), np.array([0.5])
    rates = eq.derivative(x, u)
    assert eq.residual(x, rates, u) == pytest.approx(0.0, abs=1e-3)
    # Nothing but the spring pushes the carriage along; what the load needs it gets through both rails.
    pull = -eq.moment_arms(x[:2])[0, 1] * eq.output_values(x, rates, u)[eq.outputs.index("pull.force")]
    assert 1.5 * (rates[2] + rates[3]) == pytest.approx(-pull, rel=1e-6)
    assert light * rates[2] == pytest.approx(40.0 * (0.01 - 0.05), rel=1e-3)
