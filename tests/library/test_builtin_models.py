"""The built-in models: upright, symmetric, as heavy and as tall as asked for, and equal to their files."""

import math
from pathlib import Path

import numpy as np
import pytest

from myodyne.errors import ModelError
from myodyne.library.generators import (
    GENERATORS,
    chain,
    double_pendulum_3d,
    free_body,
    full_body,
    heading,
    jumper_skeleton,
    pendulum,
    runner_skeleton,
    spinning_top,
)
from myodyne.model import CoordinateActuator, JointLimit

ROOT = Path(__file__).parents[2]
PEOPLE = (jumper_skeleton, runner_skeleton, full_body)
BODIES = [(75.0, 1.75), (52.5, 1.58), (101.0, 1.96)]


def turned(axis, angle):
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


class Pose:
    """Frames of all bodies, and the axes that move them, written apart from the package's own kinematics."""

    def __init__(self, model, values=None, *, base="default"):
        values = {n: (c.default if base == "default" else 0.0) for n, c in model.coordinates.items()} | (values or {})
        self.model, self.frames, self.axes = model, {"ground": (np.eye(3), np.zeros(3))}, []
        self.parent = {joint.child.body: joint.parent.body for joint in model.joints.values()}
        for joint in (model.joints[name] for name in model.tree):
            rotation, place = self.frames[joint.parent.body]
            place = place + rotation @ joint.parent.at
            assert joint.parent.orientation == joint.child.orientation == joint.child.at == (0, 0, 0)
            for axis in joint.axes:
                assert (axis.function.slope, axis.function.offset) == (1.0, 0.0)
                value, world = values[axis.function.coordinate], rotation @ axis.direction
                if axis.motion == "rotation":
                    rotation = rotation @ turned(axis.direction, value)
                else:
                    place = place + world * value
                self.axes.append((axis.function.coordinate, joint.child.body, axis.motion, world, place))
            self.frames[joint.child.body] = rotation, place

    def point(self, body, at):
        rotation, place = self.frames[body]
        return place + rotation @ at

    def marker(self, name):
        return self.point(self.model.markers[name].body, self.model.markers[name].at)

    def centre(self, body):
        return self.point(body, self.model.bodies[body].centre_of_mass)

    def centre_of_mass(self):
        return sum(b.mass * self.centre(n) for n, b in self.model.bodies.items()) / self.model.mass

    def _carries(self, ancestor, body):
        while body != "ground":
            if body == ancestor:
                return True
            body = self.parent[body]
        return False

    def mass_matrix(self):
        order = list(self.model.coordinates)
        matrix = np.zeros((len(order), len(order)))
        for name, body in self.model.bodies.items():
            linear, angular = np.zeros((3, len(order))), np.zeros((3, len(order)))
            for coordinate, child, motion, axis, place in self.axes:
                if self._carries(child, name):
                    column = order.index(coordinate)
                    turns = motion == "rotation"
                    linear[:, column] = np.cross(axis, self.centre(name) - place) if turns else axis
                    angular[:, column] = axis if turns else 0.0
            rotation = self.frames[name][0]
            inertia = rotation @ np.array(body.inertia.matrix) @ rotation.T
            matrix += body.mass * linear.T @ linear + angular.T @ inertia @ angular
        return matrix


def random_pose(model, seed):
    generator = np.random.default_rng(seed)
    return {n: generator.uniform(*(c.range or (-0.6, 0.6))) for n, c in model.coordinates.items()}


# ---------------------------------------------------------------------------------------------- every model


@pytest.mark.parametrize("name", GENERATORS)
def test_model_says_what_it_is(name):
    model = GENERATORS[name]()
    assert model.name == name
    assert len(model.source) > 60
    assert name in (ROOT / "docs" / "guide" / "builtin_models.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", GENERATORS)
