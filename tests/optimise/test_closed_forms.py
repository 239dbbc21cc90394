"""Problems whose solutions are known in closed form, and the orders of the schemes."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq

import myodyne as my
from support.small_problems import bead, block

TIGHT = my.Settings(tolerance=1e-10)
SCHEMES = [
    my.BackwardEuler(),
    my.Midpoint(),
    my.Trapezoid(),
    my.HermiteSimpson(),
    my.Radau(degree=2),
    my.Radau(degree=3),
    my.Radau(degree=4),
    my.Radau(degree=5),
]


def test_a_mass_goes_its_way_in_the_shortest_time() -> None:
    """Half the way at full force forward, half at full force backward: 0.4 s, the nearer the finer the mesh."""
    problem = my.load_problem("sliding_mass")
    assert isinstance(problem, my.Problem)
    errors = []
    for nodes in (12, 32, 102):  # an odd number of intervals: the switch lies within one
        solution = my.solve(problem, my.Midpoint(), nodes=[nodes], settings=TIGHT, audit=False)
        assert solution.report.optimum is not None
        errors.append(abs(solution.report.optimum.duration - 0.4))
    assert errors[0] > errors[1] > errors[2]
    exact = my.solve(problem, my.Radau(degree=3), nodes=21, settings=TIGHT)
    optimum = exact.report.optimum
    assert optimum is not None
    assert optimum.duration == pytest.approx(0.4, abs=1e-6)
    assert exact.values("push.control")[1:9] == pytest.approx(1.0, abs=1e-4)
    assert exact.values("push.control")[12:20] == pytest.approx(-1.0, abs=1e-4)
    assert optimum.replay is not None
    assert optimum.replay < 1e-6


def test_a_bead_falls_along_the_cycloid() -> None:
    """The brachistochrone: forces that do no work bend the way; the time is that of Bernoulli's cycloid."""
    across, down, gravity = 1.0, 0.6, 9.81
    angle = brentq(lambda a: (1 - np.cos(a)) / (a - np.sin(a)) - down / across, 0.1, 6.0)
    radius = down / (1 - np.cos(angle))
    shortest = angle * np.sqrt(radius / gravity)
    no_work = my.CustomCondition(
        range=0.0,
        label="no work",
        always=lambda at: at["push_x.control"] * at["x.speed"] + at["push_y.control"] * at["y.speed"],
    )
    time = np.linspace(0.0, 0.6, 13)
    guess = my.Trajectory(time, {"x": across * (time / 0.6) ** 2, "y": -down * (time / 0.6) ** 2})
    problem = my.Problem(
        bead(),
        duration=(0.2, 2.0),
        goals=[my.FinalTime()],
        conditions=[
            my.Start({"x": 0.0, "y": 0.0, "x.speed": 0.0, "y.speed": 0.0}),
            my.End({"x": across, "y": -down}),
            no_work,
        ],
    )
    solution = my.solve(problem, my.Radau(degree=4), nodes=[41], guess=guess, settings=TIGHT, audit=False)
    assert solution.report.optimum is not None
    assert solution.report.optimum.duration == pytest.approx(shortest, abs=1e-6)


def test_a_linear_quadratic_problem() -> None:
    """Squared distance and squared force: the optimum follows from a matrix exponential."""
    mass, gain, duration = 2.0, 50.0, 0.8
    zero = my.Trajectory([0.0, duration], {"way": [0.0, 0.0]})
    problem = my.Problem(
        block(),
        duration=duration,
        goals=[my.Track(zero, deviations=0.1, summed=True), my.Effort(of="controls", summed=True, weight=3.0)],
        conditions=[my.Start({"way": 0.2, "way.speed": -0.4})],
    )
    # States, then costates: p' = -dL/dx; u = -gain/mass * p_v / (2 * 3) stays within its bounds here.
    k = gain / mass
    system = np.array(
        [
            [0, 1, 0, 0],
            [0, 0, 0, -k * k / 6.0],
            [-2 / 0.01, 0, 0, 0],
            [0, 0, -1, 0],
        ]
    )
    whole = expm(system * duration)
    start = np.array([0.2, -0.4])
    costate = np.linalg.solve(whole[2:, 2:], -whole[2:, :2] @ start)
    best = float(0.5 * costate @ start)
    solution = my.solve(problem, my.Radau(degree=5), nodes=[11], settings=TIGHT, audit=False)
    assert solution.report.optimum is not None
    assert np.abs(solution.values("push.control")).max() < 1.0
    assert solution.report.optimum.objective == pytest.approx(best, abs=1e-6)
    times = solution.time
    expected = np.array([(expm(system * t) @ np.concatenate([start, costate]))[0] for t in times])
    assert solution.values("way") == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_the_order_of_each_scheme(scheme: object) -> None:
    """A pendulum that nothing drives: the error at the end falls as the interval to the order of the scheme."""
    pendulum = my.load_model("pendulum")
    problem = my.Problem(pendulum, duration=2.0, conditions=[my.Start({"angle": 1.0, "angle.speed": 0.0})])
    eq = my.equations_of(pendulum)
    true = solve_ivp(lambda _, x: eq.derivative(x), (0.0, 2.0), [1.0, 0.0], rtol=1e-13, atol=1e-14, method="DOP853").y[
        :, -1
    ]
    order = scheme.order  # type: ignore[attr-defined]
    few = {1: 401, 2: 81, 3: 21, 4: 21, 5: 13, 7: 9, 9: 6}[order]
    errors = []
    for nodes in (few, 2 * few - 1):
        time = np.linspace(0.0, 2.0, 51)
        run = my.simulate(pendulum, 2.0, start={"angle": 1.0}, every=0.04)
        guess = my.Trajectory(time, {"angle": np.interp(time, run.time, run.values("angle"))})
        solution = my.solve(
            problem, scheme, nodes=[nodes], guess=guess, settings=my.Settings(tolerance=1e-13), audit=False
        )
        errors.append(abs(np.array([solution.final["angle"], solution.final["angle.speed"]]) - true).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)
