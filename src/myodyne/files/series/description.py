"""What a time-series file says besides its numbers: report, provenance and model, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from myodyne.data import DataError, Provenance, Report, Result, Trajectory
from myodyne.errors import FileError, unknown_name
from myodyne.types import Floats

FORMAT = 1
_PARTS = ("format", "report", "provenance", "model")


def description_of(trajectory: Trajectory) -> dict[str, Any]:
    """Return what a file must say besides names, units and numbers, as plain data."""
    if not isinstance(trajectory, Result):
        return {"format": FORMAT}
    described: dict[str, Any] = {
        "format": FORMAT,
        "report": trajectory.report.to_dict(),
        "provenance": trajectory.provenance.to_dict(),
    }
    if trajectory.model_data is not None:
        described["model"] = trajectory.model_data
    return described


def to_json(data: object) -> str:
    """Return compact JSON in plain ASCII, which every format and every other program can carry."""
    return json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def from_json(place: str, text: str) -> object:
    """Return the data of a JSON text; a fault names its place in the file."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        # Only a cut or edited file can hold broken JSON: nothing of it can be trusted.
        raise FileError(f"{place}: is not JSON ({error}); is the file cut off?") from None


def rebuilt(
    path: Path, labels: Sequence[str], table: Floats, units: Mapping[str, str], described: object
) -> Trajectory:
    """Return the trajectory, or the result, that a file held; the first column of the table is time."""
    try:
        trajectory = Trajectory.from_rows(table[:, 0], list(labels[1:]), table[:, 1:], units)
        if not isinstance(described, Mapping):
            raise DataError("the description must be a table of report, provenance and model")
        for name in described:
            if name not in _PARTS:
                raise DataError("description: " + unknown_name("part", name, _PARTS))
        if described.get("format", FORMAT) != FORMAT:
            raise DataError(
                f"was written in format {described['format']!r:.20}, and this version reads format {FORMAT}; "
                "update myodyne"
            )
        if not set(described) & {"report", "provenance", "model"}:
            return trajectory
        report, provenance = Report.from_dict(described["report"]), Provenance.from_dict(described["provenance"])
        model = described.get("model")
        if model is not None and not isinstance(model, Mapping):
            raise DataError("model: a table of fields is expected")
        return Result(trajectory, report, provenance, model)
    except KeyError as error:
        raise FileError(f"{path}: holds a part of a result, but its {error.args[0]} is missing") from None
    except DataError as error:
        raise FileError(f"{path}: {error}") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
