import dataclasses

import numpy as np
import pytest

from myodyne.numerics.schemes import BDF, DOP853, RK4, RKF45, TRBDF2, Adams, Euler, Heun, Midpoint
from myodyne.numerics.stepping.steps import control_of, equal_steps, growth, shrinkage


def test_orders():
    orders = {scheme: scheme.order for scheme in (Euler, Heun, RK4, RKF45, DOP853, Midpoint, TRBDF2, Adams, BDF)}
    assert orders == {Euler: 1, Heun: 2, RK4: 4, RKF45: 5, DOP853: 8, Midpoint: 2, TRBDF2: 2, Adams: 12, BDF: 5}


def test_schemes_are_frozen_and_equal_by_value():
    assert RKF45(relative=1e-6) == RKF45(relative=1e-6) != DOP853(relative=1e-6)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Euler(0.1).step = 0.2


@pytest.mark.parametrize("bad", [0, -0.1, np.nan, np.inf, "fast", True, None])
@pytest.mark.parametrize("scheme", [Euler, Heun, RK4])
def test_steps_must_be_positive(scheme, bad):
    with pytest.raises(ValueError, match=f"{scheme.__name__}: step must be a positive number \\(s\\), not"):
        scheme(step=bad)


@pytest.mark.parametrize("field", ["relative", "absolute"])
@pytest.mark.parametrize("bad", [0.0, -1e-6, 1e-16, 1.0, np.nan])
@pytest.mark.parametrize("scheme", [RKF45, DOP853, Adams, BDF, TRBDF2])
def test_tolerances_must_make_sense(scheme, field, bad):
    with pytest.raises(ValueError, match=f"{scheme.__name__}: {field} must lie between 1e-14 and 1"):
        scheme(**{field: bad})


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"first_step": 0.0}, "first_step must be a positive"),
        ({"largest_step": -1.0}, "largest_step must be a positive"),
        ({"most_steps": 0}, "most_steps must be a whole number"),
        ({"most_steps": 1.5}, "most_steps must be a whole number"),
        ({"step": 0.0}, "step must be a positive"),
    ],
)
def test_other_numbers_must_make_sense(arguments, words):
    with pytest.raises(ValueError, match=f"TRBDF2: {words}"):
        TRBDF2(**arguments)
    with pytest.raises(ValueError, match="Midpoint: tolerance"):
        Midpoint(step=0.1, tolerance=0.0)


def test_midpoint_without_a_step_exists_but_does_not_march():
    with pytest.raises(ValueError, match=r"Midpoint needs a step to march with, for example Midpoint\(step=0\.001\)"):
        control_of(Midpoint())


def test_equal_steps_forgive_rounding():
    assert equal_steps(0.3, 0.1) == 3  # 0.3 / 0.1 is 2.9999999999999996
    assert equal_steps(0.1 + 0.2, 0.1) == 3  # and 0.1 + 0.2 is more than 0.3
    assert equal_steps(0.31, 0.1) == 4
    assert equal_steps(1e-15, 0.1) == 1


def test_the_controller_aims_below_the_tolerance_and_stays_within_its_bounds():
    assert growth(0.9**5 / 1.0, 1.0, 5) == pytest.approx(0.9 * 0.9**-0.85)
    assert growth(0.0, 1.0, 5) == 5.0
    assert shrinkage(1e30, 5) == 0.2
    assert shrinkage(1.0, 5) == 0.9
    assert growth(0.5, 1e-4, 5) < growth(0.5, 1.0, 5)
