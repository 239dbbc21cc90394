"""What lines show: seconds or percent across, radians or degrees up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from myodyne.data import Trajectory
from myodyne.types import Floats

Across = Literal["time", "percent"]


@dataclass(frozen=True)
class Lines:
    """How columns become lines: ``x`` is the time (s), or percent from the first row of each run to its last."""

    x: Across
    degrees: bool

    @property
    def x_label(self) -> str:
        """What stands below the lowest panel."""
        return "time (s)" if self.x == "time" else "cycle (%)"

    def across(self, run: Trajectory) -> Floats:
        """Return where the rows of a run lie."""
        return run.time if self.x == "time" else _percent(run, run.time)

    def moment(self, run: Trajectory, time: float) -> float:
        """Return where an instant of a run lies."""
        return time if self.x == "time" else float(_percent(run, np.array(time)))

    def up(self, run: Trajectory, name: str) -> Floats:
        """Return the values of a column."""
        values = run.values(name)
        return values * (180.0 / math.pi) if self._turned(run.units[name]) else values

    def unit(self, unit: str) -> str:
        """Return the unit that is shown for values of a unit."""
        return "°" + unit.removeprefix("rad") if self._turned(unit) else unit

    def _turned(self, unit: str) -> bool:
        return self.degrees and (unit == "rad" or unit.startswith("rad/"))


def _percent(run: Trajectory, times: Floats) -> Floats:
    span = float(run.time[-1] - run.time[0])
    # A single row has no duration; it stands at the beginning.
    percent: Floats = 100.0 * (times - run.time[0]) / (span or 1.0)
    return percent
