import numpy as np
import pytest

import myodyne as my
from myodyne.studio.changes.dragging import dragged
from myodyne.studio.changes.edits import DragBody, apply, edit_from
from myodyne.studio.session import opened


def place(model, pose, body, point):
    equations = my.equations_of(model)
    q = [
        pose.get(name, default)
        for name, default in zip(equations.coordinates, equations.coordinate_defaults(), strict=True)
    ]
    rotations, positions = (np.asarray(part) for part in equations.body_poses(np.array([q])))
    number = list(equations.bodies).index(body)
    return rotations[0, number] @ np.asarray(point) + positions[0, number]


@pytest.fixture(scope="module")
def jump():
    return opened("jump")


def test_the_nearest_joint_takes_the_point_where_the_hand_is(jump):
    model, start, point = jump.model, dict(jump.start), (0.0, 0.1, 0.0)
    asked = {**start, "knee": start["knee"] + 0.2}
    body = next(joint.child.body for joint in model.joints.values() if "knee" in joint.coordinates)
    target = place(model, asked, body, point)
    found = dragged(model, start, body, point, target, chain=False)
    assert found.keys() == {"knee"}
    assert found["knee"] == pytest.approx(asked["knee"], abs=1e-4)


def test_the_whole_chain_reaches_what_one_joint_cannot(jump):
    model, start, point = jump.model, dict(jump.start), (0.0, 0.1, 0.0)
    body = next(joint.child.body for joint in model.joints.values() if "hip" in joint.coordinates)
    target = place(model, start, body, point) + np.array([0.05, 0.03, 0.0])
    distances = []
    for chain in (False, True):
        found = dragged(model, start, body, point, target, chain=chain)
        distances.append(np.linalg.norm(place(model, {**start, **found}, body, point) - target))
    assert distances[1] < 1e-3 < distances[0]


def test_what_is_dragged_is_the_start_and_what_is_wrong_is_said(jump):
    edit = edit_from(
        {"kind": "DragBody", "body": "shank", "point": [0, 0.1, 0], "target": [0.1, 0.3, 0], "chain": False, "time": 0}
    )
    assert apply(jump, edit).start != jump.start
    for wrong in (
        DragBody("shnk", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), False, 0.0),
        DragBody("shank", (0.0, 0.0), (0.0, 0.0, 0.0), False, 0.0),
        DragBody("shank", (0.0, 0.0, float("nan")), (0.0, 0.0, 0.0), False, 0.0),
        DragBody("shank", "abc", (0.0, 0.0, 0.0), False, 0.0),
        DragBody("shank", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), False, 0.1),
        DragBody("shank", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), False, float("nan")),
    ):
        with pytest.raises(my.MyodyneError, match=r"shank|three numbers|finite|start alone"):
            apply(jump, wrong)
