"""What a computation gives: columns over time with units, a report, and where it came from."""

from myodyne.data.external_forces import AppliedForce, ExternalForce, ExternalForces
from myodyne.data.markers import Markers
from myodyne.data.optimum import Optimum, Violation
from myodyne.data.plain import DataError
from myodyne.data.provenance import Provenance
from myodyne.data.recipe import Recipe
from myodyne.data.recordings.between import between
from myodyne.data.recordings.cycles import Cycles
from myodyne.data.recordings.measurement import Measurement
from myodyne.data.recordings.recording import ForcePlate, Recording
from myodyne.data.report import Report
from myodyne.data.result import Result
from myodyne.data.trajectory import Trajectory

__all__ = [
    "AppliedForce",
    "Cycles",
    "DataError",
    "ExternalForce",
    "ExternalForces",
    "ForcePlate",
    "Markers",
    "Measurement",
    "Optimum",
    "Provenance",
    "Recipe",
    "Recording",
    "Report",
    "Result",
    "Trajectory",
    "Violation",
    "between",
]
