"""Planar models as chains: the Newton-Euler system against the production equations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.equations import equations_of
from myodyne.errors import ModelError, SolveError
from myodyne.formulations.newton_euler import (
    AngularAcceleration,
    CoincidentPoints,
    Constraint,
    EqualAngularAccelerations,
    PointAcceleration,
    chain_of,
    forward_unknowns,
    position,
    solve,
)
from myodyne.model import (
    Axis,
    Body,
    Inertia,
    Joint,
    Linear,
    Marker,
    Model,
    PointConstraint,
    Polynomial,
    Term,
    ball,
    pin,
    planar,
    slider,
    weld,
)
from support.comparison import assert_close
from support.samples import one_in

CHAINS, TREES = 100, 40
TOLERANCE = 1e-10


def random_model(seed: int, bodies: int, branched: bool) -> Model:
    """Return a planar model on pins about z with random placements, slopes and offsets; every third one flies."""
    rng = np.random.default_rng([seed, bodies, branched])
    flies = seed % 3 == 2
    joints: dict[str, Joint] = {}
    for number in range(bodies):
        parent = "ground" if number == 0 else f"body{number - 1}"
        if branched and number > 1:
            parent = f"body{rng.integers(number)}"
        ends = _placement(rng, parent), _placement(rng, f"body{number}")
        axes = [
            Axis(
                motion="rotation",
                direction=str(rng.choice(["z", "-z"])),
                function=Linear(
                    coordinate=f"q{number}",
                    slope=float(rng.choice([1.0, -1.0, 1.5])),
                    offset=float(rng.choice([0.0, 0.4])),
                ),
            )
        ]
        names = [f"q{number}"]
        if number == 0 and flies:
            tilt = rng.uniform(-3, 3)
            shifts = [(np.cos(tilt), np.sin(tilt), 0.0), (-np.sin(tilt + 0.3), np.cos(tilt + 0.3), 0.0)]
            axes = [
                Axis(
                    motion="translation",
                    direction=tuple(map(float, way)),
                    function=Linear(coordinate=name, slope=s, offset=0.1),
                )
                for way, name, s in zip(shifts, ("x", "y"), (1.0, -0.8), strict=True)
            ] + axes
            names = ["y", "q0", "x"]
        joints[f"joint{number}"] = Joint(
            parent=ends[0], child=ends[1], axes=axes, coordinates={name: {} for name in names}
        )
    order = rng.permutation(bodies)
    return Model(
        name=f"planar {seed}",
        gravity=tuple(rng.normal(size=3).tolist()) if seed % 2 else (0.0, -9.81, 0.0),
        bodies={f"body{i}": _body(rng) for i in range(bodies)},
        joints={f"joint{i}": joints[f"joint{i}"] for i in order},
    )


def _body(rng: np.random.Generator) -> Body:
    inertia = float(rng.uniform(0.01, 0.3))
    centre = tuple(rng.uniform(-0.3, 0.3, 3).tolist())
    return Body(
        mass=float(rng.uniform(0.5, 6.0)), centre_of_mass=centre, inertia=Inertia(xx=inertia, yy=inertia, zz=inertia)
    )


def _placement(rng: np.random.Generator, body: str) -> dict[str, Any]:
    return {
        "body": body,
        "at": tuple(rng.uniform(-0.4, 0.4, 3).tolist()),
        "orientation": (0.0, 0.0, float(rng.uniform(-3, 3))),
    }


def agrees(model: Model, seed: int) -> None:
    chain, equations = chain_of(model), equations_of(model, compiled=False)
    assert chain.coordinates == equations.coordinates
    rng = np.random.default_rng([seed, 9])
    q, v, vdot, tau = rng.normal(size=(4, 3, len(chain.coordinates)))
    v, tau = 2.0 * v, 10.0 * tau
    forward = chain.forward_dynamics(q, v, tau)
    assert_close(forward, equations.forward_dynamics(q, v, tau), TOLERANCE, "forward dynamics")
    assert_close(
        chain.inverse_dynamics(q, v, vdot), equations.inverse_dynamics(q, v, vdot), TOLERANCE, "inverse dynamics"
    )
    assert_close(chain.mass_matrix(q), equations.mass_matrix(q), TOLERANCE, "mass matrix")
    assert_close(chain.inverse_dynamics(q, v, forward), tau, TOLERANCE, "inverse of forward")
    # One moment gives what its row gives.
    assert_close(chain.forward_dynamics(q[1], v[1], tau[1]), forward[1], 1e-12, "a single row")
    for body in chain.chain.names:
        if body in model.bodies:
            joint = next(name for name, part in model.joints.items() if part.child.body == body)
            turns, origins = equations.body_poses(q[0])
            number = equations.bodies.index(body)
            place = origins[number] + turns[number] @ model.joints[joint].child.at
            assert_close(
                position(chain.chain, chain.motion(q[0]), joint), place[:2], 1e-12, f"place of '{joint}'", floor=0.1
            )


@pytest.mark.parametrize("seed", one_in(8, range(CHAINS)))
def test_chains_move_as_the_production_equations_say(seed: int) -> None:
    bodies = 1 + seed % 15
    model = random_model(seed, bodies, branched=False)
    assert chain_of(model).chain.size == bodies
    assert not chain_of(model).constraints
    agrees(model, seed)


@pytest.mark.parametrize("seed", one_in(8, range(TREES)))
def test_branched_trees_move_as_the_production_equations_say(seed: int) -> None:
    bodies = 3 + seed % 13
    model = random_model(seed, bodies, branched=True)
    chain = chain_of(model)
    assert chain.chain.size == bodies + len(chain.constraints) <= 3 * bodies
    assert chain.chain.masses.sum() == pytest.approx(model.mass)
    agrees(model, seed)


def test_the_trees_do_branch() -> None:
    overlaps = [len(chain_of(random_model(seed, 3 + seed % 13, branched=True)).constraints) for seed in range(TREES)]
    assert sum(count > 0 for count in overlaps) > 0.8 * TREES
    assert max(overlaps) >= 10


@pytest.mark.parametrize("name", ["pendulum", "double_pendulum", "chain", "jumper_skeleton", "runner_skeleton"])
def test_builtin_models(name: str) -> None:
    agrees(my.load_model(name), 1)


def cyclist(name: str) -> tuple[Any, Any, dict[str, Constraint]]:
    """Return a cyclist's equations with kept constraints, its chain, and the same constraints on the chain."""
    model = my.load_model(name)
    made = chain_of(model.unconstrained())
    constraints: dict[str, Constraint] = {}
    for key, part in model.constraints.items():
        if isinstance(part, PointConstraint):
            ends = [
                made.point(marker.body, marker.at) for marker in (part.first, part.second) if marker.body != "ground"
            ]
            constraints[key] = CoincidentPoints(*ends) if len(ends) == 2 else PointAcceleration(ends[0])
    constraints["drive"] = AngularAcceleration(made.chain.names[0])
    constraints["trunk_hold"] = AngularAcceleration("trunk")
    if "cranks" in model.constraints:
        constraints["cranks"] = EqualAngularAccelerations("crank_arm_l", "crank_arm_r")
    assert set(constraints) == set(model.constraints)
    return equations_of(model, compiled=False), made, constraints


