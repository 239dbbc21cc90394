"""Foot strikes and toe-offs, read from the vertical forces, and which part of the foot lands first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from myodyne.analyse.gait.legs import SIDES, Side
from myodyne.analyse.gait.record import GaitRecord
from myodyne.data import DataError
from myodyne.types import Floats

Landing = Literal["heel", "whole foot", "forefoot"]
# Strike angles (degrees) of Altman and Davis (2012), Gait & Posture 35, 298-300: above the first the heel lands first,
# below the second the forefoot.
_HEEL, _FOREFOOT = 8.0, -1.6
# Where a foot lies flat: this share of its stance.
_FLAT = (0.2, 0.5)
# Shorter gaps (s) are a foot that rebounds, shorter contacts a foot that scuffs: neither ends or begins a stance.
_GAP, _TOUCH = 0.04, 0.06


@dataclass(frozen=True)
class Stance:
    """One contact of a foot: strike and toe-off (s), and what landed first.

    ``angle`` is the pitch of the foot at the strike, relative to the flat foot (degrees, toes up positive).
    ``rebounds`` counts how often the foot left the ground in between for less than 40 ms.

    Examples
    --------
    >>> step = Stance("right", 0.1, 0.8, "heel", 18.0)
    >>> round(step.duration, 3)
    0.7
    """

    side: Side
    strike: float
    off: float
    landing: Landing
    angle: float
    rebounds: int = 0

    @property
    def duration(self) -> float:
        """From strike to toe-off (s)."""
        return self.off - self.strike


def contacts(time: Floats, force: Floats, least: float) -> list[tuple[float, float]]:
    """Return when a force exceeds ``least``: beginning and end (s), crossings interpolated."""
    above = force > least
    edges = np.flatnonzero(above[1:] != above[:-1])
    at = time[edges] + (time[edges + 1] - time[edges]) * (least - force[edges]) / (force[edges + 1] - force[edges])
    begins = [float(time[0])] if above[0] else []
    begins += [float(value) for value, row in zip(at, edges, strict=True) if above[row + 1]]
    ends = [float(value) for value, row in zip(at, edges, strict=True) if not above[row + 1]]
    if above[-1]:
        ends.append(float(time[-1]))
    return list(zip(begins, ends, strict=True))


def stances(record: GaitRecord, least: float) -> dict[Side, list[Stance]]:
    """Return the stances of both feet that begin within the record; ``least`` is in body weights."""
    return {side: _stances(record, side, least) for side in SIDES}


def _stances(record: GaitRecord, side: Side, least: float) -> list[Stance]:
    leg, time = record.legs[side], record.time
    found = []
    for begin, end, rebounds in _merged(contacts(time, leg["force_y"], least)):
        # What was loaded from the first row on did not strike there; what never left has no toe-off.
        if begin <= time[0] or end - begin < _TOUCH:
            continue
        flat = (time >= begin + _FLAT[0] * (end - begin)) & (time <= begin + _FLAT[1] * (end - begin))
        if not flat.any():
            continue
        angle = float(np.interp(begin, time, leg["pitch"]) - np.median(leg["pitch"][flat]))
        landing: Landing = "heel" if angle > _HEEL else "forefoot" if angle < _FOREFOOT else "whole foot"
        found.append(Stance(side, begin, end, landing, angle, rebounds))
    return found


def _merged(spans: Sequence[tuple[float, float]]) -> list[tuple[float, float, int]]:
    found: list[tuple[float, float, int]] = []
    for begin, end in spans:
        if found and begin - found[-1][1] < _GAP:
            first, _, count = found[-1]
            found[-1] = (first, end, count + 1)
        else:
            found.append((begin, end, 0))
    return found


def has_stride(record: GaitRecord, least: float) -> bool:
    """Return whether each foot strikes the ground twice, which bounds a stride."""
    return all(len(steps) >= 2 for steps in stances(record, least).values())


def check_moving(record: GaitRecord, least: float) -> None:
    """Raise an error where there is no gait: feet that never touch or never leave the ground."""
    forces = {side: record.legs[side]["force_y"] for side in SIDES}
    if not any((force > least).any() for force in forces.values()):
        _raise_aloft(forces)
    if all((force > least).all() for force in forces.values()):
        raise DataError("both feet stay on the ground all the time: this is standing, not a gait")


def check_touching(record: GaitRecord, least: float) -> None:
    """Raise an error where a foot never touches the ground in whole strides; in half a cycle of a run one may not."""
    aloft = {side: record.legs[side]["force_y"] for side in SIDES if not (record.legs[side]["force_y"] > least).any()}
    if aloft:
        _raise_aloft(aloft)


def _raise_aloft(forces: Mapping[Side, Floats]) -> None:
    side = next(iter(forces))
    raise DataError(
        f"the {side} foot never touches the ground: its vertical force is {forces[side].max():.2g} body weights at "
        "most. Do the forces belong to this motion, and are they in newtons?"
    )


def check_alternating(steps: dict[Side, list[Stance]], cycle: tuple[float, float]) -> None:
    """Raise an error where both feet strike together: a jump."""
    start, end = cycle
    others = [step.strike for step in steps["left"]]
    if not others:
        return
    behind = min(abs((strike - start) / (end - start) - round((strike - start) / (end - start))) for strike in others)
    if behind < 0.1:
        raise DataError(
            f"both feet strike the ground together, {100 * behind:.0f} % of the cycle apart: this is a jump or a hop, "
            f"not a gait"
        )
