import json
import math
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from myodyne.data import DataError, Provenance, Report, Result, Trajectory
from myodyne.errors import FileError
from myodyne.model import Body, Model, pin
from myodyne.plot import Animation, Polyline, animate, animation_of
from myodyne.plot.frames import projected
from myodyne.plot.moving import MOST_FRAMES, Stage, delays
from myodyne.plot.still import stroboscope
from myodyne.plot.style import MUSCLE

HARNESS = Path(__file__).with_name("page_harness.js")
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed, so the page's script cannot run")

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>'\"&@ANIMATION@@TITLE@\u2028"


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
    series = Trajectory(time, {"hip": np.sin(6 * time), "gap": np.where(time > 0.5, np.nan, time)}, {"hip": "rad"})
    return Animation(time, tuple(lines), {"head": np.add(hip, [0.0, 0.7, 0.0])}, hip, title, not spatial, True, series)


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
    for ending in ("png", "svg", "gif", "html"):
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
        bones, springs, muscles = stage.axes.collections
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


# -- page


class Scripts(HTMLParser):
    """Collects the scripts and every attribute of a page, as a browser would see them."""

    def __init__(self):
        super().__init__()
        self.scripts, self.tags, self.attributes = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.tags and self.tags[-1] == "script" and self.cdata_elem == "script":
            self.scripts[-1] += data


def read_page(path):
    parser = Scripts()
    parser.feed(path.read_text(encoding="utf-8"))
    return parser, json.loads(parser.scripts[0])


@pytest.mark.parametrize("spatial", [False, True])
def test_the_page_holds_the_numbers_of_the_animation(tmp_path, spatial):
    animation = walker(spatial=spatial)
    animate(animation, tmp_path / "walk.html", speed=0.5)
    _, data = read_page(tmp_path / "walk.html")
    np.testing.assert_allclose(data["times"], animation.times, atol=1e-5)
    assert [line["label"] for line in data["segments"]] == ["trunk", "leg_r", "leg_l", "cord", "buttock"]
    assert [line["left"] for line in data["segments"]] == [False, False, True, False, False]
    assert [line["muscle"] for line in data["segments"]] == [False, False, False, False, True]
    for held, line in zip(data["segments"], animation.segments, strict=True):
        points = np.reshape(held["points"], (len(animation.times), held["count"], 3))
        np.testing.assert_array_equal(points, np.round(line.points, 5))
    np.testing.assert_array_equal(np.reshape(data["com"], (-1, 3)), np.round(animation.com, 5))
    assert data["points"][0]["label"] == "head"
    np.testing.assert_array_equal(
        np.reshape(data["points"][0]["points"], (-1, 3)), np.round(animation.points["head"], 5)
    )
    assert (data["planar"], data["ground"], data["speed"]) == (not spatial, True, 0.5)
    hip, gap = data["series"]["columns"]
    np.testing.assert_allclose(hip["values"], animation.series.values("hip"), atol=1e-5)
    assert hip["unit"] == "rad"
    assert gap["values"][-1] is None
    assert gap["values"][0] == 0.0


def test_small_and_large_figures_keep_their_shape(tmp_path):
    for size in (1e-6, 1.0, 1e6):
        animation = walker()
        scaled = Animation(
            animation.times, tuple(line._replace(points=size * line.points) for line in animation.segments), planar=True
        )
        animate(scaled, tmp_path / "size.html")
        _, data = read_page(tmp_path / "size.html")
        points = np.reshape(data["segments"][1]["points"], (len(animation.times), 2, 3))
        np.testing.assert_allclose(points / size, animation.segments[1].points, atol=2e-5)


def test_the_page_needs_nothing_else_and_runs_nothing_else(tmp_path):
    animate(walker(), tmp_path / "walk.html")
    text = (tmp_path / "walk.html").read_text(encoding="utf-8")
    assert not re.search(r"https?:|//[a-z]+\.|url\(|@import|\bimport\(|fetch\(|XMLHttpRequest|WebSocket", text)
    parser, _ = read_page(tmp_path / "walk.html")
    assert not [pair for pair in parser.attributes if pair[1] in ("src", "href") or pair[1].startswith("on")]
    assert "default-src 'none'" in text
    assert "@ANIMATION@" not in text
    assert "@TITLE@" not in text


