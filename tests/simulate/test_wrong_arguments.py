"""What cannot be meant is refused in words, whatever its type: no error from deep inside, no silent guess."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.data import DataError


def pendulum() -> my.Model:
    return my.load_model("pendulum")


def simulate(**options: Any) -> Any:
    return my.simulate(pendulum(), **({"duration": 0.1} | options))


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "a name for a model": (lambda: my.simulate("pendulum", 1.0), "from my.load_model"),  # type: ignore[arg-type]
    "text as a state": (lambda: simulate(start={"angle": "0.5"}), "state 'angle' must be a number, not '0.5'"),
    "None as a state": (lambda: simulate(start={"angle": None}), "state 'angle' must be a number"),
    "truth as a state": (lambda: simulate(start={"angle": True}), "state 'angle' must be a number"),
    "several numbers as a state": (lambda: simulate(start={"angle": np.array([1.0, 2.0])}), "must be a number"),
    "a complex state": (lambda: simulate(start={"angle": 1j}), "must be a number"),
    "a list of states": (lambda: simulate(start=[0.5, 0.0]), "states are given by name, like {'angle': 0.5}"),
    "a list of controls": (lambda: simulate(controls=["motor"]), "controls are given by name"),
    "NaN as a control": (
        lambda: my.simulate(my.load_model("jumper"), 0.1, controls={"soleus": np.nan}),
        "control 'soleus' cannot be nan",
    ),
    "a model as a description": (lambda: my.lagrange.derive(pendulum()), "derive takes a description"),  # type: ignore[arg-type]
    "a scheme's name": (lambda: simulate(scheme="rk4"), "a scheme must be one like"),
    "a scheme's class": (lambda: simulate(scheme=my.RK4), "a scheme must be one like"),
    "a name inside a scheme": (lambda: my.Projected("rk4"), "Projected takes another scheme"),  # type: ignore[arg-type]
    "no step": (lambda: simulate(scheme=my.Midpoint()), "Midpoint needs a step"),
    "a step lost in rounding": (lambda: simulate(scheme=my.RK4(step=1e-300)), "lost in the rounding"),
    "too many samples": (lambda: simulate(every=1e-12), "asks for 1e\\+11 samples"),
    "a name as an event": (lambda: simulate(until="angle"), "until takes events"),
    "names as events": (lambda: simulate(until=["angle"]), "until takes events"),
    "an unknown direction": (lambda: my.Crossing("angle", "down"), "'falling', 'rising', 'either', not 'down'"),  # type: ignore[arg-type]
    "no level": (lambda: my.crosses("angle", float("nan")), "the level that 'angle' passes must be a finite number"),
    "text as a level": (lambda: my.crosses("angle", "1"), "must be a finite number, not '1'"),  # type: ignore[arg-type]
    "a switch to a name": (lambda: my.Switch(my.crosses("angle", 0.1), to="pendulum"), "takes an event and a model"),  # type: ignore[arg-type]
    "a carry of nothing": (
        lambda: simulate(
            start={"angle": 0.2, "angle.speed": -3.0},
            duration=1.0,
            until=my.Switch(my.falls_through_zero("angle"), to=pendulum(), carry=lambda _: None),
        ),  # type: ignore[arg-type, return-value]
        "carry must return",
    ),
    "text as a time": (lambda: my.step(at="0.1"), "step: at must be a finite number"),  # type: ignore[arg-type]
    "text in a bezier": (lambda: my.bezier(["a", "b"], 0.0, 1.0), "bezier: control values must be numbers"),  # type: ignore[list-item]
    "text as a start": (lambda: my.bezier([0.0, 1.0], "0", 1.0), "bezier: start must be a finite number"),  # type: ignore[arg-type]
    "text in a bspline": (lambda: my.bspline(["a"] * 5, 0.0, 1.0), "bspline: control values must be numbers"),  # type: ignore[list-item]
    "half a degree": (lambda: my.bspline([1.0] * 5, 0.0, 1.0, degree=2.5), "bspline: a curve of degree 2.5"),  # type: ignore[arg-type]
    "nothing recorded": (lambda: my.recorded(None, "angle"), "recorded takes a trajectory"),  # type: ignore[arg-type]
    "values without names": (lambda: pendulum().with_values(["rod.mass"]), "values are given by name"),  # type: ignore[arg-type]
    "no place": (lambda: my.pin(None, "rod", "angle"), "a place must be the name of a body"),  # type: ignore[arg-type]
    "one axis of two": (lambda: my.universal("ground", "rod", ("a", "b"), axes=("x",)), "needs two axes"),  # type: ignore[arg-type]
    "a number as a sequence": (lambda: my.ball("ground", "rod", ("a", "b", "c"), sequence=123), "rotation sequence"),  # type: ignore[arg-type]
}

WRONG_DATA: dict[str, tuple[Callable[[], Any], str]] = {
    "a number as recorded forces of joint loads": (
        lambda: my.joint_reactions(pendulum(), my.Trajectory([0.0, 0.1], {"angle": [0.0, 0.0]}), 3),  # type: ignore[arg-type]
        "external forces must be ExternalForces",
    ),
    "no column to plot": (lambda: my.plot(simulate(), []), "no column was chosen"),
    "a column of the last row": (lambda: simulate().final["angel"], "did you mean 'angle'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments_are_refused_in_words(case: str) -> None:
    wrong, words = WRONG[case]
    with pytest.raises(my.ModelError, match=words):
        wrong()


def test_numbers_of_any_kind_are_taken() -> None:
    """A cell of a result, numpy's numbers, a trajectory of one's own."""
    first = simulate(start={"angle": np.float32(0.5)})
    assert simulate(start={"angle": first["angle"][-1]}).values("angle")[0] == first.final["angle"]
    own = my.Trajectory([0.0, 1.0], {"angle": [0.0, 0.3], "angle.speed": [0.0, 0.1]})
    assert simulate(start=own).values("angle")[0] == 0.3
    assert simulate(scheme=my.RK4(step=np.float32(0.05))).report.steps == 2


@pytest.mark.parametrize("case", WRONG_DATA.values(), ids=WRONG_DATA)
def test_wrong_data_are_refused(case: tuple[Callable[[], Any], str]) -> None:
    call, message = case
    with pytest.raises(DataError, match=message):
        call()
