"""Andrews' squeezer against its published reference (acceptance 001-15 … 001-18)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.library.squeezer import andrews_squeezer

# Hairer and Wanner, Solving ODEs II, section VII.7, and the IVP test set: t = 0.03 s, sixteen digits.
ANGLES = {
    "beta": 15.81077119629904,
    "Theta": -15.75637105984298,
    "gamma": 0.04082224013073101,
    "Phi": -0.5347301163226948,
    "delta": 0.5244099658805304,
    "Omega": 0.5347301163226948,
    "epsilon": 1.048080741042263,
}
SPEEDS = {
    "beta": 1139.920302151208,
    "Theta": -1424.379294994111,
    "gamma": 11.03291221937134,
    "Phi": 19.29337464421385,
    "delta": 0.5735699284790808,
    "Omega": -19.29337464421385,
    "epsilon": 0.3231791658026955,
}


@pytest.fixture(scope="module", params=["projection", "differences", "fit"])
def embedded(request: pytest.FixtureRequest) -> my.Embedding:
    return my.embed(andrews_squeezer(), "beta", method=request.param)


def assert_reference(run: my.Result, angle: float = 1e-7, speed: float = 1e-5) -> None:
    for name, value in ANGLES.items():
        assert run.final[name] == pytest.approx(value, abs=angle)
        assert run.final[f"{name}.speed"] == pytest.approx(SPEEDS[name], rel=speed)


def test_start_accelerations_and_multipliers(printed: Any) -> None:
    """The published initial accelerations and multipliers (their sign is that of the published constraint)."""
    eq = my.equations_of(andrews_squeezer(), compiled=False)
    rates = dict(zip(eq.motion, eq.derivative(eq.state()), strict=True))
    hairer = printed("Hairer and Wanner 1996")
    for name, value in {"beta": 14222.4439199541138, "Theta": -10666.8329399655854}.items():
        place = f"VII.7, squeezer, acceleration of {name} at t = 0"
        hairer(place, value, rates[f"{name}.speed"], within=1e-8, unit="rad/s²")
    forces = eq.constraint_forces(eq.state())
    for number, value in enumerate([-98.5668703962410896, 6.12268834425566265]):
        place = f"VII.7, squeezer, multiplier {number + 1} at t = 0"
        hairer(place, value, forces[number], within=6e-11, unit="N")
    np.testing.assert_allclose(forces[2:], 0.0, atol=1e-10)


@pytest.mark.parametrize(
    "scheme",
    [my.DOP853(), my.RKF45(relative=1e-11, absolute=1e-11), my.Projected(my.DOP853()), my.Adams(1e-11, 1e-11)],
    ids=lambda scheme: type(scheme).__name__,
)
def test_001_15_kept_loops_reach_the_reference(scheme: my.DOP853, printed: Any) -> None:
    run = my.simulate(andrews_squeezer(), duration=0.03, scheme=scheme, every=3e-4)
    assert_reference(run)
    if isinstance(scheme, my.DOP853):
        hairer = printed("Hairer and Wanner 1996")
        for name, value in ANGLES.items():
            hairer(f"VII.7, squeezer, {name} at 0.03 s", value, run.final[name], within=1e-7, unit="rad")
            speed, turns = SPEEDS[name], run.final[f"{name}.speed"]
            hairer(f"VII.7, squeezer, rate of {name} at 0.03 s", speed, turns, within=1e-5 * abs(speed), unit="rad/s")
    assert all(drift < 1e-6 for drift in run.report.drift.values())


def test_001_18_embedded_loops_reach_the_reference(embedded: my.Embedding) -> None:
    """001-18: joint functions, found in each of three ways, make the mechanism an ordinary differential equation."""
    assert embedded.model.moving == ("beta",)
    assert max(embedded.errors.values()) < 1e-11
    run = my.simulate(embedded.model, duration=0.03, every=3e-4)
    assert_reference(run, angle=1e-8, speed=1e-6)


def test_001_16_embedded_against_stabilised_loops(embedded: my.Embedding, printed: Any) -> None:
    """001-16: over 0.05 s at 1000 points, published RMS 1e-4 rad and 3e-3 rad/s."""
    stabilised = andrews_squeezer().with_values({"stabilisation": 200.0})
    scheme = my.DOP853(relative=1e-11, absolute=1e-11)
    kept = my.simulate(stabilised, duration=0.05, scheme=scheme, every=5e-5)
    free = my.simulate(embedded.model, duration=0.05, scheme=scheme, every=5e-5)
    assert len(kept) == len(free) == 1001
    printed("Ehsani")(
        "4-4-B, points of the comparison of the squeezer, besides the first", 1000, len(kept) - 1, within=0
    )
    for name in ANGLES:
        angle = np.sqrt(np.mean((kept.values(name) - free.values(name)) ** 2))
        speed = np.sqrt(np.mean((kept.values(f"{name}.speed") - free.values(f"{name}.speed")) ** 2))
        assert angle < 1e-8
        assert speed < 1e-6


def test_parameters_agree_with_the_shared_data() -> None:
    file = Path(__file__).parents[3] / "shared" / "data" / "andrews" / "andrews_squeezer.json"
    if not file.exists():
        pytest.skip("the shared reference data are not beside the project")
    data = json.loads(file.read_text())
    model = andrews_squeezer()
    assert [model.bodies[f"K{k}"].mass for k in range(1, 8)] == data["m"]
    assert [model.bodies[f"K{k}"].inertia.zz for k in range(1, 8)] == data["I"]
    for name, value in zip(data["order"], data["q0"], strict=True):
        assert model.coordinates[name].default == value
    for name, value in zip(data["order"], data["q_ref"], strict=True):
        assert ANGLES[name] == pytest.approx(value, rel=1e-14)


def test_a_branch_that_does_not_close_is_named() -> None:
    """A crank that cannot turn fully has a range; its ends and singular poses are named."""
    rod = my.Body(mass=1.0, centre_of_mass=(0.5, 0.0, 0.0), inertia=0.1)
    linkage = my.Model(
        name="rocker",
        bodies={"a": rod, "b": rod, "c": rod},
        joints={
            "ja": my.pin("ground", "a", "qa", default=1.0),
            "jb": my.pin({"body": "a", "at": (2.0, 0.0, 0.0)}, "b", "qb", default=-0.5),
            "jc": my.pin({"body": "ground", "at": (2.5, 0.0, 0.0)}, "c", "qc", default=1.8),
        },
        constraints={
            "loop": my.PointConstraint(
                first={"body": "b", "at": (1.0, 0.0, 0.0)}, second={"body": "c", "at": (1.2, 0.0, 0.0)}, axes="xy"
            )
        },
    )
    with pytest.raises(my.SolveError, match=r"'rocker'.*'qa'"):
        my.embed(linkage, "qa")
    with pytest.raises(my.ModelError, match="choose 1 independent"):
        my.embed(linkage, ["qa", "qb"])
    with pytest.raises(my.ModelError, match="qd"):
        my.embed(linkage, "qd")
    with pytest.raises(my.ModelError, match="no constraints"):
        my.embed(linkage.unconstrained(), "qa")
