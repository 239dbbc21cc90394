"""Angles that are drawn: the forces follow, and the script gives the same numbers."""

import json

import numpy as np
import pytest

import myodyne as my
from myodyne.studio.changes.courses import fitted_courses, reach_of, refusal, wanted, with_courses
from myodyne.studio.changes.edits import (
    DragBody,
    FitCourse,
    FitHandles,
    SetCourseHandle,
    SetDuration,
    SetNumber,
    apply,
)
from myodyne.studio.desk import Desk
from myodyne.studio.script import script_of
from myodyne.studio.session import Session, opened


@pytest.fixture(scope="module")
def arm():
    session = apply(opened("double_pendulum"), SetDuration(0.5))
    run = my.simulate(session.model, 0.5, start={"angle1": 0.4, "angle2": 0.2})
    return with_courses(session, fitted_courses(session, run, 6))


def run_of(session):
    scope = {}
    exec(script_of(session).replace("my.show(run)", ""), scope)
    return scope["run"]


def simulated(session):
    recipe = session.recipe
    return my.simulate(
        session.changed_model, recipe.duration, start=recipe.start, controls=recipe.controls, scheme=recipe.scheme
    )


def test_the_body_follows_what_is_drawn_and_the_script_says_how(arm):
    bent = apply(arm, SetCourseHandle("angle2", 3, 1.1))
    run, course = simulated(bent), wanted(bent)
    np.testing.assert_allclose(run.time, course.time, atol=1e-12)
    for name in ("angle1", "angle2"):
        np.testing.assert_allclose(run.values(name), course.values(name), atol=2e-3)
    assert np.ptp(course.values("angle2")) > 0.2
    again = run_of(bent)
    for name in again.names:
        np.testing.assert_array_equal(again.values(name), run.values(name))


def test_motors_that_are_there_are_used_with_their_gain(arm):
    motors = {f"turn{n}": my.CoordinateActuator(coordinate=f"angle{n}", gain=20.0) for n in (1, 2)}
    own = Session(arm.origin, opened("double_pendulum").model.with_parts(forces=motors), arm.recipe, {})
    driven = with_courses(own, arm.courses)
    assert driven.motors == ()
    np.testing.assert_allclose(
        20.0 * np.array(driven.recipe.controls["turn1"].values), arm.recipe.controls["angle1_motor"].values
    )


def test_a_longer_time_and_another_mass_keep_the_angles_and_a_force_in_hand_does_not(arm):
    slow = apply(arm, SetDuration(1.0))
    assert slow.courses["angle1"].values == arm.courses["angle1"].values
    assert slow.courses["angle1"](0.5) == pytest.approx(arm.courses["angle1"](0.25))
    heavy = apply(arm, SetNumber("rod2.mass", 3.0))
    np.testing.assert_allclose(simulated(heavy).values("angle1"), wanted(arm).values("angle1"), atol=2e-3)
    again = run_of(heavy)
    np.testing.assert_array_equal(again.values("angle2"), simulated(heavy).values("angle2"))
    # A body that swings freely needs next to no motor: a small part of the moment of its weight.
    weight = 9.81 * (0.5 + 1.0) * np.sin(0.4)
    assert max(np.abs(arm.recipe.controls["angle1_motor"].values)) < 0.05 * weight
    held = apply(apply(arm, SetCourseHandle("angle2", 3, 1.1)), FitHandles("angle1_motor", "bezier", 5))
    assert held.courses == {}
    assert max(held.recipe.controls["angle1_motor"].values) > 1.0
    np.testing.assert_array_equal(run_of(held).values("angle2"), simulated(held).values("angle2"))


TIP = (0.0, -0.6, 0.0)


def tip_of(session, pose):
    """Return where a point of the second rod is in a pose."""
    equations = my.equations_of(session.changed_model)
    rotations, positions = equations.body_poses(np.array([[pose[name] for name in equations.coordinates]]))
    number = list(equations.bodies).index("rod2")
    return np.asarray(rotations)[0, number] @ TIP + np.asarray(positions)[0, number]


def pose_of(session, time):
    return {name: float(course(time)) for name, course in session.courses.items()}


