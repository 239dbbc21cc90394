"""The arc of a foot laid over the path of its ankle: fitted by least squares, or chosen by hand and judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np

from myodyne.analyse import RollingFoot, fit_rolling_foot
from myodyne.data import DataError, Trajectory
from myodyne.data.plain import Fields
from myodyne.equations import equations_of
from myodyne.errors import ModelError, unknown_name
from myodyne.model import Model
from myodyne.types import Floats

# What a hand may choose (m).
_CHOSEN = ("radius", "x", "y", "anchor")


def foot_message(model: Model, motion: Trajectory, data: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a page that lays an arc over the path of an ankle; the origin of the foot is its ankle.

    Parameters
    ----------
    model, motion
        Whose foot, and how it moved: a recording, or the present movement.
    data
        ``body``, the time of stance ``first`` to ``last`` (s), the ``level`` of the floor (m); and, where a hand
        chooses the arc, ``chosen`` with ``radius``, ``x``, ``y`` and ``anchor`` (m).

    Examples
    --------
    >>> import myodyne as my
    >>> free = my.planar("ground", "foot", ("x", "y", "turn"))
    >>> foot = my.Model(name="foot", bodies={"foot": my.Body(mass=1.0)}, joints={"free": free})
    >>> angle = np.linspace(0.2, -0.9, 40)
    >>> x, y = my.RollingFoot(0.3, (0.02, 0.22), 0.1, 0.0, (0.0, 0.0), 0.0, 0.0, 0).ankle(angle).T
    >>> motion = my.Trajectory(np.linspace(0, 0.6, 40), {"x": x, "y": y, "turn": angle})
    >>> asked = {"body": "foot", "first": 0.0, "last": 0.6, "level": 0.0}
    >>> round(foot_message(foot, motion, asked)["radius"], 6)
    0.3
    """
    read = Fields("foot", data, ["kind", "body", "first", "last", "level", "chosen"])
    body, level = read.text("body"), read.number("level", 0.0)
    path, angle, times = _path(model, motion, body, (read.number("first"), read.number("last")))
    found = fit_rolling_foot(path[:, 0], path[:, 1], angle, level=level)
    if data.get("chosen") is not None:
        found = _by_hand(found, data["chosen"], path, angle)
    arc = found.ankle(angle)
    return {
        "kind": "foot",
        "body": body,
        "from": float(times[0]),
        "to": float(times[-1]),
        "radius": found.radius,
        "x": found.centre[0],
        "y": found.centre[1],
        "anchor": found.anchor,
        "error": found.radius_error,
        "rms": found.rms,
        "ankle": path.tolist(),
        "arc": arc.tolist(),
        "code": f'my.RollingConstraint(body="{body}", at=({found.centre[0]!r}, {found.centre[1]!r}, 0.0), '
        f"radius={found.radius!r}, anchor={found.anchor!r}, level={level!r})",
    }


def _path(model: Model, motion: Trajectory, body: str, span: tuple[float, float]) -> tuple[Floats, Floats, Floats]:
    """Return x and y of a body's origin (m), its angle (rad) and the times (s) within a span."""
    if body not in model.bodies:
        raise ModelError(unknown_name("body", body, model.bodies))
    chosen = (motion.time >= span[0]) & (motion.time <= span[1])
    if chosen.sum() < 5:
        raise DataError(
            f"between {span[0]:g} and {span[1]:g} s there are {int(chosen.sum())} samples; an arc needs at least 5"
        )
    equations = equations_of(model)
    q = np.tile(equations.coordinate_defaults(), (int(chosen.sum()), 1))
    for place, name in enumerate(equations.coordinates):
        if name in motion:
            q[:, place] = motion.values(name)[chosen]
    number = list(equations.bodies).index(body)
    turns, places = (np.asarray(part)[:, number] for part in equations.body_poses(q))
    return places[:, :2], np.unwrap(np.arctan2(turns[:, 1, 0], turns[:, 0, 0])), motion.time[chosen]


def _by_hand(fit: RollingFoot, chosen: object, path: Floats, angle: Floats) -> RollingFoot:
    """Return the arc that a hand chose, judged like a fitted one."""
    if not isinstance(chosen, Mapping) or set(chosen) != set(_CHOSEN):
        raise DataError(f"foot.chosen: {', '.join(_CHOSEN)} are expected")
    radius, x, y, anchor = (Fields("foot.chosen", chosen, list(_CHOSEN)).number(name) for name in _CHOSEN)
    if not all(isfinite(one) and abs(one) < 1e3 for one in (radius, x, y, anchor)) or radius <= 0.0:
        raise DataError("the radius of a foot is positive, and all its numbers are finite (m)")
    arc = replace(fit, radius=radius, centre=(x, y), anchor=anchor, radius_error=0.0)
    rest = arc.ankle(angle) - path
    return replace(arc, rms=float(np.sqrt(np.sum(rest**2) / len(rest))))
