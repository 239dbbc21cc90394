"""Shows that something takes time, and about how much is left."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any


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


@contextlib.contextmanager
def counting(message: str, total: int) -> Iterator[Callable[[], None]]:
    """Show how much of a number of steps is done, from two seconds on and where somebody watches."""
    started = time.monotonic()
    bar: Any = None
    done = 0

    def advance() -> None:
        nonlocal bar, done
        done += 1
        if not sys.stderr.isatty() or time.monotonic() - started < 2.0:
            return
        if bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
            bar = Progress(*columns, console=Console(stderr=True), transient=True)
            bar.start()
            bar.add_task(message, total=total)
        bar.update(bar.task_ids[0], completed=min(done, total))

    try:
        yield advance
    finally:
        if bar is not None:
            bar.stop()
