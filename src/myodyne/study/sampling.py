"""Which rows a study has: grids, and samples of ranges and distributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from myodyne.errors import ModelError, unknown_name
from myodyne.study.ranges import Integers, Range, checked_ranges, from_fractions
from myodyne.types import Floats

Design: TypeAlias = Literal["latin_hypercube", "sobol", "halton", "monte_carlo"]

# Fractions stay this far from 0 and 1, where distributions without ends are infinite.
_EDGE = 1e-12


@dataclass(frozen=True, eq=False)
class Rows:
    """The values that each row of a study takes.

    Parameters
    ----------
    names
        What is varied.
    values
        A row for each run, a column for each name.
    ranges
        The ranges that they were drawn from; empty for a grid.
    source
        How they were made.

    Examples
    --------
    >>> import myodyne as my
    >>> rows = my.grid({"rod.mass": [1.0, 2.0], "gravity.y": [-9.81, -1.62]})
    >>> len(rows), rows[1]
    (4, {'rod.mass': 1.0, 'gravity.y': -1.62})
    """

    names: tuple[str, ...]
    values: Floats
    ranges: Mapping[str, Range] = field(default_factory=dict)
    source: str = ""

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=float)
        if values.ndim != 2 or values.shape[1] != len(self.names) or not len(values):
            raise ModelError(f"rows of {len(self.names)} names are a table with that many columns, not {values.shape}")
        if not np.all(np.isfinite(values)):
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise ModelError(f"row {row} of '{self.names[column]}' is {values[row, column]}, not a finite number")
        values.setflags(write=False)
        object.__setattr__(self, "values", values)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, number: int) -> dict[str, float]:
        return dict(zip(self.names, self.values[number].tolist(), strict=True))

    def __repr__(self) -> str:
        return (
            f"<{len(self)} rows of {', '.join(self.names[:6])}{' ...' if len(self.names) > 6 else ''}: {self.source}>"
        )


def grid(values: Mapping[str, Sequence[float] | Integers | ArrayLike]) -> Rows:
    """Return all combinations of some values, the last name changing fastest.

    Parameters
    ----------
    values
        Lists of numbers by name.

    Examples
    --------
    >>> import myodyne as my
    >>> my.grid({"soleus.max_force": [4e3, 6e3, 8e3], "gravity.y": [-9.81, -1.62]})
    <6 rows of soleus.max_force, gravity.y: grid of 3 × 2>
    """
    if not isinstance(values, Mapping) or not values:
        raise ModelError(f"a grid takes lists of numbers by name, like {{'rod.mass': [1.0, 2.0]}}, not {values!r:.60}")
    axes = {str(name): _axis(str(name), axis) for name, axis in values.items()}
    table = np.array(list(product(*axes.values())), dtype=float).reshape(-1, len(axes))
    return Rows(tuple(axes), table, source=f"grid of {' × '.join(str(len(axis)) for axis in axes.values())}")


def _axis(name: str, given: object) -> Floats:
    try:
        axis = np.array(given.values if isinstance(given, Integers) else given, dtype=float).reshape(-1)
    except (TypeError, ValueError):
        raise ModelError(f"grid '{name}': give a list of numbers, not {given!r:.60}") from None
    if not len(axis):
        raise ModelError(f"grid '{name}': there are no values")
    if len(np.unique(axis)) < len(axis):
        raise ModelError(f"grid '{name}': a value appears twice")
    return axis


def sample(
    ranges: Mapping[str, Range],
    count: int,
    *,
    seed: int,
    design: Design = "latin_hypercube",
    correlations: Mapping[tuple[str, str], float] | None = None,
) -> Rows:
    """Return values drawn from ranges and distributions; the same seed gives the same values.

    Parameters
    ----------
    ranges
        By name: ``(low, high)``, all between equally likely; `Integers`; `Choice`; or a distribution of `scipy.stats`.
    count
        How many rows.
    seed
        Of the random numbers.
    design
        ``"latin_hypercube"``, ``"sobol"``, ``"halton"`` (all by `scipy.stats.qmc`, scrambled) or ``"monte_carlo"``.
    correlations
        Between pairs of names, −1 to 1: those of the normal scores (a Gaussian copula); ranges and distributions stay
        what they are.

    Examples
    --------
    >>> import myodyne as my
    >>> rows = my.sample({"soleus.max_force": (4e3, 9e3), "shank.mass": (2.5, 4.0)}, count=8, seed=7)
    >>> rows.values.shape, bool((rows.values[:, 0] >= 4e3).all())
    ((8, 2), True)
    """
    checked = checked_ranges(ranges)
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ModelError(f"count must be a positive whole number, not {count!r:.40}")
    if design not in get_args(Design):
        raise ModelError(unknown_name("design", str(design), get_args(Design)))
    names = tuple(checked)
    fractions = unit_sample(len(names), count, seed, design)
    if correlations:
        fractions = _correlated(fractions, names, correlations)
    columns = [from_fractions(checked[name], fractions[:, k]) for k, name in enumerate(names)]
    return Rows(names, np.stack(columns, axis=1), checked, f"{design} of {count}, seed {seed}")


def random_numbers(*seed: int) -> np.random.Generator:
    """Return the random numbers of a seed, or refuse it."""
    for part in seed:
        if isinstance(part, bool) or not isinstance(part, int) or part < 0:
            raise ModelError(f"a seed is a whole number, at least 0, not {part!r:.40}")
    return np.random.default_rng(seed[0] if len(seed) == 1 else list(seed))


def unit_sample(width: int, count: int, seed: int, design: Design) -> Floats:
    """Return points of the unit cube, none of them on its faces."""
    if design == "monte_carlo":
        points = random_numbers(seed).random((count, width))
    else:
        import warnings

        from scipy.stats import qmc

        kinds = {"latin_hypercube": qmc.LatinHypercube, "sobol": qmc.Sobol, "halton": qmc.Halton}
        with warnings.catch_warnings():
            # Sobol' sequences are balanced at powers of two; other counts are still samples.
            warnings.filterwarnings("ignore", message="The balance properties", category=UserWarning)
            points = kinds[design](width, rng=random_numbers(seed)).random(count)
    return np.clip(points, _EDGE, 1 - _EDGE)


def _correlated(fractions: Floats, names: tuple[str, ...], pairs: Mapping[tuple[str, str], float]) -> Floats:
    """Return fractions whose normal scores have these correlations."""
    from scipy.stats import norm

    matrix = np.eye(len(names))
    for (first, second), value in pairs.items():
        for name in (first, second):
            if name not in names:
                raise ModelError("correlations: " + unknown_name("name", name, names))
        if first == second or not -1 < value < 1:
            raise ModelError(
                f"correlations: ('{first}', '{second}') = {value!r}; give two names and a number inside −1…1"
            )
        row, column = names.index(first), names.index(second)
        matrix[row, column] = matrix[column, row] = value
    try:
        factor = np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        raise ModelError(
            "correlations: no variables have all of these correlations at once; make them smaller"
        ) from None
    fractions = norm.cdf(norm.ppf(fractions) @ factor.T)
    return np.clip(fractions, _EDGE, 1 - _EDGE)
