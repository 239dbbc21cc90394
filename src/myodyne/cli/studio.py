"""``myodyne studio``: reshape a movement in the browser."""

from __future__ import annotations

import hashlib
import socket
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from myodyne.cli.guard import ArgumentError
from myodyne.cli.speech import Json, emit_line, say


def studio(
    what: Annotated[
        str,
        typer.Argument(
            metavar="[MODEL|RESULT|MOVEMENT]",
            help="A movement (jump, walk ...), a model, or a saved result (.nc, .sto).",
        ),
    ] = "jump",
    port: Annotated[int, typer.Option("--port", help="The port to listen on; by default a free one.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Whether to open the page.")] = True,
    new: Annotated[bool, typer.Option("--new", help="Start afresh instead of where you left off.")] = False,
    as_json: Json = False,
) -> None:
    """Open the studio: drag a curve, a start or a muscle's strength, and watch the movement change."""
    from myodyne.native.cache import cache_folder
    from myodyne.studio.desk import recovered
    from myodyne.studio.server import Studio, serve
    from myodyne.studio.session import opened
    from myodyne.view.assets import asset

    asset("studio.js")
    chosen = _free_port(port)
    file = cache_folder() / "studio" / f"{Path(what).stem}-{_key(what)}.json"
    before = None if new else recovered(file)
    application = Studio(before or opened(what), chosen, file)
    url = f"http://127.0.0.1:{chosen}/#{application.token}"

    def ready() -> None:
        if as_json:
            emit_line({"url": url, "token": application.token})
        else:
            kept = " where you left it (--new starts afresh)" if before is not None else ""
            say(f"The studio shows '{what}'{kept} at {url}\nCtrl-C ends it; every change is saved.")
        if browser:
            webbrowser.open(url)

    serve(application, chosen, ready)


def _key(what: str) -> str:
    place = str(Path(what).resolve()) if Path(what).suffix else what
    return hashlib.sha256(place.encode()).hexdigest()[:12]


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
