"""Options that commands for recorded motions share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Forces = Annotated[
    Path | None, typer.Option(help="OpenSim external loads (.xml); the record it names must be beside it.")
]
Record = Annotated[
    Path | None, typer.Option(help="The record of the external loads, if it is not the file named in the .xml.")
]
Cutoff = Annotated[float | None, typer.Option(help="Cut-off frequency of the low-pass filter (Hz).")]
