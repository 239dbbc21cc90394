"""What a varied number may be: a range, a few values, whole numbers, or a distribution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from myodyne.errors import ModelError
from myodyne.types import Floats


@runtime_checkable
class Distribution(Protocol):
    """A frozen distribution of `scipy.stats`, such as ``scipy.stats.norm(5.0, 0.2)``."""

    def ppf(self, fractions: Floats) -> Floats:
        """Return the values below which these fractions lie."""
        ...


@dataclass(frozen=True)
class Integers:
    """Whole numbers from ``low`` to ``high``, both included.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Integers(2, 4).values
    (2.0, 3.0, 4.0)
    """

    low: int
    high: int

    def __post_init__(self) -> None:
        if int(self.low) != self.low or int(self.high) != self.high or self.low > self.high:
            raise ModelError(
                f"Integers({self.low!r}, {self.high!r}): two whole numbers are needed, the lower one first"
            )

    @property
    def values(self) -> tuple[float, ...]:
        """All of them."""
        return tuple(float(value) for value in range(int(self.low), int(self.high) + 1))


@dataclass(frozen=True)
class Choice:
    """One of a few values.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Choice([0.165, 0.17, 0.175]).values
    (0.165, 0.17, 0.175)
    """

    values: tuple[float, ...]

    def __init__(self, values: Sequence[float]) -> None:
        given = tuple(_number("Choice", value) for value in values)
        if not given or len(set(given)) < len(given):
            raise ModelError(f"Choice({list(values)!r:.60}): give at least one value, each once")
        object.__setattr__(self, "values", given)


# What the value of a name in `vary` may be: (low, high), whole numbers, a few values, or a distribution.
Range: TypeAlias = tuple[float, float] | Integers | Choice | Distribution


def _number(what: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not np.isfinite(float(value)):
        raise ModelError(f"{what}: {value!r:.40} is not a finite number")
    return float(value)


def checked_range(name: str, given: object) -> Range:
    """Return a range, or raise an error that says what one is."""
    if isinstance(given, Integers | Choice):
        return given
    if isinstance(given, Distribution):
        return given
    if isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 2:
        low, high = (_number(f"vary '{name}'", value) for value in given)
        if not low < high:
            raise ModelError(f"vary '{name}': the range ({low:g}, {high:g}) is empty; the lower end comes first")
        return low, high
    raise ModelError(
        f"vary '{name}': give a range (low, high), my.Integers, my.Choice or a distribution of scipy.stats, "
        f"not {given!r:.60}"
    )


def checked_ranges(given: object) -> dict[str, Range]:
    """Return ranges by name."""
    if not isinstance(given, Mapping) or not given:
        raise ModelError(
            f"vary names numbers and their ranges, like {{'soleus.max_force': (4e3, 9e3)}}, not {given!r:.60}"
        )
    return {str(name): checked_range(str(name), one) for name, one in given.items()}


def from_fractions(one: Range, fractions: Floats) -> Floats:
    """Return the values below which these fractions (0…1) of a range lie.

    Examples
    --------
    >>> from_fractions((2.0, 4.0), np.array([0.0, 0.5])), from_fractions(Integers(1, 3), np.array([0.2, 0.99]))
    (array([2., 3.]), array([1., 3.]))
    """
    if isinstance(one, tuple):
        values: Floats = one[0] + (one[1] - one[0]) * fractions
        return values
    if isinstance(one, Integers | Choice):
        values = np.array(one.values)
        found: Floats = values[np.minimum((fractions * len(values)).astype(int), len(values) - 1)]
        return found
    return one.ppf(fractions)


def description(one: Range) -> Any:  # noqa: ANN401 - plain data for JSON
    """Return a range as plain data, by which studies are compared."""
    if isinstance(one, tuple):
        return list(one)
    if isinstance(one, Integers | Choice):
        return {type(one).__name__: list(one.values)}
    # A frozen distribution of SciPy keeps its name and numbers in these attributes.
    kind, numbers = getattr(one, "dist", None), (getattr(one, "args", ()), getattr(one, "kwds", {}))
    return {"distribution": getattr(kind, "name", type(one).__name__), "numbers": repr(numbers)}