@pytest.mark.parametrize("name", ["cyclist_one_leg", "cyclist_two_cranks", "cyclist_one_crank"])
def test_cyclists_with_kept_constraints(name: str) -> None:
    """Accelerations and reactions of closed loops, against the multipliers of the production equations."""
    equations, made, constraints = cyclist(name)
    size = len(equations.coordinates)
    state = equations.state()[: 2 * size]
    q, v = state[:size], state[size:]
    tau = 30.0 * np.random.default_rng(3).normal(size=size)
    vdot = equations.forward_dynamics(q, v, tau)
    loads = made.weight() | made.loads(tau)
    found = solve(
        made.chain, made.motion(q, v), loads, forward_unknowns(made.chain), [*constraints.values(), *made.constraints]
    )
    assert_close(found.angular_accelerations, made.angle_map @ vdot, 1e-9, "angular accelerations")
    # The multipliers are given for the model's own motors; these are off here.
    coasting = solve(
        made.chain,
        made.motion(q, v),
        made.weight(),
        forward_unknowns(made.chain),
        [*constraints.values(), *made.constraints],
    )
    multipliers = equations.constraint_forces(state, np.zeros(len(equations.controls)))
    for key, places in (("saddle", 2), ("drive", 1)):
        theirs = [
            value for title, value in zip(equations.multipliers, multipliers, strict=True) if title.startswith(key)
        ]
        assert len(theirs) == places
        assert_close(coasting.reaction_of(constraints[key]), theirs, 1e-9, f"reaction to '{key}'")


def test_joint_reactions_and_ends_of_a_model() -> None:
    """What the tool gives beyond the generalised forces: the force in every joint, and the point where it ends."""
    model = my.load_model("double_pendulum")
    made = chain_of(model, end="tip")
    assert made.chain.joints == ("pivot", "hinge", "rod2 end")
    motion = made.motion([0.0, 0.0])
    np.testing.assert_allclose(position(made.chain, motion, "rod2 end"), [0.0, -2.0], atol=1e-12)
    found = solve(made.chain, motion, made.weight(), forward_unknowns(made.chain))
    assert found["pivot.reaction_force_y"] == pytest.approx(2 * 9.81)
    assert found["hinge.reaction_force_y"] == pytest.approx(9.81)
    with pytest.raises(ModelError, match=r"ends with body 'rod2'; unknown marker on it 'top'.*'tip'"):
        chain_of(model, end="top")
    with pytest.raises(SolveError, match="q needs a value for each of the coordinates 'angle1', 'angle2'"):
        made.motion([0.0])


