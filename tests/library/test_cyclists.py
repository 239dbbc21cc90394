"""Built-in models with kept constraints: closed at the start, right in motion, and clear about what cannot be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.errors import ModelError, SolveError
from myodyne.library.generators import (
    cyclist_one_crank,
    cyclist_one_leg,
    cyclist_two_cranks,
    five_bar,
    four_bar,
    sliding_blocks,
    three_segment_balance,
)
from myodyne.library.linkages import two_bars

CYCLISTS = (cyclist_one_leg, cyclist_two_cranks, cyclist_one_crank)
CONSTRAINED = (*CYCLISTS, sliding_blocks, three_segment_balance, four_bar, five_bar)
GRAVITY = 9.81


def interpreted(model: my.Model) -> my.Equations:
    return my.equations_of(model, compiled=False)


def default_errors(model: my.Model) -> tuple[Any, Any, Any]:
    eq = interpreted(model)
    x, size = eq.state(), len(eq.coordinates)
    return eq.constraint_errors(x[:size], x[size:])


# ---- all of them ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", CONSTRAINED)
def test_defaults_obey_the_constraints(make: Any) -> None:
    """The start of a file needs no correction; twelve digits are written."""
    position, speed, jacobian = default_errors(make())
    assert np.max(np.abs(position)) < 5e-11
    assert np.max(np.abs(speed)) < 5e-10
    assert np.linalg.matrix_rank(jacobian) == len(jacobian), "no constraint repeats another"


@pytest.mark.parametrize("make", CONSTRAINED)
def test_motion_from_the_defaults(make: Any) -> None:
    """Without any control: energy in balance, next to no drift, no correction of the start. A limp ankle gives way."""
    model = make()
    run = my.simulate(model, 0.1, scheme=my.DOP853(relative=1e-11, absolute=1e-11), every=0.0002)
    assert all(note.startswith("'ankle") and "leaves its range" in note for note in run.report.notes)
    assert run.report.energy_error is not None
    assert run.report.energy_error < 1e-8
    assert set(run.report.drift) == {f"{n}.{what}" for n in model.constraints for what in ("drift", "drift_speed")}
    assert max(run.report.drift.values()) < 1e-9


# ---- cyclists -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", CYCLISTS)
@pytest.mark.parametrize("body", [(75.0, 1.75), (52.5, 1.58), (101.0, 1.96)])
def test_cyclists_of_all_sizes_can_turn_the_crank(make: Any, body: tuple[float, float]) -> None:
    mass, height = body
    model = make(mass=mass, height=height)
    position, speed, _ = default_errors(model)
    assert max(np.max(np.abs(position)), np.max(np.abs(speed))) < 5e-10
    cranks = sum(part.mass for name, part in model.bodies.items() if name.startswith("crank"))
    leg = mass * (0.0145 + 0.0465 + 0.1)
    assert model.mass - cranks == pytest.approx(mass - leg if make is cyclist_one_leg else mass, rel=1e-11)
    # The farthest pedal is one height of the hip away, less than the length of the stretched leg.
    hip = np.linalg.norm(model.constraints["saddle"].second.at)
    assert hip + 0.17 == pytest.approx(0.53 * height, rel=1e-11)
    side = "" if make is cyclist_one_leg else "_r"
    stretched = sum(np.linalg.norm(model.joints[f"{name}{side}"].parent.at) for name in ("ankle", "knee", "hip"))
    assert hip + 0.17 < 0.95 * stretched


@pytest.mark.parametrize("make", CYCLISTS)
def test_who_is_too_small_for_the_crank_is_reported_why(make: Any) -> None:
    with pytest.raises(ModelError, match=r"1\.1 m cannot turn a crank of 0\.17 m: the knee would have to bend"):
        make(mass=20.0, height=1.1)
    with pytest.raises(ModelError, match="centimetres"):
        make(height=175)


def test_000_14_hip_stands_where_the_paper_has_it() -> None:
    """With the stature of 1.871 m the hip of Casius et al. 2004 comes out, (-0.14270024, 0.80929327) m."""
    height = (np.hypot(0.14270024, 0.80929327) + 0.17) / 0.53
    saddle = cyclist_one_leg(height=float(height)).constraints["saddle"].second.at
    assert saddle == pytest.approx((-0.14270024, 0.80929327, 0.0), abs=1e-12)
    assert height == pytest.approx(1.871, abs=1e-3)


def test_start_of_the_legs() -> None:
    """Right pedal up, left pedal down, opposite on the crank; both soles alike; the hip in one place."""
    run = my.simulate(cyclist_two_cranks(), 0.001)
    row = {name: run.values(name)[0] for name in run.names}
    assert (row["ball_of_foot_r.position_x"], row["ball_of_foot_r.position_y"]) == pytest.approx((0.0, 0.17), abs=1e-9)
    assert (row["ball_of_foot_l.position_x"], row["ball_of_foot_l.position_y"]) == pytest.approx((0.0, -0.17), abs=1e-9)
    for axis in "xy":
        # Opposite ends of a crank that turns.
        assert row[f"ball_of_foot_r.velocity_{axis}"] == pytest.approx(
            -row[f"ball_of_foot_l.velocity_{axis}"], abs=1e-8
        )
        assert row[f"hip_centre.velocity_{axis}"] == pytest.approx(0.0, abs=1e-8)
    assert row["ball_of_foot_r.velocity_x"] == pytest.approx(4 * np.pi * 0.17), "clockwise: forward when up"
    for side, knee in (("r", 116), ("l", 45)):
        assert np.degrees(row[f"knee_{side}"]) == pytest.approx(-knee, abs=1.0)
        lower = row[f"ankle_centre_{side}.position_y"] - row[f"ball_of_foot_{side}.position_y"]
        ahead = row[f"ball_of_foot_{side}.position_x"] - row[f"ankle_centre_{side}.position_x"]
        assert lower > 0 and ahead > 0, "the heel is behind and above the pedal"
        assert row[f"knee_centre_{side}.position_x"] > row[f"ankle_centre_{side}.position_x"], "knees point forward"


def test_two_cranks_and_one_crank_are_the_same_machine() -> None:
    """Two arms that a constraint keeps opposite move as one crank with both pedals, and need the same moment."""
    controls = {
        f"{name}_{side}_motor": value
        for name, value in (("ankle", -8.0), ("knee", 20.0), ("hip", -12.0))
        for side in "rl"
    }
    scheme = my.DOP853(relative=1e-12, absolute=1e-12)
    for constraint in ((), ("drive",)):
        one, two = (
            my.simulate(make().without(*constraint), 0.1, controls=controls, scheme=scheme, every=0.001)
            for make in (cyclist_one_crank, cyclist_two_cranks)
        )
        for name in ("ankle_r", "knee_r", "hip_r", "ankle_l", "knee_l", "hip_l", "pedal_r"):
            assert one.values(name) == pytest.approx(two.values(name), abs=1e-8), name
        assert one.values("crank") == pytest.approx(two.values("crank_r"), abs=1e-8)
        for axis in "xy":
            assert one.values(f"saddle.force_{axis}") == pytest.approx(two.values(f"saddle.force_{axis}"), abs=1e-4)
        if not constraint:
            assert one.values("drive.torque") == pytest.approx(two.values("drive.torque"), abs=1e-5)


def test_crank_without_drive_keeps_its_energy() -> None:
    """Freewheeling, without motors or friction: the sum of all energy stays, though the crank speeds up and down."""
    run = my.simulate(
        cyclist_one_crank().without("drive"), 0.3, scheme=my.DOP853(relative=1e-11, absolute=1e-11), every=0.001
    )
    total = run.values("energy.kinetic") + run.values("energy.potential")
    assert np.ptp(total) < 1e-7 * np.ptp(run.values("energy.kinetic"))
    assert np.ptp(run.values("crank.speed")) > 1.0


def test_resistance_slows_the_crank() -> None:
    """A damper on the free crank takes exactly the energy that is lost."""
    brake = my.TorsionSpring(coordinate="crank", damping=1.5)
    model = cyclist_one_crank().without("drive").with_parts(forces={"brake": brake})
    run = my.simulate(model, 0.3, scheme=my.DOP853(relative=1e-11, absolute=1e-11), every=0.0005)
    assert run.report.energy_error < 1e-7
    total = run.values("energy.kinetic") + run.values("energy.potential")
    assert np.all(np.diff(total) < 1e-9)
    assert run.values("brake.power") == pytest.approx(-1.5 * run.values("crank.speed") ** 2, rel=1e-9)


def test_forces_of_the_constraints_carry_the_whole_body() -> None:
    """Newton's law for everything: saddle, axis of the crank and gravity give the rate of the momentum."""
    model = cyclist_one_crank()
    run = my.simulate(model, 0.1, scheme=my.DOP853(relative=1e-12, absolute=1e-12), every=0.0002)
    for axis, gravity in (("x", 0.0), ("y", model.gravity[1])):
        force = run.values(f"saddle.force_{axis}") + run.values(f"crank.reaction_force_{axis}") + model.mass * gravity
        momentum = run.values(f"momentum.linear_{axis}")
        work = np.concatenate([[0.0], np.cumsum((force[1:] + force[:-1]) / 2 * np.diff(run.time))])
        assert momentum - momentum[0] == pytest.approx(work, abs=1e-3 * np.ptp(momentum))


