"""Ground forces shared by contacts: balance, the least norm, pushing alone, one plate measured (003: 8.0.1, 6)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import myodyne as my

AXES = ("x", "y", "turn")
TIME = np.arange(12) / 50


def block(centre: float = 0.0) -> my.Model:
    return my.Model(
        name="block",
        gravity=(0.0, -9.81, 0.0),
        bodies={"block": my.Body(mass=5.0, centre_of_mass=(centre, 0.0, 0.0), inertia=1.0)},
        joints={"place": my.planar("ground", "block", AXES)},
    )


def points(*places: float) -> dict[str, my.Marker]:
    return {f"p{k}": my.Marker(body="block", at=(x, 0.0, 0.0)) for k, x in enumerate(places)}


def moving() -> my.Trajectory:
    return my.Trajectory(TIME, {name: 0.3 * np.sin((k + 2) * TIME) for k, name in enumerate(AXES)})


def still() -> my.Trajectory:
    return my.Trajectory(TIME, dict.fromkeys(AXES, 0.0 * TIME))


def test_a_beam_on_two_supports_as_by_newton_and_euler() -> None:
    """The chain's own minimum norm is an independent derivation."""
    ne = my.newton_euler
    beam = ne.Chain([ne.Segment("beam", length=2.0, centre=0.7, mass=5.0, inertia=1.0)], joints=["left", "right"])
    supports = [f"{joint}.reaction_force_{axis}" for joint in ("left", "right") for axis in "xy"]
    tilted = ne.Motion([0.3], rates=[1.5])
    # The base accelerates, so that both supports have forces along x.
    known = ne.weight(beam) | {"base.acceleration_x": 2.0, "base.acceleration_y": 1.0, "beam.angular_acceleration": 0.8}
    by_chain = ne.solve(beam, tilted, known, supports, method="minimum_norm")
    motion = my.Trajectory(
        TIME,
        {"x": TIME**2, "y": 0.5 * TIME**2, "turn": 0.3 + 1.5 * TIME + 0.4 * TIME**2}
        | {"x.speed": 2 * TIME, "y.speed": TIME, "turn.speed": 1.5 + 0.8 * TIME}
        | {"x.acceleration": 0 * TIME + 2, "y.acceleration": 0 * TIME + 1, "turn.acceleration": 0 * TIME + 0.8},
    )
    shared = my.shared_reactions(block(0.7), motion, points(0.0, 2.0))
    for name, joint, sign in (("p0", "left", 1.0), ("p1", "right", -1.0)):
        found = shared[name].at([0.0]).force[0]
        # A joint's reaction acts on the segment distal to it; on the last segment it acts reversed.
        assert found[:2] == pytest.approx([sign * by_chain[f"{joint}.reaction_force_{axis}"] for axis in "xy"])
    assert "minimum norm" in shared.notes[0]


@pytest.mark.parametrize("by", ["minimum_norm", "pushing"])
def test_the_sum_carries_the_motion_and_no_smaller_forces_do(by: Any) -> None:
    model, motion = block(0.1), moving()
    shared = my.shared_reactions(model, motion, points(-0.5, 0.2, 0.9), by=by)
    left = my.inverse_dynamics(model, motion, shared)
    assert max(np.abs(left.values(f"{name}.moment")).max() for name in AXES) < 1e-9
    forces = np.concatenate([force.force[0, :2] for force in shared.at(TIME[:1]).values()])
    rng = np.random.default_rng(3)
    # Any pair of equal and opposite forces that turns nothing may be added; the least norm has no part of it.
    arms = np.array([-0.5, 0.2, 0.9])
    matrix = np.array([np.tile([1, 0], 3), np.tile([0, 1], 3), np.column_stack([0 * arms, arms]).ravel()])
    for step in rng.normal(size=(20, 6)):
        other = step - np.linalg.pinv(matrix) @ (matrix @ step)
        assert abs(forces @ other) < 1e-9


