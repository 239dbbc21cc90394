"""Curves of controls as the page draws them."""

from __future__ import annotations

from typing import Any

import numpy as np

from myodyne.data.curves.signals import Signal
from myodyne.studio.edits import control_range, idle_curve
from myodyne.studio.session import Session
from myodyne.types import Floats

# Points of a curve as the page draws it.
_DRAWN = 120


class Drawing:
    """Draws curves, and remembers them: one that has not changed is neither drawn nor sent again.

    Examples
    --------
    >>> from myodyne.studio.edits import FitHandles, apply
    >>> from myodyne.studio.session import opened
    >>> drawing, jump = Drawing(), opened("jump")
    >>> len(drawing.curves(jump, whole=True)) == len(jump.model.controls)
    True
    >>> [one["control"] for one in drawing.curves(apply(jump, FitHandles("soleus", "bezier", 6)), whole=False)]
    ['soleus']
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[Signal | None, float, float]] = {}

    def curves(self, session: Session, *, whole: bool) -> list[dict[str, Any]]:
        """Return the curves that changed since the last call, or all of them."""
        first, duration = session.recipe.from_time, session.recipe.duration
        times = np.linspace(first, first + duration, _DRAWN)
        idle = idle_curve(session)
        drawn = []
        for control in session.model.controls:
            curve = session.recipe.controls.get(control)
            now = (curve, first, duration)
            if not whole and _same(self._known.get(control), now):
                continue
            self._known[control] = now
            drawn.append(_drawn(session, control, curve or idle, times))
        return drawn


def _same(before: tuple[Signal | None, float, float] | None, now: tuple[Signal | None, float, float]) -> bool:
    # Sessions share the curves that an edit left alone: comparing numbers would take as long as drawing.
    return before is not None and before[0] is now[0] and before[1:] == now[1:]


def _drawn(session: Session, control: str, curve: Signal, times: Floats) -> dict[str, Any]:
    return {
        "control": control,
        "kind": curve.kind,
        "handles": [list(pair) for pair in zip(curve.times, curve.values, strict=True)],
        "line": np.asarray(curve(times)).tolist(),
        "range": list(control_range(session.model, control)),
    }
