"""Progress of work that takes longer than a second, on a terminal or in a notebook.

>>> with task("Fitting 3 paths", total=3, unit="paths") as fitting:
...     for _ in range(3):
...         fitting.advance()

A line shows the innermost task that has run for a second, and disappears when it ends. Nothing is shown where nobody
watches: neither a terminal nor a notebook, or a worker process. The environment variable ``MYODYNE_PROGRESS`` overrides
that: 0 shows nothing at all, 1 shows progress on stderr even if it is not a terminal.
"""

from __future__ import annotations

import contextlib
import contextvars
import os
import sys
import threading
import time
from html import escape
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress

# Work shorter than this (s) shows nothing.
_DELAY = 1.0
# Time (s) between two updates of the line.
_INTERVAL = 0.2
# An estimated duration may be too short: the bar stops here.
_NEARLY = 0.98


def task(
    title: str, *, total: float | None = None, unit: str = "", seconds: float | None = None, show: bool | None = None
) -> Task:
    """Return a task, to be used in a ``with`` statement.

    Parameters
    ----------
    title
        What is being done, such as ``"Simulating 'jumper'"``.
    total, unit
        The amount of work, if it is known: 40 ``"rows"``, 1.5 ``"s"``.
    seconds
        About how long it will take, for work that reports nothing while it runs.
    show
        Whether to show it, and the tasks inside it. None shows it in a terminal or a notebook.
    """
    return Task(title, total, unit, seconds, show)


