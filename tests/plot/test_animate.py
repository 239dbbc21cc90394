import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

import myodyne as my
from myodyne.data import DataError, Provenance, Report, Result, Trajectory
from myodyne.errors import FileError
from myodyne.model import Body, Model, pin
from myodyne.plot import Animation, Polyline, animate, animation_of
from myodyne.plot.frames import projected
from myodyne.plot.moving import MOST_FRAMES, Stage, delays
from myodyne.plot.still import stroboscope
from myodyne.plot.style import MUSCLE


def walker(frames=41, *, spatial=False, distance=1.0, title="walker"):
    """Return a trunk and two legs that swing while the hip moves on."""
    time = np.linspace(0.0, 1.0, frames)
    side = 0.1 if spatial else 0.0
    hip = np.stack([distance * time, 0.9 + 0.02 * np.cos(12 * time), 0.2 * time * spatial], axis=-1)
    lines = [Polyline("trunk", "trunk", np.stack([hip, np.add(hip, [0.0, 0.6, 0.0])], axis=1))]
    for name, sign in (("leg_r", 1.0), ("leg_l", -1.0)):
        angle = 0.4 * sign * np.sin(6 * time)
        top = np.add(hip, [0.0, 0.0, sign * side])
        foot = top + 0.9 * np.stack([np.sin(angle), -np.cos(angle), 0 * angle], axis=-1)
        lines.append(Polyline(name, name, np.stack([top, foot], axis=1)))
    lines.append(Polyline("cord", "", np.stack([hip, np.add(hip, [-0.2, 0.3, 0.0])], axis=1)))
    lines.append(
        Polyline("buttock", "", np.stack([np.add(hip, [-0.1, 0.1, 0.0]), lines[1].points[:, 1]], axis=1), muscle=True)
    )
    return Animation(time, tuple(lines), {"head": np.add(hip, [0.0, 0.7, 0.0])}, hip, title, not spatial, True)


def pendulum_run(duration=2.0, rows=201):
    model = Model(
        name="rod",
        bodies={"rod": Body(mass=1.0, centre_of_mass=(0, -0.5, 0), inertia=0.1)},
        joints={"pivot": pin("ground", "rod", "angle")},
    )
    time = np.linspace(0.0, duration, rows)
    columns = Trajectory(time, {"angle": np.sin(2 * time)}, {"angle": "rad"})
    return Result(columns, Report("completed"), Provenance("rod", model.hash), model.model_dump(mode="json"))


# -- poses in one picture


def lines_called(axes, gid):
    return [line for line in axes.lines if line.get_gid() == gid]


@pytest.mark.parametrize("spatial", [False, True])
def test_the_picture_holds_the_poses_at_equal_times(spatial):
    animation = walker(spatial=spatial)
    axes = stroboscope(animation, 5, spread=False).axes[0]
    drawn = lines_called(axes, "segment leg_r")
    assert len(drawn) == 5
    for line, frame in zip(drawn, [0, 10, 20, 30, 40], strict=True):
        expected = projected(animation.segments[1].points[frame], planar=not spatial)
        np.testing.assert_allclose(np.transpose(line.get_data()), expected)
    assert len({line.get_color() for line in drawn}) == 5
    (path,) = lines_called(axes, "com")
    np.testing.assert_allclose(np.transpose(path.get_data()), projected(animation.com, planar=not spatial))
    assert len(lines_called(axes, "marker head")) == 5
    assert lines_called(axes, "ground")
    assert axes.get_aspect() == 1.0
    assert axes.get_title(loc="left") == "walker"


def test_the_time_bar_spans_the_animation():
    figure = stroboscope(walker(), 5, spread=False)
    assert figure.axes[1].get_ylim() == (0.0, 1.0)
    assert figure.axes[1].get_ylabel() == "time (s)"


@pytest.mark.parametrize("spatial", [False, True])
def test_spread_poses_stand_side_by_side_with_their_times(spatial):
    animation = walker(distance=0.0, spatial=spatial)
    axes = stroboscope(animation, 5, spread=True).axes[0]
    drawn = [line for line in axes.lines if str(line.get_gid()).startswith("segment")]
    count = len(animation.segments)
    assert len(drawn) == 5 * count
    poses = [np.concatenate([line.get_xdata() for line in drawn[k * count : (k + 1) * count]]) for k in range(5)]
    spans = [(across.min(), across.max()) for across in poses]
    assert all(before[1] < after[0] for before, after in pairwise(spans))
    assert [text.get_text() for text in axes.get_xticklabels()] == ["0.00", "0.25", "0.50", "0.75", "1.00"]
    assert not lines_called(axes, "com")


def test_a_single_pose_and_a_single_point_can_be_drawn(tmp_path):
    animation = Animation(np.array([0.0]), (Polyline("p", "p", np.zeros((1, 1, 3))),), planar=True, title="$x")
    for ending in ("png", "svg", "gif"):
        animate(animation, tmp_path / f"point.{ending}")
    with Image.open(tmp_path / "point.png") as image:
        assert min(image.size) > 100


# -- GIF


def test_a_gif_has_one_frame_for_each_time_and_lasts_as_long(tmp_path):
    animate(pendulum_run(), tmp_path / "swing.gif")
    with Image.open(tmp_path / "swing.gif") as image:
        assert image.n_frames == 51
        assert image.info["loop"] == 0
        waits = []
        for frame in range(image.n_frames):
            image.seek(frame)
            waits.append(image.info["duration"])
    assert waits == [40] * 51


