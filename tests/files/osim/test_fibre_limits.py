"""What OpenSim holds at a limit is held or told; reading stays linear in the number of couplers and actuators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.files.osim import read_osim
from myodyne.files.osim.forces import surroundings
from myodyne.files.osim.skeleton import constraints as constraints_of, posture
from myodyne.model.checks.coordinates import coupling_faults
from support.clocks import within_seconds

MUSCLE = """<{kind} name="{name}"><max_isometric_force>500</max_isometric_force>\
<optimal_fiber_length>0.1</optimal_fiber_length><tendon_slack_length>0.2</tendon_slack_length>\
<pennation_angle_at_optimal>{pennation}</pennation_angle_at_optimal>{extra}<GeometryPath name="path"><PathPointSet><objects>\
<PathPoint name="a"><socket_parent_frame>/ground</socket_parent_frame><location>0 0.1 0</location></PathPoint>{point}\
<PathPoint name="b"><socket_parent_frame>/bodyset/rod</socket_parent_frame><location>0 -0.2 0</location></PathPoint>\
</objects></PathPointSet></GeometryPath></{kind}>"""
MOVING = """<MovingPathPoint name="sliding"><socket_parent_frame>/bodyset/rod</socket_parent_frame>{coordinates}\
<x_location>{function}</x_location><y_location><Constant><value>0.01</value></Constant></y_location>\
<z_location><Constant><value>0</value></Constant></z_location></MovingPathPoint>"""
COORDINATES = "".join(f"<socket_{axis}_coordinate>/jointset/hinge/angle</socket_{axis}_coordinate>" for axis in "xyz")
LINE = "<LinearFunction><coefficients>0.02 0.03</coefficients></LinearFunction>"


def model(*forces: str, limits: str = "<range>-1 1</range>") -> my.Model:
    text = (
        '<OpenSimDocument Version="40000"><Model name="held"><BodySet><objects><Body name="rod"><mass>1</mass>'
        "<inertia>0.1 0.1 0.1 0 0 0</inertia></Body></objects></BodySet><JointSet><objects>"
        '<PinJoint name="hinge"><socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/rod'
        f'</socket_child_frame><coordinates><Coordinate name="angle">{limits}</Coordinate></coordinates></PinJoint>'
        f"</objects></JointSet><ForceSet><objects>{''.join(forces)}</objects></ForceSet></Model></OpenSimDocument>"
    )
    return read_osim(text.encode(), "held.osim")


def muscle(kind: str, pennation: float = 0.0, extra: str = "", point: str = "", name: str = "soleus") -> str:
    return MUSCLE.format(kind=kind, name=name, pennation=pennation, extra=extra, point=point)


def told(found: my.Model) -> list[str]:
    assert found.audit is not None
    return [remark.message for remark in found.audit.about("approximated")]


STEEP = "<maximum_pennation_angle>0.6</maximum_pennation_angle>"


def test_a_pennation_in_reach_is_reported_by_name() -> None:
    # sin(0.5) / sin(0.6) = 0.85, which fibres come to in many a pose.
    messages = told(model(muscle("Thelen2003Muscle", 0.5, STEEP)))
    assert messages[0].startswith("its maximum pennation angle of 0.6 rad is reached by fibres of 0.85 optimal lengths")
    assert "(here of 1 muscles, at 0.85 to 0.85 optimal lengths)" in messages[1]


@pytest.mark.parametrize(
    ("kind", "pennation", "extra", "least"),
    [
        # sin(0.3) / sin(0.7)
        ("Thelen2003Muscle", 0.3, "<maximum_pennation_angle>0.7</maximum_pennation_angle>", "0.46"),
        ("Millard2012EquilibriumMuscle", 0.0, "", "0.44"),
        (
            "Millard2012EquilibriumMuscle",
            0.0,
            "<ActiveForceLengthCurve><min_norm_active_fiber_length>0.3"
            "</min_norm_active_fiber_length></ActiveForceLengthCurve>",
            "0.3",
        ),
        ("Millard2012EquilibriumMuscle", 0.5, "", "0.44"),
    ],
)
def test_the_least_length_of_fibres_is_reported(kind: str, pennation: float, extra: str, least: str) -> None:
    messages = told(model(muscle(kind, pennation, extra)))
    assert len(messages) == 1
    assert f"at {least} to {least} optimal lengths" in messages[0]


@pytest.mark.parametrize(
    ("kind", "pennation"),
    [
        # At the steepest pennation that OpenSim takes where the file tells none, fibres are held here, too.
        ("Thelen2003Muscle", 0.0),
        ("Thelen2003Muscle", 0.3),
        ("DeGrooteFregly2016Muscle", 0.3),
    ],
)
def test_muscles_that_nothing_holds_are_not_remarked_on(kind: str, pennation: float) -> None:
    assert told(model(muscle(kind, pennation))) == []


SLIDING = MOVING.format(coordinates=COORDINATES, function=LINE)


def test_moving_points_stay_at_the_ends_of_the_range_of_their_coordinate() -> None:
    found = model(muscle("Thelen2003Muscle", point=SLIDING))
    assert found.muscles["soleus"].path.points[1].range == (-1.0, 1.0)
    equations = my.equations_of(found, compiled=False)

    def expected(angle: float) -> float:
        held = min(max(angle, -1.0), 1.0)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        slid, end = turn @ (0.02 * held + 0.03, 0.01), turn @ (0.0, -0.2)
        return float(np.linalg.norm(slid - (0.0, 0.1)) + np.linalg.norm(end - slid))

    for angle in (-1.4, -1.001, -0.999, 0.3, 0.999, 1.001, 1.7):
        assert equations.muscle_lengths([angle])[0] == pytest.approx(expected(angle), abs=1e-14), angle
        slope = (expected(angle + 1e-6) - expected(angle - 1e-6)) / 2e-6
        assert equations.moment_arms([angle])[0, 0] == pytest.approx(-slope, abs=1e-9), angle


def test_moving_points_without_an_end_to_their_range_go_on() -> None:
    for limits in ("", "<range>-Inf Inf</range>", "<range>1 -1</range>", "<range>-99999.9 99999.9</range>"):
        assert (
            model(muscle("Thelen2003Muscle", point=SLIDING), limits=limits).muscles["soleus"].path.points[1].range
            is None
        )
    still = MOVING.format(coordinates=COORDINATES, function="<Constant><value>0.03</value></Constant>")
    point = model(muscle("Thelen2003Muscle", point=still)).muscles["soleus"].path.points[1]
    assert point == my.PathPoint(body="rod", at=(0.03, 0.01, 0.0))


@pytest.mark.parametrize("suffix", ["yaml", "osim"])
@pytest.mark.parametrize("default", [0.2, 1.5])
def test_held_points_are_kept_in_files_also_where_the_default_lies_beyond(
    tmp_path: Path, suffix: str, default: float
) -> None:
    found = model(
        muscle("Thelen2003Muscle", point=SLIDING), limits=f"<default_value>{default}</default_value><range>-1 1</range>"
    )
    assert found.muscles["soleus"].path.points[1].range == (-1.0, 1.0)
    assert found.coordinates["angle"].range == (-1.0, max(1.0, default))
    my.save_model(found, tmp_path / f"held.{suffix}")
    assert my.load_model(tmp_path / f"held.{suffix}") == found


@pytest.mark.parametrize("limits", [None, (-0.5, 1.0)])
def test_points_held_elsewhere_than_their_coordinate_are_not_written_for_opensim(
    tmp_path: Path, limits: tuple[float, float] | None
) -> None:
    found = model(muscle("Thelen2003Muscle", point=SLIDING))
    soleus = found.muscles["soleus"]
    points = [
        point.model_copy(update={"range": limits}) if point.kind == "moving" else point for point in soleus.path.points
    ]
    other = found.with_parts(muscles={"soleus": soleus.model_copy(update={"path": my.PointPath(points=tuple(points))})})
    with pytest.raises(my.FileError, match=r"where OpenSim holds it to the range of 'angle', \[-1, 1\]"):
        my.save_model(other, tmp_path / "held.osim")


def test_a_range_needs_one_coordinate_and_an_inside() -> None:
    line = my.Linear(coordinate="knee", slope=0.1)
    with pytest.raises(my.ModelError, match="empty or inverted"):
        my.MovingPoint(body="shank", at=(line, 0.0, 0.0), range=(1.0, 1.0))
    with pytest.raises(my.ModelError, match="by one coordinate, not by 2"):
        my.MovingPoint(body="shank", at=(line, "hip", 0.0), range=(0.0, 1.0))


def test_swivels_are_looked_for_once_however_many_actuators_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, look = [], surroundings.torque_axes_of
    monkeypatch.setattr(surroundings, "torque_axes_of", lambda *given: calls.append(1) or look(*given))
    found = model(
        *(f'<CoordinateActuator name="motor{k}"><coordinate>angle</coordinate></CoordinateActuator>' for k in range(30))
    )
    assert len(found.forces) == 30
    assert len(calls) == 1


def chain(count: int, last: str) -> dict[str, Any]:
    leads = {0: last} if last else {}
    leads |= {number: f"q{number - 1}" for number in range(1, count)}
    joints = {
        f"j{k}": my.pin(
            "ground" if k == 0 else f"b{k - 1}",
            f"b{k}",
            f"q{k}",
            **({"coupled": my.Linear(coordinate=leads[k])} if k in leads else {}),
        )
        for k in range(count)
    }
    return {"name": "chain", "bodies": {f"b{k}": my.Body(mass=1.0) for k in range(count)}, "joints": joints}


def test_checking_a_chain_of_couplers_takes_one_visit_each(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    whole = my.Linear.coordinates.fget  # type: ignore[attr-defined]

    def counted(self: my.Linear) -> tuple[str, ...]:
        nonlocal asked
        asked += 1
        return whole(self)  # type: ignore[no-any-return]

    found = my.Model(**chain(600, ""))
    monkeypatch.setattr(my.Linear, "coordinates", property(counted))
    assert list(coupling_faults(found)) == []
    assert asked <= 600


@pytest.mark.parametrize("order", ["forward", "backward", "evens first"])
def test_joining_chains_of_couplers_takes_no_second(order: str) -> None:
    count = 20000
    numbers = list(range(1, count))
    numbers = {"forward": numbers, "backward": numbers[::-1], "evens first": numbers[1::2] + numbers[::2]}[order]
    couplings = constraints_of._Couplings()
    with within_seconds(1.0):
        for number in numbers:
            leading = (f"q{number - 1}",)
            assert not couplings.lead_back(f"q{number}", leading)
            couplings.add(f"q{number}", leading)
        assert couplings.lead_back("q0", (f"q{count - 1}",))
        assert couplings.lead_back("q5", ("other", "q5"))
        assert not couplings.lead_back("other", (f"q{count - 1}",))


def test_defaults_of_a_chain_of_couplers_follow_the_first() -> None:
    parts = chain(300, "")
    parts["joints"] = {name: parts["joints"][name] for name in reversed(parts["joints"])}
    parts["joints"]["j0"] = my.pin("ground", "b0", "q0", default=0.001)
    pose = posture.default_pose(my.Model(**parts))
    assert pose is not None
    turn = pose.places["b299"][0]  # each joint turns by as much as the first
    assert np.arctan2(turn[1, 0], turn[0, 0]) == pytest.approx(0.3)


def test_cycles_are_named_and_what_only_leads_into_them_is_not() -> None:
    with pytest.raises(my.ModelError) as caught:
        my.Model(**chain(4, "q2"))
    cycle = [line for line in str(caught.value).splitlines() if "form a cycle" in line]
    assert [line.split("'")[1] for line in cycle] == ["q0", "q1", "q2"]


def test_a_muscle_that_is_switched_off_is_not_held() -> None:
    off = muscle("Thelen2003Muscle", 0.5, STEEP + "<appliesForce>false</appliesForce>")
    assert told(model(off)) == []
