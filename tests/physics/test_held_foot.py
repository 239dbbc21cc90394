"""A rolling foot held on the ground by a force at its ankle that a boundary-value problem finds.

Selbie 1989, §2.1.2 and 3.4. The foot is free; the problem asks that the point of contact of its arc neither slips nor leaves the ground, and the two
components of a force at the ankle are its unknowns. Newton's equations of that foot, derived here on their own, are
integrated by SciPy.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import myodyne as my

RADIUS, ANKLE, MASS, INERTIA, GRAVITY = 0.3, 0.22, 1.1, 0.009, 9.81
# The centre of mass from the ankle (m), and the first turn and speed of the foot.
OFFSET, TURN, SPEED, DURATION = np.array([0.01, -0.005]), 0.3, -2.0, 0.3


def held_foot() -> my.Model:
    pushes = {
        f"ankle_{axis}": my.PointActuator(body="foot", at=(0.0, 0.0, 0.0), direction=axis, gain=10.0) for axis in "xy"
    }
    return my.Model(
        name="held_foot",
        gravity=(0.0, -GRAVITY, 0.0),
        bodies={"foot": my.Body(mass=MASS, centre_of_mass=(*OFFSET, 0.0), inertia=INERTIA)},
        joints={"flight": my.planar("ground", "foot", ("x", "y", "q"))},
        markers={"arc_centre": my.Marker(body="foot", at=(0.0, ANKLE, 0.0))},
        forces=pushes,
    )


def holding(nodes: int) -> my.Problem:
    """Return the problem: the point of contact has no speed at any node."""
    time = np.linspace(0.0, DURATION, 16)
    turn = TURN + SPEED * time
    # A guess that rolls evenly; the ankle starts at x = 0.
    columns = {
        "q": turn,
        "x": -RADIUS * (turn - TURN) + ANKLE * (np.sin(turn) - np.sin(TURN)),
        "y": RADIUS - ANKLE * np.cos(turn),
        "q.speed": np.full(len(time), SPEED),
        "x.speed": SPEED * (ANKLE * np.cos(turn) - RADIUS),
        "y.speed": SPEED * ANKLE * np.sin(turn),
    }
    units = {"q": "rad", "x": "m", "y": "m", "q.speed": "rad/s", "x.speed": "m/s", "y.speed": "m/s"}
    stays = my.CustomCondition(range=0.0, label="stays", always=lambda at: at["arc_centre.velocity_y"])
    still = my.CustomCondition(
        range=0.0, label="still", always=lambda at: at["arc_centre.velocity_x"] + RADIUS * at["q.speed"]
    )
    first = {name: float(columns[name][0]) for name in ("q", "x", "y", "q.speed")}
    return my.Problem(
        held_foot(),
        duration=DURATION,
        goals=[my.Effort(of="controls", exponent=2, weight=1e-6)],
        conditions=[my.Start(first), still, stays],
        scheme=my.Midpoint(),
        nodes=nodes,
        guess=my.Trajectory(time, columns, units),
    )


def newton(turn: np.ndarray, speed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return angular acceleration, and the force at the ankle (2, ...), of a foot that rolls under that force alone.

    With the arc's centre C, dC/dt = (-R w, 0), d from C to the centre of mass, c from the ankle to it:
    a = (-R α, 0) + α ẑ×d - w² d, F = m (a + g ŷ), I α = -c × F.
    """

    def turned(vector: np.ndarray) -> np.ndarray:
        cosine, sine = np.cos(turn), np.sin(turn)
        return np.stack([cosine * vector[0] - sine * vector[1], sine * vector[0] + cosine * vector[1]])

    def cross(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return one[0] * other[1] - one[1] * other[0]

    arm, c = turned(OFFSET - [0.0, ANKLE]), turned(OFFSET)
    by_acceleration = np.stack([-RADIUS - arm[1], arm[0]])
    rest = -(speed**2) * arm + np.stack([0.0 * turn, 0.0 * turn + GRAVITY])
    acceleration = -MASS * cross(c, rest) / (INERTIA + MASS * cross(c, by_acceleration))
    return acceleration, MASS * (by_acceleration * acceleration + rest)


@pytest.fixture(scope="module")
def solutions() -> dict[int, my.Solution]:
    return {nodes: my.solve(holding(nodes), nodes=[nodes], audit=False) for nodes in (16, 31)}


def exact(times: np.ndarray) -> np.ndarray:
    found = solve_ivp(
        lambda _, y: [y[1], newton(y[0], y[1])[0]],
        (0.0, DURATION),
        [TURN, SPEED],
        "DOP853",
        times,
        rtol=1e-12,
        atol=1e-12,
    )
    return np.asarray(found.y)


def test_the_contact_stays_and_the_foot_turns_as_newton_says(solutions: dict[int, my.Solution]) -> None:
    """004, 2.1.2: angles by the scheme's second order, and a contact that is where the arc has rolled to."""
    errors, drifts = {}, {}
    for nodes, found in solutions.items():
        errors[nodes] = np.abs(found.values("q") - exact(found.time)[0]).max()
        up = found.values("arc_centre.position_y") - RADIUS
        along = found.values("arc_centre.position_x") + RADIUS * found.values("q")
        drifts[nodes] = max(np.abs(up).max(), np.ptp(along))
    assert errors[31] < 3e-4 and drifts[31] < 1e-4
    assert errors[16] / errors[31] == pytest.approx(4.0, rel=0.2)
    assert drifts[16] / drifts[31] == pytest.approx(4.0, rel=0.2)


def test_the_force_at_the_ankle_is_that_of_newton(solutions: dict[int, my.Solution]) -> None:
    """3.4: the force that acts over a step, the mean of its ends, is that of the closed form half way."""
    found = solutions[31]
    middle = (found.time[1:] + found.time[:-1]) / 2
    _, force = newton(*exact(middle))
    for number, axis in enumerate("xy"):
        ends = found.values(f"ankle_{axis}.force")
        np.testing.assert_allclose((ends[1:] + ends[:-1]) / 2, force[number], atol=0.01)
