"""States from noisy records: closer to the truth than a filter with inverse dynamics, angles and moments alike."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import myodyne as my
from myodyne.data import DataError
from myodyne.library.imu_gait import imu_gait
from myodyne.optimise.builtin.ski_landing import landing_record, true_landing
from support.estimation import CUTOFFS, FEET, FIXTURES, deviations, errors, estimated, filtered, known_walk, noisy
from support.examples import example

knee_ligaments = example("ski_landing").knee_ligaments
SOURCE = Path(__file__).parents[3] / "shared" / "data" / "imu" / "P01_normwalking.csv"


@pytest.mark.long
def test_an_estimate_is_closer_than_a_filter_whatever_its_cutoff() -> None:
    """The filter even has the cut-off that the truth shows to be the best, for angles and for moments."""
    model, walk = my.load_model("gait2d"), known_walk()
    spread = deviations(model)
    record = noisy(walk, spread, seed=1)
    # Winter's average walk, another person's at another speed.
    guess = my.load(FIXTURES / "winters_walk.csv")
    angle, moment = errors(estimated(model, record, spread, guess), walk)
    by_filter = [errors(filtered(model, record, walk, cutoff), walk) for cutoff in CUTOFFS]
    assert angle < 0.95 * min(found[0] for found in by_filter)
    assert moment < 0.8 * min(found[1] for found in by_filter)


def test_without_noise_the_filter_knows_the_walk() -> None:
    model, walk = my.load_model("gait2d"), known_walk()
    still = noisy(walk, dict.fromkeys(deviations(model), 0.0), seed=0)
    angle, moment = errors(filtered(model, still, walk, 12.0), walk)
    assert angle < np.radians(0.1)
    assert moment < 3.0


@pytest.mark.skipif(not SOURCE.is_file(), reason="the sensors' readings are not beside the project")
def test_the_readings_are_those_of_the_source() -> None:
    walk = imu_gait()
    bodies = {
        "pelvis": "trunk",
        "femur_r": "right_thigh",
        "tibia_r": "right_shank",
        "foot_r": "right_foot",
        "femur_l": "left_thigh",
        "tibia_l": "left_shank",
        "foot_l": "left_foot",
    }
    seen: dict[tuple[str, str, str], int] = {}
    compared = 0
    with SOURCE.open() as stream:
        for name, kind, _, statistic, *values in csv.reader(stream):
            if kind not in ("acc", "gyro"):
                continue
            number = seen[name, kind, statistic] = seen.get((name, kind, statistic), -1) + 1
            field = {("acc", 0): "acceleration_x", ("acc", 1): "acceleration_y", ("gyro", 2): "turning"}.get(
                (kind, number)
            )
            if field is None:
                continue
            column = np.array(values, dtype=float)
            table = walk.readings if statistic == "mean" else walk.deviations
            expected = column if statistic == "mean" else np.sqrt(column)
            np.testing.assert_allclose(table.values(f"{bodies[name]}.{field}")[:-1], expected, rtol=6e-5)
            compared += 1
    assert compared == 42


def test_sensors_read_what_standing_still_means() -> None:
    """At rest an accelerometer reads gravity upwards, whatever the body's turn; the record's means say the same."""
    walk = imu_gait()
    for body in walk.places:
        upward = float(np.mean(walk.readings.values(f"{body}.acceleration_y")))
        forward = float(np.mean(walk.readings.values(f"{body}.acceleration_x")))
        assert np.hypot(upward, forward) == pytest.approx(9.81, rel=0.3)
        assert abs(float(np.mean(walk.readings.values(f"{body}.turning")))) < 0.1


def test_the_problem_of_the_sensors_knows_all_of_them_and_nothing_of_the_cameras() -> None:
    problem = my.load_problem("gait2d_imu_estimation")
    assert isinstance(problem, my.Problem)
    track = problem.goals[0]
    assert isinstance(track, my.Track)
    assert len(track.of) == 21
    assert not [name for name in track.data.names if name in problem.model.coordinates]


def right_leg(walk: my.Solution, time: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Return what the reference holds of a walk, at its instants."""
    told = {
        f"right_{joint}{what}": walk.values(f"right_{joint}{what}")
        for joint in ("hip", "knee", "ankle")
        for what in ("", ".moment")
    }
    for axis in "xy":
        both = [walk.values(f"right_{place}.force_{axis}") for place in ("heel", "toe")]
        told[f"right_ground_force_{axis}"] = (both[0] + both[1]) / (75.0 * 9.81)
    return {name: np.interp(time, walk.time, values) for name, values in told.items()}


