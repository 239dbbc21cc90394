"""How long the code at hand takes, whatever else the process holds and does."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def within_seconds(most: float) -> Iterator[None]:
    """Let what is done inside take no more than so many seconds of its own thread's processor time.

    What earlier tests have left is kept from the garbage collector meanwhile, which would walk through all of it.
    """
    gc.freeze()
    started = time.thread_time()
    try:
        yield
        spent = time.thread_time() - started
    finally:
        gc.unfreeze()
    assert spent < most
