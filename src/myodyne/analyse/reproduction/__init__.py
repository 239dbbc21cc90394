"""Movements brought back from recordings: forces that reproduce them, and how far a run is from a motion."""

from myodyne.analyse.reproduction.compare import Comparison, Deviation, compare
from myodyne.analyse.reproduction.matched import Matched
from myodyne.analyse.reproduction.reproduce import Reproduction, reproduce
from myodyne.analyse.reproduction.shooting import Shooting
from myodyne.analyse.reproduction.validity import Trial, Validity, validity

__all__ = [
    "Comparison",
    "Deviation",
    "Matched",
    "Reproduction",
    "Shooting",
    "Trial",
    "Validity",
    "compare",
    "reproduce",
    "validity",
]
