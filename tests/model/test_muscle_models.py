"""The built-in models with muscles: published lengths and moment arms, muscles that can work where they are used."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.model import Polynomial
from support.jumps import JUMPS, MUSCLES, directions, recorded

JOINTS = ("toe", "ankle", "knee", "hip")
ARM = my.load_model("planar_arm")


def length(path: Polynomial, values: dict[str, np.ndarray]) -> np.ndarray:
    """Return the length of a muscle (m) for angles by name, written apart from the package's own paths."""
    return sum(
        term.coefficient
        * np.prod([values[name] ** power for name, power in zip(path.of, term.powers, strict=True)], axis=0)
        for term in path.terms
    )


def slope(path: Polynomial, values: dict[str, np.ndarray], joint: str) -> np.ndarray:
    step = 1e-4
    moved = [length(path, {**values, joint: values[joint] + sign * step}) for sign in (1, -1)]
    return (moved[0] - moved[1]) / (2 * step)


@pytest.mark.parametrize("name", JUMPS)
def test_lengths_and_torques_of_the_jumper_are_those_of_the_recorded_jumps(name: str) -> None:
    jump, muscles = recorded(name), my.load_model("jumper").muscles
    assert tuple(muscles) == MUSCLES
    values = dict(zip(JOINTS, jump.angles.T, strict=True))
    lengths = np.stack([length(muscle.path.length, values) for muscle in muscles.values()], axis=1)
    np.testing.assert_allclose(lengths, jump.columns["whole"], atol=1.1e-6)
    for number, joint in enumerate(JOINTS):
        arms = np.stack(
            [slope(muscle.path.length, values, joint) * np.ones(len(lengths)) for muscle in muscles.values()], 1
        )
        # The recorded torque turns the proximal segment counter-clockwise, and that lowers our angles.
        torque = np.sum(arms * jump.columns["tension"], axis=1)
        np.testing.assert_allclose(torque, jump.columns["torque"][:, number], atol=3e-3)


def test_the_jumper_is_that_of_the_recorded_jumps() -> None:
    jump, model = recorded("baseline"), my.load_model("jumper")
    np.testing.assert_allclose([body.mass for body in model.bodies.values()], jump.header["mass"])
    np.testing.assert_allclose([body.inertia.zz for body in model.bodies.values()], jump.header["inertia"])
    centres = [np.hypot(*body.centre_of_mass[:2]) for body in model.bodies.values()]
    np.testing.assert_allclose(centres, jump.header["centre"], rtol=1e-11)
    starts = [model.joints[name].parent.at for name in ("ankle", "knee", "hip")]
    np.testing.assert_allclose([np.hypot(*at[:2]) for at in starts], jump.header["length"][:3], rtol=1e-11)
    assert [muscle.max_force for muscle in model.muscles.values()] == jump.header["max_force"].tolist()
    pose = [np.array(model.coordinates[name].default) for name in JOINTS]
    np.testing.assert_allclose(directions(*pose), jump.header["start"][:4], atol=1e-11)
    assert model.mass == pytest.approx(82.25236, abs=1e-9)


@pytest.mark.parametrize("name", JUMPS)
def test_no_limit_of_the_jumper_is_reached_before_take_off(name: str) -> None:
    """The recorded jumps have neither limits nor ground below the heel; ours must leave them alone."""
    jump, model = recorded(name), my.load_model("jumper")
    assert np.all(jump.columns["ground_torque"] == 0)
    limits = {force.coordinate: force for force in model.forces.values()}
    assert sorted(limits) == sorted(JOINTS)
    for joint, angle in zip(JOINTS, jump.angles.T, strict=True):
        limit = limits[joint]
        assert limit.lower + limit.transition < angle.min()
        assert angle.max() < limit.upper - limit.transition


def test_the_cyclist_has_half_of_the_jumpers_muscles() -> None:
    jumper, cyclist = my.load_model("jumper"), my.load_model("cyclist_one_leg_muscles")
    assert cyclist.controls == tuple(jumper.muscles)
    for name, muscle in cyclist.muscles.items():
        assert muscle.max_force == jumper.muscles[name].max_force / 2
    # Where foot and shank stand alike, muscles are equally long: the feet differ in the slope of their soles.
    foot_jumper, foot_cyclist = (np.arctan2(*model.joints["ankle"].parent.at[1::-1]) for model in (jumper, cyclist))
    ankle = np.linspace(-0.5, 0.5, 5)
    ours, theirs = (
        {"ankle": ankle, "knee": np.full(5, -1.0)},
        {"ankle": ankle + foot_jumper - foot_cyclist, "knee": np.full(5, -1.0)},
    )
    for name in ("soleus", "gastrocnemius"):
        np.testing.assert_allclose(
            length(jumper.muscles[name].path.length, ours),
            length(cyclist.muscles[name].path.length, theirs),
            atol=1e-11,
        )


# ---- arm ------------------------------------------------------------------------------------------------------


def test_segments_of_the_arm_are_possible_bodies() -> None:
    """A body that ends a and b from its centre of mass has at most m a b about it."""
    for body, span in zip(ARM.bodies.values(), (0.309, 0.333), strict=True):
        centre = body.centre_of_mass[0]
        most = body.mass * centre * (span - centre)
        assert 0 < body.inertia.zz < most
        quoted = body.inertia.zz + body.mass * centre**2
        assert quoted == pytest.approx({1.82: 0.051, 1.43: 0.057}[body.mass], abs=1e-9)
        assert quoted > most, "the quoted moments of inertia cannot be about the centre of mass"


@pytest.mark.parametrize(
    "name, shoulder, elbow",
    [
        ("shoulder_flexor", -0.03, 0.0),
        ("shoulder_extensor", 0.03, 0.0),
        ("elbow_flexor", 0.0, -0.014 - 0.008 * 1.2),
        ("elbow_extensor", 0.0, 0.025 - 0.0044 * 1.2),
        ("biarticular_flexor", -0.03, -0.016 - 0.0114 * 1.2),
        ("biarticular_extensor", 0.03, 0.03 - 0.0064 * 1.2),
    ],
)
def test_moment_arms_of_the_arm(name: str, shoulder: float, elbow: float) -> None:
    path, pose = ARM.muscles[name].path.length, {"shoulder": np.array(0.7), "elbow": np.array(1.2)}
    assert float(slope(path, pose, "shoulder")) == pytest.approx(shoulder, abs=1e-9)
    assert float(slope(path, pose, "elbow")) == pytest.approx(elbow, abs=1e-9)


def test_muscles_of_the_arm_can_work_at_its_start() -> None:
    pose = {name: np.array(part.default) for name, part in ARM.coordinates.items()}
    for muscle in ARM.muscles.values():
        fibre = (length(muscle.path.length, pose) - muscle.tendon_slack_length) / muscle.optimal_fibre_length
        assert 0.6 < float(fibre) < 1.4
