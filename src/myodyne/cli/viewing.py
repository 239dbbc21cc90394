"""``myodyne view``, ``plot`` and ``animate``: models, motions and saved results, looked at."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from myodyne.cli.arguments import ANIMATION_ENDINGS, FIGURE_ENDINGS, SERIES_ENDINGS, target
from myodyne.cli.guard import ArgumentError
from myodyne.cli.speech import Json, emit, say

if TYPE_CHECKING:
    from myodyne.data import Trajectory
    from myodyne.view.actors import Shown

Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE", help="Saved results, or a model (built-in, .yaml, .osim) and its motion."),
]
Geometry = Annotated[
    Path | None, typer.Option("--geometry", metavar="FOLDER", help="Folder of the bones that an OpenSim model names.")
]


def view(
    files: Files,
    geometry: Geometry = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the page here instead of opening a browser.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show models, motions and saved results in the browser."""
    from myodyne.plot import animate
    from myodyne.view import show

    shown, motion = _shown(files)
    folder = None if geometry is None else str(geometry)
    if out is None:
        page = show(shown, motion, labels=_labels(files, motion), geometry=folder)
    else:
        target(out, (".html",), "--out")
        animate(shown, out, motion, labels=_labels(files, motion), geometry=folder)
        page = out
    if as_json:
        emit({"page": str(page)})
    else:
        say(f"The view is in {page}.")


def plot(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A saved result or another time series.")],
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Columns; * matches any text. By default the coordinates."),
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The figure to write.")] = Path("plot.png"),
    degrees: Annotated[bool, typer.Option("--degrees", help="Show angles in degrees.")] = False,
    as_json: Json = False,
) -> None:
    """Plot columns of a saved result over time."""
    from myodyne.files import load
    from myodyne.plot import plot as draw

    target(out, FIGURE_ENDINGS, "--out")
    series = load(file, gaps=True)
    draw(series, names or None, degrees=degrees, path=out)
    if as_json:
        emit({"figure": str(out), "columns": list(series.select(names).names) if names else None})
    else:
        say(f"Wrote {out}.")


def animate(
    files: Files,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The page, animation or figure to write.")],
    geometry: Geometry = None,
    speed: Annotated[float, typer.Option("--speed", help="1 is real time, 0.25 four times slower.")] = 1.0,
    as_json: Json = False,
) -> None:
    """Write models, motions and saved results as a page (.html), an animation (.mp4, .gif) or a figure (.png)."""
    from myodyne.plot import animate as write

    target(out, ANIMATION_ENDINGS, "OUT")
    shown, motion = _shown(files)
    folder = None if geometry is None else str(geometry)
    write(shown, out, motion, labels=_labels(files, motion), geometry=folder, speed=speed)
    if as_json:
        emit({"animation": str(out)})
    else:
        say(f"Wrote {out}.")


def _shown(files: list[str]) -> tuple[list[Shown], Trajectory | None]:
    """Return what files hold: results and models, or one model and the motion that moves it."""
    from myodyne.data import Result
    from myodyne.files import load, load_model

    series = [file for file in files if Path(file).suffix.lower() in SERIES_ENDINGS]
    models = [file for file in files if file not in series]
    if len(models) == 1 and len(series) == 1:
        model = load_model(models[0])
        return [model], load(series[0], model=model)
    shown: list[Shown] = [load_model(file) for file in models]
    for file in series:
        result = load(file)
        if not isinstance(result, Result) or result.model_data is None:
            raise ArgumentError(f"{file}: contains only columns; give its model too: myodyne view MODEL {file}")
        shown.append(result)
    return shown, None


def _labels(files: list[str], motion: Trajectory | None) -> list[str] | None:
    return None if motion is not None or len(files) == 1 else [Path(file).stem for file in files]
