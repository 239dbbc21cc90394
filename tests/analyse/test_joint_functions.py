"""Joint functions fitted to measured motion: exact data come back, bands cover, a rhythm is found (001)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.library.shoulder.rhythm import clavicle_turns, scapula_turns
from support.shared import needs

MOTION = Path(__file__).parents[3] / "shared" / "data" / "das3" / "rel2_ode15s_q_deg.csv"
FAMILIES = ("polynomial", "spline", "fourier")


def swept(rows: int = 241, **columns: Any) -> my.Trajectory:
    time = np.linspace(0.0, 4.0, rows)
    knee = 0.9 + 0.8 * np.sin(2.5 * time)
    return my.Trajectory(time, {"knee": knee} | {name: make(knee) for name, make in columns.items()})


def true(knee: Any, by: str) -> Any:
    """Return a function that a family can represent."""
    if by == "polynomial":
        return 0.1 - 0.3 * knee + 0.05 * knee**3
    if by == "fourier":
        return 0.2 + 0.3 * np.cos(2 * np.pi * knee / 3.0) - 0.1 * np.sin(4 * np.pi * knee / 3.0)
    from scipy.interpolate import CubicSpline

    return CubicSpline(np.linspace(0.1, 1.7, 5), [0.0, 0.2, 0.1, 0.4, 0.3], bc_type="natural")(knee)


ORDER = {"polynomial": 3, "spline": 4, "fourier": 2}


@pytest.mark.parametrize("by", FAMILIES)
def test_a_function_of_the_family_comes_back_and_moves_a_joint_alike(by: Any) -> None:
    time = np.linspace(0.0, 1.0, 200)
    knee = 0.1 + 1.6 * time
    motion = my.Trajectory(time, {"knee": knee, "glide": true(knee, by)})
    fit = my.fit_joint_functions(motion, "glide", "knee", by=by, order=ORDER[by], period=3.0)
    assert fit.rms["glide"] < 1e-12
    assert fit.band("glide", {"knee": 1.0}) < 1e-11
    shank = my.Joint(
        parent=my.Placement(body="ground"),
        child=my.Placement(body="shank"),
        coordinates={"knee": my.Coordinate()},
        axes=[my.Axis(motion="translation", direction="x", function=fit.functions["glide"])],
    )
    model = my.Model(name="knee", bodies={"shank": my.Body(mass=1.0, inertia=0.1)}, joints={"knee": shank})
    eq = my.equations_of(model, compiled=False)
    # Beyond what was measured too: a spline goes on straight.
    for angle in (0.1, 0.7, 1.7, 2.0):
        wanted = fit.values("glide", {"knee": angle})
        assert eq.body_positions([angle])["shank"][0] == pytest.approx(float(wanted), abs=1e-11)


@pytest.mark.parametrize("by", FAMILIES)
def test_the_order_is_found_under_noise(by: Any) -> None:
    rng = np.random.default_rng(4)
    motion = swept(glide=lambda knee: true(knee, by) + 0.004 * rng.normal(size=knee.shape))
    fit = my.fit_joint_functions(motion, ["glide"], ["knee"], by=by, period=3.0)
    knee = np.linspace(0.15, 1.65, 50)
    apart = np.abs(fit.values("glide", {"knee": knee}) - true(knee, by))
    assert fit.rms["glide"] == pytest.approx(0.004, rel=0.15)
    assert apart.max() < 0.004
    assert f"order {fit.order['glide']:2d}" in str(fit)


@pytest.mark.parametrize("alike, least, most", [(0.0, 0.92, 0.98), (0.8, 0.85, 0.98)])
def test_the_band_covers_the_truth_as_often_as_it_says(alike: float, least: float, most: float) -> None:
    """At 95 %, over 300 measurements, with errors that are independent or follow each other."""
    rng, covered = np.random.default_rng(8), []
    at = {"knee": np.array([0.2, 0.6, 1.0, 1.4])}
    for _ in range(300):
        noise = rng.normal(size=241)
        for row in range(1, 241):
            noise[row] = alike * noise[row - 1] + np.sqrt(1 - alike**2) * noise[row]
        motion = swept(glide=lambda knee, noise=noise: true(knee, "polynomial") + 0.01 * noise)
        fit = my.fit_joint_functions(motion, "glide", "knee", order=3)
        covered.append(np.abs(fit.values("glide", at) - true(at["knee"], "polynomial")) < fit.band("glide", at))
    assert least < np.mean(covered) < most


def test_a_rhythm_is_found_from_noisy_measurements() -> None:
    """De Groot and Brand's regression, measured with errors of 2 degrees in 13 raises of the arm."""
    rng, columns = np.random.default_rng(5), {}
    plane, raised = np.meshgrid(
        np.radians(np.linspace(-30, 130, 13)), np.radians(np.linspace(20, 140, 40)), indexing="ij"
    )
    known = {f"clavicle_{axis}": turn for axis, turn in clavicle_turns()[:2]}
    known |= {f"scapula_{axis}": turn for axis, turn in scapula_turns()}
    arm = {"plane": plane.ravel(), "elevation": raised.ravel()}
    for name, turn in known.items():
        constant, by_plane, by_elevation = (term.coefficient for term in turn.terms)
        exact = constant + by_plane * arm["plane"] + by_elevation * arm["elevation"]
        columns[name] = exact + np.radians(2.0) * rng.normal(size=exact.shape)
    motion = my.Trajectory(np.arange(520) / 50, arm | columns)
    fit = my.fit_joint_functions(motion, tuple(known), ("plane", "elevation"))
    assert set(fit.order.values()) == {1}
    inside = []
    for name, turn in known.items():
        assert fit.rms[name] == pytest.approx(np.radians(2.0), rel=0.1)
        found = {term.powers: term.coefficient for term in fit.functions[name].terms}
        for term in turn.terms:
            assert found[term.powers] == pytest.approx(term.coefficient, abs=0.02)
        at = {"plane": np.radians([0.0, 60.0, 120.0]), "elevation": np.radians([30.0, 90.0, 130.0])}
        constant, by_plane, by_elevation = (term.coefficient for term in turn.terms)
        exact = constant + by_plane * at["plane"] + by_elevation * at["elevation"]
        inside.append(np.abs(fit.values(name, at) - exact) < fit.band(name, at, level=0.999))
    assert np.all(inside)


