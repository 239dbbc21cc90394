"""Models that follow markers: known motions are found again, gaps and ranges are respected, mistakes are told."""

from __future__ import annotations

import importlib
import math

import numpy as np
import pytest

import myodyne as my

# The verb hides the module of its name.
module = importlib.import_module("myodyne.analyse.markers.inverse_kinematics")
ROWS = 40


@pytest.fixture(scope="module")
def model() -> my.Model:
    """A pelvis that is free to move, with a leg and one part more."""
    bodies = {name: my.Body(mass=1.0, inertia=0.1) for name in ("pelvis", "thigh", "shank", "other")}
    joints = {
        "root": my.free("ground", "pelvis", [f"root_{letter}" for letter in "abcxyz"]),
        "hip": my.ball("pelvis", my.Placement(body="thigh", at=(0.0, 0.2, 0.0)), ["hip_a", "hip_b", "hip_c"]),
        "knee": my.pin(
            my.Placement(body="thigh", at=(0.0, -0.2, 0.0)), my.Placement(body="shank", at=(0.0, 0.2, 0.0)), "knee"
        ),
        "side": my.pin("pelvis", "other", "side"),
    }
    draft = my.Model(name="legs", bodies=bodies, joints=joints)
    corners = {"a": (0.1, 0.0, 0.0), "b": (0.0, 0.1, 0.05), "c": (-0.1, 0.0, 0.1)}
    markers = {f"{body}_{name}": my.Marker(body=body, at=at) for body in bodies for name, at in corners.items()}
    return draft.with_parts(markers=markers)


@pytest.fixture(scope="module")
def motion(model: my.Model) -> my.Trajectory:
    time = np.arange(ROWS) / 20.0
    columns = {name: 0.4 * np.sin(2.0 * time + place) + 0.05 * place for place, name in enumerate(model.moving)}
    return my.Trajectory(time, columns)


def recorded(model: my.Model, motion: my.Trajectory) -> my.Markers:
    equations = my.equations_of(model, compiled=False)
    q = np.column_stack([motion.values(name) for name in equations.coordinates])
    places = equations.kernel("markers")(q, np.empty(0))[0]
    return my.Markers(motion.time, list(model.markers), places.reshape(len(q), -1, 3))


def worst(found: my.Trajectory, motion: my.Trajectory) -> float:
    return max(float(np.abs(found.values(name) - motion.values(name)).max()) for name in motion.names)


def test_a_known_motion_is_found_again(model, motion) -> None:
    found = my.inverse_kinematics(model, recorded(model, motion))
    assert found.report.status == "completed"
    assert worst(found, motion) < 1e-7
    assert found.values("markers.largest").max() < 1e-7
    assert found.units["knee"] == "rad"
    assert found.units["markers.rms"] == "m"


def test_the_jacobian_of_markers_is_that_of_their_places(model) -> None:
    kernel = my.equations_of(model, compiled=False).kernel("markers")
    q = np.linspace(-0.5, 0.7, len(model.moving))
    jacobian = kernel(q, np.empty(0))[1].reshape(-1, len(q))
    for place in range(len(q)):
        step = np.zeros(len(q))
        step[place] = 1e-6
        change = (kernel(q + step, np.empty(0))[0] - kernel(q - step, np.empty(0))[0]) / 2e-6
        assert jacobian[:, place] == pytest.approx(change, abs=1e-8)


def test_markers_that_were_not_seen_do_not_count(model, motion) -> None:
    full = recorded(model, motion)
    places = full.positions.copy()
    places[5:15, 0] = np.nan
    places[:, 4] = np.nan
    found = my.inverse_kinematics(model, my.Markers(full.time, full.names, places))
    assert worst(found, motion) < 1e-6
    assert np.isnan(found.values("pelvis_a.error")[5:15]).all()
    assert np.isfinite(found.values("pelvis_a.error")[15:]).all()
    assert any("pelvis_a (10 rows)" in note for note in found.report.notes)


def test_coordinates_that_markers_do_not_determine_stay_at_the_start_and_are_named(model, motion) -> None:
    full = recorded(model, motion)
    seen = [name for name in full.names if not name.startswith("other")]
    found = my.inverse_kinematics(model, full.select(seen), start={"side": 0.3})
    assert found.values("side") == pytest.approx(np.full(ROWS, 0.3), abs=1e-6)
    assert any("initial pose there: 'side'" in note for note in found.report.notes)
    assert found.values("knee") == pytest.approx(motion.values("knee"), abs=1e-6)


