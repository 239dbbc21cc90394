"""Many small static optimisation problems at once: sums of powers of bounded unknowns subject to linear equations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from myodyne.types import Booleans, Floats, Integers

# Penalty on the squared residual of an equation: so large that only equations that cannot be met keep one.
_ELASTIC = 1e8
_MOST = 200
# Steps stop at this fraction of the distance to a bound.
_BEFORE_BOUND = 0.995
# Converged when complementarity, the dual residual and the residual of the equations are smaller than these.
_CLOSE, _DUAL, _LEFT = 1e-11, 1e-9, 1e-9
# No unknown comes closer to a bound than this: rounding must not make a distance zero.
_NEAREST = 1e-15
# A power above two has no curvature at zero: an unbounded unknown needs some for a step to exist.
_FLATTEST = 1e-8


@dataclass(frozen=True, eq=False)
class PowerMinima:
    """The unknowns of each problem, the residual of its equations, their multipliers, and whether it converged."""

    x: Floats
    unmet: Floats
    multipliers: Floats
    converged: Booleans
    iterations: int


def minimise_powers(matrix: Floats, wanted: Floats, low: Floats, high: Floats, exponent: float = 2.0) -> PowerMinima:
    """Return the x with ``matrix @ x = wanted`` that minimise the sum of ``|x|**exponent``.

    An interior-point method, for all problems together. Equations that cannot be met are met in the sense of least
    squares.

    Parameters
    ----------
    matrix, wanted
        The equations: arrays (problems, rows, unknowns) and (problems, rows).
    low, high
        Bounds of the unknowns, the same for all problems; infinite where there are none.
    exponent
        At least 1.

    Examples
    --------
    Two muscles with moment arms 1 and 3 make a moment of 1; the sum of squares is smallest in proportion to the arms:

    >>> found = minimise_powers(np.array([[[1.0, 3.0]]]), np.array([[1.0]]), np.zeros(2), np.ones(2))
    >>> found.x.round(6).tolist()
    [[0.1, 0.3]]
    """
    rows, size = matrix.shape[0], matrix.shape[2]
    below, above = np.isfinite(low), np.isfinite(high)
    least, most = np.where(below, low, 0.0), np.where(above, high, 0.0)
    # Halfway between two bounds, slightly inside a single one, at zero without any.
    start = np.where(below & above, (least + most) / 2.0, least + most + 0.1 * below - 0.1 * above)
    state = _State(
        np.tile(start, (rows, 1)),
        np.zeros(wanted.shape),
        np.tile(below * 1.0, (rows, 1)),
        np.tile(above * 1.0, (rows, 1)),
    )
    bounds = _Bounds(low, high, below, above)
    active = np.arange(rows)
    converged = np.zeros(rows, dtype=bool)
    iterations = 0
    while iterations < _MOST and len(active) and size:
        part = state.of(active)
        done = _settled(part, matrix[active], bounds, exponent)
        left = np.abs(
            np.matmul(matrix[active], part.x[:, :, None])[:, :, 0] + part.y / (2 * _ELASTIC) - wanted[active]
        ).max(axis=1, initial=0.0)
        scale = 1.0 + np.abs(wanted[active]).max(axis=1, initial=0.0)
        done &= left <= _LEFT * scale
        converged[active[done]] = True
        active, part = active[~done], part.of(~done)
        if not len(active):
            break
        state.put(active, _advanced(part, matrix[active], wanted[active], bounds, exponent))
        iterations += 1
    unmet = wanted - np.matmul(matrix, state.x[:, :, None])[:, :, 0]
    return PowerMinima(state.x, unmet, state.y, converged | (size == 0), iterations)


@dataclass(eq=False)
class _State:
    """Unknowns, multipliers of the equations, and those of the lower and upper bounds."""

    x: Floats
    y: Floats
    low: Floats
    high: Floats

    def of(self, rows: Integers | Booleans) -> _State:
        return _State(self.x[rows], self.y[rows], self.low[rows], self.high[rows])

    def put(self, rows: Integers, other: _State) -> None:
        self.x[rows], self.y[rows], self.low[rows], self.high[rows] = other.x, other.y, other.low, other.high


@dataclass(frozen=True, eq=False)
class _Bounds:
    low: Floats
    high: Floats
    below: Booleans
    above: Booleans

    def gaps(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the distances from both bounds, 1 where there is no bound."""
        to_low = np.maximum(x - np.where(self.below, self.low, 0.0), _NEAREST)
        to_high = np.maximum(np.where(self.above, self.high, 0.0) - x, _NEAREST)
        return np.where(self.below, to_low, 1.0), np.where(self.above, to_high, 1.0)

    @property
    def count(self) -> int:
        return max(int(self.below.sum() + self.above.sum()), 1)


