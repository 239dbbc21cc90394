"""A bar with the time left for simulations that take longer than a second."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any


class Progress:
    """Shows how far a simulation has come; silent where nobody watches or it is over soon."""

    def __init__(self, title: str, total: float, show: bool | None) -> None:
        self._title, self._total = title, total
        self._show = sys.stderr.isatty() if show is None else show
        self._started = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        return self

    def reached(self, moment: float) -> None:
        """Tell the bar the simulated time (s)."""
        if not self._show or time.monotonic() - self._started < 1.0:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress as Bar, TextColumn, TimeRemainingColumn

            count = TextColumn("{task.completed:.3g} of {task.total:g} s")
            columns = (TextColumn("{task.description}"), BarColumn(), count, TimeRemainingColumn())
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self._title, total=self._total)
        self._bar.update(self._task, completed=moment)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