def test_contacts_that_may_only_push() -> None:
    """With the weight above the first contact only that one can carry it; the least norm would pull at the others."""
    model, motion, far = block(), still(), points(0.0, 0.1, 1.0)
    free = my.shared_reactions(model, motion, far)
    assert min(force.force[:, 1].min() for force in free.at(TIME).values()) < -1.0
    pushed = [force.force[0, 1] for force in my.shared_reactions(model, motion, far, by="pushing").at(TIME).values()]
    assert pushed == pytest.approx([5.0 * 9.81, 0.0, 0.0], abs=1e-9)
    between = block(0.03)
    assert my.shared_reactions(between, motion, far)["p2"].at(TIME[:1]).force[0, 1] < 0.0
    pushed = [force.force[0, 1] for force in my.shared_reactions(between, motion, far, by="pushing").at(TIME).values()]
    # Kuhn and Tucker: the third stays at zero, the others balance the weight.
    assert pushed == pytest.approx([0.7 * 49.05, 0.3 * 49.05, 0.0], abs=1e-9)


def test_a_measured_plate_leaves_the_rest() -> None:
    model, motion = block(0.2), moving()
    columns = {
        "fx": 3.0 + 0 * TIME,
        "fy": 20.0 + TIME,
        "fz": 0 * TIME,
        "px": 0 * TIME - 0.5,
        "py": 0 * TIME,
        "pz": 0 * TIME,
    }
    record = my.Trajectory(TIME, columns)
    plate = my.ExternalForce("plate", "block", record, ("fx", "fy", "fz"), ("px", "py", "pz"), point_frame="block")
    known = my.ExternalForces([plate])
    shared = my.shared_reactions(model, motion, points(0.4, 0.8), measured=known)
    both = my.ExternalForces([plate, *shared.values()])
    left = my.inverse_dynamics(model, motion, both)
    assert max(np.abs(left.values(f"{name}.moment")).max() for name in AXES) < 1e-9


def test_a_body_in_space_on_four_feet_of_which_some_are_lifted() -> None:
    axes = ("x", "y", "z", "rx", "ry", "rz")
    model = my.Model(
        name="table",
        bodies={"table": my.Body(mass=8.0, inertia=my.Inertia(xx=1.0, yy=1.5, zz=0.7))},
        joints={"place": my.free("ground", "table", axes)},
    )
    feet = {f"{a}{b}": my.Marker(body="table", at=(0.4 * a, -0.5, 0.3 * b)) for a in (-1, 1) for b in (-1, 1)}
    motion = my.Trajectory(TIME, {name: 0.1 * np.sin((k + 1) * TIME) for k, name in enumerate(axes)})
    lifted = {"11": TIME < 0.1}
    shared = my.shared_reactions(model, motion, feet, touching=lifted)
    assert np.abs(shared["11"].at(TIME[TIME >= 0.1]).force).max() < 1e-12
    left = my.inverse_dynamics(model, motion, shared)
    assert max(np.abs(left.values(f"{name}.moment")).max() for name in axes) < 1e-9


@pytest.mark.parametrize(
    "change, message",
    [
        ({"contacts": ["heel"]}, "unknown marker 'heel'"),
        ({"contacts": {}}, "at least one point"),
        ({"contacts": {"p": my.Marker(body="foot")}}, "unknown body 'foot'"),
        ({"contacts": points(0.3)}, r"at 0 s 'p0' cannot carry the motion: 13.5 \(N, N m\) is left"),
        ({"touching": {"heel": True}}, "unknown contact 'heel'"),
        ({"touching": {"p0": [True, False]}}, r"each of the 12 rows, not \(2,\)"),
        ({"touching": {"p0": False, "p1": False}}, "no contact cannot carry"),
        ({"by": "pushed"}, "unknown way 'pushed'.*pushing"),
        (
            {"model": my.load_model("pendulum"), "motion": my.Trajectory(TIME, {"angle": TIME})},
            "no points|unknown body",
        ),
    ],
)
def test_what_cannot_be_shared(change: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"model": block(), "motion": still(), "contacts": points(-0.1, 0.1)} | change
    with pytest.raises(my.MyodyneError, match=message):
        my.shared_reactions(given.pop("model"), given.pop("motion"), given.pop("contacts"), **given)


def test_a_motion_that_needs_a_pull_cannot_be_pushed() -> None:
    falling = dict.fromkeys(AXES, 0.0 * TIME) | {"y": -10.0 * TIME**2}
    motion = my.Trajectory(TIME, falling)
    my.shared_reactions(block(), motion, points(-0.1, 0.1))
    with pytest.raises(my.SolveError, match="the motion may need a pull"):
        my.shared_reactions(block(), motion, points(-0.1, 0.1), by="pushing")
