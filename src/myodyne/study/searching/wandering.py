"""Points that wander: simulated annealing, and local searches from many starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from myodyne.study.sampling import random_numbers, unit_sample
from myodyne.study.searching.method import Proposals, conversation, side_by_side
from myodyne.types import Floats

# Corana et al. 1987: between these parts of accepted moves the steps stay as long as they are, else they change by a
# factor up to 1 + _VARY.
_FEW, _MANY, _VARY = 0.4, 0.6, 2.0


@dataclass(frozen=True)
class Annealing:
    """Simulated annealing as Corana et al. 1987 and Goffe et al. 1994 write it.

    One variable after the other moves at random. A better point is taken, a worse one with the probability
    exp(−Δ/temperature). After some sweeps each step length is adjusted so that about half of the moves are taken; after
    some adjustments the temperature falls, and the search goes on from the best point so far.

    Parameters
    ----------
    seed
        Of the random numbers.
    temperature
        The first one, in units of the objective; None takes the standard deviation of 10 random points.
    cooling
        By which the temperature is multiplied.
    sweeps, adjustments
        Sweeps between two adjustments of the steps, and adjustments between two temperatures.
    chains
        Independent searches side by side, for engines of several processes.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Annealing(seed=1, cooling=0.7).cooling
    0.7
    """

    seed: int = 1
    temperature: float | None = None
    cooling: float = 0.7
    sweeps: int = 5
    adjustments: int = 3
    chains: int = 1

    @property
    def several_objectives(self) -> bool:
        """It seeks one optimum."""
        return False

    def proposals(self, start: Floats, objectives: int) -> Proposals:
        """Return the batches of a search."""
        return side_by_side([self._chain(start, number) for number in range(self.chains)])

    def _chain(self, start: Floats, number: int) -> Proposals:
        rng, width = random_numbers(self.seed, number), len(start)
        here = start if number == 0 else rng.random(width)
        sample = np.vstack([here, rng.random((10, width))])
        values = (yield sample)[:, 0]
        best, lowest = sample[int(np.argmin(values))], float(values.min())
        temperature = self.temperature or max(float(np.std(values[1:])), 1e-12)
        steps = np.full(width, 0.5)
        while True:
            # From the best point so far, at each temperature.
            here, value = best.copy(), lowest
            for _ in range(self.adjustments):
                taken = np.zeros(width)
                for _ in range(self.sweeps):
                    for k in range(width):
                        trial = _moved(here, k, steps[k], rng)
                        found = float((yield trial[None, :])[0, 0])
                        if found <= value or rng.random() < np.exp((value - found) / temperature):
                            here, value = trial, found
                            taken[k] += 1
                        if found < lowest:
                            best, lowest = trial.copy(), found
                steps = _adjusted(steps, taken / self.sweeps)
            temperature *= self.cooling


def _moved(here: Floats, k: int, step: float, rng: np.random.Generator) -> Floats:
    """Return a point with another value of one variable; beyond its range, a random one inside."""
    trial = here.copy()
    trial[k] += step * rng.uniform(-1.0, 1.0)
    if not 0.0 <= trial[k] <= 1.0:
        trial[k] = rng.random()
    return trial


def _adjusted(steps: Floats, taken: Floats) -> Floats:
    longer = 1 + _VARY * (taken - _MANY) / (1 - _MANY)
    shorter = 1 / (1 + _VARY * (_FEW - taken) / _FEW)
    factors = np.where(taken > _MANY, longer, np.where(taken < _FEW, shorter, 1.0))
    return np.minimum(steps * factors, 1.0)


@dataclass(frozen=True)
class DualAnnealing:
    """Generalised simulated annealing with local searches (Xiang et al. 1997; SciPy), one point at a time.

    Parameters
    ----------
    seed
        Of the random numbers.
    iterations
        The most there are.
    local
        Whether promising points are improved by a local search.

    Examples
    --------
    >>> import myodyne as my
    >>> my.DualAnnealing(seed=3).local
    True
    """

    seed: int = 1
    iterations: int = 1000
    local: bool = True

    @property
    def several_objectives(self) -> bool:
        """It seeks one optimum."""
        return False

    def proposals(self, start: Floats, objectives: int) -> Proposals:
        """Return the batches of a search."""
        from scipy.optimize import dual_annealing

        def run(ask: Callable[[Floats], Floats]) -> None:
            def value(point: Floats) -> float:
                return float(ask(point[None, :])[0, 0])

            # Derivatives by differences are of no use where onsets meet steps of the integration.
            local = {"method": "Nelder-Mead", "options": {"maxfev": 20 * len(start)}}
            dual_annealing(
                value,
                [(0.0, 1.0)] * len(start),
                maxiter=self.iterations,
                x0=start,
                rng=random_numbers(self.seed),
                no_local_search=not self.local,
                minimizer_kwargs={**local, "bounds": [(0.0, 1.0)] * len(start)},
            )

        return conversation(run)


@dataclass(frozen=True)
class MultiStart:
    """Local searches by Nelder and Mead's simplex from several starts, side by side.

    Parameters
    ----------
    seed
        Of the starts, a Latin hypercube.
    starts
        How many.
    tolerance
        At which a search stops, as a part of the ranges.

    Examples
    --------
    >>> import myodyne as my
    >>> my.MultiStart(seed=1, starts=4)
    MultiStart(seed=1, starts=4, tolerance=0.001)
    """

    seed: int = 1
    starts: int = 8
    tolerance: float = 1e-3

    @property
    def several_objectives(self) -> bool:
        """It seeks one optimum."""
        return False

    def proposals(self, start: Floats, objectives: int) -> Proposals:
        """Return the batches of a search."""
        points = unit_sample(len(start), self.starts, self.seed, "latin_hypercube")
        points[0] = start
        return side_by_side([self._local(point) for point in points])

    def _local(self, point: Floats) -> Proposals:
        from scipy.optimize import minimize

        width = len(point)
        # A simplex that reaches into the cube from every point, also from one on its faces.
        simplex = np.vstack([point, point + np.where(point < 0.5, 0.2, -0.2) * np.eye(width)])
        options = {"initial_simplex": simplex, "xatol": self.tolerance, "fatol": 0.0, "maxfev": 10**9, "maxiter": 10**9}

        def run(ask: Callable[[Floats], Floats]) -> None:
            def value(trial: Floats) -> float:
                return float(ask(np.clip(trial, 0.0, 1.0)[None, :])[0, 0])

            minimize(value, point, method="Nelder-Mead", bounds=[(0.0, 1.0)] * width, options=options)

        return conversation(run)
