"""Tracking problems: a movement follows angles and plates by its own forces alone."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.data import DataError
from myodyne.optimise.builtin.gait2d import closed, walking_guess
from myodyne.optimise.gait.feet import softer_contacts


def hopper() -> my.Model:
    """Return a trunk of 20 kg on a leg with a motor, on a light foot that the ground pushes."""
    return my.Model(
        name="hopper",
        bodies={"foot": my.Body(mass=2.0), "trunk": my.Body(mass=20.0)},
        joints={
            "stand": my.slider("ground", "foot", "height", axis="y"),
            "leg": my.slider("foot", "trunk", "leg", axis="y"),
        },
        forces={
            "sole": my.ContactPoint(body="foot", stiffness=40000.0, dissipation=0.5, transition=0.002),
            "motor": my.CoordinateActuator(coordinate="leg", gain=1000.0, control_range=(-1.0, 1.0)),
        },
    )


@pytest.fixture(scope="module")
def push_off() -> tuple[my.Model, my.Result, my.ExternalForces]:
    """A simulated push-off, and the ground force that a plate would have recorded."""
    model = hopper()
    push = my.bezier([0.2, 0.25, 0.5, 0.3, 0.2], 0.0, 0.5)
    start = {"height": -0.005, "leg": 0.8}
    run = my.simulate(model, 0.5, start=start, controls={"motor": push}, every=0.005)
    zero = np.zeros(len(run))
    plate = my.Trajectory(run.time, {"fx": zero, "fy": run.values("sole.force_y"), "fz": zero})
    force = my.ExternalForce("plate", "foot", plate, force=("fx", "fy", "fz"))
    return model, run, my.ExternalForces([force])


def test_a_simulated_push_off_is_followed_by_the_motor_alone(
    push_off: tuple[my.Model, my.Result, my.ExternalForces],
) -> None:
    model, run, plates = push_off
    motion = run.select(["height", "leg"]).trajectory
    errors = {"m": 0.001, "plates": 0.01}
    solved = my.solve(my.tracking(model, motion, plates, errors=errors, effort=1e-3, nodes=201))
    assert solved.report.succeeded
    assert my.compare(solved, motion).largest["m"] < 5e-4
    peak = run.values("sole.force_y").max()
    ground = np.interp(solved.time, run.time, run.values("sole.force_y"))
    assert np.sqrt(np.mean((solved.values("sole.force_y") - ground) ** 2)) < 0.05 * peak


def test_stated_errors_are_the_weights(push_off: tuple[my.Model, my.Result, my.ExternalForces]) -> None:
    model, run, plates = push_off
    motion = run.select(["height", "leg"]).trajectory
    problem = my.tracking(model, motion, plates, errors={"m": 0.01, "leg": 0.003, "plates": 0.1})
    goals = {goal.name: goal for goal in problem.goals}
    assert goals["motion"].deviations == {"height": 0.01, "leg": 0.003}
    peak = np.abs(run.values("sole.force_y")).max()
    assert goals["plates"].deviations["plate_y"] == pytest.approx(0.1 * peak, rel=1e-6)
    assert goals["plates"].of["plate_y"] == ("sole.force_y",)
    assert problem.nodes == 51


def test_motors_are_kept_from_alternating(push_off: tuple[my.Model, my.Result, my.ExternalForces]) -> None:
    """Accelerations cost what the largest recorded one does; muscles, which answer slowly, need no such cost."""
    model, run, plates = push_off
    motion = run.select(["height", "leg"]).trajectory
    cost = my.tracking(model, motion, plates, effort=0.25).goals[-1]
    recorded = max(np.abs(run.values(f"{name}.acceleration")).max() for name in ("height", "leg"))
    assert (cost.name, cost.weight) == ("accelerations", 0.25)
    assert cost.scale == pytest.approx(recorded, rel=0.1)
    resting = my.Trajectory([0.0, 0.5], {"leg": [0.8, 0.8]}, {"leg": "m"})
    assert [goal.name for goal in my.tracking(model, resting).goals] == ["motion", "effort"]
    walker = my.load_model("gait2d")
    bent = my.Trajectory(motion.time, {"right_knee": -0.2 * motion.time**3}, {"right_knee": "rad"})
    assert [goal.name for goal in my.tracking(walker, bent).goals] == ["motion", "effort"]


def test_contacts_of_bodies_beyond_the_plates_body_count() -> None:
    walker = my.load_model("gait2d")
    time = np.linspace(0.0, 1.0, 11)
    force = my.ExternalForce(
        "right", "right_shank", my.Trajectory(time, dict.fromkeys("abc", time)), force=("a", "b", "c")
    )
    motion = my.Trajectory(time, {"right_knee": -0.2 * time}, {"right_knee": "rad"})
    problem = my.tracking(walker, motion, my.ExternalForces([force]))
    assert problem.goals[1].of["right_y"] == ("right_heel.force_y", "right_toe.force_y")
    assert "right_z" not in problem.goals[1].data


def test_what_cannot_be_tracked_is_refused(push_off: tuple[my.Model, my.Result, my.ExternalForces]) -> None:
    model, run, plates = push_off
    motion = run.select(["height", "leg"]).trajectory
    bare = model.model_copy(update={"forces": type(model.forces)({"motor": model.forces["motor"]})})
    with pytest.raises(my.ModelError, match="has no contact"):
        my.tracking(bare, motion, plates)
    with pytest.raises(my.ModelError, match="did you mean 'height'"):
        my.tracking(model, motion, plates, errors={"heigt": 0.1})
    with pytest.raises(DataError, match="contains no coordinate"):
        my.tracking(model, run.select("sole.force_y"))
    walker = my.load_model("gait2d")
    pushed = walker.model_copy(
        update={
            "forces": type(walker.forces)({**walker.forces, "hand": my.CoordinateActuator(coordinate="pelvis_tilt")})
        }
    )
    with pytest.raises(my.ModelError, match="a residual force"):
        my.tracking(pushed, my.standing(walker))


@pytest.mark.long
def test_gait2d_follows_winters_walk_without_residuals() -> None:
    """Angles within 3° and forces within 8 % of the peak (RMS), from averages of many people on one model."""
    walker, norm = my.load_model("gait2d"), my.winter_gait()
    data = closed(norm.mean, norm.duration, walker)
    motion = walking_guess(walker, data, norm.speed)
    forces = []
    for side in ("right", "left"):
        columns = {f"{side}_{axis}": data.values(f"{side}_ground_force_{axis}") for axis in "xy"}
        columns[f"{side}_z"] = np.zeros(len(data))
        record = my.Trajectory(data.time, columns)
        forces.append(my.ExternalForce(f"{side}_plate", f"{side}_foot", record, force=tuple(columns)))
    problem = my.tracking(walker, motion, my.ExternalForces(forces), nodes=100)
    problem = problem.model_copy(
        update={"conditions": (*problem.conditions, my.Periodic()), "continuation": (softer_contacts(walker),)}
    )
    solved = my.solve(problem)
    assert solved.report.succeeded
    joints = [f"{side}_{joint}" for side in ("right", "left") for joint in ("hip", "knee", "ankle")]
    assert my.compare(solved, motion, joints).rms["rad"] < np.radians(3.0)
    for side in ("right", "left"):
        found = sum(solved.values(f"{side}_{part}.force_y") for part in ("heel", "toe"))
        wanted = np.interp(solved.time, data.time, data.values(f"{side}_ground_force_y"))
        assert np.sqrt(np.mean((found - wanted) ** 2)) < 0.08 * wanted.max()