def hostile_animation():
    points = np.tile([[0.0, 0, 0], [1, 1, 0]], (2, 1, 1))
    series = Trajectory([0.0, 1.0], {HOSTILE.rstrip("\u2028"): [0.0, 1.0]})
    return Animation(
        np.array([0.0, 1.0]),
        (Polyline(HOSTILE, HOSTILE, points),),
        {HOSTILE: points[:, 0]},
        None,
        HOSTILE,
        True,
        series=series,
    )


def test_hostile_names_cannot_break_out(tmp_path):
    animate(walker(), tmp_path / "plain.html")
    animate(hostile_animation(), tmp_path / "hostile.html")
    plain, _ = read_page(tmp_path / "plain.html")
    parser, data = read_page(tmp_path / "hostile.html")
    assert parser.tags == plain.tags
    assert parser.scripts[1] == plain.scripts[1]
    assert data["title"] == HOSTILE
    assert data["segments"][0]["label"] == HOSTILE
    assert data["points"][0]["label"] == HOSTILE


def test_a_run_keeps_its_own_times_where_they_suffice(tmp_path):
    animate(pendulum_run(rows=61), tmp_path / "few.html")
    _, data = read_page(tmp_path / "few.html")
    np.testing.assert_allclose(data["times"], pendulum_run(rows=61).time, atol=1e-5)
    animate(pendulum_run(rows=2001), tmp_path / "many.html")
    _, data = read_page(tmp_path / "many.html")
    assert len(data["times"]) == 121
    tip = np.reshape(data["segments"][0]["points"], (121, 2, 3))[:, 1]
    angle = np.sin(2 * np.linspace(0.0, 2.0, 121))
    np.testing.assert_allclose(tip[:, 0], np.sin(angle), atol=2e-5)
    assert data["series"]["columns"][0]["name"] == "angle"


def test_pages_that_no_browser_could_open_are_refused(tmp_path, monkeypatch):
    # By way of sys.modules, because myodyne.plot is also the name of a function.
    monkeypatch.setattr(sys.modules["myodyne.plot.page"], "_MOST_NUMBERS", 100)
    with pytest.raises(DataError, match=r"too large to open \(at most 100\)"):
        animate(walker(), tmp_path / "big.html")


