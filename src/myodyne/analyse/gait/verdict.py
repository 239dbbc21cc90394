"""In which ways a gait differs from that of people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from myodyne.analyse.gait.cycle import GaitCurve
from myodyne.analyse.gait.measures import GaitMeasure

LABELS = {
    "hip_angle": "hip angle",
    "knee_angle": "knee angle",
    "ankle_angle": "ankle angle",
    "force_x": "fore-aft force",
    "force_y": "vertical force",
    "force_z": "sideways force",
}
# From here on a curve has the shape of people's, and below this many standard deviations its size; both are ours. The
# ankle differs most between people: one that was recorded reaches 0.85.
LEAST_CORRELATION = {"hip_angle": 0.95, "knee_angle": 0.95, "force_y": 0.95, "ankle_angle": 0.8, "force_x": 0.9}
MOST_DISTANCE = 2.0
# Winter's people walk at 1.325 m/s: at other speeds sizes differ, and only shapes are compared.
_NEAR = (1.1, 1.55)


def exceptions(
    kind: str, speed: float, measures: Mapping[str, GaitMeasure], curves: Sequence[GaitCurve], findings: Sequence[str]
) -> tuple[str, ...]:
    """Return what is unlike people: findings first, then the landing, measures, and curves."""
    found = list(findings)
    if kind == "walking" and measures["strike_angle"].value < 8.0:
        found.append(f"the heel does not land first (strike angle {measures['strike_angle'].value:.0f}°)")
    found += [_measured(measure) for measure in measures.values() if measure.usual is False]
    for name in dict.fromkeys(curve.name for curve in curves):
        found += _curved([curve for curve in curves if curve.name == name], sizes=_NEAR[0] <= speed <= _NEAR[1])
    knee = [curve for curve in curves if curve.name == "knee_angle"]
    bend = float(np.mean([curve.values[:30].max() - curve.values[0] for curve in knee]))
    if kind == "walking" and speed > 1.0 and bend < 5.0:
        found.append(f"a stiff knee: it bends by {bend:.0f}° after the strike")
    return tuple(found)


def _measured(measure: GaitMeasure) -> str:
    norm = measure.norm
    low, high = (norm.low, norm.high) if norm else (0.0, 0.0)
    span = f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
    unit = f" {measure.unit}" if measure.unit else ""
    return f"{measure.name.replace('_', ' ')} {measure.value:.3g}{unit} (people: {span})"


def _curved(sides: Sequence[GaitCurve], *, sizes: bool) -> list[str]:
    name = sides[0].name
    label = LABELS.get(name, name.replace("_", " "))
    shapes = [curve.correlation for curve in sides if curve.correlation is not None]
    spans = [curve.distance for curve in sides if curve.distance is not None]
    if not shapes or name not in LEAST_CORRELATION:
        return []
    shape, span = float(np.mean(shapes)), float(np.mean(spans))
    if shape < LEAST_CORRELATION[name]:
        return [f"{label} (r = {shape:.2f}, {span:.1f} SD)"]
    if sizes and span > MOST_DISTANCE:
        return [f"{label} ({span:.1f} SD off, r = {shape:.2f})"]
    return []
