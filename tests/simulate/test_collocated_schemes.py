"""The schemes of optimal control march too: their order, constraints, muscles, jumps of controls, and splits."""

from typing import Any

import numpy as np
import pytest

import myodyne as my

START = {"angle": 1.0, "angle.speed": 0.5}


@pytest.mark.parametrize(
    ("kind", "order"), [(my.BackwardEuler, 1), (lambda step: my.Radau(2, step), 3), (lambda step: my.Radau(3, step), 5)]
)
def test_errors_fall_with_the_order_of_the_scheme(kind: Any, order: int) -> None:
    model = my.load_model("pendulum")
    exact = my.simulate(model, 1.0, start=START, scheme=my.DOP853(relative=1e-13, absolute=1e-13)).final["angle"]
    errors = [
        abs(my.simulate(model, 1.0, start=START, scheme=kind(step=step)).final["angle"] - exact) for step in (0.1, 0.05)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)


@pytest.mark.parametrize("name", ["planar_arm", "four_bar"])
def test_muscles_and_constraints_agree_with_other_schemes(name: str) -> None:
    model = my.load_model(name)
    controls = dict.fromkeys(model.controls, my.step(at=0.0123, after=0.3))
    run = my.simulate(model, 0.04, controls=controls, scheme=my.Radau(3, step=0.002))
    exact = my.simulate(model, 0.04, controls=controls, scheme=my.Rosenbrock(relative=1e-10, absolute=1e-10))
    for state in my.equations_of(model).motion:
        assert run.final[state] == pytest.approx(exact.final[state], abs=1e-6, rel=1e-6), state
    assert run.report.energy_error is not None
    assert run.report.energy_error < 1e-4
    first = my.simulate(model, 0.02, controls=controls, scheme=my.Radau(3, step=0.002))
    rest = my.simulate(model, 0.02, controls=controls, scheme=my.Radau(3, step=0.002), start=first)
    assert rest.final == run.final


def test_they_need_a_step_and_their_names_stay_short() -> None:
    for scheme in (my.Radau(), my.BackwardEuler()):
        with pytest.raises(my.ModelError, match="needs a step to march with"):
            my.simulate(my.load_model("pendulum"), 0.1, scheme=scheme)
    assert repr(my.Radau(degree=2)) == "Radau(degree=2)"
    assert repr(my.BackwardEuler(step=0.01)) == "BackwardEuler(step=0.01)"
    with pytest.raises(my.ModelError, match="step must be a positive number"):
        my.Radau(step=-1.0)
