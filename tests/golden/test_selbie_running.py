"""The twelve-segment runner of Selbie 1989, appendices H and I, with the corrections of the errata.

Each equation is written here as the thesis prints it, in its own variables: absolute angles that count
counter-clockwise, segments that point down (foot, swing leg, arms: sign +) or up (stance shank and thigh, trunk, head:
sign -), ``mhl`` as printed. Segment numbers are those of its arrays: 0 stance foot, 1 shank, 2 thigh, 3-5 the other
thigh, shank and foot, 6 trunk, 7-8 and 9-10 arms, 11 head. Corrected are signs of the prose in F_q4 ... F_q12 (each term
has the product of the two segments' signs), in App. I gravity, the missing Rad q1'² sin q1 and the wrong q1'² sin q_k.
Segment parameters are printed nowhere: these are drawn at random.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import myodyne as my

NAMES = (
    *[
        "foot",
        "shank",
        "thigh",
        "thigh_2",
        "shank_2",
        "foot_2",
        "trunk",
        "arm",
        "forearm",
        "arm_2",
        "forearm_2",
        "head",
    ],
)
SIGN = np.array([1, -1, -1, 1, 1, 1, -1, 1, 1, 1, 1, -1])
# What hangs on each segment, farther from the stance ankle; of the foot nothing does.
BEYOND = {1: range(2, 12), 2: range(3, 12), 3: (4, 5), 4: (5,), 6: range(7, 12), 7: (8,), 9: (10,)}
GRAVITY = 9.81
RADIUS, TO_CENTRE, ANCHOR = 0.31, 0.23, 0.4

rng = np.random.default_rng(1989)
MASS, INERTIA = rng.uniform(0.5, 9.0, 12), rng.uniform(0.01, 0.9, 12)
CENTRE, LENGTH = rng.uniform(0.05, 0.3, 12), rng.uniform(0.3, 0.6, 12)
# Appendices G and I put the centre of mass of the stance foot into the ankle.
ROLLING_CENTRE = np.concatenate([[0.0], CENTRE[1:]])


def runner(centre: np.ndarray, rolling: bool) -> my.Model:
    """Return the same runner as a tree that begins at the hips, all frames upright."""
    # The tree meets the stance leg from above: its centres of mass, seen from the upper end.
    above = {1: LENGTH[1] - centre[1], 2: LENGTH[2] - centre[2]}
    bodies = {}
    for number, name in enumerate(NAMES):
        height = -above[number] if number in above else -SIGN[number] * centre[number]
        bodies[name] = my.Body(mass=MASS[number], centre_of_mass=(0.0, height, 0.0), inertia=INERTIA[number])
    places = {
        "thigh": ("trunk", 0.0), "shank": ("thigh", -LENGTH[2]), "foot": ("shank", -LENGTH[1]),
        "thigh_2": ("trunk", 0.0), "shank_2": ("thigh_2", -LENGTH[3]), "foot_2": ("shank_2", -LENGTH[4]),
        "arm": ("trunk", LENGTH[6]), "forearm": ("arm", -LENGTH[7]),
        "arm_2": ("trunk", LENGTH[6]), "forearm_2": ("arm_2", -LENGTH[9]), "head": ("trunk", LENGTH[6]),
    }  # fmt: skip
    joints = {"hips": my.planar("ground", "trunk", ("hip_x", "hip_y", "tilt"))}
    for child, (parent, height) in places.items():
        joints[f"to_{child}"] = my.pin({"body": parent, "at": (0.0, height, 0.0)}, child, f"{child}_angle", "z")
    roll = my.RollingConstraint(body="foot", at=(0.0, TO_CENTRE, 0.0), radius=RADIUS, anchor=ANCHOR)
    return my.Model(
        name="selbie",
        gravity=(0.0, -GRAVITY, 0.0),
        bodies=bodies,
        joints=joints,
        constraints={"roll": roll} if rolling else {},
    )


def tree_coordinates(equations: my.Equations, ankle: ca.SX, turns: ca.SX) -> ca.SX:
    """Return the coordinates of the tree as functions of the stance ankle and the absolute angles."""
    number = {name: place for place, name in enumerate(NAMES)}
    hip = ankle
    for segment in (1, 2):
        hip = hip + LENGTH[segment] * ca.vertcat(-ca.sin(turns[segment]), ca.cos(turns[segment]))
    values = {"hip_x": hip[0], "hip_y": hip[1], "tilt": turns[6]}
    for joint in equations.model.joints.values():
        child, parent = joint.child.body, joint.parent.body
        if parent != "ground":
            values[f"{child}_angle"] = turns[number[child]] - turns[number[parent]]
    return ca.vertcat(*(values[name] for name in equations.coordinates))


class Changed:
    """The tree's equations in other coordinates Q: forces Jᵀτ, with v = J Q' and v' = J Q'' + J' Q'."""

    def __init__(self, equations: my.Equations, free: ca.SX, tree: ca.SX) -> None:
        self.equations = equations
        rates = ca.SX.sym("rates", free.numel())
        jacobian = ca.jacobian(tree, free)
        bend = ca.jacobian(jacobian @ rates, free) @ rates
        self._parts = ca.Function("parts", [free, rates], [tree, jacobian, bend])

    def parts(self, place: np.ndarray, speed: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        q, jacobian, bend = (np.array(part) for part in self._parts(place, speed))
        return q.ravel(), jacobian, bend.ravel()

    def mass(self, place: np.ndarray) -> np.ndarray:
        q, jacobian, _ = self.parts(place, 0 * place)
        return jacobian.T @ self.equations.mass_matrix(q) @ jacobian

    def force(self, place: np.ndarray, speed: np.ndarray, rate: np.ndarray) -> np.ndarray:
        q, jacobian, bend = self.parts(place, speed)
        return jacobian.T @ self.equations.inverse_dynamics(q, jacobian @ speed, jacobian @ rate + bend)


@pytest.fixture(scope="module")
def flight() -> Changed:
    equations = my.equations_of(runner(CENTRE, rolling=False), compiled=False)
    free = ca.SX.sym("Q", 14)
    return Changed(equations, free, tree_coordinates(equations, free[:2], free[2:]))


@pytest.fixture(scope="module")
def stance() -> Changed:
    equations = my.equations_of(runner(ROLLING_CENTRE, rolling=True), compiled=False)
    turns = ca.SX.sym("Q", 12)
    # The contact travels by -Rad q1, and the ankle hangs below the centre of the arc.
    ankle = ca.vertcat(ANCHOR - RADIUS * turns[0] + TO_CENTRE * ca.sin(turns[0]), RADIUS - TO_CENTRE * ca.cos(turns[0]))
    return Changed(equations, turns, tree_coordinates(equations, ankle, turns))


def first_moments(centre: np.ndarray) -> np.ndarray:
    """Return mhl[20] to mhl[31]: mass times distance of each segment, with all that it carries at its end."""
    return np.array([MASS[i] * centre[i] + sum(MASS[j] for j in BEYOND.get(i, ())) * LENGTH[i] for i in range(12)])


def second_moments(centre: np.ndarray) -> np.ndarray:
    """Return mhl[40] to mhl[51]."""
    carried = np.array([sum(MASS[j] for j in BEYOND.get(i, ())) for i in range(12)])
    return INERTIA + MASS * centre**2 + carried * LENGTH**2


def chain(i: int, q: np.ndarray, w: np.ndarray, a: np.ndarray, moments: np.ndarray) -> float:
    """Return the terms of F_q(i) from other segments, as in both appendices."""
    total = 0.0
    for j in BEYOND.get(i, ()):
        turn = a[j] * np.cos(q[j] - q[i]) - w[j] ** 2 * np.sin(q[j] - q[i])
        total += SIGN[i] * SIGN[j] * LENGTH[i] * moments[j] * turn
    for k, beyond in BEYOND.items():
        if i in beyond:
            turn = a[k] * np.cos(q[i] - q[k]) + w[k] ** 2 * np.sin(q[i] - q[k])
            total += SIGN[i] * SIGN[k] * LENGTH[k] * moments[i] * turn
    return total


def appendix_h(place: np.ndarray, speed: np.ndarray, rate: np.ndarray, gravity: float = GRAVITY) -> np.ndarray:
    """Return F_x, F_y and F_q1 to F_q12 of App. H."""
    q, w, a = place[2:], speed[2:], rate[2:]
    moments, inertias = first_moments(CENTRE), second_moments(CENTRE)
    x, y = rate[0], rate[1] + gravity
    swing = SIGN * moments
    forces = [
        np.sum(MASS) * x + swing @ (a * np.cos(q) - w**2 * np.sin(q)),
        np.sum(MASS) * y + swing @ (a * np.sin(q) + w**2 * np.cos(q)),
    ]
    for i in range(12):
        own = inertias[i] * a[i] + swing[i] * (x * np.cos(q[i]) + y * np.sin(q[i]))
        forces.append(own + chain(i, q, w, a, moments))
    return np.array(forces)


def appendix_i(q: np.ndarray, w: np.ndarray, a: np.ndarray, gravity: float = GRAVITY) -> np.ndarray:
    """Return F_q1 to F_q12 of App. I, of which Rad is the radius and R[0] the distance from ankle to arc centre."""
    moments, inertias = first_moments(ROLLING_CENTRE), second_moments(ROLLING_CENTRE)
    total = np.sum(MASS)
    foot = INERTIA[0] + total * (RADIUS**2 + TO_CENTRE**2) - 2 * total * TO_CENTRE * RADIUS * np.cos(q[0])
    first = foot * a[0] + total * TO_CENTRE * (gravity + RADIUS * w[0] ** 2) * np.sin(q[0])
    forces = []
    for k in range(1, 12):
        carried = RADIUS * (a[k] * np.cos(q[k]) - w[k] ** 2 * np.sin(q[k]))
        carried -= TO_CENTRE * (a[k] * np.cos(q[k] - q[0]) - w[k] ** 2 * np.sin(q[k] - q[0]))
        first -= SIGN[k] * moments[k] * carried
        moved = RADIUS * a[0] * np.cos(q[k])
        moved -= TO_CENTRE * (a[0] * np.cos(q[k] - q[0]) + w[0] ** 2 * np.sin(q[k] - q[0]))
        own = inertias[k] * a[k] - SIGN[k] * moments[k] * (moved - gravity * np.sin(q[k]))
        forces.append(own + chain(k, q, w, a, moments))
    return np.array([first, *forces])


def states(count: int, size: int) -> np.ndarray:
    return np.random.default_rng(12).uniform(-1.5, 1.5, (count, 3, size))


def test_004_18_the_runner_in_flight_has_the_mass_matrix_of_appendix_h(flight: Changed) -> None:
    """004-18: twelve segments, 14 degrees of freedom, 28 states, 120 entries."""
    assert len(flight.equations.coordinates) == 14
    assert len(flight.equations.motion) == 28
    for place, _, _ in states(10, 14):
        still = np.zeros(14)
        printed = np.stack([appendix_h(place, still, unit, gravity=0.0) for unit in np.eye(14)], axis=1)
        assert np.count_nonzero(printed) == 120
        found = flight.mass(place)
        np.testing.assert_allclose(found, printed, atol=1e-10)
        assert np.count_nonzero(np.abs(found) > 1e-10) == 120


def test_004_18_the_runner_in_flight_obeys_appendix_h(flight: Changed) -> None:
    """004-18: all fourteen equations with their squares of speeds and gravity."""
    for place, speed, rate in states(10, 14):
        np.testing.assert_allclose(flight.force(place, speed, rate), appendix_h(place, speed, rate), atol=1e-10)


def test_004_19_the_rolling_runner_has_the_mass_matrix_of_appendix_i(stance: Changed) -> None:
    """004-19: a rolling foot leaves 12 degrees of freedom, 24 states; its rows let exactly those motions pass."""
    for place, _, _ in states(10, 12):
        still = np.zeros(12)
        printed = np.stack([appendix_i(place, still, unit, gravity=0.0) for unit in np.eye(12)], axis=1)
        np.testing.assert_allclose(stance.mass(place), printed, atol=1e-10)
        np.testing.assert_allclose(printed, printed.T, atol=1e-12)
        q, jacobian, _ = stance.parts(place, still)
        error, _, rows = stance.equations.constraint_errors(q, np.zeros(14))
        assert rows.shape == (2, 14)
        np.testing.assert_allclose(error, 0.0, atol=1e-13)
        np.testing.assert_allclose(rows @ jacobian, 0.0, atol=1e-13)
        assert np.linalg.matrix_rank(jacobian) == 12


def test_004_19_the_rolling_runner_obeys_appendix_i(stance: Changed) -> None:
    """004-19: all twelve equations with their squares of speeds and gravity."""
    for place, speed, rate in states(10, 12):
        np.testing.assert_allclose(stance.force(place, speed, rate), appendix_i(place, speed, rate), atol=1e-10)


def test_004_19_accelerations_under_multipliers_are_those_of_appendix_i(stance: Changed) -> None:
    """004-19: the constraint that is kept moves the tree as the twelve equations say, without a force on any joint."""
    for place, speed, _ in states(5, 12):
        still = np.zeros(12)
        mass = np.stack([appendix_i(place, still, unit, gravity=0.0) for unit in np.eye(12)], axis=1)
        wanted = np.linalg.solve(mass, -appendix_i(place, speed, still))
        q, jacobian, bend = stance.parts(place, speed)
        found = stance.equations.forward_dynamics(q, jacobian @ speed, np.zeros(14))
        np.testing.assert_allclose(found, jacobian @ wanted + bend, rtol=1e-8, atol=1e-8)
