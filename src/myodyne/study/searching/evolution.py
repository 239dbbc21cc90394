"""CMA-ES and a genetic algorithm: populations that move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from myodyne.errors import MyodyneError
from myodyne.study.sampling import random_numbers
from myodyne.study.searching.method import Proposals
from myodyne.types import Floats


@dataclass(frozen=True)
class CMA:
    """CMA-ES: a normal distribution whose mean and covariance follow the best points (Hansen; library ``cma``).

    When it has converged it starts again with twice the population, from a random point.

    Parameters
    ----------
    seed
        Of the random numbers.
    spread
        Standard deviation of the first population, as a part of the ranges.
    population
        Points in the first population; None chooses by the number of variables.

    Examples
    --------
    >>> import myodyne as my
    >>> my.CMA(seed=1)
    CMA(seed=1, spread=0.25, population=None)
    """

    seed: int = 1
    spread: float = 0.25
    population: int | None = None

    @property
    def several_objectives(self) -> bool:
        """It seeks one optimum."""
        return False

    def proposals(self, start: Floats, objectives: int) -> Proposals:
        """Return the batches of a search."""
        try:
            import cma
        except ImportError:
            raise MyodyneError("my.CMA needs the library cma: pip install 'myodyne[study]'") from None
        rng, width = random_numbers(self.seed), len(start)
        # The library works on two variables at least; the second of one is a dummy.
        size = max(width, 2)
        centre = np.full(size, 0.5)
        centre[:width] = start
        population = self.population or 4 + int(3 * np.log(size))
        while True:
            # Its own random numbers, because those of NumPy's global generator may be drawn by measures too.
            options = {"bounds": [0.0, 1.0], "seed": np.nan, "verbose": -9, "popsize": population}
            options["randn"] = lambda *shape: rng.standard_normal(shape)
            strategy = cma.CMAEvolutionStrategy(centre.tolist(), self.spread, options)
            while not strategy.stop():
                points = np.array(strategy.ask())
                values = yield np.clip(points[:, :width], 0.0, 1.0)
                strategy.tell(points, values[:, 0].tolist())
            population, centre = 2 * population, rng.random(size)


@dataclass(frozen=True)
class Genetic:
    """A genetic algorithm: selection by tournament, crossover and mutation (library ``pymoo``).

    With one objective the best survive; with several it is NSGA-II, which keeps a front spread out.

    Parameters
    ----------
    seed
        Of the random numbers.
    population
        Points in a generation.
    crossover, mutation
        Distribution indices of simulated binary crossover and of polynomial mutation: the larger, the nearer children
        are to their parents.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Genetic(seed=1, population=20)
    Genetic(seed=1, population=20, crossover=10.0, mutation=15.0)
    """

    seed: int = 1
    population: int = 40
    crossover: float = 10.0
    mutation: float = 15.0

    @property
    def several_objectives(self) -> bool:
        """It can seek a front."""
        return True

    def proposals(self, start: Floats, objectives: int) -> Proposals:
        """Return the batches of a search."""
        problem, algorithm = self._set_up(start, objectives)
        while algorithm.has_next():
            children = algorithm.ask()
            values = yield np.asarray(children.get("X"), dtype=float)
            children.set("F", values)
            # The library sets the rest, such as constraints, from what it evaluates itself: nothing here.
            algorithm.evaluator.eval(problem, children, skip_already_evaluated=False, evaluate_values_of=[])
            algorithm.tell(infills=children)

    def _set_up(self, start: Floats, objectives: int) -> tuple[Any, Any]:
        try:
            from pymoo.algorithms.moo.nsga2 import NSGA2
            from pymoo.algorithms.soo.nonconvex.ga import GA
            from pymoo.core.problem import Problem
            from pymoo.core.termination import NoTermination
            from pymoo.operators.crossover.sbx import SBX
            from pymoo.operators.mutation.pm import PM
        except ImportError:
            raise MyodyneError("my.Genetic needs the library pymoo: pip install 'myodyne[study]'") from None
        problem = Problem(n_var=len(start), n_obj=objectives, xl=np.zeros(len(start)), xu=np.ones(len(start)))
        first = random_numbers(self.seed).random((self.population, len(start)))
        first[0] = start
        kind = GA if objectives == 1 else NSGA2
        algorithm = kind(
            pop_size=self.population,
            sampling=first,
            crossover=SBX(prob=0.9, eta=self.crossover),
            mutation=PM(eta=self.mutation),
            eliminate_duplicates=True,
        )
        algorithm.setup(problem, termination=NoTermination(), seed=self.seed, verbose=False)
        return problem, algorithm


@dataclass(frozen=True)
class DifferentialEvolution:
    """Differential evolution (Storn and Price 1997; SciPy): points move by differences of others.

    Parameters
    ----------
    seed
        Of the random numbers.
    population
        Points for each variable.
    generations
        The most there are.

    Examples
    --------
    >>> import myodyne as my
    >>> my.DifferentialEvolution(seed=2)
    DifferentialEvolution(seed=2, population=5, generations=1000)
    """

    seed: int = 1
    population: int = 5
    generations: int = 1000

    @property
    def several_objectives(self) -> bool:
        """It seeks one optimum."""
        return False

    def proposals(self, start: Floats, objectives: int) -> Proposals:
        """Return the batches of a search."""
        from scipy.optimize import differential_evolution

        from myodyne.study.searching.method import conversation

        return conversation(
            lambda ask: differential_evolution(
                lambda points: ask(points.T)[:, 0],
                [(0.0, 1.0)] * len(start),
                maxiter=self.generations,
                popsize=self.population,
                x0=start,
                rng=random_numbers(self.seed),
                polish=False,
                updating="deferred",
                vectorized=True,
            )
        )
