"""What walking and running cost: one home of the goals of all predicted gaits."""

from __future__ import annotations

from collections.abc import Sequence

from myodyne.model import Model
from myodyne.optimise.gait.feet import softer_contacts
from myodyne.optimise.goals import ContactForceRate, Effort, FootClearance, Goal, Smoothness, Squared

# Chosen with gait2d (docs/decisions/0019-predicted-gait.md); nothing in them belongs to one model.
_EFFORT, _IMPACT, _SHEAR, _UPRIGHT = 5.0, 0.3, 0.1, 1.0
# In the plane and in space. There clearance has not been chosen again, and motors of trunk and arms cost more: chosen
# with gait3d while looking at its curves (docs/guide/walking_in_space.md).
_CLEARANCE = {True: 0.1, False: 0.01}
_MOTORS = {True: 1.0, False: 5.0}
_SCALE = 100.0


def gait_goals(model: Model, *, tilt: str | None, planar: bool = True) -> list[Goal]:
    """Return the goals of predicted gaits: effort by muscle volume, gentle and clear feet, upright, smooth.

    ``tilt`` is the coordinate that should stay near zero.
    """
    goals: list[Goal] = []
    if model.muscles:
        goals.append(Effort(of="activations", exponent=2, weights="volume", weight=_EFFORT))
    if any(name not in model.muscles for name in model.controls):
        effort = Effort(of="torques", exponent=2, weights=_shares(model), weight=_MOTORS[planar], label="motors")
        goals.append(effort)
    goals += [
        ContactForceRate(axes=("y",), weight=_IMPACT, label="impact"),
        ContactForceRate(axes=("x",) if planar else ("x", "z"), weight=_SHEAR, label="shear"),
        FootClearance(height=0.008, weight=_CLEARANCE[planar], label="clearance"),
    ]
    if tilt is not None:
        goals.append(Squared(of=tilt, weight=_UPRIGHT, label="upright"))
    goals.append(Smoothness(of="speeds", scale=_SCALE, weight=0.12, label="accelerations"))
    if any(muscle.activated for muscle in model.muscles.values()):
        goals.append(Smoothness(of="activations", scale=_SCALE, weight=0.04, label="activation rates"))
    if any(muscle.elastic for muscle in model.muscles.values()):
        goals.append(Smoothness(of="fibres", scale=_SCALE, weight=0.04, label="fibre rates"))
    return goals


def _shares(model: Model) -> dict[str, float] | None:
    """Return the factors by which the full torque of every motor costs one, whatever the unit of its control."""
    factors = {}
    for name in model.controls:
        limits = getattr(model.forces.get(name), "control_range", None)
        full = max(map(abs, limits)) if limits is not None else 1.0
        if full not in (0.0, 1.0):
            factors[name] = full**-2
    return factors or None


# In the easiest problem accelerations and impacts cost so many times more.
_GENTLER = {"accelerations": 30.0, "impact": 10.0}


def easier_gaits(model: Model, goals: Sequence[Goal]) -> list[dict[str, float]]:
    """Return the easier problems before a gait: gentle and on very soft ground, then on softer ground.

    From there more random starts end in the same gait.
    """
    weights = {goal.name: _GENTLER[goal.name] * goal.weight for goal in goals if goal.name in _GENTLER}
    return [{**softer_contacts(model, depth=0.02, share=0.3), **weights}, softer_contacts(model)]
