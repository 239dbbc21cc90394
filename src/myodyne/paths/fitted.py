"""Polynomials in place of the paths that wrap over surfaces: fitted once, stored beside the compiled code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from myodyne.errors import ModelError
from myodyne.model import FunctionPath, Model, PointPath
from myodyne.native import cache as store
from myodyne.native.fingerprint import fingerprint_of, source_fingerprint
from myodyne.native.libraries import library_sources
from myodyne.paths.fit import Deviation, PathFit, closest_fit
from myodyne.paths.geometry import wrapped_forces, wrapped_paths
from myodyne.paths.samples import PathOfModel
from myodyne.progress import task

# Where a model gives no range, a coordinate is assumed to stay this close (rad or m) to its default.
_USUAL_REACH = 1.5


@dataclass(frozen=True)
class Tolerance:
    """How far fitted paths may be off: in length (m) and moment arms (m), root mean square, up to a degree.

    With ``exact`` muscles follow the surfaces themselves, and only other forces are fitted.

    Examples
    --------
    >>> Tolerance().length
    0.0005
    """

    length: float = 0.0005
    arm: float = 0.001
    degree: int = 6
    exact: bool = False

    def __post_init__(self) -> None:
        for name in ("length", "arm"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < 1.0:
                raise ModelError(f"the tolerance of a path's {name} must be between 0 and 1 m, not {value!r}")
        if isinstance(self.degree, bool) or not isinstance(self.degree, int) or not 1 <= self.degree <= 12:
            raise ModelError(f"the degree of fitted paths must be a whole number from 1 to 12, not {self.degree!r}")


@dataclass(frozen=True)
class FittedPath:
    """The polynomial that replaces a path over surfaces, its range of validity, and its errors there.

    ``ranges`` (rad or m) are those of the coordinates that the path crosses, ``length`` (m) and ``arms`` (m) the
    errors, largest and root mean square.

    Examples
    --------
    >>> path = FittedPath(FunctionPath(length=0.3), {}, Deviation(2e-4, 1e-4), {}, within=True)
    >>> path.terms
    1
    """

    path: FunctionPath
    ranges: Mapping[str, tuple[float, float]]
    length: Deviation
    arms: Mapping[str, Deviation]
    within: bool

    @property
    def terms(self) -> int:
        """The number of terms of the polynomial."""
        return len(getattr(self.path.length, "terms", (0,)))

    @property
    def worst_arm(self) -> float:
        """The largest error of any moment arm (m)."""
        return max((arm.largest for arm in self.arms.values()), default=0.0)

    @property
    def mean_arm(self) -> float:
        """The root mean square error of the least accurate moment arm (m)."""
        return max((arm.rms for arm in self.arms.values()), default=0.0)


class FittedPaths:
    """The fits of all paths over surfaces of one model, made when they are first asked for."""

    def __init__(self, model: Model, tolerance: Tolerance, fingerprint: str) -> None:
        self._model, self._tolerance = model, tolerance
        self._fingerprint = fingerprint

    @property
    def _key(self) -> str:
        """The key under which the fits are stored."""
        return store.key_of(
            "path fits",
            geometry_of(self._model, wrapped_paths(self._model)),
            repr(self._tolerance),
            self._fingerprint,
            fitters(),
        )

    @property
    def _wrapped(self) -> dict[str, PointPath]:
        """The paths to fit."""
        return wrapped_forces(self._model) if self._tolerance.exact else wrapped_paths(self._model)

    @cached_property
    def fits(self) -> dict[str, FittedPath]:
        """The fits by muscle or force, from the cache if available."""
        if not self._wrapped:
            return {}
        key = self._key
        kept = store.recall(key)
        if kept is None:
            kept = {name: plain_fit(fit) for name, fit in self._made().items()}
            store.remember(key, kept)
        return {name: read_fit(data) for name, data in kept.items()}

    def paths(self) -> dict[str, FunctionPath]:
        """Return the function that replaces each path."""
        return {name: fit.path for name, fit in self.fits.items()}

    def _made(self) -> dict[str, FittedPath]:
        paths = self._wrapped
        ranges = usual_ranges(self._model)
        allowed = self._tolerance
        made = {}
        title = f"Fitting paths of '{self._model.name}' (kept for next time)"
        with task(title, total=len(paths), unit="paths") as fitting:
            for name, path in paths.items():
                fit = closest_fit(
                    PathOfModel(self._model, name, path, ranges), allowed.length, allowed.arm, allowed.degree
                )
                made[name] = judged(fit, allowed)
                fitting.advance()
        return made


def judged(fit: PathFit, allowed: Tolerance) -> FittedPath:
    """Return a fit with whether it is as accurate as requested."""
    length, arms = fit.errors.length, fit.errors.by_coordinate
    within = length.rms <= allowed.length and all(arm.rms <= allowed.arm for arm in arms.values())
    return FittedPath(fit.path, fit.ranges, length, arms, within)


def geometry_of(model: Model, paths: Mapping[str, PointPath]) -> str:
    """Return everything that paths depend on: masses and muscles may change without a new fit."""
    parts: dict[str, Mapping[str, Any]] = {
        "joints": model.joints,
        "constraints": model.constraints,
        "surfaces": model.surfaces,
        "paths": paths,
    }
    dumped: dict[str, Any] = {
        kind: {name: part.model_dump(mode="json") for name, part in named.items()} for kind, named in parts.items()
    }
    return json.dumps({**dumped, "wrapping": model.wrapping}, sort_keys=True)


@cache
def fitters() -> str:
    """Return a fingerprint of the code of wrapping and fitting, on which fits depend beside that of the equations."""
    return source_fingerprint("myodyne.paths.fit") + fingerprint_of(library_sources("wrapping"))


def usual_ranges(model: Model) -> dict[str, tuple[float, float]]:
    """Return ranges for the coordinates of which the model gives none."""
    parts = {name: model.coordinates[name] for name in model.moving}
    return {
        name: (part.default - _USUAL_REACH, part.default + _USUAL_REACH)
        for name, part in parts.items()
        if part.range is None
    }


def plain_fit(fit: FittedPath) -> dict[str, Any]:
    """Return a fit as the cache stores it."""
    return {
        "path": fit.path.model_dump(mode="json"),
        "ranges": {name: list(ends) for name, ends in fit.ranges.items()},
        "length": [fit.length.largest, fit.length.rms],
        "within": fit.within,
        "arms": {name: [arm.largest, arm.rms] for name, arm in fit.arms.items()},
    }


def read_fit(data: Mapping[str, Any]) -> FittedPath:
    """Return a fit from the cache."""
    return FittedPath(
        path=FunctionPath.model_validate(data["path"]),
        ranges={name: (ends[0], ends[1]) for name, ends in data["ranges"].items()},
        length=Deviation(*data["length"]),
        within=bool(data["within"]),
        arms={name: Deviation(*arm) for name, arm in data["arms"].items()},
    )
