"""Options that commands for recorded motions share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from myodyne.data import Trajectory
    from myodyne.model import Model

Forces = Annotated[
    Path | None, typer.Option(help="OpenSim external loads (.xml); the record it names must be beside it.")
]
Record = Annotated[
    Path | None, typer.Option(help="The record of the external loads, if it is not the file named in the .xml.")
]
Degrees = Annotated[bool, typer.Option("--degrees", help="Write angles in degrees.")]
Cutoff = Annotated[float | None, typer.Option(help="Cut-off frequency of the low-pass filter (Hz).")]


def write_coordinates(model: Model, motion: Trajectory, path: Path, *, degrees: bool) -> None:
    """Write the coordinates of a motion as OpenSim does, in degrees or radians."""
    from myodyne.analyse.setups.job import in_degrees
    from myodyne.files.setups.storage import write_storage

    names = [name for name in model.coordinates if name in motion]
    columns = {name: in_degrees(model, name, motion.values(name)) if degrees else motion.values(name) for name in names}
    write_storage(path, path.stem, motion.time, columns, degrees=degrees)
