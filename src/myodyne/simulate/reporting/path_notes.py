"""What a report says of paths over surfaces: how close the polynomials are that stood for them, and where they end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from myodyne.data import Trajectory
from myodyne.equations import Equations
from myodyne.errors import listed
from myodyne.paths.fitted import FittedPath

# Part of a range by which a coordinate may pass its ends unnoticed: a stop that holds it gives way by as much.
_BESIDE = 1e-6

# A coordinate, and the range over which paths that cross it were fitted.
_Crossed = tuple[str, tuple[float, float]]


def path_notes(parts: Iterable[tuple[Equations, Trajectory]]) -> list[str]:
    """Return notes on fitted paths of the stretches of a simulation: how close they are, and the first way beyond."""
    closeness: dict[str, None] = {}
    ends: dict[_Crossed, str] = {}
    for equations, columns in parts:
        fits = equations.path_fits
        if fits:
            closeness[_closeness(fits)] = None
            ends = _ends(fits, columns) | ends
    return [*closeness, *ends.values()]


def _closeness(fits: Mapping[str, FittedPath]) -> str:
    """Return how many paths are fitted, how far off the worst is, and which miss the tolerance."""
    worst = max(fits, key=lambda name: fits[name].length.rms)
    beyond = {name: fit for name, fit in fits.items() if not fit.within}
    closeness = (
        f"; less accurate than requested: {_listed_errors(beyond)}" if beyond else ", all as accurate as requested"
    )
    return (
        f"{len(fits)} path{'s' if len(fits) > 1 else ''} over surfaces entered as fitted polynomials: the lengths are "
        f"off by {_millimetres(fits[worst].length.rms)} at most (root mean square, '{worst}'){closeness} "
        "(see equations.path_fits; closer ones by equations_of with a smaller path_error or a higher path_degree)"
    )


def _listed_errors(fits: Mapping[str, FittedPath], most: int = 6) -> str:
    """Return paths with their errors, the worst first."""
    order = sorted(fits, key=lambda name: -fits[name].length.rms)
    errors = [
        f"'{name}' ({_millimetres(fits[name].length.rms)}, moment arms {_millimetres(fits[name].mean_arm)})"
        for name in order[:most]
    ]
    return ", ".join(errors) + (f" and {len(order) - most} more" if len(order) > most else "")


def _millimetres(size: float) -> str:
    return f"{1000 * size:.2g} mm"


def _ends(fits: Mapping[str, FittedPath], columns: Trajectory) -> dict[_Crossed, str]:
    """Return which coordinates left the ranges over which paths were fitted."""
    crossing: dict[_Crossed, list[str]] = {}
    for name, fit in fits.items():
        for coordinate, ends in fit.ranges.items():
            crossing.setdefault((coordinate, ends), []).append(name)
    notes = {}
    for crossed, names in crossing.items():
        coordinate, (low, high) = crossed
        values = columns.values(coordinate)
        beside = _BESIDE * (high - low)
        beyond = np.flatnonzero((values < low - beside) | (values > high + beside))
        if len(beyond):
            notes[crossed] = (
                f"'{coordinate}' takes values from {np.min(values):g} to {np.max(values):g}, beyond the range "
                f"[{low:g}, {high:g}] over which paths were fitted, first at {columns.time[beyond[0]]:.6g} s: do not "
                f"trust {listed(names, 6)} there; give the coordinate a wider range in the model"
            )
    return notes
