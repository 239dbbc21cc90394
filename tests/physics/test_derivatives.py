"""Derivatives, energy balances and signs: what the residual and the outputs must say about every model.

The outputs' signs are pinned by cases that can be reckoned by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, get_args

import casadi as ca
import numpy as np
import pytest

import myodyne as my
from myodyne.model.forces import Force
from myodyne.physics.derivatives import inverse_dynamics_jacobians
from support.comparison import assert_close, central_differences, extrapolated_differences
from support.force_kinds import opensim_kinds
from support.frames import Array
from support.samples import one_in

LARGE = ("full_body", "gait3d")
# Every kind of force that a model can have: a new one must be added to the model below.
FORCE_KINDS = tuple(part.model_fields["kind"].default for part in get_args(get_args(Force)[0]))


def everything() -> my.Model:
    """Return a model with every kind of force and of joint function, in ground's and body's axes."""
    along = my.Axis(
        motion="translation",
        direction=(1.0, 0.3, 0.0),
        function=my.Spline(coordinate="knee", x=(-1.5, -0.7, 0.0, 0.8, 1.5), y=(0.02, -0.01, 0.03, 0.05, 0.0)),
    )
    up = my.Axis(
        motion="translation",
        direction="y",
        function=my.Fourier(coordinate="knee", period=5.0, mean=0.01, cosines=(0.02, 0.01), sines=(0.03,)),
    )
    bent = my.Axis(
        motion="translation",
        direction="z",
        function=my.Arc(of=("knee", "hip_x"), neutral=(0.1, -0.2), length=0.3, along="z"),
    )
    turn = my.Axis(
        motion="rotation",
        direction=(0.1, 0.0, 1.0),
        function=my.Polynomial(
            of=("knee", "hip_z"),
            terms=(my.Term(coefficient=1.0, powers=(1, 0)), my.Term(coefficient=0.1, powers=(2, 1))),
        ),
    )
    rock = my.Axis(
        motion="rotation",
        direction="x",
        function=my.Product(
            factors=(
                my.Linear(coordinate="knee", slope=0.2, offset=0.4),
                my.Linear(coordinate="hip_x"),
                my.Constant(value=0.5),
            )
        ),
    )
    still = my.Axis(motion="rotation", direction="y", function=my.Constant(value=0.3))
    knee = my.Joint(
        parent=my.Placement(body="thigh", at=(0.0, -0.4, 0.02), orientation=(0.1, 0.2, -0.1)),
        child=my.Placement(body="shank", at=(0.0, 0.1, 0.0)),
        coordinates={"knee": {}},
        axes=(along, up, bent, turn, rock, still),
    )
    bodies = {
        "pelvis": my.Body(
            mass=5.0, centre_of_mass=(0.02, 0.05, 0.0), inertia=my.Inertia(xx=0.05, yy=0.06, zz=0.04, xy=0.005)
        ),
        "thigh": my.Body(
            mass=3.0, centre_of_mass=(0.0, -0.2, 0.01), inertia=my.Inertia(xx=0.04, yy=0.01, zz=0.045, xz=0.002)
        ),
        "shank": my.Body(mass=2.0, centre_of_mass=(0.01, -0.15, 0.0), inertia=my.Inertia(xx=0.02, yy=0.005, zz=0.021)),
    }
    joints = {
        "root": my.free("ground", "pelvis", ("px", "py", "pz", "rx", "ry", "rz"), "zxy"),
        "hip": my.ball({"body": "pelvis", "at": (0.0, -0.1, 0.08)}, "thigh", ("hip_z", "hip_x", "hip_y"), "zxy"),
        "knee_joint": knee,
    }
    forces = {
        "push": my.PointForce(body="shank", at=(0.02, -0.3, 0.01), force=(3.0, 20.0, -4.0)),
        "thrust": my.PointForce(
            body="thigh", at=(0.0, -0.1, 0.05), force=(5.0, -2.0, 8.0), axes="body", controlled=True
        ),
        "twist": my.BodyTorque(body="pelvis", torque=(1.0, -2.0, 0.5), controlled=True),
        "air": my.Drag(body="shank", at=(0.05, -0.4, 0.1), coefficient=1.4),
        "spin": my.BodyTorque(body="shank", torque=(0.3, 0.4, -0.2), axes="body"),
        "motor": my.CoordinateActuator(coordinate="knee", gain=12.0),
        "lift": my.CoordinateActuator(coordinate="py", gain=-30.0),
        "rope": my.PointSpring(
            start=my.Marker(body="ground", at=(0.3, 1.0, 0.0)),
            end=my.Marker(body="thigh", at=(0.0, -0.3, 0.0)),
            stiffness=120.0,
            rest_length=0.5,
            damping=6.0,
        ),
        "band": my.PointSpring(
            start=my.Marker(body="pelvis", at=(0.1, 0.0, 0.0)),
            end=my.Marker(body="shank", at=(0.05, -0.2, 0.0)),
            stiffness=80.0,
            rest_length=0.2,
            damping=2.0,
        ),
        "hinge": my.TorsionSpring(coordinate="hip_z", stiffness=25.0, rest=0.1, damping=1.5),
        "mount": my.TorsionSpring(coordinate="px", stiffness=90.0, rest=-0.1, damping=4.0),
        "stop": my.JointLimit(
            coordinate="knee", lower=-0.6, upper=0.4, stiffness=60.0, damping=3.0, transition=1.5, curvature=80.0
        ),
        "soft_stop": my.JointLimit(
            coordinate="hip_x", lower=-0.5, upper=0.1, stiffness=30.0, damping=4.0, transition=0.4, onset="hyperbolic"
        ),
        "tissue": my.PassiveMoment(
            coordinate="knee",
            terms=(
                my.ExponentialTerm(size=-4.0, rate=2.0, at=0.3),
                my.ExponentialTerm(size=3.0, rate=-1.5, at=-0.5, others={"hip_z": 0.7}),
            ),
            constant=1.2,
            damping=0.6,
        ),
        "cruciate": my.Ligament(
            path=my.PointPath(
                points=(
                    ("pelvis", (0.05, -0.05, 0.1)),
                    my.MovingPoint(body="thigh", at=(my.Linear(coordinate="knee", slope=0.05), -0.2, 0.04)),
                    ("shank", (0.03, -0.1, 0.02)),
                )
            ),
            slack_length=0.5,
            stiffness=400.0,
            toe=0.2,
            damping=9.0,
        ),
        "formula": my.Ligament(
            path=my.FunctionPath(
                length=my.Polynomial(
                    of=("knee", "hip_z"),
                    terms=(
                        my.Term(coefficient=0.4, powers=(0, 0)),
                        my.Term(coefficient=0.05, powers=(2, 1)),
                        my.Term(coefficient=-0.07, powers=(1, 0)),
                    ),
                )
            ),
            slack_length=0.35,
            stiffness=300.0,
            toe=0.1,
        ),
        "glide": my.EllipsoidContact(
            body="thigh",
            centre=(0.02, -0.3, 0.0),
            radii=(0.2, 0.3, 0.25),
            stiffness=90.0,
            transition=0.5,
            point=my.Marker(body="shank", at=(0.05, -0.15, 0.03)),
        ),
        **opensim_kinds(),
    }
    return my.Model(name="everything", gravity=(0.5, -9.81, 0.2), bodies=bodies, joints=joints, forces=forces)


FREE = (
    "thigh.mass",
    "shank.centre_of_mass",
    "pelvis.inertia.xy",
    "gravity.y",
    "hip.parent.at",
    "push.force",
    "push.at.x",
    "twist.torque.y",
    "air.coefficient",
    "air.at.x",
    "motor.gain",
    "rope.stiffness",
    "rope.rest_length",
    "rope.damping",
    "band.start.at.y",
    "hinge.rest",
    "hinge.stiffness",
    "mount.damping",
    "stop.lower",
    "stop.stiffness",
    "stop.damping",
    "stop.transition",
    "cruciate.slack_length",
    "cruciate.toe",
    "cruciate.stiffness",
    "cruciate.damping",
    "cruciate.path.points.0.at",
    "formula.path.length.terms.1.coefficient",
    "glide.radii",
    "glide.centre",
    "glide.stiffness",
    "glide.transition",
    "glide.point.at.y",
    "wheel.gain",
    "jet.at",
    "piston.end.at.x",
    "cable.gain",
    "tissue.constant",
    "tissue.damping",
    "tissue.terms.0.rate",
    "tissue.terms.1.size",
    "tissue.terms.1.at",
    "edge.transition",
    "edge.lower_stiffness",
    "edge.damping",
    "disc.rotational_stiffness",
    "disc.translational_damping",
    "disc.first.at",
    "disc.second.orientation",
    "sleeve.torques.0.slope",
    "sleeve.torques.1.sines",
    "sleeve.torques.2.y",
    "sleeve.forces.0.terms.0.coefficient",
    "sleeve.translational_damping",
    "track.rest_length",
    "fibre.slack_length",
    "fibre.stiffness",
    "fibre.transition_strain",
    "fibre.damping",
    "knees.other.at",
    "knees.other_radius",
    "knees.radius",
    "knees.sphere_share",
    "elastic.rest_length",
    "elastic.dissipation",
    "cord.slack_length",
    "cord.scale",
    "cord.curve.y",
    "heel.stiffness",
    "heel.radius",
    "heel.plane.orientation",
    "heel.dissipation",
    "heel.transition_velocity",
    "heel.static_friction",
    "heel.sphere_share",
    "toe.stiffness",
    "toe.dissipation",
    "toe.hertz_smoothing",
    "toe.hunt_crossley_smoothing",
    "toe.constant_contact_force",
    "toe.plane.at",
    "toe.viscous_friction",
    "tip.stiffness",
    "tip.dissipation",
    "tip.friction",
    "tip.transition",
    "tip.transition_velocity",
    "tip.linear_stiffness",
    "tip.at.y",
    "tip.plane.orientation",
    "soft_stop.transition",
    "soft_stop.upper",
    "knee_joint.axes.0.function.y",
    "knee_joint.axes.1.function.period",
    "knee_joint.axes.1.function.sines",
    "knee_joint.axes.2.function.length",
    "knee_joint.axes.2.function.neutral",
    "knee_joint.axes.3.function.terms.1.coefficient",
    "knee_joint.axes.4.function.factors.0.slope",
    "knee_joint.axes.5.function.value",
    "knee_joint.parent.orientation",
)


@cache
def equations(name: str) -> my.Equations:
    model = everything() if name == "everything" else my.load_model(name)
    if name == "everything":
        model = model.free(*FREE)
    elif name not in LARGE:
        model = model.free("gravity.y", f"{next(iter(model.bodies))}.mass")
    return my.equations_of(model, compiled=False)


NAMES = (*my.builtin_models(), "everything")


def point(eq: my.Equations, seed: int = 0) -> tuple[Array, Array, Array]:
    """Return x, xdot and u somewhere: not on a motion, so that no term vanishes by chance."""
    rng = np.random.default_rng([seed, len(eq.states)])
    at_rest = np.concatenate([eq.state(), np.zeros(len(eq.multipliers))])
    # A tendon stretched by a third of a fibre would pull with a thousand times what a muscle can.
    spread = np.array([0.003 if name.endswith(".projected_length") else 0.3 for name in eq.states])
    x = at_rest + spread * rng.normal(size=len(eq.states))
    return x, 2.0 * rng.normal(size=len(eq.states)), rng.normal(size=len(eq.controls))


def test_the_models_have_every_kind_of_force_and_function() -> None:
    model = everything()
    assert {force.kind for force in model.forces.values()} == set(FORCE_KINDS)
    kinds = {axis.function.kind for joint in model.joints.values() for axis in joint.axes}
    assert kinds == {"constant", "linear", "polynomial", "spline", "fourier", "arc", "product"}


# ---- derivatives of the residual ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in NAMES if name not in LARGE])
def test_jacobians_against_differences(name: str) -> None:
    eq = equations(name)
    x, xdot, u = point(eq)
    p = np.array(eq.model.free_numbers)
    assert len(p)

    def rows(given: Array, like: Array) -> Array:
        return np.broadcast_to(like, (len(given), len(like)))

    columns: dict[str, tuple[Array, Callable[[Array], Array], Any]] = {
        "x": (x, lambda r: eq.residual(r, rows(r, xdot), rows(r, u)), eq.jacobians(x, xdot, u)[0]),
        "xdot": (xdot, lambda r: eq.residual(rows(r, x), r, rows(r, u)), eq.jacobians(x, xdot, u)[1]),
        "u": (u, lambda r: eq.residual(rows(r, x), rows(r, xdot), r), eq.jacobians(x, xdot, u)[2]),
        "p": (p, lambda r: eq.residual(rows(r, x), rows(r, xdot), rows(r, u), r), eq.parameter_jacobian(x, xdot, u)),
    }
    for what, (at, function, exact) in columns.items():
        assert exact.shape == (len(eq.states), len(at)), what
        if len(at):
            assert_close(exact.toarray(), extrapolated_differences(function, at), 1e-8, f"dF/d{what}")


@pytest.mark.parametrize("name", one_in(2, LARGE))
def test_jacobians_along_random_directions(name: str) -> None:
    eq = equations(name)
    x, xdot, u = point(eq)
    exact = eq.jacobians(x, xdot, u)
    rng = np.random.default_rng(3)
    for place, at in enumerate((x, xdot, u)):
        for _ in range(3):
            direction = rng.normal(size=len(at))
            given = [x, xdot, u]

            def along(
                steps: Array,
                place: int = place,
                at: Array = at,
                direction: Array = direction,
                given: list[Array] = given,
            ) -> Array:
                rows = [np.broadcast_to(array, (len(steps), len(array))) for array in given]
                rows[place] = at + steps * direction
                return eq.residual(*rows)

            differences = central_differences(along, np.zeros(1), step=1e-4)[:, 0]
            assert_close(exact[place] @ direction, differences, 1e-8, f"derivative {place} of {name}")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in LARGE])
def test_closed_forms_equal_automatic_differentiation(name: str) -> None:
    """The closed forms of inverse dynamics, and the whole residual's Jacobians, entry by entry."""
    eq = equations(name)
    a = eq.assembly()
    x, xdot, u = point(eq, 4)
    size = len(eq.coordinates)
    p = eq.model.free_numbers
    automatic = ca.Function(
        "automatic",
        [a.x, a.xdot, a.u, a.p],
        [ca.jacobian(a.residual, a.x), ca.jacobian(a.residual, a.xdot), ca.jacobian(a.residual, a.u)],
    )
    for what, ours, theirs in zip(("x", "xdot", "u"), eq.jacobians(x, xdot, u), automatic(x, xdot, u, p), strict=True):
        assert_close(ours.toarray(), theirs.full(), 1e-10, f"dF/d{what} of {name}")
    closed = inverse_dynamics_jacobians(a.tree, a.vdot, a.gravity)
    q, v, vdot = x[:size], x[size : 2 * size], xdot[size : 2 * size]
    numbers = ca.Function("closed", [a.q, a.v, a.vdot, a.p], list(closed))(q, v, vdot, p)
    for ours, theirs in zip(eq.inverse_dynamics_jacobians(q, v, vdot), numbers, strict=True):
        assert_close(ours, theirs.full(), 1e-12, "Jacobians of inverse dynamics")


