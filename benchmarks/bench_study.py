"""Rows of a study: one-second RK4 runs (1 ms) of a chain of five, against MuJoCo's rollout and a loop over SciPy."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from peers import chain_model, mujoco_chain
from timing import above, against, alternating, below

import myodyne as my
from myodyne.study.rows import Runner

SIZE, STEP, DURATION = 5, 1e-3, 1.0
ROWS = 200


def study_of(rows: int) -> my.Study:
    """Return a study of random initial states, of which only one number is kept."""
    model = chain_model(SIZE)
    names = my.equations_of(model).motion[:SIZE]
    vary = my.sample({f"start:{name}": (-0.5, 0.5) for name in names}, rows, seed=1)
    return my.Study(model, vary=vary, measure=f"{names[-1]}.final", duration=DURATION, scheme=my.RK4(step=STEP))


def run() -> list[dict[str, Any]]:
    study = study_of(ROWS)
    rows = study.vary
    assert isinstance(rows, my.Rows)
    runner = Runner(study)
    peer_of, loop_of = _mujoco(), _scipy(study.model)
    expected = runner.row(0, rows[0]).measures[next(iter(study.measures))]
    for name, value, allowed in (("MuJoCo", peer_of(rows.values[0]), 1e-6), ("SciPy", loop_of(rows.values[0]), 1e-3)):
        if abs(value - expected) > allowed:
            raise AssertionError(f"{name} and we differ by {abs(value - expected)}")

    def ours() -> None:
        for number in range(20):
            runner.row(number, rows[number])

    def mujoco() -> None:
        for number in range(20):
            peer_of(rows.values[number])

    mine, peer = alternating(ours, mujoco, repeats=5)
    started = time.perf_counter()
    loop_of(rows.values[0])
    loop = time.perf_counter() - started
    what = "a one-second run of a chain of five, 1 ms"
    return [
        above(f"{what}: runs per core-second", 20 / mine, "1/s", 5000),
        against(what, mine / 20, peer / 20, "MuJoCo rollout, RK4", 2),
        against(what, mine / 20, loop, "SciPy solve_ivp, RK45 at 1e-6", 20),
        below("what a study adds to its marches", 100 * _overhead(study, runner), "%", 5),
        above("two processes against one", _speed_up(), "×", 1.9),
    ]


def _mujoco() -> Any:
    import mujoco
    from mujoco import rollout

    model = mujoco.MjModel.from_xml_string(mujoco_chain(SIZE))
    model.opt.timestep = STEP
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    data, steps = mujoco.MjData(model), round(DURATION / STEP)

    def last(angles: Any) -> float:
        start = np.concatenate([[0.0], angles, np.zeros(SIZE)])
        states, _ = rollout.rollout(model, data, start[None, :], nstep=steps)
        return float(states[0, -1, SIZE])

    return last


def _scipy(model: my.Model) -> Any:
    from scipy.integrate import solve_ivp

    equations = my.equations_of(model)

    def last(angles: Any) -> float:
        start = np.concatenate([angles, np.zeros(SIZE)])
        found = solve_ivp(lambda _, x: equations.derivative(x), (0.0, DURATION), start, rtol=1e-6, atol=1e-8)
        return float(found.y[SIZE - 1, -1])

    return last


def _overhead(study: my.Study, runner: Runner) -> float:
    """Return the time of a study over that of its marches, less one."""
    lean = runner._lean
    assert lean is not None
    march, fresh = lean._fresh
    start, times = np.append(lean._equations.state(), 0.0), lean._stops.times

    def marches() -> None:
        for _ in range(ROWS):
            march.restore(fresh)
            march.advance(0.0, start, times)

    alone, whole = alternating(marches, study.run, repeats=5)
    return whole / alone - 1


def _speed_up() -> float:
    """Return the time of one process over that of two, both under way."""
    study = study_of(3000)
    rows = study.vary
    assert isinstance(rows, my.Rows)
    jobs = [(number, rows[number]) for number in range(len(rows))]
    spent = []
    for count in (1, 2):
        with my.Processes(count).started(study) as crew:
            for _ in crew.rows(jobs[: 200 * count]):
                pass
            started = time.perf_counter()
            for _ in crew.rows(jobs):
                pass
            spent.append(time.perf_counter() - started)
    return spent[0] / spent[1]
