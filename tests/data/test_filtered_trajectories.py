from pathlib import Path

import numpy as np
import pytest

from myodyne.data import DataError, Provenance, Report, Result, Trajectory

SHARED = Path(__file__).parents[3] / "shared" / "data"
TIME = np.arange(120) / 60.0


def swing():
    columns = {"knee": np.sin(4.0 * TIME) + 0.1 * np.sin(150.0 * TIME), "reach": TIME**2}
    return Trajectory(TIME, columns, {"knee": "rad", "reach": "m"})


def test_filtering_keeps_times_names_units_and_slow_motion():
    slow = swing().filtered(6.0)
    np.testing.assert_array_equal(slow.time, TIME)
    assert slow.units == swing().units
    np.testing.assert_allclose(slow.values("knee")[15:-15], np.sin(4.0 * TIME)[15:-15], atol=6e-3)


def test_padded_rows_stand_before_and_after_and_give_good_derivatives_at_the_ends():
    padded = swing().filtered(6.0, padded=True)
    assert len(padded) == 240
    assert padded.time[0] == pytest.approx(-1.0)
    inside = padded.derivative().slice(0.0, TIME[-1])
    np.testing.assert_allclose(inside.values("reach"), 2.0 * inside.time, atol=0.3)
    assert inside.units == {"knee": "rad/s", "reach": "m/s"}


def test_smoothing_splines_and_derivatives():
    smooth = swing().smoothed(6.0)
    np.testing.assert_allclose(smooth.values("knee")[15:-15], np.sin(4.0 * TIME)[15:-15], atol=3e-3)
    second = Trajectory(TIME, {"way": TIME**4}, {"way": "m"}).derivative(2)
    np.testing.assert_allclose(second.values("way")[15:-15], 12.0 * TIME[15:-15] ** 2, atol=1e-3)
    assert second.units == {"way": "m/s²"}
    assert second.derivative(1).units == {"way": "m/s³"}


def test_resampling_by_splines():
    finer = np.linspace(TIME[0], TIME[-1], 500)
    smooth = Trajectory(TIME, {"a": np.sin(TIME)})
    errors = [np.abs(smooth.resampled(finer, order).values("a") - np.sin(finer))[100:-100].max() for order in (1, 3, 5)]
    assert errors[0] > 1e-5 > errors[1] > 1e-10 > errors[2]
    with pytest.raises(DataError, match=r"outside the record, 0 to 1\.98"):
        smooth.resampled([0.0, 2.5], 5)


def test_no_columns_stay_none():
    empty = Trajectory(TIME, {})
    for changed in (empty.filtered(6.0), empty.smoothed(6.0), empty.derivative(), empty.resampled([0.5], 3)):
        assert changed.names == ()


def test_a_result_stays_a_result():
    run = Result(swing(), Report("completed"), Provenance("leg", "a1"))
    for changed in (run.filtered(6.0), run.smoothed(6.0), run.derivative(), run.resampled([0.5], 3)):
        assert isinstance(changed, Result)
        assert changed.report == run.report


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda run: run.filtered(31.0), "between 0 and 30 Hz"),
        (lambda run: run.smoothed(31.0), "between 0 and 30 Hz"),
        (lambda run: run.filtered(-1.0), "positive number"),
        (lambda run: run.filtered(float("nan")), "positive number"),
        (lambda run: run.filtered("6"), "positive number"),
        (lambda run: run.derivative(0), "1, 2, 3 or 4, not 0"),
        (lambda run: run.resampled([0.5], 2), "1, 3, 5, 7, not 2"),
        (lambda run: run.smoothed(6.0, order=1), "3, 5, 7, not 1"),
        (lambda run: run.slice(0.0, 0.05).derivative(), "needs 6 samples or more, not 4"),
        (lambda run: run.slice(0.0, 0.0).filtered(6.0), "4 samples or more are needed, not 1"),
    ],
)
def test_what_cannot_be_done_is_reported(change, message):
    with pytest.raises(DataError, match=message):
        change(swing())


def test_gaps_are_named():
    values = np.sin(TIME)
    values[30] = np.nan
    gappy = Trajectory(TIME, {"hip": np.cos(TIME), "knee": values})
    for change in (
        lambda: gappy.filtered(6.0),
        lambda: gappy.smoothed(6.0),
        gappy.derivative,
        lambda: gappy.resampled([1.0], 3),
    ):
        with pytest.raises(DataError, match=r"'knee' is nan at 0\.5 s"):
            change()


def test_datasets_and_back_without_loss():
    hard = Trajectory([0.1 + 0.2, 1 / 3], {"µ [x]": [5e-324, -0.0], "/a/b": [np.nan, np.inf]}, {"/a/b": "N m"})
    assert Trajectory.from_dataset(hard.dataset) == hard
    assert Trajectory.from_dataset(hard.dataset).values("µ [x]").tobytes() == hard.values("µ [x]").tobytes()
    wide = hard.dataset.assign(place=(("time", "axis"), np.zeros((2, 3))))
    with pytest.raises(DataError, match="'place' extends over"):
        Trajectory.from_dataset(wide)
    with pytest.raises(DataError, match="has no 'time'"):
        Trajectory.from_dataset(hard.dataset.drop_vars("time"))
    with pytest.raises(DataError, match="'word' does not hold numbers"):
        Trajectory.from_dataset(hard.dataset.assign(word=("time", ["a", "b"])))
    later = hard.dataset
    later["time"].attrs["units"] = "ms"
    with pytest.raises(DataError, match="must be in seconds, not in 'ms'"):
        Trajectory.from_dataset(later)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data are not here")
@pytest.mark.parametrize(
    ("motion", "moments"),
    [
        ("winter_appendix/opensim_subject01_walk_IK.mot", "winter_appendix/opensim_subject01_walk_ID.sto"),
        ("running/bmc_ik_output_run.mot", "running/bmc_inverse_dynamics.sto"),
    ],
)
def test_padded_times_are_those_of_stored_inverse_dynamics(motion, moments):
    # OpenSim filtered at 6 Hz and wrote its times with eight digits: half a millionth of a second before zero.
    import myodyne as my

    padded = my.load(SHARED / motion, angles=[]).filtered(6.0, padded=True)
    stored = my.load(SHARED / moments).time
    first = int(np.searchsorted(padded.time, stored[0] - 1e-7))
    np.testing.assert_allclose(padded.time[first : first + len(stored)], stored, rtol=0, atol=6e-9)
