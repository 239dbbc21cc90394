"""Forces as OpenSim has them: accelerations, recorded forces and energies against numbers of OpenSim 4.6.

``tests/fixtures/opensim/generate_forces.py`` made the numbers.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my
from support.comparison import assert_close
from support.frames import Array
from support.opensim_forces import opensim_forces

DATA = json.loads((Path(__file__).parents[1] / "fixtures" / "opensim" / "forces.json").read_text(encoding="utf-8"))
FORCES = tuple(DATA["forces"])


@cache
def equations(name: str | None) -> my.Equations:
    """Return the model with one of its forces, or with none."""
    model = opensim_forces()
    return my.equations_of(model.without(*(other for other in model.forces if other != name)), compiled=False)


def state(eq: my.Equations, number: int) -> Array:
    place = DATA["states"][number]
    return np.array([*(place["q"][name] for name in eq.coordinates), *(place["v"][name] for name in eq.coordinates)])


def control(eq: my.Equations) -> Array:
    return np.full(len(eq.controls), DATA["control"])


def accelerations(name: str | None, number: int) -> tuple[Array, Array]:
    """Return ours and theirs, in our order."""
    eq = equations(name)
    theirs = (DATA["none"] if name is None else DATA["forces"][name])[number]["accelerations"]
    theirs = dict(zip(DATA["coordinates"], theirs, strict=True))
    ours = eq.derivative(state(eq, number), control(eq))[len(eq.coordinates) :]
    return ours, np.array([theirs[coordinate] for coordinate in eq.coordinates])


def outputs(name: str, number: int) -> dict[str, float]:
    eq = equations(name)
    x = state(eq, number)
    values = eq.output_values(x, eq.derivative(x, control(eq)), control(eq))
    return dict(zip(eq.outputs, values, strict=True))


@pytest.mark.parametrize("number", range(len(DATA["states"])))
@pytest.mark.parametrize("name", [None, *FORCES])
def test_accelerations(name: str | None, number: int) -> None:
    ours, theirs = accelerations(name, number)
    assert_close(ours, theirs, 1e-8, f"accelerations under {name}")


@pytest.mark.parametrize("number", range(len(DATA["states"])))
@pytest.mark.parametrize("name", FORCES)
def test_recorded_forces(name: str, number: int) -> None:
    """What OpenSim records of each force: one number, or the forces on both of its bodies."""
    found = outputs(name, number)
    theirs = DATA["forces"][name][number]["record"]
    sizes = [abs(value) for value in theirs]
    if f"{name}.force_x" not in found:
        size = found.get(f"{name}.force", found.get(f"{name}.torque"))
        assert size == pytest.approx(theirs[0], rel=1e-8, abs=1e-9)
        return
    # The bushing's force is told on its second body, that of a contact on the sphere, OpenSim's first.
    first = 6 if name == "bushing" else 0
    assert_close(
        [found[f"{name}.force_{letter}"] for letter in "xyz"],
        theirs[first : first + 3],
        1e-8,
        name,
        floor=max(sizes) + 1e-9,
    )


@pytest.mark.parametrize("number", range(len(DATA["states"])))
@pytest.mark.parametrize(
    "name", ["turn_limit", "slide_limit", "bushing", "hunt_crossley", "hunt_crossley_pair", "smooth", "smooth_plate"]
)
def test_stored_energies(name: str, number: int) -> None:
    theirs = DATA["forces"][name][number]["potential"] - DATA["none"][number]["potential"]
    if name == "bushing":
        # OpenSim 4.6 gives twice the work that its bushing does: K d² in place of K d² / 2.
        theirs /= 2
    ours = outputs(name, number)["energy.potential"] - DATA["none"][number]["potential"]
    assert ours == pytest.approx(theirs, rel=1e-8, abs=1e-9)


def test_every_force_acted_in_some_state() -> None:
    still = [np.array(case["accelerations"]) for case in DATA["none"]]
    for name, cases in DATA["forces"].items():
        acted = sum(
            np.abs(np.array(case["accelerations"]) - free).max() > 0.1 for case, free in zip(cases, still, strict=True)
        )
        assert acted >= 2, name


# ---- what must hold whatever OpenSim says -------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in FORCES
        if name not in ("turn_limit", "slide_limit", "jet", "fixed_jet", "hunt_crossley", "smooth")
    ],
)
def test_forces_between_bodies_keep_momentum(name: str) -> None:
    """The rates of linear momentum, and of angular momentum about the ground's origin, are those of gravity alone."""
    for number in range(len(DATA["states"])):
        rates = []
        for eq in (equations(name), equations(None)):
            x = state(eq, number)
            size = len(eq.coordinates)

            def momentum(steps: Array, eq: my.Equations = eq, x: Array = x, size: int = size) -> Array:
                rows = x + steps * eq.derivative(x, control(eq))
                linear, angular = eq.momentum(rows[:, :size], rows[:, size:])
                return np.hstack([linear, angular + np.cross(eq.centre_of_mass(rows[:, :size]), linear)])

            step = np.array([[1e-5], [-1e-5]])
            ahead, behind = momentum(step)
            rates.append((ahead - behind) / 2e-5)
        assert_close(rates[0], rates[1], 1e-6, f"momentum under {name}")


