"""JSON files, read with care: what is wrong is refused with its place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from myodyne.errors import FileError, ModelError
from myodyne.files.models.yaml_reader import LARGEST_FILE, shortened

_MOST_FAULTS = 10


def as_row(value: object) -> object:
    """Return a list: one of a single item came out of an export from Matlab as that item."""
    return value if isinstance(value, list) else [value]


def json_table(content: bytes, file: str) -> dict[str, Any]:
    """Return the fields of a JSON file; what is not a table of finite numbers, lists and texts is refused."""
    if len(content) > LARGEST_FILE:
        raise FileError(f"{file}: is larger than {LARGEST_FILE / 1e6:.0f} MB, too large for a model file")

    def not_a_number(text: str) -> float:
        raise FileError(f"{file}: holds {text}; every number must be finite")

    try:
        tree = json.loads(content.decode("utf-8-sig"), parse_constant=not_a_number)
    except UnicodeDecodeError as error:
        raise FileError(f"{file}: is not UTF-8 text (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise FileError(f"{file}, line {error.lineno}: is not JSON: {error.msg}") from None
    except (RecursionError, ValueError) as error:
        # Lists nested a thousand deep, or a whole number of thousands of digits.
        raise FileError(f"{file}: cannot be read as JSON: {shortened(str(error), 80)}") from None
    if not isinstance(tree, dict):
        raise FileError(f"{file}: is JSON, but not a table of fields")
    return tree


def refused(file: str, problems: Sequence[tuple[tuple[Any, ...], str]]) -> ModelError:
    """Return the error that names the fields of a file that are wrong, and where."""
    lines = [f"{file}: {'.'.join(map(str, place))}: {message}" for place, message in problems[:_MOST_FAULTS]]
    if len(problems) > _MOST_FAULTS:
        lines.append(f"{file}: and {len(problems) - _MOST_FAULTS} more")
    return ModelError("\n".join(lines), list(problems))
