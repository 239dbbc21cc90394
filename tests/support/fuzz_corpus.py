"""The files that are mutated, one of every kind that is read, and what uses each."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

import myodyne as my
from myodyne.optimise.storage.checkpoint import read_checkpoint
from myodyne.study.files import read_study

FIXTURES = Path(__file__).parents[1] / "fixtures" / "opensim"
MOVEMENTS = Path(__file__).parents[2] / "movements"

Entry = tuple[Path, Callable[[Path], object]]


def _model(path: Path) -> None:
    model = my.load_model(path)
    equations = my.equations_of(model, compiled=False)
    turns, places = equations.body_poses(equations.coordinate_defaults())
    if not (np.isfinite(turns).all() and np.isfinite(places).all()):
        raise AssertionError("poses are not finite")
    if model.moving and not any(getattr(part.path, "wraps", ()) for part in model.muscles.values()):
        run = my.simulate(equations, 0.002, scheme=my.RK4(step=0.001))
        if run.report.status == "completed" and not np.isfinite(run.rows()).all():
            raise AssertionError("a run is completed and holds NaN")


def _motion(path: Path) -> None:
    table = my.load(path, angles=())
    if not np.isfinite(table.rows()).all():
        raise AssertionError("a table without gaps holds NaN")


def _setup(path: Path) -> None:
    for result in my.run_setup(path, folder=path.parent / "out").results.values():
        values = np.concatenate([result.values(name) for name in result.names if not name.endswith(".error")])
        if result.report.status == "completed" and not np.isfinite(values).all():
            raise AssertionError("completed with NaN")


def corpus_in(folder: Path) -> list[Entry]:
    """Write the files that are mutated, and return them with what reads each."""
    rod = my.load_model("pendulum").with_parts(markers={"tip": my.Marker(body="rod", at=(0.0, -1.0, 0.0))})
    times = [0.05 * row for row in range(9)]
    swing = my.Trajectory(times, {"angle": [0.3 * math.sin(time) for time in times]}, {"angle": "rad"})
    places = [[[math.sin(angle), -math.cos(angle), 0.0]] for angle in swing.values("angle").tolist()]
    found: list[Entry] = []
    for name in ("rod.yaml", "rod.osim"):
        my.save_model(rod, folder / name)
        found.append((folder / name, _model))
    for name in ("swing.sto", "swing.mot", "swing.csv", "swing.nc"):
        my.save(swing, folder / name)
        found.append((folder / name, _motion))
    my.save_markers(my.Markers(times, ["tip"], places), folder / "swing.trc")
    found.append((folder / "swing.trc", my.load_markers))
    head, foot = '<OpenSimDocument Version="40000">', "</OpenSimDocument>"
    texts: dict[str, tuple[str, Callable[[Path], object]]] = {
        "id.xml": (
            """<InverseDynamicsTool name="rod"><model_file>rod.osim</model_file><time_range>0 0.3</time_range>
            <coordinates_file>swing.sto</coordinates_file><forces_to_exclude>muscles</forces_to_exclude>
            <lowpass_cutoff_frequency_for_coordinates>-1</lowpass_cutoff_frequency_for_coordinates>
            <results_directory>out</results_directory></InverseDynamicsTool>""",
            _setup,
        ),
        "ik.xml": (
            """<InverseKinematicsTool name="rod"><model_file>rod.osim</model_file><marker_file>swing.trc</marker_file>
            <time_range>0 0.3</time_range><IKTaskSet><objects><IKMarkerTask name="tip"><weight>1</weight></IKMarkerTask>
            <IKCoordinateTask name="angle"><weight>0.1</weight></IKCoordinateTask></objects></IKTaskSet>
            </InverseKinematicsTool>""",
            _setup,
        ),
        "scale.xml": (
            """<ScaleTool name="rod"><mass>2</mass><GenericModelMaker><model_file>rod.osim</model_file></GenericModelMaker>
            <ModelScaler><scaling_order>measurements manualScale</scaling_order><marker_file>swing.trc</marker_file>
            <time_range>0 0.1</time_range><ScaleSet><objects><Scale name="rod"><scales>1 1.1 1</scales><segment>rod</segment>
            <apply>true</apply></Scale></objects></ScaleSet><output_model_file>scaled.osim</output_model_file></ModelScaler>
            <MarkerPlacer><marker_file>swing.trc</marker_file><IKTaskSet><objects><IKMarkerTask name="tip"><weight>1</weight>
            </IKMarkerTask></objects></IKTaskSet><output_model_file>placed.osim</output_model_file></MarkerPlacer></ScaleTool>""",
            _setup,
        ),
        "analyze.xml": (
            """<AnalyzeTool name="rod"><model_file>rod.osim</model_file><coordinates_file>swing.mot</coordinates_file>
            <initial_time>0</initial_time><final_time>0.3</final_time><force_set_files>motors.xml</force_set_files>
            <AnalysisSet><objects><StaticOptimization name="so"><use_model_force_set>true</use_model_force_set>
            <activation_exponent>2</activation_exponent></StaticOptimization><JointReaction name="loads"><joint_names>ALL
            </joint_names><apply_on_bodies>child</apply_on_bodies><express_in_frame>ground</express_in_frame></JointReaction>
            <Kinematics name="moved"><coordinates>all</coordinates></Kinematics></objects></AnalysisSet></AnalyzeTool>""",
            _setup,
        ),
        "motors.xml": (
            """<ForceSet><objects><CoordinateActuator name="motor"><coordinate>angle</coordinate>
            <optimal_force>10</optimal_force><min_control>-inf</min_control><max_control>inf</max_control>
            </CoordinateActuator></objects></ForceSet>""",
            lambda path: my.load_forces(path, rod),
        ),
        "loads.xml": (
            """<ExternalLoads><objects><ExternalForce name="f"><applied_to_body>rod</applied_to_body>
            <force_identifier>v</force_identifier></ExternalForce></objects><datafile>f.sto</datafile></ExternalLoads>""",
            my.load_external_forces,
        ),
        "markers.xml": (
            """<MarkerSet><objects><Marker name="a"><socket_parent_frame>/bodyset/rod</socket_parent_frame>
            <location>0 1 2</location><fixed>true</fixed></Marker></objects></MarkerSet>""",
            lambda path: my.load_marker_set(path, rod),
        ),
    }
    record = my.Trajectory(times, {f"v{axis}": [0.0] * 9 for axis in "xyz"})
    my.save(record, folder / "f.sto")
    for name, (text, read) in texts.items():
        (folder / name).write_text(f"{head}{text}{foot}")
        found.append((folder / name, read))
    found += _results(folder, rod) + _problems(folder)
    for path in sorted(FIXTURES.glob("*.osim")):
        if path.stat().st_size < 30_000:
            copy = folder / path.name
            copy.write_bytes(path.read_bytes())
            found.append((copy, _model))
    return found


def _results(folder: Path, rod: my.Model) -> list[Entry]:
    """Write results with their reports, movements, and pieces of text beside them."""
    run = my.simulate(rod, 0.1, start={"angle": 0.4}, every=0.02)
    found: list[Entry] = []
    for name in ("run.sto", "run.csv", "run.nc"):
        my.save(run, folder / name)
        found.append((folder / name, _motion))
    # What a table is stands in a file beside it.
    beside = folder / "run.csv.json"
    if beside.exists():
        found.append((beside, lambda path: _motion(path.with_suffix(""))))
    my.save_movement(
        my.Movement.from_result(run, name="swing", summary="It swings.", source="here"), folder / "swing.json"
    )
    found.append((folder / "swing.json", my.load_movement))
    reach = folder / "reach.json"
    reach.write_bytes((MOVEMENTS / "reach.json").read_bytes())
    found.append((reach, my.load_movement))
    return found


def _problems(folder: Path) -> list[Entry]:
    """Write problems, a solution and a checkpoint, studies and searches."""
    (folder / "problem.yaml").write_text(
        """name: swing
