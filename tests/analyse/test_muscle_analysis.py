"""Muscles along a motion are those of the simulation that made it; moment arms tell where they jump."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.data import DataError
from support.muscled_arm import arm


@pytest.fixture(scope="module")
def run() -> my.Result:
    model = arm()
    controls = {name: my.piecewise_linear([0.0, 0.1, 0.3, 0.4], [0.1, 0.1, 0.6, 0.6]) for name in model.muscles}
    return my.simulate(model, duration=0.4, controls=controls, every=0.002)


def activations(run: my.Result) -> my.Trajectory:
    """Return the activations of a run, and the calcium of the muscle that has it."""
    names = [name for name in run.names if name.endswith((".activation", ".calcium")) and name != "slow.activation"]
    return run.trajectory.select(names)


def test_muscles_are_those_of_the_simulation(run: my.Result) -> None:
    model = arm()
    found = my.muscle_analysis(model, run, activations=activations(run))
    for name, muscle in model.muscles.items():
        assert np.allclose(found.values(f"{name}.length"), run.values(f"{name}.length"), atol=1e-12)
        assert np.allclose(found.values(f"{name}.velocity"), run.values(f"{name}.velocity"), atol=1e-12)
        # Activations are joined by lines, and the simulation has errors of its own: elastic fibres differ a little,
        # most in the beginning, until both have forgotten how they started.
        slack, later = (2e-3, slice(50, None)) if muscle.elastic else (1e-9, slice(None))
        off = np.abs(found.values(f"{name}.force") - run.values(f"{name}.force"))[later]
        assert off.max() < slack * muscle.max_force, name
        fibres = found.values(f"{name}.fibre_length")[later], run.values(f"{name}.fibre_length")[later]
        assert np.allclose(*fibres, atol=5e-5), name
    for part in ("active_force", "passive_force", "fibre_velocity", "pennation_angle"):
        assert np.allclose(found.values(f"stiff.{part}"), run.values(f"stiff.{part}"), atol=1e-9), part


def test_forces_of_elastic_fibres_balance(run: my.Result) -> None:
    """What fibres pull along the tendon, with their damping, is what the tendon pulls, in every row."""
    model = arm()
    found = my.muscle_analysis(model, run, activations=0.4, tendon="elastic")
    for name, muscle in model.muscles.items():
        fast = found.values(f"{name}.fibre_velocity") / muscle.optimal_fibre_length
        fibres = found.values(f"{name}.active_force") + found.values(f"{name}.passive_force")
        pull = (fibres + muscle.max_force * muscle.damping * fast) * np.cos(found.values(f"{name}.pennation_angle"))
        assert np.allclose(pull, found.values(f"{name}.force"), atol=1e-6 * muscle.max_force), name


def test_tendons_can_be_made_rigid(run: my.Result) -> None:
    model = arm()
    found = my.muscle_analysis(model, run, activations=dict.fromkeys(model.muscles, 0.4), tendon="rigid")
    for name, muscle in model.muscles.items():
        along = found.values(f"{name}.fibre_length") * np.cos(found.values(f"{name}.pennation_angle"))
        assert np.allclose(along + muscle.tendon_slack_length, found.values(f"{name}.length")), name


def test_without_activations_there_is_geometry_alone(run: my.Result) -> None:
    model = arm()
    found = my.muscle_analysis(model, run)
    assert [name for name in found.names if name.startswith("flex.")] == [
        "flex.length",
        "flex.velocity",
        "flex.moment_arm.elbow",
    ]
    equations = my.equations_of(model)
    arms = equations.moment_arms(np.column_stack([run.values(name) for name in equations.coordinates]))
    assert np.allclose(found.values("bi.moment_arm.shoulder"), arms[:, list(model.muscles).index("bi"), 0])


def test_a_motion_against_a_lock_is_reported() -> None:
    model = arm()
    hinge = my.pin({"body": "upper", "at": (0, -0.3, 0)}, "lower", "elbow", default=0.5, locked=True)
    joints = {**model.joints, "elbow": hinge}
    locked = my.Model(name="locked", bodies=model.bodies, joints=joints, muscles={"flex": model.muscles["flex"]})
    motion = my.Trajectory(range(8), {"shoulder": [0.1] * 8, "elbow": [0.8] * 8})
    assert "locked at 0.5" in my.muscle_analysis(locked, motion).report.notes[0]


def test_activations_that_cannot_be_are_refused(run: my.Result) -> None:
    model = arm()
    with pytest.raises(DataError, match="between 0 and 1"):
        my.muscle_analysis(model, run, activations=1.5)
    with pytest.raises(DataError, match="lack muscle 'ext'"):
        my.muscle_analysis(model, run, activations={"flex": 0.1})
    with pytest.raises(my.ModelError, match="unknown muscle 'flax'"):
        my.muscle_analysis(model, run, activations={"flax": 0.1})
    with pytest.raises(my.ModelError, match="'rigid', 'elastic' or None"):
        my.muscle_analysis(model, run, tendon="soft")  # type: ignore[arg-type]
    with pytest.raises(my.ModelError, match="no muscles"):
        my.muscle_analysis(my.load_model("pendulum"), my.Trajectory(range(8), {"angle": [0.0] * 8}))


def test_moment_arms_are_the_slopes_of_lengths() -> None:
    found = my.moment_arms(arm(), "flex", "elbow", range=(0.1, 1.4), count=200)
    slope = -np.gradient(found.lengths, found.at)
    assert np.allclose(found.arms[1:-1], slope[1:-1], atol=1e-5)
    assert found.unit == "rad"
    assert found.jumps == ()
    assert set(found.pose) == {"shoulder"}


def test_moment_arms_take_a_pose() -> None:
    straight, bent = (my.moment_arms(arm(), "bi", "elbow", range=(0, 1), pose={"shoulder": at}) for at in (0.0, 1.0))
    assert np.allclose(straight.arms - bent.arms, 0.01)


def test_jumps_are_found_where_they_are() -> None:
    """A point that counts only from 0.6 rad on makes the path longer at once."""
    points = [
        my.PathPoint(body="upper", at=(0.02, -0.1, 0)),
        my.ConditionalPoint(body="upper", at=(0.06, -0.28, 0), coordinate="elbow", range=(0.6, 3.0)),
        my.PathPoint(body="lower", at=(0.03, -0.04, 0)),
    ]
    model = arm()
    flex = model.muscles["flex"].model_copy(update={"path": my.PointPath(points=tuple(points))})
    found = my.moment_arms(model.with_parts(muscles={"flex": flex}), "flex", "elbow", range=(0.1, 1.4), count=30)
    assert {jump.what for jump in found.jumps} == {"length", "moment arm"}
    assert all(jump.at == pytest.approx(0.6, abs=1e-9) for jump in found.jumps)
    assert "2 jumps" in repr(found)


def test_moment_arms_that_cannot_be_are_refused() -> None:
    model = arm()
    with pytest.raises(my.ModelError, match="did you mean 'flex'"):
        my.moment_arms(model, "flx", "elbow", range=(0, 1))
    with pytest.raises(my.ModelError, match="did you mean 'elbow'"):
        my.moment_arms(model, "flex", "elbo", range=(0, 1))
    with pytest.raises(my.ModelError, match="has no range"):
        my.moment_arms(model, "flex", "elbow")
    with pytest.raises(my.ModelError, match="low to high"):
        my.moment_arms(model, "flex", "elbow", range=(1, 0))
    with pytest.raises(my.ModelError, match="at least 2"):
        my.moment_arms(model, "flex", "elbow", range=(0, 1), count=1)
    with pytest.raises(my.ModelError, match="unknown coordinate 'hip'"):
        my.moment_arms(model, "flex", "elbow", range=(0, 1), pose={"hip": 1.0})
