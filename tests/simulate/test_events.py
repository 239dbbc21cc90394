"""Events: found to the last digits, in the right direction and order; switches from model to model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import myodyne as my

G = 9.81
SCHEMES = [
    my.DOP853(),
    my.RKF45(),
    my.RK4(step=0.013),
    my.Midpoint(step=0.013),
    my.TRBDF2(relative=1e-8, absolute=1e-8),
    my.TRBDF2(step=0.013),
    my.Heun(step=0.013),
    my.Adams(),
    my.BDF(),
]


def projectile(gravity: float = G, name: str = "stone") -> my.Model:
    return my.Model(
        name=name,
        gravity=(0.0, -gravity, 0.0),
        bodies={"stone": my.Body(mass=2.0, inertia=0.1)},
        joints={"flight": my.planar("ground", "stone", ("x", "y", "turn"))},
    )


THROW = {"x.speed": 3.0, "y.speed": 4.0, "turn.speed": 1.0}


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_the_apex_of_a_throw_is_found_to_ten_digits(scheme: Any) -> None:
    """Parabolas are exact for every scheme of order two and up, so what remains is the event's own error."""
    run = my.simulate(projectile(), 2.0, start=THROW, scheme=scheme, until=my.falls_through_zero("com.velocity_y"))
    assert run.report.status == "stopped by event"
    ((time, name),) = run.report.events
    assert name == "com.velocity_y falls through 0"
    assert time == pytest.approx(4.0 / G, abs=1e-10)
    assert run.time[-1] == time
    assert run.final["y"] == pytest.approx(8.0 / G, abs=1e-8)
    assert run.final["com.velocity_y"] == pytest.approx(0.0, abs=1e-9)
    assert "com.velocity_y falls through 0 at 0.40774" in run.report.message


def test_a_swing_passes_the_bottom_when_theory_says() -> None:
    """A pendulum released at 1 rad needs K(sin 0.5)/ω to the bottom: found with the defaults, nonlinear motion."""
    from scipy.special import ellipk

    run = my.simulate(
        my.load_model("pendulum"), 2.0, start={"angle": 1.0, "angle.speed": 0.0}, until=my.falls_through_zero("angle")
    )
    assert run.time[-1] == pytest.approx(ellipk(np.sin(0.5) ** 2) / np.sqrt(1.5 * G), abs=1e-9)


def test_directions_are_distinguished() -> None:
    start = {"y": -0.1, **THROW}
    up = (4.0 - np.sqrt(16 - 2 * G * 0.1)) / G
    down = (4.0 + np.sqrt(16 - 2 * G * 0.1)) / G
    for event, time in (
        (my.rises_through_zero("y"), up),
        (my.falls_through_zero("y"), down),
        (my.crosses("y", 0.0), up),
    ):
        assert my.simulate(projectile(), 2.0, start=start, until=event).time[-1] == pytest.approx(time, abs=1e-10)
    assert my.crosses("y", 0.3).name == "y crosses 0.3"
    level = my.simulate(projectile(), 2.0, start={**start, "y": 0.5, "y.speed": 0.0}, until=my.crosses("y", 0.3))
    assert level.time[-1] == pytest.approx(np.sqrt(2 * 0.2 / G), abs=1e-10)


def test_what_begins_at_zero_has_not_crossed_it() -> None:
    """Thrown from y = 0: the event is the return, not the start."""
    run = my.simulate(projectile(), 2.0, start=THROW, until=my.crosses("y", 0.0))
    assert run.time[-1] == pytest.approx(8.0 / G, abs=1e-10)
    run = my.simulate(projectile(), 2.0, start=THROW, until=my.falls_through_zero("y"))
    assert run.time[-1] == pytest.approx(8.0 / G, abs=1e-10)


def test_an_event_that_does_not_happen_ends_nothing() -> None:
    run = my.simulate(projectile(), 0.5, start=THROW, until=my.falls_through_zero("y"))
    assert run.report.status == "completed"
    assert run.report.events == ()
    assert run.time[-1] == 0.5


def test_an_event_at_a_sample_is_found_once() -> None:
    """Crossing exactly where a sample lies, and exactly at the end."""
    model = projectile(gravity=8.0)
    for duration in (2.0, 0.5):
        run = my.simulate(model, duration, start={"y.speed": 4.0}, until=my.falls_through_zero("y.speed"), every=0.125)
        assert run.report.status == "stopped by event"
        assert len(run.report.events) == 1
        assert run.time[-1] == pytest.approx(0.5, abs=1e-12)
        assert np.all(np.diff(run.time) > 0)


