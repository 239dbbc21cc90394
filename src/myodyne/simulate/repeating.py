"""A simulation run again, from the recipe that its result keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from myodyne.data import Recipe, Result, Trajectory
from myodyne.equations import Equations, equations_of
from myodyne.errors import ModelError, listed
from myodyne.model import Model
from myodyne.simulate.control.feedback import Feedback
from myodyne.simulate.simulation import simulate
from myodyne.simulate.switching.events import Crossing, Direction
from myodyne.simulate.watching import Watch


def repeated(result: Result) -> Result:
    """Return the simulation that a result was computed by, run again."""
    recipe, data = result.recipe, result.model_data
    if recipe is None or data is None:
        raise ModelError(
            f"{result!r:.60} cannot be run again: it keeps no start and controls. Results of my.simulate and my.solve "
            "keep them, in files too; those saved by earlier versions do not"
        )
    equations = equations_of(Model(**data), compiled=None if result.provenance.compiled else False)
    law = result.provenance.feedback
    return run_recipe(equations, recipe, Feedback.from_text(law) if law else None)


def run_recipe(
    model: Model | Equations, recipe: Recipe, feedback: Feedback | None = None, *, watch: Watch | None = None
) -> Result:
    """Return the simulation of a model that a recipe describes; `watch` receives its rows and can stop it."""
    if recipe.lacks:
        raise ModelError(
            f"the movement cannot be run again: {' and '.join(recipe.lacks)} took part, which a result cannot keep; "
            "call my.simulate as it was called"
        )
    start: Mapping[str, float] | Trajectory = recipe.start
    if not recipe.given:
        start = Trajectory([recipe.from_time], {name: [value] for name, value in recipe.start.items()})
    return simulate(
        model,
        recipe.duration,
        start=start,
        from_time=recipe.from_time,
        controls=recipe.controls,
        scheme=recipe.scheme,
        until=crossings(recipe) or None,
        every=recipe.every,
        feedback=feedback,
        external_forces=recipe.external_forces,
        watch=watch,
        progress=False,
    )


def crossings(recipe: Recipe) -> list[Crossing]:
    """Return the events that end a recipe's simulation."""
    return [_crossing(*stop) for stop in recipe.until]


def _crossing(output: str, direction: str, level: float) -> Crossing:
    known = {one: one for one in get_args(Direction)}
    if direction not in known:
        raise ModelError(f"an event's direction is one of {listed(tuple(known))}, not {direction!r}")
    return Crossing(output, known[direction], level)
