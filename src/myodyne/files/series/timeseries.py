"""Saving and loading trajectories and results, in the format that the file's name asks for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from myodyne.data import DataError, Markers, Trajectory
from myodyne.errors import FileError
from myodyne.files.series.angles import Degrees, in_radians
from myodyne.files.series.csv_table import read_csv, write_csv
from myodyne.files.series.netcdf import read_netcdf, write_netcdf
from myodyne.files.series.sto import read_sto, write_sto
from myodyne.files.series.trc import read_trc, write_trc
from myodyne.interrupts import finishing
from myodyne.model import Model


class _Reader(Protocol):
    def __call__(self, path: Path, *, gaps: bool) -> tuple[Trajectory, Degrees | None]: ...


class _Format(NamedTuple):
    write: Callable[[Trajectory, Path], None]
    read: _Reader


def _plain(read: Callable[..., Trajectory]) -> _Reader:
    """Return a reader of a format that has units, and no degrees."""
    return lambda path, *, gaps: (read(path, gaps=gaps), None)


def save(trajectory: Trajectory, path: str | os.PathLike[str], *, comments: bool = False) -> None:
    """Write a trajectory or a result to a file, losslessly and atomically.

    Ctrl-C takes effect when the file is complete; pressed twice, it stops at once and leaves the old file.

    Parameters
    ----------
    trajectory
        What is saved; of a `Result` also report, provenance and model.
    path
        The file; its ending chooses the format: ``.nc`` (NetCDF 3), ``.sto`` or ``.mot`` (OpenSim), ``.csv``, or
        ``.trc`` for markers alone: columns ``heel.x``, ``heel.y``, ``heel.z`` in metres. Beside a result in ``run.csv``
        stands ``run.csv.json`` with its report, provenance and model.
    comments
        Write these into a comment on the first line of a ``.csv`` file instead, where other programs may trip over it.

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
    if comments and Path(path).suffix.lower() != ".csv":
        raise FileError(f"{path}: comments=True is for .csv files; the other formats hold report and model in any case")
    with finishing():
        if comments:
            write_csv(trajectory, Path(path), comments=True)
        else:
            _format(path).write(trajectory, Path(path))


def load(
    path: str | os.PathLike[str],
    *,
    gaps: bool = False,
    model: Model | None = None,
    angles: str | Iterable[str] | None = None,
) -> Trajectory:
    r"""Read a trajectory, or the `Result` that was saved, from a file.

    Parameters
    ----------
    path
        The file: ``.nc``, ``.sto``, ``.mot``, ``.csv``, or markers in ``.trc`` (see also `load_markers`).
    gaps
        Whether NaN and infinity are kept; otherwise they raise an error that names their place.
    model
        The model whose coordinates the columns are, called ``knee`` or ``/jointset/knee_r/knee/value``. Its
        rotations are converted where the file has degrees, and coordinates get their units.
    angles
        Columns that are angles besides the rotations of the model, with ``*`` and ``?``; ``[]`` says that there is
        none. A file in degrees raises an error unless model or names say which columns are angles.

    Examples
    --------
    >>> load("missing.sto")
    Traceback (most recent call last):
    myodyne.errors.FileError: missing.sto: cannot be read: No such file or directory

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "swing.mot")
    ...     _ = file.write_text("swing\nversion=1\ninDegrees=yes\nendheader\ntime\tknee\n0\t0\n1\t180\n")
    ...     load(file, angles=["knee"]).final
    {'knee': 3.141592653589793}
    """
    trajectory, degrees = _format(path).read(Path(path), gaps=gaps)
    return in_radians(Path(path), trajectory, degrees, model, angles)


def load_markers(path: str | os.PathLike[str]) -> Markers:
    """Read the positions of markers from a ``.trc`` file, in metres; NaN where a marker was not visible.

    Examples
    --------
    >>> load_markers("missing.trc")
    Traceback (most recent call last):
    myodyne.errors.FileError: missing.trc: cannot be read: No such file or directory
    """
    _check_trc(path)
    return read_trc(Path(path))


def save_markers(markers: Markers, path: str | os.PathLike[str]) -> None:
    """Write the positions of markers to a ``.trc`` file, with the header of the file they came from.

    Examples
    --------
    >>> import tempfile
    >>> heel = Markers([0.0, 0.01], ["heel"], [[[0.1, 0.2, 0.3]], [[float("nan")] * 3]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_markers(heel, f"{folder}/walk.trc")
    ...     load_markers(f"{folder}/walk.trc")
    <Markers: 1, 1 with gaps, 2 rows, 0 to 0.01 s>
    """
    if not isinstance(markers, Markers):
        raise FileError(f"{path}: save_markers writes Markers, not a {type(markers).__name__}")
    _check_trc(path)
    with finishing():
        write_trc(markers, Path(path))


def _check_trc(path: str | os.PathLike[str]) -> None:
    suffix = Path(path).suffix.lower()
    if suffix == ".c3d":
        raise FileError(f"{path}: recordings in .c3d are read by load_c3d, which has their markers")
    if suffix != ".trc":
        raise FileError(f"{path}: markers are kept in .trc files, not in '{suffix}'")


def _read_markers(path: Path, *, gaps: bool) -> Trajectory:
    markers = read_trc(path)
    if not gaps and markers.gaps:
        name = next(iter(markers.gaps))
        row = int(np.argmin(markers.seen[:, markers.names.index(name)]))
        raise FileError(
            f"{path}: marker '{name}' was not seen at {markers.time[row]:g} s; load_markers(...) and "
            "load(..., gaps=True) keep such gaps"
        )
    return markers.trajectory


def _write_markers(trajectory: Trajectory, path: Path) -> None:
    try:
        markers = Markers.from_trajectory(trajectory)
    except DataError as error:
        raise FileError(f"{path}: {error}") from None
    write_trc(markers, path)


_FORMATS = {
    ".nc": _Format(write_netcdf, _plain(read_netcdf)),
    ".sto": _Format(write_sto, read_sto),
    ".csv": _Format(write_csv, _plain(read_csv)),
    ".mot": _Format(write_sto, read_sto),
    ".trc": _Format(_write_markers, _plain(_read_markers)),
}


def _format(path: str | os.PathLike[str]) -> _Format:
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMATS:
        if suffix == ".c3d":
            raise FileError(f"{path}: recordings in .c3d are read by load_c3d, and not written")
        ending = f"'{suffix}'" if suffix else "a file without an ending"
        raise FileError(f"{path}: time series are kept in {', '.join(_FORMATS)} files, not in {ending}")
    return _FORMATS[suffix]
