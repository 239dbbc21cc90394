"""Inverse dynamics undoes forward dynamics, knows where forces act, and refuses what it cannot know."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.data import DataError
from support.muscled_arm import arm

ROWS = 60


def swing(model: my.Model, seed: int = 0, rows: int = ROWS) -> my.Trajectory:
    """Return a smooth motion of all coordinates that move."""
    draw = np.random.default_rng(seed)
    time = np.linspace(0.0, 1.0, rows)
    columns = {}
    for name in model.moving:
        size, phase, pace = draw.uniform(0.1, 0.4), draw.uniform(0.0, 6.0), draw.uniform(2.0, 6.0)
        columns[name] = model.coordinates[name].default + size * np.sin(pace * time + phase)
    return my.Trajectory(time, columns)


def push(body: str, time: np.ndarray, **parts: tuple[float, float, float]) -> my.ExternalForces:
    """Return a constant force on a body, with its point and torque."""
    columns, names = {}, {}
    for part, values in parts.items():
        if part.endswith("frame"):
            continue
        names[part] = tuple(f"{part}_{axis}" for axis in "xyz")
        columns |= {name: np.full(len(time), value) for name, value in zip(names[part], values, strict=True)}
    frames = {part: body for part in parts if part.endswith("frame")}
    return my.ExternalForces([my.ExternalForce("push", body, my.Trajectory(time, columns), **names, **frames)])


def test_inverse_dynamics_undoes_a_simulation() -> None:
    model = my.load_model("runner_skeleton")
    motors = {name: my.constant(0.05) for name in model.controls}
    run = my.simulate(model, duration=0.2, controls=motors)
    found = my.inverse_dynamics(model, run)
    for name in model.moving:
        expected = run.values(f"{name}.moment")
        assert np.allclose(found.values(f"{name}.moment"), expected, atol=1e-8 * max(1.0, np.abs(expected).max())), name


def test_quintic_splines_give_nearly_the_accelerations_of_a_simulation() -> None:
    model = my.load_model("double_pendulum")
    run = my.simulate(model, duration=1.0, start={"shoulder": 1.0} if "shoulder" in model.moving else None, every=0.005)
    bare = run.trajectory.select(list(model.moving))
    told, splined = my.inverse_dynamics(model, run), my.inverse_dynamics(model, bare)
    inner = slice(20, -20)
    assert np.allclose(splined.rows()[inner], told.rows()[inner], atol=1e-3)


def test_passive_forces_are_taken_out_by_name() -> None:
    model = arm()
    motion = swing(model)
    net = my.inverse_dynamics(model, motion)
    without = my.inverse_dynamics(model, motion, passive=True)
    named = my.inverse_dynamics(model, motion, passive="gi*")
    angle, speed = motion.values("elbow"), motion.derivative().values("elbow")
    spring = -1.0 * angle - 0.2 * speed
    assert np.allclose(net.values("elbow.moment") - without.values("elbow.moment"), spring, atol=1e-9)
    assert np.allclose(net.values("shoulder.moment"), without.values("shoulder.moment"), atol=1e-9)
    assert np.array_equal(named.rows(), without.rows())
    assert any("give" in note for note in without.report.notes)
    with pytest.raises(my.ModelError, match="driven by a control"):
        my.inverse_dynamics(model, motion, passive=["motor"])
    with pytest.raises(my.ModelError, match="did you mean 'give'"):
        my.inverse_dynamics(model, motion, passive=["gave"])


@pytest.mark.parametrize(
    "frames", [{}, {"force_frame": (0, 0, 0)}, {"force_frame": (0, 0, 0), "point_frame": (0, 0, 0)}]
)
def test_external_forces_do_the_work_of_their_point(frames: dict[str, tuple[int, int, int]]) -> None:
    """The generalised forces are those of virtual work, by differences of where the point is."""
    model = my.load_model("full_body")
    motion = swing(model, 3, 8)
    force, point, torque = (3.0, -5.0, 7.0), (0.1, 0.2, -0.3), (0.5, 0.25, -1.0)
    body = list(model.bodies)[-1]
    pushed = my.inverse_dynamics(
        model, motion, push(body, motion.time, force=force, point=point, torque=torque, **frames)
    )
    free = my.inverse_dynamics(model, motion)
    given = (free.rows() - pushed.rows())[3]
    equations = my.equations_of(model.without(*model.forces).unconstrained())
    number = equations.bodies.index(body)
    q = np.array([motion.values(name)[3] for name in equations.coordinates])

    def pose(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        turns, places = equations.body_poses(at)
        return turns[number], places[number]

    turn, place = pose(q)
    pull, twist = (turn @ force, turn @ torque) if "force_frame" in frames else (np.array(force), np.array(torque))
    local = np.array(point) if "point_frame" in frames else turn.T @ (np.array(point) - place)
    work, step = [], 1e-6
    for unit in np.eye(len(q)):
        (ahead, there), (behind, here) = pose(q + step * unit), pose(q - step * unit)
        moved = ((there + ahead @ local) - (here + behind @ local)) / (2 * step)
        spin = ((ahead - behind) / (2 * step)) @ turn.T
        turned = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        work.append(pull @ moved + twist @ turned)
    assert np.allclose(given, work, atol=1e-6)


def test_a_force_without_a_point_acts_at_the_origin_of_its_body() -> None:
    model = my.load_model("pendulum")
    motion = swing(model)
    body = next(iter(model.bodies))
    free = my.inverse_dynamics(model, motion)
    pushed = my.inverse_dynamics(model, motion, push(body, motion.time, force=(5.0, 0.0, 0.0)))
    assert np.allclose(free.rows(), pushed.rows(), atol=1e-12)  # the origin of the rod is its pivot
    twisted = my.inverse_dynamics(model, motion, push(body, motion.time, torque=(0.0, 0.0, 2.0)))
    assert np.allclose(free.rows() - twisted.rows(), 2.0)


def coupled() -> my.Model:
    """Return two rods, the second turning by the square of the angle of the first, and a third that is locked."""
    rods = {name: my.Body(mass=1.0, centre_of_mass=(0, -0.5, 0), inertia=0.1) for name in ("one", "two", "three")}
    square = my.Polynomial(of=("first",), terms=(my.Term(coefficient=0.5, powers=(2,)),))
    return my.Model(
        name="rods",
        bodies=rods,
        joints={
            "top": my.pin("ground", "one", "first"),
            "middle": my.pin({"body": "one", "at": (0, -1, 0)}, "two", "second", coupled=square),
            "low": my.pin({"body": "two", "at": (0, -1, 0)}, "three", "third", default=0.3, locked=True),
        },
    )


def test_locked_and_coupled_coordinates_may_be_left_out() -> None:
    model = coupled()
    time = np.linspace(0.0, 1.0, 200)
    first = 0.5 * np.sin(3.0 * time)
    whole = my.Trajectory(time, {"first": first, "second": 0.5 * first**2, "third": np.full(200, 0.3)})
    bare = my.Trajectory(time, {"first": first})
    found, expected = my.inverse_dynamics(model, bare), my.inverse_dynamics(model, whole)
    assert found.names == ("first.moment", "second.moment", "third.moment")
    assert np.allclose(found.rows()[20:-20], expected.rows()[20:-20], atol=1e-4)
    # Work is done through the moving coordinate alone: what constraints give does not count.
    equations = my.equations_of(model)
    v = 1.5 * np.cos(3.0 * time)
    net = equations.inverse_dynamics(first[:, None], v[:, None], -9.0 * first[:, None])[:, 0]
    through = found.values("first.moment") + first * found.values("second.moment")
    assert np.allclose(through[20:-20], net[20:-20], atol=1e-4)


def test_filtering_removes_what_is_fast() -> None:
    model = my.load_model("pendulum")
    time = np.arange(200) / 100.0
    slow = np.sin(2.0 * time)
    shaken = my.Trajectory(time, {"angle": slow + 0.01 * np.sin(250.0 * time)}, {"angle": "rad"})
    clean = my.inverse_dynamics(model, my.Trajectory(time, {"angle": slow}))
    raw, filtered = my.inverse_dynamics(model, shaken), my.inverse_dynamics(model, shaken, cutoff=6.0)
    error = [np.abs(run.rows() - clean.rows())[20:-20].max() for run in (raw, filtered)]
    assert error[0] > 50.0
    assert error[1] < 0.1
    assert "6 Hz" in filtered.provenance.scheme


@pytest.mark.parametrize(
    ("columns", "units", "said"),
    [
        ({"angel": [0.0] * 8}, {}, "did you mean 'angel'"),
        ({"angle": [30.0] * 8}, {}, "more than two turns"),
        ({"angle": [1.0] * 8}, {"angle": "deg"}, "is in deg"),
        ({"angle": [0.0] * 7 + [np.nan]}, {}, "NaN at 7 s"),
    ],
)
def test_motions_that_cannot_be_meant_are_refused(
    columns: dict[str, list[float]], units: dict[str, str], said: str
) -> None:
    with pytest.raises(DataError, match=said):
        my.inverse_dynamics(my.load_model("pendulum"), my.Trajectory(range(8), columns, units))


def test_what_is_no_motion_or_force_is_refused() -> None:
    model, motion = my.load_model("pendulum"), swing(my.load_model("pendulum"))
    with pytest.raises(DataError, match="a Trajectory"):
        my.inverse_dynamics(model, {"angle": [0.0]})  # type: ignore[arg-type]
    with pytest.raises(DataError, match="6 samples or more"):
        my.inverse_dynamics(model, my.Trajectory(range(3), {"angle": [0.0] * 3}))
    with pytest.raises(my.ModelError, match="unknown body 'foot'"):
        my.inverse_dynamics(model, motion, push("foot", motion.time, force=(1, 0, 0)))
    with pytest.raises(DataError, match="load_external_forces"):
        my.inverse_dynamics(model, motion, "forces.xml")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="is known from 5 to 6 s"):
        my.inverse_dynamics(model, motion, push(next(iter(model.bodies)), motion.time + 5.0, force=(1, 0, 0)))


def test_the_ground_does_not_push_twice() -> None:
    model = my.load_model("pendulum")
    body = next(iter(model.bodies))
    ball = my.SmoothSphereContact(
        body=body, at=(0, -1, 0), radius=0.05, stiffness=1e6, plane={"body": "ground", "at": (0, -1.2, 0)}
    )
    touching = model.with_parts(forces={"toe": ball})
    motion = swing(model)
    forces = push(body, motion.time, force=(1, 0, 0))
    with pytest.raises(my.ModelError, match="push twice"):
        my.inverse_dynamics(touching, motion, forces, passive=True)
    assert len(my.inverse_dynamics(touching, motion, forces)) == len(motion)


def test_a_crank_that_goes_around_in_a_simulation_is_believed() -> None:
    model = my.load_model("pendulum")
    run = my.simulate(model, duration=3.0, start={"angle.speed": 20.0})
    assert np.abs(run.values("angle")).max() > 13.0
    assert np.allclose(my.inverse_dynamics(model, run).values("angle.moment"), 0.0, atol=1e-6)
