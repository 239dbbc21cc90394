"""Several starts: side by side in processes of their own, from scripts of any kind, and as a problem's default."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

import myodyne as my
from myodyne.optimise.screened import screened_from
from myodyne.optimise.storage.problem_files import problem_from_file
from myodyne.optimise.workers import Worker, Workers
from support.samples import one_in


def test_tasks_run_in_other_processes() -> None:
    with Workers(2) as workers:
        found = dict(workers.evaluated(os.getpid, [(), (), ()]))
    assert os.getpid() not in found.values()
    assert 1 <= len(set(found.values())) <= 2


def test_an_error_is_raised_here() -> None:
    with Workers(1) as workers, pytest.raises(ValueError, match=r"math domain error|expected a nonnegative"):
        list(workers.evaluated(math.sqrt, [(4.0,), (-1.0,)]))


def test_a_process_that_dies_is_reported() -> None:
    worker = Worker()
    try:
        with pytest.raises(my.SolveError, match="exit code 3"):
            worker.call(os._exit, 3)
    finally:
        worker.stop()


def fast(*starts: my.Trajectory) -> my.Problem:
    problem = my.load_problem("sliding_mass")
    assert isinstance(problem, my.Problem)
    return problem.model_copy(update={"starts": starts})


def straight(problem: my.Problem) -> my.Trajectory:
    return my.interpolated(problem.model, {"way": 0.0}, {"way": 1.0})


def test_a_problem_with_starts_is_solved_from_all_of_them() -> None:
    problem = fast()
    both = fast(straight(problem), straight(problem))
    found = my.solve(both, nodes=[11], audit=False, show=False)
    alone = my.solve(problem, nodes=[11], audit=False, show=False)
    several, one = found.report.optimum, alone.report.optimum
    assert several is not None
    assert one is not None
    assert several.objective == pytest.approx(one.objective, abs=1e-6)
    assert len(several.starts) == 3
    assert one.starts == ()
    assert "3 of 3 were solved, 3 of them within one per cent" in found.report.notes[0]
    again = my.solve(both, nodes=[11], guess=straight(problem), audit=False, show=False)
    assert again.report.optimum is not None
    assert again.report.optimum.starts == ()


def test_a_screening_compares_on_a_coarse_mesh_and_goes_on_with_the_best() -> None:
    both = fast(straight(fast())).model_copy(update={"screening": my.Screening(nodes=6, keep=1)})
    found = my.solve(both, my.Radau(degree=3), nodes=[11], audit=False, show=False)
    optimum = found.report.optimum
    assert optimum is not None
    assert (optimum.nodes, optimum.scheme) == (11, "Radau(degree=3)")
    assert optimum.objective == pytest.approx(0.4, abs=1e-3)
    # The spread is that of the coarse mesh, which is cruder than the solution.
    assert len(optimum.starts) == 2
    assert all(value > optimum.objective for value in optimum.starts)
    assert "the best of 2 starts: on a coarse mesh (6 nodes of BackwardEuler()" in found.report.notes[0]
    assert "of the best that differ, 1 of 1 were solved" in found.report.notes[0]


def test_starts_in_one_minimum_go_on_once() -> None:
    guesses = [None, straight(fast()), straight(fast())]
    screened = screened_from(
        fast().model_copy(update={"screening": my.Screening(nodes=6)}), guesses, nodes=[6], processes=1
    )
    assert len(screened.coarse.solutions) == 3
    assert len(screened.fine.solutions) == 1


def test_a_screening_stands_in_files(tmp_path: Path) -> None:
    file = tmp_path / "swing.yaml"
    file.write_text(
        "model: pendulum\nduration: 1.0\nscreening: {nodes: 11, keep: 3, scheme: {kind: Radau, degree: 2}}\n"
    )
    assert problem_from_file(file).screening == my.Screening(nodes=11, keep=3, scheme=my.Radau(degree=2))


@pytest.mark.long
def test_starts_that_fail_are_counted() -> None:
    problem = fast(straight(fast()))
    hopeless = my.Settings(most_iterations=2, approach=0)
    with pytest.raises(my.SolveError, match="none of 2 starts was solved"):
        my.solve(problem, nodes=[11], settings=hopeless, show=False)


def test_an_accuracy_refines_the_mesh() -> None:
    problem = fast().model_copy(update={"accuracy": 1e-3, "nodes": 6})
    fine = my.solve(problem, my.Midpoint(), show=False)
    assert fine.report.optimum is not None
    assert fine.report.optimum.mesh_error is not None
    assert fine.report.optimum.mesh_error <= 1e-3
    assert len(fine.time) > 6
    # Nodes that are given are kept.
    assert len(my.solve(problem, my.Midpoint(), nodes=[6], audit=False, show=False).time) == 6


@pytest.mark.long
def test_the_spread_is_stored(tmp_path: Path) -> None:
    found = my.solve(fast(straight(fast())), nodes=[6], audit=False, show=False)
    my.save(found, tmp_path / "fast.nc")
    optimum = my.load(tmp_path / "fast.nc").report.optimum
    assert optimum is not None
    assert found.report.optimum is not None
    assert optimum.starts == found.report.optimum.starts


def test_starts_stand_in_files(tmp_path: Path) -> None:
    file = tmp_path / "swing.yaml"
    file.write_text(
        "model: pendulum\nduration: 1.0\naccuracy: 0.01\nstarts:\n  - {time: [0, 1], columns: {angle: [0.0, 0.3]}}\n"
    )
    found = problem_from_file(file)
    assert isinstance(found, my.Problem)
    assert found.accuracy == 0.01
    assert list(found.starts[0].values("angle")) == [0.0, 0.3]


SCRIPT = """
import myodyne as my
problem = my.load_problem("sliding_mass")
print(my.solve_from(problem, [None, None], nodes=[6], processes=2).summary)
"""


@pytest.mark.parametrize("how", one_in(2, ["a script without a guard", "standard input"]))
def test_plain_scripts_can_use_several_processes(how: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, *(["script.py"] if "script" in how else ["-"])]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment,
        input=None if "script" in how else SCRIPT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "2 of 2 were solved" in done.stdout
