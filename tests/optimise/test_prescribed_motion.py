"""Excitations under a given motion: against static optimisation, against simulations, with forces from outside."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import myodyne as my
from myodyne.native.fingerprint import imported_files, source_fingerprint
from myodyne.optimise.problem import Problem
from myodyne.optimise.transcription.functions import InstantFunction, code_fingerprint
from myodyne.optimise.transcription.phase import _residual, instant_of


def reach(model: my.Model, rows: int = 60) -> my.Trajectory:
    time = np.arange(rows) / 50.0
    columns = {name: 0.6 + 0.3 * np.sin(3.0 * time + k) for k, name in enumerate(model.moving)}
    return my.Trajectory(time, columns, dict.fromkeys(columns, "rad"))


def arm(*, rigid: bool, activated: bool, reserve: float = 1.0) -> my.Model:
    model = my.load_model("planar_arm")
    change: dict[str, object] = {"tendon": "rigid"} if rigid else {}
    if not activated:
        # Their force is in proportion to activation, as static optimisation has it of all muscles.
        curves = my.DeGrooteFregly2016(parallel_strain=1e9)
        change |= {"activation": my.NoActivation(), "curves": curves, "damping": 0.0}
    muscles = {name: part.model_copy(update=change) for name, part in model.muscles.items()}
    motors = {f"reserve_{name}": my.CoordinateActuator(coordinate=name, gain=reserve) for name in model.moving}
    return model.with_parts(muscles=muscles, forces=motors)


def test_muscles_without_memory_share_moments_as_static_optimisation_does() -> None:
    model = arm(rigid=True, activated=False)
    plain = model.without(*model.forces)
    motion = reach(model)
    problem = my.Problem(
        model, motion=motion, start=0.1, duration=1.0, goals=[my.Effort(of="controls", summed=True, weight=1000.0)]
    )
    found = my.solve(problem, my.BackwardEuler(), nodes=21, settings=my.Settings(tolerance=1e-7), show=False)
    told = my.static_optimisation(
        plain, motion, reserves=1.0, settings=my.Sharing(least_activation=0.0, passive_fibres=True)
    ).resampled(found.time)
    for name in plain.muscles:
        assert found.values(f"{name}.excitation")[1:] == pytest.approx(told.values(f"{name}.activation")[1:], abs=1e-4)
    for name in plain.moving:
        assert found.values(f"{name}.moment") == pytest.approx(told.values(f"{name}.moment"), abs=0.01)


def test_a_simulation_obeys_the_equations_of_its_own_motion() -> None:
    model = my.load_model("planar_arm")
    excited = {name: my.step(at=0.02, after=0.3) for name in model.muscles}
    run = my.simulate(
        model, duration=0.3, controls=excited, every=0.005, scheme=my.Rosenbrock(relative=1e-9, absolute=1e-9)
    )
    whole = my.equations_of(model)
    start = 0.1
    problem = my.Problem(model, motion=run, start=start, duration=0.15)
    instant = instant_of(problem)
    assert instant.simulated is None
    assert instant.states == tuple(name for name in whole.states if name not in (*whole.coordinates, *whole.speeds))
    rows = np.flatnonzero((run.time > start) & (run.time < start + 0.15))
    x = np.column_stack([run.values(name)[rows] for name in whole.motion])
    u = np.full((len(rows), len(whole.controls)), 0.3)
    own = 2 * len(whole.coordinates)
    rates = whole.derivative(x, u)[:, own:]
    function = InstantFunction(instant, "dynamics", "residual", _residual)
    values = function.values(
        np.ascontiguousarray(x[:, own:]),
        np.ascontiguousarray(rates * problem.duration),
        u,
        np.array([problem.duration]),
        instant.given_values(run.time[rows]),
    )
    largest = np.abs(run.values("shoulder.moment")).max()
    assert np.abs(values[:, : len(whole.coordinates)]).max() < 1e-3 * largest
    assert np.abs(values[:, len(whole.coordinates) :]).max() < 1e-6


@pytest.mark.parametrize("scheme", [my.Radau(degree=2), my.Midpoint(), my.Trapezoid(), my.BackwardEuler()])
def test_all_schemes_balance_the_moments(scheme: object) -> None:
    model = arm(rigid=True, activated=True)
    problem = my.Problem(
        model,
        motion=reach(model),
        start=0.1,
        duration=1.0,
        conditions=[my.SteadyActivation()],
        goals=[my.Effort(of="controls", summed=True)],
    )
    found = my.solve(problem, scheme, nodes=41, show=False)  # type: ignore[arg-type]
    optimum = found.report.optimum
    assert optimum is not None
    assert optimum.objective == pytest.approx(0.00611, rel=0.03)
    assert optimum.mesh_error is not None
    assert optimum.mesh_error < 0.02
    for name in model.muscles:
        start = found.values(f"{name}.excitation")[0] - found.values(f"{name}.calcium")[0]
        assert abs(start) < 1e-5
    q = np.column_stack([found.values(name) for name in model.moving])
    forces = np.column_stack([found.values(f"{name}.force") for name in model.muscles])
    given = np.einsum("tmc,tm->tc", my.equations_of(model).moment_arms(q), forces)
    left = np.column_stack(
        [
            found.values(f"{name}.moment") - found.values(f"reserve_{name}.torque") - given[:, place]
            for place, name in enumerate(model.moving)
        ]
    )
    # Midpoint balances between the nodes only.
    assert np.abs(left[1:]).max() < (0.5 if isinstance(scheme, my.Midpoint) else 1e-4)


def test_forces_from_outside_count() -> None:
    rod = my.load_model("pendulum").with_parts(forces={"motor": my.CoordinateActuator(coordinate="angle", gain=2.0)})
    body = next(iter(rod.bodies))
    time = np.linspace(0.0, 1.0, 30)
    record = my.Trajectory(time, {"tx": 0.0 * time, "ty": 0.0 * time, "tz": 3.0 + time})
    push = my.ExternalForces([my.ExternalForce("push", body, record, torque=("tx", "ty", "tz"))])
    swing = my.Trajectory(time, {"angle": 0.5 * np.sin(2.0 * time)}, {"angle": "rad"})
    problem = my.Problem(rod, motion=swing, external_forces=push, duration=1.0, goals=[my.Effort(of="torques")])
    found = my.solve(problem, my.BackwardEuler(), nodes=11, show=False)
    free = my.inverse_dynamics(rod, swing).resampled(found.time, order=3)
    expected = (free.values("angle.moment") - 3.0 - found.time) / 2.0
    assert found.values("motor.control")[1:] == pytest.approx(expected[1:], abs=1e-4)
    again = Problem.model_validate_json(problem.model_dump_json())
    assert again.external_forces is not None
    assert again.external_forces["push"].data == record


def test_what_cannot_be_is_reported() -> None:
    model = arm(rigid=True, activated=True)
    motion = reach(model)
    with pytest.raises(my.ModelError, match="its duration is too"):
        my.Problem(model, motion=motion, duration=(0.5, 1.0))
    with pytest.raises(my.ModelError, match="reaches from 0 to"):
        my.solve(my.Problem(model, motion=motion, duration=2.0), show=False)
    with pytest.raises(my.ModelError, match="only numbers of muscles"):
        mass = f"{next(iter(model.bodies))}.mass"
        my.solve(my.Problem(model, motion=motion, duration=1.0, parameters={mass: (1.0, 2.0)}), show=False)
    with pytest.raises(my.ModelError, match="HermiteSimpson"):
        my.solve(my.Problem(model, motion=motion, duration=1.0), my.HermiteSimpson(), show=False)
    with pytest.raises(my.ModelError, match="given at each instant, a motion"):
        ends = my.Start({"shoulder": 0.3})
        my.solve(my.Problem(model, motion=motion, duration=1.0, conditions=[ends]), show=False)


def test_problems_of_free_motion_do_not_load_it() -> None:
    code = (
        "import sys\n"
        "import myodyne as my\n"
        "my.solve(my.load_problem('sliding_mass'), nodes=11, show=False)\n"
        "assert 'myodyne.optimise.transcription.free' in sys.modules\n"
        "assert not [name for name in sys.modules if name.startswith('myodyne.optimise.transcription.prescribed')]\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=300).returncode == 0


def test_compiled_functions_depend_on_the_code_of_both_kinds_of_motion() -> None:
    roots = ("myodyne.optimise.problem", "myodyne.optimise.transcription.phase")
    found = imported_files(*roots)
    for name in ("free", "prescribed", "prescribed_expressions", "instant", "scope", "symbols"):
        assert f"myodyne.optimise.transcription.{name}" in found
    assert code_fingerprint() == source_fingerprint(*roots)
