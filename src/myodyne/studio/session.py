"""What a user of the studio works on: a model, its start, its curves, and where they came from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from myodyne.data import DataError, Recipe, Result
from myodyne.data.curves.signals import Signal
from myodyne.data.plain import Fields
from myodyne.errors import ModelError
from myodyne.files import load, load_model
from myodyne.model import Model
from myodyne.numerics.schemes import DOP853, Rosenbrock
from myodyne.simulate.control.feedback import Feedback
from myodyne.simulate.movements import Movement, builtin_movements, load_movement

Origin = tuple[Literal["model", "movement", "result"], str]
_FORMAT = 1
# Simulated seconds of a model that is opened without a movement.
_DURATION = 1.0
# Steps (s) that keep up with a hand that drags a handle.
_STEP = 0.003


@dataclass(frozen=True)
class Session:
    """A model, the recipe of its movement, and where both came from.

    Parameters
    ----------
    origin
        ``("movement", "jump")``, ``("model", "jumper")`` or ``("result", "walk.nc")``: what a script loads.
    model, recipe
        The model as it was opened, and start, curves, scheme and duration.
    numbers
        Numbers of the model that were changed, by name.
    feedback
        The control law of the movement, if it has one.
    earlier
        Recipes of the parts before the present one, where the movement was interrupted and goes on with other curves.
    courses
        Wanted courses of the coordinates (rad, m), which the curves of the motors follow; empty where curves are free.
    motors
        Coordinates that were given a motor.
    ties
        Names of constraints that freeze or couple coordinates.

    Examples
    --------
    >>> session = opened("jump")
    >>> session.origin, session.recipe.duration > 0
    (('movement', 'jump'), True)
    """

    origin: Origin
    model: Model
    recipe: Recipe
    numbers: Mapping[str, float]
    feedback: Feedback | None = None
    earlier: tuple[Recipe, ...] = ()
    courses: Mapping[str, Signal] = field(default_factory=dict)
    motors: tuple[str, ...] = ()
    ties: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the page calls it."""
        return Path(self.origin[1]).stem

    @property
    def changed_model(self) -> Model:
        """The model with the changed numbers free, so that changing them again compiles nothing."""
        return self.model.free(*self.numbers).with_values(dict(self.numbers)) if self.numbers else self.model

    def with_recipe(self, **changes: Any) -> Session:  # noqa: ANN401 - fields of a recipe, which checks them
        """Return the session with another start, other curves or another duration."""
        return replace(self, recipe=replace(self.recipe, **changes))

    @property
    def start(self) -> Mapping[str, float]:
        """The states at the very start, by name."""
        return (self.earlier[0] if self.earlier else self.recipe).start

    def with_start(self, start: Mapping[str, float]) -> Session:
        """Return the session with other states at the very start."""
        if not self.earlier:
            return self.with_recipe(start=start)
        return replace(self, earlier=(replace(self.earlier[0], start=start), *self.earlier[1:]))

    def to_dict(self) -> dict[str, Any]:
        """Return the session as plain data that JSON can hold."""
        return {
            "format": _FORMAT,
            "origin": list(self.origin),
            "model": _plain(self.model),
            "recipe": self.recipe.to_dict(),
            "numbers": dict(self.numbers),
            **({} if self.feedback is None else {"feedback": self.feedback.to_text()}),
            "earlier": [part.to_dict() for part in self.earlier],
            "courses": {name: course.to_dict() for name, course in self.courses.items()},
            "motors": list(self.motors),
            "ties": list(self.ties),
        }

    def to_text(self) -> str:
        """Return the session as JSON; the model, by far its longest part, is written once for all edits."""
        rest = {name: value for name, value in self.to_dict().items() if name != "model"}
        return f'{{"model": {_text(self.model)}, {json.dumps(rest, allow_nan=False)[1:]}'

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Session:
        """Return the session that `to_dict` wrote; what is wrong is named."""
        known = ["format", "origin", "model", "recipe", "numbers", "feedback", "earlier", "courses"]
        known += ["motors", "ties"]
        read = Fields("session", data, known)
        if read.integer("format", 0) != _FORMAT:
            raise DataError(f"session.format: this version reads {_FORMAT}")
        origin = read.sequence("origin")
        if len(origin) != 2 or origin[0] not in ("model", "movement", "result") or not isinstance(origin[1], str):
            raise DataError("session.origin: a kind and a name are expected")
        for part in ("model", "recipe"):
            if not isinstance(data.get(part), Mapping):
                raise DataError(f"session.{part}: a table of fields is expected")
        kind, name = origin
        law = None if data.get("feedback") is None else Feedback.from_text(read.text("feedback"))
        earlier = tuple(Recipe.from_dict(part) for part in data.get("earlier", ()))
        model, recipe = Model(**data["model"]), Recipe.from_dict(data["recipe"])
        courses = {str(key): Signal.from_dict(course) for key, course in data.get("courses", {}).items()}
        motors, ties = (tuple(str(one) for one in data.get(part, ())) for part in ("motors", "ties"))
        return cls((kind, name), model, recipe, read.numbers("numbers"), law, earlier, courses, motors, ties)


@lru_cache(maxsize=2)
def _plain(model: Model) -> dict[str, Any]:
    """Return a model as plain data; every edit is saved, and hardly one changes the model."""
    return model.model_dump(mode="json")


@lru_cache(maxsize=2)
def _text(model: Model) -> str:
    return json.dumps(_plain(model), allow_nan=False)


def opened(name: str) -> Session:
    """Return the session of a movement, a model or a saved result, by its name or file."""
    suffix = Path(name).suffix.lower()
    if suffix in (".nc", ".sto"):
        result = load(name)
        if not isinstance(result, Result):
            raise ModelError(f"{name}: holds columns alone; the studio needs a saved result, a model or a movement")
        movement = Movement.from_result(result, name=Path(name).stem, summary="", source=name)
        return Session(("result", name), movement.model, movement.recipe, {}, movement.feedback)
    if suffix == ".json" or name in builtin_movements():
        movement = load_movement(name)
        return Session(("movement", name), movement.model, movement.recipe, {}, movement.feedback)
    return opened_model(name)


def opened_model(name: str) -> Session:
    """Return the session of a model at rest, by its name or file.

    Examples
    --------
    >>> opened_model("jumper").origin
    ('model', 'jumper')
    """
    model = load_model(name)
    scheme = Rosenbrock(step=_STEP) if model.muscles else DOP853()
    return Session(("model", name), model, Recipe({}, {}, scheme, _DURATION), {})
