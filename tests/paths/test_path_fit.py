"""Fits of paths: they keep what they promise at poses that nobody fitted, and say so where they cannot."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my
from support.paths import PathSymbols
from support.wrapped_arm import wrapped_arm

MUSCLE: dict[str, Any] = {"max_force": 800.0, "optimal_fibre_length": 0.1, "tendon_slack_length": 0.2}


def arm(**muscles: Any) -> my.Model:
    """Return an upper arm on a ball joint and a forearm on a pin, with a shift and a coupled turn beyond."""
    body = my.Body(mass=2.0, centre_of_mass=(0.0, -0.15, 0.0), inertia=my.Inertia(xx=0.02, yy=0.01, zz=0.02))
    return my.Model(
        name="arm",
        bodies={"upper": body, "fore": body, "hand": body},
        joints={
            "shoulder": my.ball(
                "ground",
                "upper",
                ("raise", "swing", "twist"),
                "zxy",
                **{"raise": {"range": (-0.4, 1.2)}, "swing": {"range": (-0.5, 0.5)}, "twist": {"range": (-0.4, 0.4)}},
            ),
            "elbow": my.pin({"body": "upper", "at": (0.0, -0.3, 0.0)}, "fore", "elbow", range=(0.0, 2.2)),
            "wrist": my.Joint(
                parent={"body": "fore", "at": (0.0, -0.25, 0.0)},
                child={"body": "hand"},
                coordinates={
                    "slide": {"range": (-0.02, 0.02)},
                    "turn": {"coupled": my.Linear(coordinate="elbow", slope=0.3)},
                },
                axes=(
                    {"motion": "translation", "direction": "y", "function": "slide"},
                    {"motion": "rotation", "direction": "z", "function": "turn"},
                ),
            ),
        },
        muscles={name: my.Muscle(path=path, **MUSCLE) for name, path in muscles.items()},
    )


BRACHIALIS = my.PointPath(points=(("upper", (0.01, -0.15, 0.0)), ("fore", (0.02, -0.04, 0.0))))
BICEPS = my.PointPath(points=(("ground", (0.03, 0.02, 0.02)), ("fore", (0.02, -0.05, 0.0))))
WRIST = my.PointPath(points=(("fore", (0.02, -0.05, 0.0)), ("hand", (0.025, -0.03, 0.0))))


@cache
def usual_fit(name: str) -> tuple[my.Model, my.PathFit]:
    """Return an arm with one of the muscles, and its fit within the usual errors."""
    model = arm(**{name: {"brachialis": BRACHIALIS, "biceps": BICEPS, "flexor": WRIST}[name]})
    return model, my.fit_path(model, name)


def checked(model: my.Model, fit: my.PathFit, seed: int = 11) -> None:
    """Compare path and fit at poses of our own, by the equations that both models are simulated with."""
    rng = np.random.default_rng(seed)
    fitted = model.with_parts(muscles={fit.muscle: my.Muscle(path=fit.path, **MUSCLE)})
    low, high = (np.array([fit.ranges.get(name, (0.0, 0.0))[end] for name in model.moving]) for end in (0, 1))
    poses = low + rng.uniform(size=(500, len(low))) * (high - low)
    number = list(model.muscles).index(fit.muscle)
    ours, theirs = (my.equations_of(m, compiled=False) for m in (model, fitted))
    assert np.abs(ours.muscle_lengths(poses) - theirs.muscle_lengths(poses))[:, number].max() <= fit.error
    off = np.abs(ours.moment_arms(poses) - theirs.moment_arms(poses))[:, number]
    assert off.max() <= fit.arm_error
    assert off.max() > 1e-3 * fit.arm_error  # something was fitted at all


@pytest.mark.parametrize(
    "name, crossed",
    [
        ("brachialis", ("elbow",)),
        pytest.param("biceps", ("raise", "swing", "twist", "elbow"), marks=pytest.mark.long),
        ("flexor", ("elbow", "slide")),
    ],
)
def test_a_fit_keeps_its_promise_at_other_poses(name: str, crossed: tuple[str, ...]) -> None:
    model, fit = usual_fit(name)
    assert fit.coordinates == crossed
    assert set(fit.ranges) == set(crossed)
    assert fit.units == {c: "m" if c == "slide" else "rad" for c in crossed}
    assert fit.errors.length.largest <= 0.001
    assert max(part.largest for part in fit.errors.by_coordinate.values()) <= 0.002
    assert fit.errors.length.rms < fit.errors.length.largest
    checked(model, fit)


@pytest.mark.parametrize(("name", "path"), [("flexor", WRIST), pytest.param("biceps", BICEPS, marks=pytest.mark.long)])
def test_the_error_map_shows_the_errors_of_the_fit(name: str, path: my.PointPath) -> None:
    model, fit = usual_fit(name)
    errors = fit.errors
    both = PathSymbols(model, {"path": path, "fit": fit.path})
    for row in (0, 1234, 3999):
        q = np.zeros(len(model.moving))
        for coordinate, value in zip(fit.coordinates, errors.poses[row], strict=True):
            q[model.moving.index(coordinate)] = value
        lengths, gradient = both.numbers([both.paths.lengths, both.paths.gradient], q)
        columns = [model.moving.index(name) for name in fit.coordinates]
        np.testing.assert_allclose(errors.lengths[row], lengths[0, 0], atol=1e-13)
        np.testing.assert_allclose(errors.length_errors[row], lengths[1, 0] - lengths[0, 0], atol=1e-12)
        np.testing.assert_allclose(errors.arms[row], -gradient[0, columns], atol=1e-13)
        np.testing.assert_allclose(errors.arm_errors[row], (gradient[0] - gradient[1])[columns], atol=1e-11)
    low, high = np.array(list(fit.ranges.values())).T
    assert (errors.poses >= low).all()
    assert (errors.poses <= high).all()
    text = str(fit)
    assert text.startswith(f"{name}: {fit.terms} terms of degree {fit.degree}")
    assert len(text.splitlines()) == 2 + len(fit.coordinates)


def test_the_same_fit_every_time() -> None:
    model, fit = usual_fit("flexor")
    assert fit.path == my.fit_path(model, "flexor").path
    assert fit.path == my.fit_path(model, "flexor", error=0.001, arm_error=0.002).path


def test_a_polynomial_is_found_again() -> None:
    length = my.Polynomial(
        of=("elbow", "raise"),
        terms=(
            my.Term(coefficient=0.3, powers=(0, 0)),
            my.Term(coefficient=-0.02, powers=(1, 0)),
            my.Term(coefficient=0.004, powers=(2, 1)),
        ),
    )
    fit = my.fit_path(arm(m=my.FunctionPath(length=length)), "m", error=1e-7, arm_error=1e-7)
    assert fit.terms == 3
    found = {
        tuple(zip(fit.path.length.of, term.powers, strict=True)): term.coefficient for term in fit.path.length.terms
    }
    assert found[("raise", 1), ("elbow", 2)] == pytest.approx(0.004, abs=1e-8)


def test_moving_points_are_fitted_and_sharper_errors_cost_terms() -> None:
    tip = my.MovingPoint(
        body="fore", at=(my.Spline(coordinate="elbow", x=(0.0, 1.1, 2.2), y=(0.02, 0.03, 0.025)), -0.03, 0.0)
    )
    model = arm(slider=my.PointPath(points=(("upper", (0.02, -0.1, 0.0)), tip)))
    coarse, fine = (my.fit_path(model, "slider", error=e, arm_error=2 * e, max_degree=12) for e in (0.001, 0.0002))
    checked(model, coarse)
    checked(model, fine)
    assert coarse.terms < fine.terms


def test_a_jump_cannot_be_fitted_and_the_message_says_where() -> None:
    bump = my.ConditionalPoint(body="upper", at=(0.06, -0.29, 0.0), coordinate="elbow", range=(1.0, 2.2))
    model = arm(jumper=my.PointPath(points=(("upper", (0.01, -0.15, 0.0)), bump, ("fore", (0.02, -0.04, 0.0)))))
    with pytest.raises(
        my.SolveError,
        match=r"no polynomial up to degree 6 meets the path of 'jumper' over elbow 0 to 2.2: the best is off "
        r"by [\d.]+ mm in the .*, at elbow = [\d.]+\. Allow a larger error",
    ):
        my.fit_path(model, "jumper")
    fit = my.fit_path(model, "jumper", {"elbow": (0.0, 0.99)})
    checked(model, fit)


def test_a_condition_on_a_coordinate_that_is_not_crossed_is_seen() -> None:
    bump = my.ConditionalPoint(body="upper", at=(0.06, -0.29, 0.0), coordinate="raise", range=(0.0, 2.0))
    model = arm(jumper=my.PointPath(points=(("upper", (0.01, -0.15, 0.0)), bump, ("fore", (0.02, -0.04, 0.0)))))
    with pytest.raises(my.SolveError, match="raise"):
        my.fit_path(model, "jumper")
    assert my.fit_path(model, "jumper", {"raise": (0.1, 1.2), "elbow": (0.0, 0.6)}).terms > 1


def test_all_paths_of_a_model_at_once() -> None:
    straight = my.FunctionPath(length=my.Linear(coordinate="elbow", slope=-0.03, offset=0.3))
    model = arm(brachialis=BRACHIALIS, straight=straight, flexor=WRIST)
    fits = my.fit_paths(model)
    assert list(fits.fits) == ["brachialis", "flexor"]
    assert list(fits.model.muscles) == list(model.muscles)
    assert fits.model.muscles["straight"] == model.muscles["straight"]
    for name, fit in fits.fits.items():
        assert fits.model.muscles[name] == model.muscles[name].model_copy(update={"path": fit.path})
        assert fit.path == usual_fit(name)[1].path
    assert str(fits).count("terms of degree") == 2
    one = my.fit_paths(model, muscles=["flexor"])
    assert list(one.fits) == ["flexor"]
    assert one.model.muscles["brachialis"] == model.muscles["brachialis"]


def test_the_figure_shows_errors_over_every_coordinate(tmp_path: Path) -> None:
    fit = usual_fit("flexor")[1]
    figure = my.plot(fit, degrees=True, path=tmp_path / "fit.png")
    assert (tmp_path / "fit.png").stat().st_size > 10_000
    panels = figure.axes
    assert len(panels) == 8
    assert [axes.get_xlabel() for axes in panels if axes.get_xlabel()] == ["elbow (°)", "slide (m)"]
    drawn = panels[2].lines[0].get_xydata()
    np.testing.assert_allclose(drawn[:, 0], np.degrees(fit.errors.poses[:, 0]))
    np.testing.assert_allclose(drawn[:, 1], 1000 * fit.errors.length_errors)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"muscle": "bicep"}, "did you mean 'biceps'"),
        ({"error": 0.0}, "error must be a length above zero"),
        ({"error": float("nan")}, "error must be a length above zero"),
        ({"arm_error": "small"}, "arm_error must be a length above zero"),
        ({"arm_error": True}, "arm_error must be a length above zero"),
        ({"max_degree": 2.5}, "max_degree must be a whole number"),
        ({"max_degree": 21}, "max_degree must be a whole number"),
        ({"max_degree": -1}, "max_degree must be a whole number"),
        ({"ranges": {"elbw": (0.0, 1.0)}}, "did you mean 'elbow'"),
        ({"ranges": {"turn": (0.0, 1.0)}}, "locked or coupled"),
        ({"ranges": {"elbow": (1.0, 0.0)}}, "two numbers, the lower first"),
        ({"ranges": {"elbow": (0.0, float("inf"))}}, "two numbers, the lower first"),
        ({"ranges": {"elbow": (0.0, 1.0, 2.0)}}, "two numbers, the lower first"),
        ({"ranges": {"elbow": "wide"}}, "two numbers, the lower first"),
    ],
)
def test_wrong_arguments_are_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(my.ModelError, match=message):
        my.fit_path(**{"model": arm(biceps=BICEPS), "muscle": "biceps", **change})


def test_a_range_that_nobody_gives_is_asked_for() -> None:
    free = arm(biceps=BICEPS).with_values({"elbow.range": None})
    with pytest.raises(
        my.ModelError, match=r"crosses 'elbow', for which the model gives no range: pass ranges=\{'elbow'"
    ):
        my.fit_path(free, "biceps")
    with pytest.raises(my.ModelError, match="did you mean 'biceps'"):
        my.fit_paths(free, muscles=["bizeps"])


def test_paths_over_surfaces_are_fitted_within_the_largest_error() -> None:
    model = wrapped_arm()
    fit = my.fit_path(model, "triceps", error=0.0005, arm_error=0.001, max_degree=12)
    assert fit.coordinates == ("elbow",)
    assert fit.errors.length.largest <= 0.0005
    fitted = model.with_parts(muscles={"triceps": model.muscles["triceps"].model_copy(update={"path": fit.path})})
    poses = np.column_stack([np.zeros(300), np.linspace(0.1, 1.9, 300)])
    ours, theirs = (my.equations_of(m, compiled=False) for m in (model, fitted))
    assert "triceps" not in theirs.path_fits
    straight = my.equations_of(wrapped_arm(wraps=False, surfaces={}), compiled=False)
    assert (ours.muscle_lengths(poses)[:, 0] - straight.muscle_lengths(poses)[:, 0]).max() > 0.001
    assert np.abs(ours.muscle_lengths(poses) - theirs.muscle_lengths(poses))[:, 0].max() <= 0.0005
    off = np.abs(ours.moment_arms(poses) - theirs.moment_arms(poses))[:, 0]
    assert 0.0 < off.max() <= 0.001


def test_a_model_with_surfaces_becomes_one_without() -> None:
    model = wrapped_arm()
    fits = my.fit_paths(model, error=0.002, arm_error=0.012)
    assert list(fits.fits) == list(model.muscles)
    assert all(muscle.path.kind == "function" for muscle in fits.model.muscles.values())
    equations = my.equations_of(fits.model, compiled=False)
    assert equations.path_fits == {}
    poses = np.random.default_rng(3).uniform([-0.8, 0.1], [1.2, 1.9], size=(300, 2))
    off = np.abs(equations.muscle_lengths(poses) - my.equations_of(model, compiled=False).muscle_lengths(poses))
    assert off.max() <= 0.002


def test_a_path_that_slips_off_its_surface_cannot_be_fitted() -> None:
    model = wrapped_arm()
    roll = my.WrapCylinder(frame=my.Placement(body="lower", at=(0.0, 0.0, 0.05)), radius=0.03, length=0.06)
    slide = my.slider({"body": "lower"}, "hand", "slide", axis="z", range=(-0.1, 0.1))
    path = my.PointPath(
        points=(("lower", (-0.1, 0.0, 0.05)), ("hand", (0.1, 0.01, 0.05))), wraps=(my.Wrap(surface="short"),)
    )
    model = model.with_parts(
        bodies={"hand": my.Body(mass=0.5, inertia=0.01)},
        joints={"wrist": slide},
        surfaces={"short": roll},
        muscles={"slips": my.Muscle(path=path, **MUSCLE)},
    )
    assert my.path_jumps(model, "slips", lines=2)
    with pytest.raises(my.SolveError, match="no polynomial up to degree 6 meets the path of 'slips' over slide"):
        my.fit_path(model, "slips")
