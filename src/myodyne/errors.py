"""What can go wrong, in words that say what, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class MyodyneError(Exception):
    """Base of every error that myodyne raises on purpose.

    Examples
    --------
    >>> import myodyne as my
    >>> try:
    ...     my.load_model("no_such_model")
    ... except my.MyodyneError as error:
    ...     print(type(error).__name__)
    FileError
    """


class AlgebraError(MyodyneError, ImportError):
    """CasADi and opensim, which brings another version of it, cannot both be loaded in one process.

    Examples
    --------
    >>> issubclass(AlgebraError, ImportError)
    True
    """


class ModelError(MyodyneError, ValueError):
    """A model that cannot exist: a negative mass, an unknown name, a cycle.

    ``problems`` holds one ``(place, message)`` pair for each fault, the place as a tuple of keys from the
    top of the model, so that a file reader can name the line.

    Examples
    --------
    >>> import myodyne as my
    >>> try:
    ...     my.Body(mass=-1.0)
    ... except my.ModelError as error:
    ...     print(error.problems[0][0])
    ('mass',)
    """

    def __init__(self, message: str, problems: Iterable[tuple[tuple[str | int, ...], str]] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.problems)


class FileError(MyodyneError, ValueError):
    """A file that cannot be read or written; the message names file, line and field.

    Examples
    --------
    >>> import myodyne as my
    >>> my.load("swing.txt")
    Traceback (most recent call last):
    myodyne.errors.FileError: swing.txt: time series are kept in .nc, .sto, .csv, .mot, .trc files, not in '.txt'
    """


class SolveError(MyodyneError, RuntimeError):
    """A system of equations without a solution, or an optimisation that found none.

    Examples
    --------
    A rod of 1 m whose end should stay 1 m away from a point 4 m below its pin:

    >>> import myodyne as my
    >>> end, far = my.Marker(body="rod", at=(0, -1, 0)), my.Marker(body="ground", at=(0, -4, 0))
    >>> rope = my.DistanceConstraint(first=end, second=far, distance=1.0)
    >>> try:
    ...     my.simulate(my.load_model("pendulum").with_parts(constraints={"rope": rope}), duration=1.0)
    ... except my.SolveError as error:
    ...     print(str(error)[:24])
    'pendulum' cannot start:

    ``result`` holds where an optimisation stopped, None where there is nothing to look at.
    """

    def __init__(self, message: str, result: Any = None) -> None:  # noqa: ANN401 - results live in layers above
        super().__init__(message)
        self.result = result


class SimulationError(MyodyneError, RuntimeError):
    """A simulation that could not continue; ``result`` holds everything up to the last good state.

    Examples
    --------
    A spring of 1e9 N m/rad is too stiff for explicit steps of 0.1 s; what was good is kept:

    >>> import myodyne as my
    >>> spring = my.TorsionSpring(coordinate="angle", stiffness=1e9, rest=1.0)
    >>> stiff = my.load_model("pendulum").with_parts(forces={"spring": spring})
    >>> try:
    ...     my.simulate(stiff, duration=10.0, scheme=my.Euler(step=0.1))
    ... except my.SimulationError as error:
    ...     print(error.result.report.status)
    failed
    """

    def __init__(self, message: str, result: Any = None) -> None:  # noqa: ANN401 - results live in layers above
        super().__init__(message)
        self.result = result


def listed(names: Iterable[str], most: int = 12) -> str:
    """Return names as readable text, cut after ``most``."""
    names = list(names)
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def unknown_name(kind: str, name: str, valid: Iterable[str], advice: str = "") -> str:
    """Return the message for a name that does not exist, with the nearest valid ones, then a sentence of advice.

    Examples
    --------
    >>> unknown_name("coordinate", "kneee", ["hip", "knee"])
    "unknown coordinate 'kneee': did you mean 'knee'?"
    """
    message = _unknown(kind, name, valid)
    if not advice:
        return message
    return f"{message} {advice}" if message.endswith("?") else f"{message}. {advice}"


def _unknown(kind: str, name: str, valid: Iterable[str]) -> str:
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
        return f"unknown {kind} '{name}': {_absent(kind)}"
    choice = "the only one is" if len(valid) == 1 else "choose from"
    return f"unknown {kind} '{name}': {choice} {listed(valid)}"


_OF_A_MODEL = {"body": "bodies"} | {
    kind: f"{kind}s" for kind in ("joint", "coordinate", "muscle", "force", "surface", "constraint", "control")
}


def _absent(kind: str) -> str:
    """Return the words for a kind of which there is nothing to choose from."""
    return f"this model has no {_OF_A_MODEL[kind]}" if kind in _OF_A_MODEL else "there are none"
