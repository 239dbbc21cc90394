"""Shows that something takes time, and about how much is left."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator


@contextlib.contextmanager
def waiting(message: str, seconds: float) -> Iterator[None]:
    """Show a bar with the time left while work of about ``seconds`` goes on; nothing for short work or no terminal."""
    if seconds < 2.0 or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(message, total=seconds)
        done = threading.Event()

        def tick() -> None:
            started = time.monotonic()
            while not done.wait(0.2):
                # Never quite full: the estimate may be short.
                progress.update(task, completed=min(time.monotonic() - started, 0.98 * seconds))

        ticker = threading.Thread(target=tick, daemon=True)
        ticker.start()
        try:
            yield
        finally:
            done.set()
            ticker.join()
