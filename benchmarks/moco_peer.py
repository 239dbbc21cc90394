"""OpenSim Moco in a process of its own: solves the planar walk that the built-in problem of ours is made after.

Called with the model, the folder of the records, the number of intervals, the tolerance and the most iterations; prints
one line of JSON.
The process works on one thread, and clocks the solve alone.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

DURATION = 0.470089  # s, half a cycle
WEIGHTS = {"effort": 10.0, "states": 1.0, "contact": 1.0}
DEGREES = {
    "groundPelvis/pelvis_tilt": (-20, -10),
    "lumbar/lumbar": (0, 20),
    "hip_l/hip_flexion_l": (-10, 60),
    "hip_r/hip_flexion_r": (-10, 60),
    "knee_l/knee_angle_l": (-50, 0),
    "knee_r/knee_angle_r": (-50, 0),
    "ankle_l/ankle_angle_l": (-15, 25),
    "ankle_r/ankle_angle_r": (-15, 25),
}
METRES = {"groundPelvis/pelvis_tx": (0.0, 1.0), "groundPelvis/pelvis_ty": (0.75, 1.25)}


def study_of(opensim: Any, model: str, data: Path) -> Any:
    """Return the study, with the goals, bounds and periodicity of Moco's example of planar walking."""
    track = opensim.MocoTrack()
    track.setName("walk")
    track.setModel(opensim.ModelProcessor(model))
    reference = opensim.TableProcessor(str(data / "referenceCoordinates.sto"))
    reference.append(opensim.TabOpLowPassFilter(6))
    track.setStatesReference(reference)
    track.set_states_global_tracking_weight(WEIGHTS["states"])
    track.set_allow_unused_references(True)
    track.set_track_reference_position_derivatives(True)
    track.set_apply_tracked_states_to_guess(True)
    track.set_initial_time(0.0)
    track.set_final_time(DURATION)
    study = track.initialize()
    problem = study.updProblem()
    problem.addGoal(_symmetry(opensim, model))
    opensim.MocoControlGoal.safeDownCast(problem.updGoal("control_effort")).setWeight(WEIGHTS["effort"])
    problem.addGoal(_contact(opensim, data))
    for name, (low, high) in DEGREES.items():
        ends = opensim.MocoBounds(low * opensim.SimTK_PI / 180, high * opensim.SimTK_PI / 180)
        problem.setStateInfo(f"/jointset/{name}/value", ends)
    for name, (low, high) in METRES.items():
        problem.setStateInfo(f"/jointset/{name}/value", opensim.MocoBounds(low, high))
    return study


def _symmetry(opensim: Any, model: str) -> Any:
    """Return the goal by which the end mirrors the start; only pelvis_tx goes on."""
    goal = opensim.MocoPeriodicityGoal("symmetry")
    body = opensim.Model(model)
    body.initSystem()
    names = body.getStateVariableNames()
    for number in range(names.getSize()):
        name = names.get(number)
        if name.endswith("pelvis_tx/value"):
            continue
        # Joint and coordinate both bear the side: /jointset/knee_r/knee_angle_r/value.
        other = "/".join(part[:-2] + {"_r": "_l", "_l": "_r"}.get(part[-2:], part[-2:]) for part in name.split("/"))
        goal.addStatePair(opensim.MocoPeriodicityGoalPair(name, other))
    goal.addControlPair(opensim.MocoPeriodicityGoalPair("/lumbarAct"))
    return goal


def _contact(opensim: Any, data: Path) -> Any:
    """Return the goal of the recorded ground forces in the plane of motion."""
    goal = opensim.MocoContactTrackingGoal("contact", WEIGHTS["contact"])
    goal.setExternalLoadsFile(str(data / "referenceGRF.xml"))
    for side, force in (("r", "Right_GRF"), ("l", "Left_GRF")):
        contacts = opensim.StdVectorString()
        contacts.append(f"/contactHeel_{side}")
        contacts.append(f"/contactFront_{side}")
        goal.addContactGroup(opensim.MocoContactTrackingGoalGroup(contacts, force))
    goal.setProjection("plane")
    goal.setProjectionVector(opensim.Vec3(0, 0, 1))
    return goal


def main(model: str, data: str, intervals: str, tolerance: str, most_iterations: str) -> None:
    # What OpenSim and IPOPT print must not mix with the answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    import opensim

    opensim.Logger.setLevelString("warn")
    opensim.Logger.removeFileSink()
    study = study_of(opensim, model, Path(data))
    solver = opensim.MocoCasADiSolver.safeDownCast(study.updSolver())
    solver.set_num_mesh_intervals(int(intervals))
    solver.set_optim_convergence_tolerance(float(tolerance))
    solver.set_optim_constraint_tolerance(float(tolerance))
    solver.set_optim_max_iterations(int(most_iterations))
    solver.set_parallel(0)
    wall, cpu = time.perf_counter(), time.process_time()
    solution = study.solve()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if not solution.success():
        solution.unseal()
    answers.write(
        json.dumps(
            {
                "status": solution.getStatus(),
                "success": solution.success(),
                "objective": solution.getObjective(),
                "iterations": solution.getNumIterations(),
                "wall_seconds": wall,
                "cpu_seconds": cpu,
                "parts": {
                    name: solution.getObjectiveTerm(name) for name in ("state_tracking", "control_effort", "contact")
                },
                "version": opensim.GetVersion(),
            }
        )
        + "\n"
    )
    answers.flush()


if __name__ == "__main__":
    sys.path[:] = [place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent]
    main(*sys.argv[1:])