def _gradient(x: Floats, exponent: float) -> Floats:
    found: Floats = exponent * np.sign(x) * np.abs(x) ** (exponent - 1.0)
    return found


def _curvature(x: Floats, exponent: float) -> Floats:
    if exponent == 2.0:
        return np.full(x.shape, 2.0)
    floor = np.maximum(np.abs(x), 1e-12)
    found: Floats = np.maximum(exponent * (exponent - 1.0) * floor ** (exponent - 2.0), _FLATTEST)
    return found


def _dual(s: _State, matrix: Floats, exponent: float) -> Floats:
    residual: Floats = _gradient(s.x, exponent) - np.matmul(s.y[:, None], matrix)[:, 0] - s.low + s.high
    return residual


def _settled(s: _State, matrix: Floats, bounds: _Bounds, exponent: float) -> Booleans:
    """Return which problems meet the optimality conditions in every unknown."""
    to_low, to_high = bounds.gaps(s.x)
    gap = np.maximum(s.low * to_low * bounds.below, s.high * to_high * bounds.above)
    # Equations that cannot be met have huge multipliers, and with them the multipliers of bounds.
    price = 1.0 + np.abs(np.matmul(s.y[:, None], matrix)[:, 0])
    good = (gap <= _CLOSE * price) & (np.abs(_dual(s, matrix, exponent)) <= _DUAL * price)
    found: Booleans = good.all(axis=1)
    return found


def _advanced(s: _State, matrix: Floats, wanted: Floats, bounds: _Bounds, exponent: float) -> _State:
    """Return the state after one step, centred by a predictor (Mehrotra 1992)."""
    to_low, to_high = bounds.gaps(s.x)
    below, above = bounds.below, bounds.above
    weight = _curvature(s.x, exponent) + s.low / to_low + s.high / to_high
    scaled = matrix / weight[:, None]
    normal = np.matmul(scaled, matrix.transpose(0, 2, 1))
    places = np.arange(matrix.shape[1])
    normal[:, places, places] += 1.0 / (2.0 * _ELASTIC)
    dual = _dual(s, matrix, exponent)
    left = wanted - np.matmul(matrix, s.x[:, :, None])[:, :, 0] - s.y / (2.0 * _ELASTIC)

    def direction(low: Floats, high: Floats) -> _State:
        right = -dual + low / to_low - high / to_high
        y = np.linalg.solve(normal, (left - np.matmul(scaled, right[:, :, None])[:, :, 0])[:, :, None])[:, :, 0]
        x = (np.matmul(y[:, None], matrix)[:, 0] + right) / weight
        return _State(x, y, (low - s.low * x) / to_low * below, (high + s.high * x) / to_high * above)

    gap = (s.low * to_low * below + s.high * to_high * above).sum(axis=1, keepdims=True) / bounds.count
    aim = direction(-s.low * to_low * below, -s.high * to_high * above)
    reach = _reach(s, aim, to_low, to_high, bounds)
    ahead = (
        ((s.low + reach * aim.low) * (to_low + reach * aim.x)) * below
        + ((s.high + reach * aim.high) * (to_high - reach * aim.x)) * above
    ).sum(axis=1, keepdims=True)
    centre = (ahead / bounds.count / np.maximum(gap, 1e-300)) ** 3 * gap
    step = direction(
        (centre - s.low * to_low - aim.low * aim.x) * below, (centre - s.high * to_high + aim.high * aim.x) * above
    )
    reach = np.minimum(1.0, _BEFORE_BOUND * _reach(s, step, to_low, to_high, bounds, most=np.inf))
    return _State(s.x + reach * step.x, s.y + reach * step.y, s.low + reach * step.low, s.high + reach * step.high)


def _reach(s: _State, step: _State, to_low: Floats, to_high: Floats, bounds: _Bounds, most: float = 1.0) -> Floats:
    """Return the fraction of a step after which the first quantity that must stay positive reaches zero."""
    reach = np.full(len(s.x), most)
    for size, change, held in (
        (to_low, step.x, bounds.below),
        (to_high, -step.x, bounds.above),
        (s.low, step.low, bounds.below),
        (s.high, step.high, bounds.above),
    ):
        falls = held & (change < 0.0)
        way = np.where(falls, -size / np.where(falls, change, -1.0), np.inf)
        reach = np.minimum(reach, way.min(axis=1, initial=np.inf))
    return reach[:, None]