# ---- what keeps constraints together --------------------------------------------------------------------------


def test_stabilisation_and_projection_stop_the_drift() -> None:
    """With long steps the loop opens more and more; stabilised it stays as it is, projected it stays closed."""
    model, scheme = four_bar(), my.Heun(step=0.01)
    plain = my.simulate(model, 20.0, scheme=scheme)
    stable = my.simulate(model.with_values({"stabilisation": 20.0}), 20.0, scheme=scheme)
    projected = my.simulate(model, 20.0, scheme=my.Projected(scheme))
    assert plain.report.drift["loop.drift"] > 0.03
    assert stable.report.drift["loop.drift"] < 0.005
    assert projected.report.drift["loop.drift"] < 1e-11
    early = stable.time < 5.0
    assert np.max(stable.values("loop.drift")) < 1.2 * np.max(stable.values("loop.drift")[early])


def test_repeated_constraint_is_left_out_by_name() -> None:
    model = cyclist_one_leg()
    twice = model.with_parts(constraints={"second_saddle": model.constraints["saddle"]})
    run, once = my.simulate(interpreted(twice), 0.01), my.simulate(interpreted(model), 0.01)
    (note,) = set(run.report.notes) - set(once.report.notes)
    assert note.endswith("'second_saddle.force_x', 'second_saddle.force_y'")
    for name in model.moving:
        np.testing.assert_allclose(run.values(name), once.values(name), rtol=1e-12)
    # Two equal constraints carry half each: of all forces with this effect, those of least norm.
    for name in ("saddle.force_y", "second_saddle.force_y"):
        np.testing.assert_allclose(2 * run.values(name), once.values("saddle.force_y"), rtol=1e-9)


