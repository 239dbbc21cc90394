"""Rows with muscles side by side: the numbers of simulations, whatever is beside them, up to events of their own."""

from __future__ import annotations

from typing import Any

import pytest

import myodyne as my
from myodyne.native.libraries import MOST_LANES as LANES
from myodyne.study.rows import Runner


def jumps(**changes: Any) -> my.Study:
    """Return a study of the jumper by onset times, each row ended by its own take-off."""
    jumper = my.load_model("jumper")
    timing = my.Onsets({name: muscle.default_activation for name, muscle in jumper.muscles.items()})
    arguments = {
        "vary": my.sample(dict.fromkeys(timing.names, (0.0, 0.25)), 2 * LANES + 1, seed=2),
        "measure": [
            "com.velocity_y.final",
            "knee.min",
            "stance.force_y.mean",
            "soleus.force.max",
            "vasti.excitation.mean",
        ],
        "duration": 0.8,
        "controls": timing,
        "scheme": my.Rosenbrock(step=2e-3),
        "until": my.falls_through_zero("stance.force_y"),
    }
    return my.Study(jumper, **{**arguments, **changes})


def excited(name: str, **changes: Any) -> my.Study:
    """Return a study of a model whose muscles are excited at once, from initial speeds that differ."""
    model = my.load_model(name)
    muscles = {muscle: my.step(at=0.0131, before=0.1, after=0.4) for muscle in model.muscles}
    coordinate = my.equations_of(model).coordinates[-1]
    arguments = {
        "vary": my.sample({f"start:{coordinate}.speed": (-0.2, 0.2)}, LANES - 1, seed=4),
        "measure": [f"{coordinate}.final", f"{next(iter(model.muscles))}.force.max", "energy.kinetic.mean"],
        "duration": 0.06,
        "controls": muscles,
        "scheme": my.Rosenbrock(step=2e-3),
    }
    return my.Study(model, **{**arguments, **changes})


def few(count: int) -> my.Rows:
    """Return some of the rows of the jumps."""
    rows = jumps().vary
    assert isinstance(rows, my.Rows)
    return my.Rows(rows.names, rows.values[:count])


def jobs_of(study: my.Study) -> list[tuple[int, dict[str, float]]]:
    assert isinstance(study.vary, my.Rows)
    return [(number, study.vary[number]) for number in range(len(study.vary))]


def simulated(runner: Runner, values: dict[str, float]) -> dict[str, float]:
    run = runner.run(runner.inputs.model(runner.model, values), values)
    return {name: one(run.time, run.values(one.output)) for name, one in runner._reductions.items()}


def test_jumps_end_where_those_of_simulate_end() -> None:
    study = jumps()
    runner = Runner(study)
    assert runner.side_by_side
    found = runner.rows(jobs_of(study))
    assert not any(row.failed for row in found)
    for number, values in jobs_of(study)[::4]:
        assert found[number].measures == pytest.approx(simulated(runner, values), rel=1e-10)


@pytest.mark.parametrize("scheme", [my.Rosenbrock(step=5e-4, order=3), my.RK4(step=1e-3)])
def test_schemes_without_rates_of_their_own_find_events_too(scheme: my.RK4 | my.Rosenbrock) -> None:
    study = jumps(scheme=scheme, vary=few(LANES), measure=["com.velocity_y.final", "knee.min", "stance.force_y.mean"])
    runner = Runner(study)
    assert runner.side_by_side
    found = runner.rows(jobs_of(study))
    assert found[1].measures == pytest.approx(simulated(runner, jobs_of(study)[1][1]), rel=1e-10)


@pytest.mark.parametrize(
    "name",
    ["planar_arm", *(pytest.param(name, marks=pytest.mark.long) for name in ("gait2d", "cyclist_one_leg_muscles"))],
)
@pytest.mark.parametrize("scheme", [my.Rosenbrock(step=2e-3), my.RK4(step=1e-3)])
def test_rows_are_those_of_simulations(name: str, scheme: my.RK4 | my.Rosenbrock) -> None:
    study = excited(name, scheme=scheme)
    runner = Runner(study)
    assert runner.side_by_side
    number, values = jobs_of(study)[-1]
    expected = simulated(runner, values)
    assert runner.rows(jobs_of(study))[number].measures == pytest.approx(expected, rel=1e-9)


