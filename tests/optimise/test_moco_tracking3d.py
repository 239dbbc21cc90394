"""The walk in space that 80 elastic muscles track without residual forces: what the problem holds, and its solution."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import myodyne as my

SHARED = Path(__file__).parents[3] / "shared"
PLATES = {"Right_GRF": "_r", "Left_GRF": "_l"}

pytestmark = pytest.mark.skipif(
    not (SHARED / "data" / "moco_inverse3d").is_dir(), reason="the walk with 80 muscles is not beside the project"
)


@pytest.fixture(scope="module")
def problem() -> my.Problem:
    found = my.load_problem("moco_tracking3d", data=SHARED)
    assert isinstance(found, my.Problem)
    return found


def test_nothing_but_muscles_moves_the_legs(problem: my.Problem) -> None:
    model = problem.model
    assert len(model.moving) == 31
    assert len(model.muscles) == 80
    assert all(muscle.elastic for muscle in model.muscles.values())
    motors = {part.coordinate for part in model.forces.values() if isinstance(part, my.CoordinateActuator)}
    assert len(motors) == 13
    assert all(name.startswith(("lumbar", "arm", "elbow", "pro_sup")) for name in motors)
    assert problem.external_forces is None, "the plates are followed by contacts, not applied"


def test_angles_and_three_forces_of_each_plate_are_followed(problem: my.Problem) -> None:
    motion, plates = problem.goals[:2]
    assert isinstance(motion, my.Track)
    assert isinstance(plates, my.Track)
    assert set(motion.data.names) == set(problem.model.moving) - {"mtp_angle_r", "mtp_angle_l"}
    assert set(plates.data.names) == {f"{name}_{axis}" for name in PLATES for axis in "xyz"}
    for name, side in PLATES.items():
        contacts = plates.of[f"{name}_y"]
        assert isinstance(contacts, tuple)
        assert len(contacts) == 6
        assert all(contact.endswith(f"{side}.force_y") for contact in contacts)
    assert (problem.start, problem.duration) == pytest.approx((0.48, 1.13))


def test_motors_are_weighed_by_the_accelerations_of_what_they_move(problem: my.Problem) -> None:
    """Forearms and trunk accelerate less than legs; weighed like these, their motors could alternate."""
    cost = next(goal for goal in problem.goals if goal.name == "accelerations")
    assert isinstance(cost, my.Smoothness)
    motors = {part.coordinate for part in problem.model.forces.values() if isinstance(part, my.CoordinateActuator)}
    assert set(cost.scales) == motors
    assert all(0.1 * cost.scale <= own < 0.7 * cost.scale for own in cost.scales.values())


def test_recorded_feet_stand_on_the_soles(problem: my.Problem) -> None:
    """With the recorded angles the lowest sphere of the stance foot is within 2 cm of the floor, never far below it."""
    model, motion = problem.model, problem.goals[0].data  # type: ignore[union-attr]
    equations = my.equations_of(model, compiled=False)
    table = np.column_stack(
        [motion.values(name) if name in motion else np.zeros(len(motion.time)) for name in equations.coordinates]
    )
    turns, origins = equations.body_poses(table)
    lowest = np.full(len(motion.time), np.inf)
    for part in model.forces.values():
        if isinstance(part, my.SmoothSphereContact):
            number = equations.bodies.index(part.body)
            heights = origins[:, number, 1] + turns[:, number, 1, :] @ np.array(part.at) - part.radius
            lowest = np.minimum(lowest, heights)
    assert lowest.min() > -0.045
    assert lowest.max() < 0.0


@pytest.mark.long
def test_the_walk_is_followed_from_static_optimisation(problem: my.Problem) -> None:
    """The figures of the guide: angles, vertical peaks and the errors of intervals."""
    model, motion = problem.model, problem.goals[0].data  # type: ignore[union-attr]
    bare = model.without(*(name for name, part in model.forces.items() if isinstance(part, my.SmoothSphereContact)))
    columns = {name: motion.values(name) if name in motion else 0.0 * motion.time for name in bare.moving}
    whole = my.Trajectory(motion.time, columns)
    plates = my.load_external_forces(SHARED / "data" / "moco_inverse3d" / "grf_walk.xml")
    walk = my.solve(problem, guess=my.muscle_guess(bare, whole, plates), audit=False, show=False)
    walk = my.refine(walk, 0.05, show=False)
    assert walk.report.status == "completed"
    assert walk.report.optimum is not None
    assert walk.report.optimum.mesh_error is not None
    assert walk.report.optimum.mesh_error <= 0.05
    recorded = motion.resampled(walk.time)
    turning = [name for name in motion.names if not name.startswith("pelvis_t") or name == "pelvis_tilt"]
    errors = [np.degrees(np.sqrt(np.mean((recorded.values(name) - walk.values(name)) ** 2))) for name in turning]
    assert np.mean(errors) < 1.0
    assert max(errors) < 3.0
    applied = plates.at(walk.time)
    for name, side in PLATES.items():
        contacts = [part for part in walk.names if part.endswith(f"{side}.force_y")]
        peak = np.sum([walk.values(part) for part in contacts], axis=0).max()
        assert peak == pytest.approx(applied[name].force[:, 1].max(), rel=0.03)
