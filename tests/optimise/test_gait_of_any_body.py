"""`walking` and `running` of any body: anatomy, contacts, motors, ranges, guesses, and what is refused."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from myodyne.optimise.gait.anatomy import anatomy_of
from myodyne.optimise.gait.feet import with_contacts
from myodyne.optimise.gait.passive import with_passive_legs
from myodyne.optimise.gait.path_points import within_path_points
from myodyne.optimise.gait.ranges import USED_WALKING, leg_limits
from myodyne.optimise.goals.feet import ground_contacts
from support.samples import one_in
from support.shared import needs

SHARED = Path(__file__).parents[2] / ".." / "shared" / "models_osim"
shared = needs(SHARED, "OpenSim models are not beside the repository")


def opensim(name):
    return my.load_model(SHARED / f"{name}.osim")


def biped(knee_axis="z", feet=True, gravity=-9.81, sides=("r", "l"), mass=1.0):
    """A skeleton with two legs and a trunk, whose knees bend as the axis has it."""
    bodies = {"pelvis": my.Body(mass=40.0 * mass, centre_of_mass=(0.0, 0.3, 0.0), inertia=2.0)}
    joints = {"root": my.planar("ground", "pelvis", ["x", "y", "tilt"], y={"default": 1.0})}
    for side in sides:
        for name, weight, length in (("thigh", 8.0, 0.45), ("shank", 4.0, 0.44), ("foot", 1.2, 0.1)):
            bodies[f"{name}_{side}"] = my.Body(mass=weight * mass, centre_of_mass=(0.0, -length / 2, 0.0), inertia=0.1)
        joints[f"hip_{side}"] = my.pin("pelvis", f"thigh_{side}", f"hip_angle_{side}")
        joints[f"knee_{side}"] = my.pin(
            {"body": f"thigh_{side}", "at": (0.0, -0.45, 0.0)}, f"shank_{side}", f"knee_angle_{side}", axis=knee_axis
        )
        where = {"body": f"shank_{side}", "at": (0.0, -0.44, 0.0)}
        foot = f"foot_{side}"
        joints[f"ankle_{side}"] = my.pin(where, foot, f"ankle_angle_{side}") if feet else my.weld(where, foot)
    return my.Model(name="biped", bodies=bodies, joints=joints, gravity=(0.0, gravity, 0.0))


def edited(model, what):
    """The model with feet without mass, another name of one knee, or a heavier left thigh."""
    plain = json.loads(model.model_dump_json())
    if what == "feet":
        plain["bodies"] |= {f"foot_{side}": {"mass": 0.0} for side in "rl"}
    if what == "thigh":
        plain["bodies"]["thigh_l"]["mass"] = 20.0
    if what == "knee":
        plain = json.loads(json.dumps(plain).replace('"knee_angle_l"', '"bend_left_knee"'))
    return my.Model(**plain)


def sideways():
    return biped().model_copy(update={"gravity": (0.0, 0.0, -9.81)})


def test_flexion_is_found_by_geometry_whatever_the_sign_of_the_knee():
    for axis, sign in (("z", -1.0), ("-z", 1.0)):
        leg = anatomy_of(biped(axis)).leg
        assert (leg.hip.sign, leg.knee.sign, leg.ankle.sign) == (1.0, sign, 1.0)
        assert leg.length == pytest.approx(0.89)
        guess = my.stepping_guess(my.walking(biped(axis)).model, 1.3)
        bent = sign * guess.values("knee_angle_l")
        assert bent.min() > 0.1
        assert bent.max() == pytest.approx(1.05, abs=1e-3)


def test_contacts_are_level_in_upright_stance_and_as_stiff_as_the_body_is_heavy():
    bare = my.load_model("gait2d").without("right_heel", "right_toe", "left_heel", "left_toe")
    model = with_contacts(bare, anatomy_of(bare)).model
    published = my.load_model("gait2d")
    heel, roll = model.forces["heel_r"], model.forces["roll_r"]
    # Within a centimetre or two of those of the publication, which geometry does not know.
    assert heel.at == pytest.approx(published.forces["right_heel"].at, abs=0.01)
    assert roll.at == pytest.approx(published.forces["right_toe"].at, abs=0.02)
    assert heel.stiffness == pytest.approx(1e5, rel=1e-3)
    assert heel.at[1] == roll.at[1]


@shared
def test_the_spheres_of_a_foot_in_space_bear_weight_as_those_of_gait3d():
    """At the same depth a foot bears the same share of body weight."""
    subject, published = my.walking(opensim("subject_walk_scaled")).model, my.load_model("gait3d")
    stiffness = [
        sum(part.stiffness for name, part in model.forces.items() if isinstance(part, my.SmoothSphereContact))
        / model.mass
        for model in (subject, published)
    ]
    assert stiffness[0] == pytest.approx(stiffness[1], rel=0.01)
    assert not any(isinstance(part, my.ContactPoint) for part in subject.forces.values())


def test_a_heel_that_bears_below_the_ankle_is_worth_a_word():
    model = my.load_model("gait2d")
    assert "behind the ankle" not in with_contacts(model, anatomy_of(model)).words
    heels = {f"{side}_heel": model.forces[f"{side}_heel"] for side in ("right", "left")}
    short = model.with_parts(
        forces={name: part.model_copy(update={"at": (-0.01, *part.at[1:])}) for name, part in heels.items()}
    )
    assert "the rearmost is 10 mm behind the ankle" in with_contacts(short, anatomy_of(short)).words


@shared
@pytest.mark.parametrize(
    "name", one_in(4, ["gait10dof18musc", "gait2392_thelen2003muscle", "subject_walk_scaled", "Rajagopal2016"])
)
def test_opensim_feet_stand_level_on_both_sides(name):
    model = my.walking(opensim(name)).model
    anatomy = anatomy_of(model)
    equations = my.equations_of(model, compiled=False)
    turns, origins = equations.body_poses([anatomy.upright[name] for name in equations.coordinates])
    heights = []
    for part in ground_contacts(model, "test").values():
        number = equations.bodies.index(part.body)
        heights.append((origins[number] + turns[number] @ np.array(part.at))[1] - getattr(part, "radius", 0.0))
    assert np.ptp(heights) < 0.006
    # Below the ankle as in a person, not five centimetres lower; spheres in space sink by 6 mm under the weight.
    loaded = 0.0 if anatomy.planar else 0.006
    assert anatomy.leg.centres[2][1] - np.mean(heights) + loaded == pytest.approx(0.066, abs=0.004)


def test_motors_act_where_no_muscle_does_and_reserves_are_left_out():
    skeleton = my.walking(biped())
    assert set(skeleton.model.controls) == {
        f"{joint}_angle_{side}_motor" for joint in ("hip", "knee", "ankle") for side in "rl"
    }
    assert next(goal.name for goal in skeleton.goals) == "motors"
    helped = my.load_model("gait2d").with_parts(
        forces={
            "hand_of_god": my.CoordinateActuator(coordinate="pelvis_y", gain=100.0),
            "right_reserve": my.CoordinateActuator(coordinate="right_knee", gain=100.0),
            "left_reserve": my.CoordinateActuator(coordinate="left_knee", gain=100.0),
        }
    )
    problem = my.walking(helped)
    assert set(problem.model.controls) == set(problem.model.muscles)
    assert "hand_of_god, right_reserve, left_reserve" in problem.choices["motors left out"]


@shared
def test_a_body_in_space_gets_arms_toes_ranges_and_rigid_tendons():
    problem = my.walking(opensim("biomac_gait3d"), 1.2)
    assert "arm_flex_r_motor" in problem.model.forces
    assert problem.model.forces["mtp_angle_l_spring"].stiffness == pytest.approx(25.0, abs=0.2)
    assert not any(muscle.elastic for muscle in problem.model.muscles.values())
    ranges = next(part.values for part in problem.conditions if part.kind == "bounds")
    assert set(ranges) == set(problem.model.moving)
    assert "pelvis_list" in problem.choices["sides"]
    assert (ranges["pelvis_list"], ranges["hip_adduction_r"]) == ((-0.12, 0.12), (-0.2, 0.2))
    assert ranges["hip_flexion_r"][1] > 0.5
    assert not any(isinstance(muscle.activation, my.ThelenActivation) for muscle in problem.model.muscles.values())
    original = opensim("gait10dof18musc")
    kept = my.walking(original, tendons="model")
    soleus, before = kept.model.muscles["soleus_r"].activation, original.muscles["soleus_r"].activation
    assert isinstance(soleus, my.HeActivation)
    assert soleus.deactivation_time == before.deactivation_time
    assert all(muscle.elastic for muscle in kept.model.muscles.values())


def test_choices_can_be_changed():
    problem = my.walking(
        my.load_model("gait2d"), 1.2, bounds={"right_knee": (-1.0, 0.0)}, goals=[my.Effort(exponent=3)]
    )
    assert next(part.values["right_knee"] for part in problem.conditions if part.kind == "bounds") == (-1.0, 0.0)
    assert [goal.name for goal in problem.goals] == ["effort"]
    fast = problem.with_speed(1.8)
    assert fast.choices["speed"] == "1.8 m/s"
    assert fast.guess.values("pelvis_x")[-1] == pytest.approx(1.5 * problem.guess.values("pelvis_x")[-1])
    assert problem.with_duration(0.6).choices["duration"] == "0.6 s"
    softer = problem.with_values({"right_heel.stiffness": 5e4})
    assert softer.continuation[0]["right_heel.stiffness"] == pytest.approx(
        0.5 * problem.continuation[0]["right_heel.stiffness"]
    )


def test_changes_that_do_not_fit_are_refused_with_suggestions():
    problem = my.walking(my.load_model("gait2d"))
    with pytest.raises(my.ModelError, match="right_soleus"):
        problem.with_values({"right_solus.max_force": 1.0})
    with pytest.raises(my.ModelError, match="is about 'pelvis_x', which 'pendulum' does not have"):
        problem.with_model(my.load_model("pendulum"))
    with pytest.raises(my.ModelError, match="no condition sets a speed"):
        my.load_problem("sliding_mass").with_speed(1.0)
    with pytest.raises(my.ModelError, match="inverted"):
        problem.with_duration((2.0, 1.0))
    with pytest.raises(my.ModelError, match="with_model takes a model"):
        problem.with_model("gait2d")


def test_guesses_of_gait2d_are_in_its_ranges_and_on_the_ground():
    model = my.load_model("gait2d")
    for guess in (
        my.stepping_guess(model, 1.3),
        my.random_steps(model, 1.3, 3),
        my.random_steps(model, 3.0, 3, running=True),
    ):
        assert (guess.values("right_knee") <= 1e-12).all()
        assert 0.6 < guess.values("pelvis_y").min() < guess.values("pelvis_y").max() < 1.1
    one, other = my.random_steps(model, 1.3, 3), my.random_steps(model, 1.3, 4)
    assert not np.allclose(one.values("right_hip"), other.values("right_hip"))


@pytest.mark.parametrize(
    ("message", "model"),
    [
        ("no coordinate moves the whole body forward", lambda: my.load_model("pendulum")),
        ("it has no legs", lambda: my.load_model("jumper")),
        ("No feet: the leg ends before an ankle", lambda: biped(feet=False)),
        ("there is no gravity", lambda: biped(gravity=0.0)),
        ("it has no mass", lambda: biped(mass=0.0)),
        ("it has one leg, or its names do not mirror: there is no 'thigh_l'", lambda: biped(sides=("r",))),
        ("or its names do not mirror: there is no 'thigh_l'", lambda: biped(sides=("r", "other"))),
        ("takes a model", lambda: "gait2d"),
        ("its gravity, .*, does not point down, along -y", sideways),
        (r"its feet \('foot_r'\) have no mass", lambda: edited(biped(), "feet")),
        ("no other side for 'knee_angle_r', 'bend_left_knee'", lambda: edited(biped(), "knee")),
        ("'thigh_l' has a mass of 20 kg, 'thigh_r' of 8 kg", lambda: edited(biped(), "thigh")),
    ],
)
def test_what_is_missing_is_named(message, model):
    with pytest.raises(my.ModelError, match=message):
        my.walking(model())


CANNOT_WALK = [
    ("it has no mass", "wrist"),
    ("it has one leg", "leg6dof9musc"),
    ("it has one leg", "leg39"),
    ("no coordinate moves the whole body forward", "arm26"),
    ("no coordinate moves the whole body forward", "squatToStand_3dof9musc"),
    ("there is no 'clavicle_l'", "das3"),
    ("no coordinate moves the whole body forward", "MoBL_ARMS"),
    ("no coordinate moves the whole body forward", "neck6d"),
    ("no coordinate moves the whole body forward", "double_pendulum"),
    ("no coordinate moves the whole body forward", "Tug_of_War_Millard"),
]


@shared
@pytest.mark.parametrize(("message", "name"), CANNOT_WALK)
def test_opensim_models_that_cannot_walk_say_why(message, name):
    with pytest.raises(my.ModelError, match=message):
        my.walking(opensim(name))


# The others of the folder: every file is in one of the two lists.
WALKERS = [
    "2D_gait",
    "gait10dof18musc",
    "biomac_gait10dof18musc_wrap",
    "biomac_gait2d",
    "gait2354_simbody",
    "gait2392_millard2012muscle",
    "gait2392_thelen2003muscle",
    "biomac_gait3d",
    "FullBodyModel_Hamner2010_v2_0",
    "Rajagopal2016",
    "RajagopalLaiUhlrich2023",
    "subject_walk_scaled",
]


@shared
@pytest.mark.parametrize("name", one_in(12, WALKERS))
def test_opensim_models_that_can_walk_have_a_problem_whose_guess_fits(name):
    problem = my.walking(opensim(name))
    ranges = next(part.values for part in problem.conditions if part.kind == "bounds")
    assert set(problem.model.moving) <= set(ranges)
    for coordinate, (low, high) in ranges.items():
        values = problem.guess.values(coordinate)
        assert low <= values.min(), coordinate
        assert values.max() <= high, coordinate
    # All paths can be followed by an optimiser.
    assert not my.smooth_paths(problem.model, ranges).fits
    # Angles that people use are kept where points of a path come and go; what that costs is named, and bounded.
    errors = [float(size) for size in re.findall(r"\(([\d.]+) mm\)", problem.choices.get("paths", ""))]
    assert all(error < 2.5 for error in errors)


@shared
def test_every_model_of_the_folder_walks_or_says_why_not():
    assert {file.stem for file in SHARED.glob("*.osim")} == {*WALKERS, *(name for _, name in CANNOT_WALK)}


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("bounds: .*knee_angel_r.*knee_angle_r", {"bounds": {"knee_angel_r": (0.0, 1.0)}}),
        ("is inverted", {"bounds": {"knee_angle_r": (1.0, 0.0)}}),
        ("goals are like", {"goals": ["effort"]}),
        ("tendons must be", {"tendons": "stiff"}),
    ],
)
def test_arguments_that_cannot_be_meant_are_refused(message, arguments):
    with pytest.raises(my.ModelError, match=message):
        my.walking(biped(), **arguments)


@pytest.mark.parametrize("speed", [0.0, -1.0, "fast", float("nan")])
def test_a_speed_is_a_positive_number(speed):
    with pytest.raises(my.ModelError, match="the speed must be a number above 0"):
        my.walking(my.load_model("gait2d"), speed)


@pytest.mark.parametrize(
    ("name", "asked", "assumed"), [("gait2d", None, True), ("gait2d", False, False), ("gait3d", None, False)]
)
def test_planar_bodies_assume_a_heel_strike_unless_they_should_not(name, asked, assumed):
    problem = my.walking(my.load_model(name), heel_strike=asked)
    starts = [set(part.values) for part in problem.conditions if part.kind == "start"]
    tips = {"right_heel_tip.position_y", "right_heel_tip.velocity_y", "right_toe_tip.position_y"}
    assert starts == ([tips] if assumed else [])
    assert problem.choices["heel strike"] == ("assumed at the start" if assumed else "not assumed")


@pytest.mark.parametrize(("name", "accuracy"), [("gait2d", 0.02), ("gait3d", 0.05)])
def test_meshes_are_refined(name, accuracy):
    assert my.walking(my.load_model(name)).accuracy == accuracy


@pytest.mark.parametrize(
    ("gain", "limits", "full"), [(1.0, (-150.0, 150.0), 150.0), (50.0, (-1.0, 1.0), 50.0), (10.0, None, 3.0)]
)
def test_the_full_torque_of_a_motor_costs_one_whatever_the_unit_of_its_control(gain, limits, full):
    motors = {
        f"own_{side}": my.CoordinateActuator(coordinate=f"knee_angle_{side}", gain=gain, control_range=limits)
        for side in "rl"
    }
    problem = my.walking(biped().with_parts(forces=motors))
    own = problem.model.forces["own_r"]
    # Without limits, three newton metres per kilogram in a leg.
    torque = full if limits else full * problem.model.mass
    assert own.gain * own.control_range[1] == pytest.approx(torque, rel=1e-3)
    effort = next(goal for goal in problem.goals if goal.name == "motors")
    factors = effort.factors(problem.model)
    for name, part in problem.model.forces.items():
        if isinstance(part, my.CoordinateActuator):
            assert factors[f"{name}.control"] * max(part.control_range) ** 2 == pytest.approx(1.0)


def test_points_that_come_and_go_leave_the_angles_that_people_use():
    model = my.load_model("gait2d")
    passing = my.PointPath(
        points=(
            ("right_thigh", (-0.03, 0.0, 0.0)),
            my.ConditionalPoint(body="right_shank", at=(-0.03, 0.4, 0.0), coordinate="right_knee", range=(-0.33, 1.0)),
            my.ConditionalPoint(body="right_shank", at=(-0.03, 0.4, 0.0), coordinate="right_hip", range=(-2.0, 0.8)),
            ("right_shank", (-0.03, 0.35, 0.0)),
        )
    )
    muscle = my.Muscle(path=passing, max_force=100.0, optimal_fibre_length=0.1, tendon_slack_length=0.3)
    model = model.with_parts(muscles={"right_flexor": muscle})
    wide = {"right_knee": (-1.4, 0.0), "right_hip": (-0.6, 1.0)}
    assert within_path_points(model, wide) == {"right_knee": (-1.4, -0.33), "right_hip": (-0.6, 0.8)}
    used = leg_limits(anatomy_of(my.load_model("gait2d")), USED_WALKING)
    assert within_path_points(model, wide, used) == {"right_knee": (-1.4, 0.0), "right_hip": (-0.6, 0.8)}


@pytest.mark.parametrize("axis", ["z", "-z"])
def test_legs_get_the_passive_moments_that_they_lack(axis):
    bare = biped(axis)
    legs = with_passive_legs(bare, anatomy_of(bare), USED_WALKING)
    assert legs.shares == {"hip": 1.0, "knee": 1.0, "ankle": 1.0}
    # Those of Riener and Edrich, on a knee that counts either way.
    published = my.passive_leg("hip_angle_r", "knee_angle_r", "ankle_angle_r", knee_flexion=-1 if axis == "z" else 1)
    for name, moment in published.items():
        added = legs.model.forces[f"{name}_passive"]
        assert added.constant == pytest.approx(moment.constant)
        for one, other in zip(added.terms, moment.terms, strict=True):
            assert (one.size, one.rate) == pytest.approx((other.size, other.rate))
            assert one.others == pytest.approx(other.others)
    again = with_passive_legs(legs.model, anatomy_of(legs.model), USED_WALKING)
    assert again.shares == {"hip": 0.0, "knee": 0.0, "ankle": 0.0}
    assert again.model is legs.model


def test_muscles_and_limits_of_a_model_count_as_passive_moments():
    person = my.load_model("gait2d")
    added = with_passive_legs(person, anatomy_of(person), USED_WALKING)
    # Its knee has a stiff stop at full extension, its muscles at rest hardly pull.
    assert added.shares["knee"] == 0.0
    assert added.shares["hip"] > 0.8
    assert "right_knee_passive" not in added.model.forces


def test_markers_at_the_tips_of_the_feet_mirror_each_other():
    markers = my.load_problem("gait3d_predictive").model.markers
    assert {"heel_r_tip", "heel_l_tip"} <= set(markers)
    for name, marker in markers.items():
        if name.endswith("_r_tip"):
            other = markers[name.replace("_r_tip", "_l_tip")]
            assert other.at == pytest.approx((marker.at[0], marker.at[1], -marker.at[2]))


def test_the_built_in_walk_has_the_goals_that_any_model_gets():
    own, any_model = my.load_problem("gait2d_predictive"), my.walking(my.load_model("gait2d"))
    assert own.goals == any_model.goals
