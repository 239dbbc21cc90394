"""When muscles are active in the cycle, beside electromyograms of people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from myodyne.analyse.gait.cycle import Stride, sampled
from myodyne.analyse.gait.legs import Side
from myodyne.analyse.gait.norms import BurstNorm, burst_norm
from myodyne.analyse.gait.record import ACTIVATION, GaitRecord
from myodyne.types import Booleans, Floats

# A muscle is on above this share of its own peak, and above this activation in any case.
_ON, _LEAST = 0.2, 0.02
# Gaps and bursts shorter than this (% of the cycle) are left out.
_SHORTEST = 3
# A muscle is as strong as it can be above this.
_FULL = 0.99


@dataclass(frozen=True)
class MuscleTiming:
    """When a muscle is on (% of the cycle of its side).

    Parameters
    ----------
    muscle, side
        Its name without the side, and the side.
    bursts
        Beginning and end of each burst; an end above 100 lies in the next cycle. A muscle is on above a fifth of its
        own peak activation, and above 0.02.
    peak
        Its highest activation.
    full
        Share of the cycle (%) at full activation.
    norm
        When that of people is on; None where no source is at hand.

    Examples
    --------
    >>> from myodyne.analyse.gait.norms import burst_norm
    >>> calf = MuscleTiming("soleus", "right", ((10, 55),), 0.6, 0.0, burst_norm("soleus"))
    >>> calf.agreement
    0.9
    """

    muscle: str
    side: Side
    bursts: tuple[tuple[float, float], ...]
    peak: float
    full: float
    norm: BurstNorm | None = None

    @property
    def agreement(self) -> float | None:
        """Share of the cycle in which it is on or off as in people; None without a norm."""
        if self.norm is None:
            return None
        return float(np.mean(_within(self.bursts) == _within(self.norm.bursts)))


def timings(record: GaitRecord, side: Side, strides: Sequence[Stride], *, walking: bool) -> list[MuscleTiming]:
    """Return the timing of each muscle of a leg; norms are those of walking."""
    found = []
    for name, column in record.legs[side].items():
        if name.startswith(ACTIVATION):
            values = sampled(record, column, strides)[:-1]
            muscle = name.removeprefix(ACTIVATION)
            norm = burst_norm(muscle) if walking else None
            full = 100.0 * float(np.mean(values > _FULL))
            found.append(MuscleTiming(muscle, side, bursts(values), float(values.max()), full, norm))
    return found


def bursts(activation: Floats) -> tuple[tuple[float, float], ...]:
    """Return when an activation at 0, 1, ... 99 % of a cycle is on.

    Examples
    --------
    >>> wave = np.zeros(100)
    >>> wave[90:] = wave[:10] = 0.5
    >>> bursts(wave)
    ((90.0, 110.0),)
    """
    on = activation > max(_ON * float(activation.max()), _LEAST)
    if not on.any():
        return ()
    if on.all():
        return ((0.0, 100.0),)
    # Counted from a place where it is off, so that no burst is cut.
    shift = int(np.flatnonzero(~on)[0])
    turned = np.concatenate([[False], np.roll(on, -shift), [False]])
    edges = np.flatnonzero(np.diff(turned.astype(np.int8)))
    spans = [(int(begin), int(end)) for begin, end in edges.reshape(-1, 2)]
    joined: list[tuple[int, int]] = []
    for begin, end in spans:
        if joined and begin - joined[-1][1] < _SHORTEST:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((begin, end))
    kept = [(begin, end) for begin, end in joined if end - begin >= _SHORTEST]
    placed = [((begin + shift) % 100, end - begin) for begin, end in kept]
    return tuple(sorted((float(begin), float(begin + length)) for begin, length in placed))


def _within(spans: Sequence[tuple[float, float]]) -> Booleans:
    at = np.arange(100) + 0.5
    found = np.zeros(100, dtype=np.bool_)
    for begin, end in spans:
        found |= ((at - begin) % 100.0) < (end - begin)
    return found