model: rod.yaml
duration: [0.6, 1.2]
start: 0.1
nodes: 11
scheme: {kind: Radau, degree: 3}
parameters: {rod.mass: [0.5, 2.0]}
guess: swing.csv
goals:
  - {kind: track, data: swing.csv, deviations: {angle: 0.1}, stretched: true}
  - {kind: smoothness, of: speeds, weight: 1}
conditions:
  - {kind: periodic, progressing: []}
  - {kind: waypoint, at: 0.5, values: {angle: [null, 1.0]}}
"""
    )
    study = """model: rod.yaml
vary: {sample: {ranges: {rod.mass: [1, 2]}, count: 4, seed: 7, design: sobol}}
measure: [angle.max]
duration: 0.1
start: {angle: 0.3}
scheme: {RK4: {step: 0.01}}
out: rods
"""
    (folder / "study.yaml").write_text(study)
    search = "vary: {rod.mass: [1, 2]}"
    how = "search: {method: {cma: {seed: 1}}, maximise: angle.max, evaluations: 5}\n"
    (folder / "search.yaml").write_text(study.replace(study.splitlines()[1], search) + how)
    problem = my.load_problem("sliding_mass")
    solved = my.solve(problem, my.Radau(degree=2), nodes=5, show=False, audit=False)
    my.save(solved, folder / "solved.nc")
    slow = my.Settings(tolerance=1e-9, seconds=1e-6)
    checkpoint = folder / "mass.checkpoint"
    my.solve(problem, my.Radau(degree=2), nodes=5, settings=slow, checkpoint=checkpoint, show=False)
    return [
        (folder / "problem.yaml", my.load_problem),
        (folder / "study.yaml", read_study),
        (folder / "search.yaml", read_study),
        (folder / "solved.nc", my.load),
        (checkpoint, read_checkpoint),
    ]
