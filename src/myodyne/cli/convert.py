"""``myodyne convert``: from one file format to another, without loss."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from myodyne.cli.arguments import MODEL_ENDINGS, SERIES_ENDINGS, target
from myodyne.cli.guard import ArgumentError
from myodyne.cli.speech import Json, emit, say


def convert(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="A model (.yaml or built-in) or a time series (.nc, .sto, .csv).")
    ],
    result: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write; its ending chooses the format.")],
    as_json: Json = False,
) -> None:
    """Convert a model or a time series to another format, or take the model out of a saved run."""
    target(result, (*SERIES_ENDINGS, *MODEL_ENDINGS), "OUT")
    written = _series(source, result) if Path(source).suffix.lower() in SERIES_ENDINGS else _model(source, result)
    if as_json:
        emit({"in": source, "out": str(result), **written})
    else:
        say(f"Wrote {result} ({', '.join(f'{value} {name}' for name, value in written.items())}).")


def _series(source: str, result: Path) -> dict[str, Any]:
    from myodyne.data import Result
    from myodyne.files import load, save, save_model
    from myodyne.model import Model

    # Gaps are kept as they stand: whether they may be there is not for a conversion to judge.
    series = load(source, gaps=True)
    if result.suffix.lower() in SERIES_ENDINGS:
        save(series, result)
        return {"rows": len(series), "columns": len(series.names)}
    if not isinstance(series, Result) or series.model_data is None:
        raise ArgumentError(f"{source}: holds columns alone, no model that could be written to {result}")
    model = Model(**series.model_data)
    save_model(model, result)
    return {"bodies": len(model.bodies), "coordinates": len(model.coordinates)}


def _model(source: str, result: Path) -> dict[str, Any]:
    from myodyne.files import load_model, save_model

    model = load_model(source)
    if result.suffix.lower() in SERIES_ENDINGS:
        raise ArgumentError(f"{source} is a model and cannot become a time series; the file to write must end in .yaml")
    save_model(model, result)
    return {"bodies": len(model.bodies), "coordinates": len(model.coordinates)}