# ---- energy -------------------------------------------------------------------------------------------------


def single_force(kind: str) -> my.Model:
    """Return the model with only the forces of one kind."""
    model = everything()
    kept = {name: force for name, force in model.forces.items() if force.kind == kind}
    return my.Model(name=kind, gravity=model.gravity, bodies=dict(model.bodies), joints=dict(model.joints), forces=kept)


@pytest.mark.parametrize("kind", FORCE_KINDS)
def test_energy_changes_by_the_power_put_in(kind: str) -> None:
    """dE/dt = input power along the motion, by differences of the energy in the direction of the motion."""
    eq = my.equations_of(single_force(kind), compiled=False)
    size = len(eq.coordinates)
    for seed in range(3):
        x, _, u = point(eq, seed)
        xdot = eq.derivative(x, u)
        outputs = dict(zip(eq.outputs, eq.output_values(x, xdot, u), strict=True))

        def energy(steps: Array, x: Array = x, xdot: Array = xdot) -> Array:
            rows = x + steps * xdot
            return np.sum(eq.energy(rows[:, :size], rows[:, size:]), axis=0)[:, None]

        change = float(central_differences(energy, np.zeros(1), step=1e-4)[0, 0])
        total = sum(outputs[f"{name}.power"] for name in eq.model.forces)
        assert abs(total) > 1e-3, f"the {kind} did nothing, so nothing was tested"
        scale = max(abs(total), abs(outputs["energy.input_power"]), outputs["energy.kinetic"])
        assert change == pytest.approx(outputs["energy.input_power"], abs=1e-8 * scale)
        # The power of each force is that of its generalised force, which the balance uses.
        generalised = eq.inverse_dynamics(x[:size], x[size:], xdot[size:])
        assert total == pytest.approx(generalised @ x[size:], rel=1e-10)


