"""What walking and running cost: one home of the goals of all predicted gaits."""

from __future__ import annotations

from myodyne.model import Model
from myodyne.optimise.goals import ContactForceRate, Effort, FootClearance, Goal, Smoothness, Squared

# Weights found with gait2d at 1.3 m/s (docs/decisions/0019-predicted-gait.md); nothing in them belongs to one model.
_EFFORT, _MOTORS, _IMPACT, _SHEAR, _CLEARANCE, _TILT = 5.0, 1.0, 0.3, 0.1, 0.01, 1.0
_SMOOTH = {"speeds": 0.12, "activations": 0.04, "fibres": 0.04}
_SCALE = 100.0


def gait_goals(model: Model, *, tilt: str | None, planar: bool) -> list[Goal]:
    """Return the goals of a gait: effort by muscle volume, gentle feet, clear feet, an upright trunk, smoothness.

    ``tilt`` is the coordinate that should stay near zero.
    """
    motors = any(name not in model.muscles for name in model.controls)
    goals: list[Goal] = []
    if model.muscles:
        goals.append(Effort(of="activations", exponent=2, weights="volume", weight=_EFFORT))
    if motors:
        goals.append(Effort(of="torques", exponent=2, weight=_MOTORS, label="motors"))
    goals += [
        ContactForceRate(axes=("y",), weight=_IMPACT, label="impact"),
        ContactForceRate(axes=("x",) if planar else ("x", "z"), weight=_SHEAR, label="shear"),
        FootClearance(weight=_CLEARANCE),
    ]
    if tilt is not None:
        goals.append(Squared(of=tilt, weight=_TILT, label="tilt"))
    goals.append(Smoothness(of="speeds", scale=_SCALE, weight=_SMOOTH["speeds"], label="smooth speeds"))
    if any(muscle.activated for muscle in model.muscles.values()):
        goals.append(
            Smoothness(of="activations", scale=_SCALE, weight=_SMOOTH["activations"], label="smooth activations")
        )
    if any(muscle.elastic for muscle in model.muscles.values()):
        goals.append(Smoothness(of="fibres", scale=_SCALE, weight=_SMOOTH["fibres"], label="smooth fibres"))
    return goals
