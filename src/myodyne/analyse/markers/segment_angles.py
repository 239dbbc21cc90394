"""Angles of body segments from pairs of markers, and joint angles from these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from myodyne.data import DataError, Markers, Trajectory
from myodyne.errors import unknown_name
from myodyne.types import Floats

Plane = Literal["xy", "yz", "zx"]
_PLANES = ("xy", "yz", "zx")
_AXES = "xyz"
# Markers that are nearer to each other than this (m) have no direction.
_NEAREST = 1e-6
# A length that changes more than this share of its mean is worth a remark.
_STRETCHED = 0.1


def segment_angles(markers: Markers, segments: Mapping[str, tuple[str, str]], *, plane: Plane = "xy") -> Trajectory:
    """Return the angle (rad) of each segment in a plane, from pairs of markers or joint centres.

    Each angle is that of the line from the first marker to the second, counted from the first axis of the plane towards
    the second one, and unwrapped: it goes on beyond a turn. Angles, not positions, keep the lengths of a model's
    segments as they are, whatever perspective and skin do to the distances of markers (Selbie 1989, section 2.2). Rows
    in which a marker was not seen are NaN; the notes state how much each distance changes.

    Parameters
    ----------
    markers
        Positions (m).
    segments
        For each segment the two markers of its line, like ``{"thigh": ("hip", "knee")}``.
    plane
        The two axes: ``"xy"`` where x is forward and y upward, ``"yz"`` or ``"zx"``.

    Examples
    --------
    >>> import myodyne as my
    >>> leg = my.Markers([0.0], ["hip", "knee"], [[[0.0, 0.9, 0.0], [0.0, 0.5, 0.0]]])
    >>> my.segment_angles(leg, {"thigh": ("hip", "knee")}).final
    {'thigh': -1.5707963267948966}
    """
    if not isinstance(markers, Markers):
        raise DataError(f"segment angles are computed from Markers (from my.load_markers), not {markers!r:.60}")
    if plane not in _PLANES:
        raise DataError(f"plane must be one of {', '.join(_PLANES)}, not {plane!r:.40}")
    if not segments:
        raise DataError("segments is empty: give two markers for each, like {'thigh': ('hip', 'knee')}")
    across, up = (_AXES.index(axis) for axis in plane)
    columns: dict[str, Floats] = {}
    notes = []
    for name, ends in segments.items():
        if isinstance(ends, str) or len(ends) != 2 or ends[0] == ends[1]:
            raise DataError(f"segment '{name}' needs two different markers, not {ends!r:.60}")
        for marker in ends:
            if marker not in markers:
                raise DataError(f"segment '{name}': {unknown_name('marker', marker, markers.names)}")
        line = markers[ends[1]] - markers[ends[0]]
        columns[name], note = _angle(name, markers.time, line[:, across], line[:, up])
        notes += note
    return Trajectory(markers.time, columns, dict.fromkeys(columns, "rad"), notes)


def joint_angles(
    segments: Trajectory, joints: Mapping[str, str | Sequence[str]], *, neutral: Mapping[str, float] | None = None
) -> Trajectory:
    """Return coordinates from segment angles: at each joint the distal angle minus the proximal one.

    Parameters
    ----------
    segments
        Angles of segments (rad), from `segment_angles`.
    joints
        For each coordinate the proximal and the distal segment, like ``{"knee": ("thigh", "shank")}``; a single segment
        stands for its angle to the ground.
    neutral
        What is taken off the angle of a joint (rad): its value where the coordinate of the model is zero.

    Examples
    --------
    >>> import myodyne as my
    >>> bent = my.Trajectory([0.0], {"thigh": [-1.5], "shank": [-2.0]}, {"thigh": "rad", "shank": "rad"})
    >>> my.joint_angles(bent, {"hip": "thigh", "knee": ("thigh", "shank")}, neutral={"hip": -1.5}).final
    {'hip': 0.0, 'knee': -0.5}
    """
    if not isinstance(segments, Trajectory):
        raise DataError(f"joint angles are computed from a Trajectory of segment angles, not {segments!r:.60}")
    taken_off = dict(neutral or {})
    for name in taken_off:
        if name not in joints:
            raise DataError("neutral: " + unknown_name("joint", name, joints))
    columns: dict[str, Floats] = {}
    for name, parts in joints.items():
        ends = [parts] if isinstance(parts, str) else list(parts)
        if len(ends) not in (1, 2):
            raise DataError(f"joint '{name}' lies between two segments, proximal and distal, not {parts!r:.60}")
        for segment in ends:
            if segment not in segments:
                raise DataError(f"joint '{name}': {unknown_name('segment', segment, segments.names)}")
            if segments.units[segment] not in ("rad", ""):
                raise DataError(
                    f"the angle of '{segment}' is in '{segments.units[segment]}'; angles must be in radians"
                )
        distal = segments.values(ends[-1])
        angle = distal if len(ends) == 1 else distal - segments.values(ends[0])
        columns[name] = angle - taken_off.get(name, 0.0)
    return Trajectory(segments.time, columns, dict.fromkeys(columns, "rad"), segments.notes)


def _angle(name: str, time: Floats, across: Floats, up: Floats) -> tuple[Floats, list[str]]:
    length = np.hypot(across, up)
    seen = np.isfinite(length)
    if not seen.any():
        raise DataError(f"segment '{name}': its two markers are never visible together")
    near = seen & (length < _NEAREST)
    if near.any():
        raise DataError(f"segment '{name}': its markers coincide at {time[near][0]:g} s, so that it has no direction")
    found = np.full(len(length), np.nan)
    # Across a gap the nearest turn is meant.
    found[seen] = np.unwrap(np.arctan2(up[seen], across[seen]))
    mean = float(length[seen].mean())
    change = float(np.abs(length[seen] - mean).max())
    notes = []
    if change > _STRETCHED * mean:
        notes.append(f"'{name}': the distance between markers varies by {100.0 * change / mean:.0f} % of {mean:.3g} m")
    return found, notes
