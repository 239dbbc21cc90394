"""Sprint cycling of Casius, Bobbert and van Soest 2004: counts, table 1, power.

The rows of the acceptance table are 000-10, 000-11 and 000-27 to 000-31. The segment parameters and joint moments of
the paper are lost, so its numbers cannot be had again; its findings can, with the built-in cyclists and the moments
of ``examples/sprint_cycling.py``.
"""

from __future__ import annotations

import sys
from itertools import count, pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import myodyne as my
from support.examples import example

sprint = example("sprint_cycling")


@pytest.fixture(scope="module")
def pedalling():
    return sprint.one_leg()


@pytest.fixture(scope="module")
def heun(pedalling) -> dict[float, my.Result]:
    return {step: sprint.ride(pedalling, my.Heun(step=step)) for step in sprint.HEUN_STEPS}


@pytest.fixture(scope="module")
def exact(pedalling) -> my.Result:
    return sprint.ride(pedalling, my.DOP853(relative=1e-11, absolute=1e-11))


SADDLE = my.load_model("cyclist_one_leg").constraints["saddle"].second.at[:2]


def hip_deviation(run: my.Result) -> np.ndarray:
    """Return how far the hip is from the saddle at the end (m): x and y."""
    return np.array([run.final[f"hip_centre.position_{axis}"] - at for axis, at in zip("xy", SADDLE, strict=True)])


# ---- counts ---------------------------------------------------------------------------------------------------


def test_000_10_one_leg_has_five_segments_and_four_constraints(printed: Any) -> None:
    """000-10: 15 equations and 4 constraints; 14 states with a base of two coordinates and two speeds."""
    model = my.load_model("cyclist_one_leg")
    eq = my.equations_of(model, compiled=False)
    casius = printed("Casius et al. 2004")
    casius("sprint cycling, equations of one leg", 15, 3 * len(model.bodies), within=0)
    casius("sprint cycling, constraints of one leg", 4, len(eq.multipliers), within=0)
    assert eq.multipliers == ("drive.torque", "trunk_hold.torque", "saddle.force_x", "saddle.force_y")
    # The paper marches the fixed base along, two coordinates and two speeds.
    casius("sprint cycling, states of one leg with its base", 14, len(eq.motion) + 4, within=0)


@pytest.mark.parametrize(
    "name, equations, rows",
    [
        ("cyclist_two_cranks", 30, ["axle.force_x", "axle.force_y", "cranks.torque"]),
        ("cyclist_one_crank", 27, ["pedal_l.force_x", "pedal_l.force_y"]),
    ],
)
def test_000_31_two_legs(name: str, equations: int, rows: list[str], printed: Any) -> None:
    """000-31: 30 equations with three constraints, or 27 with two, besides those that hold hip and trunk.

    The paper's chain cannot branch, so it has the trunk twice.
    """
    model = my.load_model(name)
    eq = my.equations_of(model, compiled=False)
    casius = printed("Casius et al. 2004")
    casius(f"two legs, equations of {name}", equations, 3 * (len(model.bodies) + 1), within=0)
    casius(f"two legs, constraints of {name}", len(rows), len(eq.multipliers) - 4, within=0)
    hold = ["drive.torque", "trunk_hold.torque", "saddle.force_x", "saddle.force_y"]
    assert list(eq.multipliers) == [*hold, *rows]
    # What is left free: both feet, and the crank that the drive turns.
    assert len(eq.coordinates) - len(eq.multipliers) == 2


def test_000_11_crank_and_trunk_do_what_the_paper_says(exact: my.Result, printed: Any) -> None:
    """000-11: 120 revolutions a minute, clockwise, half a second each, ten in 5 s; the trunk stays at 1.1 rad."""
    model = my.load_model("cyclist_one_leg")
    assert model.constraints["drive"].speed == pytest.approx(-4 * np.pi, rel=1e-11)
    casius = printed("Casius et al. 2004")
    casius("sprint cycling, ten revolutions", 5.0, exact.time[-1], within=0, unit="s")
    casius("sprint cycling, speed of the crank: -4π", -12.566371, exact.final["crank.speed"], within=5e-7, unit="rad/s")
    assert exact.final["crank"] - exact.values("crank")[0] == pytest.approx(-10 * 2 * np.pi, rel=1e-11)
    across, up = (
        exact.values(f"shoulder_centre.position_{a}") - exact.values(f"hip_centre.position_{a}") for a in "xy"
    )
    np.testing.assert_allclose(np.arctan2(up, across), 1.1, atol=1e-10)


