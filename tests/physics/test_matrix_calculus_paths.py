"""Moment arms by generalised lines of action, where points move, come and go, and paths run over surfaces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.errors import ModelError
from myodyne.formulations.matrix_calculus import MatrixCalculus
from support.wrapped_arm import wrapped_arm

STEP = 1e-6
BODY = my.Body(mass=2.0, centre_of_mass=(0.0, -0.2, 0.0), inertia=my.Inertia(xx=0.05, yy=0.01, zz=0.05))


def muscle(*points: Any, over: tuple[str, ...] = ()) -> my.Muscle:
    path = my.PointPath(points=points, wraps=tuple(my.Wrap(surface=name) for name in over))
    return my.Muscle(path=path, max_force=500.0, optimal_fibre_length=0.1, tendon_slack_length=0.1)


def leg() -> my.Model:
    """Return a hip with three turns and a knee whose shank slides, with points of every kind and two surfaces."""
    slide = my.Polynomial(of=("knee",), terms=(my.Term(coefficient=0.02, powers=(2,)),))
    knee = my.Joint(
        parent={"body": "thigh", "at": (0.0, -0.4, 0.0)},
        child={"body": "shank"},
        coordinates={"knee": {"default": -0.7}},
        axes=[
            my.Axis(motion="rotation", direction="z", function="knee"),
            my.Axis(motion="translation", direction="x", function=slide),
        ],
    )
    turns = [my.Axis(motion="rotation", direction=axis, function=f"hip_{axis}") for axis in "zxy"]
    hip = my.Joint(
        parent={"body": "ground"}, child={"body": "thigh"}, coordinates={f"hip_{a}": {} for a in "zxy"}, axes=turns
    )
    forwards = my.Linear(coordinate="knee", slope=-0.01, offset=0.05)
    kneecap = my.MovingPoint(body="shank", at=(forwards, my.Linear(coordinate="knee", slope=0.005), 0.0))
    held = my.MovingPoint(body="thigh", at=(forwards, -0.38, 0.01), range=(-1.0, 0.0))
    behind = my.ConditionalPoint(body="thigh", at=(0.03, -0.37, 0.01), coordinate="knee", range=(-3.0, -0.8))
    return my.Model(
        name="leg",
        bodies={"thigh": BODY, "shank": BODY},
        joints={"hip": hip, "knee_joint": knee},
        surfaces={
            "condyle": my.WrapCylinder(
                frame=my.Placement(body="thigh", at=(0.0, -0.4, 0.0), orientation=(0.1, -0.05, 0.0)),
                radius=0.03,
                length=0.5,
                half="x",
            ),
            "head": my.WrapSphere(frame=my.Placement(body="ground", at=(0.0, -0.02, 0.01)), radius=0.03),
        },
        muscles={
            "rectus": muscle(("ground", (0.05, 0.08, 0.03)), kneecap, ("shank", (0.04, -0.09, 0.0))),
            "sliding": muscle(("thigh", (0.03, -0.1, 0.0)), held, ("shank", (0.04, -0.05, 0.02))),
            "guided": muscle(("ground", (0.04, 0.1, 0.0)), behind, ("shank", (0.03, -0.06, 0.0))),
            "over_condyle": muscle(("thigh", (0.035, -0.1, 0.02)), ("shank", (0.032, -0.12, -0.01)), over=("condyle",)),
            "over_head": muscle(("ground", (0.01, 0.06, 0.05)), ("thigh", (0.01, -0.15, -0.045)), over=("head",)),
        },
    )


def slopes_of(lengths: Any, q: Any) -> Any:
    shifts = STEP * np.eye(len(q))
    return np.stack([(lengths(q - shift) - lengths(q + shift)) / (2 * STEP) for shift in shifts], axis=1)


@pytest.mark.parametrize("knee", [-1.6, -1.2, -0.5, -0.2, 0.3])
def test_arms_are_minus_the_slope_of_the_length_for_points_of_every_kind(knee: float) -> None:
    """Definitions 2 to 5, against differences of their own lengths and against the production code."""
    model = leg()
    calculus, equations = MatrixCalculus(model), my.equations_of(model, compiled=False)
    rng = np.random.default_rng(int(10 * knee) % 7)
    q = np.append(rng.uniform(-0.5, 0.5, 3), knee)
    lengths, arms = calculus.muscle_lengths(q), calculus.muscle_moment_arms(q)
    np.testing.assert_allclose(arms, slopes_of(calculus.muscle_lengths, q), atol=2e-9)
    # Over a cylinder the production code, like OpenSim, stops its search within micrometres.
    np.testing.assert_allclose(lengths, equations.muscle_lengths(q), atol=1e-6)
    np.testing.assert_allclose(arms, equations.moment_arms(q), atol=1e-5)


def test_the_sequence_changes_with_the_pose() -> None:
    calculus = MatrixCalculus(leg())
    bent, straight = np.array([0.0, 0.0, 0.0, -1.2]), np.zeros(4)
    assert len(calculus.attachment_sequence("guided", bent).points) == 3
    assert len(calculus.attachment_sequence("guided", straight).points) == 2
    assert list(calculus.attachment_sequence("over_condyle", bent).contacts) == [1]
    # A body on which a muscle has no point of its own belongs to its set while the muscle touches it.
    assert "guided" in calculus.membership(bent)["thigh"]
    assert "guided" not in calculus.membership(straight)["thigh"]
    with pytest.raises(ModelError, match="unknown muscle along points 'rectum': did you mean 'rectus'"):
        calculus.attachment_sequence("rectum", bent)


@pytest.mark.parametrize("elbow", [0.2, 0.9, 1.4, 1.9])
def test_arms_over_spheres_and_cylinders_are_those_of_the_production_code(elbow: float) -> None:
    model = wrapped_arm()
    model = model.without(*[name for name, part in model.muscles.items() if len(part.path.wraps) > 1])
    q = np.array([0.4, elbow])
    found = MatrixCalculus(model).muscle_moment_arms(q)
    np.testing.assert_allclose(found, my.equations_of(model, compiled=False).moment_arms(q), atol=1e-6)


def test_what_has_no_closed_form_is_refused_by_name() -> None:
    model = wrapped_arm()
    several = next(name for name, part in model.muscles.items() if len(part.path.wraps) > 1)
    with pytest.raises(ModelError, match=f"'{several}' wraps over 2 surfaces; lines of action take one"):
        MatrixCalculus(model).attachment_sequence(several, [0.4, 0.9])
    egg = my.WrapEllipsoid(frame=my.Placement(body="ground"), radii=(0.03, 0.02, 0.03))
    with pytest.raises(ModelError, match="of the kind 'ellipsoid' have no closed form"):
        MatrixCalculus(leg().with_parts(surfaces={"head": egg})).muscle_lengths(np.zeros(4))
