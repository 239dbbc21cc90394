"""Gaps, rounded times, cycles and the other side of the body, as verbs of a trajectory."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from myodyne.data import Cycles, DataError, Markers, Provenance, Report, Result, Trajectory

CYCLE = 0.7
TIME = np.arange(141) / 200.0
SHARED = Path(__file__).parents[3] / "shared" / "data"


def stride(time):
    """A running stride of one leg: periodic angles, and a hip that moves on at 4 m/s."""
    turn = 2.0 * np.pi * time / CYCLE
    columns = {
        "hip_r": 0.3 * np.cos(turn) + 0.05 * np.sin(2.0 * turn),
        "knee_r": -0.8 + 0.5 * np.sin(turn + 0.4),
        "hip_x": 4.0 * time + 0.02 * np.sin(2.0 * turn),
    }
    return Trajectory(time, columns, {"hip_r": "rad", "knee_r": "rad", "hip_x": "m"})


def test_004_21_the_contralateral_side_is_half_a_cycle_later():
    """Acceptance 004-21 (Selbie 1989, section 2.2): shifted by half a cycle, for every time of the record."""
    both = stride(TIME).contralateral({"hip_r": "hip_l", "knee_r": "knee_l"}, cycle=CYCLE)
    later = stride(TIME + 0.5 * CYCLE)
    for right, left in (("hip_r", "hip_l"), ("knee_r", "knee_l")):
        np.testing.assert_allclose(both.values(left), later.values(right), atol=1e-6)
        np.testing.assert_array_equal(both.values(right), stride(TIME).values(right))
    assert both.units["knee_l"] == "rad"
    assert "half of 0.7 s" in both.notes[-1]
    # The other side of the other side is the first one again.
    back = both.contralateral({"hip_l": "hip_again"}, cycle=CYCLE)
    np.testing.assert_allclose(back.values("hip_again"), both.values("hip_r"), atol=1e-6)


def test_a_cycle_that_does_not_close_is_closed_evenly():
    drifting = Trajectory(TIME, {"hip_r": stride(TIME).values("hip_r") + 0.02 * TIME / CYCLE})
    other = drifting.contralateral({"hip_r": "hip_l"}, cycle=CYCLE).values("hip_l")
    assert np.abs(np.diff(other)).max() < 1.1 * np.abs(np.diff(stride(TIME).values("hip_r"))).max()
    assert abs(other[-1] - other[0]) < 1e-9


@pytest.mark.parametrize(("before", "after"), [(0.2, 0.3), (1.0, 1.5), (0.0, 0.1), (0.0, 0.0)])
def test_a_cyclic_record_goes_on_at_both_ends_and_gains_its_way(before, after):
    longer = stride(TIME).cyclic(CYCLE, before=before, after=after)
    assert longer.time[0] == pytest.approx(-before)
    assert longer.time[-1] == pytest.approx(0.7 + after)
    truth = stride(longer.time)
    for name in longer:
        np.testing.assert_allclose(longer.values(name), truth.values(name), atol=1e-6)


def test_continued_ends_make_good_accelerations_there():
    """Selbie (1989, section 2.2): data are added at both ends because the spline represents ends poorly."""
    rng = np.random.default_rng(2)
    noisy = Trajectory(TIME, {"hip_r": stride(TIME).values("hip_r") + 0.002 * rng.normal(size=len(TIME))})
    turn = 2.0 * np.pi / CYCLE
    truth = -0.3 * turn**2 * np.cos(turn * TIME) - 0.2 * turn**2 * np.sin(2.0 * turn * TIME)

    def worst(record):
        found = record.smoothed(8.0).derivative(2).slice(-1e-9, 0.7 + 1e-9).values("hip_r")
        return np.abs(found - truth)[[0, 1, 2, -3, -2, -1]].max()

    assert worst(noisy.cyclic(CYCLE, before=0.3, after=0.3)) < 0.5 * worst(noisy)


def test_cycles_in_percent():
    cycles = stride(np.arange(701) / 200.0).percent(CYCLE * np.arange(5))
    assert isinstance(cycles, Cycles)
    assert len(cycles) == 4
    assert cycles.names == ("hip_r", "knee_r", "hip_x")
    assert cycles.durations == pytest.approx((CYCLE,) * 4)
    truth = stride(CYCLE * np.linspace(0.0, 1.0, 101))
    np.testing.assert_allclose(cycles.mean("hip_r"), truth.values("hip_r"), atol=5e-4)
    assert cycles.spread("hip_r").max() < 1e-3
    assert cycles.units["hip_x"] == "m"
    with pytest.raises(DataError, match="did you mean 'hip_r'"):
        cycles.mean("hip_rr")
    with pytest.raises(DataError, match="one cycle has no spread"):
        stride(TIME).percent([0.0, 0.7]).spread("hip_r")


def gappy():
    knee, hip = np.sin(4.0 * TIME), np.cos(4.0 * TIME)
    knee[20:25] = hip[60:120] = hip[:3] = np.nan
    return Trajectory(TIME, {"knee": knee, "hip": hip})


def test_short_gaps_are_filled_and_long_ones_stay_with_a_remark():
    whole = gappy().filled(longest=0.1)
    np.testing.assert_allclose(whole.values("knee"), np.sin(4.0 * TIME), atol=1e-6)
    missing = np.isnan(whole.values("hip"))
    assert missing.sum() == 63
    known = ~np.isnan(gappy().values("hip"))
    np.testing.assert_array_equal(whole.values("hip")[known], gappy().values("hip")[known])
    assert whole.notes == (
        "'knee': 5 rows filled in 1 gap of up to 0.03 s",
        "'hip': the gap from 0.3 to 0.595 s stays: it is longer than 0.1 s",
        "'hip': the gap from 0 to 0.01 s stays: it is at an end of the record",
    )
    # A gap of exactly the bound is filled; one that is a row longer is not.
    assert not np.isnan(gappy().filled(0.03).values("knee")).any()
    assert np.isnan(gappy().filled(0.029).values("knee")).sum() == 5
    assert np.isnan(gappy().filled(0.31).values("hip")).sum() == 3


def test_too_few_rows_are_not_filled():
    few = Trajectory([0.0, 0.1, 0.2, 0.3], {"a": [1.0, np.nan, 2.0, 3.0]}).filled(1.0)
    assert np.isnan(few.values("a")).sum() == 1
    assert "3 known rows are too few" in few.notes[0]


def test_markers_are_filled_likewise():
    places = np.zeros((141, 2, 3))
    places[:, 0, 0], places[:, 1, 1] = np.sin(4.0 * TIME), TIME**2
    places[30:34, 0] = places[50:110, 1] = np.nan
    whole = Markers(TIME, ["toe", "heel"], places, {"DataRate": "200"}).filled(0.1)
    np.testing.assert_allclose(whole["toe"][:, 0], np.sin(4.0 * TIME), atol=1e-6)
    assert whole.gaps == {"heel": 60}
    assert whole.header == {"DataRate": "200"}


@pytest.mark.parametrize("decimals", [2, 3, 4, 6])
def test_times_rounded_in_the_last_digit_become_even(decimals):
    step = 0.14 / 2.03 if decimals == 2 else 1.0 / 69.9
    rounded = np.round(3.1 + step * np.arange(106), decimals)
    record = Trajectory(rounded, {"x": np.arange(106.0)}).even()
    np.testing.assert_allclose(np.diff(record.time), record.time[1] - record.time[0], rtol=1e-9)
    assert np.diff(record.time).mean() == pytest.approx(step, rel=10.0**-decimals / step / 30.0)
    np.testing.assert_array_equal(record.values("x"), np.arange(106.0))
    assert "even grid" in record.notes[0]


def test_even_times_stay_and_lost_rows_are_no_rounding():
    even = Trajectory(TIME, {"x": TIME})
    assert even.even() == even
    assert even.even().notes == ()
    for times in (np.delete(TIME, 50), np.delete(TIME, slice(20, 30)), [0.0, 0.1, 0.3], [0.0, 1.0, 3.0, 4.0]):
        with pytest.raises(DataError, match="uneven by more than the rounding"):
            Trajectory(times, {}).even()


def test_the_three_ways_to_smooth_say_what_they_chose():
    rng = np.random.default_rng(1)
    noisy = Trajectory(TIME, {"knee": np.sin(9.0 * TIME) + 0.01 * rng.normal(size=141)}, {"knee": "rad"})
    by_error, by_itself = noisy.smoothed(error={"knee": 0.01}), noisy.smoothed()
    away = noisy.values("knee") - by_error.values("knee")
    assert np.sqrt(np.mean(away**2)) == pytest.approx(0.01, rel=1e-6)
    assert "error 0.01 rad: cut-off" in by_error.notes[0]
    assert "by cross-validation: cut-off" in by_itself.notes[0]
    assert np.abs(by_itself.values("knee") - np.sin(9.0 * TIME)).max() < 0.012
    assert by_itself.derivative().notes == by_itself.notes
    exact = Trajectory(TIME, {"knee": TIME**3}).smoothed()
    np.testing.assert_allclose(exact.values("knee"), TIME**3, atol=1e-8)


def test_notes_stay_with_parts_copies_and_results_and_do_not_count_in_comparisons():
    noted = Trajectory([0.0, 1.0], {"a": [1.0, 2.0]}, notes=["read from film", "read from film"])
    assert noted.notes == noted.slice(0.0, 1.0).notes == ("read from film",)
    assert pickle.loads(pickle.dumps(noted)).notes == noted.notes
    assert noted == Trajectory([0.0, 1.0], {"a": [1.0, 2.0]})
    assert Result(noted, Report("completed"), Provenance("leg", "a1")).notes == noted.notes


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda run: run.cyclic(0.8), "longer than the record, 0.7 s"),
        (lambda run: run.cyclic(0.0), "a cycle must be a positive time"),
        (lambda run: run.cyclic(float("nan")), "a cycle must be a positive time"),
        (lambda run: run.cyclic(0.01), "fewer than four rows"),
        (lambda run: run.cyclic(0.7, before=-0.1), "at least 0"),
        (lambda run: run.contralateral({"hip": "hip_l"}, cycle=0.7), "did you mean"),
        (lambda run: run.contralateral({}, cycle=0.7), "sides is empty"),
        (lambda run: run.contralateral({"hip_r": "knee_r"}, cycle=0.7), "such a column already"),
        (lambda run: run.contralateral({"hip_r": "l", "knee_r": "l"}, cycle=0.7), "such a column already"),
        (lambda run: run.contralateral({"hip_x": "hip_x_l"}, cycle=0.7), "does not repeat after 0.7 s"),
        (lambda run: run.contralateral({"hip_r": "hip_l"}, cycle=0.35), "does not repeat"),
        (lambda run: run.contralateral({"hip_r": "hip_l"}, cycle=1.4), "a whole cycle must be recorded"),
        (lambda run: run.percent([0.3]), "two times"),
        (lambda run: run.percent([0.3, 0.1]), "increasing"),
        (lambda run: run.percent([0.3, 0.9]), r"0\.9 s lies outside the record, 0 to 0\.7 s"),
        (lambda run: run.percent([0.0, 0.5], 1), "at least two points"),
        (lambda run: run.filled(0.0), "positive time"),
        (lambda run: run.filled(order=2), "1, 3, 5, 7, not 2"),
        (lambda run: run.smoothed(6.0, error=0.1), "not both"),
        (lambda run: run.smoothed(error=-0.1), "'hip_r' must be a positive number"),
        (lambda run: run.smoothed(error={"hip_r": 0.1}), "error of 'knee_r' is missing"),
        (lambda run: run.smoothed(error={"hip": 0.1}), "did you mean"),
    ],
)
def test_impossible_requests_are_refused(change, message):
    with pytest.raises(DataError, match=message):
        change(stride(TIME))


@pytest.mark.parametrize(
    "change",
    [
        lambda run: run.cyclic(0.5, before=0.1),
        lambda run: run.contralateral({"knee": "other"}, cycle=0.5),
    ],
)
def test_gaps_are_named(change):
    with pytest.raises(DataError, match=r"is nan at .* fill the gap with filled"):
        change(gappy())


def test_infinity_is_no_gap():
    with pytest.raises(DataError, match="'a' is infinite at 1 s"):
        Trajectory([0.0, 1.0], {"a": [0.0, np.inf]}).filled()
