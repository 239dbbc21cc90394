"""A run is compared with a motion at common times, by name, in one unit."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.data import DataError

TIME = np.linspace(0.0, 1.0, 51)


def record(shift: float = 0.0, time: np.ndarray = TIME, unit: str = "rad") -> my.Trajectory:
    return my.Trajectory(
        time, {"knee": np.sin(3.0 * time) + shift, "height": 1.0 + 0.1 * time}, {"knee": unit, "height": "m"}
    )


def test_a_constant_error_is_its_own_rms_and_largest() -> None:
    found = my.compare(record(0.02), record())
    assert found["knee"].rms == pytest.approx(0.02)
    assert found["knee"].largest == pytest.approx(0.02)
    assert found.largest == {"rad": pytest.approx(0.02), "m": 0.0}
    assert found.first_beyond is None


def test_a_growing_error_is_dated_where_it_passes_the_bound() -> None:
    run = my.Trajectory(TIME, {"knee": np.sin(3.0 * TIME) + 0.1 * TIME, "height": 1.0 + 0.2 * TIME})
    found = my.compare(run, record(), bound={"rad": 0.0501, "height": 0.0301})
    assert found["knee"].beyond == pytest.approx(0.52)
    assert found["height"].beyond == pytest.approx(0.32)
    assert found.first_beyond is not None and found.first_beyond.name == "height"
    assert found["knee"].rms == pytest.approx(0.1 * np.sqrt(np.mean(TIME**2)))


def test_other_times_of_the_run_do_not_matter() -> None:
    finer = np.linspace(-0.3, 0.9, 97)
    found = my.compare(record(time=finer), record())
    assert found["knee"].largest < 1e-5
    assert (found.start, found.end, found.rows) == (0.0, pytest.approx(0.9), 46)


def test_the_table_shows_angles_in_degrees() -> None:
    text = str(my.compare(record(np.radians(2.0)), record(), bound=0.01))
    assert "knee" in text and " 2 " in text and "°" in text and "in all" in text


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(DataError, match="is in deg in the run and in rad"):
        my.compare(record(unit="deg"), record())
    with pytest.raises(DataError, match="no time of the motion"):
        my.compare(record(time=TIME + 3.0), record())
    with pytest.raises(DataError, match="share no column"):
        my.compare(record().select("knee"), record().select("height"))
    with pytest.raises(DataError, match="lacks a column"):
        my.compare(record().select("knee"), record(), ["height"])
    with pytest.raises(DataError, match=r"NaN at 0\.02 s"):
        gap = np.where(np.arange(51) == 1, np.nan, 0.0)
        my.compare(my.Trajectory(TIME, {"knee": gap}), record())
    with pytest.raises(DataError, match="positive number"):
        my.compare(record(), record(), bound=-1.0)
    with pytest.raises(DataError, match="Trajectory"):
        my.compare([1.0], record())  # type: ignore[arg-type]
