"""Curves from files that a page sends: read by the same readers as all files, and never by a path of the page's."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from myodyne.data import DataError, Trajectory
from myodyne.data.curves.signals import Signal, piecewise_linear
from myodyne.errors import ModelError, MyodyneError, listed, unknown_name
from myodyne.files import load
from myodyne.studio.changes.edits import control_range
from myodyne.studio.session import Session
from myodyne.types import Floats

# Files of columns over time.
ENDINGS = (".sto", ".mot", ".csv")
# Samples of a curve that are kept; more than a script should spell out.
_MOST_SAMPLES = 500


def uploaded_curve(session: Session, control: object, name: object, text: object) -> Signal:
    r"""Return the curve of a control from the text of a file: the column of its name, or the only one.

    Examples
    --------
    >>> from myodyne.studio.session import opened
    >>> curve = uploaded_curve(opened("jump"), "soleus", "mine.csv", "time,soleus\n0,0.1\n0.5,0.9\n")
    >>> curve.times, curve.values
    ((0.0, 0.5), (0.1, 0.9))
    """
    if not all(isinstance(one, str) for one in (control, name, text)):
        raise DataError("a curve from a file needs a control, the name of the file and its text")
    if control not in session.model.controls:
        raise ModelError(unknown_name("control", str(control), session.model.controls))
    columns = _read(str(name), str(text))
    low, high = control_range(session.model, str(control))
    times, values = columns.time, _column(columns, str(control), str(name))
    if len(times) > _MOST_SAMPLES:
        fewer = np.linspace(times[0], times[-1], _MOST_SAMPLES)
        times, values = fewer, np.interp(fewer, times, values)
    return piecewise_linear(times, values).limited(low, high)


def _read(name: str, text: str) -> Trajectory:
    ending = Path(name).suffix.lower()
    if ending not in ENDINGS:
        raise DataError(f"{name:.60}: curves come from {listed(ENDINGS)} files")
    # Only the ending is the page's; folder and name are our own.
    with TemporaryDirectory(prefix="myodyne-upload-") as folder:
        file = Path(folder) / f"curve{ending}"
        # JSON can hold halves of letters, which no file can.
        file.write_bytes(text.encode("utf-8", "replace"))
        try:
            return load(file)
        except MyodyneError as error:
            raise DataError(str(error).replace(str(file), f"{name:.60}")) from None


def _column(columns: Trajectory, control: str, name: str) -> Floats:
    if control in columns:
        return columns.values(control)
    if len(columns.names) == 1:
        return columns.values(columns.names[0])
    raise DataError(f"{name:.60}: has no column '{control}'; it has {listed(columns.names, 6)}")
