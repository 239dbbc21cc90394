"""``myodyne simulate``: a model through time, from the command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from myodyne.cli import arguments
from myodyne.cli.catalogue import ModelName
from myodyne.cli.guard import FAILED, INTERRUPTED, ArgumentError
from myodyne.cli.laboratory.anatomy import angle_text
from myodyne.cli.speech import Json, complain, emit, say, show_facts, show_table

if TYPE_CHECKING:
    from myodyne.data import Result
    from myodyne.model import Model

# More coordinates than these fill the screen; a file holds them all.
_MOST_SHOWN = 20


@dataclass(frozen=True)
class _Targets:
    """The files that a simulation writes."""

    data: Path | None
    figure: Path | None
    columns: list[str]
    animation: Path | None

    def check(self) -> None:
        """Refuse what could not be written, before the work begins."""
        arguments.target(self.data, arguments.SERIES_ENDINGS, "--out")
        arguments.target(self.figure, arguments.FIGURE_ENDINGS, "--plot")
        arguments.target(self.animation, arguments.ANIMATION_ENDINGS, "--animate")
        if self.columns and self.figure is None:
            raise ArgumentError("--columns says what --plot shows; give --plot FILE.png too")

    def write_data(self, run: Result) -> dict[str, str]:
        """Write the numbers first: they are what took time."""
        if self.data is None:
            return {}
        from myodyne.files import save

        save(run, self.data)
        return {"data": str(self.data)}

    def write_pictures(self, run: Result) -> dict[str, str]:
        written = {}
        if self.figure is not None:
            from myodyne.plot import plot

            plot(run, self.columns or None, path=self.figure)
            written["figure"] = str(self.figure)
        if self.animation is not None:
            from myodyne.plot import animate

            animate(run, self.animation)
            written["film"] = str(self.animation)
        return written


def simulate(  # noqa: PLR0913, PLR0917 - each is an option of the command
    model: ModelName,
    duration: Annotated[float, typer.Option(help="How long to simulate (s).")],
    start: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=VALUE of a coordinate or speed, like knee=-90deg or knee.speed=2; or a saved run (.nc, "
            ".sto, .csv) to continue from. Repeatable."
        ),
    ] = None,
    control: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VALUE, or NAME=TIME:VALUE,TIME:VALUE,... joined by lines. Repeatable."),
    ] = None,
    change: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=VALUE of a number of the model: thigh.mass=8. Repeatable.")
    ] = None,
    scheme: Annotated[
        str | None,
        typer.Option(
            help="rk4:0.001 (step in s), dop853, dop853:1e-8 (tolerance), bdf, trbdf2:relative=1e-8, "
            "rosenbrock:0.003, ... By default dop853, with muscles rosenbrock."
        ),
    ] = None,
    until: Annotated[
        list[str] | None,
        typer.Option(help="Stop when 'falls NAME', 'rises NAME' or 'crosses NAME LEVEL' happens. Repeatable."),
    ] = None,
    every: Annotated[float | None, typer.Option(help="Time between samples (s).")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the run to a .nc, .sto or .csv file.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write curves to a .png, .svg or .pdf file.")] = None,
    columns: Annotated[
        list[str] | None, typer.Option(help="What --plot shows, like knee,hip.speed,'com.*'. Repeatable.")
    ] = None,
    animate: Annotated[
        Path | None, typer.Option(help="Write an animation (.html, .gif), or poses in a picture (.png, .svg, .pdf).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Simulate a model; Ctrl-C stops it and keeps what was computed."""
    targets = _Targets(out, plot, arguments.names(columns or []), animate)
    targets.check()
    # The options first: a mistake in them is reported before anything heavy is loaded.
    settings = {
        "start": _start(start or []),
        "controls": arguments.signals(control or []),
        "scheme": None if scheme is None else arguments.scheme_of(scheme),
        "until": [arguments.event_of(text) for text in until or []],
        "every": every,
    }
    loaded = _model(model, arguments.numbers(change or [], "--set"))
    run, problem = _simulated(loaded, duration, settings)
    files = targets.write_data(run)
    finished = run.report.succeeded
    if finished:
        files |= targets.write_pictures(run)
    if as_json:
        emit(_summary(run, files))
    else:
        _show(run, files)
    if not finished:
        _explain(run, problem, files, targets)


