"""An arc that rolls on the ground: the curved foot of Selbie 1989 alone, its impact, and when it lets go."""

from __future__ import annotations

import math

import casadi as ca
import numpy as np
import pytest

import myodyne as my
from myodyne.model import Axis, Joint, Placement
from myodyne.simulate.constrained import consistent_state

FINE = my.DOP853(relative=1e-12, absolute=1e-12)
GRAVITY = 9.81
# A foot of radius R whose centre of mass lies r below the centre of its arc; mass m, moment of inertia I about the
# centre of mass. The thesis prints no numbers: these are ours.
R, LITTLE_R, MASS, INERTIA = 0.3, 0.21, 1.1, 0.009
# Ratios of friction are rounded off over a millionth of a newton of the tangential force.
ROUNDED = 1e-6 / 5.0


def interpreted(model: my.Model) -> my.Equations:
    return my.equations_of(model, compiled=False)


def foot(below: float = LITTLE_R, **constraint: object) -> my.Model:
    """Return the foot alone, its origin in the centre of the arc; ``q`` counts counter-clockwise."""
    options = {"body": "foot", "radius": R} | constraint
    return flying(below).with_parts(constraints={"roll": my.RollingConstraint(**options)})


def flying(below: float = LITTLE_R) -> my.Model:
    return my.Model(
        name="foot",
        gravity=(0.0, -GRAVITY, 0.0),
        bodies={"foot": my.Body(mass=MASS, centre_of_mass=(0.0, -below, 0.0), inertia=INERTIA)},
        joints={"float": my.planar("ground", "foot", ("x", "y", "q"))},
    )


def rocking(duration: float, below: float = LITTLE_R, **start: float) -> my.Result:
    """Return the motion of the foot from a turn and a speed, the contact starting at 0."""
    begin = {"q": 0.0, "q_speed": 0.0} | start
    state = {"x": -R * begin["q"], "y": R, "q": begin["q"], "q.speed": begin["q_speed"]}
    return my.simulate(
        interpreted(foot(below)), duration, start=state | {"x.speed": -R * begin["q_speed"]}, scheme=FINE
    )


def lagrange(turn: np.ndarray, speed: np.ndarray, below: float) -> np.ndarray:
    """Return the acceleration of the rolling foot from its Lagrangian, differentiated by a machine."""
    q, w = ca.SX.sym("q"), ca.SX.sym("w")
    x, y = -R * q + below * ca.sin(q), R - below * ca.cos(q)
    vx, vy = ca.jacobian(x, q) * w, ca.jacobian(y, q) * w
    lagrangian = (INERTIA * w**2 + MASS * (vx**2 + vy**2)) / 2 - MASS * GRAVITY * y
    momentum = ca.jacobian(lagrangian, w)
    force = ca.jacobian(lagrangian, q) - ca.jacobian(momentum, q) * w
    return np.array(ca.Function("a", [q, w], [force / ca.jacobian(momentum, w)])(turn, speed)).ravel()


def test_004_17_a_rolling_foot_obeys_the_corrected_equation() -> None:
    """004-17, App. G: with + m R r q'² sin q, as a Lagrangian gives it; the equation as printed is off by per cents."""
    run = rocking(2.0, q_speed=1.0)
    q, w, a = (run.values(name) for name in ("q", "q.speed", "q.acceleration"))
    inertia = INERTIA + MASS * (R**2 + LITTLE_R**2 - 2 * LITTLE_R * R * np.cos(q))
    printed = inertia * a + MASS * GRAVITY * LITTLE_R * np.sin(q)
    missing = MASS * R * LITTLE_R * w**2 * np.sin(q)
    np.testing.assert_allclose(printed + missing, 0.0, atol=1e-12)
    np.testing.assert_allclose(a, lagrange(q, w, LITTLE_R), atol=1e-11)
    assert np.max(np.abs(printed)) > 1e-3


