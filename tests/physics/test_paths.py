"""Lengths, moment arms and their derivatives: closed forms against differentiation, differences and other derivations."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

import myodyne as my
from myodyne.formulations.matrix_calculus import MatrixCalculus
from myodyne.physics import recursive
from support.comparison import assert_close, central_differences
from support.paths import PathJudge, PathSymbols, random_paths
from support.random_trees import random_state, random_tree
from support.samples import one_in

DAS3 = Path(__file__).parents[3] / "shared" / "data" / "das3" / "rel2_model.json"
SEEDS = range(24)


def tree(seed: int) -> my.Model:
    """Return a tree of four to eight bodies: every second one with joints that are functions, every fourth planar."""
    return random_tree(seed, 4 + seed % 5, functions=seed % 2 == 1, flat=seed % 4 == 2)


# ---- points ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", one_in(3, SEEDS))
def test_closed_forms_are_what_differentiation_gives(seed: int) -> None:
    model = tree(seed)
    s = PathSymbols(model, random_paths(model, seed))
    paths, q = s.paths, s.q
    by_rule = [paths.gradient, paths.speeds, paths.gradient_rate, paths.bending(s.tensions)]
    slope = ca.jacobian(paths.lengths, q)
    by_machine = [
        slope,
        ca.jtimes(paths.lengths, q, s.v),
        ca.jacobian(slope @ s.v, q),
        ca.jacobian(ca.jacobian(s.tensions.T @ paths.lengths, q), q),
    ]
    state = random_state(model, seed)
    tensions = np.random.default_rng(seed).normal(size=4)
    both = s.numbers([*map(ca.densify, by_rule), *map(ca.densify, by_machine)], state.q, state.v, tensions)
    for what, ours, theirs in zip(("gradient", "speed", "rate", "bending"), both[:4], both[4:], strict=True):
        assert_close(ours, theirs, 1e-12, what, floor=0.1)


@pytest.mark.parametrize("seed", one_in(9, SEEDS))
def test_moment_arms_are_differences_of_the_length_over_the_whole_range(seed: int) -> None:
    """Lengths themselves are judged too, by poses in numpy."""
    model = tree(seed)
    paths = random_paths(model, seed)
    s, judge = PathSymbols(model, paths), PathJudge(model)
    tried = 0
    for number in range(12):
        q = random_state(model, 100 * seed + number).q
        if judge.switches(paths, q) < 1e-3:
            continue
        tried += 1
        lengths, gradient = s.numbers([s.paths.lengths, ca.densify(s.paths.gradient)], q)
        np.testing.assert_allclose(lengths[:, 0], judge.lengths(paths, q), rtol=0, atol=1e-12)
        differences = central_differences(lambda rows: np.array([judge.lengths(paths, row) for row in rows]), q)
        np.testing.assert_allclose(gradient, differences, rtol=0, atol=1e-7)
    assert tried >= 6


@pytest.mark.parametrize("seed", one_in(3, range(12)))
def test_moment_arms_are_those_of_the_generalised_lines_of_action(seed: int) -> None:
    """The matrix calculus derives R from virtual work in the bodies' axes and shares no code with the paths."""
    model = tree(seed)
    paths = random_paths(model, seed, kinds=("fixed",))
    s, state = PathSymbols(model, paths), random_state(model, seed)
    lengths, gradient = s.numbers([s.paths.lengths, ca.densify(s.paths.gradient)], state.q)
    calculus = MatrixCalculus(model)
    plain = {name: [(point.body, point.at) for point in path.points] for name, path in paths.items()}
    assert_close(lengths[:, 0], calculus.path_lengths(plain, state.q), 1e-13, "length")
    assert_close(-gradient, calculus.moment_arms(plain, state.q), 1e-12, "R", floor=0.1)


