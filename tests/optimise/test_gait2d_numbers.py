"""Numbers that van den Bogert, Blana and Heinrich (2011, section 4.3) print of their walking problem."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.optimise.transcription.initial import guessed_unknowns
from myodyne.optimise.transcription.program import Program

NODES = 100


def program_of(*goals: object, nodes: int = NODES) -> Program:
    """Return their problem: midpoint, 1.28 s a cycle, 1.1 m/s, states that come round."""
    problem = my.Problem(
        my.load_model("gait2d"),
        duration=1.28,
        goals=goals,
        nodes=nodes,
        scheme=my.Midpoint(),
        conditions=[my.Periodic(controls=False), my.AverageSpeed(1.1, of="pelvis_x")],
    )
    return Program(problem, problem.scheme, [np.linspace(0.0, 1.0, nodes)])


def test_002_13_sizes() -> None:
    program = program_of()
    equations = program.phases[0].instant.equations
    assert (len(equations.coordinates), len(equations.muscles)) == (9, 16)
    assert (len(equations.states), len(equations.controls)) == (50, 16)
    # Beside the states and controls there is the duration, which is given.
    assert program.shared_start == (50 + 16) * NODES == 6600
    assert program.count == 6600 + 1
    assert [bound[-1] for bound in program.bounds] == [1.28, 1.28]
    dynamics, between = 99 * 50, 49 + 1
    assert program.rows == dynamics + between == 5000
    assert sum(group.count for group in program.groups if group.what[:1] == ("periodic pelvis_y",)) == between


def test_002_4_sparsity() -> None:
    """Every row of the dynamics touches two neighbouring nodes, and each entry of df/dx and df/dx' stands twice."""
    program = program_of(nodes=10)
    rows, columns = program.jacobian_places
    inner = rows < 9 * 50
    nodes, intervals = columns[inner] // 66, rows[inner] // 50
    own = columns[inner] < program.shared_start
    assert set((nodes - intervals)[own].tolist()) == {0, 1}
    by_state, by_rate, by_control = program.phases[0].instant.equations.jacobians(*_somewhere())
    union = (abs(by_state) + abs(by_rate)).tocoo()
    pattern = {(row, column) for row, column in zip(union.row.tolist(), union.col.tolist(), strict=True)}
    first = inner & (rows < 50) & (columns < 66)
    found = {
        (row, column) for row, column in zip(rows[first].tolist(), columns[first].tolist(), strict=True) if column < 50
    }
    assert found == pattern
    assert len(found) == len(pattern) < 0.12 * 50 * 50
    assert np.count_nonzero(first & (columns >= 50)) == by_control.nnz == 16


def test_002_14_full_activation_costs_as_much_as_ten_deviations() -> None:
    """Eq 20 with a weight of 100."""
    model = my.load_model("gait2d")
    equations = my.equations_of(model)
    standing = dict(zip(equations.states, equations.state(), strict=True))
    time = np.array([0.0, 1.28])
    excited = {f"{name}.excitation": np.ones(2) for name in model.muscles}
    guess = my.Trajectory(time, {**{name: np.full(2, value) for name, value in standing.items()}, **excited})
    values = dict(
        zip(equations.outputs, equations.output_values(equations.state(), np.zeros(50), np.ones(16)), strict=True)
    )
    data, deviations, feet = {}, {}, {}
    for side in ("right", "left"):
        for joint, deviation in (("hip", 0.1), ("knee", 0.07), ("ankle", 0.05)):
            data[f"{side}_{joint}"] = standing[f"{side}_{joint}"] - 10 * deviation
            deviations[f"{side}_{joint}"] = deviation
        for axis, deviation in (("x", 20.0), ("y", 50.0)):
            name = f"{side}_ground_force_{axis}"
            feet[name] = (f"{side}_heel.force_{axis}", f"{side}_toe.force_{axis}")
            data[name] = sum(values[part] for part in feet[name]) + 10 * deviation
            deviations[name] = deviation
    assert len(data) == 10
    recorded = my.Trajectory(time, {name: np.full(2, value) for name, value in data.items()})
    program = program_of(
        my.Track(recorded, of=feet, deviations=deviations), my.Effort(exponent=2, weight=100.0), nodes=5
    )
    unknowns = np.append(guessed_unknowns(program.phases[0], guess, 1.28), 1.28)
    assert program.parts_of(unknowns) == pytest.approx({"track": 100.0, "effort": 100.0}, rel=1e-9)


def _somewhere() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.normal(size=18) * 0.3, rng.uniform(0.6, 1.5, 16), rng.uniform(0.1, 0.9, 16)])
    return x, rng.normal(size=50), rng.uniform(0, 1, 16)
