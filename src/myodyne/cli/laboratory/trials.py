"""``myodyne trial``: recorded trials, one or whole folders, to motions, moments and a table that judges them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from myodyne.cli import arguments
from myodyne.cli.catalogue import ModelName
from myodyne.cli.guard import FAILED, INTERRUPTED, ArgumentError
from myodyne.cli.laboratory.options import Degrees, write_coordinates
from myodyne.cli.speech import Json, emit, say, show_table
from myodyne.errors import MyodyneError, listed

if TYPE_CHECKING:
    from myodyne.analyse import TrialAnalysis
    from myodyne.data import ExternalForces, Markers, Recording
    from myodyne.model import Model

_ENDINGS = (".c3d", ".trc")
_MEASURES = {
    "marker_rms": ("marker rms (mm)", 1e3),
    "marker_largest": ("marker largest (mm)", 1e3),
    "residual_force": ("residual force (N)", 1.0),
    "residual_moment": ("residual moment (N m)", 1.0),
    "moment_spread": ("spread of moments (N m)", 1.0),
}


class _Options(NamedTuple):
    plates: dict[str, str]
    up: str | None
    forces: Path | None
    begin: float | None
    end: float | None
    degrees: bool


def trial(  # noqa: PLR0913, PLR0917 - each is an option of the command
    model: ModelName,
    trials: Annotated[list[Path], typer.Argument(metavar="TRIAL", help="Recordings (.c3d, .trc), or folders of them.")],
    out: Annotated[Path, typer.Option(help="Folder for motions, moments and the table (summary.csv).")],
    plate: Annotated[
        list[str] | None, typer.Option(help="PLATE=BODY: the body that stands on a plate of a .c3d. Repeatable.")
    ] = None,
    forces: Annotated[Path | None, typer.Option(help="OpenSim external loads (.xml) of a .trc.")] = None,
    setup: Annotated[Path | None, typer.Option(help="Weights of markers from an OpenSim set-up (.xml).")] = None,
    up: Annotated[str | None, typer.Option(help="Vertical axis of the laboratory, y or z; else by forces.")] = None,
    cutoff: Annotated[float, typer.Option(help="Cut-off frequency of the low-pass filter (Hz).")] = 6.0,
    noise: Annotated[str, typer.Option(help="Noise of the angles, for the spread of the moments.")] = "0.1deg",
    begin: Annotated[float | None, typer.Option("--from", help="First time (s).")] = None,
    end: Annotated[float | None, typer.Option("--to", help="Last time (s).")] = None,
    degrees: Degrees = False,
    as_json: Json = False,
) -> None:
    """Analyse recorded trials: inverse kinematics, inverse dynamics, uncertainty, and whether they can be trusted."""
    files = _files(trials)
    if out.exists() and not out.is_dir():
        raise ArgumentError(f"--out {out}: is a file; give a folder")
    options = _Options(arguments.assignments(plate or [], "--plate"), up, forces, begin, end, degrees)
    if up not in (None, "y", "z"):
        raise ArgumentError(f"--up takes y or z, not '{up}'")
    if not 0.0 < cutoff < float("inf"):
        raise ArgumentError(f"--cutoff takes a frequency above zero (Hz), not {cutoff:g}")
    sizes = arguments.number(noise, "--noise")
    if sizes <= 0.0:
        raise ArgumentError(f"--noise takes an angle above zero, not '{noise}'")
    from myodyne.analyse import TrialSettings
    from myodyne.files import load_ik_setup, load_model

    loaded = load_model(model)
    settings = TrialSettings(None if setup is None else load_ik_setup(setup).weights, cutoff, sizes)
    out.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    interrupted = False
    for file in files:
        try:
            rows.append(_analysed(loaded, file, out, options, settings))
        except KeyboardInterrupt:
            interrupted = True
            break
        except MyodyneError as error:
            rows.append({"trial": file.stem, "verdict": f"failed: {error}"})
            say(f"{file}: {error}")
    _write_summary(out / "summary.csv", rows)
    _show(rows, out, as_json)
    if interrupted:
        say(f"Interrupted after {len(rows)} of {len(files)} trials.")
        raise typer.Exit(INTERRUPTED)
    if any(row["verdict"].startswith("failed") for row in rows):
        raise typer.Exit(FAILED)


def _files(places: list[Path]) -> list[Path]:
    found: list[Path] = []
    for place in places:
        if place.is_dir():
            inside = sorted(path for path in place.iterdir() if path.suffix.lower() in _ENDINGS)
            if not inside:
                raise ArgumentError(f"{place}: holds no recordings ({', '.join(_ENDINGS)})")
            found += inside
        elif place.suffix.lower() in _ENDINGS:
            found.append(place)
        else:
            raise ArgumentError(f"{place}: a recording ends in {' or '.join(_ENDINGS)}")
    stems = [path.stem for path in found]
    double = sorted({stem for stem in stems if stems.count(stem) > 1})
    if double:
        raise ArgumentError(f"several recordings are called {listed(double)}: their results would have the same names")
    return found


def _analysed(model: Model, file: Path, out: Path, options: _Options, settings: Any) -> dict[str, Any]:  # noqa: ANN401 - imported late
    from myodyne.analyse import analyse_trial
    from myodyne.data import Recording

    trial, forces = _recorded(file, options)
    markers = trial.markers if isinstance(trial, Recording) else trial
    if options.begin is not None or options.end is not None:
        markers = markers.slice(options.begin, options.end)
    found = analyse_trial(model, markers, forces, settings=settings)
    _write(model, found, out, file.stem, degrees=options.degrees)
    values = {name: measure.value for name, measure in found.measures.items()}
    beyond = [_MEASURES[name][0].split(" (")[0] for name, measure in found.measures.items() if measure.good is False]
    verdict = "within limits" if not beyond else f"beyond limits: {', '.join(beyond)}"
    return {"trial": file.stem, **values, "verdict": verdict}


def _recorded(file: Path, options: _Options) -> tuple[Recording | Markers, ExternalForces | None]:
    from myodyne.analyse import plate_forces, upright
    from myodyne.data import Recording
    from myodyne.files import load_c3d, load_external_forces, load_markers

    if file.suffix.lower() == ".trc":
        if options.plates:
            raise ArgumentError(f"{file}: --plate is for .c3d files; give the forces of a .trc by --forces FILE.xml")
        trial = load_markers(file)
        turned = upright(Recording(trial), options.up).markers if options.up else trial
        return turned, None if options.forces is None else load_external_forces(options.forces)
    recording = load_c3d(file)
    names = [plate.name for plate in recording.plates]
    if names and not options.plates and options.forces is None:
        raise ArgumentError(f"{file}: which body stands on {listed(names)}? Give --plate {names[0]}=BODY for each")
    recording = upright(recording, options.up or (None if names else "z"))
    if options.forces is not None:
        return recording, load_external_forces(options.forces)
    return recording, plate_forces(recording, options.plates) if names else None


def _write(model: Model, found: TrialAnalysis, out: Path, stem: str, *, degrees: bool) -> None:
    from myodyne.files import save

    write_coordinates(model, found.motion, out / f"{stem}_ik.mot", degrees=degrees)
    save(found.moments, out / f"{stem}_id.sto")
    save(found.spread, out / f"{stem}_id_spread.sto")


def _write_summary(path: Path, rows: list[dict[str, Any]]) -> None:
    import csv
    import io

    from myodyne.files.atomic import atomically

    text = io.StringIO()
    writer = csv.DictWriter(text, ["trial", *_MEASURES, "verdict"], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    with atomically(path) as unfinished:
        unfinished.write_text(text.getvalue(), encoding="utf-8")


def _show(rows: list[dict[str, Any]], out: Path, as_json: bool) -> None:
    if as_json:
        emit({"trials": rows, "files": {"summary": str(out / "summary.csv"), "folder": str(out)}})
        return
    headings = ("trial", *(f">{heading}" for heading, _ in _MEASURES.values()), "…verdict")
    table = [
        (
            row["trial"],
            *(f"{row[name] * factor:.3g}" if name in row else "" for name, (_, factor) in _MEASURES.items()),
            row["verdict"],
        )
        for row in rows
    ]
    show_table(f"Trials (all files in {out})", headings, table)
