"""The hopper of the examples whose muscle is excited by its own force."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import myodyne as my

FILE = Path(__file__).parents[2] / "examples" / "force_reflex.py"


@pytest.fixture(scope="module")
def reflex() -> ModuleType:
    spec = importlib.util.spec_from_file_location("force_reflex", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["force_reflex"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def hops(reflex: ModuleType) -> my.Result:
    run: my.Result = reflex.hop(4.0)
    return run


@pytest.mark.long
def test_positive_force_feedback_hops_and_forgets_where_it_began(reflex: ModuleType, hops: my.Result) -> None:
    higher = reflex.hop(4.0, height=1.25)
    for run in (hops, higher):
        assert run.report.status == "completed"
        assert len(reflex.apexes(run)) >= 4
    assert reflex.apexes(hops)[-1] == pytest.approx(reflex.apexes(higher)[-1], abs=0.01)
    assert reflex.apexes(hops)[-1] > reflex.TOUCH_DOWN + 0.1


def test_without_the_reflex_the_leg_collapses(reflex: ModuleType) -> None:
    run = reflex.hop(1.0, gain=0.0)
    assert run.report.status != "completed"
    assert run.final["knee"] == pytest.approx(my.degrees(60), abs=1e-6)


def test_the_leg_pushes_by_the_geometry_of_the_knee(reflex: ModuleType, hops: my.Result) -> None:
    """Geyer et al. 2003: the muscle's moment over the distance of the knee from the line of the leg."""
    rows = np.flatnonzero(~np.isnan(hops.values("knee")))
    height, force = hops.values("mass.position_y")[rows], hops.values("extensor.force")[rows]
    expected = reflex.ARM * force / np.sqrt(reflex.SEGMENT**2 - (height / 2) ** 2)
    # The knee's acceleration, and the derivatives of height by the knee, give that of the mass.
    knee, speed, change = (hops.values(name)[rows] for name in ("knee", "knee.speed", "knee.acceleration"))
    upwards = reflex.SEGMENT * (np.cos(knee / 2) * change - np.sin(knee / 2) * speed**2 / 2)
    assert reflex.MASS * (upwards + 9.81) == pytest.approx(expected, abs=1e-6 * expected.max())


def test_flights_are_ballistic_and_the_muscle_s_states_pass_through(reflex: ModuleType, hops: my.Result) -> None:
    for time, _ in hops.report.events:
        row = int(np.searchsorted(hops.time, time))
        for name in ("extensor.projected_length", "extensor.activation", "mass.position_y", "mass.velocity_y"):
            column = hops.values(name)
            assert column[row + 1] == pytest.approx(column[row], abs=1e-6)
    take_off = [time for time, name in hops.report.events if name.startswith("knee")][1]
    row = int(np.searchsorted(hops.time, take_off)) + 1
    speed = hops.values("mass.velocity_y")[row]
    assert reflex.apexes(hops)[1] == pytest.approx(reflex.TOUCH_DOWN + speed**2 / (2 * 9.81), abs=1e-4)
