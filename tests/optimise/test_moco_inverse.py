"""The walk with 80 muscles that OpenSim's MocoInverse solves: objective, balance, and what a solution tells."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import myodyne as my

SHARED = Path(__file__).parents[3] / "shared"
# OpenSim 4.6 with MocoInverse's default tolerance of 1e-3.
THEIRS = 1.6658

pytestmark = pytest.mark.skipif(not (SHARED / "data" / "moco_inverse3d").is_dir(),
                                reason="the walk with 80 muscles is not beside the project")


@pytest.fixture(scope="module")
def solved() -> my.Solution:
    return my.solve(my.load_problem("moco_inverse3d", data=SHARED), show=False)


def test_the_objective_is_not_above_mocos(solved: my.Solution) -> None:
    optimum = solved.report.optimum
    assert optimum is not None
    assert optimum.objective < 1.01 * THEIRS
    assert optimum.objective == pytest.approx(1.594, rel=2e-3)
    assert optimum.largest_violation < 1e-5
    assert optimum.mesh_error is not None
    assert optimum.mesh_error < 0.05


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
