"""The Dynamic Arm Simulator in motion: half a second in which all muscles are excited more and more.

The stored simulation (ode15s, relative tolerance 1e-3) follows equations of motion that leave out a term; see
docs/guide/das3.md. What our equations leave unexplained in it is that term, and nothing else. Where the stored motion
itself is compared, the term is put back as torques of its size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import myodyne as my
from support.das3 import FOLDER, HERE, REASON, Floats, left_out, stored

pytestmark = pytest.mark.skipif(not HERE, reason=REASON)

DURATION = 0.5
# Root mean squares (degrees) that the release prints for its Rosenbrock scheme at 3 ms, and of all together.
PRINTED = (0.064, 0.042, 0.013, 0.006, 0.016, 0.011, 0.110, 0.057, 0.038, 0.029, 0.140)
PRINTED_TOGETHER = 0.063
# Ours at 3 ms over four seconds (degrees).
FOUR_SECONDS = 0.17
ACCURATE = my.Rosenbrock(relative=1e-7, absolute=1e-7)


@pytest.fixture(scope="module")
def model() -> my.Model:
    return my.load_model(FOLDER / "rel2_model.json")


@pytest.fixture(scope="module")
def torques(model: my.Model) -> my.Trajectory:
    """What the published equations leave out, along the stored motion."""
    rows = np.array([left_out(model, x[:11], x[11:22]) for x in stored().states])
    columns = {f"{name}_left_out": rows[:, i] for i, name in enumerate(model.coordinates)}
    return my.Trajectory(stored().times, columns, dict.fromkeys(columns, "N m"))


@pytest.fixture(scope="module")
def as_published(model: my.Model) -> my.Equations:
    motors = {f"{name}_left_out": my.CoordinateActuator(coordinate=name) for name in model.coordinates}
    return my.equations_of(model.with_parts(forces=motors))


def excited(model: my.Model, delay: float = 0.0) -> dict[str, my.Signal]:
    ramp = my.piecewise_linear([delay, DURATION + delay], [0.0, 1.0])
    return dict.fromkeys(model.muscles, ramp)


def simulated(equations: my.Equations, scheme: my.Rosenbrock, controls: dict[str, my.Signal]) -> my.Result:
    start = dict(zip(equations.states, stored().equilibrium, strict=True))
    every = None if scheme.step else 0.005
    return my.simulate(equations, DURATION, start=start, controls=controls, scheme=scheme, every=every)


def errors(run: my.Result) -> Floats:
    """Return the distance (degrees) from the stored angles: a row for each sample, a column for each angle."""
    names = [name for name in run.names if name in PRINTED_ORDER]
    there = np.stack([np.interp(stored().times, run.time, run.values(name)) for name in names], axis=1)
    return np.degrees(stored().states[:, :11] - there)


PRINTED_ORDER = ("SC_y", "SC_z", "SC_x", "AC_y", "AC_z", "AC_x", "GH_y", "GH_z", "GH_yy", "EL_x", "PS_y")


def together(difference: Floats) -> float:
    return float(np.sqrt((difference**2).mean()))


@pytest.mark.long
def test_what_the_stored_motion_leaves_unexplained(model: my.Model) -> None:
    equations = my.equations_of(model)
    times, states = stored().times, stored().states
    rates = CubicSpline(times, states)(times, 1)
    found, expected = [], []
    # From 0.155 s: before, muscles that are hardly active quiver too fast for samples 5 ms apart to be differentiated.
    for k in range(31, 100):
        residual = equations.residual(states[k], rates[k], np.full(138, times[k] / DURATION))
        found.append(residual[11:22])
        expected.append(left_out(model, states[k, :11], states[k, 11:22]))
        assert np.abs(residual[22:160]).max() < 1e-3, "muscles, in maximal forces"
        assert np.abs(residual[160:]).max() < 1e-3, "activations, 1/s"
    difference = np.array(found) - np.array(expected)
    assert np.abs(expected).max() > 0.5
    assert np.sqrt((difference**2).mean()) < 1e-3
    assert np.abs(difference).max() < 0.01


@pytest.mark.long
def test_002_1_published_error_of_the_rosenbrock_scheme(
    as_published: my.Equations, torques: my.Trajectory, model: my.Model, printed: Any
) -> None:
    """The release takes the excitation at the beginning of each step."""
    controls = excited(model, delay=0.003) | recorded(torques)
    difference = errors(simulated(as_published, my.Rosenbrock(step=0.003), controls))
    das3 = printed("DAS3, release 2")
    das3("RMS of all angles at 3 ms", PRINTED_TOGETHER, together(difference), within=0.002, unit="°")
    assert together(difference) <= 0.07
    # The torques were reckoned from the stored motion, not from the one under way, which is 0.06° off.
    errors_by_angle = np.sqrt((difference**2).mean(axis=0))
    for name, said, ours in zip(PRINTED_ORDER, PRINTED, errors_by_angle, strict=True):
        das3(f"RMS of {name} at 3 ms", said, ours, within=0.011, unit="°")


@pytest.mark.long
def test_stored_motion_is_met_where_steps_are_as_small_as_needed(
    as_published: my.Equations, torques: my.Trajectory, model: my.Model
) -> None:
    difference = errors(simulated(as_published, ACCURATE, excited(model) | recorded(torques)))
    assert together(difference) < 0.01
    assert np.sqrt((difference**2).mean(axis=0)).max() < 0.02


@pytest.mark.long
def test_our_own_motion_stays_near(model: my.Model) -> None:
    """With the term that was left out, the arm moves a tenth of a degree otherwise."""
    difference = errors(simulated(my.equations_of(model), ACCURATE, excited(model)))
    assert 0.08 < together(difference) < 0.11
    assert np.abs(difference).max() < 0.6


@pytest.mark.long
def test_002_11_rosenbrock_is_of_first_order(model: my.Model) -> None:
    equations = my.equations_of(model)
    accurate = angles(simulated(equations, ACCURATE, excited(model)).final)
    ends = [
        angles(simulated(equations, my.Rosenbrock(step=step), excited(model)).final)
        for step in (0.0005, 0.00025, 0.000125)
    ]
    error = np.array([np.linalg.norm(end - accurate) for end in ends])
    assert np.log2(error[:-1] / error[1:]) == pytest.approx(1.0, abs=0.05)


def by_midpoint(equations: my.Equations, step: float) -> my.Result:
    start = dict(zip(equations.states, stored().equilibrium, strict=True))
    controls = excited(equations.model)
    return my.simulate(equations, DURATION, start=start, controls=controls, scheme=my.Midpoint(step=step))


@pytest.mark.long
@pytest.mark.parametrize("step", [0.003, 0.001])
def test_midpoint_goes_through(model: my.Model, step: float) -> None:
    """It damps nothing: fast modes of muscles ring, and guesses from the last steps lead Newton's method astray."""
    run = by_midpoint(my.equations_of(model), step)
    assert run.report.status == "completed"
    assert run.time[-1] == pytest.approx(DURATION)


