"""What can go wrong, in words that say what, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class MyodyneError(Exception):
    """Base of every error that myodyne raises on purpose."""


class ModelError(MyodyneError, ValueError):
    """A model that cannot exist: a negative mass, an unknown name, a cycle.

    ``problems`` holds one ``(place, message)`` pair for each fault, the place as a tuple of keys from the
    top of the model, so that a file reader can name the line.
    """

    def __init__(self, message: str, problems: Iterable[tuple[tuple[Any, ...], str]] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.problems)


class FileError(MyodyneError, ValueError):
    """A file that cannot be read or written; the message names file, line and field."""


class SolveError(MyodyneError, RuntimeError):
    """A system of equations without a solution, or an optimisation that found none."""


class SimulationError(MyodyneError, RuntimeError):
    """A simulation that could not go on; ``result`` holds everything up to the last good state."""

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


def listed(names: Iterable[str], most: int = 12) -> str:
    """Return names as readable text, cut after ``most``."""
    names = list(names)
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def unknown_name(kind: str, name: str, valid: Iterable[str]) -> str:
    """Return the message for a name that does not exist, with the nearest valid ones.

    Examples
    --------
    >>> unknown_name("coordinate", "kneee", ["hip", "knee"])
    "unknown coordinate 'kneee': did you mean 'knee'?"
    """
    # difflib costs 5 ms to import and is wanted only when something is wrong.
    from difflib import get_close_matches

    valid = list(valid)
    # Comparing takes a time that grows with the square of the length: of many names only the likeliest are looked
    # at, and of long ones only the beginning.
    name = str(name)
    likely = sorted(valid, key=lambda other: (other[:2] != name[:2], abs(len(other) - len(name))))[:100]
    beginnings = {other[:40]: other for other in reversed(likely)}
    close = [beginnings[match] for match in get_close_matches(name[:40], beginnings, n=3, cutoff=0.6)]
    if close:
        return f"unknown {kind} '{name}': did you mean {' or '.join(map(repr, close))}?"
    if not valid:
        return f"unknown {kind} '{name}': there is none here"
    return f"unknown {kind} '{name}': there are {listed(valid)}"