def test_long_chains_are_walked() -> None:
    assert chain_of(my.chain(1000)).chain.size == 1000


def _two(joint: Joint, **more: Any) -> Model:
    bodies = {"one": Body(mass=1.0, inertia=0.1), "two": Body(mass=1.0, centre_of_mass=(0.0, -0.5, 0.0), inertia=0.1)}
    first = {"first": pin("ground", "one", "q1")}
    return Model(name="odd", bodies=bodies, joints={**first, "second": joint}, **more)


@pytest.mark.parametrize(
    ("joint", "why"),
    [
        (weld("one", "two"), "is not a pin about z"),
        (slider("one", "two", "q2"), "is not a pin about z"),
        (pin("one", "two", "q2", axis="x"), "is not a pin about z"),
        (ball("one", "two", ("a", "b", "c")), "must translate along two directions"),
        (planar("one", "two", ("x", "y", "q2")), "translates; only the joint on the ground may"),
        (pin({"body": "one", "orientation": (0.1, 0.0, 0.0)}, "two", "q2"), "the parent is rotated about x or y"),
        (pin("one", {"body": "two", "orientation": (0.0, 0.1, 0.0)}, "q2"), "the child is rotated about x or y"),
        (pin("one", "two", "q2", locked=True), "has the locked coordinate 'q2'; use model.unconstrained()"),
        (pin("one", "two", "q2", coupled="q1"), "has the coupled coordinate 'q2'; use model.unconstrained()"),
        (pin("ground", "two", "q2"), "is joined to the ground like 'first'; a chain has one base"),
        (
            Joint(
                parent={"body": "one"},
                child={"body": "two"},
                axes=[Axis(motion="rotation", direction="z", function=Linear(coordinate="q1", slope=2.0))],
            ),
            "follows the coordinate 'q1' of another joint",
        ),
        (
            Joint(
                parent={"body": "one"},
                child={"body": "two"},
                coordinates={"q2": {}},
                axes=[
                    Axis(
                        motion="rotation",
                        direction="z",
                        function=Polynomial(of=("q2",), terms=(Term(coefficient=1.0, powers=(2,)),)),
                    )
                ],
            ),
            "has an axis that is not a linear function of a coordinate",
        ),
    ],
)
def test_other_joints_are_refused_by_name(joint: Joint, why: str) -> None:
    with pytest.raises(ModelError) as caught:
        chain_of(_two(joint))
    assert f"joints.second: {why}" in str(caught.value)
    assert ("joints", "second") in [place for place, _ in caught.value.problems]


def test_a_base_that_slides_along_one_line_is_refused() -> None:
    joint = Joint(
        parent={"body": "ground"},
        child={"body": "one"},
        coordinates={"x": {}, "q": {}},
        axes=[
            Axis(motion="translation", direction="x", function="x"),
            Axis(motion="rotation", direction="z", function="q"),
        ],
    )
    model = Model(name="cart", bodies={"one": Body(mass=1.0, inertia=0.1)}, joints={"base": joint})
    with pytest.raises(ModelError, match=r"joints\.base: must translate along two directions"):
        chain_of(model)


def test_kept_constraints_are_refused_by_name() -> None:
    with pytest.raises(ModelError, match=r"constraints\.saddle: is not supported; use model\.unconstrained\(\)"):
        chain_of(my.load_model("cyclist_one_leg"))


def test_a_model_without_bodies_is_refused() -> None:
    with pytest.raises(ModelError, match="has no bodies"):
        chain_of(Model(name="nothing"))


def test_a_massless_end_is_refused_by_name() -> None:
    none = {f"two.{field}": 0.0 for field in ("mass", "inertia.xx", "inertia.yy", "inertia.zz")}
    model = _two(pin("one", "two", "q2")).with_values(none)
    with pytest.raises(SolveError, match=r"'two\.angular_acceleration'.*moments of 'two'"):
        chain_of(model).forward_dynamics([0.1, 0.2], [0.0, 0.0], [0.0, 0.0])


def test_markers_of_other_bodies_are_no_ends() -> None:
    model = _two(pin("one", "two", "q2"), markers={"knob": Marker(body="one")})
    with pytest.raises(ModelError, match="unknown marker on it 'knob': there are none"):
        chain_of(model, end="knob")
