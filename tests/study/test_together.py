"""Rows side by side in lanes: the numbers of simulations, whatever is beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.equations.generated.lanes import LANES
from myodyne.study.rows import Runner

MEASURES = ["q2.final", "q1.speed.rms", "energy.kinetic.max", "tip.position_x.range"]


def chains(**changes: Any) -> my.Study:
    vary = my.sample({"start:q1": (-1.0, 1.0), "link1.mass": (0.5, 2.0)}, 2 * LANES + 3, seed=3)
    arguments = {"vary": vary, "measure": MEASURES, "duration": 0.2, "scheme": my.RK4(step=5e-3)}
    return my.Study(my.chain(2), **{**arguments, **changes})


def jobs_of(study: my.Study) -> list[tuple[int, dict[str, float]]]:
    assert isinstance(study.vary, my.Rows)
    return [(number, study.vary[number]) for number in range(len(study.vary))]


def test_rows_are_those_of_simulations() -> None:
    study = chains()
    runner = Runner(study)
    assert runner.side_by_side
    for number, values in jobs_of(study)[::5]:
        run = runner.run(study.inputs.model(runner.model, values), values)
        expected = {name: one(run.time, run.values(one.output)) for name, one in runner._reductions.items()}
        assert runner.row(number, values).measures == pytest.approx(expected, rel=1e-12, abs=1e-14)


def test_no_row_depends_on_those_beside_it() -> None:
    runner, jobs = Runner(chains()), jobs_of(chains())
    together = {row.number: row.measures for row in runner.rows(jobs)}
    backwards = {row.number: row.measures for row in runner.rows(jobs[::-1])}
    alone = {number: runner.row(number, values).measures for number, values in jobs}
    assert together == backwards == alone
    assert len({row["q2.final"] for row in together.values()}) == len(jobs)


def test_a_lane_that_fails_leaves_the_others_as_they_are() -> None:
    runner, jobs = Runner(chains()), jobs_of(chains())[:LANES]
    undisturbed = [row.measures for row in runner.rows(jobs)]
    # A speed that overflows, a mass that cannot be, and a number that is none.
    bad: list[dict[str, float]] = [{"link1.mass": -1.0}, {"start:q1": float("nan")}]
    for number, wrong in enumerate(bad):
        disturbed = list(jobs)
        disturbed[number + 2] = (number + 2, {**jobs[number + 2][1], **wrong})
        rows = runner.rows(disturbed)
        assert [row.failed for row in rows].count(True) == 1
        assert rows[number + 2].reason
        assert [row.measures for row in rows if not row.failed] == [
            measures for place, measures in enumerate(undisturbed) if place != number + 2
        ]


def test_a_run_that_diverges_is_one_failed_row() -> None:
    spring = my.TorsionSpring(coordinate="angle", stiffness=1.0, rest=1.0)
    model = my.load_model("pendulum").with_parts(forces={"spring": spring})
    vary = my.grid({"spring.stiffness": [1.0, 1e9, 2.0]})
    study = my.Study(model, vary=vary, measure="angle.max", duration=10.0, scheme=my.Euler(step=0.1))
    assert Runner(study).side_by_side
    found = study.run()
    assert found["status"].values.tolist() == ["completed", "failed", "completed"]
    assert "angle" in found["reason"].values[1]


def test_every_lane_has_its_own_controls() -> None:
    motor = my.CoordinateActuator(coordinate="q1")
    model = my.chain(1).with_parts(forces={"motor": motor})
    vary = my.grid({"control:motor.time.0": [0.03, 0.101], "control:motor.value.1": [0.5, 2.0]})
    controls = {"motor": my.step(0.1)}
    study = my.Study(
        model,
        vary=vary,
        measure=["q1.final", "motor.control.max"],
        duration=0.2,
        controls=controls,
        scheme=my.RK4(step=5e-3),
    )
    found = study.run()
    assert Runner(study).side_by_side
    for number, (at, after) in enumerate(vary.values):
        run = my.simulate(model, 0.2, controls={"motor": my.step(at, after=after)}, scheme=my.RK4(step=5e-3))
        assert float(found["q1.final"][number]) == pytest.approx(run.values("q1")[-1], rel=1e-12)
        assert float(found["motor.control.max"][number]) == after


def test_constraints_hold_in_every_lane() -> None:
    model = my.load_model("four_bar")
    name = my.equations_of(model).coordinates[0]
    force = my.equations_of(model).multipliers[0]
    body = next(iter(model.bodies))
    vary = my.grid({f"{body}.mass": [model.value(f"{body}.mass") * factor for factor in (1.0, 1.5, 2.0)]})
    study = my.Study(
        model, vary=vary, measure=[f"{name}.final", f"{force}.max"], duration=0.1, scheme=my.RK4(step=5e-3)
    )
    runner = Runner(study)
    assert runner.side_by_side
    found = study.run()
    for number, values in jobs_of(study):
        run = runner.run(study.inputs.model(runner.model, values), values)
        assert float(found[f"{name}.final"][number]) == pytest.approx(run.values(name)[-1], rel=1e-11)
        assert float(found[f"{force}.max"][number]) == pytest.approx(run.values(force).max(), rel=1e-9)


def test_steps_by_error_march_one_by_one() -> None:
    assert not Runner(chains(scheme=my.DOP853())).side_by_side
    assert not Runner(chains(measure=lambda run: float(np.max(run.values("q1"))))).side_by_side
