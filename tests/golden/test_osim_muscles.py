"""Muscles of published OpenSim models against OpenSim 4.6: numbers, lengths, moment arms and balance.

The numbers are in ``../shared/reference_opensim``: ten poses of each model, with the activation 0.3 of all muscles.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.files.osim import read_osim
from support.osim_muscles import fibre_state, solved_tension
from support.samples import one_in

SHARED = Path(__file__).parents[3] / "shared"
REFERENCES = SHARED / "reference_opensim"
MODELS = (
    "2D_gait",
    "MoBL_ARMS",
    "Rajagopal2016",
    "RajagopalLaiUhlrich2023",
    "Tug_of_War_Millard",
    "arm26",
    "das3",
    "gait10dof18musc",
    "gait2354_simbody",
    "gait2392_millard2012muscle",
    "gait2392_thelen2003muscle",
    "wrist",
)
ACTIVATION = 0.3
# Forces agree to this part of the maximal one; Schutte's muscles are balanced to 0.01 N in OpenSim.
TOLERANCE = {"Schutte1993Muscle_Deprecated": 2e-4}

pytestmark = pytest.mark.skipif(not REFERENCES.is_dir(), reason="needs ../shared/reference_opensim")


@cache
def reference(name: str) -> dict[str, Any]:
    return json.loads((REFERENCES / f"{name}.open.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


@cache
def model(name: str) -> my.Model:
    file = SHARED / reference(name)["source_file"]
    return read_osim(file.read_bytes(), file.name)


def too_short(muscle: my.Muscle, length: float) -> bool:
    """Whether no fibre fits beside a rigid tendon: OpenSim holds it at its least length, out of balance."""
    return not muscle.elastic and length < muscle.tendon_slack_length


@pytest.mark.parametrize("name", one_in(4, MODELS))
def test_numbers_of_muscles(name: str) -> None:
    muscles = model(name).muscles
    assert list(muscles) == list(reference(name)["muscles"])
    for muscle, theirs in zip(muscles.values(), reference(name)["muscles"].values(), strict=True):
        ours = (muscle.max_force, muscle.optimal_fibre_length, muscle.tendon_slack_length, muscle.pennation)
        assert ours == (theirs["Fmax"], theirs["lopt"], theirs["lslack"], theirs["alpha"])


@pytest.mark.parametrize("name", one_in(4, MODELS))
def test_muscles_in_balance(name: str) -> None:
    compared = left_out = 0
    for muscle_name, theirs in reference(name)["muscles"].items():
        muscle = model(name).muscles[muscle_name]
        for pose in reference(name)["poses"]:
            state = pose["muscle_state"][muscle_name]
            length, speed = pose["muscle_length"][muscle_name], pose["muscle_lengthening_speed"][muscle_name]
            if too_short(muscle, length):
                left_out += 1
                continue
            start, rate = fibre_state(muscle, state["fiber_length"], state["fiber_velocity"])
            ours = solved_tension(muscle, length, speed, start, rate, ACTIVATION)
            tolerance = TOLERANCE.get(theirs["class"], 1e-6) * muscle.max_force
            assert ours == pytest.approx(state["tendon_force"], abs=tolerance), (muscle_name, pose["pose"])
            compared += 1
    assert compared > 0
    assert left_out <= 0.02 * compared


@pytest.mark.parametrize(
    ("name", "length", "tension"),
    [
        ("glut_min2_r", 0.025916184680194278, 0.0),
        ("intobl_l", 0.10013522652777095, 3.4831925091357143),
        ("soleus_r", 0.2534659689704753, 75.47217013239474),
        ("peri_l", 0.11567019910005333, 2.4921277367378982),
        ("glut_med1_r", 0.0788193328060604, 2.0626122928347885),
    ],
)
@pytest.mark.parametrize("activation", [0.7, 1.0])
def test_fibres_that_are_held(name: str, length: float, tension: float, activation: float) -> None:
    """Two straight and three pennate muscles of gait2392 (Thelen) on short paths, by OpenSim's computeEquilibrium."""
    muscle = model("gait2392_thelen2003muscle").muscles[name]
    found = solved_tension(muscle, length, 0.0, 0.3, 0.0, activation)
    assert found == pytest.approx(tension, abs=1e-6 * muscle.max_force)


@pytest.mark.parametrize("name", one_in(4, MODELS))
def test_lengths_and_moment_arms_of_paths_without_wraps(name: str) -> None:
    whole = model(name).unconstrained()
    wrapped = [muscle for muscle, part in whole.muscles.items() if part.path.kind == "points" and part.path.wraps]
    eq = my.equations_of(whole.without(*wrapped, *whole.forces), compiled=False)
    assert eq.model.muscles
    for pose in reference(name)["poses"]:
        q = np.array([pose["q"][coordinate] for coordinate in eq.coordinates])
        lengths, arms = eq.muscle_lengths(q), eq.moment_arms(q)
        for number, muscle in enumerate(eq.model.muscles):
            assert lengths[number] == pytest.approx(pose["muscle_length"][muscle], abs=1e-12)
            theirs = pose["moment_arm_fd"].get(muscle, {})
            np.testing.assert_allclose(arms[number], [theirs.get(c, 0.0) for c in eq.coordinates], rtol=0, atol=1e-8)