@pytest.mark.long
def test_002_5_midpoint_is_of_second_order(model: my.Model) -> None:
    """Over a decade of steps, not from one to the next: what rings makes single errors uneven."""
    equations = my.equations_of(model)
    accurate = angles(simulated(equations, ACCURATE, excited(model)).final)
    steps = (0.0025, 0.001, 0.0005, 0.00025)
    error = [np.linalg.norm(angles(by_midpoint(equations, step).final) - accurate) for step in steps]
    assert np.polyfit(np.log(steps), np.log(error), 1)[0] == pytest.approx(2.0, abs=0.5)


@pytest.mark.long
def test_002_8_four_seconds_from_rest_and_back(model: my.Model) -> None:
    """Figure 5: excited to the full within 0.2 s, until 2 s; then off. Errors are proportional to the step.

    The paper prints 0.11° at 3 ms; see docs/guide/das3.md for ours.
    """
    from support.examples import example

    script = example("das3_excited")
    start = dict(zip(my.equations_of(model).states, stored().equilibrium, strict=True))
    accurate = script.excited(model, start, script.ACCURATE)
    coarse, middle, fine = (
        script.error(script.excited(model, start, my.Rosenbrock(step=step)), accurate)
        for step in (0.003, 0.001, 0.0005)
    )
    assert accurate.time[-1] == pytest.approx(4.0, abs=script.EVERY)
    assert coarse == pytest.approx(FOUR_SECONDS, abs=0.02)
    assert 0.8 < np.log2(middle / fine) < 1.3


def angles(row: dict[str, float]) -> Floats:
    return np.array([row[name] for name in PRINTED_ORDER])


def recorded(trajectory: my.Trajectory) -> dict[str, my.Signal]:
    return {name: my.recorded(trajectory, name, smooth=True) for name in trajectory.names}
