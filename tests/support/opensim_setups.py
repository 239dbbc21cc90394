"""Set-ups of OpenSim's own tests, unpacked from the data beside the project into a temporary folder."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

ARCHIVE = Path(__file__).parents[3] / "shared" / "data" / "opensim_setups" / "opensim_setups.zip"


def unpacked(folder: Path, part: str) -> Path:
    """Return a folder that holds one part of the archive; without the archive the test is skipped, in CI it fails."""
    if not ARCHIVE.is_file():
        if os.environ.get("CI"):
            pytest.fail(f"{ARCHIVE} is missing")
        pytest.skip("OpenSim's set-ups are not beside the project")
    with zipfile.ZipFile(ARCHIVE) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if name.startswith(f"{part}/")])
    return folder / part


def stored(path: Path) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    """Return time and columns of a storage file, its numbers as they stand."""
    lines = path.read_text().splitlines()
    first = next(number for number, line in enumerate(lines) if line.strip() == "endheader") + 1
    while not lines[first].strip():
        first += 1
    names = lines[first].split()
    rows = np.array(
        [[float(cell) for cell in line.split()[: len(names)]] for line in lines[first + 1 :] if line.strip()]
    )
    return rows[:, 0], {name: rows[:, place] for place, name in enumerate(names) if place}


def farthest(ours: Path, theirs: Path) -> tuple[float, str]:
    """Return the largest difference of all columns that both files have, at the times that both cover, and where."""
    time, columns = stored(ours)
    when, others = stored(theirs)
    inside = (when >= time[0] - 1e-6) & (when <= time[-1] + 1e-6)
    off = {
        name: float(np.abs(np.interp(when, time, columns[name]) - values)[inside].max())
        for name, values in others.items()
        if name in columns
    }
    worst = max(off, key=lambda name: off[name])
    return off[worst], worst