def test_004_17_a_foot_with_its_mass_below_the_centre_of_the_arc_rocks() -> None:
    """004-17, Fig. 3-13: set off at 1 1/s it turns as far back as forth, again and again, and keeps its energy."""
    run = rocking(3.0, q_speed=1.0)
    q = run.values("q")
    assert np.sum(np.diff(np.sign(q[1:])) != 0) > 8
    # At the ends all kinetic energy has become height of the centre of mass.
    lift = (INERTIA + MASS * (R - LITTLE_R) ** 2) / (2 * MASS * GRAVITY * LITTLE_R)
    assert np.max(q) == pytest.approx(math.acos(1 - lift), rel=2e-3)
    assert np.min(q) == pytest.approx(-np.max(q), rel=2e-3)
    assert run.report.energy_error < 1e-11
    assert max(run.report.drift.values()) < 1e-11
    assert np.max(np.abs(run.values("roll.power"))) < 1e-12


def test_a_foot_with_its_mass_above_the_centre_falls_over() -> None:
    run = rocking(1.6, below=-0.1, q_speed=0.2)
    assert np.all(np.diff(run.values("q")) > 0)
    assert run.values("q")[-1] > 1.0


def test_004_17_period_of_small_rocking() -> None:
    """004-17: T = 2π √((I + m (R - r)²) / (m g r)); the amplitude adds of the order of its square."""
    period = 2 * math.pi * math.sqrt((INERTIA + MASS * (R - LITTLE_R) ** 2) / (MASS * GRAVITY * LITTLE_R))
    start = {"x": -R * 2e-4, "y": R, "q": 2e-4}
    run = my.simulate(interpreted(foot()), period, start=start, scheme=FINE, until=my.falls_through_zero("q"))
    assert 4 * run.time[-1] == pytest.approx(period, rel=1e-7)


def test_contact_forces_and_ankle_are_those_of_newton() -> None:
    """The contact travels by -R Δq, and the ground's force is mass times (acceleration + g) of the centre of mass."""
    run = rocking(1.0, q=0.4, q_speed=2.0)
    q, w, a = (run.values(name) for name in ("q", "q.speed", "q.acceleration"))
    np.testing.assert_allclose(run.values("roll.contact_x"), -R * q, atol=1e-11)
    np.testing.assert_allclose(run.values("roll.contact_y"), 0.0, atol=1e-15)
    up = LITTLE_R * (a * np.sin(q) + w**2 * np.cos(q))
    forward = -R * a + LITTLE_R * (a * np.cos(q) - w**2 * np.sin(q))
    np.testing.assert_allclose(run.values("roll.normal_force"), MASS * (GRAVITY + up), atol=1e-9)
    np.testing.assert_allclose(run.values("roll.tangential_force"), MASS * forward, atol=1e-9)
    np.testing.assert_allclose(run.values("roll.force_x"), MASS * forward, atol=1e-9)
    ratio = np.abs(forward) / (GRAVITY + up)
    np.testing.assert_allclose(run.values("roll.friction_ratio"), ratio, atol=ROUNDED)
    # The joint that floats carries nothing: ground and gravity do all.
    for name in ("reaction_force_x", "reaction_force_y", "reaction_moment_z"):
        np.testing.assert_allclose(run.values(f"float.{name}"), 0.0, atol=1e-9)


def test_a_cylinder_on_an_incline_counts_its_turns() -> None:
    """a = g sin α / (1 + I / m R²), the friction ratio is tan α / (1 + m R² / I), and nothing drifts over ten turns."""
    slope = 0.3
    normal = (-math.sin(slope), math.cos(slope), 0.0)
    model = foot(below=0.0, normal=normal, level=0.05)
    centre = [n * (R + 0.05) for n in normal]
    run = my.simulate(interpreted(model), 5.0, start={"x": centre[0], "y": centre[1]}, scheme=FINE)
    slide = GRAVITY * math.sin(slope) / (1 + INERTIA / (MASS * R**2))
    travelled = slide * run.time**2 / 2
    np.testing.assert_allclose(run.values("q"), travelled / R, atol=1e-9)
    np.testing.assert_allclose(run.values("x"), centre[0] - travelled * math.cos(slope), atol=1e-9)
    assert run.values("q")[-1] > 10 * 2 * math.pi
    wanted = math.tan(slope) / (1 + MASS * R**2 / INERTIA)
    np.testing.assert_allclose(run.values("roll.friction_ratio"), wanted, atol=ROUNDED)
    assert max(run.report.drift.values()) < 1e-9


