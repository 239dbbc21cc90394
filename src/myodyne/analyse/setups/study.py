"""What an ``<AnalyzeTool>`` examines: a model with its added actuators along a motion or states."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from myodyne.analyse.coordinate_motion import splined
from myodyne.analyse.setups.job import (
    Job,
    coordinates_in_file,
    cutoff_of,
    elements_of,
    in_degrees,
    motion_of,
    window,
    with_rates,
)
from myodyne.data import ExternalForces, Trajectory
from myodyne.errors import FileError, listed
from myodyne.files import load_forces
from myodyne.files.setups.section import Section
from myodyne.model import Model
from myodyne.types import Floats


@dataclass(frozen=True, eq=False)
class Study:
    """A model, its motion with speeds and accelerations, the states that a file gave, and external loads.

    ``names`` are OpenSim's names of actuators that are called differently here.
    """

    model: Model
    path: Path
    motion: Trajectory
    states: Trajectory | None
    loads: ExternalForces | None
    names: dict[str, str]


def study_of(job: Job) -> Study:
    """Return what the analyses of a tool examine."""
    tool = job.tool
    model, path = job.model()
    model, names = with_force_sets(tool, model, path)
    states_file = tool.file("states_file")
    motion_file = tool.file("coordinates_file")
    cutoff, speeds = cutoff_of(tool), tool.file("speeds_file")
    if states_file is None and motion_file is None:
        raise tool.element.fault("names neither <states_file> nor <coordinates_file>: there is no motion to analyse")
    if motion_file is not None:
        moving, states = with_rates(model, motion_of(job, model, motion_file), cutoff), None
        if states_file is not None:
            tool.remark("<states_file> and <coordinates_file> are both given: the coordinates count")
        if speeds is not None:
            tool.remark("<speeds_file> is not used: speeds are those of the coordinates")
    else:
        assert states_file is not None
        states = motion_of(job, model, states_file)
        if cutoff is not None:
            tool.remark("<lowpass_cutoff_frequency_for_coordinates> does not apply to states")
        moving = _from_states(tool, model, states)
    first, last = tool.number("initial_time", -math.inf), tool.number("final_time", math.inf)
    moving = moving.slice(*window(moving.time, first, last))
    return Study(model, path, moving, states, job.loads(), names)


def with_force_sets(tool: Section, model: Model, path: Path) -> tuple[Model, dict[str, str]]:
    """Return the model with the actuators of the force sets, and OpenSim's names of those that got another.

    As in OpenSim, an actuator of a set is not added where the model has a force of that name.
    """
    if tool.flag("replace_force_set", default=False):
        gone = [*model.muscles, *model.forces]
        tool.remark("<replace_force_set>: the model's muscles and forces are left out")
        model = model.without(*gone) if gone else model
    names = _own_names(model, path)
    for named in tool.names("force_set_files"):
        added = load_forces(tool.located(named, "<force_set_files>"), model)
        bearing = {*model.coordinates, *model.bodies, *model.joints, *model.muscles, *model.forces}
        called = {name: name[:-8] for name in added if name.endswith("_reserve") and name[:-8] in bearing}
        own = {names.get(name, name) for name in (*model.forces, *model.muscles)}
        twice = [name for name in added if called.get(name, name) in own]
        if twice:
            same = listed([called.get(name, name) for name in twice])
            tool.remark(f"<force_set_files> {named}: the model has forces of these names, which stay: {same}")
        names |= called
        model = model.with_parts(forces={name: part for name, part in added.items() if name not in twice})
    return model, names


def _own_names(model: Model, path: Path) -> dict[str, str]:
    """Return OpenSim's names of forces that were renamed, because another part of the model has that name."""
    root = elements_of(path)
    written = set() if root is None else {part.name for part in root.walk()}
    names = {}
    for name in model.forces:
        base, _, ending = name.rpartition("_")
        if name not in written and ending in ("actuator", "force") and base in written:
            names[name] = base
    return names


def _from_states(tool: Section, model: Model, states: Trajectory) -> Trajectory:
    """Return coordinates and speeds as the states have them, with accelerations of splines through the speeds."""
    held = [name for name in model.coordinates if name in states]
    lacking = [name for name in held if f"{name}.speed" not in states]
    if lacking and len(lacking) < len(held):
        raise FileError(f"{tool.path}: <states_file> holds {listed(lacking, 4)} without the speed")
    if lacking:
        tool.remark("<states_file> holds no speeds: they are those of the coordinates")
        return with_rates(model, states.select(held), None)
    speeds = Trajectory(states.time, {name: states.values(f"{name}.speed") for name in held})
    _, rates, _ = splined(speeds, held, None, states.time)
    columns: dict[str, Floats] = {}
    for place, name in enumerate(held):
        columns[name], columns[f"{name}.speed"] = states.values(name), states.values(f"{name}.speed")
        columns[f"{name}.acceleration"] = np.asarray(rates[:, place])
    # Coordinates that are coupled or locked follow.
    return with_rates(model, Trajectory(states.time, columns), None)


def rows_of(analysis: Section, motion: Trajectory) -> Trajectory:
    """Return the rows that an analysis asks for: its own range of time, every so many rows."""
    start, end = analysis.number("start_time", -math.inf), analysis.number("end_time", math.inf)
    inside = motion.time[(motion.time >= start - 1e-9) & (motion.time <= end + 1e-9)]
    if not len(inside):
        raise analysis.element.fault(f"its time range {start:g} to {end:g} s holds no row of the motion")
    part = motion.slice(float(inside[0]), float(inside[-1]))
    every = round(analysis.number("step_interval", 1.0))
    if every < 1:
        raise analysis.element.fault(f"<step_interval> is a number of steps, not {every}")
    return part if every == 1 else part.resampled(part.time[::every])


def write_kinematics(job: Job, study: Study, analysis: Section) -> None:
    """Write coordinates, speeds and accelerations, as OpenSim's analysis of kinematics does."""
    part = rows_of(analysis, study.motion)
    degrees = analysis.flag("in_degrees", default=True)
    wanted = analysis.names("coordinates") or ("all",)
    order = coordinates_in_file(study.path, study.model)
    names = [n for n in order if "all" in (word.lower() for word in wanted) or n in wanted]
    for ending, title, kind in (
        ("", "Coordinates", "q"),
        (".speed", "Speeds", "u"),
        (".acceleration", "Accelerations", "dudt"),
    ):
        columns = {}
        for name in names:
            values = part.values(f"{name}{ending}")
            columns[name] = in_degrees(study.model, name, values) if degrees else values
        path = job.folder() / f"{job.tool.name}_{analysis.name or 'Kinematics'}_{kind}.sto"
        job.write(path, title, (part.time, columns), degrees=degrees)