def test_file_is_what_the_generator_makes(name):
    from myodyne.files import load_model

    path = ROOT / "models" / f"{name}.yaml"
    assert load_model(path) == GENERATORS[name]()
    comment, _, content = path.read_text(encoding="utf-8").partition("name:")
    assert comment == heading(name)
    assert content.startswith(f" {name}\n")


# The knees of gait3d slide as they bend, which the frames of this file cannot: tests/library/test_gait3d.py has its own.
@pytest.mark.parametrize("name", [name for name in GENERATORS if name != "gait3d"])
def test_mass_matrix_is_positive_at_the_default_pose(name):
    """A coordinate that moves no inertia would have no acceleration."""
    model = GENERATORS[name]()
    eigenvalues = np.linalg.eigvalsh(Pose(model).mass_matrix())
    assert eigenvalues[0] > 1e-6 * eigenvalues[-1]


# ---------------------------------------------------------------------------------------------- mechanisms


def test_pendulum_swings_with_one_and_a_half_g():
    model = pendulum()
    rod = model.bodies["rod"]
    about_pivot = Pose(model).mass_matrix()[0, 0]
    assert about_pivot == pytest.approx(1 / 3, rel=1e-14)
    assert rod.mass * 9.81 * -rod.centre_of_mass[1] / about_pivot == pytest.approx(1.5 * 9.81, rel=1e-14)
    assert model.gravity == (0.0, -9.81, 0.0)
    assert Pose(model, {"angle": 0.0}).marker("tip") == pytest.approx([0, -1, 0])
    assert Pose(model, {"angle": math.pi / 2}).marker("tip") == pytest.approx([1, 0, 0])


def test_chain_of_one_link_is_the_pendulum():
    assert chain(1).bodies["link1"] == pendulum().bodies["rod"]


@pytest.mark.parametrize("spatial", [False, True])
@pytest.mark.parametrize("links", [1, 2, 7, 30])
def test_chain_hangs_link_by_link(links, spatial):
    model = chain(links, length=0.25, mass=0.5, spatial=spatial)
    assert list(model.coordinates) == [f"q{n}" for n in range(1, links + 1)]
    assert list(model.bodies) == [f"link{n}" for n in range(1, links + 1)]
    hanging = Pose(model, base="zero")
    assert hanging.marker("tip") == pytest.approx([0, -0.25 * links, 0])
    assert hanging.centre_of_mass() == pytest.approx([0, -0.125 * links, 0])
    assert model.mass == pytest.approx(0.5 * links)
    letters = [next("xyz"[i] for i in range(3) if joint.axes[0].direction[i]) for joint in model.joints.values()]
    assert "".join(letters) == (("xyz" * links)[:links] if spatial else "z" * links)


def test_straight_spatial_chain_can_be_moved_by_every_pin():
    # q2, q5 and q8 turn about one line then: only the thickness of the links keeps them apart.
    assert np.linalg.eigvalsh(Pose(chain(9, spatial=True), base="zero").mass_matrix())[0] > 1e-4


@pytest.mark.parametrize("links", [0, -1, 2.0, True, 10_000])
def test_chain_refuses_a_wrong_number_of_links(links):
    with pytest.raises(ModelError, match="links"):
        chain(links)


@pytest.mark.parametrize("size", [{"length": 0.0}, {"mass": -1.0}, {"length": math.nan}])
def test_chain_refuses_links_without_size(size):
    with pytest.raises(ModelError, match="positive"):
        chain(3, **size)


def test_spatial_pendulum_has_inertia_about_its_own_axis():
    rod = double_pendulum_3d().bodies["rod2"]
    assert rod.inertia.yy == pytest.approx(0.5 * 0.05**2)
    assert rod.inertia.xx == pytest.approx((3 * 0.05**2 + 1) / 12)


