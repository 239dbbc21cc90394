"""Frozen and coupled coordinates, gains, drift and eigenvalues: the script gives the same numbers."""

import json
from dataclasses import replace

import numpy as np
import pytest

import myodyne as my
from myodyne.studio.changes.edits import Couple, CoupleArms, Freeze, SetDuration, SetGain, SetStart, apply
from myodyne.studio.changes.ties import tie_rows
from myodyne.studio.desk import Desk
from myodyne.studio.player import Played
from myodyne.studio.script import script_of
from myodyne.studio.session import Session, opened
from myodyne.studio.stability import eigenvalues
from myodyne.studio.summary import summary_of


@pytest.fixture(scope="module")
def arm():
    session = opened("double_pendulum")
    for edit in (SetDuration(0.3), SetStart("angle1", 0.4), SetStart("angle2", 0.3)):
        session = apply(session, edit)
    return session


def run_of(session):
    scope = {}
    exec(script_of(session).replace("my.show(run)", ""), scope)
    return scope["run"]


def test_a_frozen_coordinate_stays_at_its_start_and_moves_again(arm):
    still = apply(arm, Freeze("angle2", True))
    run = run_of(still)
    assert np.ptp(run.values("angle2")) < 1e-9
    assert run.values("angle2")[0] == 0.3
    assert np.ptp(run.values("angle1")) > 0.1
    assert "my.SpeedConstraint" in script_of(still)
    assert apply(still, Freeze("angle2", False)) == arm
    assert Session.from_dict(json.loads(json.dumps(still.to_dict()))) == still


def test_a_coupled_coordinate_follows_another_from_where_both_start(arm):
    mirrored = apply(arm, Couple("angle2", "angle1", -0.5))
    run = run_of(mirrored)
    np.testing.assert_allclose(run.values("angle2") - 0.3, -0.5 * (run.values("angle1") - 0.4), atol=1e-9)
    facts = {fact.name: fact.value for fact in summary_of(run, mirrored.model)}
    assert facts["drift"] < 1e-9
    # What is coupled does no work.
    assert abs(facts["energy_change"]) < 1e-6
    assert apply(mirrored, Couple("angle2", "", 0.0)) == arm
    assert apply(mirrored, Freeze("angle2", True)).ties == ("angle2_frozen",)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (Freeze("angel1", True), "angle1"),
        (Couple("angle1", "angle1", 1.0), "itself"),
        (Couple("angle1", "knee", 1.0), "knee"),
        (Couple("angle1", "angle2", float("inf")), "finite"),
        (SetGain("k", 1.0), "no control law"),
    ],
)
def test_what_cannot_be_tied_says_why(arm, edit, message):
    with pytest.raises(my.MyodyneError, match=message):
        apply(arm, edit)


def test_arms_are_coupled_to_the_opposite_legs_in_one_step(interpreted):
    runner = opened("runner_skeleton")
    coupled = apply(runner, CoupleArms(0.5))
    rows = {row["coordinate"]: (row["other"], row["slope"]) for row in tie_rows(coupled)}
    assert rows == {"shoulder_r": ("hip_l", 0.5), "shoulder_l": ("hip_r", 0.5)}
    assert apply(coupled, CoupleArms(0.0)).model == runner.model
    assert 'my.Linear(coordinate="hip_l", slope=0.5, offset=0.0)' in script_of(coupled)


def test_arms_swing_forwards_with_the_opposite_leg_whatever_their_signs(interpreted):
    runner = opened("runner_skeleton")
    joint = runner.model.joints["hip_l"]
    axis = joint.axes[0].model_copy(update={"direction": (0.0, 0.0, -1.0)})
    parts = {**runner.model.joints, "hip_l": joint.model_copy(update={"axes": (axis,)})}
    turned = runner.model.model_copy(update={"joints": parts})
    coupled = apply(replace(runner, model=turned), CoupleArms(0.5))
    assert {row["coordinate"]: row["slope"] for row in tie_rows(coupled)} == {"shoulder_r": -0.5, "shoulder_l": 0.5}


def test_a_body_without_arms_says_so(arm):
    with pytest.raises(my.MyodyneError, match="no arms and legs"):
        apply(arm, CoupleArms(0.5))


def test_gains_of_a_control_law_are_changed_and_stand_in_the_script():
    hop = opened("hop").with_recipe(duration=0.2)
    changed = apply(hop, SetGain("thrust", 30.0))
    assert changed.feedback.gains["thrust"] == 30.0
    assert "with_gains" not in script_of(hop)
    assert ".with_gains(**{'thrust': 30.0})" in script_of(changed)
    with pytest.raises(my.MyodyneError, match="thrust"):
        apply(hop, SetGain("thrast", 30.0))


def test_eigenvalues_are_those_of_linearise_at_the_time_shown(arm):
    run = run_of(arm)
    found = eigenvalues(Played(arm, run), 0.15)
    row = run.at(0.15)
    names = ("angle1", "angle2", "angle1.speed", "angle2.speed")
    expected = my.linearise(arm.model, {name: row[name] for name in names}).eigenvalues
    np.testing.assert_array_equal([complex(*value) for value in found["values"]], expected)
    for time in (None, "0.1", float("nan"), True):
        with pytest.raises(my.MyodyneError, match="time"):
            eigenvalues(Played(arm, run), time)


def test_the_desk_hands_ties_and_eigenvalues_to_the_page(arm):
    sent = []
    desk = Desk(arm, sent.append)
    desk.receive({"kind": "eigenvalues", "time": 0.1})
    assert "no movement yet" in sent[-1].data["reason"]
    desk.receive({"kind": "edit", "edit": {"kind": "Couple", "coordinate": "angle2", "other": "angle1", "slope": 2.0}})
    desk.wait()
    session = next(message.data for message in sent if message.data["kind"] == "session")
    assert session["ties"] == [{"coordinate": "angle2", "frozen": False, "other": "angle1", "slope": 2.0}]
    desk.receive({"kind": "eigenvalues", "time": 0.1})
    desk.close()
    # One coordinate is left to choose: itself and its speed.
    assert len(sent[-1].data["values"]) == 2
