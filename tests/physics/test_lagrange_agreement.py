"""The generator of Lagrange's equations against the equations that myodyne runs.

Formulas are derived for planar trees of 1 to 6 bodies and for small spatial ones; the numeric path of the generator,
which differentiates the same energies without writing formulas, goes to 15 bodies.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.equations import equations_of
from myodyne.errors import ModelError
from myodyne.formulations import lagrange as lg
from myodyne.model import Model, Spline
from support.comparison import assert_close
from support.random_trees import State, random_state, random_tree
from support.samples import one_in

TOLERANCE = 1e-10
PLANAR = range(30)
SPATIAL = range(5)
LARGE = range(20)


def agrees(model: Model, numbers: lg.NumericEquations, state: State) -> None:
    """Compare mass matrix, residual and energies at a state."""
    equations = equations_of(model, compiled=False)
    assert numbers.coordinates == equations.coordinates
    q, v, vdot = state.q, state.v, state.vdot
    found = numbers.terms(q, v)
    assert_close(found.mass_matrix, equations.mass_matrix(q), TOLERANCE, "mass matrix")
    x, xdot = np.concatenate([q, v]), np.concatenate([v, vdot])
    u = np.linspace(-2.0, 3.0, len(equations.controls))
    ours = equations.residual(x, xdot, u)[len(q) :]
    theirs = numbers.residual(q, v, vdot, dict(zip(equations.controls, u, strict=True)))
    assert_close(ours, theirs, TOLERANCE, "residual")
    energies = found.kinetic_energy, found.potential_energy
    assert_close(equations.energy(q, v), energies, TOLERANCE, "energy")


def planar_tree(seed: int) -> Model:
    """Return a tree of 1 to 6 bodies on pins and sliders, every third one a chain of pins."""
    kinds = ("pin",) if seed % 3 == 0 else ("pin", "slider", "planar", "weld")
    return random_tree(seed, 1 + seed % 6, flat=True, kinds=kinds, most_coordinates=6)


def test_the_planar_trees_are_chains_and_branched() -> None:
    models = [planar_tree(seed) for seed in PLANAR]
    assert {len(model.bodies) for model in models} == set(range(1, 7))
    branched = [
        model for model in models if len({joint.parent.body for joint in model.joints.values()}) < len(model.joints)
    ]
    assert len(branched) >= 8
    assert len(models) - len(branched) >= 8


@pytest.mark.parametrize("seed", one_in(5, PLANAR))
def test_formulas_of_planar_trees(seed: int) -> None:
    pytest.importorskip("sympy", reason="formulas need SymPy, which comes with the test extra")
    model = planar_tree(seed)
    description = lg.from_model(model)
    assert description.dimension == 2
    agrees(model, lg.derive(description).numbers(), random_state(model, seed))


@pytest.mark.parametrize("seed", one_in(3, SPATIAL))
def test_formulas_of_spatial_trees(seed: int) -> None:
    """Ball, universal and slanted joints, with placements turned in space; formulas grow fast, so few coordinates."""
    pytest.importorskip("sympy", reason="formulas need SymPy, which comes with the test extra")
    model = random_tree(seed + 40, 1 + seed % 3, most_coordinates=3)
    description = lg.from_model(model)
    agrees(model, lg.derive(description).numbers(), random_state(model, seed))


@pytest.mark.parametrize("seed", one_in(3, LARGE))
def test_numbers_of_large_trees(seed: int) -> None:
    """Up to 15 bodies and 20 coordinates, every second tree planar, with locks, massless bodies and all joints."""
    model = random_tree(seed + 70, 7 + seed % 9, flat=seed % 2 == 0)
    agrees(model, lg.numbers_of(lg.from_model(model)), random_state(model, seed))


@pytest.mark.long
def test_numbers_of_nonlinear_joints() -> None:
    """Polynomials, splines, Fourier series and products, also of coordinates of other joints."""
    splines = 0
    for seed in range(1, 60, 4):
        model = random_tree(seed + 200, 3, functions=True, flat=seed % 3 == 0)
        functions = [axis.function for joint in model.joints.values() for axis in joint.axes]
        functions += [part.coupled for part in model.coordinates.values()]
        splines += any(isinstance(function, Spline) for function in functions)
        agrees(model, lg.numbers_of(lg.from_model(model)), random_state(model, seed))
    assert splines >= 5


FIELDS = {
    my.Constant: {"value"},
    my.Linear: {"coordinate", "slope", "offset"},
    my.Polynomial: {"of", "terms"},
    my.Term: {"coefficient", "powers"},
    my.Fourier: {"coordinate", "period", "mean", "slope", "cosines", "sines"},
    my.Product: {"factors"},
    my.Spline: {"coordinate", "x", "y", "ends"},
    my.PiecewiseLinear: {"coordinate", "x", "y"},
    my.Body: {"mass", "centre_of_mass", "inertia"},
    my.Axis: {"motion", "direction", "function"},
    my.Joint: {"parent", "child", "coordinates", "axes"},
    my.Placement: {"body", "at", "orientation"},
    my.Coordinate: {"default", "default_speed", "range", "locked", "coupled"},
    my.PointForce: {"body", "at", "force", "axes", "controlled"},
    my.BodyTorque: {"body", "torque", "axes", "controlled"},
    my.PointSpring: {"start", "end", "stiffness", "rest_length", "damping"},
    my.TorsionSpring: {"coordinate", "stiffness", "rest", "damping"},
    my.JointLimit: {"coordinate", "lower", "upper", "stiffness", "damping", "transition", "curvature", "onset"},
    my.CoordinateActuator: {"coordinate", "gain", "control_range"},
    my.PointConstraint: {"first", "second", "axes", "by", "solves"},
    my.DistanceConstraint: {"first", "second", "distance", "by", "solves"},
    my.CouplerConstraint: {"coordinate", "function", "by", "solves"},
}


@pytest.mark.parametrize("part", FIELDS, ids=lambda part: part.__name__)
def test_no_field_of_a_model_goes_unread(part: Any) -> None:
    """A field that is added to a part of the model must be read by `from_model` too, or be known not to matter."""
    drawn_only = {"geometry"}
    assert set(part.model_fields) - {"kind"} - drawn_only == FIELDS[part]


def loaded(spatial: bool) -> Model:
    """Return an arm with every force that models know, some controlled."""
    z = 0.1 if spatial else 0.0
    inertia = my.Inertia(xx=0.03, yy=0.02, zz=0.04, xy=0.004, xz=-0.003, yz=0.002)
    return my.Model(
        name="arm",
        gravity=(0.5, -9.81, 1.0 if spatial else 0.0),
        bodies={
            "upper": my.Body(mass=2.0, centre_of_mass=(0.02, -0.15, z), inertia=inertia),
            "lower": my.Body(mass=1.2, centre_of_mass=(0.0, -0.12, -z), inertia=inertia),
        },
        joints={
            "shoulder": my.ball("ground", "upper", ("flex", "adduct", "rotate"), "zxy")
            if spatial
            else my.pin("ground", "upper", "flex"),
            "elbow": my.pin({"body": "upper", "at": (0.0, -0.3, 0.0)}, "lower", "elbow angle"),
        },
        forces={
            "push": my.PointForce(body="lower", at=(0.01, -0.2, z), force=(3.0, -2.0, 4.0 * z)),
            "thrust": my.PointForce(
                body="lower", at=(0.0, -0.25, 0.0), force=(1.0, 2.0, z), axes="body", controlled=True
            ),
            "twist": my.BodyTorque(body="upper", torque=(5 * z, 2 * z, 1.5), axes="body", controlled=True),
            "wind": my.BodyTorque(body="lower", torque=(z, -z, 0.7)),
            "band": my.PointSpring(
                start=my.Marker(body="ground", at=(0.3, 0.1, z)),
                end=my.Marker(body="lower", at=(0, -0.1, 0)),
                stiffness=40.0,
                rest_length=0.2,
                damping=3.0,
            ),
            "tendon": my.TorsionSpring(coordinate="elbow angle", stiffness=5.0, rest=0.4, damping=0.6),
            "stop": my.JointLimit(
                coordinate="elbow angle",
                lower=0.1,
                upper=0.9,
                stiffness=30.0,
                damping=1.0,
                transition=0.2,
                curvature=40.0,
            ),
            "soft_stop": my.JointLimit(
                coordinate="flex",
                lower=-0.2,
                upper=0.3,
                stiffness=20.0,
                damping=1.5,
                transition=0.1,
                onset="hyperbolic",
            ),
            "motor": my.CoordinateActuator(coordinate="elbow angle", gain=7.0),
        },
    )


@pytest.mark.parametrize("spatial", [False, True])
@pytest.mark.parametrize("elbow", [-0.3, 0.4, 1.2])
def test_every_force_of_a_model(spatial: bool, elbow: float) -> None:
    model = loaded(spatial)
    description = lg.from_model(model)
    assert description.dimension == (3 if spatial else 2)
    state = random_state_of(model, 5)
    state.q[-1] = elbow
    equations = equations_of(model, compiled=False)
    # Energies: the limit is a force here and stores none in the lists.
    numbers = lg.numbers_of(description)
    x, xdot = np.concatenate([state.q, state.v]), np.concatenate([state.v, state.vdot])
    u = {"thrust": 1.3, "twist": -0.6, "motor": 0.8}
    ours = equations.residual(x, xdot, [u[name] for name in equations.controls])[len(state.q) :]
    assert_close(ours, numbers.residual(state.q, state.v, state.vdot, u), TOLERANCE, "residual")
    pytest.importorskip("sympy", reason="formulas need SymPy, which comes with the test extra")
    formulas = lg.derive(description).numbers()
    assert_close(ours, formulas.residual(state.q, state.v, state.vdot, u), TOLERANCE, "residual of formulas")


def random_state_of(model: Model, seed: int) -> State:
    rng = np.random.default_rng(seed)
    q, v, vdot, tau = rng.uniform(-0.8, 0.8, size=(4, len(model.moving)))
    return State(q, v, vdot, tau)


def test_coupled_coordinates_are_embedded() -> None:
    model = my.Model(
        name="geared",
        bodies={
            "a": my.Body(mass=1.0, centre_of_mass=(0.2, 0, 0), inertia=0.1),
            "b": my.Body(mass=2.0, centre_of_mass=(0.1, 0, 0), inertia=0.2),
        },
        joints={
            "first": my.pin("ground", "a", "one"),
            "second": my.pin(
                {"body": "a", "at": (0.4, 0, 0)},
                "b",
                "two",
                coupled={
                    "kind": "polynomial",
                    "of": ["one"],
                    "terms": [{"coefficient": -1.5, "powers": [1]}, {"coefficient": 0.3, "powers": [2]}],
                },
            ),
        },
    )
    agrees(model, lg.numbers_of(lg.from_model(model)), random_state_of(model, 1))


def closed(constraint: Any) -> Model:
    """Return three rods in a plane whose last end is held by a constraint."""
    rod = my.Body(mass=1.0, centre_of_mass=(0.25, 0, 0), inertia=0.03)
    return my.Model(
        name="loop",
        gravity=(0.0, -9.81, 0.0),
        bodies={"a": rod, "b": rod, "c": rod},
        joints={
            "j1": my.pin("ground", "a", "q1"),
            "j2": my.pin({"body": "a", "at": (0.5, 0, 0)}, "b", "q2"),
            "j3": my.pin({"body": "b", "at": (0.5, 0, 0)}, "c", "q3"),
        },
        constraints={"hold": constraint},
    )


END, POST = my.Marker(body="c", at=(0.5, 0, 0)), my.Marker(body="ground", at=(0.9, 0.2, 0))
CONSTRAINTS = {
    "point": my.PointConstraint(first=END, second=POST),
    "height": my.PointConstraint(first=END, second=POST, axes="y"),
    "distance": my.DistanceConstraint(first=END, second=POST, distance=0.3),
    "coupler": my.CouplerConstraint(
        coordinate="q3", function={"kind": "linear", "coordinate": "q1", "slope": 0.5, "offset": 0.2}
    ),
}


@pytest.mark.parametrize("kind", CONSTRAINTS)
def test_constraints_of_a_model(kind: str) -> None:
    """The accelerations under a constraint are those of the model; its stabilisation is none."""
    model = closed(CONSTRAINTS[kind])
    numbers = lg.numbers_of(lg.from_model(model))
    q, v = np.array([0.9, -0.5, -1.1]), np.array([0.3, -0.7, 0.5])
    ours = equations_of(model, compiled=False).forward_dynamics(q, v, np.zeros(3))
    assert_close(ours, numbers.motion(q, v).accelerations, TOLERANCE, "accelerations")


@pytest.mark.parametrize(
    "constraint",
    [
        my.WeldConstraint(first=my.Placement(body="c"), second=my.Placement(body="ground")),
    ],
)
def test_constraints_that_lists_cannot_express(constraint: Any) -> None:
    with pytest.raises(ModelError, match=r"constraint 'hold' is a .* which the lists cannot express"):
        lg.from_model(closed(constraint))


def test_what_pulls_along_paths_is_refused_by_name() -> None:
    path = my.PointPath(points=(("ground", (0.1, 0.0, 0.0)), ("upper", (0.0, -0.1, 0.0))))
    band = my.Ligament(path=path, slack_length=0.1, stiffness=100.0)
    with pytest.raises(ModelError, match="force 'sinew' is a ligament, which the lists cannot express"):
        lg.from_model(loaded(spatial=True).with_parts(forces={"sinew": band}))
    muscle = my.Muscle(path=path, max_force=10.0, optimal_fibre_length=0.1, tendon_slack_length=0.1)
    with pytest.raises(ModelError, match="'biceps' is a muscle, which the lists cannot express"):
        lg.from_model(loaded(spatial=True).with_parts(muscles={"biceps": muscle}))


def test_products_of_sine_and_cosine_of_one_coordinate_are_written() -> None:
    sympy = pytest.importorskip("sympy")
    slider = lg.Description(
        name="slider",
        coordinates=["q"],
        parameters=["r", "m", "g"],
        gravity=(0, "-g"),
        points={"bead": lg.Point("ground", ("r*sin(q)**2", 0))},
        frames={},
        segments={"bead": lg.Segment("bead", "m")},
    )
    equations = lg.derive(slider)
    left = equations.left_side("q")
    assert sympy.simplify(equations.tidy(left) - left) == 0
    assert sympy.simplify(equations.equation("q").lhs - left) == 0
    assert "sin(q)" in equations.text()
    assert r"\cos" in equations.latex()


@pytest.mark.parametrize(
    ("formula", "tidied"),
    [
        ("m*sin(a)*cos(a)", "m*sin(a)*cos(a)"),
        ("m*sin(a)**2*cos(a) + m*cos(a)**3", "m*cos(a)"),
        ("m*sin(a)**3*sin(b) + m*sin(a)*cos(a)**2*sin(b)", "m*sin(a)*sin(b)"),
        ("m*cos(a)**4 + m*sin(a)**2*cos(a)**2", "m*cos(a)**2"),
        ("m*sin(a)*cos(a)*sin(b) + m*cos(a)**2*cos(b)", "m*cos(a)*cos(a - b)"),
        ("m*sin(a)*cos(b) + m*cos(a)*sin(b)", "m*sin(a + b)"),
        ("m*cos(a)**3 + n*sin(a)**2*cos(a)", "m*cos(a)**3 + n*sin(a)**2*cos(a)"),
    ],
)
def test_sines_and_cosines_combine(formula: str, tidied: str) -> None:
    sympy = pytest.importorskip("sympy")
    from myodyne.formulations.lagrange.formulas.tidying import tidy

    assert tidy(sympy.sympify(formula), sympy.symbols("a b")) == sympy.sympify(tidied)