@pytest.mark.parametrize("seed", range(8))
def test_pulls_on_bodies_do_the_work_of_the_moment_arms(seed: int) -> None:
    model = tree(seed)
    s = PathSymbols(model, random_paths(model, seed, kinds=("fixed", "conditional")))
    generalised = recursive.generalised(s.kinematics.tree, s.paths.pulls(s.tensions))
    state, tensions = random_state(model, seed), np.random.default_rng(seed).uniform(1.0, 9.0, size=4)
    ours, wanted = s.numbers([generalised, -s.paths.gradient.T @ s.tensions], state.q, state.v, tensions)
    assert_close(ours, wanted, 1e-12, "generalised force", floor=1.0)


def test_a_path_knows_only_the_coordinates_between_its_bodies() -> None:
    legs = my.Model(
        name="legs",
        bodies={
            name: my.Body(mass=1.0, inertia=my.Inertia(xx=0.1, yy=0.1, zz=0.1))
            for name in ("pelvis", "thigh", "shank", "other")
        },
        joints={
            "root": my.free("ground", "pelvis", ("x", "y", "z", "a", "b", "c"), "zxy"),
            "hip": my.ball({"body": "pelvis", "at": (0.0, -0.1, 0.1)}, "thigh", ("hip_z", "hip_x", "hip_y"), "zxy"),
            "knee": my.pin({"body": "thigh", "at": (0.0, -0.4, 0.0)}, "shank", "knee"),
            "other_hip": my.pin({"body": "pelvis", "at": (0.0, -0.1, -0.1)}, "other", "other_hip"),
        },
    )
    points = {
        "pelvis": (0.05, 0.0, 0.1),
        "thigh": (0.04, -0.2, 0.01),
        "shank": (0.03, -0.1, 0.02),
        "other": (0.01, -0.3, 0.0),
    }

    def crossed(*bodies: str) -> set[str]:
        s = PathSymbols(legs, {"m": my.PointPath(points=tuple((body, points[body]) for body in bodies))})
        pattern = s.paths.gradient.sparsity()
        found = {name for k, name in enumerate(legs.moving) if pattern.has_nz(0, k)}
        written = {
            name
            for k, name in enumerate(legs.moving)
            if ca.depends_on(ca.vertcat(s.paths.lengths, s.paths.gradient.T), s.q[k])
        }
        # A length may be written without the last angle of a row of axes about its own line, never with one more.
        assert written <= found
        assert s.paths.gradient_rate.sparsity() == pattern
        return found

    hip = {"hip_z", "hip_x", "hip_y"}
    assert crossed("pelvis", "thigh") == hip
    assert crossed("pelvis", "shank") == hip | {"knee"}
    assert crossed("thigh", "shank") == {"knee"}
    assert crossed("thigh", "pelvis", "other") == hip | {"other_hip"}


def bent(points: tuple[Any, ...], angle: float) -> list[np.ndarray[Any, Any]]:
    """Return length, gradient, rate and bending of a path over one pin."""
    rod = my.Model(
        name="rod", bodies={"rod": my.Body(mass=1.0, inertia=1.0)}, joints={"pin": my.pin("ground", "rod", "angle")}
    )
    s = PathSymbols(rod, {"m": my.PointPath(points=points)})
    parts = [s.paths.lengths, s.paths.gradient, s.paths.gradient_rate, s.paths.bending(s.tensions)]
    return [part[0, 0] for part in s.numbers(list(map(ca.densify, parts)), [angle], [0.7], [2.0])]


def test_a_piece_without_length_stays_finite() -> None:
    """Two points on the axis of the pin coincide in every pose; two others meet in one pose alone."""
    values = bent((("ground", (0.0, 0.0, 0.0)), ("rod", (0.0, 0.0, 0.0)), ("ground", (0.3, 0.0, 0.0))), 0.4)
    assert np.isfinite(values).all()
    assert values[0] == pytest.approx(0.3, abs=1e-8)
    assert values[1] == 0.0
    assert np.isfinite(bent((("ground", (0.2, 0.0, 0.0)), ("rod", (0.2, 0.0, 0.0))), 0.0)).all()
    length, slope, *_ = bent((("ground", (0.2, 0.0, 0.0)), ("rod", (0.2, 0.0, 0.0))), 1e-4)
    assert length == pytest.approx(2e-5, rel=1e-6)
    assert slope == pytest.approx(0.2, rel=1e-6)


