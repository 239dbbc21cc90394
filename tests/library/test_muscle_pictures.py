"""Points that muscles are only drawn along: there for every built-in, kept in files, and without effect on equations."""

import numpy as np
import pytest

import myodyne as my
from myodyne.model import Named
from myodyne.view.actors import scene_of

MODELS = ["gait2d", "runner", "jumper", "planar_arm", "cyclist_one_leg_muscles"]


def without_pictures(model):
    plain = {
        name: muscle.model_copy(update={"path": muscle.path.model_copy(update={"shown": ()})})
        for name, muscle in model.muscles.items()
    }
    return model.model_copy(update={"muscles": Named(plain)})


@pytest.mark.parametrize("name", MODELS)
def test_every_muscle_has_points_that_change_no_fingerprint(name):
    model = my.load_model(name)
    assert all(len(muscle.path.shown) >= 3 for muscle in model.muscles.values())
    plain = without_pictures(model)
    assert plain != model
    assert plain.hash == model.hash
    assert plain.structure_hash == model.structure_hash


def test_points_span_the_joints_that_the_length_depends_on():
    for name in MODELS:
        model = my.load_model(name)
        for muscle in model.muscles.values():
            path = muscle.path
            bodies = {point.body for point in path.shown}
            crossed = {
                coordinate
                for joint in model.joints.values()
                if {joint.parent.body, joint.child.body} <= bodies
                for coordinate in joint.coordinates
            }
            assert crossed & set(path.length.coordinates)
            assert len(bodies) <= len(path.length.coordinates) + 1


def test_muscles_are_drawn_along_their_points_and_move_with_their_bodies():
    jumper = my.load_model("jumper")
    (actor,) = scene_of(jumper, {"toe_x": 0.3}).actors
    lines = {line.name: line for line in actor.lines}
    assert list(lines) == list(jumper.muscles)
    (other,) = scene_of(jumper, {"toe_x": 0.8}).actors
    moved = {line.name: line for line in other.lines}["soleus"]
    np.testing.assert_allclose(
        moved.points - lines["soleus"].points, np.broadcast_to([0.5, 0, 0], (1, 3, 3)), atol=1e-12
    )


def test_files_keep_the_points_and_take_the_short_form(tmp_path):
    model = my.load_model("jumper")
    my.save_model(model, tmp_path / "again.yaml")
    assert my.load_model(tmp_path / "again.yaml").muscles == model.muscles
    length = my.Linear(coordinate="ankle", slope=-0.05, offset=0.3)
    path = my.FunctionPath(length=length, shown=[["shank", [0.0, 0.3, 0.0]], ["foot", [-0.2, 0.0, 0.0]]])
    assert path.shown[1] == my.PathPoint(body="foot", at=(-0.2, 0.0, 0.0))


def test_wrong_points_are_rejected():
    length = my.Linear(coordinate="ankle", slope=-0.05, offset=0.3)
    with pytest.raises(my.ModelError, match="a line needs two points or more"):
        my.FunctionPath(length=length, shown=[["shank", [0.0, 0.3, 0.0]]])
    lost = my.FunctionPath(length=length, shown=[["shank", [0.0, 0.3, 0.0]], ["fot", [0.0, 0.0, 0.0]]])
    jumper = my.load_model("jumper")
    with pytest.raises(my.ModelError, match="'fot'"):
        jumper.with_parts(muscles={"soleus": jumper.muscles["soleus"].model_copy(update={"path": lost})})
