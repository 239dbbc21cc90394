"""``myodyne convert``: from one file format to another, without loss."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from myodyne.cli.arguments import MARKER_ENDINGS, MODEL_ENDINGS, SERIES_ENDINGS, target
from myodyne.cli.guard import ArgumentError
from myodyne.cli.speech import Json, emit, say
from myodyne.notebook import counted

if TYPE_CHECKING:
    from myodyne.data import Trajectory

# One of what a file is said to hold.
_ONE = {
    "bodies": "body",
    "columns": "column",
    "coordinates": "coordinate",
    "markers": "marker",
    "rows": "row",
}
_RECORDINGS = (".c3d",)
_RECORDS = (*SERIES_ENDINGS, *MARKER_ENDINGS)


def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN",
            help="A model (.yaml, .osim or built-in), a time series (.nc, .sto, .csv, .mot), markers (.trc), a "
            "recording (.c3d).",
        ),
    ],
    result: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write; its ending chooses the format.")],
    model: Annotated[
        str | None, typer.Option("--model", metavar="MODEL", help="The model whose coordinates the columns are.")
    ] = None,
    angles: Annotated[
        list[str] | None,
        typer.Option("--angle", metavar="NAME", help="A column that is an angle, if the file is in degrees."),
    ] = None,
    no_angles: Annotated[bool, typer.Option("--no-angles", help="No column is an angle.")] = False,
    as_json: Json = False,
) -> None:
    """Convert a model or a time series to another format, or extract the model from a saved run."""
    target(result, (*_RECORDS, *MODEL_ENDINGS), "OUT")
    suffix = Path(source).suffix.lower()
    if suffix in _RECORDINGS:
        written = _recording(source, result)
    elif suffix in _RECORDS:
        written = _series(source, result, model, [] if no_angles and not angles else angles or None)
    else:
        written = _model(source, result)
    if as_json:
        emit({"in": source, "out": str(result), **written})
    else:
        parts = (counted(number, _ONE[name], name) for name, number in written.items())
        say(f"Wrote {result} ({', '.join(parts)}).")


def _series(source: str, result: Path, model_name: str | None, angles: list[str] | None) -> dict[str, Any]:
    from myodyne.data import Result
    from myodyne.files import load, load_markers, load_model, save_markers, save_model
    from myodyne.model import Model

    if Path(source).suffix.lower() in MARKER_ENDINGS and result.suffix.lower() in MARKER_ENDINGS:
        markers = load_markers(source)
        save_markers(markers, result)
        return {"rows": len(markers), "markers": len(markers.names)}
    # Gaps are kept as they stand: whether they may be there is not for a conversion to judge.
    series = load(source, gaps=True, model=None if model_name is None else load_model(model_name), angles=angles)
    if result.suffix.lower() in _RECORDS:
        return _saved(series, result)
    if not isinstance(series, Result) or series.model_data is None:
        raise ArgumentError(f"{source}: contains only columns, no model to write to {result}")
    model = Model(**series.model_data)
    save_model(model, result)
    return {"bodies": len(model.bodies), "coordinates": len(model.coordinates)}


def _recording(source: str, result: Path) -> dict[str, Any]:
    """Write the markers of a recording to .trc, its ground forces to any other format of columns."""
    from myodyne.files import load_c3d, save_markers

    if result.suffix.lower() in MARKER_ENDINGS:
        markers = load_c3d(source, plates=False).markers
        save_markers(markers, result)
        return {"rows": len(markers), "markers": len(markers.names)}
    if result.suffix.lower() not in SERIES_ENDINGS:
        raise ArgumentError(f"{source}: is a recording; its markers go to .trc, its forces to .mot, .sto, .csv or .nc")
    forces = load_c3d(source).ground_forces
    if forces is None:
        raise ArgumentError(f"{source}: has no force plates; its markers can be written to .trc")
    return _saved(forces, result)


def _saved(series: Trajectory, result: Path) -> dict[str, Any]:
    from myodyne.files import save

    save(series, result)
    return {"rows": len(series), "columns": len(series.names)}


def _model(source: str, result: Path) -> dict[str, Any]:
    from myodyne.files import load_model, save_model

    model = load_model(source)
    if result.suffix.lower() in _RECORDS:
        raise ArgumentError(
            f"{source} is a model and cannot become a time series; the file to write must end in .yaml or .osim"
        )
    save_model(model, result)
    return {"bodies": len(model.bodies), "coordinates": len(model.coordinates)}
