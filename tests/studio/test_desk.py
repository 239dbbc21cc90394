import json

import numpy as np
import pytest

import myodyne as my
from myodyne.data import DataError
from myodyne.simulate.repeating import run_recipe
from myodyne.studio.changes.edits import (
    FitHandles,
    Interrupt,
    SetCurve,
    SetDuration,
    SetHandle,
    SetNumber,
    SetStart,
    apply,
    edit_from,
)
from myodyne.studio.changes.history import History
from myodyne.studio.desk import Desk, recovered
from myodyne.studio.player import Player
from myodyne.studio.reference import opened_reference
from myodyne.studio.script import script_of
from myodyne.studio.session import Session, opened


@pytest.fixture(scope="module")
def jump():
    return opened("jump")


def runs_as(session):
    """Return the run that the script of a session makes."""
    scope = {}
    code = script_of(session).replace("my.show(run)", "")
    exec(code, scope)
    return scope["run"]


EDITS = [
    FitHandles("soleus", "bezier", 6),
    SetHandle("soleus", 2, 0.3),
    FitHandles("vasti", "piecewise_constant", 5),
    SetStart("knee", -1.6),
    SetNumber("soleus.max_force", 6000.0),
    SetDuration(0.2),
]


def test_the_script_gives_the_numbers_of_the_session(jump):
    session = jump
    for edit in EDITS:
        session = apply(session, edit)
    done = []
    player = Player(done.append)
    player.play(session)
    player.wait()
    player.close()
    run = runs_as(session)
    assert run.names == done[-1].run.names
    for name in run.names:
        np.testing.assert_array_equal(run.values(name), done[-1].run.values(name))


def test_undo_and_redo_return_the_same_sessions(jump):
    history = History(jump)
    stations = [history.present]
    for edit in EDITS:
        history = history.after(edit)
        stations.append(history.present)
    for station in reversed(stations[:-1]):
        history = history.undone()
        assert history.present == station
    assert history.undone() is history
    for station in stations[1:]:
        history = history.redone()
        assert history.present == station
    assert history.redone() is history


def test_a_drag_is_one_step_back(jump):
    history = History(apply(jump, EDITS[0]))
    for value in (0.1, 0.2, 0.3):
        history = history.after(SetHandle("soleus", 1, value), dragging=value > 0.1)
    assert history.present.recipe.controls["soleus"].values[1] == 0.3
    assert history.undone().present == apply(jump, EDITS[0])


def test_sessions_come_back_from_plain_data(jump):
    session = jump
    for edit in EDITS:
        session = apply(session, edit)
    assert Session.from_dict(json.loads(session.to_text())) == session
    assert json.loads(session.to_text()) == json.loads(json.dumps(session.to_dict()))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (SetHandle("solues", 0, 0.5), "soleus"),
        (SetHandle("vasti", 99, 0.5), "control values"),
        (FitHandles("vasti", "bezir", 6), "bezier"),
        (FitHandles("vasti", "bezier", 1), "2 to 20"),
        (SetStart("kne", 0.1), "knee"),
        (SetStart("knee", float("nan")), "finite"),
        (SetNumber("soleus.max_forc", 1.0), "max_force"),
        (SetNumber("soleus.max_force", -1.0), "soleus"),
        (SetDuration(0.0), "between 0 and 60"),
        (SetDuration(1e9), "between 0 and 60"),
        (SetCurve("vasti", {"kind": "bezier"}), "missing"),
    ],
)
def test_what_cannot_be_done_says_why(jump, edit, message):
    with pytest.raises(my.MyodyneError, match=message):
        apply(jump, edit)


@pytest.mark.parametrize(
    "data", [None, [], {}, {"kind": "Delete"}, {"kind": "SetStart"}, {"kind": "SetStart", "name": 1, "value": 2}]
)
def test_messages_that_are_no_edits_are_refused(data):
    with pytest.raises(DataError, match="edit"):
        edit_from(data)


def test_handles_stay_within_the_limits_of_their_control(jump):
    session = apply(jump, FitHandles("soleus", "bezier", 6))
    assert apply(session, SetHandle("soleus", 0, 7.0)).recipe.controls["soleus"].values[0] == 1.0
    assert min(session.recipe.controls["soleus"].values) >= 0.0


def test_a_failed_simulation_keeps_the_movement_up_to_the_failure():
    sent = []
    session = opened("pendulum")
    spring = my.TorsionSpring(coordinate="angle", stiffness=1e9, rest=1.0)
    stiff = session.model.with_parts(forces={"spring": spring})
    recipe = my.simulate(session.model, 10.0, scheme=my.Euler(step=0.1)).recipe
    desk = Desk(Session(session.origin, stiff, recipe, {}), sent.append)
    desk.begin()
    desk.wait()
    desk.close()
    assert any(str(message.data.get("status", "")).startswith("failed") for message in sent)


def test_every_change_is_in_the_file_and_a_broken_file_says_so(jump, tmp_path):
    file = tmp_path / "jump.json"
    desk = Desk(jump, lambda message: None, file)
    desk.receive({"kind": "edit", "edit": {"kind": "SetDuration", "duration": 0.12}})
    desk.close()
    assert recovered(file).recipe.duration == 0.12
    assert recovered(tmp_path / "none.json") is None
    file.write_text("{")
    with pytest.raises(my.FileError, match="start with --new"):
        recovered(file)