def test_a_body_that_is_dragged_at_an_instant_passes_there_and_the_forces_follow(arm):
    fine = apply(apply(arm, FitCourse("angle1", "bspline", 20)), FitCourse("angle2", "bspline", 20))
    instant, before = 0.25, fine.courses["angle2"]
    target = tip_of(fine, pose_of(fine, instant) | {"angle2": float(before(instant)) + 0.3})
    pulled = apply(fine, DragBody("rod2", TIP, target.tolist(), False, instant))
    after = pulled.courses["angle2"]
    assert after(instant) == pytest.approx(before(instant) + 0.3, abs=1e-5)
    assert pulled.courses["angle1"] == fine.courses["angle1"]
    # It changes as far as the page says, and no farther.
    times = np.linspace(0.0, 0.5, 1001)
    moved = np.abs(times - instant)[np.abs(np.asarray(after(times)) - np.asarray(before(times))) > 1e-9]
    assert 0.7 * reach_of(before, 0.5) < moved.max() < reach_of(before, 0.5) < 0.12
    run = simulated(pulled)
    passed = {name: float(np.interp(instant, run.time, run.values(name))) for name in pulled.courses}
    np.testing.assert_allclose(tip_of(pulled, passed), target, atol=3e-3)
    motor = [np.array(one.recipe.controls["angle2_motor"].values) for one in (fine, pulled)]
    assert np.abs(motor[1] - motor[0]).max() > 1.0
    np.testing.assert_array_equal(run_of(pulled).values("angle2"), run.values("angle2"))


def test_at_the_start_and_at_the_end_the_last_handle_is_pulled(arm):
    for instant, number in ((0.0, 0), (0.5 + 5e-6, 5)):
        wanted_pose = pose_of(arm, min(instant, 0.5)) | {"angle2": 0.5}
        pulled = apply(arm, DragBody("rod2", TIP, tip_of(arm, wanted_pose).tolist(), False, instant))
        old, new = np.array(arm.courses["angle2"].values), np.array(pulled.courses["angle2"].values)
        assert np.flatnonzero(np.abs(new - old) > 1e-12).tolist() == [number]
        assert new[number] == pytest.approx(0.5, abs=1e-5)
    for outside in (-0.1, 0.6, float("nan")):
        with pytest.raises(my.MyodyneError, match="outside"):
            apply(arm, DragBody("rod2", TIP, (0.0, 0.0, 0.0), False, outside))


def test_courses_come_back_from_plain_data(arm):
    assert Session.from_dict(json.loads(json.dumps(arm.to_dict()))) == arm


def test_what_cannot_be_followed_says_why(arm):
    for name, word in (("jump", "muscles"), ("four_bar", "constraints"), ("runner_skeleton", "beside motors")):
        assert word in refusal(opened(name))
    assert "control law" in refusal(opened("hop")) or refusal(opened("hop"))
    with pytest.raises(my.MyodyneError, match="smooth"):
        apply(arm, FitCourse("angle1", "piecewise_linear", 5))
    with pytest.raises(my.MyodyneError, match="angle1"):
        apply(arm, SetCourseHandle("angel1", 0, 0.1))
    with pytest.raises(my.MyodyneError, match="every coordinate"):
        with_courses(opened("double_pendulum"), {"angle1": arm.courses["angle1"]})


def test_the_desk_fits_courses_to_the_movement_that_is_shown():
    sent = []
    desk = Desk(apply(opened("pendulum"), SetDuration(0.2)), sent.append)
    desk.begin()
    desk.wait()
    desk.receive({"kind": "follow"})
    desk.wait()
    desk.close()
    session = next(message.data for message in reversed(sent) if message.data["kind"] == "session")
    assert [course["control"] for course in session["courses"]] == ["angle"]
    assert len(session["courses"][0]["handles"]) == 6
    # The motor is new to the page.
    assert session["whole"]
    assert [curve["control"] for curve in session["curves"]] == ["angle_motor"]
    assert session["curves"][0]["handles"] == []
    assert (session["motors"], session["unfollowed"], session["courses"][0]["reach"]) == (["angle"], "", 0.2)
    sent.clear()
    other = Desk(opened("jump"), sent.append)
    other.receive({"kind": "follow"})
    pull = {"kind": "DragBody", "body": "shank", "point": [0, 0, 0], "target": [0, 1, 0], "chain": False, "time": 0.1}
    other.receive({"kind": "edit", "edit": pull})
    other.close()
    assert "has muscles" in sent[0].data["reason"]
    assert "at the start alone: 'jumper' has muscles" in sent[1].data["reason"]


def test_who_drags_a_body_after_the_start_wants_the_forces_to_follow():
    sent = []
    desk = Desk(apply(opened("pendulum"), SetDuration(0.2)), sent.append)
    desk.begin()
    desk.wait()
    for number, angle in enumerate((0.1, 0.2)):
        target = [float(np.sin(angle)), float(-np.cos(angle)), 0.0]
        pull = {"kind": "DragBody", "body": "rod", "point": [0, -1, 0], "target": target, "chain": False, "time": 0.1}
        desk.receive({"kind": "edit", "edit": pull, "dragging": number > 0})
        desk.wait()
    assert float(desk.history.present.courses["angle"](0.1)) == pytest.approx(0.2, abs=1e-5)
    # The courses are one step, the whole drag is another.
    assert len(desk.history.past) == 2
    assert desk.history.undone().undone().present.motors == ()
    desk.close()
