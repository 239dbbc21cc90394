"""``myodyne inverse``: joint moments of a recorded motion, from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from myodyne.cli import arguments
from myodyne.cli.catalogue import ModelName
from myodyne.cli.guard import ArgumentError
from myodyne.cli.laboratory.options import Cutoff, Forces, Record
from myodyne.cli.speech import Json, emit, show_facts, show_table

if TYPE_CHECKING:
    from myodyne.data import Result

# More moments than these fill the screen; a file holds them all.
_MOST_SHOWN = 40


def inverse(  # noqa: PLR0913, PLR0917 - each is an option of the command
    model: ModelName,
    motion: Annotated[
        str, typer.Argument(metavar="MOTION", help="Coordinates over time: .mot, .sto, .csv, or a saved run (.nc).")
    ],
    forces: Forces = None,
    record: Record = None,
    cutoff: Cutoff = None,
    passive: Annotated[
        bool, typer.Option("--passive", help="Subtract the model's passive forces (springs, limits, ...).")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Write the moments (.sto, .mot, .csv, .nc).")] = None,
    as_json: Json = False,
) -> None:
    """Compute the joint moments of a recorded motion (inverse dynamics)."""
    arguments.target(out, arguments.SERIES_ENDINGS, "--out")
    if record is not None and forces is None:
        raise ArgumentError("--record is the record of --forces FILE.xml; give that too")
    found = _moments(model, motion, (forces, record), cutoff, passive)
    files = {}
    if out is not None:
        from myodyne.files import save

        save(found, out)
        files["data"] = str(out)
    if as_json:
        emit(_summary(found, files))
    else:
        _show(found, files)


def _moments(
    name: str, source: str, loads: tuple[Path | None, Path | None], cutoff: float | None, passive: bool
) -> Result:
    from myodyne.analyse import inverse_dynamics
    from myodyne.files import load, load_external_forces, load_model

    model = load_model(name)
    motion = load(source, model=model, angles=())
    forces = None if loads[0] is None else load_external_forces(loads[0], loads[1])
    return inverse_dynamics(model, motion, forces, cutoff=cutoff, passive=passive)


def _peaks(found: Result) -> dict[str, tuple[float, float]]:
    """Return lowest and highest value of each column."""
    return {name: (float(found.values(name).min()), float(found.values(name).max())) for name in found.names}


def _summary(found: Result, files: dict[str, str]) -> dict[str, Any]:
    return {
        "model": found.provenance.model_name,
        "start": float(found.time[0]),
        "end": float(found.time[-1]),
        "rows": len(found),
        "moments": {
            name: {"unit": found.units[name], "lowest": low, "highest": high}
            for name, (low, high) in _peaks(found).items()
        },
        "report": found.report.to_dict(),
        "provenance": found.provenance.to_dict(),
        "files": files,
    }


def _show(found: Result, files: dict[str, str]) -> None:
    facts = {
        "method": found.provenance.scheme,
        "time": f"{found.time[0]:g} to {found.time[-1]:.6g} s, {len(found)} samples",
        **{f"note {number}": note for number, note in enumerate(found.report.notes, start=1)},
        "wall time": f"{found.report.wall_seconds:.3g} s",
        **files,
    }
    show_facts(found.provenance.model_name, facts)
    rows = [
        (name.removesuffix(".moment"), f"{low:.4g}", f"{high:.4g}", found.units[name])
        for name, (low, high) in list(_peaks(found).items())[:_MOST_SHOWN]
    ]
    hidden = len(found.names) - _MOST_SHOWN
    title = "Moments" + (f" (and {hidden} more)" if hidden > 0 else "")
    show_table(title, ("coordinate", ">lowest", ">highest", "unit"), rows)
