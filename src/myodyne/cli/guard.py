"""Errors become one message on stderr and an exit code that means something."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import typer

from myodyne.cli.speech import complain, say
from myodyne.errors import MyodyneError

FAILED, USAGE, INTERRUPTED = 1, 2, 130


class ArgumentError(MyodyneError, ValueError):
    """A word of the command line that cannot be understood; the message names the option and what it takes."""


@contextmanager
def guarded(*, show_traceback: bool = False) -> Iterator[None]:
    """Turn the errors that a command may meet into a message and an exit code."""
    try:
        yield
        # Here, not when the process ends: a closed pipe is not an error.
        sys.stdout.flush()
    except BrokenPipeError:
        _stop_writing()
        raise typer.Exit(FAILED) from None
    except KeyboardInterrupt:
        say("Interrupted.")
        raise typer.Exit(INTERRUPTED) from None
    except (MyodyneError, OSError) as error:
        if show_traceback:
            traceback.print_exc()
        complain(_message(error))
        raise typer.Exit(code_of(error)) from None


def code_of(error: Exception) -> int:
    """Return 2 for what the user gave (models, files, names), 1 for a computation that came to nothing."""
    return USAGE if isinstance(error, ValueError | OSError) else FAILED


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _stop_writing() -> None:
    """Send the rest of stdout nowhere, so that Python does not complain when it leaves."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
