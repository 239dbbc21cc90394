"""Jumps of paths along a motion are named, with muscle and time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.support.shared import needs

import myodyne as my
from myodyne.analyse.muscles.jumps_along import jumps_along
from myodyne.optimise.transcription.phase import instant_of

MOBL = Path(__file__).resolve().parents[3] / "shared" / "models_osim" / "MoBL_ARMS.osim"
# The elbow passes 0.7 rad, where a point comes into play, at 0.5 s.
TIME = np.linspace(0.0, 1.0, 52)
REACH = my.Trajectory(
    TIME, {"shoulder": 0.5 + 0.2 * TIME, "elbow": 0.2 + TIME + 0.1 * np.sin(2 * np.pi * TIME)}, {"elbow": "rad"}
)


def arm(*, jumps: bool) -> my.Model:
    """Return the arm with one more muscle, with or without a point that comes into play on the way."""
    model = my.load_model("planar_arm")
    upper, lower = list(model.bodies)[:2]
    via = my.ConditionalPoint(body=upper, at=(0.05, -0.28, 0.0), coordinate="elbow", range=(0.7, 3.0))
    points = ((upper, (0.02, -0.05, 0.0)), *((via,) if jumps else ()), (lower, (0.02, -0.06, 0.0)))
    muscle = next(iter(model.muscles.values())).model_copy(
        update={
            "path": my.PointPath(points=points),
            "max_force": 300.0,
            "optimal_fibre_length": 0.15,
            "tendon_slack_length": 0.14,
        }
    )
    return model.with_parts(muscles={"extra": muscle})


def test_a_point_that_comes_into_play_is_a_jump() -> None:
    model = arm(jumps=True)
    equations = my.equations_of(model, compiled=False)
    q = np.column_stack([REACH.values(name) for name in equations.coordinates])
    (jump,) = jumps_along(equations, TIME, q, (equations.muscle_lengths(q), equations.moment_arms(q)))
    assert jump.muscle == "extra"
    assert jump.time == pytest.approx(0.5, abs=1e-4)
    sides = [np.array([0.6, 0.7 + side]) for side in (-1e-9, 1e-9)]
    place = equations.muscles.index("extra")
    lengths = [equations.muscle_lengths(side)[place] for side in sides]
    assert jump.size == pytest.approx(lengths[1] - lengths[0], abs=1e-7)


def test_smooth_paths_do_not_jump_however_far_apart_the_rows() -> None:
    equations = my.equations_of(arm(jumps=False), compiled=False)
    for every in (1, 10):
        rows = REACH.rows()[::every]
        q = rows[:, [REACH.names.index(name) for name in equations.coordinates]]
        assert jumps_along(equations, TIME[::every], q, (equations.muscle_lengths(q), equations.moment_arms(q))) == []


def test_reports_name_the_muscle_and_the_time() -> None:
    for jumps in (True, False):
        model = arm(jumps=jumps)
        notes = [
            my.static_optimisation(model, REACH, reserves=10.0).report.notes,
            my.muscle_analysis(model, REACH).report.notes,
            instant_of(my.Problem(model, motion=REACH, start=0.1, duration=0.8)).notes,
        ]
        for found in notes:
            assert any("'extra' (length by" in note and "at 0.5" in note for note in found) == jumps


@pytest.mark.long
def test_sharing_with_elastic_tendons_names_the_jump() -> None:
    model = arm(jumps=True).with_parts(
        forces={f"reserve_{name}": my.CoordinateActuator(coordinate=name, gain=10.0) for name in ("shoulder", "elbow")}
    )
    problem = my.Problem(
        model, motion=REACH, start=0.1, duration=0.8, goals=[my.Effort(of="controls", summed=True, weight=10.0)]
    )
    try:
        notes = my.solve(problem, my.Radau(degree=2), nodes=41, show=False).report.notes
    except my.SolveError as error:
        notes = (str(error),)
    assert any("'extra' (length by" in note for note in notes)


@pytest.mark.long
@needs(MOBL, "needs MoBL_ARMS.osim beside the repository")
def test_the_latissimus_of_a_published_arm() -> None:
    """Two metres at once, by OpenSim's rules; forces stepped by hundreds of newtons without a note."""
    model = my.load_model(MOBL)
    time = np.linspace(0.0, 1.0, 8)
    pose = {"elv_angle": -1.1142, "shoulder_elv": 2.927, "elbow_flexion": 0.5, "pro_sup": 0.0}
    columns = {name: np.full(len(time), value) for name, value in pose.items()} | {"shoulder_rot": -1.35 + 0.3 * time}
    motion = my.Trajectory(time, columns, dict.fromkeys(columns, "rad"))
    notes = my.static_optimisation(model, motion, reserves=1.0).report.notes
    assert any("'LAT2' (length by" in note for note in notes)
