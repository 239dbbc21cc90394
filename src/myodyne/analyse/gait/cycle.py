"""Strides: from one strike of a foot to its next, and curves in percent of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from myodyne.analyse.gait.events import Stance
from myodyne.analyse.gait.legs import SIDES, Side
from myodyne.analyse.gait.norms import POINTS, NormCurve
from myodyne.analyse.gait.record import GaitRecord
from myodyne.analyse.gait.whole import WholeRecord
from myodyne.data import DataError
from myodyne.types import Floats

# Strides of one walk differ by less than this, unless a foot touches the ground in between.
_ALIKE = 0.3
# A peak of the vertical force stands out by this (body weights) at least.
_PROMINENT = 0.05


@dataclass(frozen=True)
class Stride:
    """A cycle of one foot: its strike, toe-off and next strike (s), and how it landed."""

    stance: Stance
    end: float

    @property
    def start(self) -> float:
        return self.stance.strike

    @property
    def duration(self) -> float:
        return self.end - self.stance.strike


@dataclass(frozen=True, eq=False)
class GaitCurve:
    """A quantity over the cycle of one side, 0 to 100 %, with the human norm.

    Parameters
    ----------
    name, side, unit
        ``hip_angle``, ``knee_moment``, ``ankle_power``, ``force_y`` ..., the side, and the unit.
    values
        At 0, 1, ... 100 % of the cycle, the mean of all strides.
    norm
        Mean and standard deviation of people; None where no source is at hand, so that the curve is ours alone.

    Examples
    --------
    >>> from myodyne.analyse.gait.norms import curve_norm
    >>> people = curve_norm("knee_angle", "walking")
    >>> curve = GaitCurve("knee_angle", "right", "°", people.mean + 2.0, people)
    >>> round(curve.correlation, 3), round(curve.rms, 3)
    (1.0, 2.0)
    """

    name: str
    side: Side
    unit: str
    values: Floats
    norm: NormCurve | None = None

    @property
    def correlation(self) -> float | None:
        """Pearson's correlation with the mean of people; None without a norm."""
        if self.norm is None or np.ptp(self.values) == 0.0:
            return None
        return float(np.corrcoef(self.values[:-1], self.norm.mean[:-1])[0, 1])

    @property
    def rms(self) -> float | None:
        """Root mean square of the difference, in the unit of the curve; None without a norm."""
        if self.norm is None:
            return None
        return float(np.sqrt(np.mean((self.values - self.norm.mean)[:-1] ** 2)))

    @property
    def distance(self) -> float | None:
        """Root mean square of the difference in standard deviations of people; None without a norm."""
        if self.norm is None:
            return None
        return float(np.sqrt(np.mean(((self.values - self.norm.mean) / self.norm.deviation)[:-1] ** 2)))


def strides_of(whole: WholeRecord, steps: Mapping[Side, Sequence[Stance]]) -> dict[Side, list[Stride]]:
    """Return the strides of each foot that begin within the motion."""
    found: dict[Side, list[Stride]] = {}
    for side in SIDES:
        pairs = zip(steps[side], steps[side][1:], strict=False)
        own = [Stride(one, two.strike) for one, two in pairs if one.strike < whole.end]
        if whole.cyclic:
            own = _regular(own, (whole.end - float(whole.record.time[0])))
        found[side] = own
    if not any(found.values()):
        raise DataError("no foot strikes the ground twice: the motion contains no complete stride")
    return found


def _regular(own: list[Stride], period: float) -> list[Stride]:
    """Return strides of about the same length; a foot that touches twice in one stride has a single one."""
    if not own:
        return []
    durations = [stride.duration for stride in own]
    if max(durations) <= (1.0 + _ALIKE) * min(durations):
        return own
    longest = max(own, key=lambda stride: stride.stance.duration)
    return [Stride(longest.stance, longest.start + period)]


def sampled(record: GaitRecord, column: Floats, strides: Sequence[Stride]) -> Floats:
    """Return a column in percent of the cycle, the mean over the strides."""
    share = np.linspace(0.0, 1.0, POINTS)
    rows = [np.interp(one.start + share * one.duration, record.time, column) for one in strides]
    found: Floats = np.mean(rows, axis=0)
    return found


def mean_over(record: GaitRecord, column: Floats, start: float, end: float) -> float:
    """Return the mean of a column between two times, straight between the rows."""
    inside = (record.time > start) & (record.time < end)
    time = np.concatenate([[start], record.time[inside], [end]])
    return float(np.trapezoid(np.interp(time, record.time, column), time) / (end - start))


def humps(force: Floats) -> int:
    """Return how many peaks a vertical force (body weights) has over the cycle, those that stand out by 0.05.

    Examples
    --------
    >>> from myodyne.analyse.gait.norms import curve_norm
    >>> humps(curve_norm("force_y", "walking").mean)
    2
    """
    # The cycle begins with the strike, and what rises at its end is the next one.
    values = np.concatenate([[0.0], force])
    count, low, high, rising = 0, values[0], values[0], True
    # A peak counts once the force has risen to it, and fallen from it, by what makes it stand out.
    for value in values:
        low, high = min(low, value), max(high, value)
        if rising and value < high - _PROMINENT:
            count, rising, low = count + 1, False, value
        elif not rising and value > low + _PROMINENT:
            rising, high = True, value
    return count
