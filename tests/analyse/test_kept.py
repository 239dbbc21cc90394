"""The kept twin of a model moves like the model."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.equations import equations_of
from myodyne.errors import ModelError


def knee() -> my.Model:
    """Return a thigh and a shank that slides and twists as it bends, and whose foot follows the knee."""
    body = my.Body(mass=3.0, centre_of_mass=(0.01, -0.2, 0.02), inertia=my.Inertia(xx=0.06, yy=0.01, zz=0.06))
    roll = my.Polynomial(of=("knee",), terms=(my.Term(coefficient=0.02, powers=(2,)),))
    twist = my.Spline(coordinate="knee", x=(-2.0, -1.0, 0.0, 1.0), y=(0.3, 0.2, 0.0, -0.1))
    axes = [
        my.Axis(motion="rotation", direction="z", function="knee"),
        my.Axis(motion="rotation", direction="y", function=twist),
        my.Axis(motion="translation", direction="x", function=roll),
    ]
    joint = my.Joint(
        parent={"body": "thigh", "at": (0.0, -0.4, 0.0)},
        child={"body": "shank"},
        coordinates={"knee": {"default": -0.7, "default_speed": 1.5}},
        axes=axes,
    )
    foot = my.pin(
        {"body": "shank", "at": (0, -0.4, 0)}, "foot", "ankle", coupled=my.Linear(coordinate="knee", slope=0.3)
    )
    return my.Model(
        name="knee",
        bodies={"thigh": body, "shank": body, "foot": body},
        joints={"hip_joint": my.pin("ground", "thigh", "hip", default=0.4), "knee_joint": joint, "ankle_joint": foot},
    )


def test_it_accelerates_like_the_embedded_model() -> None:
    model = knee()
    twin = my.kept(model)
    assert twin.moving == ("hip", "knee", "knee_joint_2", "knee_joint_3", "ankle")
    assert set(twin.constraints) == {"knee_joint_2_follows", "knee_joint_3_follows", "ankle_follows"}
    q = np.array([twin.coordinates[name].default for name in twin.moving])
    v = np.array([twin.coordinates[name].default_speed for name in twin.moving])
    # At the start the followers stand and move as their functions say.
    assert (q[4], v[4]) == (pytest.approx(0.3 * -0.7), pytest.approx(0.3 * 1.5))
    assert q[3] == pytest.approx(0.02 * 0.7**2)
    assert v[3] == pytest.approx(2 * 0.02 * -0.7 * 1.5)
    expected = equations_of(model, compiled=False).forward_dynamics([0.4, -0.7], [0.0, 1.5], [0.0, 0.0])
    found = equations_of(twin, compiled=False).forward_dynamics(q, v, np.zeros(5))
    assert found[:2] == pytest.approx(expected, rel=1e-9)


def test_a_joint_with_more_turns_than_freedoms_is_refused() -> None:
    with pytest.raises(ModelError, match="joint 'acromioclavicular' has 5 turns"):
        my.kept(my.shoulder(muscles=False))
