"""The runner with muscles: its feet, its limits, and what its muscles do."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import myodyne as my

FEET = ("points", "spheres", "rolling", "viscoelastic")
RECORD = Path(__file__).parents[3] / "shared" / "data" / "running"
FINE = my.DOP853(relative=1e-10, absolute=1e-10)


def interpreted(model: my.Model) -> my.Equations:
    return my.equations_of(model, compiled=False)


@pytest.mark.parametrize("foot", FEET)
def test_one_word_chooses_the_feet(foot: str) -> None:
    model = my.runner(mass=68.0, height=1.8, foot=foot)
    assert model.mass == pytest.approx(68.0, rel=1e-9)
    two_parts = foot == "viscoelastic"
    assert (len(model.bodies), len(model.coordinates), len(model.muscles)) == (
        (14, 16, 20) if two_parts else (12, 14, 16)
    )
    assert {name.removesuffix("_motor") for name in model.controls if name.endswith("_motor")} == {
        "neck", "shoulder_r", "elbow_r", "shoulder_l", "elbow_l",
    }  # fmt: skip
    for side in "rl":
        for name in (f"heel_{side}", f"ball_of_foot_{side}", f"toe_tip_{side}"):
            assert place(model, name)[1] == pytest.approx(0.0, abs=1e-9)


def place(model: my.Model, marker: str) -> np.ndarray:
    bare = model.without(*model.muscles, *model.forces, *model.constraints)
    equations = interpreted(bare)
    turns, places = equations.body_poses(equations.coordinate_defaults())
    number = equations.bodies.index(model.markers[marker].body)
    return places[number] + turns[number] @ np.array(model.markers[marker].at)


@pytest.mark.parametrize("foot", ["points", "viscoelastic"])
def test_every_joint_of_the_legs_has_flexors_and_extensors(foot: str) -> None:
    """004 §5.2: hips, knees, ankles, and the metatarsals where there are toes."""
    equations = interpreted(my.runner(foot=foot))
    arms = equations.moment_arms(equations.coordinate_defaults())
    for name, column in zip(equations.coordinates, arms.T, strict=True):
        if name.startswith(("hip", "knee", "ankle", "toe")):
            assert np.max(column) > 0.005, name
            assert np.min(column) < -0.005, name


def test_muscles_are_those_of_gait2d_at_its_size() -> None:
    ours, theirs = my.runner(mass=75.0, height=1.8), my.load_model("gait2d")
    for name, muscle in theirs.muscles.items():
        side, _, group = name.partition("_")
        mine = ours.muscles[f"{group}_{side[0]}"]
        assert mine.model_copy(update={"path": muscle.path}) == muscle
        assert [term.coefficient for term in mine.path.length.terms] == [
            term.coefficient for term in muscle.path.length.terms
        ]


def test_larger_people_have_longer_and_stronger_muscles() -> None:
    small, large = my.runner(mass=50.0, height=1.5), my.runner(mass=100.0, height=2.0)
    for name in small.muscles:
        one, other = small.muscles[name], large.muscles[name]
        assert other.optimal_fibre_length / one.optimal_fibre_length == pytest.approx(2.0 / 1.5, rel=1e-9)
        assert other.max_force / one.max_force == pytest.approx(2.0 / (2.0 / 1.5), rel=1e-9)


def test_two_parts_weigh_and_swing_as_one_foot() -> None:
    """With flat toes, the foot of two parts has the mass matrix of the rigid one."""
    one, two = my.runner(foot="points"), my.runner(foot="viscoelastic")
    rigid, parted = (interpreted(model.without(*model.muscles, *model.forces)) for model in (one, two))
    random = np.random.default_rng(3)
    q = random.uniform(-0.6, 0.6, len(rigid.coordinates))
    values = dict(zip(rigid.coordinates, q, strict=True))
    wide = np.array([values.get(name, 0.0) for name in parted.coordinates])
    rows = [parted.coordinates.index(name) for name in rigid.coordinates]
    np.testing.assert_allclose(parted.mass_matrix(wide)[np.ix_(rows, rows)], rigid.mass_matrix(q), atol=1e-9)
    assert all(body.inertia.zz > 0 for body in two.bodies.values())


@pytest.mark.parametrize("make", [my.runner_skeleton, my.runner])
def test_limits_stop_the_limbs(make: object) -> None:
    """All muscles or motors at full strength, to either side, for a second of free fall: no joint leaves its range far."""
    model = make()  # type: ignore[operator]
    falling = model.without(*(name for name in model.forces if name.split("_")[0] in ("heel", "ball", "toe")))
    equations = my.equations_of(falling)
    for sign in (1.0, -1.0):
        controls = {name: sign if name.endswith("_motor") else float(sign > 0) for name in falling.controls}
        run = my.simulate(equations, 1.0, start={"pelvis_y": 9.0}, controls=controls)
        for name, coordinate in falling.coordinates.items():
            if coordinate.range is not None:
                low, high = coordinate.range
                beyond = max(low - np.min(run.values(name)), np.max(run.values(name)) - high)
                assert beyond < 0.6, (name, beyond)


@pytest.mark.skipif(not RECORD.exists(), reason="needs the running trial beside the repository")
def test_a_recorded_run_lies_within_the_ranges() -> None:
    """Hips, knees, ankles, shoulders and elbows of the running trial."""
    subject = my.load_model(RECORD / "bmc_Rajagopal2015_scaled.osim")
    motion = my.load(RECORD / "bmc_ik_output_run.mot", model=subject)
    model = my.runner()
    pairs = {"hip": ("hip_flexion", 1), "knee": ("knee_angle", -1), "ankle": ("ankle_angle", 1)}
    pairs |= {"shoulder": ("arm_flex", 1), "elbow": ("elbow_flex", 1)}
    for ours, (theirs, sign) in pairs.items():
        for side in "rl":
            low, high = model.coordinates[f"{ours}_{side}"].range
            values = sign * motion.values(f"{theirs}_{side}")
            assert low < np.min(values) < np.max(values) < high, (ours, side)


@pytest.mark.parametrize("foot", ["points", "spheres", "viscoelastic"])
def test_feet_carry_the_weight(foot: str) -> None:
    """Set down from 1 mm and left to itself, the ground pushes back on flat feet before the body collapses."""
    model = my.runner(foot=foot)
    height = model.coordinates["pelvis_y"].default
    run = my.simulate(model, 0.1, start={"pelvis_y": height + 0.001})
    contacts = [
        name for name in model.forces if name.startswith(("heel_contact", "ball_contact", "toe_contact", "sole_"))
    ]
    total = sum(run.values(f"{name}.force_y") for name in contacts)
    assert run.report.status == "completed"
    assert 0.3 * 75 * 9.81 < np.mean(total[run.time > 0.03]) < 2.0 * 75 * 9.81
    assert np.min(run.values("heel_r.position_y")) > -0.02


def test_a_rolling_foot_stands_where_it_is() -> None:
    """The default pose meets the constraint of either foot; twelve of fourteen degrees of freedom are left."""
    for side in "rl":
        model = my.runner(foot="rolling", stance=side)
        equations = interpreted(model.without(*model.muscles))
        q = equations.coordinate_defaults()
        error, _, rows = equations.constraint_errors(q, np.zeros_like(q))
        np.testing.assert_allclose(error, 0.0, atol=1e-12)
        assert np.linalg.matrix_rank(rows) == 2


def about(run: my.Result, contact: tuple[float, float], row: int) -> float:
    """Return the angular momentum of the whole body about a point of the ground."""
    x, y = (run.values(f"com.position_{axis}")[row] - place for axis, place in zip("xy", contact, strict=True))
    px, py = (run.values(f"momentum.linear_{axis}")[row] for axis in "xy")
    return float(run.values("momentum.angular_z")[row] + x * py - y * px)


def test_004_11_touch_down_on_a_rolling_foot() -> None:
    """004-11 for the whole body: flight, impact that keeps the angular momentum about the contact, stance."""
    flight, stance = my.runner(foot="rolling"), my.runner(foot="rolling", stance="r")
    flight, stance = (model.without(*model.muscles) for model in (flight, stance))
    roll = stance.constraints["roll_r"]
    start = {
        "pelvis_y": flight.coordinates["pelvis_y"].default + 0.03, "pelvis_x.speed": 3.5, "hip_r": 0.5, "knee_r": -0.4,
        "hip_l": -0.3, "knee_l": -1.2, "hip_r.speed": -4.0, "knee_r.speed": -1.0, "hip_l.speed": 5.0,
    }  # fmt: skip
    landing = my.Crossing("arc_centre_r.position_y", "falling", level=roll.radius)
    fall = my.simulate(interpreted(flight), 0.5, start=start, scheme=FINE, until=landing)
    assert len(fall.report.events) == 1
    last = {name: float(fall.values(name)[-1]) for name in interpreted(flight).motion}
    turn = sum(last[name] for name in ("pelvis_tilt", "hip_r", "knee_r", "ankle_r"))
    contact = (float(fall.values("arc_centre_r.position_x")[-1]), 0.0)
    landed = stance.with_values({"roll_r.anchor": contact[0] + roll.radius * turn})
    run = my.simulate(interpreted(landed), 0.05, start=last, scheme=FINE)
    assert about(run, contact, 0) == pytest.approx(about(fall, contact, -1), rel=1e-9)
    # Only speeds jump; energy is lost.
    assert run.values("pelvis_x")[0] == pytest.approx(last["pelvis_x"], abs=1e-9)
    assert run.values("energy.kinetic")[0] < fall.values("energy.kinetic")[-1]
    turned = sum(run.values(name) - last[name] for name in ("pelvis_tilt", "hip_r", "knee_r", "ankle_r"))
    np.testing.assert_allclose(run.values("roll_r.contact_x"), contact[0] - roll.radius * turned, atol=1e-8)
    assert max(run.report.drift.values()) < 1e-8


def test_a_switch_lets_the_foot_roll_where_it_lands() -> None:
    """Two landings far from the anchor of the model: none is moved, and the angular momentum about each is kept."""
    flight, stance = my.runner(foot="rolling"), my.runner(foot="rolling", stance="r")
    flight, stance = (model.without(*model.muscles) for model in (flight, stance))
    landing = my.Crossing("arc_centre_r.position_y", "falling", level=stance.constraints["roll_r"].radius)
    start = {
        "pelvis_y": 0.97,
        "pelvis_x.speed": 1.5,
        "hip_r": 0.4,
        "knee_r": -0.1,
        "ankle_r": -0.2,
        "hip_r.speed": -3.0,
    }
    for place in (0.0, 5.0):
        run = my.simulate(
            interpreted(flight),
            0.09,
            start=start | {"pelvis_x": place},
            scheme=FINE,
            until=my.Switch(landing, to=stance, anchor="roll_r"),
        )
        ((time, _),) = run.report.events
        after = int(np.searchsorted(run.time, time, side="right"))
        jump = np.max(np.abs(np.diff(run.values("pelvis_x"))))
        assert jump < 0.02
        contact = (float(run.values("roll_r.contact_x")[after]), 0.0)
        assert contact[0] == pytest.approx(run.values("arc_centre_r.position_x")[after], abs=1e-9)
        assert contact[0] > place
        assert max(run.report.drift.values()) < 1e-8
        assert run.values("ground.centre_of_pressure_x")[after] == pytest.approx(contact[0], abs=1e-9)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(my.ModelError, match="points"):
        my.runner(foot="point")
    with pytest.raises(my.ModelError, match="only rolling feet"):
        my.runner(foot="points", stance="r")
    with pytest.raises(my.ModelError, match="only rolling feet"):
        my.runner(foot="rolling", stance="right")
    with pytest.raises(my.ModelError, match="centimetres"):
        my.runner(height=175)
    assert math.isclose(my.runner(height=1.6).coordinates["hip_r"].default, 0.0)


def test_spheres_have_the_numbers_of_mocos_planar_walking() -> None:
    file = Path(__file__).parents[3] / "shared" / "models_osim" / "2D_gait.osim"
    if not file.is_file():
        pytest.skip(f"Moco's model is not at hand: {file}")
    forces = my.load_model(file).forces
    ours = my.runner(foot="spheres").forces
    numbers = (
        "radius",
        "stiffness",
        "dissipation",
        "static_friction",
        "dynamic_friction",
        "viscous_friction",
        "transition_velocity",
        "constant_contact_force",
        "hertz_smoothing",
        "hunt_crossley_smoothing",
    )
    for name, other in (("heel_contact_r", "contactHeel_r"), ("ball_contact_r", "contactFront_r")):
        for number in numbers:
            assert getattr(ours[name], number) == pytest.approx(getattr(forces[other], number)), (name, number)
