"""OpenSim Moco's planar walk: its goals and dynamics at the solution that it stored, and our own solution."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from myodyne.optimise.builtin.moco_walk2d import moco_names
from myodyne.optimise.transcription.initial import guessed_unknowns
from myodyne.optimise.transcription.program import Program

SHARED = Path(__file__).parents[3] / "shared"
RECORDS = SHARED / "data" / "moco_walk2d"
# Moco 4.6, with its example's tolerance of 1e-2: what its file says.
STORED = {"state_tracking": 0.351845, "control_effort": 0.812373, "contact": 0.399880}
TOTAL = 1.564098

pytestmark = pytest.mark.skipif(not RECORDS.is_dir(), reason="Moco's walk is not beside the project")


@pytest.fixture(scope="module")
def walk() -> my.Problem:
    problem = my.load_problem("moco_walk2d_tracking", data=SHARED)
    assert isinstance(problem, my.Problem)
    return problem


@pytest.fixture(scope="module")
def stored(walk: my.Problem) -> my.Trajectory:
    return moco_names(my.load(RECORDS / "gaitTracking_solution.sto", model=walk.model), walk.model)


@pytest.mark.long
def test_the_goals_are_those_of_moco(walk: my.Problem, stored: my.Trajectory) -> None:
    program = Program(walk, walk.scheme, [np.linspace(0.0, 1.0, walk.nodes)])
    phase = program.phases[0]
    unknowns = np.zeros(program.count)
    unknowns[program.shared_start] = walk.duration
    own = slice(phase.grid.offset, phase.grid.offset + phase.grid.count)
    unknowns[own] = guessed_unknowns(phase, stored, stored.duration)
    assert program.parts_of(unknowns) == pytest.approx(STORED, rel=1e-5)


@pytest.mark.long
def test_the_dynamics_are_those_of_moco(walk: my.Problem, stored: my.Trajectory) -> None:
    equations = my.equations_of(walk.model)
    states = np.column_stack([stored.values(name) for name in equations.states])
    controls = np.column_stack([stored.values(name) for name in _control_names(equations)])
    # In between the nodes Moco's controls are the means of their neighbours.
    controls[1::2] = (controls[:-2:2] + controls[2::2]) / 2
    rates = equations.derivative(states, controls)
    step = stored.time[2] - stored.time[0]
    whole = states[2::2] - states[:-2:2] - step / 6 * (rates[:-2:2] + 4 * rates[1::2] + rates[2::2])
    half = states[1::2] - (states[:-2:2] + states[2::2]) / 2 - step / 8 * (rates[:-2:2] - rates[2::2])
    # Moco was content with defects of 1e-2.
    assert np.abs(whole).max() < 1e-2
    assert np.abs(half).max() < 1e-2


@pytest.mark.long
def test_from_the_solution_of_moco_the_next_minimum_is_near(walk: my.Problem, stored: my.Trajectory) -> None:
    alone = walk.model_copy(update={"continuation": ()})
    settings = my.Settings(tolerance=1e-4, options={"mu_init": 1e-4})
    solution = my.solve(alone, guess=stored, settings=settings, audit=False, show=False)
    optimum = solution.report.optimum
    assert optimum is not None
    # Ours obeys the equations to 1e-8, Moco's to 1e-2, which makes its objective a little smaller.
    assert optimum.objective == pytest.approx(TOTAL, rel=0.01)
    assert optimum.largest_violation < 1e-6
    assert (
        np.abs(
            solution.values("knee_angle_r") - np.interp(solution.time, stored.time, stored.values("knee_angle_r"))
        ).max()
        < 0.02
    )


@pytest.mark.long
def test_our_solution_is_better_than_that_of_moco(walk: my.Problem) -> None:
    solution = my.solve(walk, settings=my.Settings(tolerance=1e-4), audit=False, show=False)
    optimum = solution.report.optimum
    assert optimum is not None
    assert solution.report.status == "completed"
    assert optimum.largest_violation < 1e-4
    assert optimum.objective < 0.8 * TOTAL
    assert optimum.parts["state_tracking"] < 0.5 * STORED["state_tracking"]
    assert optimum.parts["contact"] < 0.5 * STORED["contact"]
    for name in walk.model.muscles:
        assert solution.values(f"{name}.excitation").min() > 0.01 - 1e-7
    for name in ("hip_flexion", "knee_angle", "ankle_angle"):
        ends = solution.values(f"{name}_r"), solution.values(f"{name}_l")
        assert ends[0][-1] == pytest.approx(ends[1][0], abs=1e-6)
        assert ends[1][-1] == pytest.approx(ends[0][0], abs=1e-6)
    assert solution.values("pelvis_tx")[-1] > solution.values("pelvis_tx")[0] + 0.5


def test_the_records_are_asked_for() -> None:
    with pytest.raises(my.ModelError, match="give their folder"):
        my.load_problem("moco_walk2d_tracking")


def test_only_controls_that_exist_can_be_periodic(walk: my.Problem) -> None:
    with pytest.raises(my.ModelError, match=r"lumbarAct\.control"):
        Program(
            walk.model_copy(update={"conditions": (my.Periodic(controls=("lumbarAct.contrl",)),)}),
            walk.scheme,
            [np.linspace(0.0, 1.0, 3)],
        )


def _control_names(equations: my.Equations) -> list[str]:
    return [f"{name}.{'excitation' if name in equations.muscles else 'control'}" for name in equations.controls]
