"""Movements between two movements: one number spans a family."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.data import DataError


def swing(duration: float, size: float, rows: int) -> my.Trajectory:
    """Return a swing with its speed."""
    time = np.linspace(0.0, duration, rows)
    angle = size * np.sin(np.pi * time / duration)
    speed = size * np.pi / duration * np.cos(np.pi * time / duration)
    return my.Trajectory(time, {"knee": angle, "knee.speed": speed}, {"knee": "rad", "knee.speed": "rad/s"})


SHORT, LONG = swing(0.8, 0.2, 81), swing(1.4, 0.6, 141)


@pytest.mark.parametrize("share, end", [(0.0, SHORT), (1.0, LONG)])
def test_its_ends_are_the_two_movements(share: float, end: my.Trajectory) -> None:
    found = my.between(SHORT, LONG, share)
    assert found.duration == pytest.approx(end.duration)
    for name in end.names:
        assert np.interp(end.time, found.time, found.values(name)) == pytest.approx(end.values(name), abs=1e-4)


@pytest.mark.parametrize("share", [-0.2, 0.3, 0.5, 1.2])
def test_a_swing_between_swings_is_the_swing_of_mean_size_and_duration(share: float) -> None:
    found = my.between(SHORT, LONG, share)
    wanted = swing(0.8 + 0.6 * share, 0.2 + 0.4 * share, 201)
    assert found.duration == pytest.approx(wanted.duration)
    for name in wanted.names:
        assert np.interp(found.time, wanted.time, wanted.values(name)) == pytest.approx(found.values(name), abs=2e-4)


def test_speeds_stay_the_rates_of_their_coordinates() -> None:
    found = my.between(SHORT, LONG, 0.4)
    rates = np.gradient(found.values("knee"), found.time)
    assert rates[5:-5] == pytest.approx(found.values("knee.speed")[5:-5], abs=2e-3)


def test_swapping_the_movements_mirrors_the_number() -> None:
    one, other = my.between(SHORT, LONG, 0.3), my.between(LONG, SHORT, 0.7)
    assert one.time == pytest.approx(other.time)
    assert one.values("knee") == pytest.approx(other.values("knee"))


def test_what_has_nothing_between_is_refused() -> None:
    other = my.Trajectory([0.0, 0.3, 0.6, 1.0], {"hip": [0.0, 1.0, 2.0, 3.0]})
    degrees = my.Trajectory(SHORT.time, {"knee": SHORT.values("knee")}, {"knee": "deg"})
    with pytest.raises(DataError, match="no column in common"):
        my.between(SHORT, other, 0.5)
    with pytest.raises(DataError, match="'knee' is in 'rad' and in 'deg'"):
        my.between(SHORT, degrees, 0.5)
    with pytest.raises(DataError, match="would last"):
        my.between(SHORT, LONG, -3.0)
    with pytest.raises(DataError, match="finite number"):
        my.between(SHORT, LONG, float("nan"))
    with pytest.raises(DataError, match="two movements"):
        my.between(SHORT, 3, 0.5)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="four rows"):
        my.between(SHORT, my.Trajectory([0.0, 1.0], {"knee": [0.0, 1.0]}), 0.5)
