"""The movements `walk` and `run`: whole cycles of predicted gaits of gait2d, which no recording guides.

Half a cycle is solved, from the default starts, then on equal intervals; the other half has the controls of the sides
exchanged. A gait is unstable: by the scheme and on the mesh of its solve it comes back from its controls, an accurate
scheme falls.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import myodyne as my
from myodyne.numerics.piecewise import PiecewisePolynomial

# Equal intervals of half a cycle.
INTERVALS = 40


def walk() -> my.Movement:
    """Return one cycle of walking at 1.3 m/s."""
    return cycle(
        solved("gait2d_predictive"),
        name="walk",
        summary="One cycle of walking at 1.3 m/s, predicted: no recording enters.",
    )


def run() -> my.Movement:
    """Return one cycle of running at 3.5 m/s."""
    return cycle(
        solved("gait2d_running"),
        name="run",
        summary="One cycle of running at 3.5 m/s, with two phases of flight, predicted: no recording enters.",
    )


def solved(name: str) -> my.Solution:
    """Return the best of the default starts, solved again on a mesh of equal intervals."""
    problem = my.load_problem(name)
    return my.solve(problem, nodes=[INTERVALS + 1], guess=my.solve(problem))


def cycle(half: my.Solution, *, name: str, summary: str) -> my.Movement:
    """Return the whole cycle of half of one."""
    source = f"optimum of my.load_problem('{half.problem.name}') on equal intervals, marched by its own scheme and mesh"
    movement = my.Movement.from_result(half, name=name, summary=summary, source=source)
    assert movement.follows is not None
    sides, step = my.sides_of(movement.model), movement.duration / (len(half.meshes[0]) - 1)
    controls = {
        control: joined(signal, movement.controls[sides.partners[control]], movement.duration)
        for control, signal in movement.controls.items()
    }
    recipe = replace(
        movement.recipe,
        controls=controls,
        scheme=my.Radau(degree=3, step=step),
        every=step,
        duration=2 * movement.duration,
    )
    return replace(movement, recipe=recipe, follows=my.whole_cycle(movement.follows, movement.model))


def joined(first: my.Signal, then: my.Signal, duration: float) -> my.Signal:
    """Return a signal that goes on as another one after a time (s); six digits of each make a small file."""
    breaks = np.append(first.pieces.breaks, duration + then.pieces.breaks[1:])
    coefficients = np.concatenate([first.pieces.coefficients, then.pieces.coefficients])
    short = np.array([float(f"{value:.5e}") for value in coefficients.ravel()]).reshape(coefficients.shape)
    return my.Signal("polynomials", PiecewisePolynomial(breaks, short))
