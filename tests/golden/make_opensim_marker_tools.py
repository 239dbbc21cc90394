"""Run OpenSim's inverse kinematics and static optimisation: ``python make_opensim_marker_tools.py ../../../shared/data``.

Needs OpenSim 4.6 (``pip install opensim``). Writes ``opensim_marker_tools.json`` beside this file: angles (rad, m) of
a run that are exact to the ninth digit, activations of a walk, and what the muscles of the runner could pull.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import opensim

ROWS = 6


def table(path: Path) -> tuple[list[str], list[list[float]]]:
    lines = path.read_text().splitlines()
    start = lines.index("endheader") + 1
    return lines[start].split("\t"), [[float(word) for word in line.split()] for line in lines[start + 1 :]]


def angles(data: Path, folder: Path) -> dict:
    """Inverse kinematics of the first rows, with an accuracy at which it has come to its end."""
    model = opensim.Model(str(data / "bmc_Rajagopal2015_scaled.osim"))
    tool = opensim.InverseKinematicsTool(str(data / "bmc_IK_setup.xml"))
    tool.setModel(model)
    tool.setMarkerDataFileName(str(data / "bmc_motion_capture_run.trc"))
    tool.setOutputMotionFileName(str(folder / "ik.mot"))
    tool.setResultsDir(str(folder))
    tool.setStartTime(0.0)
    tool.setEndTime((ROWS - 1) / 150.0)
    tool.set_accuracy(1e-9)
    tool.run()
    names, rows = table(folder / "ik.mot")
    coordinates = model.getCoordinateSet()
    factor = {
        name: opensim.SimTK_DEGREE_TO_RADIAN if coordinates.get(name).getMotionType() == 1 else 1.0
        for name in names[1:]
    }
    return {name: [row[place] * factor[name] for row in rows] for place, name in enumerate(names) if place}


RESERVE = """<CoordinateActuator name="{0}_res"><coordinate>{0}</coordinate><optimal_force>{1}</optimal_force>
<min_control>-Inf</min_control><max_control>Inf</max_control></CoordinateActuator>"""


def activations(data: Path, folder: Path) -> dict:
    """Static optimisation of a walk, with residuals of 100 and reserves of 10 (N, N m)."""
    source = data / "opensim_subject01.osim"
    model = opensim.Model(str(source))
    model.initSystem()
    names = [model.getCoordinateSet().get(i).getName() for i in range(model.getCoordinateSet().getSize())]
    reserves = {name: 100.0 if name.startswith("pelvis") else 10.0 for name in names}
    actuators = "".join(RESERVE.format(name, force) for name, force in reserves.items())
    document = f'<?xml version="1.0"?><OpenSimDocument Version="40000"><ForceSet name="r"><objects>{actuators}</objects></ForceSet></OpenSimDocument>'
    (folder / "reserves.xml").write_text(document)
    loads = (data / "opensim_subject01_walk_grf.xml").read_text()
    before, _, rest = loads.partition("<datafile>")
    (folder / "loads.xml").write_text(
        f"{before}<datafile>{data / 'opensim_subject01_walk_grf.mot'}{rest[rest.index('</datafile>') :]}"
    )
    tool = opensim.AnalyzeTool(model)
    tool.setName("walk")
    tool.setModelFilename(str(source))
    files = opensim.ArrayStr()
    files.append(str(folder / "reserves.xml"))
    tool.setForceSetFiles(files)
    tool.setReplaceForceSet(False)
    sharing = opensim.StaticOptimization()
    sharing.setStartTime(0.6)
    sharing.setEndTime(1.4)
    sharing.setUseModelForceSet(True)
    sharing.setActivationExponent(2)
    sharing.setUseMusclePhysiology(True)
    sharing.setConvergenceCriterion(1e-6)
    sharing.setMaxIterations(1000)
    tool.updAnalysisSet().cloneAndAppend(sharing)
    tool.setCoordinatesFileName(str(data / "opensim_subject01_walk_IK.mot"))
    tool.setLowpassCutoffFrequency(6.0)
    tool.setExternalLoadsFileName(str(folder / "loads.xml"))
    tool.setInitialTime(0.6)
    tool.setFinalTime(1.4)
    tool.setSolveForEquilibrium(False)
    tool.setResultsDir(str(folder))
    tool.printToXML(str(folder / "walk.xml"))
    opensim.AnalyzeTool(str(folder / "walk.xml")).run()
    names, rows = table(folder / "walk_StaticOptimization_activation.sto")
    return {"reserves": reserves, **{name: [row[place] for row in rows[::6]] for place, name in enumerate(names)}}


def capacities(data: Path) -> dict:
    """The force of each muscle when fully active, with a rigid tendon, in made-up poses that move."""
    model = opensim.Model(str(data / "bmc_Rajagopal2015_scaled.osim"))
    state = model.initSystem()
    coordinates = [model.getCoordinateSet().get(i) for i in range(model.getCoordinateSet().getSize())]
    found: dict = {"poses": [], "speeds": [], "forces": []}
    for number in range(4):
        for place, coordinate in enumerate(coordinates):
            if coordinate.isConstrained(state) or coordinate.get_locked():
                continue
            low, high = coordinate.getRangeMin(), coordinate.getRangeMax()
            middle = (low + high) / 2 if coordinate.getMotionType() == 1 else 0.0
            share = 0.3 * ((7 * place + 5 * number) % 11 - 5) / 5
            coordinate.setValue(state, middle + share * (high - low) / 2, False)
            coordinate.setSpeedValue(state, 2.0 * share * (-1) ** number)
        model.assemble(state)
        for side in "rl":
            # The kneecap follows the knee one to one.
            speed = model.getCoordinateSet().get(f"knee_angle_{side}").getSpeedValue(state)
            model.getCoordinateSet().get(f"knee_angle_{side}_beta").setSpeedValue(state, speed)
        model.realizeVelocity(state)
        free = [c for c in coordinates if not (c.isConstrained(state) or c.get_locked())]
        found["poses"].append({c.getName(): c.getValue(state) for c in free})
        found["speeds"].append({c.getName(): c.getSpeedValue(state) for c in free})
        muscles = [model.getMuscles().get(i) for i in range(model.getMuscles().getSize())]
        found["forces"].append({m.getName(): m.calcInextensibleTendonActiveFiberForce(state, 1.0) for m in muscles})
    return found


def main() -> None:
    data = Path(sys.argv[1]).resolve()
    opensim.Logger.setLevelString("off")
    with tempfile.TemporaryDirectory() as folder:
        found = {
            "producer": f"OpenSim {opensim.GetVersion()}",
            "capacities": capacities(data / "running"),
            "angles": angles(data / "running", Path(folder)),
            "activations": activations(data / "winter_appendix", Path(folder)),
        }
    target = Path(__file__).with_name("opensim_marker_tools.json")
    target.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
