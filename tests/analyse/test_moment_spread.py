"""The spread of moments: linear propagation and Monte Carlo agree, and both meet a closed form."""

import numpy as np
import pytest

import myodyne as my
from myodyne.data import DataError

TIME = np.arange(121) / 100.0


def swing(model, size=0.4):
    names = list(model.coordinates)
    columns = {name: size * np.sin(5.0 * TIME + place) for place, name in enumerate(names)}
    return my.Trajectory(TIME, columns, dict.fromkeys(names, "rad"))


def test_linear_propagation_and_monte_carlo_agree_for_small_noise():
    model = my.load_model("double_pendulum")
    motion = swing(model)
    linear = my.moment_spread(model, motion, 0.001, cutoff=6.0)
    random = my.moment_spread(model, motion, 0.001, cutoff=6.0, by=my.MonteCarlo(count=400, seed=3))
    for name in linear:
        # The standard deviation of 400 samples is known to 3.5 %; rows are many, so allow four times that.
        ratio = random.values(name) / linear.values(name)
        assert np.abs(ratio - 1.0).max() < 0.14, name
        assert ratio.mean() == pytest.approx(1.0, abs=0.015)
    assert linear.notes == ("standard deviations by linear propagation",)
    assert "400 samples, seed 3" in random.notes[0]


def test_the_spread_under_a_plate_agrees_as_well():
    """The plate's point stays where it is, so its moment changes with the pose."""
    model = my.load_model("double_pendulum")
    motion = swing(model)
    columns = {f"f{axis}": np.full(121, size) for axis, size in zip("xyz", (50.0, 300.0, 0.0), strict=True)}
    columns |= {f"p{axis}": np.full(121, size) for axis, size in zip("xyz", (0.2, -1.5, 0.0), strict=True)}
    parts = {part: tuple(f"{part[0]}{axis}" for axis in "xyz") for part in ("force", "point")}
    forces = my.ExternalForces([my.ExternalForce("push", "rod2", my.Trajectory(TIME, columns), **parts)])
    linear = my.moment_spread(model, motion, {"angle1": 0.002}, forces, cutoff=6.0)
    random = my.moment_spread(model, motion, {"angle1": 0.002}, forces, cutoff=6.0, by=my.MonteCarlo(500, seed=1))
    bare = my.moment_spread(model, motion, {"angle1": 0.002}, cutoff=6.0)
    ratio = random.values("angle2.moment") / linear.values("angle2.moment")
    assert ratio.mean() == pytest.approx(1.0, abs=0.02)
    assert np.abs(linear.values("angle2.moment") - bare.values("angle2.moment")).max() > 0.05


def test_a_pendulum_at_rest_has_the_spread_of_inertia_times_noise_in_acceleration():
    """About the lowest point: moment = I a + m g l q, with the covariances of a linear filter found row by row."""
    model = my.load_model("pendulum")
    rod = model.bodies["rod"]
    arm = np.linalg.norm(rod.centre_of_mass)
    inertia, stiffness = rod.inertia.zz + rod.mass * arm**2, rod.mass * 9.81 * arm
    count = 60
    time = TIME[:count]
    rest = my.Trajectory(time, {"angle": np.zeros(count)}, {"angle": "rad"})
    found = my.moment_spread(model, rest, 0.01, cutoff=8.0).values("angle.moment")
    unit = my.Trajectory(time, {f"row{row}": np.eye(count)[row] for row in range(count)}).filtered(8.0, padded=True)
    second = unit.derivative(2).resampled(time, 5).rows()
    value = unit.resampled(time, 5).rows()
    expected = 0.01 * np.sqrt(np.sum((inertia * second + stiffness * value) ** 2, axis=1))
    np.testing.assert_allclose(found[5:-5], expected[5:-5], rtol=1e-3)


def test_spread_is_proportional_to_noise_and_smaller_below_a_lower_cut_off():
    model = my.load_model("pendulum")
    motion = swing(model)
    one, two = (my.moment_spread(model, motion, size, cutoff=6.0).values("angle.moment") for size in (0.001, 0.002))
    np.testing.assert_allclose(two, 2.0 * one, rtol=1e-9)
    slow = my.moment_spread(model, motion, 0.001, cutoff=3.0).values("angle.moment")
    assert (slow[30:-30] < 0.5 * one[30:-30]).all()


def test_samples_repeat_with_their_seed():
    model = my.load_model("pendulum")
    first, again, other = (
        my.moment_spread(model, swing(model), 0.01, cutoff=6.0, by=my.MonteCarlo(20, seed)) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    ("noise", "options", "message"),
    [
        (-0.1, {}, "at least 0"),
        (float("nan"), {}, "at least 0"),
        (0.0, {}, "all noise is zero"),
        ({"angel": 0.1}, {}, "did you mean 'angle'"),
        (0.1, {"by": "monte carlo"}, "my.MonteCarlo"),
    ],
)
def test_faults_are_named(noise, options, message):
    model = my.load_model("pendulum")
    with pytest.raises(DataError, match=message):
        my.moment_spread(model, swing(model), noise, **options)
    with pytest.raises(DataError, match="at least two samples"):
        my.MonteCarlo(1)
