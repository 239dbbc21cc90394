"""Which of the varied numbers matter: one at a time, by Morris, by Sobol."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from myodyne.errors import ModelError, MyodyneError, SolveError, unknown_name
from myodyne.study.engines.engine import Engine
from myodyne.study.ranges import Choice, Integers, Range, from_fractions
from myodyne.study.sampling import Rows
from myodyne.study.slopes import Slopes, linear_slopes
from myodyne.types import Floats

if TYPE_CHECKING:
    import xarray

    from myodyne.study.study import Study

# Distributions without ends are taken between these fractions, where a low and a high value are needed.
_LOW, _HIGH = 0.025, 0.975


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """How much a measure depends on each number.

    Parameters
    ----------
    measure
        The measure.
    names
        What was varied.
    columns
        What the method gives for each name: ``low`` and ``high`` (the measure at both ends of the range), ``slope`` and
        ``spread`` one at a time and from Jacobians; ``mean``, ``mean_absolute`` and ``deviation`` of elementary effects
        by Morris; ``first`` and ``total`` indices by Sobol, with ``first_error`` and ``total_error`` (95 %).
    base
        The measure in the middle of all ranges; None where it was not computed.
    table
        All rows.

    Examples
    --------
    >>> import myodyne as my
    >>> study = my.Study(
    ...     my.load_model("pendulum"),
    ...     vary={"start:angle": (0.4, 0.6), "rod.mass": (0.9, 1.1)},
    ...     measure="angle.max",
    ...     duration=0.5,
    ...     start={"angle.speed": 0.0},
    ... )
    >>> effects = my.sensitivity(study, my.OneAtATime())
    >>> effects.order, effects.columns["slope"].round(3).tolist()
    (('start:angle', 'rod.mass'), [1.0, 0.0])
    """

    measure: str
    names: tuple[str, ...]
    columns: Mapping[str, Floats]
    base: float | None
    table: xarray.Dataset

    @property
    def importance(self) -> Floats:
        """One number for each name, by which they are ordered."""
        for name in ("total", "mean_absolute"):
            if name in self.columns:
                return self.columns[name]
        return np.abs(self.columns["high"] - self.columns["low"])

    @property
    def order(self) -> tuple[str, ...]:
        """The names, the most important first."""
        return tuple(self.names[k] for k in np.argsort(-self.importance, kind="stable"))

    @property
    def uncertainty(self) -> float:
        """The standard deviation of the measure, to first order, if the numbers vary independently in their ranges."""
        if "spread" not in self.columns:
            raise ModelError("uncertainty to first order needs slopes: my.sensitivity(study, my.OneAtATime())")
        return float(np.sqrt(np.sum((self.columns["slope"] * self.columns["spread"]) ** 2)))

    def __str__(self) -> str:
        lines = [f"{self.measure}, by {len(self.table['row'])} rows"]
        for name in self.order:
            k = self.names.index(name)
            lines.append(f"  {name:<28}" + "".join(f"  {key} {column[k]:.4g}" for key, column in self.columns.items()))
        return "\n".join(lines)


@runtime_checkable
class SensitivityMethod(Protocol):
    """How sensitivities are computed: which rows, and what follows from their values."""

    def rows(self, ranges: Mapping[str, Range]) -> Rows:
        """Return the rows to compute."""
        ...

    def columns(self, rows: Rows, values: Floats) -> tuple[dict[str, Floats], float | None]:
        """Return what follows from the values of all rows, and the value in the middle if there is one."""
        ...


@dataclass(frozen=True)
class OneAtATime:
    """Each number at both ends of its range, the others in the middle: 2n + 1 rows, for tornado plots.

    Slopes are central differences over ``part`` of the range; of ranges without ends, over its middle 95 %.

    Parameters
    ----------
    part
        The part of each range that is covered; a small one gives linear sensitivities.

    Examples
    --------
    >>> import myodyne as my
    >>> my.OneAtATime(part=0.01)
    OneAtATime(part=0.01)
    """

    part: float = 1.0

    def rows(self, ranges: Mapping[str, Range]) -> Rows:
        """Return the middle, then low and high for each name."""
        width = len(ranges)
        points = np.full((2 * width + 1, width), 0.5)
        for k, one in enumerate(ranges.values()):
            low, high = _ends(one)
            points[1 + 2 * k, k] = 0.5 + self.part * (low - 0.5)
            points[2 + 2 * k, k] = 0.5 + self.part * (high - 0.5)
        return _rows(ranges, points, repr(self))

    def columns(self, rows: Rows, values: Floats) -> tuple[dict[str, Floats], float | None]:
        """Return the measure at both ends, slopes, and the standard deviations of the ranges."""
        count = len(rows.names)
        low, high = values[1::2], values[2::2]
        change = np.array([rows.values[2 + 2 * k, k] - rows.values[1 + 2 * k, k] for k in range(count)])
        spread = np.array([_deviation(one) for one in rows.ranges.values()])
        return {"low": low, "high": high, "slope": (high - low) / change, "spread": spread}, float(values[0])


@dataclass(frozen=True)
class Morris:
    """Elementary effects by Morris 1991 (library SALib): ``trajectories`` × (n + 1) rows.

    Parameters
    ----------
    trajectories
        How often each number takes a step.
    seed
        Of the random numbers.
    levels
        Of the grid on which numbers step; even.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Morris(trajectories=20, seed=1).levels
    4
    """

    trajectories: int = 10
    seed: int = 1
    levels: int = 4

    def rows(self, ranges: Mapping[str, Range]) -> Rows:
        """Return the rows of all trajectories."""
        _salib()
        points = self._points(ranges)
        return _rows(ranges, points, repr(self))

    def columns(self, rows: Rows, values: Floats) -> tuple[dict[str, Floats], float | None]:
        """Return mean, mean magnitude and deviation of the effects, each of the whole range of a number."""
        from SALib.analyze import morris

        # The points in the cube, which the values do not show for whole numbers and choices: drawn again.
        points = self._points(rows.ranges)
        found = morris.analyze(_cube(rows.ranges), points, values, num_levels=self.levels, seed=self.seed)
        names = {"mean": "mu", "mean_absolute": "mu_star", "deviation": "sigma"}
        return {name: np.asarray(found[key], dtype=float) for name, key in names.items()}, None

    def _points(self, ranges: Mapping[str, Range]) -> Floats:
        from SALib.sample import morris

        points: Floats = morris.sample(_cube(ranges), self.trajectories, num_levels=self.levels, seed=self.seed)
        return points


@dataclass(frozen=True)
class SobolIndices:
    """Sobol' indices by Saltelli's sample (library SALib): ``count`` × (n + 2) rows.

    The first index of a number is the part of the variance that it explains alone, the total one that in which it
    takes part.

    Parameters
    ----------
    count
        Points of the base sample, a power of two.
    seed
        Of the random numbers.

    Examples
    --------
    >>> import myodyne as my
    >>> my.SobolIndices(count=128)
    SobolIndices(count=128, seed=1)
    """

    count: int = 64
    seed: int = 1

    def __post_init__(self) -> None:
        if self.count < 2 or self.count & (self.count - 1):
            raise ModelError(f"SobolIndices: count must be a power of two, such as 64, not {self.count!r}")

    def rows(self, ranges: Mapping[str, Range]) -> Rows:
        """Return Saltelli's rows."""
        _salib()
        from SALib.sample import sobol

        points = sobol.sample(_cube(ranges), self.count, calc_second_order=False, seed=self.seed)
        return _rows(ranges, np.clip(points, 1e-9, 1 - 1e-9), repr(self))

    def columns(self, rows: Rows, values: Floats) -> tuple[dict[str, Floats], float | None]:
        """Return first and total indices with their errors."""
        from SALib.analyze import sobol

        found = sobol.analyze(
            _cube(rows.ranges), values, calc_second_order=False, print_to_console=False, seed=self.seed
        )
        names = {"first": "S1", "total": "ST", "first_error": "S1_conf", "total_error": "ST_conf"}
        return {name: np.asarray(found[key], dtype=float) for name, key in names.items()}, None