def springs() -> my.Model:
    """Return the model with all that stores energy, and nothing that loses it."""
    model = opensim_forces().without(
        "torque", "twist", "jet", "fixed_jet", "piston", "cable", "smooth", "smooth_plate", "hunt_crossley_pair"
    )
    numbers: dict[str, Any] = {"turn_limit.damping": 0.0, "slide_limit.damping": 0.0, "path_spring.dissipation": 0.0}
    numbers |= {f"bushing.{kind}_damping": (0.0, 0.0, 0.0) for kind in ("rotational", "translational")}
    numbers |= {
        f"hunt_crossley.{field}": 0.0
        for field in ("dissipation", "static_friction", "dynamic_friction", "viscous_friction")
    }
    return model.with_values(numbers)


def test_energy_is_kept_without_dampers() -> None:
    model = springs()
    place = DATA["states"][0]
    start = {**place["q"], **{f"{name}.speed": value for name, value in place["v"].items()}}
    run = my.simulate(model, duration=0.4, start=start, scheme=my.DOP853(relative=1e-10, absolute=1e-12))
    for name in ("bushing", "path_spring", "ligament", "hunt_crossley", "slide_limit"):
        assert float(np.abs(run[f"{name}.force"]).max()) > 1.0, f"the {name} was never loaded"
    energy = run["energy.kinetic"].values + run["energy.potential"].values
    exchanged = float(np.ptp(run["energy.kinetic"].values))
    assert exchanged > 1.0
    assert float(np.ptp(energy)) < 1e-6 * exchanged
    assert float(np.abs(run["energy.input_power"]).max()) < 1e-9


def ball(**contact: Any) -> my.Model:
    """Return a ball of 2 kg over a floor at y = 0, which it touches when its centre is at 0.05 m."""
    floor = my.Placement(body="ground", orientation=(0.0, 0.0, my.degrees(-90)))
    kind = contact.pop("kind")
    shared: dict[str, Any] = {
        "body": "ball",
        "radius": 0.05,
        "plane": floor,
        "stiffness": 1e6,
        "dissipation": 1.0,
        "static_friction": 0.8,
        "dynamic_friction": 0.6,
        "viscous_friction": 0.1,
        **contact,
    }
    return my.Model(
        name="ball",
        bodies={"ball": my.Body(mass=2.0, inertia=0.002)},
        joints={"flight": my.planar("ground", "ball", ("x", "y", "angle"))},
        forces={"floor": kind(**shared)},
    )


KINDS = pytest.mark.parametrize("kind", [my.HuntCrossleyContact, my.SmoothSphereContact])


@KINDS
@pytest.mark.parametrize("height", [0.05, 0.049, 0.2, 0.0])
def test_derivatives_are_finite_where_the_ball_touches_and_rests(kind: Any, height: float) -> None:
    """First and second derivatives, at rest where slip has no direction, for solvers that use both."""
    import casadi as ca

    eq = my.equations_of(ball(kind=kind), compiled=False)
    x = np.array([0.0, height, 0.0, 0.0, 0.0, 0.0])
    for jacobian in eq.jacobians(x, np.zeros(6)):
        assert np.isfinite(jacobian.toarray()).all()
    a = eq.assembly()
    weighted = ca.dot(a.residual, ca.DM(np.arange(1.0, 7.0)))
    curvature = ca.Function("curvature", [a.x, a.xdot, a.u, a.p], [ca.hessian(weighted, a.x)[0]])
    assert np.isfinite(curvature(x, np.zeros(6), [], []).full()).all()


@KINDS
def test_a_dropped_ball_comes_to_rest_on_its_depth(kind: Any) -> None:
    """Hertz's law at rest: 4/3 k sqrt(R k) d^1.5 = m g, with k = stiffness^(2/3) / 2."""
    model = ball(kind=kind, dissipation=20.0)
    run = my.simulate(model, duration=3.0, start={"y": 0.06, "x.speed": 0.3}, scheme=my.Midpoint(step=0.002))
    weight = 2.0 * 9.80665
    assert float(run["floor.force_y"][-1]) == pytest.approx(weight, rel=1e-3)
    k = 1e6 ** (2 / 3) / 2
    depth = (weight / (4 / 3 * k * np.sqrt(0.05 * k))) ** (2 / 3)
    # The smooth form adds to the square of the depth and so holds the ball a little higher.
    assert float(run["y"][-1]) == pytest.approx(0.05 - depth, abs=1e-4 if kind is my.HuntCrossleyContact else 3e-3)
    # The sliding ball was slowed by friction until it rolled: the point that touches the floor stands still.
    assert float(run["x.speed"][-1] + 0.05 * run["angle.speed"][-1]) == pytest.approx(0.0, abs=0.02)
    assert 0.0 < float(run["x.speed"][-1]) < 0.3


