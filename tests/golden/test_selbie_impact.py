"""Impact and release in Selbie 1989, section 3.2.3 and appendix D: a falling segment is caught at its lower end.

The rows of the acceptance table are 004-11 and 004-12. The angle is zero when the segment stands upright. The thesis
prints plus signs in section 3.2.3; those of its appendix D are right.
"""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.library.anthropometry import winter_segments

GRAVITY = 9.81
# The thesis does not print the segment: a thigh of Winter's table here, standing on its knee.
THIGH = winter_segments(75.0, 1.75)["thigh"]
M, R, I = THIGH.mass, THIGH.centre, THIGH.inertia
ABOUT_END = I + M * R**2


def segment(mass: float = M, distance: float = R, inertia: float = I) -> my.Model:
    """Return the free segment: three degrees of freedom, its end at (x, y)."""
    return my.Model(
        name="segment",
        gravity=(0.0, -GRAVITY, 0.0),
        bodies={"segment": my.Body(mass=mass, centre_of_mass=(0.0, distance, 0.0), inertia=inertia)},
        joints={"flight": my.planar("ground", "segment", ("x", "y", "q"))},
    )


def caught(model: my.Model) -> my.Model:
    """Return the segment with its end fixed at the origin."""
    end = my.PointConstraint(first=my.Marker(body="segment"), second=my.Marker(body="ground"), axes="xy")
    return model.with_parts(constraints={"hold": end})


def catching(model: my.Model, release: bool = False) -> list[my.Switch]:
    """Return the event that the falling end is caught at height zero, and that it is let go when it would be pulled."""
    events = [my.Switch(my.falls_through_zero("y"), to=caught(model))]
    if release:
        events.append(my.Switch(my.falls_through_zero("hold.force_y"), to=model))
    return events


def start_for(impact: dict[str, float], fall: float, distance: float = R) -> dict[str, float]:
    """Return the start from which a free flight of ``fall`` s leads the end to the origin with the state ``impact``.

    The centre of mass flies a parabola and the segment turns evenly, so that the flight can be run backwards.
    """
    q, spin = impact["q"], impact["q.speed"]
    arm = distance * np.array([-np.sin(q), np.cos(q)])
    velocity = np.array([impact["x.speed"], impact["y.speed"]]) + spin * np.array([-arm[1], arm[0]])
    centre = arm - velocity * fall + np.array([0.0, -GRAVITY]) * fall**2 / 2
    velocity = velocity - np.array([0.0, -GRAVITY]) * fall
    q = q - spin * fall
    arm = distance * np.array([-np.sin(q), np.cos(q)])
    (x, y), (vx, vy) = centre - arm, velocity - spin * np.array([-arm[1], arm[0]])
    return {"x": x, "y": y, "q": q, "x.speed": vx, "y.speed": vy, "q.speed": spin}


def around_impact(run: my.Result, number: int = 0) -> tuple[dict[str, float], dict[str, float]]:
    """Return the states just before and just after an event."""
    before = int(np.searchsorted(run.time, run.report.events[number][0]))
    assert run.time[before] == run.report.events[number][0]
    names = ("x", "y", "q", "x.speed", "y.speed", "q.speed")
    return tuple({name: run.values(name)[row] for name in names} for row in (before, before + 1))  # type: ignore[return-value]


def momentum_about_end(state: dict[str, float]) -> float:
    """Return H_A of appendix D."""
    q = state["q"]
    return ABOUT_END * state["q.speed"] - M * R * (state["x.speed"] * np.cos(q) + state["y.speed"] * np.sin(q))


IMPACTS = [
    # At rest before the fall, as in figures 3-5 and 3-6, and then any motion.
    *[
        ({"q": q, "q.speed": 0.0, "x.speed": 0.0, "y.speed": -GRAVITY * fall}, fall)
        for fall in (0.25, 0.5)
        for q in (0.2, -0.9, 2.0)
    ],
    ({"q": 0.4, "q.speed": -3.0, "x.speed": 2.5, "y.speed": -1.5}, 0.25),
    ({"q": -1.2, "q.speed": 5.0, "x.speed": -1.0, "y.speed": -6.0}, 0.5),
]


@pytest.mark.parametrize("impact, fall", IMPACTS)
def test_004_11_angular_momentum_about_the_contact_is_conserved(impact: dict[str, float], fall: float) -> None:
    """004-11: H+ = H-, and the angular velocity after the impact by the formula of appendix D."""
    model = segment()
    run = my.simulate(model, fall + 0.01, start=start_for(impact, fall), until=catching(model))
    assert [event[0] for event in run.report.events] == pytest.approx([fall], abs=1e-10)
    before, after = around_impact(run)
    assert before == pytest.approx({"x": 0.0, "y": 0.0, **impact}, abs=1e-8)
    assert (after["x.speed"], after["y.speed"]) == pytest.approx((0.0, 0.0), abs=1e-10)
    assert (after["x"], after["y"], after["q"]) == pytest.approx((0.0, 0.0, impact["q"]), abs=1e-9)
    assert momentum_about_end(after) == pytest.approx(momentum_about_end(before), rel=1e-9, abs=1e-10)
    q = impact["q"]
    push = impact["x.speed"] * np.cos(q) + impact["y.speed"] * np.sin(q)
    assert after["q.speed"] == pytest.approx(impact["q.speed"] - M * R / ABOUT_END * push, rel=1e-8)


