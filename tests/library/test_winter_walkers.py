"""Walkers that Winter's review of forward solutions describes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import myodyne as my
from myodyne.model import ContactPoint, JointLimit, TorsionSpring

WALKERS = (my.onyshko_winter, my.gilchrist_winter)


@pytest.mark.parametrize("make", WALKERS)
def test_they_weigh_what_they_should_and_stand_on_their_soles(make: Callable[..., my.Model]) -> None:
    model = make(mass=62.0, height=1.68)
    assert model.mass == pytest.approx(62.0, rel=1e-9)
    equations = my.equations_of(model, compiled=False)
    state = equations.state()
    pose = equations.body_positions(state[: len(equations.coordinates)])
    lowest = min(
        float(pose[force.body][1]) + force.at[1] for force in model.forces.values() if isinstance(force, ContactPoint)
    )
    assert lowest == pytest.approx(0.0, abs=1e-9)
    assert "ours" in model.source


def test_seven_segments_in_the_plane() -> None:
    model = my.onyshko_winter()
    assert sorted(model.bodies) == sorted(["hat", *(f"{s}_{d}" for s in ("thigh", "shank", "foot") for d in "rl")])
    assert len(model.coordinates) == 9
    assert len(model.controls) == 6


def test_nine_segments_in_space_with_springs_as_described() -> None:
    model = my.gilchrist_winter()
    assert (len(model.bodies), len(model.coordinates)) == (9, 20)
    limited = {force.coordinate[:-2] for force in model.forces.values() if isinstance(force, JointLimit)}
    assert limited == {"knee", "ankle", "inversion", "toe_bend"}
    springs = [force for force in model.forces.values() if isinstance(force, TorsionSpring)]
    assert {force.coordinate[:3] for force in springs if force.stiffness > 0} == {"hip"}
    assert len(springs) == 14
    assert all(force.damping > 0 for force in springs)
    soles = [force for force in model.forces.values() if isinstance(force, ContactPoint)]
    assert len(soles) == 16
    assert all(force.dissipation > 0 for force in soles)
    # The two parts of a foot are together Winter's foot.
    foot, toes = model.bodies["foot_r"], model.bodies["toes_r"]
    assert foot.mass + toes.mass == pytest.approx(0.0145 * 75.0)


@pytest.mark.long
def test_003_11_internal_validity_of_the_walker_in_the_plane() -> None:
    """Without contacts: moments by inverse dynamics give the motion back; perturbed ones do so for half a second."""
    model = my.onyshko_winter()
    model = model.without(*[name for name, force in model.forces.items() if isinstance(force, ContactPoint)])
    time = np.linspace(0.0, 1.0, 201)
    sway = {
        name: model.coordinates[name].default + size * np.sin(2 * np.pi * time + k)
        for k, (name, size) in enumerate(
            {"hip_x": 0.1, "hip_y": 0.02, "lean": 0.05, "hip_r": 0.3, "knee_r": 0.2, "ankle_r": 0.1}.items()
        )
    }
    motion = my.Trajectory(time, sway | {name: np.zeros(201) for name in ("hip_l", "knee_l", "ankle_l")})
    found = my.validity(model, motion, perturbation=0.02)
    assert found["matched forces"].beyond is None
    assert found["inverse dynamics"].beyond is None
    assert found["moments perturbed"].beyond is not None
