"""Joint loads along a motion are those of a simulation, and pulls over surfaces do the work of their moment arms."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.analyse.coordinate_motion import coordinate_motion
from myodyne.analyse.joint_reactions import muscle_wrenches
from myodyne.data import DataError
from support.muscled_arm import arm

PARTS = [f"reaction_{part}_{axis}" for part in ("force", "moment") for axis in "xyz"]


@pytest.mark.parametrize("free", [False, True])
def test_loads_are_those_of_a_simulation(free: bool) -> None:
    model = arm(free=free)
    run = my.simulate(model, duration=0.3, controls={name: my.constant(0.3) for name in model.muscles}, every=0.01)
    found = my.joint_reactions(model, run, forces=run)
    for joint in model.joints:
        for part in PARTS:
            expected = run.values(f"{joint}.{part}")
            assert np.allclose(found.values(f"{joint}.{part}"), expected, atol=1e-6), (joint, part)
    assert any("no line of action" in note for note in found.report.notes)
    assert found.units["elbow.reaction_force_x"] == "N"
    assert found.units["elbow.reaction_moment_x"] == "N m"


def test_without_forces_of_muscles_the_moments_are_the_net_ones() -> None:
    model = arm()
    run = my.simulate(model, duration=0.3, controls={name: my.constant(0.3) for name in model.muscles}, every=0.01)
    found = my.joint_reactions(model, run, passive=False)
    assert np.allclose(found.values("elbow.reaction_moment_z"), run.values("elbow.moment"), atol=1e-6)


def test_external_forces_load_the_joints_up_to_the_ground() -> None:
    model = my.load_model("double_pendulum_3d")
    time = np.linspace(0.0, 1.0, 20)
    motion = my.Trajectory(time, {name: 0.3 * np.sin(time + number) for number, name in enumerate(model.moving)})
    last = list(model.bodies)[-1]
    record = my.Trajectory(time, {"x": np.full(20, 3.0), "y": np.full(20, -40.0), "z": np.full(20, 5.0)})
    pull = my.ExternalForces([my.ExternalForce("pull", last, record, force=("x", "y", "z"))])
    free, pulled = my.joint_reactions(model, motion), my.joint_reactions(model, motion, pull)
    for joint in model.joints:
        for axis, force in zip("xyz", (3.0, -40.0, 5.0), strict=True):
            name = f"{joint}.reaction_force_{axis}"
            assert np.allclose(free.values(name) - pulled.values(name), force), name


@pytest.mark.parametrize("axes", ["child", "parent"])
def test_loads_can_be_given_in_the_axes_of_the_bodies(axes: str) -> None:
    model = my.load_model("double_pendulum_3d")
    time = np.linspace(0.0, 1.0, 20)
    motion = my.Trajectory(time, {name: 0.7 * np.sin(time + number) for number, name in enumerate(model.moving)})
    ground, found = my.joint_reactions(model, motion), my.joint_reactions(model, motion, axes=axes)
    equations = my.equations_of(model)
    turns, _ = equations.body_poses(np.column_stack([motion.values(name) for name in equations.coordinates]))
    for name, joint in model.joints.items():
        body = getattr(joint, axes).body
        turn = np.tile(np.eye(3), (20, 1, 1)) if body == "ground" else turns[:, equations.bodies.index(body)]
        for part in ("force", "moment"):
            old, new = (
                np.column_stack([told.values(f"{name}.reaction_{part}_{axis}") for axis in "xyz"])
                for told in (ground, found)
            )
            assert np.allclose(np.einsum("tab,tb->ta", turn, new), old, atol=1e-12)
            assert (body == "ground") == np.allclose(new, old)
    with pytest.raises(my.ModelError, match="axes must be 'ground', 'child' or 'parent', not 'tibia'"):
        my.joint_reactions(model, motion, axes="tibia")


def wrapped() -> my.Model:
    """Return an elbow in space with a muscle over a cylinder, one over a sphere that moves, and a straight one."""

    def path(
        first: tuple[str, tuple[float, ...]], last: tuple[str, tuple[float, ...]], over: str | None
    ) -> my.PointPath:
        wraps = [] if over is None else [{"surface": over}]
        return my.PointPath.model_validate({"points": [list(first), list(last)], "wraps": wraps})

    numbers = {"max_force": 500.0, "optimal_fibre_length": 0.1, "tendon_slack_length": 0.2}
    upper, lower = ("upper", (0.03, -0.05, 0.01)), ("lower", (0.03, -0.15, 0.0))
    return my.Model(
        name="elbow",
        bodies={name: my.Body(mass=1.0, centre_of_mass=(0, -0.15, 0), inertia=0.02) for name in ("upper", "lower")},
        joints={
            "shoulder": my.ball("ground", "upper", ("a", "b", "c")),
            "elbow": my.universal({"body": "upper", "at": (0, -0.3, 0)}, "lower", ("d", "e")),
        },
        surfaces={
            "rod": my.WrapCylinder(frame={"body": "upper", "at": (0, -0.3, 0)}, radius=0.04, length=0.2),
            "knob": my.WrapSphere(frame={"body": "lower", "at": (0.0, -0.02, 0)}, radius=0.045),
        },
        muscles={
            "over_rod": my.Muscle(**numbers, path=path(upper, lower, "rod")),
            "over_knob": my.Muscle(**numbers, path=path(("ground", (0.05, 0.02, 0.0)), lower, "knob")),
            "straight": my.Muscle(**numbers, path=path(upper, lower, None)),
        },
    )


def test_pulls_over_surfaces_do_the_work_of_their_moment_arms() -> None:
    model = wrapped()
    draw = np.random.default_rng(4)
    time = np.linspace(0.0, 1.0, 12)
    columns = {name: draw.uniform(-0.4, 0.4) + 0.2 * np.sin(3 * time) for name in model.moving}
    movement = coordinate_motion(model, my.Trajectory(time, columns), None)
    tree = my.equations_of(model.unconstrained())
    for number in range(len(model.muscles)):
        tensions = np.zeros((len(time), len(model.muscles)))
        tensions[:, number] = 100.0
        wrenches = muscle_wrenches(tree, movement, tensions)
        done = tree.kernel("external_forces").first(movement.q, wrenches)
        assert np.allclose(done, 100.0 * tree.moment_arms(movement.q)[:, number], atol=1e-8), list(model.muscles)[
            number
        ]
        # A pull between bodies neither moves nor turns them as a whole, but for what the ground holds.
        forces = wrenches.reshape(len(time), -1, 6)[:, :, :3].sum(axis=1)
        assert np.allclose(forces, 0.0, atol=1e-9) == (number != 1)


def test_loads_that_cannot_be_known_are_refused() -> None:
    model = arm(constrained=True)
    run = my.simulate(model, duration=0.1, every=0.01)
    with pytest.raises(my.ModelError, match="constraints between bodies"):
        my.joint_reactions(model, run)
    model = model.without("hand")
    with pytest.raises(DataError, match="the forces lack muscle 'flex'"):
        my.joint_reactions(model, run, forces=my.Trajectory(run.time, {"flax": np.zeros(len(run))}))
    with pytest.raises(DataError, match="outside the record"):
        my.joint_reactions(model, run, forces=run.slice(0.05))
    with pytest.raises(my.ModelError, match="no muscles"):
        my.joint_reactions(my.load_model("pendulum"), my.Trajectory(range(8), {"angle": [0.0] * 8}), forces=run)
