"""The walk with 80 muscles that OpenSim's MocoInverse solves: objective, balance, and what a solution tells."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import myodyne as my

SHARED = Path(__file__).parents[3] / "shared"
# OpenSim 4.6 with MocoInverse's default tolerance of 1e-3, and with 1e-5; ``generate_moco_inverse.py`` made the file.
OPENSIM = json.loads((Path(__file__).parents[1] / "fixtures" / "opensim" / "moco_inverse.json").read_text("utf-8"))
LOOSE, TIGHT = (OPENSIM["tolerances"][name]["terms"] for name in ("0.001", "1e-05"))

pytestmark = pytest.mark.skipif(
    not (SHARED / "data" / "moco_inverse3d").is_dir(), reason="the walk with 80 muscles is not beside the project"
)


@pytest.fixture(scope="module")
def solved() -> my.Solution:
    return my.solve(my.load_problem("moco_inverse3d", data=SHARED), show=False)


@pytest.mark.long
def test_the_objective_is_mocos(solved: my.Solution) -> None:
    """Its default tolerance leaves it 5 % above the minimum, which the tighter one and ours reach."""
    assert sum(LOOSE.values()) == pytest.approx(1.6658, abs=1e-4)
    optimum = solved.report.optimum
    assert optimum is not None
    assert optimum.objective == pytest.approx(sum(TIGHT.values()), rel=0.01)
    assert optimum.objective == pytest.approx(1.594, rel=2e-3)
    assert optimum.largest_violation < 1e-5
    assert optimum.mesh_error is not None
    assert optimum.mesh_error < 0.05


@pytest.mark.long
def test_every_muscle_costs_what_it_costs_moco(solved: my.Solution) -> None:
    terms = {name.rpartition(".")[0]: value for name, value in my.goal_terms(solved)["excitation_effort"].items()}
    assert set(terms) == set(TIGHT)
    muscles = list(solved.model.muscles)
    for name in muscles:
        assert terms[name] == pytest.approx(TIGHT[name], abs=1e-3)
    whole = [sum(found[name] for name in muscles) for found in (terms, TIGHT, LOOSE)]
    assert whole[0] == pytest.approx(whole[1], rel=3e-3)
    assert whole[2] == pytest.approx(1.058 * whole[1], rel=2e-3)
    # What is left: forces on the pelvis, which no muscle shares in and which the motion alone decides.
    pelvis = [sum(value for name, value in found.items() if name.startswith("residual_")) for found in (terms, TIGHT)]
    rest = (sum(terms.values()) - sum(TIGHT.values())) - (pelvis[0] - pelvis[1])
    assert 0.002 < pelvis[0] - pelvis[1] < 0.008
    assert abs(rest) < 0.003


def test_swinging_knees_need_what_lagrange_says() -> None:
    """Of OpenSim's own masses. Its solver misses that by 1.3 N at the pelvis, which explains part of the difference."""
    fast = OPENSIM["instant"]
    problem = my.load_problem("moco_inverse3d", data=SHARED)
    assert isinstance(problem, my.Problem)
    bones = my.equations_of(problem.model.without(*problem.model.muscles), compiled=False)
    q, v = (np.array([fast[kind][name] for name in bones.coordinates]) for kind in ("q", "v"))
    ours = dict(zip(bones.coordinates, bones.inverse_dynamics(q, v, np.zeros(len(q))), strict=True))
    for kind, miss in (("lagrange", 1e-5), ("solver", 1.5)):
        theirs = dict(fast[kind])
        for side in "rl":
            # The kneecap follows the knee.
            theirs[f"knee_angle_{side}"] += theirs.pop(f"knee_angle_{side}_beta")
        assert max(abs(ours[name] - value) for name, value in theirs.items()) < miss
    assert abs(ours["pelvis_tx"] - fast["solver"]["pelvis_tx"]) > 1.2


@pytest.mark.long
def test_muscles_and_motors_give_the_moments_of_inverse_dynamics(solved: my.Solution) -> None:
    problem = solved.problem
    assert isinstance(problem, my.Problem)
    model = problem.model
    needed = my.inverse_dynamics(model, solved, problem.external_forces)
    whole = my.equations_of(model)
    q = np.column_stack([solved.values(name) for name in whole.coordinates])
    forces = np.column_stack([solved.values(f"{name}.force") for name in model.muscles])
    given = np.einsum("tmc,tm->tc", whole.moment_arms(q), forces)
    for name, force in model.forces.items():
        motor = getattr(force, "coordinate", "")
        ending = "force" if f"{name}.force" in solved else "torque"
        given[:, whole.coordinates.index(motor)] += solved.values(f"{name}.{ending}")
    # Knees are coupled to their kneecaps and toes are welded; elsewhere the plain tree has the same moments.
    for name in ("hip_flexion_r", "ankle_angle_l", "lumbar_extension", "pelvis_ty", "arm_flex_r"):
        wanted, found = needed.values(f"{name}.moment"), given[:, whole.coordinates.index(name)]
        assert found[1:] == pytest.approx(wanted[1:], abs=0.01)


@pytest.mark.long
def test_muscles_start_in_steady_state_within_their_range(solved: my.Solution) -> None:
    problem = solved.problem
    assert isinstance(problem, my.Problem)
    assert len(problem.model.muscles) == 80
    for name in problem.model.muscles:
        excitation, activation = solved.values(f"{name}.excitation"), solved.values(f"{name}.activation")
        assert excitation[0] == pytest.approx(activation[0], abs=1e-4)
        assert min(excitation.min(), activation.min()) > 0.01 - 1e-6
        assert max(excitation.max(), activation.max()) < 1.0 + 1e-6
    soleus = solved.values("soleus_r.activation")
    assert soleus.max() > 0.3
    assert soleus.min() < 0.05
