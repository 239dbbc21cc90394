"""What a study keeps of a run: outputs reduced to one number, or what a function returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from myodyne.errors import ModelError, unknown_name
from myodyne.types import Floats

# A function of the varied model, or of its run where the study simulates; it returns a number, or numbers by name.
MeasureFunction: TypeAlias = Callable[[Any], float | Mapping[str, float]]
Measure: TypeAlias = str | MeasureFunction | Sequence[str | MeasureFunction] | Mapping[str, str | MeasureFunction]


def _mean(time: Floats, values: Floats) -> Floats:
    """Return the mean over time, by the trapezium rule: samples need not be even."""
    if len(time) < 2:
        return np.asarray(values[0])
    integral: Floats = np.asarray(np.trapezoid(values, time, axis=0))
    mean: Floats = integral / (time[-1] - time[0])
    return mean


# Of values over time, in rows: columns of one run, or of several.
REDUCTIONS: dict[str, Callable[[Floats, Floats], Any]] = {
    "min": lambda time, values: np.min(values, axis=0),
    "max": lambda time, values: np.max(values, axis=0),
    "mean": _mean,
    "first": lambda time, values: values[0],
    "final": lambda time, values: values[-1],
    "range": lambda time, values: np.max(values, axis=0) - np.min(values, axis=0),
    "rms": lambda time, values: np.sqrt(_mean(time, values**2)),
}


@dataclass(frozen=True)
class Reduced:
    """An output, and how its values over time become one number."""

    output: str
    reduction: str

    def __call__(self, time: Floats, values: Floats) -> float:
        return float(self.over(time, values))

    @property
    def needed(self) -> slice:
        """Which of the values it depends on."""
        return {"first": slice(0, 1), "final": slice(-1, None)}.get(self.reduction, slice(None))

    def over(self, time: Floats, values: Floats) -> Floats:
        """Return one number for each run, whose values are the columns."""
        return np.array(REDUCTIONS[self.reduction](time, values))


class MeasureError(ModelError):
    """A measure that did not return a number; it becomes the reason of a failed row."""


def named_measures(measure: object) -> dict[str, str | MeasureFunction]:
    """Return measures by the names of their columns: text is its own name, a function has that of its definition."""
    if isinstance(measure, Mapping):
        named = [(str(name), one) for name, one in measure.items()]
    else:
        several = measure if isinstance(measure, Sequence) and not isinstance(measure, str) else [measure]
        named = [
            (one if isinstance(one, str) else getattr(one, "__name__", type(one).__name__), one) for one in several
        ]
    if not named:
        raise ModelError("measure: there is nothing to measure; give a name like 'com.position_y.max', or a function")
    found: dict[str, str | MeasureFunction] = {}
    for name, one in named:
        if not isinstance(one, str) and not callable(one):
            raise ModelError(f"measure: give a name like 'com.position_y.max' or a function, not {one!r:.60}")
        if name in found:
            raise ModelError(
                f"measure: '{name}' appears twice; give them names: measure={{'first': ..., 'second': ...}}"
            )
        found[name] = one
    return found


def reduced(name: str, outputs: Iterable[str]) -> Reduced:
    """Return what a name like ``com.position_y.max`` asks for.

    Examples
    --------
    >>> reduced("knee.max", ["knee", "hip"])
    Reduced(output='knee', reduction='max')
    """
    output, _, reduction = name.rpartition(".")
    known = tuple(outputs)
    if reduction not in REDUCTIONS:
        if name in known:
            raise ModelError(f"measure '{name}': add how it becomes one number, such as '{name}.max' ({_ALL})")
        raise ModelError(f"measure '{name}': " + unknown_name("reduction", reduction, REDUCTIONS))
    if output not in known:
        raise ModelError(f"measure '{name}': " + unknown_name("output", output, known))
    return Reduced(output, reduction)


_ALL = ", ".join(REDUCTIONS)


def numbers_from(name: str, answer: object) -> dict[str, float]:
    """Return what a function answered as columns: a number under its name, numbers by name as they are."""
    if isinstance(answer, Mapping):
        return {str(key): _finite(f"{name}: '{key}'", value) for key, value in answer.items()}
    return {name: _finite(f"measure '{name}'", answer)}


def _finite(what: str, value: object) -> float:
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise MeasureError(f"{what} is {value!r:.60}, not a number") from None
    if array.size != 1 or (isinstance(value, str) or not isinstance(array.item(), Real)):
        raise MeasureError(f"{what} is {value!r:.60}, not a single number")
    if not np.isfinite(array.item()):
        raise MeasureError(f"{what} is {'NaN' if np.isnan(array.item()) else 'infinite'}")
    return float(array.item())
