"""``myodyne run``: set-up files of OpenSim's tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from myodyne.cli.guard import INTERRUPTED
from myodyne.cli.speech import Json, emit, show_facts


def run(
    setup: Annotated[Path, typer.Argument(metavar="SETUP", help="A set-up file of one of OpenSim's tools (.xml).")],
    folder: Annotated[
        Path | None, typer.Option(help="Write all results into this folder, not where the set-up says.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="The model, in place of the one that the set-up names or leaves out.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run a set-up file of OpenSim: scaling, inverse kinematics and dynamics, analyses, or a forward run."""
    from myodyne.analyse import run_setup

    done = run_setup(setup, folder=folder, model=model)
    statuses = {name: result.report.status for name, result in done.results.items()}
    if as_json:
        emit(
            {
                "tool": done.tool,
                "name": done.name,
                "model": done.model.name,
                "status": statuses,
                "files": [str(path) for path in done.files],
                "notes": list(done.notes),
            }
        )
    else:
        facts: dict[str, str] = {"tool": done.tool, "model": done.model.name, **statuses}
        facts |= {f"file {number}": str(path) for number, path in enumerate(done.files, start=1)}
        facts |= {f"note {number}": note for number, note in enumerate(done.notes, start=1)}
        show_facts(done.name or setup.stem, facts)
    if "interrupted" in statuses.values():
        raise typer.Exit(INTERRUPTED)
