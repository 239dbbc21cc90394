"""Accelerations of whole OpenSim models, muscles, contacts and all, against OpenSim 4.6.

Only models whose paths run along points: over surfaces OpenSim's muscles pull with moment arms that are not the
derivatives of their lengths.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my
from support.samples import one_in

SHARED = Path(__file__).parents[2] / "../shared"
MODELS = ("Tug_of_War_Millard", "gait10dof18musc", "2D_gait", "gait2392_thelen2003muscle")

pytestmark = pytest.mark.skipif(
    not (SHARED / "reference_opensim").is_dir(), reason="OpenSim's reference values are not beside the project"
)


def state_of(eq: my.Equations, pose: dict[str, Any]) -> Any:
    """Return the state of a pose: activation 0.3, and the fibre lengths at which OpenSim found balance."""
    given = {name: pose["q"][name] for name in eq.coordinates}
    given |= {f"{name}.speed": pose["u"][name] for name in eq.coordinates}
    for name, muscle in eq.model.muscles.items():
        found = pose["muscle_state"][name]
        if muscle.elastic:
            projected = found["fiber_length"] * np.cos(found["pennation"]) / muscle.optimal_fibre_length
            given[f"{name}.projected_length"] = projected
        if muscle.activated:
            given[f"{name}.activation"] = 0.3
    return eq.state(given)


@pytest.mark.parametrize("name", one_in(2, MODELS))
def test_accelerations_are_those_of_opensim(name: str) -> None:
    eq = my.equations_of(my.load_model(SHARED / "models_osim" / f"{name}.osim"), compiled=False)
    reference = json.loads((SHARED / "reference_opensim" / f"{name}.open.json").read_text())
    order = [reference["u_order"].index(coordinate) for coordinate in eq.coordinates]
    balanced = [pose for pose in reference["poses"] if pose["equilibrate"] == "ok"]
    assert len(balanced) >= 9
    for pose in balanced:
        found = eq.derivative(state_of(eq, pose), np.zeros(len(eq.controls)))[len(order) : 2 * len(order)]
        expected = np.array(pose["udot_full"])[order]
        # One pose of 2D_gait, with feet in the ground, is 2e-7 off; all others are below 1e-9.
        assert np.abs(found - expected).max() <= 1e-6 * np.abs(expected).max(), pose["pose"]