def test_springs_without_dampers_put_nothing_in() -> None:
    forces = {
        "rope": my.PointSpring(
            start=my.Marker(body="ground", at=(0.3, 1.0, 0.0)), end=my.Marker(body="thigh"), stiffness=120.0
        ),
        "hinge": my.TorsionSpring(coordinate="hip_z", stiffness=25.0, rest=0.1),
        "stop": my.JointLimit(coordinate="knee", lower=-0.1, upper=0.1, stiffness=60.0, transition=0.1),
    }
    whole = everything()
    eq = my.equations_of(
        my.Model(name="springs", bodies=dict(whole.bodies), joints=dict(whole.joints), forces=forces), compiled=False
    )
    x, _, _ = point(eq)
    values = dict(zip(eq.outputs, eq.output_values(x, eq.derivative(x)), strict=True))
    assert abs(values["rope.power"]) > 0.1
    assert values["energy.input_power"] == pytest.approx(0.0, abs=1e-12)


# ---- signs, by hand -----------------------------------------------------------------------------------------

G = 9.80665


def outputs_of(model: my.Model, state: dict[str, float] | None = None, controls: Any = ()) -> dict[str, float]:
    eq = my.equations_of(model, compiled=False)
    x = eq.state(state)
    return dict(zip(eq.outputs, eq.output_values(x, eq.derivative(x, controls), controls).tolist(), strict=True))


