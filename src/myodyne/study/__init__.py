"""Studies: one model run many times with other numbers, and searches for the best of them."""

from myodyne.study.controls import Onsets, SplineControls
from myodyne.study.engines import Dask, Processes, Serial
from myodyne.study.ranges import Choice, Integers
from myodyne.study.sampling import Rows, grid, sample
from myodyne.study.searching import (
    CMA,
    Annealing,
    DifferentialEvolution,
    DualAnnealing,
    Genetic,
    MultiStart,
    SearchResult,
    search,
)
from myodyne.study.sensitivity import Morris, OneAtATime, Sensitivity, SobolIndices, sensitivity
from myodyne.study.slopes import Slopes
from myodyne.study.study import Study
from myodyne.study.table import load_study

__all__ = [
    "CMA",
    "Annealing",
    "Choice",
    "Dask",
    "DifferentialEvolution",
    "DualAnnealing",
    "Genetic",
    "Integers",
    "Morris",
    "MultiStart",
    "OneAtATime",
    "Onsets",
    "Processes",
    "Rows",
    "SearchResult",
    "Sensitivity",
    "Serial",
    "Slopes",
    "SobolIndices",
    "SplineControls",
    "Study",
    "grid",
    "load_study",
    "sample",
    "search",
    "sensitivity",
]
