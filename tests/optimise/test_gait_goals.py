"""Goals of walking: volume-weighted effort, impacts, clearance, deviations; each against its definition."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from myodyne.optimise.goals.feet import feet_of
from myodyne.optimise.storage.problem_files import problem_from_file
from myodyne.optimise.transcription.program import Program
from support.derivatives import largest_errors

pytestmark = pytest.mark.usefixtures("interpreted")


def hopper() -> my.Model:
    """Return a foot with toes on the ground below a mass, on a slope, moved by one motor."""
    floor = my.Placement(body="ground", orientation=(0.0, 0.0, -np.pi / 2 + 0.1))
    return my.Model(
        name="hopper",
        gravity=(0.0, -10.0, 0.0),
        bodies={"foot": my.Body(mass=3.0, inertia=0.02), "toes": my.Body(mass=1.0, inertia=0.01)},
        joints={
            "root": my.planar("ground", "foot", ("x", "y", "turn")),
            "ball": my.pin({"body": "foot", "at": (0.1, 0.0, 0.0)}, "toes", "bend"),
        },
        forces={
            "heel": my.ContactPoint(
                body="foot",
                at=(-0.05, -0.02, 0.0),
                plane=floor,
                stiffness=3e3,
                transition=0.01,
                transition_velocity=0.2,
            ),
            "tip": my.SmoothSphereContact(
                body="toes",
                at=(0.05, 0.0, 0.0),
                radius=0.02,
                plane=floor,
                stiffness=1e5,
                dissipation=0.5,
                static_friction=0.8,
                dynamic_friction=0.8,
                transition_velocity=0.2,
                hertz_smoothing=100.0,
                hunt_crossley_smoothing=20.0,
                constant_contact_force=1e-4,
            ),
            "flexor": my.CoordinateActuator(coordinate="bend", gain=3.0),
        },
    )


def problem(*goals: object, model: my.Model | None = None) -> my.Problem:
    return my.Problem(model or hopper(), duration=(0.1, 0.4), goals=list(goals))


def stiff_toes() -> my.Model:
    """Return the same foot with toes that resist bending, more so when the foot turns."""
    up = my.ExponentialTerm(size=-0.2, rate=4.0, at=0.1, others={"turn": 1.0})
    down = my.ExponentialTerm(size=0.5, rate=-6.0, at=-0.3)
    return hopper().with_parts(
        forces={"toes_passive": my.PassiveMoment(coordinate="bend", terms=(up, down), constant=0.1, damping=0.01)}
    )


def test_derivatives_are_exact() -> None:
    goals = [
        my.ContactForceRate(axes=("x", "y"), scale=2.0),
        my.FootClearance(height=0.05),
        my.Squared(of="turn", about=0.1, scale=0.3),
    ]
    program = Program(problem(*goals), my.Radau(degree=2), [np.array([0.0, 0.3, 1.0])])
    errors = largest_errors(program)
    assert errors["gradient"] < 1e-6
    assert errors["hessian"] < 1e-5


def test_derivatives_of_passive_loads_are_exact() -> None:
    asked = problem(my.PassiveLoad(scale=0.3), model=stiff_toes())
    errors = largest_errors(Program(asked, my.Radau(degree=2), [np.array([0.0, 0.3, 1.0])]))
    assert errors["gradient"] < 1e-6
    assert errors["hessian"] < 1e-5


@pytest.fixture(scope="module")
def fall() -> my.Result:
    """A fall onto the slope."""
    return my.simulate(hopper(), 0.15, start={"y": 0.06, "x.speed": 0.5, "bend": -0.2}, every=0.00025)


def measured(fall: my.Result, *goals: object) -> dict[str, dict[str, float]]:
    asked = my.Problem(hopper(), duration=0.15, goals=list(goals), nodes=601, scheme=my.Midpoint())
    return my.goal_terms(asked, fall)


def test_the_force_rate_is_the_derivative_of_the_force(fall: my.Result) -> None:
    """Along a simulated fall, the rate of the summed force is that of differences."""
    force = sum(fall.values(f"{name}.force_y") for name in ("heel", "tip")) / 40.0
    assert force.max() > 1.0
    expected = np.trapezoid(np.gradient(force, fall.time) ** 2, fall.time) / 0.15 / 50.0**2
    assert measured(fall, my.ContactForceRate())["contact_force_rate"]["foot"] == pytest.approx(expected, rel=0.01)


def test_toes_belong_to_their_foot_unless_asked() -> None:
    assert feet_of(hopper(), {}, "") == {"foot": ("heel", "tip")}
    walker = feet_of(my.load_model("gait2d"), {}, "")
    assert walker == {f"{side}_foot": (f"{side}_heel", f"{side}_toe") for side in ("right", "left")}
    assert feet_of(hopper(), {"heels": ("heel",)}, "") == {"heels": ("heel",)}


def test_clearance_is_the_squared_speed_along_the_slope(fall: my.Result) -> None:
    height, slope = 0.05, 0.1
    along, normal = np.array([np.cos(slope), np.sin(slope)]), np.array([-np.sin(slope), np.cos(slope)])
    turn = fall.values("turn")
    heel = np.array([-0.05, -0.02])
    arm = np.array([heel[0] * np.cos(turn) - heel[1] * np.sin(turn), heel[0] * np.sin(turn) + heel[1] * np.cos(turn)])
    place = np.array([fall.values("x"), fall.values("y")]) + arm
    spin = fall.values("turn.speed")
    velocity = np.array([fall.values("x.speed") - spin * arm[1], fall.values("y.speed") + spin * arm[0]])
    cost = np.exp(-(normal @ place) / height) * (along @ velocity) ** 2
    expected = np.trapezoid(cost, fall.time) / 0.15
    terms = measured(fall, my.FootClearance(height=height))["foot_clearance"]
    assert set(terms) == {"heel", "tip"}
    assert terms["heel"] == pytest.approx(expected, rel=0.01)


def test_a_deviation_is_squared(fall: my.Result) -> None:
    expected = np.trapezoid(((fall.values("turn") - 0.1) / 0.3) ** 2, fall.time) / 0.15
    found = measured(fall, my.Squared(of="turn", about=0.1, scale=0.3))["squared"]["squared"]
    assert found == pytest.approx(expected, rel=0.01)


def test_a_passive_load_is_the_squared_moment_of_the_joint() -> None:
    """The moment by its formula along a movement, not by the output of the same name."""
    time = np.linspace(0.0, 0.15, 601)
    bend, turn = 0.3 * np.sin(20 * time), 0.1 * np.cos(10 * time)
    speed = 6.0 * np.cos(20 * time)
    moment = 0.1 - 0.2 * np.exp(4.0 * (bend - 0.1) + turn) + 0.5 * np.exp(-6.0 * (bend + 0.3)) - 0.01 * speed
    states = {"y": np.full(601, 1.0), "bend": bend, "turn": turn, "bend.speed": speed}
    asked = my.Problem(stiff_toes(), duration=0.15, goals=[my.PassiveLoad(scale=0.3)], nodes=601, scheme=my.Midpoint())
    found = my.goal_terms(asked, my.Trajectory(time, states))["passive_load"]
    assert found == {"toes_passive": pytest.approx(np.trapezoid((moment / 0.3) ** 2, time) / 0.15, rel=0.01)}


def test_passive_loads_need_passive_moments() -> None:
    with pytest.raises(my.ModelError, match=r"'hopper' has no passive moments; .*my\.passive_leg"):
        Program(problem(my.PassiveLoad()), my.Midpoint(), [np.linspace(0.0, 1.0, 3)])
    asked = problem(my.PassiveLoad(of=("toe_passive",)), model=stiff_toes())
    with pytest.raises(my.ModelError, match="did you mean 'toes_passive'"):
        Program(asked, my.Midpoint(), [np.linspace(0.0, 1.0, 3)])


def test_volumes_average_one() -> None:
    model = my.load_model("gait2d")
    factors = my.Effort(of="activations", weights="volume").factors(model)
    assert np.mean(list(factors.values())) == pytest.approx(1.0)
    # Vasti: 7000 N and 93 mm; soleus: 4000 N and 55 mm, at one specific tension.
    ratio = factors["right_vasti.activation"] / factors["right_soleus.activation"]
    assert ratio == pytest.approx(7000 * 0.093 / (4000 * 0.055))


def test_weights_by_muscle_enter_effort_and_its_terms() -> None:
    model = my.load_model("gait2d")
    still = my.Trajectory(
        [0.0, 0.5], {"pelvis_y": [1.5, 1.5]} | {f"{name}.excitation": [0.5, 0.5] for name in model.muscles}
    )
    goals = [
        my.Effort(label="plain"),
        my.Effort(weights={"right_vasti": 3.0}, label="knee"),
        my.Effort(weights="volume", label="volume"),
        my.Effort(weights={"right_vasti": 3.0}, summed=True, label="sum"),
    ]
    terms = my.goal_terms(my.Problem(model, duration=0.5, goals=goals, nodes=3), still)
    sums = {label: sum(found.values()) for label, found in terms.items()}
    assert sums["plain"] == pytest.approx(0.25)
    assert sums["volume"] == pytest.approx(0.25)
    assert sums["knee"] == pytest.approx(0.25 * 18 / 16)
    assert sums["sum"] == pytest.approx(0.25 * 18 * 0.5)
    assert terms["knee"]["right_vasti.excitation"] == pytest.approx(0.25 * 3 / 16)


@pytest.mark.parametrize(
    "goal, said",
    [
        (my.Effort(weights="volume", of="controls"), "has no volume"),
        (my.Effort(weights={"flexo": 1.0}, of="controls"), "did you mean 'flexor'"),
        (my.FootClearance(of=("hell",)), "did you mean 'heel'"),
        (my.ContactForceRate(of={"foot": ("toe",)}), "contact with the ground"),
    ],
)
def test_faults_are_named(goal: object, said: str) -> None:
    with pytest.raises(my.ModelError, match=said):
        Program(problem(goal), my.Midpoint(), [np.linspace(0.0, 1.0, 3)])


@pytest.mark.parametrize("goal", [my.ContactForceRate(), my.FootClearance()])
def test_a_model_without_contacts_is_refused(goal: object) -> None:
    asked = my.Problem(my.load_model("pendulum"), duration=0.5, goals=[goal])
    with pytest.raises(my.ModelError, match="no contacts with the ground"):
        Program(asked, my.Midpoint(), [np.linspace(0.0, 1.0, 3)])


def test_they_stand_in_files(tmp_path: Path) -> None:
    file = tmp_path / "hop.yaml"
    file.write_text(
        """
model: gait2d
duration: [0.4, 0.8]
goals:
  - {kind: effort, of: activations, weights: volume, weight: 5}
  - {kind: effort, weights: {right_vasti: 2.0}, label: knee}
  - {kind: contact_force_rate, axes: y, weight: 0.3}
  - {kind: contact_force_rate, axes: [x], weight: 0.1, label: shear}
  - {kind: foot_clearance, height: 0.01}
  - {kind: squared, of: pelvis_tilt}
  - {kind: passive_load, scale: 50}
"""
    )
    found = problem_from_file(file)
    assert isinstance(found, my.Problem)
    names = ["contact_force_rate", "shear", "foot_clearance", "squared", "passive_load"]
    assert [goal.name for goal in found.goals][2:] == names
    assert my.Problem.model_validate(found.model_dump()).goals == found.goals
