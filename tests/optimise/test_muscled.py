"""The equations of motion put together from skeleton, paths and kinds of muscles, against one expression of the whole."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

import myodyne as my
from myodyne.equations import equations_of
from myodyne.optimise.transcription.free import FreeMotion
from myodyne.optimise.transcription.functions import InstantFunction, Sizes
from myodyne.optimise.transcription.muscled import MuscledDynamics
from myodyne.types import Floats, Integers

MODELS = ("gait2d", "planar_arm", "cyclist_one_leg_muscles")


def instant(name: str, tendon: Literal["elastic", "rigid"]) -> FreeMotion:
    model = my.load_model(name)
    model = model.with_parts(
        muscles={key: part.model_copy(update={"tendon": tendon}) for key, part in model.muscles.items()}
    )
    return FreeMotion(equations_of(model, compiled=False), my.Problem(model, goals=[my.Effort()], duration=(0.3, 0.8)))


def arguments(moment: FreeMotion, rows: int) -> list[Floats]:
    sizes, random = Sizes.of(moment), np.random.default_rng(1)
    x = 0.3 * random.standard_normal((rows, sizes.states))
    x[:, 2 * len(moment.coordinates) :] = random.uniform(0.4, 1.1, (rows, sizes.states - 2 * len(moment.coordinates)))
    r, u = random.standard_normal((rows, sizes.motion)), random.uniform(0.1, 0.9, (rows, sizes.controls))
    return [x, r, u, np.array([0.7]), np.zeros((rows, 0))]


def dense(nonzeros: Floats, places: tuple[Integers, Integers], shape: tuple[int, int]) -> Floats:
    matrix = np.zeros((len(nonzeros), *shape))
    matrix[:, places[0], places[1]] = nonzeros
    return matrix


@pytest.mark.parametrize("tendon", ["elastic", "rigid"])
@pytest.mark.parametrize("name", MODELS)
def test_parts_equal_the_whole(name: str, tendon: Literal["elastic", "rigid"]) -> None:
    moment = instant(name, tendon)
    whole = InstantFunction(moment, "dynamics", "residual", lambda scope: scope.assembly.residual)
    parts = MuscledDynamics(moment)
    given = arguments(moment, 3)
    assert parts.count == whole.count
    np.testing.assert_allclose(parts.values(*given), whole.values(*given), rtol=1e-9, atol=1e-9)
    shape = whole.count, Sizes.of(moment).unknowns
    first = [dense(one.jacobian(*given), one.jacobian_places(), shape) for one in (parts, whole)]
    np.testing.assert_allclose(first[0], first[1], rtol=1e-9, atol=1e-9 * abs(first[1]).max())
    multipliers = np.random.default_rng(2).standard_normal((3, whole.count))
    square = shape[1], shape[1]
    second = [dense(one.hessian(multipliers, *given), one.hessian_places(), square) for one in (parts, whole)]
    np.testing.assert_allclose(second[0], second[1], rtol=1e-9, atol=1e-9 * abs(second[1]).max())
    # No place is claimed that the whole expression knows to be zero.
    for own, other in (
        (parts.jacobian_places(), whole.jacobian_places()),
        (parts.hessian_places(), whole.hessian_places()),
    ):
        assert set(zip(*own, strict=True)) <= set(zip(*other, strict=True))
