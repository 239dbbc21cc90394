"""A force of every kind that comes from OpenSim, on a pelvis, a thigh and a shank."""

from __future__ import annotations

from typing import Any

import myodyne as my


def opensim_kinds() -> dict[str, Any]:
    """Return forces of the kinds that come from OpenSim, soft enough that no term drowns the others."""
    path = my.PointPath(
        points=(("pelvis", (0.05, -0.05, 0.1)), ("thigh", (0.02, -0.2, 0.04)), ("shank", (0.03, -0.1, 0.02)))
    )
    over = my.Placement(body="ground", at=(0.1, 1.0, 0.2), orientation=(0.1, 0.2, -1.5))
    ball: dict[str, Any] = {
        "body": "shank",
        "at": (0.02, -0.3, 0.01),
        "radius": 0.1,
        "stiffness": 300.0,
        "dissipation": 0.1,
        "static_friction": 0.9,
        "dynamic_friction": 0.6,
        "viscous_friction": 0.2,
        "transition_velocity": 2.0,
    }
    return {
        "wheel": my.TorqueActuator(body="thigh", reaction="pelvis", axis=(0.2, 1.0, 0.4), axes="body", gain=3.0),
        "gyro": my.TorqueActuator(body="shank", axis="x", gain=-2.0),
        "jet": my.PointActuator(body="thigh", at=(0.1, -0.2, 0.0), direction=(1.0, 0.5, 0.2), axes="body", gain=6.0),
        "hose": my.PointActuator(body="pelvis", at=(0.1, -0.2, 0.3), at_frame="ground", direction="y", gain=9.0),
        "piston": my.LineActuator(
            start=my.Marker(body="pelvis", at=(0.1, 0.0, 0.0)), end=my.Marker(body="shank"), gain=8.0
        ),
        "cable": my.PathActuator(path=path, gain=11.0),
        "edge": my.CoordinateLimit(
            coordinate="knee",
            lower=0.05,
            upper=0.05,
            lower_stiffness=40.0,
            upper_stiffness=60.0,
            damping=2.0,
            transition=0.5,
        ),
        "disc": my.Bushing(
            first=my.Placement(body="pelvis", at=(0.0, -0.1, 0.02), orientation=(0.1, 0.2, -0.3)),
            second=my.Placement(body="shank", at=(0.0, 0.1, 0.0), orientation=(0.2, -0.1, 0.1)),
            rotational_stiffness=(5.0, 7.0, 9.0),
            translational_stiffness=(50.0, 60.0, 70.0),
            rotational_damping=(0.5, 0.7, 0.9),
            translational_damping=(2.0, 3.0, 4.0),
        ),
        "law": my.CoordinateFormula(coordinate="knee", formula="-3*q^3 + 2*sin(q)*max(q, 0.2) - 0.4*qdot"),
        "line": my.LineFormula(start={"body": "pelvis"}, end={"body": "shank"}, formula="40*d + 3*ddot/(1 + d^2)"),
        "cuff": my.BushingFormula(
            first={"body": "pelvis"}, second={"body": "shank"}, forces=("50*delta_x^3", "60*delta_y", "delta_z")
        ),
        "sleeve": my.CurveBushing(
            first={"body": "pelvis", "at": (0.0, -0.1, 0.02)},
            second={"body": "shank", "orientation": (0.1, 0.0, 0.2)},
            torques=(
                my.Linear(coordinate="deviation", slope=4.0, offset=0.5),
                my.Fourier(coordinate="deviation", period=3.0, mean=0.2, cosines=(0.5,), sines=(2.0, 0.3)),
                my.Spline(coordinate="deviation", x=(-2.0, -0.5, 0.4, 2.0), y=(-9.0, -1.0, 0.5, 8.0)),
            ),
            forces=(
                my.Polynomial(of=("deviation",), terms=(my.Term(coefficient=30.0, powers=(3,)),)),
                my.PiecewiseLinear(coordinate="deviation", x=(-2.0, 3.0, 4.0), y=(-20.0, 40.0, 90.0)),
                my.Constant(value=3.0),
            ),
            rotational_damping=(0.3, 0.2, 0.1),
            translational_damping=(1.0, 2.0, 1.5),
        ),
        "track": my.PathFormula(path=path, rest_length=0.1, formula="30*s^2 + 2*s*ldot"),
        "fibre": my.BlankevoortLigament(
            path=path, slack_length=0.2, stiffness=20.0, transition_strain=0.9, damping=0.7
        ),
        "knees": my.SpherePairContact(
            **{**ball, "radius": 0.4},
            other=my.Marker(body="pelvis", at=(0.05, -0.2, 0.1)),
            other_radius=0.8,
            sphere_share=0.3,
        ),
        "elastic": my.PathSpring(path=path, rest_length=0.1, stiffness=60.0, dissipation=0.2),
        "cord": my.CurveLigament(
            path=path,
            slack_length=0.1,
            scale=4.0,
            curve=my.Spline(coordinate="length", x=(1.0, 2.0, 4.0, 9.0), y=(0.0, 1.0, 1.5, 9.0), ends="cubic"),
        ),
        "heel": my.HuntCrossleyContact(plane=over, sphere_share=0.3, **ball),
        "toe": my.SmoothSphereContact(
            plane=over, constant_contact_force=0.01, hertz_smoothing=1.5, hunt_crossley_smoothing=0.3, **ball
        ),
        "tip": my.ContactPoint(
            body="shank",
            at=(0.02, -0.3, 0.01),
            plane=over,
            stiffness=300.0,
            dissipation=0.2,
            friction=0.8,
            transition=0.5,
            transition_velocity=1.5,
            linear_stiffness=20.0,
        ),
    }
