"""The gait model in space: its numbers, its symmetry, its muscles' directions, its soles, and that it can stand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import least_squares

import myodyne as my
from myodyne.types import Floats

SHARED = Path(__file__).parents[3] / "shared"
SUBJECT = SHARED / "models_osim" / "subject_walk_scaled.osim"
PATHS = SHARED / "data" / "moco_inverse3d" / "subject_walk_scaled_FunctionBasedPathSet.xml"
WEIGHT = 85.26985 * 9.81


@pytest.fixture(scope="module")
def model() -> my.Model:
    return my.load_model("gait3d")


@pytest.fixture(scope="module")
def equations(model: my.Model) -> my.Equations:
    return my.equations_of(model, compiled=False)


def test_sizes(model: my.Model, equations: my.Equations) -> None:
    assert (len(model.coordinates), len(model.muscles), len(model.bodies)) == (29, 80, 14)
    assert sum(body.mass for body in model.bodies.values()) == pytest.approx(85.26985, abs=1e-5)
    assert sum(muscle.elastic for muscle in model.muscles.values()) == 32
    assert all(muscle.elastic for name, muscle in model.muscles.items() if name.startswith(("soleus", "gas")))
    assert len(equations.controls) == 91  # 80 muscles, three motors of the trunk, four of each arm


@pytest.mark.skipif(not PATHS.is_file(), reason="needs ../shared/models_osim and ../shared/data/moco_inverse3d")
def test_bodies_move_as_in_the_source(equations: my.Equations) -> None:
    source = my.equations_of(my.load_model(SUBJECT), compiled=False)
    rng = np.random.default_rng(1)
    poses = rng.uniform(-0.3, 0.3, (4, len(source.coordinates)))
    names = list(source.coordinates)
    for side in "rl":
        for name in (f"knee_angle_{side}", f"elbow_flex_{side}"):
            poses[:, names.index(name)] = rng.uniform(0.1, 1.2, 4)
        poses[:, names.index(f"pro_sup_{side}")] = 0.0
    theirs = source.body_poses(poses)
    ours = equations.body_poses(poses[:, [names.index(name) for name in equations.coordinates]])
    for number, body in enumerate(equations.bodies):
        other = source.bodies.index(body.replace("forearm", "ulna"))
        for mine, its in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(mine[:, number], its[:, other], atol=1e-7, err_msg=body)


@pytest.mark.skipif(not PATHS.is_file(), reason="needs ../shared/models_osim and ../shared/data/moco_inverse3d")
def test_muscles_have_the_numbers_and_lengths_of_the_source(model: my.Model, equations: my.Equations) -> None:
    subject = my.with_function_paths(my.load_model(SUBJECT), PATHS)
    source = my.equations_of(subject, compiled=False)
    for name, muscle in model.muscles.items():
        theirs = subject.muscles[name]
        assert muscle.max_force == pytest.approx(theirs.max_force, rel=1e-6)
        assert muscle.optimal_fibre_length == pytest.approx(theirs.optimal_fibre_length, rel=1e-5)
        assert muscle.tendon_slack_length == pytest.approx(theirs.tendon_slack_length, rel=1e-5)
    pose = {"hip_flexion_r": 0.3, "hip_adduction_r": -0.1, "hip_rotation_r": 0.1, "knee_angle_r": 0.6}
    pose |= {"ankle_angle_r": 0.1}
    lengths = []
    for one in (equations, source):
        q = one.coordinate_defaults()
        for name, value in pose.items():
            q[one.coordinates.index(name)] = value
        lengths.append(dict(zip(one.muscles, np.ravel(one.muscle_lengths(q)), strict=True)))
    for name in model.muscles:
        if name.endswith("_r"):
            assert lengths[0][name] == pytest.approx(lengths[1][name], abs=2e-6), name


def test_left_and_right_are_mirror_images(model: my.Model, equations: my.Equations) -> None:
    """The residual of a mirrored state is the mirrored residual, states and controls exchanged with their signs."""
    sides = my.sides_of(model)
    states, controls = list(equations.states), list(equations.controls)
    to = [states.index(sides.partner(name, states)) for name in states]
    signs = np.array([sides.sign(name) for name in states])
    across = [controls.index(sides.partner(name, controls)) for name in controls]
    signs_of_controls = np.array([sides.sign(name) for name in controls])
    rng = np.random.default_rng(4)
    x = equations.state() + 0.1 * rng.normal(size=len(states))
    xdot, u = rng.normal(size=len(states)), rng.uniform(0.0, 0.5, len(controls))
    mirrored = equations.residual(signs * x[to], signs * xdot[to], signs_of_controls * u[across])
    expected = signs * np.asarray(equations.residual(x, xdot, u))[to]
    np.testing.assert_allclose(mirrored, expected, rtol=1e-8, atol=1e-6)
    assert {"pelvis_tz", "pelvis_list", "pelvis_rotation", "lumbar_bending", "lumbar_rotation"} <= set(sides.negated)


def test_mass_matrix_is_positive(equations: my.Equations) -> None:
    eigenvalues = np.linalg.eigvalsh(equations.mass_matrix(equations.coordinate_defaults()))
    assert eigenvalues[0] > 1e-6 * eigenvalues[-1]


# Which way each muscle turns which joints when it pulls: +1 increases the coordinate.
PULLS = {
    "psoas": {"hip_flexion": 1},
    "glmax2": {"hip_flexion": -1},
    "glmed1": {"hip_adduction": -1},
    "addlong": {"hip_adduction": 1},
    "bflh": {"hip_flexion": -1, "knee_angle": 1},
    "recfem": {"hip_flexion": 1, "knee_angle": -1},
    "vaslat": {"knee_angle": -1},
    "gasmed": {"knee_angle": 1, "ankle_angle": -1},
    "soleus": {"ankle_angle": -1},
    "tibant": {"ankle_angle": 1},
}


@pytest.mark.parametrize("side", ["r", "l"])
def test_muscles_pull_their_way(equations: my.Equations, side: str) -> None:
    q = equations.coordinate_defaults()
    q[equations.coordinates.index(f"knee_angle_{side}")] = 0.3
    arms = dict(zip(equations.muscles, equations.moment_arms(q), strict=True))
    for muscle, pulls in PULLS.items():
        for joint, sign in pulls.items():
            arm = arms[f"{muscle}_{side}"][equations.coordinates.index(f"{joint}_{side}")]
            assert 0.005 < sign * arm < 0.09, (muscle, joint, arm)


def foot_forces(equations: my.Equations, x: Floats) -> dict[str, float]:
    values = equations.output_values(x, np.zeros(len(x)), np.zeros(len(equations.controls)))
    found = dict(zip(equations.outputs, np.ravel(values), strict=True))
    return {
        name.removesuffix(".force_y"): v for name, v in found.items() if name.endswith(("_r.force_y", "_l.force_y"))
    }


def test_level_soles_carry_the_weight(equations: my.Equations) -> None:
    """In the default pose every sphere carries its share; 4 mm higher half of the weight is gone."""
    x = equations.state()
    forces = foot_forces(equations, x)
    assert len(forces) == 12
    assert sum(forces.values()) == pytest.approx(WEIGHT, rel=0.03)
    assert min(forces.values()) > 0.05 * WEIGHT
    for name in forces:
        if name.endswith("_r"):
            assert forces[name] == pytest.approx(forces[f"{name[:-2]}_l"], rel=1e-6)
    x[equations.states.index("pelvis_ty")] += 0.004
    assert sum(foot_forces(equations, x).values()) < 0.5 * WEIGHT


@pytest.mark.long
def test_it_can_stand(model: my.Model, equations: my.Equations) -> None:
    """A symmetric pose, fibres and small excitations in which nothing moves."""
    names, controls = list(equations.states), list(equations.controls)
    start, still = equations.state(), np.zeros(len(names))
    count = len(equations.coordinates)
    pose = [n for n, name in enumerate(names[:count]) if name not in ("pelvis_tx", "pelvis_tz", "pelvis_rotation")]
    fibres = list(range(2 * count, len(names) - 80))
    activations = list(range(len(names) - 80, len(names)))
    place = [*pose, *fibres, *activations]
    motors = [n for n, name in enumerate(controls) if name not in model.muscles]
    rows = slice(count, len(names) - 80)
    scale = np.r_[np.full(count, 1 / WEIGHT), np.ones(len(fibres))]

    def unpacked(z: Floats) -> tuple[Floats, Floats]:
        x, u = start.copy(), np.zeros(len(controls))
        x[place] = z[: len(place)]
        u[[n for n, name in enumerate(controls) if name in model.muscles]] = x[activations]
        u[motors] = z[len(place) :]
        return x, u

    effort = 1e-3 * np.eye(len(place) + len(motors))[len(pose) + len(fibres) :]

    def imbalance(z: Floats) -> Floats:
        x, u = unpacked(z)
        return np.r_[np.asarray(equations.residual(x, still, u))[rows] * scale, effort @ z]

    def slopes(z: Floats) -> Floats:
        x, u = unpacked(z)
        by_state, _, by_control = equations.jacobians(x, still, u)
        top = np.hstack([by_state.toarray()[rows][:, place], by_control.toarray()[rows][:, motors]])
        return np.vstack([top * scale[:, None], effort])

    guess = np.r_[start[place], np.zeros(len(motors))]
    guess[len(pose) + len(fibres) : len(place)] = 0.05
    low = np.r_[np.full(len(pose) + len(fibres), -np.inf), np.zeros(80), -np.ones(len(motors))]
    high = np.r_[np.full(len(pose) + len(fibres), np.inf), np.ones(80 + len(motors))]
    found = least_squares(imbalance, guess, slopes, bounds=(low, high), max_nfev=150, xtol=1e-12, ftol=1e-12)
    x, u = unpacked(found.x)
    assert np.abs(np.asarray(equations.residual(x, still, u))[rows] * scale).max() < 1e-3
    assert x[activations].max() < 0.5
    assert x[names.index("pelvis_ty")] == pytest.approx(1.0, abs=0.02)
