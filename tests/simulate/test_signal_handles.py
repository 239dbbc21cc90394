"""Signals keep the numbers they are made of: changed, compared, fitted, saved and read."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import BSpline

import myodyne as my
from myodyne.numerics.piecewise import PiecewisePolynomial

TIMES = np.linspace(-0.3, 1.6, 381)
RECORD = my.Trajectory(np.linspace(0.0, 1.0, 9), {"torque": np.sin(np.linspace(0.0, 7.0, 9))}, {"torque": "N m"})
POLYNOMIALS = my.Signal("cubic", PiecewisePolynomial([0.0, 0.4, 1.0], [[[0.1], [2.0], [1.0]], [[0.7], [-3.0], [0.2]]]))
SIGNALS = [
    my.constant(0.3),
    my.step(at=0.3, before=0.1, after=1.4),
    my.piecewise_constant([0.0, 0.2, 0.7], [0.5, -1.0, 2.0]),
    my.piecewise_linear([0.0, 0.2, 1.0], [0.5, -1.0, 2.0]),
    my.bezier([0.0, 2.0, -1.0, 0.3], start=0.1, end=0.9),
    my.bspline([0.0, 2.0, -1.0, 0.3, 1.0, 0.1], start=0.1, end=0.9, degree=2),
    my.recorded(RECORD, "torque"),
    my.recorded(RECORD, "torque", smooth=True),
    POLYNOMIALS,
]
every_signal = pytest.mark.parametrize("signal", SIGNALS, ids=repr)
with_handles = pytest.mark.parametrize("signal", SIGNALS[:-1], ids=repr)


def test_steps_hold_each_value_until_the_next() -> None:
    steps = my.piecewise_constant([0.0, 0.25, 0.7], [0.5, -1.0, 2.0])
    np.testing.assert_array_equal(steps(TIMES), np.select([TIMES < 0.25, TIMES < 0.7], [0.5, -1.0], 2.0))
    assert (steps(0.25), steps(np.nextafter(0.25, 0.0)), repr(steps)) == (-1.0, 0.5, "piecewise_constant(3 points)")
    np.testing.assert_array_equal(steps.pieces.discontinuities, [0.25, 0.7])


@every_signal
def test_a_signal_comes_back_from_json_bit_for_bit(signal: my.Signal) -> None:
    again = my.Signal.from_dict(json.loads(json.dumps(signal.to_dict())))
    assert again == signal
    assert hash(again) == hash(signal)
    assert repr(again) == repr(signal)
    np.testing.assert_array_equal(again.pieces.coefficients, signal.pieces.coefficients)
    np.testing.assert_array_equal(again.pieces.breaks, signal.pieces.breaks)


def test_equality_compares_the_numbers() -> None:
    for number, one in enumerate(SIGNALS):
        assert [one == other for other in SIGNALS] == [place == number for place in range(len(SIGNALS))]
    assert my.bezier([0, 1], 0, 1) == my.bezier([0.0, 1.0], 0.0, 1.0)
    assert my.recorded(RECORD, "torque") == my.piecewise_linear(RECORD.time, RECORD.values("torque"))
    assert my.constant(0.3) != 0.3


@with_handles
def test_a_changed_value_changes_the_curve_by_the_share_of_its_handle(signal: my.Signal) -> None:
    """Curves are linear in their values: two changes of one value differ by their factor."""
    for number in range(len(signal.values)):
        one = signal.with_value(number, signal.values[number] + 1.0)(TIMES) - signal(TIMES)
        two = signal.with_value(number, signal.values[number] + 2.0)(TIMES) - signal(TIMES)
        assert np.abs(one).max() > 0.1
        np.testing.assert_allclose(two, 2.0 * one, atol=1e-12)
    assert signal.with_value(-1, 0.25) == signal.with_value(len(signal.values) - 1, 0.25)


@with_handles
def test_handles_on_a_straight_line_give_that_line(signal: my.Signal) -> None:
    """Bézier curves and B-splines reproduce lines where their handles are said to stand."""
    if signal.kind in ("constant", "step", "piecewise_constant"):
        return
    line = signal
    for number, time in enumerate(signal.times):
        line = line.with_value(number, 1.0 + 2.0 * time)
    inside = np.linspace(signal.times[0], signal.times[-1], 33)
    np.testing.assert_allclose(line(inside), 1.0 + 2.0 * inside, atol=1e-12)


@every_signal
def test_shifts_and_factors_act_on_time_and_value(signal: my.Signal) -> None:
    np.testing.assert_allclose(signal.shifted(0.25)(TIMES), signal(TIMES - 0.25), atol=1e-10)
    np.testing.assert_allclose(signal.scaled(-3.0)(TIMES), -3.0 * signal(TIMES), atol=1e-12)
    assert signal.shifted(0.0) == signal == signal.scaled(1.0)
    assert signal.shifted(0.25).kind == signal.scaled(2.0).kind == signal.kind


@every_signal
def test_a_limited_signal_stays_in_its_limits(signal: my.Signal) -> None:
    cut = signal.limited(0.0, 0.6)
    assert cut(TIMES).min() >= -1e-12
    assert cut(TIMES).max() <= 0.6 + 1e-12
    assert signal.limited(-99.0, 99.0) is signal
    if signal.kind in ("bezier", "bspline"):
        assert cut.values == tuple(np.clip(signal.values, 0.0, 0.6))
    else:
        np.testing.assert_allclose(cut(TIMES), np.clip(signal(TIMES), 0.0, 0.6), atol=1e-12)
    expected = "polynomials" if signal.kind == "cubic_spline" else signal.kind
    assert cut.kind == expected


def test_004_4_six_bezier_points_represent_sixty_forces() -> None:
    """Acceptance 004-4: 60 values of a muscle's force over a contraction, by 6 control points, to 0.5 % of the peak."""
    time = np.linspace(0.0, 0.6, 60)
    # A twitch-like rise and fall (N): critically damped, with its peak of 1200 N at 0.2 s.
    force = 1200.0 * (time / 0.2) * np.exp(1.0 - time / 0.2)
    sixty = my.piecewise_linear(time, force)
    six = sixty.fitted(points=6)
    assert (six.kind, len(six.values), six.times[0], six.times[-1]) == ("bezier", 6, 0.0, 0.6)
    error = np.abs(six(time) - force)
    assert error.max() < 0.005 * force.max()
    assert np.sqrt(np.mean(error**2)) < 0.002 * force.max()
    # More points, less error; and the curve is the nearest: no single handle can be moved to improve it.
    assert np.abs(sixty.fitted(points=9)(time) - force).max() < 0.5 * error.max()
    fine = np.linspace(0.0, 0.6, 20001)

    def distance(curve: my.Signal) -> float:
        return float(np.mean((curve(fine) - sixty(fine)) ** 2))

    for number, value in enumerate(six.values):
        assert distance(six) < min(distance(six.with_value(number, value + move)) for move in (-1.0, 1.0))