def test_pinned_runs_stay_beside_the_new_one(jump):
    sent = []
    desk = Desk(jump, sent.append)
    desk.begin()
    desk.wait()
    desk.receive({"kind": "pin"})
    desk.wait()
    desk.receive({"kind": "edit", "edit": {"kind": "SetNumber", "name": "soleus.max_force", "value": 2000.0}})
    desk.wait()
    desk.close()
    scene = next(message.data for message in reversed(sent) if message.data["kind"] == "scene")
    assert [actor["label"] for actor in scene["header"]["actors"]] == ["now", "pinned"]
    height = next(row for row in scene["summary"] if row["name"] == "height")
    assert height["value"] < height["pinned"]


def test_an_interrupted_movement_goes_on_as_its_script(jump):
    session = jump
    for edit in (
        FitHandles("soleus", "bezier", 6),
        Interrupt(0.2),
        SetHandle("soleus", 4, 0.1),
        SetStart("knee", -1.62),
    ):
        session = apply(session, edit)
    assert Session.from_dict(json.loads(session.to_text())) == session
    assert json.loads(session.to_text()) == json.loads(json.dumps(session.to_dict()))
    done = []
    player = Player(done.append)
    player.play(session)
    player.wait()
    again = apply(session, SetHandle("soleus", 4, 0.9))
    player.play(again)
    player.wait()
    player.close()
    for played, asked in zip(done, (session, again), strict=True):
        run = runs_as(asked)
        assert run.time[0] == 0.2
        whole = played.run.slice(0.2, None)
        for name in run.names:
            np.testing.assert_array_equal(whole.values(name), run.values(name))
    before = [played.run.slice(0.0, 0.2).values("knee") for played in done]
    np.testing.assert_array_equal(*before)
    with pytest.raises(my.ModelError, match="interrupted between"):
        apply(session, Interrupt(0.1))


def test_an_interruption_that_changes_nothing_changes_nothing(jump):
    whole, parts = (played(one) for one in (jump, apply(jump, Interrupt(0.15))))
    assert parts.time[-1] == pytest.approx(whole.time[-1], abs=1e-6)
    assert parts.final["com.position_y"] == pytest.approx(whole.final["com.position_y"], abs=1e-5)


def played(session):
    done = []
    player = Player(done.append)
    player.play(session)
    player.wait()
    player.close()
    return done[-1].run


def test_a_recording_stands_beside_the_movement(jump, tmp_path):
    recorded = played(jump)
    file = tmp_path / "recorded.sto"
    my.save(recorded.select(["knee", "ankle"]), file)
    sent = []
    reference = opened_reference(str(file), jump.model)
    desk = Desk(apply(jump, SetNumber("soleus.max_force", 3000.0)), sent.append, reference=reference)
    desk.begin()
    desk.wait()
    desk.close()
    scene = next(message.data for message in reversed(sent) if message.data["kind"] == "scene")
    assert [actor["label"] for actor in scene["header"]["actors"]] == ["now", "recorded"]
    facts = {row["name"]: row["value"] for row in scene["summary"]}
    run = desk._last.run
    expected = np.rad2deg(my.compare(run, my.load(file))["knee"].rms)
    assert facts["rms-knee"] == pytest.approx(expected) != 0.0
    assert "my.compare" in script_of(jump, reference)
    with pytest.raises(my.ModelError, match="holds no coordinate"):
        opened_reference(str(file), my.load_model("pendulum"))


def test_the_studio_keeps_the_control_law_of_a_movement():
    session = opened("hop")
    assert session.feedback is not None
    assert Session.from_dict(session.to_dict()) == session
    shorter = session.with_recipe(duration=0.3)
    run = run_recipe(shorter.model, shorter.recipe, shorter.feedback)
    assert runs_as(shorter).trajectory == run.trajectory


def test_numbers_of_the_model_are_found_by_name_and_changed(jump):
    sent = []
    desk = Desk(jump, sent.append)
    desk.receive({"kind": "find", "words": "thigh mass"})
    found = {one["name"]: one for one in sent[-1].data["numbers"]}
    mass = jump.model.bodies["thigh"].mass
    assert found["thigh.mass"] == {"name": "thigh.mass", "value": mass, "low": mass / 2, "high": 2 * mass}
    desk.receive({"kind": "edit", "edit": {"kind": "SetNumber", "name": "gravity.y", "value": -1.62}})
    desk.receive({"kind": "find", "words": "gravity"})
    answer = next(message.data for message in reversed(sent) if message.data["kind"] == "found")
    desk.receive({"kind": "find", "words": 3})
    assert any(message.data["kind"] == "refused" for message in sent)
    desk.close()
    assert {one["name"]: one["value"] for one in answer["numbers"]}["gravity.y"] == -1.62


def test_an_edit_sends_the_curve_that_it_changed(jump):
    sent = []
    desk = Desk(jump, sent.append)
    desk.begin()
    fit = {"kind": "FitHandles", "control": "vasti", "curve": "bezier", "points": 5}
    longer = {"kind": "SetDuration", "duration": 0.2}
    for message in ({"kind": "edit", "edit": fit}, {"kind": "undo"}, {"kind": "edit", "edit": longer}):
        desk.receive(message)
        # Changes that come at once are saved and sent together.
        desk.wait()
    desk.close()
    sessions = [message.data for message in sent if message.data["kind"] == "session"]
    controls = list(jump.model.controls)
    assert [session["whole"] for session in sessions] == [True, False, False, False]
    assert [[one["control"] for one in session["curves"]] for session in sessions] == [
        controls,
        ["vasti"],
        ["vasti"],
        controls,
    ]
    assert sessions[2]["curves"][0] == next(one for one in sessions[0]["curves"] if one["control"] == "vasti")