@pytest.mark.parametrize("every", [0.001, 0.1, 2.0])
@pytest.mark.parametrize("turned", [False, True])
def test_of_several_events_the_earliest_counts(every: float, turned: bool) -> None:
    """Also when several lie between two samples, whatever their order in the list."""
    events = [my.crosses("x", 1.5), my.crosses("x", 0.6), my.crosses("turn", 0.3), my.falls_through_zero("y")]
    run = my.simulate(projectile(), 2.0, start=THROW, until=events[::-1] if turned else events, every=every)
    assert run.report.events == ((pytest.approx(0.2, abs=1e-10), "x crosses 0.6"),)
    assert run.final["x"] == pytest.approx(0.6, abs=1e-9)


def test_events_can_watch_any_output() -> None:
    run = my.simulate(my.load_model("double_pendulum"), 3.0, until=my.rises_through_zero("tip.velocity_x"))
    assert run.report.status == "stopped by event"
    assert run.final["tip.velocity_x"] == pytest.approx(0.0, abs=1e-8)
    assert run.values("tip.velocity_x")[-2] < 0


def test_an_unknown_output_is_answered_with_the_nearest() -> None:
    with pytest.raises(my.ModelError, match=r"until: unknown output 'com\.velocity': did you mean 'com\.velocity_"):
        my.simulate(projectile(), 1.0, until=my.falls_through_zero("com.velocity"))


# ---- switches -----------------------------------------------------------------------------------------------


def pendulum() -> my.Model:
    rod = my.Body(mass=1.0, centre_of_mass=(0.0, -0.5, 0.0), inertia=1 / 12)
    return my.Model(
        name="held", gravity=(0.0, -G, 0.0), bodies={"rod": rod}, joints={"grip": my.pin("ground", "rod", "turn")}
    )


def flying() -> my.Model:
    rod = my.Body(mass=1.0, centre_of_mass=(0.0, -0.5, 0.0), inertia=1 / 12)
    return my.Model(
        name="let go",
        gravity=(0.0, -G, 0.0),
        bodies={"rod": rod},
        joints={"air": my.planar("ground", "rod", ("x", "y", "turn"))},
    )


@pytest.mark.parametrize(
    "scheme", [my.DOP853(), my.TRBDF2(relative=1e-9, absolute=1e-9), my.BDF(), my.RK4(step=0.005)], ids=repr
)
def test_a_pendulum_let_go_flies_on_with_its_speed(scheme: Any) -> None:
    """States keep their values by name; x and y are new and begin at rest at the pivot, where the rod is held."""
    start = {"turn": -1.2, "turn.speed": 0.0}
    run = my.simulate(pendulum(), 0.8, start=start, scheme=scheme, until=my.Switch(my.crosses("turn", 0.5), flying()))
    assert run.report.status == "completed"
    ((time, _),) = run.report.events
    row = int(np.searchsorted(run.time, time))
    for name in (
        "turn",
        "turn.speed",
        "com.position_x",
        "com.position_y",
        "com.velocity_x",
        "com.velocity_y",
        "energy.kinetic",
        "energy.potential",
        "momentum.angular_z",
    ):
        column = run.values(name)
        assert column[row + 1] == pytest.approx(column[row], abs=1e-9), name
    energy = run.values("energy.kinetic") + run.values("energy.potential")
    np.testing.assert_allclose(energy, energy[0], atol=1e-6)
    # In flight: steady rotation, and a parabola of the centre of mass.
    flight = run.slice(run.time[row + 1])
    since = flight.time - flight.time[0]
    np.testing.assert_allclose(flight.values("turn.speed"), flight.values("turn.speed")[0], atol=1e-7)
    expected = flight.values("com.position_y")[0] + flight.values("com.velocity_y")[0] * since - G / 2 * since**2
    np.testing.assert_allclose(flight.values("com.position_y"), expected, atol=1e-6)
    # A phase that does not have a column says so.
    assert np.isnan(run.values("x")[: row + 1]).all()
    assert np.isfinite(run.values("x")[row + 1 :]).all()
    assert np.isnan(run.values("grip.reaction_force_y")[row + 1 :]).all()
    assert np.all(np.diff(run.time) > 0)


