"""Loops that are closed inside the equations: every kind of constraint, other derivations, free numbers, files, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.formulations import lagrange as lg
from myodyne.formulations.matrix_calculus.formulation import MatrixCalculus
from myodyne.library.squeezer import andrews_squeezer

FINE = my.DOP853(relative=1e-12, absolute=1e-12)
WAYS = ("projection", "differences")


def interpreted(model: my.Model) -> my.Equations:
    return my.equations_of(model, compiled=False)


def slider_crank(constraint: Any) -> my.Model:
    """Return a crank of 0.3 m, a rod of 1 m and a slider along x; the constraint closes the loop."""
    return my.Model(
        name="slider crank",
        gravity=(0.3, -9.81, 0.0),
        bodies={
            "crank": my.Body(mass=1.0, centre_of_mass=(0.1, 0, 0), inertia=0.05),
            "rod": my.Body(mass=2.0, centre_of_mass=(0.4, 0.05, 0), inertia=0.2),
            "piston": my.Body(mass=3.0),
        },
        joints={
            "main": my.pin("ground", "crank", "crank_angle", default=0.6),
            "big_end": my.pin({"body": "crank", "at": (0.3, 0, 0)}, "rod", "rod_angle", default=-0.8),
            "bore": my.slider("ground", "piston", "travel", axis="x", default=1.2),
        },
        constraints={"pin": constraint},
    )


POINT = my.PointConstraint(first={"body": "rod", "at": (1, 0, 0)}, second={"body": "piston"}, axes="xy")


def skew_four_bar() -> my.Model:
    """Return a spatial loop: a crank and a rocker about skew axes, joined by a rod of constant length."""
    bar = my.Body(mass=1.0, centre_of_mass=(0.2, 0.1, 0.05), inertia=my.Inertia(xx=0.02, yy=0.03, zz=0.04))
    return my.Model(
        name="skew",
        gravity=(1.0, -9.81, 0.5),
        bodies={"a": bar, "b": bar},
        joints={
            "ja": my.pin("ground", "a", "turn", axis="z", default=0.4),
            "jb": my.pin({"body": "ground", "at": (1.0, 0.2, 0.3)}, "b", "swing", axis="x", default=0.7),
        },
        constraints={
            "rod": my.DistanceConstraint(
                first={"body": "a", "at": (0.3, 0, 0)}, second={"body": "b", "at": (0, 0.5, 0)}, distance=1.06
            )
        },
    )


CASES = {
    "two bars": (andrews_squeezer(), "beta", None),
    "slider": (slider_crank(POINT), "crank_angle", None),
    "rod in space": (skew_four_bar(), "turn", {"turn": (0.1, 0.9)}),
    "five bars": (my.load_model("five_bar"), ["theta1", "theta2"], {"theta1": (0.8, 1.3), "theta2": (0.4, 1.0)}),
    "coupler": (
        my.Model(
            name="geared",
            bodies={n: my.Body(mass=1.0, centre_of_mass=(0.2, 0, 0), inertia=0.1) for n in "ab"},
            joints={
                "ja": my.pin("ground", "a", "one", default=0.2),
                "jb": my.pin({"body": "a", "at": (0.4, 0, 0)}, "b", "two"),
            },
            constraints={
                "gear": my.CouplerConstraint(
                    coordinate="two",
                    function=my.Polynomial(
                        of=("one",), terms=[{"coefficient": 0.5, "powers": [1]}, {"coefficient": 0.3, "powers": [2]}]
                    ),
                )
            },
        ),
        "one",
        {"one": (-1.0, 1.0)},
    ),
}


def closed(case: str, method: Any) -> tuple[my.Model, my.Model]:
    model, independent, ranges = CASES[case]
    return model, my.embed(model, independent, ranges, method=method, poses=64).model


@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize("case", CASES)
def test_accelerations_are_those_of_the_loops_kept(case: str, method: Any) -> None:
    kept, embedded = closed(case, method)
    mine, theirs = interpreted(embedded), interpreted(kept)
    size = len(mine.coordinates)
    x = mine.state() + np.concatenate([np.full(size, 0.1), np.linspace(1.0, 2.0, size)])
    rates = mine.derivative(x)
    found = dict(zip(mine.outputs, mine.output_values(x, rates), strict=True))
    found |= dict(zip(mine.motion, x, strict=True))
    full = np.array([found[name] for name in theirs.motion])
    position, speed, _ = theirs.constraint_errors(*np.split(full, 2))
    np.testing.assert_allclose(position, 0.0, atol=1e-12)
    np.testing.assert_allclose(speed, 0.0, atol=1e-9)
    wanted = theirs.derivative(full)
    ours = [found[f"{name}.acceleration"] for name in theirs.coordinates]
    np.testing.assert_allclose(ours, wanted[len(wanted) // 2 :], rtol=1e-8, atol=1e-8 * np.max(np.abs(wanted)))


@pytest.mark.parametrize("case", CASES)
def test_jacobians_of_closed_loops(case: str) -> None:
    """The residual's derivatives, which go through the solution of the loops, against differences."""
    eq = interpreted(closed(case, "projection")[1])
    size = len(eq.coordinates)
    rng = np.random.default_rng(3)
    x = eq.state() + np.concatenate([np.full(size, 0.05), rng.uniform(-1, 1, size)])
    xdot = rng.uniform(-1, 1, 2 * size)
    by_x, by_xdot, _ = eq.jacobians(x, xdot)
    for exact, moved in ((by_x, lambda d: (x + d, xdot)), (by_xdot, lambda d: (x, xdot + d))):
        step = 1e-5 * np.eye(2 * size)
        rows = [(eq.residual(*moved(d)) - eq.residual(*moved(-d))) / 2e-5 for d in step]
        np.testing.assert_allclose(
            exact.toarray(), np.array(rows).T, rtol=1e-6, atol=1e-6 * np.max(np.abs(exact.toarray()))
        )


