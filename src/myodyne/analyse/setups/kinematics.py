"""Set-ups of inverse kinematics."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from myodyne.analyse.changed import skeleton
from myodyne.analyse.coordinate_motion import numbers_of
from myodyne.analyse.markers.inverse_kinematics import inverse_kinematics
from myodyne.analyse.setups.job import Job, SetupRun, clamped_coordinates, coordinates_in_file, in_degrees, motion_of
from myodyne.data import DataError, Markers, Result, Trajectory
from myodyne.equations import equations_of
from myodyne.errors import listed
from myodyne.files import load_markers
from myodyne.files.setups.inverse_kinematics import IkSetup, read_tasks
from myodyne.files.setups.section import Section
from myodyne.model import Model
from myodyne.types import Floats


def run_inverse_kinematics(job: Job) -> SetupRun:
    """Run an ``<InverseKinematicsTool>``."""
    tool = job.tool
    model, path = job.model()
    marker_file = tool.file("marker_file", needed="the record of the markers")
    assert marker_file is not None
    record = cut(load_markers(marker_file), tool.times())
    if math.isfinite(tool.number("constraint_weight", math.inf)) and model.constraints:
        tool.remark("constraints are met exactly, whatever <constraint_weight> is")
    tasks = counted(tool, model, record, read_tasks(tool))
    found = inverse_kinematics(
        model,
        record,
        weights=tasks.weights,
        coordinate_weights=tasks.coordinate_weights or None,
        start=start_of(job, tool, model, tasks, record.time),
        within_ranges=clamped_coordinates(path, model),
    )
    job.results["inverse_kinematics"] = found
    _write(job, model, path, found)
    tool.close()
    return job.done(model)


def cut(record: Markers, times: tuple[float, float]) -> Markers:
    """Return the rows of a record within a range of time (s)."""
    # Times of records are rounded: a row on the end of the range is meant.
    first, last = (None if math.isinf(time) else time + off for time, off in zip(times, (-1e-9, 1e-9), strict=True))
    return record if first is None and last is None else record.slice(first, last)


def counted(section: Section, model: Model, record: Markers, tasks: IkSetup) -> IkSetup:
    """Return the tasks for what the model and the record have; the others are named in a remark."""
    if not tasks.weights:
        raise section.element.fault("its <IKTaskSet> gives no marker a weight, so nothing could be followed")
    gone = [name for name in tasks.weights if name not in model.markers and name not in record]
    if gone:
        section.remark(f"tasks of markers that neither the model nor the record has: {listed(gone)}")
    idle = [name for name in tasks.coordinate_weights if name not in model.moving]
    if idle:
        section.remark(f"tasks of coordinates that the model lacks, locks or couples: {listed(idle)}")
    return IkSetup(
        {name: weight for name, weight in tasks.weights.items() if name not in gone},
        {name: weight for name, weight in tasks.coordinate_weights.items() if name not in idle},
        {name: value for name, value in tasks.targets.items() if name not in idle},
        tuple(name for name in tasks.from_file if name not in idle),
    )


def start_of(
    job: Job, section: Section, model: Model, tasks: IkSetup, times: Floats
) -> Mapping[str, float] | Trajectory | None:
    """Return what coordinates with a weight are drawn to: values of the tasks, and columns of the coordinate file."""
    if not tasks.from_file:
        section.text("coordinate_file")
        return tasks.targets or None
    path = section.file("coordinate_file", needed="from which tasks take their values")
    assert path is not None
    held = motion_of(job, model, path)
    lacking = [name for name in tasks.from_file if name not in held]
    if lacking:
        raise DataError(f"{path}: lacks {listed(lacking)}, to whose values tasks draw the model")
    within = np.clip(times, held.time[0], held.time[-1])
    if len(held) == 1:
        columns = {name: np.full(len(times), held.values(name)[0]) for name in tasks.from_file}
    else:
        columns = {name: np.interp(within, held.time, held.values(name)) for name in tasks.from_file}
    columns |= {name: np.full(len(times), value) for name, value in tasks.targets.items()}
    return Trajectory(times, columns)


def _write(job: Job, model: Model, model_file: Path, found: Result) -> None:
    tool = job.tool
    named = tool.text("output_motion_file")
    if named:
        order = coordinates_in_file(model_file, model)
        columns = {name: in_degrees(model, name, found.values(name)) for name in order}
        job.write(job.beside / named, "Coordinates", (found.time, columns), degrees=True)
    prefix = f"{tool.name}_" if tool.name else ""
    # OpenSim reports errors unless it is asked not to.
    if tool.flag("report_errors", default=True):
        seen = [name for name in found.names if name.endswith(".error")]
        squares = np.array([found.values(name) for name in seen]) ** 2
        errors = {
            "total_squared_error": np.nansum(squares, axis=0),
            "marker_error_RMS": found.values("markers.rms"),
            "marker_error_max": found.values("markers.largest"),
        }
        path = job.folder() / f"{prefix}ik_marker_errors.sto"
        job.write(path, "Model Marker Errors from IK", (found.time, errors))
    if tool.flag("report_marker_locations", default=False):
        used = [name.removesuffix(".error") for name in found.names if name.endswith(".error")]
        path = job.folder() / f"{prefix}ik_model_marker_locations.sto"
        job.write(path, "Model Marker Locations from IK", (found.time, marker_places(model, found, used)))


def marker_places(model: Model, found: Trajectory, used: list[str]) -> dict[str, Floats]:
    """Return where markers of the model are (m) along a motion: columns ``<marker>_tx`` and so on."""
    equations = equations_of(skeleton(model, drives=False))
    rows = np.column_stack([found.values(name) for name in equations.coordinates])
    places = equations.kernel("markers").output("positions", rows, numbers_of(equations)).reshape(len(rows), -1, 3)
    order = {name: number for number, name in enumerate(model.markers)}
    return {f"{name}_t{axis}": places[:, order[name], place] for name in used for place, axis in enumerate("xyz")}
