import json

import numpy as np
import pytest

import myodyne as my
from myodyne.data import DataError
from myodyne.view.actors import scene_of
from myodyne.view.packing import packed

KINDS = {"f8": "<f8", "f4": "<f4", "i2": "<i2", "u2": "<u2", "u4": "<u4", "u1": "u1"}


def array(header, block):
    values = np.frombuffer(block, KINDS[header["kind"]], int(np.prod(header["shape"])), header["at"])
    values = values.reshape(header["shape"]).astype(float)
    return header["low"] + values / 65535.0 * header["size"] if "low" in header else values


def columns(series, block):
    """Return the columns as the page reads them."""
    low, size, steps = (array(series[name], block) for name in ("low", "size", "values"))
    values = np.where(steps == 65535, np.nan, low[:, None] + steps * size[:, None])
    return dict(zip(series["names"], values, strict=True))


@pytest.fixture(scope="module")
def swing():
    return my.simulate(my.load_model("double_pendulum"), 1.0, start={"angle1": 1.2})


def test_the_block_holds_poses_and_columns_to_what_a_screen_shows(swing):
    scene = scene_of(swing)
    header, block = packed(scene)
    (actor,) = json.loads(json.dumps(header))["actors"]
    np.testing.assert_allclose(array(actor["times"], block), scene.actors[0].times, atol=1e-6)
    np.testing.assert_allclose(array(actor["positions"], block), scene.actors[0].positions, atol=1e-6)
    turns = array(actor["rotations"], block) / 32767.0
    half = 0.5 * np.array(scene.actors[0].series.values("angle1"))
    shown = np.interp(scene.actors[0].times, scene.actors[0].series.time, half)
    np.testing.assert_allclose(np.abs(turns[:, 0, 2]), np.abs(np.sin(shown)), atol=1e-4)
    values = columns(actor["series"], block)["angle1"]
    every = 1 + (len(swing) - 1) // 600
    np.testing.assert_allclose(values, swing.values("angle1")[::every], atol=1e-3)
    np.testing.assert_allclose(array(actor["centre"], block), scene.actors[0].centre, atol=1e-4)


def test_columns_with_gaps_and_without_range_come_back():
    table = {"angle": [0.0, 0.2, 0.1], "gap": [1.0, np.nan, 3.0], "flat": [5.0] * 3, "none": [np.nan] * 3}
    header, block = packed(scene_of(my.load_model("pendulum"), my.Trajectory([0.0, 0.5, 1.0], table)))
    series = header["actors"][0]["series"]
    found = columns(series, block)
    assert series["low"]["at"] % 8 == series["size"]["at"] % 8 == 0
    for name, values in table.items():
        np.testing.assert_allclose(found[name], values, atol=1e-4)
    # Column by column, in plain Python, as it is defined.
    low, high = min(table["angle"]), max(table["angle"])
    steps = [round((value - low) / (high - low) * 65000.0) for value in table["angle"]]
    assert found["angle"].tolist() == [low + step * ((high - low) / 65000.0) for step in steps]


def test_muscles_carry_their_activation():
    path = my.PointPath(points=(("ground", (0.1, 0.0, 0.0)), ("rod", (0.0, -0.3, 0.0))))
    puller = my.Muscle(path=path, max_force=50.0, optimal_fibre_length=0.2, tendon_slack_length=0.12)
    model = my.load_model("pendulum").with_parts(muscles={"puller": puller})
    run = my.simulate(model, 0.1, controls={"puller": 0.8})
    header, block = packed(scene_of(run))
    lines = {line["name"]: line for line in header["actors"][0]["lines"] if line["kind"] == "muscle"}
    assert set(lines) == set(model.muscles)
    activation = array(lines["puller"]["activation"], block) / 255.0
    assert activation[-1] == pytest.approx(run.final["puller.activation"], abs=1 / 255)
    points = array(lines["puller"]["points"], block)
    np.testing.assert_allclose(np.linalg.norm(points[:, 1], axis=1), 0.3, atol=1e-4)


def test_several_runs_get_names_of_their_own_and_labels_must_match(swing):
    assert [actor.label for actor in scene_of([swing, swing]).actors] == ["double_pendulum 1", "double_pendulum 2"]
    assert [actor.label for actor in scene_of([swing, swing], labels=["a", "b"]).actors] == ["a", "b"]
    with pytest.raises(DataError, match="2 are shown, but there are 1 labels"):
        scene_of([swing, swing], labels=["a"])
    with pytest.raises(DataError, match="nothing to show"):
        scene_of([])


def test_poses_and_motions_belong_to_a_model(swing):
    model = my.load_model("double_pendulum")
    posed = scene_of(model, {"angle1": 0.3}).actors[0]
    np.testing.assert_allclose(posed.rotations[0, 0, 1, 0], np.sin(0.3), atol=1e-12)
    with pytest.raises(my.ModelError, match="angle1"):
        scene_of(model, {"angel1": 0.3})
    with pytest.raises(DataError, match=r"my\.show\(model, motion\)"):
        scene_of(swing, {"angle1": 0.3})
    part = my.Trajectory(swing.time, {"angle1": swing.values("angle1")})
    assert "angle2" in scene_of(model, part).actors[0].note
    with pytest.raises(DataError, match="lacks the coordinates"):
        scene_of(swing.select("angle1"))
    with pytest.raises(DataError, match="no coordinate"):
        scene_of(model, my.Trajectory([0.0, 1.0], {"other": [0.0, 1.0]}))


def test_a_movement_that_is_nan_says_when():
    model = my.load_model("pendulum")
    motion = my.Trajectory([0.0, 0.5, 1.0], {"angle": [0.0, np.nan, 1.0]})
    with pytest.raises(DataError, match=r"NaN at 0\.5 s"):
        scene_of(model, motion)