def test_conditional_points_come_and_go() -> None:
    """Those that are off are passed by in a straight line, also several in a row; the ends of a range belong to it."""
    start, end = np.array([0.5, 0.0]), np.array([0.0, 0.6])
    first = my.ConditionalPoint(body="ground", at=(0.4, 0.4, 0.0), coordinate="angle", range=(-1.0, 0.5))
    second = my.ConditionalPoint(body="ground", at=(0.1, 0.7, 0.0), coordinate="angle", range=(0.0, 1.0))
    points = (("rod", (0.5, 0.0, 0.0)), first, second, ("ground", (0.0, 0.6, 0.0)))

    def length(*stops: Any) -> float:
        return float(sum(np.linalg.norm(b - a) for a, b in itertools.pairwise(stops)))

    one, two = np.array([0.4, 0.4]), np.array([0.1, 0.7])
    for angle, stops in (
        (-2.0, ()),
        (-1.0, (one,)),
        (-0.5, (one,)),
        (0.0, (one, two)),
        (0.5, (one, two)),
        (0.7, (two,)),
        (1.0, (two,)),
        (1.1, ()),
    ):
        turned = np.array([np.cos(angle), np.sin(angle)]) * start[0]
        assert bent(points, angle)[0] == pytest.approx(length(turned, *stops, end), abs=1e-12), angle


# ---- functions ------------------------------------------------------------------------------------------------


def polynomial(rng: np.random.Generator, names: tuple[str, ...], terms: int) -> my.Polynomial:
    powers = [tuple(int(p) for p in rng.integers(0, 4, size=len(names))) for _ in range(terms)]
    return my.Polynomial(of=names, terms=tuple(my.Term(coefficient=float(rng.normal()), powers=p) for p in powers))


@pytest.mark.parametrize("seed", range(12))
def test_functions_of_moving_coupled_and_locked_coordinates(seed: int) -> None:
    """Plain polynomials go by the table of monomials, all else by the rules of calculus: both are as differentiation."""
    model = random_tree(seed, 5, functions=True)
    rng = np.random.default_rng(seed)
    names = tuple(model.coordinates)
    some = tuple(str(name) for name in rng.choice(names, size=min(3, len(names)), replace=False))
    moving = tuple(model.moving[:3])
    paths: dict[str, Any] = {
        "plain": my.FunctionPath(length=polynomial(rng, moving, 8)),
        "again": my.FunctionPath(length=polynomial(rng, moving[::-1], 8)),
        "mixed": my.FunctionPath(length=polynomial(rng, some, 6)),
        "linear": my.FunctionPath(length=my.Linear(coordinate=moving[0], slope=-0.05, offset=0.3)),
        "constant": my.FunctionPath(length=0.25),
        "spline": my.FunctionPath(
            length=my.Spline(coordinate=some[0], x=(-3.0, -1.0, 0.5, 3.0), y=(0.2, 0.4, 0.3, 0.5))
        ),
        "product": my.FunctionPath(
            length=my.Product(factors=(some[0], my.Fourier(coordinate=some[-1], period=4.0, cosines=(0.3,))))
        ),
    }
    paths |= random_paths(model, seed, count=2)
    s = PathSymbols(model, paths)
    state, tensions = random_state(model, seed), rng.normal(size=len(paths))
    slope = ca.jacobian(s.paths.lengths, s.q)
    pairs = [
        (s.paths.gradient, slope),
        (s.paths.gradient_rate, ca.jacobian(slope @ s.v, s.q)),
        (s.paths.bending(s.tensions), ca.jacobian(ca.jacobian(s.tensions.T @ s.paths.lengths, s.q), s.q)),
    ]
    found = s.numbers([ca.densify(part) for pair in pairs for part in pair], state.q, state.v, tensions)
    for what, ours, theirs in zip(("gradient", "rate", "bending"), found[::2], found[1::2], strict=True):
        assert_close(ours, theirs, 1e-12, what, floor=0.1)
    judge = PathJudge(model)
    values = {name: np.asarray(value) for name, value in judge._coordinate_values(state.q, None).items()}
    lengths = s.numbers([s.paths.lengths], state.q)[0][:, 0]
    wanted = [
        float(judge._value(path.length, values, values)) for path in paths.values() if isinstance(path, my.FunctionPath)
    ]
    assert_close(lengths[: len(wanted)], wanted, 1e-12, "length")


