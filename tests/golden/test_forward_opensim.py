"""A forward run of arm26 against OpenSim 4.6, whose numbers are in opensim_forward_arm.csv."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from myodyne.native.compiler import find_compiler
from support.shared import needs

HERE = Path(__file__).parent
ARM = HERE.parents[2] / "shared" / "models_osim" / "arm26.osim"

SETUP = """<OpenSimDocument Version="40000"><ForwardTool name="arm"><model_file>{model}</model_file>
<initial_time>0</initial_time><final_time>1</final_time><integrator_error_tolerance>1e-8</integrator_error_tolerance>
<solve_for_equilibrium_for_auxiliary_states>true</solve_for_equilibrium_for_auxiliary_states>
<results_directory>results</results_directory><ControllerSet><objects><ControlSetController>
<controls_file>controls.sto</controls_file></ControlSetController></objects></ControllerSet>
</ForwardTool></OpenSimDocument>"""


@pytest.mark.long
@pytest.mark.skipif(find_compiler() is None, reason="needs a compiler")
@needs(ARM, "arm26 is not beside the project")
def test_arm26_falls_as_in_opensim(tmp_path: Path) -> None:
    model = my.load_model(ARM)
    names = "\t".join(["time", *model.muscles])
    rows = "\n".join("\t".join([time, *["0.05"] * 6]) for time in ("0", "1"))
    (tmp_path / "controls.sto").write_text(f"controls\nnRows=2\nnColumns=7\ninDegrees=no\nendheader\n{names}\n{rows}\n")
    (tmp_path / "setup.xml").write_text(SETUP.format(model=ARM))
    run = my.run_setup(tmp_path / "setup.xml").results["forward"]
    with (HERE / "opensim_forward_arm.csv").open() as file:
        table = np.array([[float(cell) for cell in row] for row in list(csv.reader(file))[1:]])
    ours = np.array([np.interp(table[:, 0], run.time, run.values(name)) for name in model.moving]).T
    # OpenSim's moment arms over ellipsoids are not the derivatives of its lengths: that makes 2.3 mrad.
    assert np.abs(ours - table[:, 1:3]).max() < 2.5e-3
    assert np.abs(ours - table[:, 3:5]).max() < 1e-4
    assert run.report.energy_error < 1e-6
    assert not any("paths" in note for note in run.report.notes)
