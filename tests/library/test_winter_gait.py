"""Winter's walking as the package carries it: equal to its source, periodic, in the signs of the model gait2d."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from myodyne.data import DataError
from myodyne.library.winter_gait import winter_gait

SOURCE = Path(__file__).parents[3] / "shared" / "data" / "winter_gait" / "winter_normal_mean_var.csv"
NAMES = {
    "hip": "hip_flexion",
    "knee": "knee_angle",
    "ankle": "ankle_angle",
    "ground_force_x": "GRF_x",
    "ground_force_y": "GRF_y",
}


@pytest.mark.skipif(not SOURCE.is_file(), reason="Winter's figures are not beside the project")
def test_it_is_the_source_on_both_sides() -> None:
    with SOURCE.open() as stream:
        rows = {
            (row[0], row[3]): np.array(row[4:], dtype=float) for row in csv.reader(stream) if row[3] in ("mean", "var")
        }
    norm = winter_gait()
    for side, letter in (("right", "r"), ("left", "l")):
        for ours, theirs in NAMES.items():
            mean, variance = rows[f"{theirs}_{letter}", "mean"], rows[f"{theirs}_{letter}", "var"]
            # The file of the package keeps six digits.
            np.testing.assert_allclose(norm.mean.values(f"{side}_{ours}"), mean, rtol=6e-6, atol=1e-9)
            np.testing.assert_allclose(norm.deviation.values(f"{side}_{ours}"), np.sqrt(variance), rtol=6e-6)
    assert norm.duration == rows["dur", "mean"][0]
    assert norm.speed == rows["speed", "mean"][0]


def test_angles_have_the_signs_of_the_model() -> None:
    norm, model = winter_gait(200), my.load_model("gait2d")
    for name in ("right_hip", "right_knee", "right_ankle", "left_hip", "left_knee", "left_ankle"):
        lowest, highest = model.coordinates[name].range or (0.0, 0.0)
        values = norm.mean.values(name)
        assert lowest < values.min() < values.max() <= highest
    hip, knee = norm.mean.values("right_hip"), norm.mean.values("right_knee")
    assert hip[0] > 0.3  # flexed at heel strike
    assert 0.6 < knee.argmin() / 200 < 0.8  # bent in swing, which is negative
    braking, push = norm.mean.values("right_ground_force_x")[10:40], norm.mean.values("right_ground_force_x")[70:110]
    assert braking.mean() < -0.05 < 0.05 < push.mean()


@pytest.mark.parametrize("count", [2, 50, 61, 100])
def test_the_left_side_lags_half_a_cycle(count: int) -> None:
    norm, fine = winter_gait(count), winter_gait(2 * count)
    assert norm.mean.time[-1] == pytest.approx(norm.duration * (count - 1) / count)
    for part, whole in ((norm.mean, fine.mean), (norm.deviation, fine.deviation)):
        for name in NAMES:
            np.testing.assert_allclose(
                np.roll(whole.values(f"right_{name}"), count)[::2], part.values(f"left_{name}"), atol=1e-12
            )


def test_too_few_rows_are_refused() -> None:
    with pytest.raises(DataError, match="at least two rows, not 1"):
        winter_gait(1)
