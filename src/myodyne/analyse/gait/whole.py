"""From a motion to whole strides: a mirrored half cycle is unfolded, a cycle that closes on itself is repeated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from myodyne.analyse.gait.legs import JOINTS, SIDES
from myodyne.analyse.gait.record import GaitRecord
from myodyne.data import DataError
from myodyne.types import Floats

ANGLES = tuple(f"{joint}_angle" for joint in JOINTS)
# A column that misses its beginning by more than this share of its range does not close on itself: optima close to
# their tolerance, people within some percent.
_CLOSED, _REPEATED = 0.02, 0.12
# Strides of people (s), and the least share of a motion that must overlap with itself, a stride later.
_STRIDES = (0.4, 3.0)
_OVERLAP = 0.05


@dataclass(frozen=True, eq=False)
class WholeRecord:
    """A record that holds whole strides, where its own time ends, and how it was made."""

    record: GaitRecord
    end: float
    cyclic: bool
    notes: tuple[str, ...] = ()


def whole_record(
    record: GaitRecord, mirrored: bool | None, cycle: tuple[float, float] | None, struck: bool
) -> WholeRecord:
    """Return the record with whole strides in it; ``struck``: its own foot strikes bound some already."""
    if cycle is not None:
        part = record.between(*_checked_cycle(record, cycle))
        return _repeated(part, (f"the cycle was given: {cycle[0]:g} to {cycle[1]:g} s",))
    miss = _misses(record, exchanged=True)
    if mirrored and max(miss.values()) > _REPEATED:
        worst = max(miss, key=miss.__getitem__)
        raise DataError(
            f"the end of the motion is not its mirrored start: the {worst} is off by {100 * miss[worst]:.0f} % of its "
            f"range. A half cycle ends with the sides of its start exchanged"
        )
    if mirrored or (mirrored is None and not struck and max(miss.values()) <= _CLOSED):
        other = record.exchanged()
        whole = record.followed_by(other)
        note = "a mirrored half cycle, unfolded to a stride: its second half is the first with sides exchanged"
        return _repeated(whole, (note,))
    if max(_misses(record, exchanged=False).values()) <= _CLOSED:
        return _repeated(record, ())
    if struck:
        return WholeRecord(record, float(record.time[-1]), cyclic=False)
    return _kinematic(record)


def _repeated(record: GaitRecord, notes: tuple[str, ...]) -> WholeRecord:
    return WholeRecord(record.followed_by(record).followed_by(record), float(record.time[-1]), cyclic=True, notes=notes)


def _misses(record: GaitRecord, *, exchanged: bool) -> dict[str, float]:
    """Return by how much of its range each angle of the legs misses its start, or the start of the other side."""
    found = {}
    for side, other in zip(SIDES, SIDES[::-1] if exchanged else SIDES, strict=True):
        for name in ANGLES:
            own, start = record.legs[side][name], record.legs[other][name][0]
            extent = max(float(np.ptp(leg[name])) for leg in record.legs.values())
            found[f"{side} {name.replace('_', ' ')}"] = abs(float(own[-1] - start)) / max(extent, 1e-9)
    return found


def _kinematic(record: GaitRecord) -> WholeRecord:
    """Return the record as one cycle, as long as the angles need to repeat themselves."""
    longest = (1.0 - _OVERLAP) * record.duration
    periods = np.arange(_STRIDES[0], min(_STRIDES[1], longest), 0.002)
    errors = np.array([_mismatch(record, period) for period in periods])
    if not len(errors) or errors.min() > _REPEATED:
        how = "" if not len(errors) else f" (at best within {100 * errors.min():.0f} % of their ranges)"
        raise DataError(
            f"the motion of {record.duration:.3g} s holds no complete stride: no foot strikes the ground twice, and "
            f"the leg angles do not repeat{how}. Record a whole stride, give its times "
            "(cycle=(start, end)), or mirrored=True for half a cycle whose end is the mirrored start"
        )
    period = float(periods[int(np.argmin(errors))])
    start = float(record.time[0])
    note = (
        f"no foot strikes the ground twice within the motion: the stride of {period:.3f} s is the period over which "
        f"the leg angles repeat best, within {100 * errors.min():.1f} % of their ranges"
    )
    return _repeated(record.between(start, start + period), (note,))


def _mismatch(record: GaitRecord, period: float) -> float:
    """Return the RMS difference of the angles a period apart, relative to their ranges."""
    inside = record.time <= record.time[-1] - period
    time = record.time[inside]
    errors: list[Floats] = []
    for leg in record.legs.values():
        for name in ANGLES:
            later = np.interp(time + period, record.time, leg[name])
            errors.append((later - leg[name][inside]) / max(float(np.ptp(leg[name])), 1.0))
    return float(np.sqrt(np.mean(np.square(errors))))


def _checked_cycle(record: GaitRecord, cycle: tuple[float, float]) -> tuple[float, float]:
    try:
        start, end = (float(edge) for edge in cycle)
    except (TypeError, ValueError):
        raise DataError(f"a cycle needs a start and an end (s), like cycle=(0.48, 1.61), not {cycle!r:.60}") from None
    if not record.time[0] - 1e-9 <= start < end <= record.time[-1] + 1e-9:
        raise DataError(
            f"the cycle from {start:g} to {end:g} s is not within the motion, {record.time[0]:g} to "
            f"{record.time[-1]:g} s"
        )
    return max(start, float(record.time[0])), min(end, float(record.time[-1]))
