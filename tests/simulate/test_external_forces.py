"""Recorded forces act in simulations and problems, as inverse dynamics takes them."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.data import DataError, ExternalForce, ExternalForces
from myodyne.errors import ModelError


def record(time, **columns):
    return my.Trajectory(time, {name: np.broadcast_to(value, np.shape(time)) for name, value in columns.items()})


def constant_push(fx=3.0, fy=0.0, fz=0.0):
    return record(np.linspace(0.0, 2.0, 21), x=fx, y=fy, z=fz)


def slider() -> my.Model:
    return my.Model(
        name="block",
        bodies={"block": my.Body(mass=2.0)},
        joints={"rail": my.slider("ground", "block", "way", axis="x")},
    )


SCHEMES = [my.DOP853(), my.Rosenbrock(), my.BDF(relative=1e-9, absolute=1e-9), my.Midpoint(step=0.01), my.TRBDF2()]


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: type(scheme).__name__)
def test_a_block_under_a_constant_force_moves_by_the_closed_form(scheme):
    forces = ExternalForces([ExternalForce("push", "block", constant_push(), force=("x", "y", "z"))])
    run = my.simulate(slider(), 2.0, external_forces=forces, scheme=scheme)
    assert np.allclose(run.values("way"), 0.5 * 1.5 * run.time**2, atol=1e-6)
    assert run.final["energy.input_work"] == pytest.approx(3.0 * run.final["way"], rel=1e-6)
    assert run.report.energy_error < 1e-6


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: type(scheme).__name__)
def test_a_ramp_gives_a_cubic(scheme):
    time = np.linspace(0.0, 1.0, 11)
    forces = ExternalForces([ExternalForce("push", "block", record(time, x=time, y=0.0, z=0.0), force=("x", "y", "z"))])
    run = my.simulate(slider(), 1.0, external_forces=forces, scheme=scheme)
    assert run.final["way"] == pytest.approx(1.0 / 12.0, abs=1e-5)


FRAMES = [("ground", "ground"), ("rod2", "rod2"), ("ground", "rod2"), ("rod1", "rod2"), ("rod2", "ground")]
START = {"swing1_x": 0.4, "swing1_z": 0.3, "swing2_x": 0.2, "twist2.speed": 2.0}


def chain() -> my.Model:
    """Two rods in space, a force on the second."""
    return my.load_model("double_pendulum_3d")


def pulls(force_frame, point_frame):
    time = np.linspace(-0.1, 0.7, 41)
    columns = {
        "fx": 3.0 * np.sin(9.0 * time),
        "fy": 4.0 + 2.0 * np.cos(5.0 * time),
        "fz": 2.0 * time,
        "px": 0.1 * np.cos(4.0 * time),
        "py": -0.2 + 0.1 * time,
        "pz": 0.05 * np.sin(7.0 * time),
        "mx": 0.1 * time,
        "my": 0.2,
        "mz": 0.3 * np.sin(12.0 * time),
    }
    data = record(time, **columns)
    pull = ExternalForce(
        "pull",
        "rod2",
        data,
        force=("fx", "fy", "fz"),
        point=("px", "py", "pz"),
        torque=("mx", "my", "mz"),
        force_frame=force_frame,
        point_frame=point_frame,
    )
    return ExternalForces([pull])


@pytest.mark.parametrize(("force_frame", "point_frame"), FRAMES)
def test_inverse_dynamics_undoes_a_simulation_under_recorded_forces(force_frame, point_frame):
    forces, model = pulls(force_frame, point_frame), chain()
    run = my.simulate(model, 0.6, start=START, external_forces=forces, scheme=my.DOP853(1e-11, 1e-11))
    assert run.report.energy_error < 1e-9
    assert abs(run.final["energy.input_work"]) > 0.1
    undone = my.inverse_dynamics(model, run, forces)
    free = my.inverse_dynamics(model, run)
    for name in model.moving:
        assert np.abs(undone.values(f"{name}.moment")).max() < 1e-8
        assert np.abs(run.values(f"{name}.moment")).max() < 1e-8
    assert np.abs(free.values("swing1_z.moment")).max() > 0.5


@pytest.mark.parametrize(("force_frame", "point_frame"), FRAMES)
def test_implicit_schemes_agree_with_explicit_ones_under_recorded_forces(force_frame, point_frame):
    forces, model = pulls(force_frame, point_frame), chain()
    runs = [
        my.simulate(model, 0.5, start=START, external_forces=forces, scheme=scheme)
        for scheme in (my.DOP853(), my.Rosenbrock(relative=1e-8, absolute=1e-8))
    ]
    for name in model.moving:
        assert runs[0].final[name] == pytest.approx(runs[1].final[name], abs=1e-6)


def test_recorded_forces_act_beside_muscles():
    model = my.load_model("jumper")
    body = tuple(model.bodies)[-1]
    time = np.linspace(0.0, 0.1, 11)
    forces = ExternalForces([ExternalForce("load", body, record(time, x=0.0, y=-50.0, z=0.0), force=("x", "y", "z"))])
    runs = [
        my.simulate(model, 0.1, external_forces=forces, scheme=scheme, every=0.1)
        for scheme in (my.DOP853(relative=1e-8, absolute=1e-8), my.Rosenbrock(relative=1e-7, absolute=1e-7))
    ]
    free = my.simulate(model, 0.1, every=0.1)
    assert runs[0].final["hip"] == pytest.approx(runs[1].final["hip"], abs=1e-5)
    assert abs(runs[0].final["hip"] - free.final["hip"]) > 1e-4
    assert all(run.report.energy_error < 1e-5 for run in runs)


def test_a_problem_of_free_motion_feels_recorded_forces_at_its_own_time():
    time = np.linspace(0.0, 3.0, 61)
    push = ExternalForce("push", "block", record(time, x=np.sin(2.0 * time), y=0.0, z=0.0), force=("x", "y", "z"))
    forces = ExternalForces([push])
    at_rest = my.Start({"way": 0.0, "way.speed": 0.0})
    problem = my.Problem(slider(), duration=1.5, start=1.0, external_forces=forces, conditions=[at_rest])
    solution = my.solve(problem, my.Radau(degree=3), nodes=31)
    # x'' = sin(2 t) / 2 from rest at t = 1 s.
    t = 2.5
    exact = -np.sin(2 * t) / 8 + np.sin(2.0) / 8 + np.cos(2.0) / 4 * (t - 1.0)
    assert solution.final["way"] == pytest.approx(exact, abs=1e-5)
    assert solution.report.optimum.mesh_error < 1e-4
    assert my.replay(solution).final["way"] == pytest.approx(exact, abs=1e-5)


def test_recorded_forces_beside_contacts_are_noted():
    heel = my.ContactPoint(body="block", stiffness=1e4)
    push = ExternalForces([ExternalForce("push", "block", constant_push(), force=("x", "y", "z"))])
    run = my.simulate(slider().with_parts(forces={"heel": heel}), 0.1, external_forces=push)
    assert any("it pushes twice" in note and "heel" in note for note in run.report.notes)


def test_forces_that_do_not_fit_are_refused():
    push = ExternalForce("push", "blok", constant_push(), force=("x", "y", "z"))
    with pytest.raises(ModelError, match="external force 'push': unknown body 'blok'"):
        my.simulate(slider(), 1.0, external_forces=ExternalForces([push]))
    push = ExternalForce("push", "block", constant_push(), force=("x", "y", "z"))
    with pytest.raises(DataError, match="known from 0 to 2 s, not at 5 s"):
        my.simulate(slider(), 5.0, external_forces=ExternalForces([push]))
    with pytest.raises(DataError, match=r"my\.load_external_forces"):
        my.simulate(slider(), 1.0, external_forces={"push": 3.0})
    with pytest.raises(ModelError, match="duration must be one number"):
        my.solve(my.Problem(slider(), duration=(0.5, 1.0), external_forces=ExternalForces([push])))


@pytest.mark.parametrize("ending", ["nc", "sto", "csv"])
def test_a_saved_run_under_recorded_forces_is_repeated_bit_for_bit(ending, tmp_path):
    model, forces = chain(), pulls("rod1", "rod2")
    run = my.simulate(model, 0.3, start=START, external_forces=forces, from_time=0.1, scheme=my.DOP853())
    assert my.replay(run).trajectory == run.trajectory
    my.save(run, tmp_path / f"run.{ending}")
    loaded = my.load(tmp_path / f"run.{ending}")
    assert loaded.recipe == run.recipe
    assert loaded.recipe.external_forces == forces
    assert my.replay(loaded).trajectory == run.trajectory


def test_a_law_and_recorded_forces_are_repeated_together(tmp_path):
    motor = my.load_model("pendulum").with_parts(forces={"motor": my.CoordinateActuator(coordinate="angle")})
    body = next(iter(motor.bodies))
    forces = ExternalForces([ExternalForce("push", body, constant_push(), force=("x", "y", "z"))])
    law = my.Feedback(lambda at: {"motor": -2.0 * at["angle"]})
    run = my.simulate(motor, 0.5, external_forces=forces, feedback=law)
    my.save(run, tmp_path / "run.nc")
    assert my.replay(my.load(tmp_path / "run.nc")).trajectory == run.trajectory


def test_other_forces_make_another_recipe():
    forces, other = pulls("ground", "ground"), pulls("ground", "rod2")
    assert forces == pulls("ground", "ground")
    assert forces != other
    assert ExternalForces.from_dict(other.to_dict()) == other


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda plain: plain.pop("forces") and plain.update(forces=3), "forces: a list is expected"),
        (lambda plain: plain["forces"][0].update(weight=3), "unknown field 'weight'"),
        (lambda plain: plain["forces"][0].update(force=["fx"]), "names of three columns are expected"),
        (lambda plain: plain["forces"][0].update(body=3), "body: a text is expected"),
        (lambda plain: plain["forces"][0]["data"].update(time=[0.0]), "column 'fx'"),
        (lambda plain: plain["forces"][0]["data"].update(columns=[1.0]), "columns: a table by name is expected"),
        (lambda plain: plain["notes"].append(3), "notes: a list of texts is expected"),
    ],
)
def test_damaged_records_of_forces_are_refused(change, message):
    plain = pulls("ground", "ground").to_dict()
    change(plain)
    with pytest.raises(DataError, match=message):
        ExternalForces.from_dict(plain)


def test_a_run_under_recorded_forces_is_no_movement():
    forces = ExternalForces([ExternalForce("push", "block", constant_push(), force=("x", "y", "z"))])
    run = my.simulate(slider(), 0.5, external_forces=forces)
    with pytest.raises(ModelError, match=r"controllers in Python or recorded forces; save such a run with my\.save"):
        my.Movement.from_result(run, name="pushed", summary="A push.", source="ours")
