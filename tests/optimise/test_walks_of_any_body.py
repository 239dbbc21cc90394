"""Walks of OpenSim's models, predicted by `walking` from its default guess and judged like people's."""

from pathlib import Path

import pytest

import myodyne as my
from support.shared import needs

SHARED = Path(__file__).parents[2] / ".." / "shared" / "models_osim"
pytestmark = [pytest.mark.long, needs(SHARED, "OpenSim models are not beside the repository")]


def walks_like_people(report, *, hip, knee, vertical):
    """Whether a walk lands on the heel at a human cadence, and its curves follow Winter's."""
    least = {"hip_angle": hip, "knee_angle": knee, "force_y": vertical}
    alike = all(report.curve(name).correlation >= value for name, value in least.items())
    landings = {stance.landing for stance in report.stances}
    return alike and landings == {"heel"} and 95 < report.measures["cadence"].value < 130


@pytest.mark.parametrize("name", ["2D_gait", "gait10dof18musc"])
def test_planar_models_walk(name):
    walk = my.solve(my.walking(my.load_model(SHARED / f"{name}.osim")))
    assert walk.report.status == "completed"
    assert walk.report.optimum.mesh_error <= 0.02
    report = my.gait_report(walk)
    assert walks_like_people(report, hip=0.9, knee=0.85, vertical=0.85)
    assert 1.0 < report.measures["peak_force"].value < 1.6


def test_placed_contacts_bend_the_knee_that_short_heels_keep_straight():
    model = my.load_model(SHARED / "2D_gait.osim")
    bare = model.without(*(name for name in model.forces if name.startswith("contact")))
    problem = my.walking(bare)
    walk = my.solve(problem.model_copy(update={"starts": problem.starts[:3], "accuracy": None}), audit=False)
    report = my.gait_report(walk)
    assert walks_like_people(report, hip=0.95, knee=0.93, vertical=0.92)
    bend = report.curve("knee_angle").values[5:25]
    assert bend.max() - bend.min() > 5.0


@pytest.mark.parametrize(("name", "hip"), [("gait2392_thelen2003muscle", 0.9), ("Rajagopal2016", 0.8)])
def test_a_model_in_space_walks(name, hip):
    problem = my.walking(my.load_model(SHARED / f"{name}.osim"), heel_strike=True)
    walk = my.solve(problem, nodes=problem.nodes)
    assert walk.report.status == "completed"
    report = my.gait_report(walk)
    assert walks_like_people(report, hip=hip, knee=0.75, vertical=0.9)
    assert 0.05 < report.measures["step_width"].value < 0.2
