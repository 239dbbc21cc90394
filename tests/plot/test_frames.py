import numpy as np
import pytest

from myodyne.data import DataError, Provenance, Report, Result, Trajectory
from myodyne.equations import equations_of
from myodyne.model import (
    Body,
    ConditionalPoint,
    FunctionPath,
    Ligament,
    Linear,
    Marker,
    Model,
    MovingPoint,
    Muscle,
    PathSpring,
    Placement,
    PointPath,
    PointSpring,
    Wrap,
    WrapCylinder,
    pin,
)
from myodyne.plot import Animation, Polyline, animate, animation_of
from myodyne.plot.frames import ground_lines, on_the_left, projected
from myodyne.view.scene import lies_in_plane


def result_of(model, columns, time):
    units = dict.fromkeys(columns, "rad")
    return Result(
        Trajectory(time, columns, units),
        Report("completed"),
        Provenance(model.name, model.hash),
        model.model_dump(mode="json"),
    )


def double_pendulum():
    return Model(
        name="double pendulum",
        bodies={
            "upper": Body(mass=2.0, centre_of_mass=(0, -0.3, 0), inertia=0.1),
            "lower": Body(mass=1.0, centre_of_mass=(0, -0.25, 0), inertia=0.1),
        },
        joints={
            "shoulder": pin("ground", "upper", "shoulder"),
            "elbow": pin({"body": "upper", "at": (0, -0.6, 0)}, "lower", "elbow"),
        },
        markers={"wall": Marker(body="ground", at=(1.0, 0.0, 0.0))},
        forces={
            "cord": PointSpring(
                start=Marker(body="ground", at=(1.0, 0.0, 0.0)), end=Marker(body="lower", at=(0, -0.5, 0))
            )
        },
    )


def swing():
    time = np.linspace(0.0, 1.0, 11)
    return result_of(double_pendulum(), {"shoulder": 0.9 * np.sin(3 * time), "elbow": 0.5 * time}, time)


def down(angle):
    return np.stack([np.sin(angle), -np.cos(angle), 0.0 * angle], axis=-1)


def test_muscles_and_ligaments_run_along_their_points():
    """A moving point slides on its body; a point that is off lies on the one before it; a formula has no place."""
    tip = MovingPoint(body="lower", at=(Linear(coordinate="elbow", slope=0.2), -0.1, 0.0))
    bump = ConditionalPoint(body="upper", at=(0.1, -0.55, 0.0), coordinate="elbow", range=(0.24, 3.0))
    along = PointPath(points=(("ground", (0.1, 0.0, 0.0)), bump, tip))
    formula = FunctionPath(length=Linear(coordinate="elbow", slope=-0.03, offset=0.3))
    muscle = {"max_force": 100.0, "optimal_fibre_length": 0.1, "tendon_slack_length": 0.2}
    model = double_pendulum().with_parts(
        muscles={"biceps": Muscle(path=along, **muscle), "other": Muscle(path=formula, **muscle)},
        forces={
            "band": Ligament(
                path=PointPath(points=(("upper", (0.0, -0.5, 0.0)), ("lower", (0.0, -0.1, 0.0)))),
                slack_length=0.1,
                stiffness=1000.0,
            )
        },
    )
    time = np.linspace(0.0, 1.0, 11)
    run = result_of(model, {"shoulder": 0.9 * np.sin(3 * time), "elbow": 0.5 * time}, time)
    lines = {line.label: line for line in animation_of(run).segments}
    assert "other" not in lines
    assert [lines[name].muscle for name in ("biceps", "band", "cord", "upper")] == [True, False, False, False]
    first, second = 0.9 * np.sin(3 * time), 0.9 * np.sin(3 * time) + 0.5 * time
    origin = np.tile([0.1, 0.0, 0.0], (11, 1))
    over = 0.1 * down(first + np.pi / 2) + 0.55 * down(first)
    end = 0.6 * down(first) + 0.2 * (0.5 * time)[:, None] * down(second + np.pi / 2) + 0.1 * down(second)
    on = (0.5 * time >= 0.24)[:, None]
    assert on.any()
    assert not on.all()
    np.testing.assert_allclose(
        lines["biceps"].points, np.stack([origin, np.where(on, over, origin), end], axis=1), atol=1e-12
    )
    np.testing.assert_allclose(lines["band"].points[:, 1], 0.6 * down(first) + 0.1 * down(second), atol=1e-12)