def test_a_ball_bounces_by_carrying_its_speed_back() -> None:
    """Restitution 0.5: bounces at t1, 2 t1, 2.5 t1, 2.75 t1 ...: the same switch happens many times."""
    ball = projectile()
    bounce = my.Switch(
        my.falls_through_zero("y"), ball, carry=lambda before: {"y": 0.0, "y.speed": -0.5 * before["y.speed"]}
    )
    run = my.simulate(ball, 1.3, start={"y": 1.0}, until=bounce)
    first = np.sqrt(2 / G)
    expected = [first, 2 * first, 2.5 * first, 2.75 * first]
    np.testing.assert_allclose([time for time, _ in run.report.events][:4], expected, atol=1e-9)
    assert run.values("y").min() > -1e-9


def test_falling_into_another_medium_happens_once() -> None:
    """Nothing is carried: the stone sinks on through the level at which the switch happened."""
    water = projectile(gravity=2.0, name="sinking")
    run = my.simulate(projectile(), 1.0, start={"y": 1.0}, until=my.Switch(my.falls_through_zero("y"), water))
    assert len(run.report.events) == 1, run.report.events
    moment = np.sqrt(2 / G)
    rest = 1.0 - moment
    assert run.final["y"] == pytest.approx(-G * moment * rest - 1.0 * rest**2, abs=1e-9)


@pytest.mark.parametrize("level", [0.3, -0.2, 1e-3])
def test_switches_at_any_level_happen_once(level: float) -> None:
    for name, speed in (("x", 1.0), ("turn", -0.7)):
        start = {f"{name}.speed": speed, name: level - np.sign(speed) * 0.25}
        event = my.Switch(my.crosses(name, level), projectile(gravity=1.0))
        run = my.simulate(projectile(gravity=3.0), 1.0, start=start, until=event)
        assert len(run.report.events) == 1, run.report.events


def test_controls_may_belong_to_a_later_model() -> None:
    motor = {"motor": my.CoordinateActuator(coordinate="turn")}
    driven = my.Model(
        name="driven", gravity=(0.0, 0.0, 0.0), bodies=dict(flying().bodies), joints=dict(flying().joints), forces=motor
    )
    run = my.simulate(
        projectile(gravity=0.0),
        1.0,
        start={"turn.speed": 1.0},
        controls={"motor": 0.5},
        until=my.Switch(my.crosses("turn", 0.5), driven),
    )
    assert run.final["turn.speed"] > 1.5
    assert np.isnan(run.values("motor.control")[0])
    assert run.final["motor.control"] == 0.5
    with pytest.raises(my.ModelError, match="unknown control 'moter': did you mean 'motor'"):
        my.simulate(projectile(), 1.0, controls={"moter": 0.5}, until=my.Switch(my.crosses("turn", 0.5), driven))


def test_carry_may_not_invent_states() -> None:
    event = my.Switch(my.crosses("turn", 0.5), flying(), carry=lambda before: {"z": 1.0})
    with pytest.raises(my.ModelError, match="carry: unknown state 'z'"):
        my.simulate(pendulum(), 1.0, start={"turn.speed": 3.0}, until=event)


