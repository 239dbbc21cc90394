"""Simulates sessions one after the other beside everything else; the latest wins."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from myodyne.data import Recipe, Result, Trajectory
from myodyne.errors import MyodyneError, SimulationError
from myodyne.native.compiler import find_compiler
from myodyne.simulate import simulate
from myodyne.simulate.repeating import crossings, run_recipe
from myodyne.studio.session import Session

# A simulation that takes longer (s) is stopped; what was computed is shown. Without a compiler it may take longer.
MOST_SECONDS, MOST_SECONDS_INTERPRETED = 20.0, 60.0
# Runs up to an interruption that are kept.
_SNAPSHOTS = 4


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
        # Runs of parts before an interruption: an edit after it begins from there.
        self._snapshots: list[tuple[Session, Result]] = []
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
        compiled = find_compiler() is not None
        seconds = MOST_SECONDS if compiled else MOST_SECONDS_INTERPRETED
        until = time.monotonic() + seconds

        def watch(_: Trajectory) -> bool:
            return self._waiting is None and not self._closed and time.monotonic() < until

        try:
            run = self._run(session, watch)
        except SimulationError as error:
            return Played(session, error.result, str(error))
        except MyodyneError as error:
            return Played(session, None, str(error))
        if run.report.status == "interrupted" and time.monotonic() >= until:
            faster = "" if compiled else ', or install a C compiler: pip install "myodyne[compiler]"'
            return Played(session, run, f"stopped after {seconds:g} s: shorten the duration{faster}")
        return Played(session, run)

    def _run(self, session: Session, watch: Callable[[Trajectory], bool]) -> Result:
        """Return the run of a session, all its parts one after the other."""
        before: Result | None = None
        for number in range(len(session.earlier)):
            before = self._part(session, number, before, watch)
            # An event may end the movement before it is interrupted.
            if before.report.status != "completed" or before.time[-1] < session.recipe.from_time - 1e-9:
                return before
        last = run_part(session, session.recipe, before, watch)
        return last if before is None else joined(before, last)

    def _part(
        self, session: Session, number: int, before: Result | None, watch: Callable[[Trajectory], bool]
    ) -> Result:
        wanted = replace(session, recipe=session.earlier[number], earlier=session.earlier[:number])
        for known, run in self._snapshots:
            if known == wanted:
                return run
        last = run_part(session, wanted.recipe, before, watch)
        run = last if before is None else joined(before, last)
        if run.report.status == "completed":
            self._snapshots = [*self._snapshots[1 - _SNAPSHOTS :], (wanted, run)]
        return run


def run_part(session: Session, recipe: Recipe, before: Result | None, watch: Callable[[Trajectory], bool]) -> Result:
    """Return the simulation of one part of a session, from the end of the run before it if there is one."""
    model, law = session.changed_model, session.feedback
    if before is None:
        return run_recipe(model, recipe, law, watch=watch)
    return simulate(
        model,
        recipe.duration,
        start=before,
        controls=recipe.controls,
        scheme=recipe.scheme,
        every=recipe.every,
        until=crossings(recipe) or None,
        feedback=law,
        external_forces=recipe.external_forces,
        watch=watch,
        progress=False,
    )


def joined(before: Result, after: Result) -> Result:
    """Return two runs as one; the row in which they meet is kept once, and the report is that of the second."""
    names = [name for name in before.names if name in after]
    columns = {name: np.concatenate([before.values(name)[:-1], after.values(name)]) for name in names}
    times = np.concatenate([before.time[:-1], after.time])
    whole = Trajectory(times, columns, {name: after.units[name] for name in names})
    facts = (after.report, after.provenance, after.model_data, after.recipe)
    # The next part goes on with all that the scheme remembers.
    return Result(whole, *facts, continuation=after.continuation)