def rod(mass: float = 2.0, length: float = 1.0) -> my.Body:
    return my.Body(mass=mass, centre_of_mass=(0.0, -length / 2, 0.0), inertia=mass * length**2 / 12)


def vector_of(values: dict[str, float], name: str) -> list[float]:
    return [values[f"{name}_{letter}"] for letter in "xyz"]


def test_a_hanging_pendulum_is_carried_by_its_joint() -> None:
    model = my.Model(name="rod", bodies={"rod": rod()}, joints={"pivot": my.pin("ground", "rod", "angle")})
    values = outputs_of(model)
    assert vector_of(values, "pivot.reaction_force") == pytest.approx([0.0, 2.0 * G, 0.0], abs=1e-12)
    assert vector_of(values, "pivot.reaction_moment") == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    # Turning, the joint also bends the path of the centre of mass: m v²/r more, upwards.
    values = outputs_of(model, {"angle.speed": 3.0})
    assert vector_of(values, "pivot.reaction_force") == pytest.approx([0.0, 2.0 * G + 2.0 * 9.0 * 0.5, 0.0], abs=1e-12)


def test_a_level_pendulum_falls_and_its_joint_carries_a_quarter() -> None:
    """A uniform rod released level: the hinge carries m g/4, the textbook answer."""
    model = my.Model(name="rod", bodies={"rod": rod()}, joints={"pivot": my.pin("ground", "rod", "angle")})
    values = outputs_of(model, {"angle": np.pi / 2})
    assert values["angle.acceleration"] == pytest.approx(-1.5 * G)
    assert vector_of(values, "pivot.reaction_force") == pytest.approx([0.0, 2.0 * G / 4, 0.0], abs=1e-12)