def test_no_row_depends_on_those_beside_it() -> None:
    runner, jobs = Runner(jumps()), jobs_of(jumps())
    together = {row.number: row.measures for row in runner.rows(jobs)}
    backwards = {row.number: row.measures for row in runner.rows(jobs[::-1])}
    alone = {number: runner.row(number, values).measures for number, values in jobs}
    assert together == backwards == alone
    assert len({row["com.velocity_y.final"] for row in together.values()}) == len(jobs)


def test_means_do_not_depend_on_whether_those_beside_them_ended() -> None:
    # Some leave the ground in this time, others do not.
    study = jumps(duration=0.34, measure=["stance.force_y.mean", "knee.rms", "stance.force_y.final"])
    runner, jobs = Runner(study), jobs_of(study)
    together = [row.measures for row in runner.rows(jobs)]
    flying = [abs(row["stance.force_y.final"]) < 1e-6 for row in together]
    assert any(flying)
    assert not all(flying)
    assert together == [runner.row(number, values).measures for number, values in jobs]


def test_numbers_of_muscles_differ_from_lane_to_lane() -> None:
    vary = my.grid({"soleus.max_force": [4000.0, 6000.0, 8000.0], "soleus.onset": [0.0, 0.1]})
    study = jumps(vary=vary, measure=["knee.min", "com.velocity_y.final"])
    runner = Runner(study)
    assert runner.side_by_side
    found = runner.rows(jobs_of(study))
    assert len({row.measures["com.velocity_y.final"] for row in found}) == len(found)
    for number, values in jobs_of(study)[::2]:
        assert found[number].measures == pytest.approx(simulated(runner, values), rel=1e-10)


def test_a_lane_that_fails_leaves_the_others_as_they_are() -> None:
    study = excited("planar_arm")
    runner, jobs = Runner(study), jobs_of(study)
    undisturbed = [row.measures for row in runner.rows(jobs)]
    ((name, _),) = jobs[1][1].items()
    rows = runner.rows([jobs[0], (1, {name: 1e200}), *jobs[2:]])
    assert [row.failed for row in rows] == [False, True, *([False] * (len(jobs) - 2))]
    assert rows[1].reason
    assert [row.measures for row in rows[2:]] == undisturbed[2:]


def test_steps_that_are_too_long_for_the_contact_fail_with_a_reason() -> None:
    # Forces of the heel grow to a hundred times the body's weight; between two stops the state overflows.
    study = jumps(scheme=my.Rosenbrock(step=2e-3, order=3), vary=few(8), measure="stance.force_y.mean")
    reasons = [row.reason for row in Runner(study).rows(jobs_of(study)) if row.failed]
    assert reasons
    assert [reason for reason in reasons if "Take a smaller step or an adaptive scheme" not in reason] == []


def test_rows_without_an_event_go_on_to_the_end() -> None:
    study = jumps(until=my.rises_through_zero("knee"), vary=few(2), duration=0.1, measure="knee.final")
    runner = Runner(study)
    (first, second) = runner.rows(jobs_of(study))
    assert first.measures == pytest.approx(simulated(runner, jobs_of(study)[0][1]), rel=1e-11)
    assert not second.failed


def test_events_of_states_and_several_events() -> None:
    until = [my.falls_through_zero("stance.force_y"), my.crosses("knee", -0.8)]
    study = jumps(until=until, vary=few(LANES), measure=["knee.final", "com.velocity_y.max"])
    runner = Runner(study)
    assert runner.side_by_side
    for row, (_, values) in zip(runner.rows(jobs_of(study)), jobs_of(study), strict=True):
        assert row.measures == pytest.approx(simulated(runner, values), rel=1e-9)
