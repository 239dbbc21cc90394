"""Controls that a few numbers describe: onsets of full excitation, and splines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from myodyne.errors import ModelError
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.simulate.signals import Control, Signal, bspline, constant, piecewise_constant, step


@runtime_checkable
class ControlFamily(Protocol):
    """Controls made of named numbers, which a study varies."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers."""
        ...

    def controls(self, values: Mapping[str, float]) -> dict[str, Control]:
        """Return the controls; numbers that are not given have their defaults."""
        ...

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data, by which studies are compared."""
        ...


@dataclass(frozen=True)
class Onsets:
    """Controls that jump from rest to full and, if they have an offset, back: bang-bang.

    Their numbers are called ``soleus.onset`` and ``soleus.offset`` (s). A control whose offset does not come after its
    onset stays at rest.

    Parameters
    ----------
    before
        The value at rest of each control, by name.
    after
        The value from the onset on.
    offsets
        Whether controls have offsets too.

    Examples
    --------
    >>> import myodyne as my
    >>> timing = my.Onsets({"soleus": 0.05, "vasti": 0.06})
    >>> timing.names
    ('soleus.onset', 'vasti.onset')
    >>> timing.controls({"soleus.onset": 0.1, "vasti.onset": 0.02})["soleus"]
    step(at=0.1, before=0.05, after=1.0)
    """

    before: Mapping[str, float]
    after: float = 1.0
    offsets: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.before, Mapping) or not self.before:
            raise ModelError(
                f"Onsets take the values at rest by name, like {{'soleus': 0.05}}, not {self.before!r:.60}"
            )
        object.__setattr__(self, "before", {str(name): float(value) for name, value in self.before.items()})

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its numbers: onsets (s) and, where there are any, offsets (s)."""
        kinds = ("onset", "offset") if self.offsets else ("onset",)
        return tuple(f"{name}.{kind}" for name in self.before for kind in kinds)

    def controls(self, values: Mapping[str, float]) -> dict[str, Control]:
        """Return the controls; an onset that is not given is at 0 s, an offset never comes."""
        made: dict[str, Control] = {}
        for name, rest in self.before.items():
            onset, offset = float(values.get(f"{name}.onset", 0.0)), values.get(f"{name}.offset")
            made[name] = step(onset, rest, self.after) if offset is None else self._burst(rest, onset, float(offset))
        return made

    def pieces(self, values: Mapping[str, float], names: Sequence[str]) -> PiecewisePolynomial | None:
        """Return the controls of a model in one piece, many times faster than merged; None where they have offsets.

        None also where onsets are not finite, or differ by rounding alone.
        """
        if self.offsets or not set(self.before) <= set(names):
            return None
        onsets = {name: float(values.get(f"{name}.onset", 0.0)) for name in self.before}
        times = np.unique(list(onsets.values()))
        if not np.isfinite(times).all() or np.any(np.diff(times) <= 1e-11 * (1 + np.abs(times[1:]))):
            return None
        breaks = np.concatenate([[times[0] - 1.0], times, [times[-1] + 1.0]])
        coefficients = np.zeros((len(times) + 1, 1, len(names)))
        for name, rest in self.before.items():
            coefficients[:, 0, names.index(name)] = np.where(breaks[:-1] >= onsets[name], self.after, rest)
        return PiecewisePolynomial(breaks, coefficients)

    def _burst(self, rest: float, onset: float, offset: float) -> Signal:
        if offset <= onset:
            return constant(rest)
        return piecewise_constant([onset - 1.0, onset, offset], [rest, self.after, rest])

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {"kind": "onsets", "before": dict(self.before), "after": self.after, "offsets": self.offsets}


@dataclass(frozen=True)
class SplineControls:
    """Controls that are B-splines of a few control values, called ``soleus.point.0``, ``soleus.point.1`` and so on.

    Parameters
    ----------
    of
        The names of the controls.
    points
        Control values of each.
    start, end
        Where the curves begin and end (s).
    degree
        Of the splines; 1 gives straight lines.
    default
        The control values that are not given.

    Examples
    --------
    >>> import myodyne as my
    >>> curves = my.SplineControls(["soleus"], points=4, end=0.3)
    >>> curves.names[:2], curves.controls({"soleus.point.3": 1.0})["soleus"](0.3)
    (('soleus.point.0', 'soleus.point.1'), 1.0)
    """

    of: Sequence[str]
    points: int = 5
    start: float = 0.0
    end: float = 1.0
    degree: int = 3
    default: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "of", tuple(map(str, self.of)))
        if not self.of:
            raise ModelError("SplineControls need the name of at least one control")
        # The rules for points and ends are those of the curves themselves.
        self.controls({})

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its numbers."""
        return tuple(f"{name}.point.{number}" for name in self.of for number in range(self.points))

    def controls(self, values: Mapping[str, float]) -> dict[str, Control]:
        """Return the controls; control values that are not given have the default."""
        made: dict[str, Control] = {}
        for name in self.of:
            points = np.array([values.get(f"{name}.point.{number}", self.default) for number in range(self.points)])
            made[name] = bspline(points, self.start, self.end, self.degree)
        return made

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        fields = ("points", "start", "end", "degree", "default")
        return {"kind": "splines", "of": list(self.of)} | {name: getattr(self, name) for name in fields}
