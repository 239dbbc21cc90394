"""Roots that a search finds between two points: those of SciPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import brentq

from myodyne.numerics.roots import bracketed_root

FUNCTIONS: list[Callable[[float], float]] = [
    lambda x: x - 0.3,
    lambda x: float(np.exp(5 * x) - 3),
    lambda x: x**3 - 1e-4,
    lambda x: float(np.tanh(40 * (x - 0.7))),
    lambda x: -1.0 if x < 0.4 else 2.0,
    lambda x: float(np.sign(x - 0.5) * abs(x - 0.5) ** 0.2),
]


@pytest.mark.parametrize("number", range(len(FUNCTIONS)))
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_roots_are_those_of_scipy(number: int, sign: float) -> None:
    def function(x: float) -> float:
        return sign * FUNCTIONS[number](x)

    search = bracketed_root((0.0, function(0.0)), (1.0, function(1.0)), 1e-13)
    count, point = 1, next(search)
    while True:
        assert 0.0 <= point <= 1.0
        try:
            point = search.send(function(point))
        except StopIteration as found:
            root, value = found.value
            break
        count += 1
    assert count < 70
    assert value == function(root)
    assert abs(root - brentq(function, 0.0, 1.0, xtol=1e-13)) < 1e-12
