"""Two derivations that share no code: the matrix calculus and the production recursion agree on random trees."""

from __future__ import annotations

import numpy as np
import pytest

from myodyne.equations import equations_of
from myodyne.formulations.matrix_calculus import MatrixCalculus
from myodyne.model import Model
from support.comparison import assert_close
from support.random_trees import random_state, random_tree
from support.samples import one_in

TOLERANCE = 1e-10


def agree(model: Model, seed: int) -> None:
    state = random_state(model, seed)
    calculus, production = MatrixCalculus(model), equations_of(model, compiled=False)
    q, v, vdot = state.q, state.v, state.vdot
    assert calculus.coordinates == production.coordinates
    assert calculus.bodies == production.bodies
    turns, places = production.body_poses(q)
    for body, turn, place in zip(calculus.bodies, turns, places, strict=True):
        transform = calculus.transform(body, q)
        assert_close(transform[:3, :3], turn, 1e-13, f"rotation of {body}")
        assert_close(transform[:3, 3], place, 1e-13, f"position of {body}", floor=0.1)
    assert_close(calculus.mass_matrix(q), production.mass_matrix(q), TOLERANCE, "mass matrix")
    ours, theirs = calculus.inverse_dynamics(q, v, vdot), production.inverse_dynamics(q, v, vdot)
    assert_close(ours, theirs, TOLERANCE, "inverse dynamics")
    still = np.zeros_like(v)
    ours, theirs = calculus.gravity_terms(q), -production.inverse_dynamics(q, still, still)
    assert_close(ours, theirs, TOLERANCE, "gravity", floor=1e-6)


def planar_tree(seed: int) -> Model:
    """Return a tree of 1 to 15 segments: every second one of pins alone, every fifth one with function joints."""
    bodies = 1 + seed % 15
    kinds = ("pin",) if seed % 2 else None
    return random_tree(seed, bodies, flat=True, kinds=kinds, functions=seed % 5 == 0 and bodies > 1)


@pytest.mark.parametrize("seed", one_in(7, range(50)))
def test_spatial_trees_with_joints_that_are_functions(seed: int) -> None:
    agree(random_tree(seed, 2 + seed % 8, functions=True), seed)


@pytest.mark.parametrize("seed", one_in(7, range(100)))
def test_planar_chains_and_branched_trees(seed: int) -> None:
    agree(planar_tree(seed), seed)


def test_the_planar_trees_are_chains_and_branched_ones() -> None:
    models = [planar_tree(seed) for seed in range(100)]
    assert {len(model.bodies) for model in models} == set(range(1, 16))
    children = [[joint.parent.body for joint in model.joints.values()] for model in models]
    branched = sum(len(set(parents)) < len(parents) for parents in children)
    assert 20 <= branched <= 80
