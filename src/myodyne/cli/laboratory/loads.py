"""``myodyne joint-loads`` and ``myodyne muscle-analysis``: what joints carry and what muscles do in a motion."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from myodyne.cli import arguments
from myodyne.cli.catalogue import ModelName
from myodyne.cli.guard import ArgumentError
from myodyne.cli.laboratory.options import Forces, Record
from myodyne.cli.speech import Json, emit, show_facts, show_table

if TYPE_CHECKING:
    from myodyne.data import Result

_MOST_SHOWN = 30
_AXES: dict[str, Literal["ground", "child", "parent"]] = {"ground": "ground", "child": "child", "parent": "parent"}
_TENDONS: dict[str, Literal["rigid", "elastic"]] = {"rigid": "rigid", "elastic": "elastic"}
Motion = Annotated[
    str, typer.Argument(metavar="MOTION", help="Coordinates over time: .mot, .sto, .csv, or a run (.nc).")
]
Cutoff = Annotated[float | None, typer.Option(help="Cut-off frequency of the low-pass filter (Hz).")]
Out = Annotated[Path | None, typer.Option(help="Write all columns (.sto, .mot, .csv, .nc).")]


def joint_loads(  # noqa: PLR0913, PLR0917 - each is an option of the command
    model: ModelName,
    motion: Motion,
    forces: Forces = None,
    record: Record = None,
    muscles: Annotated[
        Path | None, typer.Option(help="Forces of all muscles (N), as 'myodyne so' or OpenSim writes them.")
    ] = None,
    axes: Annotated[str, typer.Option(help="Axes of the loads: ground, child or parent.")] = "ground",
    cutoff: Cutoff = None,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Compute what each joint carries in a recorded motion (joint reactions)."""
    arguments.target(out, arguments.SERIES_ENDINGS, "--out")
    if record is not None and forces is None:
        raise ArgumentError("--record holds the forces of --forces FILE.xml; give that too")
    if axes not in _AXES:
        raise ArgumentError(f"--axes is ground, child or parent, not '{axes}'")
    from myodyne.analyse import joint_reactions
    from myodyne.files import load, load_external_forces, load_model

    loaded = load_model(model)
    found = joint_reactions(
        loaded,
        load(motion, model=loaded, angles=()),
        None if forces is None else load_external_forces(forces, record),
        forces=None if muscles is None else load(muscles, angles=()),
        cutoff=cutoff,
        axes=_AXES[axes],
    )
    joints = dict.fromkeys(name.partition(".")[0] for name in found.names)
    rows = []
    for joint in joints:
        sizes = [_largest(found, f"{joint}.reaction_{kind}_") for kind in ("force", "moment")]
        rows.append((joint, *(f"{size:.4g}" for size in sizes)))
    _report(found, out, as_json, "Largest loads", ("joint", ">force (N)", ">moment (N m)"), rows)


def muscle_analysis(  # noqa: PLR0913, PLR0917 - each is an option of the command
    model: ModelName,
    motion: Motion,
    activation: Annotated[float | None, typer.Option(help="Activation of all muscles, from 0 to 1.")] = None,
    activations: Annotated[
        Path | None, typer.Option(help="Activations of all muscles over time, as 'myodyne so' writes them.")
    ] = None,
    tendon: Annotated[str | None, typer.Option(help="rigid or elastic for all muscles, not as in the model.")] = None,
    cutoff: Cutoff = None,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Compute lengths, speeds and moment arms of muscles in a motion; with activations also fibres and forces."""
    arguments.target(out, arguments.SERIES_ENDINGS, "--out")
    if activation is not None and activations is not None:
        raise ArgumentError("--activation and --activations both say how active muscles are; give one of them")
    if tendon is not None and tendon not in _TENDONS:
        raise ArgumentError(f"--tendon is rigid or elastic, not '{tendon}'")
    from myodyne.analyse import muscle_analysis as analysed
    from myodyne.files import load, load_model

    loaded = load_model(model)
    found = analysed(
        loaded,
        load(motion, model=loaded, angles=()),
        activations=activation if activations is None else load(activations, angles=()),
        tendon=None if tendon is None else _TENDONS[tendon],
        cutoff=cutoff,
    )
    rows = []
    for name in loaded.muscles:
        lengths, speeds = found.values(f"{name}.length"), found.values(f"{name}.velocity")
        force = f"{found.values(f'{name}.force').max():.4g}" if f"{name}.force" in found else ""
        rows.append((name, f"{lengths.min():.4f}", f"{lengths.max():.4f}", f"{abs(speeds).max():.3f}", force))
    heads = ("muscle", ">shortest (m)", ">longest (m)", ">fastest (m/s)", ">largest force (N)")
    _report(found, out, as_json, "Muscles", heads, rows)


def _largest(found: Result, prefix: str) -> float:
    import numpy as np

    vectors = np.column_stack([found.values(f"{prefix}{axis}") for axis in "xyz"])
    return float(np.linalg.norm(vectors, axis=1).max())


def _report(
    found: Result, out: Path | None, as_json: bool, title: str, heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]
) -> None:
    files = {}
    if out is not None:
        from myodyne.files import save

        save(found, out)
        files["data"] = str(out)
    if as_json:
        emit(
            {
                "model": found.provenance.model_name,
                "rows": len(found),
                "start": float(found.time[0]),
                "end": float(found.time[-1]),
                "table": [dict(zip((head.lstrip(">") for head in heads), row, strict=True)) for row in rows],
                "units": found.units,
                "report": found.report.to_dict(),
                "provenance": found.provenance.to_dict(),
                "files": files,
            }
        )
        return
    facts = {"time": f"{found.time[0]:g} to {found.time[-1]:.6g} s, {len(found)} rows"}
    facts |= {f"note {number}": note for number, note in enumerate(found.report.notes, start=1)}
    facts |= {"wall time": f"{found.report.wall_seconds:.3g} s", **files}
    show_facts(found.provenance.model_name, facts)
    hidden = len(rows) - _MOST_SHOWN
    show_table(title + (f" (and {hidden} more)" if hidden > 0 else ""), heads, rows[:_MOST_SHOWN])
