"""The running stride without residual forces: a planar subject follows angles and plates by its own contacts.

The data are those of ``test_running_trial.py`` (``../shared/data/running/bmc_*``). Model and problem are those of
``examples/tracked_stride.py``: the sagittal plane of the scaled model, with joint motors and nothing that holds the
pelvis.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import myodyne as my
from support.shared import needs

RUN = Path(__file__).parents[3] / "shared" / "data" / "running"
FILE = Path(__file__).parents[2] / "examples" / "tracked_stride.py"
pytestmark = [pytest.mark.long, needs(RUN, "needs ../shared/data")]


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tracked_stride", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["tracked_stride"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def stride(example: ModuleType) -> Any:
    return example.recorded(RUN)


@pytest.fixture(scope="module")
def followed(example: ModuleType, stride: Any) -> tuple[my.Solution, my.Solution]:
    """The movement on an even mesh of 82 nodes, and refined."""
    even, fine = example.follow(stride)
    return even, fine


def test_nothing_holds_the_pelvis(stride: Any) -> None:
    assert len(stride.model.controls) == len(stride.model.moving) - 3
    assert not any(name.startswith("pelvis") for name in stride.model.controls)


@pytest.mark.parametrize("mesh", [0, 1], ids=["even", "refined"])
def test_angles_and_ground_forces_follow_the_recording(
    example: ModuleType, stride: Any, followed: tuple[my.Solution, my.Solution], mesh: int
) -> None:
    """Angles within 1° (ankles 2°), pelvis within 2 cm, forces within 5 % of the plates' peaks: root mean squares."""
    found = followed[mesh]
    deviation = my.compare(found, stride.motion, list(stride.model.moving))
    for name in stride.model.moving:
        if name in ("pelvis_tx", "pelvis_ty"):
            assert deviation[name].rms < 0.02
        else:
            assert deviation[name].rms < np.radians(2.0 if name.startswith("ankle") else 1.0), name
    assert max(rms for rms, _ in example.force_errors(found, stride).values()) < 0.05


def test_no_interval_of_the_refined_mesh_is_off_by_more_than_one_per_cent(
    followed: tuple[my.Solution, my.Solution],
) -> None:
    even, fine = followed
    assert even.report.optimum.mesh_error < 0.1
    assert fine.report.optimum.mesh_error < 0.01
    assert len(fine) < 1.5 * len(even)
    errors = my.mesh_errors(even)
    worst = {time for time, row in zip(errors.time, errors.rows(), strict=True) if row.max() > 0.01}
    # Only landings and take-offs need a finer mesh.
    assert len(worst) < 0.1 * len(errors)


def test_without_the_cost_of_accelerations_the_motors_alternate(
    stride: Any, followed: tuple[my.Solution, my.Solution]
) -> None:
    """The cause of large mesh errors: motors alternate within the intervals, and light feet follow them."""
    problem = stride.problem
    goals = tuple(goal for goal in problem.goals if goal.name != "accelerations")
    freed = problem.model_copy(update={"goals": goals})
    first = my.solve(freed, nodes=[82], audit=False)
    found = my.solve(freed, my.Radau(degree=3), nodes=[82], guess=first)
    assert found.report.optimum.mesh_error > 0.1
    largest = {name: np.abs(found.values(f"{name}.acceleration")).max() for name in ("ankle_angle_r", "ankle_angle_l")}
    kept = {name: np.abs(followed[0].values(f"{name}.acceleration")).max() for name in largest}
    assert max(largest.values()) > 3 * max(kept.values())


def test_mesh_errors_fall_as_the_order_says(stride: Any, followed: tuple[my.Solution, my.Solution]) -> None:
    """Of the median interval, with four times as many: as the scheme's order says (measured: 2.7, 3.0 and 4.8)."""
    for scheme in (my.Midpoint(), my.Radau(degree=2), my.Radau(degree=3)):
        medians = []
        for nodes in (82, 325):
            found = my.solve(stride.problem, scheme, nodes=[nodes], guess=followed[1].trajectory, audit=False)
            medians.append(float(np.median(my.mesh_errors(found).rows().max(axis=1))))
        order = 2 if isinstance(scheme, my.Midpoint) else 2 * scheme.degree - 1
        assert np.log2(medians[0] / medians[1]) / 2 > order - 0.7
