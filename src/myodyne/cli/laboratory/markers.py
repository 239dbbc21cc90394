"""``myodyne ik`` and ``myodyne scale``: models that follow markers, and models of the right size."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from myodyne.cli import arguments
from myodyne.cli.catalogue import ModelName
from myodyne.cli.guard import INTERRUPTED, ArgumentError
from myodyne.cli.laboratory.options import Degrees, write_coordinates
from myodyne.cli.speech import Json, emit, say, show_facts, show_table

if TYPE_CHECKING:
    from myodyne.data import Markers, Result, Trajectory
    from myodyne.files import ScaleSetup
    from myodyne.model import Model

_MOST_SHOWN = 12
# Files that say whether their angles are in degrees.
_IN_DEGREES = (".mot", ".sto")


def ik(  # noqa: PLR0913, PLR0917 - each is an option of the command
    model: ModelName,
    markers: Annotated[Path, typer.Argument(metavar="MARKERS", help="The recording of the markers (.trc).")],
    setup: Annotated[
        Path | None, typer.Option(help="Weights from a set-up file of OpenSim's inverse kinematics (.xml).")
    ] = None,
    weight: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE: weight of a marker. Repeatable; other markers are ignored.")
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option(
            help="Initial pose, and target of weighted coordinates: NAME=VALUE, like "
            "knee=-30deg, or a motion (.mot, .sto). Repeatable."
        ),
    ] = None,
    begin: Annotated[float | None, typer.Option("--from", help="First time (s).")] = None,
    end: Annotated[float | None, typer.Option("--to", help="Last time (s).")] = None,
    within_ranges: Annotated[
        bool, typer.Option("--within-ranges", help="Keep all coordinates within the ranges of the model.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Write the motion to a .nc, .sto, .mot or .csv file.")] = None,
    degrees: Degrees = False,
    as_json: Json = False,
) -> None:
    """Find the motion that best fits recorded markers (inverse kinematics); Ctrl-C keeps the rows done so far."""
    arguments.target(out, arguments.SERIES_ENDINGS, "--out")
    if degrees and (out is None or out.suffix.lower() not in _IN_DEGREES):
        raise ArgumentError(f"--degrees needs --out with a file of OpenSim's: {' or '.join(_IN_DEGREES)}")
    weights = arguments.numbers(weight or [], "--weight")
    if weights and setup is not None:
        raise ArgumentError("--weight and --setup both set marker weights; give one of them")
    from myodyne.analyse import inverse_kinematics
    from myodyne.files import load_markers, load_model

    loaded = load_model(model)
    pulled: dict[str, float] = {}
    targets: dict[str, float] = {}
    if setup is not None:
        from myodyne.files import load_ik_setup

        read = load_ik_setup(setup)
        weights, pulled, targets = read.weights, read.coordinate_weights, read.targets
        if read.from_file and not start:
            raise ArgumentError(f"{setup} tracks {read.from_file[0]} from a file; give it as --start FILE")
    run = inverse_kinematics(
        loaded,
        _part(load_markers(markers), begin, end),
        weights=weights or None,
        coordinate_weights=pulled or None,
        start=_start(start or [], targets, loaded),
        within_ranges=within_ranges,
    )
    _report(run, loaded, out, degrees=degrees, as_json=as_json)


def _part(record: Markers, begin: float | None, end: float | None) -> Markers:
    return record if begin is None and end is None else record.slice(begin, end)


def _start(texts: list[str], targets: dict[str, float], model: Model) -> dict[str, float] | Trajectory | None:
    files = [text for text in texts if "=" not in text]
    if not files:
        return {**targets, **arguments.numbers(texts, "--start")} or None
    if len(texts) > 1:
        raise ArgumentError("--start takes NAME=VALUE pairs or one motion, not both")
    from myodyne.files import load

    return load(files[0], model=model)


def _report(run: Result, model: Model, out: Path | None, *, degrees: bool, as_json: bool) -> None:
    files = {}
    if out is not None:
        if degrees:
            write_coordinates(model, _without_gaps(run, out), out, degrees=True)
        else:
            from myodyne.files import save

            save(_without_gaps(run, out), out)
        files = {"data": str(out)}
    rms = {name.removesuffix(".error"): _rms(run, name) for name in run.names if name.endswith(".error")}
    if as_json:
        emit(
            {
                "model": run.provenance.model_name,
                "status": run.report.status,
                "rows": len(run),
                "start": float(run.time[0]),
                "end": float(run.time[-1]),
                "final": run.final,
                "units": run.units,
                "marker_rms": rms,
                "report": run.report.to_dict(),
                "provenance": run.provenance.to_dict(),
                "files": files,
            }
        )
    else:
        facts = {"status": run.report.status, "time": f"{run.time[0]:g} to {run.time[-1]:.6g} s, {len(run)} rows"}
        facts |= {f"note {number}": note for number, note in enumerate(run.report.notes, start=1)}
        facts |= {"wall time": f"{run.report.wall_seconds:.3g} s", **files}
        show_facts(run.provenance.model_name, facts)
        worst = sorted(rms, key=lambda name: -rms[name])
        hidden = len(worst) - _MOST_SHOWN
        title = "Markers, largest error first" + (f" (and {hidden} more)" if hidden > 0 else "")
        show_table(title, ("marker", ">rms (mm)"), [(name, f"{1e3 * rms[name]:.2f}") for name in worst[:_MOST_SHOWN]])
    stop_if_interrupted(run, files)


def stop_if_interrupted(run: Result, files: dict[str, str]) -> None:
    """Say what was kept of a computation that Ctrl-C ended, and leave with the code for that."""
    if run.report.status != "interrupted":
        return
    kept = f"The partial result is in {files['data']}." if files else "Nothing was saved; --out FILE.nc saves it."
    say(f"{run.report.message[:1].upper()}{run.report.message[1:]}. {kept}")
    raise typer.Exit(INTERRUPTED)


def _without_gaps(run: Result, out: Path) -> Trajectory:
    """Return the run as a file can hold it: motion files take coordinates alone, and no gaps."""
    import numpy as np

    if out.suffix.lower() == ".nc":
        return run
    return run.select([name for name in run.names if np.isfinite(run.values(name)).all()])


def _rms(run: Result, name: str) -> float:
    import numpy as np

    seen = run.values(name)[~np.isnan(run.values(name))]
    return float(np.sqrt(np.mean(seen**2))) if len(seen) else float("nan")


def scale(  # noqa: PLR0913, PLR0917 - each is an option of the command
    model: ModelName,
    out: Annotated[Path, typer.Option(help="Write the scaled model to a .yaml file.")],
    factor: Annotated[
        list[str] | None, typer.Option(help="BODY=FACTOR or BODY=X,Y,Z; 'all=FACTOR' for all other bodies. Repeatable.")
    ] = None,
    setup: Annotated[
        Path | None, typer.Option(help="Measurements, factors and mass from a set-up file of OpenSim's scale tool.")
    ] = None,
    static: Annotated[Path | None, typer.Option(help="A record of the person at rest (.trc).")] = None,
    mass: Annotated[float | None, typer.Option(help="Mass of the whole model (kg).")] = None,
    keep_mass_distribution: Annotated[
        bool, typer.Option("--keep-mass-distribution", help="Keep the mass proportions of the bodies.")
    ] = False,
    cylinders: Annotated[
        bool, typer.Option("--cylinders", help="Inertia as OpenSim scales it: every body as a cylinder.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Scale a model by factors, or by distances between the markers of a person."""
    arguments.target(out, arguments.MODEL_ENDINGS, "--out")
    given = _factors(factor or [])
    if not given and setup is None and mass is None:
        raise ArgumentError("give --factor, --setup or --mass: without them nothing changes")
    from myodyne.analyse import scale_model
    from myodyne.files import load_model, load_scale_setup, save_model

    loaded = load_model(model)
    read = None if setup is None else load_scale_setup(setup)
    factors: dict[str, Any] = {} if read is None else _measured(loaded, read, static)
    everywhere = given.pop("all", None) if "all" not in loaded.bodies else None
    if everywhere is not None:
        factors = {**dict.fromkeys(loaded.bodies, everywhere), **factors}
    factors |= given
    scaled = scale_model(
        loaded,
        factors,
        mass=mass if mass is not None or read is None else read.mass,
        keep_mass_distribution=keep_mass_distribution or bool(read is not None and read.keep_mass_distribution),
        inertia="cylinder" if cylinders else "stretched",
    )
    save_model(scaled, out)
    if as_json:
        emit(
            {
                "model": scaled.name,
                "mass": scaled.mass,
                "factors": {k: list(v) for k, v in factors.items()},
                "files": {"model": str(out)},
            }
        )
        return
    show_facts(scaled.name, {"mass": f"{loaded.mass:.4g} → {scaled.mass:.4g} kg", "model": str(out)})
    rows = [(body, *(f"{number:.4f}" for number in by)) for body, by in factors.items()]
    show_table("Factors", ("body", ">x", ">y", ">z"), rows)


def _factors(texts: list[str]) -> dict[str, tuple[float, float, float]]:
    found = {}
    for body, text in arguments.assignments(texts, "--factor").items():
        numbers = [arguments.number(part, f"--factor {body}") for part in text.split(",")]
        if len(numbers) not in (1, 3):
            raise ArgumentError(f"--factor {body}: takes one number or three (X,Y,Z), not '{text}'")
        found[body] = (numbers[0], numbers[-2] if len(numbers) == 3 else numbers[0], numbers[-1])
    return found


def _measured(model: Model, setup: ScaleSetup, static: Path | None) -> dict[str, tuple[float, float, float]]:
    if not setup.measurements:
        return dict(setup.factors)
    if static is None:
        raise ArgumentError("--setup holds measurements: give the record of the person at rest as --static FILE.trc")
    from myodyne.analyse import scale_factors
    from myodyne.files import load_markers

    record = load_markers(static)
    if setup.time_range is not None:
        record = record.slice(*setup.time_range)
    return setup.merged(scale_factors(model, record, setup.measurements))
