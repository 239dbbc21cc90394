"""Walking in the plane that follows recorded angles and ground forces: the tracking example of OpenSim Moco."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from myodyne.data import Trajectory
from myodyne.files import load, load_model
from myodyne.model import Model
from myodyne.numerics.collocation import HermiteSimpson
from myodyne.optimise.conditions import Bounds, Periodic
from myodyne.optimise.goals import Effort
from myodyne.optimise.problem import Problem
from myodyne.optimise.recorded.tracking import Track

_DURATION = 0.470089  # s, half a cycle
_CUTOFF = 6.0  # Hz
_FINER = 8  # rows of ground forces for one recorded
_LEAST = 0.01  # of excitations and activations: the model file's min_control
_DEGREES = {
    "pelvis_tilt": (-20.0, -10.0),
    "lumbar": (0.0, 20.0),
    "hip_flexion": (-10.0, 60.0),
    "knee_angle": (-50.0, 0.0),
    "ankle_angle": (-15.0, 25.0),
}
_METRES = {"pelvis_tx": (0.0, 1.0), "pelvis_ty": (0.75, 1.25)}


def moco_walk2d_tracking(folder: Path) -> Problem:
    """Half a cycle of walking with the goals, conditions and mesh of Moco's example2DWalking."""
    model = load_model(folder / "models_osim" / "2D_gait.osim")
    data = folder / "data" / "moco_walk2d"
    motion = tracked_motion(load(data / "referenceCoordinates.sto", model=model), model)
    forces, feet = _ground_forces(load(data / "referenceGRF.sto"))
    # Moco divides the integral of squared newtons by the body's weight, once.
    weight = model.mass * float(np.linalg.norm(model.gravity))
    return Problem(
        model,
        name="moco_walk2d_tracking",
        source="OpenSim Moco, example2DWalking; after Falisse et al. 2019, PLOS ONE",
        duration=_DURATION,
        goals=[
            Track(motion, summed=True, label="state_tracking"),
            Effort(of="controls", summed=True, weight=10.0, label="control_effort"),
            Track(forces, of=feet, deviations=float(np.sqrt(weight)), summed=True, label="contact"),
        ],
        conditions=[
            Periodic(mirrored=True, progressing=("pelvis_tx",), controls=("lumbarAct.control",)),
            Bounds(_ranges(model)),
        ],
        scheme=HermiteSimpson(),
        nodes=25,
        guess=motion,
        # Held closely to the recorded motion first: otherwise it mostly ends far from it, in minima like Moco's.
        continuation=({"state_tracking": 1000.0},),
    )


def tracked_motion(reference: Trajectory, model: Model) -> Trajectory:
    """Return coordinates and speeds as MocoTrack takes them from a table: filtered, speeds by quintic splines."""
    slow = moco_names(reference, model).filtered(_CUTOFF)
    rates = slow.derivative()
    speeds = {f"{name}.speed": rates.values(name) for name in slow.names}
    units = slow.units | {f"{name}.speed": unit for name, unit in rates.units.items()}
    return Trajectory(slow.time, {name: slow.values(name) for name in slow.names} | speeds, units)


def moco_names(table: Trajectory, model: Model) -> Trajectory:
    """Return a table of Moco's with our names of states and controls.

    ``/jointset/knee_r/knee_angle_r/value`` is ``knee_angle_r``, ``/soleus_r`` is ``soleus_r.excitation``.
    """
    columns, units = {}, {}
    for path in table.names:
        name, _, field = path.removesuffix("/value").removeprefix("/forceset").rpartition("/")
        if field in ("speed", "activation"):
            ours = f"{name.rpartition('/')[2]}.{field}"
        elif field in model.controls:
            ours = f"{field}.{'excitation' if field in model.muscles else 'control'}"
        else:
            ours = field
        columns[ours], units[ours] = table.values(path), table.units[path]
    return Trajectory(table.time, columns, units)


def _ground_forces(table: Trajectory) -> tuple[Trajectory, dict[str, tuple[str, str]]]:
    """Return the forces under both feet in the plane of motion (N), and the contacts that they are the sums of.

    Rows in between are those of OpenSim's quintic splines: at heel strike a cubic is off by enough to see (0.2 %).
    """
    table = table.resampled(np.linspace(table.time[0], table.time[-1], _FINER * (len(table) - 1) + 1), order=5)
    columns, feet = {}, {}
    for side in "rl":
        for axis in "xy":
            name = f"ground_force_{side}_v{axis}"
            columns[name] = table.values(name)
            feet[name] = (f"contactHeel_{side}.force_{axis}", f"contactFront_{side}.force_{axis}")
    return Trajectory(table.time, columns, dict.fromkeys(columns, "N")), feet


def _ranges(model: Model) -> dict[str, tuple[float, float]]:
    ranges = dict(_METRES)
    for name in model.coordinates:
        ends = _DEGREES.get(name.removesuffix("_r").removesuffix("_l"))
        if ends is not None:
            ranges[name] = (float(np.radians(ends[0])), float(np.radians(ends[1])))
    for muscle in model.muscles:
        ranges[f"{muscle}.excitation"] = ranges[f"{muscle}.activation"] = (_LEAST, 1.0)
    return ranges
