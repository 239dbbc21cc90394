"""Degrees and radians in OpenSim's files: which columns are angles is known to the model alone.

A file says whether its angles are in degrees, and not which of its columns are angles: lengths and forces stand
beside them. The caller therefore says it, by the model or by the names of the columns; nothing is guessed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from myodyne.data import DataError, Result, Trajectory
from myodyne.errors import FileError, listed
from myodyne.model import Linear, Model
from myodyne.model.units import angles as angles_of

_TO_RADIANS = math.pi / 180.0
# By OpenSim's names for ground forces, their points and torques, for places of markers (which its old motion files
# hold beside the coordinates) and for states of muscles: no angles, ever.
_NO_ANGLE = re.compile(
    r".*_(v[xyz]|p[xyz]|t[xyz])|.*(torque|moment)_?[xyz]|.*[/.](activation|fiber_length|normalized_tendon_force|excitation)"
)


class Degrees(NamedTuple):
    """That a file has its angles in degrees: the line that says so, and its words."""

    line: int
    words: str


class _Meant(NamedTuple):
    """What a column means: a coordinate of the model, or its speed."""

    coordinate: str
    is_speed: bool


def in_radians(
    path: Path,
    trajectory: Trajectory,
    degrees: Degrees | None,
    model: Model | None,
    angles: str | Iterable[str] | None,
) -> Trajectory:
    """Return the trajectory with its angles in radians, and with the units known from model and names."""
    if model is not None and not isinstance(model, Model):
        raise FileError(f"{path}: model= takes a Model (see load_model), not a {type(model).__name__}")
    named = _named(path, trajectory, angles)
    if model is None and angles is None:
        if degrees is not None:
            _refuse_unknown(path, trajectory, degrees)
        return trajectory
    meant = _meanings(trajectory, model) if model is not None else {}
    if degrees is not None and angles is None and model is not None:
        _refuse_columns_unknown_to(path, trajectory, degrees, meant, model)
    turning = angles_of(model) if model is not None else frozenset()
    kept: set[str] = set()
    if model is not None and degrees is not None:
        kept = _already_radians(path, trajectory, degrees, model, meant, None if angles is None else named)
    units = trajectory.units
    columns = {name: trajectory.values(name) for name in trajectory.names}
    for name in trajectory.names:
        column = meant.get(name)
        is_angle = name in named or (column is not None and column.coordinate in turning)
        if degrees is not None and is_angle and name not in kept:
            columns[name] = np.multiply(columns[name], _TO_RADIANS)
        if not units[name] and (is_angle or column is not None):
            rate = "/s" if (column.is_speed if column is not None else _is_speed(name)) else ""
            units[name] = ("rad" if is_angle else "m") + rate
    converted = Trajectory(trajectory.time, columns, units)
    if isinstance(trajectory, Result):
        return Result(converted, trajectory.report, trajectory.provenance, trajectory.model_data, trajectory.recipe)
    return converted


def _named(path: Path, trajectory: Trajectory, angles: str | Iterable[str] | None) -> frozenset[str]:
    if angles is None:
        return frozenset()
    patterns = [angles] if isinstance(angles, str) else list(angles)
    try:
        return frozenset(trajectory.select(patterns).names) if patterns else frozenset()
    except DataError as error:
        raise FileError(f"{path}: angles: {error}") from None


def _meanings(trajectory: Trajectory, model: Model) -> dict[str, _Meant]:
    """Return the columns that are coordinates of the model or their speeds, as OpenSim and we write them."""
    coordinates = model.coordinates
    found: dict[str, _Meant] = {}
    for name in trajectory.names:
        parts = name.strip("/").split("/")
        if name in coordinates:
            found[name] = _Meant(name, False)
        elif len(parts) > 1 and parts[-1] in ("value", "speed") and parts[-2] in coordinates:
            found[name] = _Meant(parts[-2], parts[-1] == "speed")
        else:
            for ending in (".speed", "_u"):
                coordinate = name.removesuffix(ending)
                if coordinate != name and coordinate in coordinates:
                    found[name] = _Meant(coordinate, True)
    return found


def _already_radians(
    path: Path,
    trajectory: Trajectory,
    degrees: Degrees,
    model: Model,
    meant: dict[str, _Meant],
    named: frozenset[str] | None,
) -> set[str]:
    """Return the columns of angles that are in radians among degrees.

    OpenSim 4 does not convert coordinates that turn their body by a curve, as that of a kneecap; OpenSim 3 did. Of a
    coordinate that is coupled to another one the numbers themselves show what they are.
    """
    plain = {
        axis.function.coordinate
        for joint in model.joints.values()
        for axis in joint.axes
        if axis.motion == "rotation" and isinstance(axis.function, Linear)
    }
    turning = angles_of(model)
    columns = {(column.coordinate, column.is_speed): name for name, column in meant.items()}
    kept: set[str] = set()
    for name, (coordinate, is_speed) in meant.items():
        if coordinate in plain or coordinate not in turning or name in (named or ()):
            continue
        coupling = model.coordinates[coordinate].coupled
        leader = columns.get((coupling.coordinate, is_speed)) if isinstance(coupling, Linear) else None
        if isinstance(coupling, Linear) and leader is not None and coupling.coordinate in plain:
            offset = 0.0 if is_speed else coupling.offset
            expected = coupling.slope * trajectory.values(leader) * _TO_RADIANS + offset
            values = trajectory.values(name)
            if np.nansum(np.abs(values - expected)) < np.nansum(np.abs(values * _TO_RADIANS - expected)):
                kept.add(name)
        elif named is not None:
            kept.add(name)
        else:
            raise FileError(
                f"{path}, line {degrees.line}: {degrees.words}, but OpenSim 4 leaves coordinates that turn by a curve "
                f"in radians, and '{name}' is one. State with angles=[...], with or without its name, whether it is "
                f"an angle"
            )
    return kept


def _is_speed(name: str) -> bool:
    return name.endswith(("/speed", ".speed", "_u"))


def _refuse_unknown(path: Path, trajectory: Trajectory, degrees: Degrees) -> None:
    doubtful = [name for name in trajectory.names if not _NO_ANGLE.fullmatch(name)]
    if doubtful:
        raise FileError(
            f"{path}, line {degrees.line}: {degrees.words}, and the file does not say which columns are angles. "
            "Load it with model=, whose rotations are converted to radians, or with angles=[...], the names of those "
            f"that are angles among {listed(doubtful, 4)}; angles=[] means none"
        )


def _refuse_columns_unknown_to(
    path: Path, trajectory: Trajectory, degrees: Degrees, meant: dict[str, _Meant], model: Model
) -> None:
    unknown = [name for name in trajectory.names if name not in meant and not _NO_ANGLE.fullmatch(name)]
    if unknown:
        raise FileError(
            f"{path}, line {degrees.line}: {degrees.words}, and of {listed(unknown, 5)} the model '{model.name}' "
            "does not know whether they are angles. Name those that are, besides the rotations of the model: "
            "angles=[...]; angles=[] means none"
        )
