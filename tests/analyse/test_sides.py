"""Mirrored sides: partners, signs by geometry, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from myodyne.analyse.sides import mirrored_name

SHARED = Path(__file__).parents[2] / ".." / "shared" / "models_osim"
MIRROR = np.diag([1.0, 1.0, -1.0])


def two_legged(left_axis="x", left_gain=30.0, left_mass=2.0):
    """A floating pelvis, two legs that spread, a trunk that bends sideways, and motors."""
    leg = {"centre_of_mass": (0.0, -0.3, 0.0), "inertia": 0.05}
    return my.Model(
        name="spreader",
        bodies={
            "pelvis": my.Body(mass=10.0, inertia=0.3),
            "trunk": my.Body(mass=20.0, centre_of_mass=(0.0, 0.3, 0.0), inertia=0.8),
            "leg_r": my.Body(mass=2.0, **leg),
            "leg_l": my.Body(mass=left_mass, **leg),
        },
        joints={
            "free": my.free("ground", "pelvis", ["px", "py", "pz", "list", "turn", "tilt"]),
            "back": my.pin("pelvis", "trunk", "bend", axis="x"),
            "hip_r": my.pin({"body": "pelvis", "at": (0.0, 0.0, 0.1)}, "leg_r", "spread_r", axis="x"),
            "hip_l": my.pin({"body": "pelvis", "at": (0.0, 0.0, -0.1)}, "leg_l", "spread_l", axis=left_axis),
        },
        forces={
            "bend_motor": my.CoordinateActuator(coordinate="bend", gain=50.0),
            "motor_r": my.CoordinateActuator(coordinate="spread_r", gain=30.0),
            "motor_l": my.CoordinateActuator(coordinate="spread_l", gain=left_gain),
            "twist": my.TorqueActuator(body="trunk", reaction="pelvis", axis="y", axes="body", gain=5.0),
            "nod": my.TorqueActuator(body="trunk", reaction="pelvis", axis="z", axes="body", gain=5.0),
            "shove": my.PointActuator(body="trunk", direction="z", gain=5.0),
        },
    )


def reflected_error(model, seed):
    """How far the mirrored poses of a model are off the reflections of random poses (m)."""
    sides, equations = my.sides_of(model), my.equations_of(model, compiled=False)
    q = dict(zip(equations.coordinates, np.random.default_rng(seed).uniform(-0.4, 0.4, 99), strict=False))
    other = {sides.partners[name]: sides.sign(name) * value for name, value in q.items()}
    one = equations.body_positions(list(q.values()))
    two = equations.body_positions([other[name] for name in equations.coordinates])
    return max(np.linalg.norm(MIRROR @ one[name] - two[mirrored_name(name, two)]) for name in one)


@pytest.mark.parametrize("left_axis", ["x", "-x"])
def test_the_mirrored_pose_is_the_reflection_of_the_pose_whatever_the_axes(left_axis):
    model = two_legged(left_axis)
    sides = my.sides_of(model)
    assert sides.sign("spread_r") == sides.sign("spread_l") == (-1.0 if left_axis == "x" else 1.0)
    assert not sides.planar
    assert max(reflected_error(model, seed) for seed in range(4)) < 1e-9


@pytest.mark.parametrize("name", ["gait2d", "full_body", "runner"])
def test_built_in_models_mirror(name):
    assert max(reflected_error(my.load_model(name), seed) for seed in range(3)) < 1e-9


def test_motors_change_sign_with_what_they_move():
    sides = my.sides_of(two_legged("-x"))
    assert [sides.sign(f"{name}.control") for name in ("bend_motor", "motor_r")] == [-1.0, 1.0]
    # A turn about z is the same in the mirror, one about y is not; a push to the right becomes one to the left.
    assert [sides.sign(name) for name in ("nod", "twist", "shove")] == [1.0, -1.0, -1.0]
    assert my.sides_of(two_legged("-x", left_gain=-30.0)).sign("motor_l") == -1.0
    assert my.sides_of(two_legged("x", left_gain=-30.0)).sign("motor_l") == 1.0


def test_outputs_have_signs_too():
    sides = my.sides_of(two_legged())
    assert [sides.sign(f"com.velocity_{axis}") for axis in "xyz"] == [1.0, 1.0, -1.0]
    assert [sides.sign(f"hip_r.reaction_moment_{axis}") for axis in "xyz"] == [-1.0, -1.0, 1.0]
    assert (sides.sign("bend.speed"), sides.sign("bend.moment"), sides.sign("bend.power")) == (-1.0, -1.0, 1.0)


def test_a_periodic_movement_in_space_has_the_pelvis_list_opposite():
    model = two_legged()
    problem = my.Problem(model, duration=1.0, conditions=[my.Periodic(mirrored=True)])
    assert slopes(problem, ("list", "tilt", "bend_motor.control")) == {
        "list": 1.0,
        "tilt": -1.0,
        "bend_motor.control": 1.0,
    }
    chosen = my.Problem(model, duration=1.0, conditions=[my.Periodic(mirrored=True, negated=("bend_motor.control",))])
    assert slopes(chosen, ("list", "bend_motor.control")) == {"list": -1.0, "bend_motor.control": 1.0}


def slopes(problem, names):
    """How the row of the periodicity of each name changes with its value at the start."""
    import casadi as ca

    class Side(dict):
        def __missing__(self, name):
            self[name] = ca.SX.sym(name)
            return self[name]

    class Ends:
        model, start, end = problem.model, Side(), Side()
        motion = my.equations_of(model, compiled=False).motion
        controls = tuple(f"{name}.control" for name in problem.model.controls)

    rows = {row[0]: row[1] for row in problem.conditions[0].ends(Ends())}
    return {name: float(ca.jacobian(rows[f"periodic {name}"], Ends.start[name])) for name in names}


@pytest.mark.parametrize(
    ("message", "model"),
    [
        ("'leg_l' has a mass of 3 kg, 'leg_r' of 2 kg", lambda: two_legged(left_mass=3.0)),
        (
            "'motor_r' does not act like 'motor_l'|'motor_l' does not act like 'motor_r'",
            lambda: two_legged(left_gain=9.0),
        ),
        ("'spread_l' moves 'leg_l' differently|'spread_r' moves 'leg_r' differently", lambda: two_legged("z")),
        ("gravity points to a side", lambda: two_legged().with_values({"gravity.z": 1.0})),
        ("no other side for 'right_soleus'", lambda: my.load_model("gait2d").without("left_soleus")),
        (
            "right_soleus.max_force is",
            lambda: my.load_model("gait2d").with_values({"right_soleus.max_force": 100.0}),
        ),
        ("the contact 'right_toe' of", lambda: my.load_model("gait2d").without("left_toe")),
        (
            "the joint of 'left_shank' is .* cm off|the joint of 'right_shank' is|the centre of mass of 'left_shank'",
            lambda: my.load_model("gait2d").with_values({"right_knee.parent.at.y": -0.6}),
        ),
    ],
)
def test_sides_that_differ_are_named(message, model):
    with pytest.raises(my.ModelError, match=message):
        my.sides_of(model())


def test_a_whole_cycle_leaves_out_markers_on_one_side_alone():
    """Recorded markers often are on one side: the shoulder has one that the other lacks."""
    model = my.load_model("gait2d").with_parts(markers={"R.SH4": my.Marker(body="trunk")})
    half = my.Trajectory(
        [0.0, 0.5], {"pelvis_x": [0.0, 0.6], "trunk.position_x": [0.0, 0.6], "R.SH4.position_x": [0.0, 0.6]}
    )
    assert my.whole_cycle(half, model).names == ("pelvis_x", "trunk.position_x")
    with pytest.raises(my.ModelError, match="has a side"):
        my.whole_cycle(half, my.load_model("gait2d"))


def test_the_whole_cycle_of_a_model_in_space():
    model = two_legged("-x")
    time = np.array([0.0, 0.2, 0.5])
    half = my.Trajectory(
        time,
        {
            "px": [0.0, 0.2, 0.6],
            "list": [0.1, 0.0, -0.1],
            "spread_r": [0.1, 0.2, 0.3],
            "spread_l": [0.3, 0.0, 0.1],
            "leg_r.position_x": [0.0, 0.3, 0.5],
            "leg_l.position_x": [-0.1, 0.3, 0.6],
        },
    )
    whole = my.whole_cycle(half, model)
    assert whole.time == pytest.approx([0.0, 0.2, 0.5, 0.7, 1.0])
    assert whole.values("px") == pytest.approx([0.0, 0.2, 0.6, 0.8, 1.2])
    assert whole.values("list") == pytest.approx([0.1, 0.0, -0.1, 0.0, 0.1])
    assert whole.values("spread_r") == pytest.approx([0.1, 0.2, 0.3, 0.0, 0.1])
    assert whole.values("leg_r.position_x") == pytest.approx([0.0, 0.3, 0.5, 0.9, 1.2])


@pytest.mark.skipif(not SHARED.is_dir(), reason="OpenSim models are not beside the repository")
def test_opensim_models_have_signs_as_anatomy_has_them():
    sides = my.sides_of(my.load_model(SHARED / "subject_walk_scaled.osim"))
    midline = ("pelvis_list", "pelvis_rotation", "pelvis_tz", "lumbar_bending", "lumbar_rotation")
    assert [name for name in sides.negated if name in sides.partners][:5] == list(midline)
    assert sides.sign("hip_adduction_r") == sides.sign("arm_rot_l") == 1.0
    with pytest.raises(my.ModelError, match=r"no other side for 'femur_r', 'tibia_r'"):
        my.sides_of(my.load_model(SHARED / "leg6dof9musc.osim"))
