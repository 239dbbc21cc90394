"""OpenSim's MocoInverse in a process of its own: solves the walk that the built-in problem of ours is made after.

Called with the model and the folder of the records; prints one line of JSON. The process works on one thread, and
clocks the solve with the reading of its files: MocoInverse reads them when it solves.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from pathlib import Path
from typing import Any

START, END, INTERVAL = 0.48, 1.61, 0.02  # s


def inverse_of(opensim: Any, model: str, data: Path) -> Any:
    """Return the tool, with the changes to the model that Moco's example of walking in space makes."""
    toes = opensim.StdVectorString()
    for name in ("mtp_r", "mtp_l"):
        toes.append(name)
    body = opensim.ModelProcessor(model)
    for operator in (
        opensim.ModOpReplaceJointsWithWelds(toes),
        opensim.ModOpAddResiduals(250.0, 50.0, 1.0),
        opensim.ModOpAddExternalLoads(str(data / "grf_walk.xml")),
        opensim.ModOpIgnoreTendonCompliance(),
        opensim.ModOpReplaceMusclesWithDeGrooteFregly2016(),
        opensim.ModOpIgnorePassiveFiberForcesDGF(),
        opensim.ModOpScaleActiveFiberForceCurveWidthDGF(1.5),
        opensim.ModOpReplacePathsWithFunctionBasedPaths(str(data / "subject_walk_scaled_FunctionBasedPathSet.xml")),
        opensim.ModOpAddReserves(1.0),
    ):
        body.append(operator)
    motion = opensim.TableProcessor(str(data / "coordinates.sto"))
    motion.append(opensim.TabOpUseAbsoluteStateNames())
    inverse = opensim.MocoInverse()
    inverse.setModel(body)
    inverse.setKinematics(motion)
    inverse.set_kinematics_allow_extra_columns(True)
    inverse.set_initial_time(START)
    inverse.set_final_time(END)
    inverse.set_mesh_interval(INTERVAL)
    return inverse


def used() -> float:
    """Return the seconds of processor time of this process."""
    spent = resource.getrusage(resource.RUSAGE_SELF)
    return spent.ru_utime + spent.ru_stime


def main(model: str, data: str) -> None:
    # What OpenSim and IPOPT print must not mix with the answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    os.environ["OPENSIM_MOCO_PARALLEL"] = "0"
    import opensim

    opensim.Logger.setLevelString("warn")
    opensim.Logger.removeFileSink()
    inverse = inverse_of(opensim, model, Path(data))
    started = used()
    solution = inverse.solve().getMocoSolution()
    spent = used() - started
    success = solution.success()
    if not success:
        solution.unseal()
    answers.write(
        json.dumps(
            {
                "status": solution.getStatus(),
                "success": success,
                "objective": solution.getObjective(),
                "iterations": solution.getNumIterations(),
                "cpu_seconds": spent,
                "version": opensim.GetVersion(),
            }
        )
        + "\n"
    )
    answers.flush()


if __name__ == "__main__":
    sys.path[:] = [place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent]
    main(*sys.argv[1:])