class Task:
    """Work in progress; its methods only set numbers, so they may be called often and from any thread."""

    def __init__(self, title: str, total: float | None, unit: str, seconds: float | None, show: bool | None) -> None:
        self.title, self.total, self.unit, self.seconds, self.show = title, total, unit, seconds, show
        self.done, self.note = 0.0, ""
        self.left: float | None = None
        self.visible = False
        self.parent: Task | None = None
        self.thread = 0
        self.context: contextvars.Context | None = None
        self._started = 0.0
        # Time (s) in tasks inside this one that were shown in its place, such as compiling once.
        self._elsewhere = 0.0

    def advance(self, amount: float = 1.0) -> None:
        """Add to the work done."""
        self.done += amount

    def update(self, done: float | None = None, *, note: str | None = None, left: float | None = None) -> None:
        """Set the work done, a note on how it goes, and the time left (s), where the caller knows better."""
        if done is not None:
            self.done = done
        if note is not None:
            self.note = note
        self.left = left

    @property
    def watched(self) -> bool:
        """Whether the line is due: a note that takes time to prepare is of no use before."""
        return self.visible and self.age >= _DELAY

    @property
    def age(self) -> float:
        """Time since the beginning (s)."""
        return time.monotonic() - self._started

    @property
    def fraction(self) -> float | None:
        """The part of the work that is done, if it can be known."""
        if self.seconds:
            return min(self.age / self.seconds, _NEARLY)
        if self.left is not None:
            own = self._own
            return own / (own + self.left) if own + self.left > 0 else None
        return min(self.done / self.total, 1.0) if self.total else None

    @property
    def remaining(self) -> float | None:
        """The time left (s), if it can be known."""
        if self.seconds:
            left = self.seconds - self.age
            return left if left > 0 else None
        if self.left is not None:
            return self.left
        if not self.total or self.done <= 0:
            return None
        return self._own * max(self.total - self.done, 0.0) / self.done

    @property
    def _own(self) -> float:
        return self.age - self._elsewhere

    @property
    def details(self) -> str:
        """The amount done, the note and the time left."""
        parts = [f"{min(self.done, self.total):.3g} of {self.total:g} {self.unit}".rstrip()] if self.total else []
        parts += [self.note] if self.note else []
        remaining = self.remaining
        parts.append(f"{_duration(self.age)} so far" if remaining is None else f"about {_duration(remaining)} left")
        return ", ".join(parts)

    def __enter__(self) -> Task:
        self._started = time.monotonic()
        _board.enter(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.visible and self.parent is not None:
            self.parent._elsewhere += self.age
        _board.leave(self)


def _duration(seconds: float) -> str:
    """Return a duration in words.

    Examples
    --------
    >>> _duration(7.6), _duration(200.0), _duration(7300.0)
    ('8 s', '3 min 20 s', '2 h 1 min')
    """
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if minutes else f"{rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


class _Handle(Protocol):
    """What IPython gives for a display that can be changed later."""

    def update(self, data: dict[str, str], *, raw: bool) -> None: ...


class _Line(Protocol):
    """Where progress is shown."""

    def show(self, task: Task) -> None: ...

    def close(self) -> None: ...


class _Terminal:
    """One line at the bottom of the terminal; what is printed meanwhile appears above it."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        console = Console(stderr=True, force_terminal=None if _is_terminal(sys.stderr) else True)
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[details]}", markup=False),
        )
        # Streams that lead to a file must keep leading there.
        self._progress: Progress = Progress(
            *columns,
            console=console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=_is_terminal(sys.stdout),
            redirect_stderr=_is_terminal(sys.stderr),
        )
        self._id = self._progress.add_task("", total=None, details="")
        self._started = False

    def show(self, task: Task) -> None:
        fraction = task.fraction
        self._progress.update(
            self._id,
            description=task.title,
            total=None if fraction is None else 1.0,
            completed=fraction or 0.0,
            details=task.details,
            refresh=self._started,
        )
        if not self._started:
            self._progress.start()
            self._started = True

    def close(self) -> None:
        self._progress.stop()


class _Notebook:
    """One line below the cell, emptied at the end."""

    def __init__(self) -> None:
        self._handle: _Handle | None = None
        self._context: contextvars.Context | None = None

    def show(self, task: Task) -> None:
        # The context of the cell that runs: without it the kernel would not know below which one to show the line.
        self._context = self._context or task.context or contextvars.copy_context()
        fraction = task.fraction
        bar = "<progress style='width: 12em'></progress>"
        if fraction is not None:
            bar = f"<progress style='width: 12em' max='1' value='{fraction:.3f}'></progress>"
        self._context.run(
            self._put, f"{task.title}: {task.details}", f"{escape(task.title)} {bar} {escape(task.details)}"
        )

    def _put(self, text: str, html: str) -> None:
        from IPython.display import display

        data = {"text/plain": text, "text/html": html}
        if self._handle is None:
            self._handle = display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)

    def close(self) -> None:
        if self._handle is not None and self._context is not None:
            self._context.run(self._put, "", "")


class _Board:
    """All tasks under way, and the thread that shows the innermost of them."""

    _lock: threading.Lock
    _busy: threading.Event
    _tasks: list[Task]
    _line: _Line | None
    _ticker: threading.Thread | None

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everything: a forked process has neither the thread nor the tasks of its parent."""
        self._lock, self._busy = threading.Lock(), threading.Event()
        self._tasks, self._line, self._ticker = [], None, None

    def enter(self, task: Task) -> None:
        task.thread = threading.get_ident()
        with self._lock:
            task.parent = next((other for other in reversed(self._tasks) if other.thread == task.thread), None)
            if task.show is None and task.parent is not None and task.parent.show is False:
                task.show = False
            task.visible = _visible(task.show)
            self._tasks.append(task)
            if not task.visible:
                return
            task.context = contextvars.copy_context()
            if self._ticker is None:
                self._ticker = threading.Thread(target=self._tick, name="myodyne progress", daemon=True)
                self._ticker.start()
        self._busy.set()

    def leave(self, task: Task) -> None:
        # First of all: if Ctrl-C arrives in the next line, the ticker still finds that the task has ended.
        task.visible = False
        with self._lock:
            with contextlib.suppress(ValueError):
                self._tasks.remove(task)
            if self._line is not None and not any(other.watched for other in self._tasks):
                self._clear()

    def _tick(self) -> None:
        while True:
            self._busy.wait()
            time.sleep(_INTERVAL)
            with self._lock:
                shown = next((task for task in reversed(self._tasks) if task.watched), None)
                if shown is not None:
                    self._show(shown)
                elif not any(task.visible for task in self._tasks):
                    self._clear()
                    self._busy.clear()

    def _show(self, task: Task) -> None:
        try:
            if self._line is None:
                self._line = _Notebook() if _in_notebook() else _Terminal()
            self._line.show(task)
        except Exception:
            # A terminal or a kernel that is gone must not end the work.
            for other in self._tasks:
                other.visible = False
            self._line = None

    def _clear(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            with contextlib.suppress(Exception):
                line.close()


def _visible(show: bool | None) -> bool:
    setting = os.environ.get("MYODYNE_PROGRESS", "")
    if show is False or setting == "0":
        return False
    if show or setting == "1":
        return True
    workers = sys.modules.get("multiprocessing.process")
    if workers is not None and workers.parent_process() is not None:
        return False
    return _in_notebook() or _is_terminal(sys.stderr)


def _is_terminal(stream: TextIO | None) -> bool:
    # Without a console there is no stream, and one that was closed does not answer.
    with contextlib.suppress(ValueError):
        return stream is not None and stream.isatty()
    return False


def _in_notebook() -> bool:
    """Return whether a Jupyter kernel runs this; its shell answers to `get_ipython`."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    return any(kind.__name__ == "ZMQInteractiveShell" for kind in type(shell).__mro__)


_board = _Board()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_board.reset)
