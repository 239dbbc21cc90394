"""Studies of problems: solutions that do not depend on who computed them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

import myodyne as my
from myodyne.study.rows import Runner


def pushes(**changes: Any) -> my.Study:
    problem = my.load_problem("sliding_mass")
    assert isinstance(problem, my.Problem)
    coarse = problem.model_copy(update={"nodes": 7})
    arguments: dict[str, Any] = {
        "vary": my.grid({"block.mass": [1.0, 2.0, 3.0, 1.5]}),
        "measure": ["objective", "way.speed.max"],
    }
    return my.Study(**{"problem": coarse, **arguments, **changes})


def compared(found: xarray.Dataset) -> xarray.Dataset:
    return found.drop_vars("seconds")


def test_each_row_is_an_optimum() -> None:
    found = pushes().run()
    # 1 m from rest to rest under 50 N at most: T = 2 sqrt(m / F).
    expected = 2 * np.sqrt(found["block.mass"].values / 50.0)
    assert found["objective"].values == pytest.approx(expected, rel=5e-3)
    assert found["way.speed.max"].values == pytest.approx(2 / expected, rel=0.02)


def test_the_order_of_rows_and_lost_solutions_change_nothing() -> None:
    study = pushes()
    assert study.path is not None
    assert study.path.parents.count(-1) == 1
    runner = Runner(study)
    together = {number: runner.row(number, study.vary[number]).measures for number in study.path.order}
    for number in (2, 0):
        # A process that knows no other row computes those that it starts from.
        assert Runner(study).row(number, study.vary[number]).measures == together[number]


def test_a_stopped_study_of_a_problem_goes_on(tmp_path: Path) -> None:
    study, calls = pushes(), tmp_path / "calls"

    def peak(solution: my.Solution, calls: str = str(calls)) -> float:
        before = len(Path(calls).read_text()) if Path(calls).exists() else 0
        Path(calls).write_text("x" * (before + 1))
        if before == 2:
            raise KeyboardInterrupt
        return float(solution.values("way.speed").max())

    stopped = pushes(measure=["objective", peak])
    with pytest.raises(KeyboardInterrupt):
        stopped.run(out=tmp_path / "table")
    assert my.load_study(tmp_path / "table").sizes["row"] == 2
    found = stopped.run(out=tmp_path / "table", resume=True)
    assert found["objective"].values.tolist() == study.run()["objective"].values.tolist()


def test_a_row_that_cannot_be_solved_is_a_failed_row() -> None:
    found = pushes(vary=my.grid({"block.mass": [2.0, 1e6]}), measure="objective").run()
    assert found["status"].values.tolist() == ["completed", "failed"]
    assert "was not solved" in found["reason"].values[1]


def test_the_duration_is_varied_by_its_name() -> None:
    problem = my.load_problem("sliding_mass")
    assert isinstance(problem, my.Problem)
    easy = problem.model_copy(update={"goals": (my.Effort(of="torques"),), "nodes": 7})
    found = my.Study(problem=easy, vary=my.grid({"duration": [0.5, 1.0]}), measure="objective").run()
    # Least effort of a push and a brake falls with the fourth power of the time.
    assert found["objective"].values[0] / found["objective"].values[1] == pytest.approx(16.0, rel=1e-3)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vary": my.grid({"block.mas": [1.0]})}, "did you mean 'block.mass'"),
        ({"vary": my.grid({"start:way": [1.0]})}, "duration"),
        ({"measure": "objectiv"}, "unknown reduction"),
        ({"measure": "wy.max"}, "did you mean 'way'"),
        ({"duration": 1.0}, "own duration"),
        ({"scheme": my.RK4(step=1e-3)}, "of simulations"),
        ({"model": my.load_model("pendulum")}, "not both"),
        ({"problem": "sliding_mass"}, "my.load_problem gives"),
    ],
)
def test_what_is_wrong_is_said_before_the_first_row(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(my.ModelError, match=message):
        pushes(**changes)


def test_tables_of_other_problems_are_refused(tmp_path: Path) -> None:
    pushes().run(out=tmp_path / "table")
    other = pushes().problem
    assert other is not None
    with pytest.raises(my.FileError, match=r"another study.*other problem"):
        my.Study(problem=other.with_weights(final_time=2.0), vary=pushes().vary, measure=pushes().measure).run(
            out=tmp_path / "table", resume=True
        )


@pytest.mark.long
def test_one_core_two_processes_and_a_cluster_give_equal_solutions() -> None:
    study = pushes(vary=my.sample({"block.mass": (1.0, 3.0)}, 15, seed=2))
    assert study.path is not None
    assert len(set(study.path.families)) > 1
    alone = compared(study.run())
    for engine in (my.Processes(2), my.Dask()):
        assert compared(study.run(engine)).identical(alone)