def test_free_body_spins_about_its_middle_axis_away_from_the_singularity():
    model = free_body()
    inertia = model.bodies["book"].inertia
    assert inertia.zz < inertia.xx < inertia.yy
    assert model.coordinates["turn_x"].default_speed > 100 * model.coordinates["turn_y"].default_speed
    assert model.gravity == (0.0, 0.0, 0.0)
    # Half-way over, the angular momentum L (along the ground's x) has no part on the body's x, and
    # L_y²/I_y + L_z²/I_z = L²/I_x holds as at the start. L_z/L is the sine of turn_y, singular at one.
    share = (1 / inertia.xx - 1 / inertia.yy) / (1 / inertia.zz - 1 / inertia.yy)
    assert math.degrees(math.asin(math.sqrt(share))) == pytest.approx(26, abs=1)


def test_top_is_fast_and_regular_upright():
    model = spinning_top()
    top = model.bodies["top"]
    assert top.inertia.xx == top.inertia.zz
    lever = top.centre_of_mass[1]
    about_tip = top.inertia.xx + top.mass * lever**2
    spin = model.coordinates["spin"].default_speed
    # An upright top stands while I_axial² spin² > 4 I_tip m g l.
    assert (top.inertia.yy * spin) ** 2 > 4 * about_tip * top.mass * 9.81 * lever
    assert np.linalg.eigvalsh(Pose(model, base="zero").mass_matrix())[0] > 1e-5


# ---------------------------------------------------------------------------------------------- people


@pytest.mark.parametrize("make", PEOPLE)
@pytest.mark.parametrize("body", BODIES)
def test_people_have_the_mass_and_height_asked_for(make, body):
    mass, height = body
    model = make(mass=mass, height=height)
    assert model.mass == pytest.approx(mass, rel=1e-11)
    upright = Pose(
        model, {n: model.coordinates[n].default for n in ("pelvis_y",) if n in model.coordinates}, base="zero"
    )
    heels = [upright.marker(name)[1] for name in model.markers if name.startswith(("heel", "toe_tip", "ball"))]
    assert heels == pytest.approx([0.0] * len(heels), abs=1e-9)
    assert upright.marker("head_top")[1] == pytest.approx(height, rel=1e-9)
    # Winter's masses and lengths give 0.577; his HAT, taken as one segment, has its centre a little higher.
    assert 0.55 < upright.centre_of_mass()[1] / height < 0.585


@pytest.mark.parametrize("sex", ["male", "female"])
def test_full_body_of_both_sexes(sex):
    model = full_body(60.0, 1.7, sex)
    pose = Pose(model)
    assert model.mass == pytest.approx(60.0, rel=1e-11)
    assert pose.marker("head_top") == pytest.approx([0, 1.7, 0], abs=1e-9)
    assert 0.55 < pose.centre_of_mass()[1] / 1.7 < 0.57


@pytest.mark.parametrize("make", PEOPLE)
def test_nonsense_is_refused(make):
    with pytest.raises(ModelError, match="centimetres"):
        make(height=175)
    with pytest.raises(ModelError, match="mass"):
        make(mass=-75.0)


@pytest.mark.parametrize("make", [runner_skeleton, full_body])
def test_default_pose_stands_on_the_ground_over_its_feet(make):
    pose = Pose(make())
    for side in "rl":
        for name in (f"heel_{side}", f"toe_tip_{side}", f"ball_of_foot_{side}"):
            assert pose.marker(name)[1] == pytest.approx(0.0, abs=1e-9)
        assert pose.marker(f"heel_{side}")[0] < pose.centre_of_mass()[0] < pose.marker(f"toe_tip_{side}")[0]


@pytest.mark.parametrize("make", PEOPLE)
def test_default_pose_lies_well_inside_the_ranges(make):
    for name, coordinate in make().coordinates.items():
        if coordinate.range is not None:
            low, high = coordinate.range
            assert low + 0.02 < coordinate.default < high - 0.02, name


