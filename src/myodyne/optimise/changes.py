"""Changes of a problem: other numbers, another model, another speed or duration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from myodyne.analyse.sides.advancing import progressing_coordinates
from myodyne.errors import ModelError, unknown_name
from myodyne.model import Model
from myodyne.optimise.conditions import AverageSpeed, range_of

if TYPE_CHECKING:
    from myodyne.data import Trajectory
    from myodyne.optimise.problem import Problem


def changed(problem: Problem, **fields: Any) -> Problem:  # noqa: ANN401 - fields of a problem, which it validates itself
    """Return a copy of a problem in which some fields are others, validated."""
    return type(problem)(**{**{name: getattr(problem, name) for name in type(problem).model_fields}, **fields})


def with_values(problem: Problem, values: Mapping[str, Any]) -> Problem:
    """Return the problem with other numbers of its model; steps of its continuation change in proportion."""
    model = problem.model.with_values(values)
    steps = []
    for step in problem.continuation:
        new = dict(step)
        for name in values:
            old = problem.model.value(name) if name in step else None
            if isinstance(old, int | float) and old:
                new[name] = step[name] * float(model.value(name)) / float(old)
        steps.append(new)
    return changed(problem, model=model, continuation=tuple(steps))


def with_model(problem: Problem, model: Model) -> Problem:
    """Return the problem with another model, which has what its conditions name."""
    if not isinstance(model, Model):
        raise ModelError(f"with_model takes a model (from my.load_model), not {model!r:.60}")
    for condition in problem.conditions:
        for ranges in (condition.bounds(), condition.start_bounds(), condition.end_bounds()):
            for name in ranges:
                if name in problem.model.moving and name not in model.moving:
                    raise ModelError(
                        f"{problem.name}: '{condition.name}' is about '{name}', which '{model.name}' does not have: "
                        + unknown_name("coordinate", name, model.moving)
                    )
    return changed(problem, model=model)


def with_speed(problem: Problem, speed: float | tuple[float | None, float | None]) -> Problem:
    """Return the problem at another mean speed; its guess and its starts go as much faster."""
    places = [place for place, part in enumerate(problem.conditions) if isinstance(part, AverageSpeed)]
    if not places:
        raise ModelError(f"{problem.name}: no condition sets a speed; add my.AverageSpeed(1.3) to its conditions")
    old = problem.conditions[places[0]]
    assert isinstance(old, AverageSpeed)
    new = AverageSpeed(speed, of=old.of)
    conditions = list(problem.conditions)
    conditions[places[0]] = new
    ratio = _middle(new) / _middle(old) if _middle(old) else float("nan")
    guess = None if problem.guess is None else _faster(problem.model, problem.guess, ratio)
    starts = tuple(_faster(problem.model, start, ratio) for start in problem.starts)
    low, high = range_of(new.speed)
    words = f"{low:g} m/s" if low == high else f"{low:g} to {high:g} m/s"
    choices = {**problem.choices, "speed": words} if problem.choices else {}
    return changed(problem, conditions=tuple(conditions), guess=guess, starts=starts, choices=choices)


def with_duration(problem: Problem, duration: float | tuple[float, float]) -> Problem:
    """Return the problem with another duration (s), or range of it."""
    choices = dict(problem.choices)
    if "duration" in choices:
        low, high = range_of(duration)
        choices["duration"] = f"{low:g} s" if low == high else f"{low:g} to {high:g} s"
    return changed(problem, duration=duration, choices=choices)


def _middle(condition: AverageSpeed) -> float:
    low, high = range_of(condition.speed)
    return (low + high) / 2


def _faster(model: Model, guess: Trajectory, ratio: float) -> Trajectory:
    """Return a guess with what moves along x scaled from one speed to another."""
    from myodyne.data import Trajectory

    # An open range has no middle; the guess then stays.
    if not abs(ratio) < float("inf"):
        return guess
    forward = progressing_coordinates(model)
    columns = {name: guess.values(name) * (ratio if name in forward else 1.0) for name in guess.names}
    return Trajectory(guess.time, columns, guess.units)
