"""Simulates sessions one after the other beside everything else; the latest wins."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from myodyne.data import Result, Trajectory
from myodyne.errors import MyodyneError, SimulationError
from myodyne.simulate.repeating import run_recipe
from myodyne.studio.session import Session

# A simulation that takes longer (s) is stopped; what was computed is shown.
MOST_SECONDS = 20.0


@dataclass(frozen=True, eq=False)
class Played:
    """The outcome of a simulation: its run, as far as it went, and why it stopped if it failed."""

    session: Session
    run: Result | None
    failure: str = ""


class Player:
    """One worker; a session that arrives while another runs stops it and takes its place.

    Examples
    --------
    >>> from myodyne.studio.session import opened
    >>> done = []
    >>> player = Player(done.append)
    >>> player.play(opened("jump"))
    >>> player.wait()
    >>> done[-1].run.report.status
    'completed'
    >>> player.close()
    """

    def __init__(self, answer: Callable[[Played], None]) -> None:
        self._answer = answer
        self._change = threading.Condition()
        self._waiting: Session | None = None
        self._busy, self._closed = False, False
        self._thread = threading.Thread(target=self._work, name="studio player", daemon=True)
        self._thread.start()

    def play(self, session: Session) -> None:
        """Simulate a session as soon as possible; one that waits is dropped."""
        with self._change:
            self._waiting = session
            self._change.notify_all()

    def wait(self, seconds: float = 60.0) -> None:
        """Wait until nothing is simulated or waits."""
        with self._change:
            self._change.wait_for(lambda: not self._busy and self._waiting is None, seconds)

    def close(self) -> None:
        """Stop the worker."""
        with self._change:
            self._closed = True
            self._change.notify_all()
        # A compiler that is at work ends with the process.
        self._thread.join(timeout=2.0)

    def _work(self) -> None:
        while True:
            with self._change:
                self._busy = False
                self._change.notify_all()
                self._change.wait_for(lambda: self._closed or self._waiting is not None)
                if self._closed:
                    return
                session, self._waiting = self._waiting, None
                self._busy = True
            assert session is not None
            played = self._played(session)
            # A result that is out of date would make the picture jump back.
            if self._waiting is None or played.failure:
                self._answer(played)

    def _played(self, session: Session) -> Played:
        until = time.monotonic() + MOST_SECONDS

        def watch(_: Trajectory) -> bool:
            return self._waiting is None and not self._closed and time.monotonic() < until

        try:
            run = run_recipe(session.changed_model, session.recipe, session.feedback, watch=watch)
        except SimulationError as error:
            return Played(session, error.result, str(error))
        except MyodyneError as error:
            return Played(session, None, str(error))
        if run.report.status == "interrupted" and time.monotonic() >= until:
            return Played(session, run, f"stopped after {MOST_SECONDS:g} s: shorten the duration")
        return Played(session, run)