@pytest.mark.parametrize("make", PEOPLE)
def test_every_joint_of_a_person_has_a_motor(make):
    model = make()
    driven = [force.coordinate for force in model.forces.values() if isinstance(force, CoordinateActuator)]
    passive = [n for n in model.coordinates if n.startswith("pelvis_") or n == "toe"]
    assert sorted(driven) == sorted(set(model.coordinates) - set(passive))
    assert set(model.controls) == {f"{name}_motor" for name in driven}
    assert all(force.gain > 0 for force in model.forces.values() if isinstance(force, CoordinateActuator))


def test_jumper_crouches_in_balance():
    pose = Pose(jumper_skeleton())
    assert pose.marker("ankle_centre")[0] < pose.centre_of_mass()[0] < pose.marker("ball_of_foot")[0] - 0.05
    assert pose.centre_of_mass()[1] < 0.45 * 1.75
    assert pose.marker("heel")[1] == pytest.approx(0.0, abs=1e-12)


def test_jumper_has_limits_where_it_has_ranges():
    model = jumper_skeleton()
    limits = {f.coordinate: f for f in model.forces.values() if isinstance(f, JointLimit)}
    assert set(limits) == set(model.coordinates)
    for name, limit in limits.items():
        low, high = model.coordinates[name].range
        assert low <= limit.lower < limit.upper <= high
    assert limits["toe"].upper == 0.0


def test_angles_of_the_jumper_and_the_runner_mean_the_same():
    jumper, runner = jumper_skeleton(), runner_skeleton()
    angles = {name: jumper.coordinates[name].default for name in ("ankle", "knee", "hip")}
    crouched = Pose(jumper)
    turn = sum(-angle for angle in angles.values())
    copied = Pose(runner, {f"{n}_r": a for n, a in angles.items()} | {"pelvis_tilt": turn})
    pairs = [("heel", "heel_r"), ("ball_of_foot", "ball_of_foot_r")]
    for mine, theirs in pairs:
        from_hip = copied.marker(theirs) - copied.frames["trunk"][1]
        assert crouched.marker(mine) - crouched.marker("hip_centre") == pytest.approx(from_hip, abs=1e-9)


@pytest.mark.parametrize("make", [runner_skeleton, full_body])
def test_left_and_right_segments_are_equal(make):
    model = make()
    sided = [name for name in model.bodies if name.endswith("_r")]
    assert len(sided) * 2 + len([n for n in model.bodies if not n.endswith(("_r", "_l"))]) == len(model.bodies)
    for name in sided:
        assert model.bodies[name] == model.bodies[f"{name[:-2]}_l"]
    for name, coordinate in model.coordinates.items():
        if name.endswith("_r"):
            assert coordinate == model.coordinates[f"{name[:-2]}_l"]


def mirrored_name(name):
    return name[:-2] + {"_r": "_l", "_l": "_r"}[name[-2:]] if name.endswith(("_r", "_l")) else name


# Motions of the middle of the body that the mirror turns round.
SIDEWAYS = {
    "pelvis_z",
    "pelvis_list",
    "pelvis_rotation",
    "lumbar_bending",
    "lumbar_rotation",
    "neck_bending",
    "neck_rotation",
}


@pytest.mark.parametrize("seed", range(5))
def test_mirrored_pose_gives_mirrored_positions(seed):
    model = full_body()
    values = random_pose(model, seed)
    mirrored = {mirrored_name(n): -v if n in SIDEWAYS else v for n, v in values.items()}
    one, other, mirror = Pose(model, values), Pose(model, mirrored), np.diag([1.0, 1.0, -1.0])
    for name in model.markers:
        assert other.marker(mirrored_name(name)) == pytest.approx(mirror @ one.marker(name), abs=1e-12), name
    for name in model.bodies:
        twin = mirrored_name(name)
        assert other.centre(twin) == pytest.approx(mirror @ one.centre(name), abs=1e-12), name
        assert other.frames[twin][0] == pytest.approx(mirror @ one.frames[name][0] @ mirror, abs=1e-12), name
    assert np.linalg.eigvalsh(one.mass_matrix()) == pytest.approx(np.linalg.eigvalsh(other.mass_matrix()), abs=1e-9)


