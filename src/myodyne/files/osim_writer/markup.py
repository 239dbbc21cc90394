"""Elements of an .osim file, from names and values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias
from xml.etree.ElementTree import Element

# Digits to which a number is rounded first in the search for one that reads back exactly: people write few.
_DIGITS = (6, 9, 12, 15)
_NEIGHBOURS = 16


class NoCounterpartError(Exception):
    """Something that OpenSim has no element for, and why."""


PropertyValue: TypeAlias = "str | float | Iterable[PropertyValue]"


def made(
    tag: str,
    name: str = "",
    properties: Mapping[str, Any] | None = None,
    inside: Iterable[Element] = (),
) -> Element:
    """Return an element with a name, properties (text, flags, numbers, lists of them, or elements) and more inside."""
    element = Element(tag, {"name": name} if name else {})
    for key, value in (properties or {}).items():
        held = Element(key)
        if isinstance(value, Element):
            held.append(value)
        else:
            held.text = words(value)
        element.append(held)
    element.extend(inside)
    return element


def gathered(tag: str, elements: Iterable[Element]) -> Element:
    """Return a set of elements, as OpenSim has them."""
    objects = Element("objects")
    objects.extend(elements)
    # OpenSim names its sets by their tags in small letters, and finds components by these names.
    return made(tag, tag.lower(), inside=[objects])


def words(value: PropertyValue) -> str:
    """Return a value as the text of a property; numbers with as many digits as they need to be read back exactly."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float | int):
        return repr(value)
    if isinstance(value, str):
        return value
    return " ".join(map(words, value))


def preimage(wanted: float, guess: float, read: Callable[[float], float]) -> float:
    """Return a number near a guess that is read as exactly the wanted one; the guess itself if there is none."""
    if read(guess) == wanted:
        return guess
    for digits in _DIGITS:
        rounded = float(f"{guess:.{digits}g}")
        if read(rounded) == wanted:
            return rounded
    below = above = guess
    for _ in range(_NEIGHBOURS):
        below, above = math.nextafter(below, -math.inf), math.nextafter(above, math.inf)
        for neighbour in (below, above):
            if read(neighbour) == wanted:
                return neighbour
    return guess
