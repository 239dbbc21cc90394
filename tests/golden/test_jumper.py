"""Squat jumps of van Soest and Bobbert's jumper, against those that Wong et al. 2016 recorded.

The rows of the acceptance table are the substitute fixture of work 000. The recordings were computed with Heun's method
and steps of 1 ms, in which an excitation rises from rest to 1 as soon as a step ends behind its onset: in the middle of
that step it counts half. A ramp over this step says the same to any scheme.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import myodyne as my
from support.jumps import APEX, JUMPS, MUSCLES, STEP, Floats, Jump, directions, recorded

GRAVITY = 9.81
TAKE_OFF = my.falls_through_zero("stance.force_y")
# Adaptive schemes, one of each kind: explicit, implicit, linearly implicit.
ACCURATE = (my.DOP853(), my.TRBDF2(relative=1e-7, absolute=1e-7), my.Rosenbrock(relative=1e-7, absolute=1e-7))


def jumper(jump: Jump) -> my.Model:
    """Return the jumper with the muscles of a recording."""
    # As free numbers they need no code of their own.
    return my.load_model("jumper").free(*jump.max_forces).with_values(jump.max_forces)


def excitations(jump: Jump) -> dict[str, my.Signal]:
    """Return the recorded excitations: at rest, then full within the step of the onset."""
    signals = {}
    for name, rest, onset in zip(MUSCLES, jump.header["rest"], jump.header["onset"], strict=True):
        start = np.floor(onset / STEP) * STEP
        signals[name] = my.piecewise_linear([start, start + STEP], [float(rest), 1.0])
    return signals


@cache
def simulated(name: str, scheme: my.DOP853 | my.TRBDF2 | my.Rosenbrock) -> my.Result:
    """Return a recorded jump, simulated until take-off."""
    jump = recorded(name)
    return my.simulate(
        jumper(jump), 0.4, start=jump.start, controls=excitations(jump), scheme=scheme, every=STEP, until=TAKE_OFF
    )


def segments(run: my.Result) -> Floats:
    """Return the directions of the segments (rad)."""
    return directions(*(run.values(name) for name in ("toe", "ankle", "knee", "hip")))


def apex(run: my.Result) -> float:
    """Return how high the centre of mass flies (m) from the end of a run."""
    return float(run.final["com.position_y"] + run.final["com.velocity_y"] ** 2 / (2 * GRAVITY))


@pytest.mark.parametrize("name", JUMPS)
def test_the_same_steps_give_the_recorded_rows(name: str, printed: Any) -> None:
    """Heun's method with steps of 1 ms: all rows of all states, to the digits that are printed, and the end."""
    jump = recorded(name)
    run = my.simulate(
        jumper(jump), jump.time[-1], start=jump.start, controls=excitations(jump), scheme=my.Heun(step=STEP), every=STEP
    )
    np.testing.assert_allclose(run.time[1:], jump.time, atol=1e-12)
    rows = slice(1, None)
    pushes = run.values("stance.force_y") > 0
    assert np.all(pushes[:-1])
    # The recording ends with the first row that pushes no more, or a step before it.
    assert not pushes[-1] or run.values("stance.force_y")[-1] < 100
    np.testing.assert_allclose(segments(run)[rows], jump.columns["directions"], atol=5e-5)
    wong = printed("Wong et al. 2016")
    for place, segment in enumerate(("foot", "shank", "thigh", "trunk")):
        said = jump.columns["directions"][-1, place]
        wong(
            f"recorded jump {name}, last direction of the {segment}",
            said,
            segments(run)[-1, place],
            within=5e-5,
            unit="rad",
        )
    speeds = np.stack([run.values(f"{joint}.speed")[rows] for joint in ("toe", "ankle", "knee", "hip")], axis=1)
    np.testing.assert_allclose(speeds, jump.speeds, atol=2e-3)
    for number, muscle in enumerate(MUSCLES):
        np.testing.assert_allclose(
            run.values(f"{muscle}.projected_length")[rows], jump.columns["fibre"][:, number], atol=3e-5
        )
        np.testing.assert_allclose(
            run.values(f"{muscle}.activation")[rows], jump.columns["active"][:, number], atol=3e-5
        )
        np.testing.assert_allclose(run.values(f"{muscle}.length")[rows], jump.columns["whole"][:, number], atol=5e-6)
        allowed = 2e-4 * jump.header["max_force"][number]
        np.testing.assert_allclose(
            run.values(f"{muscle}.force")[rows], jump.columns["tension"][:, number], atol=allowed
        )