def test_hip_out_of_reach_is_refused_by_name() -> None:
    model = cyclist_one_leg()
    saddle = model.constraints["saddle"].model_copy(update={"second": my.Marker(body="ground", at=(-1.5, 1.5, 0.0))})
    with pytest.raises(SolveError, match=r"'cyclist_one_leg' cannot start: .* the constraint 'saddle'"):
        my.simulate(interpreted(model.with_parts(constraints={"saddle": saddle})), 0.01)


def test_two_drives_contradict_each_other() -> None:
    model = cyclist_one_leg().with_parts(constraints={"other_drive": my.SpeedConstraint(coordinate="crank", speed=3.0)})
    with pytest.raises(SolveError, match=r"'drive\.torque', 'other_drive\.torque'"):
        my.simulate(interpreted(model), 0.01)


def test_start_off_the_constraints_is_brought_onto_them_with_a_note() -> None:
    model = cyclist_one_leg()
    run = my.simulate(interpreted(model), 0.001, start={"crank": 1.4, "pedal": -1.9})
    assert run.values("crank")[0] == 1.4, "what was given is kept"
    assert run.values("pedal")[0] == -1.9
    assert run.values("saddle.drift")[0] < 1e-11
    (note,) = run.report.notes
    assert note.startswith("the start was moved onto the constraints")


