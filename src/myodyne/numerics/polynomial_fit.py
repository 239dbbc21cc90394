"""Sparse polynomials of several variables, fitted to values and gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from myodyne.errors import SolveError
from myodyne.types import Floats, Integers

# More candidates than this take minutes, and no muscle needs them.
MOST_CANDIDATES = 1000
# Rows of the least squares per candidate term: enough to prevent overfitting between the poses.
_ROWS_FOR_EACH_CANDIDATE = 5
_FEWEST_POSES = 500
# A column counts if more than this fraction of it is independent of the others: less is rounding.
_NEW = 1e-9
_PRUNING_TRIES = 3
# Singular values below this fraction of the largest count as zero.
_RANK = 1e-13
# Levelling reduces the largest error by a third to a half; above this it cannot reach the tolerance.
_WORTH_LEVELLING = 1.7
_LEVELLINGS = 8
# Root mean square of values, and of the slopes by each variable, in units of the tolerance: a little below one, so that
# other points are within it too.
_EACH = 0.97
# Sum of squares a fit may leave, relative to that of all candidates: the last tenth takes most of the terms.
_NEARLY = 1.1


@dataclass(frozen=True, eq=False)
class Samples:
    """The data of a fit: k points (k, n), values (k,) and slopes (k, n).

    Values should be met within ``tolerance``, slopes within ``slope_tolerance``.
    """

    points: Floats
    values: Floats
    slopes: Floats
    tolerance: float
    slope_tolerance: float

    @property
    def right_side(self) -> Floats:
        """Values and slopes in units of their tolerance, in one column."""
        parts = [self.values / self.tolerance, *(self.slopes.T / self.slope_tolerance)]
        return np.concatenate(parts)

    def columns(self, powers: Integers) -> Floats:
        """Return monomials and their slopes in units of the tolerance, one column per monomial."""
        parts = [values_of(self.points, powers) / self.tolerance]
        parts += [slopes_of(self.points, powers, k) / self.slope_tolerance for k in range(self.points.shape[1])]
        return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class PolynomialFit:
    """A polynomial ``Σ coefficients[j] Π x_k ** powers[j, k]``, and its largest error in units of the tolerance."""

    powers: Integers
    coefficients: Floats
    miss: float

    def values(self, points: Floats) -> Floats:
        """Return the values (k,) at points (k, n)."""
        result: Floats = values_of(points, self.powers) @ self.coefficients
        return result

    def slopes(self, points: Floats) -> Floats:
        """Return the slopes (k, n) at points (k, n)."""
        columns = [slopes_of(points, self.powers, k) @ self.coefficients for k in range(points.shape[1])]
        return np.stack(columns, axis=-1) if columns else np.zeros_like(points)


def poses_for(variables: int, degree: int) -> int:
    """Return how many points determine a polynomial of that degree."""
    candidates = min(comb(variables + degree, degree), MOST_CANDIDATES)
    return max(_FEWEST_POSES, -(-_ROWS_FOR_EACH_CANDIDATE * candidates // (1 + variables)))


def monomials(variables: int, degree: int) -> Integers:
    """Return the powers (m, n) of all monomials up to a degree, the constant first."""
    rows = [
        [chosen.count(k) for k in range(variables)]
        for total in range(degree + 1)
        for chosen in combinations_with_replacement(range(variables), total)
    ]
    return np.array(rows, dtype=np.intp).reshape(len(rows), variables)


def fewest_terms(
    samples: Samples, max_degree: int, on_degree: Callable[[int], None] = lambda degree: None
) -> PolynomialFit:
    """Return a short polynomial that meets the samples within their tolerance, or the best one found if none does.

    Degrees are raised until all monomials together suffice. Then monomials are added one by one, each time the one
    that explains most of the residual (orthogonal least squares), until the samples are met, and superfluous terms
    are dropped. The next degree is tried as well: one high power may save many low ones.
    """
    best: PolynomialFit | None = None
    variables = samples.points.shape[1]
    for degree in range(max_degree + 1):
        if comb(variables + degree, degree) > MOST_CANDIDATES and best is not None:
            break
        powers = monomials(variables, degree)
        on_degree(degree)
        search = _Search(samples, powers)
        full = search.fitted(np.arange(len(powers)))
        met_before = best is not None and best.miss <= 1.0
        if full.miss <= 1.0:
            found = search.shortest()
            if not met_before or len(found.powers) < len(best.powers):  # type: ignore[union-attr]
                best = found
        elif best is None or (not met_before and full.miss < best.miss):
            best = full
        if met_before:
            break
    if best is None:
        raise SolveError(f"a polynomial of {variables} variables and degree {max_degree} has no terms to choose from")
    return best


def closest(samples: Samples, max_degree: int, most_terms: int) -> PolynomialFit:
    """Return a polynomial whose root mean square errors are within the tolerance, or nearly as small as possible.

    The lowest degree whose monomials suffice is taken, else the highest. As many monomials are used as are needed to
    be within the tolerance, for values and for the slopes by each variable, or within a tenth of the error of all of
    them, but no more than ``most_terms``. Samples that jump are met on average.
    """
    variables = samples.points.shape[1]
    # Half of what is allowed on average, so that the worst slope is within its tolerance as well.
    allowed = 0.5 * len(samples.points) * (1 + variables)
    for degree in range(max_degree + 1):
        if degree > 1 and comb(variables + degree, degree) > MOST_CANDIDATES:
            break
        search = _Search(samples, monomials(variables, degree))
        if search.unmet <= allowed and search.each_within(np.arange(len(search.powers))):
            return search.fitted(search.leading(allowed, most_terms, each=True))
    return search.fitted(search.leading(max(allowed, _NEARLY * search.unmet), most_terms))


class _Search:
    """Least squares over one set of candidate terms; one QR factorisation makes every subset a small problem."""

    def __init__(self, samples: Samples, powers: Integers) -> None:
        self.powers = powers
        self.matrix, self.wanted = samples.columns(powers), samples.right_side
        sizes = np.linalg.norm(self.matrix, axis=0)
        # A variable that is zero in all samples leaves columns of zeros; they are never chosen.
        self.sizes = np.where(sizes > 0.0, sizes, 1.0)
        orthogonal, self.triangle = np.linalg.qr(self.matrix / self.sizes)
        self.target = orthogonal.T @ self.wanted
        # The residual sum of squares of all candidates together.
        self.unmet = max(float(self.wanted @ self.wanted - self.target @ self.target), 0.0)

    def fitted(self, chosen: Integers) -> PolynomialFit:
        """Return the fit with some of the candidates: least squares, levelled where that is nearly enough."""
        scaled, *_ = np.linalg.lstsq(self.triangle[:, chosen], self.target, rcond=_RANK)
        fit = self._judged(chosen, scaled)
        return self._levelled(chosen, fit) if 1.0 < fit.miss < _WORTH_LEVELLING else fit

    def _judged(self, chosen: Integers, scaled: Floats) -> PolynomialFit:
        coefficients = scaled / self.sizes[chosen]
        miss = float(np.max(np.abs(self.matrix[:, chosen] @ coefficients - self.wanted)))
        return PolynomialFit(self.powers[chosen], coefficients, miss)

    def _levelled(self, chosen: Integers, fit: PolynomialFit) -> PolynomialFit:
        """Return a fit with a smaller largest error, by weighting rows by their error.

        Lawson's iteration (1961), which converges to the minimax fit. In an orthogonal basis the weighted normal
        equations are well conditioned.
        """
        basis, triangle = np.linalg.qr(self.matrix[:, chosen] / self.sizes[chosen])
        weights = np.full(len(self.wanted), 1.0 / len(self.wanted))
        missed = np.abs(self.matrix[:, chosen] @ fit.coefficients - self.wanted)
        for _ in range(_LEVELLINGS):
            weights = weights * missed
            weights /= weights.sum()
            weighted = basis * weights[:, None]
            solution, *_ = np.linalg.lstsq(basis.T @ weighted, weighted.T @ self.wanted, rcond=None)
            missed = np.abs(basis @ solution - self.wanted)
            if missed.max() < fit.miss:
                scaled, *_ = np.linalg.lstsq(triangle, solution, rcond=_RANK)
                trial = self._judged(chosen, scaled)
                fit = trial if trial.miss < fit.miss else fit
                if fit.miss <= 1.0:
                    break
        return fit

    def shortest(self) -> PolynomialFit:
        """Return a fit of few terms that meets the samples, given that all candidates together do."""
        chosen = self._forwards()
        return self.fitted(self._pruned(chosen))

    def _forwards(self) -> Integers:
        chosen: list[int] = []
        for pick, left in self._picks():
            chosen.append(pick)
            # No entry exceeds the tolerance, so neither may the root mean square: a cheap test before the sharp one.
            if left + self.unmet <= len(self.wanted) and self.fitted(np.array(chosen)).miss <= 1.0:
                return np.array(chosen)
        return np.arange(len(self.powers))

    def leading(self, allowed: float, most: int, *, each: bool = False) -> Integers:
        """Return the candidates that explain most, until the residual sum of squares is allowed.

        With ``each``, values and the slopes by every variable must be within the tolerance too.
        """
        chosen: list[int] = []
        for pick, left in self._picks():
            chosen.append(pick)
            enough = left + self.unmet <= allowed and (not each or self.each_within(np.array(chosen)))
            if enough or len(chosen) == most:
                break
        return np.array(chosen)

    def each_within(self, chosen: Integers) -> bool:
        """Whether some candidates meet the values, and the slopes by every variable, on average."""
        scaled, *_ = np.linalg.lstsq(self.triangle[:, chosen], self.target, rcond=_RANK)
        errors = self.matrix[:, chosen] @ (scaled / self.sizes[chosen]) - self.wanted
        # Values first, then the slopes by each variable: parts of equal length.
        parts = errors.reshape(1 + self.powers.shape[1], -1)
        return bool((np.mean(parts**2, axis=1) <= _EACH**2).all())

    def _picks(self) -> Iterator[tuple[int, float]]:
        """Yield candidates, each time the one that explains most of the residual, and the remaining sum of squares."""
        left, rest = self.target.copy(), self.triangle.copy()
        chosen: list[int] = []
        while len(chosen) < len(self.powers):
            norms = np.einsum("ij,ij->j", rest, rest)
            usable = norms > _NEW**2
            usable[chosen] = False
            if not usable.any():
                return
            gains = np.zeros(len(norms))
            gains[usable] = (left @ rest[:, usable]) ** 2 / norms[usable]
            pick = int(np.argmax(gains)) if chosen else 0  # the constant: every length has one
            if norms[pick] <= _NEW**2:
                return
            direction = rest[:, pick] / np.sqrt(norms[pick])
            left -= (direction @ left) * direction
            rest -= np.outer(direction, direction @ rest)
            chosen.append(pick)
            yield pick, float(left @ left)

    def _pruned(self, chosen: Integers) -> Integers:
        """Return the choice without superfluous terms, the least useful ones tried first."""
        while len(chosen) > 1:
            small, *_ = np.linalg.lstsq(self.triangle[:, chosen], self.target, rcond=_RANK)
            inverse = np.linalg.pinv(self.triangle[:, chosen])
            # Increase of the sum of squares if a term is dropped.
            losses = small**2 / np.maximum(np.einsum("ij,ij->i", inverse, inverse), 1e-300)
            for candidate in np.argsort(losses)[:_PRUNING_TRIES]:
                fewer = np.delete(chosen, candidate)
                if self.fitted(fewer).miss <= 1.0:
                    chosen = fewer
                    break
            else:
                return chosen
        return chosen


def values_of(points: Floats, powers: Integers) -> Floats:
    """Return the monomials (k, m) at points (k, n)."""
    result = np.ones((len(points), len(powers)))
    for k in range(points.shape[1]):
        ladder = _ladder(points[:, k], int(powers[:, k].max(initial=0)))
        result *= ladder[:, powers[:, k]]
    return result


def slopes_of(points: Floats, powers: Integers, variable: int) -> Floats:
    """Return the derivatives (k, m) of the monomials by one variable."""
    lowered = powers.copy()
    lowered[:, variable] = np.maximum(powers[:, variable] - 1, 0)
    return values_of(points, lowered) * powers[:, variable]


def _ladder(x: Floats, highest: int) -> Floats:
    """Return the powers (k, highest + 1) of a column by repeated products, exact at zero."""
    rungs = [np.ones_like(x)]
    for _ in range(highest):
        rungs.append(rungs[-1] * x)
    return np.stack(rungs, axis=-1)