def test_tensions_that_depend_on_the_pose_are_taken_as_given() -> None:
    model = tree(3)
    s = PathSymbols(
        model,
        {
            **random_paths(model, 3, count=2),
            "f": my.FunctionPath(length=my.Spline(coordinate=model.moving[0], x=(-1.0, 0.0, 1.0), y=(0.3, 0.2, 0.4))),
        },
    )
    moved = s.tensions * ca.sin(s.q[0])
    state = random_state(model, 3)
    ours, wanted = s.numbers(
        [ca.densify(s.paths.bending(moved)), ca.densify(s.paths.bending(s.tensions))], state.q, state.v, [1.0, 2.0, 3.0]
    )
    assert_close(ours, np.sin(state.q[0]) * wanted, 1e-13, "bending")


def test_a_model_without_paths_has_none() -> None:
    s = PathSymbols(tree(0), {})
    assert s.paths.lengths.shape == (0, 1)
    assert s.paths.gradient.shape == (0, s.q.numel())
    assert s.paths.gradient_rate.shape == (0, s.q.numel())
    assert s.paths.bending(s.tensions).nnz() == 0


@pytest.mark.skipif(
    not DAS3.exists(), reason="the numbers of the Dynamic Arm Simulator lie beside the project, and are absent"
)
def test_many_polynomials_cost_about_two_operations_for_each_coefficient() -> None:
    data = json.loads(DAS3.read_text(encoding="utf-8"))
    names = [dof["name"] for dof in data["dofs"]]
    bodies = {f"after {name}": my.Body(mass=1.0, inertia=1.0) for name in names}
    parents = ["ground", *bodies]
    arm = my.Model(
        name="arm",
        bodies=bodies,
        joints={
            f"joint {name}": my.pin(parent, f"after {name}", name) for name, parent in zip(names, parents, strict=False)
        },
    )
    paths, coefficients, slopes = {}, 0, 0
    for muscle in data["muscles"]:
        listed = {
            key: muscle[key] if isinstance(muscle[key], list) else [muscle[key]]
            for key in ("lparams", "lcoefs", "dof_indeces")
        }
        powers = [tuple(p) if isinstance(p, list) else (p,) for p in listed["lparams"]]
        terms = tuple(my.Term(coefficient=float(c), powers=p) for c, p in zip(listed["lcoefs"], powers, strict=True))
        of = tuple(names[k - 1] for k in listed["dof_indeces"])
        paths[muscle["name"]] = my.FunctionPath(length=my.Polynomial(of=of, terms=terms))
        coefficients += len(terms)
        slopes += sum(sum(power > 0 for power in p) for p in powers)
    s = PathSymbols(arm, paths)
    assert (len(paths), coefficients, slopes) == (138, 1052, 1598)
    table = 258  # monomials, each made once
    assert s.operations(s.paths.lengths, s.paths.gradient) <= 2 * slopes + table + 4 * 138
    assert s.operations(s.paths.bending(s.tensions)) <= 2 * coefficients + 200
