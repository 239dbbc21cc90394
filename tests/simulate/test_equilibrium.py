"""Equilibria: found from far away, told whether they are stable, and kept when simulated."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import myodyne as my
from support.das3 import FOLDER, HERE, REASON, stored
from support.samples import one_in


def excited(model: my.Model, by: float) -> dict[str, float]:
    return dict.fromkeys(model.muscles, by)


def rates(eq: my.Equations, rest: my.Equilibrium) -> Any:
    """Return the rates of all states at rest under the same controls."""
    u = np.array([rest.controls.get(name, 0.0) for name in eq.controls])
    return eq.derivative(eq.state(dict(rest)), u)


def stays(eq: my.Equations, rest: my.Equilibrium) -> None:
    """Simulate a second from an equilibrium: nothing moves."""
    assert rest.stable
    assert rest.residual <= 1e-9
    run = my.simulate(eq, 1.0, start=rest, controls=rest.controls, every=0.02)
    assert max(np.abs(run.values(name)).max() for name in eq.speeds) < 1e-6
    for name in eq.coordinates:
        assert run.final[name] == pytest.approx(rest[name], abs=1e-6)


SKELETONS: dict[str, my.Model] = {
    "pendulum": my.load_model("pendulum"),
    "double_pendulum": my.load_model("double_pendulum"),
    "four_bar": my.load_model("four_bar"),
    "five_bar": my.load_model("five_bar"),
    "three_segment_balance": my.load_model("three_segment_balance"),
    "cyclist_one_crank": my.load_model("cyclist_one_crank").without("drive"),
}


@pytest.mark.parametrize("name", one_in(3, SKELETONS))
def test_skeletons_hang_still(name: str) -> None:
    eq = my.equations_of(SKELETONS[name])
    stays(eq, my.equilibrium(eq))


def test_a_leg_on_a_free_crank_sinks_to_where_it_hangs() -> None:
    """From the top of the pedal's way, where forces grow on the way down, to its bottom: the foot stays on its branch."""
    eq = my.equations_of(my.load_model("cyclist_one_leg").without("drive"))
    rest = my.equilibrium(eq, starts=1)
    stays(eq, rest)
    assert math.degrees(rest["crank"]) == pytest.approx(270, abs=2)
    for name in ("ankle", "knee", "hip"):
        low, high = eq.model.coordinates[name].range or (0.0, 0.0)
        assert low < rest[name] < high
    beside = eq.energy(np.array([rest[name] for name in eq.coordinates]), np.zeros(5))[1]
    assert beside < eq.energy(eq.coordinate_defaults(), np.zeros(5))[1]


@pytest.mark.parametrize("by", [0.1, 0.5])
@pytest.mark.parametrize("name", ["jumper", "planar_arm", "cyclist_one_leg_muscles"])
def test_muscles_hold_still(name: str, by: float) -> None:
    model = my.load_model(name)
    eq = my.equations_of(model.without("drive") if "drive" in model.constraints else model)
    rest = my.equilibrium(eq, controls=excited(model, by))
    assert np.abs(rates(eq, rest)).max() < 1e-8
    stays(eq, rest)


def test_jumper_at_ease_and_hanging_by_the_toes() -> None:
    model = my.load_model("jumper")
    eq = my.equations_of(model)
    stays(eq, my.equilibrium(eq))
    flying = my.equations_of(model.without("stance", "heel_stop"))
    hanging = my.equilibrium(flying, pose={"toe_x": 0.0, "toe_y": 0.0}, controls=excited(model, 0.05))
    assert hanging.stable
    assert flying.centre_of_mass([hanging[name] for name in flying.coordinates])[1] < -0.5
    weight = 9.81 * math.fsum(body.mass for body in model.bodies.values())
    assert hanging.holding == pytest.approx({"toe_x": 0.0, "toe_y": weight}, abs=1e-6)


@pytest.mark.parametrize(("count", "seed"), one_in(4, [(10, 0), (25, 3), (138, 0), (138, 5)]))
@pytest.mark.parametrize("by", [0.1, 0.5])
def test_synthetic_arms(count: int, seed: int, by: float) -> None:
    arm = my.synthetic_arm(muscles=count, seed=seed)
    eq = my.equations_of(arm)
    stays(eq, my.equilibrium(eq, controls=excited(arm, by)))


