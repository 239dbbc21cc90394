"""Contacts placed under feet and fitted to a stance: known ones are found again, errors are stated."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.analyse.contacts.fit import _Foot
from myodyne.analyse.contacts.law import normal_force
from myodyne.data import DataError
from myodyne.errors import ModelError

HEIGHTS = {"heel": -0.05, "ball": -0.06, "toe": -0.055}
PLACES = {"heel": -0.08, "ball": 0.1, "toe": 0.16}
STIFFNESS, TRANSITION = 6e4, 0.002


def foot(heights: dict[str, float], stiffness: float) -> my.Model:
    contacts = {
        name: my.ContactPoint(
            body="foot", at=(PLACES[name], heights[name], 0.0), stiffness=stiffness, transition=TRANSITION, friction=1.0
        )
        for name in PLACES
    }
    return my.Model(
        name="foot",
        bodies={"foot": my.Body(mass=1.0, inertia=0.01)},
        joints={"float": my.planar("ground", "foot", ("x", "y", "q"))},
        forces=contacts,
    )


@pytest.fixture(scope="module")
def stance() -> tuple[my.Trajectory, my.ExternalForces]:
    """A foot that lands on its heel, rolls over its ball and leaves; the plate's force by the formula of a contact."""
    time = np.linspace(0.0, 0.4, 61)
    part = time / 0.4
    angle = 0.15 - 0.7 * part**2
    pressed = 0.02 * np.sin(np.pi * np.clip((part - 0.15) / 0.7, -0.2, 1.2))
    offsets = np.array([[PLACES[name], HEIGHTS[name]] for name in PLACES])
    up = np.sin(angle)[:, None] * offsets[:, 0] + np.cos(angle)[:, None] * offsets[:, 1]
    across = np.cos(angle)[:, None] * offsets[:, 0] - np.sin(angle)[:, None] * offsets[:, 1]
    height = -up.min(axis=1) - pressed
    depth = -(height[:, None] + up)
    force = STIFFNESS * (depth + np.sqrt(depth**2 + TRANSITION**2)) / 2
    load = force.sum(axis=1)
    nothing = np.zeros(len(time))
    columns = {"fx": nothing, "fy": load, "fz": nothing, "py": nothing, "pz": nothing}
    columns["px"] = (force * (across + 0.3)).sum(axis=1) / load
    plate = my.ExternalForce("plate", "foot", my.Trajectory(time, columns), ("fx", "fy", "fz"), ("px", "py", "pz"))
    units = {"x": "m", "y": "m", "q": "rad"}
    motion = my.Trajectory(time, {"x": nothing + 0.3, "y": height, "q": angle}, units)
    return motion, my.ExternalForces([plate])


def test_known_contacts_are_found_again(stance: tuple[my.Trajectory, my.ExternalForces]) -> None:
    motion, plates = stance
    wrong = foot({"heel": -0.03, "ball": -0.03, "toe": -0.08}, 2e4)
    found = my.fit_contacts(wrong, motion, plates)
    for name, height in HEIGHTS.items():
        contact = found.model.forces[name]
        # The direction of a height is the mean vertical of the stance, so that x moves a little with y.
        assert np.hypot(contact.at[0] - PLACES[name], contact.at[1] - height) < 1.5e-3
        assert contact.stiffness == pytest.approx(STIFFNESS, rel=0.02)
    (judged,) = found.stances
    assert judged.contacts == ("heel", "ball", "toe")
    assert judged.height < 5e-4 and judged.centre < 1e-3
    assert f"{judged.rows} rows" in str(found)


def test_a_stiffness_that_is_known_stays(stance: tuple[my.Trajectory, my.ExternalForces]) -> None:
    motion, plates = stance
    found = my.fit_contacts(foot(HEIGHTS, 4e4), motion, plates, stiffness_spread=1e-4)
    assert found.stiffness == pytest.approx(1.0, abs=1e-3)
    # Softer contacts carry the same load when they lie lower.
    assert all(found.model.forces[name].at[1] < height for name, height in HEIGHTS.items())
    with pytest.raises(ModelError, match="stiffness_spread"):
        my.fit_contacts(foot(HEIGHTS, 4e4), motion, plates, stiffness_spread=0.0)


def test_true_contacts_need_no_shift(stance: tuple[my.Trajectory, my.ExternalForces]) -> None:
    motion, plates = stance
    one = _Foot.of(foot(HEIGHTS, STIFFNESS), motion, plates["plate"])
    judged = one.judged(np.zeros(3), 1.0)
    assert judged.height < 1e-9 and judged.centre < 1e-9 and judged.force < 1e-9


def test_a_foot_that_is_recorded_too_high_is_shifted_by_that(stance: tuple[my.Trajectory, my.ExternalForces]) -> None:
    motion, plates = stance
    raised = my.Trajectory(
        motion.time,
        {name: motion.values(name) + (0.004 if name == "y" else 0.0) for name in motion.names},
        motion.units,
    )
    one = _Foot.of(foot(HEIGHTS, STIFFNESS), raised, plates["plate"])
    assert one.judged(np.zeros(3), 1.0).height == pytest.approx(0.004, abs=1e-7)