@pytest.mark.parametrize("case", ["two bars", "slider", "five bars"])
def test_matrix_calculus_agrees(case: str) -> None:
    model = closed(case, "projection")[1]
    witness, eq = MatrixCalculus(model), interpreted(model)
    size = len(eq.coordinates)
    q, v = eq.state()[:size] + 0.1, np.linspace(1.0, 2.0, size)
    still = np.zeros(size)
    np.testing.assert_allclose(eq.mass_matrix(q), witness.mass_matrix(q), rtol=1e-11)
    ours = eq.inverse_dynamics(q, v, still) - eq.inverse_dynamics(q, still, still)
    np.testing.assert_allclose(ours, witness.velocity_terms(q, v), rtol=1e-10, atol=1e-12 * np.max(np.abs(ours)))
    np.testing.assert_allclose(eq.inverse_dynamics(q, v, v), witness.inverse_dynamics(q, v, v), rtol=1e-10)


def test_free_numbers_move_the_loop() -> None:
    """A length that is free reaches the closed loop without a rebuild, and is differentiated through it."""
    model = closed("slider", "projection")[1].free("pin.first.at.x", "crank.mass")
    eq, x = interpreted(model), np.array([0.7, 2.0])
    for length in (1.0, 1.1):
        changed = model.with_values({"pin.first.at.x": length})
        assert changed.structure_hash == model.structure_hash
        outputs = dict(zip(eq.outputs, eq.output_values(x, np.zeros(2), (), {"pin.first.at.x": length}), strict=True))
        # A rod of that length from the crank's end down to the axis of the piston.
        reach = 0.3 * np.cos(0.7) + np.sqrt(length**2 - (0.3 * np.sin(0.7)) ** 2)
        assert outputs["travel"] == pytest.approx(reach, abs=2e-6 if length != 1.0 else 1e-11)


def test_files_keep_how_a_constraint_is_met(tmp_path: Path) -> None:
    model = closed("two bars", "differences")[1]
    my.save_model(model, tmp_path / "closed.yaml")
    again = my.load_model(tmp_path / "closed.yaml")
    assert again.hash == model.hash
    assert again.constraints["loop_3"].by == "differences"
    assert again.structure_hash != closed("two bars", "projection")[1].structure_hash


def test_unconstrained_lifts_embedded_loops_too() -> None:
    tree = closed("two bars", "projection")[1].unconstrained()
    assert len(tree.moving) == 7
    assert not tree.constraints


def test_a_closed_loop_falls_like_the_one_that_is_kept() -> None:
    kept, embedded = closed("slider", "projection")
    start = {"crank_angle": 0.6, "crank_angle.speed": 0.5}
    runs = [my.simulate(interpreted(model), 1.0, start=start, scheme=FINE) for model in (kept, embedded)]
    for name in ("crank_angle", "travel", "rod_angle.speed"):
        np.testing.assert_allclose(runs[1].values(name), runs[0].values(name), atol=1e-8)
    assert runs[1].report.drift["pin.drift"] < 1e-10
    assert runs[1].report.energy_error is not None
    assert runs[1].report.energy_error < 1e-9


def test_lists_refuse_loops_without_a_formula() -> None:
    with pytest.raises(my.ModelError, match="'pin' is solved by projection"):
        lg.from_model(closed("slider", "projection")[1])


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"by": "projection"}, "must name the coordinates"),
        ({"solves": ("rod_angle", "travel")}, "solves no coordinates"),
        ({"by": "projection", "solves": ("rod_angle", "rod_angle")}, "listed twice"),
        ({"by": "projection", "solves": ("rod_angle", "travell")}, "travell"),
        ({"by": "projection", "solves": ("rod_angle", "travel")}, "'rod_angle' is not coupled"),
        ({"by": "guessing", "solves": ("rod_angle", "travel")}, "by"),
    ],
)
def test_constraints_that_cannot_be(changes: Any, message: str) -> None:
    with pytest.raises((my.ModelError, ValueError), match=message):
        slider_crank(my.PointConstraint(**{**POINT.model_dump(), **changes}))


def test_a_coordinate_is_solved_once() -> None:
    model = closed("slider", "projection")[1]
    with pytest.raises(my.ModelError, match="is solved by constraint 'pin' already"):
        model.with_parts(constraints={"again": model.constraints["pin"]})


def test_rows_and_solved_coordinates_are_counted() -> None:
    model = closed("slider", "projection")[1]
    fewer = model.constraints["pin"].model_copy(update={"solves": ("travel",)})
    with pytest.raises(my.ModelError, match="2 rows that coordinates can change and cannot solve 'travel'"):
        interpreted(model.with_parts(constraints={"pin": fewer})).mass_matrix([0.3])


def test_loops_that_do_not_determine_what_they_solve() -> None:
    model = closed("slider", "projection")[1]
    idle = my.Body(mass=1.0, centre_of_mass=(0.1, 0, 0), inertia=0.1)
    model = model.with_parts(
        bodies={"idle": idle},
        joints={"loose": my.pin("ground", "idle", "spare", coupled=my.Linear(coordinate="crank_angle"))},
    )
    wrong = model.constraints["pin"].model_copy(update={"solves": ("travel", "spare")})
    with pytest.raises(my.ModelError, match="do not determine 'travel', 'spare'"):
        interpreted(model.with_parts(constraints={"pin": wrong})).mass_matrix([0.3])
