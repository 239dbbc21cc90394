"""Write opensim_running_moments.csv and opensim_joint_reactions.json with OpenSim 4.6 (not needed by the tests).

    python make_opensim_motion_tools.py ../../../shared/data

The recorded run is that of BMClab/BMC (CC-BY 4.0), the arm that of OpenSim (CC-BY 3.0); see the SOURCE.md files beside
them. OpenSim 4.6 takes the angle of the patella for a length where a file of version 3 is upgraded, and then leaves it
in degrees: so the motion is handed over in radians.
"""

from __future__ import annotations

import csv
import json
import math
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import opensim

HERE = Path(__file__).parent
EVERY = 6


def radians(source: Path, target: Path) -> None:
    """Write a motion file of OpenSim in radians; only the places of the pelvis are lengths."""
    lines = source.read_text().splitlines()
    start = lines.index("endheader") + 1
    names = lines[start].split()
    rows = [[float(cell) for cell in line.split()] for line in lines[start + 1 :]]
    lengths = {"time", "pelvis_tx", "pelvis_ty", "pelvis_tz"}
    table = [
        [value if name in lengths else math.radians(value) for name, value in zip(names, row, strict=True)]
        for row in rows
    ]
    head = f"motion\nversion=1\nnRows={len(rows)}\nnColumns={len(names)}\ninDegrees=no\nendheader\n"
    body = "\n".join("\t".join(f"{value:.17g}" for value in row) for row in table)
    target.write_text(head + "\t".join(names) + "\n" + body + "\n")


def running_moments(data: Path) -> None:
    folder = data / "running"
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        radians(folder / "bmc_ik_output_run.mot", place / "motion.mot")
        loads = opensim.ExternalLoads(str(folder / "bmc_grf_setup.xml"), True)
        loads.setDataFileName(str(folder / "bmc_grf_run.mot"))
        loads.printToXML(str(place / "loads.xml"))
        tool = opensim.InverseDynamicsTool()
        tool.setModelFileName(str(folder / "bmc_Rajagopal2015_scaled.osim"))
        tool.setCoordinatesFileName(str(place / "motion.mot"))
        tool.setExternalLoadsFileName(str(place / "loads.xml"))
        tool.setLowpassCutoffFrequency(6.0)
        excluded = opensim.ArrayStr()
        excluded.append("Muscles")
        tool.setExcludedForces(excluded)
        tool.setStartTime(0.0)
        tool.setEndTime(0.72)
        tool.setResultsDir(str(place))
        tool.setOutputGenForceFileName("moments.sto")
        tool.run()
        lines = (place / "moments.sto").read_text().splitlines()
    start = lines.index("endheader") + 1
    names = [name.removesuffix("_moment").removesuffix("_force") for name in lines[start].split()]
    with (HERE / "opensim_running_moments.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([f"{float(cell):.8g}" for cell in line.split()] for line in lines[start + 1 :: EVERY])


def vector(part: opensim.Vec3) -> list[float]:
    return [part.get(0), part.get(1), part.get(2)]


def joint_reactions(path: Path, poses: int, seed: int) -> list[dict[str, object]]:
    model = opensim.Model(str(path))
    state = model.initSystem()
    draw = np.random.default_rng(seed)
    coordinates, muscles, joints = model.getCoordinateSet(), model.getMuscles(), model.getJointSet()
    found = []
    for _ in range(poses):
        for number in range(coordinates.getSize()):
            coordinate = coordinates.get(number)
            low, high = max(coordinate.getRangeMin(), -1.0), min(coordinate.getRangeMax(), 1.0)
            coordinate.setValue(state, low + (high - low) * draw.uniform(0.2, 0.8), False)
            coordinate.setSpeedValue(state, draw.uniform(-1.0, 1.0))
        for number in range(muscles.getSize()):
            muscles.get(number).setActivation(state, 0.3)
        model.equilibrateMuscles(state)
        model.realizeAcceleration(state)
        every = [coordinates.get(number) for number in range(coordinates.getSize())]
        loads = {}
        for number in range(joints.getSize()):
            joint = joints.get(number)
            both = joint.calcReactionOnChildExpressedInGround(state)
            loads[joint.getName()] = vector(both.get(1)) + vector(both.get(0))
        found.append(
            {
                "q": {c.getName(): c.getValue(state) for c in every},
                "v": {c.getName(): c.getSpeedValue(state) for c in every},
                "vdot": {c.getName(): c.getAccelerationValue(state) for c in every},
                "forces": {
                    muscles.get(n).getName(): muscles.get(n).getActuation(state) for n in range(muscles.getSize())
                },
                "loads": loads,
            }
        )
    return found


def main() -> None:
    data = Path(sys.argv[1]).resolve()
    opensim.Logger.setLevelString("error")
    os.chdir(tempfile.mkdtemp())
    running_moments(data)
    told = {
        "producer": f"OpenSim {opensim.GetVersion()}",
        "arm26": joint_reactions(data / "shoulder" / "arm26.osim", 4, 1),
        "subject01": joint_reactions(data / "winter_appendix" / "opensim_subject01.osim", 3, 2),
    }
    (HERE / "opensim_joint_reactions.json").write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
