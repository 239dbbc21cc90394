"""The table of the cycling page is what its script prints."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from support.examples import example

ROOT = Path(__file__).parents[2]
# The script prints more rows than the page shows.
Row = tuple[int, float, float, float]


def of_the_page() -> dict[tuple[str, float], Row]:
    lines = (ROOT / "docs" / "guide" / "cycling.md").read_text(encoding="utf-8").replace("\u2212", "-").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    found = [row for row in rows if row[0] in ("Adams", "Heun", "DOP853")]
    return {
        (method, float(accuracy.removesuffix(" s"))): (int(steps), float(power), float(x), float(y))
        for method, accuracy, steps, power, x, y in found
    }


@pytest.mark.long
def test_the_rows_are_those_of_the_script() -> None:
    script = ROOT / "examples" / "sprint_cycling.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, timeout=900)
    printed: dict[tuple[str, float], Row] = {}
    for line in done.stdout.splitlines():
        cells = line.split()
        if cells and cells[0] in ("Adams", "Heun", "DOP853"):
            printed[cells[0], float(cells[1])] = (int(cells[2]), float(cells[3]), float(cells[4]), float(cells[5]))
    page = of_the_page()
    assert len(page) == 9
    for (method, accuracy), (steps, power, x, y) in page.items():
        made = printed[method, accuracy]
        if method != "Adams":
            assert made == (steps, power, x, y), (method, accuracy)
            continue
        # Orders and steps are chosen by comparisons of norms, which another mathematical library may decide otherwise.
        assert made[0] == pytest.approx(steps, rel=0.01)
        assert made[1] == pytest.approx(power, abs=0.11)
        assert made[2:] == pytest.approx((x, y), abs=accuracy)


@pytest.mark.long
def test_rounding_does_not_change_the_steps_of_adams() -> None:
    """A start that differs in its last digits takes the same steps, and ends in the same place."""
    cycling = example("sprint_cycling")
    pedalling, rng = cycling.one_leg(), np.random.default_rng(0)
    rows = []
    for last in (0.0, 1.0, 1.0):
        start = {name: value * (1.0 + 1e-15 * last * rng.integers(-4, 5)) for name, value in pedalling.start.items()}
        run = cycling.ride(replace(pedalling, start=start), my.Adams(relative=1e-14, absolute=1e-4))
        rows.append(cycling.row_of(run, "Adams", 1e-4))
    assert len({row.steps for row in rows}) == 1
    assert np.ptp([row.place for row in rows], axis=0).max() < 1e-9