@pytest.fixture(scope="module")
def das3() -> my.Equations:
    if not HERE:
        pytest.skip(REASON)
    return my.equations_of(my.load_model(FOLDER / "rel2_model.json"))


def off_stored(rest: my.Equilibrium) -> float:
    """Return the largest distance from the stored angles (degrees)."""
    return float(np.degrees(np.abs(list(rest.values())[:11] - stored().equilibrium[:11])).max())


def test_stored_equilibrium_from_the_default(das3: my.Equations) -> None:
    rest = my.equilibrium(das3)
    assert off_stored(rest) < 1e-5
    assert list(rest.values()) == pytest.approx(stored().equilibrium, abs=1e-7)
    stays(das3, rest)


def test_stored_equilibrium_from_near(das3: my.Equations) -> None:
    """From up to half a radian away, within the ranges of the joints."""
    rng = np.random.default_rng(4)
    low, high = np.array([coordinate.range for coordinate in das3.model.coordinates.values()]).T
    for _ in range(3):
        guess = np.clip(stored().equilibrium[:11] + rng.uniform(-0.5, 0.5, 11), low, high)
        assert off_stored(my.equilibrium(das3, guess=dict(zip(das3.coordinates, guess, strict=True)))) < 0.1


@pytest.mark.long
def test_stored_equilibrium_from_anywhere(das3: my.Equations) -> None:
    """There are other equilibria, in which the shoulder is raised and some paths are shorter than their tendons."""
    rng = np.random.default_rng(1)
    low, high = np.array([coordinate.range for coordinate in das3.model.coordinates.values()]).T
    slack = np.array([muscle.tendon_slack_length for muscle in das3.model.muscles.values()])
    hanging = 0
    for _ in range(12):
        rest = my.equilibrium(das3, guess=dict(zip(das3.coordinates, rng.uniform(low, high), strict=True)))
        assert rest.stable
        assert np.abs(das3.residual(np.array(list(rest.values())), np.zeros(298), np.zeros(138))).max() < 1e-9
        too_short = das3.muscle_lengths([rest[name] for name in das3.coordinates]) < slack
        assert off_stored(rest) < 0.1 or too_short.any()
        hanging += off_stored(rest) < 0.1
    assert hanging >= 8


def test_held_coordinates_take_what_inverse_statics_gives() -> None:
    eq = my.equations_of(my.load_model("double_pendulum"))
    held = my.equilibrium(eq, pose={"angle1": 0.7, "angle2": -0.4})
    wanted = eq.inverse_dynamics([0.7, -0.4], [0.0, 0.0], [0.0, 0.0])
    assert list(held.holding.values()) == pytest.approx(wanted, abs=1e-12)
    half = my.equilibrium(eq, pose={"angle1": 0.7})
    assert half["angle1"] == 0.7
    assert half["angle1"] + half["angle2"] == pytest.approx(0.0, abs=1e-9), "the second rod hangs down"
    moments = eq.inverse_dynamics([0.7, half["angle2"]], [0.0, 0.0], [0.0, 0.0])
    assert (half.holding["angle1"], 0.0) == pytest.approx(tuple(moments), abs=1e-9)


def test_held_coordinates_against_muscles_and_constraints() -> None:
    model = my.load_model("jumper")
    eq = my.equations_of(model)
    rest = my.equilibrium(eq, pose={"knee": -1.2, "hip": 0.9}, controls=excited(model, 0.2))
    x = eq.state(dict(rest))
    u = np.full(len(eq.controls), 0.2)
    # The accelerations vanish once the moments that hold are added: they are what the equations leave over.
    size = len(eq.coordinates)
    jacobian = eq.constraint_errors(x[:size], np.zeros(size))[2]
    left = eq.residual(np.append(x, np.zeros(len(jacobian))), np.zeros(len(x) + len(jacobian)), u)[size : 2 * size]
    held = np.array([rest.holding.get(name, 0.0) for name in eq.coordinates])
    multipliers = np.linalg.lstsq(jacobian.T, held - left, rcond=None)[0]
    assert np.abs(jacobian.T @ multipliers + left - held).max() < 1e-8
    assert set(rest.holding) == {"knee", "hip"}