def test_000_13_moments_may_come_as_a_table_of_5001_rows(pedalling) -> None:
    """The lost file held ankle, knee and hip moments every 0.1 ms over a revolution; ours drive the leg alike so."""
    times = np.arange(5001) / 10_000
    table = {name: signal.pieces(times)[:, 0] for name, signal in pedalling.controls.items()}
    recorded = my.Trajectory(times, table, dict.fromkeys(table, "N m"))
    controls = {name: my.recorded(recorded, name) for name in table}
    options = {"start": pedalling.start, "scheme": my.Heun(step=5e-4), "every": 0.01}
    smooth = my.simulate(pedalling.model, 0.5, controls=pedalling.controls, **options)
    tabled = my.simulate(pedalling.model, 0.5, controls=controls, **options)
    assert tabled.values("knee") == pytest.approx(smooth.values("knee"), abs=1e-6)


# ---- table 1 --------------------------------------------------------------------------------------------------


def test_000_23_to_000_26_heun_takes_the_steps_that_it_is_given(heun: dict[float, my.Result], printed: Any) -> None:
    """000-23 to 000-26: 5000, 10000, 25000 and 50000 steps."""
    casius = printed("Casius et al. 2004")
    assert len(heun) == 4
    for (step, run), said in zip(heun.items(), [5000, 10_000, 25_000, 50_000], strict=True):
        casius(f"table 1, steps of Heun's method with {1000 * step:g} ms", said, run.report.steps, within=0)


def test_000_28_drift_of_heun_is_of_second_order(heun: dict[float, my.Result], printed: Any) -> None:
    """000-28: slopes of 2 between all neighbours, and micrometres from 0.2 ms on."""
    steps = np.array(list(heun))
    apart = np.array([np.linalg.norm(hip_deviation(run)) for run in heun.values()])
    slopes = np.diff(np.log(apart)) / np.diff(np.log(steps))
    casius = printed("Casius et al. 2004")
    # The slopes of the printed deviations of the hip along x, from 1 to 0.5, 0.2 and 0.1 ms.
    for finer, said, ours in zip(steps[1:], [2.10, 1.95, 1.98], slopes, strict=True):
        casius(f"table 1, order of Heun's drift down to {1000 * finer:g} ms", said, ours, within=0.15)
    assert apart[steps <= 2e-4] == pytest.approx([0.0, 0.0], abs=1e-5)
    assert apart[0] > 5e-5, "1 ms is too long a step, as in the paper"


def test_000_29_drift_stays_out_of_the_eighth_decimal(pedalling, exact: my.Result) -> None:
    """000-29: at most 1e-8 m after ten revolutions where the tolerance is tight.

    Tolerances of different programs do not compare: the paper's STEP needs 1e-6 and 22 000 steps, Adams of SUNDIALS
    1e-11 and 9 000, DOP853 1e-6 and 1 000.
    """
    runs = [
        exact,
        sprint.ride(pedalling, my.Adams(relative=1e-14, absolute=1e-11)),
        sprint.ride(pedalling, my.DOP853(relative=1e-6, absolute=1e-6)),
    ]
    for run in runs:
        assert np.max(np.abs(hip_deviation(run))) < 1e-8
        assert abs(run.final["hip_centre.velocity_x"]) < 1e-8
        assert abs(run.final["hip_centre.velocity_y"]) < 1e-8


def test_000_15_to_000_22_drift_of_adams_falls_with_its_tolerance(pedalling) -> None:
    """000-15 to 000-22: a sloppy tolerance shows in the hip and in the power, a tight one in neither."""
    found = {eps: sprint.ride(pedalling, my.Adams(relative=1e-14, absolute=eps)) for eps in (1e-3, 1e-5, 1e-7, 1e-9)}
    apart = [np.linalg.norm(hip_deviation(run)) for run in found.values()]
    assert all(larger > 5 * smaller for larger, smaller in pairwise(apart))
    assert apart[0] > 1e-3
    assert apart[-1] < 1e-6
    steps = [run.report.steps for run in found.values()]
    assert steps == sorted(steps)


