"""The movement `hop`: the one-legged hopper of ``examples/hopper.py`` on compliant ground, with its control law.

There the foot is held by a constraint from touch-down to lift-off, by two models and a law for each. A movement has one
model and one law: here the ground is a point of contact, and the law goes over from that of flight to that of stance as
the foot sinks in.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import casadi as ca

import myodyne as my

DURATION = 6.0  # s
GROUND = my.ContactPoint(body="leg", stiffness=60e3, dissipation=2.0, friction=0.8, transition_velocity=0.02)
# The law goes over at this depth of the foot, within about this range (m).
DEPTH, RANGE = 0.001, 0.001


def hop() -> my.Movement:
    """Return hops at 1 m/s."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
    from hopper import GAINS, hopper, in_flight, in_stance

    def law(at: Any) -> dict[str, ca.SX]:  # noqa: ANN401 - what a control law reads
        stands = (1 + ca.tanh((-at["foot_y"] - DEPTH) / RANGE)) / 2
        flight, stance = in_flight(at), in_stance(at)
        return {name: stands * stance[name] + (1 - stands) * flight[name] for name in flight}

    body = hopper()[0].with_parts(forces={"floor": GROUND}).model_copy(update={"name": "hopper"})
    hops = my.simulate(body, DURATION, start={"foot_x.speed": 1.0}, feedback=my.Feedback(law, gains=GAINS), every=0.01)
    return my.Movement.from_result(
        hops,
        name="hop",
        summary="A body on one springy leg hops at 1 m/s, balanced by Raibert's three laws.",
        source="control law of examples/hopper.py, after Raibert 1984, on a point of contact (movements/hop.py)",
    )
