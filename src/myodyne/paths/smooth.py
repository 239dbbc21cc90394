"""Paths that an optimiser can follow: polynomials in place of surfaces and of points that come and go."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from myodyne.errors import listed
from myodyne.model import ConditionalPoint, FunctionPath, Model, PathPoint, PointPath
from myodyne.native import cache as store
from myodyne.native.compiler import find_compiler
from myodyne.paths.fit import Deviation, closest_fit
from myodyne.paths.fitted import FittedPath, Tolerance, fitters, geometry_of, judged, plain_fit, read_fit, usual_ranges
from myodyne.paths.samples import PathOfModel, Ranges
from myodyne.progress import task
from myodyne.types import Floats

# How many poses compare the shortest path with the one by OpenSim's rules.
_COMPARED = 1000
# Errors are given to a hundredth of a millimetre.
_MILLI = 1000.0


@dataclass(frozen=True)
class SmoothPaths:
    """A model whose muscles run along smooth paths, and the fits of those that were replaced.

    Parameters
    ----------
    model
        The model, with polynomials in place of paths over surfaces and of paths whose points come and go.
    fits
        Those polynomials, with their ranges and errors, by muscle.
    shortest
        How far the length (m) of the shortest path is from OpenSim's, for the muscles that follow the shortest path
        because OpenSim's rules jump.

    Examples
    --------
    >>> import myodyne as my
    >>> print(my.smooth_paths(my.load_model("gait2d")))
    all paths are smooth as they are
    """

    model: Model
    fits: Mapping[str, FittedPath]
    shortest: Mapping[str, Deviation]

    @property
    def off(self) -> tuple[str, ...]:
        """The muscles whose fits are less accurate than requested, the worst first."""
        beyond = [name for name, fit in self.fits.items() if not fit.within]
        return tuple(sorted(beyond, key=lambda name: -self.fits[name].mean_arm))

    @property
    def summary(self) -> str:
        """What was replaced, in one sentence; what is less accurate than requested comes first."""
        if not self.fits:
            return "all paths are smooth as they are"
        worst = max(self.fits.values(), key=lambda fit: fit.mean_arm)
        arms = f"moment arms off by {_MILLI * worst.mean_arm:.2g} mm at most (root mean square)"
        words = f"{len(self.fits)} fitted as polynomials over the ranges of the movement, {arms}"
        if self.off:
            errors = [f"{name} ({_MILLI * self.fits[name].mean_arm:.2g} mm)" for name in self.off]
            words = f"less accurate than requested: {', '.join(errors)}; {words}"
        if self.shortest:
            apart = max(part.rms for part in self.shortest.values())
            words += (
                f"; along the shortest path, where OpenSim's rules jump: {listed(list(self.shortest), 6)} (lengths "
                f"{_MILLI * apart:.2g} mm from OpenSim's at most, root mean square)"
            )
        return words

    def __str__(self) -> str:
        rows = [
            f"  {name:<20} {fit.terms:>3} terms, length {_MILLI * fit.length.rms:.2f} mm, moment arms "
            f"{_MILLI * fit.mean_arm:.2f} mm RMS, {_MILLI * fit.worst_arm:.2f} mm at most"
            for name, fit in sorted(self.fits.items(), key=lambda item: -item[1].mean_arm)
        ]
        return "\n".join([self.summary, *rows])


def smooth_paths(
    model: Model,
    ranges: Ranges | None = None,
    *,
    error: float = 0.0005,
    arm_error: float = 0.001,
    max_degree: int = 10,
) -> SmoothPaths:
    """Return the model with smooth paths: an optimiser can follow neither corners nor jumps of a length.

    Paths over surfaces, and paths with conditional points that come and go within the ranges, become polynomials that
    hold in these ranges. Where OpenSim's rules of wrapping jump so that no polynomial is close enough, the shortest
    path over the same surfaces takes their place, if it can be met. All other paths stay as they are.

    Parameters
    ----------
    model
        The model.
    ranges
        Values that coordinates take in the movement (rad or m); those of the model unless given. Narrower ranges make
        closer fits.
    error, arm_error
        Errors of length and moment arms (m, root mean square).
    max_degree
        Highest degree of the polynomials.

    Examples
    --------
    >>> import myodyne as my
    >>> pendulum = my.load_model("double_pendulum")
    >>> points = (("rod1", (0.1, -0.5, 0.0)),
    ...           my.ConditionalPoint(body="rod1", at=(0.12, -0.9, 0.0), coordinate="angle2", range=(0.5, 2.0)),
    ...           ("rod2", (0.1, -0.5, 0.0)))
    >>> flexor = my.Muscle(path=my.PointPath(points=points), max_force=100.0, optimal_fibre_length=0.3,
    ...                    tendon_slack_length=0.6)
    >>> arm = pendulum.with_parts(muscles={"flexor": flexor})
    >>> list(my.smooth_paths(arm, {"angle1": (-1.0, 1.0), "angle2": (-1.0, 1.0)}).fits)
    ['flexor']
    >>> list(my.smooth_paths(arm, {"angle1": (-1.0, 1.0), "angle2": (-1.0, 0.4)}).fits)
    []
    """
    wanted = Tolerance(error, arm_error, max_degree)
    limits = {**usual_ranges(model), **_known(model, ranges)}
    rough = _rough_paths(model, limits)
    if not rough:
        return SmoothPaths(model, {}, {})
    key = store.key_of("smooth paths", geometry_of(model, rough), repr(wanted), json.dumps(limits), fitters())
    kept = store.recall(key)
    if kept is None:
        kept = _made(model, rough, limits, wanted)
        store.remember(key, kept)
    fits = {name: read_fit(data) for name, data in kept["fits"].items()}
    muscles = {
        name: model.muscles[name].model_copy(update={"path": _shown_along(rough[name], fit.path)})
        for name, fit in fits.items()
    }
    shortest = {name: Deviation(*apart) for name, apart in kept["shortest"].items()}
    return SmoothPaths(model.with_parts(muscles=muscles), fits, shortest)


def _known(model: Model, ranges: Ranges | None) -> dict[str, tuple[float, float]]:
    """Return ranges of coordinates that move, as the model's own where none are given."""
    own = {name: part.range for name, part in model.coordinates.items() if name in model.moving and part.range}
    return {**own, **dict(ranges or {})}


