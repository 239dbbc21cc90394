"""What Ctrl-C does while C code runs, or while something is written that must not be left half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeAlias

# Is given what Ctrl-C would have done, which usually raises KeyboardInterrupt.
Reaction: TypeAlias = Callable[[Callable[[], object]], None]


@contextmanager
def reacting(react: Reaction) -> Iterator[None]:
    """Let Ctrl-C call ``react`` inside the block, with a function that does what Ctrl-C did before.

    Other threads than the main one, and programs without a handler of their own, never see Ctrl-C and are left alone.

    Examples
    --------
    >>> with reacting(lambda usual: usual()):
    ...     pass
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    usual = before

    def hear(number: int, frame: FrameType | None) -> None:
        react(lambda: usual(number, frame))

    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def finishing() -> Iterator[None]:
    """Let the block end before Ctrl-C takes effect: what took hours to compute is not lost while it is written.

    A second Ctrl-C takes effect at once.

    Examples
    --------
    >>> with finishing():
    ...     pass
    """
    held: list[Callable[[], object]] = []

    def hold(interrupt: Callable[[], object]) -> None:
        if held:
            interrupt()
        held.append(interrupt)

    with reacting(hold):
        yield
    if held:
        held[0]()
