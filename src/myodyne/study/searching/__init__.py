"""Methods of search, and what they find."""

from myodyne.study.searching.evolution import CMA, DifferentialEvolution, Genetic
from myodyne.study.searching.result import SearchResult
from myodyne.study.searching.search import search
from myodyne.study.searching.wandering import Annealing, DualAnnealing, MultiStart

__all__ = [
    "CMA",
    "Annealing",
    "DifferentialEvolution",
    "DualAnnealing",
    "Genetic",
    "MultiStart",
    "SearchResult",
    "search",
]
