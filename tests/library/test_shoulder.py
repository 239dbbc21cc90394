"""The shoulder: its rhythm, its mechanics, its muscles, and an arm raised by computed torques (001-19, 20, 22)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.equations import equations_of
from myodyne.errors import ModelError
from myodyne.formulations import lagrange as lg
from myodyne.formulations.matrix_calculus import MatrixCalculus
from myodyne.library.shoulder import rhythm
from support import shoulder as fitted
from support.lagrange import Lagrange

SHARED = Path(__file__).parents[3] / "shared" / "data"
POSES = np.radians([[45.0, 10.0, -30.0], [90.0, 80.0, -30.0], [10.0, 130.0, 20.0]])
needs_das4 = pytest.mark.skipif(not fitted.DAS4.is_file(), reason="das4_v4_MIT.osim is not at hand")


@pytest.fixture(scope="module")
def bones() -> my.Model:
    return my.shoulder(muscles=False)


def turned(sequence: str, angles: Any) -> Any:
    """Return the product of turns about axes that turn along."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_euler(sequence.upper(), angles).as_matrix()


@pytest.mark.parametrize("pose", POSES)
def test_scapula_and_arm_have_their_angles_against_the_thorax(bones: my.Model, pose: Any) -> None:
    rotations, _ = Lagrange(bones).body_poses(pose)
    found = dict(zip(bones.bodies, rotations, strict=True))
    plane, elevation, _ = np.degrees(pose)
    scapula = [
        -1.203 + 0.140 * plane - 0.049 * elevation + 0.901 * 32.047376,
        3.095 - 0.079 * plane + 0.396 * elevation + 0.414 * 10.669100,
        0.659 - 0.028 * plane + 0.184 * elevation + 0.886 * -10.320259,
    ]
    assert found["scapula"] == pytest.approx(turned("yzx", np.radians(scapula)), abs=1e-12)
    assert found["humerus"] == pytest.approx(turned("yzy", pose), abs=1e-12)


@pytest.mark.skipif(not (SHARED / "shoulder").is_dir(), reason="the regression's file is not at hand")
def test_the_regression_is_that_of_the_file() -> None:
    data = json.loads((SHARED / "shoulder" / "degroot_brand_2001.json").read_text(encoding="utf-8"))
    ours = {"Cy": rhythm.clavicle_turns()[0][1], "Cz": rhythm.clavicle_turns()[1][1]}
    ours |= {f"S{axis}": function for axis, function in rhythm.scapula_turns()}
    rest = {f"C{a}": v for a, v in zip("yzx", data["C0_deg"], strict=True)}
    rest |= {f"S{a}": v for a, v in zip("yzx", data["S0_deg"], strict=True)}
    for name, function in ours.items():
        row = data[name]
        constant, plane, elevation = (term.coefficient for term in function.terms)
        own = row[f"{name[0]}0{name[1]}"]
        assert (plane, elevation) == (row["Hy"], row["Hz"])
        assert constant == pytest.approx(np.radians(row["const"] + own * rest[name]), abs=1e-12)


def test_the_clavicle_turns_so_that_its_joint_with_the_scapula_turns_least() -> None:
    """The closed form against a search, and the polynomial against the closed form."""
    from scipy.optimize import minimize_scalar

    at_rest = turned("yzx", np.radians(rhythm.CLAVICLE_AT_REST)).T @ turned("yzx", np.radians(rhythm.SCAPULA_AT_REST))
    for plane, elevation, _ in POSES:

        def angle(function: Any, plane: float = plane, elevation: float = elevation) -> float:
            return sum(t.coefficient * plane ** t.powers[0] * elevation ** t.powers[1] for t in function.terms)

        y, z = (angle(function) for _, function in rhythm.clavicle_turns()[:2])
        scapula = turned("yzx", [angle(function) for _, function in rhythm.scapula_turns()])

        def turn(x: float, y: float = y, z: float = z, scapula: Any = scapula) -> float:
            change = at_rest.T @ turned("yzx", [y, z, x]).T @ scapula
            return float(np.arccos(np.clip((np.trace(change) - 1) / 2, -1, 1)))

        best = minimize_scalar(turn, bounds=(-1.5, 2.5), method="bounded", options={"xatol": 1e-10}).x
        assert rhythm.least_axial_rotation(plane, elevation) == pytest.approx(best, abs=1e-6)
        assert angle(rhythm.axial_rule()) == pytest.approx(best, abs=np.radians(0.01))


@pytest.mark.parametrize("pose", POSES)
def test_derivations_agree_on_the_shoulder(bones: my.Model, pose: Any) -> None:
    recursion = equations_of(bones, compiled=False)
    calculus, energies = MatrixCalculus(bones), lg.numbers_of(lg.from_model(bones))
    v, vdot = np.random.default_rng(1).normal(size=(2, 3))
    forces = recursion.inverse_dynamics(pose, v, vdot)
    assert calculus.inverse_dynamics(pose, v, vdot) == pytest.approx(forces, abs=1e-12)
    assert energies.inverse_dynamics(pose, v, vdot) == pytest.approx(forces, abs=1e-12)


