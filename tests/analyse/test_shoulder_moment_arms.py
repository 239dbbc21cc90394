"""001-14: moment arms of the leaders of six groups of shoulder muscles, in nine conditions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from myodyne.equations import Equations, equations_of

FILE = Path(__file__).parents[3] / "shared" / "models_osim" / "MoBL_ARMS.osim"
LEADERS = ("LAT1", "PECM3", "DELT1", "PECM1", "SUBSC", "DELT2")
ANGLES = ("elv_angle", "shoulder_elv", "shoulder_rot")
STEP = 1e-5

pytestmark = [
    pytest.mark.skipif(not FILE.is_file(), reason="MoBL_ARMS.osim is not at hand and may not be shipped"),
    pytest.mark.long,
]


@pytest.fixture(scope="module")
def equations() -> Equations:
    model = my.load_model(FILE)
    others = [name for name in model.muscles if name not in LEADERS]
    return equations_of(model.without(*others, *model.forces), compiled=False)


@pytest.mark.parametrize("varied", ANGLES)
@pytest.mark.parametrize("about", ANGLES)
def test_001_14_arms_are_minus_the_slope_of_the_length(equations: Equations, varied: str, about: str) -> None:
    """The coordinate ``varied`` goes through its range, the others stay at zero, as in the paper.

    The elevation stays just above zero: the rhythm of the file has a corner there, and so has the length of four leaders.
    """
    low, high = equations.model.coordinates[varied].range or (-1.0, 1.0)
    column = equations.coordinates.index(about)
    checked = 0
    for value in np.linspace(low, high, 13)[1:-1]:
        q = np.zeros(len(equations.coordinates))
        q[equations.coordinates.index("shoulder_elv")] = 0.02
        q[equations.coordinates.index(varied)] = value
        arms = equations.moment_arms(q)[:, column]
        shift = np.eye(q.size)[column] * STEP
        ahead, here, behind = (equations.muscle_lengths(q + s * shift) for s in (1, 0, -1))
        slope = -(ahead - behind) / (2 * STEP)
        # Where a path changes its contact within the step the difference means nothing.
        smooth = np.abs(ahead - 2 * here + behind) < 1e-9
        checked += int(smooth.sum())
        assert arms[smooth] == pytest.approx(slope[smooth], abs=1e-7)
    assert checked > 0.8 * 11 * len(LEADERS)