def leg(turned: bool) -> my.Model:
    """Return a foot below a shank below a floating point; turned, joint frames look the other way (q counts -z)."""
    over = (0.0, math.pi, 0.0) if turned else (0.0, 0.0, 0.0)
    placed = [
        Placement(body=body, at=at, orientation=over)
        for body, at in (("shank", (0.0, -0.4, 0.0)), ("foot", (0.0, 0.0, 0.0)))
    ]
    ankle = Joint(
        parent=placed[0],
        child=placed[1],
        coordinates={"ankle": {}},
        axes=(Axis(motion="rotation", direction="z", function="ankle"),),
    )
    bodies = {
        "shank": my.Body(mass=3.0, centre_of_mass=(0.0, -0.2, 0.0), inertia=0.05),
        "foot": my.Body(mass=1.0, centre_of_mass=(0.03, -0.02, 0.0), inertia=0.01),
    }
    joints = {"knee": my.planar("ground", "shank", ("x", "y", "q")), "ankle": ankle}
    arc = my.RollingConstraint(body="foot", at=(0.04, 0.2, 0.0), radius=0.25, anchor=0.1)
    return my.Model(name="leg", bodies=bodies, joints=joints, constraints={"roll": arc})


def test_an_arc_rolls_whatever_the_joints_before_it() -> None:
    """Joint frames that look backwards change the sign of the ankle's angle and nothing else."""
    one, other = (interpreted(leg(turned)) for turned in (False, True))
    start = {"q": 0.2, "ankle": -0.3, "q.speed": 0.5, "ankle.speed": 1.0}
    first = my.simulate(one, 0.4, start=start, scheme=FINE)
    mirrored = start | {"ankle": 0.3, "ankle.speed": -1.0}
    second = my.simulate(other, 0.4, start=mirrored, scheme=FINE)
    for name in ("q", "x", "roll.normal_force", "roll.contact_x", "ankle.reaction_force_y"):
        np.testing.assert_allclose(second.values(name), first.values(name), atol=1e-8)
    np.testing.assert_allclose(second.values("ankle"), -first.values("ankle"), atol=1e-9)
    assert first.report.energy_error < 1e-10
    # Where the turns are zero the contact lies at the anchor.
    turn = first.values("q") + first.values("ankle")
    np.testing.assert_allclose(first.values("roll.contact_x"), 0.1 - 0.25 * turn, atol=1e-9)


# Impacts: App. D. The segment stands on its reference point A, its centre of mass r above; q counts counter-clockwise.
ROD_MASS, ROD_R, ROD_INERTIA = 2.0, 0.3, 0.3


def rod(held: bool, inertia: float = ROD_INERTIA) -> my.Model:
    body = my.Body(mass=ROD_MASS, centre_of_mass=(0.0, ROD_R, 0.0), inertia=inertia)
    hold = my.PointConstraint(first=my.Marker(body="rod"), second=my.Marker(body="ground"), axes="xy")
    return my.Model(
        name="rod",
        gravity=(0.0, -GRAVITY, 0.0),
        bodies={"rod": body},
        joints={"float": my.planar("ground", "rod", ("x", "y", "q"))},
        constraints={"hold": hold} if held else {},
    )


def test_004_11_speed_after_an_impact() -> None:
    """004-11, App. D: q'+ = q'- - m r (x' cos q + y' sin q) / (I + m r²): with minus, as printed there, not in 3.2.3."""
    equations = interpreted(rod(held=True))
    random = np.random.default_rng(11)
    for q, x_speed, y_speed, q_speed in random.uniform(-2.0, 2.0, (20, 4)):
        before = equations.state({"q": q, "x.speed": x_speed, "y.speed": y_speed, "q.speed": q_speed})
        after, _ = consistent_state(equations, before)
        about = ROD_INERTIA + ROD_MASS * ROD_R**2
        wanted = q_speed - ROD_MASS * ROD_R / about * (x_speed * math.cos(q) + y_speed * math.sin(q))
        np.testing.assert_allclose(after[3:6], [0.0, 0.0, wanted], atol=1e-11)