def test_a_gif_of_a_body_at_rest_keeps_its_frames(tmp_path):
    still = np.tile([[0.0, 0, 0], [1, 1, 0]], (20, 1, 1))
    animate(Animation(np.linspace(0, 1, 20), (Polyline("rod", "rod", still),), planar=True), tmp_path / "rest.gif")
    with Image.open(tmp_path / "rest.gif") as image:
        assert image.n_frames == 20


def test_speed_and_rate_choose_the_number_of_frames(tmp_path):
    for options, frames in (
        ({"speed": 0.5}, 101),
        ({"frames_per_second": 10}, 21),
        ({"speed": 4.0, "frames_per_second": 20}, 11),
    ):
        animate(pendulum_run(), tmp_path / "swing.gif", **options)
        with Image.open(tmp_path / "swing.gif") as image:
            assert image.n_frames == frames


@pytest.mark.parametrize(("rate", "speed"), [(30.0, 1.0), (7.0, 1.0), (33.0, 0.25), (50.0, 1.0)])
def test_rounded_delays_do_not_add_up(rate, speed):
    times = 3.0 + np.arange(61) / rate * speed
    waits = delays(times, speed)
    assert len(waits) == 61
    assert sum(waits) == pytest.approx(61 / rate * 1000, abs=6)
    assert set(waits) <= {10 * math.floor(100 / rate), 10 * math.ceil(100 / rate)}


@pytest.mark.parametrize("spatial", [False, True])
def test_each_frame_shows_its_pose(spatial):
    animation = walker(spatial=spatial)
    stage = Stage(animation)
    for frame in (0, 17, 40):
        stage.draw(frame)
        bones, springs, muscles, _ = stage.axes.collections
        expected = [projected(line.points[frame], planar=not spatial) for line in animation.segments]
        for drawn, wanted in zip(
            [*bones.get_segments(), *springs.get_segments(), *muscles.get_segments()], expected, strict=True
        ):
            np.testing.assert_allclose(drawn, wanted)
        assert len(muscles.get_segments()) == 1
        np.testing.assert_allclose(muscles.get_colors()[0][:3], to_rgb(MUSCLE))
        assert stage.figure.texts[-1].get_text() == f"{animation.times[frame]:.3f} s"
        (left, right), (low, high) = stage.axes.get_xlim(), stage.axes.get_ylim()
        for wanted in expected:
            assert (wanted > [left, low]).all()
            assert (wanted < [right, high]).all()
        width, height = stage.figure.get_size_inches()
        assert (right - left) / (high - low) == pytest.approx(width / height)


def test_the_view_travels_with_a_long_walk():
    animation = walker(distance=20.0)
    stage = Stage(animation)
    widths = []
    for frame in (0, 20, 40):
        stage.draw(frame)
        left, right = stage.axes.get_xlim()
        assert left < animation.com[frame, 0] < right
        widths.append(right - left)
    assert max(widths) < 4.0


def test_the_colours_of_a_gif_are_true(tmp_path):
    animate(walker(5), tmp_path / "walk.gif")
    with Image.open(tmp_path / "walk.gif") as image:
        image.seek(3)
        pixels = np.asarray(image.convert("RGB")).reshape(-1, 3)
    colours = {tuple(map(int, colour)) for colour in np.unique(pixels, axis=0)}
    for wanted in ((255, 255, 255), (0x22, 0x26, 0x2B), (0xD5, 0x5E, 0x00), (0x00, 0x72, 0xB2)):
        assert wanted in colours


def test_gifs_that_nobody_could_open_or_see_are_refused(tmp_path):
    with pytest.raises(DataError, match="at most 50 frames per second, not 80"):
        animate(pendulum_run(), tmp_path / "fast.gif", frames_per_second=80)
    with pytest.raises(DataError, match=r"a GIF of 2501 frames .* run\.slice"):
        animate(pendulum_run(duration=100.0), tmp_path / "long.gif")
    with pytest.raises(DataError, match=f"at most {MOST_FRAMES}"):
        animate(walker(MOST_FRAMES + 1), tmp_path / "long.gif", speed=0.01)
    assert not list(tmp_path.iterdir())


# -- requests


def test_wrong_requests_are_refused(tmp_path):
    with pytest.raises(FileError, match=r"written as \.html, \.gif, \.mp4, \.png, \.svg, \.pdf, not as '\.avi'"):
        animate(walker(), tmp_path / "walk.avi")
    with pytest.raises(FileError, match="a page needs a run"):
        animate(walker(), tmp_path / "walk.html")
    for speed in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(DataError, match="speed must be a positive number"):
            animate(walker(), tmp_path / "walk.gif", speed=speed)
    with pytest.raises(DataError, match="frames_per_second must be a positive number"):
        animate(walker(), tmp_path / "walk.gif", frames_per_second=0.0)
    assert not list(tmp_path.iterdir())


def test_a_picture_of_a_run_is_written(tmp_path):
    animate(pendulum_run(), tmp_path / "rod.png", poses=4)
    with Image.open(tmp_path / "rod.png") as image:
        assert image.format == "PNG"
    axes = stroboscope(animation_of(pendulum_run()), 4, spread=False).axes[0]
    assert len([patch for patch in axes.patches if patch.get_gid() == "solid rod"]) == 4


def test_a_chain_is_refused_by_name(tmp_path: Path) -> None:
    chain = my.newton_euler.Chain([my.newton_euler.Segment("rod", 1.0, 0.5, 1.0, 0.1)])
    for shown in (chain, [my.load_model("pendulum"), chain]):
        with pytest.raises(my.MyodyneError, match=r"not Chain\(rod\); my.newton_euler.to_model"):
            my.animate(shown, tmp_path / "chain.png")  # type: ignore[arg-type]
    with pytest.raises(my.MyodyneError, match="not a Chain; simulate a model first"):
        my.plot(chain)  # type: ignore[arg-type]
