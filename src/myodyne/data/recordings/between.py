"""Families of movements with one number: what lies between two movements, or beyond them."""

from __future__ import annotations

from numbers import Real

import numpy as np

from myodyne.data.plain import DataError
from myodyne.data.recordings.smoothing import spline_through
from myodyne.data.trajectory import Trajectory
from myodyne.types import Floats

_SPEED = ".speed"


def between(first: Trajectory, second: Trajectory, share: float) -> Trajectory:
    """Return the movement that lies between two, a share of the way from the first to the second.

    Both are read at equal parts of their durations, on cubic splines. Duration and columns are weighted means, so one
    number spans a family: 0 gives the first, 1 the second, numbers beyond go on. Columns that end in ``.speed`` are
    rates of the others and stay so: they are weighted with the durations. It is kinematics, good as a guess or a
    target; forces between those of two movements are in general not those of a movement between them.

    Parameters
    ----------
    first, second
        Movements; columns that only one of them has are left out.
    share
        Where between them.

    Examples
    --------
    >>> import myodyne as my
    >>> time = np.linspace(0.0, 1.0, 11)
    >>> short = my.Trajectory(time, {"knee": 0.2 * np.sin(np.pi * time)}, {"knee": "rad"})
    >>> long = my.Trajectory(2.0 * time, {"knee": 0.6 * np.sin(np.pi * time)}, {"knee": "rad"})
    >>> half = my.between(short, long, 0.5)
    >>> half.duration, round(float(half.values("knee").max()), 6)
    (1.5, 0.4)
    """
    for one in (first, second):
        if not isinstance(one, Trajectory):
            raise DataError(f"between takes two movements, each a my.Trajectory, not {one!r:.60}")
        if len(one.time) < 4:
            raise DataError(f"between: a movement has four rows or more, not {len(one.time)}")
    if isinstance(share, bool) or not isinstance(share, Real) or not np.isfinite(float(share)):
        raise DataError(f"between: the share is a finite number, not {share!r:.60}")
    names = _common(first, second)
    weights = np.array([1.0 - float(share), float(share)])
    durations = np.array([first.duration, second.duration])
    duration = float(weights @ durations)
    if duration <= 0:
        raise DataError(f"between: the movement would last {duration:g} s; take a share nearer to 0 … 1")
    parts = np.union1d(np.round(_parts(first), 12), np.round(_parts(second), 12))
    columns: dict[str, Floats] = {}
    read = [_read(one, names, parts) for one in (first, second)]
    for row, name in enumerate(names):
        # A rate in parts of the duration is the rate in time times the duration.
        factors = weights * durations / duration if name.endswith(_SPEED) else weights
        columns[name] = factors[0] * read[0][row] + factors[1] * read[1][row]
    start = float(weights @ [first.time[0], second.time[0]])
    return Trajectory(start + duration * parts, columns, {name: first.units[name] for name in names})


def _common(first: Trajectory, second: Trajectory) -> list[str]:
    names = [name for name in first.names if name in second]
    if not names:
        raise DataError("between: the movements have no column in common")
    for name in names:
        if first.units[name] != second.units[name]:
            raise DataError(f"between: '{name}' is in {first.units[name]!r} and in {second.units[name]!r}")
    return names


def _parts(movement: Trajectory) -> Floats:
    parts: Floats = (movement.time - movement.time[0]) / movement.duration
    return parts


def _read(movement: Trajectory, names: list[str], parts: Floats) -> Floats:
    """Return (columns, rows) a movement at parts of its duration."""
    table = np.array([movement.values(name) for name in names])
    rows: Floats = spline_through(_parts(movement), table, names, 3)(parts).T
    return rows
