"""Joints by orientation against another body."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.errors import ModelError
from myodyne.model.orientation import added, negated


@pytest.mark.parametrize(
    "function",
    [
        my.Constant(value=0.3),
        my.Linear(coordinate="a", slope=2.0, offset=0.1),
        my.Polynomial(of=("a",), terms=(my.Term(coefficient=0.4, powers=(3,)),)),
        my.Spline(coordinate="a", x=(-1.0, 0.0, 1.0), y=(0.1, 0.3, 0.2)),
        my.Fourier(coordinate="a", period=2.0, mean=0.1, slope=0.2, cosines=(0.3,), sines=(0.4,)),
        my.Product(factors=("a", 0.5, "a")),
    ],
)
def test_what_a_joint_undoes_is_undone(function: my.Function) -> None:
    """A lamp on an arm that tilts by any function keeps its orientation."""
    tilt = my.Axis(motion="rotation", direction="z", function=function)
    arm = my.Joint(parent={"body": "ground"}, child={"body": "arm"}, coordinates={"a": {}}, axes=[tilt])
    body = my.Body(mass=1.0, centre_of_mass=(0.3, 0.0, 0.0), inertia=0.1)
    joints = {
        "pivot": arm,
        "hook": my.oriented({"body": "arm", "at": (1, 0, 0)}, "lamp", [], parent_turns=[("z", function)]),
    }
    if not function.coordinates:
        joints["pivot"] = my.Joint(
            parent={"body": "ground"},
            child={"body": "arm"},
            coordinates={"a": {}},
            axes=[tilt, my.Axis(motion="translation", direction="x", function="a")],
        )
    model = my.Model(name="lamp", bodies={"arm": body, "lamp": body}, joints=joints)
    from support.lagrange import Lagrange

    rotations, _ = Lagrange(model).body_poses(np.array([0.7]))
    assert rotations[1] == pytest.approx(np.eye(3), abs=1e-14)


def test_sums_of_polynomials() -> None:
    both = added(my.Linear(coordinate="a", offset=1.0), my.Linear(coordinate="b", slope=-2.0))
    assert isinstance(both, my.Polynomial)
    assert {t.powers: t.coefficient for t in both.terms} == {(1, 0): 1.0, (0, 0): 1.0, (0, 1): -2.0}
    assert added(my.Constant(value=1.0), my.Constant(value=2.0)) == my.Constant(value=3.0)
    assert added(my.Fourier(coordinate="a", period=1.0), my.Constant(value=2.0)) is None
    assert negated(negated(my.Linear(coordinate="a"))) == my.Linear(coordinate="a")


def test_too_many_turns_are_refused() -> None:
    turns = [(axis, "q") for axis in "xyzx"]
    with pytest.raises(ModelError, match="needs 7 turns"):
        my.oriented("a", "b", turns, parent_turns=turns)
