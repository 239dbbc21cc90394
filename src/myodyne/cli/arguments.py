"""Parses the options of the command line: values by name, signals, schemes, events, paths."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from myodyne.cli.guard import ArgumentError
from myodyne.errors import unknown_name

if TYPE_CHECKING:
    from myodyne.numerics.schemes import OneScheme, Scheme
    from myodyne.simulate import Crossing, Signal

SERIES_ENDINGS = (".nc", ".sto", ".csv", ".mot")
MARKER_ENDINGS = (".trc",)
MODEL_ENDINGS = (".yaml", ".yml", ".osim")
FIGURE_ENDINGS = (".png", ".svg", ".pdf")
ANIMATION_ENDINGS = (".html", ".gif", ".mp4", *FIGURE_ENDINGS)

_VERBS = {"falls": "falling", "rises": "rising", "crosses": "either"}


def number(text: str, option: str) -> float:
    """Return a finite number; ``deg`` behind it turns degrees into radians.

    Examples
    --------
    >>> round(number("90deg", "--start"), 4)
    1.5708
    """
    digits = text.strip()
    factor = 1.0
    if digits.endswith("deg"):
        digits, factor = digits.removesuffix("deg"), math.pi / 180.0
    try:
        value = float(digits) * factor
    except ValueError:
        value = math.nan
    # Python reads 1_000 as a thousand; people rarely mean that.
    if not math.isfinite(value) or "_" in digits:
        raise ArgumentError(f"{option}: '{text}' is not a number (write 0.5, or 30deg for an angle in degrees)")
    return value


def assignments(texts: Sequence[str], option: str) -> dict[str, str]:
    """Return name and text of each ``NAME=VALUE``."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name or not value.strip():
            raise ArgumentError(f"{option} takes NAME=VALUE, not '{text}'; repeat the option for several names")
        if name in found:
            raise ArgumentError(f"{option}: '{name}' is given twice")
        found[name] = value.strip()
    return found


def numbers(texts: Sequence[str], option: str) -> dict[str, float]:
    """Return name and number of each ``NAME=VALUE``."""
    return {name: number(value, f"{option} {name}") for name, value in assignments(texts, option).items()}


def signals(texts: Sequence[str], option: str = "--control") -> dict[str, float | Signal]:
    """Return the control of each ``NAME=VALUE``: a number, or points ``TIME:VALUE,TIME:VALUE`` joined by lines."""
    return {name: _signal(value, f"{option} {name}") for name, value in assignments(texts, option).items()}


def _signal(text: str, option: str) -> float | Signal:
    if ":" not in text:
        return number(text, option)
    from myodyne.simulate import piecewise_linear

    pairs = [point.split(":") for point in text.split(",")]
    if any(len(pair) != 2 for pair in pairs):
        raise ArgumentError(f"{option}: points are written TIME:VALUE,TIME:VALUE,..., not '{text}'")
    times, values = ([number(part, option) for part in column] for column in zip(*pairs, strict=True))
    return piecewise_linear(times, values)


def scheme_of(text: str) -> Scheme:
    """Return the scheme that a text like ``rk4:0.001``, ``dop853`` or ``trbdf2:relative=1e-8`` names.

    A bare number is the step (s) of schemes that have one, and the tolerance of the others.

    Examples
    --------
    >>> scheme_of("rk4:0.001")
    RK4(step=0.001)
    """
    from myodyne.numerics.schemes import OneScheme, Projected

    name, _, rest = text.partition(":")
    kinds = {kind.__name__.lower(): kind for kind in get_args(OneScheme)}
    if name.lower() == "projected":
        inner = scheme_of(rest or "dop853")
        if isinstance(inner, Projected):
            raise ArgumentError("--scheme: 'projected' is given once, before another scheme")
        return Projected(inner)
    if name.lower() not in kinds:
        raise ArgumentError("--scheme: " + unknown_name("scheme", name, [*kinds, "projected"]))
    kind: Any = kinds[name.lower()]
    settings = _settings(rest, kind)
    for field in dataclasses.fields(kind):
        if field.name not in settings and field.default is dataclasses.MISSING:
            raise ArgumentError(f"--scheme {name}: the {field.name} is missing; write {name}:0.001")
    scheme: Scheme = kind(**settings)
    return scheme


def _settings(text: str, kind: type[OneScheme]) -> dict[str, Any]:
    fields = {field.name: field for field in dataclasses.fields(kind)}
    option = f"--scheme {kind.__name__.lower()}"
    settings: dict[str, Any] = {}
    for item in filter(None, text.split(",")):
        name, equals, value = item.partition("=")
        if not equals:
            size = number(item, option)
            settings |= {"step": size} if "step" in fields else {"relative": size, "absolute": size}
        elif name not in fields:
            raise ArgumentError(f"{option}: " + unknown_name("setting", name, fields))
        else:
            size = number(value, f"{option} {name}")
            settings[name] = int(size) if "int" in str(fields[name].type) and size == int(size) else size
    return settings


def event_of(text: str) -> Crossing:
    """Return the event that a text like ``falls com.velocity_y`` or ``crosses knee -90deg`` describes.

    Examples
    --------
    >>> event_of("rises angle 0.5").name
    'angle rises through 0.5'
    """
    from myodyne.simulate import Crossing

    verb, *words = text.split() or [""]
    if verb not in _VERBS or not words:
        raise ArgumentError(
            f"--until takes 'falls NAME', 'rises NAME' or 'crosses NAME', followed by a level if it is not zero, not "
            f"'{text}'"
        )
    level = 0.0
    if len(words) > 1 and _is_number(words[-1]):
        level = number(words.pop(), "--until")
    direction: Any = _VERBS[verb]
    return Crossing(" ".join(words), direction, level)


def _is_number(text: str) -> bool:
    try:
        number(text, "")
    except ArgumentError:
        return False
    return True


def target(path: Path | None, endings: Sequence[str], option: str) -> None:
    """Refuse a file that could not be written in the end, before the work begins."""
    if path is None:
        return
    if path.suffix.lower() not in endings:
        raise ArgumentError(f"{option} {path}: the file must end in {', '.join(endings)}")
    if path.is_dir():
        raise ArgumentError(f"{option} {path}: is a folder; give the name of a file in it")
    if not path.parent.is_dir():
        raise ArgumentError(f"{option} {path}: there is no folder '{path.parent}'; create it first")


def names(texts: Sequence[str]) -> list[str]:
    """Return names that were given one by one or with commas between them.

    Examples
    --------
    >>> names(["knee,hip", "com.*"])
    ['knee', 'hip', 'com.*']
    """
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]
