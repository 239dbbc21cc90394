"""Running a set-up file of one of OpenSim's tools."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from myodyne.analyse.setups.analyses import run_analyses
from myodyne.analyse.setups.dynamics import run_inverse_dynamics
from myodyne.analyse.setups.forward import run_forward
from myodyne.analyse.setups.job import Job, SetupRun
from myodyne.analyse.setups.kinematics import run_inverse_kinematics
from myodyne.analyse.setups.scaling import run_scale
from myodyne.errors import FileError
from myodyne.files.setups.section import read_tool

_RUNNERS: dict[str, Callable[[Job], SetupRun]] = {
    "ScaleTool": run_scale,
    "InverseKinematicsTool": run_inverse_kinematics,
    "InverseDynamicsTool": run_inverse_dynamics,
    "AnalyzeTool": run_analyses,
    "ForwardTool": run_forward,
}


def run_setup(
    path: str | os.PathLike[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    model: str | os.PathLike[str] | None = None,
) -> SetupRun:
    """Run a set-up file of OpenSim as it is, and write the files that OpenSim would write.

    Scaling with marker placement, inverse kinematics, inverse dynamics, analyses (static optimisation, muscle analysis,
    joint reactions, kinematics) and forward runs. Files are found relative to the set-up. Every property that is
    not used, or unknown, and every part that the model lacks, is named in the ``notes``.

    Parameters
    ----------
    path
        The set-up (``.xml``).
    folder
        Where all results are written; None writes them where the set-up says.
    model
        The model file, in place of the one that the set-up names. Set-ups from OpenSim's window often name none: it
        takes the model that is open.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import myodyne as my
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     my.save_model(my.load_model("pendulum"), f"{folder}/rod.osim")
    ...     still = my.Trajectory([0.1 * row for row in range(8)], {"angle": [0.5] * 8}, {"angle": "rad"})
    ...     my.save(still, f"{folder}/still.sto")
    ...     setup = pathlib.Path(folder, "setup.xml")
    ...     _ = setup.write_text('''<OpenSimDocument Version="40000"><InverseDynamicsTool name="rod">
    ...         <model_file>rod.osim</model_file><coordinates_file>still.sto</coordinates_file>
    ...         <output_gen_force_file>moments.sto</output_gen_force_file>
    ...     </InverseDynamicsTool></OpenSimDocument>''')
    ...     run = my.run_setup(setup)
    >>> round(run.results["inverse_dynamics"].final["angle.moment"], 3), [file.name for file in run.files]
    (2.352, ['moments.sto'])
    """
    place = None if folder is None else Path(folder)
    if place is not None and place.exists() and not place.is_dir():
        raise FileError(f"{place}: is a file; results need a folder")
    if place is not None:
        place.mkdir(parents=True, exist_ok=True)
    tool = read_tool(path)
    return _RUNNERS[tool.kind](Job(tool, place, None if model is None else Path(model)))
