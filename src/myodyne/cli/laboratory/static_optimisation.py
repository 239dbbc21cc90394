"""``myodyne so``: static optimisation, the muscle activations behind a motion."""

from __future__ import annotations

from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from myodyne.cli import arguments
from myodyne.cli.catalogue import ModelName
from myodyne.cli.guard import ArgumentError
from myodyne.cli.laboratory.markers import stop_if_interrupted
from myodyne.cli.laboratory.options import Record
from myodyne.cli.speech import Json, emit, say, show_facts, show_table

if TYPE_CHECKING:
    from myodyne.data import Result, Trajectory
    from myodyne.model import Model

_MOST_SHOWN = 12


def so(  # noqa: PLR0913, PLR0917 - each is an option of the command
    model: ModelName,
    motion: Annotated[
        Path, typer.Argument(metavar="MOTION", help="The coordinates over time (.mot, .sto, .nc, .csv).")
    ],
    forces: Annotated[Path | None, typer.Option(help="OpenSim external loads (.xml).")] = None,
    record: Record = None,
    actuators: Annotated[Path | None, typer.Option(help="Actuators to add: an OpenSim force set (.xml).")] = None,
    reserves: Annotated[
        list[str] | None,
        typer.Option(help="Strength (N m, N) of a motor added to every coordinate, or NAME=STRENGTH. Repeatable."),
    ] = None,
    exponent: Annotated[float, typer.Option(help="Power to which activations are raised.")] = 2.0,
    cutoff: Annotated[float | None, typer.Option(help="Cut-off frequency (Hz) of the filter on the motion.")] = None,
    begin: Annotated[float | None, typer.Option("--from", help="First time (s).")] = None,
    end: Annotated[float | None, typer.Option("--to", help="Last time (s).")] = None,
    out: Annotated[Path | None, typer.Option(help="Write activations and forces to a .nc, .sto or .csv file.")] = None,
    as_json: Json = False,
) -> None:
    """Find muscle activations by static optimisation; Ctrl-C stops it and keeps the rows done so far."""
    arguments.target(out, arguments.SERIES_ENDINGS, "--out")
    strength = _reserves(reserves or [])
    if record is not None and forces is None:
        raise ArgumentError("--record is the record of --forces FILE.xml; give that too")
    from myodyne.analyse import Sharing, static_optimisation
    from myodyne.files import load, load_external_forces, load_forces, load_model, save

    loaded = load_model(model)
    if actuators is not None:
        loaded = loaded.with_parts(forces=load_forces(actuators, loaded))
    moved = load(motion, model=loaded, angles=())
    if begin is not None or end is not None:
        moved, cutoff = _window(loaded, moved, cutoff, begin, end), None
    run = static_optimisation(
        loaded,
        moved,
        None if forces is None else load_external_forces(forces, record),
        reserves=strength,
        settings=Sharing(exponent=exponent, cutoff=cutoff),
    )
    files = {}
    if out is not None:
        save(run, out)
        files = {"data": str(out)}
    if as_json:
        emit(_summary(run, files))
    else:
        _show(run, files)
    stop_if_interrupted(run, files)


@wraps(so)
def share(**options: Any) -> None:  # noqa: ANN401 - the options of `so`
    say("'myodyne share' is now called 'myodyne so'; the old name will be removed in the next release.")
    so(**options)


def _window(
    model: Model, motion: Trajectory, cutoff: float | None, begin: float | None, end: float | None
) -> Trajectory:
    """Return a part of a motion, filtered, with the speeds and accelerations that the whole of it has there."""
    from myodyne.analyse.coordinate_motion import coordinate_motion
    from myodyne.data import Trajectory

    whole = coordinate_motion(model, motion, cutoff)
    tables = {"": whole.q, ".speed": whole.v, ".acceleration": whole.vdot}
    columns = {
        f"{name}{ending}": table[:, place] for ending, table in tables.items() for place, name in enumerate(whole.names)
    }
    return Trajectory(whole.time, columns).slice(begin, end)


def _reserves(texts: list[str]) -> float | dict[str, float] | None:
    if not texts:
        return None
    if len(texts) == 1 and "=" not in texts[0]:
        return arguments.number(texts[0], "--reserves")
    if any("=" not in text for text in texts):
        raise ArgumentError("--reserves takes one number for all coordinates, or NAME=STRENGTH for some")
    return arguments.numbers(texts, "--reserves")


def _peaks(run: Result) -> dict[str, float]:
    ending = ".activation"
    return {name.removesuffix(ending): float(run.values(name).max()) for name in run.names if name.endswith(ending)}


def _summary(run: Result, files: dict[str, str]) -> dict[str, Any]:
    return {
        "model": run.provenance.model_name,
        "status": run.report.status,
        "rows": len(run),
        "start": float(run.time[0]),
        "end": float(run.time[-1]),
        "peak_activation": _peaks(run),
        "final": run.final,
        "units": run.units,
        "report": run.report.to_dict(),
        "provenance": run.provenance.to_dict(),
        "files": files,
    }


def _show(run: Result, files: dict[str, str]) -> None:
    facts = {"status": run.report.status, "time": f"{run.time[0]:g} to {run.time[-1]:.6g} s, {len(run)} rows"}
    facts |= {f"note {number}": note for number, note in enumerate(run.report.notes, start=1)}
    facts |= {"wall time": f"{run.report.wall_seconds:.3g} s", **files}
    show_facts(run.provenance.model_name, facts)
    peaks = _peaks(run)
    most = sorted(peaks, key=lambda name: -peaks[name])
    hidden = len(most) - _MOST_SHOWN
    title = "Muscles, the most active first" + (f" (and {hidden} more)" if hidden > 0 else "")
    rows = [(name, f"{peaks[name]:.3f}", f"{run.values(f'{name}.force').max():.1f}") for name in most[:_MOST_SHOWN]]
    show_table(title, ("muscle", ">peak activation", ">peak force (N)"), rows)
