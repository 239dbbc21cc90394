"""Paths as short polynomials: sampled over a range of poses, fitted in length and moment arms, validated at others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from myodyne.errors import ModelError, SolveError, unknown_name
from myodyne.model import FunctionPath, Model, Muscle, PointPath, Polynomial, Term
from myodyne.numerics.polynomial_fit import PolynomialFit, Samples, closest, fewest_terms, poses_for
from myodyne.paths.samples import PathOfModel, Ranges, place
from myodyne.progress import task
from myodyne.types import Floats

_FRESH_POSES = 4000
_ROUNDS = 6
# Terms that a polynomial in the equations may have: each costs a nanosecond or two in every evaluation.
_MOST_TERMS = 80


@dataclass(frozen=True)
class Deviation:
    """How far a fit lies from what it was fitted to: the largest error and the root mean square.

    Examples
    --------
    >>> Deviation.of(np.array([0.003, -0.004])).largest
    0.004
    """

    largest: float
    rms: float

    @staticmethod
    def of(errors: Floats) -> Deviation:
        return Deviation(float(np.max(np.abs(errors))), float(np.sqrt(np.mean(errors**2))))


@dataclass(frozen=True, eq=False)
class FitErrors:
    """Errors of a fit at the poses where it was validated.

    ``poses`` (k, n) are values of the coordinates, ``lengths`` (k,) (m) and ``arms`` (k, n) (m/rad, m/m; moment arm
    = -dL/dq) those of the path itself. The errors are fit less path.
    """

    coordinates: tuple[str, ...]
    poses: Floats
    lengths: Floats
    arms: Floats
    length_errors: Floats
    arm_errors: Floats

    @property
    def length(self) -> Deviation:
        """The error of the length (m)."""
        return Deviation.of(self.length_errors)

    @property
    def by_coordinate(self) -> dict[str, Deviation]:
        """The error of the moment arm about each coordinate (m)."""
        return {name: Deviation.of(self.arm_errors[:, k]) for k, name in enumerate(self.coordinates)}

    def worst(self, tolerance: float, arm_tolerance: float) -> tuple[float, str]:
        """Return the largest error in units of its tolerance, and a description of what and where it is."""
        parts = {"length": self.length_errors / tolerance}
        parts |= {
            f"moment arm about '{name}'": self.arm_errors[:, k] / arm_tolerance
            for k, name in enumerate(self.coordinates)
        }
        what = max(parts, key=lambda key: float(np.max(np.abs(parts[key]))))
        row = int(np.argmax(np.abs(parts[what])))
        unit = tolerance if what == "length" else arm_tolerance
        size = float(abs(parts[what][row]))
        return size, f"{1000 * size * unit:.3g} mm in the {what}, at {place(self.coordinates, self.poses[row])}"


@dataclass(frozen=True, eq=False)
class PathFit:
    """A path of a muscle as a polynomial of the coordinates that it crosses, and its accuracy.

    ``path`` can take the place of the muscle's own. ``errors`` are those at poses that were not fitted. ``ranges`` are
    those of the coordinates, in their ``units``.

    Examples
    --------
    >>> import myodyne as my
    >>> arm = my.Model(
    ...     name="arm", bodies={"forearm": my.Body(mass=1.2, centre_of_mass=(0, -0.15, 0), inertia=0.01)},
    ...     joints={"elbow": my.pin("ground", "forearm", "elbow", range=(0.0, 2.4))},
    ...     muscles={"biceps": my.Muscle(max_force=600.0, optimal_fibre_length=0.12, tendon_slack_length=0.2, path=
    ...         my.PointPath(points=(("ground", (0.0, 0.3, 0.0)), ("forearm", (0.02, -0.04, 0.0)))))})
    >>> fit = my.fit_path(arm, "biceps")
    >>> fit.errors.length.largest < 0.001
    True
    """

    muscle: str
    path: FunctionPath
    ranges: Mapping[str, tuple[float, float]]
    units: Mapping[str, str]
    errors: FitErrors
    error: float
    arm_error: float
    degree: int

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The coordinates that the path crosses."""
        return self.errors.coordinates

    @property
    def terms(self) -> int:
        """The number of terms of the polynomial."""
        length = self.path.length
        return len(length.terms) if isinstance(length, Polynomial) else 1

    def __str__(self) -> str:
        title = f"{self.muscle}: {self.terms} terms of degree {self.degree}"
        rows = [("length", self.errors.length), *self.errors.by_coordinate.items()]
        return "\n".join(
            [
                title,
                *(
                    f"  {name:<24} {1000 * part.largest:8.3f} mm at most, {1000 * part.rms:8.3f} mm RMS"
                    for name, part in rows
                ),
            ]
        )