def angular_momentum(about: tuple[float, float], row: dict[str, float], below: float) -> float:
    """Return the angular momentum of the foot about a point of the ground, from positions and speeds."""
    q, w = row["q"], row["q.speed"]
    x, y = row["x"] + below * math.sin(q) - about[0], row["y"] - below * math.cos(q) - about[1]
    vx, vy = row["x.speed"] + below * w * math.cos(q), row["y.speed"] + below * w * math.sin(q)
    return INERTIA * w + MASS * (x * vy - y * vx)


def test_004_11_touch_down_of_an_arc_keeps_the_angular_momentum_about_the_contact() -> None:
    """004-11 with a rolling foot: all that the ground's impulse leaves alone is the turn about the contact."""
    before = {"x": 1.3, "y": R, "q": 0.35, "x.speed": 2.0, "y.speed": -1.4, "q.speed": -3.0}
    equations = interpreted(foot(anchor=1.3 + R * 0.35))
    state, note = consistent_state(equations, equations.state(before))
    after = dict(zip(equations.motion, state, strict=True))
    assert "speeds" in note
    for name in ("x", "y", "q"):
        assert after[name] == pytest.approx(before[name], abs=1e-12)
    assert after["y.speed"] == pytest.approx(0.0, abs=1e-11)
    assert after["x.speed"] == pytest.approx(-R * after["q.speed"], abs=1e-11)
    contact = (1.3, 0.0)
    kept = angular_momentum(contact, before, LITTLE_R)
    assert angular_momentum(contact, after, LITTLE_R) == pytest.approx(kept, rel=1e-11)


def dropped(falling: float, inertia: float) -> my.Result:
    """Return a segment that falls for a time (s), is then held at A, and stops where it would have to be pulled."""
    switch = my.Switch(my.falls_through_zero("y"), to=rod(True, inertia))
    start = {"q": 0.5, "y": GRAVITY * falling**2 / 2}
    until = [switch, my.falls_through_zero("hold.force_y")]
    return my.simulate(interpreted(rod(False, inertia)), falling + 0.6, start=start, scheme=FINE, until=until)


@pytest.mark.parametrize("falling", [0.25, 0.5])
def test_004_12_a_segment_held_after_a_fall_is_pushed_up_all_the_time(falling: float) -> None:
    """004-12, Figs. 3-5 and 3-6: held after falling, it turns over, and the ground never has to pull.

    Segment and start are not printed: here a stocky one, 0.5 rad from upright, at rest.
    """
    run = dropped(falling, ROD_INERTIA)
    assert [time for time, _ in run.report.events] == [pytest.approx(falling, abs=1e-9)]
    held = run.time > falling + 1e-9
    q, w = run.values("q")[held], run.values("q.speed")[held]
    about = ROD_INERTIA + ROD_MASS * ROD_R**2
    first = ROD_MASS * ROD_R * math.sin(0.5) / about * GRAVITY * falling
    energy = about * w**2 / 2 + ROD_MASS * GRAVITY * ROD_R * np.cos(q)
    np.testing.assert_allclose(energy, about * first**2 / 2 + ROD_MASS * GRAVITY * ROD_R * math.cos(0.5), rtol=1e-9)
    assert np.min(run.values("hold.force_y")[held]) > 0


def test_a_slender_segment_is_released_after_a_fall() -> None:
    """A thin rod carries its weight down to nothing at cos q = 1/3 from rest; set off by an impact it lets go."""
    run = dropped(0.5, ROD_MASS * ROD_R**2 / 3)
    assert [name for _, name in run.report.events] == ["y falls through 0", "hold.force_y falls through 0"]
    assert run.values("hold.force_y")[-1] == pytest.approx(0.0, abs=1e-6)


