"""The element of a file, with its line, to which a fault of the model belongs."""

from __future__ import annotations

import re

from myodyne.errors import FileError, ModelError
from myodyne.files.osim.document import Element

_PART = re.compile(r"\b(?:bodies|joints|coordinates|constraints|surfaces|muscles|forces|markers)\.(.+)")
_QUOTED = re.compile(r"'([^']+)'")


def with_source_line(error: ModelError, model: Element) -> FileError:
    """Return the fault of a model as one of its file, with line and element as far as the message names a part."""
    message = str(error)
    first = message.partition("\n")[0]
    part = _PART.search(first)
    quoted = _QUOTED.findall(first)
    best: tuple[int, Element] | None = None
    for element in model.walk():
        if not element.is_object or not element.name or element.tag.endswith("Set"):
            continue
        # The part that is named by its place in the model, else one whose name is quoted.
        if part is not None and re.match(re.escape(element.name) + r"(?![^.:_\s])", part[1]):
            rank = 1000 + len(element.name)
        elif element.name in quoted:
            rank = len(quoted) - quoted.index(element.name)
        else:
            continue
        if best is None or rank > best[0]:
            best = (rank, element)
    return (model if best is None else best[1]).fault(message)