def sensitivity(
    study: Study,
    method: SensitivityMethod | Slopes | None = None,
    *,
    measure: str | None = None,
    engine: Engine | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> Sensitivity:
    """Return how much a measure of a study depends on each of the numbers that it varies.

    Parameters
    ----------
    study
        A study whose ``vary`` are ranges by name.
    method
        `OneAtATime` (the default), `Slopes`, `Morris`, or `SobolIndices`.
    measure
        Which, if the study has several.
    engine, out, resume
        As in `Study.run`; `Slopes` computes one row, here.

    Examples
    --------
    >>> import myodyne as my
    >>> study = my.Study(
    ...     my.load_model("pendulum"), vary={"start:angle": (0.1, 0.2)}, measure="angle.first", duration=0.2
    ... )
    >>> round(my.sensitivity(study).uncertainty, 4)      # 0.1 rad / √12
    0.0289
    """
    method = method or OneAtATime()
    if not isinstance(method, SensitivityMethod | Slopes):
        names = "my.OneAtATime(), my.Slopes(), my.Morris() or my.SobolIndices()"
        raise ModelError(f"method must be {names}, not {method!r:.60}")
    ranges = study.vary.ranges if isinstance(study.vary, Rows) else study.vary
    if not ranges:
        raise ModelError("sensitivities need ranges, not a grid: vary={'soleus.max_force': (4e3, 9e3)}")
    if isinstance(method, Slopes):
        return _linear(study, ranges, measure)
    rows = method.rows(ranges)
    table = replace(study, vary=rows).run(engine, out=out, resume=resume)
    name = _measure(table, measure)
    values = table[name].values
    failed = int(np.count_nonzero(~np.isfinite(values)))
    if failed:
        why = next(str(reason) for reason in table["reason"].values if reason)
        raise SolveError(f"{failed} of {len(values)} rows failed, and the method needs all of them; the first: {why}")
    columns, base = method.columns(rows, values)
    return Sensitivity(name, rows.names, columns, base, table)


def _linear(study: Study, ranges: Mapping[str, Range], measure: str | None) -> Sensitivity:
    """Return slopes from exact Jacobians, drawn out to the ends of the ranges."""
    middle = _rows(ranges, np.full((1, len(ranges)), 0.5), repr(Slopes()))
    table = replace(study, vary=middle).run()
    name = _measure(table, measure)
    slopes, base = linear_slopes(study, ranges, name)
    ends = np.array([from_fractions(one, np.array(_ends(one))) for one in ranges.values()])
    low, high = (base + slopes * (ends[:, k] - middle.values[0]) for k in (0, 1))
    spread = np.array([_deviation(one) for one in ranges.values()])
    return Sensitivity(name, middle.names, {"low": low, "high": high, "slope": slopes, "spread": spread}, base, table)


def _measure(table: xarray.Dataset, measure: str | None) -> str:
    known = [str(name) for name in table.data_vars if name not in ("status", "reason", "seconds")]
    if not known:
        raise SolveError(f"all rows failed; the first: {table['reason'].values[0]}")
    if measure is None:
        if len(known) > 1:
            raise ModelError(f"which measure? Give measure= one of {known}")
        return known[0]
    if measure not in known:
        raise ModelError(unknown_name("measure", measure, known))
    return measure


def _rows(ranges: Mapping[str, Range], points: Floats, source: str) -> Rows:
    columns = [from_fractions(one, points[:, k]) for k, one in enumerate(ranges.values())]
    return Rows(tuple(ranges), np.stack(columns, axis=1), dict(ranges), source)


def _ends(one: Range) -> tuple[float, float]:
    """Return the fractions at the ends of a range."""
    return (0.0, 1.0) if isinstance(one, tuple | Integers | Choice) else (_LOW, _HIGH)


def _deviation(one: Range) -> float:
    """Return the standard deviation of a range whose values are equally likely, or of a distribution."""
    if isinstance(one, tuple):
        return float((one[1] - one[0]) / np.sqrt(12.0))
    if isinstance(one, Integers | Choice):
        return float(np.std(one.values))
    return float(one.std())  # type: ignore[attr-defined]


def _cube(ranges: Mapping[str, Range]) -> dict[str, Any]:
    """Return the problem as SALib describes one: the unit cube, from which ranges are drawn here."""
    return {"num_vars": len(ranges), "names": list(ranges), "bounds": [[0.0, 1.0]] * len(ranges)}


def _salib() -> None:
    try:
        import SALib  # noqa: F401
    except ImportError:
        raise MyodyneError("Morris and Sobol need the library SALib: pip install 'myodyne[study]'") from None