def test_a_fast_wheel_lets_go_when_the_ground_would_pull_and_flies() -> None:
    """With m r ω² above m g the mass that comes up lifts the arc; then its centre of mass falls freely."""
    letting_go = my.Switch(my.falls_through_zero("roll.normal_force"), to=flying())
    speed = 8.0 * math.sqrt(GRAVITY / LITTLE_R)
    start = {"x": 0.0, "y": R, "q.speed": speed, "x.speed": -R * speed}
    run = my.simulate(interpreted(foot()), 0.6, start=start, scheme=FINE, until=letting_go)
    ((left, _),) = run.report.events
    after = run.time > left + 1e-6
    height, time = run.values("com.position_y")[after], run.time[after] - left
    rise = np.polyfit(time, height, 2)
    assert rise[0] == pytest.approx(-GRAVITY / 2, rel=1e-6)
    turning = run.values("q.speed")[after]
    np.testing.assert_allclose(turning, turning[0], rtol=1e-9)


def test_slip_is_an_event() -> None:
    """The simulation stops where the ratio of forces passes the coefficient of friction."""
    free = rocking(0.5, q_speed=3.0)
    most = float(np.max(free.values("roll.friction_ratio")))
    start = {"x": 0.0, "y": R, "q.speed": 3.0, "x.speed": -3.0 * R}
    until = my.crosses("roll.friction_ratio", 0.6 * most)
    run = my.simulate(interpreted(foot()), 0.5, start=start, scheme=FINE, until=until)
    assert run.time[-1] < 0.5
    last = {name: float(run.values(f"roll.{name}")[-1]) for name in ("normal_force", "tangential_force")}
    assert abs(last["tangential_force"]) == pytest.approx(0.6 * most * last["normal_force"], rel=1e-6)


def test_what_cannot_roll_is_refused() -> None:
    tumbling = my.Model(
        name="tumbling",
        bodies={"foot": my.Body(mass=1.0, inertia=0.01)},
        joints={"float": my.free("ground", "foot", ("x", "y", "z", "a", "b", "c"))},
        constraints={"roll": my.RollingConstraint(body="foot", radius=0.2)},
    )
    with pytest.raises(my.ModelError, match="joint 'float' lets it slide along"):
        interpreted(tumbling).multipliers  # noqa: B018
    ball = tumbling.with_parts(joints={"float": my.ball("ground", "foot", ("a", "b", "c"))})
    with pytest.raises(my.ModelError, match="turn about another axis than"):
        interpreted(ball).multipliers  # noqa: B018
    with pytest.raises(my.ModelError, match="must lie in the plane"):
        my.RollingConstraint(body="foot", radius=0.2, axis="y")
    with pytest.raises(my.ModelError, match="cannot roll on itself"):
        foot(body="ground")
    with pytest.raises(my.ModelError, match="foot"):
        foot(body="foto")
    with pytest.raises(my.ModelError, match="radius"):
        foot(radius=-0.1)


def test_a_locked_turn_is_no_tilt() -> None:
    """A foot set obliquely and locked so rolls like any other: only its mass matters."""
    axes = [
        Axis(motion="translation", direction="x", function="x"),
        Axis(motion="translation", direction="y", function="y"),
        Axis(motion="rotation", direction="y", function="toe_out"),
        Axis(motion="rotation", direction="z", function="q"),
    ]
    coordinates = {"x": {}, "y": {}, "toe_out": {"default": 0.2, "locked": True}, "q": {}}
    joint = Joint(
        parent=Placement(body="ground"), child=Placement(body="foot"), coordinates=coordinates, axes=tuple(axes)
    )
    oblique = foot().with_parts(joints={"float": joint})
    with pytest.raises(my.ModelError, match="turn about another axis than"):
        interpreted(oblique).multipliers  # noqa: B018
    swapped = joint.model_copy(update={"axes": (*axes[:2], axes[3], axes[2])})
    run = my.simulate(
        interpreted(foot().with_parts(joints={"float": swapped})),
        0.5,
        start={"x": 0.0, "y": R, "q.speed": 1.0, "x.speed": -R},
        scheme=FINE,
    )
    np.testing.assert_allclose(run.values("q"), rocking(0.5, q_speed=1.0).values("q"), atol=1e-10)
