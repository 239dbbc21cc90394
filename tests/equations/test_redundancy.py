"""Rows of constraints that repeat others, exactly and nearly."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my


def chain(**constraints: my.CouplerConstraint | my.SpeedConstraint | my.MotionConstraint) -> my.Equations:
    """Return the equations of three links with constraints between their angles."""
    links = {name: my.Body(mass=1.0, centre_of_mass=(0.0, -0.25, 0.0), inertia=0.05) for name in "abc"}
    joints = {
        "first": my.pin("ground", "a", "qa", default=0.2),
        "second": my.pin({"body": "a", "at": (0.0, -0.5, 0.0)}, "b", "qb"),
        "third": my.pin({"body": "b", "at": (0.0, -0.5, 0.0)}, "c", "qc", default=0.2),
    }
    model = my.Model(name="chain", bodies=links, joints=joints, constraints=constraints)
    return my.equations_of(model, compiled=False)


def follows(coordinate: str, slope: float = 1.0, share: float = 0.0) -> my.CouplerConstraint:
    """Return a coupler: the coordinate is a multiple of qa, and a share of qb on top."""
    terms = (my.Term(coefficient=slope, powers=(1, 0)), my.Term(coefficient=share, powers=(0, 1)))
    return my.CouplerConstraint(coordinate=coordinate, function=my.Polynomial(of=("qa", "qb"), terms=terms))


STATE = np.array([0.2, 0.3, 0.2, 1.0, 2.0, 1.0])


def test_a_repeated_row_is_left_out_and_named() -> None:
    once, twice = chain(link=follows("qc")), chain(link=follows("qc"), again=follows("qc"))
    assert twice.repeated_rows == ("again.torque",)
    assert twice.multipliers == once.multipliers == ("link.torque",)
    np.testing.assert_allclose(twice.derivative(STATE), once.derivative(STATE), rtol=1e-13)
    run = my.simulate(twice, 0.1)
    assert any("'again.torque'" in note for note in run.report.notes)
    assert run.report.energy_error is not None
    assert run.report.energy_error < 1e-9


@pytest.mark.parametrize("share", [1e-4, 1e-6, 1e-7])
def test_rows_that_nearly_repeat_others_keep_their_digits(share: float) -> None:
    near = chain(link=follows("qc"), near=follows("qc", share=share))
    exact = chain(
        link=follows("qc"), still=my.CouplerConstraint(coordinate="qb", function=my.Linear(coordinate="qa", slope=0.0))
    )
    state = np.array([0.2, 0.0, 0.2, 1.0, 0.0, 1.0])
    assert near.repeated_rows == ()
    np.testing.assert_allclose(near.derivative(state), exact.derivative(state), atol=1e-8)


def test_drives_that_contradict_each_other_are_not_left_out() -> None:
    slow, fast = (my.SpeedConstraint(coordinate="qa", speed=speed) for speed in (1.0, 2.0))
    assert chain(one=slow, other=slow).repeated_rows == ("other.torque",)
    assert chain(one=slow, other=fast).repeated_rows == ()
    assert np.isfinite(chain(one=slow, other=fast).derivative(STATE)).all()
