"""Records as plain JSON data and back, with every field checked by name.

Files may come from anywhere: each field is either read or rejected, and nothing is converted silently.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from myodyne.errors import MyodyneError, unknown_name


class DataError(MyodyneError, ValueError):
    """Data that cannot exist, or a name or time that they do not hold."""


def number_out(value: float) -> float | str:
    """Return a number as JSON can hold it: NaN and infinity are not JSON numbers and become text."""
    return value if math.isfinite(value) else repr(value)


class Fields:
    """The fields of one record, read by name and type; faults name the record and the field.

    Examples
    --------
    >>> Fields("report", {"steps": 3}, ["steps"]).integer("steps")
    3
    """

    def __init__(self, record: str, data: object, known: Iterable[str]) -> None:
        self.record = record
        if not isinstance(data, Mapping):
            raise DataError(f"{record}: a table of fields is expected, not {_shown(data)}")
        known = list(known)
        for name in data:
            if name not in known:
                raise DataError(f"{record}: {unknown_name('field', name, known)}")
        self._data = data

    def _wrong(self, name: str, expected: str) -> DataError:
        return DataError(f"{self.record}.{name}: {expected} is expected, not {_shown(self._data.get(name))}")

    def text(self, name: str, default: str | None = None) -> str:
        """Return a text; without a default the field is required."""
        value = self._data.get(name, default)
        if not isinstance(value, str):
            raise self._wrong(name, "a text")
        return value

    def integer(self, name: str, default: int = 0) -> int:
        """Return a whole number that is not negative."""
        value = self._data.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self._wrong(name, "a whole number, not negative,")
        return value

    def flag(self, name: str) -> bool:
        """Return a truth value, which is required."""
        value = self._data.get(name)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def number(self, name: str, default: float = 0.0) -> float:
        """Return a number."""
        return self._number(name, self._data.get(name, default))

    def optional_number(self, name: str) -> float | None:
        """Return a number, or None where there is none."""
        value = self._data.get(name)
        return None if value is None else self._number(name, value)

    def optional_integer(self, name: str) -> int | None:
        """Return a whole number, or None where there is none."""
        return None if self._data.get(name) is None else self.integer(name)

    def numbers(self, name: str) -> dict[str, float]:
        """Return a table of numbers by name."""
        return {key: self._number(f"{name}.{key}", value) for key, value in self.table(name).items()}

    def texts(self, name: str) -> dict[str, str]:
        """Return a table of texts by name."""
        table = self.table(name)
        if not all(isinstance(value, str) for value in table.values()):
            raise self._wrong(name, "a table of texts")
        return table

    def sequence(self, name: str) -> list[Any]:
        """Return a list."""
        value = self._data.get(name, [])
        if not isinstance(value, list | tuple):
            raise self._wrong(name, "a list")
        return list(value)

    def table(self, name: str) -> dict[str, Any]:
        """Return a table of anything by name."""
        value = self._data.get(name, {})
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise self._wrong(name, "a table by name")
        return dict(value)

    def _number(self, name: str, value: object) -> float:
        if isinstance(value, str) and value in ("nan", "inf", "-inf"):
            return float(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise DataError(f"{self.record}.{name}: a number is expected, not {_shown(value)}")
        return float(value)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