# ---- linkages -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("masses", [(2.0, 1.0), (0.5, 3.0)])
def test_sliding_blocks_move_as_winter_says(masses: tuple[float, float]) -> None:
    """Equations 8.12: constant accelerations and a constant force between the blocks.

    The third equation is printed with the second coordinate's acceleration; it is that of the third, which is zero.
    """
    m1, m2 = masses
    model = sliding_blocks().with_values({"wedge_block.mass": m1, "sliding_block.mass": m2})
    run = my.simulate(model, 0.5)
    root = np.sqrt(0.5)
    wedge, slide = np.linalg.solve([[m1 + m2, -root * m2], [-root * m2, m2]], [0.0, root * m2 * GRAVITY])
    np.testing.assert_allclose(run.values("wedge"), wedge * run.time**2 / 2, atol=1e-12)
    np.testing.assert_allclose(run.values("slide"), slide * run.time**2 / 2, atol=1e-12)
    np.testing.assert_allclose(run.values("lift"), 0.1, atol=1e-14)
    np.testing.assert_allclose(run.values("contact.torque"), -root * m2 * wedge + root * m2 * GRAVITY, rtol=1e-12)
    # DISP(2) of equation 8.12e: q1 + 0.707 (d1 - q2) - 0.707 q3, 0.707 (d1 - q2) + 0.707 q3.
    q1, q2, q3 = (run.values(name) for name in ("wedge", "slide", "lift"))
    np.testing.assert_allclose(run.values("sliding_block.position_x"), q1 + root * (1 - q2) - root * q3, atol=1e-11)
    np.testing.assert_allclose(run.values("sliding_block.position_y"), root * (1 - q2) + root * q3, atol=1e-11)


def winters_equations(model: my.Model, q: Any, v: Any, a: Any, inputs: Any) -> Any:
    """Return left less right sides of the equations (a) to (d) of section 8.6, with their errata.

    Angles are Winter's: of the segments, from the horizontal.
    """
    m1, m2, m3 = (model.bodies[name].mass for name in ("leg", "thigh", "trunk"))
    r1, r2, r3 = (model.bodies[name].centre_of_mass[1] for name in ("leg", "thigh", "trunk"))
    i1, i2, i3 = (model.bodies[name].inertia.zz for name in ("leg", "thigh", "trunk"))
    l1, l2 = (model.joints[name].parent.at[1] for name in ("knee", "hip"))
    (_, q2, q3, q4), (_, v2, v3, v4), (a1, a2, a3, a4), (t1, t2, t3, push) = q, v, a, inputs
    sin, cos, g = np.sin, np.cos, GRAVITY
    return np.array(
        [
            push
            - a1 * (m1 + m2 + m3)
            + (v2**2 * cos(q2) + a2 * sin(q2)) * (m1 * r1 + m2 * l1 + m3 * l1)
            + (v3**2 * cos(q3) + a3 * sin(q3)) * (m2 * r2 + m3 * l2)
            + (v4**2 * cos(q4) + a4 * sin(q4)) * m3 * r3,
            t1
            - t2
            - push * l1 * sin(q2)
            + a1 * sin(q2) * (m1 * r1 + m2 * l1 + m3 * l1)
            - a2 * (m1 * r1**2 + i1 + m2 * l1**2 + m3 * l1**2)
            - (a3 * cos(q3 - q2) - v3**2 * sin(q3 - q2)) * (m2 * r2 * l1 + m3 * l1 * l2)
            - (a4 * cos(q4 - q2) - v4**2 * sin(q4 - q2)) * m3 * r3 * l1
            - g * (m1 * r1 + m2 * l1 + m3 * l1) * cos(q2),
            t2
            - t3
            - push * l2 * sin(q3)
            + a1 * sin(q3) * (m2 * r2 + m3 * l2)
            - (a2 * cos(q3 - q2) + v2**2 * sin(q3 - q2)) * (m2 * r2 * l1 + m3 * l1 * l2)
            - a3 * (m2 * r2**2 + m3 * l2**2 + i2)
            - (a4 * cos(q4 - q3) - v4**2 * sin(q4 - q3)) * m3 * r3 * l2
            - g * (m2 * r2 + m3 * l2) * cos(q3),
            t3
            + a1 * m3 * r3 * sin(q4)
            - (a2 * cos(q4 - q2) + v2**2 * sin(q4 - q2)) * m3 * r3 * l1
            - (a3 * cos(q4 - q3) + v3**2 * sin(q4 - q3)) * m3 * r3 * l2
            - a4 * (m3 * r3**2 + i3)
            - m3 * g * r3 * cos(q4),
        ]
    )