@pytest.mark.parametrize("impact, fall", IMPACTS)
def test_impact_loses_the_energy_that_the_formula_says(impact: dict[str, float], fall: float) -> None:
    """The impulse stops the end: what it takes is half its product with the velocity that it stops."""
    model = segment()
    run = my.simulate(model, fall + 0.01, start=start_for(impact, fall), until=catching(model))
    before, _ = around_impact(run)
    row = int(np.searchsorted(run.time, run.report.events[0][0]))
    kinetic = run.values("energy.kinetic")[row : row + 2]
    impulse = [
        run.values(f"momentum.linear_{axis}")[row + 1] - run.values(f"momentum.linear_{axis}")[row] for axis in "xy"
    ]
    lost = -(impulse[0] * before["x.speed"] + impulse[1] * before["y.speed"]) / 2
    assert kinetic[0] - kinetic[1] == pytest.approx(lost, rel=1e-8, abs=1e-10)
    assert lost > 0


def held_motion(run: my.Result) -> tuple[np.ndarray, ...]:
    """Return q, its rate and the two forces while the end is held."""
    held = np.isfinite(run.values("hold.force_y"))
    return tuple(run.values(name)[held] for name in ("q", "q.speed", "hold.force_x", "hold.force_y"))


@pytest.mark.parametrize("fall", [0.25, 0.5])
def test_004_12_constraint_force_is_that_of_a_pendulum_and_does_not_let_go(fall: float) -> None:
    """004-12, figures 3-5 and 3-6: after 0.25 s and 0.5 s of falling the vertical force stays above zero."""
    model = segment()
    impact = {"q": 0.2, "q.speed": 0.0, "x.speed": 0.0, "y.speed": -GRAVITY * fall}
    run = my.simulate(model, fall + 2.0, start=start_for(impact, fall), until=catching(model, release=True))
    assert run.report.status == "completed"
    assert [name for _, name in run.report.events] == ["y falls through 0"]
    q, v, force_x, force_y = held_motion(run)
    assert np.ptp(q) > 2 * np.pi, "a whole turn and more"
    acceleration = M * GRAVITY * R * np.sin(q) / ABOUT_END
    np.testing.assert_allclose(force_x, -M * R * (acceleration * np.cos(q) - v**2 * np.sin(q)), atol=1e-6)
    np.testing.assert_allclose(force_y, M * GRAVITY - M * R * (acceleration * np.sin(q) + v**2 * np.cos(q)), atol=1e-6)
    assert np.min(force_y) > 0
    assert run.report.drift["hold.drift"] < 1e-9
    assert run.report.energy_error is not None
    assert run.report.energy_error < 1e-7


def test_004_12_end_is_let_go_when_it_would_be_pulled() -> None:
    """004-12 the other way: a thin rod that turns faster is let go where the pendulum's vertical force falls to zero.

    With a = m r²/(I + m r²), c = cos q and the energy of a pendulum the force is m g (1 - a + 3 a c² - 2 a k c), where
    k = cos q0 + qd0² r / (2 a g).
    """
    mass, distance, inertia = 1.0, 0.5, 1 / 12
    model = segment(mass, distance, inertia)
    start = {"q": 0.3, "q.speed": 2.0}
    release = my.Switch(my.falls_through_zero("hold.force_y"), to=model)
    run = my.simulate(caught(model), 1.0, start=start, until=release, every=0.002)
    assert [name for _, name in run.report.events] == ["hold.force_y falls through 0"]
    share = mass * distance**2 / (inertia + mass * distance**2)
    k = np.cos(start["q"]) + start["q.speed"] ** 2 * distance / (2 * share * GRAVITY)
    roots = np.roots([3 * share, -2 * share * k, 1 - share])
    held, gone = around_impact(run)
    assert np.cos(held["q"]) == pytest.approx(max(roots.real), abs=1e-8)
    assert gone == pytest.approx(held, abs=1e-12), "nothing jumps when a constraint is lifted"
    flying = run.time > run.report.events[0][0]
    assert np.all(np.isnan(run.values("hold.force_y")[flying]))
    late = run.time[flying] - run.report.events[0][0]
    height, speed = run.values("com.position_y")[flying], run.values("com.velocity_y")[flying]
    np.testing.assert_allclose(height, height[0] + speed[0] * late - GRAVITY * late**2 / 2, atol=1e-9)
    np.testing.assert_allclose(run.values("q.speed")[flying], held["q.speed"], rtol=1e-9)


def test_what_is_kept_at_zero_does_not_make_events() -> None:
    """Rounding takes the held end across zero many times; it is caught once."""
    model = segment()
    impact = {"q": 0.7, "q.speed": 1.0, "x.speed": 0.5, "y.speed": -2.0}
    run = my.simulate(model, 5.0, start=start_for(impact, 0.25), until=catching(model), every=0.001)
    assert len(run.report.events) == 1
    (note,) = run.report.notes
    assert note.startswith("at 0.25 s the state was moved onto the constraints")


def test_bounce_leads_to_the_same_model() -> None:
    """A switch that carries the state over by a rule is an event, though the model stays the same."""
    model = segment()
    bounce = my.Switch(my.falls_through_zero("y"), to=model, carry=lambda state: {"y.speed": -state["y.speed"]})
    run = my.simulate(model, 2.2, start={"y": GRAVITY / 2, "q": np.pi}, until=bounce)
    assert [moment for moment, _ in run.report.events] == pytest.approx([1.0], abs=1e-9)
    assert run.final["y"] == pytest.approx(GRAVITY * (1.2 - 1.2**2 / 2), abs=1e-8)