def test_unstable_ones_are_reported() -> None:
    pendulum = my.load_model("pendulum")
    upside_down = my.equilibrium(pendulum, guess={"angle": 3.0}, stable=False)
    assert upside_down["angle"] == pytest.approx(math.pi, abs=1e-9)
    assert not upside_down.stable
    # Even from the very top the search for a stable one falls.
    fallen = my.equilibrium(pendulum, guess={"angle": math.pi})
    assert math.sin(fallen["angle"] / 2) == pytest.approx(0.0, abs=1e-9)
    assert fallen.stable
    standing = my.equilibrium(my.load_model("four_bar"), stable=False)
    assert not standing.stable
    floating = my.equilibrium(my.load_model("free_body"), starts=3)
    assert not floating.stable, "a body in empty space does not come back"


def with_muscle(length: Any, **numbers: Any) -> my.Model:
    made: dict[str, Any] = {"max_force": 100.0, "optimal_fibre_length": 0.1, "tendon_slack_length": 0.2, **numbers}
    return my.load_model("pendulum").with_parts(
        muscles={"pull": my.Muscle(path=my.FunctionPath(length=length), **made)}
    )


def test_no_equilibrium_names_what_does_not_balance() -> None:
    ball = my.Model(
        name="ball",
        bodies={"ball": my.Body(mass=1.0)},
        joints={"fall": my.slider("ground", "ball", "height", axis="y")},
    )
    with pytest.raises(
        my.SolveError, match=r"'ball': no equilibrium was found.*'height' \(off by 100 % of its forces\)"
    ):
        my.equilibrium(ball)
    with pytest.raises(my.SolveError, match="'drive' demands motion"):
        my.equilibrium(my.load_model("cyclist_one_leg"))
    with pytest.raises(my.SolveError, match=r"'stance.*' .*off by"):
        my.equilibrium(my.load_model("jumper"), pose={"toe_y": 0.1}, starts=2)
    # Of rods of 1 m and less, no pose reaches this far.
    far = my.PointConstraint(first=my.Marker(body="rod", at=(0, -1, 0)), second=my.Marker(body="ground", at=(0, -4, 0)))
    with pytest.raises(my.SolveError, match="'far"):
        my.equilibrium(my.load_model("pendulum").with_parts(constraints={"far": far}), starts=3)


