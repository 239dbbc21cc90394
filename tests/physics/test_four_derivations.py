"""Four derivations, one truth: recursion, Newton-Euler, Lagrange and matrix calculus on the same random bodies.

Each builds the equations of motion on its own, from the model's plain data. They must agree to rounding.
"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from myodyne.equations import equations_of
from myodyne.errors import ModelError
from myodyne.files import load_model
from myodyne.formulations import lagrange
from myodyne.formulations.matrix_calculus import MatrixCalculus
from myodyne.formulations.newton_euler import chain_of
from myodyne.model import Axis, Body, Inertia, Joint, Model, PiecewiseLinear, Spline, pin, planar
from support.comparison import assert_close
from support.lagrange import Lagrange
from support.samples import one_in

TOLERANCE = 1e-10
BODIES = 100


def random_body(seed: int) -> Model:
    """Return a planar chain (even seeds) or branched tree (odd seeds) of 1 to 15 segments; every fourth one flies."""
    rng = np.random.default_rng(seed)
    count = 1 + seed % 15
    bodies, joints = {}, {}
    for number in range(count):
        name = f"segment{number}"
        mass, length = rng.uniform(0.5, 5.0), rng.uniform(0.2, 0.6)
        bodies[name] = Body(
            mass=mass,
            centre_of_mass=(rng.uniform(-0.05, 0.05), -length * rng.uniform(0.3, 0.6), 0.0),
            inertia=Inertia(xx=1.0, yy=1.0, zz=mass * length**2 * rng.uniform(0.05, 0.12)),
        )
        if number == 0:
            joints["base"] = planar("ground", name, ("x", "y", "q0")) if seed % 4 == 3 else pin("ground", name, "q0")
            continue
        parent = f"segment{number - 1}" if seed % 2 == 0 else f"segment{rng.integers(number)}"
        at = (rng.uniform(-0.1, 0.1), -rng.uniform(0.2, 0.6), 0.0)
        joints[f"joint{number}"] = pin({"body": parent, "at": at}, name, f"q{number}")
    return Model(name=f"body {seed}", gravity=(0.3, -9.81, 0.0), bodies=bodies, joints=joints)


def test_the_bodies_are_of_all_sizes_and_kinds() -> None:
    models = [random_body(seed) for seed in range(BODIES)]
    assert {len(model.bodies) for model in models} == set(range(1, 16))
    branched = sum(len({joint.parent.body for joint in model.joints.values()}) < len(model.joints) for model in models)
    assert branched >= 35
    assert sum("x" in model.coordinates for model in models) == 25


@pytest.mark.parametrize("seed", one_in(6, range(BODIES)))
def test_all_four_agree(seed: int) -> None:
    model = random_body(seed)
    recursion = equations_of(model, compiled=False)
    size = len(recursion.coordinates)
    q, v, vdot = np.random.default_rng([seed, 1]).normal(size=(3, size))
    mass = recursion.mass_matrix(q)
    forces = recursion.inverse_dynamics(q, v, vdot)
    assert_close(recursion.forward_dynamics(q, v, forces), vdot, TOLERANCE * np.linalg.cond(mass), "recursion")

    chain = chain_of(model)
    assert_close(chain.mass_matrix(q), mass, TOLERANCE, "Newton-Euler: mass matrix")
    assert_close(chain.inverse_dynamics(q, v, vdot), forces, TOLERANCE, "Newton-Euler: forces")

    energies = lagrange.numbers_of(lagrange.from_model(model), {})
    assert_close(energies.mass_matrix(q), mass, TOLERANCE, "Lagrange: mass matrix")
    assert_close(energies.inverse_dynamics(q, v, vdot), forces, TOLERANCE, "Lagrange: forces")

    calculus = MatrixCalculus(model)
    assert_close(calculus.mass_matrix(q), mass, TOLERANCE, "matrix calculus: mass matrix")
    assert_close(calculus.inverse_dynamics(q, v, vdot), forces, TOLERANCE, "matrix calculus: forces")


def knee(ends: str, knots: int) -> Model:
    """Return a thigh and a shank that slides and twists by splines of the knee angle."""
    rng = np.random.default_rng(knots)
    x = np.sort(rng.uniform(-1.0, 1.0, knots)) + 0.1 * np.arange(knots)

    def spline(size: float) -> Spline:
        return Spline(coordinate="knee", x=x.tolist(), y=(size * rng.normal(size=knots)).tolist(), ends=ends)

    bodies = {
        name: Body(mass=3.0, centre_of_mass=(0.01, -0.2, 0.02), inertia=Inertia(xx=0.06, yy=0.01, zz=0.06, xy=0.002))
        for name in ("thigh", "shank")
    }
    rotation = {"motion": "rotation", "direction": "z", "function": {"kind": "linear", "coordinate": "knee"}}
    axes = [
        Axis.model_validate(rotation),
        Axis(motion="rotation", direction="y", function=spline(0.2)),
        Axis(motion="translation", direction="x", function=spline(0.05)),
    ]
    parent = {"body": "thigh", "at": (0.0, -0.4, 0.0)}
    joint = Joint(parent=parent, child={"body": "shank"}, coordinates={"knee": {}}, axes=axes)
    return Model(
        name=f"knee, {ends}, {knots} knots", bodies=bodies, joints={"hip": pin("ground", "thigh", "hip"), "knee": joint}
    )


@pytest.mark.parametrize("ends", get_args(Spline.model_fields["ends"].annotation))
@pytest.mark.parametrize("knots", [2, 3, 4, 5, 8])
@pytest.mark.parametrize("angle", [-1.4, -0.3, 0.2, 0.6, 2.5])
def test_splines_agree_whatever_their_ends(ends: str, knots: int, angle: float) -> None:
    model = knee(ends, knots)
    recursion, energies, calculus = equations_of(model, compiled=False), Lagrange(model), MatrixCalculus(model)
    v, vdot = np.random.default_rng(knots).normal(size=(2, 2))
    q = np.array([0.4, angle])
    mass, forces = recursion.mass_matrix(q), recursion.inverse_dynamics(q, v, vdot)
    assert_close(energies.mass_matrix(q), mass, TOLERANCE, "Lagrange: mass matrix")
    assert_close(energies.inverse_dynamics(q, v, vdot), forces, TOLERANCE, "Lagrange: forces")
    assert_close(calculus.mass_matrix(q), mass, TOLERANCE, "matrix calculus: mass matrix")
    assert_close(calculus.inverse_dynamics(q, v, vdot), forces, TOLERANCE, "matrix calculus: forces")
    lists = lagrange.numbers_of(lagrange.from_model(model), {})
    assert_close(lists.mass_matrix(q), mass, TOLERANCE, "Lagrange from lists: mass matrix")
    assert_close(lists.inverse_dynamics(q, v, vdot), forces, TOLERANCE, "Lagrange from lists: forces")


def test_straight_pieces_agree() -> None:
    """The slope jumps at the points; between them all derivations agree."""
    model = knee("natural", 5)
    pieces = PiecewiseLinear(coordinate="knee", x=(-1.0, -0.2, 0.5, 1.2), y=(0.1, -0.05, 0.2, 0.15))
    joint = model.joints["knee"]
    axes = [joint.axes[0], *(axis.model_copy(update={"function": pieces}) for axis in joint.axes[1:])]
    joints = {**dict(model.joints), "knee": joint.model_copy(update={"axes": tuple(axes)})}
    model = model.model_copy(update={"joints": type(model.joints)(joints)})
    v, vdot = np.random.default_rng(2).normal(size=(2, 2))
    for angle in (-1.4, -0.6, 0.1, 0.9, 2.0):
        q = np.array([0.4, angle])
        forces = equations_of(model, compiled=False).inverse_dynamics(q, v, vdot)
        lists = lagrange.numbers_of(lagrange.from_model(model), {})
        assert_close(lists.inverse_dynamics(q, v, vdot), forces, TOLERANCE, "Lagrange from lists")
        assert_close(MatrixCalculus(model).inverse_dynamics(q, v, vdot), forces, TOLERANCE, "matrix calculus")


OSIM = Path(__file__).parents[3] / "shared" / "models_osim"
SHORT = ("gait10dof18musc.osim",)
FILES = (*SHORT, "gait2392_thelen2003muscle.osim", "arm26.osim", "wrist.osim", "MoBL_ARMS.osim", "leg6dof9musc.osim")


@pytest.mark.skipif(not OSIM.is_dir(), reason="the OpenSim models are not at hand")
@pytest.mark.parametrize("file", [pytest.param(f, marks=() if f in SHORT else pytest.mark.long) for f in FILES])
def test_models_of_opensim_agree(file: str) -> None:
    """Whatever joint functions files bring: recursion, matrix calculus and the lists."""
    loaded = load_model(OSIM / file)
    model = loaded.without(*loaded.muscles, *loaded.forces, *loaded.constraints)
    recursion = equations_of(model, compiled=False)
    rng = np.random.default_rng(4)
    ranges = [model.coordinates[name].range or (-0.5, 0.5) for name in recursion.coordinates]
    q = np.array([low + (high - low) * rng.uniform(0.3, 0.7) for low, high in ranges])
    v, vdot = rng.normal(size=(2, q.size))
    forces = recursion.inverse_dynamics(q, v, vdot)
    assert_close(MatrixCalculus(model).inverse_dynamics(q, v, vdot), forces, TOLERANCE, "matrix calculus")
    lists = lagrange.numbers_of(lagrange.from_model(model), {})
    assert_close(lists.inverse_dynamics(q, v, vdot), forces, TOLERANCE, "Lagrange from lists")


def test_the_ends_of_a_spline_matter_and_a_chain_refuses_it() -> None:
    natural, cubic = (MatrixCalculus(knee(ends, 5)).mass_matrix([0.4, -0.7]) for ends in ("natural", "cubic"))
    assert np.abs(natural - cubic).max() > 1e-4
    with pytest.raises(ModelError, match=r"joints\.knee"):
        chain_of(knee("cubic", 5))
