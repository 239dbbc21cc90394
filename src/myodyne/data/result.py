"""A trajectory together with its audit and its origin."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from myodyne.data.plain import DataError
from myodyne.data.provenance import Provenance
from myodyne.data.recipe import Recipe
from myodyne.data.report import Report
from myodyne.data.trajectory import Trajectory
from myodyne.notebook import Table


class Result(Trajectory):
    """What a computation gives: columns over time, its report, its provenance, and the model it was made with.

    Parts of a result (`select`, `slice`, `resampled`) keep the report and provenance of the whole.

    Parameters
    ----------
    trajectory
        The columns over time.
    report, provenance
        How it went, and where it came from.
    model_data
        The model as plain JSON data, or as JSON text; None where no model took part.
    recipe
        Start, controls and scheme, so that it can be run again; None where nothing was simulated.
    continuation
        What the computation needs to go on exactly where it ended; neither saved nor compared.

    Examples
    --------
    >>> swing = Trajectory([0.0, 1.0], {"knee": [0.0, 0.1]}, {"knee": "rad"})
    >>> run = Result(swing, Report("completed", steps=1), Provenance("leg", "a1b2"), {"name": "leg"})
    >>> run.report.status, run.final, run.model_data["name"]
    ('completed', {'knee': 0.1}, 'leg')
    """

    __slots__ = ("_continuation", "_model_text", "_provenance", "_recipe", "_report")

    _report: Report
    _provenance: Provenance
    _model_text: str | None
    _recipe: Recipe | None
    _continuation: object

    def __init__(
        self,
        trajectory: Trajectory,
        report: Report,
        provenance: Provenance,
        model_data: Mapping[str, Any] | str | None = None,
        recipe: Recipe | None = None,
        *,
        continuation: object = None,
    ) -> None:
        # The checked, read-only arrays are shared: they cannot be changed.
        for slot in Trajectory.__slots__:
            object.__setattr__(self, slot, getattr(trajectory, slot))
        object.__setattr__(self, "_report", report)
        object.__setattr__(self, "_provenance", provenance)
        object.__setattr__(self, "_model_text", _as_text(model_data))
        object.__setattr__(self, "_recipe", recipe)
        object.__setattr__(self, "_continuation", continuation)

    @property
    def report(self) -> Report:
        """Status, effort and audit of the computation."""
        return self._report

    @property
    def provenance(self) -> Provenance:
        """Model, method, versions and time of the computation."""
        return self._provenance

    @property
    def model_data(self) -> dict[str, Any] | None:
        """The model as plain data, a fresh copy at each call; None where no model took part."""
        return None if self._model_text is None else _as_data(self._model_text)

    @property
    def continuation(self) -> object:
        """What the computation needs to go on exactly where it ended; None for a result that was read or cut."""
        return self._continuation

    @property
    def recipe(self) -> Recipe | None:
        """Start, controls, scheme and duration: what `replay` runs again; None where nothing was simulated."""
        return self._recipe

    @property
    def further_data(self) -> dict[str, Any]:
        """What a special kind of result keeps besides, as plain data by the name of its kind; see `rebuilt`."""
        return {}

    @property
    def trajectory(self) -> Trajectory:
        """The columns alone."""
        return Trajectory(self._time, dict(zip(self._index, self._matrix, strict=True)), self.units)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        same_model = self._model_text == other._model_text or self.model_data == other.model_data
        return (
            super().__eq__(other) is True
            and self._report == other._report
            and self._provenance == other._provenance
            and same_model
            and self._recipe == other._recipe
        )

    __hash__ = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Result, (self.trajectory, self._report, self._provenance, self._model_text, self._recipe)

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, {self._report.status}>"

    def _further_tables(self) -> list[Table]:
        made = self._provenance
        rows = [("model", made.model_name), ("scheme", made.scheme), ("created", made.created)]
        rows += [("status", self._report.status), ("message", self._report.message)]
        return [Table("", (), [row for row in rows if row[1]]), *self._report.html_tables()]

    def _like(self, part: Trajectory) -> Result:
        return Result(part, self._report, self._provenance, self._model_text, self._recipe)

    def with_recipe(self, recipe: Recipe | None) -> Result:
        """Return the result with what it can be run again from."""
        return Result(self, self._report, self._provenance, self._model_text, recipe, continuation=self._continuation)


# Kinds of results that are more than columns, report and model, and the function that rebuilds each from its data.
# They are named, not imported: they stand in higher layers, and only a file that holds one loads them.
KINDS = {"solution": "myodyne.optimise.storage.stored:restored"}


def rebuilt(kind: str, result: Result, data: object) -> Result:
    """Return the special kind of result that a file held as ``data`` besides a plain one."""
    module, name = KINDS[kind].split(":")
    made: Result = getattr(import_module(module), name)(result, data)
    return made


def _as_text(model_data: Mapping[str, Any] | str | None) -> str | None:
    # Kept as text: it cannot be changed from outside, and the model of most results is never read.
    if model_data is None or isinstance(model_data, str):
        return model_data
    try:
        return json.dumps(dict(model_data), allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise DataError(f"model_data must be plain JSON data (use model.model_dump(mode='json')): {error}") from None


def _as_data(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise DataError(f"the stored model is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise DataError(f"the stored model is a {type(data).__name__}, not a table of fields")
    return data
