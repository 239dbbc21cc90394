"""The command ``myodyne``: its subcommands, and the handling of errors."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import myodyne
from myodyne.cli import bench, catalogue, convert, demo, equations, simulation, solving, studio, study, upkeep, viewing
from myodyne.cli.guard import FAILED, INTERRUPTED, guarded
from myodyne.cli.laboratory import gait, inverse, loads, markers, setups, static_optimisation, trials
from myodyne.cli.speech import complain, notes_instead_of_warnings

# What people try first, by the names of methods or of other programs.
_ELSEWHERE = {
    "benchmark": "bench",
    "export": "convert",
    "forward": "simulate",
    "gui": "studio",
    "id": "inverse",
    "info": "inspect",
    "inverse-dynamics": "inverse",
    "inverse-kinematics": "ik",
    "joint-reactions": "joint-loads",
    "jr": "joint-loads",
    "list": "models",
    "moment-arms": "muscle-analysis",
    "optimise": "solve",
    "optimize": "solve",
    "show": "view",
    "static-optimisation": "so",
    "static-optimization": "so",
}


class _Commands(TyperGroup):
    """Subcommands in the order in which they were added; errors become one message and an exit code."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401 - click's, or that of typer's copy
        return list(self.commands)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - click's, or that of typer's copy
        if args and args[0] not in self.commands and (ours := _ELSEWHERE.get(args[0].lower().replace("_", "-"))):
            ctx.fail(f"No such command '{args[0]}'. Did you mean '{ours}'?")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> object:  # noqa: ANN401 - click's, or that of typer's copy
        with guarded(show_traceback=bool(ctx.params.get("debug"))), notes_instead_of_warnings():
            return super().invoke(ctx)


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Simulate, analyse and optimise human and animal movement. Start with 'myodyne demo'.",
    epilog="Exit codes: 0 done, 1 a computation failed, 2 wrong usage or input, 130 interrupted with Ctrl-C.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"myodyne {myodyne.__version__}")
        raise typer.Exit


@app.callback()
def _before_all(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the full traceback of an error.")] = False,
) -> None:
    # Both options act elsewhere: the version in its callback, debug around every command.
    pass


app.command()(demo.demo)
app.command()(catalogue.models)
app.command()(catalogue.inspect)
app.command()(simulation.simulate)
app.command()(inverse.inverse)
app.command()(equations.equations)
app.command()(gait.gait)
app.command()(solving.solve)
app.command()(solving.problems)
app.command()(study.study)
app.command()(study.search)
app.command()(markers.ik)
app.command()(markers.scale)
app.command("joint-loads")(loads.joint_loads)
app.command("muscle-analysis")(loads.muscle_analysis)
app.command()(setups.run)
app.command()(trials.trial)
app.command()(static_optimisation.so)
app.command("share", hidden=True)(static_optimisation.share)
app.command()(viewing.view)
app.command()(viewing.plot)
app.command()(viewing.animate)
app.command()(studio.studio)
app.command()(convert.convert)
app.command()(bench.bench)
app.command()(upkeep.cache)
app.command()(upkeep.schema)


def run() -> None:
    """Run the command line and end the process with its exit code."""
    try:
        app()
    except KeyboardInterrupt:
        # Before or after a command, while Python loads or leaves.
        sys.exit(INTERRUPTED)
    except Exception as error:
        # An unforeseen error is a bug of ours: the message must help to report it.
        if "--debug" in sys.argv:
            raise
        complain(
            f"{type(error).__name__}: {error}\n"
            "This should not happen. Run it again as 'myodyne --debug ...' and please report what it shows."
        )
        sys.exit(FAILED)
