"""Why a simulation broke off, in words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from myodyne.equations import Equations
from myodyne.errors import listed

Floats = NDArray[np.float64]

# An active state below this does not tell a velocity from a force.
_ASLEEP = 1e-3

REASONS: dict[str | None, str] = {
    "not finite": "a state was no longer a finite number. Take a smaller step or an adaptive scheme; "
    "check the start and the forces.",
    "step too small": "the step became too small. The motion is singular or too stiff there; try BDF or TRBDF2.",
    "Newton did not converge": "Newton's method found no solution for the step. Take a smaller one.",
    "too many steps": "too many steps were needed. Loosen the tolerance, or take an implicit scheme for stiff motion.",
}


def sleeping_muscles(equations: Equations, state: Floats, controls: Floats) -> str:
    """Return what to do about muscles whose fibres have no velocity of their own, or nothing if there are none.

    Forces balance at one velocity only if some force depends on it: that of active fibres, or that of a damper.
    """
    values = dict(zip(equations.motion, state, strict=False)) | dict(zip(equations.controls, controls, strict=True))
    asleep = []
    for name, muscle in equations.model.muscles.items():
        active = values.get(f"{name}.activation", values[name] if not muscle.activated else 1.0)
        if muscle.elastic and muscle.damping == 0 and active < _ASLEEP:
            asleep.append(name)
    if not asleep:
        return ""
    others = f" and {len(asleep) - 3} more" if len(asleep) > 3 else ""
    one = len(asleep) == 1
    return (
        f" The muscle{'' if one else 's'} {listed(asleep[:3])}{others} {'is' if one else 'are'} not active and without "
        "damping there, so that nothing tells how fast the fibres move: give some damping (0.01, say) or a "
        "default_activation and controls above zero, or an activation that never ends (ThelenActivation, "
        "HatzeActivation)."
    )
