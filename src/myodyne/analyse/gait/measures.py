"""Numbers of a gait: stride, cadence, stance, double support, flight, step width, force peaks, energy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from myodyne.analyse.gait.cycle import Stride, humps, mean_over, sampled
from myodyne.analyse.gait.legs import SIDES, Side
from myodyne.analyse.gait.norms import Range, cost_norm, measure_norm
from myodyne.analyse.gait.record import ENERGY, GaitRecord
from myodyne.types import Floats

# Shorter flights (s) are rebounds, and longer ones make a run of a walk.
_FLIGHT = 0.01
_FINE = 1001
# On a treadmill the centre of mass goes nowhere: x is then the way.
_FORWARDS = 0.8


@dataclass(frozen=True)
class GaitMeasure:
    """One number of a gait, with the human norm.

    Examples
    --------
    >>> from myodyne.analyse.gait.norms import measure_norm
    >>> GaitMeasure("stance", 61.0, "%", measure_norm("stance", "walking", 1.3)).usual
    True
    """

    name: str
    value: float
    unit: str
    norm: Range | None = None

    @property
    def usual(self) -> bool | None:
        """Whether people do so; None where no source is at hand."""
        return None if self.norm is None else self.value in self.norm


@dataclass(frozen=True)
class GaitCost:
    """Metabolic power of all muscles (W/kg) by one model, with the resting rate, per distance.

    Parameters
    ----------
    model
        ``"umberger"`` (2010) or ``"bhargava"`` (2004).
    muscles, resting
        Power of the muscles, and of the body at rest (W/kg of body mass).
    speed
        Of the body (m/s).
    norm
        The gross cost of people at this speed (J/kg/m), None for runs.

    Examples
    --------
    >>> spent = GaitCost("bhargava", 2.6, 1.2, 1.3)
    >>> spent.net, round(spent.gross, 2)
    (2.0, 2.92)
    """

    model: str
    muscles: float
    resting: float
    speed: float
    norm: Range | None = None

    @property
    def net(self) -> float:
        """Cost of transport of the muscles alone (J/kg/m)."""
        return self.muscles / self.speed

    @property
    def gross(self) -> float:
        """Cost of transport with the resting rate (J/kg/m)."""
        return (self.muscles + self.resting) / self.speed


def kind_of(
    record: GaitRecord, strides: Mapping[Side, Sequence[Stride]], least: float
) -> Literal["walking", "running"]:
    """Return whether a gait is a walk or a run: a run has flight and no double support."""
    both, neither, _ = _support(record, (strides["right"] or strides["left"])[0], least)
    return "running" if neither > both else "walking"


def measures(
    record: GaitRecord, strides: Mapping[Side, Sequence[Stride]], least: float, kind: str, speed: float
) -> dict[str, GaitMeasure]:
    """Return the measures by name: means over the strides of both feet."""
    every = [stride for side in SIDES for stride in strides[side]]
    duration = float(np.mean([stride.duration for stride in every]))
    supports = [_support(record, stride, least) for stride in every]
    both, neither, flights = (float(np.mean(part)) for part in zip(*supports, strict=True))
    forces = {side: sampled(record, record.legs[side]["force_y"], strides[side]) for side in SIDES if strides[side]}
    values = {
        "speed": (speed, "m/s"),
        "cycle": (duration, "s"),
        "cadence": (120.0 / duration, "steps/min"),
        "stride_length": (speed * duration, "m"),
        "stance": (100.0 * float(np.mean([one.stance.duration / one.duration for one in every])), "%"),
        "double_support": (100.0 * both, "%"),
        "flight": (100.0 * neither, "%"),
        "flights": (round(flights), ""),
        "peak_force": (_peak(record, every, "force_y"), "body weights"),
        "braking_peak": (-_peak(record, every, "force_x", -1.0), "body weights"),
        "propulsive_peak": (_peak(record, every, "force_x"), "body weights"),
        "humps": (max(humps(force) for force in forces.values()), ""),
        "strike_angle": (float(np.mean([one.stance.angle for one in every])), "°"),
        "leg_difference": (_asymmetry(strides), "%"),
        **_widths(record, strides),
    }
    return {
        name: GaitMeasure(name, float(value), unit, measure_norm(name, kind, speed))
        for name, (value, unit) in values.items()
    }


def costs(
    record: GaitRecord, strides: Mapping[Side, Sequence[Stride]], speed: float, resting: float, *, walking: bool
) -> tuple[GaitCost, ...]:
    """Return metabolic power and cost by each model whose columns the motion holds."""
    every = [stride for side in SIDES for stride in strides[side]]
    found = []
    for model in ENERGY:
        if any(model in table for table in (*record.legs.values(), record.middle)):
            column = record.total(model)
            power = float(np.mean([mean_over(record, column, one.start, one.end) for one in every]))
            found.append(GaitCost(model, power, resting, speed, cost_norm(speed) if walking else None))
    return tuple(found)


def _support(record: GaitRecord, stride: Stride, least: float) -> tuple[float, float, int]:
    """Return the shares of a stride on both feet and on none, and how often the body is in flight."""
    at = np.linspace(stride.start, stride.end, _FINE)
    loaded = [np.interp(at, record.time, record.legs[side]["force_y"]) > least for side in SIDES]
    both, neither = loaded[0] & loaded[1], ~(loaded[0] | loaded[1])
    edges = np.diff(np.concatenate([[False], neither, [False]]).astype(np.int8))
    lengths = (np.flatnonzero(edges == -1) - np.flatnonzero(edges == 1)) * stride.duration / (_FINE - 1)
    # A flight over the ends of the cycle is one: the cycle begins with a strike, so there is none at its start.
    return float(np.mean(both[:-1])), float(np.mean(neither[:-1])), int(np.sum(lengths > _FLIGHT))


def _peak(record: GaitRecord, strides: Sequence[Stride], name: str, sign: float = 1.0) -> float:
    def highest(stride: Stride) -> float:
        inside = (record.time >= stride.start) & (record.time <= stride.end)
        column: Floats = sign * record.legs[stride.stance.side][name][inside]
        return float(column.max())

    return float(np.max([highest(stride) for stride in strides]))


def _asymmetry(strides: Mapping[Side, Sequence[Stride]]) -> float:
    """Return by how much the stances of right and left differ (% of the cycle)."""
    shares = [np.mean([one.stance.duration / one.duration for one in strides[side]]) for side in SIDES if strides[side]]
    return 100.0 * float(abs(shares[0] - shares[-1]))


def _widths(record: GaitRecord, strides: Mapping[Side, Sequence[Stride]]) -> dict[str, tuple[float, str]]:
    """Return the step width: how far apart across the walk the feet stand in the middles of their stances."""
    if not all(strides[side] for side in SIDES) or not record.com[:, 2].any():
        return {}
    # Across the way of the centre of mass, which need not be along x.
    stride = strides["right"][0]
    start, end = (
        np.array([np.interp(at, record.time, record.com[:, axis]) for axis in (0, 2)])
        for at in (stride.start, stride.end)
    )
    along = (end - start) / max(float(np.linalg.norm(end - start)), 1e-9)
    if abs(along[0]) < _FORWARDS:
        along = np.array([1.0, 0.0])
    across = []
    for side in SIDES:
        leg = record.legs[side]
        places = [[np.interp(_middle(one), record.time, leg[f"foot_{axis}"]) for axis in "xz"] for one in strides[side]]
        across.append(float(np.mean([along[0] * z - along[1] * x for x, z in places])))
    width = across[0] - across[1]
    if width == 0.0:
        return {}
    longest = float(np.max([leg["leg_length"].max() for leg in record.legs.values()]))
    return {"step_width": (width, "m"), "step_width_of_leg": (width / longest, "leg lengths")}


def _middle(stride: Stride) -> float:
    return stride.start + 0.3 * stride.stance.duration