FORWARD, BACKWARD, UP, MEDIAL, LATERAL = "forward", "backward", "up", "medial", "lateral"


@pytest.mark.parametrize("side", ["r", "l"])
@pytest.mark.parametrize(
    ("coordinate", "marker", "way"),
    [
        ("hip_flexion", "heel", FORWARD),
        ("hip_adduction", "heel", MEDIAL),
        ("hip_rotation", "toe_tip", MEDIAL),
        ("knee", "heel", FORWARD),
        ("ankle", "toe_tip", UP),
        ("subtalar", "heel", MEDIAL),
        ("shoulder_flexion", "fingertip", FORWARD),
        ("shoulder_adduction", "fingertip", MEDIAL),
        ("elbow", "fingertip", FORWARD),
        ("wrist_flexion", "fingertip", FORWARD),
        ("wrist_deviation", "fingertip", MEDIAL),
    ],
)
def test_positive_angles_are_the_named_motion_on_both_sides(coordinate, marker, way, side):
    """From the anatomical position; the wrist deviates to the ulnar side, the foot inverts."""
    model = full_body()
    moved = Pose(model, {f"{coordinate}_{side}": 0.1}, base="zero").marker(f"{marker}_{side}")
    motion = moved - Pose(model, base="zero").marker(f"{marker}_{side}")
    outwards = 1.0 if side == "r" else -1.0
    direction = {FORWARD: (1, 0, 0), UP: (0, 1, 0), MEDIAL: (0, 0, -outwards)}[way]
    assert motion @ direction > 0.8 * np.linalg.norm(motion) > 0


@pytest.mark.parametrize("side", ["r", "l"])
def test_palms_face_the_thighs_by_default_and_forward_at_zero(side):
    model = full_body()
    palm = np.array([1.0, 0.0, 0.0])
    inwards = [0, 0, -1] if side == "r" else [0, 0, 1]
    assert Pose(model, base="zero").frames[f"hand_{side}"][0] @ palm == pytest.approx([1, 0, 0])
    assert Pose(model).frames[f"hand_{side}"][0] @ palm == pytest.approx(inwards, abs=1e-3)
    # Internal rotation of a bent arm carries the hand across the body.
    bent = Pose(model, {f"elbow_{side}": 1.5, f"shoulder_rotation_{side}": 0.3}, base="zero")
    straight = Pose(model, {f"elbow_{side}": 1.5}, base="zero")
    assert (bent.marker(f"fingertip_{side}") - straight.marker(f"fingertip_{side}")) @ inwards > 0.05


def test_torso_is_its_two_parts():
    from myodyne.library.anthropometry import de_leva_segments

    torso, pelvis = full_body().bodies["torso"], full_body().bodies["pelvis"]
    whole = de_leva_segments(75.0, 1.75)["trunk_2"]
    assert torso.mass + pelvis.mass == pytest.approx(whole.mass)
    # The whole trunk as tabulated, from the same parts joined by the parallel-axis theorem.
    apart = Pose(full_body()).centre("torso")[1] - Pose(full_body()).centre("pelvis")[1]
    reduced = torso.mass * pelvis.mass / (torso.mass + pelvis.mass)
    together = torso.inertia.zz + pelvis.inertia.zz + reduced * apart**2
    # 4 % less from the shorter lengths, and a few percent between de Leva's trunk and its parts.
    assert together == pytest.approx(0.96 * whole.transverse, rel=0.06)


@pytest.mark.parametrize("make", [runner_skeleton, full_body])
def test_shape_of_the_tree(make):
    model = make()
    expected = {"runner_skeleton": (12, 14, 11), "full_body": (15, 38, 32)}[model.name]
    assert (len(model.bodies), len(model.coordinates), len(model.controls)) == expected
