"""Control signals: values, ends, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.interpolate import BSpline, CubicSpline
from scipy.special import comb

import myodyne as my

TIMES = np.linspace(-0.5, 1.5, 41)


def test_a_constant_is_constant() -> None:
    signal = my.constant(0.3)
    np.testing.assert_array_equal(signal(TIMES), np.full(len(TIMES), 0.3))
    assert repr(signal) == "constant(0.3)"


def test_a_step_jumps_once_and_has_its_new_value_there() -> None:
    signal = my.step(at=0.25, before=-1.0, after=2.0)
    np.testing.assert_array_equal(signal(TIMES), np.where(TIMES < 0.25, -1.0, 2.0))
    assert signal(np.nextafter(0.25, 0.0)) == -1.0
    assert signal(0.25) == 2.0
    np.testing.assert_array_equal(signal.pieces.discontinuities, [0.25])
    assert my.step(at=-3.0)(0.0) == 1.0


def test_straight_lines_pass_their_points_and_stay_beyond_them() -> None:
    times, values = [0.0, 0.2, 0.7, 1.0], [1.0, -2.0, 4.0, 3.0]
    np.testing.assert_allclose(my.piecewise_linear(times, values)(TIMES), np.interp(TIMES, times, values), atol=1e-14)


@pytest.mark.parametrize("count", [2, 3, 6, 12])
def test_a_bezier_curve_is_the_sum_of_bernstein_polynomials(count: int) -> None:
    values = np.random.default_rng(count).normal(size=count)
    s = np.clip((TIMES - 0.1) / 0.8, 0.0, 1.0)
    degree = count - 1
    expected = sum(comb(degree, k) * s**k * (1 - s) ** (degree - k) * value for k, value in enumerate(values))
    found = my.bezier(values, start=0.1, end=0.9)(TIMES)
    np.testing.assert_allclose(found, expected, atol=1e-11)
    assert found.min() >= values.min() - 1e-11
    assert found.max() <= values.max() + 1e-11
    assert my.bezier(values, start=0.1, end=0.9)(0.9) == pytest.approx(values[-1], abs=1e-11)


@pytest.mark.parametrize("count, degree", [(2, 1), (5, 3), (9, 3), (12, 5), (8, 7)])
def test_a_bspline_has_clamped_ends_and_local_influence(count: int, degree: int) -> None:
    values = np.random.default_rng(count).normal(size=count)
    signal = my.bspline(values, start=0.0, end=1.0, degree=degree)
    knots = np.concatenate([np.zeros(degree), np.linspace(0, 1, count - degree + 1), np.ones(degree)])
    inside = np.linspace(0.0, 1.0, 57)
    np.testing.assert_allclose(signal(inside), BSpline(knots, values, degree)(inside), atol=1e-10)
    assert signal(0.0) == pytest.approx(values[0])
    assert signal(1.0) == pytest.approx(values[-1], abs=1e-10)
    assert signal(-5.0) == pytest.approx(values[0])
    assert signal(5.0) == pytest.approx(values[-1], abs=1e-10)
    if count == 9:
        moved = my.bspline(np.append(values[:-1], values[-1] + 1.0), start=0.0, end=1.0, degree=degree)
        assert moved(0.3) == signal(0.3)
        assert moved(0.99) != signal(0.99)


def test_a_recorded_column_is_followed() -> None:
    times = np.linspace(0.0, 1.0, 11)
    source = my.Trajectory(times, {"motor": np.sin(5 * times)}, {"motor": "N m"})
    np.testing.assert_allclose(
        my.recorded(source, "motor")(TIMES), np.interp(TIMES, times, np.sin(5 * times)), atol=1e-14
    )
    inside = np.linspace(0.0, 1.0, 33)
    smooth = my.recorded(source, "motor", smooth=True)
    np.testing.assert_allclose(smooth(inside), CubicSpline(times, np.sin(5 * times))(inside), atol=1e-12)
    assert smooth(2.0) == pytest.approx(np.sin(5.0))


@pytest.mark.parametrize(
    "signal",
    [
        my.constant(1.0),
        my.step(at=0.3),
        my.piecewise_linear([0, 1], [0, 1]),
        my.bezier([0, 1, 0], 0.0, 1.0),
        my.bspline([0, 1, 0, 1], 0.0, 1.0),
    ],
    ids=repr,
)
def test_shapes_follow_the_times(signal: my.Signal) -> None:
    assert np.shape(signal(0.5)) == ()
    assert np.shape(signal([0.1, 0.2, 0.3])) == (3,)
    assert np.shape(signal(np.zeros((2, 3)))) == (2, 3)
    assert float(signal(0.5)) == signal(np.array([0.5]))[0]


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: my.constant(float("nan")), "constant.*finite"),
        (lambda: my.step(at=float("inf")), "step.*finite"),
        (
            lambda: my.piecewise_linear([0.0, 0.0], [1.0, 2.0]),
            "piecewise_linear: times must increase, but 0 s follows 0 s",
        ),
        (lambda: my.piecewise_linear([0.0, 1.0], [1.0]), "needs as many values as times"),
        (lambda: my.piecewise_linear([0.0], [1.0]), "at least two"),
        (lambda: my.piecewise_linear([0.0, 1.0], ["a", "b"]), "must be numbers"),
        (lambda: my.piecewise_linear([0.0, 1.0], [1.0, float("nan")]), "piecewise_linear.*finite"),
        (lambda: my.bezier([1.0], 0.0, 1.0), "2 to 20 control values are needed, not 1"),
        (lambda: my.bezier([0.0] * 21, 0.0, 1.0), "a bspline takes more"),
        (lambda: my.bezier([0.0, 1.0], 1.0, 1.0), r"end \(1.0 s\) must come after start \(1.0 s\)"),
        (lambda: my.bezier([0.0, float("inf")], 0.0, 1.0), "bezier.*finite"),
        (lambda: my.bspline([0.0, 1.0, 2.0], 0.0, 1.0), "degree 3 needs more than 3 control values"),
        (lambda: my.bspline([0.0, 1.0, 2.0], 0.0, 1.0, degree=0), "degree 1 to 7"),
        (lambda: my.bspline([0.0] * 5, 1.0, 0.0), "must come after start"),
        (lambda: my.recorded(my.Trajectory([0.0, 1.0], {"a": [0.0, 1.0]}), "b"), "unknown column 'b'"),
        (lambda: my.recorded(my.Trajectory([0.0], {"a": [0.0]}), "a"), "at least two"),
        (lambda: my.recorded(my.Trajectory([0.0, 1.0], {"a": [0.0, np.nan]}), "a"), "recorded.*finite"),
    ],
)
def test_what_is_no_signal_is_refused(make: Any, message: str) -> None:
    with np.errstate(all="ignore"), pytest.raises(my.MyodyneError, match=message):
        make()


# ---- as controls --------------------------------------------------------------------------------------------


def cart() -> my.Model:
    """Return a mass of 2 kg on a rail with two motors: accelerations are (left + 3 right)/2."""
    return my.Model(
        name="cart",
        gravity=(0.0, 0.0, 0.0),
        bodies={"cart": my.Body(mass=2.0)},
        joints={"rail": my.slider("ground", "cart", "x")},
        forces={
            "left": my.CoordinateActuator(coordinate="x"),
            "right": my.CoordinateActuator(coordinate="x", gain=3.0),
        },
    )


@pytest.mark.parametrize(
    "value", [2, 2.0, np.float64(2.0), np.float32(2.0), np.int64(2)], ids=lambda value: type(value).__name__
)
def test_a_number_is_a_constant_control(value: Any) -> None:
    run = my.simulate(cart(), 1.0, controls={"left": value})
    assert run.final["x"] == pytest.approx(0.5 * 1.0)
    assert run.final["left.control"] == 2.0
    assert run.final["right.control"] == 0.0


@pytest.mark.parametrize("value", ["full", None, True, [1.0], np.sin], ids=lambda value: type(value).__name__)
def test_what_is_no_control_is_refused_by_name(value: Any) -> None:
    with pytest.raises(my.ModelError, match="control 'left' is a number or a signal"):
        my.simulate(cart(), 1.0, controls={"left": value})


def test_an_unknown_control_is_answered_with_the_nearest() -> None:
    with pytest.raises(my.ModelError, match="unknown control 'rigth': did you mean 'right'"):
        my.simulate(cart(), 1.0, controls={"rigth": 1.0})


# Fixed explicit schemes keep their grid, so the jumps are put on it; all others must land on them.
ON_THE_GRID = (0.12, 0.62)
BETWEEN = (0.1234, 0.6177)


@pytest.mark.parametrize(
    "scheme, jumps",
    [
        (my.DOP853(), BETWEEN),
        (my.RKF45(), BETWEEN),
        (my.TRBDF2(), BETWEEN),
        (my.TRBDF2(step=0.02), BETWEEN),
        (my.Midpoint(step=0.02), BETWEEN),
        (my.Adams(), BETWEEN),
        (my.BDF(), BETWEEN),
        (my.RK4(step=0.02), ON_THE_GRID),
        (my.Heun(step=0.02), ON_THE_GRID),
    ],
    ids=repr,
)
def test_jumps_of_controls_are_hit_exactly(scheme: Any, jumps: tuple[float, float]) -> None:
    """Accelerations are 3, then -1.5, then 1 m/s²: every formula of order two and up is exact between the jumps."""
    first, second = jumps
    left = my.step(at=first, before=6.0, after=-3.0)
    right = my.step(at=second, before=0.0, after=5.0 / 3)
    run = my.simulate(cart(), 1.0, controls={"left": left, "right": right}, scheme=scheme)
    speeds = np.cumsum([3.0 * first, -1.5 * (second - first), 1.0 * (1 - second)])
    place = 1.5 * first**2 + speeds[0] * (second - first) - 0.75 * (second - first) ** 2
    place += speeds[1] * (1 - second) + 0.5 * (1 - second) ** 2
    assert run.final["x.speed"] == pytest.approx(speeds[-1], abs=1e-9)
    assert run.final["x"] == pytest.approx(place, abs=1e-8)
    assert run.report.energy_error is not None
    assert run.report.energy_error < 1e-6


def test_recorded_controls_replay_a_run() -> None:
    """What one run recorded drives the next one to the same end."""
    first = my.simulate(cart(), 1.0, controls={"left": my.bezier([0.0, 4.0, -3.0, 1.0], 0.0, 1.0)})
    again = my.simulate(cart(), 1.0, controls={"left": my.recorded(first, "left.control", smooth=True)})
    assert again.final["x"] == pytest.approx(first.final["x"], abs=1e-9)
    rough = my.simulate(cart(), 1.0, controls={"left": my.recorded(first, "left.control")})
    assert rough.final["x"] == pytest.approx(first.final["x"], abs=1e-3)