@pytest.mark.long
def test_paths_that_do_not_fit_their_muscle() -> None:
    short = with_muscle(my.Linear(coordinate="angle", slope=0.001, offset=0.05), curves=my.Millard2012())
    with pytest.raises(
        my.SolveError, match=r"fibres of 'pull' \(path 0.05\d* m, slack tendon 0.2 m\).*negative length"
    ):
        my.equilibrium(short, controls={"pull": 1.0})
    # Relaxed, the same muscle hangs slack and does no harm.
    assert my.equilibrium(short)["pull.projected_length"] == 0.0
    long = with_muscle(my.Linear(coordinate="angle", slope=0.01, offset=1e9))
    with pytest.raises(my.SolveError, match="'pull'"):
        my.equilibrium(long, starts=2)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"pose": {"knee": 0.1}}, "unknown pose 'knee'"),
        ({"guess": {"angel": 0.1}}, "did you mean 'angle'"),
        ({"controls": {"motor": 0.1}}, "unknown control 'motor': this model has no controls"),
        ({"pose": {"angle": float("nan")}}, "must be a finite number"),
        ({"pose": {"angle": "0.1"}}, "must be a finite number"),
        ({"guess": {"angle": True}}, "must be a finite number"),
        ({"guess": {"angle": None}}, "must be a finite number"),
        ({"guess": {"angle": 1j}}, "must be a finite number"),
        ({"pose": [0.1]}, "is given by name, like {'angle': 0.5}"),
        ({"guess": "angle"}, "is given by name"),
        ({"controls": 0.5}, "is given by name"),
        ({"starts": 0}, "starts must be a whole number, at least 1"),
        ({"starts": 2.5}, "starts must be"),
        ({"seed": -1}, "seed must be"),
        ({"seed": "a"}, "seed must be"),
    ],
)
def test_hostile_arguments(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(my.ModelError) as error:
        my.equilibrium(my.load_model("pendulum"), **wrong)
    assert told in str(error.value)


def test_no_model() -> None:
    with pytest.raises(my.ModelError, match="need a model"):
        my.equilibrium("pendulum")  # type: ignore[arg-type]


def test_nothing_moves() -> None:
    """Nothing is given, or nothing is left to be found."""
    pendulum = my.load_model("pendulum")
    assert my.equilibrium(pendulum, {}, controls={}, guess={}) == my.equilibrium(pendulum)
    held = my.equilibrium(pendulum, {"angle": np.float32(0.5)})
    assert (held.stable, held.residual, held["angle.speed"]) == (True, 0.0, 0.0)


def test_it_is_a_mapping_of_states() -> None:
    rest = my.equilibrium(my.load_model("double_pendulum"), guess={"angle1": 0.2})
    assert list(rest) == ["angle1", "angle2", "angle1.speed", "angle2.speed"]
    assert rest == dict(rest)
    again = my.equilibrium(my.load_model("double_pendulum"), guess=rest)
    assert again["angle1"] == pytest.approx(rest["angle1"], abs=1e-9)
    with pytest.raises(my.ModelError, match="did you mean 'angle2' or 'angle1'"):
        rest["angle"]
    assert "angle" not in rest
    assert rest.get("angle", 7.0) == 7.0


def test_interpreted_equations_find_the_same() -> None:
    arm = my.load_model("planar_arm")
    one = my.equilibrium(my.equations_of(arm, compiled=False), controls=excited(arm, 0.3))
    other = my.equilibrium(my.equations_of(arm), controls=excited(arm, 0.3))
    assert dict(one) == pytest.approx(dict(other), abs=1e-9)


STANDING = {
    "glutei": 0.03,
    "hamstrings": 0.01,
    "rectus_femoris": 0.02,
    "vasti": 0.08,
    "gastrocnemius": 0.01,
    "soleus": 0.04,
}


@pytest.mark.parametrize("height", [-0.01, 0.0, 0.002, 0.1, 0.9])
def test_gait2d_stands_wherever_it_is_held_above_the_ground(height: float) -> None:
    model = my.load_model("gait2d")
    eq = my.equations_of(model)
    controls = {f"{side}_{muscle}": value for muscle, value in STANDING.items() for side in ("right", "left")}
    start = model.coordinates["pelvis_y"].default + height
    rest = my.equilibrium(eq, controls=controls, guess={"pelvis_y": start}, stable=False, starts=3)
    assert rest.residual <= 1e-9
    assert not rest.stable
    assert rest["pelvis_y"] == pytest.approx(0.9503, abs=1e-3)
    assert rest["pelvis_tilt"] == pytest.approx(-0.05, abs=5e-3)
    assert rest["right_knee"] == pytest.approx(rest["left_knee"], abs=1e-6)
    assert np.abs(rates(eq, rest)).max() < 1e-5


def test_the_least_effort_is_the_limit_of_standing() -> None:
    """There two stances meet: with a little more excitation there are two, with a little less there is none."""
    problem = my.load_problem("gait2d_standing")
    assert isinstance(problem, my.Problem)
    stood = my.solve(problem, settings=my.Settings(tolerance=1e-8), audit=False, show=False)
    model = problem.model
    pose = {name: stood.final[name] for name in model.moving}

    def rest(share: float) -> my.Equilibrium:
        controls = {name: share * stood.final[f"{name}.excitation"] for name in model.muscles}
        return my.equilibrium(model, controls=controls, guess=pose, stable=False, starts=2)

    assert rest(1.0)["right_hip"] == pytest.approx(pose["right_hip"], abs=2e-3)
    assert rest(1.02)["pelvis_y"] == pytest.approx(pose["pelvis_y"], abs=5e-3)
    with pytest.raises(my.SolveError, match="_hip"):
        rest(0.98)


def test_where_no_ground_is_near_the_guess_stays() -> None:
    """A body that nothing carries falls; it is not put anywhere."""
    with pytest.raises(my.SolveError, match="pelvis_y"):
        my.equilibrium(my.load_model("gait2d").without("right_heel", "right_toe", "left_heel", "left_toe"), starts=3)
