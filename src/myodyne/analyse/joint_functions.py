"""Joint functions from measured motion: how some coordinates follow others in one person."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from myodyne.data import DataError, Trajectory
from myodyne.errors import ModelError, unknown_name
from myodyne.model import Fourier, Function, Polynomial, Spline, Term
from myodyne.types import Floats

By = Literal["polynomial", "spline", "fourier"]
_FOLDS = 5
# Orders that are tried if none is given: degrees, pieces, harmonics.
_ORDERS = {"polynomial": range(1, 8), "spline": range(1, 13), "fourier": range(1, 9)}
# Columns that the motion determines worse than this part of the best one are not determined.
_RANK = 1e-9
# Of a turn: data over more than this much are taken to repeat after a turn.
_WHOLE = 0.9


@dataclass(frozen=True)
class _Basis:
    """Functions whose weighted sum is fitted: their values at rows of coordinates, and the sum as a joint function."""

    columns: Callable[[Floats], Floats]
    function: Callable[[Floats], Function]


@dataclass(frozen=True, eq=False)
class JointFunctions:
    """Functions of coordinates fitted to a motion, with their errors; see `fit_joint_functions`.

    ``functions`` go into joints (`Axis`, `oriented`) or couplings, by the name of the column. ``rms`` is the root mean
    square error of each (rad, m), ``order`` the degree, pieces or harmonics, ``ranges`` what the motion covers.

    Examples
    --------
    >>> import numpy as np
    >>> import myodyne as my
    >>> knee = np.linspace(0.0, 1.5, 50)
    >>> measured = my.Trajectory(knee, {"knee": knee, "glide": 0.01 * knee})
    >>> print(my.fit_joint_functions(measured, "glide", "knee", by="spline", order=1).functions["glide"].coordinate)
    knee
    """

    functions: Mapping[str, Function]
    coordinates: tuple[str, ...]
    by: By
    order: Mapping[str, int]
    rms: Mapping[str, float]
    ranges: Mapping[str, tuple[float, float]]
    rows: int
    _bases: Mapping[str, _Basis] = field(repr=False)
    _weights: Mapping[str, Floats] = field(repr=False)
    _covariances: Mapping[str, Floats] = field(repr=False)
    _freedom: Mapping[str, int] = field(repr=False)

    def __str__(self) -> str:
        head = f"{self.by} functions of {', '.join(self.coordinates)}, fitted to {self.rows} rows"
        width = max(map(len, self.functions))
        lines = [f"{name:<{width}}  order {self.order[name]:2d}  RMS {self.rms[name]:.3g}" for name in self.functions]
        return "\n".join([head, *lines])

    def values(self, name: str, at: Mapping[str, ArrayLike]) -> Floats:
        """Return a function at values of the coordinates, one or arrays."""
        columns, shape = self._columns(name, at)
        found: Floats = (columns @ self._weights[name]).reshape(shape)
        return found

    def band(self, name: str, at: Mapping[str, ArrayLike], level: float = 0.95) -> Floats:
        """Return half the width of the confidence band of a function: where it lies, not where single rows scatter.

        Errors of rows that follow each other may be alike: the band is wider by their first autocorrelation, as if
        there were fewer rows.
        """
        from scipy.stats import t

        if not 0.0 < level < 1.0:
            raise DataError(f"the level of a confidence band lies between 0 and 1, and is not {level!r}")
        columns, shape = self._columns(name, at)
        variance = np.einsum("ij,jk,ik->i", columns, self._covariances[name], columns)
        half: Floats = t.ppf(0.5 + level / 2, self._freedom[name]) * np.sqrt(np.maximum(variance, 0.0)).reshape(shape)
        return half

    def _columns(self, name: str, at: Mapping[str, ArrayLike]) -> tuple[Floats, tuple[int, ...]]:
        if name not in self.functions:
            raise DataError(unknown_name("fitted function", name, tuple(self.functions)))
        for coordinate in at:
            if coordinate not in self.coordinates:
                raise DataError(unknown_name("coordinate of the fit", coordinate, self.coordinates))
        missing = [coordinate for coordinate in self.coordinates if coordinate not in at]
        if missing:
            raise DataError(f"the fitted functions need a value of '{missing[0]}'")
        arrays = np.broadcast_arrays(*(np.asarray(at[coordinate], dtype=float) for coordinate in self.coordinates))
        return self._bases[name].columns(np.column_stack([array.ravel() for array in arrays])), arrays[0].shape


def fit_joint_functions(
    motion: Trajectory,
    of: str | Sequence[str],
    coordinates: str | Sequence[str],
    *,
    by: By = "polynomial",
    order: int | None = None,
    period: float | None = None,
) -> JointFunctions:
    """Fit columns of a measured motion as functions of others: a person's own rhythm, a knee's own path.

    Parameters
    ----------
    motion
        The measured columns (rad, m).
    of
        Columns that become functions: rotations of the scapula, translations of the knee.
    coordinates
        Columns that they are functions of; several for polynomials alone.
    by
        ``"polynomial"``, ``"spline"`` (natural cubic, knots at equal distances) or ``"fourier"``.
    order
        Degree of polynomials, pieces of splines, or harmonics. None takes, for each function, the smallest whose
        cross-validated error lies within a standard error of the best: five folds of rows that follow each other.
    period
        Of Fourier series (rad, m); a turn where the data cover one, else twice what they cover.

    Examples
    --------
    >>> import numpy as np
    >>> import myodyne as my
    >>> knee, noise = np.linspace(0.0, 1.5, 200), np.random.default_rng(1).normal(size=200)
    >>> measured = my.Trajectory(knee, {"knee": knee, "glide": 0.01 * knee**2 + 1e-4 * noise})
    >>> fit = my.fit_joint_functions(measured, "glide", "knee")
    >>> fit.order["glide"], round(fit.rms["glide"], 5)
    (2, 9e-05)
    >>> bool(abs(fit.values("glide", {"knee": 1.0}) - 0.01) < fit.band("glide", {"knee": 1.0}))
    True
    """
    names, given = ((one,) if isinstance(one, str) else tuple(one) for one in (of, coordinates))
    points, targets = _checked(motion, names, given, by, order)
    ranges = {name: (float(x.min()), float(x.max())) for name, x in zip(given, points.T, strict=True)}
    found: dict[str, _Fitted] = {}
    for name, target in zip(names, targets, strict=True):

        def basis(number: int) -> _Basis:
            return _basis(by, given, ranges, number, period)

        best = order if order is not None else _best_order(points, target, basis, _ORDERS[by])
        found[name] = _fitted(points, target, basis(best), best, name)
    return JointFunctions(
        functions={name: fit.basis.function(fit.weights) for name, fit in found.items()},
        coordinates=given,
        by=by,
        order={name: fit.order for name, fit in found.items()},
        rms={name: fit.rms for name, fit in found.items()},
        ranges=ranges,
        rows=len(points),
        _bases={name: fit.basis for name, fit in found.items()},
        _weights={name: fit.weights for name, fit in found.items()},
        _covariances={name: fit.covariance for name, fit in found.items()},
        _freedom={name: fit.freedom for name, fit in found.items()},
    )


def _checked(
    motion: Trajectory, names: tuple[str, ...], given: tuple[str, ...], by: By, order: int | None
) -> tuple[Floats, Floats]:
    """Return the coordinates (rows, n) and the columns to fit (m, rows)."""
    if by not in get_args(By):
        raise ModelError("fit_joint_functions: " + unknown_name("family", by, get_args(By)))
    if not isinstance(motion, Trajectory):
        raise DataError(f"the motion must be a Trajectory (from my.load), not {motion!r:.60}")
    for name in (*names, *given):
        if name not in motion:
            raise DataError("fit_joint_functions: " + unknown_name("column", name, motion.names))
        if not np.isfinite(motion.values(name)).all():
            raise DataError(f"fit_joint_functions: '{name}' has gaps; cut the motion with slice, or fill them")
    both = [name for name in names if name in given]
    if both or not names or not given:
        what = f"'{both[0]}' is both a function and a coordinate" if both else "name columns to fit, and coordinates"
        raise DataError(f"fit_joint_functions: {what}")
    if len(given) > 1 and by != "polynomial":
        raise ModelError(f"a {by} function has one coordinate; fit polynomials to {len(given)}")
    if order is not None and (not isinstance(order, int) or order < 1):
        raise ModelError(f"fit_joint_functions: the order is a whole number from 1 on, not {order!r}")
    points = np.column_stack([motion.values(name) for name in given])
    for name, column in zip(given, points.T, strict=True):
        if np.ptp(column) == 0.0:
            raise DataError(f"fit_joint_functions: '{name}' does not move, so nothing can be a function of it")
    return points, np.array([motion.values(name) for name in names])


def _basis(
    by: By, given: tuple[str, ...], ranges: Mapping[str, tuple[float, float]], order: int, period: float | None
) -> _Basis:
    if by == "polynomial":
        return _powers(given, ranges, order)
    low, high = ranges[given[0]]
    if by == "spline":
        return _pieces(given[0], np.linspace(low, high, order + 1))
    repeats = 2 * np.pi if high - low > _WHOLE * 2 * np.pi else 2 * (high - low)
    return _harmonics(given[0], order, repeats if period is None else float(period))


def _powers(given: tuple[str, ...], ranges: Mapping[str, tuple[float, float]], degree: int) -> _Basis:
    powers = [power for power in product(range(degree + 1), repeat=len(given)) if sum(power) <= degree]
    # Columns of one size: coefficients of high powers would else be lost in rounding.
    scale = np.array([max(map(abs, ranges[name])) for name in given])

    def columns(points: Floats) -> Floats:
        found: Floats = np.stack([np.prod((points / scale) ** power, axis=1) for power in powers], axis=1)
        return found

    def function(weights: Floats) -> Function:
        plain = [float(weight / np.prod(scale**power)) for weight, power in zip(weights, powers, strict=True)]
        terms = tuple(Term(coefficient=c, powers=power) for c, power in zip(plain, powers, strict=True))
        return Polynomial(of=given, terms=terms)

    return _Basis(columns, function)


def _pieces(coordinate: str, knots: Floats) -> _Basis:
    from scipy.interpolate import CubicSpline

    unit = CubicSpline(knots, np.eye(len(knots)), bc_type="natural")

    def columns(points: Floats) -> Floats:
        x = points[:, 0]
        inside = np.clip(x, knots[0], knots[-1])
        # Straight beyond its ends, as the joint function is.
        found: Floats = unit(inside) + (x - inside)[:, None] * unit(inside, 1)
        return found

    def function(weights: Floats) -> Function:
        return Spline(coordinate=coordinate, x=tuple(knots.tolist()), y=tuple(weights.tolist()))

    return _Basis(columns, function)


def _harmonics(coordinate: str, count: int, period: float) -> _Basis:
    if not period > 0.0:
        raise ModelError(f"fit_joint_functions: the period must be positive, not {period:g}")
    numbers = np.arange(1, count + 1)

    def columns(points: Floats) -> Floats:
        turns = 2 * np.pi / period * points * numbers
        return np.hstack([np.ones((len(points), 1)), np.cos(turns), np.sin(turns)])

    def function(weights: Floats) -> Function:
        cosines, sines = weights[1 : count + 1].tolist(), weights[count + 1 :].tolist()
        return Fourier(
            coordinate=coordinate, period=period, mean=float(weights[0]), cosines=tuple(cosines), sines=tuple(sines)
        )

    return _Basis(columns, function)


@dataclass(frozen=True, eq=False)
class _Fitted:
    basis: _Basis
    order: int
    weights: Floats
    covariance: Floats
    rms: float
    freedom: int


def _fitted(points: Floats, target: Floats, basis: _Basis, order: int, name: str) -> _Fitted:
    columns = basis.columns(points)
    rows, terms = columns.shape
    if rows <= terms + 1:
        raise DataError(f"'{name}': {rows} rows are too few for {terms} terms; lower the order")
    left, sizes, right = np.linalg.svd(columns, full_matrices=False)
    if sizes[-1] < _RANK * sizes[0]:
        raise DataError(
            f"'{name}': the motion does not determine a function of order {order}; lower the order, or measure a "
            "motion in which the coordinates vary independently"
        )
    weights = right.T @ ((left.T @ target) / sizes)
    errors = target - columns @ weights
    variance = float(errors @ errors) / (rows - terms)
    inverse = right.T / sizes
    return _Fitted(
        basis,
        order,
        weights,
        variance * _fewer_rows(errors) * (inverse @ inverse.T),
        float(np.sqrt(np.mean(errors**2))),
        rows - terms,
    )


def _fewer_rows(errors: Floats) -> float:
    """Return by how much fewer rows count because errors of neighbours are alike: (1 + r) / (1 - r), at least 1."""
    size = float(errors @ errors)
    alike = float(errors[1:] @ errors[:-1]) / size if size > 0.0 else 0.0
    return (1.0 + alike) / (1.0 - alike) if 0.0 < alike < 1.0 else 1.0


def _best_order(points: Floats, target: Floats, basis: Callable[[int], _Basis], orders: Sequence[int]) -> int:
    """Return the smallest order whose cross-validated error lies within a standard error of the best."""
    folds = np.array_split(np.arange(len(target)), _FOLDS)
    judged: list[tuple[int, float, float]] = []
    for order in orders:
        columns = basis(order).columns(points)
        errors = []
        for fold in folds:
            kept = np.ones(len(target), dtype=bool)
            kept[fold] = False
            if kept.sum() <= columns.shape[1] or not len(fold):
                break
            weights = np.linalg.lstsq(columns[kept], target[kept], rcond=_RANK)[0]
            errors.append(float(np.mean((target[fold] - columns[fold] @ weights) ** 2)))
        else:
            judged.append((order, float(np.mean(errors)), float(np.std(errors) / np.sqrt(_FOLDS))))
    if not judged:
        raise DataError(f"{len(target)} rows are too few to choose an order; give one")
    _, least, spread = min(judged, key=lambda row: row[1])
    return next(order for order, error, _ in judged if error <= least + spread)