def test_a_switch_and_an_end_together() -> None:
    """Let go at 0.5 rad, over when the centre of mass has come down to a metre below the pivot."""
    events = [my.Switch(my.crosses("turn", 0.5), flying()), my.crosses("com.position_y", -1.0)]
    run = my.simulate(pendulum(), 3.0, start={"turn": -1.5}, until=events)
    assert run.report.status == "stopped by event"
    assert [name for _, name in run.report.events] == ["turn crosses 0.5", "com.position_y crosses -1"]
    assert run.final["com.position_y"] == pytest.approx(-1.0, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_a_kick_is_given_once(seed: int) -> None:
    """The kick leaves the watched angle where it is: rounding must not let it cross again."""
    level = float(np.random.default_rng(seed).uniform(0.0, 0.9))
    model = my.load_model("double_pendulum")
    kick = my.Switch(
        my.crosses("tip.position_x", level), model, carry=lambda before: {"angle2.speed": before["angle2.speed"] + 0.01}
    )
    run = my.simulate(model, 0.7, until=kick, every=0.05)
    times = [time for time, _ in run.report.events]
    assert times
    assert np.all(np.diff(times) > 1e-3), times


def test_a_switch_at_the_very_end_is_recorded() -> None:
    model = projectile(gravity=8.0)
    event = my.Switch(my.falls_through_zero("y.speed"), projectile(gravity=1.0), carry=lambda before: {"y.speed": 7.0})
    run = my.simulate(model, 0.5, start={"y.speed": 4.0}, until=event, every=0.125)
    assert len(run.report.events) == 1
    assert run.final["y.speed"] == 7.0
    assert run.report.status == "completed"


@pytest.mark.parametrize(
    "scheme", [my.DOP853(), my.RK4(step=0.013), my.RK4(step=1e-4), my.Midpoint(step=0.003), my.Adams()], ids=repr
)
@pytest.mark.parametrize("every", [0.5, 2.0, 3.7])
def test_the_first_crossing_counts_however_seldom_samples_are_kept(scheme: Any, every: float) -> None:
    """A pendulum crosses the bottom three times in four seconds; two samples in that time see none of them."""
    model, start, event = my.load_model("pendulum"), {"angle": 0.5}, my.falls_through_zero("angle")
    sparse = my.simulate(model, 4.0, start=start, scheme=scheme, until=event, every=every)
    fine = my.simulate(model, 4.0, start=start, scheme=scheme, until=event)
    assert sparse.time[-1] == pytest.approx(fine.time[-1], abs=1e-4)
    assert len(sparse) <= 3


def test_looking_for_events_does_not_change_equal_steps() -> None:
    model, start = my.load_model("pendulum"), {"angle": 0.5}
    for scheme in (my.RK4(step=0.003), my.Midpoint(step=0.0021)):
        free = my.simulate(model, 3.0, start=start, scheme=scheme, every=0.7)
        watched = my.simulate(model, 3.0, start=start, scheme=scheme, every=0.7, until=my.crosses("angle", 9.0))
        assert np.array_equal(free.time, watched.time)
        assert watched.report.steps == free.report.steps
        assert np.allclose(free.values("angle"), watched.values("angle"), rtol=0, atol=1e-12)


def bouncing(restitution: float, reset: bool) -> tuple[my.Model, my.Switch]:
    ball = my.Model(
        name="ball",
        bodies={"ball": my.Body(mass=1.0)},
        joints={"fall": my.slider("ground", "ball", "height", axis="y", default=1.0)},
    )

    def carry(before: Any) -> dict[str, float]:
        return {"height.speed": -restitution * before["height.speed"]} | ({"height": 0.0} if reset else {})

    return ball, my.Switch(my.falls_through_zero("height"), to=ball, carry=carry)


@pytest.mark.parametrize("reset", [True, False])
@pytest.mark.parametrize("restitution", [0.5, 0.8])
def test_no_bounce_is_missed_between_samples(restitution: float, reset: bool) -> None:
    """Bounces shorter than the time between samples count too: the ball never falls through the ground.

    They pile up at t0 (1 + e) / (1 - e), where the simulation cannot go on, and says so.
    """
    ball, bounce = bouncing(restitution, reset)
    with pytest.raises(my.SimulationError, match="'height falls through 0' recurs without end") as caught:
        my.simulate(ball, 20.0, until=bounce)
    run = caught.value.result
    first = np.sqrt(2 / 9.80665)
    assert run.time[-1] == pytest.approx(first * (1 + restitution) / (1 - restitution), abs=1e-7)
    assert run.values("height").min() > -1e-9
    gaps = np.diff([time for time, _ in run.report.events])[:20]
    assert gaps == pytest.approx(2 * first * restitution ** np.arange(1, len(gaps) + 1), rel=1e-5)


def test_a_contact_that_would_pull_at_once_lets_go_at_once() -> None:
    """A rod that lands leaning and is thrown round by the impact leaves the floor: its force never was positive."""
    rod = my.Model(
        name="rod",
        gravity=(0.0, -9.81, 0.0),
        bodies={"rod": my.Body(mass=1.0, centre_of_mass=(0.0, 0.5, 0.0), inertia=1 / 12)},
        joints={"base": my.planar("ground", "rod", ("x", "y", "lean"), y={"default": 1.5}, lean={"default": -0.6})},
        markers={"foot": my.Marker(body="rod")},
    )
    contact = my.PointConstraint(first=my.Marker(body="rod"), second=my.Marker(body="ground"), axes="y")
    standing = rod.with_parts(constraints={"contact": contact})
    switches = [
        my.Switch(my.falls_through_zero("foot.position_y"), to=standing),
        my.Switch(my.falls_through_zero("contact.force_y"), to=rod),
    ]
    run = my.simulate(my.equations_of(rod, compiled=False), 0.65, until=switches)
    assert [name for _, name in run.report.events[:2]] == [
        "foot.position_y falls through 0",
        "contact.force_y falls through 0",
    ]
    assert run.report.events[1][0] == pytest.approx(run.report.events[0][0], abs=1e-12)
    force = run.values("contact.force_y")
    assert np.sum(np.isfinite(force)) == 1
    assert force[np.isfinite(force)][0] < 0
    assert run.final["foot.position_y"] > 0