def test_paths_over_surfaces_run_along_them_in_the_ground():
    """Cables appear as well; every pose has as many points; the drawn line is as long as the path."""
    roll = WrapCylinder(frame=Placement(body="upper", at=(0.0, -0.6, 0.0)), radius=0.05, length=0.4)
    around = PointPath(
        points=(("upper", (0.08, -0.3, 0.0)), ("lower", (0.08, -0.2, 0.0))), wraps=(Wrap(surface="roll"),)
    )
    model = double_pendulum().with_parts(
        surfaces={"roll": roll},
        muscles={"flexor": Muscle(path=around, max_force=100.0, optimal_fibre_length=0.1, tendon_slack_length=0.2)},
        forces={"cable": PathSpring(path=around, rest_length=0.3, stiffness=100.0)},
    )
    time = np.linspace(0.0, 1.0, 11)
    elbow = -1.5 + 2.5 * time
    run = result_of(model, {"shoulder": 0.9 * np.sin(3 * time), "elbow": elbow}, time)
    lines = {line.label: line for line in animation_of(run).segments}
    points = lines["flexor"].points
    np.testing.assert_array_equal(lines["cable"].points, points)
    assert (lines["flexor"].muscle, lines["cable"].muscle) == (True, False)
    equations = equations_of(model, compiled=False)
    lengths = equations.muscle_lengths(np.column_stack([run.values("shoulder"), elbow]))[:, 0]
    drawn = np.linalg.norm(np.diff(points, axis=1), axis=2)
    # Chords of sixteenths of the arc.
    np.testing.assert_allclose(drawn.sum(axis=1), lengths, rtol=1e-3)
    straight = drawn[:, 1:].sum(axis=1) == 0.0
    assert straight.any()
    assert not straight.all()
    # What lies on the roll keeps its distance from the elbow.
    middle = 0.6 * down(run.values("shoulder"))
    on = points[~straight, 1:-1] - middle[~straight, None]
    np.testing.assert_allclose(np.linalg.norm(on, axis=2), 0.05, atol=1e-12)


def test_many_markers_do_not_determine_the_shape_of_a_body():
    worn = {f"m{number}": Marker(body="upper", at=(0.05, -0.1 * number, 0.0)) for number in range(5)}
    worn |= {f"n{number}": Marker(body="lower", at=(0.05, -0.1 * number, 0.0)) for number in range(5)}
    model = double_pendulum().with_parts(markers=worn)
    time = np.array([0.0, 1.0])
    animation = animation_of(result_of(model, {"shoulder": time, "elbow": time}, time))
    assert set(worn) <= set(animation.points)
    # The upper arm has a joint to lead to, the lower one twice the way to its centre of mass.
    lines = {line.label: line.points[0] for line in animation.segments if line.body}
    np.testing.assert_allclose(lines["upper"][1], [0.0, -0.6, 0.0], atol=1e-12)
    np.testing.assert_allclose(lines["lower"][1], [0.0, -1.1, 0.0], atol=1e-12)


def test_the_stick_figure_follows_the_angles():
    run = swing()
    animation = animation_of(run)
    first, both = run.values("shoulder"), run.values("shoulder") + run.values("elbow")
    elbow, hand = 0.6 * down(first), 0.6 * down(first) + 0.5 * down(both)
    lines = {line.label: line for line in animation.segments}
    # The upper arm ends where the elbow sits; the lower one at twice the way to its centre of mass.
    np.testing.assert_allclose(lines["upper"].points, np.stack([0 * elbow, elbow], axis=1), atol=1e-12)
    np.testing.assert_allclose(lines["lower"].points, np.stack([elbow, hand], axis=1), atol=1e-12)
    assert lines["cord"].body == ""
    np.testing.assert_allclose(lines["cord"].points[:, 0], np.tile([1.0, 0.0, 0.0], (11, 1)))
    np.testing.assert_allclose(lines["cord"].points[:, 1], hand, atol=1e-12)
    np.testing.assert_allclose(animation.points["wall"], np.tile([1.0, 0.0, 0.0], (11, 1)))
    np.testing.assert_allclose(animation.com, (2.0 * 0.5 * elbow + elbow + 0.25 * down(both)) / 3.0, atol=1e-12)
    np.testing.assert_array_equal(animation.times, run.time)
    assert animation.planar
    assert not animation.ground
    assert animation.title == "double pendulum"


