"""Static optimisation and muscle analysis of a set-up."""

from __future__ import annotations

import numpy as np

from myodyne.analyse.muscles.muscle_analysis import muscle_analysis
from myodyne.analyse.muscles.static_optimisation import Sharing, static_optimisation
from myodyne.analyse.setups.job import Job, elements_of
from myodyne.analyse.setups.study import Study, rows_of
from myodyne.data import Result, Trajectory
from myodyne.equations import equations_of
from myodyne.errors import listed
from myodyne.files.setups.section import Section
from myodyne.files.setups.storage import write_controls
from myodyne.model import Model
from myodyne.types import Floats

# OpenSim's muscles take no smaller activation unless the file says so.
_LEAST = 0.01
# Title of the file, and the column that it shows.
_FILES = {
    "Length": "length",
    "FiberLength": "fibre_length",
    "FiberVelocity": "fibre_velocity",
    "PennationAngle": "pennation_angle",
    "TendonForce": "force",
    "ActiveFiberForce": "active_force",
    "PassiveFiberForce": "passive_force",
}


def run_static_optimisation(job: Job, study: Study, analysis: Section) -> None:
    """Run a ``<StaticOptimization>`` and write activations, forces and controls."""
    model = study.model
    if not analysis.flag("use_model_force_set", default=True):
        raise analysis.element.fault(
            "<use_model_force_set> false puts a motor on every coordinate in place of the muscles; run an "
            "<InverseDynamicsTool> instead, which gives the same"
        )
    least = _least_activation(analysis, study)
    settings = Sharing(
        exponent=analysis.number("activation_exponent", 2.0),
        least_activation=least,
        force_curves=analysis.flag("use_muscle_physiology", default=True),
    )
    found = static_optimisation(model, rows_of(analysis, study.motion), study.loads, settings=settings)
    job.results["static_optimisation"] = found
    motors = [name.removesuffix(".control") for name in found.names if name.endswith(".control")]
    controls = {name: found.values(f"{name}.activation") for name in model.muscles}
    controls |= {study.names.get(name, name): found.values(f"{name}.control") for name in motors}
    forces = {study.names.get(name, name): found.values(f"{name}.force") for name in (*model.muscles, *motors)}
    stem = f"{job.tool.name}_{analysis.name or 'StaticOptimization'}"
    job.write(job.folder() / f"{stem}_activation.sto", "Static Optimization", (found.time, controls))
    job.write(job.folder() / f"{stem}_force.sto", "ModelForces", (found.time, forces))
    path = job.folder() / f"{stem}_controls.xml"
    write_controls(path, found.time, controls)
    job.files.append(path)


def _least_activation(analysis: Section, study: Study) -> float:
    """Return the least activation of the muscles, which the file may state for each."""
    root = elements_of(study.path)
    muscles = [] if root is None else [part for part in root.walk() if part.name in study.model.muscles]
    least = set()
    for part in muscles:
        bounds = [part.number(tag, _LEAST) for tag in ("minimum_activation", "min_control") if part.has(tag)]
        # OpenSim bounds a muscle by its control, which is not below its least activation.
        least.add(max(bounds) if bounds else _LEAST)
    if len(least) > 1:
        analysis.remark(
            f"least activations differ ({listed(f'{number:g}' for number in sorted(least))}): the least is taken"
        )
    return min(max(min(least, default=_LEAST), 0.0), 0.99)


def run_muscle_analysis(job: Job, study: Study, analysis: Section) -> None:
    """Run a ``<MuscleAnalysis>`` and write its files."""
    model = study.model
    motion = rows_of(analysis, study.motion)
    found = muscle_analysis(model, motion, activations=_activations(analysis, study, motion.time))
    job.results["muscle_analysis"] = found
    muscles = _chosen(analysis, "muscle_list", list(model.muscles))
    stem = f"{job.tool.name}_{analysis.name or 'MuscleAnalysis'}"
    for title, column in _FILES.items():
        columns = {name: found.values(f"{name}.{column}") for name in muscles}
        job.write(job.folder() / f"{stem}_{title}.sto", title, (found.time, columns))
    for title, columns in _derived(model, found, muscles).items():
        job.write(job.folder() / f"{stem}_{title}.sto", title, (found.time, columns))
    with_moments = analysis.flag("compute_moments", default=True)
    for coordinate in _chosen(analysis, "moment_arm_coordinate_list", list(model.moving)):
        arms = {name: _arm(found, name, coordinate) for name in muscles}
        title = f"MomentArm_{coordinate}"
        job.write(job.folder() / f"{stem}_{title}.sto", title, (found.time, arms))
        if with_moments:
            title = f"Moment_{coordinate}"
            moments = {name: arms[name] * found.values(f"{name}.force") for name in muscles}
            job.write(job.folder() / f"{stem}_{title}.sto", title, (found.time, moments))
    analysis.remark("of MuscleAnalysis, not written: PennationAngularVelocity and the powers of fibres and tendons")


def _derived(model: Model, found: Result, muscles: list[str]) -> dict[str, dict[str, Floats]]:
    """Return what follows from other columns: of the tendon, normalised, and along the tendon."""
    tables: dict[str, dict[str, Floats]] = {}
    for name in muscles:
        part = model.muscles[name]
        cosine = np.cos(found.values(f"{name}.pennation_angle"))
        length, speed = found.values(f"{name}.fibre_length"), found.values(f"{name}.fibre_velocity")
        active, passive = found.values(f"{name}.active_force"), found.values(f"{name}.passive_force")
        values = {
            "TendonLength": found.values(f"{name}.length") - length * cosine,
            "NormalizedFiberLength": length / part.optimal_fibre_length,
            "NormFiberVelocity": speed / part.optimal_fibre_length / part.max_velocity,
            "FiberForce": active + passive,
            "ActiveFiberForceAlongTendon": active * cosine,
            "PassiveFiberForceAlongTendon": passive * cosine,
        }
        for title, column in values.items():
            tables.setdefault(title, {})[name] = column
    return tables


def _arm(found: Result, muscle: str, coordinate: str) -> Floats:
    column = f"{muscle}.moment_arm.{coordinate}"
    return found.values(column) if column in found else np.zeros(len(found))


def _chosen(analysis: Section, tag: str, offered: list[str]) -> list[str]:
    wanted = analysis.names(tag) or ("all",)
    if "all" in (word.lower() for word in wanted):
        return offered
    short = [word.rstrip("/").rpartition("/")[2] for word in wanted]
    strange = [word for word in short if word not in offered]
    if strange:
        analysis.remark(f"<{tag}> names what the model lacks: {listed(strange)}")
    return [name for name in offered if name in short]


def _activations(analysis: Section, study: Study, times: Floats) -> Trajectory:
    """Return the activations of the states, or the model's defaults where the states have none."""
    equations = equations_of(study.model)
    defaults = dict(zip(equations.states, equations.state(), strict=True))
    columns: dict[str, Floats] = {}
    kept = []
    for name in study.model.muscles:
        column = f"{name}.activation"
        if study.states is not None and column in study.states:
            columns[column] = np.clip(np.interp(times, study.states.time, study.states.values(column)), 0.0, 1.0)
        else:
            kept.append(name)
            columns[column] = np.full(len(times), float(defaults.get(column, 0.05)))
    if kept:
        analysis.remark(f"activations are the defaults of the model: {listed(kept, 4)}")
    if any(muscle.tendon == "elastic" for muscle in study.model.muscles.values()):
        analysis.remark("fibres on elastic tendons start in balance and are marched through the motion")
    return Trajectory(times, columns)
