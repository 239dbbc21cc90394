"""The arc of a foot from the path of its ankle: exact without noise, and as uncertain as it says with noise."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my

ANGLES = np.linspace(0.25, -0.95, 45)
TRUE = my.RollingFoot(0.32, (0.03, 0.24), 1.4, 0.0, (0.0, 0.0), 0.0, 0.0, 0, level=0.02)


def test_an_arc_is_found_again() -> None:
    x, y = TRUE.ankle(ANGLES).T
    found = my.fit_rolling_foot(x, y, ANGLES, level=0.02)
    assert (found.radius, *found.centre, found.anchor) == pytest.approx((0.32, 0.03, 0.24, 1.4), abs=1e-10)
    assert found.rms < 1e-12
    np.testing.assert_allclose(found.ankle(ANGLES), TRUE.ankle(ANGLES), atol=1e-12)


def test_the_arc_is_that_of_a_rolling_constraint() -> None:
    """The ankle of a model that rolls gives back the constraint it rolls on."""
    roll = TRUE.constraint("foot")
    model = my.Model(
        name="foot",
        bodies={"foot": my.Body(mass=1.0, centre_of_mass=(0.05, -0.03, 0.0), inertia=0.01)},
        joints={"float": my.planar("ground", "foot", ("x", "y", "q"))},
        constraints={"roll": roll},
    )
    x, y = TRUE.ankle(0.2)
    start = {"x": float(x), "y": float(y), "q": 0.2, "q.speed": -3.0}
    run = my.simulate(my.equations_of(model, compiled=False), 0.3, start=start, scheme=my.DOP853(relative=1e-11))
    found = my.fit_rolling_foot(run.values("x"), run.values("y"), run.values("q"), level=0.02)
    assert found.constraint("foot").radius == pytest.approx(roll.radius, abs=1e-8)
    assert found.constraint("foot").at == pytest.approx(roll.at, abs=1e-8)
    assert found.anchor == pytest.approx(roll.anchor, abs=1e-8)


def test_errors_are_as_large_as_they_say() -> None:
    """With noise of 2 mm in x and y: over many trials the spread is the standard error, and the mean is right."""
    random = np.random.default_rng(8)
    fits = []
    for _ in range(400):
        x, y = (TRUE.ankle(ANGLES) + random.normal(0.0, 0.002, (45, 2))).T
        fits.append(my.fit_rolling_foot(x, y, ANGLES, level=0.02))
    radii = np.array([fit.radius for fit in fits])
    heights = np.array([fit.centre[1] for fit in fits])
    assert np.mean([fit.radius_error for fit in fits]) == pytest.approx(np.std(radii), rel=0.15)
    assert np.mean([fit.centre_error[1] for fit in fits]) == pytest.approx(np.std(heights), rel=0.15)
    assert abs(np.mean(radii) - 0.32) < 4 * np.std(radii) / 20
    assert np.mean([fit.rms for fit in fits]) == pytest.approx(0.002 * np.sqrt(2), rel=0.05)
    # The radius alone is known worse than its difference from the height of the centre.
    assert np.std(radii - heights) < 0.3 * np.std(radii)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x, y, a: (x, y, a[:-1]), "45, 45 and 44"),
        (lambda x, y, a: (x, np.where(a < 0, np.nan, y), a), "y holds"),
        (lambda x, y, a: (x, y, np.degrees(a)), "degrees"),
        (lambda x, y, a: (x[:4], y[:4], a[:4]), "4 samples"),
        (lambda x, y, a: (x, y, 0 * a), "does not rotate"),
        (lambda x, y, a: (x, -y, a), "does not roll"),
        (lambda x, y, a: (x[:, None], y, a), "one for each sample"),
    ],
)
def test_what_cannot_be_fitted_is_refused(change: object, message: str) -> None:
    x, y = TRUE.ankle(ANGLES).T
    with pytest.raises(my.ModelError, match=message):
        my.fit_rolling_foot(*change(x, y, ANGLES), level=0.02)  # type: ignore[operator]
