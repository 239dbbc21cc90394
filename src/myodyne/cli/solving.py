"""``myodyne solve``: the best movement for a problem, from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from myodyne.cli import arguments
from myodyne.cli.guard import FAILED, INTERRUPTED, ArgumentError
from myodyne.cli.speech import Json, complain, emit, say, show_facts, show_table

if TYPE_CHECKING:
    from myodyne.data import Result
    from myodyne.optimise import Phases, Problem, Solution


def problems(as_json: Json = False) -> None:
    """List the built-in optimal control problems."""
    from myodyne.optimise import builtin_problems
    from myodyne.optimise.builtin import summary_of

    names = builtin_problems()
    if as_json:
        emit({"problems": {name: summary_of(name) for name in names}})
    else:
        show_table("Problems", ("name", "what it finds"), [(name, summary_of(name)) for name in names])


def solve(  # noqa: PLR0913, PLR0917 - each is an option of the command
    problem: Annotated[
        str | None,
        typer.Argument(
            metavar="PROBLEM", help="A built-in problem ('myodyne problems'), or a .yaml file; with --walking a model."
        ),
    ] = None,
    walking: Annotated[bool, typer.Option("--walking", help="PROBLEM is a model: find its walking gait.")] = False,
    running: Annotated[bool, typer.Option("--running", help="PROBLEM is a model: find its running gait.")] = False,
    speed: Annotated[float | None, typer.Option(help="Mean speed (m/s) of a gait.")] = None,
    change: Annotated[
        list[str] | None,
        typer.Option("--set", help="NAME=VALUE of a number of the model or the weight of a goal. Repeatable."),
    ] = None,
    refine: Annotated[
        float | None, typer.Option(help="Then refine the mesh until the error is below this, such as 0.02.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="The folder of data that some problems need.")] = None,
    nodes: Annotated[list[int] | None, typer.Option(help="Nodes of the mesh; repeat for finer meshes.")] = None,
    tolerance: Annotated[float | None, typer.Option(help="Tolerance at which the optimiser stops.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after this many seconds.")] = None,
    guess: Annotated[Path | None, typer.Option(help="A movement to start from (.nc, .sto, .mot, .csv).")] = None,
    resume: Annotated[Path | None, typer.Option(help="Resume from a checkpoint instead.")] = None,
    checkpoint: Annotated[Path | None, typer.Option(help="Checkpoint file, written while the solve runs.")] = None,
    audit: Annotated[bool, typer.Option(help="Replay the solution by a forward simulation.")] = True,
    out: Annotated[Path | None, typer.Option(help="Write the movement to a .nc, .sto or .csv file.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the movement to a .png, .svg or .pdf file.")] = None,
    animate: Annotated[Path | None, typer.Option(help="Animate the movement to a .html, .gif or .mp4 file.")] = None,
    as_json: Json = False,
) -> None:
    """Solve an optimal control problem; Ctrl-C stops it, keeps a checkpoint and says how to resume."""
    arguments.target(out, arguments.SERIES_ENDINGS, "--out")
    arguments.target(plot, arguments.FIGURE_ENDINGS, "--plot")
    arguments.target(animate, arguments.ANIMATION_ENDINGS, "--animate")
    if problem is None and resume is None:
        raise ArgumentError("give a problem ('myodyne problems' lists them), or --resume CHECKPOINT")
    if problem is not None and resume is not None:
        raise ArgumentError("give a problem or --resume CHECKPOINT, not both: the checkpoint holds its problem")
    if walking and running:
        raise ArgumentError("--walking and --running are two gaits; give one of them")
    if resume is not None and (walking or running or speed is not None or change):
        raise ArgumentError("--resume continues the problem unchanged; leave out --set, --speed and the gait")
    for name, value in (("--tolerance", tolerance), ("--seconds", seconds), ("--refine", refine), ("--speed", speed)):
        if value is not None and not value > 0:
            raise ArgumentError(f"{name} must be positive, not {value:g}")
    from myodyne import optimise
    from myodyne.errors import SolveError
    from myodyne.files import load

    settings = optimise.Settings(seconds=seconds) if tolerance is None else optimise.Settings(tolerance, 2000, seconds)
    failure: str | None = None
    try:
        if resume is not None:
            solution = optimise.resume(resume, settings=None if tolerance is None and seconds is None else settings)
        else:
            gait = "walking" if walking else "running" if running else None
            solution = optimise.solve(
                _asked(str(problem), data, gait, speed, arguments.numbers(change or [], "--set")),
                nodes=_meshes(nodes),
                settings=settings,
                guess=None if guess is None else load(guess),
                checkpoint=checkpoint,
                audit=audit and refine is None,
            )
        if refine is not None and solution.report.succeeded:
            solution = optimise.refine(solution, refine)
    except SolveError as error:
        if error.result is None:
            raise
        failure, solution = str(error), error.result
    files = _written(solution, out, plot, animate)
    if as_json:
        emit(_summary(solution, files))
    else:
        _show(solution, files)
    if failure is not None:
        complain(failure)
        raise typer.Exit(FAILED)
    if solution.report.status == "interrupted":
        say(solution.report.message)
        raise typer.Exit(INTERRUPTED)


def _asked(
    name: str, data: Path | None, gait: str | None, speed: float | None, values: dict[str, float]
) -> Problem | Phases:
    """Return the problem that the words of the command ask for; with a gait the name is that of a model."""
    from myodyne import optimise
    from myodyne.files import load_model

    if gait is None:
        problem = optimise.load_problem(name, data)
    else:
        problem = (optimise.walking if gait == "walking" else optimise.running)(load_model(name))
        say("Chosen:")
        for what, words in problem.choices.items():
            say(f"  {what}: {words}")
    if speed is None and not values:
        return problem
    if isinstance(problem, optimise.Phases):
        raise ArgumentError(f"'{name}' has several phases: change them in Python; --set and --speed need one")
    goals = {goal.name for goal in problem.goals}
    problem = problem.with_weights(**{name: value for name, value in values.items() if name in goals})
    numbers = {name: value for name, value in values.items() if name not in goals}
    problem = problem.with_values(numbers) if numbers else problem
    return problem if speed is None else problem.with_speed(speed)


def _meshes(nodes: list[int] | None) -> int | list[int] | None:
    return nodes[0] if nodes is not None and len(nodes) == 1 else nodes or None


def _written(solution: Result, out: Path | None, figure: Path | None, film: Path | None) -> dict[str, str]:
    files = {}
    if out is not None:
        from myodyne.files import save

        save(solution, out)
        files["data"] = str(out)
    if figure is not None:
        from myodyne.plot import plot as draw

        draw(solution, None, path=figure)
        files["figure"] = str(figure)
    if film is not None:
        from myodyne.plot import animate

        animate(solution, film)
        files["animation"] = str(film)
    return files


def _summary(solution: Solution, files: dict[str, str]) -> dict[str, Any]:
    report, optimum = solution.report, solution.report.optimum
    assert optimum is not None
    return {
        "problem": solution.problem.name,
        "status": report.status,
        "message": report.message,
        "objective": optimum.objective,
        "parts": dict(optimum.parts),
        "iterations": optimum.iterations,
        "cpu_seconds": optimum.cpu_seconds,
        "wall_seconds": report.wall_seconds,
        "largest_violation": optimum.largest_violation,
        "duration": optimum.duration,
        "parameters": dict(optimum.parameters),
        "optimum": optimum.to_dict(),
        "notes": list(report.notes),
        "provenance": solution.provenance.to_dict(),
        "files": files,
    }


def _show(solution: Solution, files: dict[str, str]) -> None:
    report, optimum = solution.report, solution.report.optimum
    assert optimum is not None
    facts = {
        "status": f"{report.status}: {report.message}",
        "objective": f"{optimum.objective:.6g}",
        "duration": f"{optimum.duration:.6g} s",
        "largest violation": f"{optimum.largest_violation:.2g}",
        "iterations": f"{optimum.iterations} in {optimum.cpu_seconds:.3g} s of CPU time, "
        f"{report.wall_seconds:.3g} s in all",
    }
    if optimum.mesh_error is not None:
        where = f", in {optimum.mesh_worst[0].name} at {optimum.mesh_worst[0].time:.3g} s" if optimum.mesh_worst else ""
        facts["mesh error"] = f"{100 * optimum.mesh_error:.2g} % at most{where}"
    if optimum.replay is not None:
        facts["replay"] = f"deviates by {optimum.replay:.2g}; close until {optimum.replay_until:.3g} s"
    facts |= {name: f"{value:.6g}" for name, value in optimum.parameters.items()}
    facts |= {f"violated {number}": str(one) for number, one in enumerate(optimum.violations, start=1)}
    facts |= {f"note {number}": note for number, note in enumerate(report.notes, start=1)}
    show_facts(solution.problem.name, {**facts, **files})
    total = sum(abs(value) for value in optimum.parts.values()) or 1.0
    rows = [(name, f"{value:.6g}", f"{100 * abs(value) / total:.1f} %") for name, value in optimum.parts.items()]
    show_table("Goals", ("goal", ">part of the objective", ">share"), rows)
    if optimum.at_bounds:
        held = [(name, f"{100 * share:.0f} %") for name, share in optimum.at_bounds.items()]
        show_table("At their bounds", ("name", ">of the time"), held)