@pytest.mark.parametrize("scheme", [my.Adams(relative=1e-6, absolute=1e-6), my.DOP853(), my.Heun(step=1e-3)])
def test_a_slow_machine_computes_the_same(pedalling, scheme, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulations are cut into pieces by the clock, to answer Ctrl-C; that must not show in the result."""
    quick = sprint.ride(pedalling, scheme, revolutions=2)
    ticks = count()
    clock = SimpleNamespace(perf_counter=lambda: float(next(ticks)))
    monkeypatch.setattr(sys.modules["myodyne.simulate.simulation"], "clock", clock)
    slow = sprint.ride(pedalling, scheme, revolutions=2)
    np.testing.assert_array_equal(slow.values("saddle.drift"), quick.values("saddle.drift"))
    assert slow.report.steps == quick.report.steps


def test_reported_drift_is_that_of_the_hip(heun: dict[float, my.Result]) -> None:
    run = heun[1e-3]
    away = np.hypot(*(run.values(f"hip_centre.position_{a}") - at for a, at in zip("xy", SADDLE, strict=True)))
    assert run.report.drift["saddle.drift"] == pytest.approx(np.max(away), rel=1e-12)
    assert run.values("saddle.drift") == pytest.approx(away, rel=1e-9, abs=1e-16)


# ---- power ----------------------------------------------------------------------------------------------------


def test_000_30_power_by_both_formulas(heun: dict[float, my.Result], exact: my.Result) -> None:
    """000-30: the moment on the crank times its speed is the force on the pedal times its velocity."""
    for run in (exact, *heun.values()):
        np.testing.assert_allclose(sprint.crank_power(run), sprint.pedal_power(run), rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(sprint.crank_power(run), -run.values("drive.power"), rtol=1e-12)


def test_power_is_that_of_a_sprint(exact: my.Result) -> None:
    power = 2 * sprint.mean_over_last_revolution(exact, sprint.crank_power(exact))
    assert power == pytest.approx(1000.0, abs=5.0)
    for name, strongest in (("ankle", 160.0), ("knee", 220.0), ("hip", 220.0)):
        assert np.max(np.abs(exact.values(f"{name}.moment"))) < strongest, "no more than the joints of a person give"


def test_000_27_power_of_prescribed_moments_does_not_depend_on_the_step(pedalling) -> None:
    """000-27: the same power with 0.1 ms and with 1 ms, to 0.1 W.

    Over ten revolutions with RK4; with Heun over one, because over ten its own error at 1 ms is 0.26 W.
    """
    for scheme, revolutions in ((my.RK4, sprint.REVOLUTIONS), (my.Heun, 1)):
        powers = []
        for step in (1e-4, 1e-3):
            run = sprint.ride(pedalling, scheme(step=step), revolutions=revolutions)
            powers.append(2 * sprint.mean_over_last_revolution(run, sprint.crank_power(run)))
        assert powers[0] == pytest.approx(powers[1], abs=0.1)


def test_energy_balance(exact: my.Result, heun: dict[float, my.Result]) -> None:
    """What motors, spring and drive give is what the leg gains; the samples of the power limit the check to 1e-5."""
    assert exact.report.energy_error is not None
    assert exact.report.energy_error < 1e-5
    errors = np.array([run.report.energy_error for run in heun.values()])
    slopes = np.diff(np.log(errors)) / np.diff(np.log(list(heun)))
    assert slopes == pytest.approx([2.0, 2.0, 2.0], abs=0.15)


def test_pedalling_is_steady(exact: my.Result) -> None:
    """The last revolution repeats the one before, and follows the motion from which the moments were made."""
    rows = 100
    for name in ("ankle", "knee", "hip"):
        values = exact.values(name)
        assert values[-rows - 1 : -1] == pytest.approx(values[-2 * rows - 1 : -rows - 1], abs=1e-3)
    leg = sprint.steady_leg(500.0)
    assert exact.values("knee")[:rows] == pytest.approx(leg.q[:: sprint.SAMPLES // rows, 3], abs=1e-2)


@pytest.mark.parametrize("name", ["cyclist_one_crank", "cyclist_two_cranks"])
def test_000_30_two_legs_are_two_times_one_leg(name: str, exact: my.Result) -> None:
    """A crank that is driven keeps the legs from feeling each other; both models of two legs agree.

    000-30: the formula for two legs, by the forces on both pedals.
    """
    both = sprint.ride(sprint.two_legs(my.load_model(name)), my.DOP853(relative=1e-11, absolute=1e-11), revolutions=3)
    rows = len(both.time)
    for joint in ("ankle", "knee", "hip"):
        assert both.values(f"{joint}_r") == pytest.approx(exact.values(joint)[:rows], abs=1e-9)
    right = sprint.pedal_power(both, "pedal_r", "ball_of_foot_r")
    assert right == pytest.approx(sprint.pedal_power(exact)[:rows], rel=1e-8, abs=1e-6)
    # The left foot is kept on the crank by a constraint, whose force acts on the foot, or carries a crank of its own.
    force, sign = ("pedal_l.force", -1) if name == "cyclist_one_crank" else ("pedal_l.reaction_force", 1)
    left = sign * sum(both.values(f"{force}_{a}") * both.values(f"ball_of_foot_l.velocity_{a}") for a in "xy")
    crank = "crank" if name == "cyclist_one_crank" else "crank_r"
    np.testing.assert_allclose(sprint.crank_power(both, crank), right + left, rtol=1e-8, atol=1e-8)
    # What the left leg does, the right one does half a revolution later.
    assert left[-100:-50] == pytest.approx(right[-50:], abs=1e-3 * np.max(right))


# ---- the examples ---------------------------------------------------------------------------------------------


def test_table_is_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sprint, "HEUN_STEPS", (1e-3,))
    monkeypatch.setattr(sprint, "ADAMS_TOLERANCES", (1e-4,))
    sprint.main()
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split() for line in lines if line.startswith(("Adams", "Heun", "DOP853"))]
    assert [row[0] for row in rows] == ["Adams", "Heun", "DOP853", "DOP853", "DOP853"]
    assert all(len(row) == 8 for row in rows)
    assert rows[1][1:3] == ["1e-03", "5000"]
    assert float(rows[-1][4]) == pytest.approx(-0.13153850, abs=1e-8)


def test_freewheel(capsys: pytest.CaptureFixture[str]) -> None:
    """The clutch pushes the wheel and never pulls it; the wheel is never slower than the crank."""
    freewheel = example("freewheel")
    run = freewheel.ride()
    names = [name.partition(".")[0] for _, name in run.report.events]
    assert len(names) >= 3
    assert names == ["clutch", "overrun"] * (len(names) // 2) + ["clutch"] * (len(names) % 2)
    torque, overrun, times = run.values("clutch.torque"), run.values("overrun.speed"), run.time
    gripping = np.isfinite(torque)
    assert np.all(torque[gripping] < 1e-6)
    assert np.all(np.abs(overrun[gripping]) < 1e-9)
    assert np.all(overrun[~gripping] < 1e-9)
    assert np.min(overrun) < -5.0, "the legs come to rest and the wheel goes on"
    # Left alone, the wheel is braked by the road.
    alone = times > run.report.events[-1][0]
    wheel = run.values("crank.speed") + overrun
    slope = np.polyfit(times[alone], wheel[alone], 1)[0]
    assert slope == pytest.approx(freewheel.RESISTANCE / (freewheel.MASS * freewheel.WAY**2), rel=1e-8)
    # Nothing jumps where the clutch grips: both turn equally fast then.
    assert run.report.energy_error < 1e-4
    for moment, _ in run.report.events:
        row = int(np.searchsorted(times, moment))
        assert run.values("crank.speed")[row + 1] == pytest.approx(run.values("crank.speed")[row], abs=1e-8)
    freewheel.main()
    assert capsys.readouterr().out.count("the clutch lets go") == names.count("clutch")
