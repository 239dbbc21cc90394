"""Loops that become joint functions: over a turn, a range and a box, against the same loops kept; and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import myodyne as my

FINE = my.DOP853(relative=1e-12, absolute=1e-12)


def interpreted(model: my.Model) -> my.Equations:
    return my.equations_of(model, compiled=False)


def crank_and_rocker(**constraints: Any) -> my.Model:
    def bar(length: float) -> my.Body:
        return my.Body(mass=length, centre_of_mass=(length / 2, 0, 0), inertia=length**3 / 12)

    loop = my.PointConstraint(first={"body": "b", "at": (4, 0, 0)}, second={"body": "c", "at": (3, 0, 0)}, axes="xy")
    return my.Model(
        name="crank and rocker", bodies={"a": bar(1.0), "b": bar(4.0), "c": bar(3.0)},
        joints={"ja": my.pin("ground", "a", "crank", default=1.0),
                "jb": my.pin({"body": "a", "at": (1, 0, 0)}, "b", "coupler", default=-0.5),
                "jc": my.pin({"body": "ground", "at": (5, 0, 0)}, "c", "rocker", default=2.0)},
        constraints={"loop": loop, **constraints},
    )


def assert_same_motion(kept: my.Result, embedded: my.Result, names: tuple[str, ...], error: float) -> None:
    for name in names:
        np.testing.assert_allclose(embedded.values(name), kept.values(name), atol=error)


def test_a_range_gives_splines() -> None:
    kept = my.load_model("four_bar")
    found = my.embed(kept, "theta1", {"theta1": (0.3, 1.2)})
    assert found.model.moving == ("theta1",)
    assert found.model.coordinates["theta1"].range == (0.3, 1.2), "where the functions hold is written down"
    assert max(found.errors.values()) < 1e-6
    runs = [my.simulate(interpreted(model), 0.5, scheme=FINE) for model in (kept, found.model)]
    assert np.min(runs[0].values("theta1")) > 0.3
    assert_same_motion(*runs, ("theta1", "theta2", "theta3.speed", "p.position_x", "p.velocity_y"), 1e-7)


def test_two_coordinates_give_polynomials() -> None:
    kept = my.load_model("five_bar")
    found = my.embed(kept, ["theta1", "theta2"], {"theta1": (0.8, 1.3), "theta2": (0.4, 1.0)})
    assert found.model.moving == ("theta1", "theta2")
    assert max(found.errors.values()) < 1e-9
    runs = [my.simulate(interpreted(model), 0.2, scheme=FINE) for model in (kept, found.model)]
    assert np.max(runs[0].values("theta2")) < 1.0
    assert_same_motion(*runs, ("theta1", "theta2", "theta3", "theta4.speed", "p.velocity_x"), 1e-7)


def test_drives_are_kept() -> None:
    """A prescribed speed closes no loop: the embedded mechanism is driven by the same torque."""
    kept = crank_and_rocker(drive=my.SpeedConstraint(coordinate="crank", speed=4.0))
    found = my.embed(kept, "crank")
    assert list(found.model.constraints) == ["drive"]
    runs = [my.simulate(interpreted(model), 1.0, scheme=FINE) for model in (kept, found.model)]
    assert_same_motion(*runs, ("rocker", "rocker.speed", "drive.torque"), 1e-6)


@pytest.mark.parametrize("independent, ranges, message", [
    ("theta1", {"theta1": (1.4, 0.4)}, "range of 'theta1' must rise"),
    ("theta1", {"theta2": (0.4, 1.4)}, "unknown independent coordinate 'theta2'"),
    ("theta1", {"theta1": (1.4, 1.6)}, "default 0.9 of 'theta1' lies outside"),
    ("theta1", None, "range of q ends at q = \\(2.087972"),
    ("theta1", {"theta1": (0.4, 2.4)}, "range of q ends at q = \\(2.087972"),
    ("elbow", None, "'elbow'"),
])
def test_ranges_that_cannot_be(independent: str, ranges: Any, message: str) -> None:
    with pytest.raises(my.MyodyneError, match=message):
        my.embed(my.load_model("four_bar"), independent, ranges)


def test_loops_that_repeat_each_other_are_named() -> None:
    twice = crank_and_rocker(again=crank_and_rocker().constraints["loop"])
    with pytest.raises(my.SolveError, match=r"2 of the constraints repeat others.*'again\.force_x'"):
        my.embed(twice, "crank")


def test_functions_that_miss_the_loops_are_refused() -> None:
    model, wide = my.load_model("five_bar"), {"theta1": (0.2, 2.2), "theta2": (-0.5, 1.0)}
    with pytest.raises(my.SolveError, match=r"miss the loops: 'theta[34]' by"):
        my.embed(model, ["theta1", "theta2"], wide, poses=60)
    assert my.embed(model, ["theta1", "theta2"], wide, poses=60, tolerance=1.0).loop_error > 1e-5


def test_speeds_alone_are_no_loops() -> None:
    model = crank_and_rocker(drive=my.SpeedConstraint(coordinate="crank", speed=4.0)).without("loop")
    with pytest.raises(my.ModelError, match="no constraints to embed"):
        my.embed(model, "crank")
