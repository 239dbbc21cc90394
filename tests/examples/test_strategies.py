"""Control strategies of the examples: the hopper hops, posture is held, couplings move the arms with the legs."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import myodyne as my

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name: str) -> ModuleType:
    """Return an example as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def hopping() -> ModuleType:
    return example("hopper")


@pytest.fixture(scope="module")
def hops(hopping: ModuleType) -> my.Result:
    run: my.Result = hopping.hop()
    return run


def test_it_hops_a_hundred_times_while_the_target_speed_changes_by_thirty_percent(
    hopping: ModuleType, hops: my.Result
) -> None:
    assert hops.report.status == "completed"
    assert len(hopping.lift_offs(hops)) >= 100
    assert {value for _, value in hopping.TARGETS} == {0.7, 1.0, 1.3}
    for value, speeds in hopping.reached(hops):
        assert len(speeds) == 10
        assert speeds.mean() == pytest.approx(value, rel=0.03)
        assert np.ptp(speeds) < 0.015
    assert np.abs(hopping.pitch(hops)).max() < my.degrees(8)


def test_the_last_hops_repeat(hopping: ModuleType, hops: my.Result) -> None:
    """With a constant target what is left of a disturbance shrinks from hop to hop."""
    speeds = hopping.hop_speeds(hops)
    begins = hopping.lift_offs(hops)[:-1]
    last = speeds[begins > hopping.TARGETS[-1][0] + 1.0]
    assert np.abs(np.diff(last[-8:])).max() < 0.1 * np.abs(np.diff(last[:5])).max()


def test_energy_is_accounted_for_and_the_ground_only_pushes(hops: my.Result) -> None:
    assert hops.report.energy_error < 1e-9
    push = hops.values("hold_foot_y.torque")
    assert np.nanmin(push) > -1e-6 * np.nanmax(push)


def test_landing_keeps_angular_momentum_about_the_foot_and_the_foot_stays_where_it_lands(hops: my.Result) -> None:
    landing = next(time for time, name in hops.report.events if name.startswith("foot_y"))
    row = int(np.searchsorted(hops.time, landing))
    before, after = ({name: hops.values(name)[i] for name in hops.names} for i in (row, row + 1))
    momenta = []
    for at in (before, after):
        arm = np.array([at["com.position_x"] - at["foot_x"], at["com.position_y"] - at["foot_y"]])
        linear = np.array([at["momentum.linear_x"], at["momentum.linear_y"]])
        momenta.append(at["momentum.angular_z"] + arm[0] * linear[1] - arm[1] * linear[0])
    assert momenta[0] == pytest.approx(momenta[1], rel=1e-10)
    assert after["energy.kinetic"] < before["energy.kinetic"]
    assert abs(after["foot_x.speed"]) < 1e-12 < abs(before["foot_x.speed"])
    standing = hops.values("foot_x")[~np.isnan(hops.values("hold_foot_y.torque"))]
    places = np.split(standing, np.flatnonzero(np.abs(np.diff(standing)) > 0.05) + 1)
    assert len(places) > 100
    assert max(np.ptp(place) for place in places) < 1e-9


def test_each_of_the_three_laws_is_needed(hopping: ModuleType) -> None:
    duration = hopping.TARGETS[1][0]
    runs = {name: hopping.hop(duration, **gains) for name, gains in hopping.WITHOUT.items()}
    assert runs["thrust"].report.status != "completed"
    assert np.abs(hopping.pitch(runs["attitude control"])).max() > 2 * np.pi
    assert hopping.hop_speeds(runs["an answer to speed"])[-1] > 1.1
