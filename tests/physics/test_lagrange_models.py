"""Descriptions by lists as models, and back: the same equations, and a simulation that keeps its energy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.equations import equations_of
from myodyne.errors import ModelError
from myodyne.formulations import lagrange as lg
from support.comparison import assert_close
from support.random_trees import random_state, random_tree

pytest.importorskip("sympy", reason="to_model needs SymPy, which comes with the test extra")

TOLERANCE = 1e-10


def leg(**changes: Any) -> lg.Description:
    """Return two segments on a hip that slides along x, with angles relative to the segment before."""
    parts: dict[str, Any] = {
        "name": "leg",
        "coordinates": {"x": lg.Coordinate(), "hip": lg.Coordinate(0.4, 0.5), "knee": lg.Coordinate(-0.3)},
        "parameters": {"m1": 7.0, "m2": 3.0, "I1": 0.13, "J2": 0.2, "l": 0.43, "g": 9.81},
        "gravity": (0.0, "-g"),
        "points": {
            "hip": lg.Point("ground", ("x", 0.1)),
            "thigh_centre": lg.Point("thigh", (0.02, "-0.4*l")),
            "knee": lg.Point("thigh", (0, "-l")),
            "shank_centre": lg.Point("shank", (0.01, -0.2)),
            "toe": lg.Point("shank", (0.15, -0.45)),
            "wall": lg.Point("ground", (0.6, -0.2)),
        },
        "frames": {"thigh": lg.Frame("hip", ["hip"]), "shank": lg.Frame("knee", ["knee"], relative_to="thigh")},
        "segments": {
            "thigh": lg.Segment("thigh_centre", "m1", "I1"),
            "shank": lg.Segment("shank_centre", "m2", "J2", "origin"),
        },
    }
    return lg.Description(**{**parts, **changes})


def agrees(description: lg.Description, inputs: dict[str, float] | None = None, seed: int = 0) -> my.Model:
    """Compare the equations of a description with those of its model, at a random state."""
    model = lg.to_model(description)
    equations = equations_of(model, compiled=False)
    numbers = lg.numbers_of(description)
    assert sorted(equations.coordinates) == sorted(numbers.coordinates)
    order = [numbers.coordinates.index(name) for name in equations.coordinates]
    q, v, vdot = np.random.default_rng(seed).uniform(-1, 1, size=(3, len(order)))
    controls = lg.controls_of(description, inputs or {})
    x, xdot = np.concatenate([q[order], v[order]]), np.concatenate([v[order], vdot[order]])
    ours = equations.residual(x, xdot, [controls[name] for name in equations.controls])[len(q) :]
    assert_close(ours, numbers.residual(q, v, vdot, inputs)[order], TOLERANCE, "residual")
    return model


def test_a_leg_becomes_a_model() -> None:
    model = agrees(leg())
    assert list(model.bodies) == ["thigh", "shank"]
    assert model.coordinates["hip"].default == 0.4
    assert model.coordinates["hip"].default_speed == 0.5
    # Inertia about the origin of the frame is moved to the centre of mass.
    assert model.bodies["shank"].inertia.zz == pytest.approx(0.2 - 3.0 * (0.01**2 + 0.2**2))
    assert set(model.markers) >= {"toe", "wall"}


def test_it_simulates_and_keeps_its_energy() -> None:
    run = my.simulate(lg.to_model(leg()), duration=0.3)
    assert run["hip"].values[0] == pytest.approx(0.4)
    assert abs(run["hip"].values[-1] - 0.4) > 0.05
    energy = run["energy.kinetic"] + run["energy.potential"]
    assert float(abs(energy - energy[0]).max()) < 1e-4 * float(abs(run["energy.potential"]).max())


def test_the_simulation_is_that_of_the_generator() -> None:
    from scipy.integrate import solve_ivp

    run = my.simulate(lg.to_model(leg()), duration=0.3, scheme=my.DOP853(relative=1e-10, absolute=1e-12))
    numbers = lg.numbers_of(leg())
    solved = solve_ivp(numbers.derivative, (0.0, 0.3), [0, 0.4, -0.3, 0, 0.5, 0], rtol=1e-10, atol=1e-12)
    ends = [float(run[name].values[-1]) for name in numbers.coordinates]
    assert ends == pytest.approx(solved.y[:3, -1], abs=1e-7)


SPRINGS = {
    "band": lg.LinearSpring("wall", "toe", 120.0, 4.0, 0.2),
    "ligament": lg.TorsionalSpring("thigh", "shank", 8.0, 0.7, -0.2),
    "bumper": lg.CoordinateSpring("x", 50.0, 2.0, 0.1),
}


def test_springs_forces_and_torques() -> None:
    description = leg(
        springs=SPRINGS,
        inputs=["hip_torque", "knee_torque", "push"],
        torques={
            "hip": lg.Torque("ground", "thigh", "hip_torque"),
            "knee": lg.Torque("thigh", "shank", "2*knee_torque"),
            "drag": lg.Torque("ground", "shank", -0.4),
        },
        forces={
            "push": lg.Force("toe", ("push", "3 - 2*push")),
            "own": lg.Force("toe", (0.3, -1.2), axes="shank"),
            "pair": lg.Force("toe", (2.0, "push"), reaction_at="thigh_centre"),
            "damper": lg.CoordinateForce("x", "-30*(x - 0.2) - 3*x_dot + 4*push"),
        },
    )
    model = agrees(description, {"hip_torque": 3.0, "knee_torque": -1.5, "push": 2.5})
    assert isinstance(model.forces["knee_torque"], my.CoordinateActuator)
    assert model.forces["knee_torque"].gain == 2.0
    # An input that acts in several places has a control for each, none of which bears its name alone.
    assert {"push_push", "push_pair", "push_pair_reaction", "push_damper"} <= set(model.controls)
    assert "push" not in model.controls


def test_segment_angles_become_joints_of_two_coordinates() -> None:
    """Angles against the ground, as Winter takes them: the joint turns by the difference."""
    description = leg(
        frames={"thigh": lg.Frame("hip", ["hip"]), "shank": lg.Frame("knee", ["knee"])},
        inputs=["T"],
        torques={"knee": lg.Torque("thigh", "shank", "T")},
    )
    model = agrees(description, {"T": 4.0})
    # One torque is one control: set alone, it turns the thigh back as much as the shank on.
    assert model.controls == ("T",)
    assert isinstance(model.forces["T"], my.TorqueActuator)


def test_particles_that_slide_and_coordinates_that_are_shared() -> None:
    """The sliding blocks: one particle at the origin of a frame, one that moves in it, held by a constraint."""
    blocks = lg.from_lists(
        {
            "LRS": [[1, "pi/4"]],
            "pt": [[0, "q1", 0], [1, "d1 - q2", "q3"]],
            "seg": [[1, "m1"], [2, "m2"]],
            "constraints": ["q3 - d2"],
        },
        coordinates=["q1", "q2", "q3"],
        parameters={"d1": 1.0, "d2": 0.1, "m1": 3.0, "m2": 2.0, "g": 9.81},
        gravity=(0, "-g"),
        name="blocks",
    )
    model = lg.to_model(blocks)
    assert model.mass == 5.0
    assert isinstance(model.constraints["c1"], my.CouplerConstraint)
    q, v = np.array([0.3, 0.2, 0.1]), np.array([0.4, -0.2, 0.0])
    equations = equations_of(model, compiled=False)
    order = [["q1", "q2", "q3"].index(name) for name in equations.coordinates]
    ours = equations.forward_dynamics(q[order], v[order], np.zeros(3))
    assert_close(ours, lg.numbers_of(blocks).motion(q, v).accelerations[order], TOLERANCE, "accelerations")


def test_several_segments_in_one_frame() -> None:
    """A load in the hand, a wheel without mass, a weight on the ground: each becomes a body, none is lost."""
    description = leg().with_parts(
        points={"hand": lg.Point("shank", (0.1, 0.2)), "rock": lg.Point("ground", (1, 0))},
        segments={
            "wheel": lg.Segment("hand", 0, 0.3),
            "load": lg.Segment("hand", 1.5),
            "rock": lg.Segment("rock", 9.0),
        },
    )
    model = agrees(description)
    assert model.mass == 7.0 + 3.0 + 1.5 + 9.0


def test_a_loop_stays_a_loop() -> None:
    description = leg(
        constraints={"hold": lg.Coincidence("toe", "wall")},
    )
    model = lg.to_model(description)
    assert isinstance(model.constraints["hold"], my.PointConstraint)
    q, v = np.array([0.1, 0.4, -0.3]), np.array([0.2, -0.5, 0.8])
    equations = equations_of(model, compiled=False)
    order = [["x", "hip", "knee"].index(name) for name in equations.coordinates]
    ours = equations.forward_dynamics(q[order], v[order], np.zeros(3))
    assert_close(ours, lg.numbers_of(description).motion(q, v).accelerations[order], TOLERANCE, "accelerations")


def test_rest_and_constant_speed_are_the_motions_a_model_knows() -> None:
    still = lg.to_model(
        leg(coordinates={"x": lg.Coordinate(motion="0.2"), "hip": lg.Coordinate(), "knee": lg.Coordinate()})
    )
    assert still.coordinates["x"].locked
    assert still.coordinates["x"].default == 0.2
    moving = lg.to_model(
        leg(coordinates={"x": lg.Coordinate(motion="0.2 + 1.5*t"), "hip": lg.Coordinate(), "knee": lg.Coordinate()})
    )
    assert moving.constraints["x_drive"].speed == 1.5
    assert moving.coordinates["x"].default_speed == 1.5


def top() -> lg.Description:
    """Return a body in space by zxz angles against the ground, on an arm that turns about a slanted axis."""
    return lg.Description(
        name="top on an arm",
        dimension=3,
        coordinates=["arm", "a1", "a2", "a3"],
        gravity=(0, -9.81, 0),
        points={
            "base": lg.Point("ground", (0, 0.2, 0)),
            "end": lg.Point("arm", (0.4, 0.1, -0.2)),
            "mid": lg.Point("arm", (0.2, 0, 0)),
            "centre": lg.Point("top", (0.05, 0, 0.1)),
        },
        frames={
            "arm": lg.Frame("base", ["arm"], ((0.6, 0.0, 0.8),)),
            "top": lg.Frame("end", ["a1", "a2", "a3"], "zxz"),
        },
        segments={
            "arm": lg.Segment("mid", 1.0, (0.02, 0.03, 0.04)),
            "top": lg.Segment("centre", 2.0, (0.08, 0.09, 0.1, 0.003, -0.002, 0.004), "origin"),
        },
        inputs=["T"],
        torques={
            "drive": lg.Torque("ground", "arm", ("0.6*T", 0, "0.8*T")),
            "couple": lg.Torque("arm", "top", (0.2, 0.1, -0.3), axes="ground"),
        },
        forces={"own": lg.Force("centre", (1, 2, 3), axes="top")},
    )


def test_a_spatial_description_becomes_a_model() -> None:
    model = agrees(top(), {"T": 1.7}, seed=4)
    assert isinstance(model.forces["T"], my.CoordinateActuator)
    assert len(model.joints["top_joint"].axes) == 4


def test_more_turns_than_a_joint_has_axes() -> None:
    """A frame with angles against the ground, on a frame with angles of its own: six turns and three shifts."""
    description = lg.Description(
        name="two",
        dimension=3,
        coordinates=["a", "b", "c", "d", "e", "f", "s"],
        gravity=(0, -9.81, 0),
        points={
            "o": lg.Point("ground", (0, 0, 0)),
            "p": lg.Point("one", (0.3, "s", 0)),
            "c1": lg.Point("one", (0.1, 0, 0)),
            "c2": lg.Point("two", (0.1, 0, 0.2)),
            "c3": lg.Point("one", ("s", 0.2, 0)),
        },
        frames={"one": lg.Frame("o", ["a", "b", "c"], "zxz"), "two": lg.Frame("p", ["d", "e", "f"], "xyz")},
        segments={
            "one": lg.Segment("c1", 1.0, (0.3, 0.2, 0.25)),
            "two": lg.Segment("c2", 2.0, (0.2, 0.3, 0.15)),
            "sliding": lg.Segment("c3", 0.7, (0.2, 0.2, 0.1)),
        },
    )
    model = agrees(description, seed=2)
    assert any(body.mass == 0 for body in model.bodies.values())


@pytest.mark.parametrize("seed", range(8))
def test_there_and_back(seed: int) -> None:
    """A model, described by lists and made a model again, has the same equations."""
    model = random_tree(seed, 3, flat=seed % 2 == 0, most_coordinates=6)
    again = lg.to_model(lg.from_model(model))
    state = random_state(model, seed)
    one, other = equations_of(model, compiled=False), equations_of(again, compiled=False)
    order = [one.coordinates.index(name) for name in other.coordinates]
    ours = other.inverse_dynamics(*(x[order] for x in (state.q, state.v, state.vdot)))
    assert_close(ours, one.inverse_dynamics(state.q, state.v, state.vdot)[order], TOLERANCE, "inverse dynamics")


REFUSED = {
    "is not a polynomial": {"points": {**dict(leg().points), "hip": lg.Point("ground", ("sin(x)", 0))}},
    "depends on t": {"points": {**dict(leg().points), "hip": lg.Point("ground", ("x + t", 0))}},
    "force 'pull' acts along the line": {"forces": {"pull": lg.Force("toe", 3, reaction_at="wall")}},
    "depends on the state": {"forces": {"drag": lg.Force("toe", ("-x_dot", 0))}},
    "torque 'wind'.*depends on the state": {"torques": {"wind": lg.Torque("ground", "shank", "sin(t)")}},
    "is not a spring and damper": {"forces": {"odd": lg.CoordinateForce("x", "-x**3")}},
    "in the axes of 'thigh'": {"forces": {"odd": lg.Force("toe", (1, 0), axes="thigh")}},
    "spring 'twist'.*is not one coordinate": {"springs": {"twist": lg.TorsionalSpring("ground", "shank", 1.0)}},
    "constraint 'ring' cannot be solved for one coordinate": {
        "constraints": {"ring": lg.Constraint("x**2 + hip**2 - 1")}
    },
    "coordinate 'x' moves by": {
        "coordinates": {"x": lg.Coordinate(motion="exp(t)"), "hip": lg.Coordinate(), "knee": lg.Coordinate()}
    },
    "prescribed at each evaluation": {
        "coordinates": {"x": lg.Coordinate(prescribed=True), "hip": lg.Coordinate(), "knee": lg.Coordinate()}
    },
    "parameters without a value: m1": {
        "parameters": {"m1": None, "m2": 3.0, "I1": 0.13, "J2": 0.2, "l": 0.43, "g": 9.81}
    },
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_a_model_cannot_express_is_refused_by_name(message: str) -> None:
    with pytest.raises(ModelError, match=message):
        lg.to_model(leg(**REFUSED[message]))


def test_a_spatial_torque_between_turning_frames_is_refused() -> None:
    description = top().with_parts(torques={"couple": lg.Torque("arm", "top", (0.2, 0.1, -0.3))})
    with pytest.raises(ModelError, match=r"torque 'couple' is in the axes of 'top' with its reaction on 'arm'"):
        lg.to_model(description)
