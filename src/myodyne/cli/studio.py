"""``myodyne studio``: reshape a movement in the browser."""

from __future__ import annotations

import socket
import webbrowser
from typing import Annotated

import typer

from myodyne.cli.guard import ArgumentError
from myodyne.cli.speech import Json, emit_line, say


def studio(  # noqa: PLR0913, PLR0917 - each is an option of the command
    what: Annotated[
        str,
        typer.Argument(
            metavar="[MODEL|RESULT|MOVEMENT|PROBLEM]",
            help="A movement (jump, walk ...), a model, a saved result (.nc, .sto), or a problem ('myodyne problems').",
        ),
    ] = "jump",
    port: Annotated[int, typer.Option("--port", help="The port to listen on; by default a free one.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Whether to open the page.")] = True,
    new: Annotated[bool, typer.Option("--new", help="Start over instead of where you left off.")] = False,
    curves: Annotated[
        bool, typer.Option("--curves", help="Open a saved solution for its curves, not for its problem.")
    ] = False,
    reference: Annotated[
        str | None, typer.Option("--reference", metavar="MOTION", help="A recorded motion to show and compare with.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Open the studio: drag a curve, a start, a speed or a weight, and watch the movement change."""
    from myodyne.studio.desk import recovered
    from myodyne.studio.library import Library, Opened, forget, sessions_folder
    from myodyne.studio.reference import opened_reference
    from myodyne.studio.server import Studio, serve
    from myodyne.studio.session import Session, opened
    from myodyne.studio.tasks.task import is_task, opened_task
    from myodyne.view.assets import asset

    asset("studio.js")
    chosen = _free_port(port)
    file = Library(sessions_folder()).file_of(what)
    assert file is not None
    if new:
        forget(file)
    known = file.is_file()
    found: Opened = opened_task(what) if not curves and is_task(what) else recovered(file) or opened(what)
    model = found.model if isinstance(found, Session) else found[0].problem.model
    ghost = None if reference is None else opened_reference(reference, model)
    application = Studio(found, chosen, file, ghost)
    url = f"http://127.0.0.1:{chosen}/#{application.token}"

    def ready() -> None:
        if as_json:
            emit_line({"url": url, "token": application.token})
        else:
            kept = " where you left it (--new starts over)" if known else ""
            say(f"The studio shows '{what}'{kept} at {url}\nCtrl-C ends it; every change is saved.")
        if browser:
            webbrowser.open(url)

    serve(application, chosen, ready)


def _free_port(port: int) -> int:
    """Return the port, or a free one for 0; one that is taken is an error."""
    if not 0 <= port < 65536:
        raise ArgumentError(f"--port lies between 0 and 65535, not at {port}")
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        try:
            trial.bind(("127.0.0.1", port))
        except OSError:
            raise ArgumentError(f"--port {port} is taken; leave it out to get a free one") from None
        found: int = trial.getsockname()[1]
    return found
