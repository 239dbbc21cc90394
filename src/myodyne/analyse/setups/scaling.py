"""Set-ups of the scale tool: a model made to measure, and its markers placed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from myodyne.analyse.markers.placement import place_markers
from myodyne.analyse.markers.scale import scale_factors, scale_model
from myodyne.analyse.setups.job import Job, SetupRun, clamped_coordinates
from myodyne.analyse.setups.kinematics import counted, cut, start_of
from myodyne.data import Markers, Measurement
from myodyne.errors import listed
from myodyne.files import load_markers, save_model
from myodyne.files.setups.inverse_kinematics import read_tasks
from myodyne.files.setups.marker_set import load_marker_set, save_marker_set
from myodyne.files.setups.scaling import ScaleSetup, read_scaler
from myodyne.files.setups.section import Section
from myodyne.files.setups.storage import write_scale_set
from myodyne.model import Model

_Factors = dict[str, tuple[float, float, float]]


def run_scale(job: Job) -> SetupRun:
    """Run a ``<ScaleTool>``."""
    tool = job.tool
    maker = tool.child("GenericModelMaker")
    if maker is None:
        raise tool.element.fault("holds no <GenericModelMaker>, which names the model")
    model, path = job.model(maker)
    markers = maker.file("marker_set_file")
    if markers is not None:
        model = _with_markers(tool, model, markers)
    scaler = tool.child("ModelScaler")
    mass = tool.number("mass", -1.0)
    if scaler is not None and scaler.flag("apply", default=True):
        model = _scaled(job, scaler, model, mass)
    placer = tool.child("MarkerPlacer")
    if placer is not None and placer.flag("apply", default=True):
        model = _placed(job, placer, model, path)
    for part in (tool, maker, scaler, placer):
        if part is not None:
            part.close()
    return job.done(model)


def _with_markers(tool: Section, model: Model, path: Path) -> Model:
    """Return the model with the markers of a set in place of its own of the same names."""
    found = load_marker_set(path, model, tool.remarks)
    return model.without(*(name for name in found if name in model.markers)).with_parts(markers=found)


def _scaled(job: Job, scaler: Section, model: Model, mass: float) -> Model:
    setup = read_scaler(scaler, mass)
    for tag in ("scaling_order", "preserve_mass_distribution", "time_range", "marker_file"):
        scaler.text(tag)
    measured: _Factors = {}
    if setup.measurements:
        file = scaler.file("marker_file", needed="the record that measurements are taken from")
        assert file is not None
        measured = _measured(job.tool, model, cut(load_markers(file), scaler.times()), setup)
    factors = setup.merged(measured)
    lacking = [body for body in factors if body not in model.bodies]
    if lacking:
        job.tool.remark(f"factors of bodies that the model lacks, left out: {listed(lacking)}")
    factors = {body: factor for body, factor in factors.items() if body in model.bodies}
    scaled = scale_model(
        model, factors, mass=setup.mass, keep_mass_distribution=setup.keep_mass_distribution, inertia="cylinder"
    )
    _save(job, scaled, scaler.text("output_model_file"))
    named = scaler.text("output_scale_file")
    if named:
        full = {body: factors.get(body, (1.0, 1.0, 1.0)) for body in model.bodies}
        write_scale_set(job.beside / named, full)
        job.files.append(job.beside / named)
    return scaled


def _measured(tool: Section, model: Model, record: Markers, setup: ScaleSetup) -> _Factors:
    """Return the factors of all measurements; of two on the same axis of a body the later counts, as in OpenSim."""
    found: dict[str, list[float]] = {}
    by: dict[tuple[str, int], str] = {}
    for name, measurement in setup.measurements.items():
        usable = _usable(tool, name, measurement, model, record)
        if usable is None:
            continue
        for body, factor in scale_factors(model, record, {name: usable}).items():
            for place, axis in enumerate("xyz"):
                if axis not in usable.bodies[body].lower():
                    continue
                if (body, place) in by:
                    tool.remark(f"'{by[body, place]}' and '{name}' both scale '{body}' along {axis}: '{name}' counts")
                by[body, place] = name
                found.setdefault(body, [1.0, 1.0, 1.0])[place] = factor[place]
    return {body: (x, y, z) for body, (x, y, z) in found.items()}


def _usable(tool: Section, name: str, measurement: Measurement, model: Model, record: Markers) -> Measurement | None:
    """Return a measurement with the bodies and markers that are there; None where nothing is left of it."""
    bodies = {body: axes for body, axes in measurement.bodies.items() if body in model.bodies}
    lacking = [body for body in measurement.bodies if body not in bodies]
    if lacking:
        tool.remark(f"measurement '{name}': bodies that the model lacks, left out: {listed(lacking)}")
    pairs = [pair for pair in measurement.pairs if all(one in model.markers and one in record for one in pair)]
    gone = [" – ".join(pair) for pair in measurement.pairs if pair not in pairs]
    if gone:
        tool.remark(f"measurement '{name}': pairs that the model or the record lacks, left out: {listed(gone)}")
    if not pairs or not bodies:
        tool.remark(f"measurement '{name}' scales nothing")
        return None
    return replace(measurement, pairs=tuple(pairs), bodies=bodies)


def _placed(job: Job, placer: Section, model: Model, path: Path) -> Model:
    file = placer.file("marker_file", needed="the record of the person at rest")
    assert file is not None
    record = cut(load_markers(file), placer.times())
    if placer.number("max_marker_movement", -1.0) > 0.0:
        placer.remark("<max_marker_movement> is not used: all rows of the time range are averaged")
    tasks = counted(placer, model, record, read_tasks(placer))
    placed = place_markers(
        model,
        record,
        weights=tasks.weights,
        coordinate_weights=tasks.coordinate_weights or None,
        start=start_of(job, placer, model, tasks, np.array([record.time[0]])),
        within_ranges=clamped_coordinates(path, model),
    )
    job.results["static_pose"] = placed.pose
    for note in placed.notes:
        job.tool.remark(note)
    named = placer.text("output_motion_file")
    if named:
        columns = {}
        for name, joint in model.joints.items():
            for coordinate in joint.coordinates:
                columns[f"/jointset/{name}/{coordinate}/value"] = placed.pose.values(coordinate)
                columns[f"/jointset/{name}/{coordinate}/speed"] = np.zeros(1)
        job.write(job.beside / named, "static pose", (placed.pose.time, columns))
    _save(job, placed.model, placer.text("output_model_file"))
    named = placer.text("output_marker_file")
    if named:
        save_marker_set(placed.model, job.beside / named)
        job.files.append(job.beside / named)
    return placed.model


def _save(job: Job, model: Model, named: str) -> None:
    if named:
        save_model(model, job.beside / named)
        job.files.append(job.beside / named)