# Winter's angles are a quarter turn less the turns of the segments, which add up from the ankle; his torques turn the
# other way.
SEGMENTS = np.array([[1.0, 0, 0, 0], [0, -1, 0, 0], [0, -1, -1, 0], [0, -1, -1, -1]])
QUARTER = np.array([0.0, np.pi / 2, np.pi / 2, np.pi / 2])


@pytest.mark.parametrize("seed", range(4))
def test_balance_obeys_winters_equations(seed: int) -> None:
    model = three_segment_balance(mass=60.0 + 10 * seed, height=1.6 + 0.1 * seed)
    eq = interpreted(model.without("platform"))
    rng = np.random.default_rng(seed)
    x, u = rng.normal(size=8), rng.normal(size=4) * 40
    rate = eq.derivative(x, u)
    q, v, a = QUARTER + SEGMENTS @ x[:4], SEGMENTS @ x[4:], SEGMENTS @ rate[4:]
    motors = dict(zip(eq.controls, u, strict=True))
    inputs = (-motors["ankle_motor"], -motors["knee_motor"], -motors["hip_motor"], motors["hip_push"])
    assert winters_equations(model, q, v, a, inputs) == pytest.approx(np.zeros(4), abs=1e-9)


def test_accelerated_ground_is_gravity_that_leans() -> None:
    """Equations (b) to (d) hold with the acceleration of the ground as that of q1; (a) gives the force of the ground."""
    model, given = three_segment_balance(), 1.7
    eq = interpreted(model.with_values({"gravity.x": -given}))
    rng = np.random.default_rng(3)
    x, u = rng.normal(size=8), rng.normal(size=4) * 40
    x[4] = 0.0
    rate, ground = eq.derivative(x, u), eq.constraint_forces(x, u)[0]
    assert rate[4] == pytest.approx(0.0, abs=1e-12)
    q, v, a = QUARTER + SEGMENTS @ x[:4], SEGMENTS @ x[4:], SEGMENTS @ rate[4:]
    a[0] = given
    motors = dict(zip(eq.controls, u, strict=True))
    inputs = (-motors["ankle_motor"], -motors["knee_motor"], -motors["hip_motor"], motors["hip_push"])
    left = winters_equations(model, q, v, a, inputs)
    assert left[1:] == pytest.approx(np.zeros(3), abs=1e-9)
    assert left[0] == pytest.approx(-ground, rel=1e-12)


def test_platform_moves_at_its_speed() -> None:
    model = three_segment_balance().with_values({"platform.speed": 0.3})
    run = my.simulate(model, 0.2)
    np.testing.assert_allclose(run.values("ankle_centre.position_x"), 0.3 * run.time, atol=1e-12)
    assert run.report.notes, "the start was given the speed of the platform"


