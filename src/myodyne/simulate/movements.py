"""Movements: a model, its start and its controls in one small file that runs again."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from myodyne.data import DataError, Recipe, Result, Trajectory
from myodyne.data.curves.signals import Signal
from myodyne.data.plain import Fields
from myodyne.errors import FileError, ModelError, unknown_name
from myodyne.files.atomic import atomically
from myodyne.files.series.table import read_bytes
from myodyne.files.shipped import shipped_files
from myodyne.model import Model
from myodyne.numerics.schemes import Scheme
from myodyne.simulate.control.feedback import Feedback
from myodyne.simulate.repeating import run_recipe

_FOLDER, _SUFFIX = "movements", ".json"
_FORMAT = 1
# Movements are small; this keeps a wrong file from filling the memory.
_LARGEST = 50 * 2**20


@dataclass(frozen=True)
class Movement:
    """A movement that can be run again: a model, its start, its controls, and where they come from.

    Parameters
    ----------
    name, summary, source
        What it is called, what it is, in a sentence, and where it comes from.
    model
        The model that moves.
    recipe
        Start, controls, scheme and duration.
    follows
        The movement that the run should follow, if it comes from an optimum: coordinates over time.
    follows_until
        The time (s) up to which the run stays within a hundredth of each coordinate's range of it.
    feedback
        The control law that acts beside the curves, if there is one.

    Examples
    --------
    >>> import myodyne as my
    >>> swing = my.simulate(my.load_model("pendulum"), 1.0, start={"angle": 0.5})
    >>> movement = my.Movement.from_result(swing, name="swing", summary="A pendulum swings.", source="this example")
    >>> movement.start, movement.run().trajectory == swing.trajectory
    ({'angle': 0.5}, True)
    """

    name: str
    summary: str
    source: str
    model: Model
    recipe: Recipe
    follows: Trajectory | None = None
    follows_until: float | None = None
    feedback: Feedback | None = None

    def __repr__(self) -> str:
        return f"<Movement '{self.name}' of '{self.model.name}': {self.recipe.duration:.3g} s>"

    @classmethod
    def from_result(cls, result: Result, *, name: str, summary: str, source: str) -> Movement:
        """Return the movement of a run or an optimum."""
        if not isinstance(result, Result) or result.recipe is None or result.model_data is None:
            raise ModelError(f"a movement comes from a result of my.simulate or my.solve, not from {result!r:.60}")
        if result.recipe.lacks or result.recipe.external_forces is not None:
            raise ModelError(
                "a movement has a start, curves and a control law, and no switches, controllers in Python or recorded "
                "forces; save such a run with my.save"
            )
        model = Model(**result.model_data)
        optimum = result.report.optimum
        follows = None if optimum is None else result.select([name for name in model.moving if name in result])
        until = None if optimum is None else optimum.replay_until
        plain = None if follows is None else Trajectory(follows.time, _columns(follows), follows.units)
        law = result.provenance.feedback
        feedback = Feedback.from_text(law) if law else None
        return cls(name, summary, source, model, result.recipe, plain, until, feedback)

    @property
    def start(self) -> Mapping[str, float]:
        """The values of states at the start, by name."""
        return self.recipe.start

    @property
    def controls(self) -> Mapping[str, Signal]:
        """The signals by the names of their controls."""
        return self.recipe.controls

    @property
    def scheme(self) -> Scheme:
        """How the movement is simulated."""
        return self.recipe.scheme

    @property
    def duration(self) -> float:
        """The time (s) that it takes."""
        return self.recipe.duration

    def run(self) -> Result:
        """Return the movement as a simulation."""
        return run_recipe(self.model, self.recipe, self.feedback)

    def to_dict(self) -> dict[str, Any]:
        """Return the movement as plain data that JSON can hold."""
        plain: dict[str, Any] = {"format": _FORMAT, "name": self.name, "summary": self.summary, "source": self.source}
        plain |= {"model": self.model.model_dump(mode="json"), "recipe": self.recipe.to_dict()}
        if self.follows is not None:
            columns = {name: values.tolist() for name, values in _columns(self.follows).items()}
            plain["follows"] = {"time": self.follows.time.tolist(), "columns": columns, "units": self.follows.units}
        if self.follows_until is not None:
            plain["follows_until"] = self.follows_until
        if self.feedback is not None:
            plain["feedback"] = self.feedback.to_text()
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Movement:
        """Return the movement that `to_dict` wrote; unknown fields and wrong types raise errors that name them."""
        read = Fields("movement", data, ["format", *(item.name for item in fields(cls))])
        if read.integer("format", _FORMAT) != _FORMAT:
            raise DataError(f"movement.format is {data['format']!r}, and this version reads {_FORMAT}; update myodyne")
        for name in ("model", "recipe"):
            if not isinstance(data.get(name), Mapping):
                raise DataError(f"movement.{name}: a table of fields is expected")
        return cls(
            name=read.text("name"),
            summary=read.text("summary", ""),
            source=read.text("source", ""),
            model=Model(**data["model"]),
            recipe=Recipe.from_dict(data["recipe"]),
            follows=None if data.get("follows") is None else _trajectory(data["follows"]),
            follows_until=read.optional_number("follows_until"),
            feedback=Feedback.from_text(read.text("feedback")) if data.get("feedback") is not None else None,
        )


def builtin_movements() -> tuple[str, ...]:
    """Return the names of the movements that come with myodyne, for `load_movement`.

    Examples
    --------
    >>> "jump" in builtin_movements()
    True
    """
    return tuple(shipped_files(_FOLDER, _SUFFIX))


def load_movement(name: str | os.PathLike[str]) -> Movement:
    """Return a movement that comes with myodyne, by its name, or from a ``.json`` file.

    Examples
    --------
    >>> import myodyne as my
    >>> jump = my.load_movement("jump")
    >>> jump.model.name, jump.run().report.status
    ('jumper', 'completed')
    """
    if not isinstance(name, str | os.PathLike):
        raise FileError(f"a movement is given by its name or file, not by {name!r:.60}")
    if Path(name).suffix.lower() == _SUFFIX:
        place, text = str(name), _text(Path(name))
    else:
        found = shipped_files(_FOLDER, _SUFFIX)
        if str(name) not in found:
            raise FileError(unknown_name("movement", str(name), found, "One of your own is given by its .json file"))
        place, text = str(name), found[str(name)].read_text(encoding="utf-8")
    try:
        return Movement.from_dict(json.loads(text))
    except (DataError, ModelError, ValueError, RecursionError) as error:
        raise FileError(f"{place}: {error!s:.500}") from None


def save_movement(movement: Movement, path: str | os.PathLike[str]) -> None:
    """Write a movement to a ``.json`` file, atomically.

    Examples
    --------
    >>> import tempfile, myodyne as my
    >>> jump = my.load_movement("jump")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     my.save_movement(jump, f"{folder}/my_jump.json")
    ...     my.load_movement(f"{folder}/my_jump.json") == jump
    True
    """
    if not isinstance(movement, Movement):
        raise FileError(f"{path}: save_movement writes a Movement, not a {type(movement).__name__}")
    if Path(path).suffix.lower() != _SUFFIX:
        raise FileError(f"{path}: movements are kept in {_SUFFIX} files")
    with atomically(Path(path)) as unfinished:
        unfinished.write_text(json.dumps(movement.to_dict(), allow_nan=False, separators=(",", ":")) + "\n")


def _text(path: Path) -> str:
    try:
        return read_bytes(path, _LARGEST).decode()
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: cannot be read: {error}") from None


def _columns(table: Trajectory) -> dict[str, Any]:
    return {name: table.values(name) for name in table.names}


def _trajectory(data: object) -> Trajectory:
    read = Fields("movement.follows", data, ["time", "columns", "units"])
    assert isinstance(data, Mapping)
    columns = data.get("columns")
    if not isinstance(columns, Mapping):
        raise DataError("movement.follows.columns: columns by name are expected")
    return Trajectory(read.sequence("time"), columns, read.texts("units"))