def test_weights_trade_one_marker_for_another() -> None:
    """A rod with two markers that contradict each other turns to the weighted mean of what they ask for."""
    places = {"one": my.Marker(body="rod", at=(0.0, -1.0, 0.0)), "two": my.Marker(body="rod", at=(0.0, -1.0, 0.0))}
    rod = my.load_model("pendulum").with_parts(markers=places)
    where = [[math.sin(a), -math.cos(a), 0.0] for a in (0.0, 0.4)]
    record = my.Markers([0.0], ["one", "two"], [where])
    for weights in ({"one": 1.0, "two": 1.0}, {"one": 3.0, "two": 1.0}):
        found = my.inverse_kinematics(rod, record, weights=weights).final["angle"]
        share = weights["two"] / (weights["one"] + weights["two"])
        expected = math.atan2(share * math.sin(0.4), 1.0 - share + share * math.cos(0.4))
        assert found == pytest.approx(expected, abs=1e-8)
    alone = my.inverse_kinematics(rod, record, weights={"two": 1.0})
    assert alone.final["angle"] == pytest.approx(0.4, abs=1e-8)
    assert "one.error" not in alone


def test_coordinates_with_a_weight_are_drawn_to_their_start() -> None:
    rod = my.load_model("pendulum").with_parts(markers={"tip": my.Marker(body="rod", at=(0.0, -1.0, 0.0))})
    record = my.Markers([0.0], ["tip"], [[[math.sin(0.5), -math.cos(0.5), 0.0]]])
    free = my.inverse_kinematics(rod, record, start={"angle": 0.1}).final["angle"]
    drawn = my.inverse_kinematics(rod, record, coordinate_weights={"angle": 1.0}, start={"angle": 0.1}).final["angle"]
    held = my.inverse_kinematics(rod, record, coordinate_weights={"angle": 1e6}, start={"angle": 0.1}).final["angle"]
    assert free == pytest.approx(0.5, abs=1e-8)
    # Where the pull of the marker, sin(0.5 - q), equals that to the start, q - 0.1.
    assert math.sin(0.5 - drawn) == pytest.approx(drawn - 0.1, abs=1e-7)
    assert held == pytest.approx(0.1, abs=1e-5)


def test_ranges_are_kept_where_asked_for(model, motion) -> None:
    joint = model.joints["knee"]
    tight = joint.coordinates["knee"].model_copy(update={"range": (-0.1, 0.2)})
    limited = model.with_parts(joints={"knee": joint.model_copy(update={"coordinates": {"knee": tight}})})
    record = recorded(model, motion)
    assert my.inverse_kinematics(limited, record).values("knee").max() > 0.3
    for within in (True, ["knee"], "knee"):
        kept = my.inverse_kinematics(limited, record, within_ranges=within)
        assert kept.values("knee").max() <= 0.2
        assert kept.values("knee").min() >= -0.1
        assert any("end of their range: 'knee'" in note for note in kept.report.notes)
    with pytest.raises(my.ModelError, match="no range for 'side'"):
        my.inverse_kinematics(limited, record, within_ranges=["side"])


def test_locked_coordinates_stay_and_coupled_ones_follow(model, motion) -> None:
    hip, knee = model.joints["hip"], model.joints["knee"]
    leader = next(iter(hip.coordinates))
    coupled = knee.coordinates["knee"].model_copy(update={"coupled": my.Linear(coordinate=leader, slope=-1.5)})
    bound = model.with_parts(joints={"knee": knee.model_copy(update={"coordinates": {"knee": coupled}})})
    record = recorded(bound, motion)
    found = my.inverse_kinematics(bound, record)
    assert found.values("knee") == pytest.approx(-1.5 * motion.values(leader), abs=1e-6)
    assert found.values("markers.rms").max() < 1e-7


def test_constraints_of_the_model_are_met() -> None:
    model = my.load_model("four_bar")
    marked = model.with_parts(markers={"m": my.Marker(body=next(iter(model.bodies)), at=(0.1, 0.0, 0.0))})
    rest = my.simulate(marked, duration=0.2)
    equations = my.equations_of(marked, compiled=False)
    q = np.column_stack([rest.values(name) for name in equations.coordinates])[::10]
    places = equations.kernel("markers")(q, np.array(marked.free_numbers))[0].reshape(len(q), -1, 3)
    record = my.Markers(rest.time[::10], list(marked.markers), places)
    found = my.inverse_kinematics(marked, record, weights={"m": 1.0}, start=rest)
    assert max(found.report.drift.values()) < 1e-6
    for place, name in enumerate(equations.coordinates):
        assert found.values(name) == pytest.approx(q[:, place], abs=1e-5)


