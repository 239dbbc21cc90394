"""Rows are handed out while a simulation runs, and it can be stopped from another thread."""

import threading
from typing import Any

import numpy as np
import pytest

import myodyne as my

SWING = {"angle": 0.5}


@pytest.mark.parametrize("scheme", [None, my.RK4(step=0.001), my.BDF()], ids=repr)
def test_every_row_is_handed_out_once_and_in_order(scheme: Any) -> None:
    seen: list[my.Trajectory] = []
    run = my.simulate(my.load_model("pendulum"), 5.0, start=SWING, scheme=scheme, watch=seen.append)
    assert run.report.status == "completed"
    # How many parts depends on how fast the machine marches.
    assert len(seen) > 1
    assert np.array_equal(np.concatenate([part.time for part in seen]), run.time)
    assert np.array_equal(np.concatenate([part.values("angle") for part in seen]), run.values("angle"))
    assert seen[0].units == {"angle": "rad", "angle.speed": "rad/s"}


def test_watching_changes_nothing() -> None:
    model = my.load_model("double_pendulum")
    assert my.simulate(model, 1.0, watch=lambda rows: None).final == my.simulate(model, 1.0).final


def test_false_stops_and_what_was_computed_goes_on_to_the_last_bit() -> None:
    model, scheme = my.load_model("pendulum"), my.Rosenbrock(step=0.001)
    run = my.simulate(model, 5.0, start=SWING, scheme=scheme, watch=lambda rows: rows.time[-1] < 0.1)
    assert run.report.status == "interrupted"
    assert run.report.message == f"interrupted at {run.time[-1]:.6g} s, before the end at 5 s"
    assert 0.1 <= run.time[-1] < 5.0
    rest = my.simulate(model, 1.0 - float(run.time[-1]) if run.time[-1] < 1 else 1.0, start=run, scheme=scheme)
    whole = my.simulate(model, float(rest.time[-1]), start=SWING, scheme=scheme)
    assert rest.final == whole.final


def test_a_run_in_another_thread_can_be_stopped() -> None:
    stop, begun, found = threading.Event(), threading.Event(), []

    def watch(rows: my.Trajectory) -> bool:
        begun.set()
        return not stop.is_set()

    def work() -> None:
        found.append(my.simulate(my.load_model("double_pendulum"), 1e6, every=100.0, watch=watch, progress=False))

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(60)
    stop.set()
    thread.join(60)
    assert found[0].report.status == "interrupted"
    assert found[0].time[-1] < 1e6


def test_rows_of_both_models_are_handed_out() -> None:
    ball = my.Model(
        name="ball",
        bodies={"ball": my.Body(mass=1.0)},
        joints={"fall": my.slider("ground", "ball", "height", axis="y", default=1.0)},
    )
    bounce = my.Switch(
        my.falls_through_zero("height"),
        to=ball,
        carry=lambda before: {"height": 0.0, "height.speed": -0.5 * before["height.speed"]},
    )
    seen: list[my.Trajectory] = []
    run = my.simulate(ball, 1.0, until=bounce, watch=seen.append)
    assert np.array_equal(np.concatenate([part.time for part in seen]), run.time)


def test_an_error_of_the_watching_function_is_its_own() -> None:
    def broken(rows: my.Trajectory) -> bool:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        my.simulate(my.load_model("pendulum"), 1.0, watch=broken)
    with pytest.raises(my.ModelError, match="watch is a function of the new rows, not 3"):
        my.simulate(my.load_model("pendulum"), 1.0, watch=3)  # type: ignore[arg-type]
