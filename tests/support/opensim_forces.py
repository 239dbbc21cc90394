"""The model of ``tests/fixtures/opensim/forces.osim`` in our own words: two free bodies with a force of every kind."""

from __future__ import annotations

import math
from typing import Any

import myodyne as my

POINTS = (("a", (0.05, 0.1, 0.0)), ("a", (0.02, -0.1, 0.03)), ("b", (-0.04, 0.06, 0.02)))
LIGAMENT_CURVE = my.Spline(
    coordinate="length",
    ends="cubic",
    x=(-5.0, 0.998, 0.999, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.601, 1.602, 5.0),
    y=(0.0, 0.0, 0.0, 0.0, 0.035, 0.12, 0.26, 0.55, 1.17, 2.0, 2.0, 2.0, 2.0),
)
BALL: dict[str, Any] = {"body": "a", "at": (0.03, -0.04, 0.02), "radius": 0.05}
FLOOR = my.Placement(body="ground", at=(0.1, 0.0, 0.2), orientation=(0.0, 0.0, -math.pi / 2))
PLATE = my.Placement(body="b", at=(0.02, 0.03, 0.0), orientation=(0.2, 0.1, -1.3))
SMOOTH: dict[str, Any] = {
    "stiffness": 1e6,
    "dissipation": 1.5,
    "static_friction": 0.9,
    "dynamic_friction": 0.7,
    "viscous_friction": 0.4,
    "transition_velocity": 0.15,
    "constant_contact_force": 2e-5,
    "hertz_smoothing": 250.0,
    "hunt_crossley_smoothing": 40.0,
}


def pair(ball: tuple[float, ...], plate: tuple[float, ...]) -> dict[str, float]:
    """Return what two materials make together: stiffness, dissipation, static, dynamic and viscous friction of each."""
    hard, soft = ball[0] ** (2 / 3), plate[0] ** (2 / 3)
    share = soft / (hard + soft)
    frictions = [2 * one * other / (one + other) for one, other in zip(ball[2:], plate[2:], strict=True)]
    return {
        "stiffness": (2 * hard * share) ** 1.5,
        "dissipation": ball[1] * share + plate[1] * (1 - share),
        "sphere_share": share,
        "static_friction": frictions[0],
        "dynamic_friction": frictions[1],
        "viscous_friction": frictions[2],
    }


def opensim_forces() -> my.Model:
    """Return the model."""
    centre = (0.01, -0.02, 0.03)
    path = my.PointPath(points=POINTS)
    bodies = {
        "a": my.Body(mass=2.0, centre_of_mass=centre, inertia=my.Inertia(xx=0.02, yy=0.03, zz=0.04)),
        "b": my.Body(mass=3.0, centre_of_mass=centre, inertia=my.Inertia(xx=0.05, yy=0.03, zz=0.06)),
    }
    joints = {
        f"{name}_joint": my.free(
            "ground", name, tuple(f"{name}_{c}" for c in ("tx", "ty", "tz", "rx", "ry", "rz")), "xyz"
        )
        for name in bodies
    }
    turn = math.degrees(1.0)
    forces: dict[str, Any] = {
        "turn_limit": my.CoordinateLimit(
            coordinate="a_rx",
            lower=math.radians(-10.0),
            upper=math.radians(15.0),
            lower_stiffness=3.0 * turn,
            upper_stiffness=2.0 * turn,
            damping=0.05 * turn,
            transition=math.radians(12.0),
        ),
        "slide_limit": my.CoordinateLimit(
            coordinate="b_tx",
            lower=-0.05,
            upper=0.05,
            lower_stiffness=700.0,
            upper_stiffness=900.0,
            damping=20.0,
            transition=0.1,
        ),
        "bushing": my.Bushing(
            first=my.Placement(body="a", at=(0.05, -0.1, 0.02), orientation=(0.1, -0.2, 0.3)),
            second=my.Placement(body="b", at=(-0.03, 0.1, 0.01), orientation=(-0.2, 0.1, 0.15)),
            translational_stiffness=(400.0, 500.0, 600.0),
            rotational_stiffness=(20.0, 30.0, 40.0),
            translational_damping=(4.0, 5.0, 6.0),
            rotational_damping=(0.2, 0.3, 0.4),
        ),
        "path_spring": my.PathSpring(path=path, rest_length=0.15, stiffness=800.0, dissipation=0.3),
        "ligament": my.CurveLigament(path=path, slack_length=0.4, scale=90.0, curve=LIGAMENT_CURVE),
        "torque": my.TorqueActuator(body="a", reaction="b", axis=(0.3, -0.5, 0.8), gain=12.0),
        "twist": my.TorqueActuator(body="a", reaction="b", axis=(0.3, -0.5, 0.8), axes="body", gain=7.0),
        "jet": my.PointActuator(body="a", at=(0.1, -0.2, 0.05), direction=(0.2, 1.0, -0.3), axes="body", gain=30.0),
        "fixed_jet": my.PointActuator(
            body="a", at=(0.1, -0.2, 0.05), at_frame="ground", direction=(0.2, 1.0, -0.3), gain=25.0
        ),
        "piston": my.LineActuator(
            start=my.Marker(body="a", at=(0.1, 0.05, 0.0)), end=my.Marker(body="b", at=(-0.05, 0.1, 0.1)), gain=40.0
        ),
        "cable": my.PathActuator(path=path, gain=60.0),
        "hunt_crossley": my.HuntCrossleyContact(
            **BALL,
            plane=FLOOR,
            stiffness=2e6,
            dissipation=1.2,
            static_friction=0.9,
            dynamic_friction=0.7,
            viscous_friction=0.3,
            transition_velocity=0.01,
        ),
        "hunt_crossley_pair": my.HuntCrossleyContact(
            **BALL, plane=PLATE, transition_velocity=0.2, **pair((2e6, 1.2, 0.9, 0.7, 0.3), (5e5, 1.5, 0.6, 0.5, 0.2))
        ),
        "smooth": my.SmoothSphereContact(**BALL, plane=FLOOR, **SMOOTH),
        "smooth_plate": my.SmoothSphereContact(**BALL, plane=PLATE, **SMOOTH),
    }
    return my.Model(name="forces", gravity=(0.0, -9.81, 0.0), bodies=bodies, joints=joints, forces=forces)
