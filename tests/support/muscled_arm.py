"""An arm with a muscle of every kind: elastic and rigid tendons, points and functions, with and without activation."""

from __future__ import annotations

import numpy as np

import myodyne as my
from myodyne.equations import Equations
from support.frames import Array

FREE = (
    "flex.max_force",
    "flex.pennation",
    "bi.tendon_slack_length",
    "ext.optimal_fibre_length",
    "lower.mass",
    "quick.activation.activation_time",
)


def arm(*, constrained: bool = False, motor: bool = True, free: bool = False) -> my.Model:
    """Return an arm of two bodies and seven muscles; constrained, its hand stays at a height."""
    elbow = {"body": "upper", "at": (0, -0.3, 0)}
    both = (("shoulder", "elbow"), {(0, 0): 0.34, (1, 0): -0.03, (0, 1): -0.03, (1, 1): 0.01, (0, 2): -0.004})
    terms = tuple(my.Term(coefficient=value, powers=powers) for powers, value in both[1].items())
    over_elbow = my.FunctionPath(length=my.Linear(coordinate="elbow", slope=0.02, offset=0.19))
    front = my.PointPath.model_validate({"points": [["upper", (0.02, -0.1, 0)], ["lower", (0.03, -0.04, 0)]]})
    back = my.PointPath.model_validate({"points": [["ground", (-0.04, 0.02, 0)], ["upper", (-0.03, -0.12, 0)]]})
    muscles = {
        "flex": my.Muscle(
            max_force=800.0, optimal_fibre_length=0.12, tendon_slack_length=0.1, pennation=0.2, damping=0.01, path=front
        ),
        "ext": my.Muscle(
            max_force=700.0, optimal_fibre_length=0.14, tendon_slack_length=0.05, tendon="rigid", path=over_elbow
        ),
        "bi": my.Muscle(
            max_force=500.0,
            optimal_fibre_length=0.14,
            tendon_slack_length=0.19,
            path=my.FunctionPath(length=my.Polynomial(of=both[0], terms=terms)),
        ),
        "stiff": my.Muscle(
            max_force=300.0,
            optimal_fibre_length=0.1,
            tendon_slack_length=0.05,
            pennation=0.3,
            tendon="rigid",
            damping=0.05,
            activation=my.NoActivation(),
            path=back,
        ),
        "quick": my.Muscle(
            max_force=400.0,
            optimal_fibre_length=0.1,
            tendon_slack_length=0.05,
            damping=0.02,
            curves=my.DeGrooteFregly2016(),
            activation=my.DeGrooteActivation(),
            path=back,
        ),
        "direct": my.Muscle(
            max_force=200.0,
            optimal_fibre_length=0.09,
            tendon_slack_length=0.11,
            damping=0.02,
            activation=my.NoActivation(),
            path=over_elbow,
        ),
        "slow": my.Muscle(
            max_force=400.0,
            optimal_fibre_length=0.11,
            tendon_slack_length=0.11,
            damping=0.02,
            curves=my.VanSoestBobbert1993(),
            activation=my.HatzeActivation(),
            path=front,
        ),
    }
    forces = {"give": my.TorsionSpring(coordinate="elbow", damping=0.2, stiffness=1.0)}
    if motor:
        forces["motor"] = my.CoordinateActuator(coordinate="shoulder", gain=2.0)
    hand = my.PointConstraint(
        first=my.Marker(body="lower", at=(0, -0.3, 0)), second=my.Marker(body="ground", at=(0, -0.5, 0)), axes="y"
    )
    model = my.Model(
        name="muscled_arm",
        bodies={
            "upper": my.Body(mass=2.0, centre_of_mass=(0, -0.15, 0), inertia=0.02),
            "lower": my.Body(mass=1.5, centre_of_mass=(0, -0.15, 0), inertia=0.015),
        },
        joints={
            "shoulder": my.pin("ground", "upper", "shoulder"),
            "elbow": my.pin(elbow, "lower", "elbow", default=0.5),
        },
        muscles=muscles,
        forces=forces,
        constraints={"hand": hand} if constrained else {},
    )
    return model.free(*FREE) if free else model


def random_state(equations: Equations, seed: int) -> tuple[Array, Array]:
    """Return a motion with muscles near their resting lengths, and controls."""
    rng = np.random.default_rng(seed)
    x = equations.state()
    size = len(equations.coordinates)
    x[: 2 * size] += rng.normal(scale=0.3, size=2 * size)
    x = equations.state(dict(zip(equations.motion[: 2 * size], x[: 2 * size], strict=True)))
    for number, name in enumerate(equations.motion):
        if name.endswith(".projected_length"):
            x[number] += rng.uniform(-0.005, 0.005)
        elif name.endswith((".activation", ".calcium")):
            x[number] = rng.uniform(0.1, 0.9)
    u = rng.uniform(0.05, 0.9, len(equations.controls))
    return x, u
