"""A model with a bit of everything."""

from __future__ import annotations

import pytest

import myodyne as my


def swing() -> my.Model:
    """Return a double pendulum with motors, a spring, a damper, a limit, and numbers that are free."""
    pendulum = my.load_model("double_pendulum")
    forces = {
        "motor": my.CoordinateActuator(coordinate="angle1", gain=3.0),
        "wind": my.PointForce(body="rod2", at=(0.0, -1.0, 0.0), force=(1.0, 0.5, 0.0), controlled=True),
        "rope": my.PointSpring(
            start=my.Marker(body="ground", at=(0.5, 0.5, 0.0)),
            end=my.Marker(body="rod2", at=(0.0, -0.5, 0.0)),
            stiffness=20.0,
            rest_length=0.3,
            damping=0.4,
        ),
        "stop": my.JointLimit(coordinate="angle2", lower=-1.0, upper=1.0, stiffness=30.0, damping=0.2, transition=0.05),
    }
    return my.Model(
        name="swing",
        gravity=pendulum.gravity,
        bodies=dict(pendulum.bodies),
        joints=dict(pendulum.joints),
        forces=forces,
    ).free("rod2.mass", "rope.stiffness", "gravity.y")


@pytest.fixture(scope="session")
def model() -> my.Model:
    return swing()
