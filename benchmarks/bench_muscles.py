"""Arms with 138 muscles and 298 states: equations, steps and real time; growth with the number of muscles; the jump.

The real arm is the Dynamic Arm Simulator, where its numbers lie beside the project; the synthetic one has as many
joints, muscles and states. The paper's step of 3 ms took 2.7 ms (002-7).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from timing import against, alternating, below, figure, seconds

import myodyne as my
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.simulate.marches import march_of

DAS3 = Path(__file__).resolve().parents[1] / "../shared/data/das3/rel2_model.json"
STEP = 0.003  # s, that of van den Bogert et al. (2011)


def _arms() -> dict[str, my.Model]:
    arms = {"synthetic arm": my.synthetic_arm(muscles=138, seed=0)}
    if DAS3.is_file():
        arms["DAS3"] = my.load_model(DAS3)
    return arms


def _equations(name: str, model: my.Model) -> list[dict[str, Any]]:
    eq = my.equations_of(model, compiled=True)
    x, u = eq.state(), np.full(len(eq.controls), 0.1)
    xdot = eq.derivative(x, u)
    rows = 2000
    many = [np.tile(vector, (rows, 1)) for vector in (x, xdot, u)]
    return [
        figure(f"{name}: residual, from Python", 1e6 * seconds(lambda: eq.residual(x, xdot, u), calls=200), "µs"),
        figure(f"{name}: residual, a row in C", 1e6 * seconds(lambda: eq.residual(*many)) / rows, "µs"),
        figure(
            f"{name}: residual and three Jacobians, from Python",
            1e6 * seconds(lambda: (eq.residual(x, xdot, u), eq.jacobians(x, xdot, u)), calls=50),
            "µs",
        ),
        figure(
            f"{name}: residual and three Jacobians, a row in C",
            1e6 * seconds(lambda: (eq.residual(*many), eq.kernel("jacobians")(*many)), repeats=3) / rows,
            "µs",
        ),
    ]


def _steps(name: str, model: my.Model) -> list[dict[str, Any]]:
    """The whole step: called one by one from Python, and many in one call of C."""
    eq = my.equations_of(model, compiled=True)
    u = np.full(len(eq.controls), 0.1)
    stepper = my.stepper(eq, my.Rosenbrock(step=STEP))
    single = seconds(lambda: stepper.step(u), repeats=9, calls=300)
    march = march_of(my.Rosenbrock(step=STEP), eq, PiecewisePolynomial.constant(u))
    state = np.append(eq.state(), 0.0)
    steps = 500
    inside = seconds(lambda: march.advance(0.0, state, np.array([steps * STEP])), repeats=9) / steps
    return [
        below(f"{name}: Rosenbrock step, from Python", 1e6 * single, "µs", 30),
        below(f"{name}: Rosenbrock step, in C", 1e6 * inside, "µs", 10),
        against(f"{name}: steps of 3 ms against real time", single, STEP, "the clock", 100.0),
    ]


_FRESH = """
import sys, time
import myodyne as my
model = my.synthetic_arm(muscles=138, seed=0) if sys.argv[1] == "-" else my.load_model(sys.argv[1])
begun = time.perf_counter()
stepper = my.stepper(model, my.Rosenbrock(step=0.003))
stepper.step([0.1] * len(stepper.controls))
print(time.perf_counter() - begun)
"""


def _starts() -> list[dict[str, Any]]:
    """Compiling everything that a stepper needs, and starting it again from the cache."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "MYODYNE_CACHE": folder}

        def started() -> float:
            command = [sys.executable, "-c", _FRESH, "-"]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            return float(done.stdout)

        cold = started()
        warm = min(started() for _ in range(3))
    return [
        below("synthetic arm: first stepper, compiled", cold, "s", 20),
        below("synthetic arm: stepper from the cache", warm, "s", 0.3),
    ]


