"""Free numbers: inputs of the equations, changed without a rebuild and differentiated by."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.native import cache as store
from support.comparison import assert_close, central_differences

X, XDOT, U = np.array([0.4, -0.8, 1.0, 2.0]), np.array([1.0, 2.0, -3.0, 0.5]), np.array([0.7, -1.2])


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "interpreted"])
def test_other_values_need_no_new_kernel(
    model: my.Model, compiled: bool, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MYODYNE_CACHE", str(tmp_path))
    # A structure of its own: nothing else has loaded its kernels before.
    one = model.with_values({"rod1.mass": 1.5 + compiled})
    other = one.with_values({"rod2.mass": 2.5, "gravity.y": -1.62})
    before, after = my.equations_of(one, compiled=compiled), my.equations_of(other, compiled=compiled)
    first = before.derivative(X, U)
    entries = {folder.name for folder, _, _ in store.entries(tmp_path)}
    second = after.derivative(X, U)
    assert after.kernel("derivative") is before.kernel("derivative")
    assert {folder.name for folder, _, _ in store.entries(tmp_path)} == entries
    assert bool(entries) is compiled
    assert np.abs(first - second).max() > 0.1
    folded = my.Model(
        **{name: getattr(other, name) for name in ("name", "gravity", "bodies", "joints", "markers", "forces")}
    )
    np.testing.assert_allclose(second, my.equations_of(folded, compiled=False).derivative(X, U), rtol=1e-12)


def test_simulations_follow_the_values(model: my.Model) -> None:
    """A run of a model with free numbers is that of the model in which the same numbers are folded."""
    changed = model.with_values({"rod2.mass": 0.3, "rope.stiffness": 55.0})
    folded = my.Model(
        **{name: getattr(changed, name) for name in ("name", "gravity", "bodies", "joints", "markers", "forces")}
    )
    for scheme in (my.DOP853(), my.TRBDF2(step=0.01), my.Adams(), my.BDF()):
        free, plain, own = (
            my.simulate(my.equations_of(kind, compiled=False), 0.3, scheme=scheme).final
            for kind in (changed, folded, model)
        )
        assert free.keys() == plain.keys()
        np.testing.assert_allclose(list(free.values()), list(plain.values()), rtol=1e-7, atol=1e-7)
        assert abs(own["angle1"] - free["angle1"]) > 1e-3


def test_values_by_name_by_vector_and_by_row(model: my.Model) -> None:
    eq = my.equations_of(model)
    assert eq.parameters == ("rod2.mass", "rope.stiffness", "gravity.y")
    own = eq.residual(X, XDOT, U)
    np.testing.assert_array_equal(eq.residual(X, XDOT, U, {}), own)
    np.testing.assert_array_equal(eq.residual(X, XDOT, U, model.free_numbers), own)
    by_name = eq.residual(X, XDOT, U, {"rod2.mass": 3.0})
    np.testing.assert_array_equal(by_name, eq.residual(X, XDOT, U, np.array([3.0, 20.0, -9.81])))
    np.testing.assert_array_equal(by_name, my.equations_of(model.with_values({"rod2.mass": 3.0})).residual(X, XDOT, U))
    assert np.abs(by_name - own).max() > 0.1
    rows = np.array([[1.0, 20.0, -9.81], [3.0, 20.0, -9.81]])
    np.testing.assert_array_equal(eq.residual(X, XDOT, U, rows), np.array([own, by_name]))
    for name, arguments in {
        "mass_matrix": (X[:2],),
        "centre_of_mass": (X[:2],),
        "energy": (X[:2], X[2:]),
        "momentum": (X[:2], X[2:]),
        "inverse_dynamics": (X[:2], X[2:], XDOT[2:]),
    }.items():
        method = getattr(eq, name)
        heavier, named = method(*arguments, rows[1]), method(*arguments, {"rod2.mass": 3.0})
        for one, two, three in zip(
            *(found if isinstance(found, tuple) else (found,) for found in (heavier, named, method(*arguments))),
            strict=True,
        ):
            np.testing.assert_array_equal(one, two)
            assert not np.array_equal(one, three), name


def test_wrong_values_are_refused_by_name(model: my.Model) -> None:
    eq = my.equations_of(model)
    with pytest.raises(my.ModelError, match=r"unknown free number 'rod2\.mas': did you mean 'rod2\.mass'"):
        eq.residual(X, XDOT, U, {"rod2.mas": 1.0})
    with pytest.raises(my.ModelError, match="'p' must hold 3 numbers"):
        eq.residual(X, XDOT, U, [1.0, 2.0])


def test_derivatives_by_free_numbers(model: my.Model) -> None:
    eq = my.equations_of(model)
    p = np.array(model.free_numbers)
    exact = eq.parameter_jacobian(X, XDOT, U)
    assert exact.shape == (4, 3)
    assert_close(exact.toarray(), central_differences(lambda rows: eq.residual(X, XDOT, U, rows), p), 1e-8, "dF/dp")
    assert np.all(np.abs(exact.toarray()[2:]).max(axis=0) > 1e-3)
    elsewhere = eq.parameter_jacobian(X, XDOT, U, {"rod2.mass": 4.0}).toarray()
    assert_close(
        elsewhere,
        central_differences(lambda rows: eq.residual(X, XDOT, U, rows), np.array([4.0, 20.0, -9.81])),
        1e-8,
        "dF/dp",
    )


def test_a_model_without_free_numbers_has_an_empty_derivative() -> None:
    eq = my.equations_of(my.load_model("pendulum"), compiled=False)
    assert eq.parameters == ()
    assert eq.parameter_jacobian([0.1, 0.2], [0.2, 0.3]).shape == (2, 0)


def test_a_locked_coordinate_may_be_held_at_a_free_value() -> None:
    base = my.load_model("double_pendulum")
    hinge = base.joints["hinge"]
    locked = my.Joint(
        parent=hinge.parent,
        child=hinge.child,
        axes=hinge.axes,
        coordinates={"angle2": {"default": 0.5, "locked": True}},
    )
    stiff = my.Model(
        name="stiff", gravity=base.gravity, bodies=dict(base.bodies), joints={**base.joints, "hinge": locked}
    )
    eq = my.equations_of(stiff.free("angle2.default"), compiled=False)
    assert eq.coordinates == ("angle1",)
    moved = my.equations_of(stiff.with_values({"angle2.default": -0.7}), compiled=False)
    np.testing.assert_allclose(eq.mass_matrix([0.2], {"angle2.default": -0.7}), moved.mass_matrix([0.2]), rtol=1e-14)
    assert eq.mass_matrix([0.2]) != pytest.approx(moved.mass_matrix([0.2]), rel=1e-3)


def bent() -> my.Model:
    """Return a pendulum whose pivot slides along a spline and a polynomial of its angle."""
    slide = my.Axis(
        motion="translation", direction="x", function=my.Spline(coordinate="angle", x=(-1, 0, 1, 2), y=(0, 0.1, 0, 0.1))
    )
    lift = my.Axis(
        motion="translation",
        direction="y",
        function=my.Polynomial(of=("angle",), terms=(my.Term(coefficient=0.1, powers=(2,)),)),
    )
    turn = my.Axis(motion="rotation", direction="z", function=my.Linear(coordinate="angle"))
    base = my.load_model("pendulum")
    joint = my.Joint(
        parent=my.Placement(body="ground"),
        child=my.Placement(body="rod"),
        coordinates={"angle": {"range": (-2.0, 2.0)}},
        axes=(slide, lift, turn),
    )
    return my.Model(
        name="bent",
        bodies=dict(base.bodies),
        joints={"pivot": joint},
        forces={"motor": my.CoordinateActuator(coordinate="angle", control_range=(-1.0, 1.0))},
    )


@pytest.mark.parametrize(
    "name",
    [
        "pivot.axes.0.direction",
        "pivot.axes.0.function.x",
        "pivot.axes.1.function.terms.0.powers",
        "angle.range",
        "motor.control_range",
    ],
)
def test_what_shapes_the_equations_cannot_be_free(name: str) -> None:
    with pytest.raises(my.ModelError, match=rf"'{name}.*cannot be free"):
        my.equations_of(bent().free(name), compiled=False).mass_matrix([0.1])


def test_numbers_inside_functions_can_be_free() -> None:
    base = bent()
    eq = my.equations_of(
        base.free("pivot.axes.0.function.y", "pivot.axes.1.function.terms.0.coefficient"), compiled=False
    )
    assert len(eq.parameters) == 5
    changed = base.with_values({"pivot.axes.0.function.y.1": 0.2, "pivot.axes.1.function.terms.0.coefficient": -0.3})
    p = {"pivot.axes.0.function.y.1": 0.2, "pivot.axes.1.function.terms.0.coefficient": -0.3}
    folded = my.equations_of(changed, compiled=False)
    np.testing.assert_allclose(
        eq.residual([0.3, 2.0], [2.0, 1.0], [0.5], p), folded.residual([0.3, 2.0], [2.0, 1.0], [0.5]), rtol=1e-12
    )


@pytest.mark.parametrize(
    "name, message",
    [
        ("pivot.axes.0.motion", "has no number"),
        ("rod", "names a whole element"),
        ("rod.colour", r"unknown value 'rod\.colour'"),
        ("red.mass", "unknown element 'red'"),
        ("rod.mass.x", "a single value has no fields"),
        ("angle.locked", "has no number"),
    ],
)
def test_what_is_no_number_cannot_be_free(name: str, message: str) -> None:
    with pytest.raises(my.ModelError, match=message):
        my.load_model("pendulum").free(name)


@pytest.mark.parametrize("name", ["range", "direction", "powers"])
def test_names_of_elements_are_not_taken_for_fields(name: str) -> None:
    base = my.load_model("pendulum")
    model = my.Model(name="odd", bodies={name: base.bodies["rod"]}, joints={"pivot": my.pin("ground", name, "angle")})
    eq = my.equations_of(model.free(f"{name}.mass"), compiled=False)
    np.testing.assert_allclose(eq.mass_matrix([0.0], [3.0]), 3 * eq.mass_matrix([0.0]) - 2 / 12, rtol=1e-12)
