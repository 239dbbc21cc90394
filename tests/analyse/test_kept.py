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


def test_the_twin_of_the_shoulder_has_nine_coordinates_and_six_couplings() -> None:
    """Three at each joint, as in files of OpenSim; it accelerates like the embedded one."""
    start = {"plane": (0.9, 0.5), "elevation": (0.7, -0.6), "axial_rotation": (-0.4, 0.8)}
    model = my.shoulder(muscles=False)
    arm = model.joints["glenohumeral"]
    parts = {
        name: part.model_copy(update={"default": start[name][0], "default_speed": start[name][1]})
        for name, part in arm.coordinates.items()
    }
    model = model.with_parts(
        joints={"glenohumeral": arm.model_copy(update={"coordinates": type(arm.coordinates)(parts)})}
    )
    twin = my.kept(model)
    assert (len(twin.moving), len(twin.constraints)) == (9, 6)
    assert twin.moving[6:] == model.moving
    q, v = (
        np.array([getattr(twin.coordinates[name], field) for name in twin.moving])
        for field in ("default", "default_speed")
    )
    torques = np.array([1.0, 2.0, 0.3])
    eq = equations_of(twin, compiled=False)
    gap, drift, _ = eq.constraint_errors(q, v)
    assert np.abs([gap, drift]).max() < 1e-15
    expected = equations_of(model, compiled=False).forward_dynamics(q[6:], v[6:], torques)
    found = eq.forward_dynamics(q, v, np.concatenate([np.zeros(6), torques]))
    assert found[6:] == pytest.approx(expected, rel=1e-10)


def test_more_shifts_than_directions_are_refused() -> None:
    slides = [
        my.Axis(motion="translation", direction=d, function=my.Linear(coordinate="s")) for d in ("x", "y", "z", "x")
    ]
    joint = my.Joint(parent={"body": "ground"}, child={"body": "block"}, coordinates={"s": {}}, axes=slides)
    with pytest.raises(ModelError, match="joint 'rail' has 4 shifts that move"):
        my.kept(my.Model(name="slide", bodies={"block": my.Body(mass=1.0)}, joints={"rail": joint}))
