"""``myodyne gait``: a walk or run compared with human gait, from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from myodyne.cli import arguments
from myodyne.cli.guard import ArgumentError
from myodyne.cli.laboratory.options import Cutoff, Forces, Record
from myodyne.cli.speech import Json, emit, show_facts, show_table

if TYPE_CHECKING:
    from myodyne.analyse import GaitReport


def gait(  # noqa: PLR0913, PLR0917 - each is an option of the command
    file: Annotated[str, typer.Argument(metavar="FILE", help="A saved walk (.nc), or a recorded motion (.sto, .mot).")],
    model: Annotated[str | None, typer.Option(help="The model of a recorded motion.")] = None,
    forces: Forces = None,
    record: Record = None,
    cutoff: Cutoff = None,
    mirrored: Annotated[
        bool | None,
        typer.Option("--mirrored/--whole", help="Whether the motion is half a cycle to be mirrored."),
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the report to a .png, .svg or .pdf file.")] = None,
    as_json: Json = False,
) -> None:
    """Analyse a walk or a run: events, curves, energy and muscles, compared with human gait."""
    arguments.target(plot, arguments.FIGURE_ENDINGS, "--plot")
    if record is not None and forces is None:
        raise ArgumentError("--record is the record of --forces FILE.xml; give that too")
    from myodyne.analyse import gait_report
    from myodyne.files import load, load_external_forces, load_model

    body = None if model is None else load_model(model)
    loads = None if forces is None else load_external_forces(forces, record)
    report = gait_report(load(file, model=body), body, forces=loads, mirrored=mirrored, cutoff=cutoff)
    files = {}
    if plot is not None:
        from myodyne.plot import plot as draw

        draw(report, path=plot)
        files["figure"] = str(plot)
    if as_json:
        emit({**report.to_dict(), "files": files})
    else:
        _show(report, files)


def _show(report: GaitReport, files: dict[str, str]) -> None:
    from myodyne.analyse.gait.text import tables

    notes = {f"note {number}": note for number, note in enumerate(report.notes, start=1)}
    facts = {"verdict": report.verdict, **notes, **files}
    show_facts(f"{report.model}: {report.kind} at {report.speed:.2f} m/s", facts)
    for table in tables(report):
        show_table(table.title, table.headings, table.rows)
