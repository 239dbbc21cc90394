"""Polynomials in place of paths over surfaces: as close as was asked for, kept, and refused where they would lie."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.paths import fitted as fitted_paths
from myodyne.paths.fitted import FittedPaths, Tolerance
from support.wrapped_arm import wrapped_arm

WRAPPED = ("triceps", "triceps_long", "deltoid", "brachialis")


def errors_at(eq: my.Equations, count: int = 400) -> tuple[Any, Any]:
    """Return errors of lengths and moment arms, root mean square, at poses of our own."""
    ends = np.array([eq.model.coordinates[name].range for name in eq.coordinates], dtype=float)
    poses = ends[:, 0] + np.random.default_rng(8).uniform(size=(count, 2)) * np.ptp(ends, axis=1)
    lengths, arms = eq.fitted_paths(poses)
    return (
        np.sqrt(np.mean((lengths - eq.muscle_lengths(poses)) ** 2, axis=0)),
        np.sqrt(np.mean((arms - eq.moment_arms(poses)) ** 2, axis=0)),
    )


@pytest.mark.parametrize("tolerance", [{}, {"path_error": 2e-4, "arm_error": 5e-4, "path_degree": 9}])
def test_the_tolerance_is_kept_or_the_miss_is_reported(tolerance: dict[str, Any]) -> None:
    eq = my.equations_of(wrapped_arm(), compiled=False, **tolerance)
    assert tuple(eq.path_fits) == WRAPPED
    length_error, arm_error = tolerance.get("path_error", 0.0005), tolerance.get("arm_error", 0.001)
    lengths, arms = errors_at(eq)
    for name, fit in eq.path_fits.items():
        number = eq.muscles.index(name)
        within = fit.length.rms <= length_error and max(arm.rms for arm in fit.arms.values()) <= arm_error
        assert fit.within == within
        assert lengths[number] == pytest.approx(fit.length.rms, rel=0.5, abs=2e-5)
        assert arms[number].max() == pytest.approx(max(arm.rms for arm in fit.arms.values()), rel=0.5, abs=2e-5)
        assert fit.length.rms <= fit.length.largest
        assert fit.ranges == {c: eq.model.coordinates[c].range for c in fit.arms}
    assert eq.path_fits["triceps"].within
    # Straight paths are exact whatever the tolerance.
    straight = [number for number, name in enumerate(eq.muscles) if name not in WRAPPED]
    assert lengths[straight].max() < 1e-15


def test_a_smaller_tolerance_makes_longer_and_closer_polynomials() -> None:
    loose, close = (
        my.equations_of(wrapped_arm(), compiled=False, path_error=error, arm_error=2 * error).path_fits
        for error in (2e-3, 2e-4)
    )
    for name in WRAPPED:
        assert close[name].terms > loose[name].terms
        assert close[name].length.rms < loose[name].length.rms
        assert close[name].worst_arm < loose[name].worst_arm


def test_fits_are_kept_and_recalled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYODYNE_CACHE", str(tmp_path))
    model, made = wrapped_arm(), []
    true = fitted_paths.closest_fit

    def counted(path: Any, *rest: Any) -> Any:
        made.append(path.muscle)
        return true(path, *rest)

    monkeypatch.setattr(fitted_paths, "closest_fit", counted)
    first = FittedPaths(model, Tolerance(), "one").fits
    assert tuple(made) == WRAPPED
    # Again, as another process would: everything comes back as it was, to the last digit.
    assert FittedPaths(model, Tolerance(), "one").fits == first
    # Neither do masses and forces of muscles matter.
    stronger = model.with_values({"triceps.max_force": 900.0, "lower.mass": 2.0})
    assert FittedPaths(stronger, Tolerance(), "one").fits == first
    assert FittedPaths(model.free("triceps.max_force"), Tolerance(), "one").fits == first
    assert tuple(made) == WRAPPED
    made.clear()
    FittedPaths(model, Tolerance(length=1e-3), "one").fits  # noqa: B018
    FittedPaths(model, Tolerance(), "two").fits  # noqa: B018
    FittedPaths(wrapped_arm(sizes=0.9), Tolerance(), "one").fits  # noqa: B018
    FittedPaths(model.with_values({"elbow.parent.at.y": -0.31}), Tolerance(), "one").fits  # noqa: B018
    assert tuple(made) == 4 * WRAPPED


def test_models_without_surfaces_have_no_fits_and_keep_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYODYNE_CACHE", str(tmp_path))
    assert FittedPaths(wrapped_arm(wraps=False), Tolerance(), "one").fits == {}
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["triceps.path.points.0.at.x", "roll.radius", "roll.frame.at.y", "elbow.parent.at.y"])
def test_numbers_that_would_move_a_fitted_path_cannot_be_free(name: str) -> None:
    with pytest.raises(my.ModelError, match=f"'{name}' cannot be free: paths over surfaces"):
        my.equations_of(wrapped_arm().free(name), compiled=False)


def test_other_numbers_can_be_free() -> None:
    free = wrapped_arm().free("triceps.max_force", "lower.mass", "biceps.path.points.0.at.x")
    assert my.equations_of(free, compiled=False).parameters == free.free_values


@pytest.mark.parametrize(
    "wrong",
    [
        {"length": 0.0},
        {"length": 1.0},
        {"arm": float("nan")},
        {"arm": True},
        {"length": "fine"},
        {"degree": 0},
        {"degree": 13},
        {"degree": 2.0},
    ],
)
def test_wrong_tolerances_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(my.ModelError, match=next(iter(wrong))):
        Tolerance(**wrong)


def test_a_coordinate_without_a_range_is_fitted_about_its_default() -> None:
    model = wrapped_arm().with_values({"elbow.range": None})
    fit = my.equations_of(model, compiled=False).path_fits["triceps"]
    assert fit.ranges == {"elbow": (pytest.approx(-1.0), pytest.approx(2.0))}
