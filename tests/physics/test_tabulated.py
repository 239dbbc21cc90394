"""Curves through points, and the force–velocity relation of Schutte et al. (1993)."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.equations.muscles.kinds import kinds_of
from support.muscles import a_muscle, curve_expressions, values

TRIANGLE = my.CurveTable(x=(0.4, 0.7, 1.0, 1.4, 1.8), y=(0.0, 0.6, 1.0, 0.6, 0.0))


def test_curves_run_through_their_points() -> None:
    parallel = my.CurveTable(x=(0.9, 1.0, 1.3, 1.6), y=(0.0, 0.0, 0.3, 1.2))
    tendon = my.CurveTable(x=(0.0, 0.01, 0.03, 0.05), y=(0.0, 0.1, 0.7, 1.5))
    velocity = my.CurveTable(x=(-1.0, -0.5, 0.0, 0.5, 1.0), y=(0.0, 0.3, 1.0, 1.3, 1.4))
    tables = my.Tabulated(active=TRIANGLE, parallel=parallel, tendon=tendon, velocity=velocity)
    curves = curve_expressions(a_muscle(tables))
    for name, table, shift in (("force_length", TRIANGLE, 0.0), ("parallel", parallel, 0.0), ("tendon", tendon, 1.0)):
        np.testing.assert_allclose(values(*curves[name], np.array(table.x) + shift), table.y, atol=1e-13)
    np.testing.assert_allclose(values(*curves["force_velocity"], np.array(velocity.x)), velocity.y, atol=1e-13)


def test_the_curve_between_points_is_that_of_a_joint_function() -> None:
    from scipy.interpolate import CubicSpline

    # Four points: the cubic through all of them has the end conditions of the spline.
    table = my.CurveTable(x=(0.4, 0.8, 1.1, 1.8), y=(0.1, 0.6, 1.0, 0.3))
    at = np.linspace(0.4, 1.8, 57)
    found = values(*curve_expressions(a_muscle(my.Tabulated(active=table)))["force_length"], at)
    np.testing.assert_allclose(found, CubicSpline(table.x, table.y, bc_type="not-a-knot")(at), atol=1e-13)


def test_the_active_force_is_never_negative() -> None:
    found = values(*curve_expressions(a_muscle(my.Tabulated(active=TRIANGLE)))["force_length"], np.linspace(-2, 4, 99))
    assert found.min() == 0.0
    assert found.max() < 1.1


@pytest.mark.parametrize("isometric", [0.05, 0.3, 1.0])
def test_velocities_are_the_roots_that_schutte_takes(isometric: float) -> None:
    """The published relation gives the velocity v (in maximal ones) for a force: roots of two quadratics."""
    curves, damping = my.Tabulated(), 0.1
    force = np.concatenate([np.linspace(0, isometric, 20), np.linspace(isometric, 1.5 * isometric + 0.1, 20)])
    kv, corner = 0.15, 0.13 * 0.15 / 1.15
    b = -(force + kv * isometric + kv * damping) / damping
    shortening = (-b - np.sqrt(b**2 - 4 * kv * (force - isometric) / damping)) / 2
    b = -(force - 1.4 * isometric) / damping + corner
    lengthening = (-b + np.sqrt(b**2 + 4 * corner * (force - isometric) / damping)) / 2
    velocity = np.where(force < isometric, shortening, lengthening)
    relative = values(*curve_expressions(a_muscle(curves))["force_velocity"], velocity)
    np.testing.assert_allclose(isometric * relative + damping * velocity, force, atol=1e-12)


def test_muscles_with_other_tables_are_another_kind() -> None:
    path = my.FunctionPath(length=my.Linear(coordinate="angle", slope=-0.05, offset=0.3))
    strong = {"max_force": 100.0, "optimal_fibre_length": 0.1, "tendon_slack_length": 0.2, "path": path}
    pendulum = my.load_model("pendulum").with_parts(
        muscles={
            "a": my.Muscle(**strong, curves=my.Tabulated()),
            "b": my.Muscle(**strong, curves=my.Tabulated(active=TRIANGLE)),
            "c": my.Muscle(**strong, curves=my.Tabulated(hill_a=0.2)),
        }
    )
    kinds, _ = kinds_of(pendulum)
    assert kinds["a"] == kinds["c"] != kinds["b"]


def test_points_out_of_order_are_refused() -> None:
    with pytest.raises(my.ModelError, match="must increase"):
        my.CurveTable(x=(0.0, 0.0), y=(0.0, 1.0))
    with pytest.raises(my.ModelError, match="as many x as y"):
        my.CurveTable(x=(0.0, 1.0), y=(0.0, 1.0, 2.0))


def test_points_cannot_be_free() -> None:
    muscle = a_muscle(my.Tabulated())
    model = my.load_model("pendulum").with_parts(muscles={"a": muscle}).free("a.curves.active.y.11")
    with pytest.raises(my.ModelError, match=r"'a.curves.active.y.11' shapes the equations"):
        kinds_of(model)
    kinds_of(model.model_copy(update={"free_values": ("a.curves.hill_a",)}))