def noisy_cameras(seed: int) -> tuple[my.Trajectory, my.Trajectory]:
    """Return what cameras and force plates saw, with noise of its deviations, and these; the left leg half a cycle on."""
    gait, random = imu_gait(), np.random.default_rng(seed)
    weight, rows = 75.0 * 9.81, len(gait.reference) - 1
    columns, spread = {}, {}
    for name in gait.reference.names:
        if name.endswith("moment"):
            continue
        unit, least = (weight, 0.02 * weight) if "force" in name else (1.0, 0.02)
        for side, shift in (("right", 0), ("left", rows // 2)):
            own = name.replace("right", side)
            deviation = np.roll(np.maximum(unit * gait.reference_deviations.values(name)[:-1], least), shift)
            record = np.roll(unit * gait.reference.values(name)[:-1], shift) + random.normal(0.0, deviation)
            columns[own], spread[own] = (np.append(part, part[0]) for part in (record, deviation))
    return my.Trajectory(gait.reference.time, columns), my.Trajectory(gait.reference.time, spread)


@pytest.mark.long
def test_a_walk_is_estimated_from_cameras_and_force_plates() -> None:
    """Knee and ankle moments, of which the estimate knows nothing, follow those that were worked out from the records."""
    record, spread = noisy_cameras(seed=0)
    sensors = my.load_problem("gait2d_imu_estimation")
    assert isinstance(sensors, my.Problem)
    goals = (my.Track(record, of=FEET, deviations=spread), my.Effort(exponent=2, weight=15.0))
    cameras = sensors.model_copy(update={"name": "cameras", "goals": goals})
    walk = my.solve(cameras, nodes=[100], settings=my.Settings(tolerance=1e-3), audit=False)
    seen = imu_gait().reference
    told = right_leg(walk, seen.time)
    for name, correlation in (
        ("right_hip", 0.98),
        ("right_knee", 0.98),
        ("right_ankle", 0.97),
        ("right_ground_force_x", 0.95),
        ("right_ground_force_y", 0.97),
        ("right_knee.moment", 0.75),
        ("right_ankle.moment", 0.9),
    ):
        assert np.corrcoef(told[name], seen.values(name))[0, 1] > correlation, name


@pytest.mark.long
def test_a_walk_is_estimated_from_inertial_sensors() -> None:
    """Angles, forces and moments follow what cameras and force plates saw, which the sensors know nothing of.

    Where the leg stands, the moment of the hip hangs on the lean of the leg, several N m on a degree, and on a skeleton
    that is not the person's; in swing, where only the leg itself matters, it is told as well as the others.
    """
    walk = my.solve(
        my.load_problem("gait2d_imu_estimation"), nodes=[100], settings=my.Settings(tolerance=1e-3), audit=False
    )
    seen = imu_gait().reference
    optimum = walk.report.optimum
    assert optimum is not None
    # Without softer contacts first it ends between 7.9 and 8.9.
    assert optimum.objective < 7.0
    told = right_leg(walk, seen.time)

    def agreement(name: str, where: slice | NDArray[np.bool_] = slice(None)) -> tuple[float, float]:
        one, other = told[name][where], seen.values(name)[where]
        return float(np.sqrt(np.mean((one - other) ** 2))), float(np.corrcoef(one, other)[0, 1])

    assert set(told) == set(seen.names)
    for name, error, correlation in (
        ("right_hip", 0.12, 0.97),
        ("right_knee", 0.1, 0.96),
        ("right_ankle", 0.12, 0.9),
        ("right_knee.moment", 14.0, 0.85),
        ("right_ankle.moment", 20.0, 0.92),
        ("right_ground_force_x", 0.06, 0.9),
        ("right_ground_force_y", 0.12, 0.96),
    ):
        found = agreement(name)
        assert found[0] < error, name
        assert found[1] > correlation, name
    error, correlation = agreement("right_hip.moment", seen.values("right_ground_force_y") < 0.02)
    assert error < 10.0
    assert correlation > 0.85


@pytest.mark.long
def test_people_jump_higher_when_muscles_may_do_as_they_like() -> None:
    """With full excitations at the best onsets Wong et al. reach 1.43453 m; any excitation may only gain."""
    jump = my.solve(my.load_problem("jump_height"), audit=False)
    assert jump.report.optimum is not None
    height = -jump.report.optimum.parts["flight_height"]
    assert 1.43453 < height < 1.46
    assert jump.final["stance.force_y"] < 0.05 * jump.values("stance.force_y").max()


@pytest.mark.long
def test_standing_takes_little_effort_and_both_legs() -> None:
    still = my.solve(my.load_problem("gait2d_standing"), audit=False)
    weight = 75.0 * 9.81
    for side in ("right", "left"):
        carried = still.final[f"{side}_heel.force_y"] + still.final[f"{side}_toe.force_y"]
        assert carried == pytest.approx(weight / 2, rel=0.01)
    assert 0 < max(still.final[f"{name}.activation"] for name in my.load_model("gait2d").muscles) < 0.2


def test_the_landing_is_recorded_with_the_noise_that_the_problem_counts_on() -> None:
    problem, record, truth = my.load_problem("ski_landing_estimation"), landing_record(), true_landing()
    assert isinstance(problem, my.Problem)
    track = problem.goals[0]
    assert isinstance(track, my.Track)
    assert isinstance(track.deviations, dict)
    assert len(record) == 181
    for name, deviation in track.deviations.items():
        assert np.std(record.values(name) - truth.values(name)) == pytest.approx(deviation, rel=0.15)


@pytest.mark.long
def test_002_18_a_landing_is_estimated_from_a_noisy_record() -> None:
    """Nearer to the truth than filters of any cut-off, in places as well as in the forces that inverse dynamics needs."""
    problem, record, truth = my.load_problem("ski_landing_estimation"), landing_record(), true_landing()
    landing = my.solve(problem, nodes=[20, 60], settings=my.Settings(tolerance=1e-3), audit=False)
    model = landing.model
    snow = [name for name, force in model.forces.items() if isinstance(force, my.ContactPoint)]
    force = {axis: sum(landing.values(f"{name}.force_{axis}") for name in snow) for axis in "xy"}

    def needed(motion: my.Trajectory) -> dict[str, NDArray[np.float64]]:
        """Return the force that moves the body so; skis, of which the record knows nothing, are straight."""
        straight = {name: np.zeros(len(motion)) for name in model.coordinates if name.endswith("_bend")}
        columns = {name: motion.values(name) for name in motion.names}
        moments = my.inverse_dynamics(model, my.Trajectory(motion.time, columns | straight))
        return {axis: moments.values(f"pelvis_{axis}.moment") for axis in "xy"}

    def error(found: NDArray[np.float64], expected: NDArray[np.float64]) -> float:
        # Ends of records have one-sided slopes.
        return float(np.sqrt(np.mean((found - expected)[5:-5] ** 2)))

    true_force, filters = needed(truth), [record.filtered(cutoff) for cutoff in CUTOFFS]
    for axis in "xy":
        own = error(np.interp(truth.time, landing.time, force[axis]), true_force[axis])
        assert own < 0.7 * min(error(needed(one)[axis], true_force[axis]) for one in filters)
    for name in ("pelvis_x", "pelvis_y"):
        own = error(np.interp(truth.time, landing.time, landing.values(name)), truth.values(name))
        assert own < 0.9 * min(error(one.values(name), truth.values(name)) for one in filters)
    joints = [name for name in truth.names if name.startswith(("right_", "left_"))]
    usual = record.filtered(6.0)
    own, by_filter = (
        np.mean([error(np.interp(truth.time, one.time, one.values(name)), truth.values(name)) for name in joints])
        for one in (landing, usual)
    )
    assert own < by_filter
    # Four to seven body weights, and the momentum that they take away.
    assert 4.0 < np.hypot(force["x"], force["y"]).max() / (model.mass * 9.81) < 7.0
    speed = landing.values("com.velocity_y")
    lift = float(np.trapezoid(force["y"], landing.time))
    assert lift == pytest.approx(model.mass * (9.81 + speed[-1] - speed[0]), rel=0.1)
    # Muscles start where they work.
    for name in model.muscles:
        assert 0.49 < landing.values(f"{name}.projected_length")[0] < 1.51
    # The anterior ligament of the straighter, left knee bears most, at the impact: more than in a balanced landing (Gerritsen
    # et al. 1996 have 589 N of shear), less than the 2 kN that tear it.
    tension = knee_ligaments(landing, "left").values("left_anterior_cruciate.force")
    other = knee_ligaments(landing, "right").values("right_anterior_cruciate.force")
    assert 600.0 < tension.max() < 2000.0
    assert other.max() < tension.max()
    assert 0.1 < landing.time[int(np.argmax(tension))] < 0.2


@pytest.mark.long
def test_002_18_off_balance_in_a_crouch_and_on_softer_skis() -> None:
    """Of the paper's two findings, the skis' comes out in the ligament that the impact loads; see the guide's reasons."""
    script = example("ski_landing")
    landed = script.landing()
    assert landed.report.status == "completed"
    solved, balanced = script.peaks(landed), script.peaks(script.off_balance(landed, 0.0, 1.0))
    for ligament in script.LIGAMENTS:
        # The simulation repeats the optimum.
        assert balanced[ligament].force == pytest.approx(solved[ligament].force, rel=0.05)
    backwards = [script.peaks(script.off_balance(landed, turn, 1.0)) for turn in (-0.1, 0.1, 0.2, 0.3)]
    anterior = [peak["anterior"].force for peak in backwards]
    assert anterior == sorted(anterior)
    assert anterior[-1] > 1.5 * balanced["anterior"].force
    posterior = [peak["posterior"].force for peak in backwards]
    assert posterior == sorted(posterior, reverse=True)
    for turn in (0.0, 0.1, 0.2):
        stiff, soft = (script.peaks(script.off_balance(landed, turn, factor)) for factor in (1.0, 0.5))
        assert 0.85 < soft["posterior"].force / stiff["posterior"].force < 0.97
        assert soft["anterior"].force == pytest.approx(stiff["anterior"].force, rel=0.12)
        # What comes from outside, not muscles, loads the posterior ligament of a bent knee, while the snow brakes the body.
        assert stiff["posterior"].external < -2.0 * abs(stiff["posterior"].muscles)
        assert stiff["posterior"].time < stiff["anterior"].time


@pytest.mark.long
def test_a_skier_on_the_slope_slides_down() -> None:
    """Wherever snow bears a load, friction is a twentieth of it."""
    model = my.load_problem("ski_landing_estimation").model
    snow = [name for name, force in model.forces.items() if isinstance(force, my.ContactPoint)]
    run = my.simulate(
        model,
        0.2,
        start={**true_landing().slice(0.15, 0.15).final, "pelvis_x.speed": 18.8, "pelvis_y.speed": -6.8},
        scheme=my.Rosenbrock(step=0.0005),
        every=0.01,
    )
    across = np.array([np.sin(np.radians(20)), np.cos(np.radians(20))])
    force = np.stack([sum(run.values(f"{name}.force_{axis}") for name in snow) for axis in "xy"], axis=1)
    along = np.array([across[1], -across[0]])
    loaded = force @ across > 100.0
    assert loaded.sum() >= 5
    np.testing.assert_allclose((force @ along)[loaded] / (force @ across)[loaded], -0.05, atol=0.005)


def test_ligaments_hold_the_shank_where_muscles_do_not() -> None:
    """Straight knee: the patellar tendon strains the anterior ligament. Bent knee: hamstrings strain the posterior one."""
    still = {
        "pelvis_tilt": 0.0,
        "left_hip": 0.0,
        "left_knee": 0.0,
        "left_knee.reaction_force_x": 0.0,
        "left_knee.reaction_force_y": 0.0,
        "left_vasti.force": 1000.0,
        "left_rectus_femoris.force": 0.0,
        "left_hamstrings.force": 0.0,
    }

    def tensions(**changed: float) -> tuple[float, ...]:
        values = still | {name.replace("__", "."): value for name, value in changed.items()}
        return tuple(
            knee_ligaments(my.Trajectory([0.0], {name: [x] for name, x in values.items()}), "left").final.values()
        )

    anterior, posterior, *_ = tensions()
    assert anterior == pytest.approx(1000.0 * np.sin(np.radians(20)) / np.cos(np.radians(45)))
    assert posterior == 0.0
    anterior, posterior, *_ = tensions(
        left_knee=-1.2, left_hip=1.2, left_vasti__force=0.0, left_hamstrings__force=500.0
    )
    assert anterior == 0.0
    assert posterior > 300.0
    with pytest.raises(DataError, match=r"left_vasti\.force"):
        knee_ligaments(my.Trajectory([0.0], {name: [x] for name, x in still.items() if "vasti" not in name}), "left")
