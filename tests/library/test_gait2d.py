"""The planar gait model: the numbers of its source, its sizes and structure, its symmetry, and that it can stand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import least_squares

import myodyne as my
from myodyne.model.values import get
from support.gait2d import CONTACTS, HERE, MUSCLES, REASON, WEIGHT, Floats, gait2dc_values


@pytest.fixture(scope="module")
def model() -> my.Model:
    return my.load_model("gait2d")


@pytest.fixture(scope="module")
def equations(model: my.Model) -> my.Equations:
    return my.equations_of(model, compiled=False)


def outputs(equations: my.Equations, x: Floats, xdot: Floats | None = None) -> dict[str, float]:
    values = equations.output_values(x, np.zeros(50) if xdot is None else xdot, np.zeros(16))
    return dict(zip(equations.outputs, np.asarray(values).ravel(), strict=True))


@pytest.mark.skipif(not HERE, reason=REASON)
def test_its_numbers_are_those_of_the_spreadsheet(model: my.Model) -> None:
    said = gait2dc_values()
    assert len(said) == 330
    for name, value in said.items():
        np.testing.assert_allclose(get(model, name), value, rtol=1e-11, atol=1e-13, err_msg=name)


def test_sizes(equations: my.Equations) -> None:
    assert (len(equations.states), len(equations.controls)) == (50, 16)
    assert equations.controls == MUSCLES
    assert equations.coordinates == (
        "pelvis_x",
        "pelvis_y",
        "pelvis_tilt",
        "right_hip",
        "right_knee",
        "right_ankle",
        "left_hip",
        "left_knee",
        "left_ankle",
    )
    assert sum(body.mass for body in equations.model.bodies.values()) == pytest.approx(75.0)


def test_structure_of_the_jacobians(equations: my.Equations) -> None:
    """Dense rows of the force balance with holes between the limbs (van den Bogert et al. 2011, Fig 3); optim2d, whose
    pattern has no holes and four states of a prosthesis more, counts 389, 122 and 16."""
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.normal(size=18) * 0.3, rng.uniform(0.6, 1.5, 16), rng.uniform(0.1, 0.9, 16)])
    by_state, by_rate, by_control = equations.jacobians(x, rng.normal(size=50), rng.uniform(0, 1, 16))
    assert (by_state.nnz, by_rate.nnz, by_control.nnz) == (218, 102, 16)
    right, left = slice(12, 15), slice(15, 18)
    for matrix in (by_state.toarray(), by_rate.toarray()):
        assert not matrix[right, left].any()
        assert not matrix[left, right].any()
    assert not by_state.toarray()[:, 0].any(), "nothing depends on how far the body has walked"


def test_left_and_right_are_mirror_images(equations: my.Equations) -> None:
    rng = np.random.default_rng(4)
    angles = np.r_[0:3, 6:9, 3:6]
    muscles = np.r_[8:16, 0:8]
    states = np.r_[angles, 9 + angles, 18 + muscles, 34 + muscles]
    x = np.concatenate(
        [
            rng.normal(size=9) * 0.2 + equations.state()[:9],
            rng.normal(size=9),
            rng.uniform(0.6, 1.4, 16),
            rng.uniform(0, 1, 16),
        ]
    )
    xdot, u = rng.normal(size=50), rng.uniform(0, 1, 16)
    np.testing.assert_allclose(
        equations.residual(x, xdot, u)[states],
        equations.residual(x[states], xdot[states], u[muscles]),
        rtol=1e-12,
        atol=1e-9,
    )


def test_signs_of_the_muscles(equations: my.Equations) -> None:
    arms = dict(zip(equations.muscles, equations.moment_arms(equations.coordinate_defaults()), strict=True))
    names = equations.coordinates
    for side in ("right", "left"):
        assert arms[f"{side}_iliopsoas"][names.index(f"{side}_hip")] == pytest.approx(0.05)
        assert arms[f"{side}_hamstrings"][names.index(f"{side}_knee")] == pytest.approx(-0.034)
        assert arms[f"{side}_soleus"][names.index(f"{side}_ankle")] == pytest.approx(-0.053)


def test_printed_ground_forces_of_free_fall(equations: my.Equations, printed: Any) -> None:
    """The reference of gait2d prints 0.192 and 0.150 N for the feet of a body that falls, hips 1.2 m above the floor.

    They are called heel and toe there, but its program gives one force for each foot. The numbers belong to 0.025 N m,
    a quarter of stiffness times transition squared, as 1e5 N/m and 1 mm make it here.
    """
    x = np.concatenate([np.zeros(18), np.full(16, 1.4), np.zeros(16)])
    x[1] = 1.2
    x[[3, 4, 6, 7]] = np.radians([15.0, -15.0, -15.0, -25.0])
    xdot = np.zeros(50)
    xdot[10] = -9.81
    found = outputs(equations, x, xdot)
    feet = [found[f"{side}_heel.force_y"] + found[f"{side}_toe.force_y"] for side in ("right", "left")]
    for side, said, ours in zip(("right", "left"), (0.192, 0.150), feet, strict=True):
        printed("gait2d, reference")(f"free fall, force under the {side} foot", said, ours, within=5e-4, unit="N")


def test_the_start_stands_on_its_feet(equations: my.Equations) -> None:
    found = outputs(equations, equations.state())
    forces = [found[f"{name}.force_y"] for name in CONTACTS]
    assert sum(forces) == pytest.approx(WEIGHT, rel=0.01)
    np.testing.assert_allclose(forces, forces[0])


def test_it_can_stand(equations: my.Equations) -> None:
    """Pose, fibres and excitations between 0 and 1 in which nothing moves: small ones, mostly of the calf."""
    start = equations.state()
    poses, still = np.r_[1:9, 18:34], np.zeros(50)
    scale = np.r_[np.full(9, 1 / WEIGHT), np.ones(16)]

    def unpacked(z: Floats) -> tuple[Floats, Floats]:
        x = start.copy()
        x[poses], x[34:] = z[:24], z[24:]
        return x, z[24:]

    def imbalance(z: Floats) -> Floats:
        x, u = unpacked(z)
        return np.r_[equations.residual(x, still, u)[9:34] * scale, 1e-4 * u]

    def slopes(z: Floats) -> Floats:
        x, u = unpacked(z)
        by_state = equations.jacobians(x, still, u)[0].toarray()[9:34] * scale[:, None]
        return np.vstack([by_state[:, np.r_[poses, 34:50]], np.hstack([np.zeros((16, 24)), 1e-4 * np.eye(16)])])

    bounds = np.r_[np.full(24, -np.inf), np.zeros(16)], np.r_[np.full(24, np.inf), np.ones(16)]
    found = least_squares(
        imbalance,
        np.r_[start[poses], np.full(16, 0.05)],
        slopes,
        bounds=bounds,
        max_nfev=600,
        ftol=1e-14,
        xtol=1e-14,
        gtol=1e-14,
    )
    x, u = unpacked(found.x)
    assert np.abs(equations.residual(x, still, u)[9:34] * scale).max() < 1e-4
    assert u.max() < 0.3
    assert x[1] == pytest.approx(0.945, abs=0.015)


def test_energy_of_a_fall_onto_the_floor(equations: my.Equations) -> None:
    fall = my.simulate(
        equations, 0.1, start={"pelvis_y": 0.955, "pelvis_y.speed": -0.3}, controls=dict.fromkeys(MUSCLES, 0.05)
    )
    assert fall.report.energy_error < 1e-6
    assert max(fall.values("right_heel.force_y")) > 0.3 * WEIGHT
