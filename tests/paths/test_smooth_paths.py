"""Paths made smooth for optimisers: which are replaced, how close the polynomials are, and what is said of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from support.shared import needs

SHARED = Path(__file__).parents[2] / ".." / "shared" / "models_osim"
shared = needs(SHARED, "OpenSim models are not beside the repository")
# Half a turn of the knee: the point comes into play at -1.
KNEE = {"knee": (-2.0, 0.0)}


def leg(*between: my.ConditionalPoint, wraps: tuple[my.Wrap, ...] = ()) -> my.Model:
    """A shank that one muscle bends, with a cylinder behind the knee."""
    path = my.PointPath(points=(("ground", (-0.02, 0.25, 0.0)), *between, ("shank", (-0.03, -0.05, 0.0))), wraps=wraps)
    return my.Model(
        name="leg",
        bodies={"shank": my.Body(mass=3.0, centre_of_mass=(0.0, -0.2, 0.0), inertia=0.05)},
        joints={"knee": my.pin("ground", "shank", "knee", range=(-2.0, 0.0))},
        surfaces={"condyles": my.WrapCylinder(frame=my.Placement(body="ground"), radius=0.035, length=0.1, half="-x")},
        muscles={
            "flexor": my.Muscle(max_force=800.0, optimal_fibre_length=0.12, tendon_slack_length=0.1, path=path),
        },
    )


def behind(at: float = -0.035) -> my.ConditionalPoint:
    return my.ConditionalPoint(body="ground", at=(at, 0.0, 0.0), coordinate="knee", range=(-3.0, -1.0))


def test_a_path_of_fixed_points_stays():
    model = leg()
    smooth = my.smooth_paths(model)
    assert smooth.model == model
    assert str(smooth) == "all paths are smooth as they are"


def test_a_point_that_comes_and_goes_is_fitted_only_where_it_does():
    model = leg(behind())
    smooth = my.smooth_paths(model)
    assert smooth.model.muscles["flexor"].path.kind == "function"
    assert my.smooth_paths(model, {"knee": (-0.9, 0.0)}).model == model
    assert my.smooth_paths(model, {"knee": (-2.0, -1.1)}).model == model
    # Pictures still have its fixed points.
    assert [point.body for point in smooth.model.muscles["flexor"].path.shown] == ["ground", "shank"]


def test_the_stated_errors_are_those_of_the_fit():
    model = leg(wraps=(my.Wrap(surface="condyles"),))
    smooth = my.smooth_paths(model, error=0.001, arm_error=0.002)
    fit = smooth.fits["flexor"]
    assert fit.within
    assert smooth.off == ()
    knees = np.linspace(-2.0, 0.0, 201)[:, None]
    exact, fitted = my.equations_of(model, compiled=False), my.equations_of(smooth.model, compiled=False)
    arms = exact.moment_arms(knees) - fitted.moment_arms(knees)
    assert np.abs(arms).max() < 1.5 * fit.worst_arm
    assert np.sqrt(np.mean(arms**2)) < 0.002
    # Smooth: its moment arm has no corner where the path leaves the cylinder.
    fine = np.linspace(-2.0, 0.0, 2001)[:, None]
    steps = np.diff(fitted.moment_arms(fine)[:, 0, 0])
    assert np.abs(np.diff(steps)).max() < 1e-6


def test_what_stays_off_comes_first():
    # Five centimetres beside the line: no polynomial follows that jump.
    smooth = my.smooth_paths(leg(behind(-0.1)))
    assert smooth.off == ("flexor",)
    assert str(smooth).startswith("less accurate than requested: flexor (")


def test_walking_has_smooth_paths_and_says_so():
    model = my.load_model("gait2d")
    assert "paths" not in my.walking(model).choices


@shared
def test_a_planar_model_of_opensim_walks_along_smooth_paths():
    problem = my.walking(my.load_model(SHARED / "2D_gait.osim"))
    kinds = {name: muscle.path.kind for name, muscle in problem.model.muscles.items()}
    # Knees bend by 80 degrees and hips by 45 at most here, so the points of kneecap and pelvis stay.
    assert {name for name, kind in kinds.items() if kind == "function"} == {"gastroc_r", "gastroc_l"}
    ranges = next(part.values for part in problem.conditions if part.kind == "bounds")
    assert ranges["hip_flexion_r"] == pytest.approx((-0.6, np.pi / 4), abs=1e-4)
    assert problem.choices["paths"].startswith("2 fitted as polynomials over the ranges of the movement")


@pytest.mark.long
@shared
def test_all_paths_of_rajagopals_model_are_met_over_the_ranges_of_walking():
    model = my.load_model(SHARED / "Rajagopal2016.osim")
    ranges = {"hip_flexion": (-0.52, 1.0), "hip_adduction": (-0.2, 0.2), "hip_rotation": (-0.2, 0.2)}
    ranges |= {"knee_angle": (0.0, 1.4), "ankle_angle": (-0.6, 0.52)}
    smooth = my.smooth_paths(model, {f"{name}_{side}": ends for name, ends in ranges.items() for side in "rl"})
    assert len(smooth.fits) == 42
    assert smooth.off == ()
    assert max(fit.mean_arm for fit in smooth.fits.values()) < 0.001
    assert set(smooth.shortest) == {f"gas{part}_{side}" for part in ("med", "lat") for side in "rl"}