def test_the_floor_is_outside_of_the_body() -> None:
    """Net moments of coordinates are reckoned beside the reaction of the ground, as beside any outside force."""
    eq = my.equations_of(ball(kind=my.HuntCrossleyContact), compiled=False)
    x = np.array([0.0, 0.045, 0.0, 0.1, 0.0, 0.0])
    values = dict(zip(eq.outputs, eq.output_values(x, eq.derivative(x)), strict=True))
    assert values["floor.force_y"] > 1.0
    assert values["y.moment"] == pytest.approx(0.0, abs=1e-12)


def test_softer_planes_share_the_depth() -> None:
    """The point of contact moves from the sphere's surface to the plane as the sphere takes more of the depth."""
    turns = []
    for share in (0.0, 1.0):
        eq = my.equations_of(ball(kind=my.HuntCrossleyContact, sphere_share=share, dissipation=0.0), compiled=False)
        x = np.array([0.0, 0.04, 0.0, 0.5, 0.0, 0.0])
        values = dict(zip(eq.outputs, eq.output_values(x, eq.derivative(x)), strict=True))
        turns.append(0.002 * values["angle.acceleration"] / values["floor.force_x"])
    assert turns == pytest.approx([0.05, 0.04])


# ---- faults -------------------------------------------------------------------------------------------------