def _rough_paths(model: Model, limits: Ranges) -> dict[str, PointPath]:
    """Return the paths of muscles that have corners or jumps within the ranges."""

    def switches(point: object) -> bool:
        if not isinstance(point, ConditionalPoint) or point.coordinate not in limits:
            return isinstance(point, ConditionalPoint)
        low, high = limits[point.coordinate]
        return any(low < end < high for end in point.range)

    paths = {name: muscle.path for name, muscle in model.muscles.items()}
    return {
        name: path
        for name, path in paths.items()
        if isinstance(path, PointPath) and (path.wraps or any(map(switches, path.points)))
    }


def _made(model: Model, rough: Mapping[str, PointPath], limits: Ranges, wanted: Tolerance) -> dict[str, dict[str, Any]]:
    """Return the fits of paths as plain data, and how far those along the shortest path are from OpenSim's."""
    taut = model.with_values({"wrapping": "shortest"}) if model.wrapping == "opensim" and find_compiler() else None
    fits: dict[str, Any] = {}
    shortest: dict[str, Any] = {}
    with task(f"Fitting paths of '{model.name}' (kept for next time)", total=len(rough), unit="paths") as fitting:
        for name, path in rough.items():
            own = PathOfModel(model, name, path, limits)
            fit = judged(closest_fit(own, wanted.length, wanted.arm, wanted.degree), wanted)
            if not fit.within and path.wraps and taut is not None:
                other = PathOfModel(taut, name, path, limits)
                smoother = judged(closest_fit(other, wanted.length, wanted.arm, wanted.degree), wanted)
                if smoother.within:
                    fit, apart = smoother, _apart(own, other)
                    shortest[name] = [apart.largest, apart.rms]
            fits[name] = plain_fit(fit)
            fitting.advance()
    return {"fits": fits, "shortest": shortest}


def _apart(own: PathOfModel, other: PathOfModel) -> Deviation:
    """Return how far the lengths of two paths of the same muscle are apart."""
    poses = own.poses(_COMPARED, 5, corners=False)
    differences: Floats = np.subtract(other.at(poses)[0], own.at(poses)[0])
    return Deviation.of(differences)


def _shown_along(path: PointPath, fitted: FunctionPath) -> FunctionPath:
    """Return a fitted path with the fixed points of the path it replaces, for pictures."""
    points = tuple(point for point in path.points if isinstance(point, PathPoint))
    return fitted.model_copy(update={"shown": points}) if len(points) > 1 else fitted
