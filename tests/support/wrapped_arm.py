"""An arm whose muscles run over a sphere at the shoulder and a cylinder at the elbow, as those of arm26 do."""

from __future__ import annotations

from typing import Any

import myodyne as my


def wrapped_arm(*, sizes: float = 1.0, wraps: bool = True, **changes: Any) -> my.Model:
    """Return an arm with six muscles, of which four wrap; surfaces of small size are touched nowhere."""
    elbow = {"body": "upper", "at": (0.0, -0.3, 0.0)}
    surfaces = {
        "ball": my.WrapSphere(frame=my.Placement(body="upper"), radius=0.028 * sizes),
        "roll": my.WrapCylinder(
            frame=my.Placement(body="upper", at=(0.0, -0.3, 0.0)), radius=0.018 * sizes, length=0.3, half="-x"
        ),
        "front": my.WrapCylinder(
            frame=my.Placement(body="upper", at=(0.0, -0.3, 0.0)), radius=0.02 * sizes, length=0.3, half="x"
        ),
    }

    def path(*points: Any, over: tuple[str, ...] = ()) -> my.PointPath:
        return my.PointPath(points=points, wraps=tuple(my.Wrap(surface=name) for name in over) if wraps else ())

    behind, fore = ("upper", (-0.03, -0.1, 0.005)), ("lower", (-0.025, 0.01, 0.002))
    muscles = {
        "triceps": my.Muscle(
            path=path(behind, fore, over=("roll",)),
            max_force=800.0,
            optimal_fibre_length=0.11,
            tendon_slack_length=0.1,
            damping=0.02,
        ),
        "triceps_long": my.Muscle(
            path=path(("ground", (-0.05, 0.02, 0.01)), behind, fore, over=("ball", "roll")),
            max_force=700.0,
            optimal_fibre_length=0.13,
            tendon_slack_length=0.17,
            curves=my.Thelen2003(),
            damping=0.02,
        ),
        "deltoid": my.Muscle(
            path=path(("ground", (0.02, 0.06, 0.01)), ("upper", (0.02, -0.12, 0.0)), over=("ball",)),
            max_force=900.0,
            optimal_fibre_length=0.1,
            tendon_slack_length=0.08,
            tendon="rigid",
            pennation=0.2,
            damping=0.02,
        ),
        "brachialis": my.Muscle(
            path=path(("upper", (0.006, -0.15, 0.0)), ("lower", (0.006, -0.05, 0.0)), over=("front",)),
            max_force=900.0,
            optimal_fibre_length=0.1,
            tendon_slack_length=0.07,
            damping=0.02,
        ),
        "coraco": my.Muscle(
            path=path(("ground", (0.05, -0.01, 0.02)), ("upper", (0.01, -0.16, 0.0))),
            max_force=300.0,
            optimal_fibre_length=0.09,
            tendon_slack_length=0.07,
            damping=0.02,
        ),
        "biceps": my.Muscle(
            path=path(("ground", (0.05, 0.03, 0.0)), ("lower", (0.03, -0.06, 0.0))),
            max_force=600.0,
            optimal_fibre_length=0.14,
            tendon_slack_length=0.22,
            tendon="rigid",
            damping=0.02,
        ),
    }
    parts: dict[str, Any] = {
        "name": "wrapped_arm",
        "bodies": {
            "upper": my.Body(mass=2.0, centre_of_mass=(0.0, -0.15, 0.0), inertia=0.02),
            "lower": my.Body(mass=1.5, centre_of_mass=(0.0, -0.15, 0.0), inertia=0.015),
        },
        "joints": {
            "shoulder": my.pin("ground", "upper", "shoulder", range=(-0.8, 1.2)),
            "elbow": my.pin(elbow, "lower", "elbow", range=(0.1, 1.9), default=0.5),
        },
        "muscles": muscles,
        "surfaces": surfaces,
    }
    return my.Model(**{**parts, **changes})