END = {"body": "a", "at": (0.0, 0.1, 0.0)}
SPHERE = {"body": "a", "radius": 0.1, "stiffness": 1e6, "plane": {"body": "ground"}}
STRAIGHT = my.PointPath(points=(("a", (0.0, 0.1, 0.0)), ("b", (0.0, 0.0, 0.0))))


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        (
            my.CoordinateLimit,
            {
                "coordinate": "a_rx",
                "lower": 1.0,
                "upper": 0.0,
                "lower_stiffness": 1.0,
                "upper_stiffness": 1.0,
                "transition": 0.1,
            },
            "lower 1 must not lie above upper 0",
        ),
        (
            my.CoordinateLimit,
            {
                "coordinate": "a_rx",
                "lower": 0.0,
                "upper": 1.0,
                "lower_stiffness": 1.0,
                "upper_stiffness": 1.0,
                "transition": 0.0,
            },
            "transition",
        ),
        (my.TorqueActuator, {"body": "a", "axis": (0.0, 0.0, 0.0)}, "axis.*zero vector"),
        (my.TorqueActuator, {"body": "a", "axis": "x", "control_range": (1.0, 0.0)}, "control_range.*inverted"),
        (my.PointActuator, {"body": "a", "direction": "q"}, "direction must be x, y, z"),
        (
            my.Bushing,
            {"first": END, "second": {"body": "b"}, "rotational_damping": (1.0, -1.0, 0.0)},
            "rotational_damping.1",
        ),
        (
            my.CurveLigament,
            {
                "path": STRAIGHT,
                "slack_length": 0.1,
                "scale": 10.0,
                "curve": {"kind": "spline", "coordinate": "a_rx", "x": (1.0, 2.0), "y": (0.0, 1.0)},
            },
            "function of 'length'.*not of 'a_rx'",
        ),
        (my.HuntCrossleyContact, {**SPHERE, "sphere_share": 1.5}, "sphere_share"),
        (my.SmoothSphereContact, {**SPHERE, "transition_velocity": 0.0}, "transition_velocity"),
    ],
)
def test_wrong_numbers_are_refused_by_name(kind: Any, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(my.ModelError, match=message):
        kind(**fields)


@pytest.mark.parametrize(
    ("force", "message"),
    [
        (
            my.CoordinateLimit(
                coordinate="a_rq", lower=0.0, upper=1.0, lower_stiffness=1.0, upper_stiffness=1.0, transition=0.1
            ),
            r"forces.f.coordinate.*did you mean 'a_r",
        ),
        (my.TorqueActuator(body="a", reaction="c", axis="x"), "forces.f.reaction"),
        (my.TorqueActuator(body="a", reaction="a", axis="x"), "'a' would turn against itself"),
        (my.TorqueActuator(body="ground", axis="x"), "'ground' would turn against itself"),
        (my.PointActuator(body="ground", direction="x"), "a force on the ground moves nothing"),
        (my.LineActuator(start=my.Marker(body="a"), end=my.Marker(body="a")), "both ends are on 'a'"),
        (my.Bushing(first=my.Placement(body="b"), second=my.Placement(body="b")), "both ends are on 'b'"),
        (my.Bushing(first=my.Placement(body="b"), second=my.Placement(body="q")), "forces.f.second.body"),
        (
            my.PathActuator(path=my.PointPath(points=(("a", (0.0, 0.1, 0.0)), ("a", (0.0, 0.0, 0.0))))),
            "all points are on 'a'",
        ),
        (
            my.PathSpring(
                path=my.PointPath(points=(("a", (0.0, 0.1, 0.0)), ("q", (0.0, 0.0, 0.0)))),
                rest_length=0.1,
                stiffness=1.0,
            ),
            "forces.f.path.points.1.body",
        ),
        (my.HuntCrossleyContact(**{**SPHERE, "plane": {"body": "a"}}), "sphere and the plane are both on 'a'"),
        (my.SmoothSphereContact(**{**SPHERE, "plane": {"body": "q"}}), "forces.f.plane.body"),
    ],
)
def test_references_are_checked(force: Any, message: str) -> None:
    with pytest.raises(my.ModelError, match=message):
        opensim_forces().with_parts(forces={"f": force})


def test_actuators_are_controlled_and_springs_are_not() -> None:
    model = opensim_forces()
    assert model.controls == ("torque", "twist", "jet", "fixed_jet", "piston", "cable")
    assert [force.controlled for force in model.forces.values()].count(True) == 6


def test_forces_do_not_run_straight_through_surfaces() -> None:
    """Without a fit in place of its path a force must not act along the straight line in silence."""
    import casadi as ca

    from myodyne.physics.forces.total import applied_forces
    from myodyne.physics.kinematics import kinematics_of
    from myodyne.physics.loops import closed_tree

    wrapped = my.PointPath(points=STRAIGHT.points, wraps=(my.Wrap(surface="ball"),))
    model = opensim_forces().with_parts(
        surfaces={"ball": my.WrapSphere(frame=my.Placement(body="a"), radius=0.05)},
        forces={"band": my.PathSpring(path=wrapped, rest_length=0.1, stiffness=1.0)},
    )
    size = len(model.moving)
    kinematics = kinematics_of(closed_tree(model, ca.SX.sym("q", size), ca.SX.sym("v", size)))
    with pytest.raises(my.ModelError, match="paths of 'band' wrap over surfaces"):
        applied_forces(kinematics, {name: ca.SX.sym(name) for name in model.controls})


@pytest.mark.parametrize(
    "curve",
    [
        my.Spline(coordinate="length", x=(0.5, 1.2, 1.5, 1.7), y=(-0.1, 0.2, 0.9, 1.0), ends="cubic"),
        my.Spline(coordinate="length", x=(1.1, 1.2, 1.5), y=(0.1, 0.2, 0.9)),
        my.PiecewiseLinear(coordinate="length", x=(0.9, 1.3, 1.6), y=(0.0, 0.5, 0.6)),
    ],
    ids=["over", "short", "straight"],
)
def test_the_energy_of_a_curved_ligament_is_the_work_of_stretching_it(curve: Any) -> None:
    """Slack, before the first knot, between knots and beyond the last: the integral of the tension by quadrature."""
    path = my.FunctionPath(length=my.Linear(coordinate="x"))
    model = my.Model(
        name="cart",
        bodies={"cart": my.Body(mass=1.0)},
        joints={"rail": my.slider("ground", "cart", "x")},
        gravity=(0.0, 0.0, 0.0),
        forces={"band": my.CurveLigament(path=path, slack_length=0.2, scale=50.0, curve=curve)},
    )
    eq = my.equations_of(model, compiled=False)
    lengths = np.linspace(0.1, 0.5, 40001)
    tensions = -eq.derivative(np.column_stack([lengths, np.zeros_like(lengths)]), np.zeros((len(lengths), 0)))[:, 1]
    assert (tensions[lengths <= 0.2] == 0.0).all()
    middles = (lengths[1:] + lengths[:-1]) / 2
    between = -eq.derivative(np.column_stack([middles, np.zeros_like(middles)]), np.zeros((len(middles), 0)))[:, 1]
    # Simpson's rule on each short piece; the jump where some curves set in lies on the end of one.
    work = np.cumsum(np.diff(lengths) * (tensions[:-1] + 4 * between + tensions[1:]) / 6)
    stored = eq.energy(lengths[1:, None], np.zeros((len(middles), 1)))[1]
    assert_close(stored, work, 1e-4, "stored energy")