def test_a_cantilever_is_held_by_force_and_moment() -> None:
    """A beam along x, welded to a wall: the wall lifts it and turns it up, so the moment about z is positive."""
    beam = my.Body(mass=3.0, centre_of_mass=(0.6, 0.0, 0.2), inertia=0.1)
    model = my.Model(
        name="beam", bodies={"beam": beam}, joints={"wall": my.weld({"body": "ground", "at": (1.0, 2.0, 0.0)}, "beam")}
    )
    values = outputs_of(model)
    assert vector_of(values, "wall.reaction_force") == pytest.approx([0.0, 3.0 * G, 0.0])
    # r × F = (0.6, 0, 0.2) × (0, -m g, 0) = (0.2, 0, -0.6) m g is the weight's moment; the wall gives the opposite.
    assert vector_of(values, "wall.reaction_moment") == pytest.approx([-0.2 * 3.0 * G, 0.0, 0.6 * 3.0 * G])
    assert vector_of(values, "beam.position") == [1.0, 2.0, 0.0]
    assert vector_of(values, "com.position") == pytest.approx([1.6, 2.0, 0.2])


def test_reactions_are_given_in_the_grounds_axes_at_the_joints_centre() -> None:
    """Two rods, the lower one on a turned frame: each joint carries what hangs below it."""
    lower = my.pin(
        {"body": "upper", "at": (0.0, -1.0, 0.0), "orientation": (0.4, -0.3, 0.2)},
        "lower",
        "elbow",
        axis=(1.0, 2.0, 0.5),
    )
    model = my.Model(
        name="two",
        bodies={"upper": rod(2.0), "lower": rod(1.5)},
        joints={"shoulder": my.weld("ground", "upper"), "elbow": lower},
        forces={"brake": my.CoordinateActuator(coordinate="elbow")},
    )
    eq = my.equations_of(model, compiled=False)
    hold = eq.inverse_dynamics([0.3], [0.0], [0.0])
    values = dict(zip(eq.outputs, eq.output_values([0.3, 0.0], [0.0, 0.0], hold), strict=True))
    com = eq.body_poses([0.3])[0][1] @ np.array([0.0, -0.5, 0.0])
    assert vector_of(values, "elbow.reaction_force") == pytest.approx([0.0, 1.5 * G, 0.0], abs=1e-12)
    moment = np.cross(com, [0.0, 1.5 * G, 0.0])
    assert vector_of(values, "elbow.reaction_moment") == pytest.approx(moment.tolist(), abs=1e-12)
    assert vector_of(values, "shoulder.reaction_force") == pytest.approx([0.0, 3.5 * G, 0.0], abs=1e-12)
    assert vector_of(values, "shoulder.reaction_moment") == pytest.approx(
        (moment + np.cross([0.0, -1.0, 0.0], [0.0, 1.5 * G, 0.0])).tolist(), abs=1e-12
    )


