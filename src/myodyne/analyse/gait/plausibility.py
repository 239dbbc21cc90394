"""What no person does: force peaks, joint stops, hops, sliding feet, muscles at their bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from myodyne.analyse.gait.cycle import Stride, sampled
from myodyne.analyse.gait.legs import JOINTS, SIDES, Side
from myodyne.analyse.gait.record import STOP, GaitRecord
from myodyne.analyse.gait.timing import MuscleTiming
from myodyne.types import Booleans, Floats

# Bounds of our own, beyond what is published of people: body weights, N m/kg, m.
_MOST_VERTICAL = {"walking": 1.6, "running": 3.5}
_MOST_SHEAR = {"walking": 0.4, "running": 0.7}
_STOP, _SLIDE = 0.25, 0.03
# The share of a stance in which the whole foot lies on the ground: later the heel rises, and toes bend.
_FLAT = (0.15, 0.55)
# Between the humps of a walk the vertical force falls to about 0.7 body weights, at most a little below half.
_HOP = 0.35


def implausible(
    record: GaitRecord, strides: Mapping[Side, Sequence[Stride]], kind: str, muscles: Sequence[MuscleTiming]
) -> tuple[str, ...]:
    """Return each implausibility in a sentence of its own."""
    found: list[str] = []
    for side in SIDES:
        if strides[side]:
            found += _forces(record, side, strides[side], kind)
            found += _stops(record, side, strides[side])
            found += _sliding(record, side, strides[side])
    full = [f"{one.side} {one.muscle}" for one in muscles if one.full >= 1.0]
    if full:
        found.append(f"muscles at full activation: {', '.join(full)}")
    return tuple(found)


def _forces(record: GaitRecord, side: Side, strides: Sequence[Stride], kind: str) -> list[str]:
    found = []
    vertical = [_inside(record, stride, record.legs[side]["force_y"]) for stride in strides]
    peak = max(float(column.max()) for column in vertical)
    if peak > _MOST_VERTICAL[kind]:
        found.append(f"force peak of {peak:.2f} body weights under the {side} foot")
    shear = max(float(np.abs(_inside(record, stride, record.legs[side]["force_x"])).max()) for stride in strides)
    if shear > _MOST_SHEAR[kind]:
        found.append(f"shear of {shear:.2f} body weights under the {side} foot")
    rebounds = sum(stride.stance.rebounds for stride in strides)
    if rebounds:
        found.append(f"the {side} foot rebounds from the ground in stance")
    if kind == "walking":
        found += _hop(side, record, strides)
    return found


def _hop(side: Side, record: GaitRecord, strides: Sequence[Stride]) -> list[str]:
    """Return that the body hops in mid-stance, where the force between its humps falls too low."""
    share = float(np.mean([one.stance.duration / one.duration for one in strides]))
    force = sampled(record, record.legs[side]["force_y"], strides)
    first, last = round(20 * share), round(80 * share)
    least = float(force[first : last + 1].min())
    if least < _HOP:
        return [f"hops in mid-stance: the force under the {side} foot falls to {least:.2f} body weights"]
    return []


def _stops(record: GaitRecord, side: Side, strides: Sequence[Stride]) -> list[str]:
    found = []
    for joint in JOINTS:
        column = record.legs[side].get(f"{STOP}{joint}")
        if column is None:
            continue
        held = sampled(record, column, strides)
        if held.max() > _STOP:
            share = float(np.mean(held > _STOP))
            found.append(
                f"the {side} {joint} is at its joint limit for {100 * share:.0f} % of the cycle, with "
                f"{held.max():.2f} N m/kg"
            )
    return found


def _sliding(record: GaitRecord, side: Side, strides: Sequence[Stride]) -> list[str]:
    """Return that a foot slides: how far its loaded points travel while it lies flat."""
    worst = 0.0
    for stride in strides:
        inside = _flat(record, stride)
        if inside.sum() > 1:
            speed = np.abs(record.legs[side]["slip"][inside])
            worst = max(worst, float(np.trapezoid(speed, record.time[inside])))
    return [f"the {side} foot slides by {100 * worst:.0f} cm in stance"] if worst > _SLIDE else []


def flat_speed(record: GaitRecord, stride: Stride) -> float:
    """Return how fast (m/s) a foot slides forwards while it lies flat; that of the belt, on a treadmill."""
    inside = _flat(record, stride)
    return float(np.median(record.legs[stride.stance.side]["slip"][inside])) if inside.any() else 0.0


def _flat(record: GaitRecord, stride: Stride) -> Booleans:
    begin, end = (stride.start + share * stride.stance.duration for share in _FLAT)
    found: Booleans = (record.time >= begin) & (record.time <= end)
    return found


def _inside(record: GaitRecord, stride: Stride, column: Floats) -> Floats:
    return column[(record.time >= stride.start) & (record.time <= stride.end)]
