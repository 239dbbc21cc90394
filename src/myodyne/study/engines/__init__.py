"""Where the rows of a study are computed."""

from myodyne.study.engines.dask import Dask
from myodyne.study.engines.engine import Crew, Engine
from myodyne.study.engines.processes import Processes
from myodyne.study.engines.serial import Serial

__all__ = ["Crew", "Dask", "Engine", "Processes", "Serial"]