def _paced() -> dict[str, Any]:
    """The jumper at 1 kHz against the clock: what a step takes of its millisecond, in all but one of a thousand."""
    stepper = my.stepper(my.load_model("jumper"), my.Rosenbrock(step=0.001), paced=True)
    stepper.step()
    crouched, taken = stepper.save(), []
    for _ in range(5000):
        if stepper["hat.position_y"] < 0.2:
            stepper.restore(crouched)
        stepper.step()
        taken.append(stepper.busy)
    return below("jumper at 1 kHz: 99.9th percentile of a step", 1e3 * float(np.percentile(taken, 99.9)), "ms", 0.2)


def _growth() -> list[dict[str, Any]]:
    counts, times = (10, 30, 100, 300, 1000), []
    for count in counts:
        eq = my.equations_of(my.synthetic_arm(muscles=count, seed=0), compiled=True)
        march = march_of(my.Rosenbrock(step=STEP), eq, PiecewisePolynomial.constant(np.full(count, 0.1)))
        state = np.append(eq.state(), 0.0)
        times.append(seconds(lambda m=march, s=state: m.advance(0.0, s, np.array([200 * STEP])), repeats=5) / 200)
    rows = [figure(f"step with {count} muscles", 1e6 * taken, "µs") for count, taken in zip(counts, times, strict=True)]
    per_muscle = (times[-1] - times[-2]) / (counts[-1] - counts[-2])
    slope = float(np.log(times[-1] / times[-2]) / np.log(counts[-1] / counts[-2]))
    rows.append(figure("each further muscle", 1e6 * per_muscle, "µs"))
    rows.append(below("growth from 300 to 1000 muscles: exponent", slope, "", 1.15))
    return rows


def _jump() -> list[dict[str, Any]]:
    """The jump to 0.25 s, Rosenbrock against an explicit adaptive method, both at the loosest tolerance that does."""
    eq = my.equations_of(my.load_model("jumper"), compiled=True)
    size, bodies = len(eq.coordinates), eq.model.bodies
    controls = PiecewisePolynomial.constant(np.full(len(eq.controls), 0.6))
    start, times = np.append(eq.state(), 0.0), np.array([0.25])

    def angles(state: Any) -> Any:
        return state[:size]

    def apex(state: Any) -> Any:
        """How high (m) the centre of mass would fly from a state."""

        def height(q: Any) -> float:
            turns, places = eq.body_poses(q)
            moments = (
                bodies[name].mass * (places[row] + turns[row] @ np.array(bodies[name].centre_of_mass))[1]
                for row, name in enumerate(eq.bodies)
            )
            return float(sum(moments)) / eq.model.mass

        q, v, step = state[:size], state[size : 2 * size], 1e-5
        speed = (height(q + step * v) - height(q - step * v)) / (2 * step)
        return np.array([height(q) + speed * abs(speed) / (2 * 9.81)])

    def work(family: Any, measure: Any, allowed: float) -> Any:
        tight = march_of(my.Rosenbrock(relative=1e-12, absolute=1e-12), eq, controls)
        exact = measure(tight.advance(0.0, start, times).last_state)
        for tolerance in 10.0 ** -np.arange(2.0, 12.0, 0.5):
            march = march_of(family(relative=tolerance, absolute=tolerance), eq, controls)

            def run(march: Any = march) -> Any:
                march.reset()
                return march.advance(0.0, start, times).last_state

            if np.max(np.abs(measure(run()) - exact)) < allowed:
                return run
        raise AssertionError(f"{family.__name__} does not reach an error of {allowed:g}")

    cases = [("to 1e-5 rad", angles, 1e-5), ("to 0.1 % of the height of flight", apex, 1.4e-3)]
    return [
        against(
            f"jump, 0.25 s {title}",
            *alternating(work(my.Rosenbrock, measure, allowed), work(my.RKF45, measure, allowed)),
            "RKF45",
            1.0,
        )
        for title, measure, allowed in cases
    ]


def run() -> list[dict[str, Any]]:
    """Return the rows of this benchmark."""
    rows: list[dict[str, Any]] = []
    for name, model in _arms().items():
        rows += _equations(name, model) + _steps(name, model)
    return [*rows, *_starts(), *_growth(), *_jump(), _paced()]
