"""Why a simulation failed, and what to do about it."""

from __future__ import annotations

from myodyne.equations import Equations
from myodyne.errors import listed
from myodyne.types import Floats

# Below this active state the force hardly depends on the fibre velocity.
_INACTIVE = 1e-3

REASONS: dict[str | None, str] = {
    "not finite": "a state became NaN or infinite. Take a smaller step or an adaptive scheme; "
    "check the start and the forces.",
    "step too small": "the step became too small. The motion is singular or too stiff there; try BDF or TRBDF2.",
    "Newton did not converge": "Newton's method found no solution for the step. Take a smaller one.",
    "too many steps": "too many steps were needed. Loosen the tolerance, or take an implicit scheme for stiff motion.",
}


def inactive_undamped_muscles(equations: Equations, state: Floats, controls: Floats) -> str:
    """Return what to do about inactive muscles without damping; empty if there are none.

    Their fibre velocity is undetermined: it takes a force that depends on it, of active fibres or of a damper.
    """
    values = dict(zip(equations.motion, state, strict=False)) | dict(zip(equations.controls, controls, strict=True))
    inactive = []
    for name, muscle in equations.model.muscles.items():
        active = values.get(f"{name}.activation", values[name] if not muscle.activated else 1.0)
        if muscle.elastic and muscle.damping == 0 and active < _INACTIVE:
            inactive.append(name)
    if not inactive:
        return ""
    others = f" and {len(inactive) - 3} more" if len(inactive) > 3 else ""
    one = len(inactive) == 1
    return (
        f" The muscle{'' if one else 's'} {listed(inactive[:3])}{others} {'is' if one else 'are'} not active and "
        "without damping there, so the velocity of the fibres is undetermined: add some damping (such as 0.01), or a "
        "default_activation and controls above zero, or an activation that never reaches zero (ThelenActivation, "
        "HatzeActivation)."
    )
