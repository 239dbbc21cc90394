"""Curves of controls as the page draws them."""

from __future__ import annotations

from typing import Any

import numpy as np

from myodyne.data.curves.signals import Signal
from myodyne.studio.changes.courses import course_range, reach_of
from myodyne.studio.changes.edits import control_range, idle_curve
from myodyne.studio.session import Session
from myodyne.types import Floats

# Points of a curve as the page draws it.
_DRAWN = 120
# A curve with more handles than a hand can take is drawn without; it can be fitted.
_HANDLES = 20


class Drawing:
    """Draws curves, and remembers them: one that has not changed is neither drawn nor sent again.

    Examples
    --------
    >>> from myodyne.studio.changes.edits import FitHandles, apply
    >>> from myodyne.studio.session import opened
    >>> drawing, jump = Drawing(), opened("jump")
    >>> len(drawing.curves(jump, whole=True)) == len(jump.model.controls)
    True
    >>> [one["control"] for one in drawing.curves(apply(jump, FitHandles("soleus", "bezier", 6)), whole=False)]
    ['soleus']
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[Signal | None, float, float]] = {}

    def outdated(self, session: Session) -> bool:
        """Whether the session has other controls than the one before, so that all curves are wanted."""
        return set(self._known) != set(session.model.controls)

    def curves(self, session: Session, *, whole: bool) -> list[dict[str, Any]]:
        """Return the curves that changed since the last call, or all of them."""
        first, duration = session.recipe.from_time, session.recipe.duration
        times = np.linspace(first, first + duration, _DRAWN)
        idle = idle_curve(session)
        drawn = []
        if whole:
            self._known.clear()
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


def drawn_courses(session: Session) -> list[dict[str, Any]]:
    """Return the wanted courses of coordinates as the page draws them."""
    first = session.recipe.from_time
    times = np.linspace(first, first + session.recipe.duration, _DRAWN)
    return [
        {
            **_plain(name, course, times, course_range(session, name), len(course.values)),
            "reach": reach_of(course, session.recipe.duration),
        }
        for name, course in session.courses.items()
    ]


def _drawn(session: Session, control: str, curve: Signal, times: Floats) -> dict[str, Any]:
    low, high = control_range(session.model, control)
    if control not in session.model.muscles:
        # A motor may have no limits to draw between.
        largest = 1.25 * max(1.0, *np.abs(np.asarray(curve(times))), *np.abs(curve.values))
        low, high = max(low, -largest), min(high, largest)
    return _plain(control, curve, times, (low, high), _HANDLES)


def _plain(name: str, curve: Signal, times: Floats, limits: tuple[float, float], most: int) -> dict[str, Any]:
    handles = [list(pair) for pair in zip(curve.times, curve.values, strict=True)]
    return {
        "control": name,
        "kind": curve.kind,
        "handles": handles if len(handles) <= most else [],
        "line": np.asarray(curve(times)).tolist(),
        "range": list(limits),
    }
