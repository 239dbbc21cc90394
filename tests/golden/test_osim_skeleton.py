"""Skeletons of published OpenSim models against OpenSim 4.6: poses, mass matrix, gravity, Coriolis, accelerations.

The numbers are in ``../shared/reference_opensim``: ten poses of each model.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import myodyne as my
from support.osim_skeleton import (
    REFERENCES,
    Floats,
    loosened,
    reference,
    skeleton,
    spurious_torques,
    tangled_joints,
    value_of,
)

MODELS = (
    "2D_gait",
    "MoBL_ARMS",
    "Rajagopal2016",
    "RajagopalLaiUhlrich2023",
    "Tug_of_War_Millard",
    "arm26",
    "das3",
    "double_pendulum",
    "gait10dof18musc",
    "gait2354_simbody",
    "gait2392_millard2012muscle",
    "gait2392_thelen2003muscle",
    "wrist",
)
TOLERANCE = 1e-8

pytestmark = pytest.mark.skipif(not REFERENCES.is_dir(), reason="needs ../shared/reference_opensim")


# Interpreted: for ten poses of each model, compiling takes far longer than all else.
@cache
def tree(name: str) -> my.Equations:
    return my.equations_of(skeleton(name).unconstrained(), compiled=False)


@cache
def loose(name: str) -> my.Equations:
    return my.equations_of(loosened(skeleton(name).unconstrained()), compiled=False)


def ordered(name: str, values: list[float]) -> Floats:
    """Numbers in OpenSim's order of the coordinates, in ours."""
    order = reference(name)["u_order"]
    return np.array([values[order.index(coordinate)] for coordinate in tree(name).coordinates])


def assert_near(found: Floats, expected: Floats) -> None:
    assert np.max(np.abs(found - expected)) <= TOLERANCE * max(np.max(np.abs(expected)), 1e-6)


@pytest.mark.parametrize("name", MODELS)
def test_places_and_rotations_of_bodies(name: str) -> None:
    equations = tree(name)
    assert set(equations.bodies) == set(reference(name)["bodies"])
    assert sorted(equations.coordinates) == sorted(reference(name)["u_order"])
    for pose in reference(name)["poses"]:
        turns, places = equations.body_poses([pose["q"][c] for c in equations.coordinates])
        for number, body in enumerate(equations.bodies):
            assert np.allclose(places[number], pose["bodies"][body]["origin"], rtol=0, atol=1e-12)
            assert np.allclose(turns[number], pose["bodies"][body]["R"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_mass_matrix_and_gravity(name: str) -> None:
    equations = tree(name)
    assert skeleton(name).mass == pytest.approx(reference(name)["total_mass"], rel=1e-12)
    for pose in reference(name)["poses"]:
        q = [pose["q"][c] for c in equations.coordinates]
        rest = np.zeros(len(q))
        half = [ordered(name, row) for row in pose["mass_matrix"]]
        expected = np.array([ordered(name, list(column)) for column in zip(*half, strict=True)])
        assert_near(equations.mass_matrix(q), expected.T)
        assert_near(equations.inverse_dynamics(q, rest, rest), ordered(name, pose["gravity_gen"]))


@pytest.mark.parametrize("name", MODELS)
def test_inverse_dynamics(name: str) -> None:
    """Without acceleration and with random ones; where OpenSim errs, its own error is put on top."""
    equations = tree(name)
    wrong = tangled_joints(skeleton(name))
    assert bool(wrong) == name.startswith("Rajagopal")
    for pose in reference(name)["poses"]:
        q, v = (np.array([pose[kind][c] for c in equations.coordinates]) for kind in ("q", "u"))
        error = spurious_torques(loose(name), skeleton(name).unconstrained(), pose["q"], pose["u"]) if wrong else 0.0
        assert_near(equations.inverse_dynamics(q, v, 0 * q) + error, ordered(name, pose["bias"]))
        acceleration = ordered(name, pose["udot_random"])
        assert_near(equations.inverse_dynamics(q, v, acceleration) + error, ordered(name, pose["id_random"]))


# The wrist has no mass, and the knees of Rajagopal's model err in OpenSim.
@pytest.mark.parametrize("name", [name for name in MODELS if name != "wrist" and not name.startswith("Rajagopal")])
def test_accelerations_under_gravity_with_all_constraints(name: str) -> None:
    equations = my.equations_of(skeleton(name), compiled=False)
    for pose in reference(name)["poses"]:
        x = [pose[kind][c] for kind in ("q", "u") for c in equations.coordinates]
        expected = [pose["udot_gravity_only"][reference(name)["u_order"].index(c)] for c in equations.coordinates]
        assert_near(equations.derivative(x)[len(equations.coordinates) :], np.array(expected))


@pytest.mark.parametrize("name", ["Rajagopal2016", "RajagopalLaiUhlrich2023"])
def test_accelerations_of_opensim_balance_with_its_own_error(name: str) -> None:
    """OpenSim's accelerations leave no force unbalanced in the coordinates that move, its spurious term included."""
    model, equations = skeleton(name), tree(name)
    for pose in reference(name)["poses"]:
        q, v = (np.array([pose[kind][c] for c in equations.coordinates]) for kind in ("q", "u"))
        acceleration = ordered(name, pose["udot_gravity_only"])
        error = spurious_torques(loose(name), model.unconstrained(), pose["q"], pose["u"])
        forces = dict(zip(equations.coordinates, equations.inverse_dynamics(q, v, acceleration) + error, strict=True))
        for follower, part in model.coordinates.items():
            if part.coupled is not None:
                # The patella follows the knee, angle by angle.
                (leader,) = part.coupled.coordinates
                step = 1e-6
                slope = (
                    value_of(part.coupled, pose["q"][leader] + step) - value_of(part.coupled, pose["q"][leader] - step)
                ) / (2 * step)
                forces[leader] += slope * forces[follower]
        scale = max(map(abs, pose["bias"]))
        assert max(abs(forces[name]) for name in model.moving) <= TOLERANCE * scale