def _start(texts: list[str]) -> dict[str, float] | Result:
    """Return states by name, or the run to go on from."""
    paths = [text for text in texts if "=" not in text]
    if not paths:
        return arguments.numbers(texts, "--start")
    if len(texts) > 1:
        raise ArgumentError("--start takes NAME=VALUE pairs or one saved run, not both")
    if Path(paths[0]).suffix.lower() not in arguments.SERIES_ENDINGS:
        raise ArgumentError(f"--start takes NAME=VALUE or a saved run (.nc, .sto, .csv, .mot), not '{paths[0]}'")
    from myodyne.data import Result
    from myodyne.files import load

    # A phase of a run may lack columns of another; the last row is what counts.
    run = load(paths[0], gaps=True)
    if not isinstance(run, Result):
        raise ArgumentError(f"--start {paths[0]}: contains only columns; it is not a run saved by myodyne")
    return run


def _model(name: str, changes: dict[str, float]) -> Model:
    from myodyne.files import load_model

    model = load_model(name)
    return model.with_values(changes) if changes else model


def _simulated(model: Model, duration: float, settings: dict[str, Any]) -> tuple[Result, str]:
    """Return the run, and what went wrong if it broke off."""
    from myodyne.errors import SimulationError
    from myodyne.simulate import simulate as simulated

    try:
        return simulated(model, duration, **settings), ""
    except SimulationError as error:
        if error.result is None:
            raise
        run: Result = error.result
        return run, str(error)


def _explain(run: Result, problem: str, files: dict[str, str], targets: _Targets) -> None:
    """Say why a run ended before its time and what was kept of it, and leave with the code for that."""
    kept = f"The partial result is in {files['data']}." if files else "Nothing was saved; --out FILE.nc saves it."
    if targets.figure or targets.animation:
        kept += " No figures were made."
    if run.report.status == "interrupted":
        say(f"{run.report.message[:1].upper()}{run.report.message[1:]}. {kept}")
        raise typer.Exit(INTERRUPTED)
    # The part about scripts does not help here.
    complain(problem.replace(" The result up to the last good state is in error.result.", "") + f"\n{kept}")
    raise typer.Exit(FAILED)


def _summary(run: Result, files: dict[str, str]) -> dict[str, Any]:
    return {
        "model": run.provenance.model_name,
        "status": run.report.status,
        "start": float(run.time[0]),
        "end": float(run.time[-1]),
        "rows": len(run),
        "final": run.final,
        "units": run.units,
        "report": run.report.to_dict(),
        "provenance": run.provenance.to_dict(),
        "files": files,
    }


def _show(run: Result, files: dict[str, str]) -> None:
    report = run.report
    facts = {
        "status": report.status,
        "time": f"{run.time[0]:g} to {run.time[-1]:.6g} s, {len(run)} samples",
        "scheme": f"{run.provenance.scheme}, {'compiled' if run.provenance.compiled else 'interpreted'}",
        "steps": f"{report.steps} taken, {report.rejected} rejected, {report.evaluations} evaluations",
    }
    if report.energy_error is not None:
        facts["energy error"] = f"{report.energy_error:.2g} of the energy exchanged"
    facts |= {f"largest {name}": f"{value:.2g}" for name, value in report.drift.items()}
    facts |= {f"at {time:.6g} s": name for time, name in report.events}
    facts |= {f"note {number}": note for number, note in enumerate(report.notes, start=1)}
    facts["wall time"] = f"{report.wall_seconds:.3g} s"
    facts |= files
    show_facts(run.provenance.model_name, facts)
    units, final = run.units, run.final
    coordinates = [name for name in run.names if f"{name}.speed" in final]
    rows = [
        (name, angle_text(final[name], units[name]), f"{final[f'{name}.speed']:.4g} {units[name]}/s")
        for name in coordinates[:_MOST_SHOWN]
    ]
    hidden = len(coordinates) - _MOST_SHOWN
    show_table("At the end" + (f" (and {hidden} more)" if hidden > 0 else ""), ("coordinate", "value", "speed"), rows)
