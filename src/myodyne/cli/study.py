"""``myodyne study`` and ``myodyne search``: many runs, and the best of them, from YAML files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from myodyne.cli import arguments
from myodyne.cli.guard import FAILED, INTERRUPTED, ArgumentError
from myodyne.cli.speech import Json, emit, say, show_facts, show_table

if TYPE_CHECKING:
    import xarray

_NO_MEASURES = ("status", "reason", "seconds")
Out = Annotated[Path | None, typer.Option(help="The folder of the table; by default that of the file.")]
Plot = Annotated[Path | None, typer.Option(help="Draw the result to a .png, .svg or .pdf file.")]


def study(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A .yaml file that describes the study, or the word 'show'.")
    ],
    table: Annotated[Path | None, typer.Argument(metavar="TABLE", help="After 'show': the folder of a table.")] = None,
    out: Out = None,
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Run a model many times with other numbers; what the folder holds already is kept. 'study show TABLE' shows it."""
    arguments.target(plot, arguments.FIGURE_ENDINGS, "--plot")
    from myodyne.study import load_study

    if file == "show":
        if table is None:
            raise ArgumentError("which table? Give its folder: myodyne study show FOLDER")
        found, folder = load_study(table), table
    else:
        if table is not None:
            raise ArgumentError("two arguments only with 'show': myodyne study show FOLDER")
        from myodyne.study.files import read_study

        asked = read_study(file)
        folder = out or asked.out
        found = asked.study.run(asked.engine, out=folder, resume=True)
    _draw(found, plot)
    _show(found, folder, plot, as_json)
    if found.sizes["row"] and bool((found["status"] == "failed").all()):
        raise typer.Exit(FAILED)


def search(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .yaml file that describes the study and its search.")],
    evaluations: Annotated[int | None, typer.Option(help="The most rows to compute.")] = None,
    out: Out = None,
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Search for the best values within ranges; what the folder holds already is kept, Ctrl-C keeps what was found."""
    arguments.target(plot, arguments.FIGURE_ENDINGS, "--plot")
    from myodyne.study import search as seek
    from myodyne.study.files import read_study

    asked = read_study(file)
    settings = {"evaluations": evaluations} if evaluations is not None else {}
    folder = out or asked.out
    found = seek(asked.study, engine=asked.engine, out=folder, resume=True, **{**asked.search, **settings})
    _draw(found, plot)
    results = {"best": found.best, found.objectives[0].name: found.value, "evaluations": found.evaluations}
    if as_json:
        emit({**results, "message": found.message, "table": str(folder)})
    else:
        show_table("Best", ("name", "value"), [(name, f"{value:.6g}") for name, value in found.best.items()])
        facts = {found.objectives[0].name: f"{found.value:.6g}", "ended": found.message, "table": str(folder)}
        show_facts("Search", facts)
        if len(found.objectives) > 1:
            say(f"The front has {found.front.sizes['row']} rows.")
    if found.message.startswith("interrupted"):
        raise typer.Exit(INTERRUPTED)


def _draw(found: Any, path: Path | None) -> None:  # noqa: ANN401 - a table or the result of a search
    if path is not None:
        from myodyne.plot import plot

        plot(found, path=path)


def _summary(found: xarray.Dataset) -> list[dict[str, Any]]:
    """Return the range of each column."""
    import numpy as np

    rows = []
    names = [str(name) for name in (*found.coords, *found.data_vars) if name not in (*_NO_MEASURES, "row")]
    for name in names:
        values = found[name].values[np.isfinite(found[name].values)]
        numbers = [float(f(values)) if len(values) else None for f in (np.min, np.mean, np.max)]
        kind = "varied" if name in found.coords else "measured"
        rows.append({"name": name, "kind": kind, **dict(zip(("least", "mean", "most"), numbers, strict=True))})
    return rows


def _show(found: xarray.Dataset, folder: Path, plot: Path | None, as_json: bool) -> None:
    failed = found["reason"].values[found["status"].values == "failed"].tolist()
    if as_json:
        files = {"table": str(folder)} | ({} if plot is None else {"figure": str(plot)})
        emit({"rows": found.sizes["row"], "failed": len(failed), "columns": _summary(found), "files": files})
        return
    numbers = ("least", "mean", "most")
    cells = [
        (row["name"], row["kind"], *("" if row[key] is None else f"{row[key]:.6g}" for key in numbers))
        for row in _summary(found)
    ]
    show_table(f"{found.sizes['row']} rows", ("name", "", *(f">{word}" for word in numbers)), cells)
    for reason in list(dict.fromkeys(failed))[:5]:
        say(f"failed ({failed.count(reason)}): {reason}")
    say(f"Table: {folder}")