@needs(MOTION, "the motion of DAS3 is not at hand")
def test_the_clavicle_of_a_simulated_arm_follows_its_humerus() -> None:
    """DAS3 moved by its muscles: where one coordinate does not determine another, the error says so."""
    rows = np.loadtxt(MOTION, delimiter=",", skiprows=1)
    names = ("SC_y", "SC_z", "SC_x", "AC_y", "AC_z", "AC_x", "GH_y", "GH_z", "GH_yy", "EL_x", "PS_y")
    motion = my.Trajectory(rows[:, 0], dict(zip(names, np.radians(rows[:, 1:12]).T, strict=True)))
    one = my.fit_joint_functions(motion, ("SC_y", "AC_z"), "GH_z", order=3)
    two = my.fit_joint_functions(motion, ("SC_y", "AC_z"), ("GH_y", "GH_z"), order=3)
    for name in ("SC_y", "AC_z"):
        assert two.rms[name] < one.rms[name] < np.ptp(motion.values(name))
        assert two.rms[name] < np.radians(1.0)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"of": "knee_y"}, "unknown column 'knee_y'"),
        ({"coordinates": "glide"}, "'glide' is both a function and a coordinate"),
        ({"of": ()}, "name columns to fit"),
        ({"by": "splines"}, "unknown family 'splines'.*spline"),
        ({"by": "spline", "coordinates": ("knee", "still")}, "a spline function has one coordinate"),
        ({"order": 0}, "whole number from 1"),
        ({"coordinates": "still"}, "'still' does not move"),
        ({"of": "gap"}, "'gap' has gaps"),
        ({"order": 300}, "too few"),
        ({"coordinates": ("knee", "twice"), "order": 2}, "vary independently"),
        ({"by": "fourier", "period": -1.0}, "period must be positive"),
    ],
)
def test_what_cannot_be_fitted(change: dict[str, Any], message: str) -> None:
    motion = swept(
        glide=lambda knee: knee**2,
        still=lambda knee: 0 * knee,
        twice=lambda knee: 2 * knee,
        gap=lambda knee: np.where(knee > 1, np.nan, knee),
    )
    given: dict[str, Any] = {"of": "glide", "coordinates": "knee"} | change
    with pytest.raises(my.MyodyneError, match=message):
        my.fit_joint_functions(motion, given.pop("of"), given.pop("coordinates"), **given)


def test_bands_and_values_name_what_is_missing() -> None:
    fit = my.fit_joint_functions(swept(glide=lambda knee: knee**2), "glide", "knee", order=2)
    for call, message in (
        (lambda: fit.values("slide", {"knee": 1.0}), "unknown fitted function 'slide'"),
        (lambda: fit.values("glide", {}), "need a value of 'knee'"),
        (lambda: fit.values("glide", {"knee": 1.0, "hip": 1.0}), "unknown coordinate of the fit 'hip'"),
        (lambda: fit.band("glide", {"knee": 1.0}, level=95.0), "between 0 and 1"),
    ):
        with pytest.raises(my.MyodyneError, match=message):
            call()
