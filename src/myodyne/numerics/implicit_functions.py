"""Implicit functions: ``f(q)`` with ``g(f(q), q) = 0``, solved and followed along one branch.

Such equations have several solutions, which meet where ``∂g/∂f`` is singular. Everything here stays on one branch,
and raises an error where the branch ends, where it meets another, and where a guess may belong to either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from myodyne.errors import SolveError
from myodyne.types import Floats, Integers

# What the equations are called with: vectors of real or, for derivatives by complex steps, of complex numbers.
_Vector = NDArray[np.float64 | np.complex128]
Residual = Callable[[_Vector, _Vector], ArrayLike]
Jacobians = Callable[[_Vector, _Vector], tuple[ArrayLike, ArrayLike]]

# The square of the step underflows in every sum: first derivatives are exact to rounding.
COMPLEX_STEP = 1e-30
# Second derivatives are differences of order eight of exact first ones. The step balances rounding against
# truncation for functions that change over distances of about one: 1e-14 and 1e-16 of the derivative.
DIFFERENCE_STEP = 0.02
EIGHTH_ORDER = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))

CONVERGED = 1e-11  # relative to the unknowns; a step this small is still taken, and squares the error
MOST_ITERATIONS = 50
MOST_HALVINGS = 30
# Smallest singular value of ∂g/∂f, its rows scaled by those of the whole Jacobian, in a pose that counts as singular.
# A double root is found only to the square root of rounding, so nothing smaller can be distinguished from zero.
SINGULAR = 1e-7
SMALLEST_SUBSTEP = 1e-9  # fraction of the distance between two points of a sweep
# The corrector may move by at most this fraction of the predictor step, lest it jump to another branch.
MOST_CORRECTION = 0.3
SAME_SOLUTION = 1e-7
REPEATS = 1e-12  # of the residual, which counts as the same after a whole turn of an angle


class ImplicitFunctions:
    """The functions ``f(q)`` (m) of variables ``q`` (n) that m equations ``g(f, q) = 0`` define.

    Parameters
    ----------
    residual : ``g(f, q)``, returns (m,). It is called with complex vectors too and must be built of operations
        that continue into the complex plane: no absolute values, comparisons or conjugates.
    names : of the m functions, for messages.
    jacobians : returns ``∂g/∂f`` (m, m) and ``∂g/∂q`` (m, n), for complex vectors too. Without it, derivatives of
        g are taken by complex steps, and second ones by differences of these, which expect functions that change
        over distances of about one.

    Examples
    --------
    >>> circle = ImplicitFunctions(lambda f, q: f**2 + q**2 - 25.0, names=["height"])
    >>> circle.solve([3.0], guess=[3.5])
    array([4.])
    """

    def __init__(self, residual: Residual, names: Sequence[str], *, jacobians: Jacobians | None = None) -> None:
        self.names = tuple(names)
        self._residual = residual
        self._jacobians = jacobians

    def residual(self, f: _Vector, q: _Vector) -> _Vector:
        """Return ``g(f, q)`` (m,)."""
        value = np.asarray(self._residual(f, q))
        if value.shape != (len(self.names),):
            raise ValueError(f"{len(self.names)} functions need as many equations, but g has the shape {value.shape}")
        return value

    def jacobians(self, f: ArrayLike, q: ArrayLike) -> tuple[Floats, Floats]:
        """Return ``∂g/∂f`` (m, m) and ``∂g/∂q`` (m, n), exact to rounding."""
        whole = self._jacobian(np.concatenate([_vector(f), _vector(q)]))
        return whole[:, : len(self.names)], whole[:, len(self.names) :]

    def second_derivatives(self, f: ArrayLike, q: ArrayLike) -> Floats:
        """Return the second derivatives (m, m + n, m + n) of ``g`` by ``(f, q)``."""
        z = np.concatenate([_vector(f), _vector(q)])
        second = np.stack([self._jacobian_along(z, unit) for unit in np.eye(len(z))], axis=-1)
        return 0.5 * (second + second.swapaxes(1, 2))

    def solve(self, q: ArrayLike, guess: ArrayLike) -> Floats:
        """Return the solution near a guess, by Newton's method.

        Raises
        ------
        SolveError
            If there is none, if the pose is singular, or if a singular pose lies between guess and solution, so
            that the guess may belong to another branch.
        """
        at, start = _vector(q), _vector(guess)
        found = self._newton(at, start)
        self.refuse_singular(at, found)
        if self._orientation(start, at) != self._orientation(found, at):
            raise SolveError(
                f"at q = {_shown(at)} the guess {_shown(start)} is ambiguous: a singular pose separates "
                f"it from the solution {_shown(found)} that was found, so another branch may be meant. "
                "Give a guess nearer to the wanted solution; `solutions` lists all solutions"
            )
        return found

    def refuse_singular(self, q: ArrayLike, f: ArrayLike) -> None:
        """Raise a SolveError if ``∂g/∂f`` is singular at a solution: f(q) has no derivatives there."""
        by_f, by_q = self.jacobians(f, q)
        sizes = np.linalg.norm(np.hstack([by_f, by_q]), axis=1, keepdims=True)
        smallest = float(np.linalg.svd(by_f / np.where(sizes > 0, sizes, 1.0), compute_uv=False)[-1])
        if smallest < SINGULAR:
            raise SolveError(
                f"the pose at q = {_shown(_vector(q))} is singular: det(∂g/∂f) vanishes there (smallest "
                f"singular value {smallest:.1e}), branches meet, and the derivatives of "
                f"{_listed(self.names)} do not exist"
            )

    def solutions(self, q: ArrayLike, guesses: ArrayLike, *, period: float | None = None) -> Floats:
        """Return all different solutions (k, m) that Newton's method finds from several guesses, sorted.

        Unknowns in which the equations repeat after 2π are angles: they are listed once, between -π and π. With a
        ``period`` all unknowns repeat after it.
        """
        at = _vector(q)
        found: list[Floats] = []
        for guess in np.atleast_2d(np.asarray(guesses, dtype=float)):
            try:
                solution = self._newton(at, guess)
            except SolveError:
                continue  # not every guess converges; an error is raised below if none does
            periods = self._periods(at, solution) if period is None else np.full(len(solution), period)
            turns = np.divide(solution, periods, out=np.zeros_like(solution), where=periods > 0)
            solution = solution - periods * np.round(turns)
            if not any(_same(solution, other, periods) for other in found):
                found.append(solution)
        if not found:
            raise SolveError(f"no guess converges to a solution at q = {_shown(at)}: the range of q may end before it")
        rows = np.array(found)
        result: Floats = rows[np.lexsort(rows.T[::-1])]
        return result

    def _periods(self, q: Floats, f: Floats) -> Floats:
        """Return 2π for each unknown in which the equations repeat, else 0."""
        # Off the solution, where the residual is large enough to be compared.
        near = f + 0.1
        with np.errstate(all="ignore"):
            value = self.residual(near, q).real
            turned = [self.residual(near + 2 * np.pi * unit, q).real for unit in np.eye(len(f))]
        size = 1.0 + float(np.abs(value).max())
        repeats = [bool(np.abs(other - value).max() < REPEATS * size) for other in turned]
        return np.where(repeats, 2 * np.pi, 0.0)

    def sweep(self, q: ArrayLike, guess: ArrayLike) -> Floats:
        """Return ``f`` (k, m) along the points ``q`` (k,) or (k, n), following the branch of the first one.

        Raises
        ------
        SolveError
            If the branch ends before the last point, or comes to a singular pose beyond which it is not unique.
        """
        points = np.asarray(q, dtype=float)
        points = points[:, None] if points.ndim == 1 else points
        rows = [self.solve(points[0], guess)]
        for here, there in pairwise(points):
            rows.append(self._follow(here, rows[-1], there))
        return np.array(rows)

    def grid(self, axes: Sequence[ArrayLike], guess: ArrayLike) -> Floats:
        """Return ``f`` (k1, ..., kn, m) on a grid of q, following one branch; the guess is for its first corner."""
        values = [np.asarray(axis, dtype=float) for axis in axes]
        shape = tuple(len(axis) for axis in values)
        order = _serpentine(shape)
        points = np.stack([axis[order[:, number]] for number, axis in enumerate(values)], axis=1)
        result = np.empty((*shape, len(self.names)))
        result[tuple(order.T)] = self.sweep(points, guess)
        return result

    def range_end(
        self, q: ArrayLike, f: ArrayLike, direction: ArrayLike, *, step: float = 0.05, farthest: float = 100.0
    ) -> tuple[Floats, Floats]:
        """Return the ``q`` and ``f`` in which a branch ends along a direction, to rounding.

        Parameters
        ----------
        q, f : arrays
            A point on the branch.
        direction : (n,) array
            Direction of the search from ``q``.
        step, farthest : float
            Step and largest distance of the search, in lengths of ``direction``.
        """
        start, along = _vector(q), _vector(direction)
        here, values = 0.0, self.solve(start, f)
        while here < farthest:
            there = min(here + step, farthest)
            try:
                values = self._follow(start + here * along, values, start + there * along)
            except _BranchEndError as end:
                if end.crossing:
                    raise
                return self._fold(start, along, here + end.fraction * (there - here), end.values)
            here = there
        raise SolveError(f"the branch does not end within {farthest:g} times {_shown(along)} from q = {_shown(start)}")

    def _fold(self, start: Floats, along: Floats, fraction: float, near: Floats) -> tuple[Floats, Floats]:
        """Return the fold nearest to a point: ``g = 0``, ``∂g/∂f φ = 0``, ``φ`` of unit length (Moore and Spence)."""
        m = len(self.names)
        null = np.linalg.svd(self.jacobians(near, start + fraction * along)[0])[2][-1]
        border = null.copy()
        f, s = near.copy(), fraction
        for _ in range(MOST_ITERATIONS):
            q = start + s * along
            by_f, by_q = self.jacobians(f, q)
            second = self.second_derivatives(f, q)
            system = np.zeros((2 * m + 1, 2 * m + 1))
            system[:m, :m], system[:m, m] = by_f, by_q @ along
            system[m : 2 * m, :m] = np.einsum("ijk,k->ij", second[:, :m, :m], null)
            system[m : 2 * m, m] = np.einsum("ijk,j,k->i", second[:, :m, m:], null, along)
            system[m : 2 * m, m + 1 :], system[2 * m, m + 1 :] = by_f, border
            wanted = np.concatenate([self.residual(f, q).real, by_f @ null, [border @ null - 1.0]])
            try:
                change = -np.linalg.solve(system, wanted)
            except np.linalg.LinAlgError:
                break
            f, s, null = f + change[:m], s + change[m], null + change[m + 1 :]
            if np.abs(change).max() <= CONVERGED * (1.0 + np.abs(f).max()):
                return start + s * along, f
        raise SolveError(
            f"the branch ends near q = {_shown(start + fraction * along)}, but the end is not a simple fold "
            "and cannot be located further"
        )

    def _follow(self, here: Floats, values: Floats, there: Floats) -> Floats:
        """Return the solution at ``there`` on the branch through ``(here, values)``, in as many steps as needed."""
        orientation = self._orientation(values, here)
        fraction, step = 0.0, 1.0
        while fraction < 1.0:
            step = min(step, 1.0 - fraction)
            at, target = here + fraction * (there - here), here + (fraction + step) * (there - here)
            attempt = self._predicted(at, values, target)
            if attempt is None or self._orientation(attempt, target) != orientation:
                step *= 0.5
                if step < SMALLEST_SUBSTEP:
                    raise _BranchEndError(at, values, fraction, crossing=self._continues(at, values, there - here))
                continue
            values, fraction, step = attempt, fraction + step, 2.0 * step
        return values

    def _predicted(self, at: Floats, values: Floats, target: Floats) -> Floats | None:
        """Return the solution at a target near a known one, None if it may be on another branch."""
        by_f, by_q = self.jacobians(values, at)
        try:
            move = -np.linalg.solve(by_f, by_q @ (target - at))
            found = self._newton(target, values + move)
        except (np.linalg.LinAlgError, SolveError):
            return None
        correction = np.linalg.norm(found - values - move)
        allowed = MOST_CORRECTION * np.linalg.norm(move) + CONVERGED * (1.0 + np.linalg.norm(values))
        return found if correction <= allowed else None

    def _continues(self, at: Floats, values: Floats, along: Floats) -> bool:
        """Return whether the branch continues beyond a singular pose; where a branch ends there are no solutions."""
        return any(self._predicted(at, values, at + reach * along) is not None for reach in (1e-4, 1e-3, 1e-2))

    def _newton(self, q: Floats, guess: Floats) -> Floats:
        f = guess.copy()
        value = self._finite_residual(f, q)
        for _ in range(MOST_ITERATIONS):
            try:
                step: Floats = np.linalg.solve(self.jacobians(f, q)[0], value).astype(float)
            except np.linalg.LinAlgError:
                break
            if np.abs(step).max() <= CONVERGED * (1.0 + np.abs(f).max()):
                solution: Floats = f - step
                return solution
            f, value, shorter = self._shortened(f, q, step, float(np.linalg.norm(value)))
            if not shorter:
                break
        raise SolveError(
            f"no solution of {_listed(self.names)} was found at q = {_shown(q)} from the guess "
            f"{_shown(guess)}: the range of q may end before it, or the guess is too far away"
        )

    def _shortened(self, f: Floats, q: Floats, step: Floats, size: float) -> tuple[Floats, Floats, bool]:
        """Return the state after the first halving of a step that reduces the residual, and whether one does."""
        for halving in range(MOST_HALVINGS):
            trial = f - 0.5**halving * step
            value = self.residual(trial, q).real
            if np.isfinite(value).all() and np.linalg.norm(value) < size:
                return trial, value, True
        return f, value, False

    def _finite_residual(self, f: Floats, q: Floats) -> Floats:
        value: Floats = self.residual(f, q).real.astype(float)
        if not np.isfinite(value).all():
            worst = int(np.flatnonzero(~np.isfinite(value))[0])
            raise SolveError(f"equation {worst} is not finite at q = {_shown(q)}, f = {_shown(f)}")
        return value

    def _orientation(self, f: Floats, q: Floats) -> float:
        """Return the sign of ``det ∂g/∂f``, which changes from branch to branch at a singular pose."""
        return float(np.linalg.slogdet(self.jacobians(f, q)[0])[0])

    def _jacobian(self, z: Floats) -> Floats:
        if self._jacobians is not None:
            given: Floats = self._given_jacobian(z).real.astype(float)
            return given
        m = len(self.names)
        steps = z + 1j * COMPLEX_STEP * np.eye(len(z))
        return np.stack([self.residual(row[:m], row[m:]).imag / COMPLEX_STEP for row in steps], axis=1)

    def _jacobian_along(self, z: Floats, unit: Floats) -> Floats:
        """Return the derivative of the whole Jacobian along a direction."""
        if self._jacobians is not None:
            exact: Floats = self._given_jacobian(z + 1j * COMPLEX_STEP * unit).imag / COMPLEX_STEP
            return exact
        total = np.zeros((len(self.names), len(z)))
        for count, weight in EIGHTH_ORDER:
            reach = count * DIFFERENCE_STEP * unit
            total += weight / DIFFERENCE_STEP * (self._jacobian(z + reach) - self._jacobian(z - reach))
        return total

    def _given_jacobian(self, z: _Vector) -> _Vector:
        assert self._jacobians is not None
        m = len(self.names)
        by_f, by_q = (np.asarray(part) for part in self._jacobians(z[:m], z[m:]))
        if by_f.shape != (m, m) or by_q.shape != (m, len(z) - m):
            raise ValueError(
                f"the given Jacobians have the shapes {by_f.shape} and {by_q.shape} instead of {(m, m)} "
                f"and {(m, len(z) - m)}"
            )
        return np.concatenate([by_f, by_q], axis=1)


class _BranchEndError(SolveError):
    """A branch that cannot be followed further, with the last point on it."""

    def __init__(self, q: Floats, values: Floats, fraction: float, *, crossing: bool) -> None:
        if crossing:
            text = (
                f"the branch comes to a singular pose at q = {_shown(q)}, where det(∂g/∂f) changes sign: two "
                "branches cross, and which one goes on is ambiguous. Stop the sweep before it"
            )
        else:
            text = (
                f"the range of q ends at q = {_shown(q)}: det(∂g/∂f) goes to zero and two branches meet; there is "
                "no solution beyond. Stop the sweep before it; `range_end` locates it"
            )
        super().__init__(text)
        self.values, self.fraction, self.crossing = values, fraction, crossing

    def __reduce__(self) -> tuple[type[SolveError], tuple[str]]:
        return SolveError, (str(self),)


def _vector(values: ArrayLike) -> Floats:
    return np.atleast_1d(np.asarray(values, dtype=float))


def _shown(values: Floats) -> str:
    return "(" + ", ".join(f"{value:.8g}" for value in values) + ")"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _same(a: Floats, b: Floats, periods: Floats) -> bool:
    apart = a - b
    apart = apart - periods * np.round(np.divide(apart, periods, out=np.zeros_like(apart), where=periods > 0))
    return bool(np.abs(apart).max() <= SAME_SOLUTION * (1.0 + np.abs(a).max()))


def _serpentine(shape: tuple[int, ...]) -> Integers:
    """Return all indices of a grid in an order in which neighbours follow each other."""
    if not shape:
        return np.zeros((1, 0), dtype=np.intp)
    inner = _serpentine(shape[1:])
    rows = []
    for first in range(shape[0]):
        part = inner if first % 2 == 0 else inner[::-1]
        rows.append(np.hstack([np.full((len(part), 1), first, dtype=np.intp), part]))
    return np.vstack(rows)