def played(path, actions):
    done = subprocess.run(
        [NODE, str(HARNESS), str(path), json.dumps(actions)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def bones(shown):
    """Return the bones on the screen, longest first: pixels."""
    return [line["points"] for line in shown["stage"] if line["what"] == "line" and line["width"] == 5]


@needs_node
def test_the_page_draws_the_pose_of_its_time(tmp_path):
    animation = walker()
    animate(animation, tmp_path / "walk.html")
    for part, frame in ((0.0, 0), (0.5, 20), (1.0, 40)):
        shown = played(tmp_path / "walk.html", [["follow", False], ["scrub", part]])
        assert shown["clock"] == f"{animation.times[frame]:.3f} s"
        pixels = np.array(bones(shown))
        truth = np.array([line.points[frame, :, :2] for line in animation.segments if line.body])
        # One scale across and up, up being against the pixels' direction.
        scale = (pixels[0, 0, 1] - pixels[0, 1, 1]) / (truth[0, 1, 1] - truth[0, 0, 1])
        np.testing.assert_allclose((pixels - pixels[0, 0]) / [scale, -scale], truth - truth[0, 0], atol=1e-4)
        assert (pixels > 0).all()
        assert (pixels < [800, 500]).all()


@needs_node
def test_playing_follows_the_clock_and_loops(tmp_path):
    animate(walker(), tmp_path / "walk.html", speed=0.5)
    playing = [["frame", 10], ["frame", 400]]
    assert played(tmp_path / "walk.html", playing)["clock"] == "0.200 s"
    assert played(tmp_path / "walk.html", [["speed", 2], *playing])["clock"] == "0.800 s"
    assert played(tmp_path / "walk.html", [*playing, ["frame", 1800]])["clock"] == "0.100 s"
    assert played(tmp_path / "walk.html", [*playing, ["key", " "], ["frame", 100]])["clock"] == "0.200 s"
    assert (
        played(
            tmp_path / "walk.html", [*playing, ["key", " "], ["frame", 9], ["key", " "], ["frame", 100], ["frame", 100]]
        )["clock"]
        == "0.250 s"
    )


@needs_node
def test_keys_step_frame_by_frame(tmp_path):
    animate(walker(), tmp_path / "walk.html")
    shown = played(
        tmp_path / "walk.html",
        [["key", "ArrowRight"], ["key", "ArrowRight"], ["key", "ArrowRight"], ["key", "ArrowLeft"]],
    )
    assert (shown["clock"], shown["play"]) == ("0.050 s", "Play")
    assert played(tmp_path / "walk.html", [["key", "End"]])["clock"] == "1.000 s"
    assert played(tmp_path / "walk.html", [["key", "ArrowLeft"]])["clock"] == "0.000 s"


@needs_node
def test_dragging_turns_space_and_moves_the_plane_and_the_wheel_zooms(tmp_path):
    animate(walker(), tmp_path / "plane.html")
    animate(walker(spatial=True), tmp_path / "space.html")
    still = [["scrub", 0.3]]
    plane, space = (np.array(bones(played(tmp_path / name, still))) for name in ("plane.html", "space.html"))
    moved = np.array(bones(played(tmp_path / "plane.html", [*still, ["drag", [30, -20]]])))
    np.testing.assert_allclose(moved - plane, np.broadcast_to([30, -20], plane.shape), atol=1e-9)
    turned = np.array(bones(played(tmp_path / "space.html", [*still, ["drag", [100, 0]]])))
    lengths = [np.ptp(points.reshape(-1, 2), axis=0) for points in (space, turned)]
    assert lengths[0][0] != pytest.approx(lengths[1][0], rel=0.02)
    zoomed = np.array(bones(played(tmp_path / "plane.html", [*still, ["wheel", -400]])))
    factor = np.linalg.norm(zoomed[0, 1] - zoomed[0, 0]) / np.linalg.norm(plane[0, 1] - plane[0, 0])
    assert factor == pytest.approx(math.exp(0.6))
    reset = played(tmp_path / "space.html", [*still, ["drag", [50, 50]], ["wheel", 300], ["dblclick", 0]])
    np.testing.assert_allclose(np.array(bones(reset)), space, atol=1e-9)


@needs_node
def test_the_page_and_the_pictures_share_one_view(tmp_path):
    animation = walker(spatial=True)
    animate(animation, tmp_path / "space.html")
    shown = played(tmp_path / "space.html", [["scrub", 0.5]])
    lengths = sorted(math.dist(*line) for line in bones(shown))
    truth = sorted(
        float(np.linalg.norm(np.diff(projected(line.points[20], planar=False), axis=0)))
        for line in animation.segments
        if line.body
    )
    np.testing.assert_allclose(np.array(lengths) / lengths[-1], np.array(truth) / truth[-1], rtol=1e-4)


@needs_node
def test_the_strip_shows_values_and_scrubs(tmp_path):
    animation = walker()
    animate(animation, tmp_path / "walk.html")
    shown = played(tmp_path / "walk.html", [["strip", 400]])
    assert shown["clock"] == "0.500 s"
    texts = [item["text"] for item in shown["strip"] if item["what"] == "text"]
    assert texts[0] == f"hip  {math.sin(3.0):.4f} rad"
    assert texts[1] == "gap  0.5000"
    assert len(shown["strip"][1]["points"]) == 41
    assert not shown["stripHidden"]


@needs_node
def test_hostile_names_reach_the_page_as_text(tmp_path):
    animate(hostile_animation(), tmp_path / "hostile.html")
    shown = played(tmp_path / "hostile.html", [["frame", 1], ["frame", 100]])
    assert shown["title"] == HOSTILE
    assert shown["clock"] == "0.100 s"


# -- requests


def test_wrong_requests_are_refused(tmp_path):
    with pytest.raises(FileError, match=r"written as \.gif, \.html, \.png, \.svg, \.pdf, not as '\.mp4'"):
        animate(walker(), tmp_path / "walk.mp4")
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
    assert len(lines_called(axes, "segment rod")) == 4