@pytest.mark.parametrize(
    "make, lengths, base",
    [
        (four_bar, [2.0, 4.0, np.sqrt(5.0)], 5.0),
        (five_bar, [1.0, 1.0, 3.0, 3.0], 3.0),
    ],
)
def test_001_8_and_001_11_linkages_have_the_lengths_of_their_tables(
    make: Any, lengths: list[float], base: float
) -> None:
    """Equations 121 and 123 of Ehsani hold at the start; bars weigh 1 kg/m and are uniform."""
    model = make()
    turns = np.cumsum([part.default for part in model.coordinates.values()])
    assert np.dot(lengths, np.sin(turns)) == pytest.approx(0.0, abs=1e-10)
    assert np.dot(lengths, np.cos(turns)) == pytest.approx(base, rel=1e-10)
    for body, length in zip(model.bodies.values(), lengths, strict=True):
        assert body.mass == pytest.approx(length, rel=1e-11)
        assert body.centre_of_mass == pytest.approx((length / 2, 0.0, 0.0), rel=1e-11)
        assert body.inertia.zz == pytest.approx(length**3 / 12, rel=1e-11)
    assert model.markers["p"].body == "bar3"


def test_001_9_four_bar_swings_between_the_heights_of_its_coupler() -> None:
    """The height of the coupler's centre stays within ±2.05738, the range of Ehsani's generalised coordinate."""
    run = my.simulate(four_bar(), 6.0, scheme=my.DOP853(relative=1e-11, absolute=1e-11), every=0.002)
    height = run.values("coupler_centre.position_y")
    assert -2.0573805 < np.min(height) < np.max(height) < 2.0573805
    assert np.ptp(height) > 2.0
    assert run.report.energy_error < 1e-9
    assert run.report.drift["loop.drift"] < 1e-8


def cut_elsewhere(model: my.Model) -> my.Model:
    """Return the four-bar with its last bar on the ground, and the loop closed where the second bar ends."""
    turns = np.cumsum([part.default for part in model.coordinates.values()])
    length = model.bodies["bar3"].centre_of_mass[0] * 2
    last = my.pin({"body": "ground", "at": (5.0, 0.0, 0.0)}, "bar3", "theta3", default=float(turns[2]))
    # The bar now begins at the other end.
    bar = model.bodies["bar3"].model_copy(update={"centre_of_mass": (-length / 2, 0.0, 0.0)})
    loop = my.PointConstraint(
        first=my.Marker(body="bar2", at=(4.0, 0.0, 0.0)),
        second=my.Marker(body="bar3", at=(-length, 0.0, 0.0)),
        axes="xy",
    )
    return model.with_parts(
        bodies={"bar3": bar},
        joints={"joint3": last},
        constraints={"loop": loop},
        markers={"p": my.Marker(body="bar3", at=(-length / 2, 0.0, 0.0))},
    )


def test_it_does_not_matter_where_a_loop_is_cut() -> None:
    scheme = my.DOP853(relative=1e-12, absolute=1e-12)
    end, middle = (my.simulate(model, 2.0, scheme=scheme) for model in (four_bar(), cut_elsewhere(four_bar())))
    for name in ("theta1", "theta2", "p.position_x", "p.position_y", "p.velocity_x", "p.velocity_y"):
        assert middle.values(name) == pytest.approx(end.values(name), abs=1e-8), name
    for axis in "xy":
        # The bearing on the ground is a constraint here and a joint there; so is the one between the bars.
        bearing = middle.values(f"joint3.reaction_force_{axis}")
        assert bearing == pytest.approx(end.values(f"loop.force_{axis}"), abs=1e-6)
        between = -middle.values(f"loop.force_{axis}")
        assert between == pytest.approx(end.values(f"joint3.reaction_force_{axis}"), abs=1e-6)


def test_two_bars_meet_on_either_side() -> None:
    for left, height in ((True, 1.5), (False, -1.5)):
        assert two_bars((0.0, 0.0), (4.0, 0.0), 2.5, 2.5, left=left) == pytest.approx((2.0, height))
    knee = two_bars((1.0, 2.0), (-1.0, 3.0), 1.3, 1.9, left=True)
    assert np.hypot(knee[0] - 1.0, knee[1] - 2.0) == pytest.approx(1.3)
    assert np.hypot(knee[0] + 1.0, knee[1] - 3.0) == pytest.approx(1.9)
    with pytest.raises(ModelError, match="cannot span 4 m"):
        two_bars((0.0, 0.0), (4.0, 0.0), 1.0, 1.0, left=True)
