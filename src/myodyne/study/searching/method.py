"""What a method of search is: a generator that proposes batches of points and receives their values."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from queue import SimpleQueue
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from myodyne.types import Floats

# Yields points (m, width) of the unit cube, receives their values (m, objectives), of which less is better.
Proposals: TypeAlias = Generator[Floats, Floats, None]


@runtime_checkable
class Method(Protocol):
    """How a search chooses its points; the same seed and the same values give the same points."""

    @property
    def several_objectives(self) -> bool:
        """Whether it can seek a front of several objectives."""
        ...

    def proposals(self, start: Floats, objectives: int) -> Proposals:
        """Return the batches of a search that begins near a point of the unit cube."""
        ...


class _Ended(BaseException):
    """Ends a thread whose search is over."""


def conversation(run: Callable[[Callable[[Floats], Floats]], object]) -> Proposals:
    """Turn an algorithm that calls a function into one that yields points and receives values.

    The algorithm runs in a thread of its own; one of the two always waits for the other.

    Examples
    --------
    >>> talk = conversation(lambda value_of: value_of(np.array([[0.25]])))
    >>> next(talk)
    array([[0.25]])
    """
    questions: SimpleQueue[Floats | BaseException | None] = SimpleQueue()
    answers: SimpleQueue[Floats | None] = SimpleQueue()

    def ask(points: Floats) -> Floats:
        questions.put(np.array(points, dtype=float))
        answer = answers.get()
        if answer is None:
            raise _Ended
        return answer

    def whole() -> None:
        try:
            run(ask)
            questions.put(None)
        except _Ended:
            pass
        except BaseException as error:
            questions.put(error)

    thread = threading.Thread(target=whole, name="myodyne search", daemon=True)
    thread.start()
    try:
        while (question := questions.get()) is not None:
            if isinstance(question, BaseException):
                raise question
            answers.put((yield question))
    finally:
        answers.put(None)
        thread.join()


def side_by_side(searches: Sequence[Proposals]) -> Proposals:
    """Yield the points of several searches together; those that end leave the others alone."""
    waiting = {number: next(one, None) for number, one in enumerate(searches)}
    waiting = {number: points for number, points in waiting.items() if points is not None}
    try:
        while waiting:
            values = yield np.vstack([points for points in waiting.values() if points is not None])
            ends = np.cumsum([len(points) for points in waiting.values() if points is not None])
            parts = np.split(values, ends[:-1])
            waiting = {n: _sent(searches[n], part) for n, part in zip(list(waiting), parts, strict=True)}
            waiting = {number: points for number, points in waiting.items() if points is not None}
    finally:
        for one in searches:
            one.close()


def _sent(search: Proposals, values: Floats) -> Floats | None:
    try:
        return search.send(values)
    except StopIteration:
        return None
