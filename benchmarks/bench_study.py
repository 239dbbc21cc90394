"""Rows of a study: one-second RK4 runs (1 ms) of the five-segment `chain`, against MuJoCo and a loop over SciPy.

Beside them rows with muscles, against the same rows by `simulate`: a cyclist, and jumps that their take-off ends.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from timing import above, against, alternating, below, figure

import myodyne as my
from myodyne.study.rows import Runner

STEP, DURATION = 1e-3, 1.0
# Rows of a comparison, and those of studies whose overhead is measured.
ROWS, MANY = 200, 1000
# Seconds of a chain that march in about 1 ms: how long a row takes for which the overhead is asked.
LONG = 10.0


def study_of(rows: int, duration: float = DURATION) -> my.Study:
    """Return a study of random initial states, of which only one number is kept."""
    model = my.load_model("chain")
    vary = my.sample({f"start:q{number}": (-0.5, 0.5) for number in range(1, 6)}, rows, seed=1)
    return my.Study(model, vary=vary, measure="q5.final", duration=duration, scheme=my.RK4(step=STEP))


def run() -> list[dict[str, Any]]:
    study = study_of(ROWS)
    rows = study.vary
    assert isinstance(rows, my.Rows)
    runner, jobs = Runner(study), [(number, rows[number]) for number in range(ROWS)]
    rollout, loop_of = _mujoco(), _scipy(study.model)
    expected = np.array([row.measures["q5.final"] for row in runner.rows(jobs)])
    for name, values, allowed in (
        ("MuJoCo", rollout(rows.values), 1e-6),
        ("SciPy", np.array([loop_of(rows.values[0])]), 1e-3),
    ):
        worst = np.abs(values - expected[: len(values)]).max()
        if worst > allowed:
            raise AssertionError(f"{name} and we differ by {worst}")
    mine, peer = alternating(lambda: runner.rows(jobs), lambda: rollout(rows.values), repeats=5)
    started = time.perf_counter()
    loop_of(rows.values[0])
    loop = time.perf_counter() - started
    what = "a one-second run of a chain of five, 1 ms"
    return [
        above(f"{what}: runs per core-second", ROWS / mine, "1/s", 5000),
        against(what, mine / ROWS, peer / ROWS, "MuJoCo rollout, RK4", 2),
        against(what, mine / ROWS, loop, "SciPy solve_ivp, RK45 at 1e-6", 20),
        figure("a one-second run of the cyclist, RK4 by 1 ms: runs per core-second", _cyclists(), "1/s"),
        *_with_muscles("a one-second run of the cyclist with muscles, Rosenbrock by 1 ms", _muscle_cyclists()),
        *_with_muscles("a jump up to its take-off, Rosenbrock by 1 ms", _jumps(my.Rosenbrock(step=STEP))),
        *_with_muscles("a jump up to its take-off, RK4 by 1 ms", _jumps(my.RK4(step=STEP))),
        below("what a study adds to marches of 1 ms, table on disk included", 100 * _overhead(), "%", 5),
        above("two processes against one", _speed_up(), "×", 1.9),
    ]


def _mujoco() -> Any:
    import mujoco
    from mujoco import rollout

    opening = ""
    for number in range(5):
        # MuJoCo wants a positive moment about the rod, which does not turn about it.
        opening += (
            f'<body pos="0 {-1.0 if number else 0.0} 0"><joint type="hinge" axis="0 0 1"/>'
            f'<inertial pos="0 -0.5 0" mass="1" diaginertia="{1 / 12!r} 1e-9 {1 / 12!r}"/>'
        )
    xml = (
        '<mujoco><compiler angle="radian" inertiafromgeom="false"/>'
        '<option gravity="0 -9.81 0"><flag contact="disable" constraint="disable"/></option>'
        f"<worldbody>{opening}{'</body>' * 5}</worldbody></mujoco>"
    )
    model = mujoco.MjModel.from_xml_string(xml)
    model.opt.timestep = STEP
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    data, steps = mujoco.MjData(model), round(DURATION / STEP)

    def last(angles: Any) -> Any:
        start = np.hstack([np.zeros((len(angles), 1)), angles, np.zeros_like(angles)])
        states, _ = rollout.rollout(model, data, start, nstep=steps)
        return states[:, -1, 5]

    return last


def _scipy(model: my.Model) -> Any:
    from scipy.integrate import solve_ivp

    equations = my.equations_of(model)

    def last(angles: Any) -> float:
        start = np.concatenate([angles, np.zeros(5)])
        found = solve_ivp(lambda _, x: equations.derivative(x), (0.0, DURATION), start, rtol=1e-6, atol=1e-8)
        return float(found.y[4, -1])

    return last


def _muscle_cyclists() -> my.Study:
    """Return a study of a cyclist whose muscles are excited by other amounts in each row."""
    model = my.load_model("cyclist_one_leg_muscles")
    first, *others = model.muscles
    controls = {first: my.constant(0.2)} | dict.fromkeys(others, my.constant(0.1))
    vary = my.sample({f"control:{first}.value.0": (0.1, 0.5)}, 64, seed=1)
    state = my.equations_of(model).coordinates[-1]
    scheme = my.Rosenbrock(step=STEP)
    return my.Study(model, vary=vary, measure=f"{state}.final", duration=DURATION, controls=controls, scheme=scheme)


def _jumps(scheme: my.Rosenbrock | my.RK4) -> my.Study:
    """Return a study of jumps by onset times, each ended by its take-off."""
    jumper = my.load_model("jumper")
    timing = my.Onsets({name: muscle.default_activation for name, muscle in jumper.muscles.items()})
    return my.Study(
        jumper,
        vary=my.sample(dict.fromkeys(timing.names, (0.0, 0.25)), 64, seed=1),
        measure=["com.position_y.final", "com.velocity_y.final"],
        duration=0.8,
        controls=timing,
        scheme=scheme,
        until=my.falls_through_zero("stance.force_y"),
    )


def _with_muscles(what: str, study: my.Study) -> list[dict[str, Any]]:
    """Return how many rows a core computes in a second, and how many times faster than `simulate` that is."""
    rows = study.vary
    assert isinstance(rows, my.Rows)
    runner, jobs = Runner(study), [(number, rows[number]) for number in range(len(rows))]
    assert runner.side_by_side
    runner.rows(jobs)

    def simulations() -> None:
        for number, values in jobs[:4]:
            runner._alone(number, values)

    mine, alone = alternating(lambda: runner.rows(jobs), simulations, repeats=3)
    return [
        figure(f"{what}: runs per core-second", len(jobs) / mine, "1/s"),
        against(what, mine / len(jobs), alone / 4, "the same rows by simulate", 4),
    ]


def _cyclists() -> float:
    """Return how many runs of a cyclist a core computes in a second."""
    model = my.load_model("cyclist_one_leg")
    vary = my.sample({"control:knee_motor": (-20.0, 20.0)}, 16, seed=1)
    controls = {"knee_motor": 0.0, "hip_motor": 0.0, "ankle_motor": 0.0}
    study = my.Study(
        model, vary=vary, measure="knee.final", duration=DURATION, controls=controls, scheme=my.RK4(step=STEP)
    )
    runner, jobs = Runner(study), [(number, vary[number]) for number in range(16)]
    runner.rows(jobs)
    started = time.perf_counter()
    runner.rows(jobs)
    return len(jobs) / (time.perf_counter() - started)


def _overhead() -> float:
    """Return the time of a study with its table over that of its marches, less one."""
    study = study_of(MANY, LONG)
    together = Runner(study)._together
    assert together is not None
    rows = study.vary
    assert isinstance(rows, my.Rows)
    march = together._march.march
    starts = np.zeros((MANY, march.size))
    starts[:, :5] = rows.values
    numbers, signals = np.zeros((march.lanes, 0)), [together.lean.signals] * march.lanes

    def marches() -> None:
        for first in range(0, MANY, march.lanes):
            march.begin(starts[first : first + march.lanes], numbers, signals)
            march.advance([len(together.lean.stops.times)] * march.lanes)

    def whole() -> None:
        with tempfile.TemporaryDirectory() as folder:
            study.run(out=Path(folder) / "table")

    alone, all_of_it = alternating(marches, whole, repeats=3)
    return all_of_it / alone - 1


def _speed_up() -> float:
    """Return the time of one process over that of two, both under way."""
    study = study_of(6000, 4.0)
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