@needs_das4
def test_lengths_are_those_of_the_elements() -> None:
    poses = fitted.random_poses(25, 11)
    true = fitted.lengths(poses)
    for name, muscle in my.shoulder().muscles.items():
        terms = muscle.path.length.terms
        found = sum(term.coefficient * np.prod(poses ** np.array(term.powers), axis=1) for term in terms)
        assert np.sqrt(np.mean((found - true[name]) ** 2)) < 1.5e-3, name


@needs_das4
@pytest.mark.long
def test_the_table_of_muscles_is_what_the_fit_gives() -> None:
    import myodyne.library.shoulder as package

    shipped = (Path(package.__file__).parent / "muscles.csv").read_text(encoding="utf-8").splitlines()
    for ours, made in zip(shipped, fitted.table().splitlines(), strict=True):
        if ours.startswith(("#", "muscle,")):
            assert ours == made
            continue
        first, second = (line.split(",") for line in (ours, made))
        assert first[:5] == second[:5]
        numbers = [[float(t.split("@")[0]) for t in cells[5].split()] for cells in (first, second)]
        assert numbers[0] == pytest.approx(numbers[1], abs=1e-5)


def test_001_19_three_coordinates_and_fourteen_muscles() -> None:
    model = my.shoulder()
    assert model.moving == ("plane", "elevation", "axial_rotation")
    assert (len(model.muscles), len(model.constraints)) == (14, 0)


def test_motors_are_needed_for_computed_torques(bones: my.Model) -> None:
    course = {"plane": 1.0, "elevation": 0.5, "axial_rotation": 0.0}
    with pytest.raises(ModelError, match="has no motor on 'plane'"):
        my.computed_torque(bones.without("plane_motor"), course)
    with pytest.raises(ModelError, match="no course is given for 'elevation'"):
        my.computed_torque(bones, {"plane": 1.0, "axial_rotation": 0.0})
    with pytest.raises(ModelError, match="no gain is given for 'plane'"):
        my.computed_torque(bones, course, gains={"elevation": 3.0, "axial_rotation": 3.0})


@pytest.mark.long
def test_001_20_and_001_22_an_arm_is_raised_by_computed_torques_and_shared_among_muscles() -> None:
    """001-20: elevation within 2e-4 rad, the others to rounding; 001-22: forces without jumps."""
    import casadi

    arm = my.shoulder(muscles=False)
    middle, half = np.radians(55.0), np.radians(45.0)
    course = {"plane": np.pi / 2, "axial_rotation": -np.pi / 6}
    law = my.computed_torque(
        arm,
        {**course, "elevation": lambda t: middle - half * casadi.cos(np.pi * t)},
        gains={"plane": 100.0, "elevation": 100.0, "axial_rotation": 1000.0},
    )
    start = {**course, "elevation": middle - half}
    run = my.simulate(arm, 2.0, start=start, feedback=law, scheme=my.RKF45(relative=1e-9, absolute=1e-10))
    assert np.abs(run.values("elevation") - (middle - half * np.cos(np.pi * run.time))).max() < 1e-9
    assert np.abs(run.values("plane") - np.pi / 2).max() < 1e-14
    assert np.abs(run.values("axial_rotation") + np.pi / 6).max() < 1e-14
    net = my.inverse_dynamics(arm.without(*arm.forces), run)
    for name in arm.moving:
        assert run.values(f"{name}_motor.control")[5:-5] == pytest.approx(net.values(f"{name}.moment")[5:-5], abs=1e-6)
    # From a wrong start the error decays as (1 + k t) exp(-k t).
    away = my.simulate(arm, 0.05, start={**start, "elevation": middle - half + 0.1}, feedback=law)
    error = away.final["elevation"] - (middle - half * np.cos(np.pi * 0.05))
    assert error == pytest.approx(0.1 * (1 + 5.0) * np.exp(-5.0), rel=1e-4)
    # Without jumps the largest change from row to row halves with the distance of the rows.
    changes = []
    for rows in (101, 201):
        time = np.linspace(0.0, 2.0, rows)
        angles = {**{name: np.full(rows, value) for name, value in course.items()}}
        angles["elevation"] = middle - half * np.cos(np.pi * time)
        shared = my.static_optimisation(my.shoulder(), my.Trajectory(time, angles))
        activations = [shared.values(f"{name}.activation") for name in my.shoulder().muscles]
        changes.append(np.array([np.abs(np.diff(each)).max() for each in activations]))
        for name in arm.moving:
            assert np.abs(shared.values(f"{name}.unmet")).max() < 1e-6
    assert (changes[1] < 0.6 * changes[0] + 1e-4).all(), changes