@dataclass(frozen=True, eq=False)
class PathFits:
    """A model whose muscles run along fitted polynomials, and the fit of each muscle that was replaced.

    Examples
    --------
    >>> import myodyne as my
    >>> print(my.fit_paths(my.load_model("pendulum")))
    no muscle has a path of points
    """

    model: Model
    fits: Mapping[str, PathFit]

    def __str__(self) -> str:
        return "\n".join(str(fit) for fit in self.fits.values()) or "no muscle has a path of points"


def fit_path(
    model: Model,
    muscle: str,
    ranges: Ranges | None = None,
    *,
    error: float = 0.001,
    arm_error: float = 0.002,
    max_degree: int = 6,
) -> PathFit:
    """Return a short polynomial for the path of a muscle, within stated errors of its length and moment arms.

    Parameters
    ----------
    model
        The model that the muscle is in.
    muscle
        Its name.
    ranges
        Values that coordinates can take (rad or m); those of the model unless given. The polynomial holds there.
    error
        Largest error of the length (m).
    arm_error
        Largest error of each moment arm (m/rad, m/m).
    max_degree
        Highest degree of the polynomial.

    Raises
    ------
    SolveError
        If no polynomial of that degree is accurate enough; the message says how accurate the best one is, and where it
        fails.

    Examples
    --------
    >>> import myodyne as my
    >>> knee = my.Model(
    ...     name="knee", bodies={"shank": my.Body(mass=3.0, centre_of_mass=(0, -0.2, 0), inertia=0.05)},
    ...     joints={"knee": my.pin("ground", "shank", "knee", range=(-2.0, 0.0))},
    ...     muscles={"hamstrings": my.Muscle(max_force=2000.0, optimal_fibre_length=0.1, tendon_slack_length=0.3, path=
    ...         my.PointPath(points=(("ground", (-0.05, 0.4, 0.0)), ("shank", (-0.04, -0.05, 0.0)))))})
    >>> fit = my.fit_path(knee, "hamstrings", error=0.0005)
    >>> knee = knee.with_parts(muscles={"hamstrings": knee.muscles["hamstrings"].model_copy(update={"path": fit.path})})
    """
    wanted = _Wanted.checked(error, arm_error, max_degree)
    if muscle not in model.muscles:
        raise ModelError(f"fit_path: {unknown_name('muscle', muscle, model.muscles)}")
    with task(f"Fitting the path of '{muscle}'", total=max_degree + 1, unit="degrees") as fitting:
        path = PathOfModel(model, muscle, model.muscles[muscle].path, ranges)
        return _fitted(path, wanted, lambda _: fitting.advance())


def fit_paths(
    model: Model,
    ranges: Ranges | None = None,
    *,
    muscles: Sequence[str] | None = None,
    error: float = 0.001,
    arm_error: float = 0.002,
    max_degree: int = 6,
) -> PathFits:
    """Return the model with polynomials in place of all paths of points of its muscles, and the fits.

    The arguments are those of `fit_path`; ``muscles`` names those to fit, all that run along points unless given.
    Ligaments are left unchanged: they are so stiff that a fraction of a millimetre matters.

    Examples
    --------
    >>> import myodyne as my
    >>> arm = my.Model(
    ...     name="arm", bodies={"forearm": my.Body(mass=1.2, centre_of_mass=(0, -0.15, 0), inertia=0.01)},
    ...     joints={"elbow": my.pin("ground", "forearm", "elbow", range=(0.0, 2.4))},
    ...     muscles={"biceps": my.Muscle(max_force=600.0, optimal_fibre_length=0.12, tendon_slack_length=0.2, path=
    ...         my.PointPath(points=(("ground", (0.0, 0.3, 0.0)), ("forearm", (0.02, -0.04, 0.0)))))})
    >>> my.fit_paths(arm).model.muscles["biceps"].path.kind
    'function'
    """
    wanted = _Wanted.checked(error, arm_error, max_degree)
    for name in () if muscles is None else muscles:
        if name not in model.muscles:
            raise ModelError(f"fit_paths: {unknown_name('muscle', name, model.muscles)}")
    on_points = [name for name, part in model.muscles.items() if isinstance(part.path, PointPath)]
    chosen = on_points if muscles is None else muscles
    fits: dict[str, PathFit] = {}
    with task(f"Fitting paths of '{model.name}'", total=len(chosen), unit="paths") as fitting:
        for name in chosen:
            relevant = PathOfModel(model, name, model.muscles[name].path, ranges)
            fits[name] = _fitted(relevant, wanted, lambda _: None)
            fitting.advance()
    replaced: dict[str, Muscle] = {
        name: model.muscles[name].model_copy(update={"path": fit.path}) for name, fit in fits.items()
    }
    return PathFits(model.with_parts(muscles=replaced), fits)


