"""Our side of the defects that docs/works/defects.md shows: what follows from the definitions, and OpenSim's numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from support.shared import needs

ARM = Path(__file__).parents[3] / "shared" / "models_osim" / "arm26.osim"


def test_a_coordinate_that_drives_three_rotations_keeps_the_kinetic_energy() -> None:
    """OpenSim 4.6 has -0.11687 where its own mass matrix asks for -0.29524."""
    turns = [my.Axis(motion="rotation", direction=axis, function=my.Linear(coordinate="q")) for axis in "xyz"]
    joint = my.Joint(
        parent=my.Placement(body="ground"), child=my.Placement(body="rod"), coordinates={"q": {}}, axes=tuple(turns)
    )
    rod = my.Body(mass=1.0, centre_of_mass=(0.1, 0.2, 0.3), inertia=my.Inertia(xx=0.2, yy=0.3, zz=0.4))
    model = my.Model(name="rod", gravity=(0.0, 0.0, 0.0), bodies={"rod": rod}, joints={"joint": joint})
    eq = my.equations_of(model, compiled=False)
    ahead, behind, here = (float(eq.mass_matrix([0.7 + h])[0, 0]) for h in (1e-5, -1e-5, 0.0))
    expected = -(ahead - behind) / 4e-5 / here
    found = eq.derivative([0.7, 1.0])[1]
    assert found == pytest.approx(expected, abs=1e-8)
    assert found == pytest.approx(-0.29524, abs=1e-5)


@needs(ARM, "the OpenSim models are not beside the project")
def test_a_moment_arm_over_a_surface_is_the_slope_of_the_length() -> None:
    """OpenSim 4.6: slope -0.02103 m, computeMomentArm -0.01603 m."""
    model = my.load_model(ARM)
    pose = {"r_elbow_flex": 1.4148}
    range = (1.6326, 1.7)
    found = my.moment_arms(my.equations_of(model, compiled=False), "TRIlong", "r_shoulder_elev", range, 2, pose)
    assert found.arms[0] == pytest.approx(-0.02103, abs=2e-5)


@pytest.mark.usefixtures("interpreted")
def test_the_cosine_of_pennation_counts_in_static_optimisation() -> None:
    """41.73 N hold the rod; OpenSim 4.6 finds 0.0494 for the fully active fibre's 845 N, without the cosine of 0.784."""
    muscle = my.Muscle(
        max_force=1000.0,
        optimal_fibre_length=0.1,
        tendon_slack_length=0.2,
        pennation=0.5,
        curves=my.Millard2012(),
        path=my.PointPath(points=({"body": "ground", "at": (0.05, 0, 0)}, {"body": "rod", "at": (0.05, -0.28, 0)})),
    )
    model = my.Model(
        name="rod",
        gravity=(0.0, -9.80665, 0.0),
        bodies={"rod": my.Body(mass=1.0, centre_of_mass=(0.0, -0.5, 0.0), inertia=0.1)},
        joints={"joint": my.pin("ground", "rod", "q")},
        muscles={"muscle": muscle},
    )
    time = np.linspace(0.0, 1.0, 11)
    still = my.Trajectory(time, {"q": np.full(11, 0.4)}, {"q": "rad"})
    found = my.static_optimisation(model, still)
    assert found.values("muscle.force")[5] == pytest.approx(41.73, abs=0.01)
    assert found.values("muscle.activation")[5] == pytest.approx(41.73 / 663.65, rel=0.01)