@pytest.mark.parametrize("scheme", ACCURATE, ids=lambda scheme: type(scheme).__name__)
@pytest.mark.parametrize("name", JUMPS)
def test_accurate_jumps_are_the_recorded_ones(
    name: str, scheme: my.DOP853 | my.TRBDF2 | my.Rosenbrock, printed: Any
) -> None:
    """Angles within 0.1°, take-off within a millisecond, apex within half a millimetre."""
    jump, run = recorded(name), simulated(name, scheme)
    assert run.report.status == "stopped by event"
    assert run.time[-1] == pytest.approx(jump.time[-1], abs=1e-3)
    rows = min(len(jump.time), len(run.time) - 2)
    np.testing.assert_allclose(segments(run)[1 : rows + 1], jump.columns["directions"][:rows], atol=my.degrees(0.1))
    assert apex(run) == pytest.approx(APEX[name], abs=5e-4)
    if isinstance(scheme, my.DOP853):
        wong = printed("Wong et al. 2016")
        wong(f"recorded jump {name}, height of the centre of mass", APEX[name], apex(run), within=5e-4, unit="m")
        wong(f"recorded jump {name}, take-off", jump.time[-1], run.time[-1], within=1e-3, unit="s")


@pytest.mark.parametrize("name", JUMPS)
def test_schemes_agree(name: str) -> None:
    first, *others = (simulated(name, scheme) for scheme in ACCURATE)
    for other in others:
        assert other.time[-1] == pytest.approx(first.time[-1], abs=1e-5)
        assert apex(other) == pytest.approx(apex(first), abs=2e-5)


def test_the_jumper_flies_as_high_as_its_speed_says() -> None:
    """Through take-off and on to the apex, where joints may bend as they like."""
    jump = recorded("baseline")
    model = jumper(jump)
    flight = model.without("stance", "heel_stop")
    run = my.simulate(
        model,
        1.2,
        start=jump.start,
        controls=excitations(jump),
        scheme=my.Rosenbrock(),
        every=STEP,
        until=[my.Switch(TAKE_OFF, to=flight), my.falls_through_zero("com.velocity_y")],
    )
    assert [name for _, name in run.report.events] == [TAKE_OFF.name, "com.velocity_y falls through 0"]
    assert run.final["com.position_y"] == pytest.approx(APEX["baseline"], abs=5e-4)
    assert run.final["com.position_y"] == pytest.approx(apex(simulated("baseline", my.DOP853())), abs=1e-5)


def test_the_work_of_the_muscles_is_the_energy_of_the_jumper() -> None:
    """Nothing else supplies energy: neither the ground nor the limits of the joints."""
    run = simulated("baseline", my.DOP853())
    power = sum(run.values(f"{muscle}.power") for muscle in MUSCLES)
    energy = run.values("energy.kinetic") + run.values("energy.potential")
    work = np.trapezoid(power, run.time)
    assert work > 300
    assert energy[-1] - energy[0] == pytest.approx(work, rel=1e-4)
    assert run.report.energy_error is not None
    assert run.report.energy_error < 1e-6


def test_the_crouch_holds_for_a_while() -> None:
    """With the excitations of rest the jumper of the file hardly moves, which is why jumps can begin there."""
    model = my.load_model("jumper")
    rest = {name: muscle.default_activation for name, muscle in model.muscles.items()}
    run = my.simulate(model, 0.05, controls=rest, scheme=my.Rosenbrock(), every=0.01)
    for joint in ("toe", "ankle", "knee", "hip"):
        assert np.max(np.abs(run.values(joint) - run.values(joint)[0])) < my.degrees(0.6)