@pytest.mark.parametrize("degree", [None, 1, 3, 5])
def test_a_fit_finds_a_curve_of_its_own_family_exactly(degree: int | None) -> None:
    values = np.random.default_rng(4).normal(size=8)
    curve = my.bezier(values, 0.2, 0.9) if degree is None else my.bspline(values, 0.2, 0.9, degree)
    again = curve.fitted(points=8, degree=degree)
    np.testing.assert_allclose(again.values, values, atol=1e-8)
    assert again.kind == curve.kind


def test_a_spline_fit_agrees_with_dense_least_squares() -> None:
    sixty = my.piecewise_linear(np.linspace(0.0, 1.0, 60), np.random.default_rng(1).normal(size=60))
    fine = (np.arange(59 * 2000) + 0.5) / (59 * 2000)
    knots = np.concatenate([np.zeros(3), np.linspace(0.0, 1.0, 8), np.ones(3)])
    basis = BSpline.design_matrix(fine, knots, 3).toarray()
    expected = np.linalg.lstsq(basis, sixty(fine), rcond=None)[0]
    np.testing.assert_allclose(sixty.fitted(points=10, degree=3).values, expected, atol=1e-5)


@pytest.mark.parametrize(
    "wrong, message",
    [
        (lambda: POLYNOMIALS.with_value(0, 1.0), r"no control values; .fitted\(points=6\)"),
        (lambda: my.step(at=0.1).with_value(2, 1.0), "has 2 values, counted from 0; there is no value 2"),
        (lambda: my.step(at=0.1).with_value(0, float("nan")), "value 0 must be a finite number"),
        (lambda: my.step(at=0.1).shifted("1"), "must be a finite number, not '1'"),  # type: ignore[arg-type]
        (lambda: my.step(at=0.1).fitted(), r"no ends; fitted\(start=0.0, end=1.0\)"),
        (lambda: SIGNALS[3].fitted(points=1), "2 to 20 control values are needed"),
        (lambda: SIGNALS[3].fitted(points=3, degree=3), "needs more than 3 control values"),
        (lambda: SIGNALS[3].fitted(start=2.0), "must come after start"),
        (lambda: SIGNALS[3].limited(1.0, 0.0), "must be below the upper one"),
    ],
)
def test_impossible_changes_are_refused(wrong: Any, message: str) -> None:
    with pytest.raises(my.ModelError, match=message):
        wrong()