def test_frames_may_stand_at_other_times():
    animation = animation_of(swing(), [0.05, 0.5])
    assert animation.segments[0].points.shape == (2, 2, 3)
    np.testing.assert_array_equal(animation.times, [0.05, 0.5])


def test_a_movement_out_of_the_plane_is_spatial():
    model = Model(
        name="fan",
        bodies={"fan": Body(mass=1.0, centre_of_mass=(0, 0.5, 0), inertia=0.1)},
        joints={"spin": pin("ground", "fan", "spin", axis="x")},
    )
    assert not animation_of(result_of(model, {"spin": [0.0, 0.7]}, [0.0, 1.0])).planar


def test_runs_without_model_or_coordinates_are_refused():
    run = swing()
    with pytest.raises(DataError, match="carries its model"):
        animation_of(run.trajectory)
    with pytest.raises(DataError, match="carries its model"):
        animate(Result(run.trajectory, run.report, run.provenance), "x.gif")
    with pytest.raises(DataError, match="lacks the coordinates 'elbow'"):
        animation_of(run.select("shoulder"))


def rod(poses, times=(0.0, 1.0), **rest):
    return Animation(np.array(times), (Polyline("rod", "rod", np.array(poses, dtype=float)),), **rest)


POSES = [[[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, 1, 0]]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rod(POSES, times=(0.0, 0.0)), "times of an animation must increase"),
        (lambda: rod(POSES, times=(0.0, 1.0, 2.0)), r"'rod' has the shape \(2, 2, 3\); 3 times"),
        (lambda: rod([[[0, 0], [1, 0]]] * 2), "x, y, z are needed"),
        (lambda: rod([[[0, 0, 0]], [[0, np.nan, 0]]]), "'rod' has no finite position at 1 s"),
        (lambda: rod(POSES, com=np.zeros((3, 3))), "'centre of mass' has the shape"),
        (lambda: rod(POSES, points={"m": np.zeros((2, 2))}), "'m' has the shape"),
        (lambda: Animation(np.array([0.0]), ()), "needs a line or a point"),
    ],
)
def test_impossible_animations_are_refused(make, message):
    with pytest.raises(DataError, match=message):
        make()


def test_bounds_take_in_everything():
    animation = rod(POSES, points={"m": np.array([[0, 0, -2.0], [0, 0, 3.0]])}, com=np.array([[0, -5.0, 0], [0, 0, 0]]))
    np.testing.assert_array_equal(animation.lower, [0, -5, -2])
    np.testing.assert_array_equal(animation.upper, [1, 1, 3])
    assert animation.size == 6.0
    assert animation.all_points().shape == (2, 4, 3)


def test_projection_shows_the_plane_as_it_is_and_space_from_the_front_right():
    points = np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]])
    np.testing.assert_array_equal(projected(points, planar=True), points[:, :2])
    right, up = projected(np.eye(3), planar=False).T
    assert right[0] > 0.8
    assert up[1] > 0.9
    # What stands nearer to the viewer, on the right of the body, lies lower in the picture.
    assert up[2] < 0.0
    # An orthographic view: the squares of each direction's foreshortening add up to two.
    assert np.sum(right**2) == pytest.approx(1.0)
    assert np.sum(up**2) == pytest.approx(1.0)
    assert np.dot(right, up) == pytest.approx(0.0, abs=1e-15)


def test_plane_ground_and_side_are_recognised():
    flat = np.array([[[0, 0, 0.1], [1, 0, 0.1]], [[1, 0, 0.1], [2, 1, 0.1]]])
    assert lies_in_plane(flat)
    assert not lies_in_plane(flat * [[1, 1, 1], [1, 1, -1]])
    assert not lies_in_plane(flat * np.array([[[1, 1, 1]], [[1, 1, 2]]]))
    assert ground_lines(rod(POSES)) == []
    (line,) = ground_lines(rod(POSES, ground=True, planar=True))
    assert (line[:, 1:] == 0).all()
    grid = ground_lines(rod(POSES, ground=True))
    assert len(grid) > 4
    assert all((line[:, 1] == 0).all() for line in grid)
    assert [on_the_left(name) for name in ("thigh_l", "left_arm", "femur_r", "tool", "Shank_L")] == [
        True,
        True,
        False,
        False,
        True,
    ]