def test_derivatives_are_those_of_the_residuals(stance: tuple[my.Trajectory, my.ExternalForces]) -> None:
    motion, plates = stance
    one = _Foot.of(foot({"heel": -0.045, "ball": -0.057, "toe": -0.055}, 5e4), motion, plates["plate"])
    point, step = np.array([0.002, -0.001, 0.003, 0.1]), 1e-6
    _, slopes = one.residuals(point[:3], float(np.exp(point[3])))
    for number in range(4):
        ends = [point + sign * step * np.eye(4)[number] for sign in (1, -1)]
        high, low = (one.residuals(end[:3], float(np.exp(end[3])))[0] for end in ends)
        np.testing.assert_allclose((high - low) / (2 * step), slopes[:, number], rtol=1e-4, atol=1e-2)


def test_the_law_of_a_sphere_is_that_of_hertz() -> None:
    plane = my.Placement(body="ground", at=(0.0, 0.02, 0.0), orientation=(0.0, 0.0, -np.pi / 2))
    sphere = my.HuntCrossleyContact(body="foot", at=(0.1, -0.03, 0.0), radius=0.03, stiffness=1e6, plane=plane)
    depth = np.array([0.001, 0.004])
    force, slope = normal_force(sphere)(depth, np.zeros(2))
    modulus = 1e6 ** (2 / 3) / 2
    hertz = 4 / 3 * modulus * depth * np.sqrt(0.03 * modulus * depth)
    np.testing.assert_allclose(force, hertz, rtol=1e-9)
    np.testing.assert_allclose(slope, 1.5 * hertz / depth, rtol=1e-9)


def test_contacts_lie_under_the_feet_and_carry_the_body() -> None:
    person = my.place_contacts(my.load_model("full_body"), points=3)
    placed = [name for name in person.forces if "_contact_" in name]
    assert placed == [f"foot_{side}_contact_{number}" for side in "rl" for number in (1, 2, 3)]
    heel, _, toe = (person.forces[name].at for name in placed[:3])
    assert heel[0] < 0.0
    assert toe[0] > 0.15
    assert heel[1] == pytest.approx(toe[1])


def test_two_rows_lie_under_a_foot_in_space_and_toes_carry_their_own() -> None:
    turning = {"metatarsals": my.pin({"body": "foot", "at": (0.15, -0.04, 0.0)}, "toes", "toes_angle")}
    markers = {
        "heel": my.Marker(body="foot", at=(-0.05, -0.03, 0.0)),
        "inside": my.Marker(body="foot", at=(0.12, -0.03, -0.04)),
        "outside": my.Marker(body="foot", at=(0.12, -0.03, 0.04)),
        "tip": my.Marker(body="toes", at=(0.06, 0.0, 0.0)),
    }
    model = my.Model(
        name="foot",
        bodies={"foot": my.Body(mass=1.0, inertia=0.01), "toes": my.Body(mass=0.2, inertia=0.001)},
        joints={"float": my.free("ground", "foot", ("x", "y", "z", "turn_x", "turn_y", "turn_z")), **turning},
        markers=markers,
    )
    placed = my.place_contacts(model, ["foot"], points=4).forces
    assert len(placed) == 8
    assert [placed[f"foot_contact_{number}"].body for number in range(1, 5)] == ["foot", "foot", "foot", "toes"]
    assert {round(placed[f"foot_contact_{number}"].at[2], 3) for number in (1, 5)} == {-0.04, 0.04}


def test_bad_input_is_refused(stance: tuple[my.Trajectory, my.ExternalForces]) -> None:
    motion, plates = stance
    with pytest.raises(DataError, match="ExternalForces"):
        my.fit_contacts(foot(HEIGHTS, STIFFNESS), motion, None)
    with pytest.raises(ModelError, match="no limb that ends low"):
        my.place_contacts(my.load_model("jumper_skeleton"))
    with pytest.raises(ModelError, match="at least two contacts"):
        my.place_contacts(my.load_model("full_body"), points=1)
    with pytest.raises(ModelError, match="did you mean 'foot_r'"):
        my.place_contacts(my.load_model("full_body"), ["foot_rr"])
    bare = foot(HEIGHTS, STIFFNESS).without(*HEIGHTS)
    with pytest.raises(ModelError, match="how long 'foot' is"):
        my.place_contacts(bare, ["foot"])
    record = plates["plate"]
    still = my.ExternalForce("plate", "foot", record.data, force=record.force)
    with pytest.raises(DataError, match="point of application"):
        my.fit_contacts(foot(HEIGHTS, STIFFNESS), motion, my.ExternalForces([still]))
    tilted = foot(HEIGHTS, STIFFNESS).with_values({"toe.plane.orientation": (0.0, 0.0, -1.4)})
    with pytest.raises(ModelError, match="'toe' does not rest on a level floor"):
        my.fit_contacts(tilted, motion, plates)
