import numpy as np
import pytest

import myodyne as my
from myodyne.view.scene import Capsule, Ellipsoid
from myodyne.view.shapes import shapes_of


def of_body(model, body):
    return [shape for shape in shapes_of(model) if shape.body == body]


@pytest.mark.parametrize("name", my.builtin_models())
def test_every_body_of_every_model_is_seen(name):
    model = my.load_model(name)
    assert {shape.body for shape in shapes_of(model)} == set(model.bodies)


def test_a_limb_reaches_from_joint_to_joint_and_holds_its_mass():
    # With muscles to draw, limbs become bones.
    walker = my.load_model("gait2d")
    model = walker.without(*walker.muscles)
    (thigh,) = of_body(model, "right_thigh")
    assert thigh.start == (0.0, 0.0, 0.0)
    assert thigh.end == (0.0, -0.441, 0.0)
    middle = 0.5 * (thigh.radius + thigh.end_radius)
    assert 1000.0 * np.pi * middle**2 * 0.441 == pytest.approx(7.5, rel=0.2)


def test_a_trunk_without_a_head_gets_one_and_a_head_is_not_drawn_twice():
    walker, body = my.load_model("gait2d"), my.load_model("full_body")
    trunk = of_body(walker, "trunk")
    head = max((shape for shape in trunk if isinstance(shape, Ellipsoid)), key=lambda shape: shape.centre[1])
    # Stature of 75 kg: 1.75 m; legs of gait2d are 0.95 m long, so that the head ends near 1.75 m.
    assert 1.6 < 0.95 + head.centre[1] + head.radii[1] < 1.9
    assert sum(isinstance(shape, Ellipsoid) for shape in of_body(body, "torso")) == 1
    assert len(of_body(body, "head")) == 1


def test_a_foot_has_a_sole_between_its_contacts():
    model = my.load_model("gait2d")
    sole, instep = of_body(model, "right_foot")
    heel, toe = model.forces["right_heel"].at, model.forces["right_toe"].at
    assert sole.start[0] == heel[0]
    assert sole.end[0] == toe[0]
    assert instep.start == (0.0, 0.0, 0.0)


def test_bones_are_slim_where_muscles_are_drawn():
    path = my.PointPath(points=(("ground", (0.1, 0.0, 0.0)), ("rod", (0.0, -0.3, 0.0))))
    muscle = my.Muscle(path=path, max_force=50.0, optimal_fibre_length=0.2, tendon_slack_length=0.12)
    bare = my.load_model("pendulum")
    (thick,), (slim,) = shapes_of(bare), shapes_of(bare.with_parts(muscles={"puller": muscle}))
    assert isinstance(slim, Capsule)
    assert slim.radius < 0.5 * thick.radius