@pytest.mark.parametrize(
    "data, message",
    [
        ([], "a table of fields is expected"),
        ({"values": [1.0]}, "signal.kind: a text is expected"),
        ({"kind": "bezir"}, "unknown kind 'bezir': did you mean 'bezier'"),
        ({"kind": "bezier", "values": [0, 1], "start": 0.0}, "signal 'bezier': end is missing"),
        ({"kind": "bezier", "values": [0, 1], "start": 0.0, "ende": 1.0}, "unknown field 'ende': did you mean 'end'"),
        ({"kind": "bezier", "values": [0, "1"], "start": 0.0, "end": 1.0}, "a list of numbers is expected"),
        ({"kind": "bezier", "values": [0, 1], "start": 1.0, "end": 1.0}, "must come after start"),
        ({"kind": "step", "at": True, "before": 0, "after": 1}, "signal 'step'.at: a number is expected"),
        ({"kind": "step", "at": "inf", "before": 0, "after": 1}, "finite"),
        ({"kind": "piecewise_linear", "times": [0, 0], "values": [1, 2]}, "times must increase"),
        ({"kind": "polynomials", "breaks": [0, 1], "coefficients": [[1], [2, 3]]}, "rows of equal length"),
        ({"kind": "polynomials", "breaks": [0, 1, 2], "coefficients": [[1]]}, "with 2 pieces"),
    ],
)
def test_damaged_data_are_refused_by_name(data: Any, message: str) -> None:
    with pytest.raises(my.MyodyneError, match=message):
        my.Signal.from_dict(data)


def test_a_run_under_steps_is_that_of_its_impulses() -> None:
    """A mass of 2 kg under 4 N for 0.5 s and -4 N for 0.25 s has a speed of 0.5 m/s."""
    cart = my.Model(
        name="cart",
        gravity=(0.0, 0.0, 0.0),
        bodies={"cart": my.Body(mass=2.0)},
        joints={"rail": my.slider("ground", "cart", "x")},
        forces={"push": my.CoordinateActuator(coordinate="x")},
    )
    steps = my.piecewise_constant([0.0, 0.1, 0.6, 0.85], [0.0, 4.0, -4.0, 0.0])
    assert my.simulate(cart, 1.0, controls={"push": steps}).final["x.speed"] == pytest.approx(0.5, abs=1e-9)
