"""What a time-series file says besides its numbers: report, provenance, model and recipe, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from myodyne.data import DataError, Provenance, Recipe, Report, Result, Trajectory
from myodyne.data.result import KINDS, rebuilt as rebuilt_kind
from myodyne.errors import FileError, unknown_name
from myodyne.types import Floats

FORMAT = 1
_PARTS = ("format", "report", "provenance", "model", "recipe", *KINDS)


def description_of(trajectory: Trajectory, *, whole: bool = False) -> dict[str, Any]:
    """Return what a file must say besides names, units and numbers, as plain data.

    The ``whole`` has what special kinds of results keep, such as the multipliers of an optimum: too much for a header.
    """
    if not isinstance(trajectory, Result):
        return {"format": FORMAT}
    described: dict[str, Any] = {
        "format": FORMAT,
        "report": trajectory.report.to_dict(),
        "provenance": trajectory.provenance.to_dict(),
    }
    if trajectory.model_data is not None:
        described["model"] = trajectory.model_data
    if trajectory.recipe is not None:
        described["recipe"] = trajectory.recipe.to_dict()
    return described | (trajectory.further_data if whole else {})


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
        if not set(described) - {"format"}:
            return trajectory
        report, provenance = Report.from_dict(described["report"]), Provenance.from_dict(described["provenance"])
        model = described.get("model")
        if model is not None and not isinstance(model, Mapping):
            raise DataError("model: a table of fields is expected")
        recipe = None if described.get("recipe") is None else Recipe.from_dict(described["recipe"])
        result = Result(trajectory, report, provenance, model, recipe)
        for kind in KINDS:
            if kind in described:
                result = rebuilt_kind(kind, result, described[kind])
        return result
    except KeyError as error:
        raise FileError(f"{path}: holds a part of a result, but its {error.args[0]} is missing") from None
    except DataError as error:
        raise FileError(f"{path}: {error}") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
