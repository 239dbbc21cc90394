"""Saving and loading trajectories and results, in the format that the file's name asks for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from myodyne.data import Trajectory
from myodyne.errors import FileError
from myodyne.files.atomic import finishing
from myodyne.files.csv_table import read_csv, write_csv
from myodyne.files.netcdf import read_netcdf, write_netcdf
from myodyne.files.sto import read_sto, write_sto


class _Reader(Protocol):
    def __call__(self, path: Path, *, gaps: bool) -> Trajectory: ...


class _Format(NamedTuple):
    write: Callable[[Trajectory, Path], None]
    read: _Reader


_FORMATS = {
    ".nc": _Format(write_netcdf, read_netcdf),
    ".sto": _Format(write_sto, read_sto),
    ".csv": _Format(write_csv, read_csv),
}


def save(trajectory: Trajectory, path: str | os.PathLike[str]) -> None:
    """Write a trajectory or a result to a file, lossless, whole or not at all.

    Ctrl-C is heard when the file is written; pressed twice, it breaks off and leaves the old file.

    Parameters
    ----------
    trajectory
        What is saved; of a `Result` also report, provenance and model.
    path
        The file; its ending chooses the format: ``.nc`` (NetCDF 3), ``.sto`` (OpenSim) or ``.csv``.

    Examples
    --------
    >>> import tempfile
    >>> swing = Trajectory([0.0, 1.0], {"knee": [0.1, 0.2]}, {"knee": "rad"})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(swing, f"{folder}/swing.csv")
    ...     load(f"{folder}/swing.csv") == swing
    True
    """
    if not isinstance(trajectory, Trajectory):
        raise FileError(f"{path}: save writes a Trajectory or a Result, not a {type(trajectory).__name__}")
    with finishing():
        _format(path).write(trajectory, Path(path))


def load(path: str | os.PathLike[str], *, gaps: bool = False) -> Trajectory:
    """Read a trajectory, or the `Result` that was saved, from a ``.nc``, ``.sto`` or ``.csv`` file.

    Parameters
    ----------
    path
        The file.
    gaps
        Whether values that are no numbers (NaN, infinity) are kept; otherwise they are refused by place.

    Examples
    --------
    >>> load("missing.sto")
    Traceback (most recent call last):
    myodyne.errors.FileError: missing.sto: cannot be read: No such file or directory
    """
    return _format(path).read(Path(path), gaps=gaps)


def _format(path: str | os.PathLike[str]) -> _Format:
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMATS:
        ending = f"'{suffix}'" if suffix else "a file without an ending"
        raise FileError(f"{path}: time series are kept in {', '.join(_FORMATS)} files, not in {ending}")
    return _FORMATS[suffix]