def test_the_moment_of_a_coordinate_is_the_torque_applied() -> None:
    """Net: motors, springs and limits together; positive turns the coordinate up. Outside forces do not count."""
    model = my.Model(
        name="arm",
        bodies={"rod": rod()},
        joints={"pivot": my.pin("ground", "rod", "angle")},
        forces={
            "motor": my.CoordinateActuator(coordinate="angle", gain=2.0),
            "spring": my.TorsionSpring(coordinate="angle", stiffness=5.0, damping=0.5),
            "wind": my.PointForce(body="rod", at=(0.0, -1.0, 0.0), force=(4.0, 0.0, 0.0)),
        },
    )
    values = outputs_of(model, {"angle": 0.3, "angle.speed": 2.0}, [3.5])
    assert values["motor.torque"] == pytest.approx(7.0)
    assert values["spring.torque"] == pytest.approx(-5.0 * 0.3 - 0.5 * 2.0)
    assert values["angle.moment"] == pytest.approx(7.0 - 2.5)
    assert values["angle.power"] == pytest.approx(4.5 * 2.0)
    assert values["motor.power"] == pytest.approx(14.0)
    assert values["wind.force"] == pytest.approx(4.0)
    # The tip moves at 2 m/s across the rod.
    assert values["wind.power"] == pytest.approx(4.0 * 2.0 * np.cos(0.3))
    inertia = 2.0 / 3
    expected = (4.5 + 4.0 * np.cos(0.3) - 2.0 * G * 0.5 * np.sin(0.3)) / inertia
    assert values["angle.acceleration"] == pytest.approx(expected)


