"""A task: a problem of optimal control whose speed, weights of goals and strengths of muscles a user changes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from math import isfinite
from pathlib import Path
from typing import Any, Literal, get_args

from myodyne.analyse.sides.names import sideless
from myodyne.data import DataError
from myodyne.data.plain import Fields
from myodyne.errors import ModelError, unknown_name
from myodyne.files import load
from myodyne.optimise import AverageSpeed, Problem, Solution, builtin_problems, load_problem
from myodyne.optimise.conditions import range_of

Origin = tuple[Literal["problem", "solution"], str]
_FORMAT = 1
# How far sliders reach: speeds and weights as multiples of what was opened, strengths as parts of the model's own.
SPEEDS, WEIGHTS, STRENGTHS = (0.4, 1.8), (0.1, 10.0), (0.2, 2.0)


@dataclass(frozen=True)
class Task:
    """A problem as it was opened, and what was changed.

    Parameters
    ----------
    origin
        ``("problem", "gait2d_predictive")`` or ``("solution", "walk.nc")``: what a script loads.
    problem
        The problem as it was opened.
    speed
        Mean speed (m/s); None is that of the problem.
    weights
        Of goals, by their names.
    strengths
        Maximal forces as parts of the model's own, by the muscle's name without its side.

    Examples
    --------
    >>> task, _ = opened_task("gait2d_predictive")
    >>> round(task.own_speed, 2), "soleus" in task.muscles
    (1.3, True)
    """

    origin: Origin
    problem: Problem
    speed: float | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    strengths: Mapping[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the page calls it."""
        return Path(self.origin[1]).stem

    @property
    def own_speed(self) -> float | None:
        """The mean speed (m/s) of the problem as it was opened; None where nothing sets one."""
        set_by = next((part for part in self.problem.conditions if isinstance(part, AverageSpeed)), None)
        if set_by is None:
            return None
        low, high = range_of(set_by.speed)
        middle = (low + high) / 2
        return middle if isfinite(middle) and middle > 0 else None

    @property
    def muscles(self) -> dict[str, tuple[str, ...]]:
        """Muscles by their names without a side: both sides are weak or strong together."""
        found: dict[str, tuple[str, ...]] = {}
        for name in self.problem.model.muscles:
            found[sideless(name)] = (*found.get(sideless(name), ()), name)
        return found

    @property
    def numbers(self) -> dict[str, float]:
        """The maximal forces (N) that the strengths make, by the names of the model's numbers."""
        model = self.problem.model
        return {
            f"{muscle}.max_force": part * model.muscles[muscle].max_force
            for group, part in self.strengths.items()
            for muscle in self.muscles[group]
        }

    @property
    def changed(self) -> Problem:
        """The problem with all changes; numbers that changed are free, so that changing them again compiles nothing."""
        problem, numbers = self.problem, self.numbers
        if numbers:
            problem = problem.with_model(problem.model.free(*numbers)).with_values(numbers)
        if self.weights:
            problem = problem.with_weights(**self.weights)
        return problem if self.speed is None else problem.with_speed(self.speed)

    @property
    def key(self) -> str:
        """What two tasks have in common exactly if they are the same."""
        return self.to_text()

    def to_text(self) -> str:
        """Return the task as JSON."""
        return json.dumps(self.to_dict(), sort_keys=True, allow_nan=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the task as plain data; the problem is loaded again by its name."""
        changes = {"speed": self.speed, "weights": dict(self.weights), "strengths": dict(self.strengths)}
        return {"format": _FORMAT, "origin": list(self.origin), **changes}

    def with_changes_of(self, data: Mapping[str, Any]) -> Task:
        """Return the task with the changes that `to_dict` wrote; what is wrong is named."""
        read = Fields("task", data, ["format", "origin", "speed", "weights", "strengths"])
        if read.integer("format", 0) != _FORMAT or list(data.get("origin", ())) != list(self.origin):
            raise DataError("the saved task belongs to another version or another problem")
        task = self
        for name, value in read.numbers("weights").items():
            task = apply_task(task, SetWeight(name, value))
        for name, value in read.numbers("strengths").items():
            task = apply_task(task, SetStrength(name, value))
        return task if data.get("speed") is None else apply_task(task, SetSpeed(read.number("speed")))


@dataclass(frozen=True)
class SetSpeed:
    """Ask for another mean speed (m/s)."""

    value: float


@dataclass(frozen=True)
class SetWeight:
    """Give a goal another weight."""

    name: str
    value: float


@dataclass(frozen=True)
class SetStrength:
    """Make a muscle of both sides weaker or stronger: a part of the model's own maximal force."""

    name: str
    value: float


TaskEdit = SetSpeed | SetWeight | SetStrength
_EDITS: dict[str, type[TaskEdit]] = {kind.__name__: kind for kind in get_args(TaskEdit)}


def task_edit_from(data: object) -> TaskEdit:
    """Return the change of a task that plain data describe.

    Examples
    --------
    >>> task_edit_from({"kind": "SetSpeed", "value": 1.4})
    SetSpeed(value=1.4)
    """
    if not isinstance(data, Mapping) or data.get("kind") not in _EDITS:
        raise DataError(f"edit: a kind is expected, one of {', '.join(_EDITS)}")
    kind = _EDITS[str(data["kind"])]
    names = [item.name for item in fields(kind)]
    read = Fields("edit", data, ["kind", *names])
    missing = next((name for name in names if name not in data), None)
    if missing is not None:
        raise DataError(f"edit.{missing} is missing")
    values: dict[str, Any] = {name: read.number(name) if name == "value" else read.text(name) for name in names}
    return kind(**values)


def apply_task(task: Task, edit: TaskEdit) -> Task:
    """Return the task after a change; what cannot be done raises an error that says why.

    Examples
    --------
    >>> task, _ = opened_task("gait2d_predictive")
    >>> apply_task(task, SetStrength("soleus", 0.5)).numbers["left_soleus.max_force"]
    2000.0
    """
    match edit:
        case SetSpeed(value):
            own = task.own_speed
            if own is None:
                raise ModelError(f"{task.problem.name}: no condition sets a speed, so there is none to change")
            return replace(task, speed=_within("the speed (m/s)", value, (SPEEDS[0] * own, SPEEDS[1] * own)))
        case SetWeight(name, value):
            goals = {goal.name: goal.weight for goal in task.problem.goals}
            if name not in goals:
                raise ModelError(unknown_name("goal", name, goals))
            limits = (WEIGHTS[0] * goals[name], WEIGHTS[1] * goals[name])
            return replace(task, weights={**task.weights, name: _within(f"the weight of '{name}'", value, limits)})
        case SetStrength(name, value):
            if name not in task.muscles:
                raise ModelError(unknown_name("muscle", name, task.muscles))
            part = _within(f"the strength of '{name}'", value, STRENGTHS)
            return replace(task, strengths={**task.strengths, name: part})


def opened_task(name: str) -> tuple[Task, Solution | None]:
    """Return the task of a built-in problem, or of a saved solution together with it."""
    if Path(name).suffix.lower() == ".nc":
        solution = load(name)
        if not isinstance(solution, Solution):
            raise ModelError(f"{name}: holds no solution of a problem; my.save(my.solve(...), 'walk.nc') writes one")
        return Task(("solution", name), _single(solution.problem, name)), solution
    return Task(("problem", name), _single(load_problem(name), name)), None


def is_task(name: str) -> bool:
    """Whether the studio opens a name as a task: a built-in problem, or the file of a solution."""
    if name in builtin_problems():
        return True
    return Path(name).suffix.lower() == ".nc" and Path(name).is_file() and isinstance(load(name), Solution)


def _single(problem: object, name: str) -> Problem:
    if not isinstance(problem, Problem):
        raise ModelError(f"'{name}' has several phases; the studio takes problems with one phase. Use my.solve")
    return problem


def _within(what: str, value: float, limits: tuple[float, float]) -> float:
    # Sliders round their ends.
    if not (isfinite(value) and 0.999 * limits[0] <= value <= 1.001 * limits[1]):
        raise ModelError(f"{what} must lie between {limits[0]:.3g} and {limits[1]:.3g}, not at {value:g}")
    return float(value)
