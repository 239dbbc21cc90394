"""Chains as tools: tables, least squares and minimum norm by name, and chains as models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.equations import equations_of
from myodyne.errors import MyodyneError, SolveError

ne = my.newton_euler


def leg() -> ne.Chain:
    segments = [
        ne.Segment("thigh", length=0.43, centre=0.19, mass=7.5, inertia=0.14, offset=0.01),
        ne.Segment("shank", length=0.44, centre=0.2, mass=3.5, inertia=0.06),
        ne.Segment("foot", length=0.2, centre=0.1, mass=1.0, inertia=0.005),
    ]
    return ne.Chain(segments, joints=["hip", "knee", "ankle", "toe"])


MOTION = ne.Motion(angles=[-1.2, -1.9, -0.4], rates=[1.0, -2.0, 0.5], base=(0.1, 0.9), base_velocity=(0.3, -0.2))


def test_least_squares_of_more_equations_than_unknowns_finds_the_truth_and_spreads_noise() -> None:
    """All motion and the moment of the hip measured: eight unknowns from nine equations."""
    chain = leg()
    truth = ne.solve(chain, MOTION, ne.weight(chain), ne.forward_unknowns(chain))
    forces = [f"{joint}.reaction_force_{axis}" for joint in ("hip", "knee", "ankle") for axis in "xy"]
    fewer = [*forces, "knee.moment", "ankle.moment"]
    known = {name: truth[name] for name in ne.variable_names(chain) if name not in fewer}
    found = ne.solve(chain, MOTION, known, fewer, method="least_squares")
    for name in fewer:
        assert found[name] == pytest.approx(truth[name], abs=1e-9)
    assert found.residual == pytest.approx(np.zeros(9), abs=1e-9)
    known["foot.angular_acceleration"] += 1.0
    noisy = ne.solve(chain, MOTION, known, fewer, method="least_squares")
    assert np.abs(noisy.residual).max() > 1e-4
    # Any other choice of an unknown makes the sum of squares larger.
    base = float(noisy.residual @ noisy.residual)
    for name in fewer:
        exactly = {**known, **{other: noisy[other] for other in fewer}, name: noisy[name] + 1e-3}
        system, right = ne.system_of(ne.Pose(chain, MOTION))
        values = np.zeros(7 * chain.size + 5)
        for key, value in exactly.items():
            values[ne.variable_index(chain, key)] = value
        residual = system @ values - right
        assert float(residual @ residual) > base


def test_minimum_norm_shares_a_load_between_two_contacts() -> None:
    """A beam on two equal supports: each carries half of its weight (8.0.1-6 has too many unknowns to be solved)."""
    beam = ne.Chain([ne.Segment("beam", length=2.0, centre=1.0, mass=5.0, inertia=1.0)], joints=["left", "right"])
    unknown = [f"{joint}.reaction_force_{axis}" for joint in ("left", "right") for axis in "xy"]
    with pytest.raises(SolveError):
        ne.solve(beam, ne.Motion([0.0]), ne.weight(beam), unknown)
    found = ne.solve(beam, ne.Motion([0.0]), ne.weight(beam), unknown, method="minimum_norm")
    # The force of the last joint acts on the environment, hence its sign.
    assert found["left.reaction_force_y"] == pytest.approx(5.0 * 9.81 / 2)
    assert found["right.reaction_force_y"] == pytest.approx(-5.0 * 9.81 / 2)
    assert found["left.reaction_force_x"] == pytest.approx(0.0, abs=1e-12)


def test_what_stays_open_is_refused_by_name() -> None:
    chain = leg()
    with pytest.raises(SolveError, match="unknown method 'best'"):
        ne.solve(chain, MOTION, ne.weight(chain), ne.forward_unknowns(chain), method="best")
    rod = ne.Chain([ne.Segment("rod", 1.0, 0.5, 1.0, 0.1)])
    along = ["joint1.reaction_force_x", "rod.external_force_x", "base.acceleration_x"]
    with pytest.raises(SolveError, match="least squares needs 3 independent unknowns, but the system has rank 2"):
        ne.solve(rod, ne.Motion([0.3]), {}, along, method="least_squares")


@pytest.mark.parametrize("free_base", [False, True])
def test_a_chain_becomes_a_model_that_accelerates_alike(free_base: bool) -> None:
    chain = leg()
    motion = MOTION if free_base else ne.Motion(MOTION.angles, MOTION.rates, MOTION.base)
    moments = {"hip.moment": 20.0, "knee.moment": -8.0, "ankle.moment": 3.0}
    known = ne.added(ne.weight(chain), moments)
    solved = ne.solve(chain, motion, known, ne.forward_unknowns(chain, free_base=free_base))
    model = ne.to_model(chain, motion, free_base=free_base)
    equations = equations_of(model, compiled=False)
    q = [model.coordinates[name].default for name in equations.coordinates]
    v = [model.coordinates[name].default_speed for name in equations.coordinates]
    tau = [moments.get(name.replace("_angle", ".moment"), 0.0) for name in equations.coordinates]
    found = dict(zip(equations.coordinates, equations.forward_dynamics(q, v, tau), strict=True))
    turns = np.diff(solved.angular_accelerations, prepend=0.0)
    assert [found[f"{joint}_angle"] for joint in chain.joints[:-1]] == pytest.approx(turns, rel=1e-9)
    if free_base:
        assert [found["base_x"], found["base_y"]] == pytest.approx(solved.base_acceleration, rel=1e-9)
    # And back: the chain of that model has the same inertia.
    again = ne.chain_of(model, end="toe")
    assert again.mass_matrix(q) == pytest.approx(equations.mass_matrix(q), abs=1e-12)


def test_errors_say_what_to_do() -> None:
    chain = leg()
    with pytest.raises(MyodyneError, match=r"not a Chain; simulate a model first \(my.newton_euler.to_model"):
        my.plot(chain)
    with pytest.raises(MyodyneError, match="several independent coordinates go into one list"):
        my.embed(my.load_model("cyclist_one_leg"), "crank", "ankle")
    with pytest.raises(MyodyneError, match="set free_base=True"):
        ne.to_model(chain, MOTION)


def test_a_stack_of_instants_is_not_a_table() -> None:
    rod = ne.Chain([ne.Segment("rod", 1.0, 0.5, 1.0, 0.1)])
    fall = ne.solve(rod, ne.Motion([[0.0], [0.3]]), ne.weight(rod), ne.forward_unknowns(rod))
    assert "at 2 instants" in str(fall)


@pytest.mark.parametrize("kind", ["held point", "guided point", "steady angle", "first angle", "stiff joint"])
def test_rows_of_a_chain_become_constraints_of_its_model(kind: str) -> None:
    """The model accelerates as the chain with its rows does, from a start that meets them."""
    chain = leg()
    rates = {
        # The toe stands still where the three arms turn against each other.
        "held point": _still_toe(chain),
        "guided point": _still_toe(chain),
        "steady angle": [0.7, -0.4, 0.0],
        "first angle": [1.3, -0.4, 0.6],
        "stiff joint": [1.3, 0.8, -0.3],
    }[kind]
    rows = {
        "held point": [ne.PointAcceleration("toe")],
        "guided point": [ne.PointAcceleration("toe", x=None)],
        "steady angle": [ne.AngularAcceleration("foot")],
        "first angle": [ne.AngularAcceleration("thigh")],
        "stiff joint": [ne.EqualAngularAccelerations("thigh", "shank")],
    }[kind]
    start = ne.Motion([-1.2, -1.9, -0.3], rates)
    found = ne.solve(chain, start, ne.weight(chain), ne.forward_unknowns(chain), rows)
    wanted = np.diff([found[f"{name}.angular_acceleration"] for name in chain.names], prepend=0.0)
    equations = my.equations_of(ne.to_model(chain, start, constraints=rows), compiled=False)
    state = equations.state()
    q, v = state[:3], state[3:6]
    gap, drift, _ = equations.constraint_errors(q, v)
    assert np.abs(np.concatenate([gap, drift])).max() < 1e-12
    np.testing.assert_allclose(equations.forward_dynamics(q, v, np.zeros(3)), wanted, rtol=1e-9, atol=1e-9)


def _still_toe(chain: Any) -> Any:
    from myodyne.formulations.newton_euler.chain import Pose, turned

    arms = turned(Pose(chain, ne.Motion([-1.2, -1.9, -0.3])).arms("toe")).T
    return np.linalg.svd(arms)[2][-1]


@pytest.mark.parametrize(
    "row, message",
    [
        (ne.PointAcceleration("toe", x=1.0), "row 1 of the chain prescribes an acceleration"),
        (ne.AngularAcceleration("foot"), "'foot' turns steadily against the ground"),
        (ne.EqualAngularAccelerations("thigh", "foot"), "which are not neighbours in the chain"),
        (ne.LinearConstraint({"foot.angular_acceleration": 1.0}, 0.0, ["foot.external_moment"]), "is a weighted sum"),
    ],
)
def test_rows_without_a_counterpart_are_refused_by_name(row: Any, message: str) -> None:
    with pytest.raises(my.ModelError, match=message):
        ne.to_model(leg(), ne.Motion([-1.2, -1.9, -0.3], [0.0, 0.0, 0.5]), constraints=[row])


def test_drag_grows_with_the_square_of_the_speed() -> None:
    """A rod that flies without weight: v' = -c v² / m."""
    rod = ne.Chain([ne.Segment("rod", 1.0, 0.5, 2.0, 0.1)])
    for speed in (1.0, 3.0):
        flying = ne.Motion([0.4], base_velocity=(0.6 * speed, -0.8 * speed))
        found = ne.solve(rod, flying, ne.drag(rod, flying, {"rod": 0.2}), ne.forward_unknowns(rod, True))
        expected = -0.2 * speed**2 / 2.0 * np.array([0.6, -0.8])
        np.testing.assert_allclose(found.base_acceleration, expected, rtol=1e-12)