def test_kept_constraints_take_as_many_steps_as_coupled_coordinates(model, motion) -> None:
    """The twin whose coupling is kept finds the same angles; a penalty on the constraint did not converge."""
    knee, hip = model.joints["knee"], model.joints["hip"]
    leader = next(iter(hip.coordinates))
    terms = (my.Term(coefficient=-1.5, powers=(1,)), my.Term(coefficient=0.8, powers=(2,)))
    follows = my.Polynomial(of=(leader,), terms=terms)
    coupled = knee.coordinates["knee"].model_copy(update={"coupled": follows})
    bound = model.with_parts(joints={"knee": knee.model_copy(update={"coordinates": {"knee": coupled}})})
    record = recorded(bound, motion)
    embedded, kept = (my.inverse_kinematics(one, record) for one in (bound, my.kept(bound)))
    assert not any("converge" in note or "not determined" in note for note in kept.report.notes)
    assert max(kept.report.drift.values()) < 1e-11
    assert kept.report.evaluations < 2 * embedded.report.evaluations
    for name in bound.coordinates:
        assert kept.values(name) == pytest.approx(embedded.values(name), abs=1e-7)


@pytest.mark.parametrize("turn", [0.0, math.pi / 2, math.pi, -2.0])
def test_a_body_that_faces_another_way_is_found(model, motion, turn: float) -> None:
    record = recorded(model, motion)
    about_y = np.array([[math.cos(turn), 0.0, math.sin(turn)], [0.0, 1.0, 0.0], [-math.sin(turn), 0.0, math.cos(turn)]])
    found = my.inverse_kinematics(model, record.rotated(about_y))
    assert found.values("markers.largest").max() < 1e-6


def test_ctrl_c_keeps_the_rows_that_are_done(model, motion, monkeypatch) -> None:
    monkeypatch.setattr(module, "_BLOCK", 10)
    solve, calls = module._Search._solve, []

    def interrupted(self, rows, begin, *tolerance):
        if len(rows) == 10:
            calls.append(rows)
            if len(calls) == 3:
                raise KeyboardInterrupt
        return solve(self, rows, begin, *tolerance)

    monkeypatch.setattr(module._Search, "_solve", interrupted)
    found = my.inverse_kinematics(model, recorded(model, motion), start=motion)
    assert found.report.status == "interrupted"
    assert "20 of 40 rows" in found.report.message
    assert len(found) == 20
    assert worst(found, motion.slice(0.0, found.time[-1])) < 1e-7


def test_mistakes_are_reported(model, motion) -> None:
    record = recorded(model, motion)
    with pytest.raises(my.ModelError, match="pelvis_a"):
        my.inverse_kinematics(model, record, weights={"pelvis_aa": 1.0})
    with pytest.raises(my.ModelError, match="at least 0"):
        my.inverse_kinematics(model, record, weights={"pelvis_a": -1.0})
    with pytest.raises(my.ModelError, match="has no markers"):
        my.inverse_kinematics(my.load_model("spinning_top").without(*my.load_model("spinning_top").markers), record)
    with pytest.raises(ValueError, match="millimetres"):
        my.inverse_kinematics(model, my.Markers(record.time, record.names, 1000.0 * record.positions))
    with pytest.raises(ValueError, match=r"no weighted marker is visible at 0\.1 s"):
        places = record.positions.copy()
        places[2] = np.nan
        my.inverse_kinematics(model, my.Markers(record.time, record.names, places))
    with pytest.raises(ValueError, match="the recording and the model have no weighted marker in common"):
        my.inverse_kinematics(model, my.Markers([0.0], ["nose"], np.zeros((1, 1, 3))))
    with pytest.raises(my.ModelError, match=r"coordinate_weights: .*knee"):
        my.inverse_kinematics(model, record, coordinate_weights={"kne": 1.0})
    with pytest.raises(my.ModelError, match=r"start: .*knee"):
        my.inverse_kinematics(model, record, start={"kne": 1.0})
    swapped = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
    mixed = my.Markers(record.time, record.names[::-1], record.rotated(swapped).positions)
    found = my.inverse_kinematics(model, mixed)
    assert any("names" in note and "Markers.rotated" in note for note in found.report.notes)