@dataclass(frozen=True)
class _Wanted:
    error: float
    arm_error: float
    max_degree: int

    @staticmethod
    def checked(error: float, arm_error: float, max_degree: int) -> _Wanted:
        for name, value in (("error", error), ("arm_error", arm_error)):
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < np.inf:
                raise ModelError(f"{name} must be a length above zero (m), not {value!r}")
        if isinstance(max_degree, bool) or not isinstance(max_degree, int) or not 0 <= max_degree <= 20:
            raise ModelError(f"max_degree must be a whole number from 0 to 20, not {max_degree!r}")
        return _Wanted(float(error), float(arm_error), max_degree)


def closest_fit(path: PathOfModel, error: float, arm_error: float, max_degree: int) -> PathFit:
    """Return a polynomial within the errors on average, or nearly as close as any up to the degree."""
    wanted = _Wanted(error, arm_error, max_degree)
    fit = closest(_samples(path, wanted), max_degree, _MOST_TERMS)
    fresh = path.poses(_FRESH_POSES, 2, corners=False)
    return _path_fit(path, fit, _errors(path, fit, fresh, path.at(fresh)), wanted)


def _samples(path: PathOfModel, wanted: _Wanted) -> Samples:
    poses = path.poses(poses_for(len(path.coordinates), wanted.max_degree), 1, corners=True)
    return Samples(poses, *path.at(poses), wanted.error, wanted.arm_error)


def _path_fit(path: PathOfModel, fit: PolynomialFit, errors: FitErrors, wanted: _Wanted) -> PathFit:
    return PathFit(
        path.muscle,
        _function_path(path.coordinates, fit),
        path.ranges,
        path.units,
        errors,
        wanted.error,
        wanted.arm_error,
        int(fit.powers.sum(axis=1).max(initial=0)),
    )


def _fitted(path: PathOfModel, wanted: _Wanted, on_degree: Callable[[int], None]) -> PathFit:
    """Return the fit of a path; poses at which it fails validation are added, and the tolerance tightened."""
    variables = len(path.coordinates)
    poses = path.poses(poses_for(variables, wanted.max_degree), 1, corners=True)
    fresh = path.poses(_FRESH_POSES, 2, corners=False)
    true = path.at(fresh)
    sharper = 1.0
    for _ in range(_ROUNDS):
        samples = Samples(poses, *path.at(poses), sharper * wanted.error, sharper * wanted.arm_error)
        fit = fewest_terms(samples, wanted.max_degree, on_degree)
        errors = _errors(path, fit, fresh, true)
        worst, where = errors.worst(wanted.error, wanted.arm_error)
        at_fitted, where_fitted = _errors(path, fit, poses, path.at(poses)).worst(wanted.error, wanted.arm_error)
        if max(worst, at_fitted) <= 1.0:
            return _path_fit(path, fit, errors, wanted)
        if fit.miss > 1.0 and sharper == 1.0:
            break
        off = np.maximum(
            np.abs(errors.length_errors) / wanted.error,
            np.max(np.abs(errors.arm_errors) / wanted.arm_error, axis=1, initial=0.0),
        )
        poses = np.vstack([poses, fresh[np.argsort(off)[-50:]]])
        fresh = path.poses(_FRESH_POSES, 3 + len(poses), corners=False)
        true = path.at(fresh)
        sharper *= 0.9
    raise SolveError(
        f"no polynomial up to degree {wanted.max_degree} meets the path of '{path.muscle}' over "
        f"{', '.join(f'{name} {low:.3g} to {high:.3g}' for name, (low, high) in path.ranges.items())}: the best is off "
        f"by {where if worst >= at_fitted else where_fitted}. Allow a larger error or arm_error, or a higher "
        "max_degree, or narrow the ranges; where a conditional point comes into play the length may jump"
    )


def _errors(path: PathOfModel, fit: PolynomialFit, poses: Floats, true: tuple[Floats, Floats]) -> FitErrors:
    lengths, gradients = true
    # Moment arms are the negative gradients, and so are their errors.
    return FitErrors(
        path.coordinates, poses, lengths, -gradients, fit.values(poses) - lengths, gradients - fit.slopes(poses)
    )


def _function_path(coordinates: tuple[str, ...], fit: PolynomialFit) -> FunctionPath:
    if not coordinates:
        return FunctionPath(length=float(fit.coefficients[0]))
    terms = tuple(
        Term(coefficient=float(coefficient), powers=tuple(map(int, powers)))
        for coefficient, powers in sorted(
            zip(fit.coefficients, fit.powers, strict=True), key=lambda term: (int(term[1].sum()), (-term[1]).tolist())
        )
    )
    return FunctionPath(length=Polynomial(of=coordinates, terms=terms))
