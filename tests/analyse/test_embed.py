"""Loops that become joint functions: over a turn, a range and a box, against the same loops kept; and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my

FINE = my.DOP853(relative=1e-12, absolute=1e-12)
METHODS = ("projection", "differences", "fit")


def interpreted(model: my.Model) -> my.Equations:
    return my.equations_of(model, compiled=False)


def crank_and_rocker(**constraints: Any) -> my.Model:
    def bar(length: float) -> my.Body:
        return my.Body(mass=length, centre_of_mass=(length / 2, 0, 0), inertia=length**3 / 12)

    loop = my.PointConstraint(first={"body": "b", "at": (4, 0, 0)}, second={"body": "c", "at": (3, 0, 0)}, axes="xy")
    return my.Model(
        name="crank and rocker",
        bodies={"a": bar(1.0), "b": bar(4.0), "c": bar(3.0)},
        joints={
            "ja": my.pin("ground", "a", "crank", default=1.0),
            "jb": my.pin({"body": "a", "at": (1, 0, 0)}, "b", "coupler", default=-0.5),
            "jc": my.pin({"body": "ground", "at": (5, 0, 0)}, "c", "rocker", default=2.0),
        },
        constraints={"loop": loop, **constraints},
    )


def assert_same_motion(kept: my.Result, embedded: my.Result, names: tuple[str, ...], error: float) -> None:
    for name in names:
        np.testing.assert_allclose(embedded.values(name), kept.values(name), atol=error)


@pytest.mark.parametrize("method", METHODS)
def test_seven_figures_over_a_range(method: Any) -> None:
    """001-13: speeds and accelerations of the four-bar linkage, against its loop kept."""
    kept = my.load_model("four_bar")
    found = my.embed(kept, "theta1", {"theta1": (0.3, 1.2)}, method=method)
    assert found.model.moving == ("theta1",)
    assert found.model.coordinates["theta1"].range == (0.3, 1.2), "where the functions hold is written down"
    assert max(found.errors.values()) < 1e-11
    assert max(found.speed_errors.values()) < 1e-9
    assert max(found.acceleration_errors.values()) < (2e-7 if method == "fit" else 1e-9)
    runs = [my.simulate(interpreted(model), 0.5, scheme=FINE) for model in (kept, found.model)]
    assert np.min(runs[0].values("theta1")) > 0.3
    names = ("theta1", "theta2", "theta3.speed", "theta3.acceleration", "p.position_x", "p.velocity_y")
    for name in names:
        wanted = runs[0].values(name)
        np.testing.assert_allclose(runs[1].values(name), wanted, rtol=0, atol=5e-8 * np.max(np.abs(wanted)))


@pytest.mark.parametrize("method", METHODS)
def test_six_figures_over_two_ranges(method: Any) -> None:
    kept = my.load_model("five_bar")
    ranges = {"theta1": (0.8, 1.3), "theta2": (0.4, 1.0)}
    found = my.embed(kept, ["theta1", "theta2"], ranges, method=method, poses=200, tolerance=1e-9)
    assert found.model.moving == ("theta1", "theta2")
    assert max(found.errors.values()) < 1e-9
    runs = [my.simulate(interpreted(model), 0.2, scheme=FINE) for model in (kept, found.model)]
    assert np.max(runs[0].values("theta2")) < 1.0
    for name in ("theta1", "theta2", "theta3", "theta4.speed", "theta4.acceleration", "p.velocity_x"):
        wanted = runs[0].values(name)
        np.testing.assert_allclose(runs[1].values(name), wanted, rtol=0, atol=5e-7 * np.max(np.abs(wanted)))


def test_guesses_are_as_short_as_can_be() -> None:
    """Two bars that meet need no more than the winding of their angles; the fit needs all its harmonics."""
    short, long = (my.embed(crank_and_rocker(), "crank", method=m) for m in ("projection", "fit"))
    assert [len(m.model.coordinates["rocker"].coupled.cosines) for m in (short, long)] == [1, 16]  # type: ignore[union-attr]
    assert short.loop_error < 1e-13


def test_a_spline_where_no_polynomial_is_good_enough() -> None:
    found = my.embed(my.load_model("four_bar"), "theta1", {"theta1": (-1.0, 1.8)}, method="fit", tolerance=1e-9)
    assert found.model.coordinates["theta2"].coupled.kind == "spline"  # type: ignore[union-attr]


@pytest.mark.parametrize("method", METHODS)
def test_leaving_the_range_stops_the_simulation(method: Any) -> None:
    model = my.embed(my.load_model("four_bar"), "theta1", {"theta1": (0.3, 1.2)}, method=method).model
    with pytest.raises(
        my.SimulationError, match=r"'theta1' leaves its range \[0.3, 1.2\].*'theta2', 'theta3'"
    ) as caught:
        my.simulate(interpreted(model), 2.0, start={"theta1.speed": 3.0}, every=1.0)
    assert caught.value.result.final["theta1"] == pytest.approx(1.2, abs=1e-9)
    with pytest.raises(my.ModelError, match=r"'theta1' would start at 1.5, outside its range"):
        my.simulate(interpreted(model), 2.0, start={"theta1": 1.5})


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(my.ModelError, match="projektion"):
        my.embed(crank_and_rocker(), "crank", method="projektion")  # type: ignore[arg-type]


def test_what_is_embedded_is_not_embedded_twice() -> None:
    with pytest.raises(my.ModelError, match="no constraints to embed"):
        my.embed(my.embed(crank_and_rocker(), "crank").model, "crank")


def test_drives_are_kept() -> None:
    """A prescribed speed closes no loop: the embedded mechanism is driven by the same torque."""
    kept = crank_and_rocker(drive=my.SpeedConstraint(coordinate="crank", speed=4.0))
    found = my.embed(kept, "crank")
    assert {name: part.by for name, part in found.model.constraints.items()} == {
        "loop": "projection",
        "drive": "multipliers",
    }
    assert interpreted(found.model).multipliers == ("drive.torque",)
    runs = [my.simulate(interpreted(model), 1.0, scheme=FINE) for model in (kept, found.model)]
    assert_same_motion(*runs, ("rocker", "rocker.speed", "drive.torque"), 1e-6)


@pytest.mark.parametrize(
    "independent, ranges, message",
    [
        ("theta1", {"theta1": (1.4, 0.4)}, "range of 'theta1' must increase"),
        ("theta1", {"theta2": (0.4, 1.4)}, "unknown independent coordinate 'theta2'"),
        ("theta1", {"theta1": (1.4, 1.6)}, "default 0.9 of 'theta1' lies outside"),
        ("theta1", None, "range of q ends at q = \\(2.087972"),
        ("theta1", {"theta1": (0.4, 2.4)}, "range of q ends at q = \\(2.087972"),
        ("elbow", None, "'elbow'"),
    ],
)
def test_ranges_that_cannot_be(independent: str, ranges: Any, message: str) -> None:
    with pytest.raises(my.MyodyneError, match=message):
        my.embed(my.load_model("four_bar"), independent, ranges)


def test_what_is_no_model_and_no_range_is_refused_by_name() -> None:
    chain = my.newton_euler.Chain([my.newton_euler.Segment("rod", 1.0, 0.5, 1.0, 0.1)])
    with pytest.raises(my.ModelError, match=r"a Model is needed .* not Chain\(rod\)"):
        my.embed(chain, "rod")  # type: ignore[arg-type]
    with pytest.raises(
        my.ModelError, match=r"several independent coordinates go into one list: .*\['theta1', 'theta2'\]"
    ):
        my.embed(my.load_model("four_bar"), "theta1", "theta2")  # type: ignore[arg-type]


def test_loops_that_repeat_each_other_are_named() -> None:
    twice = crank_and_rocker(again=crank_and_rocker().constraints["loop"])
    with pytest.raises(my.SolveError, match=r"2 of the constraints repeat others: 'again\.force_x'"):
        my.embed(twice, "crank")


def test_functions_that_miss_the_loops_are_refused() -> None:
    model, wide = my.load_model("five_bar"), {"theta1": (0.2, 2.2), "theta2": (-0.5, 1.0)}
    with pytest.raises(my.SolveError, match=r"do not close the loops: 'theta[34]' is off by"):
        my.embed(model, ["theta1", "theta2"], wide, poses=60, method="fit")
    assert my.embed(model, ["theta1", "theta2"], wide, poses=60, tolerance=1.0, method="fit").loop_error > 1e-5
    assert my.embed(model, ["theta1", "theta2"], wide, poses=60).loop_error < 1e-12, "refined, they do not miss"


def test_speeds_alone_are_no_loops() -> None:
    model = crank_and_rocker(drive=my.SpeedConstraint(coordinate="crank", speed=4.0)).without("loop")
    with pytest.raises(my.ModelError, match="no constraints to embed"):
        my.embed(model, "crank")


def test_a_simulation_shows_how_far_fitted_functions_miss_the_loop(interpreted: None) -> None:
    rough, fine = (
        my.embed(my.load_model("four_bar"), "theta1", {"theta1": (-1.0, 1.8)}, method="fit", tolerance=t, poses=p).model
        for t, p in ((0.05, 6), (1e-9, 512))
    )
    run = my.simulate(rough, 0.1)
    miss = run.report.drift["loop.drift"]
    assert miss == pytest.approx(np.max(run.values("loop.drift")))
    assert miss > 1e-5
    (note,) = [note for note in run.report.notes if "fitted" in note]
    assert note.startswith(f"the functions fitted to 'loop' miss it by up to {miss:.2g} (m or rad)")
    assert not [note for note in my.simulate(fine, 0.1).report.notes if "fitted" in note]


@pytest.mark.parametrize(
    "solves, entry, words",
    [
        ("[middle, theta3]", 0, "unknown coordinate 'middle'"),
        ("[theta2, theta1]", 1, "'theta1' is not coupled"),
        ("[theta2, theta3, extra]", 2, "has 2 rows here and cannot solve 3 coordinates"),
    ],
)
def test_wrong_solves_in_a_file_are_refused_with_their_line(
    tmp_path: Path, solves: str, entry: int, words: str
) -> None:
    path = tmp_path / "bars.yaml"
    my.save_model(my.embed(my.load_model("four_bar"), "theta1", {"theta1": (0.5, 1.0)}).model, path)
    text = path.read_text().replace("solves: [theta2, theta3]", f"solves: {solves}")
    path.write_text(text)
    line = next(number for number, row in enumerate(text.splitlines(), start=1) if "solves: " in row)
    with pytest.raises(my.ModelError) as refused:
        my.load_model(path)
    told = f"{path}, line {line}, field constraints.loop.solves.{entry}: "
    assert any(row.startswith(told) and words in row for row in str(refused.value).splitlines())