def test_centre_of_mass_and_momentum_by_hand() -> None:
    """Two points of 1 and 3 kg on sliders, moving apart."""
    model = my.Model(
        name="points",
        gravity=(0.0, 0.0, 0.0),
        bodies={"a": my.Body(mass=1.0), "b": my.Body(mass=3.0)},
        joints={"left": my.slider("ground", "a", "xa"), "right": my.slider("ground", "b", "yb", axis="y")},
    )
    values = outputs_of(model, {"xa": 4.0, "yb": 2.0, "xa.speed": -2.0, "yb.speed": 1.0})
    assert vector_of(values, "com.position") == pytest.approx([1.0, 1.5, 0.0])
    assert vector_of(values, "com.velocity") == pytest.approx([-0.5, 0.75, 0.0])
    assert vector_of(values, "momentum.linear") == pytest.approx([-2.0, 3.0, 0.0])
    # About the centre of mass: Σ (r - c) × m v, along z.
    spin = (4.0 - 1.0) * 0.0 - (0.0 - 1.5) * 1.0 * -2.0 + (0.0 - 1.0) * 3.0 * 1.0 - (2.0 - 1.5) * 0.0
    assert vector_of(values, "momentum.angular") == pytest.approx([0.0, 0.0, spin])
    assert values["energy.kinetic"] == pytest.approx(0.5 * 4.0 + 0.5 * 3.0)


def test_tension_pulls_the_ends_together() -> None:
    """A stretched spring between two sliders pulls both inwards with stiffness times stretch."""
    model = my.Model(
        name="pair",
        gravity=(0.0, 0.0, 0.0),
        bodies={"a": my.Body(mass=1.0), "b": my.Body(mass=2.0)},
        joints={"left": my.slider("ground", "a", "xa"), "right": my.slider("ground", "b", "xb")},
        forces={
            "spring": my.PointSpring(
                start=my.Marker(body="a"), end=my.Marker(body="b"), stiffness=10.0, rest_length=0.5, damping=3.0
            )
        },
    )
    values = outputs_of(model, {"xa": 0.0, "xb": 1.5, "xb.speed": 0.4})
    assert values["spring.force"] == pytest.approx(10.0 + 1.2)
    assert values["xa.acceleration"] == pytest.approx(11.2)
    assert values["xb.acceleration"] == pytest.approx(-5.6)
    assert values["energy.potential"] == pytest.approx(5.0)
    assert values["energy.input_power"] == pytest.approx(-3.0 * 0.4**2)


# ---- inverse undoes forward ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["jumper_skeleton", "runner_skeleton"])
def test_inverse_dynamics_of_a_recorded_motion_returns_the_motors(name: str) -> None:
    """Only motors act, so inverse dynamics of the simulated motion must return gain times control."""
    model = my.load_model(name)
    motors = {key: force for key, force in model.forces.items() if isinstance(force, my.CoordinateActuator)}
    assert motors
    alone = my.Model(
        name=name, gravity=model.gravity, bodies=dict(model.bodies), joints=dict(model.joints), forces=motors
    )
    waves = {
        key: my.bezier([0.0, 0.05 * (-1) ** number, 0.02, -0.03], start=0.0, end=0.3)
        for number, key in enumerate(motors)
    }
    run = my.simulate(alone, 0.3, controls=waves)
    eq = my.equations_of(alone)
    q, v, vdot = (
        np.stack([run.values(name + ending) for name in eq.coordinates], axis=1)
        for ending in ("", ".speed", ".acceleration")
    )
    moments = eq.inverse_dynamics(q, v, vdot)
    assert np.abs(q[-1] - q[0]).max() > 0.05, "nothing moved, so nothing was tested"
    applied = np.zeros_like(moments)
    for key, motor in motors.items():
        applied[:, eq.coordinates.index(motor.coordinate)] += motor.gain * waves[key](run.time)
    assert np.abs(applied).max() > 1.0
    assert_close(moments, applied, 1e-9, "moments")
    for number, coordinate in enumerate(eq.coordinates):
        np.testing.assert_allclose(run.values(f"{coordinate}.moment"), moments[:, number], atol=1e-9)
