"""Saves a session beside the simulation: the latest change, soon, and never at the cost of the picture."""

from __future__ import annotations

import threading
from collections.abc import Callable

# So long (s) a simulation goes first: both take turns in one interpreter.
_HEAD_START = 0.1


class Keeper:
    """One thread that calls `write` after a change; changes that come meanwhile are written together.

    Parameters
    ----------
    write
        Writes the latest state.
    rest
        Waits until the simulation is done, or so many seconds.

    Examples
    --------
    >>> written = []
    >>> keeper = Keeper(lambda: written.append("saved"), lambda seconds: None)
    >>> keeper.keep()
    >>> keeper.close()
    >>> written
    ['saved']
    """

    def __init__(self, write: Callable[[], None], rest: Callable[[float], None]) -> None:
        self._write, self._rest = write, rest
        self._change = threading.Condition()
        self._asked = self._busy = self._closed = False
        self._thread = threading.Thread(target=self._work, name="studio keeper", daemon=True)
        self._thread.start()

    def keep(self) -> None:
        """Write soon what is present then."""
        with self._change:
            self._asked = True
            self._change.notify_all()

    def wait(self, seconds: float = 60.0) -> None:
        """Wait until everything is written."""
        with self._change:
            self._change.wait_for(lambda: not self._busy and not self._asked, seconds)

    def close(self) -> None:
        """Write what is left, and end."""
        with self._change:
            self._closed = True
            self._change.notify_all()
        self._thread.join(timeout=5.0)

    def _work(self) -> None:
        while True:
            with self._change:
                self._busy = False
                self._change.notify_all()
                self._change.wait_for(lambda: self._closed or self._asked)
                if not self._asked:
                    return
                self._busy = True
                waits = not self._closed
            if waits:
                self._rest(_HEAD_START)
            with self._change:
                self._asked = False
            self._write()
